"""Remedies against losses in words: transports with erasure coding, link protocols.

Each remedy is compared with plain TCP over the same channel. No remedy is said to help if its
paired interval includes zero.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Final, Literal

from airtcp.questions.compare import delay as delay_words
from airtcp.questions.compare import quantities
from airtcp.questions.compare import verdict as verdict_words
from airtcp.questions.compare.effects import effect, gain, named, reference, shown
from airtcp.words import sentences as words
from airtcp.words.sentences import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import Outcome, Remedies

_NOTHING_LOST: Final = 1e-4
"""Share of lost packets below which a link loses almost nothing."""


def _sides(remedies: Remedies) -> dict[str, list[Outcome]]:
    """Group the remedies by the difference of their goodput to the reference, the best first."""
    sides: dict[str, list[Outcome]] = {
        side: [] for side in ("more", "less", "alike", "undecided", "equal")
    }
    order = remedies["ranking"]["order"]
    for outcome in sorted(remedies["outcomes"], key=lambda o: order.index(o["variant"])):
        difference = outcome["difference"]
        if difference is None:
            continue
        side = difference["standing"]
        told = side in {"more", "less"} and not words.negligible(difference["percent"])
        sides[side if told or side in {"undecided", "equal"} else "alike"].append(outcome)
    return sides


TITLES: Final = {
    "losses": "Remedies against losses",
    "delay": "Remedies against queueing delay",
}
"""Headings of a table of remedies, by their aim."""


def _with_gain(outcome: Outcome) -> str:
    percent = quantities.percent(outcome)
    return f"{outcome['variant']} {f'({shown(outcome)})' if percent is None else gain(percent)}"


def _lost(outcome: Outcome) -> str:
    """State the share of plain TCP's packets that the link loses."""
    lost = outcome["residual_loss"]["mean"]
    if lost is None:
        return "there is no link loss that a remedy could repair"
    if lost < _NOTHING_LOST:
        return "the link loses almost nothing" if lost else "the link loses nothing"
    share = words.number(100 * lost, 2)
    return f"the link loses {share} % of the packets that {outcome['variant']} sends"


def _extent(remedies: Remedies) -> str:
    """State the part of a long trace on which remedies were tried."""
    said = (note for note in remedies["notes"] if note.startswith("Over the first "))
    return "".join(f" {note}" for note in said)


def helpful(remedies: Remedies) -> str | None:
    """Name the remedy that the verdict ranks first, if its gain reaches the threshold."""
    first, plain = remedies["verdict"]["first"], remedies["reference"]
    if first is None or first == plain or plain in remedies["verdict"]["not_distinguishable"]:
        return None
    outcome = quantities.outcome_of(remedies, first)
    if outcome["difference"] is None or outcome["difference"]["standing"] != "more":
        return None
    # Without goodput of plain TCP there is no percentage, and any goodput is more.
    return None if _counts(remedies, outcome) is False else first


_NOT_SHOWN: Final = "No remedy is shown to raise goodput"
_WHETHER: Final = "whether a remedy raises goodput"
_NOT_TESTED: Final = "Whether a remedy raises goodput was not tested"


def _counts(remedies: Remedies, outcome: Outcome) -> bool | None:
    """Return whether the mean gain in goodput reaches the threshold, if known."""
    percent, measure = quantities.percent(outcome), quantities.measure(remedies, "goodput")
    mean = None if percent is None else percent["mean"]
    if mean is None or measure is None:
        return None
    return mean >= measure["matters"] * (100 + mean)


def raises(remedies: Remedies, outcome: Outcome) -> bool:
    """Return whether a remedy is shown to raise goodput, by at least the threshold.

    Args:
        remedies: The remedies.
        outcome: One of them.
    """
    difference = outcome["difference"]
    more = difference is not None and difference["standing"] == "more"
    return more and _counts(remedies, outcome) is not False


def unhelpful(remedies: Remedies) -> Literal["untested", "open", "nothing"]:
    """Return whether gains were not tested, cannot be excluded, or are excluded.

    Args:
        remedies: Remedies of which none helps.
    """
    higher = may_raise(remedies)
    if not higher:
        return "nothing"
    # "Not shown" would suggest that a test was made.
    return "untested" if all(_untested(o) for o in higher) else "open"


def may_raise(remedies: Remedies) -> list[Outcome]:
    """Return the remedies whose intervals contain a gain in goodput that matters.

    Args:
        remedies: The remedies.
    """
    plain, sides = reference(remedies), _sides(remedies)
    if plain["residual_loss"]["mean"] == 0 and not sides["more"]:
        # Where nothing is lost, there is nothing to repair, however wide the intervals.
        return []
    return [o for o in (*sides["undecided"], *sides["more"]) if _may_count(remedies, o)]


