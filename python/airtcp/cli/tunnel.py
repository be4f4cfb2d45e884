"""`airtcp tunnel`: TCP connections over a path that loses packets, in one encrypted flow.

All of it is of the program `airtcp-live`, which also runs where there is no Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import typer

from airtcp.cli.commands import ANYTHING
from airtcp.cli.continued import continue_as

if TYPE_CHECKING:
    from collections.abc import Sequence

app = typer.Typer(
    name="tunnel",
    help="Carry TCP connections over a path that loses packets, encrypted, in one flow that is "
    "repaired symbol by symbol (Linux).",
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
)


def _replaced_by(action: str, arguments: Sequence[str]) -> NoReturn:
    """Continue as `airtcp-live tunnel ACTION`."""
    continue_as(f"tunnel {action}", ["tunnel", action, *arguments])


@app.command("keygen", context_settings=ANYTHING, add_help_option=False)
def keygen(context: typer.Context) -> None:
    """Write a new private key, and print its public half: --out FILE.

    Each end has a key of its own, and is told the public key of the other (--peer). Runs
    airtcp-live, whose --help has the options.
    """
    _replaced_by("keygen", context.args)


@app.command("serve", context_settings=ANYTHING, add_help_option=False)
def serve(context: typer.Context) -> None:
    """Connect clients to their targets: --key FILE --peer PUBLIC [--allow HOST:PORT].

    Public addresses of other hosts are allowed, all else only by --allow. Runs airtcp-live, whose
    --help has the options.
    """
    _replaced_by("serve", context.args)


@app.command("connect", context_settings=ANYTHING, add_help_option=False)
def connect(context: typer.Context) -> None:
    """Carry a local port, or SOCKS 5: HOST --key FILE --peer PUBLIC [-L ...] [--socks PORT].

    -L [ADDRESS:]PORT:HOST:PORT forwards a port to a target that the server reaches. Runs
    airtcp-live, whose --help has the options.
    """
    _replaced_by("connect", context.args)


@app.command("status", context_settings=ANYTHING, add_help_option=False)
def status(context: typer.Context) -> None:
    """Say what the tunnels of this user do: [--json | --prometheus] [--socket FILE].

    Round trip, queue, losses, the rate that the window allows, the channels. Runs airtcp-live,
    whose --help has the options.
    """
    _replaced_by("status", context.args)
