"""No input causes a traceback or controls the terminal."""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from typing import TYPE_CHECKING

import pytest

import airtcp
from airtcp.cli import console, ctrl_c, write
from airtcp_papers.cache import Cache
from conftest import ENVIRONMENT, own_process
from examples import LOSSY_LINK

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Program

SCENARIO = f'duration = "1 s"\n{LOSSY_LINK}'
ESCAPE = "\x1b[31mred\x1b]0;title\x07"


def shell(folder: Path, program: list[str], arguments: str, **more: str) -> tuple[int, bytes]:
    command = f'"{program[0]}" -m airtcp {arguments}'
    done = subprocess.run(
        [shutil.which("bash") or "bash", "-c", command],
        cwd=folder,
        env=ENVIRONMENT | more,
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert b"Traceback" not in done.stderr, done.stderr
    assert b"\x1b" not in done.stderr + done.stdout
    return done.returncode, done.stderr + done.stdout


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_closed_streams(tmp_path: Path, program: list[str], closed: str) -> None:
    (tmp_path / "a.toml").write_text(SCENARIO)
    code, _ = shell(tmp_path, program, f"run a.toml --pcap a.pcapng --out r {closed}")
    assert code == 0
    # No file contains the output for the terminal.
    assert (tmp_path / "a.pcapng").read_bytes().startswith(b"\x0a\x0d\x0d\x0a")
    assert json.loads((tmp_path / "r" / "run.json").read_text("utf-8"))


def test_a_format_for_a_closed_standard_output_is_refused(
    tmp_path: Path, program: list[str]
) -> None:
    airtcp.synth(tmp_path / "a.txt", prr=0.8, packets=500)
    code, said = shell(tmp_path, program, "trace stats a.txt --json >&-")
    assert code == 2
    assert said.startswith(b"error: standard output is closed")


def test_a_full_standard_output_is_said(tmp_path: Path, program: list[str]) -> None:
    code, said = shell(tmp_path, program, "list > /dev/full")
    assert code == 2
    assert said.count(b"\n") == 1


def test_a_reader_that_stops_reading(tmp_path: Path, program: list[str]) -> None:
    code, said = shell(tmp_path, program, "list | head -1; exit ${PIPESTATUS[0]}")
    assert code in (0, 141)
    assert said.count(b"\n") <= 1


def test_an_encoding_without_these_characters(tmp_path: Path, program: list[str]) -> None:
    airtcp.synth(tmp_path / "a.txt", prr=0.9, mu=0.2, packets=30_000)
    for more in ({"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}, {"LC_ALL": "C"}):
        code, said = shell(tmp_path, program, "study a.txt --replicas 1", **more)
        assert code == 0, said
        assert b"30000" in said


def test_numbers_for_programs_have_no_blanks(run: Program, tmp_path: Path) -> None:
    airtcp.synth(tmp_path / "a.txt", prr=0.9, packets=30_000)
    ended = run("trace", "stats", "a.txt")
    assert " 30000 " in ended.out
    assert "\N{NARROW NO-BREAK SPACE}" not in ended.out


def test_names_that_are_not_utf8(tmp_path: Path, program: list[str]) -> None:
    folder = os.fsencode(tmp_path) + b"/\xff\xfe"
    os.mkdir(folder)  # noqa: PTH102
    with open(folder + b"/a.toml", "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(SCENARIO)
    airtcp.synth(tmp_path / "a.txt", prr=0.9, packets=500)
    os.rename(tmp_path / "a.txt", folder + b"/\xf0.txt")  # noqa: PTH104
    name = r"$'\xff\xfe'"
    for arguments in (
        f"run {name}/a.toml --pcap {name}/a.pcapng --out {name}/r",
        f"study {name} --replicas 1",
        f"compare {name}/a.toml --tcp reno,cubic -n 2",
        rf"trace convert {name}/$'\xf0'.txt --to {name}/$'\xf1'.csv --format csv",
        rf"trace synth {name}/$'\xf2'.txt --prr 0.5 --packets 100",
    ):
        code, said = shell(tmp_path, program, arguments)
        assert code == 0, (arguments, said)
    made = set(os.listdir(folder))  # noqa: PTH208
    assert {b"a.pcapng", b"r", b"\xf1.csv", b"\xf2.txt"} <= made


def test_standard_input_that_is_not_utf8(run: Program) -> None:
    ended = run("run", "-", stdin=b"duration = \xff")
    assert ended.code == 2
    assert "byte 11 is not UTF-8" in ended.err


def test_models_that_are_none(run: Program, tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "deep2.json").write_text('{"model":' * 900 + "1" + "}" * 900)
    (tmp_path / "nan.json").write_text('{"model": "independent", "prr": NaN}')
    (tmp_path / "bytes.json").write_bytes(b"\xff")
    for name, said in (("deep", ""), ("deep2", ""), ("nan", "NaN"), ("bytes", "UTF-8")):
        ended = run("trace", "synth", "x.txt", "--model", f"{name}.json")
        assert ended.code == 2, ended.err
        assert "Traceback" not in ended.err
        assert said in ended.err
        assert len(ended.err.splitlines()) == 1
    with pytest.raises(airtcp.TraceError, match="finite"):
        airtcp.synth(tmp_path / "x", packets=1, model={"model": "independent", "prr": float("nan")})


def test_a_run_length_beyond_all_counting(run: Program, tmp_path: Path) -> None:
    model = {
        "model": "semi-markov",
        "success": {"lengths": "pareto", "shape": 1.5, "min": 2**64 - 1, "max": 2**64 - 1},
        "loss": {"lengths": "geometric", "mean": 2.0},
    }
    (tmp_path / "m.json").write_text(json.dumps(model))
    ended = run("trace", "synth", "x.txt", "--model", "m.json", "--packets", "100")
    assert ended.code in (0, 2), ended.err


def test_a_seed_beyond_its_type(run: Program, tmp_path: Path) -> None:
    traces = airtcp.synth(tmp_path / "a.txt", prr=0.9, packets=500)
    (tmp_path / "a.toml").write_text(SCENARIO)
    ended = run("run", "a.toml", "--seed", str(2**64))
    assert ended.code == 2
    assert str(2**64 - 1) in ended.err
    (tmp_path / "b.toml").write_text(f"seed = {2**64}\n{SCENARIO}")
    ended = run("run", "b.toml")
    assert ended.code == 2
    assert "out of range" in ended.err
    assert "JSON" not in ended.err
    with pytest.raises(airtcp.AirtcpError, match=str(2**64 - 1)):
        airtcp.stats(traces, seed=2**64)


def test_a_damaged_table_of_links(run: Program, tmp_path: Path) -> None:
    airtcp.synth(tmp_path / "a.txt", prr=0.9, packets=500)
    airtcp.study(tmp_path / "a.txt", replicas=1).write(tmp_path / "r", report=False)
    whole = (tmp_path / "r" / "links.parquet").read_bytes()
    for at in range(4, len(whole) - 4, max(len(whole) // 12, 1)):
        bad = whole[:at] + bytes([whole[at] ^ 0xFF]) * 8 + whole[at + 8 :]
        (tmp_path / "bad.parquet").write_bytes(bad)
        ended = run("trace", "fit", "bad.parquet")
        assert ended.code in (0, 2), ended.err
        assert "Traceback" not in ended.err
        assert "panicked" not in ended.err
        assert ended.code == 0 or "specification" not in ended.err


@pytest.mark.parametrize("name", ["study.json", "links.parquet"])
def test_a_changed_bit_of_a_result_is_found(run: Program, tmp_path: Path, name: str) -> None:
    airtcp.synth(tmp_path / "a.txt", prr=0.9, packets=500)
    airtcp.study(tmp_path / "a.txt", replicas=1).write(tmp_path / "r", report=False)
    place = tmp_path / "r" / name
    whole = place.read_bytes()
    for at in range(0, len(whole), max(len(whole) // 5, 1)):
        place.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        ended = run("trace", "fit", place)
        assert ended.code == 2, ended.err
        assert f"{name}: its bytes are not those that airtcp wrote" in ended.err
    # Elsewhere it is a file of the user's.
    (tmp_path / name).write_bytes(whole)
    assert "its bytes" not in run("trace", "fit", name).err


def test_an_answer_of_another_shape_counts_as_none(tmp_path: Path) -> None:
    kept = Cache(tmp_path)
    kept.put("k", {"a": [1, 2.5, None]})
    assert kept.get("k") == {"a": [1, 2.5, None]}
    for other in ({"a": 1}, [], 3, None, {"answer": 1}, {"answer": 1, "hash": "x"}):
        (tmp_path / "k.json.gz").write_bytes(gzip.compress(json.dumps(other).encode()))
        assert kept.get("k") is None


def test_more_workers_than_there_can_be(run: Program, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(SCENARIO)
    ended = run("run", "a.toml", "--workers", "100000", "-n", "600", "--set", "duration=10 ms")
    assert ended.code == 0, ended.err


@pytest.mark.parametrize("after", [0.0, 0.05, 0.1, 0.2, 0.4])
def test_ctrl_c_in_the_first_moments(tmp_path: Path, program: list[str], after: float) -> None:
    (tmp_path / "a.toml").write_text(SCENARIO.replace("1 s", "100000 s", 1))
    with subprocess.Popen(
        [*program, "run", "a.toml"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        # The interpreter has started when it has opened its first file.
        while not _loads(child.pid, "airtcp"):
            assert child.poll() is None
        time.sleep(after)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=300)
    assert child.returncode == 130, err
    assert b"Traceback" not in err


def _loads(process: int, name: str) -> bool:
    """Return whether a process has mapped a file of that name (the extension module)."""
    try:
        with open(f"/proc/{process}/maps", encoding="utf-8", errors="replace") as maps:  # noqa: PTH123
            return f"/{name}/" in maps.read()
    except OSError:
        return False


def test_names_do_nothing_to_a_terminal(tmp_path: Path, program: list[str]) -> None:
    name = f"a{ESCAPE}\N{RIGHT-TO-LEFT OVERRIDE}.txt"
    airtcp.synth(tmp_path / "plain.txt", prr=0.8, mu=0.3, packets=3000)
    (tmp_path / "plain.txt").rename(tmp_path / name)
    keys = SCENARIO.replace('"a"', r'"[bold]a\u001b[31m\u202e"')
    (tmp_path / "a.toml").write_text(keys)
    (tmp_path / "b.toml").write_text(SCENARIO + '\n"\\u001b[31m" = 1\n')
    quoted = f"$'{name.encode('unicode_escape').decode()}'"
    for arguments in (
        "study . --replicas 1 --html p.html",
        f"trace stats {quoted}",
        "run a.toml --html q.html",
        "run b.toml",
        f"run {quoted}",
        f"trace convert {quoted} --to {quoted}",
        f"{quoted}",
        f"run --{quoted}",
        f"list {quoted}",
    ):
        _, said = shell(tmp_path, program, arguments)
        assert b"\x07" not in said
        assert "\N{RIGHT-TO-LEFT OVERRIDE}".encode() not in said, arguments
    _, said = shell(tmp_path, program, "run a.toml")
    assert b"[bold]a" in said
    for page in ("p.html", "q.html"):
        text = (tmp_path / page).read_text("utf-8")
        shown = text[text.index("</script>", len(text) // 2) :] if "</script>" in text else text
        assert "\x1b" not in text
        assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in shown


def test_names_in_archives_do_nothing_to_a_terminal(tmp_path: Path, program: list[str]) -> None:
    name = f"a{ESCAPE}\N{RIGHT-TO-LEFT OVERRIDE}"
    for archive, content in (("good", b"0110" * 100), ("bad", b"01x1\n" * 9)):
        with tarfile.open(tmp_path / f"{archive}.tar", "w") as tar:
            for end in "12":
                member = tarfile.TarInfo(f"{name}{end}.txt")
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    for arguments, end in (
        ("trace stats good.tar", 0),
        ("trace stats bad.tar", 2),
        ("trace stats .", 0),
        ("study good.tar --replicas 1 --html p.html", 0),
        ("trace convert good.tar --to out", 0),
    ):
        code, said = shell(tmp_path, program, arguments)
        assert code == end, (arguments, said)
        assert b"\x07" not in said, arguments
        assert "\N{RIGHT-TO-LEFT OVERRIDE}".encode() not in said, arguments
        if "convert" not in arguments:
            assert rb"a\x1b[31mred" in said, arguments
    assert "\x1b" not in (tmp_path / "p.html").read_text("utf-8")
    made = [path.name for path in (tmp_path / "out").iterdir()]
    assert len(made) == 2
    assert all(one.isascii() and one.isprintable() for one in made), made


def test_names_are_no_formulas(run: Program, tmp_path: Path) -> None:
    airtcp.synth(tmp_path / "=1+cmd.txt", prr=0.8, packets=500)
    ended = run("trace", "stats", "./=1+cmd.txt", "--format", "csv")
    assert ended.code == 0
    row = ended.out.splitlines()[1]
    assert row.startswith("'=1+cmd")


def test_a_fault_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended, console.guard():
        raise KeyError("x" + ESCAPE)
    assert ended.value.code == console.FAULT
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert "test_faults.py" in err
    assert console.TRACEBACK in err
    assert "\x1b" not in err


def test_a_fault_shows_its_place_when_asked(tmp_path: Path) -> None:
    code = "from airtcp.cli import console\nwith console.guard():\n    raise KeyError('x')\n"
    done = own_process(code, tmp_path, **{console.TRACEBACK: "1"})
    assert done.returncode == console.FAULT
    assert b"Traceback" in done.stderr


def test_texts_are_no_formulas_and_numbers_are_none() -> None:
    texts = ["=1", "  =1", "\t=1", "+a", "-1+cmd|x", "-", "@a", "\uff1d1", "\rx"]
    plain = ["a", "-1.5", "+2e3", "1-2", "a=b", ""]
    shown = [write._no_formula(text) for text in texts + plain]  # noqa: SLF001
    assert shown == [f"'{text}" for text in texts] + plain


def test_names_stay_in_their_line(tmp_path: Path, program: list[str]) -> None:
    airtcp.synth(tmp_path / "a.txt", prr=0.8, packets=500)
    (tmp_path / "a.txt").rename(tmp_path / "x\ny\tz\rb\x07.txt")
    code, said = shell(tmp_path, program, "trace stats .")
    assert code == 0
    assert rb"x\x0ay\x09z\x0db\x07" in said
    code, said = shell(tmp_path, program, "trace stats . --format csv")
    assert code == 0
    assert rb"x\x0ay\x09z\x0db\x07" in said
    assert said.count(b"\n") == 2
    code, said = shell(
        tmp_path, program, "trace convert $'x\\ny\\tz\\rb\\a.txt' --to $'q\\nr\\r.txt'"
    )
    assert code == 0
    assert said.count(b"\n") == 1
    assert rb"q\x0ar\x0d.txt" in said
    # An error is one line, because a name could otherwise look like another message.
    (tmp_path / "a\nerror: b.txt").write_text("hello")
    for arguments in (
        "trace stats $'a\\nerror: b.txt'",
        "list $'a\\nerror: b'",
        "compare x --tcp $'a\\nb'",
    ):
        code, said = shell(tmp_path, program, arguments)
        assert (code, said.count(b"\n")) == (2, 1), said


def test_what_a_library_makes_of_ctrl_c_is_no_fault(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ctrl_c, "_seen", True)
    with pytest.raises(SystemExit) as ended, console.guard():
        raise IndexError
    assert ended.value.code == console.INTERRUPTED
    assert capsys.readouterr().err == "interrupted\n"


def test_ctrl_c_when_all_is_done_is_one_line(tmp_path: Path) -> None:
    # Flushing the streams is the last step of the process.
    code = (
        "import os, signal, sys\n"
        "from airtcp import __main__, cli\n"
        "def press():\n    os.kill(os.getpid(), signal.SIGINT)\n"
        "cli._flush = press\n"
        "sys.argv = ['airtcp', '--version']\n"
        "__main__.main()\n"
    )
    done = own_process(code, tmp_path)
    assert (done.returncode, done.stderr) == (130, b"interrupted\n")


def test_nothing_is_loaded_before_ctrl_c_is_taken() -> None:
    code = (
        "import _signal, os, sys\n"
        "before = set(sys.modules)\n"
        "take = _signal.signal\n"
        "def taken(*_):\n"
        "    print(sorted(set(sys.modules) - before))\n"
        "    os._exit(not print(end='', flush=True))\n"
        "_signal.signal = taken\n"
        "import airtcp.__main__\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.stdout.decode().strip() == "['__future__', 'airtcp', 'airtcp.__main__']"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")  # noqa: PTH110
def test_a_table_for_a_full_disk(tmp_path: Path, program: list[str]) -> None:
    airtcp.synth(tmp_path / "a.txt", prr=0.8, packets=500)
    for form in ("parquet", "json"):
        code, said = shell(tmp_path, program, f"trace stats a.txt --format {form} > /dev/full")
        assert code == 2
        assert said.startswith(b"error: standard output: the disk is full; free space")
        assert said.count(b"\n") == 1


def test_an_error_that_names_no_place_gets_none(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended, console.guard():
        raise OSError(errno.ENOLCK, "No locks available")
    assert (ended.value.code, capsys.readouterr().err) == (2, "error: No locks available\n")
