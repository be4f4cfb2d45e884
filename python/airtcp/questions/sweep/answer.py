"""The answer of a sweep: which key matters most, which point is best, and by how much.

It follows from the document and the points. A key is named only if its share of the variance lies
beyond those of the others; a point is best only if no interval of another point reaches it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.compare.effects import spoken
from airtcp.questions.sweep import choices, tables
from airtcp.questions.sweep.findings import findings
from airtcp.questions.sweep.leading import apart, with_unit
from airtcp.questions.sweep.measures import metric_of
from airtcp.words import sentences as words
from airtcp.words.answer import Answer
from airtcp.words.grammar import numbers
from airtcp.words.names import said, short
from airtcp.words.sentences import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.questions.sweep.document import Sensitivity, SweepDocument
    from airtcp.questions.sweep.leading import Leading, Reached

_CLEAR: Final = 0.1
"""Share of the variance from which a key is named."""
_JOINT: Final = 0.3
"""Share of the variance of several keys together from which no key is said to matter alone."""
_LONGEST_POINT: Final = 60
_LONGEST_MESSAGE: Final = 140
_MOST_KEYS: Final = 2
"""Most keys by which a sentence names a point."""
_SAMPLED: Final = frozenset({"latin-hypercube", "sobol"})


def answer(document: SweepDocument, leading: Leading | None) -> Answer:
    """Return the answer of a sweep.

    Args:
        document: The document.
        leading: Its points; None if none has a value.
    """
    label = {key: metric_of(document["sweep"]["kind"], key).label for key in _measures(document)}
    found = tuple(findings(document, lambda key: label.get(key, key)))
    if leading is None:
        headline, helps = _nothing(document)
        if document["running"]:
            finished, whole = document["points"]["finished"], document["points"]["distinct"]
            headline = f"{words.count(finished)} of {counted(whole, 'point')} are finished."
            return Answer(headline, None, None, None, _next(found=False), found)
        return Answer(headline, helps, _progress(document), None, _next(found=False), found)
    headline, helps = _said(document, leading)
    return Answer(
        headline,
        helps,
        _doubt(document, leading),
        tables.best(document, leading),
        _next(found=True),
        found,
    )


def _measures(document: SweepDocument) -> list[str]:
    return [*document["sweep"]["measure"], *(of["measure"] for of in document["sensitivity"])]


def _next(*, found: bool) -> str:
    return f"{'All: --details   ' if found else ''}Page: --html FILE"


def _nothing(document: SweepDocument) -> tuple[str, str | None]:
    """Say that no point has a value, and the first reason."""
    points, failures = document["points"], document["failures"]
    if failures:
        what = (
            f"All {counted(points['distinct'], 'point')} failed."
            if len(failures) == points["distinct"]
            else f"No point has a result, and {words.count(len(failures))} failed."
        )
        message = failures[0]["message"].strip().rstrip(".")
        plain = len(message) <= _LONGEST_MESSAGE and not numbers(message) and ". " not in message
        return what, f"The first: {message}." if plain else None
    if points["finished"]:
        return f"No measure has a value at any of {counted(points['finished'], 'point')}.", None
    return "No point is finished.", None


def _said(document: SweepDocument, leading: Leading) -> tuple[str, str | None]:
    """Return headline and help."""
    first, last = leading.reached[0].value["mean"], leading.worst.value["mean"]
    what, value = _quantity(leading), _value(leading, first)
    if leading.number == 1:
        seeds = counted(leading.seeds, "seed")
        over = f"Over {seeds}, {what} is {value} on average."
        return over if leading.seeds else f"The only point has {_a(what)} of {value}.", None
    if first == last:
        number = words.count(leading.number)
        return f"No key changes {what}: {value} at all {number} points.", None
    if not leading.better:
        return _range(leading), _mattering(document, leading)
    return _ordered(document, leading)


def _ordered(document: SweepDocument, leading: Leading) -> tuple[str, str | None]:
    """Return headline and help on a measure of which more or less is better."""
    key = _mattering(document, leading)
    if (choice := choices.sentences(leading)) is not None:
        clear = key is not None and not key.startswith("Cannot")
        return choice[0], key if clear else choice[1]
    best, rest = _best(document, leading)
    if document["sweep"]["kind"] == "compare" and leading.compared:
        return _variants(leading), key or best
    if key is not None and not key.startswith("Cannot"):
        # A grid of conditions has no best point, but further keys that matter.
        further = _next_key(document, leading) if leading.near else None
        return key, further or best
    return best, key or rest


def _quantity(leading: Leading) -> str:
    """Return the name of the main measure within a sentence."""
    metric = leading.metric
    return metric.label.removesuffix(f" ({metric.unit})")


def _a(what: str) -> str:
    """Put the article before a quantity.

    >>> _a("RTT"), _a("total goodput")
    ('an RTT', 'a total goodput')
    """
    return f"an {what}" if what[:1] in "aeiouR" else f"a {what}"


def _value(leading: Leading, mean: float | None) -> str:
    """Write a value of the main measure, with its unit."""
    text = words.number((mean or 0.0) * leading.metric.scale, 2)
    return f"{text} {leading.metric.unit}".rstrip()


def _plain(leading: Leading, mean: float | None) -> str:
    return words.number((mean or 0.0) * leading.metric.scale, 2)


def _range(leading: Leading) -> str:
    """Give the range of a measure of which neither more nor less is better."""
    high, low = leading.reached[0].value, leading.worst.value
    span = f"{_plain(leading, low['mean'])} to {_value(leading, high['mean'])}"
    what = _quantity(leading)
    if not apart(high, low, 1):
        return f"Cannot tell whether the points differ in {what}: {span}, by their means."
    return f"{words.begun(what)} is {span} over the points."


def name_of(leading: Leading, one: Reached) -> str:
    """Name a point by the values of its keys; by its place in the table if that is long."""
    names = _short_names([axis.column for axis in leading.axes])
    parts = [
        f"{name} {with_unit(axis, value)}"
        for name, axis, value in zip(names, leading.axes, one.at, strict=True)
    ]
    text = words.listed([*([spoken(one.line)] if one.line else []), *parts])
    short_enough = len(parts) <= _MOST_KEYS and len(text) <= _LONGEST_POINT
    return text if short_enough else "the first row of the table"


def _short_names(columns: Sequence[str]) -> list[str]:
    """Name keys without their places, unless two have the same name then."""
    names = [short(column) for column in columns]
    return [
        name if names.count(name) == 1 else said(column)
        for name, column in zip(names, columns, strict=True)
    ]


def _best(document: SweepDocument, leading: Leading) -> tuple[str, str | None]:
    """Name the best point, if no interval of another reaches it; and what would tell."""
    best, near = leading.reached[0], leading.near
    value = _value(leading, best.value["mean"])
    what, so_far = _quantity(leading), " so far" if _unfinished(document) else ""
    if not near:
        where = name_of(leading, best)
        return (
            f"Best{so_far} is {where}, with {_a(what)} of {value}, and no other reaches it.",
            None,
        )
    if any(one.value["ci_low"] is None for one in (best, *near)):
        tied = near[0].value["mean"] == best.value["mean"]
        where = "several points" if tied else name_of(leading, best)
        said_of = f"The largest {what}" if leading.better > 0 else f"The smallest {what}"
        return (
            f"{said_of}{so_far} is {value}, {'at' if tied else 'with'} {where}.",
            _why_no_interval(document, leading),
        )
    number = words.count(len(near) + 1)
    head = f"Cannot tell which of {number} points is best{so_far}, with {_a(what)} of about {value}"
    return f"{head}: {_more(document)} may.", None


def _more(document: SweepDocument) -> str:
    """Say what may tell points apart."""
    if document["sweep"]["until"]:
        return "a smaller width in [until]"
    if any("seed" in varied["keys"] for varied in document["sweep"]["vary"]):
        return "more seeds"
    return "longer traces" if document["sweep"]["kind"] == "study" else "more replications (-n)"


def _why_no_interval(document: SweepDocument, leading: Leading) -> str:
    """Say why chance may have chosen the best point, and what would tell."""
    runs = max(one.runs for one in leading.reached)
    if runs <= 1 and document["sweep"]["kind"] == "run":
        return "Cannot tell whether that is chance: more replications (-n) would."
    return "Cannot tell whether that is chance: the values have no intervals."


def _mattering(document: SweepDocument, leading: Leading) -> str | None:
    """Name the key that matters most and what it changes; or say that it cannot be told."""
    of = _sensitivity(document, leading)
    known = {axis.column for axis in leading.axes}
    order = None if of is None or len(of["keys"]) < 2 else ranked(of)  # noqa: PLR2004 - a rank
    if order is None:
        return None
    leader, rivals = order
    if leader == "":
        names = words.listed(_short_names(rivals))
        return f"No key matters alone: {names} matter together."
    if leader not in known or any(rival not in known for rival in rivals):
        what = _quantity(leading)
        return f"Cannot tell which key matters most: chance (the seed) changes {what} as much."
    if rivals:
        names = words.listed(_short_names([leader, *rivals]))
        what = "points" if document["sweep"]["design"] in _SAMPLED else "replications (-n)"
        return f"Cannot tell which of {names} matters most: more {what} may."
    return _size(leading, leader, "matters most")


def _sensitivity(document: SweepDocument, leading: Leading) -> Sensitivity | None:
    return next((of for of in document["sensitivity"] if of["measure"] == leading.measure), None)


def _next_key(document: SweepDocument, leading: Leading) -> str | None:
    """Name the key that comes after the one that matters most, if its share is large enough."""
    of = _sensitivity(document, leading)
    order = None if of is None else ranked(of)
    # No key comes after several that matter only together.
    if of is None or order is None or not order[0]:
        return None
    others = [key for key in of["keys"] if key["column"] != order[0]]
    further = max(others, key=lambda key: key["first"]["mean"], default=None)
    if further is None or further["first"]["mean"] < _CLEAR:
        return None
    known = further["column"] in leading.effects
    return _size(leading, further["column"], "comes next") if known else None


def ranked(of: Sensitivity) -> tuple[str, list[str]] | None:
    """Return the column of the key that matters most, and the keys that may matter as much.

    A key matters most if its share alone, and with its interactions, lies beyond those of every
    other key. The column is empty if keys matter only together. None if no key matters.
    """
    keys = sorted(of["keys"], key=lambda key: -key["first"]["mean"])
    joint = max(of.get("interactions", []), key=lambda one: one["share"]["mean"], default=None)
    first = keys[0]
    if joint is not None and joint["share"]["mean"] > max(first["first"]["mean"], _JOINT):
        return "", joint["columns"]
    if first["first"]["mean"] < _CLEAR:
        return None
    low = first["first"]["ci_low"]
    rivals = [
        key["column"]
        for key in keys[1:]
        if low is None
        or (key["first"]["ci_high"] or 0.0) >= low
        or _total(key, "ci_high") >= _total(first, "ci_low") > 0
    ]
    return first["column"], rivals


def _total(key: Any, end: str) -> float:
    return 0.0 if key["total"] is None else key["total"][end] or 0.0


def _size(leading: Leading, column: str, rank: str) -> str:
    """Say what a key changes: the mean of the measure at its best and its worst value."""
    name, what = said(column), _quantity(leading)
    the = "The " if " of the " in name else ""
    head = f"{the}{name} {rank}"
    effect = leading.effects.get(column)
    if effect is None:
        return f"{head} for {what}."
    best, worst = effect.best_mean, effect.worst_mean
    # "with the lowest delay, and 1.7 with the highest"
    there = effect.worst
    if effect.best.endswith(f"est {short(column)}"):
        there = there.removesuffix(f" {short(column)}")
    return (
        f"{head}: {what} is {_value(leading, best)} on average {effect.best}, "
        f"and {_plain(leading, worst)} {there}."
    )


def _variants(leading: Leading) -> str:
    """Say at how many points the best variant is better than all others."""
    what, number = _quantity(leading), leading.compared
    if not leading.wins:
        return f"Cannot tell which has the best {what} at any of {counted(number, 'point')}."
    (first, count), *others = leading.wins.most_common()
    if others and others[0][1] == count:
        names = words.listed([said(name) for name in sorted([first, others[0][0]])])
        return f"Which has the best {what} depends on the point: {names} at {count} each."
    name = said(first)
    if count == number:
        where = "at the only point" if number == 1 else f"at all {words.count(number)} points"
        return f"{name} has the best {what} {where}."
    rest = "elsewhere another or none" if others else "elsewhere no one can be told to be best"
    if sum(leading.wins.values()) == number:
        rest = "elsewhere another"
    where = f"{words.count(count)} of {words.count(number)} points"
    return f"{name} has the best {what} at {where}; {rest}."


def _unfinished(document: SweepDocument) -> bool:
    points = document["points"]
    return points["finished"] + len(document["failures"]) < points["distinct"]


def _progress(document: SweepDocument) -> str | None:
    """Say how many points are missing."""
    points, failed = document["points"], len(document["failures"])
    missing = points["distinct"] - points["finished"]
    whole = counted(points["distinct"], "point")
    if document["running"] and missing:
        return f"{words.count(missing)} of {whole} are still to run."
    if missing > failed:
        more = ", and some failed" if failed else ""
        return (
            f"{words.count(missing)} of {whole} are not finished{more}: the same command goes on."
        )
    if failed and points["finished"]:
        them = "it" if failed == 1 else "them"
        return (
            f"{words.count(failed)} of {whole} failed and may be better: "
            f"the same command runs {them} again."
        )
    return "The same command runs them again." if failed else None


def _doubt(document: SweepDocument, leading: Leading) -> str | None:
    """Say what the answer rests on that could be wrong; the most serious first."""
    if (progress := _progress(document)) is not None:
        return progress
    points = document["points"]
    if wide := points["wide"]:
        where = counted(wide, "point")
        return f"At {where} an interval is wider than [until] asks: raise max_replications."
    if leading.seeds:
        return f"Means and intervals are over {counted(leading.seeds, 'seed')}."
    if zero := points["zero"]:
        where = counted(zero, "point")
        return f"At {where} a measure of [until] was 0 in every replication."
    runs = {one.runs for one in leading.reached}
    if runs == {2} and document["sweep"]["kind"] == "run":
        return "Rests on 2 replications of each point: -n 8 runs more."
    return _interaction(document, leading)


def _interaction(document: SweepDocument, leading: Leading) -> str | None:
    """Say that what a key changes depends on another, if their interaction is large."""
    of = _sensitivity(document, leading)
    if of is None:
        return None
    joint = max(of.get("interactions", []), key=lambda one: one["share"]["mean"], default=None)
    ranks = ranked(of)
    if joint is None or ranks is None or not ranks[0] or joint["share"]["mean"] < _CLEAR:
        return None
    first, *others = _short_names(joint["columns"])
    share = f"{100 * joint['share']['mean']:.0f} %"
    return (
        f"What {first} changes depends on {words.listed(others)}, for {share} of the differences."
    )


__all__ = ["answer", "name_of", "ranked"]
