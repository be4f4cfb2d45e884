"""The page of reproduced papers: charts and rows of each figure, and their assumptions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from airtcp import _core
from airtcp.pages.page import render
from airtcp.words import sentences as words
from airtcp_papers import charts as charts_papers
from airtcp_papers.rows import Counts, Row, counted, interval, shown, told
from airtcp_papers.verdict import MET

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp_papers.outcome import Plot
    from airtcp_papers.runs import Reproduced

_DASH: Final = "\N{EN DASH}"
_DIAMONDS: Final = " Diamonds and dotted lines are published values."


def papers_page(figures: Sequence[Reproduced], seed: int, *, interrupted: bool) -> str:
    """Make the page.

    Args:
        figures: What was reproduced.
        seed: The root seed.
        interrupted: Whether the work was stopped before its end.

    Returns:
        A complete HTML document.
    """
    charts, data = _drawn(figures)
    rows = [row for figure in figures for row in figure.rows]
    papers = dict.fromkeys(figure.figure.paper.id for figure in figures)
    return render(
        "papers.html.j2",
        "papers.js",
        {"kind": "papers", "charts": charts, "data": data},
        {"seed": seed, "airtcp_version": _core.version(), "interrupted": interrupted},
        title=f"Reproduced: {', '.join(papers) or 'nothing'}",
        lead="Published tables and figures, made again: what was published, what comes out here,"
        " and whether the one meets the other.",
        facts=[
            ("Tables and figures", str(len(figures))),
            ("Rows", str(len(rows))),
        ],
        findings=_findings(rows),
        figures=[_section(figure) for figure in figures],
    )


def _drawn(figures: Sequence[Reproduced]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw all figures; return the charts and their data by name."""
    charts: dict[str, Any] = {}
    data: dict[str, Any] = {}
    for figure in figures:
        for plot in figure.outcome.plots:
            name = _name(figure, plot.name)
            points = _points(figure, plot)
            charts[name] = charts_papers.chart(plot, points)
            data[name] = charts_papers.data(plot, points)
        for metric, values in _compared(figure).items():
            name = _name(figure, f"compared {metric}")
            charts[name] = charts_papers.compared(values, f"{metric} {values[0]['unit']}".strip())
            data[name] = {"values": values}
    return charts, data


def _name(figure: Reproduced, name: str) -> str:
    return f"{figure.figure.id}-{name}".replace(" ", "-")


def _points(figure: Reproduced, plot: Plot) -> list[dict[str, Any]]:
    """Return the published values that belong on a plot."""
    return [
        {"x": said.x, "y": said.y, "label": said.says or f"{said.term}: {_text(said.value)}"}
        for said in figure.figure.published
        if said.plot == plot.name
    ]


