"""Missing resources and invalid places are named, and are no defects of airtcp."""

from __future__ import annotations

import errno
import subprocess
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import airtcp
from airtcp.cli import console, ctrl_c
from airtcp.files import atomic_write, destinations
from airtcp.files.destinations import PlaceError
from conftest import ENVIRONMENT, own_process
from examples import LOSSY_LINK
from test_faults import shell

if TYPE_CHECKING:
    from conftest import Program

SCENARIO = f'duration = "1 s"\n{LOSSY_LINK}'
CAPTURE = b"\x0a\x0d\x0d\x0a"


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (ImportError("a.so: failed to map segment from shared object"), "not enough memory"),
        (ImportError("a.so: cannot allocate memory in static TLS block"), "not enough memory"),
        (MemoryError(), "not enough memory"),
        (RuntimeError("can't start new thread"), "raise the limit of processes"),
        (OSError(errno.EMFILE, "Too many open files", "a.py"), "raise the limit (ulimit -n)"),
    ],
)
def test_what_the_system_lacks(
    capsys: pytest.CaptureFixture[str], error: Exception, why: str
) -> None:
    with pytest.raises(SystemExit) as ended, console.guard():
        raise error
    assert ended.value.code == console.BAD_INPUT
    said = capsys.readouterr().err
    assert why in said
    assert "a bug in airtcp" not in said


