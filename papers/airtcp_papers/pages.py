"""The parts of a page that are made from results: the text between two marks.

A page has blocks

    <!-- results: counts S2 -->
    ...
    <!-- end of results -->

and the text between the marks is replaced by the records of `airtcp_papers.record`:

| block | gives |
|---|---|
| `counts S2` | counts of the verdicts of these figures' rows, published and own |
| `missed S2` | a table of the published rows that are not met or undecided, with the cause |
| `own S2` | the same of our own statements |
| `rows S1 set=tum-tsch` | all rows at a condition, met or not, with their verdicts |
| `table S2.table1 goodput cols=loss` | measures by conditions; in brackets what is printed |
| `csv ../figures/ns2/capture.csv` | a file of comma-separated values, named from the page |
| `cost S2` | the processor time of the figures, each by itself |
| `alternatives S1 "link model"` | rows met under each alternative of an assumption, and values |

`alternatives` takes the measures of its lines, each with its figure in front: "S1.fig3
slowest[set=mirage-ch26, prr=0.34]".

`table` takes several measures, each in a column if there is no `cols=`, `rows=` for conditions that
make lines,
"where loss=50,transport=SACK" for those left over, and `digits=2`: digits after the point.

A value in a sentence is written as

    <!-- = S0.table5 goodput rtt_ms=200 protocol=SACK attempts=3 .2 -->0.23<!-- . -->

the figure, the measure (in quotation marks if it has blanks), its conditions, and the digits after
the point. `airtcp_papers.page_checks` finds numbers that come from neither results nor inputs.
"""

from __future__ import annotations

import csv
import re
import shlex
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp.words import sentences as words
from airtcp_papers.form import refuse
from airtcp_papers.paper import term
from airtcp_papers.rows import interval, said_counts, shown, told
from airtcp_papers.verdict import MET

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from airtcp_papers.record import Record
    from airtcp_papers.rows import Row

_BLOCK: Final = re.compile(r"(<!-- results: (.+?) -->\n).*?(<!-- end of results -->)", re.DOTALL)
_VALUE: Final = re.compile(r"(<!-- = (.+?) -->).*?(<!-- \. -->)", re.DOTALL)
_NONE: Final = "-"


def written(page: str, records: Mapping[str, Record], home: Path | None = None) -> str:
    """Return a page with its blocks and values made from the records.

    Args:
        page: Its text.
        records: Those of its paper, and of others that it names, by id.
        home: The folder that files are named from.
    """
    page = filled(page, lambda asked: _block(asked, records, home))
    return _VALUE.sub(lambda found: f"{found[1]}{_value(found[2], records)}{found[3]}", page)


def filled(page: str, make: Callable[[str], str]) -> str:
    """Return a page with its blocks filled by `make`."""
    return _BLOCK.sub(lambda found: f"{found[1]}{make(found[2])}\n{found[3]}", page)


def by_hand(page: str) -> str:
    """Return the handwritten part of a page."""
    return _VALUE.sub("", _BLOCK.sub("", page))


def blocks(page: str) -> list[str]:
    """List the requests of a page's blocks."""
    return [found[2] for found in _BLOCK.finditer(page)]


def shows_alternatives(page: str) -> bool:
    """Return whether a page has a table of alternatives."""
    return any(asked.startswith("alternatives ") for asked in blocks(page))


def _value(asked: str, records: Mapping[str, Record]) -> str:
    id_, *rest = shlex.split(asked)
    record = records.get(id_)
    if record is None:
        refuse(f'value "{asked}": there are no results of "{id_}"')
    at = _key(term(f"x[{','.join(part for part in rest if '=' in part)}]").at)
    named = [part for part in rest if "=" not in part]
    digits = int(named.pop()[1:]) if named[-1].startswith(".") else 2
    metric = " ".join(named)
    for one in record["measures"]:
        if one["metric"] == metric and _key(one["at"]) == at and one["value"] is not None:
            return f"{one['value']:.{digits}f}"
    return refuse(f'value "{asked}": "{id_}" has no such measure')


def _block(asked: str, records: Mapping[str, Record], home: Path | None) -> str:
    kind, *rest = shlex.split(asked)
    if kind == "csv" and len(rest) == 1 and home is not None:
        return _csv(home / rest[0])
    if kind == "cost" and len(rest) == 1:
        return _cost(rest[0], records)
    if kind == "table":
        return _table(rest, records)
    if kind == "alternatives" and len(rest) > 1:
        return _alternatives(rest[0], rest[1], rest[2:], records)
    if kind == "rows" and len(rest) == 2:  # noqa: PLR2004 - the id and the condition
        return _where(_rows(rest[0], records), rest[1])
    makers = {"counts": _counts, "missed": _missed, "own": _own}
    if kind not in makers or len(rest) != 1:
        refuse(
            f'block "{asked}": expected counts, missed, own or cost with an id, rows, table, '
            "alternatives or csv"
        )
    return makers[kind](_rows(rest[0], records))


