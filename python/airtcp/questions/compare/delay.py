"""What the verdict supports of remedies against the wait in a queue of varying capacity.

The remedies are queue disciplines and transports that keep a queue short. They aim at the delivery
time, at the cost of goodput. No effect is stated whose paired interval includes zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from airtcp.questions.compare import effects, quantities

if TYPE_CHECKING:
    from airtcp.data.documents import Outcome, Remedies


def _least(remedies: Remedies) -> float:
    """Return the least difference in delivery time that matters, in seconds."""
    own = effects.reference(remedies)["delivery_p95_s"]["mean"] or 0.0
    measure = quantities.measure(remedies, "delay")
    return (measure["matters"] if measure is not None else 0.0) * own


def shorter(remedies: Remedies) -> list[Outcome]:
    """Return the remedies that shorten the delivery time by at least the threshold, by goodput.

    Remedies that another dominates are left out.
    """
    least = _least(remedies)
    behind = {c["variant"] for c in remedies["verdict"]["worse"]}
    found = [
        outcome
        for outcome in remedies["outcomes"]
        if outcome["variant"] not in behind
        and (d := outcome["delivery_p95_difference"]) is not None
        and d["standing"] == "less"
        and -(d["absolute"]["mean"] or 0.0) >= least
    ]
    return sorted(found, key=lambda o: -(o["goodput_bps"]["mean"] or 0.0))


def unhelpful(remedies: Remedies) -> Literal["open", "unproven", "nothing"]:
    """Return whether shorter times are open, only means are shorter, or gains are excluded."""
    if remedies["replications"] <= 1:
        return "open"
    least = _least(remedies)
    own = effects.reference(remedies)["delivery_p95_s"]["mean"] or 0.0
    means = [o["delivery_p95_s"]["mean"] for o in remedies["outcomes"]]
    if any(mean is not None and own - mean >= least and mean < own for mean in means):
        return "unproven"
    ends = [
        difference["absolute"]["ci_low"]
        for outcome in remedies["outcomes"]
        if (difference := outcome["delivery_p95_difference"]) is not None
    ]
    return "open" if any(low is None or -low >= least for low in ends) else "nothing"
