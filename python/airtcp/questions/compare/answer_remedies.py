"""What would help over a channel, in one sentence: a remedy, none, or what would tell.

The size of the help is that of the same runs with the remedy and without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.questions.compare import answer_tcp as tcp
from airtcp.questions.compare import delay, effects, quantities, settle
from airtcp.questions.compare import findings_remedies as remedies_words
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from airtcp.data.documents import CompareCase, Outcome, Remedies
    from airtcp.questions.compare.settle import Settling

_SAME: Final = 1e-6
"""Largest relative difference of two means of the same runs."""


def beside(case: CompareCase, remedies: Remedies) -> bool:
    """Return whether TCPs and remedies ran over the same channel, so that one table has both.

    Over a long trace, remedies run over its beginning only.
    """
    if (case["replications"], case["over"]) != (remedies["replications"], remedies["over"]):
        return False
    if any((o["packets_per_second"] is None) is not _in_bits(remedies) for o in case["outcomes"]):
        return False
    plain = next((o for o in case["outcomes"] if o["variant"] == remedies["reference"]), None)
    if plain is None:
        return not any(note.startswith("Over the first ") for note in remedies["notes"])
    ours, theirs = (o["goodput_bps"]["mean"] for o in (plain, effects.reference(remedies)))
    return ours == theirs or (
        ours is not None and theirs is not None and abs(ours - theirs) <= _SAME * abs(ours)
    )


def _in_bits(remedies: Remedies) -> bool:
    return remedies["outcomes"][0]["packets_per_second"] is None


def helps(case: CompareCase | None, remedies: Remedies) -> str | None:
    """Say what would help, or that nothing does, or that the runs do not tell.

    Args:
        case: The comparison of TCPs over the same subject, if the best of them is to be beaten.
        remedies: The remedies.
    """
    if not any(o["goodput_bps"]["mean"] for o in remedies["outcomes"]):
        return "No remedy helps: nothing arrives with any of them."
    if remedies["replications"] <= 1:
        return None
    if remedies["aim"] == "delay":
        return _sooner(remedies)
    first = remedies_words.helpful(remedies)
    return _nothing(remedies) if first is None else _raises(case, remedies, first)


def _raises(case: CompareCase | None, remedies: Remedies, first: str) -> str:
    """Say what the best remedy would get, and whether that is more than the best TCP gets."""
    best, plain = quantities.outcome_of(remedies, first), remedies["reference"]
    if case is None or not beside(case, remedies):
        name = words.begun(effects.spoken(first, plain))
        return f"{name} {_gain(remedies, best)}{_price(best, plain)}."
    said = f"{words.begun(_whole(first, plain))} would get {tcp.rate(best)}"
    leader = case["verdict"]["first"]
    if leader is not None and leader != plain:
        against = quantities.outcome_of(case, leader)
        if not _above(best, against):
            less = "less" if _above(against, best) else "not shown to be more"
            return f"{said}{_price(best, plain)}: {less} than {tcp.named(leader)} gets."
    other = _other_kind(remedies, first)
    if other is not None and not _price(best, plain):
        rate = tcp.rate(other).partition(" ")[0]
        return f"{said}, and {_whole(other['variant'], plain)} {rate}."
    return f"{said}{_price(best, plain)}."


def _whole(variant: str, plain: str) -> str:
    """Name a remedy with its TCP, such as SACK over retransmission on the link."""
    spoken = effects.spoken(variant, plain)
    own = "@" in variant and variant.partition("@")[0] == plain
    return f"{tcp.named(plain)} over {spoken}" if own else spoken


def _above(outcome: Outcome, other: Outcome) -> bool:
    """Return whether the interval of a goodput lies above that of another."""
    low, high = outcome["goodput_bps"]["ci_low"], other["goodput_bps"]["ci_high"]
    return low is not None and high is not None and low > high


def _gain(remedies: Remedies, outcome: Outcome) -> str:
    """Write by how much a remedy raises the goodput of plain TCP."""
    plain, percent = remedies["reference"], quantities.percent(outcome)
    mean = None if percent is None else percent["mean"]
    if mean is None:
        return f"would get {tcp.rate(outcome)}, where {plain} gets nothing"
    if mean >= words.TWICE:
        return f"would multiply the goodput of {tcp.named(plain)} by {words.factor(mean)}"
    return f"would raise the goodput of {tcp.named(plain)} by {words.number(mean, 2)} %"


def _price(outcome: Outcome, plain: str) -> str:
    """Write what a remedy costs in delay against TCP without it, if it is shown to cost some."""
    difference = outcome["delivery_p95_difference"]
    later = difference is not None and difference["standing"] == "more"
    return f", and deliver later than {tcp.named(plain)}" if later else ""


def _other_kind(remedies: Remedies, first: str) -> Outcome | None:
    """Return the best remedy of the other kind: on the link, or in the transport."""
    found = [
        outcome
        for outcome in remedies["outcomes"]
        if ("@" in outcome["variant"]) is not ("@" in first)
        and remedies_words.raises(remedies, outcome)
        and effects.spoken(outcome["variant"]) != effects.spoken(first)
    ]
    return max(found, key=lambda o: o["goodput_bps"]["mean"] or 0.0, default=None)


def _nothing(remedies: Remedies) -> str:
    """Say that no remedy raises goodput, that this is not known, or that it was not tested."""
    plain = effects.reference(remedies)
    state = remedies_words.unhelpful(remedies)
    if state == "untested":
        return "Whether a remedy helps was not tested: too few packets arrive, or are lost."
    if state == "open":
        found = few(remedies)
        if found is None or remedies["over"] != "replications":
            return "Cannot tell whether a remedy helps: a longer trace may."
        tells = found.tells(remedies["replications"]).removesuffix(" tell.")
        return f"Cannot tell whether a remedy helps: {tells[0].lower()}{tells[1:]}."
    if plain["residual_loss"]["mean"] == 0:
        return "Remedies against losses have nothing to repair: the link loses nothing."
    return f"No remedy tried raises the goodput of {tcp.named(plain['variant'])}."


def few(remedies: Remedies) -> Settling | None:
    """Return the few remedies that may raise goodput, if the runs do not tell."""
    if remedies["replications"] <= 1 or remedies["aim"] != "losses":
        return None
    if remedies_words.helpful(remedies) or remedies_words.unhelpful(remedies) != "open":
        return None
    names = [o["variant"] for o in remedies_words.may_raise(remedies)]
    return settle.tcps(remedies, remedies["reference"], names, goodput=True)


def _sooner(remedies: Remedies) -> str:
    """Say what shortens the delivery time, and at what price."""
    plain = effects.reference(remedies)
    shorter = delay.shorter(remedies)
    if not shorter:
        state = delay.unhelpful(remedies)
        if state == "open":
            return "Cannot tell whether a remedy shortens the delivery time: more runs may."
        verb = "is shown to shorten" if state == "unproven" else "shortens"
        return f"No remedy {verb} the delivery time."
    best = shorter[0]
    ours, theirs = (tcp.milliseconds(o["delivery_p95_s"]["mean"]) for o in (best, plain))
    difference = best["difference"]
    costs = (
        difference is not None
        and difference["standing"] == "less"
        and not words.negligible(difference["percent"])
    )
    price = ", for less goodput" if costs else ""
    name = words.begun(effects.spoken(best["variant"], plain["variant"]))
    return f"{name} would deliver within {ours} instead of {theirs}{price}."
