"""What would help over one link: a remedy, another TCP, none, or what would tell.

The size of the help is that of the same runs with the remedy and without. Another TCP is named
before a remedy if it helps nearly as much: it is a setting of one host.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp.questions.compare import delay, effects, quantities
from airtcp.questions.compare import findings_remedies as remedies_words
from airtcp.questions.compare.helps_over_links import FEW, delay_open, delivers, price
from airtcp.questions.study import answer_tcp
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from airtcp.data.documents import CompareCase, Outcome, Remedies


def one(
    remedies: Remedies | None, case: CompareCase | None, packets: int | None = None
) -> str | None:
    """Say what would help TCP over one link; None if nothing does, or nothing was tried.

    Args:
        remedies: The remedies.
        case: The comparison of TCPs.
        packets: Packets of the trace, if the link is one.
    """
    if remedies is None:
        return answer_tcp.other(case)
    if not delivers(remedies["outcomes"]):
        return "No remedy helps: nothing arrives with any of them."
    if remedies["replications"] <= 1:
        return "Cannot tell what would help: one stretch shows no spread; a longer trace would."
    if remedies["aim"] == "delay":
        return answer_tcp.sooner(remedies, case) or _sooner(remedies)
    first = remedies_words.helpful(remedies)
    if first is None:
        return answer_tcp.other(case) or _open(remedies, packets)
    best = quantities.outcome_of(remedies, first)
    return answer_tcp.enough(remedies, case, best) or _raised(remedies, best)


def _raised(remedies: Remedies, best: Outcome) -> str:
    """Say by how much the best remedy raises goodput, and at what price."""
    first = best["variant"]
    said = f"{_capital(effects.tagged(first, remedies['reference']))} would {_gain(remedies, best)}"
    return f"{said}{price([(remedies, best)], 'deliver')}."


def _capital(text: str) -> str:
    return words.begun(text)


def _gain(remedies: Remedies, outcome: Outcome) -> str:
    """Write by how much a remedy raises goodput."""
    percent = quantities.percent(outcome)
    mean = None if percent is None else percent["mean"]
    if mean is None:
        return f"get {effects.shown(outcome)}, where {remedies['reference']} gets nothing"
    of = f"the goodput of {remedies['reference']}"
    if mean >= words.TWICE:
        return f"multiply {of} by {words.factor(mean)}"
    return f"raise {of} by {words.number(mean, 2)} %"


def _open(remedies: Remedies, packets: int | None) -> str | None:
    """Say what would tell, if the runs do not exclude that a remedy helps."""
    state = remedies_words.unhelpful(remedies)
    if state == "untested":
        return f"Cannot tell whether a remedy helps: {FEW} for a test."
    return None if state == "nothing" else _longer(remedies, packets)


def _longer(remedies: Remedies, packets: int | None) -> str:
    """Say how long a trace would tell: as many stretches as should, of the same length."""
    needed = remedies["verdict"].get("needed")
    begins = any(note.startswith("Over the first ") for note in remedies["notes"])
    much = "a longer trace"
    if needed is not None and packets is not None and not begins:
        long = packets * needed / remedies["replications"]
        much = f"a trace of about {words.number(long, 2)} packets"
    return f"Cannot tell whether a remedy helps: {much} may."


def _sooner(remedies: Remedies) -> str | None:
    """Say what shortens the delivery time of one link, and at what price."""
    shorter = delay.shorter(remedies)
    if not shorter:
        if not delay_open(remedies):
            return None
        return "Cannot tell whether a remedy shortens it: a longer trace may."
    best = shorter[0]
    name = _capital(effects.tagged(best["variant"], remedies["reference"]))
    cost, difference, percent = "", best["difference"], quantities.percent(best)
    lost = None if percent is None else percent["mean"]
    less = difference is not None and difference["standing"] == "less"
    if less and lost is not None and not words.negligible(percent):
        cost = f", for {words.number(-lost, 2)} % less goodput"
    return f"{name} would cut it to {quantities.mean_text(best, 'delivery_p95_s')}{cost}."
