"""What a comparison of TCPs over one channel says first: which gets most, and what is not known.

The sentences follow the verdict of the document, whose statements hold jointly at the 5 % level. A
difference that the verdict does not support gets no direction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from airtcp.questions.compare import quantities, settle, verdict
from airtcp.questions.compare.settle import Settling
from airtcp.words import sentences as words
from airtcp.words.grid import elided
from airtcp.words.sentences import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from airtcp.data.documents import CompareCase, Compared, Criterion, Outcome

_NAMED: Final = 4
"""Most names in a sentence; the table has the others."""
_LONGEST: Final = 40
"""Characters of a name in a sentence."""
_NEAR: Final = 1.25
"""Amounts whose ratio is less are written with three digits."""
_HALF: Final = 0.5
_EVEN: Final = (0.4, 0.6)
"""Shares that are about half."""
_BETTER: Final = {
    "goodput_bps": "gets more",
    "delivery_p95_s": "delivers sooner",
    "retransmission_ratio": "sends less again",
    "bytes_per_byte": "needs fewer bytes on the link",
    "rival_goodput_bps": "leaves more to others",
    "others_goodput_bps": "leaves more to others",
    "jain_index": "shares more evenly",
}
_WORSE: Final = {
    "goodput_bps": "gets less",
    "delivery_p95_s": "delivers later",
    "retransmission_ratio": "sends more again",
    "bytes_per_byte": "needs more bytes on the link",
    "rival_goodput_bps": "leaves less to others",
    "others_goodput_bps": "leaves less to others",
    "jain_index": "shares less evenly",
}
"""What a TCP does that is better or worse in a quantity."""


@dataclass(frozen=True)
class Told:
    """What the runs tell: a sentence, and what would tell more or could be wrong."""

    headline: str
    tells: str | None = None
    """What would tell, if the runs do not."""
    doubt: str | None = None
    command: str | None = None
    """The options of the comparison that should tell."""


def named(name: str) -> str:
    """Write the name of a TCP within a sentence."""
    return elided(name, _LONGEST)


def some(names: Sequence[str], joined: str = "and") -> str:
    """Write a few names.

    >>> some(["a", "b"], "or"), some(["a", "b", "c", "d", "e"])
    ('a or b', 'a, b, c and others')
    """
    shown = [named(name) for name in names]
    if len(shown) > _NAMED:
        shown = [*shown[: _NAMED - 1], "others"]
    return f"{', '.join(shown[:-1])} {joined} {shown[-1]}" if len(shown) > 1 else "".join(shown)


def rate(outcome: Outcome) -> str:
    """Write the mean goodput of a TCP or remedy, rounded for a sentence.

    >>> rate({"packets_per_second": None, "goodput_bps": {"mean": 8.14e6}})
    '8.1 Mb/s'
    """
    return f"{amount(_goodput(outcome))} {_unit(outcome)}"


def rates(outcome: Outcome, other: Outcome) -> tuple[str, str]:
    """Write two mean goodputs that are compared: the first with its unit, the other without."""
    ours, theirs = amounts(_goodput(outcome), _goodput(other))
    return f"{ours} {_unit(outcome)}", theirs


def _goodput(outcome: Outcome) -> float | None:
    packets, mean = outcome["packets_per_second"], outcome["goodput_bps"]["mean"]
    if packets is not None:
        return packets["mean"]
    return None if mean is None else 1e-6 * mean


def _unit(outcome: Outcome) -> str:
    return "Mb/s" if outcome["packets_per_second"] is None else "packets/s"


def amount(value: float | None, digits: int = 2) -> str:
    """Write an amount, rounded for a sentence.

    >>> amount(8.14), amount(19.73), amount(80.02), amount(0.0537), amount(None)
    ('8.1', '19.7', '80', '0.054', 'unknown')
    """
    large = value is not None and abs(value) >= 10  # noqa: PLR2004 - two digits before the point
    text = words.number(value, 3 if large else digits)
    return text.removesuffix(".0") if large else text


def amounts(value: float | None, other: float | None) -> tuple[str, str]:
    """Write two amounts so that their difference shows.

    >>> amounts(8.14, 4.3), amounts(1.64, 1.59)
    (('8.1', '4.3'), ('1.64', '1.59'))
    """
    small, large = sorted((value or 0.0, other or 0.0))
    digits = 3 if large < _NEAR * small else 2
    return amount(value, digits), amount(other, digits)


def stopped(replications: int) -> str:
    """Say that a comparison was stopped, and on what the answer rests."""
    return f"The comparison was stopped: this rests on {words.counted(replications, 'replication')}"


def does(case: CompareCase, criteria: Iterable[Criterion], *, better: bool) -> list[str]:
    """Say what a TCP does that is better, or worse, in these criteria."""
    found = (quantities.measure(case, criterion) for criterion in criteria)
    phrases = _BETTER if better else _WORSE
    return [phrases[measure["quantity"]] for measure in found if measure is not None]


def told(case: CompareCase) -> Told:
    """Say which TCP is best over a channel, as far as the runs tell."""
    outcomes, found = case["outcomes"], case["verdict"]
    left_out = {entry["variant"] for entry in found["not_ranked"]}
    if not any(outcome["goodput_bps"]["mean"] for outcome in outcomes):
        return Told("No TCP delivers anything." if len(outcomes) > 1 else _silent(outcomes[0]))
    if len(left_out) == len(outcomes):
        return Told(_unranked(case))
    first = found["first"]
    if first is None:
        return _single(case)
    ranked = [o["variant"] for o in outcomes if o["variant"] not in left_out]
    own = quantities.outcome_of(case, first)
    if len(ranked) == 1:
        return _alone(case, own)
    return _weighed(case, own, ranked)


def _alone(case: CompareCase, own: Outcome) -> Told:
    """Say what the only TCP gets, or the only one that is ranked."""
    name = named(own["variant"])
    if len(case["outcomes"]) == 1:
        tells = "One TCP is compared with nothing: --tcp cubic,bbr names two."
        return Told(f"{name} gets {rate(own)}.", tells)
    return Told(f"Only {name} can be ranked here: it gets {rate(own)}.")


def _weighed(case: CompareCase, own: Outcome, ranked: list[str]) -> Told:
    """Say the verdict on several TCPs."""
    unknown, unproven = verdict.open_ones(case), _unproven(case, own["variant"])
    if case["verdict"]["alternatives"]:
        tells = f"Whether {some(unknown, 'or')} is as good is open." if unknown else None
        return Told(_traded(case, own), tells, unproven)
    if unknown:
        return _open(case, own, unknown)
    if as_good := verdict.equivalent(case):
        return Told(_alike(own, as_good, ranked), None, unproven)
    return Told(_clear(case, own, ranked), None, unproven)


def _silent(outcome: Outcome) -> str:
    return f"{named(outcome['variant'])} delivers nothing."


def _unranked(case: CompareCase) -> str:
    if len(case["outcomes"]) == 1:
        only = case["outcomes"][0]
        return f"{named(only['variant'])} gets {rate(only)}, but the path lacks what it needs."
    return "No TCP can be ranked: the path lacks what each of them needs."


def _single(case: CompareCase) -> Told:
    """Say what one run gives, which ranks nothing."""
    left_out = {entry["variant"] for entry in case["verdict"]["not_ranked"]}
    order = [name for name in case["ranking"]["order"] if name not in left_out]
    tells = (
        "More replications (-n 8) give intervals and a ranking."
        if case["over"] == "replications"
        else "A longer trace has several stretches, and gives a ranking."
    )
    if not order:
        return Told("No TCP can be ranked.", tells)
    best = quantities.outcome_of(case, order[0])
    if len(case["outcomes"]) == 1:
        return Told(f"{named(order[0])} gets {rate(best)} in one run.", tells)
    same = [name for name in order if rate(quantities.outcome_of(case, name)) == rate(best)]
    if len(same) > 1:
        return Told(f"Nothing is ranked: in one run {some(same)} got {rate(best)} each.", tells)
    return Told(f"Nothing is ranked: in one run {named(order[0])} got most, {rate(best)}.", tells)


def _traded(case: CompareCase, own: Outcome) -> str:
    """Say that no TCP is best in every respect, and name the first of the others."""
    other = case["verdict"]["alternatives"][0]
    theirs = quantities.outcome_of(case, other["variant"])
    gains = listed(does(case, other["better"], better=True))
    most, less = rates(own, theirs)
    costs = [
        f"gets less ({less})" if phrase == _WORSE["goodput_bps"] else phrase
        for phrase in does(case, other["worse"], better=False)
    ]
    but = f"{listed(costs)} but {gains}" if costs else gains
    said = f"{named(own['variant'])} gets {most}, and {named(other['variant'])} {but}"
    return f"No TCP is best in everything: {said}."


def _open(case: CompareCase, own: Outcome, unknown: Sequence[str]) -> Told:
    names = [own["variant"], *verdict.equivalent(case), *unknown]
    headline = (
        f"Cannot tell which of {some(names)} is best:"
        f" {named(own['variant'])} has the highest mean, {rate(own)}."
    )
    few = settle.tcps(case, own["variant"], unknown)
    if few is None:
        return Told(headline)
    if case["over"] != "replications":
        such = f": one of about {few.number} such stretches" if few.number else ""
        return Told(headline, f"A longer trace {'should' if such else 'may'} tell{such}.")
    alone = Settling([own["variant"], *few.names], few.number)
    command = few.command("tcp", own["variant"], case["replications"])
    return Told(headline, alone.tells(case["replications"]), command=command)


def _alike(own: Outcome, as_good: list[str], ranked: list[str]) -> str:
    names = [own["variant"], *as_good]
    if len(names) == len(ranked):
        return f"No TCP is better than another here: {some(names)} get about {rate(own)}."
    return f"{some(names)} are equally good here, at about {rate(own)}, and better than the others."


def _clear(case: CompareCase, own: Outcome, ranked: list[str]) -> str:
    """Say what the first gets, and the next; or in what the others are behind."""
    first = own["variant"]
    others = [name for name in case["ranking"]["order"] if name in ranked and name != first]
    entries = {entry["variant"]: entry for entry in case["verdict"]["worse"]}
    if all(_gets_less(entries, first, name) for name in others):
        theirs = quantities.outcome_of(case, others[0])
        last = "and" if len(others) == 1 else "and the next,"
        comma = "" if len(others) == 1 else ","
        fit = " that fit this path" if _beyond(case, own) else ""
        start = f"Of the TCPs tried{fit}, {named(first)} gets most"
        if len(others) == 1 and not fit:
            start = f"{named(first)} gets most here"
        most, less = rates(own, theirs)
        return f"{start}: {most}, {last} {named(others[0])}{comma} {less}."
    criteria: dict[Criterion, None] = dict.fromkeys(
        criterion for entry in entries.values() for criterion in entry["worse"]
    )
    behind = does(case, criteria, better=False)
    said = f"{', '.join(behind[:-1])} or {behind[-1]}" if len(behind) > 1 else "".join(behind)
    best = "comes first" if verdict.better_in_the_mean(case, first) else "is the best choice"
    start = f"{named(first)} {best} here, at {rate(own)}"
    who = "the other" if len(others) == 1 else "each other TCP"
    known = said and all(name in entries for name in others)
    return f"{start}: {who} {said}." if known else f"{start}."


def _beyond(case: CompareCase, own: Outcome) -> bool:
    """Return whether a TCP that is not ranked gets more than the first."""
    most = own["goodput_bps"]["mean"] or 0.0
    left_out = {entry["variant"] for entry in case["verdict"]["not_ranked"]}
    return any(
        (outcome["goodput_bps"]["mean"] or 0.0) > most
        for outcome in case["outcomes"]
        if outcome["variant"] in left_out
    )


def _gets_less(entries: dict[str, Compared], first: str, name: str) -> bool:
    """Return whether a chain of comparisons shows that a TCP gets less than the first."""
    seen: set[str] = set()
    while name != first:
        entry = entries.get(name)
        if name in seen or entry is None or "goodput" not in entry["worse"]:
            return False
        seen.add(name)
        name = entry["than"]
    return True


def _unproven(case: CompareCase, first: str) -> str | None:
    """Name a TCP that is better on average in something, without being shown to be."""
    shown = {
        (entry["variant"], criterion)
        for entry in case["verdict"]["alternatives"]
        for criterion in entry["better"]
    }
    criteria = {m["quantity"]: m["criterion"] for m in case["verdict"]["measures"]}
    for name, quantity in verdict.better_in_the_mean(case, first):
        if (name, criteria[quantity]) in shown:
            continue
        ours, theirs = (
            _rounded(quantities.outcome_of(case, each), quantity) for each in (first, name)
        )
        unit = theirs.partition(" ")[2]
        figures = f" ({theirs} instead of {ours.removesuffix(f' {unit}')})"
        figures = figures if ours != theirs else ""
        return (
            f"On average {named(name)} {_BETTER[quantity]}{figures}, but not significantly:"
            f" more {case['over']} may tell."
        )
    return None


def _rounded(outcome: Outcome, quantity: str) -> str:
    mean = quantities.mean(outcome, quantity)
    if quantity == "goodput_bps":
        return rate(outcome)
    if mean is None:
        return "unknown"
    if quantity.endswith("_s"):
        return milliseconds(mean)
    if quantity.endswith("_bps"):
        return f"{words.number(mean * 1e-6, 2)} Mb/s"
    if quantity == "retransmission_ratio":
        return f"{words.number(100 * mean, 2)} %"
    return words.number(mean)


def milliseconds(value: float | None) -> str:
    """Write a time for a sentence.

    >>> milliseconds(0.1243), milliseconds(0.0042), milliseconds(4.953)
    ('124 ms', '4.2 ms', '5.0 s')
    """
    if value is None:
        return "unknown"
    if value >= 1:
        return f"{words.number(value, 2)} s"
    shown = 1e3 * value
    return f"{words.number(shown, 2) if shown < 10 else f'{shown:.0f}'} ms"  # noqa: PLR2004


def sharing(case: CompareCase, rival: str) -> str | None:
    """Say how the TCPs share with a rival; None if no share is known.

    Args:
        case: The case.
        rival: The TCP of the flow beside each.
    """
    known = [
        (mean, outcome["variant"], share["ci_low"], share["ci_high"])
        for outcome in case["outcomes"]
        if (share := outcome["share"]) is not None and (mean := share["mean"]) is not None
    ]
    if not known:
        return None
    known.sort(key=lambda entry: (-entry[0], entry[1]))
    beside = f"Beside a flow of {named(rival)}"
    if case["replications"] <= 1:
        part = words.number(100 * known[0][0], 2)
        return f"{beside}, {named(known[0][1])} got {part} % of what both got, in one run."
    more = [entry for entry in known if entry[2] is not None and entry[2] > _HALF]
    less = [entry for entry in known if entry[3] is not None and entry[3] < _HALF]
    said: list[str] = []
    if more:
        top = words.number(100 * more[0][0], 2)
        start = f"{some([entry[1] for entry in more])} take{'s' if len(more) == 1 else ''} more"
        said.append(f"{start} than half ({'up to ' if len(more) > 1 else ''}{top} %)")
    if less:
        low = words.number(100 * less[-1][0], 2)
        names = some([entry[1] for entry in reversed(less)])
        verb = "take" if len(less) > 1 else "takes"
        than = "" if more else " than half"
        said.append(f"{names} {verb} less{than} ({'down to ' if len(less) > 1 else ''}{low} %)")
    if said:
        return f"{beside}, {', and '.join(said)}."
    if all(
        low is not None and high is not None and _EVEN[0] <= low <= high <= _EVEN[1]
        for _, _, low, high in known
    ):
        alone = named(known[0][1]) if len(known) == 1 else "each TCP"
        return f"{beside}, {alone} takes about half."
    return f"{beside}, no TCP is shown to take more or less than half."
