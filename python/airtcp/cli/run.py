"""`airtcp run`: simulate any scenario."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli import options as opt
from airtcp.cli.console import FAULT, fail, note, progress, refusals, screen

if TYPE_CHECKING:
    from airtcp.documents import RunDocument
    from airtcp.results import RunResult


def run(
    scenario: Annotated[
        Path, typer.Argument(metavar="SCENARIO.toml", help="The scenario; - is standard input.")
    ],
    replications: Annotated[
        int | None,
        typer.Option(
            "--replications",
            "-n",
            help="In place of the scenario's.",
            min=1,
            max=opt.MOST_REPLICATIONS,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Root seed, in place of the scenario's.", min=0, max=opt.MOST_SEED),
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PATH=VALUE",
            help="Replace a value, such as 'links[0].rate=20 Mb/s'; may be given again.",
        ),
    ] = None,
    workers: opt.Workers = None,
    series: Annotated[
        bool,
        typer.Option(
            "--series", help="Record windows, round-trip times, queues, and stations over time."
        ),
    ] = False,
    pcap: Annotated[
        Path | None,
        typer.Option(
            parser=opt.place,
            metavar=opt.SHOWN,
            help="Write a capture (pcapng) of the first replication, at the senders.",
        ),
    ] = None,
    timeline: Annotated[
        str | None,
        typer.Option(
            metavar="FROM..TO",
            help="Record who held the air of 802.11 cells, such as 2s..2.02s, for page and tables.",
        ),
    ] = None,
    radiotap: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            parser=opt.place,
            help="Write what each 802.11 radio sent and heard, a capture (pcapng) a station.",
        ),
    ] = None,
    out: opt.Out = None,
    as_json: opt.Json = False,
    form: opt.TableFormat = opt.Format.TABLE,
    html: opt.HtmlOnly = None,
    show: opt.Open = False,
    force: opt.Force = False,
    quiet: opt.Quiet = False,
) -> None:
    """Run a scenario and print what each flow got, with confidence intervals.

    A report is written where --html or --out says.
    """
    asked = dict(locals())
    from airtcp import api
    from airtcp.api.scenarios import text_of
    from airtcp.cli import places, write

    if as_json:
        form = opt.Format.JSON
    inputs = list(places.of_scenarios([scenario]))
    where = places.decide(
        asked,
        out=out,
        html=html,
        wanted=out is not None,
        piped=True,
        force=force,
        inputs=inputs,
        pcap=pcap,
        radiotap=radiotap,
    )
    places.check(pcap, force=force, inputs=inputs, ours=True)
    if radiotap is not None:
        places.check_captures(asked, Path(radiotap), force=force)
    if timeline is not None and where.report is None:
        fail("--timeline goes to the page and the tables: give --html FILE or --out DIR")
    with refusals(), progress(quiet=quiet) as tell:
        text = text_of(sys.stdin.buffer, "stdin") if str(scenario) == "-" else None
        result = api.run(
            Path("stdin") if text is not None else scenario,
            text=text,
            seed=seed,
            replications=replications,
            overrides=dict(pair(item) for item in overrides or []),
            series=series,
            pcap=pcap,
            timeline=timeline,
            radiotap=radiotap,
            purpose=where.purpose,
            force=force,
            workers=workers,
            progress=tell,
            warn=lambda warning: note(f"warning: {warning}", quiet=quiet),
        )
    for capture in result.captures:
        note(f"capture: {capture}", quiet=quiet)
    if (recorded := result.timeline()) is not None and recorded.truncated:
        note(f"the timeline was full at {recorded.end_s:.6f} s and ends there", quiet=quiet)
    done = len(result.json["replications"])
    write.finish(
        result,
        where,
        form,
        table=lambda: _tables(result.shown()),
        text=lambda: result.text,
        rows=lambda: (result.flows, result.json["replications"]),
        show=show,
        quiet=quiet,
        stopped=write.finished(done, "replication") if result.interrupted else None,
        finished=done,
    )
    if result.lost:
        # The results are there; what is not is said last.
        fail("; ".join(result.lost), FAULT)


def pair(item: str) -> tuple[str, str]:
    """Split what --set is given."""
    path, sign, value = item.partition("=")
    if not sign or not path.strip():
        fail(f"--set {item}: expected PATH=VALUE, such as 'links[0].rate=20 Mb/s'")
    return path.strip(), value.strip()


def _tables(result: RunResult) -> None:
    from airtcp.cli.tables import Column, metric_column, put
    from airtcp.findings import columns, datagrams, groups
    from airtcp.findings.groups import ways
    from airtcp.findings.paths import coded, used
    from airtcp.findings.words import counted, estimate

    console = screen()
    document = result.json
    summary = document["summary"]
    _findings(document)
    for what, rows, metrics in (
        ("flow", datagrams.shown(document), columns.flows()),
        ("coded flow", coded(document), columns.coded_flows()),
        ("link", summary["links"], columns.links()),
        ("link protocol", used(document), columns.protocols()),
    ):
        laid = [metric_column(metric, rows) for metric in columns.with_values(metrics, rows)]
        if what == "flow" and (named := ways(document)):
            laid.insert(0, Column("way", named, rank=4, left=True))
        if rows:
            put(console, what, [row["name"] for row in rows], laid)
        if what == "flow":
            _groups(document)
    if cells := summary.get("cells", []):
        from airtcp.cli import cells as air

        for cell in cells:
            air.show(console, cell, alone=len(cells) == 1)
    _ways(document)
    total = estimate(summary["total_goodput_bps"], 1e-6)
    console.print(f"total goodput {total} Mb/s{groups.over(document)}{_fairness(document)}")
    bad = [r["replication"] for r in document["replications"] if not r["conservation"]["ok"]]
    if bad:
        console.print(
            f"packets were lost track of in replications {bad}: a fault of airtcp", style="bold"
        )
    count = len(document["replications"])
    console.print(
        f"{counted(count, 'replication')} of {document['scenario']['duration']},"
        f" seed {result.seed}, airtcp {document['airtcp_version']}"
    )


def _findings(document: RunDocument) -> None:
    """Print what happened, before the numbers."""
    from rich.text import Text

    from airtcp.findings import run as run_words

    for finding in run_words.findings(document):
        screen().print(Text.assemble((f"{finding.headline}. ", "bold"), finding.text))


def _groups(document: RunDocument) -> None:
    """Print the flows of each direction together, where there are several of something."""
    from airtcp.cli.tables import Column, put
    from airtcp.findings import words
    from airtcp.findings.groups import directions

    found = directions(document)
    if not found:
        return
    columns = [
        Column("flows", [words.count(len(group.flows)) for group in found]),
        Column("together (Mb/s)", [words.number(group.goodput_bps * 1e-6) for group in found]),
        Column(
            "each (Mb/s)",
            [words.number(group.goodput_bps * 1e-6 / len(group.flows)) for group in found],
        ),
        Column(
            "retransmitted (%)", [words.number(100 * g.retransmission_ratio) for g in found], rank=1
        ),
        Column("timeouts each", [words.number(group.timeouts) for group in found], rank=2),
    ]
    put(screen(), "direction", [group.name for group in found], columns)


def _ways(document: RunDocument) -> None:
    """Show what each way over link protocols trades, all its hops and flows together."""
    from airtcp.cli.tables import Column, put
    from airtcp.findings import words
    from airtcp.findings.paths import ways

    found = ways(document)
    columns = [
        Column(head, [words.number(way[key]) for way in found])
        for head, key in (
            ("goodput (Mb/s)", "goodput"),
            ("latency of the links (ms)", "latency"),
            ("residual loss (%)", "residual"),
        )
    ]
    if found:
        columns.append(Column("hops", [str(way["hops"]) for way in found], rank=1))
        put(screen(), "from end to end", [f"{w['name']} to {w['to']}" for w in found], columns)


def _fairness(document: RunDocument) -> str:
    """Say how equal the flows' shares are, if there is more than one of something."""
    from airtcp.findings.paths import apart
    from airtcp.findings.words import SHARE, estimate

    summary = document["summary"]
    if len(summary["flows"]) < 2 or apart(document):  # noqa: PLR2004 - one alone has everything
        return ""
    difference = estimate(summary["max_difference_bps"], 1e-6)
    return (
        f"\nJain's fairness index {estimate(summary['jain_index'], 1.0, SHARE)}, "
        f"largest difference between flows {difference} Mb/s"
    )
