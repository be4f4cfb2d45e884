"""What would help a link, in plain words: transports with erasure coding, link protocols.

As in `airtcp.words_compare`, terminal and page use the same sentences, and nothing is said to help
whose paired interval includes zero. Each remedy is held against plain TCP over the same channel.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Final

from airtcp import words, words_compare
from airtcp.words import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.documents import Estimate, Outcome, Remedies

_NOTHING_LOST: Final = 1e-4
"""Share of packets lost below which a link is said to lose next to nothing."""


def gain(percent: Estimate) -> str:
    """Write how much more it is, as a factor where it is one, with its interval.

    >>> gain({"mean": 350.0, "ci_low": 250.0, "ci_high": 460.0})
    '4.5\N{MULTIPLICATION SIGN} [3.5, 5.6]'
    >>> gain({"mean": -1.7, "ci_low": -1.75, "ci_high": -1.65})
    '\N{MINUS SIGN}1.7 % [\N{MINUS SIGN}1.8, \N{MINUS SIGN}1.6]'
    >>> gain({"mean": 900.0, "ci_low": None, "ci_high": None})
    '10\N{MULTIPLICATION SIGN}'
    """
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
    """Give what the TCP without remedy got."""
    name = remedies["reference"]
    return next(o for o in remedies["outcomes"] if o["variant"] == name)


def _sides(remedies: Remedies) -> dict[str, list[Outcome]]:
    """Sort the remedies by what their goodput is against the reference's, the best first."""
    sides: dict[str, list[Outcome]] = {"more": [], "less": [], "undecided": [], "equal": []}
    order = remedies["ranking"]["order"]
    for outcome in sorted(remedies["outcomes"], key=lambda o: order.index(o["variant"])):
        if outcome["difference"] is not None:
            sides[outcome["difference"]["standing"]].append(outcome)
    return sides


def _shown(outcome: Outcome) -> str:
    value, unit = words_compare.goodput(outcome)
    return f"{words.number(value['mean'])} {unit}"


def _with_gain(outcome: Outcome) -> str:
    difference = outcome["difference"]
    percent = None if difference is None else difference["percent"]
    if percent is None or percent["mean"] is None:
        return f"{outcome['variant']} ({_shown(outcome)})"
    return f"{outcome['variant']} {gain(percent)}"


def _lost(outcome: Outcome) -> str:
    """Say how much the link loses of what plain TCP sends over it."""
    lost = outcome["residual_loss"]["mean"]
    if lost is None:
        return "there is no loss on it that a remedy could mend"
    if lost < _NOTHING_LOST:
        return "next to nothing is lost on it" if lost else "nothing is lost on it"
    return f"it loses {words.number(100 * lost, 2)} % of the packets"


def goodput(remedies: Remedies) -> Finding:
    """Say which remedies get more than plain TCP, by how much, and which do not."""
    plain = reference(remedies)
    name = plain["variant"]
    sides = _sides(remedies)
    if not any(o["goodput_bps"]["mean"] for o in remedies["outcomes"]):
        return Finding("No remedy helps", "Nothing is delivered with any of them.", "bad")
    if remedies["replications"] <= 1:
        best = remedies["ranking"]["order"][0]
        return Finding(
            "What would help is not certain",
            f"{best} has the highest goodput, but a single run has no interval.",
            "warn",
        )
    rest = _rest(sides)
    if not sides["more"]:
        text = (
            f"{name} alone gets {_shown(plain)}, and {_lost(plain)}: no remedy is shown to get"
            " more."
        )
        return Finding("Nothing would help", f"{text}{rest}")
    first = sides["more"][0]
    text = f"{_shown(first)} with {first['variant']} where {name} alone gets {_shown(plain)}"
    difference = first["difference"]
    percent = None if difference is None else difference["percent"]
    if percent is not None and percent["mean"] is not None:
        text += f": {gain(percent)}"
    as_good = [n for n in remedies["ranking"]["as_good"] if n != name]
    also = "; ".join(_with_gain(o) for o in sides["more"][1:])
    text += f". More, too: {also}." if also else "."
    if as_good and remedies["ranking"]["order"][0] == first["variant"]:
        text += f" {words_compare.listed(as_good)} may get as much as {first['variant']}."
        headline = f"{words_compare.listed([first['variant'], *as_good])} would help most"
    else:
        headline = f"{first['variant']} would help most"
    return Finding(headline, text + rest, "good")


