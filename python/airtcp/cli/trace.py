"""`airtcp trace`: measure, make, convert and fit delivery traces."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn, cast

import typer

from airtcp.cli import fit, trace_models
from airtcp.cli import options as opt
from airtcp.cli.console import (
    INTERRUPTED,
    fail,
    note,
    progress,
    refusals,
    to_stdout,
)
from airtcp.cli.reading import DEFAULT_READING, reads_traces
from airtcp.data.plain import plain_json, printable_values
from airtcp.inputs.reading import Reading

if TYPE_CHECKING:
    from airtcp.data.table import Table

_MOST_PACKETS: Final = 10**9
_LONGEST_MODEL: Final = 4 << 20
"""Maximum bytes of a loss model, more than any histogram needs."""

app = typer.Typer(
    name="trace",
    help="Measure, make, convert and fit delivery traces.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.command("stats")
@reads_traces
def stats(
    links: opt.Links,
    seed: opt.Seed = 1,
    reading: Reading = DEFAULT_READING,
    as_json: opt.Json = False,
    form: opt.TableFormat = opt.Format.TABLE,
    details: opt.Details = False,
    quiet: opt.Quiet = False,
) -> None:
    """Report the metrics of links, without TCP."""
    from airtcp.cli import write
    from airtcp.questions.trace import call_stats

    with refusals("trace stats", links), progress(quiet=quiet) as tell:
        document = call_stats.stats(
            links,
            seed=seed,
            progress=tell,
            **reading,
        )
    write.printed(
        opt.Format.JSON if as_json else form,
        table=lambda: _table(printable_values(document, keep=""), details=details),
        text=lambda write: write(json.dumps(document, ensure_ascii=False)),
        rows=lambda: (_rows(document), document["links"] or document["capacities"]),
    )
    if document["interrupted"]:
        raise typer.Exit(INTERRUPTED)


def _rows(document: dict[str, Any]) -> Table:
    from airtcp.data.table import Table

    rows = [_flat(link) for link in document["links"]]
    if not rows:
        rows = [_single(link) for link in document["capacities"]]
    return Table.from_rows(rows)


def _single(link: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in link.items() if not isinstance(v, (dict, list))}


def _flat(link: dict[str, Any]) -> dict[str, Any]:
    """Return one row per link, with the single numbers and without the curves."""
    row = _single(link)
    for key in ("prr_ci", "mu_ci"):
        low, high = link[key] or (None, None)
        row |= {f"{key}_low": low, f"{key}_high": high}
    row.pop("prr_ci", None)
    row.pop("mu_ci", None)
    return row


def _table(document: dict[str, Any], *, details: bool) -> None:
    from airtcp.cli import show
    from airtcp.questions.trace.answer import answer

    said = answer(document)
    if said is not None and document.get("answer"):
        said = replace(said, next=document["answer"]["next"])
    show.put_result(said, lambda: show.put_seed(document), details=details)


@app.command("synth")
def synth(
    path: Annotated[
        Path,
        typer.Argument(
            parser=opt.place, metavar="PATH", help="The file to write; .gz is compressed."
        ),
    ],
    packets: Annotated[
        int, typer.Option(help="Number of packets.", min=1, max=_MOST_PACKETS)
    ] = 100_000,
    prr: Annotated[
        float | None, typer.Option(help="Packet reception ratio; alone: independent losses.")
    ] = None,
    mu: Annotated[
        float | None, typer.Option(help="Burstiness of a Gilbert-Elliott chain, with --prr.")
    ] = None,
    burst: Annotated[
        float | None,
        typer.Option(help="Mean length of a run of losses of such a chain, with --prr."),
    ] = None,
    model: Annotated[Path | None, typer.Option(help="Any other model, from a JSON file.")] = None,
    seed: opt.Seed = 1,
    interval: Annotated[
        str | None, typer.Option(help="Interval between packets, written to the file.")
    ] = None,
    fmt: opt.WrittenLayout = None,
    as_json: opt.Json = False,
    force: opt.ForceFile = False,
    quiet: opt.Quiet = False,
) -> None:
    """Make a synthetic trace, and report its PRR and its longest loss run."""
    from airtcp.cli import places
    from airtcp.questions.trace.call import synth_drawn
    from airtcp.words import sentences as words

    places.check(path, force=force, inputs=[] if model is None else [model], ours=False)
    parsed = None if model is None else _model(model)
    with refusals():
        drawn = synth_drawn(
            path,
            packets=packets,
            prr=prr,
            mu=mu,
            burst=burst,
            model=parsed,
            seed=seed,
            interval=interval,
            fmt=None if fmt is None else fmt.value,
            force=force,
        )
    if as_json:
        with to_stdout():
            sys.stdout.write(plain_json(json.dumps(drawn, ensure_ascii=False)) + "\n")
            sys.stdout.flush()
        return
    expected = drawn["expected"]
    asked = "" if expected is None else f" (asked: {expected['prr']:.4g})"
    note(
        f"{path}: {words.counted(packets, 'packet')}, seed {seed}: PRR "
        f"{drawn['prr']:.4g}{asked}, longest loss run "
        f"{words.count(drawn['longest_loss_run'])}",
        quiet=quiet,
    )
    if drawn["note"] is not None:
        note(f"warning: {drawn['note']}", quiet=quiet)


def _model(path: Path) -> dict[str, Any]:
    def no_number(text: str) -> NoReturn:
        fail(f"{path}: found {text}; expected numbers only, and JSON has no such number")

    if str(path) == "-":
        path = Path("stdin")
        raw = sys.stdin.buffer.read(_LONGEST_MODEL + 1)
    else:
        with path.open("rb") as file:
            raw = file.read(_LONGEST_MODEL + 1)
    if raw.startswith(b"\x1f\x8b"):
        fail(f"{path}: this is compressed with gzip; expected JSON: decompress it (gunzip)")
    if len(raw) > _LONGEST_MODEL:
        fail(
            f"{path}: longer than {_LONGEST_MODEL} bytes; expected a JSON object with the key model"
        )
    try:
        parsed: Any = json.loads(raw.decode("utf-8"), parse_constant=no_number)
    except UnicodeDecodeError as error:
        fail(f"{path}: byte {error.start} is not UTF-8; expected JSON")
    except RecursionError:
        fail(f"{path}: nested too deeply; expected a JSON object with the key model")
    except ValueError as error:
        fail(f"{path}: not JSON: {error}")
    if not isinstance(parsed, dict):
        fail(f"{path}: expected a JSON object with the key model")
    return cast("dict[str, Any]", parsed)


@app.command("convert")
@reads_traces
def convert(
    links: opt.Links,
    to: Annotated[
        Path,
        typer.Option(
            "--to",
            parser=opt.place,
            metavar=opt.SHOWN,
            help="File of one link, or folder of several.",
        ),
    ],
    fmt: opt.WrittenLayout = None,
    reading: Reading = DEFAULT_READING,
    force: opt.ForceFile = False,
    quiet: opt.Quiet = False,
) -> None:
    """Convert traces to a common layout."""
    from airtcp.questions.trace import call
    from airtcp.words import sentences as words

    with refusals("trace convert", links), progress(quiet=quiet) as tell:
        written = call.convert(
            links,
            to,
            fmt=None if fmt is None else fmt.value,
            force=force,
            progress=tell,
            warn=lambda line: note(f"note: {line}", quiet=quiet),
            **reading,
        )
    note(f"{words.counted(len(written), 'trace')} written to {to}", quiet=quiet)


app.command("fit")(fit.fit)
app.command("models")(trace_models.models)
