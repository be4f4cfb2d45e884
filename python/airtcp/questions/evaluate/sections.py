"""The page of an evaluation: the answer, pictures by group, every check, and the method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.pages.command import command
from airtcp.pages.page import indented
from airtcp.pages.section import Page, Plot, Section, some
from airtcp.questions.evaluate import answer as answers
from airtcp.questions.evaluate import charts, rows, tables
from airtcp.words import sentences as words
from airtcp.words.sentences import begun

if TYPE_CHECKING:
    from airtcp.questions.evaluate.document import EvaluateDocument
    from airtcp.words.grid import Grid

_METHOD: Final = {
    "Yardsticks": (
        "Reno (RFC 5681) and CUBIC (RFC 9438) in the same scenario, with the same random draws in"
        " each replication. The law itself is no yardstick. All run with the same connection"
        " (profile linux), or the comparison would be one of profiles."
    ),
    "Verdict": (
        "The distance from the bound is taken replication by replication. A law needs attention if"
        " the 95 % interval of its mean lies beyond the bound, and is wrong if it also lies beyond"
        " what RFC 9743 calls a failure. There is no score."
    ),
    "Bounds": (
        "RFC 9743 has no numbers in it. Bounds are relative to the yardsticks; where a width is"
        " ours, the row says so."
    ),
    "Harm": (
        "(x \N{MINUS SIGN} y) / x, with x what a rival gets alone and y beside the law (Ware et"
        " al., HotNets 2019). The status quo is the harm of Reno and CUBIC to the same rival."
    ),
}


def evaluate_page(document: EvaluateDocument) -> Page:
    """Make the page of an evaluation from its document."""
    label = document["law"]["label"]
    share, heat, loss = _shares(document), _heat(document), _losses(document)
    first = [*share, *heat, *loss, *_cells(document)]
    return Page(
        answers.answer(document),
        [
            Section("rivals", "Beside rivals", _SHARE.format(label), tuple(share)),
            Section("grid", "Alone on a path", _GRID, tuple(heat)),
            Section("loss", "Random loss", "", tuple(loss)),
            Section("time", "Window and round-trip time", _TIME, tuple(_over_time(document))),
            Section("wifi", "Wi-Fi cells", "", tuple(_cells(document))),
            Section("checks", "Every row", _ROWS, grid=_every(document)),
            Section("left-out", "Not evaluated", "", notes=_left_out(document)),
            Section("options", "Parameters in force", code=indented(document["options"])),
            Section("method", "Method", terms=tuple(_METHOD.items())),
        ],
        document,
        title=f"Evaluation of {label}",
        lead="A congestion control by the criteria that RFC 9743 asks of a new one.",
        command=_command(document),
        chart=first[0].name if first else "",
        facts=_facts(document),
    )


_SHARE: Final = "One flow of {} and one of a rival share 20 Mb/s at 40 ms; half is a fair share."
_GRID: Final = "One flow over a drop-tail queue; a cell is a path."
_TIME: Final = "A flow alone at 20 Mb/s, in the first replication."
_ROWS: Final = "A row is a quantity with a bound; the worst of a criterion decides it."


def _shares(document: EvaluateDocument) -> list[Plot]:
    return [
        Plot(
            f"share-{number}",
            f"Share beside {name}",
            f"Each line is a law in the place beside {name}.",
            charts.shares(),
            {"shares": found},
        )
        for number, (name, found) in enumerate(rows.shares(document).items())
    ]


def _heat(document: EvaluateDocument) -> list[Plot]:
    kinds = (
        ("E2", "Utilisation with", "utilisation", True),
        ("E3", "Filled part of", "p95 of the queue over its length", True),
        ("E4", "Sent again with", "sent again (%)", False),
    )
    return [
        Plot(
            f"grid-{name.lower()}-{number}",
            f"{heading} a queue of {buffer:g} BDP",
            f"{begun(title)} of one flow; a cell is a path.",
            charts.heat(title, found, share=share),
            {"cells": found},
        )
        for name, heading, title, share in kinds
        for cells in [rows.grid(document, name)]
        for number, buffer in enumerate(rows.buffers(cells))
        for found in [[row for row in cells if row["buffer"] == buffer]]
    ]


def _losses(document: EvaluateDocument) -> list[Plot]:
    found = rows.losses(document)
    caption = "20 Mb/s, 40 ms, one BDP; 1 is all that the losses leave."
    return [
        Plot("losses", "Goodput under random loss", caption, charts.losses(), {"losses": found})
    ]


def _over_time(document: EvaluateDocument) -> list[Plot]:
    return [
        Plot(
            f"time-{number}",
            path,
            "The last window, and the longest round-trip time, of each quarter of a second.",
            charts.over_time("cwnd", "congestion window (kB)"),
            {"series": found},
            (
                (
                    f"time-{number}-rtt",
                    "round-trip time",
                    charts.over_time("rtt", "round-trip time (ms)"),
                ),
            ),
            label="window",
        )
        for number, (path, found) in enumerate(rows.over_time(document).items())
    ]


def _cells(document: EvaluateDocument) -> list[Plot]:
    found, first = rows.cells(document), document["yardsticks"][0]
    caption = f"Goodput of all flows of a cell; at 1 it is that of {first}."
    spec = charts.cells([row["cell"] for row in found], first)
    return [Plot("cells", "Goodput in Wi-Fi cells", caption, spec, {"cells": found})]


def _every(document: EvaluateDocument) -> Grid | None:
    every = [(one, check) for one in document["criteria"] for check in one["checks"]]
    return tables.checks_grid(document, every) if every else None


def _left_out(document: EvaluateDocument) -> tuple[str, ...]:
    return some([f"{one.headline}. {one.text}" for one in tables.left_out(document)])


def _facts(document: EvaluateDocument) -> list[tuple[str, str]]:
    done = len(answers.evaluated(document))
    options = document["options"]
    return [
        ("Criteria", f"{done} of {len(document['criteria'])}"),
        ("Replications", words.count(options["replications"])),
        ("Effort", options["effort"]),
        ("Rivals", ", ".join(options["against"])),
    ]


def _named(document: EvaluateDocument) -> str:
    """Return the law as a command names it: one's own by its file."""
    label, files = document["law"]["label"], document["law"]["files"]
    return f"{files[0]}:{label}" if files else label


def _command(document: EvaluateDocument) -> str:
    options = document["options"]
    effort = options["effort"]
    return command(
        "evaluate",
        _named(document),
        paths=[],
        options=[
            ("against", ",".join(options["against"])),
            ("only", ",".join(options["only"]) or None),
            (effort, True if effort != "standard" else None),
            ("replications", options["replications"]),
            ("seed", document["seed"]),
        ],
    )
