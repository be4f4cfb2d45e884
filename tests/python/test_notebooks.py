"""The notebooks of the documentation run as programs, and show their results."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from conftest import ENVIRONMENT
from examples import DOCS

if TYPE_CHECKING:
    from pathlib import Path

NOTEBOOKS = sorted((DOCS / "notebooks").glob("[a-z]*.py"))


def test_every_notebook_is_on_the_page_of_notebooks() -> None:
    page = (DOCS / "notebooks.md").read_text("utf-8")
    names = ["capture", "cell", "comparison", "law", "study", "sweep"]
    assert [path.stem for path in NOTEBOOKS] == names
    assert all(f"(notebooks/{path.name})" in page for path in NOTEBOOKS)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_its_result(notebook: Path, tmp_path: Path) -> None:
    pytest.importorskip("marimo", reason="the extra docs is not installed")
    done = subprocess.run(
        [sys.executable, notebook],
        cwd=tmp_path,
        env=ENVIRONMENT | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    # Its title, its tables and its picture, in the order of its cells.
    assert done.stdout.startswith("# ")
    assert re.search(r"^Table: \d+ rows?, \d+ columns\n.+\n.*\d", done.stdout, re.MULTILINE)
    pictures = re.findall(r"^Picture: (.+)$", done.stdout, re.MULTILINE)
    assert len(pictures) == 1
    drawn = (tmp_path / pictures[0]).read_text("utf-8")
    assert drawn.startswith("<svg")
    assert "<path" in drawn
