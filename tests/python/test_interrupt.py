"""Ctrl-C keeps what is finished, and nothing that is not whole is left behind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import airtcp
from examples import LOSSY_LINK

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Interrupted, Program


def test_study_keeps_finished_links(interrupted: Interrupted, tmp_path: Path) -> None:
    for number in range(40):
        name = tmp_path / "links" / f"{number:02}.txt"
        name.parent.mkdir(exist_ok=True)
        airtcp.synth(name, prr=0.9, mu=0.3, packets=200_000, seed=number)
    arguments = ["study", "links", "--replicas", "30", "--workers", "1", "--out", "results"]
    ended = interrupted(*arguments, "--json", after=4)
    assert ended.code == 130, ended.err
    assert "Traceback" not in ended.err
    document = json.loads(ended.out)
    assert document["interrupted"]
    assert len(document["links"]) < 40
    assert json.loads((tmp_path / "results" / "study.json").read_text("utf-8")) == document
    assert not [p for p in (tmp_path / "results").iterdir() if p.name.endswith(".part")]


def test_an_error_in_the_progress_function_comes_back(tmp_path: Path) -> None:
    trace = airtcp.synth(tmp_path / "a.txt", prr=0.5, packets=1000)

    def fail(done: int, total: int, label: str) -> None:
        message = f"{label} {done} of {total}"
        raise RuntimeError(message)

    with pytest.raises(RuntimeError, match=r"reading|simulating"):
        airtcp.study(trace, progress=fail)


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    from airtcp import output

    target = tmp_path / "a" / "file.txt"
    output.write_text(target, "first")
    with pytest.raises(ZeroDivisionError), output.whole(target) as part:
        part.write_text(f"half of the second {1 // 0}")
    assert target.read_text() == "first"
    assert [path.name for path in target.parent.iterdir()] == ["file.txt"]


def test_a_stopped_run_replaces_nothing(
    interrupted: Interrupted, run: Program, tmp_path: Path
) -> None:
    (tmp_path / "a.toml").write_text(f'duration = "1 s"\n{LOSSY_LINK}')
    places = ("--out", "r", "--pcap", "c.pcapng", "--html", "p.html")
    assert run("run", "a.toml", *places).code == 0
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    # The same command, over a scenario that now takes an hour: nothing of it is finished.
    (tmp_path / "a.toml").write_text(f'duration = "100000 s"\n{LOSSY_LINK}')
    before[tmp_path / "a.toml"] = (tmp_path / "a.toml").read_bytes()
    ended = interrupted("run", "a.toml", *places, after=3)
    assert ended.code == 130, ended.err
    assert "nothing was finished" in ended.err
    after = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    capture = after.pop(tmp_path / "c.unfinished.pcapng")
    assert capture.startswith(b"\x0a\x0d\x0d\x0a")
    assert after == before


def test_a_part_of_a_result_goes_beside_the_whole_one(
    interrupted: Interrupted, run: Program, tmp_path: Path
) -> None:
    text = f'duration = "1 s"\n{LOSSY_LINK}'
    (tmp_path / "a.toml").write_text(text)
    assert run("run", "a.toml", "--out", "r").code == 0
    before = (tmp_path / "r" / "run.json").read_bytes()
    (tmp_path / "a.toml").write_text("replications = 100000\n" + text)
    ended = interrupted("run", "a.toml", "--out", "r", "--workers", "1", after=5)
    assert ended.code == 130, ended.err
    assert (tmp_path / "r" / "run.json").read_bytes() == before
    part = json.loads((tmp_path / "r.unfinished" / "run.json").read_text("utf-8"))
    assert part["interrupted"]
    assert 0 < len(part["replications"]) < 100_000
    assert (tmp_path / "r.unfinished" / "report.html").is_file()
