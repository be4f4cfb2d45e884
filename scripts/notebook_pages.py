"""Pages of the site that show notebooks: text, code, and what each cell gives when it runs.

A notebook is a program of marimo in docs/notebooks. It runs here as it runs with `python NOTEBOOK`. Text stands in
cells whose code is hidden, and becomes text of the page.
"""

from __future__ import annotations

import ast
import importlib.util
import textwrap
from pathlib import Path
from typing import Any, Final

import vl_convert

FOLDER: Final = Path(__file__).resolve().parent.parent / "docs" / "notebooks"


def pages() -> dict[str, bytes]:
    """Run every notebook; return its page and its pictures by their place on the site."""
    made: dict[str, bytes] = {}
    for path in sorted(FOLDER.glob("[a-z]*.py")):
        made |= _page(path)
    return made


def _page(path: Path) -> dict[str, bytes]:
    source = path.read_text("utf-8")
    outputs = _run(path)
    made: dict[str, bytes] = {}
    parts: list[str] = []
    for number, (cell, output) in enumerate(zip(_cells(source), outputs, strict=True)):
        text = _hidden(cell)
        if text is not None:
            parts.append(f"{text}\n")
            continue
        parts.append(f"```python\n{_code(cell, source)}\n```\n")
        if hasattr(output, "to_dict") and hasattr(output, "encode"):
            name = f"{path.stem}-{number}.svg"
            made[f"notebooks/{name}"] = vl_convert.vegalite_to_svg(
                _light(output.to_dict())
            ).encode()
            parts.append(f"![What the code draws](/notebooks/{name})\n")
        elif output is not None:
            parts.append(_shown(output))
    parts.append(
        f"This page shows [`{path.name}`](../repository/docs/notebooks/{path.name}). "
        f"`python docs/notebooks/{path.name}` runs it, and `marimo edit docs/notebooks/{path.name}` opens it.\n"
    )
    made[f"repository/docs/notebooks/{path.name}"] = source.encode()
    made[f"notebooks/{path.stem}.md"] = "\n".join(parts).encode()
    return made


def _run(path: Path) -> tuple[Any, ...]:
    spec = importlib.util.spec_from_file_location(f"notebook_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.app.run()[0]


def _cells(source: str) -> list[ast.FunctionDef]:
    return [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]


def _hidden(cell: ast.FunctionDef) -> str | None:
    """Return the text of a cell whose code is hidden; nothing for one that shows its code."""
    if not any("hide_code" in ast.dump(one) for one in cell.decorator_list):
        return None
    texts = [
        node.args[0].value
        for node in ast.walk(cell)
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)
    ]
    return textwrap.dedent(str(texts[0])).strip() + "\n"


def _code(cell: ast.FunctionDef, source: str) -> str:
    """Return the code of a cell, without the line that hands its names to other cells."""
    lines = source.splitlines()
    body = [node for node in cell.body if not isinstance(node, ast.Return)]
    return textwrap.dedent("\n".join(lines[cell.body[0].lineno - 1 : body[-1].end_lineno]))


def _light(spec: dict[str, Any]) -> dict[str, Any]:
    return spec | {"background": "#ffffff", "padding": 10}


def _shown(output: Any) -> str:
    """Return a table or a text as HTML."""
    if hasattr(output, "columns") and hasattr(output, "rows"):
        rows = [[_value(value) for value in row.values()] for row in output.rows()]
        lines = [output.columns, ["---"] * len(output.columns), *rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
    return f'<div class="notebook-output">{getattr(output, "text", output)}</div>\n'


def _value(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value).replace("|", "\\|")
