"""The page of a run: flows, links and cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.charts import labels
from airtcp.pages import explorer
from airtcp.pages.page import indented, render
from airtcp.questions.run import answer as answer_run
from airtcp.questions.run import charts as charts_run
from airtcp.questions.run import (
    charts_cell,
    charts_delay,
    charts_link,
    charts_timeline,
    groups,
    paths,
)
from airtcp.questions.run import fairness as fair
from airtcp.questions.run import findings as run_words
from airtcp.questions.run import rows as run_rows
from airtcp.questions.run import rows_cell as cell_rows
from airtcp.questions.run import rows_delay as delay_rows
from airtcp.questions.run import rows_limits as limited_rows
from airtcp.questions.run import rows_link as link_rows
from airtcp.questions.run import rows_time as time_rows
from airtcp.questions.run import rows_timeline as timeline_rows
from airtcp.words import columns
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from airtcp.data.documents import RunDocument
    from airtcp.words.answer import Answer

MOST_ROWS: Final = 2000
"""Flows in the table of the page."""
MOST_LINKS: Final = 100
"""Links in the table of the page."""


def run_page(
    document: RunDocument,
    series: dict[str, dict[str, list[Any]]],
    timeline: timeline_rows.Timeline | None,
    command: str,
    schemes_command: str | None = None,
    answer: Answer | None = None,
) -> str:
    """Make the page of a run.

    Args: document: The document of a run. series: Its series by table name, each a table as
        columns; empty if none was recorded. timeline: The timeline of the medium, if it was
        recorded. command: The command that makes the page. schemes_command: The command that
        compares schemes for its cell, if there is one. answer: The answer, which takes the first
        screen.

    Returns:
        A complete HTML document. Equal results give equal pages.
    """
    summary = document["summary"]
    replications = document["replications"]
    payload = _payload(document, series)
    media = _media(document, timeline, payload)
    scenario = document["scenario"]
    return render(
        "run.html.j2",
        "run.js",
        payload,
        document,
        answer=answer,
        chart="limited",
        whole=answer_run.table(document, MOST_ROWS),
        title=scenario.get("title") or "Goodput of the flows",
        lead="A simulated scenario: every number is a mean over replications.",
        facts=[
            ("Simulated time", str(scenario.get("duration", "unknown"))),
            ("Replications", words.count(len(replications))),
        ],
        findings=_run_findings(document),
        replications=len(replications),
        recorded=bool(series),
        several_lines=len(payload.get("window", [])) > len(payload["over_time"]["flows"]),
        timed=[flow["name"] for flow in payload["over_time"]["flows"]],
        left_out=payload.get("left_out", {}),
        most_names=run_rows.MAX_NAMES,
        over_time="station_series" in series,
        delays=payload["delays"],
        fewer_delays=delay_rows.left_out(document),
        goodput_heading="Goodput of each flow",
        flows=run_rows.flows(document),
        directions=run_rows.directions(document),
        coding=run_rows.table(paths.coded_flows(document), columns.coded_flows()),
        links=run_rows.table(_links(summary["links"]), columns.links()),
        more_links=max(len(summary["links"]) - MOST_LINKS, 0),
        protocols=link_rows.protocols(document) if paths.protocol_links(document) else None,
        paths=len(payload["paths"]),
        cells=cell_rows.tables(document),
        media=media,
        fingerprints=[replication["fingerprint"] for replication in replications],
        conservation=_conservation(document),
        command=command,
        schemes_command=schemes_command,
        scenario=indented(scenario),
        explorer=explorer.address(scenario),
    )


def _payload(document: RunDocument, series: dict[str, dict[str, list[Any]]]) -> dict[str, Any]:
    """Return the charts of flows, links and cells, and their data."""
    payload = run_rows.run_payload(document, series)
    payload["limited"] = limited_rows.rows(document)
    payload["over_time"] = _over_time(document, series)
    payload["charts"] = charts_run.run_charts(
        len(document["summary"]["flows"]),
        recorded=bool(series),
        stations="station_series" in series,
    )
    end = payload["over_time"]["end"]
    for number, flow in enumerate(payload["over_time"]["flows"]):
        payload["charts"] |= charts_run.flow_charts(
            number, end, len(flow["queue"]), marked=bool(flow["marks"])
        )
    payload["charts"]["limited"] = charts_run.limited(
        [row["name"] for row in payload["limited"]],
        outlined=any(row["without"] is not None for row in payload["limited"]),
    )
    height = charts_link.TRADE_OFF_HEIGHT
    payload["paths"] = labels.cornered(paths.protocol_paths(document), "latency", "goodput", height)
    payload["bits"] = link_rows.bits(document)
    protected = len(paths.protocol_links(document))
    payload["charts"] |= charts_link.link_charts(len(payload["paths"]), protected)
    payload["cells"] = cell_rows.charted(document)
    for number, cell in enumerate(payload["cells"]):
        payload["charts"] |= charts_cell.cell_charts(number, cell)
    payload["delays"] = delay_rows.rows(document)
    payload["charts"] |= charts_delay.delay_charts(payload["delays"])
    return payload


def _links(links: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the links of the table; of very many the busiest, these first."""
    if len(links) <= MOST_LINKS:
        return links
    return sorted(links, key=lambda link: -(link["utilisation"]["mean"] or 0.0))[:MOST_LINKS]