def _csv(path: Path) -> str:
    try:
        head, *lines = csv.reader(path.read_text("utf-8").splitlines())
    except (OSError, ValueError):
        refuse(f"{path}: cannot be read; expected a file of comma-separated values")
    return "\n".join([_line(head), "|" + "---|" * len(head), *map(_line, lines)])


def _cost(wanted: str, records: Mapping[str, Record]) -> str:
    found = {id_: r["cpu_s"] for id_, r in records.items() if id_.startswith(f"{wanted}.")}
    whole = sum(found.values())
    most = sorted(found, key=lambda id_: -found[id_])[:3]
    named = ", ".join(f"{id_} {found[id_]:.0f} s" for id_ in most)
    return (
        f"Each by itself, the figures take {whole / 60:.1f} minutes of processor time in all (most:"
        f" {named}). Figures with the same experiment share its runs."
    )


def _rows(wanted: str, records: Mapping[str, Record]) -> list[dict[str, Any]]:
    found = [
        {**row, "id": id_}
        for id_, record in records.items()
        if id_ == wanted or id_.split(".")[0] == wanted
        for row in record["rows"]
    ]
    if not found:
        refuse(f'there are no results of "{wanted}"')
    return found


def _counts(rows: Sequence[dict[str, Any]]) -> str:
    return "\n\n".join(said_counts(cast("Sequence[Row]", rows)))


def _missed(rows: Sequence[dict[str, Any]]) -> str:
    return _open(rows, own=False)


def _own(rows: Sequence[dict[str, Any]]) -> str:
    return _open(rows, own=True)


def _open(rows: Sequence[dict[str, Any]], *, own: bool) -> str:
    """Lay out the rows that are not met, grouped by figure and cause."""
    chosen = [
        row
        for row in rows
        if bool(row["own"]) == own and row["verdict"] in {"not reproduced", "undecided"}
    ]
    if not chosen:
        return "None."
    held_against = "stated" if own else "published"
    lines = [f"| | {held_against} | here | verdict | cause |", "|---|---|---|---|---|"]
    before: tuple[str, str] | None = None
    for row in chosen:
        cause = _cause(row)
        if before == (row["id"], cause) and cause:
            cause = "as above"
        else:
            before = (row["id"], cause)
        what = f"{row['id']} {row['words'] if row['kind'] == 'ordering' else shown(row)}"
        lines.append(
            _line([what, _published(row), _here(row), row["verdict"], cause or _unknown(row)])
        )
    return "\n".join(lines)


def _cause(row: Mapping[str, Any]) -> str:
    shown_by = [f"`{one}`" for one in row.get("shown_by", [])]
    return f"{row['cause']} (shown by {', '.join(shown_by)})" if shown_by else row["cause"]


def _unknown(row: Mapping[str, Any]) -> str:
    return "too few runs to tell" if row["verdict"] == "undecided" else "not found out"


def _where(rows: Sequence[dict[str, Any]], condition: str) -> str:
    """Lay out the rows at a condition, the unmet ones first."""
    name, _, value = condition.partition("=")
    chosen = [row for row in rows if str(row["at"].get(name)) == value]
    if not chosen:
        refuse(f'no row has the condition "{condition}"')
    chosen.sort(key=lambda row: row["verdict"] in MET)
    lines = ["| | published | here | verdict | cause |", "|---|---|---|---|---|"]
    for row in chosen:
        what = f"{row['id']} {row['words'] if row['kind'] == 'ordering' else shown(row)}"
        mark = " (own statement)" if row["own"] else ""
        cells = [what + mark, _published(row), _here(row), row["verdict"]]
        lines.append(_line([*cells, "" if row["verdict"] in MET else _cause(row)]))
    return "\n".join(lines)


