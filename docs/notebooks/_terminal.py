"""Shows the outputs of a notebook that runs as a program: `python docs/notebooks/study.py`.

Texts and tables are printed. Pictures are written as SVG into out/notebooks, and their names are printed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import vl_convert


def show(outputs: tuple[Any, ...], notebook: str) -> None:
    """Show what each cell of a notebook gave, in the order of the cells."""
    folder = Path("out", "notebooks")
    pictures = 0
    for output in outputs:
        if output is None:
            continue
        if hasattr(output, "to_dict") and hasattr(output, "encode"):
            pictures += 1
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"{Path(notebook).stem}-{pictures}.svg"
            spec = output.to_dict() | {"background": "#ffffff", "padding": 10}
            path.write_text(vl_convert.vegalite_to_svg(spec), "utf-8")
            print(f"Picture: {path}\n")
        elif hasattr(output, "_repr_markdown_"):
            print(f"{output._repr_markdown_().strip()}\n")
        else:
            print(f"{output}\n")
