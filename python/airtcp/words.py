"""Findings in plain words: what the numbers of a study say, one sentence each.

The terminal and the report use the same sentences, so they never disagree. Every sentence is
made from the document alone; where a confidence interval spans zero the sentence says so
instead of naming a direction.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.documents import Estimate, Link

Tone = Literal["good", "bad", "warn", "plain"]

INTERMEDIATE = (0.2, 0.6)
"""PRR range in which TCP differs most between links of equal PRR (S1, section 4)."""

_SAME_PRR = 0.02
TWICE = 100.0
"""Percent more from which on a factor reads better."""
_BY_CHANCE = 0.05
"""Share of a model's own links that lie outside its 95 % prediction interval."""
_ENOUGH_DELIVERED = 30
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Finding:
    """One sentence, its few-word headline, and whether it needs attention."""

    headline: str
    text: str
    tone: Tone = "plain"


def count(number: float) -> str:
    """Write a whole number with thin grouping.

    >>> print(count(300), count(999.6))
    300 1 000
    """
    text = f"{number:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}")
    return text.replace("-", "\N{MINUS SIGN}")


def counted(number: int, noun: str) -> str:
    """Write a count with its noun.

    >>> counted(1, "link"), counted(12, "link")
    ('1 link', '12 links')
    """
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def number(value: float | None, digits: int = 3) -> str:
    r"""Write a number with a few significant digits, never in exponent form.

    >>> number(0.35249), number(12.3456), number(12345, 2), number(0.0), number(None)
    ('0.352', '12.3', '12\u202f000', '0', 'unknown')
    """
    if value is None:
        return "unknown"
    if abs(value) >= 10 ** (digits - 1):
        places = digits - len(str(int(abs(value))))
        return count(round(value, min(places, 0)))
    if value == 0:
        return "0"
    decimals = digits - 1
    magnitude = abs(value)
    while magnitude < 1 and decimals < digits + 2:
        magnitude *= 10
        decimals += 1
    while magnitude >= 10:  # noqa: PLR2004 - a decimal place for each power of ten
        magnitude /= 10
        decimals -= 1
    text = f"{value:.{max(decimals, 0)}f}"
    return "0" if not text.strip("-0.") else text.replace("-", "\N{MINUS SIGN}")


def exact(value: Mapping[str, Any]) -> bool:
    """Tell whether all replications gave the same, but for rounding: no interval is needed.

    >>> exact({"mean": 2.0, "ci_low": 2.0, "ci_high": 2.0})
    True
    """
    mean, low, high = (value[key] for key in ("mean", "ci_low", "ci_high"))
    return None not in (mean, low, high) and high - low <= _ROUNDING * abs(mean)


def signed(value: float) -> str:
    """Write a difference with its sign, with a true minus.

    >>> signed(3.14159), signed(-120.4), signed(0.0)
    ('+3.1', '−120', '0')
    """
    text = count(abs(value)) if abs(value) >= 10 else f"{abs(value):.1f}"  # noqa: PLR2004
    if not text.strip("0."):
        return "0"
    return ("+" if value > 0 else "\N{MINUS SIGN}") + text


def measured(estimate: Estimate, unit: str) -> str:
    """Write a difference with its unit and its confidence interval.

    >>> measured({"mean": 38.2, "ci_low": 31.0, "ci_high": 45.1}, "%")
    '+38 % [+31, +45]'
    >>> measured({"mean": 2.5, "ci_low": None, "ci_high": None}, "packets/s")
    '+2.5 packets/s'
    """
    if estimate["mean"] is None:
        return "unknown"
    text = f"{signed(estimate['mean'])} {unit}"
    if estimate["ci_low"] is None or estimate["ci_high"] is None:
        return text
    return f"{text} [{signed(estimate['ci_low'])}, {signed(estimate['ci_high'])}]"


Model = Literal["independent", "gilbert_elliott"]


def standing(link: Link, model: Model) -> int:
    """Say on which side of a model's links the trace lies: 1 above, -1 below, 0 among them.

    The confidence interval of the mean shrinks with the number of replicas, but the trace is a
    single draw, so it is the prediction interval that decides (`beyond_chance`).
    """
    difference = link["tcp"]["difference"][model]
    if difference is None or not difference["beyond_chance"]:
        return 0
    return 1 if (difference["packets_per_second"]["mean"] or 0.0) > 0 else -1


