"""`airtcp compare`: several TCPs over the same channel."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Annotated, Any

import typer

from airtcp.cli import complete
from airtcp.cli import options as opt
from airtcp.cli.console import fail, note, progress, refusals
from airtcp.cli.output import STANDARD, Output, kept, writes_report_on_request
from airtcp.cli.reading import DEFAULT_READING, reads_traces
from airtcp.inputs.reading import Reading

if TYPE_CHECKING:
    from airtcp.questions.compare.result import CompareResult


Tcp = Annotated[
    list[str] | None,
    typer.Option(
        "--tcp",
        metavar="NAME[,NAME]...",
        help="TCPs: congestion laws with SACK (airtcp list congestion), recoveries with Reno's law "
        "(tahoe, newreno, reno-nosack), or own for the scenario's. Keys follow colons: "
        "cubic:recovery=newreno. May be repeated.",
        show_default=False,
        autocompletion=complete.tcps,
    ),
]

Remedies = Annotated[
    list[str] | None,
    typer.Option(
        "--remedies",
        metavar="NAME[,NAME]...",
        help="Remedies against losses, in a separate table: lt-tcp, sliding, ll-arq, ll-harq, "
        "lt-tcp@ll-harq; usual or none. By default usual, without --tcp and for up "
        "to 20 scenarios and traces.",
        show_default=False,
        autocompletion=complete.remedies,
    ),
]


Schemes = Annotated[
    list[str] | None,
    typer.Option(
        "--schemes",
        metavar="NAME[,NAME]...",
        help="Schemes of an 802.11 cell instead of TCPs: all, base (the scenario as written), "
        "edca, schemes (airtcp list scheme), rts, ack-1, queue disciplines (airtcp list queue). "
        "Keys follow colons: ftca:exclusive=true; a plus sign joins: ftca+rts. May be repeated.",
        show_default=False,
        autocompletion=complete.schemes,
    ),
]


@reads_traces
@writes_report_on_request
def compare(
    subjects: Annotated[
        list[str],
        typer.Argument(
            metavar="LINK_OR_SCENARIO",
            help="Scenarios (*.toml) and delivery traces: files, folders or patterns; - is a trace "
            "on standard input.",
            show_default=False,
        ),
    ],
    tcp: Tcp = None,
    remedies: Remedies = None,
    schemes: Schemes = None,
    reference: Annotated[
        str | None,
        typer.Option(
            help="The reference of the differences; by default the first TCP, or base of schemes.",
            autocompletion=complete.reference,
        ),
    ] = None,
    flow: Annotated[
        str | None,
        typer.Option(help="Replace the TCP of this flow only; by default of all TCP flows."),
    ] = None,
    share: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Run each TCP beside one flow of this TCP, and print both shares.",
            autocompletion=complete.tcp,
        ),
    ] = None,
    as_link: Annotated[
        str | None,
        typer.Option(
            metavar="KEYS",
            help="Put traces behind a link, such as 'rate=10 Mb/s,delay=20 ms,queue=100', "
            "instead of one packet per slot; 'default' stands for these values. "
            "A TOML table takes all keys.",
        ),
    ] = None,
    synthetic: Annotated[
        bool,
        typer.Option(
            "--synthetic/--no-synthetic",
            help="Also compare over synthetic links of the trace's PRR and mu.",
        ),
    ] = True,
    profile: Annotated[
        str | None,
        typer.Option(
            help="TCP parameters of all TCPs; by default the scenario's, s1 over a trace, "
            "linux over a trace behind a link.",
            autocompletion=complete.profile,
        ),
    ] = None,
    replications: Annotated[
        int | None, opt.replications("Number of replications, or of stretches of a trace.")
    ] = None,
    seed: Annotated[
        int | None, opt.root_seed("Root seed; by default the scenario's, else 1.")
    ] = None,
    overrides: opt.Overrides = None,
    law: opt.Law = None,
    law_timeout: opt.LawTimeout = "60 s",
    slot: Annotated[
        str | None,
        typer.Option(help="Duration of a slot of a trace; by default its interval, else 10 ms."),
    ] = None,
    workers: opt.Workers = None,
    reading: Reading = DEFAULT_READING,
    output: Output = STANDARD,
) -> None:
    """Compare TCPs over the same channel, with paired 95 % confidence intervals.

    A second table compares remedies against losses (erasure coding, link protocols). With
    --schemes, the schemes of an 802.11 cell are compared instead. --html or --out writes a
    report.
    """
    from airtcp.cli import compare_cell, places
    from airtcp.cli.overrides import replaced
    from airtcp.questions.compare import call

    if schemes is not None:
        of_tcp = {"tcp": tcp, "remedies": remedies, "share": share, "flow": flow}
        of_tcp |= {"profile": profile, "slot": slot, "as_link": as_link, **reading}
        compare_cell.refuse_beside({**of_tcp, "no_synthetic": not synthetic})
        compare_cell.compare(
            subjects,
            schemes,
            reference=reference,
            replications=replications,
            seed=seed,
            overrides=replaced(overrides or []),
            law=law or (),
            law_timeout=law_timeout,
            workers=workers,
            output=output,
        )
        return
    tomls = [subject for subject in subjects if subject.endswith(".toml")]
    where = output.places([*subjects, *places.of_scenarios(tomls)])
    with refusals("compare", subjects), progress(quiet=output.quiet) as tell:
        result, failed = kept(
            lambda: call.compare(
                subjects,
                tcp=tcp,
                law=law or (),
                law_timeout=law_timeout,
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
                overrides=replaced(overrides or []),
                workers=workers,
                progress=tell,
                warn=lambda warning: note(f"warning: {warning}", quiet=output.quiet),
                **reading,
            )
        )
    done = [case["replications"] for s in result.json["subjects"] for case in s["cases"][:1]]
    unfinished = "" if done else "nothing was finished"
    output.finish(
        result,
        where,
        rows=lambda: (result.outcomes, _rows(result)),
        stopped=unfinished if result.interrupted else None,
        finished=len(done),
        failed=failed and f"{failed}; the other TCPs are compared",
    )


def link_keys(text: str) -> dict[str, Any]:
    """Read the keys of a link around a trace.

    >>> link_keys("rate=2 Mb/s, queue=50")
    {'rate': '2 Mb/s', 'queue': {'kind': 'drop-tail', 'packets': 50}}
    >>> link_keys("default")
    {}
    >>> link_keys('{ queue = { kind = "codel", target = "10 ms" } }')
    {'queue': {'kind': 'codel', 'target': '10 ms'}}
    """
    keys: dict[str, Any] = {}
    if text.strip() == "default":
        return keys
    if text.lstrip().startswith("{"):
        return _table(text)
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


def _table(text: str) -> dict[str, Any]:
    """Read a TOML table, in which a queue can have all its keys."""
    try:
        return tomllib.loads(f"link = {text}")["link"]
    except (ValueError, RecursionError) as error:
        fail(f"--as-link {text}: not a table of TOML: {error}")


def _rows(result: CompareResult) -> list[dict[str, Any]]:
    """Return the outcomes of the document, each with its subject and channel."""
    return [
        {"subject": subject["name"], "channel": case["channel"], **outcome}
        for subject in result.json["subjects"]
        for case in subject["cases"]
        for outcome in case["outcomes"]
    ]
