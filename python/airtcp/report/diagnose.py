"""The page of a diagnosis: findings, the fitted link, its replay, and the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from airtcp.findings import compare, words
from airtcp.findings import diagnose as diagnose_words
from airtcp.findings.diagnose_air import SOURCES
from airtcp.report import charts_compare
from airtcp.report.command import command
from airtcp.report.compare_rows import mean_row, table
from airtcp.report.page import render

if TYPE_CHECKING:
    from airtcp.diagnose_document import Answers, DiagnoseDocument, Fitted
    from airtcp.documents import CompareCase


def diagnose_page(document: DiagnoseDocument) -> str:
    """Make the page of a diagnosis.

    Args: document: The document of a diagnosis.

    Returns:
        A complete HTML document. Equal documents give equal pages.
    """
    charts: dict[str, Any] = {}
    data: dict[str, Any] = {}
    answers = document["answers"]
    sections = [] if answers is None else _sections(answers, charts, data)
    seen = document["observed"]
    title = "No transfer" if seen is None else f"{seen['sender']} to {seen['receiver']}"
    return render(
        "diagnose.html.j2",
        "compare.js",
        {"kind": "diagnose", "charts": charts, "data": data},
        document,
        title=f"Diagnosis: {title}",
        lead=f"From a packet capture: {diagnose_words.transfer(document)}.",
        facts=[
            ("TCP", document["tcp"] if document["tcp_told"] else f"{document['tcp']} (a guess)"),
            ("Replays", words.count(document["replications"])),
        ],
        findings=diagnose_words.findings(document),
        link=_link(document),
        replay=_replay(document),
        sections=sections,
        trusted=answers is None or answers["trusted"],
        scenario=document["scenario"],
        command=_command(document),
    )


def _sections(
    answers: Answers, charts: dict[str, Any], data: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return a section for TCPs and one for remedies; their charts go to the payload."""
    found: list[dict[str, Any]] = []
    kinds = (("tcps", "Other TCPs", answers["tcps"]), ("remedies", "Remedies", answers["remedies"]))
    for name, title, subject in kinds:
        if subject is None:
            continue
        case = cast("CompareCase", subject["cases"][0])
        variants = [outcome["variant"] for outcome in case["outcomes"]]
        means = [mean_row(case, outcome) for outcome in case["outcomes"]]
        unit = compare.goodput(case["outcomes"][0])[1]
        charts[f"{name}-goodput"] = charts_compare.goodput(
            variants, unit, several=False, runs=False
        )
        data[f"{name}-goodput"] = {"means": means}
        if any(row["gain"] is not None for row in means):
            charts[f"{name}-difference"] = charts_compare.difference(
                variants, answers["reference"], several=False
            )
            data[f"{name}-difference"] = {"means": means, "unit": [{}]}
        found.append(
            {
                "id": name,
                "title": title,
                "plots": [key for key in charts if key.startswith(name)],
                "reference": answers["reference"],
                "table": table(case, answers["reference"], None),
            }
        )
    return found


_QUANTITIES: tuple[tuple[str, str, float], ...] = (
    ("rate_bps", "Rate (Mb/s)", 1e-6),
    ("delay_s", "One-way delay (ms)", 1e3),
    ("queue_packets", "Queue (packets)", 1.0),
    ("link_loss", "Loss of the link (%)", 100.0),
)


def _link(document: DiagnoseDocument) -> dict[str, Any] | None:
    link = document["link"]
    if link is None:
        return None
    rows: list[list[str]] = []
    for key, head, scale in _QUANTITIES:
        fitted: Fitted = cast("dict[str, Any]", link)[key]
        low, high = _end(fitted["low"], scale, "-"), _end(fitted["high"], scale, "not bounded")
        source = SOURCES[cast("dict[str, str]", link["sources"])[key]]
        rows.append([head, words.number(fitted["value"] * scale), low, high, source])
    return {"head": ["Fitted", "Low", "High", "From"], "rows": rows}


def _end(value: float | None, scale: float, unknown: str) -> str:
    return unknown if value is None else words.number(value * scale)


def _replay(document: DiagnoseDocument) -> dict[str, Any] | None:
    replay = document["replay"]
    if replay is None:
        return None
    rows: list[list[str]] = []
    for each in replay["statistics"]:
        head, _, scale = diagnose_words.STATISTICS[each["name"]]
        values = (each[key] for key in ("observed", "mean", "low", "high"))
        numbers = [words.number(value * scale) for value in values]
        rows.append([head, *numbers, "agrees" if each["inside"] else "differs"])
    return {"head": ["Observed", "Replayed", "Low", "High", ""], "rows": rows}


def _command(document: DiagnoseDocument) -> str:
    seen, link = document["observed"], document["link"]
    told = link is not None and link["rate_told"]
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
