"""`airtcp compare`: several TCPs over the same channel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from airtcp.cli import options as opt
from airtcp.cli.console import INTERRUPTED, fail, note, progress, refusals, screen

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console
    from rich.text import Text

    from airtcp.cli.tables import Column
    from airtcp.documents import CompareCase, CompareSubject, Estimate, Outcome
    from airtcp.results import CompareResult

_IN_FULL: Final = 5
"""Subjects up to which each has a table of its own."""

_ROWS: Final = 40

Tcp = Annotated[
    list[str] | None,
    typer.Option(
        "--tcp",
        metavar="NAME[,NAME]...",
        help="TCPs: congestion laws or recoveries (airtcp list congestion), or own for the "
        "scenario's; keys follow colons, as in cubic:recovery=newreno. May be given again.",
        show_default=False,
    ),
]

Remedies = Annotated[
    list[str] | None,
    typer.Option(
        "--remedies",
        metavar="NAME[,NAME]...",
        help="Remedies against losses, in a table of their own: lt-tcp, sliding, ll-arq, ll-harq, "
        "lt-tcp@ll-harq; usual or none. By default the usual ones, but not with --tcp, and for up "
        "to 20 scenarios and traces.",
        show_default=False,
    ),
]


def compare(
    subjects: Annotated[
        list[str],
        typer.Argument(
            metavar="LINK_OR_SCENARIO",
            help="Scenarios (*.toml) and delivery traces: files, folders, patterns; - is a trace "
            "on standard input.",
            show_default=False,
        ),
    ],
    tcp: Tcp = None,
    remedies: Remedies = None,
    reference: Annotated[
        str | None,
        typer.Option(help="The TCP that the others are compared with; the first by default."),
    ] = None,
    flow: Annotated[
        str | None,
        typer.Option(help="Exchange the TCP of this flow only; of all TCP flows by default."),
    ] = None,
    share: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Let each TCP share its way with a flow of this TCP, and print both shares.",
        ),
    ] = None,
    as_link: Annotated[
        str | None,
        typer.Option(
            metavar="KEYS",
            help="Put traces behind a link, such as 'rate=10 Mb/s,delay=20 ms,queue=100', in "
            "place of one packet a slot; 'default' is that link.",
        ),
    ] = None,
    synthetic: Annotated[
        bool,
        typer.Option(
            "--synthetic/--no-synthetic",
            help="Compare over synthetic links that look like a trace, too.",
        ),
    ] = True,
    profile: Annotated[
        str | None,
        typer.Option(
            help="TCP parameters that the TCPs change; by default the scenario's own, s1 over a "
            "trace, linux over a trace as a link."
        ),
    ] = None,
    replications: Annotated[
        int | None,
        typer.Option(
            "--replications", "-n", help="Replications, or stretches of a trace.", min=1, max=10_000
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Root seed; by default the scenario's, or 1.", min=0)
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PATH=VALUE",
            help="Replace a value of the scenarios, such as 'links[0].rate=20 Mb/s'; may be given "
            "again.",
        ),
    ] = None,
    slot: Annotated[
        str | None,
        typer.Option(help="Duration of a slot of a trace; by default its interval, or 10 ms."),
    ] = None,
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
    html: opt.HtmlOnly = None,
    show: opt.Open = False,
    quiet: opt.Quiet = False,
) -> None:
    """Compare TCPs: every one over the same channel, with paired 95 % confidence intervals.

    Remedies against losses (erasure coding, link protocols) are tried beside them. A report is
    written where --html or --out says.
    """
    from airtcp import api
    from airtcp.cli import write
    from airtcp.cli.run import pair

    if as_json:
        form = opt.Format.JSON
    write.check_out(out)
    place = write.report_path(html, out, wanted=out is not None, piped=True)
    with refusals(), progress(quiet=quiet) as tell:
        result = api.compare(
            subjects,
            tcp=tcp,
            remedies=False if remedies == ["none"] else remedies,
            reference=reference,
            flow=flow,
            share=share,
            profile=profile,
            replications=replications,
            seed=seed,
            slot=slot,
            as_link=None if as_link is None else link_keys(as_link),
            synthetic=synthetic,
            overrides=dict(pair(item) for item in overrides or []),
            workers=workers,
            interval=interval,
            layout=layout,
            column=column,
            kind=None if kind is None else kind.value,
            time_column=time_column,
            time_unit=time_unit,
            progress=tell,
            warn=lambda warning: note(f"warning: {warning}", quiet=quiet),
        )
    write.printed(
        form,
        table=lambda: _print(result),
        text=lambda: result.text,
        rows=lambda: (result.outcomes, _rows(result)),
    )
    write.files(result, out, place, show=show, quiet=quiet)
    if result.interrupted:
        done = [case["replications"] for s in result.json["subjects"] for case in s["cases"][:1]]
        finished = f"{done[-1]} replications were finished" if done else "nothing was finished"
        note(f"interrupted: {finished}", quiet=False)
        raise typer.Exit(INTERRUPTED)


def link_keys(text: str) -> dict[str, Any]:
    """Read the keys of a link around a trace.

    >>> link_keys("rate=2 Mb/s, queue=50")
    {'rate': '2 Mb/s', 'queue': {'kind': 'drop-tail', 'packets': 50}}
    >>> link_keys("default")
    {}
    """
    keys: dict[str, Any] = {}
    if text.strip() == "default":
        return keys
    for part in text.split(","):
        key, sign, value = (piece.strip() for piece in part.partition("="))
        if not sign or key not in {"rate", "delay", "queue"}:
            fail(
                f"--as-link {text}: expected rate=, delay= and queue=, separated by commas, such "
                "as 'rate=10 Mb/s,delay=20 ms,queue=100', or 'default'"
            )
        if key != "queue":
            keys[key] = value
        elif value.isdigit():
            keys[key] = {"kind": "drop-tail", "packets": int(value)}
        else:
            keys[key] = {"kind": value}
    return keys


def _rows(result: CompareResult) -> list[dict[str, Any]]:
    """Give the outcomes as the document has them, each with its place."""
    return [
        {"subject": subject["name"], "channel": case["channel"], **outcome}
        for subject in result.json["subjects"]
        for case in subject["cases"]
        for outcome in case["outcomes"]
    ]


def _print(result: CompareResult) -> None:
    from rich.text import Text

    from airtcp import words, words_compare, words_remedies
    from airtcp.cli import remedies

    console = screen()
    document = result.json
    subjects = document["subjects"]
    reference, rival = document["reference"], document["rival"]
    if len(subjects) <= _IN_FULL:
        for subject in subjects:
            for case in subject["cases"]:
                _heading(console, subject, case)
                case_table(console, case, reference, rival)
            for finding in words_compare.subject_findings(subject, reference, rival):
                console.print(Text.assemble((f"- {finding.headline}: ", "bold"), finding.text))
            for remark in subject["notes"]:
                console.print(Text(f"- {remark}", style="dim"))
            console.print()
            helped = subject["remedies"]
            if helped is not None:
                remedies.section(console, helped)
    else:
        cases = [(subject["name"], subject["cases"][0]) for subject in subjects]
        overview(console, cases)
        findings = [words_compare.suited(cases)]
        helped = [(s["name"], each) for s in subjects if (each := s["remedies"]) is not None]
        if helped:
            findings.append(words_remedies.several(helped))
        for finding in findings:
            console.print(Text.assemble((f"- {finding.headline}: ", "bold"), finding.text))
    skipped = document["skipped"]
    if skipped:
        console.print(
            Text(f"- {words.count(len(skipped))} not traces; the first: {skipped[0]['path']}")
        )
    console.print(f"seed {result.seed}, airtcp {document['airtcp_version']}")


def _heading(console: Console, subject: CompareSubject, case: CompareCase) -> None:
    from rich.text import Text

    from airtcp import words, words_compare

    count = case["replications"]
    noun = case["over"] if count != 1 else case["over"].removesuffix("s")
    parts = [f"{words.count(count)} {noun}"]
    if case["channel"] != "scenario":
        parts.insert(0, f"over {words_compare.CHANNELS[case['channel']]}")
    each = f"{words.number(subject['duration_s'])} s"
    if subject["kind"] != "trace":
        parts.append(f"{each} each")
    name = subject["title"] or subject["name"]
    console.print(Text.assemble((name, "bold"), f" ({', '.join(parts)})"))


def case_table(console: Console, case: CompareCase, reference: str, rival: str | None) -> None:
    """Print what each TCP got in one case."""
    from airtcp.cli.tables import put

    names = [outcome["variant"] for outcome in case["outcomes"]]
    put(console, "TCP", names, _columns(case, reference, rival))


def _columns(case: CompareCase, reference: str, rival: str | None) -> list[Column]:
    from airtcp import words_compare
    from airtcp.cli.run import estimate
    from airtcp.cli.tables import Column

    outcomes = case["outcomes"]

    def column(
        head: str, get: Callable[[Outcome], Estimate | None], scale: float, rank: int = 0
    ) -> Column | None:
        values = [get(outcome) for outcome in outcomes]
        if all(value is None or value["mean"] is None for value in values):
            return None
        short = [estimate(value, scale, short=True) for value in values]
        return Column(head, [estimate(value, scale) for value in values], short, rank)

    unit = words_compare.goodput(outcomes[0])[1]
    columns = [
        column(f"goodput\n({unit})", lambda o: words_compare.goodput(o)[0], 1.0),
        against(reference, outcomes) if len(outcomes) > 1 else None,
        column("share\n(%)", lambda o: o["share"], 100.0),
        column(f"{rival} gets\n(Mb/s)", lambda o: o["rival_goodput_bps"], 1e-6, 1),
        plain("RTT\n(ms)", outcomes, "rtt_mean_s", 1e3, 2),
        plain("95 %\n(ms)", outcomes, "rtt_p95_s", 1e3, 5),
        plain("queue\n(ms)", outcomes, "queue_delay_s", 1e3, 6),
        plain("resent\n(%)", outcomes, "retransmission_ratio", 100.0, 3),
        plain("timeouts", outcomes, "timeouts", 1.0, 4),
        plain("fairness", outcomes, "jain_index", 1.0, 1),
        plain("completion\n(s)", outcomes, "completion_s", 1.0, 1),
        plain("exchange\n(ms)", outcomes, "exchange_mean_s", 1e3, 1),
    ]
    return [column for column in columns if column is not None]


def plain(head: str, outcomes: list[Outcome], key: str, scale: float, rank: int) -> Column | None:
    """Make a column of means; their intervals are in the other formats."""
    from airtcp import words
    from airtcp.cli.tables import Column

    means: list[float | None] = [outcome[key]["mean"] for outcome in outcomes]  # pyright: ignore[reportUnknownMemberType]
    if all(mean is None for mean in means):
        return None
    cells = ["-" if mean is None else words.number(mean * scale) for mean in means]
    return Column(head, cells, cells, rank)


def against(reference: str, outcomes: list[Outcome]) -> Column:
    """Make the column of differences to the reference."""
    from airtcp.cli.tables import Column

    return Column(
        f"vs {reference}\n(%)",
        [_gained(outcome, interval=True) for outcome in outcomes],
        [_gained(outcome, interval=False) for outcome in outcomes],
    )


def _gained(outcome: Outcome, *, interval: bool) -> Text:
    """Write the difference to the reference; one within chance does not stand out."""
    from rich.text import Text

    from airtcp import words

    difference = outcome["difference"]
    if difference is None:
        return Text("reference", style="dim")
    percent = difference["percent"]
    if percent is None or percent["mean"] is None:
        return Text("-")
    if difference["standing"] in {"undecided", "equal"}:
        text = f"~ {words.signed(percent['mean'])}"
        if interval and percent["ci_low"] is not None and percent["ci_high"] is not None:
            ends = f"{words.signed(percent['ci_low'])}, {words.signed(percent['ci_high'])}"
            text += f" [{ends}]"
        return Text(text, style="dim")
    if not interval:
        return Text(words.signed(percent["mean"]))
    return Text(words.measured(percent, "").replace("  ", " ").strip())


def overview(console: Console, compared: list[tuple[str, CompareCase]]) -> None:
    """Print a line for each of several links: which TCPs suit it.

    Args:
        console: Where to print.
        compared: Name and case of each link.
    """
    from airtcp import words, words_compare
    from airtcp.cli.tables import Column, put

    shown = compared[:_ROWS]
    cases = [case for _, case in shown]
    best = [words_compare.best(case) for case in cases]
    columns = [
        Column("highest mean", [name or "none" for name in best], left=True),
        Column(
            "goodput",
            [
                "-" if name is None else words_compare.shown(case, name)
                for case, name in zip(cases, best, strict=True)
            ],
            rank=2,
        ),
        Column(
            "maybe as good",
            [
                ", ".join(case["ranking"]["as_good"] if name else []) or "-"
                for case, name in zip(cases, best, strict=True)
            ],
            left=True,
        ),
        Column(
            "less",
            [", ".join(case["ranking"]["behind"]) or "-" for case in cases],
            rank=1,
            left=True,
        ),
    ]
    put(console, "link", [name for name, _ in shown], columns)
    if len(compared) > _ROWS:
        console.print(f"{_ROWS} of {words.count(len(compared))}; all are in --format csv")
