"""The answer of a study: what TCP gets over links, and what would help.

It follows from the document. The effect of the order of losses is the difference to links of
independent losses and equal PRR; the size of a help is that of the same runs with it.
"""

from __future__ import annotations

from dataclasses import replace
from math import comb
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.compare import (
    answer_many,
    answer_tcp,
    helps_over_links,
    slot_limits,
    tables_remedies,
)
from airtcp.questions.compare import findings as compare_words
from airtcp.questions.compare import tables as compare_tables
from airtcp.questions.study import answer_capacity, answer_link, bad_links, tables
from airtcp.questions.study import findings as study_words
from airtcp.questions.study.findings import BY_CHANCE
from airtcp.questions.study.findings_link import (
    SETTLED_SAID,
    against,
    beside_rates,
    carries_ratio,
    standing,
)
from airtcp.questions.trace import tables as trace_tables
from airtcp.questions.trace.findings import memory, too_short
from airtcp.words import notes as notes_words
from airtcp.words import sentences as words
from airtcp.words.answer import DEEPER, Answer
from airtcp.words.grid import Column, Grid, elided
from airtcp.words.names import shell_paths
from airtcp.words.sentences import Finding, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import Link, StudyDocument

ROWS: Final = 12
"""Links in the table."""
_FEW_LINKS: Final = 20
"""Most links of which none lies far outside its interval by chance."""
_TELLS: Final = 1000
"""Fewest packets of a trace whose stretches may tell TCPs or remedies apart. [choice]

Traces of 300 packets (rutgers-noise-80211) told of no remedy on any link.
"""
_COMPARED: Final = 100
"""Most links for which a comparison is advised, because it takes seconds a link."""
_NAME: Final = 40
"""Characters of a name in a sentence."""
_LONGEST: Final = 28
"""Characters of a name in the table."""


def answer(document: StudyDocument, file: str | None = None) -> Answer | None:
    """Return the answer of a study; none without a finished link.

    Args:
        document: The document of the study.
        file: The file of the link, if it is one and a command can name it.
    """
    links, capacities = document["links"], document["capacities"]
    if not links and not capacities:
        return None
    general = _general(document)
    if not links:
        found = answer_capacity.answer(capacities, general)
    elif len(links) == 1:
        link = links[0]
        grid = answer_link.table(link) or table(links)
        said = answer_link.headline(link), answer_link.help_for(link)
        found = Answer(*said, general or answer_link.doubt(link), grid)
    else:
        said = bad_links.sentence(links), help_for(document), general or doubt(links)
        found = Answer(*said, table(links), also=order_of_losses(links))
    return replace(found, next=_next(document, file), details=_details(document))


def order_of_losses(links: Sequence[Link]) -> str:
    """Say in one sentence over all links what their losses, or the order of these, do to TCP."""
    losing = [link for link in links if link["mu"] is not None and link["order_known"]]
    if not losing:
        return _without_order(links)
    more, less = (_differing(losing, side) for side in (1, -1))
    of = counted(len(losing), "link")
    if not more and not less:
        return f"On none of {of} is TCP shown to get more or less than over independent losses."
    if not _beyond_chance(len(losing), [*more, *less]):
        differ = words.count(len(more) + len(less))
        return f"TCP differs from independent losses on {differ} of {of}: chance may give as many."
    if more and less and _beyond_chance(len(losing), more) and _beyond_chance(len(losing), less):
        return (
            "The order of losses matters: TCP gets more than over independent losses of equal PRR"
            f" on {counted(len(more), 'link')}, and less on {words.count(len(less))}."
        )
    return _one_side(max(more, less, key=len), len(losing))


def _differing(links: Sequence[Link], side: int) -> list[Link]:
    return [link for link in links if standing(link, "independent") == side]


def _beyond_chance(links: int, found: Sequence[Link]) -> bool:
    """Return whether more links differ than chance may give.

    Of links with independent losses, 5 % lie outside the 95 % interval. One that lies outside by
    half its width is none of them, if the links are few.
    """
    tail = sum(
        comb(links, k) * BY_CHANCE**k * (1 - BY_CHANCE) ** (links - k)
        for k in range(len(found), links + 1)
    )
    return tail < BY_CHANCE or (links <= _FEW_LINKS and any(map(_far_out, found)))


def _far_out(link: Link) -> bool:
    difference = link["tcp"]["difference"]["independent"]
    if difference["prediction"] is None or not carries_ratio(link):
        return False
    low, high = difference["prediction"]
    return max(low, -high) >= (high - low) / 2


