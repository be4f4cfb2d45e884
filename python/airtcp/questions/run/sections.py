"""The page of a run: flows, links and cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.charts import labels
from airtcp.pages import explorer
from airtcp.pages.page import indented
from airtcp.pages.section import Link, Page, Plot, Section
from airtcp.questions.run import answer as answer_run
from airtcp.questions.run import (
    charts,
    charts_delay,
    charts_link,
    paths,
    rows,
    rows_delay,
    rows_limits,
    rows_link,
    sections_cell,
    sections_time,
    tables,
)
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import RunDocument
    from airtcp.questions.run.rows_timeline import Timeline
    from airtcp.questions.run.sections_time import Series
    from airtcp.words.answer import Answer
    from airtcp.words.sentences import Finding

MOST_ROWS: Final = 2000
"""Rows of a table of the page."""
_FINGERPRINTS: Final = 8
_DELAYS: Final = {
    "queue": (
        "Time in queues",
        (
            "From arrival in the queue to leaving it for the link or the medium, for each queue in"
            " which a packet waited."
        ),
    ),
    "service": (
        "Service times of stations",
        (
            "From reaching the head of the queue to the end of the exchange: deferral, back-off and"
            " all attempts."
        ),
    ),
    "exchange": ("Exchanges", "From writing a request to receiving the whole response."),
}
_GOODPUT: Final = (
    "Payload delivered in order, per second of activity. Thin ticks are the replications, the dot"
    " their mean, the bar its 95 % confidence interval."
)
_LIMITED: Final = (
    "A bar a flow; the outline is what it would be without what limits it. The outline is measured"
    " in the runs that take things away."
)
_TERMS: Final = {
    "Goodput": (
        "Bytes handed to the receiving application, in order and once, over the time the flow was"
        " active and measured."
    ),
    "Intervals": (
        "95 %, Student's t over replications; of counts, and of shares of counted packets, with"
        " fewer than 30 events in all, at least the exact interval of independent events. A single"
        " replication has none."
    ),
}
_CODED: Final = (
    "What was sent, by kind: data, parity sent with its block (PFEC), parity sent on request"
    " (RFEC). “Not needed” is parity that arrived for a complete block."
)
_CELLS: Final = {
    "Lost frames": (
        "A frame is lost if its receiver did not decode it. Causes: the receiver was sending;"
        " another frame overlapped at the receiver (the strongest is named); the receiver captured"
        " a stronger frame; or noise. Shares are of all frames sent, retransmissions included."
    ),
    "Airtime": (
        "Time in which frames were on the air, preambles included, interframe spaces and back-off"
        " excluded."
    ),
}
_PROTOCOLS: Final = {
    "Latency of a link": (
        "From the start of a frame's first unit on the wire until the frame goes up, in order,"
        " without the delay in the queue before it. “Decoded within” ends when enough of the frame"
        " has arrived to decode it."
    ),
    "Residual loss": "Share of the frames that the link protocol gave up.",
}
_HELP: Final = "Compares TCPs, remedies or schemes over this scenario."
_CONSERVATION: Final = (
    "In every replication, packets created = delivered + dropped + in flight at the end."
)
_EXPLORER: Final = (
    ": a web page that simulates this scenario. Change the network and its TCPs there, and see"
    " goodput, windows and queues change. The explorer also opens this file."
)


def run_page(
    document: RunDocument,
    series: Series,
    timeline: Timeline | None,
    answer: Answer | None,
    said: Sequence[Finding],
    commands: tuple[str, str],
) -> Page:
    """Lay out the page of a run.

    Args:
        document: The document of a run.
        series: Its series by table name, each a table as columns; empty if none was recorded.
        timeline: The timeline of the medium, if it was recorded.
        answer: The answer, which takes the first screen.
        said: What stands beside the answer in words.
        commands: The command that makes the page, and the command that compares what would help;
            empty if there is none.
    """
    scenario, count = document["scenario"], len(document["replications"])
    laid = indented(scenario)
    return Page(
        answer,
        [
            _flows(document, count),
            *sections_time.sections(document, series),
            _delays(document),
            *sections_cell.sections(document, timeline),
            *_links(document),
            Section("help", "What would help", _HELP, code=commands[1]),
            Section("scenario", "Scenario", "With every default filled in.", code=laid),
            _method(document),
        ],
        document,
        title=scenario.get("title") or "Goodput of the flows",
        command=commands[0],
        chart="limited",
        facts=[
            ("Simulated time", str(scenario.get("duration", "unknown"))),
            ("Replications", words.count(count)),
        ],
        findings=said,
        whole=answer_run.table(document, MOST_ROWS),
        lead="A simulated scenario: every number is a mean over replications.",
    )


def _flows(document: RunDocument, count: int) -> Section:
    limited, goodputs = rows_limits.rows(document), rows.goodputs(document)
    outlined = any(row["without"] is not None for row in limited)
    plots = (
        Plot(
            "limited",
            "Goodput, and without the limit",
            _LIMITED,
            charts.limited([row["name"] for row in limited], outlined=outlined),
            {"limited": limited},
            wide=True,
        ),
        Plot(
            "goodput",
            "Goodput of each flow",
            _GOODPUT,
            charts.goodput(len(goodputs["means"])),
            goodputs,
            wide=True,
        ),
    )
    spread = ", with 95 % confidence intervals, cut off at zero and at 100 %" if count != 1 else ""
    about = f"Means over {words.counted(count, 'replication')}{spread}."
    return Section("flows", "Flows", about, plots, tables=tuple(tables.flows(document, MOST_ROWS)))


def _delays(document: RunDocument) -> Section:
    fewer = rows_delay.left_out(document)
    plots: list[Plot] = []
    for delay, drawn in rows_delay.rows(document).items():
        heading, caption = _DELAYS[delay]
        if fewer[delay]:
            caption += (
                f" The first {rows.MAX_NAMES} are drawn; the other {fewer[delay]} are in the table"
                " delays of --out DIR."
            )
        name = f"delay_{delay}"
        spec = charts_delay.distribution(delay)
        plots.append(Plot(name, heading, caption, spec, {name: drawn}, wide=True))
    about = (
        "Share of the packets whose delay is at most the value on the axis, over all replications,"
        " without the warm-up. A curve begins above the share of the packets without delay. A name"
        " in the key shows it alone."
    )
    return Section("delays", "Delays", about, tuple(plots))


def _links(document: RunDocument) -> list[Section]:
    """Lay out the links, and what their protocols did."""
    drawn = labels.cornered(
        paths.protocol_paths(document), "latency", "goodput", charts_link.TRADE_OFF_HEIGHT
    )
    protected = len(paths.protocol_links(document))
    plots = (
        Plot(
            "trade-off",
            "Goodput, latency, residual loss",
            "A point for each pair of nodes with flows: total goodput, latency of all links"
            " together, and residual loss (size). High, left and small is good.",
            charts_link.trade_off(),
            {"paths": drawn},
            wide=True,
        ),
        Plot(
            "bits",
            "Bits sent, by kind",
            "PFEC is parity sent with a frame. RFEC is what is sent when PFEC does not suffice:"
            " parity, or retransmitted fragments.",
            charts_link.bits(protected),
            {"bits": rows_link.bits(document)},
            wide=True,
        ),
    )
    laid = (*tables.ends(document), *tables.protocols(document, MOST_ROWS))
    about = "Each direction of a link that carried anything for its protocol."
    links = tuple(tables.links(document, MOST_ROWS))
    return [
        Section("protocols", "Link protocols", about, plots, tables=laid),
        Section("links", "Links", "Each direction by itself.", tables=links),
    ]


def _method(document: RunDocument) -> Section:
    terms = dict(_TERMS)
    if paths.coded_flows(document):
        terms["Coded flows"] = _CODED
    if document["summary"].get("cells"):
        terms |= _CELLS
    if paths.protocol_links(document):
        terms |= _PROTOCOLS
    replications = document["replications"]
    hashes = [replication["fingerprint"] for replication in replications]
    more = " ..." if len(hashes) > _FINGERPRINTS else ""
    terms["Fingerprint"] = (
        "A hash of everything that happened in a replication. The same scenario, seed and version"
        f" give the same fingerprint on any machine: {', '.join(hashes[:_FINGERPRINTS])}{more}."
    )
    if all(replication["conservation"]["ok"] for replication in replications):
        terms["Conservation"] = _CONSERVATION
    address = explorer.address(document["scenario"])
    link = address and Link("explorer", address, "Open in the explorer", _EXPLORER)
    return Section("method", "Method", terms=tuple(terms.items()), link=link or None)
