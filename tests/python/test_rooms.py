"""The files of the package depend on each other in one direction, like the crates.

The package has rooms in one order: a room imports rooms before it, never one behind it. The room
`questions` has a sub-room for each question, in one order as well. The test reads the syntax: an
import within a function or for types only counts.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGE: Final = ROOT / "python" / "airtcp"
ROOMS: Final = (
    "data",
    "files",
    "inputs",
    "laws",
    "words",
    "charts",
    "pages",
    "questions",
    "cli",
)
QUESTIONS: Final = (
    "trace",
    "run",
    "compare",
    "evaluate",
    "study",
    "fit",
    "capture",
    "diagnose",
    "sweep",
    "emulate",
    "measure",
    "schemas",
)
FACE: Final = ("airtcp", "airtcp.__main__")
"""The public names and the program; they stand above all rooms."""
PURE: Final = re.compile(r"(answer|findings|tables|charts|rows|sections)(_\w+)?$")
"""Files of a question that are functions of a document."""
RUNS: Final = re.compile(r"airtcp\.(_core|cli(\..*)?|questions\.\w+\.(call|result)(_\w+)?)$")
"""What such a file does not import."""
"""Imports that break an order today. The list may only shrink."""


def _modules() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = ("airtcp", *path.relative_to(PACKAGE).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(text: str, modules: set[str]) -> set[str]:
    """Return the modules that a file imports anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name the whole module"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= names & modules or {str(node.module)}
    return found & modules


@cache
def graph() -> dict[str, set[str]]:
    """Return for each module of the package the modules that it imports."""
    modules = _modules()
    known = {*modules, "airtcp._core"}
    return {
        name: imported(path.read_text("utf-8"), known) - {name} for name, path in modules.items()
    }


def room(module: str) -> tuple[int, int]:
    """Return the places of the room of a module, and of its sub-room of questions."""
    if module in FACE:
        return len(ROOMS), 0
    _, name, *rest = module.split(".")
    inner = rest[0] if name == "questions" and rest else ""
    return ROOMS.index(name), 1 + QUESTIONS.index(inner) if inner in QUESTIONS else 0


def _broken() -> set[str]:
    """Return the imports that run up, and those of pure files that do not fit."""
    found: set[str] = set()
    for name, others in graph().items():
        pure = name.startswith("airtcp.questions.") and PURE.match(name.rpartition(".")[2])
        for other in others:
            up = other != "airtcp._core" and room(other) > room(name)
            if up or (pure and RUNS.match(other)):
                found.add(f"{name} -> {other}")
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f():\n    from airtcp import pages", {"airtcp.pages"}),
        ("if TYPE_CHECKING:\n    from airtcp.pages import page", {"airtcp.pages.page"}),
        ("import airtcp.pages.page", {"airtcp.pages.page"}),
        ("from airtcp.pages import render", {"airtcp.pages"}),
        ("from airtcp import run", {"airtcp"}),
    ],
)
def test_an_import_anywhere_counts(text: str, expected: set[str]) -> None:
    assert imported(text, {"airtcp", "airtcp.pages", "airtcp.pages.page"}) == expected


def test_every_file_stands_in_a_room() -> None:
    for name in _modules():
        room(name)
    folders = {path.parent.name for path in (PACKAGE / "questions").glob("*/__init__.py")}
    assert folders <= set(QUESTIONS)


def test_imports_run_down() -> None:
    assert sorted(_broken()) == []


def test_no_files_import_each_other_in_a_circle() -> None:
    try:
        TopologicalSorter(graph()).prepare()
    except CycleError as error:
        pytest.fail(f"a circle of imports: {' -> '.join(error.args[1])}")


def test_the_program_does_not_need_the_papers() -> None:
    for name, path in _modules().items():
        assert not imported(path.read_text("utf-8"), {"airtcp_papers"}), name


def test_the_architecture_has_the_order() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    listed = re.findall(r"^\| `(\w+)` \|.*\|$", text, re.MULTILINE)
    rooms = list(ROOMS)
    assert [name for name in listed if name in rooms] == rooms