def _alternatives(
    wanted: str, assumption: str, terms: Sequence[str], records: Mapping[str, Record]
) -> str:
    """Lay out the effect of an assumption's alternatives: rows met, and chosen values."""
    rows: list[dict[str, Any]] = [
        {**row, "id": id_}
        for id_, record in records.items()
        if id_.split(".")[0] == wanted
        for row in record.get("alternatives", [])
    ]
    tried: list[dict[str, Any]] = [
        s for row in rows for s in row["sensitivity"] if s["assumption"] == assumption
    ]
    named = list(dict.fromkeys(told(s["alternative"]) for s in tried))
    if not named:
        refuse(f'there are no kept alternatives of "{assumption}": scripts/papers run {wanted}')
    open_ = [row for row in rows if any(s["assumption"] == assumption for s in row["sensitivity"])]
    lines: list[list[str]] = [["", "published", "taken", *named]]
    whole = words.counted(len(open_), "row")
    counts = [sum(row["verdict"] in MET for row in open_)]
    counts += [
        sum(_under(row, assumption, name)["verdict"] in MET for row in open_) for name in named
    ]
    lines.append([f"rows met, of the {whole} that it changes", "", *map(str, counts)])
    for one in terms:
        id_, _, what = one.partition(" ")
        found = [row for row in rows if row["id"] == id_ and _key(row["at"]) == _key(term(what).at)]
        found = [row for row in found if row["metric"] == term(what).metric]
        if not found:
            refuse(f'"{id_}" has no row on "{what}"')
        row = found[0]
        under = [words.number(_under(row, assumption, name)["here"]) for name in named]
        lines.append([f"{id_} {shown(row)}", _published(row), words.number(row["here"]), *under])
    head, *rest = lines
    return "\n".join([_line(head), "|" + "---|" * len(head), *map(_line, rest)])


def _under(row: Mapping[str, Any], assumption: str, alternative: str) -> Mapping[str, Any]:
    """Return a row under an alternative; the row itself if it does not depend on it."""
    for one in row["sensitivity"]:
        if one["assumption"] == assumption and told(one["alternative"]) == alternative:
            return one
    return row


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _published(row: Mapping[str, Any]) -> str:
    said = row["published"]
    if isinstance(said, str):
        return f"{said} {row['unit']}".strip() if row["kind"] == "value" else said
    ends = row["published_interval"]
    return f"{words.number(said)}{' ' + interval(*ends) if ends else ''} {row['unit']}".strip()


def _here(row: Mapping[str, Any]) -> str:
    text = words.number(row["here"])
    if row["here_interval"]:
        text += f" {interval(*row['here_interval'])}"
    if row["kind"] == "ordering" and row["right"] is not None:
        text += f" against {words.number(row['right'])}"
    return text


def _table(asked: Sequence[str], records: Mapping[str, Record]) -> str:
    """Lay out measures of a figure: a line for each combination of the conditions `rows`."""
    options = dict(part.split("=", 1) for part in asked[1:] if "=" in part and " " not in part)
    where = dict(
        one.split("=", 1) for part in asked[1:] if part.startswith("where ")
        for one in part.removeprefix("where ").split(",")
    )  # fmt: skip
    metrics = [part for part in asked[1:] if "=" not in part]
    record = records.get(asked[0])
    if record is None:
        return f"No results of {asked[0]} are kept: `scripts/papers run {asked[0]}` makes them."
    across, down = options.get("cols", ""), [n for n in options.get("rows", "").split(",") if n]
    digits = int(options.get("digits", "2"))
    printed = {
        (row["metric"], _key(row["at"])): row["published"]
        for row in record["rows"]
        if row["kind"] == "value" and not isinstance(row["published"], str)
    }
    heads: dict[str, None] = {}
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    for metric in metrics:
        chosen = [
            one
            for one in record["measures"]
            if one["metric"] == metric
            and all(str(one["at"].get(name)) == value for name, value in where.items())
        ]
        if not chosen:
            refuse(f'"{asked[0]}" has no measure "{metric}" {where or ""}')
        for one in chosen:
            at = one["at"]
            named = f"{metric} ({one['unit']})" if one["unit"] else metric
            head = str(at[across]) if across else named
            line = (*([named] if across else []), *(str(at[name]) for name in down))
            text = _NONE if one["value"] is None else f"{one['value']:.{digits}f}"
            said = printed.get((metric, _key(at)))
            heads[head] = None
            lines.setdefault(line, {})[head] = text + ("" if said is None else f" ({said:g})")
    first = [*([""] if across else []), *("" for _ in down), *heads]
    out = [_line(first), "|" + "---|" * len(first)]
    out += [_line([*line, *(cells.get(h, _NONE) for h in heads)]) for line, cells in lines.items()]
    return "\n".join(out)


def _key(at: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return conditions as a key, with 10 equal to 10.0."""
    return tuple(
        sorted((name, f"{v:g}" if isinstance(v, float | int) else v) for name, v in at.items())
    )
