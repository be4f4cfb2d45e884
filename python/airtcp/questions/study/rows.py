"""Makes the data of a page from the document of a study: columns for all links, details of each.

The overview is a table of columns, which avoids repeated key names. The details of the links
(histograms, curves, the window over time) are grouped, deflated and encoded, and the page unpacks a
group when one of its links is chosen. Long curves are thinned to the resolution of a screen; the
data files beside the page have them in full.
"""

from __future__ import annotations

import base64
import gzip
import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal

from airtcp.charts.parts import rounded, thin
from airtcp.questions.study import findings_link as link_words
from airtcp.questions.trace.findings import memory
from airtcp.words import columns, notes
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from airtcp.data.documents import Ensemble, Estimate, Link, StudyDocument

GROUP = 16
"""Links whose details are packed together."""

WINDOW_POINTS = 600
"""Points of the congestion window kept for one link, when there are few links."""

_MANY = 200


@lru_cache(maxsize=4096)
def _share(received: float) -> float:
    """Keep three significant digits. The shares of equal windows repeat, across links as well."""
    return float(f"{received:.3g}")


def _bound(estimate: Estimate, bound: str) -> float | None:
    if bound == "low":
        return estimate["ci_low"]
    return estimate["ci_high"] if bound == "high" else estimate["mean"]


def _end(interval: tuple[float, float] | None, end: int) -> float | None:
    return None if interval is None else interval[end]


def _mean(ensemble: Ensemble | None, bound: str) -> float | None:
    if ensemble is None:
        return None
    rate = ensemble["packets_per_second"]
    low, high = words.bounded(rate)
    return {"low": low, "high": high}.get(bound, rate["mean"])


def _difference(link: Link, model: str, unit: str, bound: str) -> float | None:
    differences = link["tcp"]["difference"]
    difference = (
        differences["independent"] if model == "independent" else differences["gilbert_elliott"]
    )
    if difference is None:
        return None
    interval = difference["percent"] if unit == "percent" else difference["packets_per_second"]
    if interval is None:
        return None
    return _bound(interval, bound)


OVERVIEW: dict[str, Callable[[Link], Any]] = {
    "name": lambda link: link["name"],
    "labels": lambda link: " ".join(f"{k}={v}" for k, v in sorted(link["labels"].items())),
    "packets": lambda link: link["packets"],
    "class": lambda link: link["class"],
    "prr": lambda link: link["prr"],
    "prr_low": lambda link: _end(link["prr_ci"], 0),
    "prr_high": lambda link: _end(link["prr_ci"], 1),
    "mu": lambda link: link["mu"],
    "mu_low": lambda link: _end(link["mu_ci"], 0),
    "mu_high": lambda link: _end(link["mu_ci"], 1),
    "beta": lambda link: link["beta"],
    "converged": lambda link: link["converged"],
    "longest_success": lambda link: link["longest_success_burst"],
    "longest_loss": lambda link: link["longest_loss_burst"],
    "expected_success": link_words.expected_longest,
    "expected_loss": lambda link: link_words.expected_longest(link, "loss"),
    "tcp": lambda link: link["tcp"]["empirical"]["packets_per_second"],
    "independent": lambda link: _mean(link["tcp"]["independent"], "mean"),
    "independent_low": lambda link: _mean(link["tcp"]["independent"], "low"),
    "independent_high": lambda link: _mean(link["tcp"]["independent"], "high"),
    "chain": lambda link: _mean(link["tcp"]["gilbert_elliott"], "mean"),
    "chain_low": lambda link: _mean(link["tcp"]["gilbert_elliott"], "low"),
    "chain_high": lambda link: _mean(link["tcp"]["gilbert_elliott"], "high"),
    "gain": lambda link: _difference(link, "independent", "rate", "mean"),
    "gain_low": lambda link: _difference(link, "independent", "rate", "low"),
    "gain_high": lambda link: _difference(link, "independent", "rate", "high"),
    "gain_percent": lambda link: _difference(link, "independent", "percent", "mean"),
    "gain_percent_low": lambda link: _difference(link, "independent", "percent", "low"),
    "gain_percent_high": lambda link: _difference(link, "independent", "percent", "high"),
    "more_than_chance": lambda link: link_words.standing(link, "independent") != 0,
    "timeouts": lambda link: link["tcp"]["empirical"]["timeouts"],
    "fast_retransmits": lambda link: link["tcp"]["empirical"]["fast_retransmits"],
    "retransmission_ratio": lambda link: link["tcp"]["empirical"]["retransmission_ratio"],
    "memory": memory,
}
"""Columns of every link on the page, and their sources."""


_HEADS: Final = {
    "packets": "packets",
    "prr": "prr",
    "class": "class",
    "mu": "mu",
    "converged": "converged",
    "tcp": "packets_per_second",
    "independent": "independent",
    "chain": "gilbert_elliott",
    "gain_percent": "percent",
    "beta": "beta",
    "longest_success": "longest_success_burst",
    "longest_loss": "longest_loss_burst",
}
"""Columns of the table of links, and the metric of each."""


