"""The one table of a comparison: TCPs and remedies over a channel by goodput, with the verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from airtcp.data.metrics import record
from airtcp.questions.compare import answer_remedies, delay, quantities, verdict
from airtcp.questions.compare import findings_remedies as remedies_words
from airtcp.questions.compare import tables_columns as laid_out
from airtcp.words import sentences as words
from airtcp.words.grid import Column, Grid, cut, elided

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import CompareCase, CompareSubject, Estimate, Outcome, Remedies

ROWS: Final = 10
"""TCPs and remedies in the table of an answer."""
_NAME: Final = 36
"""Characters of a name in the table."""
_TITLE: Final = 60
_VERDICT: Final = "verdict"
_STRENGTHS: Final = {
    "goodput": "more goodput",
    "delay": "sooner",
    "waste": "less overhead",
    "share": "others get more",
}


@dataclass(frozen=True)
class _Row:
    outcome: Outcome
    said: str
    """Its place in the verdict."""
    stays: bool
    """Whether the sentences may name it, so that it stays in a short table."""


def table(
    subject: CompareSubject, rival: str | None = None, rows: int = ROWS, flow: str | None = None
) -> Grid:
    """Return the table of TCPs and remedies over a scenario or link, by goodput.

    Args:
        subject: The scenario or link.
        rival: The TCP of the flow beside each.
        rows: Most rows.
        flow: The only flow whose TCP is replaced, if there is one.
    """
    own = quantities.own(subject, flow)
    case, remedies = subject["cases"][0], subject["remedies"]
    both = remedies is not None and answer_remedies.beside(case, remedies)
    plain = remedies["reference"] if both and remedies is not None else None
    found: list[_Row] = []
    for outcome in case["outcomes"]:
        said, stays = _place(case, outcome["variant"])
        if outcome["variant"] == plain and (case["replications"] > 1 or said):
            said, stays = said or "without a remedy", True
        if outcome["variant"] in own:
            said, stays = _as_it_is(said), True
        found.append(_Row(outcome, said, stays))
    if both and remedies is not None:
        listed = {row.outcome["variant"] for row in found}
        found += [
            _Row(o, *_helps(remedies, o))
            for o in remedies["outcomes"]
            if o["variant"] not in listed
        ]
    # The scenario as it is stays first of all, then what the sentences may name.
    found.sort(
        key=lambda row: (
            row.outcome["variant"] not in own,
            not row.stays,
            -(row.outcome["goodput_bps"]["mean"] or 0.0),
        )
    )
    out = {entry["variant"] for entry in case["verdict"]["not_ranked"]}
    # A reader takes the first row, which therefore is one that is ranked.
    shown = sorted(
        found[:rows],
        key=lambda row: (
            row.outcome["variant"] in out,
            -(row.outcome["goodput_bps"]["mean"] or 0.0),
        ),
    )
    outcomes = [row.outcome for row in shown]
    head = "TCP or remedy" if both else "TCP"
    share = quantities.measure(case, "share") if rival is None and not both else None
    columns = _columns(
        outcomes,
        rival,
        both=both,
        cells=quantities.cells(subject),
        share=None if share is None else share["quantity"],
    )
    if any(row.said for row in shown):
        columns.append(Column(_VERDICT, [row.said for row in shown], left=True))
    names = [elided(outcome["variant"], _NAME) for outcome in outcomes]
    return Grid(head, names, columns, title(subject, case), len(found) - len(shown))


def with_failed(grid: Grid, names: Sequence[str]) -> Grid:
    """Return the table with a row for each TCP that failed and has no numbers."""
    if not names:
        return grid
    columns, blanks = list(grid.columns), [""] * len(names)
    if not columns or columns[-1].head != _VERDICT:
        columns.append(Column(_VERDICT, [""] * len(grid.names), left=True))
    verdict_column = columns.pop().extended(["failed"] * len(names), blanks)
    columns = [column.extended(blanks, [None] * len(names)) for column in columns]
    shown = [elided(name, _NAME) for name in names]
    return replace(grid, names=[*grid.names, *shown], columns=[*columns, verdict_column])


def _as_it_is(said: str) -> str:
    """Name the row of the scenario as it is, beside its place in the verdict."""
    return f"scenario's own, {said}" if said and said != "without a remedy" else "scenario's own"


def title(subject: CompareSubject, case: CompareCase) -> str:
    """Say what the table has, and over how many runs."""
    name = cut(subject["title"], _TITLE) if subject["title"] else elided(subject["name"], _TITLE)
    if case["over"] == "stretches":
        slot = words.number((subject["slot_s"] or 0.0) * 1e3, 2)
        assumed = f" (slot {slot} ms assumed)" if subject["slot_assumed"] else ""
        over = f"{quantities.repeats(case)} of the trace{assumed}"
    else:
        runs = words.counted(case["replications"], "run")
        over = f"{runs} of {subject['duration_s']:g} s"
    return f"{name}: {over}{', 95 % intervals' if case['replications'] > 1 else ''}"


def _columns(
    outcomes: list[Outcome], rival: str | None, *, both: bool, cells: bool, share: str | None
) -> list[Column]:
    """Return the columns of quantities.

    Args: outcomes: The rows. rival: The TCP of the flow beside each. both: Whether remedies stand
        beside TCPs. cells: Whether the scenario has cells. share: What measures how others fare.
    """
    values, units = zip(*(quantities.goodput(outcome) for outcome in outcomes), strict=True)
    metrics = record("compare", "Outcome")
    head = f"goodput{' ' if rival is None else chr(10)}({units[0]})"
    goodput = _mean_column(head, list(values), 1.0)
    laid: list[Column | None] = [goodput]
    if rival is not None:
        shares = [outcome["share"] for outcome in outcomes]
        laid.append(_mean_column("share (%)", shares, 100.0, words.SHARE))
        rivals = [outcome["rival_goodput_bps"] for outcome in outcomes]
        laid.append(_mean_column(f"{elided(rival, 20)} gets\n(Mb/s)", rivals, 1e-6))
    # The queue is that of a link; in front of a cell it says nothing.
    keys = ["delivery_p95_s", "retransmission_ratio"]
    keys = keys if cells else ["queue_delay_s", *keys]
    if both:
        keys = ["delivery_p95_s", "bytes_per_byte"]
    elif rival is not None:
        keys = ["delivery_p95_s"]
    if share is not None:
        keys = [share, *keys]
    for key in keys:
        column = laid_out.plain(metrics[key], outcomes)
        laid.append(column if column is None else _ranked(column, len(laid)))
    return [column for column in laid if column is not None]


def _ranked(column: Column, rank: int) -> Column:
    return Column(column.head, column.cells, column.short, rank, column.left, column.keys)


def _mean_column(
    head: str,
    values: list[Estimate | None],
    scale: float,
    limits: tuple[float, float] = words.NOT_NEGATIVE,
) -> Column | None:
    """Return a column of means with short intervals; none without a value."""
    if all(value is None or value["mean"] is None for value in values):
        return None
    cells = [words.estimate(value, scale, limits, short=True) for value in values]
    keys = [None if value is None else value["mean"] for value in values]
    return Column(head, cells, keys=keys)


def _place(case: CompareCase, name: str) -> tuple[str, bool]:
    """Return the place of a TCP in the verdict, and whether sentences may name it."""
    found, unknown = case["verdict"], verdict.open_ones(case)
    if not any(outcome["goodput_bps"]["mean"] for outcome in case["outcomes"]):
        return "", True
    others = {entry["variant"]: entry["better"] for entry in found["alternatives"]}
    if why := verdict.left_out(case, name):
        return why, True
    if found["first"] is None or len(case["outcomes"]) == 1:
        return "", True
    said = ""
    if name in others:
        said = ", ".join(_STRENGTHS[criterion] for criterion in others[name])
    elif name in unknown or (name == found["first"] and unknown and not others):
        said = "may be best"
    elif name == found["first"]:
        tentative = verdict.better_in_the_mean(case, name)
        said = "best TCP so far" if tentative else "best TCP"
        said = "best TCP for goodput" if others else said
    elif name in verdict.equivalent(case):
        said = "as good"
    return said, bool(said)


def _helps(remedies: Remedies, outcome: Outcome) -> tuple[str, bool]:
    """Return what a remedy does, and whether sentences may name it."""
    name, difference = outcome["variant"], outcome["difference"]
    if difference is None:
        return "without a remedy", True
    if why := verdict.left_out(remedies, name):
        return why, False
    if remedies["replications"] <= 1:
        return "", True
    if helps := _gains(remedies, outcome):
        return helps, True
    if quantities.untested(difference):
        return "not tested", False
    less = difference["standing"] == "less" and not words.negligible(difference["percent"])
    return ("lowers goodput" if less else "not shown to help"), False


def _gains(remedies: Remedies, outcome: Outcome) -> str:
    """Return how a remedy helps; nothing if it is not shown to help."""
    name = outcome["variant"]
    if remedies["aim"] == "delay":
        found = [each["variant"] for each in delay.shorter(remedies)]
        place = "best remedy" if name in found[:1] else "sooner"
        return place if name in found else ""
    helpful = remedies_words.helpful(remedies)
    if helpful is None:
        # Gains by their own intervals are no help if all remedies together show none.
        return ""
    if name == helpful:
        return "helps" if verdict.open_ones(remedies) else "best remedy"
    if name in verdict.equivalent(remedies):
        return "as good"
    return "helps" if remedies_words.raises(remedies, outcome) else ""
