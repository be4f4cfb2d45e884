"""Results of reproductions that are kept beside the papers, with fingerprints of their inputs.

`docs/papers/results/S2.json` holds for every figure of a paper its rows, its measures, and a
fingerprint of its inputs: the figure's file, `paper.toml`, and every scenario and set of links that
it reads. A figure is *stale* if its inputs have another fingerprint now, and *missing* without a
record. Alternatives of open parameters are kept for the papers whose page shows them, with the
repeats that `scripts/papers` sets. Pages of the documentation are made from these files
(`airtcp_papers.pages`).
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final, NotRequired, TypedDict, cast

from airtcp_papers import drivers
from airtcp_papers.library import read_toml
from airtcp_papers.rows import explained

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from airtcp_papers.library import Library
    from airtcp_papers.paper import Figure
    from airtcp_papers.runs import Reproduced

_ROW: Final = (
    "kind", "metric", "at", "words", "published", "published_interval", "here", "here_interval",
    "right", "unit", "verdict", "cause", "shown_by", "tried", "own", "by_construction", "derived",
)  # fmt: skip
_ALTERNATIVE: Final = (
    "kind", "metric", "at", "published", "published_interval", "unit", "here", "verdict",
)  # fmt: skip
_WORDS: Final = {"reason", "shown_by", "tried"}
_DIGITS: Final = 6
_SHORTEST_S: Final = 0.1
"""A measured time is recorded as this at least, because 0 stands for none."""


class Record(TypedDict):
    """The kept results of a figure."""

    fingerprint: str
    version: str
    seed: int
    cpu_s: float
    """Processor time that it takes by itself; 0 if that was not measured."""
    measures: list[dict[str, Any]]
    rows: list[dict[str, Any]]
    alternatives: NotRequired[list[dict[str, Any]]]
    """The rows with their alternatives, from `alternative_runs` repeats."""
    alternative_runs: NotRequired[int]


def fingerprint(figure: Figure, library: Library) -> str:
    """Return a hash of a figure's inputs, except the program and measured data.

    The causes of rows do not count, because no measurement uses them (`reword`).
    """
    whole = hashlib.sha256()
    named = {figure.path, figure.paper.path, *drivers.files(figure, library)}
    for path in sorted(named, key=lambda path: (path.parent.name, path.name)):
        content = json.dumps(_without_words(read_toml(path)), sort_keys=True).encode()
        whole.update(f"{path.parent.name}/{path.name} {len(content)}\n".encode())
        whole.update(content)
    return whole.hexdigest()[:16]


def _without_words(value: Any) -> Any:
    """Return a table without the causes of unmet rows."""
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        return {key: _without_words(one) for key, one in table.items() if key not in _WORDS}
    if isinstance(value, list):
        return [_without_words(one) for one in cast("list[Any]", value)]
    return value


def reword(folder: Path, library: Library, paper: str) -> dict[str, Record]:
    """Return the records of a paper, with the present causes of its files."""
    records = read(folder, paper)
    for id_ in library.choose([paper]):
        if id_ not in records:
            continue
        figure = drivers.read_figure(library, id_)
        said = [*figure.published, *figure.claims]
        rows = records[id_]["rows"]
        if len(rows) != len(said) or records[id_]["fingerprint"] != fingerprint(figure, library):
            continue
        for row, one in zip(rows, said, strict=True):
            row.update(explained(one, row["verdict"]))
    return records


def write(folder: Path, paper: str, records: dict[str, Record]) -> None:
    """Write the records of a paper."""
    place(folder, paper).write_text(_text(records), "utf-8")


def place(folder: Path, paper: str) -> Path:
    """Return the file of a paper's results in the folder of results."""
    return folder / f"{paper}.json"


def read(folder: Path, paper: str) -> dict[str, Record]:
    """Read the records of a paper by id of the figure; none if there is no file."""
    path = place(folder, paper)
    return json.loads(path.read_text("utf-8")) if path.is_file() else {}


