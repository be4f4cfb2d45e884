"""Figures and tables of the documentation agree with their experiments (docs/figures)."""

from __future__ import annotations

import importlib
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from examples import DOCS, ROOT

if TYPE_CHECKING:
    from pathlib import Path

FIGURES = DOCS / "figures"
sys.path.insert(0, str(FIGURES))
declared: Any = importlib.import_module("declared")
EVERY: dict[str, Any] = declared.read()
CHEAP = [n for n, one in EVERY.items() if one.cpu_s <= declared.CHEAP_S and not one.needs]


def test_nothing_is_stale_and_pages_have_what_the_numbers_say() -> None:
    script = [sys.executable, ROOT / "scripts" / "figures", "--check"]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", CHEAP)
def test_cheap_experiments_give_the_numbers_that_are_kept(name: str) -> None:
    for file, text in EVERY[name].make().items():
        # Charts depend on the version of the drawing library.
        if file.endswith(".csv"):
            assert text == (FIGURES / file).read_text("utf-8"), file


def test_there_are_cheap_experiments() -> None:
    assert len(CHEAP) >= 5


def test_a_changed_number_a_changed_input_and_a_changed_page_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled, record = EVERY["settled"], declared.kept()
    assert declared.state(settled, record) == ""
    monkeypatch.setattr(declared, "HERE", tmp_path)
    for file in ("settled.py", "simulate.py", "style.py", "settled.csv"):
        (tmp_path / file).write_text((FIGURES / file).read_text("utf-8"), "utf-8")
    assert "changed" in declared.state(settled, {"settled": record["settled"] | {"depends": ""}})
    page = (DOCS / "models" / "trace-metrics.md").read_text("utf-8")
    assert declared.filled(page, EVERY) == page
    numbers = (tmp_path / "settled.csv").read_text("utf-8")
    (tmp_path / "settled.csv").write_text(numbers.replace("300,300", "300,299"), "utf-8")
    assert declared.state(settled, record) == "settled.csv was changed by hand"
    assert declared.filled(page, EVERY) != page