def memory(link: Link) -> Literal["bursty", "oscillating", "independent", "undecided", "constant"]:
    """Name the kind of memory a link has, by the interval of its mu."""
    mu, interval = link["mu"], link["mu_ci"]
    if mu is None:
        return "constant"
    if interval is None:
        return "undecided"
    if interval[0] > 0:
        return "bursty"
    return "oscillating" if interval[1] < 0 else "independent"


def times(percent: float) -> str:
    r"""Write a difference in percent as a factor, where it is one.

    >>> times(446.0), times(-77.0), times(13.4)
    ('5.5\xd7', '\u221277 %', '+13 %')
    """
    if percent >= TWICE:
        return f"{factor(percent)}\N{MULTIPLICATION SIGN}"
    return f"{signed(percent)} %"


def factor(percent: float) -> str:
    """Write a difference in percent as the factor that it is.

    >>> factor(446.0)
    '5.5'
    """
    return number(1 + percent / 100, 2)


def _others(link: Link, model: Model) -> str:
    """Say where TCP over 95 % of a model's links lies: the prediction interval, as rates."""
    difference = link["tcp"]["difference"][model]
    rate = link["tcp"]["empirical"]["packets_per_second"]
    if difference is None or difference["prediction"] is None:
        return ""
    low, high = (max(rate - end, 0.0) for end in reversed(difference["prediction"]))
    return f"95 % of them between {number(low)} and {number(high)}"


def _compared(link: Link, model: Model, name: str) -> str:
    """Say what TCP gets over the trace and over a model's links."""
    tcp = link["tcp"]
    ensemble = tcp[model]
    mean = None if ensemble is None else ensemble["packets_per_second"]["mean"]
    others = _others(link, model)
    return (
        f"TCP gets {number(tcp['empirical']['packets_per_second'])} packets/s over the trace and"
        f" {number(mean)} on average over {name}" + (f", {others}" if others else "")
    )


def bounds(interval: tuple[float, float] | None) -> str:
    """Write a confidence interval, or nothing where there is none.

    >>> bounds((0.31, 0.352)), bounds(None)
    (' [0.310, 0.352]', '')
    """
    return "" if interval is None else f" [{number(interval[0])}, {number(interval[1])}]"


def reception(link: Link) -> Finding:
    """Say what fraction arrives, and the class that goes with it."""
    text = (
        f"{count(link['received'])} of {count(link['packets'])} packets arrived: "
        f"PRR {number(link['prr'])}{bounds(link['prr_ci'])}."
    )
    return Finding(f"{link['class'].capitalize()} link", text)


def burstiness(link: Link) -> Finding:
    """Say whether losses come in bursts."""
    mu, interval, kind = link["mu"], link["mu_ci"], memory(link)
    if mu is None:
        every = "arrived" if link["received"] else "was lost"
        return Finding("No memory to measure", f"Every packet {every}, so there is no mu.")
    shown = f"mu {number(mu)}{bounds(interval)}"
    if not link["order_known"]:
        shown += ", of a trace whose order is not known"
    said = {
        "bursty": "losses and successes come in runs",
        "oscillating": "a loss makes a success more likely next, and the other way round",
        "independent": "the fate of a packet says nothing certain about the next one",
        "undecided": "the trace is too short to say",
        "constant": "",
    }[kind]
    return Finding(kind.capitalize(), f"{shown}: {said}.")


def against_independent(link: Link) -> Finding:
    """Say what the order of the losses is worth to TCP."""
    difference = link["tcp"]["difference"]["independent"]
    if link["mu"] is None:
        rate = number(link["tcp"]["empirical"]["packets_per_second"])
        return Finding(f"{rate} packets/s", f"TCP gets {rate} packets/s; no loss order to compare.")
    side = standing(link, "independent")
    text = _compared(link, "independent", "independent losses of equal PRR")
    if side == 0:
        return Finding("No more than chance", f"{text}: the difference may be chance.")
    percent = difference["percent"]
    gain = None if percent is None else percent["mean"]
    if gain is None:
        headline = "TCP gets more than over independent losses"
    elif gain >= TWICE:
        headline = f"TCP gets {times(gain)} as much as over independent losses"
    else:
        headline = f"TCP gets {times(gain)} against independent losses"
    return Finding(headline, f"{text}: more than chance.", "good" if side > 0 else "bad")


