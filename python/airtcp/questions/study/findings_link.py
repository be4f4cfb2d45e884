"""Findings about one link: its losses, and their effect on TCP.

The prediction interval decides whether TCP over the trace differs from TCP over a model's links,
because the trace is a single draw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from airtcp.charts.parts import assume
from airtcp.questions.trace.findings import NO_MEMORY, memory, reason
from airtcp.words.grid import Toned
from airtcp.words.sentences import (
    SLOT_ASSUMED,
    TWICE,
    Finding,
    begun,
    bounds,
    count,
    counted,
    number,
    times,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.data.documents import Link


Model = Literal["independent", "gilbert_elliott"]


def standing(link: Link, model: Model) -> int:
    """Return the side of a model's links on which the trace lies: 1 above, -1 below, 0 among them.

    The prediction interval decides (`beyond_chance`): the trace is a single draw, whereas the
    confidence interval of the mean shrinks with the number of replicas.
    """
    difference = link["tcp"]["difference"][model]
    if difference is None or not difference["beyond_chance"]:
        return 0
    return 1 if (difference["packets_per_second"]["mean"] or 0.0) > 0 else -1


SETTLED: Final = 10_000
"""Packets from which a trace may carry a ratio to independent losses.

Over chains of PRR 0.6 and mu 0.9, whose ratio is 8.7 at 100,000 packets, those traces that differ
show a median of 18 at 300 packets, of 11 at 3000, and of 10 at 10,000: short traces differ only
where chance adds to the ratio. A test measures it.
"""


SETTLED_SAID: Final = f"{count(SETTLED)} packets"


def carries_ratio(link: Link) -> bool:
    """Return whether the trace is long enough to say by how much TCP differs."""
    return bool(link["converged"]) or link["packets"] >= SETTLED


def against(link: Link) -> str:
    """Write TCP over the trace against TCP over independent losses; faint within chance.

    A trace that is too short for a ratio has a side only.
    """
    percent = link["tcp"]["difference"]["independent"]["percent"]
    mean = None if percent is None else percent["mean"]
    if link["mu"] is None or not link["order_known"]:
        return "-"
    if mean is None:
        return "none there"
    side = standing(link, "independent")
    if side == 0:
        return Toned.of(f"~ {times(mean)}", "faint")
    if not carries_ratio(link):
        return "more" if side > 0 else "less"
    return times(mean)


def beside_rates(link: Link) -> str:
    """Return the note beside a rate if its slot is assumed."""
    return f" ({SLOT_ASSUMED})" if link["tcp"].get("slot_assumed", False) else ""


def rate_note(unknown: int, links: int) -> str:
    """Return the note on axes of rates if the slot of `unknown` links is assumed; else empty.

    >>> rate_note(0, 2), rate_note(2, 2), rate_note(1, 2)
    ('', 'slot 10 ms assumed', 'slot 10 ms assumed for 1 of 2 links')
    """
    if not unknown:
        return ""
    if unknown == links:
        return SLOT_ASSUMED
    return f"{SLOT_ASSUMED} for {unknown} of {counted(links, 'link')}"


def noted(charts: Mapping[str, Any], links: Sequence[Link]) -> dict[str, Any]:
    """Return charts with a note beside each rate, if the slot of links is assumed."""
    unknown = sum(link["tcp"].get("slot_assumed", False) for link in links)
    return assume(charts, rate_note(unknown, len(links)))


def _others(link: Link, model: Model) -> str:
    """Return the prediction interval of TCP over a model's links, as rates."""
    difference = link["tcp"]["difference"][model]
    rate = link["tcp"]["empirical"]["packets_per_second"]
    if difference is None or difference["prediction"] is None:
        return ""
    low, high = (max(rate - end, 0.0) for end in reversed(difference["prediction"]))
    return f"95 % of them between {number(low)} and {number(high)}"


def _compared(link: Link, model: Model, name: str) -> str:
    """State TCP's throughput over the trace and over a model's links."""
    tcp = link["tcp"]
    ensemble = tcp[model]
    mean = None if ensemble is None else ensemble["packets_per_second"]["mean"]
    others = _others(link, model)
    return (
        f"TCP gets {number(tcp['empirical']['packets_per_second'])} packets/s over the trace and"
        f" {number(mean)} on average over {name}"
        + (f", {others}" if others else "")
        + beside_rates(link)
    )


def burstiness(link: Link) -> Finding:
    """State whether losses come in bursts."""
    mu, interval, kind = link["mu"], link["mu_ci"], memory(link)
    if kind == "unmeasured":
        text = "The file counts losses without their order: mu and bursts are unknown."
        return Finding("Memory not measured", text, "warn")
    if mu is None:
        every = "arrived" if link["received"] else "was lost"
        return Finding("No memory to measure", f"Every packet {every}, so mu is undefined.")
    shown = f"mu {number(mu)}{bounds(interval)}"
    if not link["order_known"]:
        shown += ", for an order drawn at random"
    said = {
        "bursty": "losses and successes come in runs",
        "oscillating": "a success is more likely after a loss than after a success",
        "independent": "the outcome of a packet hardly depends on the outcome of the packet"
        " before it",
        "undecided": _why_undecided(link),
        "constant": "",
        "unmeasured": "",
    }[kind]
    return Finding(kind.capitalize(), f"{shown}: {said}.")


