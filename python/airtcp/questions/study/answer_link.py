"""The answer of a study of one link: what TCP gets, and what the order of losses has to do with it.

Independent losses of equal PRR are the same link without the order of its losses. Whether TCP over
the trace differs from TCP over them is decided by the prediction interval (`standing`).
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.compare import delay, quantities, slot_limits
from airtcp.questions.compare import findings_remedies as remedies_words
from airtcp.questions.compare import verdict as verdict_words
from airtcp.questions.compare.answer_remedies import beside
from airtcp.questions.study import answer_helps as helps
from airtcp.questions.study.findings_link import SETTLED_SAID, against, carries_ratio, standing
from airtcp.questions.trace.findings import memory, too_short
from airtcp.words import notes
from airtcp.words import sentences as words
from airtcp.words.grid import Column, Grid, Toned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import CompareCase, Link, Outcome, Remedies

ROWS: Final = 9
"""TCPs and remedies in the table."""


def headline(link: Link) -> str:
    """Say what TCP gets over the link, beside independent losses of equal PRR."""
    rate = link["tcp"]["empirical"]["packets_per_second"]
    gets = f"TCP gets {words.number(rate, 2)} packets/s over this link"
    if not link["received"]:
        return "Nothing arrives over this link: every packet was lost."
    if not rate:
        return f"TCP delivers nothing over this link, although {_arrive(link)}."
    if link["received"] == link["packets"]:
        return f"{gets}: no packet was lost."
    if not link["order_known"]:
        return f"{gets}, for an order of losses that was drawn at random."
    return f"{gets}{_beside_independent(link)}."


def _beside_independent(link: Link) -> str:
    """Compare with links of independent losses, as far as the prediction interval allows."""
    if memory(link) == "constant":
        return ""
    side = standing(link, "independent")
    if side == 0:
        return ", within what links of independent losses and equal PRR give"
    percent = link["tcp"]["difference"]["independent"]["percent"]
    mean = None if percent is None else percent["mean"]
    if mean is None:
        return ", and nothing over links of independent losses and equal PRR"
    much = words.compared(mean)
    if not carries_ratio(link):
        much = "more than" if side > 0 else "less than"
    return f", {much} over independent losses of equal PRR"


def _arrive(link: Link) -> str:
    return f"{words.share(link['prr'])} of the packets arrive"


def help_for(link: Link) -> str | None:
    """Say what would help, or what would tell; None if nothing is lost or was tried."""
    if link["received"] == link["packets"] or not link["received"]:
        return None
    return helps.one(link.get("remedies"), link.get("compared"), link["packets"])


def doubt(link: Link) -> str | None:
    """Say what the answer rests on that could be wrong; the most serious first."""
    if not link["order_known"]:
        return (
            "The file counts losses without their order: bursts and TCP are those of a drawn one."
        )
    start = link.get("start")
    if start is not None:
        without = words.number(start["packets_per_second_without"], 2)
        return f"The start of the trace differs from the rest: without it TCP gets {without}."
    compared = link.get("compared")
    if compared is not None and verdict_words.one_run(link["notes"]):
        return "The stretches of the file are alike: it is one run, counted several times."
    if standing(link, "independent") != 0 and not carries_ratio(link):
        packets = words.counted(link["packets"], "packet")
        return f"The trace of {packets} is too short for a ratio: about {SETTLED_SAID} would tell."
    if link["tcp"]["slot_assumed"]:
        return "The time between packets is not known: rates assume 10 ms (--interval sets it)."
    return too_short(link) or notes.doubt([link])


def table(link: Link) -> Grid | None:
    """Return the table of TCPs and remedies over the link, those that get most first."""
    case, tried = link.get("compared"), link.get("remedies")
    slot_s = link["tcp"]["slot_s"]
    case = None if case is None else slot_limits.case(case, slot_s)
    tried = None if tried is None else slot_limits.remedies(tried, slot_s)
    if tried is not None and tried["replications"] <= 1:
        tried = None
    grid = choices(case, tried, _title(link))
    return None if grid is None else _with_whole(grid, link)


def _with_whole(grid: Grid, link: Link) -> Grid:
    """Add what the headline compares: TCP over the whole trace, and over independent losses."""
    tcp = link["tcp"]
    if grid.columns[0].heading != "goodput (packets/s)":
        return grid
    names, rates, said = ["TCP, whole trace"], [tcp["empirical"]["packets_per_second"]], [""]
    alone = tcp["independent"]
    if (cell := against(link)) != "-":
        said = [_differs(link, cell)]
        names.append("TCP, independent")
        rates.append(alone["packets_per_second"]["mean"] or 0.0)
        said.append("losses, equal PRR")
    blank = ["-"] * len(names)
    more = {
        grid.columns[0].heading: ([words.number(rate) for rate in rates], rates),
        "verdict": (said, said),
    }
    columns = [
        column.extended(*more.get(column.heading, (blank, [None] * len(names))))
        for column in grid.columns
    ]
    return replace(grid, names=[*grid.names, *names], columns=columns)


def _differs(link: Link, cell: str) -> str:
    """Write the verdict on TCP over the whole trace, as far as the headline goes."""
    side = standing(link, "independent")
    if side == 0:
        return "within chance"
    which = "above independent" if side > 0 else "below independent"
    if not carries_ratio(link) or cell == "none there":
        return which
    if cell.endswith("%"):
        return f"{cell[1:]} {which}"
    return f"{cell} independent"


def _title(link: Link) -> str:
    said = [f"PRR {words.number(link['prr'])}", f"{words.counted(link['packets'], 'packet')}"]
    if link["mu"] is not None and link["order_known"]:
        kind = memory(link)
        losses = {"bursty": "losses in bursts", "independent": "independent losses"}.get(kind, kind)
        said.insert(1, f"mu {words.number(link['mu'])} ({losses})")
    return ", ".join(said)


def choices(
    case: CompareCase | None, tried: Remedies | None, title: str, rows: int = ROWS
) -> Grid | None:
    """Return the table of TCPs and remedies over one channel, those that get most first.

    Over a long trace remedies run over its beginning only: then the table has the remedies.

    Args:
        case: The comparison of TCPs.
        tried: The remedies.
        title: Says what the link is.
        rows: Most rows.
    """
    found: list[tuple[Outcome, str]] = []
    if tried is not None:
        found += [(o, _helps(tried, o)) for o in tried["outcomes"]]
    if case is not None and (tried is None or beside(case, tried)):
        plain = "" if tried is None else tried["reference"]
        found = [pair for pair in found if pair[0]["variant"] != plain]
        found += [(o, _ranks(case, o)) for o in case["outcomes"]]
    if not found or not any(o["goodput_bps"]["mean"] for o, _ in found):
        return None
    later = tried is not None and tried["aim"] == "delay"
    found.sort(key=lambda pair: _order(pair[0], later=later))
    plain = None if tried is None else tried["reference"]
    more = max(len(found) - rows, 0)
    # What the others are held against is never left out.
    kept = [pair for pair in found[rows - 1 :] if pair[0]["variant"] == plain]
    found = [*found[: rows - 1], *(kept or found[rows - 1 : rows])]
    outcomes = [outcome for outcome, _ in found]
    unit = quantities.goodput(outcomes[0])[1]
    rates = [quantities.goodput(outcome)[0] for outcome in outcomes]
    columns = [
        Column(
            f"goodput\n({unit})",
            [words.estimate(rate, 1.0, short=True) for rate in rates],
            [words.number(rate["mean"]) for rate in rates],
            keys=[rate["mean"] for rate in rates],
        ),
        Column(
            "95 %\ndelivered\nwithin",
            [_time(outcome) for outcome in outcomes],
            rank=0 if later else 1,
            keys=[outcome["delivery_p95_s"]["mean"] for outcome in outcomes],
        ),
        *_factors(tried, outcomes),
        Column("bytes on\nthe link\nper byte", _bytes(outcomes), rank=2),
        Column("verdict", [said for _, said in found], left=True),
    ]
    columns = [c for c in columns if any(cell not in {"", "-"} for cell in c.cells)]
    head = "TCP or remedy" if tried is not None and case is not None else "TCP"
    head = "remedy" if case is None else head
    heading = columns[1 if later else 0].heading
    over = _over(case or tried)
    grid = Grid(head, [o["variant"] for o in outcomes], columns, f"{title}; {over}", sort=heading)
    return replace(grid, more=more)


def _factors(tried: Remedies | None, outcomes: Sequence[Outcome]) -> list[Column]:
    """Write the goodput of remedies against TCP without one, which the sentence on help says."""
    if tried is None or tried["aim"] == "delay":
        return []
    means: list[float | None] = []
    for outcome in outcomes:
        percent = quantities.percent(outcome) if outcome in tried["outcomes"] else None
        means.append(None if percent is None else percent["mean"])
    cells = ["-" if mean is None else words.times(mean) for mean in means]
    return [Column(f"against\n{tried['reference']}", cells, keys=means)]


def _order(outcome: Outcome, *, later: bool) -> tuple[float, float]:
    """Order by goodput, or by the delivery time if remedies aim at it."""
    rate, time = outcome["goodput_bps"]["mean"], outcome["delivery_p95_s"]["mean"]
    return (inf if time is None else time) if later else 0.0, -(rate or 0.0)


def _over(case: CompareCase | Remedies | None) -> str:
    if case is None:
        return ""
    return f"means of {words.counted(case['replications'], 'stretch', 'stretches')}"


def _time(outcome: Outcome) -> str:
    mean = outcome["delivery_p95_s"]["mean"]
    return "-" if mean is None else quantities.seconds(mean)


def _bytes(outcomes: Sequence[Outcome]) -> list[str]:
    means: list[Any] = [outcome["bytes_per_byte"]["mean"] for outcome in outcomes]
    return ["-" if mean is None else words.number(mean) for mean in means]


def _helps(tried: Remedies, outcome: Outcome) -> str:
    """Write the verdict on a remedy."""
    plain, variant = tried["reference"], outcome["variant"]
    if variant == plain:
        return "TCP without remedy"
    if tried["aim"] == "delay":
        shorter = [one["variant"] for one in delay.shorter(tried)]
        if variant in shorter[:1]:
            return "remedy: helps most"
        difference = outcome["delivery_p95_difference"]
        sooner = difference is not None and difference["standing"] == "less"
        return "remedy: delivers sooner" if sooner else _unhelpful()
    first = remedies_words.helpful(tried)
    if first is not None and first in (known := verdict_words.best(tried)) and variant in known:
        return "remedy: helps most"
    if remedies_words.raises(tried, outcome):
        return "remedy: helps"
    may = any(one["variant"] == variant for one in remedies_words.may_raise(tried))
    return Toned.of("remedy: may help", "faint") if may else _unhelpful()


def _unhelpful() -> str:
    return Toned.of("remedy: not shown to help", "faint")


def _ranks(case: CompareCase, outcome: Outcome) -> str:
    """Write the verdict on a TCP, for goodput, delay and overhead together."""
    variant, verdict = outcome["variant"], case["verdict"]
    named = (
        ("TCP: not ranked", [e["variant"] for e in verdict["not_ranked"]]),
        ("TCP: best", verdict_words.best(case)),
        ("TCP: may be best", verdict_words.candidates(case)),
        ("TCP: best in another respect", [e["variant"] for e in verdict["alternatives"]]),
    )
    behind = {
        entry["variant"]: words.listed([_CRITERIA[criterion] for criterion in entry["worse"]])
        for entry in verdict["worse"]
    }
    if variant in behind:
        return f"TCP: worse in {behind[variant]}"
    return next((said for said, names in named if variant in names), "TCP")


_CRITERIA: Final = {
    "goodput": "goodput",
    "delay": "delivery",
    "waste": "overhead",
    "share": "sharing",
}
"""The criteria of a verdict, in a narrow column."""
