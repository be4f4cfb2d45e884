"""What commands load, and what they read without it: a short command has to answer at once."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import typer

import airtcp
from airtcp.cli import commands
from airtcp.cli.values import read_plainly
from airtcp.data import plain

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Program

PAGES = {"jinja2"}
"""Libraries that only a page needs."""
TABLES = {"arro3.core", "arro3.io"}
"""Libraries that only data files need."""
EXTRAS = {"altair", "polars", "pandas", "pyarrow", "numpy", "vl_convert"}
"""Libraries that the program never needs."""
TERMINAL = {"rich"}
CONVERSIONS = {"pydantic", "pydantic_core"}
HEAVY = PAGES | TABLES | EXTRAS | CONVERSIONS

SCENARIO = """
duration = "1 s"
[[links]]
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "10 ms"
[[flows]]
from = "a"
to = "b"
"""


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with a scenario, its capture, and traces of two links."""
    scenario = tmp_path / "tiny.toml"
    scenario.write_text(SCENARIO)
    airtcp.run(scenario, pcap=tmp_path / "tiny.pcapng")
    (tmp_path / "links").mkdir()
    for seed in (1, 2):
        airtcp.synth(tmp_path / "links" / f"{seed}.txt", prr=0.6, packets=600, seed=seed)
    return tmp_path


