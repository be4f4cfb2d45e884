"""`airtcp reproduce`: repeat published experiments and compare the results."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from airtcp.cli import complete
from airtcp.cli import options as opt
from airtcp.cli.console import progress, refusals, screen
from airtcp.cli.output import STANDARD, Output, writes_report

if TYPE_CHECKING:
    from rich.text import Text

    from airtcp.cli.tables import Column
    from airtcp.data.table import Table
    from airtcp_papers.paper import Figure
    from airtcp_papers.result import PapersResult
    from airtcp_papers.rows import Row

_MEASURE: Final = 30
_PUBLISHED: Final = 14
_TITLE: Final = 44
_SHORT: Final = {
    "within interval": "interval",
    "within tolerance": "tolerance",
    "ordering holds": "holds",
    "undecided": "undecided",
    "not reproduced": "NOT",
    "skipped": "skipped",
}
_MEANINGS: Final = {
    "*": "depends on what the publication leaves open",
    "=": "met by construction of the links",
    "^": "a setting was derived from what this row is judged on",
    "o": "our own statement, not the publication's",
    "~": "holds on average, not in every repeat",
}


def _ids(incomplete: str) -> list[complete.Word]:
    """Complete the id of a published table or figure, or of a publication."""
    from airtcp import AirtcpError
    from airtcp_papers.library import Library, default_root

    try:
        ids = list(Library(default_root()).files)
    except (AirtcpError, OSError):
        return []
    whole = dict.fromkeys(id_.partition(".")[0] for id_ in ids)
    return complete.fitting([(name, "") for name in (*whole, *ids)], incomplete)


@writes_report
def reproduce(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID]...",
            help="Papers, tables, figures (S1, S1.fig13), or the beginning of ids; by default all.",
            show_default=False,
            autocompletion=_ids,
        ),
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="List the tables and figures, and run nothing.")
    ] = False,
    papers: Annotated[
        Path | None,
        typer.Option(help="Folder of paper files; by default those of airtcp.", show_default=False),
    ] = None,
    runs: Annotated[
        int | None,
        typer.Option(
            help="Number of independent repeats; by default that of the files.", min=1, max=1000
        ),
    ] = None,
    seed: opt.Seed = 1,
    sensitivity: Annotated[
        bool,
        typer.Option(
            "--sensitivity/--no-sensitivity",
            help="Also run the alternatives to what a publication leaves open.",
        ),
    ] = True,
    cache: Annotated[
        bool,
        typer.Option("--cache/--no-cache", help="Keep results, and use those of earlier runs."),
    ] = True,
    workers: opt.Workers = None,
    output: Output = STANDARD,
) -> None:
    """Repeat published experiments, and compare published values with the values here.

    AIRTCP_DATA names the folder of measured data. Without it, rows that need such data are
    skipped.
    """
    from airtcp.cli import write
    from airtcp_papers import call

    wanted = list(ids or [])
    if listed:
        with refusals():
            _list(call.published(wanted, papers=papers), output.format)
        return
    where = output.places([] if papers is None else [papers])
    if not output.quiet:
        with refusals():
            _announce(wanted, papers, runs, sensitivity=sensitivity)
    with refusals(), progress(quiet=output.quiet) as tell:
        result = call.reproduce(
            wanted,
            papers=papers,
            runs=runs,
            seed=seed,
            sensitivity=sensitivity,
            cache=cache,
            workers=workers,
            progress=tell,
        )
    output.finish(
        result,
        where,
        table=lambda: _table(result),
        rows=lambda: (result.table, result.rows),
        stopped=write.finished(len(result.figures), "figure") if result.interrupted else None,
        finished=len(result.figures),
    )


def _announce(
    wanted: list[str], papers: Path | None, runs: int | None, *, sensitivity: bool
) -> None:
    """Print the estimated processor time on standard error, if it is known."""
    from airtcp_papers import costs
    from airtcp_papers.library import Library, default_root

    library = Library(papers or default_root())
    found = costs.estimates(library, wanted, sensitivity=sensitivity, runs=runs)
    if text := costs.said(found):
        more = "; --no-sensitivity leaves out the alternatives" if sensitivity else ""
        sys.stderr.write(f"{text}{more}\n")


def _list(figures: list[Figure], form: opt.Format) -> None:
    """Print the tables and figures that could be reproduced."""
    from airtcp.cli import write

    rows = [
        {
            "id": figure.id,
            "kind": figure.kind,
            "item": figure.item,
            "title": figure.title,
            "paper": figure.paper.title,
            "driver": figure.driver,
            "published": len(figure.published),
            "claims": len(figure.claims),
            "path": str(figure.path),
        }
        for figure in figures
    ]

    def table() -> Table:
        from airtcp.data.table import Table

        return Table.from_rows(rows)

    write.printed(
        form,
        table=lambda: _put_list(figures),
        text=lambda write: write(json.dumps(rows, ensure_ascii=False, indent=1)),
        rows=lambda: (table(), rows),
    )


def _put_list(figures: list[Figure]) -> None:
    from airtcp.cli.tables import Column, elided, put

    titles = [f.title for f in figures]
    columns = [
        Column("item", [f.item for f in figures], rank=3, left=True),
        Column("what", titles, [elided(title, _TITLE) for title in titles], left=True),
        Column("driver", [f.driver for f in figures], rank=4, left=True),
        Column("values", [str(len(f.published)) for f in figures], rank=1),
        Column("orderings", [str(len(f.claims)) for f in figures], rank=2),
    ]
    put(screen(), "id", [f.id for f in figures], columns)


def _table(result: PapersResult) -> None:
    from rich.text import Text

    from airtcp.cli.tables import put
    from airtcp.data import extension
    from airtcp_papers.rows import said_counts

    console = screen()
    rows = result.rows
    if rows:
        put(console, "id", [row["id"] for row in rows], _columns(rows))
    if marks := _marks_used(rows):
        console.print(Text(f"{'; '.join(marks)}.", style="dim"))
    for line in (*_unmet(rows), *_dependent(rows), *_skipped(rows)):
        console.print(line, soft_wrap=True)
    console.print()
    for line in said_counts(rows) or ["No rows."]:
        console.print(Text(line), soft_wrap=True)
    console.print(f"seed {result.seed}, airtcp {extension.version()}")


def _columns(rows: list[Row]) -> list[Column]:
    from airtcp.cli.tables import Column, elided
    from airtcp_papers.rows import shown

    measures = [shown(row) for row in rows]
    published = [_published(row) for row in rows]
    return [
        Column("measure", measures, [elided(m, _MEASURE) for m in measures], left=True),
        Column("published", published, [elided(p, _PUBLISHED) for p in published], left=True),
        Column("here", [_here(row, long=True) for row in rows], [_here(row) for row in rows]),
        Column("ratio", [_number(row["ratio"]) for row in rows], rank=2),
        Column(
            "verdict",
            [_verdict(row, row["verdict"]) for row in rows],
            [_verdict(row, _SHORT[row["verdict"]]) for row in rows],
            left=True,
        ),
    ]


def _marks_used(rows: list[Row]) -> list[str]:
    """Return the marks in the table, each with its meaning."""
    used = "".join(map(_marks, rows))
    return [f"{mark} {meaning}" for mark, meaning in _MEANINGS.items() if mark in used]


def _unmet(rows: list[Row]) -> list[Text]:
    """Write why rows are not met, those with a common cause in one line."""
    from rich.text import Text

    from airtcp_papers.rows import shown

    causes: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if row["verdict"] in {"not reproduced", "undecided"}:
            causes.setdefault((row["id"], row["verdict"], row["cause"]), []).append(row)
    lines: list[Text] = []
    for (id_, verdict, cause), missed in causes.items():
        # The reason of a row is the fact followed by the cause, which several rows may share.
        facts = [f"{shown(row)}: {_fact(row)}" for row in missed]
        why = f". {cause[:1].upper()}{cause[1:]}." if cause else "."
        lines.append(Text.assemble((f"- {id_} {verdict}: ", "bold"), "; ".join(facts), why))
    return lines


def _dependent(rows: list[Row]) -> list[Text]:
    """Write on which assumptions verdicts depend."""
    from rich.text import Text

    from airtcp_papers.rows import shown, told

    lines: list[Text] = []
    for row in rows:
        if not row["depends_on"]:
            continue
        other = [
            f"{s['assumption']} ({s['status']}) {told(s['alternative'])}: {_number(s['here'])}, "
            f"{s['verdict']}"
            for s in row["sensitivity"]
            if _met(s["verdict"]) != _met(row["verdict"])
        ]
        lines.append(
            Text.assemble(
                (f"* {row['id']} {shown(row)} ", "bold"),
                f"{_number(row['here'])}, {row['verdict']}; with {'; '.join(other)}.",
            )
        )
    return lines


def _skipped(rows: list[Row]) -> list[Text]:
    """Count the rows that were skipped, by reason."""
    from rich.text import Text

    reasons = Counter(row["reason"] for row in rows if row["verdict"] == "skipped")
    return [Text(f"- {n} skipped: {reason}.") for reason, n in reasons.items()]


def _fact(row: Row) -> str:
    return (
        row["reason"].removesuffix(row["cause"]).removesuffix("; ")
        if row["cause"]
        else row["reason"]
    )


def _met(verdict: str) -> bool:
    from airtcp_papers.verdict import MET

    return verdict in MET


def _number(value: float | None) -> str:
    from airtcp.words import sentences as words

    return "-" if value is None else words.number(value)


def _published(row: Row) -> str:
    from airtcp_papers.rows import interval

    said = row["published"]
    unit = f" {row['unit']}" if row["unit"] and row["kind"] == "value" else ""
    if isinstance(said, str):
        return said + unit
    ends = row["published_interval"]
    return _number(said) + (f" {interval(*ends)}" if ends else "") + unit


def _here(row: Row, *, long: bool = False) -> str:
    text = _number(row["here"])
    low, high = row["here_interval"] or (None, None)
    if long and low is not None and high is not None:
        text += f" [{_number(low)}, {_number(high)}]"
    if row["kind"] == "ordering" and row["right"] is not None and row["here"] is not None:
        text += f" : {_number(row['right'])}"
    known = row["unit"] and row["kind"] == "value" and row["here"] is not None
    return f"{text} {row['unit']}" if known else text


def _marks(row: Row) -> str:
    met = _met(row["verdict"])
    marks = "*" if row["depends_on"] else ""
    marks += "=" if row["by_construction"] and met else ""
    marks += "^" if row["derived"] and met else ""
    if row["kind"] == "ordering" and met and row["repeats"]:
        held, of = row["repeats"]
        marks += "~" if held < of else ""
    return marks + ("o" if row["own"] else "")


def _verdict(row: Row, word: str) -> str:
    from airtcp.words.grid import Toned

    text = f"{word} {_marks(row)}".strip()
    if row["verdict"] == "not reproduced":
        return Toned.of(text, "bad")
    if row["verdict"] == "undecided":
        return Toned.of(text, "warn")
    return Toned.of(text, "faint" if row["verdict"] == "skipped" else "good")


__all__ = ["reproduce"]
