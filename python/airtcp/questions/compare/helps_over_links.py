"""What would help over several links: the remedy that is the best one on most of them, by how much.

A link counts for the remedy that its row of the table names, and for no other. The size of the help
is the median over these links, of the same runs with the remedy and without.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Final

from airtcp.questions.compare import delay, effects, quantities
from airtcp.questions.compare import findings_remedies as remedies_words
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import Outcome, Remedies

FEW: Final = "too few packets arrive, or too few are lost"
"""Why gains were not tested."""


@dataclass
class _Helped:
    """The links on which a remedy helps most, with the size of the help if it is known."""

    pairs: list[tuple[Remedies, Outcome]] = field(
        default_factory=list[tuple["Remedies", "Outcome"]]
    )
    sizes: list[float] = field(default_factory=list[float])

    @property
    def rank(self) -> tuple[int, float]:
        """Most links first, then the largest median."""
        return len(self.pairs), median(self.sizes) if self.sizes else 0.0

    @property
    def middle(self) -> str:
        return " (median)" if len(self.sizes) > 1 else ""


def sentence(tried: Sequence[Remedies]) -> str | None:
    """Say which remedy helps most on how many links, by how much; or what would tell.

    Args:
        tried: The remedies on each link. If their aims differ, those against losses come first.
    """
    losses = [each for each in tried if each["aim"] == "losses"]
    waits = [each for each in tried if each["aim"] == "delay"]
    said = _raised(losses) or _shortened(waits)
    return said or (_none_of(losses) if losses else None)


def _raised(tried: Sequence[Remedies]) -> str | None:
    tally: dict[str, _Helped] = {}
    for remedies in tried:
        name = _best(remedies)
        if name is None:
            continue
        outcome = quantities.outcome_of(remedies, name)
        helped = tally.setdefault(name, _Helped())
        helped.pairs.append((remedies, outcome))
        percent = quantities.percent(outcome)
        if percent is not None and percent["mean"] is not None:
            helped.sizes.append(percent["mean"])
    if not tally:
        return None
    said, helped = _most(tally, len(tried))
    plain = helped.pairs[0][0]["reference"]
    if not helped.sizes:
        return f"{said}: without it {plain} delivers nothing there."
    size = median(helped.sizes)
    gain = f"{words.number(size, 2)} % more goodput than {plain}"
    if size >= words.TWICE:
        gain = f"{words.factor(size)} times the goodput of {plain}"
    return f"{said}: {gain}{helped.middle}{price(helped.pairs, 'delivers')}."


def _best(remedies: Remedies) -> str | None:
    """Name the remedy of the table's row; none if none is shown to help."""
    if remedies["replications"] <= 1 or not delivers(remedies["outcomes"]):
        return None
    return remedies_words.helpful(remedies)


def _most(tally: dict[str, _Helped], total: int) -> tuple[str, _Helped]:
    """Begin the sentence on the remedy that is the best one on most links."""
    name, helped = max(tally.items(), key=lambda item: item[1].rank)
    number = len(helped.pairs)
    links = words.counted(total, "link")
    on = f"each of {links}" if number == total > 1 else words.counted(number, "link")
    spoken = words.begun(effects.tagged(name, helped.pairs[0][0]["reference"]))
    return f"{spoken} would help most on {on}", helped


def _shortened(tried: Sequence[Remedies]) -> str | None:
    tally: dict[str, _Helped] = {}
    for remedies in tried:
        if remedies["replications"] <= 1 or not (found := delay.shorter(remedies)):
            continue
        helped = tally.setdefault(found[0]["variant"], _Helped())
        helped.pairs.append((remedies, found[0]))
        if (taken := part(remedies, found[0])) is not None:
            helped.sizes.append(taken)
    if not tally:
        if any(delay_open(remedies) for remedies in tried):
            return "Cannot tell whether a remedy shortens the wait in the queue: longer traces may."
        return None
    said, helped = _most(tally, len(tried))
    less = f" by {words.number(100 * median(helped.sizes), 2)} %" if helped.sizes else ""
    cost = price(helped.pairs, "delivers")
    return f"{said}: it shortens the delivery time{less}{helped.middle}{cost}."


def _none_of(links: Sequence[Remedies]) -> str:
    """Say what would tell, if no remedy is shown to help on any of several links."""
    states = [
        "nothing" if not delivers(r["outcomes"]) else remedies_words.unhelpful(r) for r in links
    ]
    if "open" in states:
        return "Cannot tell whether a remedy helps on any link: longer traces may."
    if "untested" in states:
        return f"Cannot tell whether a remedy helps on any link: {FEW} for a test."
    return f"No remedy tried helps on any of {words.counted(len(links), 'link')}."


def cell(remedies: Remedies | None) -> str:
    """Write the best remedy on a link with its gain, for a table.

    Args:
        remedies: The remedies on the link; None if none was tried.
    """
    if remedies is None:
        return "not tried"
    if not delivers(remedies["outcomes"]):
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
        return "cannot tell" if delay_open(remedies) else "none"
    taken = part(remedies, shorter[0])
    much = "" if taken is None else f" {words.signed(-100 * taken)} %"
    return f"{effects.short(shorter[0]['variant'], remedies['reference'])}{much}"


def price(helped: Sequence[tuple[Remedies, Outcome]], deliver: str) -> str:
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


def delivers(outcomes: Sequence[Outcome]) -> bool:
    """Return whether anything arrives with any of them."""
    return any(outcome["goodput_bps"]["mean"] for outcome in outcomes)


def delay_open(remedies: Remedies) -> bool:
    """Return whether the runs leave open that a remedy shortens the delivery time."""
    return bool(delay.shorter(remedies)) or delay.unhelpful(remedies) != "nothing"


def part(remedies: Remedies, outcome: Outcome) -> float | None:
    """Return the part of the delivery time that a remedy takes away."""
    ours, theirs = (o["delivery_p95_s"]["mean"] for o in (outcome, effects.reference(remedies)))
    return None if ours is None or not theirs else 1 - ours / theirs
