"""The page of a comparison of schemes: pictures, tables, and what each scheme sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.data.metrics import record
from airtcp.pages.command import command
from airtcp.pages.page import indented
from airtcp.pages.section import Page, Plot, Section
from airtcp.questions.compare import answer_cell, charts_answer, tables_cell
from airtcp.questions.compare import cell_values as scheme_values
from airtcp.questions.compare import charts_cell as charts_schemes
from airtcp.questions.compare import findings_cell as schemes
from airtcp.questions.compare.rows import ends, named
from airtcp.words import sentences as words
from airtcp.words.grid import Column, Grid

if TYPE_CHECKING:
    from airtcp.data.documents import (
        Estimate,
        SchemeOutcome,
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
_FLOWS: Final = 12
"""Flows that a caption names."""
_FIRST: Final = "Goodput, and the slowest flow"
_FIRST_ABOUT: Final = (
    "A point a scheme: up is more goodput in all, right is more for the slowest flow. Bars are"
    " 95 % intervals of the means."
)
_GOODPUT: Final = (
    "Payload of the flows that begin or end at the station. The dot is the mean over the"
    " replications, the bar its 95 % confidence interval: of the mean, not of a difference."
)
_TERMS: Final = {
    "The same draws": (
        "Random numbers belong to stations and flows. In a replication every scheme has"
        " the same ones (common random numbers)."
    ),
    "Difference": (
        "The quantity minus that of the reference in the same replication; mean and 95 %"
        " interval (Student's t) over the replications. Each interval holds by itself. A"
        " tilde (~) marks a difference that is not significant."
    ),
    "Place": (
        "The place among all schemes in one quantity. With k schemes and m questions the intervals"
        " are at 1 \N{MINUS SIGN} 0.05/(m (k \N{MINUS SIGN} 1)), so that a wrong claim anywhere"
        " has a probability of about 5 %."
    ),
    "Help, cost": (
        "A scheme is better or worse than the reference if the interval at the same level"
        " excludes zero and the mean difference reaches the threshold: 3 % of the goodput,"
        " 0.02 of Jain's index, 5 % of the slowest flow, 10 % of the exchange time. A"
        " station gains or loses from 5 % of its goodput, at"
        " 1 \N{MINUS SIGN} 0.05/(s (k \N{MINUS SIGN} 1)) for s stations."
    ),
    "Fairness, slowest flow": (
        "Of the flows that compete: those that take all they can get, or all flows if"
        " none does so. Jain's index is 1 for equal shares and 1/n if one of n flows has"
        " all."
    ),
    "Errors": (
        "Frames that their receiver did not decode over frames sent, every attempt"
        " counted. Lost for good: packets lost after the last attempt, over packets sent."
    ),
    "Airtime": (
        "The station's own frames. What the access point sends to a station counts for"
        " the access point."
    ),
    "Not ranked": (
        "A scheme that cannot act in this cell, or whose values the scenario already has."
    ),
}


def schemes_page(document: SchemesDocument) -> Page:
    """Make the page of a comparison of schemes from its document."""
    subjects, hidden = document["subjects"], len(document["subjects"]) - _SECTIONS
    title = "Schemes compared"
    if len(subjects) == 1:
        title = f"{title}: {subjects[0]['title'] or subjects[0]['name']}"
    sections: list[Section] = []
    if (first := charts_answer.chart_cell(document)) is not None:
        plot = Plot(charts_answer.NAME, _FIRST, _FIRST_ABOUT, *first, wide=True)
        sections.append(Section("first", _FIRST, plots=(plot,)))
    for index, subject in enumerate(subjects[:_SECTIONS]):
        sections += _subject(index, subject, document["reference"])
    options = indented(document["options"])
    sections.append(Section("method", "Method", terms=tuple(_TERMS.items()), code=options))
    return Page(
        answer_cell.answer(document),
        sections,
        document,
        title=title,
        command=_command(document),
        chart=charts_answer.NAME,
        facts=[
            ("Schemes", words.count(max((len(s["variants"]) for s in subjects), default=0))),
            ("Reference", document["reference"]),
        ],
        whole=answer_cell.first_table(document, MOST_ROWS),
        lead="The same 802.11 cell ran under every scheme. In a replication all schemes draw the"
        " same random numbers, so that differences are those of the schemes.",
        banners=[f"{hidden} more scenarios are in the document only."] if hidden > 0 else [],
    )


def _subject(index: int, subject: SchemesSubject, reference: str) -> list[Section]:
    """Return the sections of one scenario."""
    name, over = subject["title"] or subject["name"], f"{schemes.head(subject)}."
    notes = tuple(f"{found.headline}: {found.text}" for found in schemes.said(subject))
    sets = ["; ".join(v["sets"]) or "nothing: the scenario as written" for v in subject["variants"]]
    variants = [variant["variant"] for variant in subject["variants"]]
    keys = Grid("scheme", variants, [Column("keys", sets, left=True)])
    whole, changes = tables_cell.grid(subject), tables_cell.differences(subject, reference)
    code = indented(subject["scenario"])
    set_up = "What each scheme sets, and the scenario with every default filled in."
    plots = _plots(index, subject, reference)
    return [
        Section(f"subject-{index}", name, over, plots, whole, (changes,), notes=notes),
        Section(f"stations-of-{index}", "Stations", _GOODPUT, grid=_stations(subject)),
        Section(f"set-up-{index}", "Schemes and scenario", set_up, grid=keys, code=code),
    ]


def _plots(index: int, subject: SchemesSubject, reference: str) -> tuple[Plot, ...]:
    """Draw goodput of each station, and fairness against goodput."""
    same = set(schemes.same(subject))
    variants = [o["variant"] for o in subject["outcomes"] if o["variant"] not in same]
    rows = [row for row in _station_rows(subject) if row["variant"] not in same]
    drawn = list(dict.fromkeys(row["station"] for row in rows))[:_STATIONS]
    means = [_mean_row(o) for o in subject["outcomes"] if o["variant"] not in same]
    places = charts_schemes.places(means)
    for row, place in zip(means, places, strict=True):
        row["place"] = place
    undrawn = (
        f" Not drawn, because identical to {reference}: {words.listed(sorted(same))}."
        if same
        else ""
    )
    flows = words.listed(subject["flows"][:_FLOWS])
    flows += " and more" if len(subject["flows"]) > _FLOWS else ""
    return (
        Plot(
            f"trade-{index}",
            "Fairness and goodput",
            f"Right is more goodput in all, up is more equal shares among {flows}. Bars are 95 %"
            f" intervals of the means, not of differences.{undrawn}",
            charts_schemes.trade_off(variants, places),
            {"means": means if any(row["jain"] is not None for row in means) else []},
            wide=True,
        ),
        Plot(
            f"stations-{index}",
            "Goodput of each station",
            f"{_GOODPUT}{undrawn}",
            charts_schemes.stations(variants, drawn),
            {"means": [row for row in rows if row["station"] in set(drawn)]},
            wide=True,
        ),
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


def _mean_row(outcome: SchemeOutcome) -> dict[str, Any]:
    """Lay out what the picture of the trade-off draws of one scheme."""
    of = record("schemes", "SchemeOutcome")

    def ends(name: str, key: str) -> dict[str, Any]:
        value = scheme_values.mean_of(outcome, key)
        return named(value, of[key].scale, name, of[key].limits)

    row: dict[str, Any] = {"variant": outcome["variant"]}
    row |= ends("goodput", "total_goodput_bps") | ends("jain", "jain_index")
    row["slowest"] = ends("slowest", "slowest_flow_bps")["slowest"]
    return row | {"ack": ends("ack", "ack_error")["ack"]}


def _station_rows(subject: SchemesSubject) -> list[dict[str, Any]]:
    """Lay out what the picture of the stations draws; access points are left out."""
    of = record("schemes", "SchemeStation")["goodput_bps"]
    air = record("schemes", "SchemeStation")["airtime_share"]
    rows: list[dict[str, Any]] = []
    for station in subject["stations"]:
        if station["is_access_point"]:
            continue
        airtime = named(station["airtime_share"], air.scale, "airtime", air.limits)["airtime"]
        row = {"variant": station["variant"], "station": station["station"], "airtime": airtime}
        row |= ends(station["goodput_bps"], of.scale, limits=of.limits)
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


def _stations(subject: SchemesSubject) -> Grid:
    """Lay out goodput and airtime of every station under every scheme."""
    of = record("schemes", "SchemeStation")
    rows = sorted(subject["stations"], key=lambda s: (s["cell"], s["station"]))
    columns = [Column("scheme", [station["variant"] for station in rows], left=True)]
    for key in ("goodput_bps", "airtime_share"):
        values: list[Estimate] = [station[key] for station in rows]
        cells = [words.estimate(value, of[key].scale, of[key].limits) for value in values]
        columns.append(Column(of[key].label, cells, keys=[value["mean"] for value in values]))
    columns.insert(2, Column("vs reference", [_changed(station) or "-" for station in rows]))
    names = [f"{station['station']} ({station['cell']})" for station in rows]
    return Grid("station", names, columns)
