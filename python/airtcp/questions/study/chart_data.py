"""The data of the charts of a study's page, as `study.js` puts them together."""

from __future__ import annotations

import base64
import gzip
import json
import math
from typing import Any, Final

_MODELS: Final = ("this trace", "independent losses", "Gilbert-Elliott")
_GUIDES: Final = ((10_000, "10 000"), (40_000, "40 000"))
_STEPS: Final = 160


def unpacked(text: str) -> Any:
    """Decode a value that `report.rows.pack` encoded."""
    return json.loads(gzip.decompress(base64.b64decode(text)))


def study(payload: dict[str, Any], chosen: int | None) -> dict[str, Any]:
    """Return the data of every chart: of all links, of one link, of the sections.

    Args: payload: The payload of the page. chosen: The link; by default the one shown first.
    """
    columns: dict[str, list[Any]] = payload["columns"]
    links = [
        {"index": index} | {name: values[index] for name, values in columns.items()}
        for index in range(len(columns["name"]))
    ]
    found: dict[str, Any] = dict(payload.get("sections", {}))
    if not links:
        return found
    index = payload["first"] if chosen is None else chosen
    group: int = payload["group"]
    detail = unpacked(payload["details"][index // group])[index % group]
    return found | _overview(links) | _one(links[index], detail, payload["slots"][index])


def _overview(links: list[dict[str, Any]]) -> dict[str, Any]:
    top = max(0, *(max(x["tcp"], x["chain_high"] or x["chain"] or 0) for x in links))
    rates = [min(x["tcp"], x["tcp"] if x["chain"] is None else x["chain"]) for x in links]
    least = min([top, *(rate for rate in rates if rate > 0)])
    diagonal = [
        {"tcp": tcp, "low": 0.9 * tcp, "high": 1.1 * tcp, "top": i == 2}  # noqa: PLR2004 - the last
        for i, tcp in enumerate((0, least, top))
    ]

    def longest(kind: str) -> float:
        values = ((x[f"longest_{kind}"], x[f"expected_{kind}"]) for x in links)
        return max(1, *(max(a or 0, 1 if b is None else b) for a, b in values))

    runs = [
        {"success": 1, "loss": 1},
        {"success": longest("success"), "loss": longest("loss")},
    ]
    return {
        "throughput": {"models": [row for link in links for row in _models(link)]},
        "gain": _having(links, "mu", unit=[{}]),
        "chain": _having(links, "chain", diagonal=diagonal),
        "longest": _having(links, "mu", runs=runs),
    }


def _having(links: list[dict[str, Any]], key: str, **more: list[Any]) -> dict[str, Any]:
    """Return the links with a value; without an order of losses, a link has no mu and no chain."""
    rows = [link for link in links if link[key] is not None]
    return {"links": rows, **more} if rows else {}


def _models(link: dict[str, Any]) -> list[dict[str, Any]]:
    kinds = [("independent", _MODELS[1], 0), ("chain", _MODELS[2], 1)]
    rows = [
        {
            "model": model,
            "mean": link[key],
            "low": link[f"{key}_low"],
            "high": link[f"{key}_high"],
            "order": order,
        }
        for key, model, order in kinds
        if key == "independent" or link[key] is not None
    ]
    rows.append({"model": _MODELS[0], "mean": link["tcp"], "low": None, "high": None, "order": 2})
    common = {key: link[key] for key in ("index", "name", "prr")}
    return [common | row for row in rows]


def _one(link: dict[str, Any], detail: dict[str, Any], slot: float) -> dict[str, Any]:
    window, prr = detail["time"]
    step, end = window * slot, link["packets"] * slot
    time = [{"from": i * step, "to": min((i + 1) * step, end), "prr": p} for i, p in enumerate(prr)]
    points: list[tuple[float, float]] = detail["cwnd"] or []
    cwnd: list[dict[str, Any]] = [{"t": t, "cwnd": value} for t, value in points]
    if cwnd:
        cwnd.append({"t": end, "cwnd": cwnd[-1]["cwnd"]})
    cpdf = [dict(zip(("k", "probability", "samples"), row, strict=True)) for row in detail["cpdf"]]
    known: dict[str, Any] = {"means": [{"model": _MODELS[0], "prr": link["prr"]}], "unit": [{}]}
    return {
        "link-tcp": _throughput(link, detail),
        "link-time": {"time": time},
        "link-cwnd": {"cwnd": cwnd},
        "link-success": {"success": _runs(link, detail, "success")},
        "link-loss": {"loss": _runs(link, detail, "loss")},
        "link-convergence": _convergence(link, detail),
        "link-cpdf": {"cpdf": cpdf, **known} if cpdf else {},
        "link-autocorrelation": {"autocorrelation": _autocorrelation(link, detail)},
    }


def _throughput(link: dict[str, Any], detail: dict[str, Any]) -> dict[str, Any]:
    means = [
        {"model": row["model"], "mean": row["mean"], "low": row["low"], "high": row["high"]}
        for row in _models(link)
    ]
    trace = means.pop()
    trace |= {"low": trace["mean"], "high": trace["mean"]}
    replicas = [
        {"model": model, "value": value}
        for key, model in (("independent", _MODELS[1]), ("chain", _MODELS[2]))
        for value in detail["replicas"][key]
    ]
    return {"means": [trace, *means], "replicas": replicas}


def _runs(link: dict[str, Any], detail: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """Return the distribution of the lengths of runs, measured and of both models."""
    histogram: list[tuple[int, int]] = detail[kind]
    if not histogram:
        return []
    total = sum(count for _, count in histogram)
    below, rows = 0, list[dict[str, Any]]()
    for length, count in histogram:
        tail = (total - below) / total
        below += count
        row = {"length": length, "count": count, "share": below / total, "tail": tail}
        rows.append({"model": _MODELS[0], **row})
    on = {_MODELS[1]: 1 - link["prr"] if kind == "loss" else link["prr"]}
    leave = detail["g"] if kind == "loss" else detail["b"]
    if leave is not None:
        on[_MODELS[2]] = 1 - leave
    longest, floor = histogram[-1][0], 0.3 / total
    steps = dict.fromkeys(
        max(1, math.floor(longest ** (e / _STEPS) + 0.5)) for e in range(_STEPS + 1)
    )
    for model, p in on.items():
        for length in steps:
            tail = p ** (length - 1)
            row = {"length": length, "count": None, "share": 1 - p**length}
            rows.append({"model": model, **row, "tail": tail if tail >= floor else None})
    return rows


def _convergence(link: dict[str, Any], detail: dict[str, Any]) -> dict[str, Any]:
    mu, packets, error = link["mu"], link["packets"], detail["error"]
    if not detail["prefix"] or mu is None:
        return {}
    prefix = [{"packets": n, "mu": m} for n, m in detail["prefix"]]
    first = prefix[0]["packets"]
    band = [
        {"packets": n, "low": mu - 1.96 * error, "high": mu + 1.96 * error}
        for n in (first, packets)
        if error is not None
    ]
    guides: list[dict[str, Any]] = []
    for n, label in _GUIDES:
        if first <= n <= packets:
            side = "right" if n * n > first * packets else "left"
            guides.append({"packets": n, "seen": True, "left": "", "right": "", side: label})
    none = {"packets": first, "seen": False, "left": "", "right": ""}
    return {"prefix": prefix, "band": band, "guides": guides or [none]}


def _autocorrelation(link: dict[str, Any], detail: dict[str, Any]) -> list[dict[str, Any]]:
    mu, noise = link["mu"], 1.96 / math.sqrt(link["packets"])
    return [
        {
            "lag": lag,
            "value": value,
            "chain": None if mu is None else mu**lag,
            "low": -noise,
            "high": noise,
        }
        for lag, value in detail["autocorrelation"]
        if value is not None
    ]
