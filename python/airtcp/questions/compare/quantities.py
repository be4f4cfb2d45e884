"""The quantities of a comparison's verdict: their names and formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.data.documents import (
        CompareCase,
        CompareSubject,
        Criterion,
        Estimate,
        Measure,
        Outcome,
        PairedDifference,
    )

_NOUNS: Final = {
    "goodput_bps": "goodput",
    "delivery_p95_s": "delivery time (95 %)",
    "retransmission_ratio": "retransmitted share",
    "bytes_per_byte": "bytes on the link per byte delivered",
    "others_goodput_bps": "goodput of the other flows",
    "jain_index": "fairness (Jain's index)",
}

CHANNELS: Final = {
    "scenario": "the scenario",
    "trace": "the trace",
    "independent": "independent losses of equal PRR",
    "gilbert-elliott": "Gilbert-Elliott chains of equal PRR and mu",
}
"""The channels of cases, in words."""


def outcome_of(case: CompareCase, name: str) -> Outcome:
    """Return the outcome of a variant."""
    return next(outcome for outcome in case["outcomes"] if outcome["variant"] == name)


def percent(outcome: Outcome) -> Estimate | None:
    """Return the difference in goodput to the reference in percent; none if unknown."""
    difference = outcome["difference"]
    found = None if difference is None else difference["percent"]
    return None if found is None or found["mean"] is None else found


def repeats(case: CompareCase) -> str:
    """Write how many replications of a scenario, or stretches of a trace, a case has."""
    number, over = case["replications"], case["over"]
    return words.counted(number, SINGULAR[over], over)


def own(subject: CompareSubject, flow: str | None = None) -> set[str]:
    """Name the variants that leave the TCP of a scenario as it is.

    Args:
        subject: The scenario.
        flow: The only flow whose TCP is replaced, if there is one.
    """
    flows: list[dict[str, Any]] = (subject["scenario"] or {}).get("flows", [])
    asked = [f["tcp"] for f in flows if f["transport"] == "tcp" and flow in {None, f.get("name")}]
    return {
        entry["variant"]
        for entry in subject["tcp"]
        if entry["variant"] == "own"
        or (
            "@" not in entry["variant"]
            and entry["transport"] == "tcp"
            and asked
            and all(each == entry["parameters"] for each in asked)
        )
    }


def cells(subject: CompareSubject) -> bool:
    """Return whether a scenario has 802.11 cells."""
    return bool((subject["scenario"] or {}).get("cells"))


def reference_of(case: CompareCase) -> str:
    """Name the variant that the others differ from; empty if an interrupted case lacks it."""
    return next((o["variant"] for o in case["outcomes"] if o["difference"] is None), "")


def seconds(value: float) -> str:
    """Write a time in the unit that reads best.

    >>> seconds(0.0512), seconds(6.894)
    ('51.2 ms', '6.89 s')
    """
    if value >= 1:
        return f"{words.number(value)} s"
    return f"{words.number(value * 1e3)} ms"


def measure(case: CompareCase, criterion: Criterion) -> Measure | None:
    """Return the quantity that measures a criterion; none if it was not measured."""
    found = (m for m in case["verdict"]["measures"] if m["criterion"] == criterion)
    return next(found, None)


def noun(quantity: str, rival: str | None) -> str:
    """Name a quantity of the verdict."""
    return _NOUNS.get(quantity, f"goodput left to {rival or 'the rival'}")


def mean_text(outcome: Outcome, quantity: str) -> str:
    """Write the mean of a quantity of the verdict, with its unit."""
    packets = outcome["packets_per_second"]
    if quantity == "goodput_bps" and packets is not None:
        return f"{words.number(packets['mean'])} packets/s"
    found = mean(outcome, quantity)
    if found is None:
        return "unknown"
    if quantity.endswith("_bps"):
        return f"{words.number(found * 1e-6)} Mb/s"
    if quantity.endswith("_s"):
        return seconds(found)
    if quantity == "retransmission_ratio":
        return f"{words.number(100 * found, 2)} %"
    return words.number(found)


SINGULAR: Final = {"replications": "replication", "stretches": "stretch"}
"""The samples of a case, in the singular."""


def untested(difference: PairedDifference) -> bool:
    """Return whether a difference has no interval, so that its significance is unknown."""
    return difference["standing"] == "undecided" and difference["absolute"]["ci_low"] is None


def mean(outcome: Outcome, quantity: str) -> float | None:
    """Return the mean of a quantity of the verdict; none if it was not measured."""
    estimate = cast("Mapping[str, Estimate | None]", outcome)[quantity]
    return None if estimate is None else estimate["mean"]


def scaled(estimate: Estimate, factor: float) -> Estimate:
    """Return an estimate in another unit."""
    mean, low, high = (
        None if value is None else value * factor
        for value in (estimate["mean"], estimate["ci_low"], estimate["ci_high"])
    )
    return {"mean": mean, "ci_low": low, "ci_high": high}


def goodput(outcome: Outcome) -> tuple[Estimate, str]:
    """Return a goodput with its unit: packets/s over a trace, else Mb/s."""
    packets = outcome["packets_per_second"]
    if packets is not None:
        return packets, "packets/s"
    return scaled(outcome["goodput_bps"], 1e-6), "Mb/s"


def best(case: CompareCase) -> str | None:
    """Name the variant that the verdict puts first; none if there is no order."""
    return case["verdict"]["first"]


def against_reference(outcome: Outcome, *, interval: bool = True) -> str:
    """Write the difference from the reference in percent, for a table.

    A difference that is not significant has a tilde. A difference without an interval is "not
    tested"; an unknown one is empty.
    """
    difference = outcome["difference"]
    if difference is None:
        return "reference"
    if untested(difference):
        return "not tested"
    percent = difference["percent"]
    if percent is None or percent["mean"] is None:
        return ""
    text = words.measured(words.change(percent)) if interval else words.signed(percent["mean"])
    return text if difference["standing"] in {"more", "less"} else f"~ {text}"
