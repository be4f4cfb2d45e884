"""The data of the charts of a study: a row for each link, and the rows of one link.

Long curves are thinned to the resolution of a screen; the data files have them in full.
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from airtcp.charts.parts import rounded, thin
from airtcp.questions.study import findings_link as link_words
from airtcp.questions.study.charts import DIFFERS, WITHIN
from airtcp.questions.study.charts_link import MODELS
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import Differences, Ensemble, Link

    Rows = list[dict[str, Any]]
    Run = Literal["success", "loss"]

_GUIDES: Final = ((10_000, "10 000"), (40_000, "40 000"))
"""Packets after which mu of S1's links had settled."""


@lru_cache(maxsize=4096)
def _share(received: float) -> float:
    """Keep three significant digits. The shares of equal windows repeat, across links as well."""
    return float(f"{received:.3g}")


def of_links(links: Sequence[Link]) -> Rows:
    """Return a row for each link whose losses have an order: there is no mu of the others."""
    return [
        {key: rounded(value) for key, value in _of_link(index, link).items()}
        for index, link in enumerate(links)
        if link["mu"] is not None
    ]


def _of_link(index: int, link: Link) -> dict[str, Any]:
    tcp = link["tcp"]
    return {
        "index": index,
        "name": link["name"],
        "prr": link["prr"],
        "mu": link["mu"],
        "converged": link["converged"],
        "longest_success": link["longest_success_burst"],
        "longest_loss": link["longest_loss_burst"],
        "expected_success": link_words.expected_longest(link),
        "expected_loss": link_words.expected_longest(link, "loss"),
        "tcp": tcp["empirical"]["packets_per_second"],
        **_model("chain", tcp["gilbert_elliott"]),
        **_gain(tcp["difference"]),
        "more_than_chance": link_words.standing(link, "independent") != 0,
    }


def _model(name: str, ensemble: Ensemble | None) -> dict[str, float | None]:
    """Return the mean throughput over the links of a model, and its interval."""
    rate = None if ensemble is None else ensemble["packets_per_second"]
    low, high = (None, None) if rate is None else words.bounded(rate)
    return {name: rate and rate["mean"], f"{name}_low": low, f"{name}_high": high}


def _gain(differences: Differences) -> dict[str, float | None]:
    """Return throughput less that over independent losses, as a rate and in percent."""
    found: dict[str, float | None] = {}
    of = differences["independent"]
    for name, value in (("gain", of["packets_per_second"]), ("gain_percent", of["percent"])):
        for field, key in ((name, "mean"), (f"{name}_low", "ci_low"), (f"{name}_high", "ci_high")):
            found[field] = None if value is None else value[key]
    return found


def over_prr(links: Sequence[Link]) -> dict[str, Rows]:
    """Return the rows of the chart by the names of its data.

    A link over which TCP delivers nothing has no place on a logarithmic axis.
    """
    points: Rows = [
        {
            "index": index,
            "name": link["name"],
            "prr": rounded(link["prr"]),
            "tcp": rounded(rate),
            "independent": rounded(_independent(link)),
            "differs": DIFFERS if link_words.standing(link, "independent") else WITHIN,
        }
        for index, link in enumerate(links)
        if (rate := link["tcp"]["empirical"]["packets_per_second"]) > 0
    ]
    curve: Rows = [
        {"prr": rounded(link["prr"]), "independent": rounded(rate)}
        for link in sorted(links, key=lambda link: link["prr"])
        if link["mu"] is not None and link["order_known"] and (rate := _independent(link))
    ]
    return {"links": points, "curve": curve}


def _independent(link: Link) -> float | None:
    return link["tcp"]["independent"]["packets_per_second"]["mean"]


def lines(rows: Rows) -> dict[str, Rows]:
    """Return the ends of the lines on which trace and chain agree: in throughput, and in runs."""
    tops = [max(row["tcp"], row["chain_high"] or row["chain"] or 0) for row in rows]
    rates = [min(row["tcp"], row["tcp"] if row["chain"] is None else row["chain"]) for row in rows]
    top = max(tops, default=0)
    least = min([top, *(rate for rate in rates if rate > 0)])
    return {
        "diagonal": [
            {"tcp": tcp, "low": 0.9 * tcp, "high": 1.1 * tcp, "top": last}
            for tcp, last in ((0, False), (least, False), (top, True))
        ],
        "runs": [
            {"success": 1, "loss": 1},
            {"success": _longest(rows, "success"), "loss": _longest(rows, "loss")},
        ],
    }


def _longest(rows: Rows, kind: Run) -> float:
    return max(
        (row[f"{of}_{kind}"] or 1 for row in rows for of in ("longest", "expected")), default=1
    )