def keep(
    folder: Path,
    found: Iterable[Reproduced],
    library: Library,
    seed: int,
    cpu_s: float | None = None,
) -> list[Path]:
    """Add reproduced figures to the files of their papers.

    Args: folder: The folder of results. found: The reproduced figures. library: The papers. seed:
        The root seed. cpu_s: Processor time of each; `None` if it was not measured. An existing
        record keeps its own if that is more, because cached results take no time.

    Returns:
        The files.
    """
    from airtcp.data import extension

    papers: dict[str, dict[str, Record]] = {}
    for one in found:
        name = one.figure.paper.id
        records = papers.setdefault(name, read(folder, name))
        kept = records.get(one.figure.id)
        before = (kept.get("cpu_s") or 0.0) if kept else 0.0
        now = 0.0 if cpu_s is None else max(cpu_s, _SHORTEST_S)
        records[one.figure.id] = {
            "fingerprint": fingerprint(one.figure, library),
            "version": extension.version(),
            "seed": seed,
            "cpu_s": round(max(now, before), 1),
            "measures": [
                _short(
                    {
                        "metric": m.metric,
                        "at": dict(m.at),
                        "value": m.value,
                        "interval": None if m.low is None else [m.low, m.high],
                        "unit": m.unit,
                    }
                )
                for m in one.outcome.measures
            ],
            "rows": [_short({key: row[key] for key in _ROW}) for row in one.rows],
        }
    written: list[Path] = []
    for name, records in papers.items():
        path = place(folder, name)
        path.parent.mkdir(exist_ok=True)
        ordered = {id_: records[id_] for id_ in library.choose([name]) if id_ in records}
        path.write_text(_text(ordered), "utf-8")
        written.append(path)
    return written


def keep_alternatives(folder: Path, found: Iterable[Reproduced], runs: int) -> None:
    """Add the effect of alternatives to the records of the same figures.

    Args: folder: The folder of results. found: The reproduced figures, with alternatives. runs:
        Their number of repeats.
    """
    for one in found:
        name = one.figure.paper.id
        records = read(folder, name)
        rows = [
            {
                **{key: row[key] for key in _ALTERNATIVE},
                "sensitivity": [
                    {
                        "assumption": s["assumption"],
                        "alternative": s["alternative"],
                        "here": s["here"],
                        "verdict": s["verdict"],
                    }
                    for s in row["sensitivity"]
                ],
            }
            for row in one.rows
            if row["sensitivity"]
        ]
        if rows and one.figure.id in records:
            records[one.figure.id]["alternatives"] = [_short(row) for row in rows]
            records[one.figure.id]["alternative_runs"] = runs
            place(folder, name).write_text(_text(records), "utf-8")


def stale(folder: Path, library: Library, paper: str) -> list[str]:
    """Name the figures of a paper whose record has other inputs than the present ones."""
    records = read(folder, paper)
    return [
        id_
        for id_ in library.choose([paper])
        if id_ in records
        and records[id_]["fingerprint"] != fingerprint(drivers.read_figure(library, id_), library)
    ]


def missing(folder: Path, library: Library, paper: str) -> list[str]:
    """Name the figures of a paper that have no record."""
    return [id_ for id_ in library.choose([paper]) if id_ not in read(folder, paper)]


def untimed(records: dict[str, Record]) -> list[str]:
    """Name the figures whose processor time was not measured."""
    return [id_ for id_, kept in records.items() if not kept.get("cpu_s")]


def _short(value: Any) -> Any:
    """Round numbers, so that files do not change in last digits."""
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, dict):
        return {key: _short(one) for key, one in cast("dict[str, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_short(one) for one in cast("list[Any]", value)]
    return value


def _text(records: dict[str, Record]) -> str:
    """Write a line for every row and measure, which makes changes easy to find."""
    parts: list[str] = []
    for id_, record in records.items():
        head = {key: record.get(key) for key in ("fingerprint", "version", "seed", "cpu_s")}
        lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
        if "alternatives" in record:
            lines.append(f' "alternative_runs": {record.get("alternative_runs")}')
        tables = {"measures": record["measures"], "rows": record["rows"]}
        if "alternatives" in record:
            tables["alternatives"] = record["alternatives"]
        for key, table in tables.items():
            each = ",\n  ".join(json.dumps(one, ensure_ascii=False) for one in table)
            lines.append(f' "{key}": [\n  {each}\n ]')
        parts.append(f"{json.dumps(id_)}: {{\n" + ",\n".join(lines) + "\n}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
