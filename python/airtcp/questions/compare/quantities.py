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


def cannot_tell(number: int, over: str, needed: int | None) -> str:
    """Write that the replications do not tell, and how many should.

    Args: number: Replications or stretches so far. over: Which of them. needed: The number that
        should tell, if it is known.

    >>> cannot_tell(2, "replications", 8)
    'Cannot tell (2 replications; -n 8)'
    >>> cannot_tell(10, "stretches", 34), cannot_tell(5, "replications", None)
    ('Cannot tell (10 stretches; 34 as long)', 'Cannot tell (5 replications)')
    """
    more = (
        "" if needed is None else f"-n {needed}" if over == "replications" else f"{needed} as long"
    )
    said = words.counted(number, SINGULAR[over], over)
    return f"Cannot tell ({said}; {more})" if more else f"Cannot tell ({said})"


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


def without_interval(case: CompareCase) -> str:
    """Return why a difference of goodputs in a case has no interval."""
    if case["replications"] <= 1:
        return f"one {SINGULAR[case['over']]} only"
    return f"rare {case['over']} make the mean"


def mean(outcome: Outcome, quantity: str) -> float | None:
    """Return the mean of a quantity of the verdict; none if it was not measured."""
    estimate = cast("Mapping[str, Estimate | None]", outcome)[quantity]
    return None if estimate is None else estimate["mean"]
