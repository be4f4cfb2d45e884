"""Small inputs that stand for gigabytes, and inputs without an end: refused in one line, soon."""

from __future__ import annotations

import gzip
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import airtcp
from airtcp import api

if TYPE_CHECKING:
    from pathlib import Path

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
        api.stats(path)
    message = str(error.value)
    assert name in message
    assert says in message
    assert "AIRTCP_INPUT_LIMIT" in message
    assert "\n" not in message


def test_the_limit_can_be_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "link.txt"
    path.write_text("01" * 1500)
    monkeypatch.setenv("AIRTCP_INPUT_LIMIT", "2 kB")
    with pytest.raises(airtcp.TraceError, match="more than 2000 bytes"):
        api.stats(path)
    monkeypatch.setenv("AIRTCP_INPUT_LIMIT", "4 kB")
    assert api.stats(path)["links"][0]["packets"] == 3000
    monkeypatch.setenv("AIRTCP_INPUT_LIMIT", "much")
    with pytest.raises(airtcp.AirtcpError, match='AIRTCP_INPUT_LIMIT = "much": expected a size'):
        api.stats(path)


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
