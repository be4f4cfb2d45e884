"""How to read traces is declared once: functions, commands and the guide follow."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, get_args

import pytest

import airtcp
from airtcp.inputs import reading
from examples import DOCS

if TYPE_CHECKING:
    from conftest import Program

COMMANDS = (
    ("study",),
    ("compare",),
    ("trace", "stats"),
    ("trace", "fit"),
    ("trace", "models"),
    ("trace", "convert"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_that_reads_traces_has_every_option(
    run: Program, command: tuple[str, ...]
) -> None:
    ended = run(*command, "--help")
    text = " ".join(ended.out.split())
    for option in reading.options():
        assert option.flag in text
        assert option.help in text


def test_values_that_are_accepted_come_from_the_declaration(run: Program) -> None:
    (kind,) = [option for option in reading.options() if option.accepted]
    assert kind.accepted == get_args(reading.ColumnKind)
    ended = run("study", "a.csv", "--kind", "nonsense")
    assert ended.code == 2
    assert all(value in ended.err for value in kind.accepted)


def test_the_guide_names_every_option() -> None:
    page = (DOCS / "guide" / "study.md").read_text("utf-8")
    table = re.findall(r"^\| (`--.*?) \| ", page, flags=re.MULTILINE)
    flags = set(re.findall(r"--[a-z-]+", " ".join(table)))
    assert {option.flag for option in reading.options()} <= flags


def test_a_keyword_that_says_nothing_of_reading_is_refused() -> None:
    with pytest.raises(TypeError, match=r"'columns'; did you mean 'column'\?"):
        airtcp.study("a.csv", columns="x")  # pyright: ignore[reportCallIssue]
    with pytest.raises(TypeError, match=r"'tcps'; did you mean 'tcp'\?"):
        airtcp.compare("a.csv", tcps=["reno"])  # pyright: ignore[reportCallIssue]
    with pytest.raises(TypeError, match=r"'zz'; expected one of prof.*, interval, layout"):
        airtcp.study("a.csv", zz="x")  # pyright: ignore[reportCallIssue]
