"""Functions of the package are short enough to read at once."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import airtcp

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(airtcp.__file__).parent
MOST = 60
"""Lines of a function's body, without its signature and its docstring."""


def bodies(text: str) -> Iterator[tuple[str, int]]:
    """Yield the name of each function in a file, and the lines of its body."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        told = ast.get_docstring(node, clean=False) is not None
        if statements := node.body[told:]:
            last = statements[-1]
            yield node.name, (last.end_lineno or last.lineno) - statements[0].lineno + 1


def test_signature_and_docstring_do_not_count() -> None:
    text = (
        "def outer(\n    a: int,\n    b: int,\n) -> int:\n"
        '    """Add.\n\n    More.\n    """\n'
        "    def inner() -> int:\n        return a\n    return (\n        inner() + b\n    )\n"
        'def stub() -> None:\n    """Do nothing."""\n'
    )
    assert dict(bodies(text)) == {"outer": 5, "inner": 1}


def test_no_function_is_long() -> None:
    found = [
        (lines, f"{path.relative_to(PACKAGE)}: {name}")
        for path in sorted(PACKAGE.rglob("*.py"))
        for name, lines in bodies(path.read_text("utf-8"))
    ]
    assert len(found) > 500
    assert not [one for one in found if one[0] > MOST]