def against_model(link: Link) -> Finding | None:
    """Say whether a Gilbert-Elliott chain of the same PRR and mu would do instead of the trace."""
    tcp = link["tcp"]
    difference = tcp["difference"]["gilbert_elliott"]
    if difference is None:
        note = tcp["gilbert_elliott_note"]
        if not note:
            return None
        return Finding("No Gilbert-Elliott model", note[0].upper() + note[1:].rstrip(".") + ".")
    shown = _compared(link, "gilbert_elliott", "Gilbert-Elliott chains of equal PRR and mu")
    if standing(link, "gilbert_elliott") == 0:
        return Finding("Gilbert-Elliott will do", f"{shown}: for TCP the trace may be one of them.")
    tail = ""
    expected = expected_longest(link)
    if expected is not None:
        tail = (
            f" Its longest run of successes is {count(link['longest_success_burst'])} packets;"
            f" the chain's would be about {count(expected)}."
        )
    return Finding("Gilbert-Elliott misses", f"{shown}.{tail}", "warn")


_ENOUGH_RUNS = 10


def expected_longest(link: Link, kind: Literal["success", "loss"] = "success") -> float | None:
    """Give the chain's longest run where it means something: its formula is for many runs."""
    runs = link["success_bursts"] if kind == "success" else link["loss_bursts"]
    if runs["count"] < _ENOUGH_RUNS:
        return None
    if kind == "success":
        return link["ge_expected_longest_success_burst"]
    return link["ge_expected_longest_loss_burst"]


def reason(convergence: Mapping[str, Any]) -> str:
    """Say why a trace is, or is not, long enough, and what would be."""
    said = convergence["reason"].strip().rstrip(".").replace("+-", "\N{PLUS-MINUS SIGN}")
    said = said.removeprefix("not converged: ").replace("= -", "= \N{MINUS SIGN}")
    needed = convergence["needed_packets"]
    if needed is not None:
        said += f"; about {number(needed, 2)} packets of this link are needed"
    return said


def length(link: Link) -> Finding:
    """Say whether the trace is long enough for its mu."""
    said = f"{reason(link['convergence'])}."
    if link["converged"]:
        return Finding("Long enough", said, "good")
    return Finding("Too short for mu", said, "warn")


def link_findings(link: Link) -> list[Finding]:
    """Say everything there is to say of one link, the most useful first."""
    model = against_model(link)
    found = [against_independent(link), burstiness(link), reception(link)]
    if model is not None:
        found.append(model)
    if link["mu"] is not None:
        found.append(length(link))
    compared = link.get("compared")
    if compared is not None:
        from airtcp import words_compare

        found.append(words_compare.suits(compared))
    remedies = link.get("remedies")
    if remedies is not None:
        from airtcp import words_remedies

        found.append(words_remedies.goodput(remedies))
    return found


@dataclass(frozen=True)
class Spread:
    """The two links of nearly equal PRR whose TCP throughput differs most."""

    prr: float
    low: float
    high: float
    low_name: str
    high_name: str

    @property
    def ratio(self) -> float:
        """How many times the faster link's throughput is the slower one's."""
        return self.high / self.low


def widest_spread(links: Sequence[Link]) -> Spread | None:
    """Find S1's headline in these links: equal PRR, unequal throughput.

    Only links of intermediate PRR count, two at most 0.02 apart in PRR. A link on which TCP
    delivered fewer than 30 packets is left out: a ratio to next to nothing says nothing.
    """
    points = sorted(
        (link["prr"], link["tcp"]["empirical"]["packets_per_second"], link["name"])
        for link in links
        if INTERMEDIATE[0] <= link["prr"] < INTERMEDIATE[1]
        and link["tcp"]["empirical"]["delivered_packets"] >= _ENOUGH_DELIVERED
    )
    best: Spread | None = None
    first = 0
    for last, (prr, _, _) in enumerate(points):
        while prr - points[first][0] > _SAME_PRR:
            first += 1
        window = points[first : last + 1]
        slow, fast = min(window, key=lambda p: p[1]), max(window, key=lambda p: p[1])
        spread = Spread((slow[0] + fast[0]) / 2, slow[1], fast[1], slow[2], fast[2])
        if slow[1] < fast[1] and (best is None or spread.ratio > best.ratio):
            best = spread
    return best