def throughput(link: Link) -> dict[str, Rows]:
    """Return TCP over the trace, over each synthetic link, and the means over these."""
    tcp = link["tcp"]
    rate = rounded(tcp["empirical"]["packets_per_second"])
    means: Rows = [{"model": MODELS[0], "mean": rate, "low": rate, "high": rate}]
    replicas: Rows = []
    for model, ensemble in zip(
        MODELS[1:], (tcp["independent"], tcp["gilbert_elliott"]), strict=True
    ):
        if ensemble is None:
            continue
        low, high = words.bounded(ensemble["packets_per_second"])
        mean = ensemble["packets_per_second"]["mean"]
        found = {"mean": mean, "low": low, "high": high}
        means.append({"model": model, **{key: rounded(value) for key, value in found.items()}})
        values = ensemble["replica_packets_per_second"]
        replicas += [{"model": model, "value": rounded(value)} for value in values]
    return {"means": means, "replicas": replicas}


def time(link: Link) -> Rows:
    """Return the share of packets that arrived in each stretch of the trace."""
    slot, over = link["tcp"]["slot_s"], link["prr_over_time"]
    edges = _edges(over["window_packets"] * slot, len(over["prr"]), link["packets"] * slot)
    return [
        {"from": edges[i], "to": edges[i + 1], "prr": _share(prr)}
        for i, prr in enumerate(over["prr"])
    ]


@lru_cache(maxsize=64)
def _edges(step: float, count: int, end: float) -> list[float]:
    """Return where equal stretches of a trace begin and end; traces of equal length share them."""
    return [rounded(min(i * step, end)) for i in range(count + 1)]


def window(link: Link, points: int) -> Rows:
    """Return the congestion window over the trace, to its end, so that its axis is that of time."""
    found = link["tcp"]["empirical"]["cwnd"]
    if found is None:
        return []
    curve = [{"t": t, "cwnd": w} for t, w in thin(found["t_s"], found["cwnd_packets"], points)]
    end = rounded(link["packets"] * link["tcp"]["slot_s"])
    return [*curve, {"t": end, "cwnd": curve[-1]["cwnd"]}] if curve else []


def runs(link: Link, kind: Run) -> dict[str, Rows]:
    """Return the lengths of the runs of a link, and the chance of each model to go on.

    Runs of one outcome go on with a fixed chance in both models: their lengths are geometric.
    """
    measured = link["loss_bursts"] if kind == "loss" else link["success_bursts"]
    histogram = measured["histogram"] if measured else []
    rows: Rows = [{"length": length, "count": count} for length, count in histogram]
    leave = link["g"] if kind == "loss" else link["b"]
    alone = 1 - link["prr"] if kind == "loss" else link["prr"]
    stay = {MODELS[1]: rounded(alone), MODELS[2]: None if leave is None else rounded(1 - leave)}
    common = {}
    if histogram:
        total = sum(count for _, count in histogram)
        common = {"longest": histogram[-1][0], "floor": rounded(0.3 / total)}
    models = [{"model": name, "stay": p, **common} for name, p in stay.items() if p is not None]
    return {kind: rows, "models": models if rows else []}


def convergence(link: Link) -> dict[str, Rows]:
    """Return mu of the first packets, its error, and marks where mu of S1's links had settled."""
    mu, packets, error = link["mu"], link["packets"], link["convergence"]["standard_error"]
    prefix = [{"packets": n, "mu": rounded(m)} for n, m in link["convergence"]["prefix"]]
    if not prefix or mu is None:
        return {"prefix": []}
    first = prefix[0]["packets"]
    ends = [] if error is None else [rounded(mu - 1.96 * error), rounded(mu + 1.96 * error)]
    band = [{"packets": n, "low": ends[0], "high": ends[1]} for n in (first, packets) if ends]
    guides: Rows = []
    for n, label in _GUIDES:
        if first <= n <= packets:
            side = "right" if n * n > first * packets else "left"
            guides.append({"packets": n, "seen": True, "left": "", "right": "", side: label})
    none = {"packets": first, "seen": False, "left": "", "right": ""}
    return {"prefix": prefix, "band": band, "guides": guides or [none]}


def conditional(link: Link) -> dict[str, Rows]:
    """Return the probability that a packet arrives after runs, and the PRR."""
    rows = [
        {"k": of["k"], "probability": rounded(of["probability"]), "samples": of["samples"]}
        for of in link["cpdf"]
    ]
    return {"cpdf": rows, "means": [{"prr": rounded(link["prr"])}], "unit": [{}]}


def autocorrelation(link: Link) -> Rows:
    """Return the correlation of outcomes by their distance, and that of the chain."""
    mu, noise = rounded(link["mu"]), rounded(1.96 / sqrt(link["packets"]))
    return [
        {
            "lag": lag,
            "value": rounded(value),
            "mu": mu,
            "low": -noise,
            "high": noise,
        }
        for lag, value in cast("list[tuple[int, float | None]]", link["autocorrelation"])
        if value is not None
    ]
