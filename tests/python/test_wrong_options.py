"""A wrong value of any option is refused in words that say what is expected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from typer.main import get_command

from airtcp.cli.commands import app
from airtcp.cli.refused import reworded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Program

VALUES = ("x", "-1", "1.5", "nan", "", "99999999999999999999999")
RAW = ("Input should", "Value error", "unable to parse", "type=", "pydantic")


def commands(command: Any, parent: Any = None) -> Iterator[tuple[Any, Any]]:
    """Give each command that does something, with the context of its group."""
    context = command.context_class(command, info_name=command.name, parent=parent)
    if not hasattr(command, "list_commands"):
        yield command, parent
        return
    for name in command.list_commands(context):
        yield from commands(command.get_command(context, name), context)


def refusals() -> Iterator[tuple[str, str]]:
    """Give each option with what is said about each wrong value of it."""
    for command, parent in commands(get_command(app)):
        context = command.context_class(command, info_name=command.name, parent=parent)
        for parameter in command.get_params(context):
            names = [name for name in parameter.opts if name.startswith("--")]
            if not names or getattr(parameter, "is_flag", False):
                continue
            for value in VALUES:
                try:
                    command.make_context(command.name, [f"{names[-1]}={value}", "a"], parent=parent)
                except SystemExit:
                    continue
                except Exception as error:  # noqa: BLE001 - whatever the parser raises
                    reworded(error)
                    refusal: Any = error
                    yield f"{command.name} {names[-1]}={value}", refusal.format_message()


def test_no_refusal_has_the_words_of_a_library() -> None:
    """Every command and option is tried with values that are of no, or of another, kind."""
    said = dict(refusals())
    wrong = {key: text for key, text in said.items() if any(raw in text for raw in RAW)}
    assert not wrong
    assert len(said) > 100
    assert "expected received, lost, sequence or arrival" in said["stats --kind=x"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("--workers=0", "expected a whole number from 1 to 100000"),
        (
            "--format=tabel",
            "found 'tabel'; expected table, json, jsonl, csv or parquet; did you mean table?",
        ),
    ],
)
def test_a_refusal_says_what_is_expected(given: str, expected: str, run: Program) -> None:
    """The program says it and ends with 2."""
    ended = run("run", given, "a.toml")
    assert ended.code == 2
    assert expected in " ".join(ended.err.split())