def _plural(amount: int, one: str) -> str:
    return f"{count(amount)} {one}" if amount == 1 else f"{count(amount)} {one}s"


def _classes(links: Sequence[Link]) -> str:
    order = ("very poor", "poor", "intermediate", "good", "very good", "perfect")
    counts = [(name, sum(link["class"] == name for link in links)) for name in order]
    return ", ".join(f"{count(amount)} {name}" for name, amount in counts if amount)


def study_findings(links: Sequence[Link]) -> list[Finding]:
    """Say what a set of links has in common."""
    if len(links) == 1:
        return link_findings(links[0])
    found = [_ensemble_independent(links)]
    spread = widest_spread(links)
    if spread is not None:
        found.append(
            Finding(
                f"{number(spread.ratio, 2)}\N{MULTIPLICATION SIGN} at equal PRR",
                f"At PRR {number(spread.prr, 2)} TCP gets {number(spread.low)} packets/s on one"
                f" link and {number(spread.high)} on another: PRR is not enough.",
                "warn" if spread.ratio > 1.5 else "plain",  # noqa: PLR2004
            )
        )
    found += [_ensemble_model(links), _ensemble_length(links)]
    found.append(Finding(_plural(len(links), "link"), f"By PRR: {_classes(links)}."))
    compared = [
        (link["name"], case) for link in links if (case := link.get("compared")) is not None
    ]
    if compared:
        from airtcp import words_compare

        found.append(words_compare.suited(compared))
    helped = [(link["name"], each) for link in links if (each := link.get("remedies"))]
    if helped:
        from airtcp import words_remedies

        found.append(words_remedies.several(helped))
    return found


def sides(links: Sequence[Link], model: Model) -> tuple[int, int, int]:
    """Count the links on which TCP gets more than over the model's, less, and about as much."""
    found = [standing(link, model) for link in links]
    return found.count(1), found.count(-1), found.count(0)


def _ensemble_independent(links: Sequence[Link]) -> Finding:
    losing = [link for link in links if link["mu"] is not None]
    more, less, same = sides(losing, "independent")
    gains = [
        link["tcp"]["difference"]["independent"]["percent"]
        for link in losing
        if standing(link, "independent") > 0
    ]
    known = [m for gain in gains if gain is not None and (m := gain["mean"]) is not None]
    typical = f" (typically {times(median(known))})" if known else ""
    text = (
        f"TCP gets more over {_plural(more, 'link')} than independent losses of equal PRR would"
        f" give{typical}; less over {count(less)}; on {count(same)} it is within chance."
    )
    lucky = _BY_CHANCE * len(losing)
    if lucky >= 1:
        # Throughputs are skewed: a lucky link gets much more, an unlucky one a little less.
        text += f" Chance alone would account for about {count(lucky)}, mostly of those with more."
    if len(losing) < len(links):
        text += f" {_plural(len(links) - len(losing), 'link')} lost nothing or everything."
    above = more > lucky
    return Finding(
        f"{count(more)} of {count(len(losing))} beat independent losses",
        text,
        "good" if above else "plain",
    )


def _ensemble_model(links: Sequence[Link]) -> Finding:
    modelled = [link for link in links if link["tcp"]["gilbert_elliott"]]
    more, less, same = sides(modelled, "gilbert_elliott")
    return Finding(
        f"Gilbert-Elliott misses {count(more + less)} of {count(len(modelled))}",
        f"A Gilbert-Elliott chain of equal PRR and mu gives TCP too little on"
        f" {_plural(more, 'link')} and too much on {count(less)}; on {count(same)} the"
        " difference is within chance.",
        "warn" if more + less else "plain",
    )


def _ensemble_length(links: Sequence[Link]) -> Finding:
    measured = [link for link in links if link["mu"] is not None]
    settled = sum(link["converged"] for link in measured)
    needs = [
        need
        for link in measured
        if not link["converged"] and (need := link["convergence"]["needed_packets"]) is not None
    ]
    text = f"mu has settled on {count(settled)} of {_plural(len(measured), 'link')}."
    if needs:
        text += f" The others typically need about {number(median(needs), 2)} packets."
    return Finding(
        f"mu settled on {count(settled)} of {count(len(measured))}",
        text,
        "good" if settled == len(measured) else "warn",
    )
