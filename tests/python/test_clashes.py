"""Outputs that would overwrite each other, and folders that other processes write or altered."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.cli import places, write
from airtcp.files import atomic_write, destinations
from airtcp.files import folder as folders
from conftest import ENVIRONMENT
from examples import LOSSY_LINK

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp.questions.run.result import RunResult
    from conftest import Program

TEXT = f'duration = "50 ms"\n{LOSSY_LINK}'


@pytest.fixture
def result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunResult:
    monkeypatch.chdir(tmp_path)
    return airtcp.run("a.toml", text=TEXT, replications=1)


def decided(tmp_path: Path, **given: str) -> places.Places:
    paths: dict[str, Any] = {option: tmp_path / name for option, name in given.items()}
    out, html = paths.pop("out", None), paths.pop("html", None)
    return places.decide({}, out=out, html=html, force=True, inputs=[], **paths)


@pytest.mark.parametrize(
    "given",
    [
        {"pcap": "p", "html": "p"},
        {"pcap": "p", "html": "q/../p"},
        {"out": "d", "html": "d"},
        {"out": "d", "pcap": "d/flows.parquet"},
        {"out": "d", "html": "d/run.json"},
        {"out": "d", "pcap": "d/.airtcp.json"},
        {"out": "d", "pcap": "d/report.html"},
        {"out": "d", "radiotap": "d"},
        {"out": "d", "radiotap": "d/flows.parquet"},
        {"radiotap": "d", "pcap": "d"},
        {"radiotap": "d", "pcap": "d/a.pcapng"},
        {"html": "p", "pcap": "p/c.pcapng"},
        {"html": "p", "out": "p/d"},
    ],
)
def test_outputs_with_one_name_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: dict[str, str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        decided(tmp_path, **given)
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "name" in said
    assert ".part" not in said
    assert list(tmp_path.iterdir()) == []


def test_outputs_side_by_side_are_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decided(tmp_path, out="d", pcap="d/c.pcap", radiotap="d/air", html="p.html")
    decided(tmp_path, html="/dev/null", pcap="/dev/null")
    # The report's own path, in another form.
    monkeypatch.chdir(tmp_path)
    assert decided(tmp_path, out="d", html="./x/../d/report.html").with_page


def test_a_clash_is_refused_before_the_run(run: Program, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(TEXT.replace("50 ms", "100000 s"))
    ended = run("run", "a.toml", "--out", "d", "--pcap", "d/flows.parquet")
    assert ended.code == 2, ended.err
    assert "d/flows.parquet" in ended.err
    assert not (tmp_path / "d").exists()


def _purpose(key: str) -> folders.Purpose:
    return folders.Purpose(key, f"airtcp run {key}.toml")


def _write(result: RunResult, out: Path, key: str) -> None:
    write.files(result, places.Places(out, None, _purpose(key)), quiet=True)


def test_of_two_runs_into_one_folder_both_results_stay(result: RunResult, tmp_path: Path) -> None:
    _write(result, tmp_path / "r", "a")
    before = {p.name: p.read_bytes() for p in (tmp_path / "r").iterdir()}
    # Both had checked the folder before either wrote.
    with pytest.raises(
        destinations.PlaceError, match=r"result of airtcp run a\.toml.*kept in .*r\.kept"
    ):
        _write(result, tmp_path / "r", "b")
    assert {p.name: p.read_bytes() for p in (tmp_path / "r").iterdir()} == before
    assert folders.held(tmp_path / "r.kept").purpose == _purpose("b")
    # The same command replaces its own result.
    _write(result, tmp_path / "r", "a")


def test_who_writes_to_a_folder_keeps_others_out(result: RunResult, tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    with atomic_write.staged() as files:
        files.hold(tmp_path / "r")
        handle = os.open(tmp_path / "r", os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(handle)
    _write(result, tmp_path / "r", "a")


def test_a_file_that_appears_meanwhile_stays(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"

    def write_late() -> None:
        with atomic_write.staged() as files:
            files.file(target, new=True).write_text("late")
            target.write_text("early")

    with pytest.raises(destinations.PlaceError, match=r"a\.txt: another command"):
        write_late()
    assert target.read_text() == "early"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


def test_a_file_that_appears_in_the_last_moment_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.txt"

    def looked(_path: str) -> bool:
        # Another process writes between the check and the move.
        target.write_text("early")
        return False

    def write_late() -> None:
        with atomic_write.staged() as files:
            files.file(target, new=True).write_text("late")
            monkeypatch.setattr("os.path.lexists", looked)
            looked("")

    with pytest.raises(destinations.PlaceError, match=r"a\.txt: another command"):
        write_late()
    assert target.read_text() == "early"


def _list(folder: Path) -> dict[str, Any]:
    return json.loads((folder / folders.LIST).read_text("utf-8"))


@pytest.mark.parametrize("name", ["notes.txt", "mine.parquet", "../x.parquet", "a\0b.parquet", 7])
def test_names_added_to_the_list_are_not_removed(
    result: RunResult, tmp_path: Path, name: Any
) -> None:
    out = tmp_path / "r"
    _write(result, out, "a")
    (out / "notes.txt").write_text("mine")
    (tmp_path / "x.parquet").write_text("mine")
    listed = _list(out)
    listed["files"].append(name)
    (out / folders.LIST).write_text(json.dumps(listed))
    assert name not in folders.held(out).files
    if name == "mine.parquet":
        (out / name).write_text("mine")
        with pytest.raises(destinations.PlaceError, match=r"mine\.parquet"):
            folders.check(out, _purpose("a"), force=False, option="--out", pattern="*.parquet")
        assert name not in folders.held(out).files
    listed.pop("sizes")
    (out / folders.LIST).write_text(json.dumps(listed))
    assert "notes.txt" not in folders.held(out).files
    _write(result, out, "a")
    assert (out / "notes.txt").read_text() == "mine"
    assert (tmp_path / "x.parquet").read_text() == "mine"


def test_a_list_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / folders.LIST)
    (tmp_path / "run.json").write_text("{}")
    assert folders.held(tmp_path).files == ["run.json"]
    (tmp_path / "p.html").symlink_to("/dev/zero")
    assert not destinations.written_by_airtcp(tmp_path / "p.html")


def test_a_pipe_that_nobody_writes_to_can_be_interrupted(
    tmp_path: Path, program: list[str]
) -> None:
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(
        [*program, "run", "pipe"], cwd=tmp_path, env=ENVIRONMENT, stderr=subprocess.PIPE
    ) as child:
        while _state(child.pid) != "wait_for_partner":
            assert child.poll() is None
            time.sleep(0.05)
        # As `timeout -s INT` does.
        child.send_signal(signal.SIGINT)
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=60)
    assert (child.returncode, said) == (130, b"interrupted\n")


def _state(process: int) -> str:
    """Return the wait state of a process; without permission, wait for a while."""
    try:
        with open(f"/proc/{process}/wchan", encoding="utf-8") as file:  # noqa: PTH123
            place = file.read()
    except OSError:
        place = ""
    if place in ("", "0"):
        time.sleep(3)
        return "wait_for_partner"
    return place
