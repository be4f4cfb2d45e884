"""Places of results: replacement, no partial files, no lost results."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import airtcp
from airtcp.files import atomic_write
from conftest import ENVIRONMENT
from examples import LOSSY_LINK
from test_faults import shell

if TYPE_CHECKING:
    from conftest import Program

SCENARIO = f'duration = "1 s"\n{LOSSY_LINK}'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a scenario, a trace, and a file of the user's."""
    (tmp_path / "a.toml").write_text(SCENARIO)
    (tmp_path / "b.toml").write_text(SCENARIO.replace("1 s", "2 s", 1))
    airtcp.synth(tmp_path / "a.csv", prr=0.8, packets=500, fmt="csv")
    (tmp_path / "notes.txt").write_text("mine")
    return tmp_path


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize(
    "arguments",
    [
        ("trace", "convert", "a.csv", "--to", "a.csv"),
        ("trace", "convert", ".", "--to", "a.csv"),
        ("run", "a.toml", "--pcap", "a.toml"),
        ("run", "a.toml", "--html", "./a.toml"),
        ("study", "a.csv", "--html", "a.csv"),
        ("study", ".", "--html", "a.csv"),
        ("study", "*.csv", "--html", "a.csv"),
        ("compare", "a.toml", "--html", "a.toml"),
    ],
)
@pytest.mark.parametrize("force", [False, True])
def test_no_input_is_replaced(
    run: Program, folder: Path, arguments: tuple[str, ...], *, force: bool
) -> None:
    before = content(folder)
    ended = run(*arguments, *(["--force"] if force else []))
    assert ended.code == 2, ended.out + ended.err
    assert "input" in ended.err if force else "error:" in ended.err
    assert content(folder) == before


def test_a_trace_that_a_scenario_names_is_an_input(run: Program, folder: Path) -> None:
    loss = 'loss = { model = "trace", path = "a.csv", slot = "10 ms" }'
    text = "\n".join(loss if x.startswith("loss") else x for x in SCENARIO.splitlines())
    assert "a.csv" in text
    (folder / "t.toml").write_text(text)
    before = content(folder)
    ended = run("run", "t.toml", "--pcap", "a.csv", "--force")
    assert (ended.code, content(folder)) == (2, before), ended.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("trace", "convert", "a.csv", "--to", "notes.txt"),
        ("trace", "synth", "notes.txt", "--prr", "0.5"),
        ("run", "a.toml", "--pcap", "notes.txt"),
        ("run", "a.toml", "--html", "notes.txt"),
        ("study", "a.csv", "--html", "notes.txt", "--replicas", "1"),
    ],
)
def test_a_file_is_replaced_with_force_only(
    run: Program, folder: Path, arguments: tuple[str, ...]
) -> None:
    before = content(folder)
    ended = run(*arguments)
    assert ended.code == 2
    assert "notes.txt" in ended.err
    assert "--force" in ended.err
    assert content(folder) == before
    assert run(*arguments, "--force").code == 0
    assert (folder / "notes.txt").read_bytes() != b"mine"
    # A read-only file stays as it is.
    (folder / "notes.txt").write_text("mine")
    (folder / "notes.txt").chmod(0o444)
    ended = run(*arguments, "--force")
    assert ended.code == 2
    assert "read-only" in ended.err
    assert (folder / "notes.txt").read_text() == "mine"


def test_own_pages_and_captures_are_replaced(run: Program, folder: Path) -> None:
    arguments = ("run", "a.toml", "--html", "p.html", "--pcap", "c.pcapng")
    assert run(*arguments).code == 0
    first = (folder / "c.pcapng").read_bytes()
    assert run(*arguments, "--seed", "7").code == 0
    assert (folder / "c.pcapng").read_bytes() != first


def test_two_results_do_not_mix(run: Program, folder: Path) -> None:
    out = folder / "r"
    assert run("run", "a.toml", "--out", "r", "--series").code == 0
    (out / "mine.txt").write_text("mine")
    first = content(out)
    assert "queue_series.parquet" in first
    # The same command replaces its own result.
    assert run("run", "a.toml", "--out", "r", "--series").code == 0
    assert content(out) == first
    for other in (
        ("run", "b.toml", "--out", "r"),
        ("run", "a.toml", "--out", "r", "--seed", "2"),
        ("study", "a.csv", "--out", "r", "--replicas", "1"),
    ):
        ended = run(*other)
        assert ended.code == 2
        assert "airtcp run a.toml" in ended.err
        assert content(out) == first
    # With --force the whole earlier result is removed, and other files stay.
    assert run("study", "a.csv", "--out", "r", "--replicas", "1", "--force").code == 0
    names = set(content(out))
    assert {"study.json", "report.html", "mine.txt"} <= names
    assert not names & {"run.json", "queue_series.parquet", "flows.parquet"}


