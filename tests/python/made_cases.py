"""Cases of comparisons made by hand, for the tests of answers."""

from __future__ import annotations

from typing import Any

UNKNOWN: dict[str, Any] = {"mean": None, "ci_low": None, "ci_high": None}
MEASURES = [
    ("goodput", "goodput_bps", 0.03, True, True),
    ("delay", "delivery_p95_s", 0.1, True, False),
    ("waste", "retransmission_ratio", 0.01, False, False),
]


def estimate(mean: float | None, half: float | None = 0.0) -> dict[str, Any]:
    """A mean with its interval; without a half width, none."""
    if mean is None or half is None:
        return {"mean": mean, "ci_low": None, "ci_high": None}
    return {"mean": mean, "ci_low": mean - half, "ci_high": mean + half}


def difference(standing: str, percent: float | None = None, half: float | None = 1.0) -> Any:
    """A paired difference to the reference."""
    shown = None if percent is None else estimate(percent, half)
    return {"standing": standing, "absolute": estimate(percent or 0.0, half), "percent": shown}


def outcome(name: str, mbps: float | None, half: float | None = 0.1, **more: Any) -> dict[str, Any]:
    """What a TCP or remedy gave."""
    keys = (
        *("bytes_per_byte", "completion_s", "delivery_mean_s", "delivery_p50_s", "ecn_reactions"),
        *("delivery_p95_s", "exchange_mean_s", "fast_retransmits", "jain_index", "queue_delay_s"),
        *("residual_loss", "retransmission_ratio", "retransmissions", "rtt_mean_s", "rtt_p95_s"),
        "timeouts",
    )
    none = (
        *("delivery_p95_difference", "difference", "jain_index_down", "jain_index_up", "share"),
        *("less_than_best_bps", "others_goodput_bps", "packets_per_second", "rival_difference"),
        *("rival_goodput_bps", "share_difference", "waste_difference"),
    )
    scale = 1e6
    goodput = estimate(
        None if mbps is None else scale * mbps, None if half is None else scale * half
    )
    made: dict[str, Any] = dict.fromkeys(none) | dict.fromkeys(keys, UNKNOWN)
    made |= {"variant": name, "goodput_bps": goodput, "delivery_p95_s": estimate(0.1)}
    made["retransmission_ratio"] = estimate(0.01)
    return made | more


def compared(variant: str, than: str, *, better: str = "", worse: str = "goodput") -> Any:
    """An entry of a verdict."""
    return {
        "variant": variant,
        "than": than,
        "better": better.split(),
        "worse": worse.split(),
    }


def case(outcomes: list[Any], first: str | None, *, runs: int = 10, **verdict: Any) -> Any:
    """All TCPs over one channel, with a verdict."""
    order = sorted(outcomes, key=lambda o: -(o["goodput_bps"]["mean"] or 0.0))
    measures = [
        {
            "criterion": criterion,
            "quantity": quantity,
            "matters": matters,
            "relative": relative,
            "more_is_better": more,
        }
        for criterion, quantity, matters, relative, more in MEASURES
    ]
    found = {
        "first": first,
        "measures": measures,
        "alternatives": [],
        "equivalent": [],
        "not_distinguishable": [],
        "not_ranked": [],
        "worse": [],
        "needed": None,
        "replications": runs,
    }
    return {
        "channel": "scenario",
        "outcomes": outcomes,
        "over": "replications",
        "ranking": {
            "order": [o["variant"] for o in order],
            "not_distinguishable": [],
            "worse": [],
        },
        "replications": runs,
        "runs": [],
        "verdict": found | verdict,
        "windows": [],
    }


def remedies(outcomes: list[Any], first: str | None, *, aim: str = "losses", **verdict: Any) -> Any:
    """Remedies; the first outcome is plain TCP."""
    notes = verdict.pop("notes", [])
    made = case(outcomes, first, **verdict)
    return made | {
        "aim": aim,
        "notes": notes,
        "reference": outcomes[0]["variant"],
        "tcp": [],
    }


def subject(made: Any, helped: Any = None, **more: Any) -> Any:
    """A scenario with one case."""
    parts: dict[str, Any] = {
        "cases": [made],
        "duration_s": 100.0,
        "flows": [],
        "kind": "scenario",
        "name": "link",
        "notes": [],
        "remedies": helped,
        "scenario": {},
        "seed": 1,
        "slot_assumed": False,
        "slot_s": None,
        "source": None,
        "tcp": [],
        "title": None,
    }
    return parts | more


def document(*subjects: Any, **more: Any) -> Any:
    """A comparison."""
    parts: dict[str, Any] = {
        "schema": "airtcp.compare/1",
        "airtcp_version": "0",
        "interrupted": False,
        "options": {},
        "reference": "sack",
        "rival": None,
        "seed": 1,
        "skipped": [],
        "subjects": list(subjects),
        "variants": [],
    }
    return parts | more
