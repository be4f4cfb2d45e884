"""The page of reproduced papers: charts and rows of each figure, and their assumptions."""

from __future__ import annotations

import re
from math import copysign, log1p
from typing import TYPE_CHECKING, Any, Final

from airtcp import _core
from airtcp.pages.section import Page, Plot, Section
from airtcp.words import sentences as words
from airtcp.words.grid import Column, Grid, Toned
from airtcp_papers import charts as charts_papers
from airtcp_papers import tables
from airtcp_papers.rows import Counts, Row, Sensitivity, counted, interval, shown, told
from airtcp_papers.verdict import MET

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.words.answer import Answer
    from airtcp.words.grid import Tone
    from airtcp_papers.outcome import Plot as Drawn
    from airtcp_papers.runs import Reproduced

OVERVIEW: Final = "overview"
"""Name of the chart beside the answer."""
_APART: Final = 0.2
"""Width of a name on the chart, as a share of its width."""
_DASH: Final = "\N{EN DASH}"
_COMPARED: Final = "Diamonds are published values, dots are those here, bars their 95 % intervals."
_TERMS: Final = (
    (
        "Met",
        (
            "The published interval contains the value here, the difference is within a tolerance"
            " whose reason the file states, or a claimed ordering holds. The 95 % interval of the"
            " value here counts: if it is too wide, the row is undecided."
        ),
    ),
    (
        "Left open",
        (
            "What a publication does not state is an assumption of its file. Each is also run with"
            " its alternatives, and a verdict that would change is marked."
        ),
    ),
)
_DIAMONDS: Final = " Diamonds and dotted lines are published values."


def papers_page(
    figures: Sequence[Reproduced], seed: int, *, interrupted: bool, answer: Answer | None
) -> Page:
    """Make the page.

    Args:
        figures: What was reproduced.
        seed: The root seed.
        interrupted: Whether the work was stopped before its end.
        answer: The answer, which takes the first screen.
    """
    rows = [row for figure in figures for row in figure.rows]
    papers = dict.fromkeys(figure.figure.paper.id for figure in figures)
    return Page(
        answer,
        [
            *_overview_section(rows),
            *(_section(figure) for figure in figures),
            Section("method", "Method", terms=_TERMS),
        ],
        {
            "schema": "reproduce",
            "seed": seed,
            "airtcp_version": _core.version(),
            "interrupted": interrupted,
        },
        chart=OVERVIEW,
        whole=tables.best(rows, tables.MOST),
        title=f"Reproduced: {', '.join(papers) or 'nothing'}",
        lead="Published tables and figures, made again: what was published, what comes out here,"
        " and whether the one meets the other.",
        facts=[
            ("Tables and figures", str(len(figures))),
            ("Rows", str(len(rows))),
        ],
        findings=_findings(rows),
    )


def _overview_section(rows: Sequence[Row]) -> list[Section]:
    points, others = _overview(rows)
    if not points:
        return []
    plot = Plot(
        OVERVIEW,
        "Published against measured",
        _overview_caption(others),
        charts_papers.overview(points),
        {"values": points, "line": charts_papers.diagonal(points)},
    )
    return [Section("overview", "Published and measured", plots=(plot,))]


def _overview(rows: Sequence[Row]) -> tuple[list[dict[str, Any]], int]:
    """Return the published and measured values of all rows, and the number of other rows."""
    found: list[dict[str, Any]] = []
    for row in rows:
        said, here = row["published"], row["here"]
        if isinstance(said, str) or here is None or row["verdict"] == "skipped":
            continue
        missed = row["verdict"] == "not reproduced"
        verdict = "met" if row["verdict"] in MET else "not met" if missed else "undecided"
        found.append(
            {
                "id": row["id"],
                "name": f"{row['id']} {shown(row)}",
                "published": said,
                "here": here,
                "verdict": verdict,
                "label": "",
            }
        )
    _label(found)
    judged = sum(row["verdict"] != "skipped" for row in rows)
    return found, judged - len(found)


def _label(points: list[dict[str, Any]]) -> None:
    """Name a miss of each figure on the chart, where the names do not lie on each other."""
    values = [abs(point[key]) for point in points for key in ("published", "here")]
    least = min((value for value in values if value), default=1.0)

    def place(point: Mapping[str, Any]) -> tuple[float, float]:
        x, y = (
            copysign(log1p(abs(point[key]) / least), point[key]) for key in ("published", "here")
        )
        return x, y

    wide = max((log1p(value / least) for value in values), default=0.0) or 1.0
    taken: list[tuple[float, float]] = []
    named: set[str] = set()
    for point in points:
        x, y = place(point)
        near = any(abs(x - u) < _APART * wide and abs(y - v) < wide / 12 for u, v in taken)
        if point["verdict"] == "not met" and point["id"] not in named and not near:
            point["label"] = point["id"]
            named.add(point["id"])
            taken.append((x, y))


def _overview_caption(others: int) -> str:
    said = "A point is a row; on the line, published and measured values are equal."
    more = f" Not shown: {words.counted(others, 'row')} without one published value."
    return said + (more if others else "")


def _name(figure: Reproduced, name: str) -> str:
    return f"{figure.figure.id}-{name}".replace(" ", "-")


