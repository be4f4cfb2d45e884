"""The page of a diagnosis: the answer, the predictions, the losses, the link and the check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from airtcp.pages.command import command
from airtcp.pages.page import render
from airtcp.questions.diagnose import charts as charts_diagnose
from airtcp.questions.diagnose import findings as diagnose_words
from airtcp.questions.diagnose import rows, tables
from airtcp.questions.diagnose.findings_air import SOURCES
from airtcp.questions.diagnose.findings_obstacles import STATISTICS
from airtcp.words import sentences as words
from airtcp.words.sentences import Finding

if TYPE_CHECKING:
    from airtcp.questions.diagnose.document import DiagnoseDocument, Fitted
    from airtcp.words.answer import Answer

_QUANTITIES: Final[tuple[tuple[str, str, float], ...]] = (
    ("rate_bps", "Rate (Mb/s)", 1e-6),
    ("delay_s", "One-way delay (ms)", 1e3),
    ("queue_packets", "Queue (packets)", 1.0),
    ("link_loss", "Loss of the link (%)", 100.0),
)


def diagnose_page(document: DiagnoseDocument, answer: Answer) -> str:
    """Make the page of a diagnosis.

    Args: document: The document of a diagnosis. answer: Its answer, which takes the first screen.

    Returns:
        A complete HTML document. Equal documents give equal pages.
    """
    charts, data = _charts(document)
    rows_of = document["predictions"]
    seen = document["observed"]
    title = "No transfer" if seen is None else f"{seen['sender']} to {seen['receiver']}"
    return render(
        "diagnose.html.j2",
        "compare.js",
        {"kind": "diagnose", "charts": charts, "data": data},
        document,
        answer=answer,
        chart=charts_diagnose.ANSWER[0],
        whole=tables.predictions(document, len(rows_of)) if rows_of else None,
        title=f"Diagnosis: {title}",
        lead=f"From a packet capture: {diagnose_words.transfer(document)}.",
        facts=[
            ("TCP", document["tcp"] if document["tcp_told"] else f"{document['tcp']} (a guess)"),
            ("Links drawn", words.count(document["replications"])),
        ],
        findings=[part for part in answer.details if isinstance(part, Finding)],
        link=_link(document),
        replay=_replay(document),
        predictions=_predictions(document),
        has_losses=bool(document["lost_packets"]),
        scenario=document["scenario"],
        command=_command(document),
    )


def _charts(document: DiagnoseDocument) -> tuple[dict[str, Any], dict[str, Any]]:
    charts: dict[str, Any] = {}
    data: dict[str, Any] = {}
    if found := rows.predictions(document):
        names = [row["variant"] for row in document["predictions"]]
        charts["predictions"], data["predictions"] = charts_diagnose.predictions(names), found
    if found := rows.backlog(document):
        charts["backlog"], data["backlog"] = charts_diagnose.backlog(), found
    return charts, data


def _predictions(document: DiagnoseDocument) -> dict[str, Any] | None:
    if not document["predictions"]:
        return None
    cells = [
        [
            row["variant"],
            words.number(rows.scaled(row["goodput_bps"], 1e-6)),
            _end(row["low"], 1e-6, "-"),
            _end(row["high"], 1e-6, "not bounded"),
            diagnose_words.verdict(document, row),
        ]
        for row in document["predictions"]
    ]
    return {"head": ["Goodput (Mb/s)", "5 %", "95 %", "Against this transfer"], "rows": cells}


def _link(document: DiagnoseDocument) -> dict[str, Any] | None:
    link = document["link"]
    if link is None:
        return None
    cells: list[list[str]] = []
    for key, head, scale in _QUANTITIES:
        fitted: Fitted = cast("dict[str, Any]", link)[key]
        low, high = _end(fitted["low"], scale, "-"), _end(fitted["high"], scale, "not bounded")
        source = SOURCES[cast("dict[str, str]", link["sources"])[key]]
        cells.append([head, words.number(fitted["value"] * scale), low, high, source])
    return {"head": ["Measured", "Low", "High", "From"], "rows": cells}


def _end(value: float | None, scale: float, unknown: str) -> str:
    return unknown if value is None else words.number(value * scale)


def _replay(document: DiagnoseDocument) -> dict[str, Any] | None:
    replay = document["replay"]
    if replay is None:
        return None
    cells: list[list[str]] = []
    for each in replay["statistics"]:
        head, _, scale = STATISTICS[each["name"]]
        values = (each[key] for key in ("observed", "mean", "low", "high"))
        numbers = [words.number(value * scale) for value in values]
        cells.append([head, *numbers, "agrees" if each["inside"] else "differs"])
    return {"head": ["Observed", "Replayed", "Low", "High", ""], "rows": cells}


def _command(document: DiagnoseDocument) -> str:
    seen, link = document["observed"], document["link"]
    told = link is not None and link["sources"]["rate_bps"] == "option"
    rate = None if link is None or not told else f"{link['rate_bps']['value'] / 1e6} Mb/s"
    rtt_told = seen is not None and seen["rtt_from"] == "the option rtt"
    rtt = f"{1e3 * (seen['rtt_min_s'] or 0)} ms" if seen is not None and rtt_told else None
    return command(
        "diagnose",
        paths=document["paths"],
        options=[
            ("connection", None if seen is None else seen["connection"]),
            ("tcp", document["tcp"] if document["tcp_told"] else None),
            ("rate", rate),
            ("rtt", rtt),
            ("replications", document["replications"]),
            ("seed", document["seed"]),
        ],
    )