def _one_side(found: Sequence[Link], losing: int) -> str:
    """Say by how much TCP differs on the links on one side, by those that carry a ratio."""
    count, side = len(found), "more" if standing(found[0], "independent") > 0 else "less"
    found = [link for link in found if carries_ratio(link)]
    if not found:
        lucky = BY_CHANCE * losing
        chance = f", up to about {words.count(lucky)} of them by chance" if lucky >= 1 else ""
        return (
            f"TCP gets {side} than over independent losses on {counted(count, 'link')}{chance};"
            " their traces are too short to tell by how much."
        )
    bursts = all(memory(link) == "bursty" for link in found)
    what = "Bursts of losses leave" if bursts else "The order of losses leaves"
    middle = f"median of {counted(len(found), 'link')}" if len(found) > 1 else "1 link"
    much = _much(found)
    if much is None:
        return f"{what} TCP packets where independent losses of equal PRR leave none ({middle})."
    return f"{what} TCP {much} independent losses of equal PRR ({middle})."


def _much(links: Sequence[Link]) -> str | None:
    """Write the median change on the links that differ."""
    means = [
        mean
        for link in links
        if (percent := link["tcp"]["difference"]["independent"]["percent"]) is not None
        and (mean := percent["mean"]) is not None
    ]
    if not means:
        return None
    return words.compared(median(means))


def _without_order(links: Sequence[Link]) -> str:
    """Say what TCP gets where losses have no order, or an unknown one."""
    rates = [link["tcp"]["empirical"]["packets_per_second"] for link in links]
    if not any(rates):
        return f"TCP delivers nothing over any of {counted(len(links), 'link')}."
    low, high = words.number(min(rates), 2), words.number(max(rates), 2)
    drawn = sum(not link["order_known"] for link in links)
    tail = ", for an order of losses that was drawn at random" if 2 * drawn > len(links) else ""
    rate = low if low == high else f"{low} to {high}"
    return f"TCP gets {rate} packets/s over these links{tail}."


def help_for(document: StudyDocument) -> str | None:
    """Say what would help how many of several links, by how much; or what would tell."""
    links = document["links"]
    tried = [each for link in links if (each := link.get("remedies")) is not None]
    if tried:
        return helps_over_links.sentence(tried)
    asked: Any = document["options"].get("remedy_links")
    if document["interrupted"] or not asked:
        return None
    if not any(map(_tells, links)):
        longest = counted(max(link["packets"] for link in links), "packet")
        return f"No trace is long enough to tell what would help: the longest has {longest}."
    return "What would help was not tried over so many links: --remedies."


def _tells(link: Link) -> bool:
    """Return whether runs over the trace of a link may tell which TCP, or remedy, is better."""
    return link["packets"] >= _TELLS and 0 < link["received"] < link["packets"]


def _general(document: StudyDocument) -> str | None:
    """Say what is missing in the study: links that were not finished, read, or are apart."""
    links, capacities, skipped = document["links"], document["capacities"], document["skipped"]
    if document["interrupted"]:
        done = counted(len(links) + len(capacities), "link is finished", "links are finished")
        return f"The study was stopped: {done}."
    if skipped:
        return notes_words.not_read(skipped)
    if links and capacities:
        apart = counted(len(capacities), "link", "links")
        return f"{apart} of varying capacity {_is(len(capacities))} apart: --details."
    return None


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def doubt(links: Sequence[Link]) -> str | None:
    """Say what the answer over several links rests on that could be wrong."""
    of = words.count(len(links))
    if drawn := sum(not link["order_known"] for link in links):
        return (
            f"For {words.count(drawn)} of {of} links the order of losses was not measured: theirs"
            " was drawn at random."
        )
    losing = [link for link in links if link["mu"] is not None]
    different = [link for link in losing if standing(link, "independent") != 0]
    differ = len(different)
    if differ and not any(map(carries_ratio, different)):
        which = "trace that differs" if any(map(carries_ratio, losing)) else "trace"
        return f"No {which} is long enough for a ratio: about {SETTLED_SAID} would tell."
    chance = BY_CHANCE * len(losing)
    if differ and chance >= 1:
        return (
            f"Of {counted(differ, 'link')} that differ, about {words.count(chance)} would by"
            " chance."
        )
    if assumed := sum(link["tcp"]["slot_assumed"] for link in links):
        which = "each link" if assumed == len(links) else counted(assumed, "link")
        return f"Rates over {which} assume 10 ms between packets (--interval sets it)."
    return _short(links) or notes_words.doubt(links)


def _short(links: Sequence[Link]) -> str | None:
    """Name the links whose trace is too short for its mu."""
    short = [link for link in links if too_short(link) is not None]
    if not short:
        return None
    if len(short) == len(links):
        return "No trace is long enough for its mu."
    first = min(short, key=lambda link: link["packets"])
    if len(short) == 1:
        packets = counted(first["packets"], "packet")
        return f"The trace of {elided(first['name'], _NAME)} is too short for its mu ({packets})."
    few = counted(first["packets"], "packet")
    return (
        f"{counted(len(short), 'trace')} are too short for their mu, such as"
        f" {elided(first['name'], _NAME)} ({few})."
    )


