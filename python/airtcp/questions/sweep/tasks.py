"""Runs one point, in a worker.

A result is `{"n": replications, "narrow": bool, "rows": [[kind, name, [mean, low, high, ...]]]}`,
with three numbers for each measure. A scenario is parsed once for all points of a worker, and its
runs make no document: for a short run, both would take as long as the simulation.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp import _core
from airtcp.data.table import Table
from airtcp.laws import elsewhere
from airtcp.questions.sweep.paths import OPTION, value_of
from airtcp.questions.sweep.until import excess, is_zero, needed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.laws.source import Found
    from airtcp.questions.sweep.until import Estimate

Row = tuple[str, str, list[float | None]]
_LOW: Final = "_ci_low"
_HIGH: Final = "_ci_high"


def run_point(job: dict[str, Any], sets: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Run a point.

    Args: job: `Plan.job`. sets: Path and text of each value.

    Returns:
        Its result, or `{"error": message}` if its values are refused.
    """
    run = {"run": _run, "study": _study, "compare": _compare}[job["kind"]]
    try:
        return run(job, sets)
    except _core.AirtcpError as error:
        return {"error": str(error)}
    except (OSError, MemoryError) as error:
        return {"error": f"{type(error).__name__}: {error}"}
    except BaseException as error:
        # A panic of the core is no ordinary Python exception.
        if type(error).__name__ != "PanicException":
            raise
        return {"error": f"a bug in airtcp: {_core.first_panic() or error}"}


def run_batch(
    job: dict[str, Any], tasks: Sequence[tuple[int, Sequence[Sequence[str]]]]
) -> list[tuple[int, dict[str, Any]]]:
    """Run several points.

    Args: job: As for `run_point`. tasks: Number and values of each point.
    """
    return [(number, run_point(job, sets)) for number, sets in tasks]


def _run(job: dict[str, Any], sets: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Simulate the scenario, with more replications until intervals are narrow enough."""
    rule, measures = job["rule"], job["measures"]
    until: dict[str, float] = rule["until"]
    number: int | None = rule["least"] if until else rule["number"]
    every = [(path, text) for path, text in (*job["fixed"], *sets)]
    if job["seed"] is not None:
        every.append(("seed", str(job["seed"])))
    laws = json.dumps(job["laws"])
    point = _points(job["text"], job["name"], job["folder"], tuple(measures), laws).point()
    while True:
        last = [] if number is None else [("replications", str(number))]
        done, rows = point.run([*every, *last])
        if not until:
            return {"n": done, "narrow": True, "rows": rows}
        watched = _watched(rows, measures, until)
        wider = excess(watched, until)
        if wider <= 1 or done >= rule["most"]:
            zero = any(is_zero(estimate) for _, estimate in watched)
            return {"n": done, "narrow": wider <= 1 and not zero, "rows": rows}
        number = needed(done, wider, rule["most"])


@lru_cache(maxsize=1)
def _points(
    text: str, name: str, folder: str, measures: tuple[str, ...], laws: str
) -> _core.Points:
    given: dict[str, Any] | None = json.loads(laws)
    own = None if given is None else elsewhere.core_of(_loaded(laws), given["seconds"])
    return _core.Points(text, name, folder, measures, own)


@lru_cache(maxsize=1)
def _loaded(laws: str) -> list[Found]:
    """Load the laws that the sweep names, and refuse those that have changed."""
    given: dict[str, Any] = json.loads(laws)
    elsewhere.here(given["path"])
    return elsewhere.load(given["laws"])


def _watched(
    rows: list[Row], measures: Sequence[str], until: dict[str, float]
) -> list[tuple[str, Estimate]]:
    """Return the estimates whose width decides: those of every flow or link that has one."""
    places = [(name, 3 * measures.index(name)) for name in until]
    return [
        (name, cast("Estimate", tuple(values[at : at + 3])))
        for _, _, values in rows
        for name, at in places
    ]


def _split(
    job: dict[str, Any], sets: Sequence[Sequence[str]]
) -> tuple[list[list[str]], dict[str, Any]]:
    """Separate values of the scenario from those of options."""
    options: dict[str, Any] = dict(job["options"])
    paths: list[list[str]] = list(job["fixed"])
    for path, text in sets:
        if path.startswith(OPTION):
            options[path.removeprefix(OPTION)] = value_of(text)
        else:
            paths.append([path, text])
    return paths, options


def _study(job: dict[str, Any], sets: Sequence[Sequence[str]]) -> dict[str, Any]:
    from airtcp.questions.study.call import study

    _, options = _split(job, sets)
    asked: dict[str, Any] = {"compare": False, "remedies": False} | options
    if job["seed"] is not None:
        asked["seed"] = job["seed"]
    result = study(job["paths"], workers=1, **asked)
    replicas = int(result.json["options"]["replicas"])
    table = Table(result.arrow("links")).to_dict()
    return {"n": replicas, "narrow": True, "rows": _table_rows(table, "link", job["measures"])}


def _compare(job: dict[str, Any], sets: Sequence[Sequence[str]]) -> dict[str, Any]:
    from airtcp.questions.compare.call import compare

    paths, options = _split(job, sets)
    text = job["text"] or None
    more: dict[str, Any] = {"remedies": False} | options
    if laws := job["laws"]:
        _loaded(json.dumps(laws))
        more["law"] = list(dict.fromkeys(law["source"] for law in laws["laws"]))
        more["law_timeout"] = f"{laws['seconds']:g} s"
    result = compare(
        [str(Path(job["folder"], Path(job["name"]).name))] if text else job["paths"],
        text=text,
        overrides=dict(paths),
        seed=job["seed"],
        replications=job["rule"]["number"],
        workers=1,
        **more,
    )
    table = Table(result.arrow("outcomes")).to_dict()
    several = len(set(table["subject"])) > 1
    channels = len(set(table["channel"])) > 1
    parts = [("subject", several), ("channel", channels), ("variant", True)]
    names = zip(*(table[name] for name, kept in parts if kept), strict=True)
    table["name"] = [", ".join(map(str, name)) for name in names]
    number = max(table["replications"], default=0)
    return {
        "n": number,
        "narrow": True,
        "rows": _table_rows(table, "variant", job["measures"]),
    }


def _table_rows(table: dict[str, list[Any]], kind: str, measures: Sequence[str]) -> list[Row]:
    """Return the rows of a result's table."""
    rows: list[Row] = []
    for i, name in enumerate(table["name"]):
        values: list[float | None] = []
        for key in measures:
            for column in (key, key + _LOW, key + _HIGH):
                found = table[column][i] if column in table else None
                values.append(None if found is None else float(found))
        rows.append((kind, str(name), values))
    return rows
