"""Whether `run` names the limits of scenarios whose limits are known.

*field*: scenarios whose causes were fixed before anything ran, in tests/field/right.csv. `first`
has the causes that the first limit may have, separated by `|`; `none` is no limit. `where` has what
its place contains: one text, or one for each cause. `also` has what must be named anywhere,
separated by `;`: `CAUSE at PLACE for FLOW`. `miss` has the cause of a known miss.

*shipped*: the folder `scenarios`. The change of the first limit runs over the whole measured time,
with the draws of the scenario as given; the flows that the limit lists must get a tenth more.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import polars as pl

import airtcp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT: Final = Path(__file__).parents[2]
FIELD: Final = ROOT / "tests" / "field"
SHIPPED: Final = ROOT / "scenarios"
REPLICATIONS: Final = 3
NAMED: Final = 1.10
MARKS: Final = {True: "yes", False: "no"}


def cases() -> list[dict[str, str]]:
    """Read the scenarios and what is right about each."""
    with (FIELD / "right.csv").open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def explained(path: Path) -> dict[str, Any]:
    """Run a scenario and find its limits."""
    return dict(airtcp.run(path, why="auto").json)


def is_right(case: Mapping[str, str], limits: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether the first limit has an accepted cause and place, and all others are named."""
    causes, places = case["first"].split("|"), case["where"].split("|")
    if len(places) == 1:
        places *= len(causes)
    if limits:
        cause, place = limits[0]["cause"], limits[0]["where"]
        first = any(cause == c and part in place for c, part in zip(causes, places, strict=True))
    else:
        first = "none" in causes
    wanted = [text.strip() for text in case["also"].split(";") if text.strip()]
    return first and all(any(_fits(text, limit) for limit in limits) for text in wanted)


def _fits(wanted: str, limit: Mapping[str, Any]) -> bool:
    """Say whether a limit is `CAUSE at PLACE for FLOW`; a cause alone may also be named beside."""
    rest, _, flow = wanted.partition(" for ")
    cause, _, place = rest.partition(" at ")
    named = [limit["cause"], *limit["or"], *limit["with"], *limit["after"]]
    if not place and not flow:
        return cause in named
    of = not flow or flow in limit["flows"]
    return cause in {limit["cause"], *limit["or"]} and place in limit["where"] and of


def goodput(document: Mapping[str, Any], flows: Sequence[str]) -> float:
    """Return the mean goodput of some flows together, in b/s."""
    runs = document["replications"]
    each = [f["goodput_bps"] for run in runs for f in run["flows"] if f["name"] in flows]
    return sum(each) / len(runs)


def counterfactual(path: Path, limit: Mapping[str, Any], replications: int) -> list[float]:
    """Return the goodput of a limit's flows with and without it, over the whole time."""
    change = dict(text.split("=", 1) for text in limit["change"])
    variants: list[dict[str, Any]] = [{}, change]
    runs = [airtcp.run(path, replications=replications, overrides=one).json for one in variants]
    return [goodput(run, limit["flows"]) for run in runs]


def measure() -> dict[str, pl.DataFrame]:
    """Find the limits of every scenario of the field."""
    rows: list[dict[str, Any]] = []
    for case in cases():
        found = explained(FIELD / case["file"])
        row = {"file": case["file"], "wanted": case["first"], **_first(found["limits"])}
        row["variants"] = found["why"]["variants"]
        rows.append(row | {"right": is_right(case, found["limits"]), "miss": case["miss"]})
    return {"limits-field.csv": pl.DataFrame(rows, infer_schema_length=None)}


def measure_shipped(scenarios: Sequence[str]) -> dict[str, pl.DataFrame]:
    """Find the limits of scenarios that ship, and try the first change of each."""
    rows: list[dict[str, Any]] = []
    for name in scenarios:
        path = SHIPPED / f"{name}.toml"
        found = explained(path)
        row: dict[str, Any] = {"file": path.name, **_first(found["limits"]), "whole_ratio": None}
        if found["limits"]:
            before, after = counterfactual(path, found["limits"][0], REPLICATIONS)
            row["whole_ratio"] = after / before if before else None
        rows.append(row | {"verdict": found["why"]["verdict"]})
    return {"limits-shipped.csv": pl.DataFrame(rows, infer_schema_length=None)}


def _first(limits: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the first limit, and the causes of the others."""
    if not limits:
        return dict.fromkeys(("cause", "where", "ratio", "low", "high", "others"))
    first = {key: limits[0][key] for key in ("cause", "where", "ratio", "low", "high")}
    others = [f"or {cause}" for cause in limits[0]["or"]]
    others += [*limits[0]["with"], *(limit["cause"] for limit in limits[1:])]
    return first | {"others": ", ".join(dict.fromkeys(others))}


def field(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Lay out what is named in each scenario of the field."""
    out = ["| scenario | right first | named first | effect | others | variants | right |"]
    out += ["|---|---|---|---|---|---|---|"]
    for row in numbers["limits-field.csv"].to_dicts():
        name = row["file"].partition("/")[2].removesuffix(".toml")
        wanted = row["wanted"].replace("|", " or ")
        right = MARKS[row["right"]] + (f": {row['miss']}" if row["miss"] else "")
        cells = [name, wanted, row["cause"] or "none", _factor(row["ratio"]), row["others"] or ""]
        out.append(f"| {' | '.join(cells)} | {row['variants']} | {right} |")
    return "\n".join(out)


def shipped(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Lay out the first limit of each scenario that ships, and its effect over the whole time."""
    out = ["| scenario | first limit | where | effect | over the whole time |"]
    out += ["|---|---|---|---|---|"]
    for row in numbers["limits-shipped.csv"].to_dicts():
        cause = row["cause"] or row["verdict"].replace("-", " ")
        effects = [_factor(row["ratio"]), _factor(row["whole_ratio"])] if row["cause"] else ["", ""]
        cells = [row["file"].removesuffix(".toml"), cause, row["where"] or "", *effects]
        out.append(f"| {' | '.join(cells)} |")
    return "\n".join(out)


def _factor(ratio: float | None) -> str:
    """Write an effect; beyond 100 the goodput with the limit is next to nothing."""
    return "above 100" if ratio is None or ratio > 100 else f"{ratio:.2f}"  # noqa: PLR2004
