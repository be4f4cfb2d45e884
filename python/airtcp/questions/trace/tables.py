"""Columns of measured links, for the tables of `study` and `trace stats`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from airtcp.charts.parts import rounded
from airtcp.words import columns
from airtcp.words import sentences as words
from airtcp.words.grid import STAY, Column, Grid, Toned, broken

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from airtcp.data.documents import Ensemble, Link

    Row = Mapping[str, Any]


ROWS: Final = 200
"""Links in a table with every column; laying out thousands takes longer than measuring them."""


def _column(
    key: str,
    cells: Sequence[str],
    short: Sequence[str] | None = None,
    keys: Sequence[float | None] | None = None,
) -> Column:
    """Return the column of a metric; the first ones stay in the narrowest terminal."""
    metric = columns.studied()[key]
    return Column(broken(metric.label), cells, short, max(metric.rank - STAY, 0), keys=keys)


def measured(links: Sequence[Row]) -> dict[str, Column]:
    """Return the columns of the metrics of each link by key, in order."""

    def each(make: Callable[[Row], str]) -> list[str]:
        return [make(link) for link in links]

    def known(make: Callable[[Row], str]) -> list[str]:
        return each(lambda link: "-" if link["mu"] is None else make(link))

    def number(key: str) -> Callable[[Row], str]:
        return lambda link: words.number(link[key])

    def bounded(key: str) -> Callable[[Row], str]:
        return lambda link: number(key)(link) + words.bounds(link[f"{key}_ci"])

    def run(key: str) -> list[str]:
        return each(lambda link: "-" if link[key] is None else words.count(link[key]))

    beta = each(lambda link: "-" if link["beta"] is None else words.number(link["beta"], 2))
    longest = ("longest_success_burst", "longest_loss_burst")
    found = {
        "packets": _column("packets", each(lambda link: words.count(link["packets"]))),
        "prr": _column("prr", each(bounded("prr")), each(number("prr"))),
        "class": replace(_column("class", each(lambda link: link["class"])), left=True),
        "mu": _column("mu", known(bounded("mu")), known(number("mu"))),
        "beta": _column("beta", beta),
        **{key: _column(key, run(key)) for key in longest},
        "converged": _column("converged", known(lambda x: "yes" if x["converged"] else "no")),
    }
    # A class is a range of PRR.
    sources = {key: key for key in found if key != "converged"} | {"class": "prr"}
    keys = {key: [rounded(link[of]) for link in links] for key, of in sources.items()}
    return {key: replace(column, keys=keys.get(key)) for key, column in found.items()}


def links(every: Sequence[Row]) -> Grid:
    """Return the table of measured links with every column."""
    shown = every[:ROWS]
    columns = measured(shown)
    laid = [columns.pop("packets"), interval(shown), *columns.values()]
    return Grid("link", [link["name"] for link in shown], laid, first_links(every).rstrip())


def interval(links: Sequence[Row]) -> Column:
    """Return the column of the interval between packets."""
    factor = columns.studied()["interval_s"].scale
    known = [link["interval_s"] for link in links]
    return _column(
        "interval_s", ["unknown" if s is None else words.number(s * factor) for s in known]
    )


def slot(links: Sequence[Link]) -> Column:
    """Return the column of the slot, with a mark if it is assumed."""
    factor = columns.studied()["slot_s"].scale
    cells = [
        words.number(factor * link["tcp"]["slot_s"])
        + (" assumed" if link["tcp"]["slot_assumed"] else "")
        for link in links
    ]
    return _column("slot_s", cells)


def throughput(links: Sequence[Link]) -> list[Column]:
    """Return the columns of TCP's throughput over the trace and both models, and of the gain."""
    rates = [link["tcp"]["empirical"]["packets_per_second"] for link in links]
    models = {
        "independent": [link["tcp"]["independent"] for link in links],
        "gilbert_elliott": [link["tcp"]["gilbert_elliott"] for link in links],
    }
    return [
        _column("packets_per_second", [words.number(rate) for rate in rates], keys=rates),
        *(
            _column(
                key,
                [_mean(one, interval=True) for one in found],
                [_mean(one, interval=False) for one in found],
                [one and rounded(one["packets_per_second"]["mean"]) for one in found],
            )
            for key, found in models.items()
        ),
        Column(
            broken(columns.studied()["percent"].label),
            [_gain(link, interval=True) for link in links],
            [_gain(link, interval=False) for link in links],
            keys=[rounded(_percent(link)) for link in links],
        ),
    ]


def _percent(link: Link) -> float | None:
    """Return the mean gain; none without an order of losses."""
    gain = link["tcp"]["difference"]["independent"]["percent"]
    return None if gain is None or link["mu"] is None else gain["mean"]


def _mean(ensemble: Ensemble | None, *, interval: bool) -> str:
    """Format the mean throughput over the links of a model."""
    if ensemble is None:
        return "-"
    rate = ensemble["packets_per_second"]
    return words.estimate(rate, 1.0, short=True) if interval else words.number(rate["mean"])


def not_significant(link: Link) -> bool:
    """Return whether the difference to independent links is not significant."""
    difference = link["tcp"]["difference"]["independent"]
    return link["mu"] is not None and not difference["beyond_chance"]


def _gain(link: Link, *, interval: bool) -> str:
    """Format the gain; without significance it is faint and has no interval."""
    mean, gain = _percent(link), link["tcp"]["difference"]["independent"]["percent"]
    if mean is None or gain is None:
        return "-"
    if not_significant(link):
        return Toned.of(f"~ {words.signed(mean)}", "faint")
    return words.measured(gain) if interval else words.signed(mean)


def capacities(links: Sequence[Mapping[str, Any]]) -> Grid:
    """Return the table of links of varying capacity with every column."""
    shown = links[:ROWS]

    def each(key: str, scale: float) -> list[str]:
        return [words.number(link[key] * scale) for link in shown]

    columns = [
        Column("mean\n(Mb/s)", each("mean_bps", 1e-6)),
        Column("5 %\n(Mb/s)", each("p5_bps", 1e-6)),
        Column("median\n(Mb/s)", each("p50_bps", 1e-6), rank=2),
        Column("95 %\n(Mb/s)", each("p95_bps", 1e-6), rank=1),
        Column("longest\noutage (ms)", each("longest_outage_s", 1e3)),
        Column("duration\n(s)", each("duration_s", 1.0), rank=3),
    ]
    window = words.number(shown[0]["window_s"])
    title = f"{first_links(links)}Capacity; 5 %, median and 95 % of windows of {window} s"
    return Grid("link", [link["name"] for link in shown], columns, title)


def first_links(links: Sequence[Mapping[str, Any]], rows: int = ROWS) -> str:
    """Say that a table has the first links only."""
    return f"The first {rows} of {words.count(len(links))} links. " if len(links) > rows else ""
