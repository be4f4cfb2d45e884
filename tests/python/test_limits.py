"""Small inputs that expand to gigabytes, and endless inputs, are refused early and in one line."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import airtcp
from airtcp.cli import places
from airtcp.questions.scenarios import parsable

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = {"comments.csv.gz": 250e6}
"""Bytes that a refusal may take at a limit of 50 MB, beyond what a short trace takes; 25 MB where
nothing is said: comments are kept until the first line of data."""


HEADERS = "".join(f"[k{i}]\n" for i in range(30_000))
K7 = '{"location":"x"}\ndatetime,src,dst,channel,mean_rssi,pdr,tx_count\n'


def _bomb(row: str, rows: int) -> bytes:
    """Compress many equal rows twice."""
    return gzip.compress(gzip.compress((K7 + row * rows).encode()))


def _links(count: int) -> bytes:
    return ("link,received\n" + "".join(f"{i},1\n" for i in range(count))).encode()


@pytest.mark.parametrize(
    ("limit", "name", "data", "says"),
    [
        ("1 GB", "few.csv", b"# airtcp: packets=4294967296\nseq\n1\n2\n", "losses at an end"),
        ("1 GB", "many.csv", _links(100_001), "more than 100000 links"),
        ("20 MB", "deep.k7.gz", _bomb("t,a,b,11,,1,1000000\n", 40), "more than 20000000 packets"),
        ("2 MB", "wide.k7.gz", _bomb("t," + "a" * 8000 + ",b,11,,1,1\n", 300), "more than 2000000"),
    ],
)
def test_bombs_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, name: str, data: bytes, says: str
) -> None:
    monkeypatch.setenv("AIRTCP_INPUT_LIMIT", limit)
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(airtcp.TraceError) as error:
        airtcp.stats(path)
    message = str(error.value)
    assert name in message
    assert says in message
    assert "AIRTCP_INPUT_LIMIT" in message
    assert "\n" not in message


# The memory limit of the process, and the report of its use.
LIMITED = 'ulimit -v 6000000; exec "$@"'
COUNTED = """
import os, sys
status, end = "/proc/self/status", os._exit
def counted(code):
    sys.stderr.write(open(status).read().split("VmHWM:")[1].split("kB")[0])
    sys.stderr.flush()
    end(code)