def _may_count(remedies: Remedies, outcome: Outcome) -> bool:
    """Return whether the interval of the gain in goodput contains one that matters."""
    percent, measure = quantities.percent(outcome), quantities.measure(remedies, "goodput")
    high = None if percent is None else percent["ci_high"]
    if high is None or measure is None:
        return _counts(remedies, outcome) is not False
    return high >= measure["matters"] * (100 + high)


def _cannot_tell(remedies: Remedies) -> str:
    """Write that the replications do not tell, and how many should."""
    needed = remedies["verdict"].get("needed")
    return quantities.cannot_tell(remedies["replications"], remedies["over"], needed)


def _few(remedies: Remedies) -> str:
    """State that the data are too few to exclude a gain."""
    over = quantities.repeats(remedies)
    return f" {words.begun(over)} cannot exclude a gain; more may show one."


def _longer(remedies: Remedies) -> str:
    """State what would allow a test, if too few packets arrive."""
    if remedies["over"] != "stretches":
        return ""
    return " Fewer and longer stretches (--replications), or a longer trace, may allow a test."


def conclusion(remedies: Remedies) -> Finding:
    """State in one sentence what helps, by how much and at what cost."""
    plain = reference(remedies)
    if not any(o["goodput_bps"]["mean"] for o in remedies["outcomes"]):
        return Finding("No remedy helps", "Nothing is delivered, with or without a remedy.", "bad")
    if remedies["replications"] <= 1:
        return _after_one_run(remedies, plain)
    first = helpful(remedies)
    if first is None:
        return _nothing_helps(remedies, plain)
    name, as_good = plain["variant"], verdict_words.equivalent(remedies)
    unknown = verdict_words.open_ones(remedies)
    best, text = quantities.outcome_of(remedies, first), named(first, name)
    text = f"{words.begun(text)} {effect(remedies, best)}."
    text += f" Goodput is {shown(best)}, against {shown(plain)} with {name} alone."
    if as_good:
        text += f" As good within the threshold: {words.listed([named(o, name) for o in as_good])}."
    headline = f"Best remedy: {verdict_words.either([first, *as_good])}"
    if unknown:
        headline = f"{first} helps"
        said = _cannot_tell(remedies)
        text += f" {said} whether it is better than {verdict_words.either(unknown)}."
    return Finding(
        headline,
        f"{text}{_extent(remedies)}",
        "good",
    )


def _after_one_run(remedies: Remedies, plain: Outcome) -> Finding:
    """State the result of one run, which has no confidence interval."""
    if plain["residual_loss"]["mean"] == 0:
        return Finding(
            "Nothing to repair",
            f"With {plain['variant']} alone nothing was lost in this run: remedies against losses"
            f" have nothing to repair. Goodput is {shown(plain)}.",
        )
    return Finding(
        "The best remedy is undecided",
        f"{verdict_words.highest_goodput(remedies)}, but one run gives no confidence interval.",
        "warn",
    )


def _nothing_helps(remedies: Remedies, plain: Outcome) -> Finding:
    """State that no remedy raises goodput, or that this is not shown, or was not tested."""
    text = (
        f"Without a remedy {plain['variant']} has a goodput of {shown(plain)}, and {_lost(plain)}."
    )
    if sooner := [name for _, name in _sooner(remedies)]:
        text += f" Shorter delivery times: {words.listed(sooner)}."
    sides = _sides(remedies)
    text += _rest(remedies, sides)
    headline = "No remedy raises goodput"
    state = unhelpful(remedies)
    if state == "untested":
        headline = _NOT_TESTED
        text += _longer(remedies)
    elif state == "open":
        headline = f"{_cannot_tell(remedies)}: {_WHETHER}"
        text += _few(remedies)
    return Finding(headline, f"{text}{_extent(remedies)}")


def _sooner(remedies: Remedies) -> list[tuple[float, str]]:
    """Return the delivery times and names of the remedies that shorten it."""
    return [
        (o["delivery_p95_s"]["mean"] or 0.0, o["variant"])
        for o in remedies["outcomes"]
        if (d := o["delivery_p95_difference"]) is not None and d["standing"] == "less"
    ]