def test_others_tables_are_not_replaced(run: Program, folder: Path) -> None:
    (folder / "r").mkdir()
    (folder / "r" / "flows.parquet").write_bytes(b"mine")
    ended = run("run", "a.toml", "--out", "r")
    assert ended.code == 2
    assert "flows.parquet" in ended.err
    assert content(folder / "r") == {"flows.parquet": b"mine"}


CELL = """
duration = "10 ms"
[[cells]]
layout = { kind = "file", path = "places.csv" }
[[flows]]
from = "desk"
to = "ap"
"""


@pytest.fixture
def cell(folder: Path) -> Path:
    """That folder, with a cell whose layout is in a file."""
    (folder / "c.toml").write_text(CELL)
    (folder / "places.csv").write_text("desk,3.5,-2\n")
    return folder


@pytest.mark.parametrize("option", ["--pcap", "--html"])
def test_a_layout_that_a_scenario_names_is_an_input(run: Program, cell: Path, option: str) -> None:
    before = content(cell)
    ended = run("run", "c.toml", option, "places.csv", "--force")
    assert (ended.code, content(cell)) == (2, before), ended.err
    assert "places.csv: this is an input of the same command" in ended.err


def test_captures_of_radios_replace_their_own_only(run: Program, cell: Path) -> None:
    asked = ("run", "c.toml", "--radiotap", "r")
    assert run(*asked).code == 0
    first = content(cell / "r")
    assert {"ap.pcapng", "desk.pcapng"} < set(first)
    assert run(*asked).code == 0
    assert content(cell / "r") == first
    ended = run(*asked, "--seed", "2")
    assert (ended.code, content(cell / "r")) == (2, first)
    assert "airtcp run c.toml --radiotap r;" in ended.err
    # Captures of other commands stay, and all other files.
    (cell / "r" / "mine.pcapng").write_bytes(b"mine")
    ended = run(*asked)
    assert (ended.code, content(cell / "r")) == (2, first | {"mine.pcapng": b"mine"})
    assert "mine.pcapng" in ended.err
    for place in ("c.toml", "/dev/null"):
        assert run("run", "c.toml", "--radiotap", place, "--force").code == 2
    # With --force none of the earlier captures stays.
    (cell / "places.csv").write_text("shelf,3.5,-2\n")
    (cell / "c.toml").write_text(CELL.replace("desk", "shelf"))
    assert run(*asked, "--force").code == 0
    names = {"ap.pcapng", "shelf.pcapng", "mine.pcapng", ".airtcp.json"}
    assert set(content(cell / "r")) == names


@pytest.mark.parametrize(
    "command",
    [
        ("reproduce", "T1.fig1", "--papers", "."),
        ("trace", "models", "a.csv"),
        ("trace", "fit", "a.csv"),
    ],
)
def test_no_command_writes_over_other_results(
    run: Program, folder: Path, command: tuple[str, ...]
) -> None:
    # Refused before any work.
    (folder / "theirs").mkdir()
    (folder / "theirs" / "scores.parquet").write_bytes(b"mine")
    airtcp.run(folder / "a.toml", overrides={"duration": "10 ms"}).write(
        folder / "result", report=False
    )
    before = content(folder)
    for place, said in (("theirs", "scores.parquet"), ("result", "the result of another command")):
        ended = run(*command, "--out", place)
        assert (ended.code, content(folder)) == (2, before), ended.err
        assert f"--out {place}: " in ended.err
        assert said in ended.err


def test_devices_and_pipes_are_written_in_place(folder: Path, program: list[str]) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    done = subprocess.run(
        [*program, "run", "a.toml", "--pcap", "pipe", "--html", "/dev/null", "-q"],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    reader.join(60)
    assert got[0].startswith(b"\x0a\x0d\x0d\x0a")
    assert len(got[0]) > 10_000
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)  # noqa: PTH116
    assert not list(folder.glob(".airtcp-*"))


