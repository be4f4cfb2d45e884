"""Papers as data: one TOML file for each table or figure of a publication.

A file holds the place of the item, the experiment that repeats it (a driver and its parameters),
the published values with their tolerance and its reason, the orderings that the text claims, and
the parameters that the publication leaves open. `docs/guide/reproduce.md` explains it to authors.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from airtcp_papers.form import check, did_you_mean, is_number, refuse
from airtcp_papers.paper_forms import FIGURE, PAPER

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

At: TypeAlias = "Mapping[str, str | float]"
"""Conditions of a measure, by name."""
Op = Literal["<", "<=", ">", ">=", "~"]


@dataclass(frozen=True)
class Term:
    """A measure at conditions, written `metric[name=value, ...]`."""

    metric: str
    at: At = field(default_factory=lambda: cast("At", {}))

    def __str__(self) -> str:
        """Write it in the form that `term` reads."""
        conditions = ", ".join(f"{name}={value}" for name, value in self.at.items())
        return f"{self.metric}[{conditions}]" if conditions else self.metric

    def __hash__(self) -> int:
        """Allow terms as keys; conditions are texts and numbers."""
        return hash(str(self))


def term(text: str) -> Term:
    """Read a term.

    >>> term("error[set=roofnet, loss=0.05]")
    Term(metric='error', at={'set': 'roofnet', 'loss': 0.05})
    """
    found = re.fullmatch(r"\s*([^\[\]]+?)\s*(?:\[([^\[\]]*)\])?\s*", text)
    if found is None:
        message = f'"{text}" is no measure; expected metric[name=value, ...]'
        raise ValueError(message)
    at: dict[str, str | float] = {}
    for part in (found[2] or "").split(","):
        name, sign, value = (piece.strip() for piece in part.partition("="))
        if sign and name and value:
            at[name] = _number(value)
        elif part.strip():
            message = f'"{part.strip()}" in "{text}" is no condition; expected name=value'
            raise ValueError(message)
    return Term(found[1], at)


def _number(text: str) -> str | float:
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if value.is_integer() and "." not in text and "e" not in text else value


@dataclass(frozen=True)
class Published:
    """A published value, and the region in which it is met."""

    term: Term
    value: float | None
    low: float | None
    high: float | None
    unit: str
    tolerance: float | None
    tolerance_abs: float | None
    tolerance_reason: str
    says: str
    by_construction: str
    reason: str
    plot: str
    """The plot that the value belongs on, or nothing."""
    x: float | None
    y: float | None
    own: str = ""
    """Why it is our own statement; empty if it is the publication's."""
    shown_by: tuple[str, ...] = ()
    """Experiments that show the reason."""
    tried: str = ""
    """What was tried without finding the cause."""


@dataclass(frozen=True)
class Claim:
    """An ordering that the publication claims."""

    words: str
    left: Term
    op: Op
    right: Term | float
    margin: float
    says: str
    by_construction: str
    reason: str
    own: str = ""
    """Why it is our own statement; empty if it is the publication's."""
    shown_by: tuple[str, ...] = ()
    """Experiments that show the reason."""
    tried: str = ""
    """What was tried without finding the cause."""


def cause_of(one: Published | Claim) -> str:
    """Return why a row is not met, or that the cause was not found, and what was tried."""
    return f"cause not found; tried: {one.tried}" if one.tried else one.reason


@dataclass(frozen=True)
class Assumption:
    """A parameter that the publication leaves open, with its possible values."""

    name: str
    status: str
    parameter: str
    value: Any
    alternatives: tuple[Any, ...]
    why: str
    metrics: tuple[str, ...]
    derived_from: tuple[str, ...] = ()
    """Figures, each alone or with a measure, that the value was derived from."""


@dataclass(frozen=True)
class Paper:
    """A publication."""

    id: str
    title: str
    authors: str
    year: int | None
    venue: str
    defaults: Mapping[str, Any]
    assumptions: Mapping[str, Assumption]
    path: Path


