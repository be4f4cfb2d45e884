"""The commands, and the order in which `airtcp --help` lists them.

This file imports nothing heavy, because `airtcp --help` must answer at once.
"""

from __future__ import annotations

from typing import Annotated

import typer

from airtcp.cli import (
    capture,
    compare,
    diagnose,
    info,
    reproduce,
    run,
    study,
    trace,
    trace_models,
)

app = typer.Typer(
    name="airtcp",
    help="What does a wireless link do to TCP, why, and what would improve it?",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("study")(study.study)
app.command("run")(run.run)
app.command("compare")(compare.compare)
app.command("capture")(capture.capture)
app.command("diagnose")(diagnose.diagnose)
trace.app.command("models")(trace_models.models)
app.add_typer(trace.app, name="trace")
app.command("reproduce")(reproduce.reproduce)
app.command("list")(info.list_)
app.command("schema")(info.schema)


def _version(wanted: bool) -> None:
    if wanted:
        from airtcp import api

        typer.echo(f"airtcp {api.version()}")
        raise typer.Exit


@app.callback()
def _common(
    _version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """What does a wireless link do to TCP, why, and what would improve it?"""
