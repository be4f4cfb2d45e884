"""`airtcp ftca`: TCP packets without payload first, on a Linux host and in the simulator.

`install`, `verify` and `remove` are of the program `airtcp-live`, which also runs where there is no
Python. `gain` asks the simulator before anything is installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from airtcp.cli import options as opt
from airtcp.cli.commands import ANYTHING
from airtcp.cli.console import fail, note, progress, refusals, screen
from airtcp.cli.continued import continue_as

if TYPE_CHECKING:
    from collections.abc import Sequence

app = typer.Typer(
    name="ftca",
    help="Put TCP packets without payload (ACK, SYN, FIN, RST) in a higher access category of "
    "Wi-Fi, on a Linux host.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _replaced_by(action: str, arguments: Sequence[str]) -> NoReturn:
    """Continue as `airtcp-live ftca ACTION`."""
    continue_as(f"ftca {action}", ["ftca", action, *arguments])


@app.command("install", context_settings=ANYTHING, add_help_option=False)
def install(context: typer.Context) -> None:
    """Install the rules at the egress of a device: --dev DEV [--class auto|voice|video].

    --dry-run prints them, and --print-service a unit of systemd and a script for OpenWrt. Runs
    airtcp-live, whose --help has the options.
    """
    _replaced_by("install", context.args)


@app.command("verify", context_settings=ANYTHING, add_help_option=False)
def verify(context: typer.Context) -> None:
    """Say whether the rules work, and what could not be seen: --dev DEV [--for SECONDS].

    Exit status 0 if they are seen to work, 4 if something takes their effect away, 5 if no packet
    passed. Runs airtcp-live, whose --help has the options.
    """
    _replaced_by("verify", context.args)


@app.command("remove", context_settings=ANYTHING, add_help_option=False)
def remove(context: typer.Context) -> None:
    """Remove the rules, and leave the rest of the ruleset as it was: --dev DEV.

    Runs airtcp-live, whose --help has the options.
    """
    _replaced_by("remove", context.args)


@app.command("gain")
def gain(
    cell: Annotated[
        str,
        typer.Argument(metavar="CELL.toml", help="A scenario with your cell.", show_default=False),
    ],
    replications: Annotated[int | None, opt.replications("Number of replications.")] = None,
    seed: Annotated[
        int | None, opt.root_seed("Root seed; by default the scenario's, else 1.")
    ] = None,
    overrides: opt.Overrides = None,
    workers: opt.Workers = None,
    quiet: opt.Quiet = False,
) -> None:
    """Ask the simulator what the rules would do for a cell, and what does better.

    It compares FTCA at the access point alone and at all stations with an ACK filter and airtime
    fairness, as airtcp compare --schemes does, and prints how Linux gets those that are better.
    """
    from dataclasses import replace

    from airtcp.cli.overrides import replaced
    from airtcp.cli.show import fitted, put_answer, width
    from airtcp.questions.compare import call_cell, gain_ftca

    if not cell.endswith(".toml"):
        fail(f"airtcp ftca gain {cell}: expected a scenario (*.toml) with an 802.11 cell")
    with refusals("ftca gain", [cell]), progress(quiet=quiet) as tell:
        result = call_cell.compare_schemes(
            [cell],
            schemes=gain_ftca.SCHEMES,
            replications=replications,
            seed=seed,
            overrides=replaced(overrides or []),
            workers=workers,
            progress=tell,
            warn=lambda warning: note(f"warning: {warning}", quiet=quiet),
        )
    answer = gain_ftca.answer(result.json)
    if answer is None:
        fail("interrupted before every scheme had a replication", code=130)
    put_answer(replace(answer, table=None, next=None), details=False)
    console = screen()
    if answer.table is not None:
        # It fits a screen in a pipe, too: the command below has the rest.
        table, gone = fitted(console, answer.table, width(console))
        console.print(f"\n{answer.table.title}", markup=False, highlight=False)
        console.print(table, width=width(console))
        if gone:
            left = f"Left out for width: {', '.join(gone)}."
            console.print(left, markup=False, highlight=False)
    for line in [answer.next or "", *gain_ftca.commands(result.json)]:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if result.interrupted:
        raise SystemExit(130)