def _over_time(document: RunDocument, series: dict[str, dict[str, list[Any]]]) -> dict[str, Any]:
    """Return the flows with charts over time of their own, and the end of the axis."""
    flows = time_rows.flows(document, series)
    ends = [points[-1][0] for flow in flows for key in ("window", "rtt") if (points := flow[key])]
    return {"flows": flows, "end": max(ends, default=0.0)}


def _media(
    document: RunDocument, timeline: timeline_rows.Timeline | None, payload: dict[str, Any]
) -> list[tuple[str, str]]:
    """Draw the timeline of each cell on the page; return the headings and captions."""
    if timeline is None:
        return []
    said: list[tuple[str, str]] = []
    start = timeline_rows.heading(timeline).split(" to ")[0].removeprefix("The medium from ")
    for number, lanes in enumerate(
        timeline_rows.lanes(document, timeline)[: len(payload["cells"])]
    ):
        payload["charts"][f"cell{number}-medium"] = charts_timeline.medium(lanes, start)
        payload["cells"][number] |= {
            "air": lanes.frames,
            "waits": lanes.waits,
            "lanes": [{"y0": lane} for lane in range(1, len(lanes.names))],
        }
        said.append((timeline_rows.heading(timeline), timeline_rows.caption(timeline, lanes)))
    return said


def _run_findings(document: RunDocument) -> list[words.Finding]:
    summary = document["summary"]
    total = run_rows.estimate(summary["total_goodput_bps"], 1e-6)
    found = [
        words.Finding("Check this first", warning, "warn")
        for warning in document.get("warnings", [])
    ]
    found += run_words.findings(document)
    apart = paths.disjoint(document)
    if not apart:
        all_of_it = f"{total.split(' ')[0]} Mb/s in all"
        found.append(
            words.Finding(all_of_it, f"The flows together got {total} Mb/s{groups.over(document)}.")
        )
    fairness = summary["jain_index"]
    if fairness["mean"] is not None and not apart:
        equal = run_rows.estimate(fairness, 1.0, words.SHARE)
        number = fair.number(document)
        found.append(
            words.Finding(
                f"Fairness {words.number(fairness['mean'])}",
                f"Jain's index of {fair.of_flows(document)} is"
                f" {equal}{fair.by_direction(document)}: 1 is equal shares,"
                f" {words.number(1 / number, 2)} is one flow with all of the goodput.",
            )
        )
    found += cell_rows.findings(document)
    found += paths.findings(document)
    return found


def _conservation(document: RunDocument) -> str:
    broken = [r["replication"] for r in document["replications"] if not r["conservation"]["ok"]]
    if broken:
        return f"The packet counts of replications {broken} do not add up: a bug in airtcp."
    return "In every replication, packets created = delivered + dropped + in flight at the end."
