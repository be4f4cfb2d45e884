"""The answer of a study of links of varying capacity: what TCP gets, and how long its data wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.questions.compare import effects, helps_over_links, quantities
from airtcp.questions.compare import verdict as verdict_words
from airtcp.questions.study import answer_helps as helps
from airtcp.questions.study import answer_link
from airtcp.questions.trace.findings import MBPS, varies
from airtcp.words import sentences as words
from airtcp.words.answer import Answer
from airtcp.words.grid import Column, Grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import CapacityLink, Outcome

ROWS: Final = 12
"""Links in the table."""


def answer(links: Sequence[CapacityLink], doubt: str | None = None) -> Answer:
    """Return the answer on one or several links; at least one.

    Args:
        links: The links.
        doubt: What the study as a whole rests on.
    """
    if len(links) == 1:
        link = links[0]
        return Answer(_headline(link), help_for(links), doubt or _doubt(link), _one(link))
    return Answer(_over_all(links), help_for(links), doubt or _doubts(links), table(links))


def help_for(links: Sequence[CapacityLink]) -> str | None:
    """Say what would help one link, or how many of several."""
    if len(links) == 1:
        return helps.one(links[0]["remedies"], links[0]["compared"])
    tried = [each for link in links if (each := link["remedies"]) is not None]
    if not tried:
        return None
    return helps_over_links.sentence(tried)


def plain(link: CapacityLink) -> Outcome | None:
    """Return the outcome of the TCP without a remedy; else of the first of the comparison."""
    if link["remedies"] is not None:
        return effects.reference(link["remedies"])
    case = link["compared"]
    if case is None or case["verdict"]["first"] is None:
        return None
    return quantities.outcome_of(case, case["verdict"]["first"])


def _headline(link: CapacityLink) -> str:
    """Say what a TCP gets over one link, and after what time its data arrive."""
    outcome = plain(link)
    carries = f"{words.number(link['mean_bps'] * MBPS, 2)} Mb/s"
    what = "varying capacity" if varies(link) else "almost steady capacity"
    if outcome is None:
        return f"This link carries {carries} on average, with {what}."
    rate = outcome["goodput_bps"]["mean"]
    if not rate:
        return f"{outcome['variant']} delivers nothing over this link of {carries}."
    late = outcome["delivery_p95_s"]["mean"]
    gets = f"{outcome['variant']} gets {words.number(rate * MBPS, 2)} Mb/s over this link of {what}"
    if late is None:
        return f"{gets}."
    return f"{gets}, with a delivery time of {quantities.seconds(late)}."


def _doubt(link: CapacityLink) -> str | None:
    if verdict_words.one_run(link["notes"]):
        return "The stretches of the file are alike: it is one run, counted several times."
    if link["compared"] is None:
        return None
    delay = link["around"]["delay"]
    return f"The delay of the path is assumed: {delay} each way, behind a {_queue(link)} queue."


def _doubts(links: Sequence[CapacityLink]) -> str | None:
    """Say that the path around several links is assumed."""
    delays = {link["around"]["delay"] for link in links if link["compared"] is not None}
    if len(delays) != 1:
        return None
    return f"The delay of the path is assumed: {delays.pop()} each way."


def _queue(link: CapacityLink) -> str:
    queue = link["around"]["queue"]
    packets = queue.get("packets")
    return f"{words.count(packets)}-packet" if packets else str(queue["kind"])


def _one(link: CapacityLink) -> Grid | None:
    """Return the table of TCPs and remedies over one link."""
    mean, low, high = (words.number(link[key] * MBPS) for key in ("mean_bps", "p5_bps", "p95_bps"))
    outage = quantities.seconds(link["longest_outage_s"])
    title = f"Carries {mean} Mb/s ({low} to {high} in 90 % of the time), longest outage {outage}"
    tried = link["remedies"]
    if tried is not None and tried["replications"] <= 1:
        tried = None
    return answer_link.choices(link["compared"], tried, title) or table([link])


def _over_all(links: Sequence[CapacityLink]) -> str:
    """Say how many of several links vary, or how long the data of a TCP wait on them."""
    outcomes = [outcome for link in links if (outcome := plain(link)) is not None]
    times = [t for o in outcomes if (t := o["delivery_p95_s"]["mean"]) is not None]
    varying = sum(varies(link) for link in links)
    if len(times) == len(links) and len({o["variant"] for o in outcomes}) == 1:
        low, high = quantities.seconds(min(times)), quantities.seconds(max(times))
        if low == high:
            return (
                f"Over each of these links the delivery time of {outcomes[0]['variant']} is {low}."
            )
        what = "links of varying capacity" if varying == len(links) else "these links"
        return f"Over {what} the delivery time of {outcomes[0]['variant']} is {low} to {high}."
    which = "each" if varying == len(links) else words.count(varying)
    said = f"The capacity of {which} of {words.counted(len(links), 'link')} varies enough to matter"
    return f"{said} to TCP."


def table(links: Sequence[CapacityLink], rows: int = ROWS) -> Grid:
    """Return a line for each link, those on which data wait longest first."""

    def wait(link: CapacityLink) -> tuple[float, float]:
        outcome = plain(link)
        late = None if outcome is None else outcome["delivery_p95_s"]["mean"]
        return -(late or 0.0), -link["longest_outage_s"]

    shown = sorted(links, key=wait)
    outcomes = [plain(link) for link in shown]
    names = {outcome["variant"] for outcome in outcomes if outcome is not None}
    tcp = names.pop() if len(names) == 1 else "TCP"
    columns = [
        Column("capacity\n(Mb/s)", [words.number(link["mean_bps"] * MBPS) for link in shown]),
        Column("5 %\n(Mb/s)", [words.number(link["p5_bps"] * MBPS) for link in shown], rank=1),
        Column(
            "longest\noutage", [quantities.seconds(x["longest_outage_s"]) for x in shown], rank=2
        ),
    ]
    if any(outcome is not None for outcome in outcomes):
        columns += [
            Column(f"{tcp}\n(Mb/s)", [_rate(outcome) for outcome in outcomes]),
            Column("95 % delivered\nwithin", [_late(outcome) for outcome in outcomes]),
        ]
    tried = [link["remedies"] for link in shown]
    if any(each is not None for each in tried):
        cells = [helps_over_links.cell(each) for each in tried]
        columns.append(Column("remedy, and its\ndelivery time", cells, left=True))
    title = f"{words.counted(len(links), 'link')} of varying capacity" if len(links) > 1 else ""
    return Grid("link", [link["name"] for link in shown], columns, title).first(rows)


def _rate(outcome: Outcome | None) -> str:
    mean = None if outcome is None else outcome["goodput_bps"]["mean"]
    return "-" if mean is None else words.number(mean * MBPS)


def _late(outcome: Outcome | None) -> str:
    mean = None if outcome is None else outcome["delivery_p95_s"]["mean"]
    return "-" if mean is None else quantities.seconds(mean)
