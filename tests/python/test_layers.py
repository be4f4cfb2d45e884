"""The files of the package depend on each other in one direction, like the crates.

The test reads the syntax: an import within a function or for types only counts as well.
"""

from __future__ import annotations

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import airtcp

PACKAGE = Path(airtcp.__file__).parent
# The modules that findings may import: document types, text, and intervals.
BELOW_FINDINGS = {
    "airtcp.diagnose_document",
    "airtcp.documents",
    "airtcp.fit_document",
    "airtcp.intervals",
    "airtcp.metrics",
    "airtcp.plain",
    "airtcp.sweep_document",
}


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
            parts = names & (modules | {"airtcp._core"})
            found |= parts or {str(node.module)}
    return found & modules


@cache
def graph() -> dict[str, set[str]]:
    """Return for each module of the package the modules that it imports."""
    modules = _modules()
    return {
        name: imported(path.read_text("utf-8"), set(modules)) - {name}
        for name, path in modules.items()
    }


def _within(name: str, folder: str) -> bool:
    return name == folder or name.startswith(f"{folder}.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f():\n    from airtcp import report", {"airtcp.report"}),
        ("if TYPE_CHECKING:\n    from airtcp.report import page", {"airtcp.report.page"}),
        ("import airtcp.report.page", {"airtcp.report.page"}),
        ("from airtcp.report import run_page", {"airtcp.report"}),
        ("from airtcp import _core", set()),
    ],
)
def test_an_import_anywhere_counts(text: str, expected: set[str]) -> None:
    assert imported(text, {"airtcp", "airtcp.report", "airtcp.report.page"}) == expected


def test_no_files_import_each_other_in_a_circle() -> None:
    try:
        TopologicalSorter(graph()).prepare()
    except CycleError as error:
        pytest.fail(f"a circle of imports: {' -> '.join(error.args[1])}")


def test_findings_are_functions_of_results() -> None:
    """Findings import neither their output modules nor the runs."""
    wrong = {
        f"{name} -> {other}"
        for name, others in graph().items()
        if _within(name, "airtcp.findings")
        for other in others
        if not _within(other, "airtcp.findings") and other not in BELOW_FINDINGS
    }
    assert not wrong


@pytest.mark.parametrize(
    ("folder", "beside"),
    [
        ("airtcp.cli", "airtcp.report"),
        ("airtcp.report", "airtcp.cli"),
        ("airtcp.report", "airtcp.api"),
        ("airtcp.papers", "airtcp.cli"),
        ("airtcp.api", "airtcp.cli"),
    ],
)
def test_folders_that_stand_beside_or_below(folder: str, beside: str) -> None:
    wrong = {
        f"{name} -> {other}"
        for name, others in graph().items()
        if _within(name, folder)
        for other in others
        if _within(other, beside)
    }
    assert not wrong