def _effect(link: Link) -> float:
    """Return the difference to independent losses, in percent if there is one."""
    difference = link["tcp"]["difference"]["independent"]
    percent = difference["percent"]
    mean = None if percent is None else percent["mean"]
    return mean if mean is not None else abs(difference["packets_per_second"]["mean"] or 0.0)


def table(links: Sequence[Link], rows: int = ROWS) -> Grid:
    """Return a line for each link, the worst for TCP first, short traces last."""
    picks = sorted(range(len(links)), key=lambda index: bad_links.order(links[index]))
    alike = bad_links.ties(links)
    if rows // 2 < len(alike) < len(links):
        # Rows of zeros, of which none is worse than another, would fill the table.
        hidden = set(map(id, alike))
        picks = [index for index in picks if id(links[index]) not in hidden]
    else:
        alike = []
    shown = [links[index] for index in picks]
    measured = tables.measured_columns(shown)
    rates = [link["tcp"]["empirical"]["packets_per_second"] for link in shown]
    parts = [bad_links.share(link) for link in shown]
    compared = [against(link) for link in shown]
    columns = [
        *measured,
        Column("TCP\n(packets/s)", [words.number(rate) for rate in rates], keys=rates),
        Column(
            "of what\narrives",
            ["-" if part is None else f"{words.number(100 * part, 2)} %" for part in parts],
            rank=2,
            keys=parts,
        ),
        Column(
            "against\nindependent",
            compared,
            keys=[_effect(link) for link in shown],
        ),
    ]
    tried = [link.get("remedies") for link in shown]
    if any(each is not None for each in tried):
        helped = [helps_over_links.cell(each) for each in tried]
        columns.append(Column("best remedy", helped, left=True))
    chance = any(str(cell).startswith("~") for cell in compared)
    title = counted(len(links), "link") if len(links) > 1 else ""
    title += bad_links.left_out(links)
    if alike:
        title += f"; TCP delivers nothing over {words.count(len(alike))}, which are left out"
    title = f"{title}; ~ lies within chance" if title and chance else title
    names = [elided(link["name"], _LONGEST) for link in shown]
    grid = Grid("link", names, columns, title, sort="of what arrives", picks=picks)
    return replace(grid, more=len(alike)).first(rows)


def _next(document: StudyDocument, file: str | None) -> str:
    """Name the options and the command that go deeper."""
    said = DEEPER
    path = None if file is None else shell_paths([file])
    links = document["links"]
    few = len(links) + len(document["capacities"]) <= _COMPARED
    tells = few and (len(links) <= 1 or any(map(_tells, links)))
    if path is None or not tells or document["options"].get("read"):
        return said
    return f"{said}   Which TCP: airtcp compare {path}"


def _details(document: StudyDocument) -> tuple[Finding | Grid, ...]:
    """Return every finding and note, and the tables of links with all columns."""
    links, capacities = document["links"], document["capacities"]
    found: list[Finding | Grid] = []
    if links:
        found += [tables.links(links, document["options"]["replicas"])]
        found += study_words.study_findings(links)
        found += [Finding("Note", f"{line}.") for line in notes_words.notes(links)]
    if capacities:
        found.append(trace_tables.capacities(capacities))
        lines = dict.fromkeys(note for link in capacities for note in link["notes"])
        found += [Finding("Note", line) for line in lines]
    found += _compared(document)
    found += [
        Finding(f"Not read: {one['path']}", f"{one['reason']}.", "warn")
        for one in document["skipped"]
    ]
    return tuple(found)


def _compared(document: StudyDocument) -> list[Finding | Grid]:
    """Return the tables of TCPs over the links, and of remedies over a single one."""
    links, capacities = document["links"], document["capacities"]
    cases = [
        (link["name"], slot_limits.case(case, link["tcp"]["slot_s"]))
        for link in links
        if (case := link.get("compared")) is not None
    ]
    cases += [(link["name"], case) for link in capacities if (case := link["compared"]) is not None]
    found: list[Finding | Grid] = [*compare_tables.choices(cases)]
    if len(cases) > 1:
        best = answer_many.headline([case for _, case in cases], "link")
        found.insert(0, Finding("The best TCP for these links", best))
    elif cases:
        best = answer_tcp.told(cases[0][1]).headline.removesuffix(".")
        note = beside_rates(links[0]) if links and "packets/s" in best else ""
        found.insert(0, Finding("The best TCP for this link", f"{best}{note}."))
    if len(links) + len(capacities) != 1:
        return found
    tried = [
        slot_limits.remedies(each, link["tcp"]["slot_s"])
        for link in links
        if (each := link.get("remedies")) is not None
    ]
    tried += [each for link in capacities if (each := link["remedies"]) is not None]
    if links and answer_link.help_for(links[0]) is None:
        found += map(compare_words.remedy, tried)
    return [*found, *map(tables_remedies.grid, tried)]