@dataclass(frozen=True)
class Figure:
    """A table or figure, or a passage of the text."""

    id: str
    title: str
    kind: str
    item: str
    section: str
    caption: str
    measures: str
    driver: str
    parameters: Mapping[str, Any]
    published: tuple[Published, ...]
    claims: tuple[Claim, ...]
    assumptions: tuple[Assumption, ...]
    paper: Paper
    path: Path


def paper(table: Mapping[str, Any], path: Path) -> Paper:
    """Make a paper from its table."""
    where = str(path)
    whole = check(PAPER, table, where)
    if whole["id"] != path.parent.name:
        message = f'{where}: id is "{whole["id"]}"; expected the name of the folder'
        refuse(f'{message}, "{path.parent.name}"')
    return Paper(
        whole["id"],
        whole["title"],
        whole["authors"],
        whole.get("year"),
        whole.get("venue", ""),
        whole["defaults"],
        {
            part["name"]: _assumption(part, where, f"assumption[{i}]")
            for i, part in enumerate(whole["assumption"])
        },
        path,
    )


def figure(table: Mapping[str, Any], path: Path, home: Paper) -> Figure:
    """Make a figure from its table; the driver and its parameters are checked elsewhere."""
    where = str(path)
    whole = check(FIGURE, table, where)
    if whole["id"] != (wanted := id_of(path)):
        refuse(f'{where}: id is "{whole["id"]}"; a file of this name and folder is "{wanted}"')
    if not (whole["published"] or whole["claim"]):
        refuse(f"{where}: neither [[published]] nor [[claim]]: there is nothing to reproduce")
    experiment = dict(whole["experiment"])
    driver = experiment.pop("driver", None)
    if not isinstance(driver, str):
        refuse(f'{where}: experiment: the key "driver" is missing (the name of a driver)')
    own = [
        _assumption(part, where, f"assumption[{i}]") for i, part in enumerate(whole["assumption"])
    ]
    for i, name in enumerate(whole["assumptions"]):
        if name not in home.assumptions:
            message = f'{where}: assumptions[{i}]: {home.path} has no assumption "{name}"'
            refuse(message + did_you_mean(name, list(home.assumptions)))
        own.append(home.assumptions[name])
    source = whole["source"]
    return Figure(
        whole["id"],
        whole["title"],
        whole["kind"],
        source["item"],
        source.get("section", ""),
        source.get("caption", ""),
        whole["measures"],
        driver,
        experiment,
        tuple(_published(p, where, f"published[{i}]") for i, p in enumerate(whole["published"])),
        tuple(
            claim
            for i, part in enumerate(whole["claim"])
            for claim in _claims(part, where, f"claim[{i}]", whole.get("own", ""))
        ),
        tuple(own),
        home,
        path,
    )


def id_of(path: Path) -> str:
    """Return the id of a file by its name.

    >>> from pathlib import Path
    >>> id_of(Path("papers/S1/fig-13.toml"))
    'S1.fig13'
    """
    return f"{path.parent.name}.{path.stem.replace('-', '')}"


def _assumption(part: Mapping[str, Any], where: str, place: str) -> Assumption:
    derived = part["status"] == "derived"
    if derived != bool(part.get("derived_from")):
        found = "is missing" if derived else f"is given, and the status is {part['status']}"
        message = f'{where}: {place}: "derived_from" {found}; expected with the status "derived"'
        refuse(f'{message}: ids of figures, or "text"')
    return Assumption(
        part["name"],
        part["status"],
        part["parameter"],
        part["value"],
        tuple(part["alternatives"]),
        part["why"],
        tuple(part.get("metrics", ())),
        tuple(part.get("derived_from", ())),
    )


def _published(part: Mapping[str, Any], where: str, place: str) -> Published:
    low, high = _interval(part, where, place)
    value = part.get("value")
    if value is None and low is None and high is None:
        refuse(f'{where}: {place}: neither "value" nor an interval is given')
    if ("plot" in part) != ("x" in part or "y" in part):
        refuse(f"{where}: {place}: a point on a plot needs plot, and x or y or both")
    _check_tolerance(part, where, place, (low, high))
    return Published(
        Term(part["metric"], part["at"]),
        value,
        low,
        high,
        part["unit"],
        part.get("tolerance"),
        part.get("tolerance_abs"),
        part.get("tolerance_reason", ""),
        part.get("says", ""),
        part.get("by_construction", ""),
        part.get("reason", ""),
        part.get("plot", ""),
        part.get("x"),
        part.get("y"),
        part.get("own", ""),
        *_cause(part, f"{where}: {place}"),
    )


