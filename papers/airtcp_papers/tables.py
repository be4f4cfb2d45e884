"""Tables of reproduced rows: the misses first for the answer, and all of them for the details."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from airtcp.words import sentences as words
from airtcp.words.grid import Column, Grid, Toned, elided
from airtcp.words.sentences import Finding
from airtcp_papers.rows import interval, shown, told
from airtcp_papers.verdict import MET

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp_papers.rows import Row

ROWS: Final = 12
"""Rows in the table of an answer."""
MOST: Final = 2000
"""Rows in the table of a page."""
_MEASURE: Final = 28
_PUBLISHED: Final = 14
_SHORT: Final = {
    "within interval": "met",
    "within tolerance": "met",
    "ordering holds": "met",
    "undecided": "undecided",
    "not reproduced": "not met",
    "skipped": "skipped",
}
_ORDER: Final = ("not reproduced", "undecided", *MET, "skipped")
_MEANINGS: Final = {
    "*": "depends on what the publication leaves open",
    "=": "met by construction of the links",
    "^": "a setting was derived from what this row is judged on",
    "o": "our own statement, not the publication's",
    "~": "holds on average, not in every repeat",
}


def by_verdict(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that are not met first, then those undecided, those met, those skipped.

    Of those that are not met, the figure with the most stands first.
    """
    place = {verdict: number for number, verdict in enumerate(_ORDER)}
    for verdict in MET:
        place[verdict] = place[MET[0]]
    missed = Counter(
        row["id"] for row in rows if row["verdict"] == "not reproduced" and not row["own"]
    )

    def order(row: Row) -> tuple[int, bool, int]:
        first = row["verdict"] == "not reproduced"
        return place[row["verdict"]], bool(row["own"]), -missed[row["id"]] if first else 0

    return sorted(rows, key=order)


def best(rows: Sequence[Row], number: int = ROWS) -> Grid | None:
    """Return the table of an answer: the misses first.

    Args:
        rows: All rows.
        number: Most rows in the table.
    """
    cut = by_verdict(rows)[:number]
    if not cut:
        return None
    measures, values = [shown(row) for row in cut], [published(row) for row in cut]
    columns = [
        Column("measure", measures, [elided(text, _MEASURE) for text in measures], left=True),
        Column("published", values, [elided(text, _PUBLISHED) for text in values], left=True),
        Column("here", [here(row) for row in cut], keys=[row["here"] for row in cut]),
        Column("verdict", [_verdict(row, _SHORT[row["verdict"]]) for row in cut], left=True),
    ]
    return Grid(
        "id", [row["id"] for row in cut], columns, "Published, and here", len(rows) - len(cut)
    )


def whole(rows: Sequence[Row]) -> Grid:
    """Return the table of all rows, in the order of the files."""
    marked = [f"{row['verdict']} {marks(row)}".strip() for row in rows]
    columns = [
        Column("measure", [shown(row) for row in rows], left=True),
        Column("published", [published(row) for row in rows], left=True),
        Column("here", [here(row, long=True) for row in rows]),
        Column("ratio", [_number(row["ratio"]) for row in rows], rank=2),
        Column(
            "verdict",
            [_verdict(row, text) for row, text in zip(rows, marked, strict=True)],
            left=True,
        ),
    ]
    return Grid("id", [row["id"] for row in rows], columns)


def remarks(rows: Sequence[Row]) -> list[Finding]:
    """Say what the marks mean, why rows are not met, and on what verdicts depend."""
    used = "".join(map(marks, rows))
    said = [f"{mark} {meaning}" for mark, meaning in _MEANINGS.items() if mark in used]
    found = [Finding("Marks", f"{'; '.join(said)}.")] if said else []
    return [*found, *_unmet(rows), *_dependent(rows), *_skipped(rows)]


def _unmet(rows: Sequence[Row]) -> list[Finding]:
    """Say why rows are not met, those with a common cause together."""
    causes: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if row["verdict"] in {"not reproduced", "undecided"}:
            causes.setdefault((row["id"], row["verdict"], row["cause"]), []).append(row)
    found: list[Finding] = []
    for (id_, verdict, cause), missed in causes.items():
        # The reason of a row is the fact followed by the cause, which several rows may share.
        facts = [f"{shown(row)}: {fact(row)}" for row in missed]
        why = f". {words.begun(cause)}." if cause else "."
        found.append(Finding(f"{id_} {verdict}", "; ".join(facts) + why, "warn"))
    return found


def _dependent(rows: Sequence[Row]) -> list[Finding]:
    """Say on which assumptions verdicts depend."""
    found: list[Finding] = []
    for row in rows:
        if not row["depends_on"]:
            continue
        other = [
            f"{s['assumption']} ({s['status']}) {told(s['alternative'])}: {_number(s['here'])}, "
            f"{s['verdict']}"
            for s in row["sensitivity"]
            if (s["verdict"] in MET) != (row["verdict"] in MET)
        ]
        text = f"{_number(row['here'])}, {row['verdict']}; with {'; '.join(other)}."
        found.append(Finding(f"* {row['id']} {shown(row)}", text))
    return found


def _skipped(rows: Sequence[Row]) -> list[Finding]:
    """Count the rows that were skipped, by reason."""
    reasons = Counter(row["reason"] for row in rows if row["verdict"] == "skipped")
    return [Finding(f"{number} skipped", f"{reason}.") for reason, number in reasons.items()]


def fact(row: Row) -> str:
    """Return the reason of a row without its cause."""
    if not row["cause"]:
        return row["reason"]
    return row["reason"].removesuffix(row["cause"]).removesuffix("; ")


def published(row: Row) -> str:
    """Write the published value, or the claimed ordering."""
    said = row["published"]
    unit = f" {row['unit']}" if row["unit"] and row["kind"] == "value" else ""
    if isinstance(said, str):
        return said + unit
    ends = row["published_interval"]
    return _number(said) + (f" {interval(*ends)}" if ends else "") + unit


def here(row: Row, *, long: bool = False) -> str:
    """Write the value here, or both sides of an ordering; with its interval if `long`."""
    text = _number(row["here"])
    low, high = row["here_interval"] or (None, None)
    if long and low is not None and high is not None:
        text += f" [{_number(low)}, {_number(high)}]"
    if row["kind"] == "ordering" and row["right"] is not None and row["here"] is not None:
        text += f" : {_number(row['right'])}"
    known = row["unit"] and row["kind"] == "value" and row["here"] is not None
    return f"{text} {row['unit']}" if known else text


def marks(row: Row) -> str:
    """Return the marks of a row: what its verdict rests on."""
    met = row["verdict"] in MET
    found = "*" if row["depends_on"] else ""
    found += "=" if row["by_construction"] and met else ""
    found += "^" if row["derived"] and met else ""
    if row["kind"] == "ordering" and met and row["repeats"]:
        held, of = row["repeats"]
        found += "~" if held < of else ""
    return found + ("o" if row["own"] else "")


def _verdict(row: Row, text: str) -> str:
    if row["verdict"] == "not reproduced":
        return Toned.of(text, "bad")
    if row["verdict"] == "undecided":
        return Toned.of(text, "warn")
    return Toned.of(text, "faint" if row["verdict"] == "skipped" else "good")


def _number(value: float | None) -> str:
    return "-" if value is None else words.number(value)