def _rest(sides: dict[str, list[Outcome]]) -> str:
    """Say which remedies do not help."""
    said = ""
    if sides["undecided"]:
        names = "; ".join(_with_gain(o) for o in sides["undecided"])
        said += f" Within chance: {names}."
    if sides["equal"]:
        said += f" The same: {words_compare.listed([o['variant'] for o in sides['equal']])}."
    if sides["less"]:
        said += f" Less: {'; '.join(_with_gain(o) for o in sides['less'])}."
    return said


def delivery(remedies: Remedies) -> Finding | None:
    """Say which remedies deliver sooner, and which later."""
    plain = reference(remedies)
    own = plain["delivery_p95_s"]["mean"]
    said: dict[str, list[str]] = {"less": [], "more": [], "undecided": [], "equal": []}
    unpaired: list[str] = []
    for outcome in remedies["outcomes"]:
        time, difference = outcome["delivery_p95_s"]["mean"], outcome["delivery_p95_difference"]
        if outcome is plain or time is None:
            continue
        text = f"{outcome['variant']} {_time(time)}"
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
            ("less", "Sooner:"),
            ("undecided", "Within chance:"),
            ("equal", "The same:"),
            ("more", "Later:"),
        )
        if said[side]
    ]
    if unpaired:
        parts.append(
            f"No interval, as in some part one of the two delivered nothing: {'; '.join(unpaired)}"
        )
    if own is None or not parts:
        return None
    text = (
        "95 % of the data are with the application, from when they first left, within"
        f" {_time(own)} with {plain['variant']} alone. {'. '.join(parts)}."
    )
    headline = "Delivery time" if not said["less"] else f"Sooner: {_fastest(remedies)}"
    return Finding(headline, text)


def _fastest(remedies: Remedies) -> str:
    """Name the remedy that is sooner than plain TCP and has the shortest delivery time."""
    sooner = [
        (o["delivery_p95_s"]["mean"] or 0.0, o["variant"])
        for o in remedies["outcomes"]
        if (d := o["delivery_p95_difference"]) is not None and d["standing"] == "less"
    ]
    return min(sooner)[1]


def _time(seconds: float) -> str:
    """Write a time in the unit that reads best.

    >>> _time(0.0512), _time(6.894)
    ('51.2 ms', '6.89 s')
    """
    if seconds >= 1:
        return f"{words.number(seconds)} s"
    return f"{words.number(seconds * 1e3)} ms"


def cost(remedies: Remedies) -> Finding | None:
    """Say what is put on the link for each byte that arrives, and what loss is left."""
    known = [
        (value, o["variant"])
        for o in remedies["outcomes"]
        if (value := o["bytes_per_byte"]["mean"]) is not None
    ]
    if len(known) < 2:  # noqa: PLR2004 - there is something to compare
        return None
    said = ", ".join(f"{name} {words.number(value)}" for value, name in known)
    text = f"Bytes put on the link, headers and parity included, for each byte delivered: {said}."
    left = [
        f"{o['variant']} {words.number(100 * lost, 2)} %"
        for o in remedies["outcomes"]
        if (lost := o["residual_loss"]["mean"]) is not None
    ]
    if left and any(o["residual_loss"]["mean"] for o in remedies["outcomes"]):
        text += f" Losses that the transport meets on it, of its own packets: {', '.join(left)}."
    return Finding("What it costs", text)


def findings(remedies: Remedies) -> list[Finding]:
    """Say everything there is to say of the remedies on one channel, the most useful first."""
    found = [goodput(remedies), delivery(remedies), cost(remedies)]
    return [finding for finding in found if finding is not None]


def several(links: Sequence[tuple[str, Remedies]]) -> Finding:
    """Say on how many links each remedy helps, and by how much.

    Args:
        links: Name and remedies of each link.
    """
    gains: dict[str, list[float]] = {}
    helps: dict[str, int] = {}
    without = 0
    for _, remedies in links:
        more = _sides(remedies)["more"]
        without += not more
        for outcome in more:
            name, difference = outcome["variant"], outcome["difference"]
            helps[name] = helps.get(name, 0) + 1
            percent = None if difference is None else difference["percent"]
            if percent is not None and percent["mean"] is not None:
                gains.setdefault(name, []).append(percent["mean"])
    total = words.count(len(links))
    if not helps:
        return Finding("Nothing would help", f"No remedy is shown to help on any of {total} links.")
    said = [
        f"{name} {words.count(helps[name])}"
        + (f" (typically {words.times(median(gains[name]))})" if name in gains else "")
        for name in sorted(helps, key=lambda n: -helps[n])
    ]
    text = f"Of {total} links, each gets more than plain TCP on: {', '.join(said)}."
    if without:
        text += f" On {words.count(without)} nothing is shown to help."
    return Finding("What would help these links", text, "good")