def loaded(folder: Path, *arguments: str, code: int = 0, **more: str) -> set[str]:
    """Run a command, and return the modules that it loaded."""
    done = subprocess.run(
        [sys.executable, "-v", "-m", "airtcp", *arguments],
        cwd=folder,
        env={**os.environ, "TERM": "dumb", **more},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr[-2000:]
    found = re.findall(r"^import '(\S+)' #", done.stderr, re.MULTILINE)
    assert "airtcp.cli.console" in found
    return set(found)


@pytest.mark.parametrize(
    ("command", "unneeded"),
    [
        ("--version", HEAVY | TERMINAL),
        ("--help", HEAVY | TERMINAL),
        ("run --help", HEAVY | TERMINAL),
        ("schema run", HEAVY | TERMINAL),
        ("list loss --json", HEAVY | TERMINAL),
        ("list loss", HEAVY),
        ("run tiny.toml", HEAVY),
        ("run tiny.toml --json --seed 3 -n 2", HEAVY | TERMINAL),
        ("compare tiny.toml --tcp sack,cubic --remedies none -n 2", HEAVY),
        ("compare links/1.txt --tcp sack,cubic -n 2 --json", HEAVY | TERMINAL),
        ("study links --replicas 2 --no-compare --no-remedies --no-report", HEAVY),
        ("trace stats links", HEAVY),
        ("trace models links --replicas 1", HEAVY),
        ("trace synth new.txt --prr 0.5 --packets 100 --quiet", HEAVY | TERMINAL),
        ("trace convert links --to converted --quiet", HEAVY | TERMINAL),
        ("capture tiny.pcapng", HEAVY),
        ("capture tiny.pcapng --json", HEAVY | TERMINAL),
    ],
)
def test_a_command_loads_no_library_that_it_does_not_need(
    work: Path, command: str, unneeded: set[str]
) -> None:
    assert loaded(work, *command.split()) & unneeded == set()


def test_data_files_need_no_library_of_frames_or_charts(work: Path) -> None:
    for form in ("csv", "jsonl"):
        found = loaded(work, "run", "tiny.toml", "--format", form)
        assert found & (HEAVY - TABLES) == set()
    assert "arro3.core" in loaded(work, "run", "tiny.toml", "--format", "csv")


def test_no_command_that_writes_a_page_needs_an_extra(work: Path) -> None:
    for command in ("run tiny.toml --out r", "capture tiny.pcapng --out c", "study links --out s"):
        assert loaded(work, *command.split()) & EXTRAS == set()


@pytest.mark.parametrize("name", commands.HOME)
def test_a_command_loads_no_other_command(tmp_path: Path, name: str) -> None:
    homes = {home.partition(":")[0] or "airtcp_papers.command" for home in commands.HOME.values()}
    mine = commands.HOME[name].partition(":")[0] or "airtcp_papers.command"
    assert loaded(tmp_path, name, "--help") & homes == {mine}


def test_help_and_completion_name_every_command(run: Program, work: Path) -> None:
    shown = run("--help").out.partition("Commands:\n")[2]
    lines = re.findall(r"^  (\S+) +(\S.*)$", shown, re.MULTILINE)
    assert [name for name, _ in lines] == list(commands.HOME)
    for name, said in lines:
        assert said.removesuffix("...").strip() in " ".join(run(name, "--help").out.split())
    completed = subprocess.run(
        [sys.executable, "-m", "airtcp"],
        cwd=work,
        env={
            **os.environ,
            "_AIRTCP_COMPLETE": "complete_bash",
            "COMP_WORDS": "airtcp ",
            "COMP_CWORD": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.stdout.split() == list(commands.HOME)
    assert "Did you mean 'study'?" in run("stuy").err


def test_every_function_is_found_whatever_was_imported_before() -> None:
    for name in airtcp.__all__:
        assert getattr(airtcp, name) is not None
    functions = [name for name in airtcp.__all__ if name.islower() and not name.startswith("_")]
    assert all(callable(getattr(airtcp, name)) for name in functions)
    with pytest.raises(AttributeError, match="nothing"):
        _ = airtcp.nothing  # pyright: ignore[reportAttributeAccessIssue]


TEXTS = [
    "3", "0", "-1", "007", " 3", "+3", "3.0", "2.5", "1e3", "1_000", "nan", "inf", "٣",
    "100001", "18446744073709551616", "99999999999999999999999", "", "-", "none", "json",
    "JSON", "table", "bits", "Parquet", "true", "no", "a,b", "./a b", "links", "/nowhere/x",
    "tiny.toml", "x" * 5000, "\udc80", "5 ms",
]  # fmt: skip


def parsed(command: Any, arguments: list[str]) -> Any:
    """Return the values of a command line, or its error."""
    try:
        with command.make_context("airtcp", list(arguments)) as context:
            values: dict[str, Any] = context.params
            return {key: (type(value), repr(value)) for key, value in values.items()}
    except typer.Exit:
        return "exit"
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        return type(error), error.format_message()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]


def leaves(loaded: Any) -> dict[str, Any]:
    """Return every command, those of groups too, by its words."""
    found: dict[str, Any] = {}
    for name in loaded:
        parts = getattr(loaded[name], "commands", None)
        more = {"": loaded[name]} if parts is None else parts
        found |= {f"{name} {part}".strip(): command for part, command in more.items()}
    return found


def test_plain_values_are_those_of_typer(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(work)
    ours = leaves(commands.Loaded())
    monkeypatch.setattr(commands, "read_plainly", lambda command: command)
    of_typer = leaves(commands.Loaded())
    assert ours.keys() == of_typer.keys()
    assert len(ours) > len(commands.HOME)
    compared = 0
    for name, command in ours.items():
        needed = [p for p in command.params if p.required]
        options = [p for p in command.params if p.opts[0].startswith("-")]
        lines: list[list[str]] = [[], ["links"], ["links", "--to", "there"], ["--to", ""]]
        lines += [[text] * len(needed) for text in TEXTS]
        rest = [w for p in needed for w in ([p.opts[0], "a"] if p in options else ["links"])]
        lines += [[*rest, p.opts[-1], text] for p in options for text in TEXTS]
        lines += [[*rest, p.opts[0]] for p in options]
        for line in lines:
            assert parsed(command, line) == parsed(of_typer[name], line), (name, line)
            compared += 1
    assert compared > 1000


def test_a_version_of_typer_without_the_library_reads_its_values_itself() -> None:
    class Old:
        callback = None

        def process_value(self, _context: object, value: str) -> str:
            return f"read {value}"

    class Command:
        def get_params(self, _context: object) -> list[Old]:
            return [Old()]

    command = read_plainly(Command())
    (parameter,) = command.get_params(None)
    assert parameter.process_value(None, "3") == "read 3"


def test_every_escaped_character_is_unprintable_to_python() -> None:
    every = [chr(code) for code in range(sys.maxunicode + 1)]
    escaped = [one for one in every if plain._UNSEEN.search(one)]  # noqa: SLF001
    assert len(escaped) > 100
    assert not any(one.isprintable() for one in escaped)
    assert all(plain.printable(f"a{one}b") != f"a{one}b" for one in escaped)


def test_a_document_with_any_escape_is_not_judged_printable() -> None:
    for text in ("a\x1b", "a\u202eb", 'a"', "a\\", "a\n", "\x9b"):
        for ascii_only in (False, True):
            document = json.dumps({"name": text}, ensure_ascii=ascii_only)
            assert not plain.is_printable_json(document)
    assert plain.is_printable_json('{"größe":1.5,"name":"µ/日本"}')
