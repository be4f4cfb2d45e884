"""One remedy in words: its name, and its effects compared with plain TCP.

Remedies against losses (`findings.remedies`) and against the wait in a queue (`findings.delay`)
are described alike. No effect is stated whose paired interval includes zero.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from airtcp.questions.compare import quantities
from airtcp.words import sentences as words
from airtcp.words.grid import elided

if TYPE_CHECKING:
    from airtcp.data.documents import Estimate, Outcome, PairedDifference, Remedies


_LONGEST: Final = 70
"""Characters of a name in a sentence."""


def gain(percent: Estimate) -> str:
    """Write a gain with its interval, as a factor if it is large.

    >>> gain({"mean": 350.0, "ci_low": 250.0, "ci_high": 460.0})
    '4.5\N{MULTIPLICATION SIGN} [3.5, 5.6]'
    >>> gain({"mean": -1.7, "ci_low": -1.75, "ci_high": -1.65})
    '\N{MINUS SIGN}1.7 % [\N{MINUS SIGN}1.8, \N{MINUS SIGN}1.6]'
    >>> gain({"mean": 900.0, "ci_low": None, "ci_high": None})
    '10\N{MULTIPLICATION SIGN}'
    """
    percent = words.change(percent)
    mean, low, high = percent["mean"], percent["ci_low"], percent["ci_high"]
    if mean is None or mean < words.TWICE:
        return words.measured(percent, "%")
    text = f"{words.factor(mean)}\N{MULTIPLICATION SIGN}"
    return (
        text
        if low is None or high is None
        else f"{text} [{words.factor(low)}, {words.factor(high)}]"
    )


def reference(remedies: Remedies) -> Outcome:
    """Return the outcome of the TCP without a remedy."""
    return quantities.outcome_of(remedies, remedies["reference"])


_TRANSPORTS: Final = {
    "lt-tcp": "a coded transport (LT-TCP)",
    "sliding": "a coded transport (sliding)",
}
_PROTOCOLS: Final = {
    "ll-arq": "retransmission on the link (LL-ARQ{})",
    "ll-harq": "retransmission with parity on the link (LL-HARQ{})",
}


_QUEUES: Final = {
    "codel": "CoDel",
    "fq-codel": "FQ-CoDel",
    "pie": "PIE",
    "red": "RED",
    "drop-tail": "drop-tail",
    "airtime-fair": "airtime-fair queueing",
    "per-station": "queues per station",
    "ack-filter": "an ACK filter",
    "jersey": "Jersey's marking",
    "tbf": "a token bucket filter",
}


def named(variant: str, plain: str = "sack") -> str:
    """Name a remedy in words.

    Args: variant: Its name in results. plain: The TCP that it is compared with.

    >>> named("sack@ll-arq:arq=selective")
    'retransmission on the link (LL-ARQ, arq=selective)'
    >>> named("lt-tcp@ll-harq")
    'a coded transport (LT-TCP) over retransmission with parity on the link (LL-HARQ)'
    >>> named("cubic@codel:target=10 ms", "cubic")
    'CoDel in the queue of the link (target=10 ms)'
    >>> named("cubic@last-in", "cubic")
    'last-in in the queue of the link'
    >>> named("cubic")
    'cubic'
    """
    parts = variant.split("@")
    links = {"none", *_PROTOCOLS}
    queue = next((p for p in parts[1:] if p.partition(":")[0] not in links), None)
    if queue is not None:
        kind, _, keys = queue.partition(":")
        local = f"{_QUEUES.get(kind, kind)} in the queue of the link"
        local += f" ({keys.replace(':', ', ')})" if keys else ""
        rest = "@".join(p for p in parts if p is not queue)
        return local if rest == plain else f"{named(rest, plain)} with {local}"
    transport, _, link = variant.partition("@")
    name, _, keys = transport.partition(":")
    spoken = _TRANSPORTS.get(name, transport)
    if name in _TRANSPORTS and keys:
        spoken = f"{spoken[:-1]}, {keys.replace(':', ', ')})"
    kind, _, keys = link.partition(":")
    if kind not in _PROTOCOLS:
        return f"{spoken} without a link protocol" if kind else spoken
    local = _PROTOCOLS[kind].format(f", {keys.replace(':', ', ')}" if keys else "")
    return local if transport == plain else f"{spoken} over {local}"


def spoken(variant: str, plain: str = "sack") -> str:
    """Name a remedy in a sentence, without the keys that stand in the table.

    >>> spoken("sack@ll-arq:arq=selective"), spoken("sliding"), spoken("cubic@codel", "cubic")
    ('retransmission on the link', 'a coded transport (sliding)', 'CoDel in the queue of the link')
    """
    name = re.sub(r" \((?:LL-H?ARQ|[\w.]+=)[^)]*\)", "", named(variant, plain))
    return elided(name, _LONGEST)


def shown(outcome: Outcome) -> str:
    """Write the goodput of a remedy."""
    return quantities.mean_text(outcome, "goodput_bps")


def effect(remedies: Remedies, outcome: Outcome) -> str:
    """State the effects of a remedy compared with plain TCP: goodput and its cost.

    Every measured criterion of the verdict is named, also without a significant change.
    """
    plain = reference(remedies)
    changed = [_goodput_change(outcome), _delay_change(outcome, plain)]
    waste = quantities.measure(remedies, "waste")
    if waste is not None:
        changed.append(_change(outcome, plain, waste["quantity"], outcome["waste_difference"]))
    share = quantities.measure(remedies, "share")
    if share is not None:
        changed.append(_change(outcome, plain, share["quantity"], outcome["share_difference"]))
    return words.listed(changed)


def _goodput_change(outcome: Outcome) -> str:
    difference = outcome["difference"]
    percent = None if difference is None else difference["percent"]
    if difference is not None and quantities.untested(difference):
        text = f"has a goodput of {shown(outcome)}"
        return f"{text} (no interval of the difference)"
    if difference is None or difference["standing"] not in {"more", "less"}:
        if percent is None or percent["mean"] is None:
            return "shows no significant change of goodput"
        return f"changes goodput by {words.measured(words.change(percent), '%')}, not significantly"
    if percent is None or percent["mean"] is None:
        return f"raises goodput from 0 to {shown(outcome)}"
    if percent["mean"] >= words.TWICE:
        return f"multiplies goodput by {gain(percent).replace(_TIMES, '')}"
    verb = "raises" if percent["mean"] > 0 else "lowers"
    return f"{verb} goodput by {_unsigned(words.change(percent), 1.0, '%')}"


_TIMES: Final = "\N{MULTIPLICATION SIGN}"


def _unsigned(estimate: Estimate, scale: float, unit: str) -> str:
    """Write the size of a difference whose verb shows the sign.

    >>> _unsigned({"mean": -0.012, "ci_low": -0.014, "ci_high": -0.01}, 1e3, "ms")
    '12.0 ms [10.0, 14.0]'
    """
    mean, low, high = estimate["mean"], estimate["ci_low"], estimate["ci_high"]
    if mean is None:
        return "an unknown amount"
    text = f"{words.number(abs(mean) * scale)} {unit}"
    if low is None or high is None:
        return text
    ends = sorted((low * scale, high * scale), key=abs)
    return f"{text} [{words.number(abs(ends[0]))}, {words.number(abs(ends[1]))}]"


def _delay_change(outcome: Outcome, plain: Outcome) -> str:
    difference = outcome["delivery_p95_difference"]
    if difference is None:
        # In some stretch one of the two delivers nothing, so there are no pairs.
        ours, theirs = (quantities.mean_text(o, "delivery_p95_s") for o in (outcome, plain))
        return (
            f"has a delivery time (95 %) of {ours}, {plain['variant']} {theirs}"
            " (no interval, because in some stretch nothing is delivered)"
        )
    if difference["standing"] not in {"more", "less"}:
        return "shows no significant change of the delivery time (95 %)"
    absolute = difference["absolute"]
    size = abs(absolute["mean"] or 0.0)
    amount = _unsigned(absolute, *((1.0, "s") if size >= 1 else (1e3, "ms")))
    if difference["standing"] == "more":
        return f"adds {amount} to the delivery time (95 %)"
    return f"shortens the delivery time (95 %) by {amount}"


def _change(
    outcome: Outcome, plain: Outcome, quantity: str, difference: PairedDifference | None
) -> str:
    name = quantities.noun(quantity, None)
    if difference is None:
        return f"has no comparable {name}"
    if difference["standing"] not in {"more", "less"}:
        return f"shows no significant change of {name}"
    verb = "raises" if difference["standing"] == "more" else "lowers"
    before, after = quantities.mean_text(plain, quantity), quantities.mean_text(outcome, quantity)
    if before == after:
        return f"leaves {name} at {after}"
    return f"{verb} {name} from {before} to {after}"
