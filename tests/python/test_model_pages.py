"""Pages on models agree with the outputs of their commands."""

from __future__ import annotations

import csv
import re
from typing import Any

import airtcp
from examples import DOCS, ROOT

METRIC = "log(residual_success_burst)"


def _numbers(name: str) -> list[dict[str, str]]:
    with (DOCS / "figures" / name).open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def _table(page: str, head: str) -> list[list[str]]:
    """The rows of the table of a page whose first line begins with `head`."""
    text = (DOCS / "models" / page).read_text(encoding="utf-8")
    table = rf"^{re.escape(head)}[^\n]*\n\|[-|]+\n((?:\|[^\n]*\n)+)"
    (rows,) = re.findall(table, text.replace("**", ""), re.MULTILINE)
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows.splitlines()]


def _shown(in_sample: float | None, left_out: float | None) -> str:
    """A pair of errors in percent as the page writes it: three digits each."""
    if in_sample is None:
        return "not fitted"
    pair = [in_sample] if left_out is None else [in_sample, left_out]
    return " / ".join(f"{value:#.3g}".removesuffix(".") for value in pair)


def test_errors_of_fits_are_those_of_the_drawn_sets() -> None:
    found: dict[tuple[str, str], str] = {}
    for row in _numbers("prediction.csv"):
        if row["draw"] == "1":
            pair = (row["in_sample_percent"], row["left_out_percent"])
            values = [float(value) if value else None for value in pair]
            found[row["set"], row["form"]] = _shown(values[0], values[1])
    table = _table("prediction.md", "| form | demo |")
    assert len(table) == 16
    for name, _, chains, bursts, *_ in table:
        form = name.removesuffix(" (PRR only)")
        assert [chains, bursts] == [found["chains", form], found["long bursts", form]], form


def test_errors_of_fits_are_those_of_the_demonstration_links() -> None:
    document: Any = airtcp.trace_fit(ROOT / "demo", metrics=METRIC).json
    table = {
        row[0].removesuffix(" (PRR only)"): row[1]
        for row in _table("prediction.md", "| form | demo |")
    }
    forms = [*document["fits"], *document["formulas"]]
    for form in forms:
        errors = [form["error"], form.get("leave_one_out_error")]
        shown = [None if error is None else 100 * error for error in errors]
        name = form["name"].replace(METRIC, "M")
        assert table[name] == _shown(shown[0], shown[1]), name
    assert len(forms) == len(table)
