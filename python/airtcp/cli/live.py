"""`airtcp emulate` and `airtcp replay`, which continue as `airtcp-live`."""

from __future__ import annotations

import sys
from typing import NoReturn

import typer

from airtcp.cli.continued import continue_as


def emulate(context: typer.Context) -> None:
    """Run real programs over the links and cells of a scenario, in real time (Linux).

    airtcp emulate SCENARIO.toml [OPTIONS] [-- COMMAND...]

    Network namespaces stand for the ends of the first flow, or for the nodes of [[outside]].
    COMMAND runs at its receiving end, client; the other end is server, where --server PROGRAM runs
    one. --set KEY=VALUE replaces a value; --loss-log, --pcap, --record and --json FILE write
    what happened. Runs airtcp-live, whose --help has all options. Exit status: that of COMMAND; 3
    if the run was too late to be valid.

    Example: airtcp emulate scenarios/wifi6-home.toml -- iperf3 -c server -t 10
    """
    _pass_on("emulate", context)


def replay(context: typer.Context) -> None:
    """Let the arrivals that emulate --record wrote meet their scenario again: each packet's fate.

    airtcp replay SCENARIO.toml ARRIVALS [--set KEY=VALUE]

    Prints a line a packet, as emulate --loss-log writes them. Runs airtcp-live.
    """
    _pass_on("replay", context)


def _pass_on(command: str, context: typer.Context) -> NoReturn:
    """Pass all arguments on as they were given: the parser would drop what separates COMMAND."""
    given = sys.argv[1:]
    arguments = given[given.index(command) + 1 :] if command in given else context.args
    continue_as(command, [command, *arguments])
