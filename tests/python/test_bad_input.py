"""Bad input gives a short message and exit code 2."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import airtcp
from examples import LOSSY_LINK

if TYPE_CHECKING:
    from conftest import Program

BAD_TRACES: dict[str, tuple[bytes, str]] = {
    "malformed.txt": (b"0101\n" * 20_000 + b"01x1\n", "line 20001"),
    "malformed-early.txt": (b"0101\n01x1\n", "line"),
    "words.txt": (b"hello, this is no trace\n", "words.txt"),
    "binary.bin": (bytes(range(256)) * 8, "binary"),
    "empty.txt": (b"", "empty"),
    "blank.txt": (b"\n\n  \n", "blank.txt"),
    "cut.txt.gz": (gzip.compress(b"01" * 50_000)[:-40], "cut short"),
    "not-really.txt.xz": (b"\xfd7zXZ\x00rubbish", "not-really.txt.xz"),
    "utf16.txt": ("0101".encode("utf-16"), "utf16.txt"),
    "header-only.csv": (b"seq,received\n", "header-only.csv"),
}


@pytest.mark.parametrize("name", BAD_TRACES)
def test_bad_traces(run: Program, tmp_path: Path, name: str) -> None:
    content, expected = BAD_TRACES[name]
    (tmp_path / name).write_bytes(content)
    ended = run("study", name, "--out", "results")
    assert ended.code == 2, ended.out + ended.err
    assert "Traceback" not in ended.err
    assert name in ended.err
    assert expected in ended.err
    assert len(ended.err.splitlines()) <= 24
    assert ended.out == ""
    assert not (tmp_path / "results").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [name]


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="there is no setpriv")
@pytest.mark.parametrize(
    "arguments",
    [
        ("study", "../link.txt", "--out", "results"),
        ("study", "../link.txt", "--html", "page.html"),
        ("trace", "fit", "../link.txt", "--html", "page.html"),
        ("compare", "../link.txt", "--out", "results"),
        ("reproduce", "S1.fig2", "--html", "page.html"),
    ],
)
def test_a_folder_that_cannot_be_written_is_refused_first(
    program: list[str], tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "link.txt").write_text("0110" * 1000)
    (tmp_path / "closed").mkdir(mode=0o555)
    # Otherwise the superuser may write everywhere.
    plain = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] if os.geteuid() == 0 else []
    done = subprocess.run(
        [*plain, *program, *arguments],
        cwd=tmp_path / "closed",
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "nothing can be written to the folder" in done.stderr
    # No work was done in vain.
    assert done.stdout == ""


@pytest.mark.parametrize("bit", ["0", "1"])
def test_constant_traces_are_links_too(run: Program, tmp_path: Path, bit: str) -> None:
    (tmp_path / "constant.txt").write_text(bit * 500)
    ended = run("study", "constant.txt", "--replicas", "2", "--html", "r.html", "--details")
    assert ended.code == 0, ended.err
    assert "mu is undefined" in ended.out
    assert (tmp_path / "r.html").exists()


def test_a_large_file_is_streamed(run: Program, tmp_path: Path) -> None:
    block = b"1011" * 20_000
    with gzip.open(tmp_path / "large.txt.gz", "wb", compresslevel=1) as file:
        for _ in range(100):
            file.write(block)
    ended = run("trace", "stats", "large.txt.gz", "--format", "jsonl")
    assert ended.code == 0, ended.err
    assert '"packets": 8000000' in ended.out


SCENARIO = f'duration = "2 s"\n{LOSSY_LINK}'
BAD_SCENARIOS: dict[str, tuple[str, str, list[str]]] = {
    "unknown key": ("delay =", "dealy =", ["dealy", "delay"]),
    "wrong unit": ('"10 Mb/s"', '"10 furlongs"', ["rate", "furlongs"]),
    "no unit": ('"10 ms"', "10", ["delay"]),
    "negative rate": ('"10 Mb/s"', '"-10 Mb/s"', ["rate", "-10"]),
    "impossible probability": ("0.01", "1.5", ["probability", "1.5"]),
    "unknown model": ("bernoulli", "bernouli", ["bernouli", "bernoulli"]),
    "syntax": ("[[flows]]", "[[flows", ["TOML"]),
    "no such node": ('[[flows]]\nfrom = "a"\nto = "b"', '[[flows]]\nfrom = "a"\nto = "c"', ['"c"']),
    "zero window": ("[[flows]]", "[[flows]]\ntcp = { receive_buffer = 0 }", ["tcp"]),
    "chain out of range": (
        'model = "bernoulli", probability = 0.01',
        'model = "gilbert-elliott", prr = 0.9, mu = -0.5',
        ["mu"],
    ),
}


@pytest.mark.parametrize("case", BAD_SCENARIOS)
def test_bad_scenarios(run: Program, tmp_path: Path, case: str) -> None:
    before, after, expected = BAD_SCENARIOS[case]
    assert before in SCENARIO
    text = SCENARIO.replace(before, after, 1)
    (tmp_path / "bad.toml").write_text(text)
    ended = run("run", "bad.toml", "--out", "results", "--pcap", "a.pcapng")
    assert ended.code == 2, ended.out + ended.err
    assert "Traceback" not in ended.err
    assert "bad.toml" in ended.err
    for word in expected:
        assert word in ended.err
    assert len(ended.err.splitlines()) <= 24
    assert ended.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["bad.toml"]


@pytest.mark.parametrize("name", ["lossy-link.toml", "udp-mix.toml", "wifi-star.toml"])
def test_a_slip_in_a_scenario_makes_no_trace_of_it(run: Program, tmp_path: Path, name: str) -> None:
    lines = (Path(__file__).parents[2] / "scenarios" / name).read_text("utf-8").split("\n")
    for number in [i for i, line in enumerate(lines) if line.startswith("duration")]:
        lines[number] = lines[number].replace("=", "==")
        (tmp_path / "a.toml").write_text("\n".join(lines))
        ended = run("run", "a.toml")
        assert ended.code == 2
        assert f"a.toml:{number + 1}: not valid TOML" in ended.err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["study"], "LINK"),
        (["study", "nowhere.txt"], "nowhere.txt"),
        (["study", "nowhere/*.txt"], "nowhere"),
        (["study", "t.txt", "--replicas", "0"], "replicas"),
        (["study", "t.txt", "--profile", "s9"], "s1-mirage"),
        (["study", "t.txt", "--interval", "10"], "interval"),
        (["study", "t.txt", "--interval", "-1 ms"], "interval"),
        (["study", "t.txt", "--layout", "table", "--column", "nine"], "nine"),
        (["study", "t.txt", "--layout", "runes"], "runes"),
        (["study", "t.txt", "--out", "t.txt"], "t.txt"),
        (["study", "t.txt", "--no-such-option"], "no-such-option"),
        (["run", "nowhere.toml"], "nowhere.toml"),
        (["run", "t.txt", "--set", "nonsense"], "PATH=VALUE"),
        (["run", "t.txt"], "not a scenario"),
        (["trace", "synth", "x.txt", "--prr", "0.9", "--mu", "-0.9"], "mu"),
        (["trace", "synth", "x.txt", "--prr", "1.2"], "prr"),
        (["trace", "synth", "x.txt"], "prr"),
        (["trace", "synth", "x.txt", "--prr", "nan"], "prr = nan"),
        (["trace", "synth", "x.txt", "--prr", "0.5", "--packets", "9" * 23], "1000000000"),
        (["trace", "synth", "missing/x.txt", "--prr", "0.5"], "missing"),
        (["list", "spells"], "spells"),
        (["schema", "poem"], "poem"),
        (["fly"], "fly"),
    ],
)
def test_bad_usage(run: Program, tmp_path: Path, arguments: list[str], expected: str) -> None:
    (tmp_path / "t.txt").write_text("0110101\n" * 20)
    ended = run(*arguments)
    assert ended.code == 2, ended.out + ended.err
    assert "Traceback" not in ended.err
    assert expected in ended.err
    assert [path.name for path in tmp_path.iterdir()] == ["t.txt"]


@pytest.mark.parametrize("command", ["run", "compare"])
@pytest.mark.parametrize(
    ("value", "path", "message"),
    [
        ("2", "links[0].loss", "links[0].loss=2: "),
        ("9 s", "warmup", "warmup=9 s: "),
        ("1 Mb/s", "links[7].rate", "links[7].rate=1 Mb/s: cannot be set: there is no element 7"),
    ],
)
def test_a_wrong_value_of_an_option_is_no_fault_of_the_file(
    run: Program, tmp_path: Path, command: str, path: str, value: str, message: str
) -> None:
    """The option is named on the command line; in Python the override."""
    text = Path(__file__).parents[2].joinpath("scenarios", "lossy-link.toml").read_text("utf-8")
    (tmp_path / "a.toml").write_text(text)
    duration = ("--set", "duration=5 s", "--set", "warmup=0 s")
    ended = run(command, "a.toml", *duration, "--set", f"{path}={value}")
    assert ended.code == 2
    assert ended.err.startswith(f"error: --set {message}"), ended.err
    overrides = {"duration": "5 s", "warmup": "0 s", path: value if " " in value else int(value)}
    call = airtcp.run if command == "run" else airtcp.compare
    with pytest.raises(airtcp.ScenarioError) as refused:
        call(tmp_path / "a.toml", overrides=overrides)
    assert str(refused.value).startswith(message)


def test_an_argument_is_named_by_its_name(tmp_path: Path) -> None:
    text = Path(__file__).parents[2].joinpath("scenarios", "lossy-link.toml").read_text("utf-8")
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(airtcp.ScenarioError, match=r"^replications=0: is 0: expected 1 to"):
        airtcp.run(tmp_path / "a.toml", replications=0)
    with pytest.raises(airtcp.AirtcpError, match=r"^replications: ") as refused:
        airtcp.compare(tmp_path / "a.toml", replications=-1)
    assert "option" not in str(refused.value)


@pytest.mark.parametrize(
    ("head", "asked", "said"),
    [
        ("when,received", ("--time-column", "when"), "give the option --time-unit"),
        ("time_s,received", (), "give the option --time-unit"),
        ("time,received", (), "give the option --time-unit"),
    ],
)
def test_a_unit_of_time_is_asked_for_by_its_option(
    run: Program, tmp_path: Path, head: str, asked: tuple[str, ...], said: str
) -> None:
    start = 2**46 if head.startswith("time_s") else 1
    rows = [f"{start + i * i},{i % 3 % 2}" for i in range(9)]
    (tmp_path / "t.csv").write_text("\n".join([head, *rows, ""]))
    ended = run("trace", "stats", "t.csv", *asked, "--details")
    assert said in ended.out + ended.err
    assert "time_unit" not in ended.out + ended.err


def test_a_folder_without_traces(run: Program, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert run("study", "folder").code == 2
    (tmp_path / "folder" / "poem.txt").write_text("o wild west wind\n")
    ended = run("study", "folder")
    assert ended.code == 2
    assert "poem.txt" in ended.err


LATE = {
    "far end": ('to = "b"\ntcp', 'to = "moon"\ntcp', "bad.toml:11: flows[0].to"),
    "burst": (
        '"bernoulli", probability = 0.01',
        '"gilbert-elliott", mean_loss = 0.9, mean_burst = 2',
        "",
    ),
    # The key belongs to the loss, not to the link.
    "no slot": (
        '"bernoulli", probability = 0.01',
        '"gilbert-elliott", prr = 0.9, mu = 0.5',
        "bad.toml:7: links[0].loss.slot: missing",
    ),
    "no time": ('"5 s"', '"0 s"', "bad.toml:1: duration"),
    "no trace": ('"bernoulli", probability = 0.01', '"trace", path = "no.txt", slot = "1 ms"', ""),
    "no window": ('"64 kB"', '"0 B"', "bad.toml:12: flows[0].tcp"),
}
LATE_SCENARIO = """duration = "5 s"
[[links]]
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "10 ms"
loss = { model = "bernoulli", probability = 0.01 }

