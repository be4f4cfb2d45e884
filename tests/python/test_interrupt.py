"""Ctrl-C keeps what is finished, and nothing that is not whole is left behind."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import airtcp

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Interrupted


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
