"""`airtcp study`: from a real link's delivery trace to what TCP gets from it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli import options as opt
from airtcp.cli.console import INTERRUPTED, note, progress, refusals, screen

if TYPE_CHECKING:
    from airtcp.documents import Estimate, Link
    from airtcp.results import StudyResult

_ROWS = 30


def study(
    links: opt.Links,
    profile: Annotated[
        str,
        typer.Option(
            help="TCP parameters: s1 (timers in proportion to the slot), or a profile by name "
            "(airtcp list tcp-profile)."
        ),
    ] = "s1",
    slot: Annotated[
        str | None,
        typer.Option(help="Duration of a slot; by default the trace's interval, or 10 ms."),
    ] = None,
    replicas: Annotated[
        int, typer.Option(help="Synthetic links of each kind.", min=1, max=10_000)
    ] = 20,
    seed: opt.Seed = 1,
    workers: opt.Workers = None,
    interval: opt.Interval = None,
    layout: opt.TraceLayout = None,
    column: opt.Column = None,
    kind: opt.ColumnKind = None,
    time_column: opt.TimeColumn = None,
    time_unit: opt.TimeUnit = None,
    out: opt.Out = None,
    as_json: opt.Json = False,
    form: opt.TableFormat = opt.Format.TABLE,
    html: opt.Html = None,
    report: opt.Report = True,
    show: opt.Open = False,
    quiet: opt.Quiet = False,
) -> None:
    """Say what links are, what TCP gets over them, and over links that only look like them.

    Each trace is compared with independent losses of the same packet reception ratio (PRR), and
    with Gilbert-Elliott chains of the same PRR and burstiness (mu).
    """
    from airtcp import api
    from airtcp.cli import write

    if as_json:
        form = opt.Format.JSON
    write.check_out(out)
    place = write.report_path(html, out, wanted=report, piped=form is not opt.Format.TABLE)
    with refusals(), progress(quiet=quiet) as tell:
        result = api.study(
            links,
            profile=profile,
            slot=slot,
            replicas=replicas,
            seed=seed,
            workers=workers,
            interval=interval,
            layout=layout,
            column=column,
            kind=None if kind is None else kind.value,
            time_column=time_column,
            time_unit=time_unit,
            progress=tell,
        )
    if form is opt.Format.TABLE:
        _table(result)
    elif form is opt.Format.JSON:
        sys.stdout.write(result.text + "\n")
    else:
        write.table_to_stdout(result.links, result.json["links"], form)
    sys.stdout.flush()
    write.files(result, out, place, show=show, quiet=quiet)
    if result.interrupted:
        note(f"interrupted: {len(result)} links were finished", quiet=False)
        raise typer.Exit(INTERRUPTED)


def _table(result: StudyResult) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from airtcp import words

    console = screen()
    links = result.json["links"]
    wide = console.width >= 130  # noqa: PLR2004 - fits all columns
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("link", overflow="fold")
    heads = ["packets", "PRR", "class", "mu", "beta", "longest run", "settled"]
    heads += ["TCP/s", "independent", "Gilbert-Elliott", "gain %"]
    hidden: set[str] = set() if wide else {"packets", "beta", "longest run"}
    for head in heads:
        if head not in hidden:
            table.add_column(head, justify="left" if head == "class" else "right", no_wrap=True)
    for link in links if len(links) <= _ROWS else _most_telling(links):
        cells = dict(zip(heads, _cells(link, intervals=wide), strict=True))
        table.add_row(Text(link["name"]), *(cells[head] for head in heads if head not in hidden))
    console.print(table)
    if len(links) > _ROWS:
        console.print(
            f"{_ROWS} of {words.count(len(links))} links: those with the largest gain or loss from"
            " the order of their losses; all are in the report and in --format csv\n"
        )
    for finding in result.findings:
        console.print(Text(f"- {finding.headline}: ", style="bold") + Text(finding.text))
    skipped = result.json["skipped"]
    if skipped:
        console.print(f"- {len(skipped)} files were not traces, such as {skipped[0]['path']}")
    console.print(f"\nseed {result.seed}, airtcp {result.json['airtcp_version']}")


def _most_telling(links: list[Link]) -> list[Link]:
    def gain(link: Link) -> float:
        return abs(link["tcp"]["difference"]["independent"]["packets_per_second"]["mean"] or 0.0)

    return sorted(links, key=gain, reverse=True)[:_ROWS]


def _cells(link: Link, *, intervals: bool) -> list[str]:
    from airtcp import words

    tcp = link["tcp"]
    chain = tcp["gilbert_elliott"]
    gain = tcp["difference"]["independent"]["percent"]

    def span(interval: tuple[float, float] | None) -> str:
        return words.bounds(interval) if intervals else ""

    def rate(estimate: Estimate) -> str:
        half = ""
        if intervals and estimate["ci_high"] is not None and estimate["mean"] is not None:
            half = f" ±{words.number(estimate['ci_high'] - estimate['mean'], 2)}"
        return words.number(estimate["mean"]) + half

    return [
        words.count(link["packets"]),
        words.number(link["prr"]) + span(link["prr_ci"]),
        link["class"],
        "-" if link["mu"] is None else words.number(link["mu"]) + span(link["mu_ci"]),
        "-" if link["beta"] is None else words.number(link["beta"], 2),
        f"{words.count(link['longest_success_burst'])}/{words.count(link['longest_loss_burst'])}",
        "-" if link["mu"] is None else "yes" if link["converged"] else "no",
        words.number(tcp["empirical"]["packets_per_second"]),
        rate(tcp["independent"]["packets_per_second"]),
        rate(chain["packets_per_second"]) if chain else "-",
        words.measured(gain, "").replace("  ", " ").strip() if gain else "-",
    ]
