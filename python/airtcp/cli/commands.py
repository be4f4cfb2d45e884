"""The commands, and the order in which `airtcp --help` lists them.

A command is loaded when it runs, or when a list or a completion shows its help. Loading all of them
would take longer than a short run.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_command

from airtcp.cli.values import read_plainly

if TYPE_CHECKING:
    from collections.abc import Iterator

HOME: Final = {
    "study": "airtcp.cli.study:study",
    "run": "airtcp.cli.run:run",
    "compare": "airtcp.cli.compare:compare",
    "evaluate": "airtcp.cli.evaluate:evaluate",
    "capture": "airtcp.cli.capture:capture",
    "diagnose": "airtcp.cli.diagnose:diagnose",
    "sweep": "airtcp.cli.sweep:sweep",
    "reproduce": "",
    "list": "airtcp.cli.info:list_",
    "schema": "airtcp.cli.info:schema",
    "trace": "airtcp.cli.trace:app",
    "emulate": "airtcp.cli.live:emulate",
    "replay": "airtcp.cli.live:replay",
    "ftca": "airtcp.cli.ftca:app",
    "law": "airtcp.cli.law:app",
    "measure": "airtcp.cli.measure:measure",
    "tunnel": "airtcp.cli.tunnel:app",
}
"""Module and function, or group of commands, of each command; empty if another package has it."""
ANYTHING: Final = {"ignore_unknown_options": True, "allow_extra_args": True}
"""Settings of a command that passes its options on to another program."""
PASSED_ON: Final = frozenset({"emulate", "replay"})
"""Commands that continue as another program."""
APART: Final = {"reproduce": 'the papers: pip install "airtcp[papers]"'}
"""Commands of other packages, which register them as entry points; how to get each."""
ENTRY_POINTS: Final = "airtcp.commands"


class Loaded(Mapping[str, Any]):
    """The commands by name, in order; the first access to a command loads it."""

    def __init__(self) -> None:
        """Begin without any command loaded."""
        self._known: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        """Return a command."""
        if name not in self._known:
            self._known[name] = _loaded(name)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        """Return the names, and load nothing."""
        return iter(HOME)

    def __len__(self) -> int:
        """Return the number of commands."""
        return len(HOME)


def _loaded(name: str) -> Any:
    """Load a command: of this package, of another, or one that says how to get it."""
    module, _, place = HOME[name].partition(":")
    if module:
        return _command(name, getattr(import_module(module), place))
    from importlib.metadata import entry_points

    for found in entry_points(group=ENTRY_POINTS, name=name):
        return _command(name, found.load())
    return _missing(name)


def _missing(name: str) -> Any:
    """Make a command that says how to get it, whatever follows its name."""
    how = f"`airtcp {name}` is not installed; it comes with {APART[name]}"

    def missing() -> None:
        from airtcp.cli.console import fail

        fail(how)

    missing.__doc__ = f"{how}."
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    alone.command(name, context_settings=ANYTHING)(missing)
    return get_command(alone)


def _command(name: str, of: Any) -> Any:
    """Make a command from its function, or from its group of commands."""
    if isinstance(of, typer.Typer):
        group: Any = get_command(of)
        for part in group.commands.values():
            read_plainly(part)
        return read_plainly(group)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    settings = ANYTHING if name in PASSED_ON else None
    alone.command(name, context_settings=settings)(of)
    return read_plainly(get_command(alone))


class _Commands(TyperGroup):
    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = Loaded()


app = typer.Typer(
    cls=_Commands,
    name="airtcp",
    help="What does a wireless link do to TCP, why, and what would improve it?",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        from airtcp.data import extension

        typer.echo(f"airtcp {extension.version()}")
        raise typer.Exit


@app.callback()
def _common(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", help="Print the version.", callback=_version, is_eager=True
        ),
    ] = False,
) -> None:
    """What does a wireless link do to TCP, why, and what would improve it?"""
