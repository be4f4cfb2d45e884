"""Ctrl-C keeps finished work and leaves no partial file."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING

import pytest

import airtcp
from airtcp.cli import places, write
from airtcp.cli.options import Format
from airtcp.files import atomic_write
from conftest import ENVIRONMENT
from examples import LOSSY_LINK

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def test_a_request_to_end_keeps_finished_work(tmp_path: Path, program: list[str]) -> None:
    scenario = f'duration = "500 s"\nreplications = 400\n{LOSSY_LINK}'
    (tmp_path / "a.toml").write_text(scenario)
    command = [*program, "run", "a.toml", "--out", "r", "--json", "--why", "no"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        sleep(3)
        child.send_signal(signal.SIGTERM)
        out, err = child.communicate(timeout=120)
    assert child.returncode == 130, err
    document = json.loads(out)
    assert document["interrupted"]
    assert 0 < len(document["replications"]) < 400
    assert json.loads((tmp_path / "r" / "run.json").read_text("utf-8")) == document


def test_a_slow_reader_gets_the_whole_output(program: list[str]) -> None:
    """Signals interrupt a write to a full pipe; an unbuffered stream would drop the rest."""
    code = (
        "import signal, sys\n"
        "from airtcp.cli import console\n"
        "console.streams()\n"
        "signal.signal(signal.SIGALRM, lambda number, frame: None)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.2, 0.05)\n"
        "sys.stdout.write('x' * 300_000 + '\\n')\n"
        "signal.setitimer(signal.ITIMER_REAL, 0)\n"
    )
    with subprocess.Popen(
        [program[0], "-c", code],
        stdout=subprocess.PIPE,
        env=ENVIRONMENT | {"PYTHONUNBUFFERED": "1"},
    ) as child:
        assert child.stdout is not None
        sleep(1)
        assert len(child.stdout.read()) == 300_001
    assert child.returncode == 0


def test_an_error_in_the_progress_function_comes_back(tmp_path: Path) -> None:
    trace = airtcp.synth(tmp_path / "a.txt", prr=0.5, packets=1000)

    def fail(done: int, total: int, label: str) -> None:
        message = f"{label} {done} of {total}"
        raise RuntimeError(message)

    with pytest.raises(RuntimeError, match=r"reading|simulating"):
        airtcp.study(trace, progress=fail)


def test_a_single_replication_tells_how_far_it_is() -> None:
    told: list[tuple[int, int]] = []
    airtcp.run(
        "a.toml",
        text=f'duration = "4000 s"\n{LOSSY_LINK}',
        replications=1,
        progress=lambda done, total, _label: told.append((done, total)),
    )
    assert told[-1] == (100, 100)
    assert any(0 < done < total for done, total in told), told


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("command", [("study",), ("trace", "stats"), ("compare",)])
def test_a_wait_for_a_trace_that_is_a_pipe_can_be_ended(
    program: list[str], tmp_path: Path, command: tuple[str, ...]
) -> None:
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(
        [*program, *command, "pipe"], cwd=tmp_path, env=ENVIRONMENT, stderr=subprocess.PIPE
    ) as child:
        # This waits for the reader; nothing is written.
        writer = os.open(tmp_path / "pipe", os.O_WRONLY)
        child.send_signal(signal.SIGINT)
        try:
            _, said = child.communicate(timeout=60)
        finally:
            child.kill()
            os.close(writer)
    assert (child.returncode, said) == (130, b"interrupted\n")


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    target = tmp_path / "a" / "file.txt"
    atomic_write.write_text(target, "first")
    with pytest.raises(ZeroDivisionError), atomic_write.whole(target) as part:
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
    # The same command over a scenario that now takes an hour: nothing is finished.
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


def test_a_part_of_a_result_for_this_folder_goes_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "run.json").write_text("{}")
    monkeypatch.chdir(here)
    for name, place in ((".", "here.unfinished"), ("..", f"{tmp_path.name}.unfinished")):
        out = Path(name)
        aside = write.aside(places.Places(out, out / "report.html", places.folders.Purpose()))
        assert aside.out is not None
        assert (aside.out.name, aside.out.parent) == (place, out.resolve().parent)
        assert aside.report == aside.out / "report.html"
    assert atomic_write.free(Path("/")).name == "results.unfinished"


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A folder with an earlier result, and a table in it that the next result does not have."""
    result = airtcp.run("a.toml", text=f'duration = "1 s"\n{LOSSY_LINK}', series=True)
    result.write(tmp_path / "r", report=False)
    return tmp_path / "r"


def _content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def _finish(out: Path) -> None:
    """End a command with the files of a run, as the command line does."""
    result = airtcp.run("a.toml", text=f'duration = "2 s"\n{LOSSY_LINK}')
    write.finish(
        result,
        places.Places(out, out / "report.html", places.folders.Purpose(), force=True),
        Format.JSON,
        table=lambda: None,
        text=lambda put: put(result.text),
        rows=lambda: (result.flows, []),
        show=False,
        quiet=False,
    )