def others(remedies: Remedies) -> Finding | None:
    """State the effects of the other remedies compared with plain TCP."""
    name, verdict = remedies["reference"], remedies["verdict"]
    if helpful(remedies) is None:
        return None
    choices = [c["variant"] for c in verdict["alternatives"] if c["variant"] != name]
    worse = [c for c in verdict["worse"] if c["variant"] != name]
    said = [
        f"{other} {effect(remedies, quantities.outcome_of(remedies, other))}" for other in choices
    ]
    if worse:
        held = ", ".join(
            f"{c['variant']} is {verdict_words.compared_figures(remedies, c)}" for c in worse
        )
        said.append(f"in no criterion significantly better than another: {held}")
    said += [f"{e['variant']} is not ranked: {e['why']}" for e in verdict["not_ranked"]]
    text = "; ".join(said)
    return Finding("Other remedies", f"{words.begun(text)}.") if said else None


def _rest(remedies: Remedies, sides: dict[str, list[Outcome]]) -> str:
    """Write how the goodput of the remedies differs if none helps."""

    def gains(outcomes: list[Outcome]) -> str:
        return "; ".join(_with_gain(outcome) for outcome in outcomes)

    said = ""
    if enough := [o for o in sides["more"] if _counts(remedies, o) is not False]:
        said += f" Higher, each by its own 95 % interval: {gains(enough)}. {_together(remedies)}"
    if little := [o for o in sides["more"] if _counts(remedies, o) is False]:
        said += f" Higher by less than the threshold: {gains(little)}."
    if sides["alike"]:
        said += f" {words.ALIKE} {words.listed([o['variant'] for o in sides['alike']])}."
    if open_ones := [o for o in sides["undecided"] if not _untested(o)]:
        said += f" No significant difference: {gains(open_ones)}."
    if unknown := [o for o in sides["undecided"] if _untested(o)]:
        # Without a test a ratio is no finding, so the goodputs are shown.
        each = "; ".join(f"{o['variant']} {shown(o)}" for o in unknown)
        said += f" Not tested ({quantities.without_interval(remedies)}): {each}."
    if sides["equal"]:
        said += f" Identical: {words.listed([o['variant'] for o in sides['equal']])}."
    if sides["less"]:
        said += f" Lower: {gains(sides['less'])}."
    return said


def _untested(outcome: Outcome) -> bool:
    difference = outcome["difference"]
    return difference is not None and quantities.untested(difference)


def _together(remedies: Remedies) -> str:
    """State the verdict, with its wider intervals, on gains that are significant one by one."""
    first, plain = remedies["verdict"]["first"], remedies["reference"]
    number = len(remedies["outcomes"]) - 1
    tested = "this remedy is" if number == 1 else f"all {number} remedies are"
    which = (
        f"no remedy ranks above {plain}"
        if first in {None, plain}
        else f"{first} ranks first, but is not shown to raise goodput"
    )
    return (
        f"When {tested} tested at once in goodput, delay and overhead, which widens the"
        f" intervals, {which}."
    )


def delivery(remedies: Remedies) -> Finding | None:
    """State with which remedies delivery times are shorter or longer."""
    plain = reference(remedies)
    own = plain["delivery_p95_s"]["mean"]
    said: dict[str, list[str]] = {"less": [], "more": [], "undecided": [], "equal": []}
    unpaired: list[str] = []
    for outcome in remedies["outcomes"]:
        time, difference = outcome["delivery_p95_s"]["mean"], outcome["delivery_p95_difference"]
        if outcome is plain or time is None:
            continue
        text = f"{outcome['variant']} {quantities.seconds(time)}"
        if difference is None or remedies["replications"] <= 1:
            unpaired.append(text)
            continue
        low, high = difference["absolute"]["ci_low"], difference["absolute"]["ci_high"]
        if low is not None and high is not None and difference["standing"] in {"less", "more"}:
            text += f" [{words.signed(low * 1e3)}, {words.signed(high * 1e3)} ms]"
        said[difference["standing"]].append(text)
    parts = [
        f"{label} {'; '.join(said[side])}"
        for side, label in (
            ("less", "Shorter:"),
            ("undecided", "No significant difference:"),
            ("equal", "Identical:"),
            ("more", "Longer:"),
        )
        if said[side]
    ]
    if unpaired:
        parts.append(
            "No interval, because one of the two delivers nothing in some stretch:"
            f" {'; '.join(unpaired)}"
        )
    if own is None or not parts:
        return None
    text = (
        f"With {plain['variant']} alone 95 % of the data reach the application in order within"
        f" {quantities.seconds(own)} of their first transmission. {'. '.join(parts)}."
    )
    headline = "Delivery time"
    if said["less"]:
        headline = f"Shortest delivery time: {min(_sooner(remedies))[1]}"
    return Finding(headline, text)


