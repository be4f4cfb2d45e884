"""The answer of a reproduction: how many published rows are met, and which figure misses why.

It follows from the rows. Rows without data count neither as met nor as missed.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from airtcp.words import sentences as words
from airtcp.words.answer import DEEPER, Answer
from airtcp.words.grammar import NUMBERS, numbers
from airtcp_papers import tables
from airtcp_papers.rows import counted, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp_papers.rows import Counts, Row

_LONGEST: Final = 240
"""Characters of a sentence with a cause; a longer cause is behind --details."""


def answer(rows: Sequence[Row], *, interrupted: bool) -> Answer:
    """Return the answer of a reproduction.

    Args:
        rows: The rows.
        interrupted: Whether the work was stopped before its end.
    """
    published, own = counted(rows)
    return Answer(
        _headline(published, own),
        _miss(rows),
        _doubt(rows, published, own, interrupted=interrupted),
        tables.best(rows),
        DEEPER,
        (tables.whole(rows), *tables.remarks(rows)) if rows else (),
    )


def names(rows: Sequence[Row]) -> list[str]:
    """Return the names in sentences that may hold numbers: ids and measures."""
    return [name for row in rows for name in (row["id"], shown(row), row["metric"])]


def _headline(published: Counts, own: Counts) -> str:
    for counts, what in ((published, "published row"), (own, "own statement")):
        judged = counts["rows"] - counts["skipped"]
        if not judged:
            continue
        whole = words.counted(judged, what)
        if counts["met"] == judged:
            are = "is" if judged == 1 else "are"
            return f"{'The' if judged == 1 else 'All'} {_one(whole, judged)} {are} met."
        none = f"None of {whole} is met."
        return f"{words.count(counts['met'])} of {whole} are met." if counts["met"] else none
    if published["skipped"] + own["skipped"]:
        return "No row can be judged: its data are not here."
    return "No row is finished."


def _one(whole: str, number: int) -> str:
    return whole.removeprefix("1 ") if number == 1 else whole


def _miss(rows: Sequence[Row]) -> str | None:
    """Say which figure misses most, and why; or which is undecided, and what would tell."""
    ours = all(row["own"] for row in rows)
    counted_rows = [row for row in rows if ours or not row["own"]]
    missed = [row for row in counted_rows if row["verdict"] == "not reproduced"]
    if not missed:
        open_ = [row for row in counted_rows if row["verdict"] == "undecided"]
        if not open_:
            return None
        id_, number = Counter(row["id"] for row in open_).most_common(1)[0]
        where = "" if number == len(open_) else " most of all"
        return f"Cannot tell for {words.counted(len(open_), 'row')}, {id_}{where}: more --runs may."
    by_figure = Counter(row["id"] for row in missed)
    id_, number = by_figure.most_common(1)[0]
    own = [row for row in missed if row["id"] == id_]
    causes = Counter(row["cause"] for row in own)
    cause, with_cause = causes.most_common(1)[0]
    first = next(row for row in own if row["cause"] == cause)
    what = shown(first) if number == 1 else _several(number, len(by_figure))
    plain = _sentence(cause) if number in {with_cause, 1} else ""
    known = [*names(rows)]
    found: str | None = None
    for why in (plain, tables.fact(first) if number == 1 else ""):
        said = f"{id_} misses {what}: {why}." if why else ""
        if said and len(said) <= _LONGEST and len(numbers(said, known)) <= NUMBERS:
            found = said
            break
    if found is None:
        others = "; no cause is known" if not any(causes) else "; --details has why"
        found = f"{id_} misses {what}{others}."
    return found


def _several(number: int, figures: int) -> str:
    return f"{words.count(number)} rows{', the most of all figures' if figures > 1 else ''}"


def _sentence(cause: str) -> str:
    """Return the first sentence of a cause, without its end."""
    first = re.split(r"(?<=[^.])\. (?=[A-Z])", cause.strip())[0].rstrip(".")
    return re.sub(r"\s+", " ", first)


def _doubt(rows: Sequence[Row], published: Counts, own: Counts, *, interrupted: bool) -> str | None:
    """Say what the answer rests on that could be wrong; the most serious first."""
    if interrupted:
        return "Stopped before the end: other figures are not finished."
    skipped = published["skipped"] + own["skipped"]
    judged = published["rows"] + own["rows"] - skipped
    depend = sum(bool(row["depends_on"]) for row in rows)
    open_ = published["undecided"] if published["missed"] else 0
    made, derived = published["constructed"], published["derived"]
    said = (
        (skipped if judged else 0, "skipped: AIRTCP_DATA names no folder with {their} data"),
        (open_, "undecided: more --runs may tell"),
        (depend, "judged by a value that the publication leaves open"),
        (made, "met by construction: the links were made so"),
        (derived, "met on figures from which a setting was derived"),
    )
    for number, why in said:
        if number:
            are, their = ("is", "its") if number == 1 else ("are", "their")
            return f"{words.counted(number, 'row')} {are} {why.format(their=their)}."
    return None
