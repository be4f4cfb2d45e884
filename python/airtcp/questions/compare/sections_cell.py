"""The page of a comparison of schemes: findings, rankings, pictures, and what each scheme sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.data.metrics import columns, record
from airtcp.pages.command import command
from airtcp.pages.page import indented, render
from airtcp.questions.compare import answer_cell, charts_answer
from airtcp.questions.compare import cell_values as scheme_values
from airtcp.questions.compare import charts_cell as charts_schemes
from airtcp.questions.compare import findings_cell as schemes
from airtcp.questions.run.rows import estimate
from airtcp.words import sentences as words
from airtcp.words.columns import with_values

if TYPE_CHECKING:
    from airtcp.data.documents import (
        Estimate,
        SchemeOutcome,
        SchemeQuestion,
        SchemesDocument,
        SchemesSubject,
        SchemeStation,
    )

MOST_ROWS: Final = 2000
"""Rows of the table below the answer."""
_STATIONS: Final = 40
"""Stations that are drawn; the table has all."""
_SECTIONS: Final = 40
"""Scenarios that have a section."""


def schemes_page(document: SchemesDocument) -> str:
    """Make the page.

    Args:
        document: What `SchemesResult.json` gives.

    Returns:
        A complete HTML document. Equal documents give equal pages.
    """
    subjects = document["subjects"]
    charts: dict[str, Any] = {}
    data: dict[str, Any] = {}
    sections = [
        _section(i, subject, document["reference"], charts, data)
        for i, subject in enumerate(subjects[:_SECTIONS])
    ]
    single = len(subjects) == 1
    findings = schemes.findings(subjects[0], document["reference"]) if single else []
    title = "Schemes compared"
    if single:
        title = f"{title}: {subjects[0]['title'] or subjects[0]['name']}"
    if (first := charts_answer.chart_cell(document)) is not None:
        charts[charts_answer.NAME], data[charts_answer.NAME] = first
    return render(
        "schemes.html.j2",
        "compare.js",
        {"kind": "schemes", "charts": charts, "data": data},
        document,
        answer=answer_cell.answer(document),
        chart=charts_answer.NAME,
        whole=answer_cell.first_table(document, MOST_ROWS),
        first=first is not None,
        title=title,
        lead="The same 802.11 cell ran under every scheme. In a replication all schemes draw the"
        " same random numbers, so that differences are those of the schemes.",
        facts=[
            ("Schemes", words.count(max((len(s["variants"]) for s in subjects), default=0))),
            ("Reference", document["reference"]),
        ],
        findings=findings,
        sections=sections,
        single=single,
        hidden=max(len(subjects) - _SECTIONS, 0),
        reference=document["reference"],
        options=indented(document["options"]),
        command=_command(document),
    )


def _command(document: SchemesDocument) -> str:
    asked: dict[str, Any] = dict(document["options"])
    return command(
        "compare",
        paths=[subject["name"] for subject in document["subjects"]],
        options=[
            ("schemes", ",".join(asked["schemes"])),
            ("reference", asked.get("reference")),
            ("seed", document["seed"]),
            ("replications", asked.get("replications")),
            ("set", [f"{path}={value}" for path, value in asked.get("set", [])]),
        ],
    )


def _section(
    index: int,
    subject: SchemesSubject,
    reference: str,
    charts: dict[str, Any],
    data: dict[str, Any],
) -> dict[str, Any]:
    """Gather what the page shows of one scenario; its pictures go to the payload."""
    same = set(schemes.same(subject))
    variants = [o["variant"] for o in subject["outcomes"] if o["variant"] not in same]
    rows = [row for row in _station_rows(subject) if row["variant"] not in same]
    drawn = list(dict.fromkeys(row["station"] for row in rows))[:_STATIONS]
    charts[f"stations-{index}"] = charts_schemes.stations(variants, drawn)
    data[f"stations-{index}"] = {"means": [row for row in rows if row["station"] in set(drawn)]}
    means = [_mean_row(o) for o in subject["outcomes"] if o["variant"] not in same]
    places = charts_schemes.places(means)
    for row, place in zip(means, places, strict=True):
        row["place"] = place
    traded = any(row["jain"] is not None for row in means)
    if traded:
        charts[f"trade-{index}"] = charts_schemes.trade_off(variants, places)
        data[f"trade-{index}"] = {"means": means}
    return {
        "id": f"subject-{index}",
        "index": index,
        "name": subject["name"],
        "title": subject["title"] or subject["name"],
        "over": f"{schemes.head(subject)}.",
        "traded": traded,
        "undrawn": f" Not drawn, because identical to {reference}: {words.listed(sorted(same))}."
        if same
        else "",
        "findings": schemes.findings(subject, reference),
        "table": _table(subject),
        "rankings": [
            {
                "title": schemes.HEADINGS[question["aspect"]],
                "table": _ranking(subject, question, reference),
            }
            for question in subject["verdict"]["questions"]
        ],
        "stations": _stations_table(subject),
        "flows": words.listed(subject["flows"][:12])
        + (" and more" if len(subject["flows"]) > 12 else ""),  # noqa: PLR2004
        "sets": [
            [v["variant"], "; ".join(v["sets"]) or "nothing: the scenario as written"]
            for v in subject["variants"]
        ],
        "not_ranked": [[each["variant"], each["why"]] for each in subject["verdict"]["not_ranked"]],
        "notes": subject["notes"],
        "scenario": indented(subject["scenario"]),
    }


def _short(value: float) -> float:
    return float(f"{value:.5g}")


def _ends(value: Estimate, scale: float, limits: tuple[float, float]) -> list[float | None]:
    """Give a mean and the ends of its interval; without one, the mean itself."""
    mean = value["mean"]
    if mean is None:
        return [None, None, None]
    ends = words.bounded(value, limits)
    return [_short((mean if end is None else end) * scale) for end in (mean, *ends)]


def _mean_row(outcome: SchemeOutcome) -> dict[str, Any]:
    """Lay out what the picture of the trade-off draws of one scheme."""
    row: dict[str, Any] = {"variant": outcome["variant"]}
    of = record("schemes", "SchemeOutcome")
    for name, key in (("goodput", "total_goodput_bps"), ("jain", "jain_index")):
        ends = _ends(scheme_values.mean_of(outcome, key), of[key].scale, of[key].limits)
        row |= dict(zip((name, f"{name}_low", f"{name}_high"), ends, strict=True))
    for name, key in (("slowest", "slowest_flow_bps"), ("ack", "ack_error")):
        row[name] = _ends(scheme_values.mean_of(outcome, key), of[key].scale, of[key].limits)[0]
    return row


def _station_rows(subject: SchemesSubject) -> list[dict[str, Any]]:
    """Lay out what the picture of the stations draws; access points are left out."""
    of = record("schemes", "SchemeStation")["goodput_bps"]
    air = record("schemes", "SchemeStation")["airtime_share"]
    rows: list[dict[str, Any]] = []
    for station in subject["stations"]:
        if station["is_access_point"]:
            continue
        mean, low, high = _ends(station["goodput_bps"], of.scale, of.limits)
        airtime = _ends(station["airtime_share"], air.scale, air.limits)[0]
        row = {"variant": station["variant"], "station": station["station"]}
        row |= {"mean": mean, "low": low, "high": high, "airtime": airtime}
        rows.append(row | {"against": _changed(station) or "reference"})
    return rows


def _changed(station: SchemeStation) -> str:
    """Write how much more a station gets than under the reference."""
    difference = station["goodput_difference"]
    percent = None if difference is None else difference["percent"]
    if difference is None or percent is None or percent["mean"] is None:
        return ""
    text = words.measured(words.change(percent), "%")
    return text if difference["standing"] in {"more", "less", "equal"} else f"~ {text}"


def _table(subject: SchemesSubject) -> dict[str, list[Any]]:
    """Lay out every number of the schemes; a column with nothing in it is left out."""
    rows: list[dict[str, Any]] = [dict(outcome) for outcome in subject["outcomes"]]
    metrics = with_values(columns("schemes", "SchemeOutcome"), rows)
    return {
        "head": [metric.head for metric in metrics],
        "rows": [
            [row["variant"], *(estimate(row[m.key], m.scale, m.limits) for m in metrics)]
            for row in rows
        ],
    }


def _ranking(
    subject: SchemesSubject, question: SchemeQuestion, reference: str
) -> dict[str, list[Any]]:
    """Lay the variants out in the order of one question."""
    quantity, ranking = question["quantity"], question["ranking"]
    metric = record("schemes", "SchemeOutcome")[quantity]
    behind = {lag["variant"]: lag["behind"] for lag in question["lags"]}
    unit = "" if quantity.endswith("jain_index") else " (%)"
    rows: list[list[str]] = []
    for name in ranking["order"]:
        outcome = scheme_values.outcome_of(subject, name)
        lag = words.estimate(behind.get(name), metric.scale, words.ANY, unknown="first")
        against = "reference"
        if outcome["differences"]:
            against = scheme_values.difference(outcome, quantity) or "\N{EN DASH}"
        mean = estimate(scheme_values.mean_of(outcome, quantity), metric.scale, metric.limits)
        rows.append([name, mean, lag, against])
    return {"head": [metric.head, "Behind the first", f"Against {reference}{unit}"], "rows": rows}


def _stations_table(subject: SchemesSubject) -> dict[str, list[Any]]:
    """Lay out goodput and airtime of every station under every scheme."""
    goodput = record("schemes", "SchemeStation")["goodput_bps"]
    airtime = record("schemes", "SchemeStation")["airtime_share"]
    rows = [
        [
            f"{station['station']} ({station['cell']})",
            station["variant"],
            estimate(station["goodput_bps"], goodput.scale, goodput.limits),
            _changed(station) or "\N{EN DASH}",
            estimate(station["airtime_share"], airtime.scale, airtime.limits),
        ]
        for station in sorted(subject["stations"], key=lambda s: (s["cell"], s["station"]))
    ]
    head = ["Scheme", goodput.head, "Against the reference", airtime.head]
    return {"head": head, "rows": rows}
