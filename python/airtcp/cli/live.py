"""`airtcp emulate` and `airtcp replay`, which continue as `airtcp-live`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NoReturn

import typer

from airtcp.cli.console import fail
from airtcp.cli.continued import continue_as

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def emulate(context: typer.Context) -> None:
    """Run real programs over the links and cells of a scenario, in real time (Linux).

    airtcp emulate SCENARIO.toml [OPTIONS] [-- COMMAND...]

    Network namespaces stand for the ends of the first flow, or for the nodes of [[outside]].
    COMMAND runs at its receiving end, client; the other end is server, where --server PROGRAM runs
    one. --set KEY=VALUE replaces a value, and so do lines of the named pipe --control PATH while it
    runs; --loss-log, --pcap, --record and --json FILE write what happened, and --html FILE a page
    of it. Runs airtcp-live, whose --help has all other options. Exit status: that of COMMAND; 3 if
    the run was too late to be valid.

    Example: airtcp emulate scenarios/wifi6-home.toml -- iperf3 -c server -t 10
    """
    given = _given("emulate", context)
    own = given[: given.index("--")] if "--" in given else given
    _only_scenario("emulate", own)
    if any(word.partition("=")[0] == "--html" for word in own):
        from airtcp.cli import emulated

        emulated.run(emulated.asked(given))
    continue_as("emulate", ["emulate", *given])


def replay(context: typer.Context) -> None:
    """Let the arrivals that emulate --record wrote meet their scenario again: each packet's fate.

    airtcp replay SCENARIO.toml ARRIVALS [--set KEY=VALUE]

    Prints a line a packet, as emulate --loss-log writes them. Runs airtcp-live.
    """
    given = _given("replay", context)
    _only_scenario("replay", given)
    continue_as("replay", ["replay", *given])


def _only_scenario(command: str, given: Sequence[str]) -> None:
    """Refuse a first argument that is another kind of file than a scenario, and say what it is."""
    from airtcp.inputs.file_kinds import belongs_elsewhere

    if given and not given[0].startswith("-") and (said := belongs_elsewhere(given[:1], command)):
        fail(said)


def meet_again(
    scenario: Path, arrivals: Path, overrides: Sequence[str], *, seed: int | None, unfit: str | None
) -> NoReturn:
    """Continue as `airtcp replay`, which `airtcp run --arrivals` is.

    Args:
        scenario: The scenario.
        arrivals: The file of `airtcp emulate --record`.
        overrides: The arguments of --set.
        seed: The root seed, if one is given.
        unfit: An option that is given and does not fit.
    """
    if unfit is not None:
        fail(f"--arrivals prints the fate of each packet, and {unfit} is for simulated flows")
    if str(scenario) == "-":
        fail("--arrivals needs the scenario as a file")
    seeds = [] if seed is None else [f"seed={seed}"]
    sets = [word for one in [*overrides, *seeds] for word in ("--set", one)]
    continue_as("run --arrivals", ["replay", *sets, "--", str(scenario), str(arrivals)])


def _given(command: str, context: typer.Context) -> list[str]:
    """Return all arguments as they were given: the parser would drop what separates COMMAND."""
    given = sys.argv[1:]
    return given[given.index(command) + 1 :] if command in given else context.args