os._exit = counted
from airtcp.cli import main
main()
"""


def _memory(path: Path) -> tuple[str, int]:
    """Read a file in a process with limited memory; return its output and its peak."""
    asked = [sys.executable, "-c", COUNTED, "trace", "stats", path.name]
    done = subprocess.run(
        [shutil.which("sh") or "sh", "-c", LIMITED, "sh", *asked],
        cwd=path.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 2), done.stderr
    *said, kilobytes = done.stderr.splitlines()
    return "\n".join(said), int(kilobytes) * 1024


@pytest.fixture(scope="module")
def least(tmp_path_factory: pytest.TempPathFactory) -> int:
    """The memory for a short trace: the interpreter and the libraries."""
    plain = tmp_path_factory.mktemp("plain") / "plain.txt"
    plain.write_text("01" * 500)
    return _memory(plain)[1]


BOMBS: dict[str, Callable[[], bytes]] = {
    "comments.csv.gz": lambda: gzip.compress(gzip.compress(b"#" * 100_000_000, 1)),
    "packets.k7.gz": lambda: _bomb("t,a,b,11,,1,1000000\n", 1000),
    "names.k7.gz": lambda: _bomb("t," + "a" * 8000 + ",b,11,,1,1\n", 10_000),
    "links.csv.gz": lambda: gzip.compress(_links(1_000_000), 1),
    "gaps.csv": lambda: b"# airtcp: packets=4294967296\nseq\n1\n2\n",
}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc says what it takes")
@pytest.mark.parametrize("name", BOMBS)
def test_what_is_refused_takes_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, least: int, name: str
) -> None:
    monkeypatch.setenv("AIRTCP_INPUT_LIMIT", "50 MB")
    (tmp_path / name).write_bytes(BOMBS[name]())
    said, most = _memory(tmp_path / name)
    assert "AIRTCP_INPUT_LIMIT" in said
    assert most - least < MOST.get(name, 25e6), f"{(most - least) / 1e6:.0f} MB"


def test_four_compressions_inside_each_other_are_refused(tmp_path: Path) -> None:
    path, data = tmp_path / "a.txt.gz", b"0110" * 1000
    for _ in range(3):
        data = gzip.compress(data)
    path.write_bytes(data)
    assert airtcp.stats(path)["links"][0]["packets"] == 4000
    path.write_bytes(gzip.compress(data))
    with pytest.raises(airtcp.TraceError, match="more than 3 layers deep"):
        airtcp.stats(path)


def test_the_limit_can_be_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "link.txt"
    path.write_text("01" * 1500)
    monkeypatch.setenv("AIRTCP_INPUT_LIMIT", "2 kB")
    with pytest.raises(airtcp.TraceError, match="more than 2000 bytes"):
        airtcp.stats(path)
    monkeypatch.setenv("AIRTCP_INPUT_LIMIT", "4 kB")
    assert airtcp.stats(path)["links"][0]["packets"] == 3000
    # The last input has a byte that is not UTF-8.
    for text, shown in (("much", "much"), ("\udcff", "\N{REPLACEMENT CHARACTER}")):
        monkeypatch.setenv("AIRTCP_INPUT_LIMIT", text)
        with pytest.raises(airtcp.AirtcpError, match=f'LIMIT = "{shown}": expected a size'):
            airtcp.stats(path)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "-"], "stdin: longer than"),
        (["run", "/dev/zero"], "/dev/zero: longer than"),
        (["trace", "synth", "x.txt", "--model", "/dev/zero"], "/dev/zero: longer than"),
        (["trace", "stats", "-"], "binary data"),
    ],
)
def test_streams_without_an_end(tmp_path: Path, arguments: list[str], says: str) -> None:
    with open("/dev/zero", "rb") as zeros:  # noqa: PTH123 - a device, as standard input
        done = subprocess.run(
            [sys.executable, "-m", "airtcp", *arguments],
            stdin=zeros,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            timeout=300,
            check=False,
        )
    assert done.returncode != 0
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (".".join(["a"] * 50_000) + " = 1", "a.toml:1: a key of more than 100 parts"),
        ("\n[" + ".".join(["a"] * 50_000) + "]\n", "a.toml:2: a key of more than 100 parts"),
        ("x = { " + ".".join(["a"] * 50_000) + " = 1 }", "a.toml:1: a key of more than 100 parts"),
        ("x = 1\n" + '"a".' * 50_000 + "b = 1", "a.toml:2: a key of more than 100 parts"),
        ("".join(f"[k{i}]\n" for i in range(30_000)), "a.toml:20001: more than 20000 headers"),
        ("".join(f"k{i}=1\n" for i in range(500_000)), "longer than 4194304 bytes"),
        # Quotation marks in comments begin no text.
        (f'# """\n{HEADERS}# """\n', "a.toml:20002: more than 20000 headers"),
        (f"# it's '''\n{HEADERS}# '''\n", "a.toml:20002: more than 20000 headers"),
    ],
)
def test_scenarios_that_take_for_ever_are_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, says: str
) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text)

    def parsed(_text: str) -> None:
        pytest.fail("was parsed")

    monkeypatch.setattr("tomllib.loads", parsed)
    # The code that lists the inputs reads it first.
    assert list(places.of_scenarios([path])) == [path]
    for given in (None, text):
        with pytest.raises(airtcp.ScenarioError, match=says):
            airtcp.run(path, text=given)
        with pytest.raises(airtcp.ScenarioError, match=says):
            airtcp.compare(path, text=given)


@pytest.mark.parametrize("unit", ['\\"""', '\\"', "'" * 5, "\\'" * 3, '"""\\'])
def test_the_look_at_a_scenario_takes_linear_time(unit: str) -> None:
    def taken(times: int) -> float:
        begin = time.process_time()
        parsable(unit * times + "." * 99, "a.toml")
        return time.process_time() - begin

    # Quadratic time is 256 times as much.
    assert taken(16_000) < 100 * max(taken(1000), 1e-3)


def test_dots_elsewhere_are_no_keys() -> None:
    for text in (
        "x = [" + "1.5, " * 300 + "]",
        'x = "' + "." * 300 + '"',
        'x = """\n' + "." * 300 + '\n"""',
        "x = '''\n" + "." * 300 + "\n'''",
        "# " + "." * 300,
        "x = [\n" + "[1.5, 2.5],\n" * 30_000 + "]",
    ):
        assert parsable(text, "a.toml") == text


def test_compressed_text_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(gzip.compress(b"x = 1"))
    with pytest.raises(airtcp.ScenarioError, match=r"compressed with gzip.*gunzip"):
        airtcp.run(tmp_path / "a.toml")