[[flows]]
from = "a"
to = "b"
tcp = { profile = "linux", receive_buffer = "64 kB" }
"""


@pytest.mark.parametrize("case", LATE)
def test_what_only_the_models_can_refuse_has_a_line_too(
    run: Program, tmp_path: Path, case: str
) -> None:
    before, after, expected = LATE[case]
    assert before in LATE_SCENARIO
    (tmp_path / "bad.toml").write_text(LATE_SCENARIO.replace(before, after, 1))
    ended = run("run", "bad.toml")
    assert ended.code == 2, ended.out + ended.err
    assert ended.err.startswith(f"error: {expected or 'bad.toml:7: links[0].loss'}"), ended.err
    assert ".:" not in ended.err


def test_a_missing_loss_slot_is_placed_at_its_key(run: Program, tmp_path: Path) -> None:
    (tmp_path / "bits.txt").write_text("0110" * 100)
    (tmp_path / "s.toml").write_text(
        'duration = "1 s"\n[[links]]\nfrom = "a"\nto = "b"\nrate = "1 Mb/s"\n'
        'loss = { model = "trace", path = "bits.txt" }\n[[flows]]\nfrom = "a"\nto = "b"\n'
    )
    ended = run("run", "s.toml")
    assert ended.code == 2
    assert "s.toml:6: links[0].loss.slot: missing" in ended.err
    assert "slot = " in ended.err


def test_trace_stats_shows_a_screen_of_rows(run: Program, tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    for i in range(31):
        airtcp.synth(tmp_path / "links" / f"{i:02}.txt", prr=0.9, packets=50, seed=i)
    ended = run("trace", "stats", "links")
    assert ended.code == 0, ended.err
    rows = [line for line in ended.out.splitlines() if re.match(r" \d\d  ", line)]
    assert len(rows) == 15
    assert "and 16 more: --details" in ended.out
    assert len(run("trace", "stats", "links", "--format", "csv").out.splitlines()) == 32


def test_a_large_capture_is_said_before_the_run(tmp_path: Path) -> None:
    text = (
        'duration = "60 s"\n[[links]]\nfrom = "a"\nto = "b"\nrate = "10 Gb/s"\n'
        '[[flows]]\nfrom = "a"\nto = "b"\n'
    )

    class StopError(Exception):
        pass

    said: list[str] = []

    def warn(warning: str) -> None:
        said.append(warning)
        raise StopError

    with pytest.raises(StopError):
        airtcp.run("big", text=text, pcap=tmp_path / "c.pcapng", warn=warn)
    assert "75 GB" in said[0]
    assert not (tmp_path / "c.pcapng").exists()


@pytest.mark.skipif(os.name != "posix", reason="needs permissions")
def test_an_unreadable_subfolder_is_passed_over_and_said(run: Program, tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    airtcp.synth(tmp_path / "links" / "a.txt", prr=0.9, packets=500)
    closed = tmp_path / "links" / "closed"
    closed.mkdir(mode=0)
    try:
        ended = run("trace", "stats", "links", "--json")
    finally:
        closed.chmod(0o700)
    assert ended.code == 0, ended.err
    document = json.loads(ended.out)
    assert [link["name"] for link in document["links"]] == ["a"]
    # Root may read every folder, and this one is empty.
    if os.geteuid():
        assert any("closed" in skipped["path"] for skipped in document["skipped"])
