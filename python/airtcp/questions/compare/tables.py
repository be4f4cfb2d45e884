"""The tables of a comparison: TCPs over one channel, and a line for each of several links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.questions.compare import quantities, verdict
from airtcp.questions.compare.tables_columns import against, means, places, plain
from airtcp.words import columns as metrics
from airtcp.words import sentences as words
from airtcp.words.grid import Column, Grid
from airtcp.words.sentences import SHARE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import CompareCase, CompareSubject

ROWS: Final = 40
"""Maximum number of lines of the overview."""


def heading(subject: CompareSubject, case: CompareCase) -> str:
    """Name a subject with its channel and what was repeated how often."""
    parts = [quantities.repeats(case)]
    if case["channel"] != "scenario":
        parts.insert(0, f"over {quantities.CHANNELS[case['channel']]}")
    if subject["kind"] != "trace":
        parts.append(f"{words.number(subject['duration_s'])} s each")
    if subject["slot_assumed"]:
        parts.append(f"slot {words.number((subject['slot_s'] or 0.0) * 1e3, 2)} ms assumed")
    return f"{subject['title'] or subject['name']} ({', '.join(parts)})"


def case_grid(
    case: CompareCase, reference: str, rival: str | None, title: str = "", *, cells: bool = False
) -> Grid:
    """Return the table of TCPs of one case, with every column.

    Args:
        case: The case.
        reference: The TCP that the others are compared with.
        rival: The TCP that shared the path with each.
        title: The title of the table.
        cells: Whether the scenario has 802.11 cells, so that the queue is one before them.
    """
    outcomes = case["outcomes"]
    unit = quantities.goodput(outcomes[0])[1]
    # Others are beside a rival, which has its own column.
    plains = [m for m in metrics.outcomes() if not (rival and m.key == "others_goodput_bps")]
    laid = [
        means(f"goodput\n({unit})", [quantities.goodput(o)[0] for o in outcomes], 1.0),
        against(reference, outcomes) if len(outcomes) > 1 else None,
        means("share\n(%)", [o["share"] for o in outcomes], 100.0, limits=SHARE),
        means(f"{rival} gets\n(Mb/s)", [o["rival_goodput_bps"] for o in outcomes], 1e-6, 1),
        *(plain(metric, outcomes, wired=cells) for metric in plains),
    ]
    names = [outcome["variant"] for outcome in outcomes]
    laid.insert(2, places(case))
    return Grid("TCP", names, [column for column in laid if column is not None], title)


def choices(compared: Sequence[tuple[str, CompareCase]]) -> list[Grid]:
    """Return the table of TCPs over one link, or the verdict over each of several.

    Args:
        compared: Name and case of each link; none, and there is no table.
    """
    if len(compared) > 1:
        return [overview(compared)]
    return [case_grid(case, quantities.reference_of(case), None) for _, case in compared]


def overview(compared: Sequence[tuple[str, CompareCase]], rows: int = ROWS) -> Grid:
    """Return the verdict over each of several links, a line each.

    Args:
        compared: Name and case of each link.
        rows: Most lines.
    """
    cases = [case for _, case in compared]
    columns = [
        Column("best choice", [verdict.best_text(case) or "-" for case in cases], left=True),
        Column("goodput", [_goodput(case) for case in cases], rank=2),
        Column(
            "other strengths",
            [_names([c["variant"] for c in case["verdict"]["alternatives"]]) for case in cases],
            rank=1,
            left=True,
        ),
        Column(
            "worse",
            [_names([c["variant"] for c in case["verdict"]["worse"]]) for case in cases],
            rank=3,
            left=True,
        ),
    ]
    return Grid("link", [name for name, _ in compared], columns).first(rows)


def _goodput(case: CompareCase) -> str:
    name = quantities.best(case)
    return (
        "-"
        if name is None
        else quantities.mean_text(quantities.outcome_of(case, name), "goodput_bps")
    )


def _names(names: list[str]) -> str:
    return ", ".join(names) or "-"