def test_a_trace_goes_into_a_pipe_that_stays_one(folder: Path, program: list[str]) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    arguments = ["trace", "synth", "pipe", "--prr", "1", "--packets", "70"]
    done = subprocess.run(
        [*program, *arguments], cwd=folder, capture_output=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    reader.join(60)
    assert got == [b"1" * 70 + b"\n"]
    assert not [path.name for path in folder.iterdir() if path.name.startswith(".")]


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no /dev/stdout")
def test_a_file_behind_standard_output_is_continued(folder: Path, program: list[str]) -> None:
    earlier = b"precious\n"
    (folder / "log").write_bytes(earlier)
    with (folder / "log").open("ab") as log:
        for command in ("trace convert a.csv --to /dev/stdout", "run a.toml --html /dev/stdout"):
            arguments = command.split()
            done = subprocess.run(
                [*program, *arguments],
                cwd=folder,
                stdout=log,
                stderr=subprocess.PIPE,
                check=False,
                timeout=600,
            )
            assert done.returncode == 0, done.stderr
    text = (folder / "log").read_bytes()
    assert text.startswith(earlier)
    trace, page, table = (text.find(part) for part in (b"1111", b"<!doctype", b"goodput (Mb/s)"))
    assert 0 < trace < page < table
    assert b"</html>" in text


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_capture_that_fails_costs_no_results(run: Program, folder: Path) -> None:
    ended = run("run", "a.toml", "--pcap", "/dev/full", "--out", "r")
    assert ended.code == 2
    assert "/dev/full" in ended.err
    assert "goodput (Mb/s)" in ended.out
    assert json.loads((folder / "r" / "run.json").read_text("utf-8"))["replications"]


def test_a_reader_that_goes_away_costs_no_files(folder: Path, program: list[str]) -> None:
    with subprocess.Popen(
        [*program, "run", "a.toml", "--out", "r", "--json"],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        err = child.stderr.read()
    assert child.returncode == 0, err
    assert b"Traceback" not in err
    assert (folder / "r" / "run.json").is_file()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_page_that_nobody_takes_costs_no_files(folder: Path, program: list[str]) -> None:
    for place, code, why in (
        ("/dev/stdout | true", 0, b"results: r"),
        ("/dev/full", 2, b"error: /dev/full: the disk is full"),
    ):
        command = f"run a.toml --out r --force --html {place}"
        ended, said = shell(folder, program, f"{command}; exit ${{PIPESTATUS[0]}}")
        assert ended == code, said
        assert why in said
        assert b"results: r" in said
        assert json.loads((folder / "r" / "run.json").read_text("utf-8"))["replications"]
        shutil.rmtree(folder / "r")


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    left = tmp_path / ".airtcp-dead.part"
    left.mkdir()
    (left / "half").write_text("half")
    os.utime(left, (0, 0))
    with atomic_write.whole(tmp_path / "other.txt") as part:
        # Another running process holds the lock of its folder.
        os.utime(part.parent, (0, 0))
        atomic_write.write_text(tmp_path / "a.txt", "a")
        assert part.parent.is_dir()
        part.write_text("b")
    assert {path.name for path in tmp_path.iterdir()} == {"a.txt", "other.txt"}


def test_a_link_leads_where_it_led(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "page.html").write_text("old")
    (tmp_path / "page.html").symlink_to(tmp_path / "far" / "page.html")
    atomic_write.write_text(tmp_path / "page.html", "new")
    assert (tmp_path / "page.html").is_symlink()
    assert (tmp_path / "far" / "page.html").read_text() == "new"


def test_links_whose_names_meet_get_files_of_their_own(run: Program, tmp_path: Path) -> None:
    rows = ["src,dst,seq,received"]
    long = "x" * 120
    names = ("a b", "a_b", "a/b", f"{long}1", f"{long}2", "A_B")
    for name in names:
        rows += [f"{name},t,{i},{int(i % 3 > 0)}" for i in range(50)]
    (tmp_path / "six.csv").write_text("\n".join(rows) + "\n")
    ended = run("trace", "convert", "six.csv", "--to", "out")
    assert ended.code == 0, ended.err
    assert "6 traces" in ended.err
    assert len(list((tmp_path / "out").iterdir())) == len(names)


def test_a_scenario_through_a_pipe_is_read_once(folder: Path, program: list[str]) -> None:
    command = f'"{program[0]}" -m airtcp run <(cat a.toml) --pcap c.pcapng --json'
    done = subprocess.run(
        [shutil.which("bash") or "bash", "-c", command],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["replications"]