def _pressing(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Press Ctrl-C once the first file is in its place."""
    move = atomic_write._move  # noqa: SLF001 - the moment between two files
    left = [times]

    def then_press(part: Path, target: Path) -> None:
        move(part, target)
        while left[0]:
            left[0] -= 1
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(atomic_write, "_move", then_press)


def test_ctrl_c_while_files_are_written_waits_for_all_of_them(
    earlier: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _pressing(monkeypatch, 1)
    with pytest.raises(KeyboardInterrupt):
        _finish(earlier)
    said = capsys.readouterr()
    assert "press Ctrl-C again to drop them" in said.err
    document = json.loads((earlier / "run.json").read_text("utf-8"))
    assert document == json.loads(said.out)
    listed = json.loads((earlier / ".airtcp.json").read_text("utf-8"))["files"]
    assert {"run.json", "report.html", "flows.parquet"} <= set(listed)
    assert set(_content(earlier)) == {*listed, ".airtcp.json"}


def test_a_second_ctrl_c_leaves_what_was_there(
    earlier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _content(earlier)
    _pressing(monkeypatch, 2)
    with pytest.raises(KeyboardInterrupt):
        _finish(earlier)
    assert _content(earlier) == before


@pytest.mark.parametrize("when", ["writing", "placing"])
def test_of_several_files_of_which_one_fails_none_is_placed(tmp_path: Path, when: str) -> None:
    (tmp_path / "a").write_text("old")
    (tmp_path / "gone").write_text("old")

    def write_all() -> None:
        with atomic_write.staged() as new:
            for name in ("a", "b", "c"):
                new.file(tmp_path / name).write_text("new")
            new.remove(tmp_path / "gone")
            if when == "writing":
                raise OSError(28, "full")
            # Another process takes a place in the last moment.
            (tmp_path / "c" / "d").mkdir(parents=True)

    with pytest.raises(OSError, match="full" if when == "writing" else "c"):
        write_all()
    names = {"a", "gone"} | ({"c"} if when == "placing" else set())
    assert {p.name for p in tmp_path.iterdir()} == names
    assert (tmp_path / "a").read_text() == (tmp_path / "gone").read_text() == "old"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 300 kB, which a page does not fit on."""
    disk, mount = tmp_path / "disk", shutil.which("mount")
    disk.mkdir()
    arguments = ["-t", "tmpfs", "-o", "size=300k", "tmpfs", str(disk)]
    if mount is None or subprocess.run([mount, *arguments], check=False).returncode:
        pytest.skip("mounting a small disk needs root: test_files_that_may_not_grow stands for it")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)  # noqa: S607


def _full(folder: Path, program: list[str], where: tuple[str, ...]) -> str:
    """Run with full disks: the result is printed, and no file is left."""
    (folder / "a.toml").write_text(f'duration = "1 s"\n{LOSSY_LINK}')
    done = subprocess.run(
        [*program, "run", "a.toml", "--json", *where],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        check=False,
        timeout=600,
    )
    said = done.stderr.decode()
    assert done.returncode == 2, said
    assert json.loads(done.stdout)["replications"]
    assert len([line for line in said.splitlines() if line.startswith("error: ")]) == 1
    assert "Traceback" not in said
    return said


@pytest.mark.parametrize("where", [("--out", "disk/r"), ("--html", "disk/p.html")])
def test_a_full_disk_costs_no_result(
    tmp_path: Path, small_disk: Path, program: list[str], where: tuple[str, str]
) -> None:
    said = _full(tmp_path, program, where)
    assert "the disk is full; free space" in said
    assert where[1] in said
    assert list(small_disk.iterdir()) == []


def test_files_that_may_not_grow_cost_no_result(
    tmp_path: Path, program: list[str], earlier: Path
) -> None:
    before = _content(earlier)
    few = [shutil.which("sh") or "sh", "-c", 'ulimit -f 400; exec "$@"', "sh"]
    said = _full(tmp_path, [*few, *program], ("--out", "r", "--force"))
    assert "error: r: File too large" in said
    assert _content(earlier) == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("command", ["run", "compare"])
@pytest.mark.parametrize(
    "key", ['loss = { model = "trace", path = "pipe" }', 'rate = { trace = "pipe" }']
)
def test_a_wait_for_a_pipe_that_a_scenario_names_can_be_ended(
    interrupted: Interrupted, tmp_path: Path, command: str, key: str
) -> None:
    os.mkfifo(tmp_path / "pipe")
    rate = "" if key.startswith("rate") else 'slot = "1 ms"\n'
    (tmp_path / "s.toml").write_text(
        f'duration = "1 s"\n[[links]]\nfrom = "a"\nto = "b"\ndelay = "1 ms"\n{rate}{key}\n'
        '[[flows]]\nfrom = "a"\nto = "b"\n'
    )
    # No process writes into the pipe.
    ended = interrupted(command, "s.toml", "--quiet", after=None)
    assert ended.code == 130, ended.err
    assert "Traceback" not in ended.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_trace_comes_through_a_pipe(run: Program, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "s.toml").write_text(
        'duration = "1 s"\n[[links]]\nfrom = "a"\nto = "b"\nslot = "1 ms"\n'
        'loss = { model = "trace", path = "pipe" }\n[[flows]]\nfrom = "a"\nto = "b"\n'
    )
    writer = Thread(target=lambda: (tmp_path / "pipe").write_text("0110" * 500))
    writer.start()
    ended = run("run", "s.toml", "--quiet")
    writer.join()
    assert ended.code == 0, ended.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_an_earlier_stop_does_not_end_the_wait_for_a_pipe(tmp_path: Path) -> None:
    class StopError(Exception):
        pass

    def stop(*_: object) -> None:
        raise StopError

    with pytest.raises(StopError):
        airtcp.run("a.toml", text=f'duration = "1 s"\n{LOSSY_LINK}', progress=stop)
    os.mkfifo(tmp_path / "pipe")

    def write_late() -> None:
        sleep(0.5)
        (tmp_path / "pipe").write_text("0110" * 100)

    writer = Thread(target=write_late)
    writer.start()
    assert airtcp.stats(tmp_path / "pipe")["links"][0]["packets"] == 400
    writer.join()
