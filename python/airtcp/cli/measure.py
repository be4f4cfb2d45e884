"""`airtcp measure`: the path between two hosts.

The program `airtcp-live` sends and receives; with `--serve` and `--new-secret` this one continues
as it.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from airtcp.cli import ctrl_c
from airtcp.cli import options as opt
from airtcp.cli.console import INTERRUPTED, fail, note, progress, refusals, to_stdout
from airtcp.cli.continued import continue_as, needed_program

if TYPE_CHECKING:
    from airtcp.questions.measure.document import MeasureDocument

_PREFIX_HELP = (
    "Write the delivery trace to PREFIX.trace, the path as a scenario to PREFIX.toml, and the "
    "document to PREFIX.json."
)


def measure(
    host: Annotated[
        str | None,
        typer.Argument(
            metavar="HOST[:PORT]",
            help="Where airtcp measure --serve runs; the port is 5299 by default.",
            show_default=False,
        ),
    ] = None,
    secret: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The secret, which both ends have.", show_default=False),
    ] = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Answer those who measure from elsewhere.")
    ] = False,
    listen: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS:PORT",
            help="Where --serve listens; by default at port 5299 of all addresses.",
            show_default=False,
        ),
    ] = None,
    new_secret: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write a new secret, and do nothing else.", show_default=False
        ),
    ] = None,
    duration: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="SECONDS",
            help="About how long, 6s to 120s; by default 60s.",
            show_default=False,
        ),
    ] = None,
    rate: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER/s",
            help="Small packets that each end sends in a second; by default 1000/s. With --serve "
            "the most that is allowed; by default 1250/s.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(parser=opt.place, metavar="PREFIX", help=_PREFIX_HELP, show_default=False),
    ] = None,
    as_json: opt.Json = False,
    details: opt.Details = False,
    html: Annotated[
        Path | None,
        typer.Option(
            parser=opt.place,
            metavar=opt.SHOWN,
            help="File of the report; none by default.",
            show_default=False,
        ),
    ] = None,
    force: opt.ForceFile = False,
    quiet: opt.Quiet = False,
) -> None:
    """Measure the path between two hosts: losses and their order, delay, capacity, TCP (Linux).

    One end serves, the other measures, and both have the same secret:

    airtcp measure --new-secret FILE

    airtcp measure --serve --secret FILE

    airtcp measure HOST --secret FILE --out PREFIX
    """
    arguments = ["measure"]
    given = {
        "--secret": secret,
        "--new-secret": new_secret,
        "--rate": rate,
        "--for": duration,
        "--listen": listen,
    }
    for option, value in given.items():
        arguments += [] if value is None else [f"{option}={value}"]
    arguments += ["--quiet"] if quiet else []
    if (host is not None) + serve + (new_secret is not None) != 1:
        fail("expected one of HOST (to measure), --serve, and --new-secret FILE")
    if host is None:
        wanted = {"--out": out, "--json": as_json, "--html": html, "--details": details}
        for option in (name for name, value in wanted.items() if value):
            fail(f"{option} needs a HOST to measure: only the client has a result")
        continue_as("measure", [*arguments, "--serve"] if serve else arguments)
    from airtcp.cli import places
    from airtcp.cli.show import put_answer
    from airtcp.data.plain import plain_json
    from airtcp.questions.measure.answer import answer

    if listen is not None:
        fail("--listen is for --serve: a client does not listen")
    files = _files(out, force=force)
    places.check(html, force=force, inputs=[], ours=True)
    raw = _measured([*arguments, "--", host])
    written = _document(raw, host, out, files, quiet=quiet)
    if html is not None:
        _report(written, html, quiet=quiet)
    with to_stdout():
        if as_json:
            sys.stdout.write(plain_json(json.dumps(written, ensure_ascii=False)) + "\n")
        else:
            put_answer(answer(written), details=details)
        sys.stdout.flush()
    if raw["cut"] == "interrupted":
        raise SystemExit(INTERRUPTED)


def _files(out: Path | None, *, force: bool) -> dict[str, Path]:
    """Return the files to write by their endings; they must not be there."""
    from airtcp.cli import places

    if out is None:
        return {}
    files = {end: out.with_name(f"{out.name}.{end}") for end in ("trace", "toml", "json")}
    for file in files.values():
        places.check(file, force=force, inputs=[], ours=False)
    return files


def _measured(arguments: list[str]) -> dict[str, Any]:
    """Run the program; Ctrl-C reaches it, too, and it writes what it measured."""
    place = needed_program("measure")
    with ctrl_c.handled(ctrl_c.unheard, signal.SIGINT):
        try:
            done = subprocess.run(  # noqa: S603 - no shell
                [place, *arguments], stdout=subprocess.PIPE, check=False
            )
        except OSError as error:
            fail(f"{place}: {error.strerror}")
    if done.returncode != 0:
        # It has said why.
        raise SystemExit(done.returncode if done.returncode > 0 else 1)
    return json.loads(done.stdout)


def _document(
    raw: dict[str, Any], host: str, out: Path | None, files: dict[str, Path], *, quiet: bool
) -> MeasureDocument:
    """Make the document, and write the files."""
    from airtcp.questions.measure import call

    with refusals("measure"), progress(quiet=quiet) as tell:
        prefix = None if out is None else str(out)
        document = call.document(raw, host, prefix, progress=tell)
    contents = {
        "trace": call.trace_text(raw),
        "toml": document["scenario"],
        "json": json.dumps(document, ensure_ascii=False) + "\n",
    }
    for end, file in files.items():
        _write(file, contents[end], quiet=quiet)
    return document


def _report(document: MeasureDocument, target: Path, *, quiet: bool) -> None:
    from airtcp.questions.measure.result import MeasureResult

    try:
        MeasureResult(document).report(target)
    except OSError as error:
        fail(f"{target}: {error.strerror}")
    note(f"report: {target}", quiet=quiet)


def _write(file: Path, content: str | None, *, quiet: bool) -> None:
    from airtcp.files import atomic_write

    if content is None:
        note(f"{file} is not written: capacity and losses are not known both ways", quiet=quiet)
        return
    try:
        atomic_write.write_text(file, content)
    except OSError as error:
        fail(f"{file}: {error.strerror}")
    note(f"written: {file}", quiet=quiet)