def _interval(part: Mapping[str, Any], where: str, place: str) -> tuple[float | None, float | None]:
    """Return the ends of a published interval in any notation; either may be missing."""
    ends = {
        "interval": part.get("interval", (None, None)),
        "ci_low and ci_high": (part.get("ci_low"), part.get("ci_high")),
        "at_least and at_most": (part.get("at_least"), part.get("at_most")),
    }
    given = {name: (low, high) for name, (low, high) in ends.items() if (low, high) != (None, None)}
    if len(given) > 1:
        refuse(f"{where}: {place} has {' and also '.join(given)}; expected one interval")
    low, high = next(iter(given.values()), (None, None))
    if low is not None and high is not None and low > high:
        refuse(f"{where}: {place}: the interval [{low}, {high}] is the wrong way round")
    return low, high


def _check_tolerance(
    part: Mapping[str, Any], where: str, place: str, ends: tuple[float | None, float | None]
) -> None:
    """Refuse a tolerance without a value or a reason, and a value without a tolerance."""
    tolerances = [name for name in ("tolerance", "tolerance_abs") if name in part]
    if any(part[name] < 0 for name in tolerances):
        refuse(f"{where}: {place}.{tolerances[0]} is negative; expected 0 or more")
    if tolerances and part.get("value") is None:
        message = f"{where}: {place}.{tolerances[0]} has no value to be of; an interval is met"
        refuse(f"{message} within its ends, and a tolerance does not widen it")
    if not tolerances and ends == (None, None):
        message = f'{where}: {place}: neither "tolerance", "tolerance_abs" nor an interval is given'
        refuse(f"{message}: nobody could say what meets the value")
    if tolerances and "tolerance_reason" not in part:
        refuse(f'{where}: {place}: a tolerance needs "tolerance_reason"')


def _cause(part: Mapping[str, Any], place: str) -> tuple[tuple[str, ...], str]:
    """Return the experiments that show a reason, or what was tried without one."""
    if "tried" in part and "reason" in part:
        refuse(f'{place}: "tried" is for rows whose cause was not found; expected no "reason"')
    if "shown_by" in part and "reason" not in part:
        refuse(f'{place}: "shown_by" needs the "reason" that is shown')
    return tuple(part.get("shown_by", ())), part.get("tried", "")


def _claims(part: Mapping[str, Any], where: str, place: str, own: str) -> list[Claim]:
    """Make the claims of one table: one for every combination of `each`."""
    if part["op"] == "~" and part["margin"] <= 0:
        refuse(f'{where}: {place}.margin is {part["margin"]}; the op "~" needs more than 0')
    own = part.get("own", own) or ("" if "says" in part else "the publication has no words on it")
    right = part["right"]
    try:
        left = term(part["left"])
        compared = float(right) if is_number(right) else term(str(right))
    except ValueError as error:
        refuse(f"{where}: {place}: {error}")
    each = {
        name: cast("list[Any]", values if isinstance(values, list) else [values])
        for name, values in part["each"].items()
    }
    made: list[Claim] = []
    for values in product(*each.values()):
        here = dict(zip(each, values, strict=True))
        other = compared
        if isinstance(other, Term):
            other = replace(other, at={**here, **other.at})
        words = part["words"]
        for name, value in here.items():
            words = words.replace("{" + name + "}", str(value))
        made.append(
            Claim(
                words,
                replace(left, at={**here, **left.at}),
                part["op"],
                other,
                part["margin"],
                part.get("says", ""),
                part.get("by_construction", ""),
                part.get("reason", ""),
                own,
                *_cause(part, f"{where}: {place}"),
            )
        )
    return made