def _compared(figure: Reproduced) -> dict[str, list[dict[str, Any]]]:
    """Return published and measured values by metric, for metrics with several values."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in figure.rows:
        said, here = row["published"], row["here"]
        if isinstance(said, str) or here is None:
            continue
        low, high = row["here_interval"] or (None, None)
        found.setdefault(row["metric"], []).append(
            {
                "name": ", ".join(str(value) for value in row["at"].values()),
                "published": said,
                "here": here,
                "low": low,
                "high": high,
                "unit": f"({row['unit']})" if row["unit"] else "",
            }
        )
    return {metric: values for metric, values in found.items() if len(values) > 1}


def _findings(rows: Sequence[Row]) -> list[words.Finding]:
    published, own = counted(rows)
    skipped = published["skipped"] + own["skipped"]
    return [
        *_of_published(published),
        *_of_own(own),
        *_of_conditions(rows),
        *([words.Finding(f"{skipped} skipped", "Their data are not here.")] if skipped else []),
    ]


def _of_published(counts: Counts) -> list[words.Finding]:
    """Return the findings on published rows: met, undecided and missed."""
    found = [
        words.Finding(
            f"{counts['met']} of {counts['rows'] - counts['skipped']} published rows met",
            f"{counts['intervals']} within an interval,"
            f" {counts['tolerances']} within a tolerance,"
            f" {counts['orderings']} orderings that hold.",
            "good" if counts["met"] else "plain",
        )
    ]
    if counts["undecided"]:
        found.append(
            words.Finding(
                f"{counts['undecided']} undecided",
                "The 95 % interval here is too wide to tell: more runs would.",
                "warn",
            )
        )
    if counts["missed"]:
        without = counts["unexplained"]
        said = f"With a cause that an experiment shows: {counts['shown']}."
        said += f" Without a cause: {without}." if without else " Each has a cause."
        found.append(
            words.Finding(
                f"{counts['missed']} not reproduced",
                f"{said} The column of the verdict says it.",
                "warn",
            )
        )
    if counts["derived"]:
        found.append(
            words.Finding(
                f"{counts['derived']} met on what a setting was derived from",
                "They check the simulation, and not the setting.",
            )
        )
    return found


def _of_own(counts: Counts) -> list[words.Finding]:
    """Return the finding on our own statements."""
    if not counts["rows"]:
        return []
    return [
        words.Finding(
            f"{counts['met']} of {counts['rows'] - counts['skipped']} own statements hold",
            f"No publication makes them. {counts['undecided']} are undecided,"
            f" {counts['missed']} do not hold.",
        )
    ]


def _of_conditions(rows: Sequence[Row]) -> list[words.Finding]:
    """Return the findings on verdicts that depend on an assumption or hold by construction."""
    found: list[words.Finding] = []
    depend = sum(bool(row["depends_on"]) for row in rows)
    if depend:
        found.append(
            words.Finding(
                f"{depend} depend on an assumption",
                "Their verdict would be another if a parameter that the publication leaves open"
                " had another value.",
                "warn",
            )
        )
    made = sum(bool(row["by_construction"]) and row["verdict"] in MET for row in rows)
    if made:
        found.append(
            words.Finding(
                f"{made} by construction",
                "The links were made so: these rows check the generator, not the world.",
            )
        )
    return found


def _section(figure: Reproduced) -> dict[str, Any]:
    about = figure.figure
    return {
        "id": about.id,
        "title": about.title,
        "item": about.item,
        "paper": about.paper.title,
        "section": about.section,
        "measures": re.sub(
            r"`([^`]*)`",
            "\N{LEFT DOUBLE QUOTATION MARK}\\1\N{RIGHT DOUBLE QUOTATION MARK}",
            about.measures,
        ),
        "plots": _plots(figure),
        "rows": [_row(row) for row in figure.rows],
        "assumptions": [
            {
                "name": assumption.name,
                "status": assumption.status,
                "parameter": assumption.parameter,
                "value": told(assumption.value),
                "why": assumption.why,
            }
            for assumption in about.assumptions
        ],
        "sensitivity": _sensitivity(figure.rows),
        "notes": figure.outcome.notes,
    }


def _plots(figure: Reproduced) -> list[dict[str, str]]:
    """Name and caption the charts of a figure: its plots, then published and measured values.

    The names are those of `_drawn`.
    """
    plots = [
        {
            "name": _name(figure, plot.name),
            "title": plot.title,
            "caption": plot.caption + (_DIAMONDS if _points(figure, plot) else ""),
        }
        for plot in figure.outcome.plots
    ]
    plots += [
        {
            "name": _name(figure, f"compared {metric}"),
            "title": f"Published and here: {metric}",
            "caption": "Diamonds are published values, dots are those here, bars their 95 %"
            " intervals.",
        }
        for metric in _compared(figure)
    ]
    return plots


def _text(number: float | None) -> str:
    return _DASH if number is None else words.number(number)


def _interval(ends: tuple[float | None, float | None] | None) -> str:
    return "" if ends is None else f" {interval(*ends)}"


def _row(row: Row) -> dict[str, Any]:
    said = row["published"]
    published = (
        said if isinstance(said, str) else _text(said) + _interval(row["published_interval"])
    )
    here = _text(row["here"]) + _interval(row["here_interval"])
    if row["kind"] == "ordering" and row["right"] is not None:
        here += f" against {_text(row['right'])}"
    tone = {"not reproduced": "no", "undecided": "none", "skipped": "none"}.get(
        row["verdict"], "yes"
    )
    return {
        "measure": shown(row),
        "words": row["words"],
        "published": published,
        "here": here,
        "unit": row["unit"],
        "ratio": _text(row["ratio"]),
        "verdict": row["verdict"],
        "tone": tone,
        "reason": row["reason"],
        "construction": row["by_construction"] if row["verdict"] in MET else "",
        "own": row["own"],
        "derived": ", ".join(row["derived"]) if row["verdict"] in MET else "",
        "depends": ", ".join(row["depends_on"]),
    }


def _sensitivity(rows: Sequence[Row]) -> dict[str, Any]:
    """Lay out each row under each alternative, with a column per alternative."""
    heads: dict[tuple[str, str], None] = {}
    for row in rows:
        for tried in row["sensitivity"]:
            heads[tried["assumption"], told(tried["alternative"])] = None
    lines: list[list[tuple[str, bool]]] = []
    for row in rows:
        if not row["sensitivity"]:
            continue
        known = {
            (tried["assumption"], told(tried["alternative"])): tried for tried in row["sensitivity"]
        }
        line = [(shown(row), True), (_text(row["here"]), row["verdict"] in MET)]
        for head in heads:
            tried = known.get(head)
            line.append(
                (_DASH, True) if tried is None else (_text(tried["here"]), tried["verdict"] in MET)
            )
        lines.append(line)
    return {"heads": [f"{name}: {other}" for name, other in heads], "lines": lines}