def heads() -> list[list[str]]:
    """Return the field and the heading of each column of the table of links."""
    metrics = columns.studied()
    return [["name", "Link"], *([field, metrics[key].head] for field, key in _HEADS.items())]


def overview(links: Sequence[Link]) -> dict[str, list[Any]]:
    """Return the columns of all links."""
    return {name: [rounded(pick(link)) for link in links] for name, pick in OVERVIEW.items()}


def detail(link: Link, window_points: int) -> dict[str, Any]:
    """Return the details of one link."""
    tcp = link["tcp"]
    chain = tcp["gilbert_elliott"]
    convergence = link["convergence"]
    window = tcp["empirical"]["cwnd"]
    return {
        "source": link["source"],
        "labels": link["labels"],
        "notes": notes.notes([link]),
        "slot_assumed": tcp["slot_assumed"],
        "interval_s": link["interval_s"],
        "g": rounded(link["g"]),
        "b": rounded(link["b"]),
        "received": link["received"],
        "isolated": rounded(link["isolated_loss_share"]),
        "findings": [[f.headline, f.text, f.tone] for f in link_words.link_findings(link)],
        "titles": titles(link),
        "error": rounded(convergence["standard_error"]),
        "prefix": [[n, rounded(mu)] for n, mu in convergence["prefix"]],
        "cpdf": [[p["k"], rounded(p["probability"]), p["samples"]] for p in link["cpdf"]],
        "loss": losses["histogram"] if (losses := link["loss_bursts"]) else [],
        "success": runs["histogram"] if (runs := link["success_bursts"]) else [],
        "autocorrelation": [[lag, rounded(value)] for lag, value in link["autocorrelation"]],
        "time": [
            link["prr_over_time"]["window_packets"],
            [_share(value) for value in link["prr_over_time"]["prr"]],
        ],
        "replicas": {
            "independent": [rounded(x) for x in tcp["independent"]["replica_packets_per_second"]],
            "chain": [rounded(x) for x in chain["replica_packets_per_second"]] if chain else [],
        },
        "counts": [
            _counts("this trace", tcp["empirical"]),
            _counts("independent", tcp["independent"]),
            *([_counts("Gilbert-Elliott", chain)] if chain else []),
        ],
        "cwnd": thin(window["t_s"], window["cwnd_packets"], window_points) if window else None,
    }


def _counts(label: str, measured: Any) -> list[Any]:
    """Return a row of the small table under the throughput: counts, or means over replicas."""
    row: list[Any] = [label]
    for key in ("packets_per_second", "timeouts", "fast_retransmits", "retransmission_ratio"):
        value = measured[key]
        row.append(rounded(value["mean"] if isinstance(value, dict) else value))
    return row


def longest(link: Link, kind: Literal["success", "loss"]) -> str:
    """Write the length of a link's longest run."""
    run = link["longest_success_burst"] if kind == "success" else link["longest_loss_burst"]
    return "not measured" if run is None else words.count(run)


def titles(link: Link) -> dict[str, str]:
    """Write the heading of each chart of a link."""
    empirical = link["tcp"]["empirical"]
    found = {
        "tcp": link_words.against_independent(link).headline,
        "cwnd": (
            f"{words.counted(empirical['timeouts'], 'timeout')} and"
            f" {words.counted(empirical['fast_retransmits'], 'fast retransmit')}"
            f" in {words.number(empirical['duration_s'])} s"
        ),
        "success": f"Longest run of successes: {longest(link, 'success')}",
        "loss": f"Longest run of losses: {longest(link, 'loss')}",
        "convergence": "mu has settled" if link["converged"] else "mu has not settled",
        "cpdf": "What the last packets say of the next",
        "autocorrelation": "How long the link remembers",
    }
    isolated = link["isolated_loss_share"]
    if isolated is not None:
        found["loss"] = (
            f"{100 * isolated:.0f} % of loss runs are single losses; the longest run is "
            + longest(link, "loss")
        )
    expected = link_words.expected_longest(link)
    if expected is not None:
        found["success"] += f", a Gilbert-Elliott chain's about {words.count(expected)}"
    if link["mu"] is None:
        found["convergence"] = "No mu: every packet had the same fate"
    if memory(link) == "unmeasured":
        unmeasured = "The order of losses was not measured"
        found |= dict.fromkeys(
            ("success", "loss", "convergence", "cpdf", "autocorrelation"), unmeasured
        )
    return found


def pack(value: Any) -> str:
    """Encode a value for the page: JSON, deflated, in base64; equal values give equal text.

    Level 9 takes four times as long as level 6 and makes the details 4 % smaller.
    """
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode("ascii")


def study_payload(document: StudyDocument) -> dict[str, Any]:
    """Return all data of a study's page."""
    links = document["links"]
    points = WINDOW_POINTS if len(links) <= _MANY else WINDOW_POINTS // 4
    details = [detail(link, points) for link in links]
    groups = [details[start : start + GROUP] for start in range(0, len(details), GROUP)]
    return {
        "kind": "study",
        "heads": heads(),
        "columns": overview(links),
        "group": GROUP,
        "details": [pack(group) for group in groups],
        "slots": [link["tcp"]["slot_s"] for link in links],
    }