def test_a_library_that_is_not_there_is_a_fault(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Another test of this process may have been interrupted.
    monkeypatch.setattr(ctrl_c, "_seen", False)
    with pytest.raises(SystemExit) as ended, console.guard():
        raise ImportError
    assert ended.value.code == console.FAULT
    assert "a bug in airtcp" in capsys.readouterr().err


def test_a_run_without_a_page_does_not_load_the_drawing_library(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(SCENARIO)
    code = (
        "import sys\nfrom airtcp.cli import main\nimport os\n"
        "os._exit = lambda code: None\nsys.argv = ['airtcp', 'run', 'a.toml']\nmain()\n"
        "assert 'vl_convert' not in sys.modules\n"
    )
    done = own_process(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert b"goodput (Mb/s)" in done.stdout


def test_what_other_systems_lack_is_not_needed(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(SCENARIO)
    code = (
        "import sys, signal, os\n"
        "sys.modules['fcntl'] = sys.modules['resource'] = sys.modules['termios'] = None\n"
        "del signal.pthread_kill, signal.SIGURG, os.sched_getaffinity, os.set_blocking\n"
        "from airtcp.cli import main\n"
        "sys.argv = ['airtcp', 'run', 'a.toml', '--out', 'r']\nmain()\n"
    )
    done = own_process(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "r" / "flows.parquet").is_file()


def test_numbers_beyond_their_type_are_named_with_their_range(run: Program, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(SCENARIO)
    for option, value, most in (
        ("--workers", "1" + "0" * 20, "100000"),
        ("-n", "9" * 24, "1000000"),
    ):
        ended = run("run", "a.toml", option, value)
        assert ended.code == console.BAD_INPUT
        assert option in ended.err
        assert f"expected a whole number from 1 to {most}\n" in ended.err


@pytest.mark.parametrize("name", ["", "-"])
def test_names_of_outputs_that_are_none(run: Program, tmp_path: Path, name: str) -> None:
    (tmp_path / "a.toml").write_text(SCENARIO)
    airtcp.synth(tmp_path / "a.txt", prr=0.8, packets=500)
    here = sorted(tmp_path.iterdir())
    for command, option in (
        (("run", "a.toml"), "--out"),
        (("run", "a.toml"), "--html"),
        (("run", "a.toml"), "--pcap"),
        (("run", "a.toml"), "--radiotap"),
        (("study", "a.txt"), "--html"),
        (("trace", "convert", "a.txt"), "--to"),
        (("trace", "synth", "--packets", "9", "--prr", "0.5"), "--"),
    ):
        ended = run(*command, option, name)
        assert ended.code == console.BAD_INPUT, (command, option)
        assert "/dev/stdout" in ended.err or "the name is empty" in ended.err
        assert sorted(tmp_path.iterdir()) == here


def test_streams_that_are_closed(tmp_path: Path, program: list[str]) -> None:
    (tmp_path / "a.toml").write_text(SCENARIO)
    airtcp.synth(tmp_path / "a.txt", prr=0.8, packets=500)
    for command in (
        "trace convert a.txt --to /dev/stdout >&-",
        "run a.toml --pcap /dev/stdout >&-",
        "run a.toml --html /dev/stdout >&-",
    ):
        code, said = shell(tmp_path, program, command)
        assert code == console.BAD_INPUT, command
        assert said == b"error: /dev/stdout: this stream is closed; give the name of a file\n"
    for command in ("run - <&-", "study - <&-"):
        code, said = shell(tmp_path, program, command)
        assert code == console.BAD_INPUT, command
        assert said == b"error: standard input is closed; - reads it\n"


@pytest.mark.parametrize(
    "command",
    [
        "list",
        "--version",
        "schema run",
        "trace stats --help",
        "trace stats a.txt",
        "study a.txt --replicas 1",
        "compare a.toml --tcp reno,cubic -n 2",
        "run a.toml",
        "reproduce --list",
    ],
)
def test_a_result_for_a_closed_standard_output_is_an_error(
    tmp_path: Path, program: list[str], command: str
) -> None:
    (tmp_path / "a.toml").write_text(SCENARIO)
    airtcp.synth(tmp_path / "a.txt", prr=0.8, packets=500)
    code, said = shell(tmp_path, program, f"{command} >&-")
    assert code == console.BAD_INPUT
    assert said.startswith(b"error: standard output is closed")
    assert said.count(b"\n") == 1


@pytest.mark.parametrize(
    ("command", "made"),
    [
        ("run a.toml --out r", "r/run.json"),
        ("run a.toml --pcap a.pcapng", "a.pcapng"),
        ("study a.txt --replicas 1 --html p.html", "p.html"),
        ("trace synth b.txt --prr 0.5 --packets 9", "b.txt"),
        ("trace convert a.txt --to b.csv", "b.csv"),
    ],
)
def test_a_result_that_has_a_file_needs_no_standard_output(
    tmp_path: Path, program: list[str], command: str, made: str
) -> None:
    (tmp_path / "a.toml").write_text(SCENARIO)
    airtcp.synth(tmp_path / "a.txt", prr=0.8, packets=500)
    code, said = shell(tmp_path, program, f"{command} >&-")
    assert code == 0, said
    assert (tmp_path / made).stat().st_size > 0


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no /dev/stdout")
def test_a_file_has_standard_output_to_itself(tmp_path: Path, program: list[str]) -> None:
    (tmp_path / "a.toml").write_text(SCENARIO)
    code, said = shell(tmp_path, program, "run a.toml -q --pcap /dev/stdout > a.pcapng")
    assert (code, said) == (0, b"")
    said = (tmp_path / "a.pcapng").read_bytes()
    assert said.startswith(CAPTURE)
    assert b"goodput (Mb/s)" not in said
    for command in ("--pcap /dev/stdout --json", "--pcap /dev/stdout --html /dev/stdout"):
        code, said = shell(tmp_path, program, f"run a.toml {command}")
        assert code == console.BAD_INPUT
        assert b"both go to standard output" in said


def test_a_folder_that_was_made_and_holds_nothing_goes(tmp_path: Path) -> None:
    with atomic_write.staged() as files:
        files.folder(tmp_path / "a" / "b")
        kept = files.file(tmp_path / "c" / "d.txt")
        kept.write_text("d")
    assert [path.name for path in tmp_path.iterdir()] == ["c"]
    assert (tmp_path / "c" / "d.txt").read_text() == "d"


def test_a_place_that_is_a_closed_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(destinations, "closed", {1})
    with pytest.raises(PlaceError, match="this stream is closed"):
        destinations.check(Path("/dev/stdout"), force=True)


def test_links_that_lead_nowhere(run: Program, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(SCENARIO)
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    for option in ("--out", "--html", "--pcap", "--radiotap"):
        ended = run("run", "a.toml", option, "one", "--force")
        assert ended.code == console.BAD_INPUT
        assert "one: this symbolic link leads back to itself" in ended.err
        assert (tmp_path / "one").readlink() == Path("two")


def test_a_current_folder_that_is_gone(tmp_path: Path, program: list[str]) -> None:
    (tmp_path / "a.toml").write_text(SCENARIO)
    (tmp_path / "gone").mkdir()
    command = f'"{program[0]}" -m airtcp run "{tmp_path}/a.toml" --html h.html'
    done = subprocess.run(
        ["/bin/sh", "-c", f"cd gone && rmdir ../gone && exec {command}"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        check=False,
    )
    assert done.returncode == console.BAD_INPUT
    assert done.stderr == b"error: the current folder: No such file or directory\n"


def test_a_sweep_names_its_folder_if_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    given = {
        "scenario": tomllib.loads(SCENARIO),
        "replications": 1,
        "vary": {"links[0].delay": ["1 ms"]},
    }
    monkeypatch.setattr("airtcp.questions.sweep.chunks.os.fsync", full)
    with pytest.raises(OSError, match="No space left") as raised:
        airtcp.sweep(given, out=tmp_path / "out", report=False, workers=1)
    assert raised.value.filename == str(tmp_path / "out")