def _points(figure: Reproduced, plot: Drawn) -> list[dict[str, Any]]:
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


def _section(figure: Reproduced) -> Section:
    about = figure.figure
    place = f"{about.item}, section {about.section}" if about.section else about.item
    measures = re.sub(
        r"`([^`]*)`",
        "\N{LEFT DOUBLE QUOTATION MARK}\\1\N{RIGHT DOUBLE QUOTATION MARK}",
        about.measures,
    )
    return Section(
        about.id,
        f"{about.id}: {about.title}",
        f"{about.paper.title}, {place}. {measures}",
        _plots(figure),
        _verdicts(figure.rows),
        (*_assumptions(figure), *_sensitivity(figure.rows)),
        tuple(figure.outcome.notes),
    )


def _plots(figure: Reproduced) -> tuple[Plot, ...]:
    """Draw the plots of a figure, then published and measured values."""
    plots: list[Plot] = []
    for plot in figure.outcome.plots:
        points = _points(figure, plot)
        plots.append(
            Plot(
                _name(figure, plot.name),
                plot.title,
                plot.caption + (_DIAMONDS if points else ""),
                charts_papers.chart(plot, points),
                charts_papers.data(plot, points),
            )
        )
    for metric, values in _compared(figure).items():
        plots.append(
            Plot(
                _name(figure, f"compared {metric}"),
                f"Published and here: {metric}",
                _COMPARED,
                charts_papers.compared(values, f"{metric} {values[0]['unit']}".strip()),
                {"values": values},
            )
        )
    return tuple(plots)


def _text(number: float | None) -> str:
    return _DASH if number is None else words.number(number)


def _interval(ends: tuple[float | None, float | None] | None) -> str:
    return "" if ends is None else f" {interval(*ends)}"


def _verdicts(rows: Sequence[Row]) -> Grid:
    """Lay the rows out: what was published, what comes out here, and whether it is met."""
    columns = [
        Column("Published", [_said(row) for row in rows]),
        Column("Here", [_here(row) for row in rows], keys=[row["here"] for row in rows]),
        Column("Ratio", [_text(row["ratio"]) for row in rows], keys=[row["ratio"] for row in rows]),
        Column("Verdict", [Toned.of(row["verdict"], _tone(row)) for row in rows], left=True),
        Column("Why", [_why(row) for row in rows], left=True),
    ]
    return Grid("Measure", [_measure(row) for row in rows], columns)


def _measure(row: Row) -> str:
    name = f"{shown(row)} ({row['unit']})" if row["unit"] else shown(row)
    return f"{name}: {row['words']}" if row["words"] else name


def _said(row: Row) -> str:
    said = row["published"]
    return said if isinstance(said, str) else _text(said) + _interval(row["published_interval"])


def _here(row: Row) -> str:
    here = _text(row["here"]) + _interval(row["here_interval"])
    ordering = row["kind"] == "ordering" and row["right"] is not None
    return f"{here} against {_text(row['right'])}" if ordering else here


def _tone(row: Row) -> Tone:
    tones: dict[str, Tone] = {"not reproduced": "bad", "undecided": "faint", "skipped": "faint"}
    return tones.get(row["verdict"], "good")


def _why(row: Row) -> str:
    """Return the reason of a verdict, and what it rests on."""
    met = row["verdict"] in MET
    parts = [
        row["reason"],
        f"depends on {', '.join(row['depends_on'])}" if row["depends_on"] else "",
        f"setting derived from this: {', '.join(row['derived'])}" if met and row["derived"] else "",
        f"by construction: {row['by_construction']}" if met and row["by_construction"] else "",
        f"own statement: {row['own']}" if row["own"] else "",
    ]
    return "; ".join(part for part in parts if part)


def _assumptions(figure: Reproduced) -> list[Grid]:
    """Lay out what a publication leaves open."""
    known = figure.figure.assumptions
    if not known:
        return []
    columns = [
        Column("Parameter", [one.parameter for one in known], left=True),
        Column("Status", [one.status for one in known], left=True),
        Column("Taken", [told(one.value) for one in known], left=True),
        Column("Why", [one.why for one in known], left=True),
    ]
    title = f"What {figure.figure.id} leaves open"
    return [Grid("Assumption", [one.name for one in known], columns, title)]


def _sensitivity(rows: Sequence[Row]) -> list[Grid]:
    """Lay out each row under each alternative, with a column per alternative."""
    tried = [
        {(one["assumption"], told(one["alternative"])): one for one in row["sensitivity"]}
        for row in rows
    ]
    heads = dict.fromkeys(head for row in tried for head in row)
    lines = [(row, known) for row, known in zip(rows, tried, strict=True) if known]
    if not lines:
        return []
    columns = [Column("As taken", [_under(row) for row, _ in lines])]
    columns += [
        Column(f"{name}: {other}", [_under(known.get((name, other))) for _, known in lines])
        for name, other in heads
    ]
    names = [shown(row) for row, _ in lines]
    return [Grid("Measure", names, columns, "What follows from it; in red what is then not met")]


def _under(row: Row | Sensitivity | None) -> str:
    """Return the value of a row, toned if it is not met."""
    if row is None:
        return _DASH
    text = _text(row["here"])
    return text if row["verdict"] in MET else Toned.of(text, "bad")