def _why_undecided(link: Link) -> str:
    """State why the interval of mu is wide: the link changes, or the trace is too short.

    A link that changes widens the interval by as much as its chunks differ beyond chance.
    """
    interval, ratio = link["mu_ci"], link["convergence"]["nonstationarity_ratio"]
    if interval is not None and ratio is not None and ratio > 1:
        half = (interval[1] - interval[0]) / 2
        if half > NO_MEMORY >= half / ratio:
            chunk = counted(link["convergence"]["chunk"], "packet")
            return (
                f"the link changes over time (chunks of {chunk} differ {number(ratio, 2)} times as"
                " much as those of a stationary link), so the trace does not show whether losses"
                " come in bursts"
            )
    return "too few runs of losses to decide whether losses come in bursts"


def against_independent(link: Link) -> Finding:
    """Compare TCP over the trace with TCP over independent losses."""
    difference = link["tcp"]["difference"]["independent"]
    if memory(link) == "constant":
        rate = f"{number(link['tcp']['empirical']['packets_per_second'])} packets/s"
        rate += beside_rates(link)
        return Finding(rate, f"TCP gets {rate}. There is no order of losses to compare.")
    side = standing(link, "independent")
    text = _compared(link, "independent", "independent losses of equal PRR")
    if not link["order_known"]:
        text += " (the order inside each burst of the file was drawn at random)"
    if side == 0:
        return Finding("No significant difference", f"{text}: the difference is not significant.")
    percent = difference["percent"]
    gain = None if percent is None else percent["mean"]
    if gain is None:
        headline = "TCP gets more than over independent losses"
    elif not carries_ratio(link):
        headline = f"TCP gets {'more' if side > 0 else 'less'} than over independent losses"
    elif gain >= TWICE:
        headline = f"TCP gets {times(gain)} as much as over independent losses"
    else:
        headline = f"TCP gets {times(gain)} against independent losses"
    tone = "good" if side > 0 else "bad"
    text = f"{text}: the difference is significant."
    return Finding(headline, text, tone if link["order_known"] else "warn")


def different_start(link: Link) -> Finding | None:
    """State that the start of a trace differs from the rest, and its effect on TCP's rate."""
    start = link.get("start")
    if start is None:
        return None
    rate = link["tcp"]["empirical"]["packets_per_second"]
    without = start["packets_per_second_without"]
    text = (
        f"Of the first {count(start['packets'])} packets {number(100 * start['prr'], 3)} % arrived,"
        f" of the others {number(100 * start['rest_prr'], 3)} %: TCP gets {number(rate)} packets/s"
        f" over the whole trace and {number(without)} without its start."
    )
    return Finding("The start differs from the rest", text, "warn")


def against_model(link: Link) -> Finding | None:
    """Compare TCP over the trace with TCP over Gilbert-Elliott chains of equal PRR and mu."""
    tcp = link["tcp"]
    difference = tcp["difference"]["gilbert_elliott"]
    if difference is None:
        note = tcp["gilbert_elliott_note"]
        if not note:
            return None
        return Finding("No Gilbert-Elliott model", begun(note).rstrip(".") + ".")
    shown = _compared(link, "gilbert_elliott", "Gilbert-Elliott chains of equal PRR and mu")
    if standing(link, "gilbert_elliott") == 0:
        text = f"{shown}: the difference is not significant."
        return Finding("No significant difference to a Gilbert-Elliott chain", text)
    tail = ""
    expected = expected_longest(link)
    if expected is not None:
        tail = (
            " The longest run of successes of the trace is"
            f" {counted(link['longest_success_burst'] or 0, 'packet')}; about {count(expected)}"
            f" {'is' if count(expected) == '1' else 'are'} expected of the chain."
        )
    text = f"{shown}: the difference is significant.{tail}"
    return Finding("A Gilbert-Elliott chain differs", text, "warn")


_ENOUGH_RUNS = 10


def expected_longest(link: Link, kind: Literal["success", "loss"] = "success") -> float | None:
    """Return the chain's expected longest run if there are enough runs for its formula."""
    runs = link["success_bursts"] if kind == "success" else link["loss_bursts"]
    if runs is None or runs["count"] < _ENOUGH_RUNS:
        return None
    if kind == "success":
        return link["ge_expected_longest_success_burst"]
    return link["ge_expected_longest_loss_burst"]


def length(link: Link) -> Finding:
    """State whether the trace is long enough for its mu."""
    said = f"{reason(link['convergence'])}."
    if link["converged"]:
        return Finding("Long enough", said, "good")
    return Finding("Too short for mu", said, "warn")


def link_findings(link: Link) -> list[Finding]:
    """Return all findings about one link, the most useful first."""
    model = against_model(link)
    found = [against_independent(link), burstiness(link)]
    start = different_start(link)
    if start is not None:
        found.insert(1, start)
    if model is not None:
        found.append(model)
    if link["mu"] is not None:
        found.append(length(link))
    return found
