"""What would help over one link or over several: a remedy, none, or what would tell.

The size of the help is that of the same runs with the remedy and without. Over several links it is
the median of those on which the remedy helps most, which the table names. Another TCP is named
before a remedy if it helps nearly as much: it is a setting of one host.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Final

from airtcp.questions.compare import delay, effects, quantities
from airtcp.questions.compare import findings_remedies as remedies_words
from airtcp.questions.study import answer_tcp
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import CompareCase, Outcome, Remedies

_FEW: Final = "too few packets arrive, or too few are lost"


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
    if not _delivers(remedies["outcomes"]):
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
    return f"{said}{_price([(remedies, best)], 'deliver')}."


def several(links: Sequence[Remedies]) -> str | None:
    """Say what would help how many links, by how much.

    Args:
        links: The remedies on each link, all with one aim.
    """
    if not links:
        return None
    return _several_sooner(links) if links[0]["aim"] == "delay" else _several(links)


def cell(remedies: Remedies | None) -> str:
    """Write the best remedy on a link with its gain, for a table.

    Args:
        remedies: The remedies on the link; None if none was tried.
    """
    if remedies is None:
        return "not tried"
    if not _delivers(remedies["outcomes"]):
        return "none: nothing arrives"
    if remedies["replications"] <= 1:
        return "cannot tell"
    return _delay_cell(remedies) if remedies["aim"] == "delay" else _loss_cell(remedies)


def _loss_cell(remedies: Remedies) -> str:
    first = remedies_words.helpful(remedies)
    if first is None:
        state = remedies_words.unhelpful(remedies)
        return {"untested": "not testable", "open": "cannot tell", "nothing": "none"}[state]
    percent = quantities.percent(quantities.outcome_of(remedies, first))
    much = "" if percent is None or percent["mean"] is None else f" {words.times(percent['mean'])}"
    return f"{effects.short(first, remedies['reference'])}{much}"


def _delay_cell(remedies: Remedies) -> str:
    shorter = delay.shorter(remedies)
    if not shorter:
        return "cannot tell" if _delay_open(remedies) else "none"
    part = _part(remedies, shorter[0])
    much = "" if part is None else f" {words.signed(-100 * part)} %"
    return f"{effects.short(shorter[0]['variant'], remedies['reference'])}{much}"


def _capital(text: str) -> str:
    return words.begun(text)


def _delivers(outcomes: Sequence[Outcome]) -> bool:
    return any(outcome["goodput_bps"]["mean"] for outcome in outcomes)


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


def _price(helped: Sequence[tuple[Remedies, Outcome]], deliver: str) -> str:
    """Write what a remedy costs on more than half of the links on which it helps.

    A cost is said if its paired interval shows it.

    Args:
        helped: The remedy on each link.
        deliver: The verb in the form that the sentence needs.
    """
    outcomes = [outcome for _, outcome in helped]
    costs = [
        text
        for side, text, differences in (
            ("less", "for less goodput", [o["difference"] for o in outcomes]),
            ("more", f"but {deliver} later", [o["delivery_p95_difference"] for o in outcomes]),
            ("more", "for more bytes on the link", [o["waste_difference"] for o in outcomes]),
        )
        if 2 * sum(d is not None and d["standing"] == side for d in differences) > len(helped)
    ]
    return f", {' and '.join(costs)}" if costs else ""


def _open(remedies: Remedies, packets: int | None) -> str | None:
    """Say what would tell, if the runs do not exclude that a remedy helps."""
    state = remedies_words.unhelpful(remedies)
    if state == "untested":
        return f"Cannot tell whether a remedy helps: {_FEW} for a test."
    return None if state == "nothing" else _longer(remedies, packets)


def _longer(remedies: Remedies, packets: int | None) -> str:
    """Say how long a trace would tell: as many stretches as should, of the same length."""
    needed = remedies["verdict"].get("needed")
    part = any(note.startswith("Over the first ") for note in remedies["notes"])
    much = "a longer trace"
    if needed is not None and packets is not None and not part:
        long = packets * needed / remedies["replications"]
        much = f"a trace of about {words.number(long, 2)} packets"
    return f"Cannot tell whether a remedy helps: {much} may."


def _delay_open(remedies: Remedies) -> bool:
    """Return whether the runs leave open that a remedy shortens the delivery time."""
    return bool(delay.shorter(remedies)) or delay.unhelpful(remedies) != "nothing"


def _part(remedies: Remedies, outcome: Outcome) -> float | None:
    """Return the part of the delivery time that a remedy takes away."""
    ours, theirs = (o["delivery_p95_s"]["mean"] for o in (outcome, effects.reference(remedies)))
    return None if ours is None or not theirs else 1 - ours / theirs


def _sooner(remedies: Remedies) -> str | None:
    """Say what shortens the delivery time of one link, and at what price."""
    shorter = delay.shorter(remedies)
    if not shorter:
        if not _delay_open(remedies):
            return None
        return "Cannot tell whether a remedy shortens it: a longer trace may."
    best = shorter[0]
    name = _capital(effects.tagged(best["variant"], remedies["reference"]))
    price, difference, percent = "", best["difference"], quantities.percent(best)
    lost = None if percent is None else percent["mean"]
    less = difference is not None and difference["standing"] == "less"
    if less and lost is not None and not words.negligible(percent):
        price = f", for {words.number(-lost, 2)} % less goodput"
    return f"{name} would cut it to {quantities.mean_text(best, 'delivery_p95_s')}{price}."


@dataclass
class _Helped:
    """The links on which a remedy helps most, as their column of the table says."""

    pairs: list[tuple[Remedies, Outcome]] = field(
        default_factory=list[tuple["Remedies", "Outcome"]]
    )
    sizes: list[float] = field(default_factory=list[float])

    @property
    def rank(self) -> tuple[int, float]:
        """Most links first, then the largest median."""
        return len(self.pairs), median(self.sizes) if self.sizes else 0.0


def _most(tally: dict[str, _Helped]) -> tuple[str, _Helped]:
    return max(tally.items(), key=lambda item: item[1].rank)


def _on(helped: _Helped, total: int) -> str:
    number = len(helped.pairs)
    if number == total:
        return "on all of them" if total > 1 else "on the link"
    return f"on {words.counted(number, 'link')}"


def _middle(sizes: Sequence[float]) -> str:
    return " (median)" if len(sizes) > 1 else ""


def _several(links: Sequence[Remedies]) -> str | None:
    tally: dict[str, _Helped] = {}
    for remedies in links:
        first = remedies_words.helpful(remedies)
        if first is None:
            continue
        outcome = quantities.outcome_of(remedies, first)
        helped = tally.setdefault(first, _Helped())
        helped.pairs.append((remedies, outcome))
        percent = quantities.percent(outcome)
        if percent is not None and percent["mean"] is not None:
            helped.sizes.append(percent["mean"])
    if not tally:
        return _none_of(links)
    variant, helped = _most(tally)
    plain = links[0]["reference"]
    name = _capital(effects.tagged(variant, plain))
    where = _on(helped, len(links))
    if not helped.sizes:
        return f"{name} would help most: {where} {plain} gets something only with it."
    much = words.much(median(helped.sizes))
    price = _price(helped.pairs, "delivers")
    return f"{name} would help most: {where} {plain} gets {much}{_middle(helped.sizes)}{price}."


def _none_of(links: Sequence[Remedies]) -> str | None:
    """Say what would tell, if no remedy is shown to help on any of several links."""
    states = [
        "nothing" if not _delivers(r["outcomes"]) else remedies_words.unhelpful(r) for r in links
    ]
    if "open" in states:
        return "Cannot tell whether a remedy helps on any link: longer traces may."
    if "untested" in states:
        return f"Cannot tell whether a remedy helps on any link: {_FEW} for a test."
    return None


def _several_sooner(links: Sequence[Remedies]) -> str | None:
    tally: dict[str, _Helped] = {}
    for remedies in links:
        if not (found := delay.shorter(remedies)):
            continue
        helped = tally.setdefault(found[0]["variant"], _Helped())
        helped.pairs.append((remedies, found[0]))
        if (part := _part(remedies, found[0])) is not None:
            helped.sizes.append(part)
    if not tally:
        if any(_delay_open(remedies) for remedies in links):
            return "Cannot tell whether a remedy shortens the wait in the queue: longer traces may."
        return None
    variant, helped = _most(tally)
    name = _capital(effects.tagged(variant, links[0]["reference"]))
    less = f" by {words.number(100 * median(helped.sizes), 2)} %" if helped.sizes else ""
    price = _price(helped.pairs, "delivers")
    return (
        f"{name} would help most: {_on(helped, len(links))} it shortens the delivery time"
        f"{less}{_middle(helped.sizes)}{price}."
    )
