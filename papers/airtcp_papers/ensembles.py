"""Sets of links: generated ensembles, and published measured data.

A TOML file in `papers/ensembles/` describes a set. For a *generated* set it gives the number of
links by range of PRR, and how PRR, mu and the longest burst are drawn. Results from generated links
are labelled so. A *measured* set is a file or folder in the folder that the environment variable
`AIRTCP_DATA` names; without it, experiments that need the set are skipped.

A generated link has a uniformly drawn PRR p, and one of three shapes.

*Two regimes* (`two-regimes`): the link switches slowly between a good and a bad regime with
independent losses in each. The loss of the good regime and the mean length of a cycle are drawn
log-uniformly, the PRR of the bad regime uniformly from 0 to p. The share of time in the good regime
follows from p.

*Rare long bursts* (`rare-long-bursts`): mu m is drawn uniformly; g = p(1 - m), b = (1 - p)(1 - m).
Loss runs are geometric with mean 1/g. Success runs have mean 1/b, as in the Gilbert-Elliott chain,
but most are short, and a few, which together hold the share f of all packets received, are
geometric with a much longer mean M. Over n packets about N = n p f / M of them occur, the longest
of which is about M (ln N + 0.577); M follows from a log-uniformly drawn longest run.

*Chain* (`chain`): the Gilbert-Elliott chain of p and m.

Links whose chain would have a mean success run 1/b above `longest_mean_run` are drawn again.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from airtcp_papers.form import Form, Key, check, refuse
from airtcp_papers.library import read_toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from airtcp_papers.library import Library

DATA: Final = "AIRTCP_DATA"
_EULER: Final = 0.5772

SHAPES: Final = ("two-regimes", "rare-long-bursts", "chain")
_TRIES: Final = 1000
GROUP: Final[Form] = {
    "links": Key("whole", "how many", required=True),
    "prr": Key("interval", "range of their PRR", required=True),
    "models": Key("flag", "whether TCP also runs over models of them", default=True),
}
SET: Final[Form] = {
    "label": Key("text", "what plots and tables call the set", required=True),
    "kind": Key(
        "text", "where the links come from", required=True, accepted=("generated", "measured")
    ),
    "words": Key("text", "what a reader must know of it", required=True),
    "slot": Key("text", "interval between packets", required=True),
    "packets": Key("whole", "generated: packets of a link"),
    "subsample": Key("whole", "generated: take every so many-th packet", default=1),
    "group": Key("tables", "generated: links by range of PRR", of=GROUP, default=[]),
    "shape": Key(
        "text", "generated: how links are made", accepted=SHAPES, default="two-regimes"
    ),
    "good_loss": Key("interval", "two regimes: loss in the good one", default=[0.01, 0.2]),
    "cycle": Key("interval", "two regimes: packets of a cycle", default=[10.0, 30_000.0]),
    "mu": Key("interval", "other shapes: range of mu", default=[0.0, 0.95]),
    "longest": Key("interval", "rare long bursts: the longest run", default=[40.0, 560.0]),
    "long_share": Key(
        "number", "rare long bursts: share of the packets received in long runs", default=0.2
    ),
    "longest_mean_run": Key(
        "number", "generated: greatest mean success run 1/b of the link's chain", default=20.0
    ),
    "path": Key("text", "measured: file or folder below AIRTCP_DATA"),
    "least_packets": Key("whole", "measured: shorter links are left out", default=1),
    "prr": Key("interval", "measured: range of PRR looked at, in place of the figure's"),
    "order": Key("flag", "measured: whether the order of packets is known", default=True),
}  # fmt: skip


class DataMissingError(Exception):
    """Missing measured data; the text says what to do."""


@dataclass(frozen=True)
class LinkSet:
    """The description of a set of links."""

    name: str
    label: str
    kind: str
    words: str
    slot: str
    table: Mapping[str, Any]

    def prr(self, said: Sequence[float]) -> Sequence[float]:
        """Return the range of PRR to use, where a figure uses `said`."""
        return self.table.get("prr", said)

    @property
    def measured(self) -> bool:
        """True for measured links."""
        return self.kind == "measured"

    def data(self, home: Path | None) -> Path:
        """Return the data of a measured set.

        Raises: DataMissingError: If they are missing.
        """
        wanted = self.table["path"]
        if home is None:
            message = f"data not present: set {DATA} to the folder that holds {wanted}"
            raise DataMissingError(message)
        path = home / wanted
        if not path.exists():
            message = f"data not present: {DATA} is {home}, which has no {wanted}"
            raise DataMissingError(message)
        return path


def read_set(library: Library, name: str) -> LinkSet:
    """Read the description of a set.

    Raises: PaperError: If it is invalid.
    """
    path = library.ensemble(name)
    table = check(SET, read_toml(path), str(path))
    needed = {"generated": ("packets",), "measured": ("path",)}[table["kind"]]
    for key in needed:
        if key not in table:
            refuse(f'{path}: the key "{key}" is missing; a {table["kind"]} set needs it')
    if table["kind"] == "generated" and not table["group"]:
        refuse(f"{path}: no [[group]]: there are no links in it")
    return LinkSet(name, table["label"], table["kind"], table["words"], table["slot"], table)


def changed(links: LinkSet, change: Mapping[str, Any]) -> LinkSet:
    """Return the set with other parameters; a measured set has none.

    Raises: PaperError: If a parameter or its value is invalid.
    """
    if not change or links.measured:
        return links
    given = {key: value for key, value in links.table.items() if key in SET}
    table = check(SET, {**given, **change}, f"set {links.name}")
    return LinkSet(links.name, links.label, links.kind, links.words, table["slot"], table)


@dataclass(frozen=True)
class Recipe:
    """The parameters of one link."""

    name: str
    model: dict[str, Any]
    packets: int
    seed: int
    models: bool


def recipes(links: LinkSet, seed: int, repeat: int) -> Iterator[Recipe]:
    """Draw the links of a generated set; the same seed and repeat give the same links."""
    table = links.table
    # Python seeds from text through SHA-512, the same in every version.
    draw = random.Random(f"{seed}/{links.name}/{repeat}")  # noqa: S311
    number = 0
    for group in table["group"]:
        for _ in range(group["links"]):
            number += 1
            yield Recipe(
                f"{links.name}-{number:03}",
                _model(table, group["prr"], draw),
                table["packets"],
                draw.randrange(1 << 62),
                group["models"],
            )


def _model(table: Mapping[str, Any], prr: list[float], draw: random.Random) -> dict[str, Any]:
    make = _regimes if table["shape"] == "two-regimes" else _runs
    for _ in range(_TRIES):
        model = make(table, prr, draw)
        if model is not None:
            return model
    return refuse(f"no link of PRR {prr} has a mean success run below {table['longest_mean_run']}")


def _by_logarithm(ends: list[float], draw: random.Random) -> float:
    return math.exp(draw.uniform(*map(math.log, ends)))


def _regimes(
    table: Mapping[str, Any], prr: list[float], draw: random.Random
) -> dict[str, Any] | None:
    p = draw.uniform(*prr)
    loss = _by_logarithm(table["good_loss"], draw)
    bad = p * draw.random()
    cycle = _by_logarithm(table["cycle"], draw)
    if p >= 1 - loss:
        # A link as good as its good regime has no bad one.
        return {"model": "independent", "prr": p}
    good = (p - bad) / (1 - loss - bad)
    mu = good * (1 - good) * (1 - loss - bad) ** 2 / (p * (1 - p))
    if (1 - p) * (1 - mu) * table["longest_mean_run"] < 1:
        return None
    return {
        "model": "lossy-gilbert-elliott",
        "g": min(1.0, 1 / ((1 - good) * cycle)),
        "b": min(1.0, 1 / (good * cycle)),
        "loss_good": loss,
        "loss_bad": 1 - bad,
    }


def _runs(table: Mapping[str, Any], prr: list[float], draw: random.Random) -> dict[str, Any] | None:
    p, m = draw.uniform(*prr), draw.uniform(*table["mu"])
    longest = _by_logarithm(table["longest"], draw)
    g, b = p * (1 - m), (1 - p) * (1 - m)
    if b * table["longest_mean_run"] < 1:
        return None
    chain = {"model": "gilbert-elliott", "g": g, "b": b}
    share = table["long_share"]
    if table["shape"] == "chain" or not 0 < share < 1:
        return chain
    mean = long_mean(longest, table["packets"] * p * share)
    weight = share / (b * mean)
    short = (1 - share) / b / (1 - weight) if weight < 1 else 0.0
    if short < 1 or mean < 1 / b:
        # The chain itself has runs of this length.
        return chain
    parts = [
        {"weight": 1 - weight, "of": {"lengths": "geometric", "mean": short}},
        {"weight": weight, "of": {"lengths": "geometric", "mean": mean}},
    ]
    return {
        "model": "semi-markov",
        "success": {"lengths": "mixture", "parts": parts},
        "loss": {"lengths": "geometric", "mean": 1 / g},
    }


def long_mean(longest: float, packets: float) -> float:
    """Return the mean M of runs that hold `packets` packets and whose longest is `longest`.

    Solves M (ln(packets / M) + 0.577) = longest for the smaller M, by bisection in log M: the
    left side rises up to M = packets / e^0.423.

    >>> round(long_mean(400, 4000), 1)
    92.0
    """
    low, high = 1e-3, packets * math.exp(_EULER - 1)
    for _ in range(80):
        middle = math.sqrt(low * high)
        if middle * (math.log(packets / middle) + _EULER) < longest:
            low = middle
        else:
            high = middle
    return math.sqrt(low * high)