def cost(remedies: Remedies) -> Finding | None:
    """State the bytes on the link per byte delivered, and the residual loss."""
    known = [
        (value, o["variant"])
        for o in remedies["outcomes"]
        if (value := o["bytes_per_byte"]["mean"]) is not None
    ]
    if len(known) < 2:  # noqa: PLR2004 - there is something to compare
        return None
    said = ", ".join(f"{name} {words.number(value)}" for value, name in known)
    text = f"Bytes on the link per byte delivered, with headers and parity: {said}."
    left = [
        f"{o['variant']} {words.number(100 * lost, 2)} %"
        for o in remedies["outcomes"]
        if (lost := o["residual_loss"]["mean"]) is not None
    ]
    if left and any(o["residual_loss"]["mean"] for o in remedies["outcomes"]):
        text += f" Residual loss: {', '.join(left)}."
    return Finding("Overhead", text)


def findings(remedies: Remedies) -> list[Finding]:
    """Return all findings on the remedies on one channel, the conclusion first."""
    if remedies["aim"] == "delay":
        return delay_words.findings(remedies)
    found = [conclusion(remedies), others(remedies), delivery(remedies), cost(remedies)]
    return [finding for finding in found if finding is not None]


def summaries(links: Sequence[tuple[str, Remedies]]) -> list[Finding]:
    """Summarise the remedies on several links: against losses, and against queueing delay.

    Args:
        links: Name and remedies of each link.
    """
    losses = [link for link in links if link[1]["aim"] == "losses"]
    delay = [link for link in links if link[1]["aim"] == "delay"]
    found = [several(losses)] if losses else []
    return [*found, delay_words.several(delay)] if delay else found


@dataclass
class _Tally:
    """Counts of the links on which each remedy helps."""

    gains: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    """Gains in percent of the links on which a remedy helps."""
    helps: Counter[str] = field(default_factory=Counter[str])
    first: Counter[str] = field(default_factory=Counter[str])
    """Links on which a remedy is the best choice or as good."""
    without: int = 0
    """Links on which no remedy helps."""
    untested: int = 0

    def add(self, remedies: Remedies) -> None:
        """Count one link."""
        sides = _sides(remedies)
        more = sides["more"]
        higher = [o for o in sides["undecided"] if _counts(remedies, o)]
        unknown = not more and bool(higher) and all(_untested(o) for o in higher)
        self.untested += unknown
        self.without += not more and not unknown
        good = verdict_words.best(remedies) if helpful(remedies) is not None else []
        raising = {outcome["variant"] for outcome in more}
        self.first.update(name for name in good if name in raising)
        for outcome in more:
            self.helps[outcome["variant"]] += 1
            percent = quantities.percent(outcome)
            if percent is not None and (mean := percent["mean"]) is not None:
                self.gains.setdefault(outcome["variant"], []).append(mean)


def several(links: Sequence[tuple[str, Remedies]]) -> Finding:
    """State on how many links each remedy against losses helps, and by how much.

    Args:
        links: Name and remedies of each link.
    """
    tally = _Tally()
    for _, remedies in links:
        tally.add(remedies)
    plain = links[0][1]["reference"]
    total = words.counted(len(links), "link")
    few = "too few packets arrive, or too few are lost, for a test"
    open_ones = f" On {words.count(tally.untested)} {few}." if tally.untested else ""
    if tally.untested == len(links):
        return Finding(_NOT_TESTED, f"On each of {total} {few}.")
    if not tally.helps:
        text = f"No remedy raises goodput significantly on any of {total}.{open_ones}"
        return Finding(_NOT_SHOWN, text)
    said = [
        f"{named(name, plain)} on {words.count(number)}{_typical(tally.gains.get(name, []))}"
        for name, number in tally.helps.most_common()
    ]
    text = f"Significantly higher goodput (of {total}): {'; '.join(said)}."
    if tally.first:
        ranked = ", ".join(f"{name} {words.count(n)}" for name, n in tally.first.most_common())
        best = "best or as good within the threshold"
        text += f" With delay and overhead considered, {best}: {ranked}."
    tried = dict.fromkeys(
        o["variant"] for _, remedies in links for o in remedies["outcomes"] if o["difference"]
    )
    if never := [name for name in tried if name not in tally.helps]:
        text += f" No significant gain on any link: {words.listed(never)}."
    if tally.without:
        text += f" On {words.count(tally.without)} no remedy raises goodput significantly."
    return Finding("Remedies for these links", f"{text}{open_ones}", "good")


def _typical(gains: Sequence[float]) -> str:
    """Write the gain of a remedy over the links on which it helps: a median if there are several.

    >>> _typical([300.0]), _typical([10.0, 30.0]), _typical([])
    (' (4.0\N{MULTIPLICATION SIGN})', ' (median +20 %)', '')
    """
    if not gains:
        return ""
    return f" ({'median ' if len(gains) > 1 else ''}{words.times(median(gains))})"
