"""The answer of `trace stats`: whether losses come in bursts, and what a longer trace would tell.

It follows from the document. An interval of mu that contains zero shows independent losses only if
it is also narrow (`memory`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.trace import tables
from airtcp.questions.trace.findings import MBPS, drawn, memory, reason, too_short, varies
from airtcp.words import notes as notes_words
from airtcp.words import sentences as words
from airtcp.words.answer import Answer
from airtcp.words.grid import Column, Grid, elided
from airtcp.words.sentences import Finding, counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Row = Mapping[str, Any]

ROWS: Final = 15
"""Links in the table."""
_LONGEST: Final = 28
"""Characters of a name in the table."""


def answer(document: Mapping[str, Any], path: str | None = None) -> Answer | None:
    """Return the answer on links; none without a link.

    Args:
        document: The document of `airtcp.stats`.
        path: The file of the links, quoted for a shell, if there is one.
    """
    links: list[Row] = document["links"]
    capacities: list[Row] = document["capacities"]
    if not links and not capacities:
        return None
    missing = _missing(document)
    if not links:
        found = Answer(_capacity(capacities), None, missing, _rates(capacities))
    elif len(links) == 1:
        said = _one(links[0]), too_short(links[0])
        found = Answer(
            *said, missing or _start(links[0]) or notes_words.doubt(links), _table(links)
        )
    else:
        found = Answer(
            _over_all(links),
            _needs(links),
            missing or _order(links) or notes_words.doubt(links),
            _table(links),
        )
    said = "All: --details"
    if path is not None:
        said = f"{said}   What TCP gets: airtcp study {path}"
    return replace(found, next=said, details=_details(document))


def _one(link: Row) -> str:
    """Say whether the losses of one link come in bursts."""
    if not link["received"]:
        return "Nothing arrives over this link: every packet was lost."
    if link["received"] == link["packets"]:
        return f"Everything arrives: none of {counted(link['packets'], 'packet')} was lost."
    arrive = f"{words.share(link['prr'])} of the packets arrive"
    kind = memory(link)
    if not link["order_known"]:
        return f"Whether losses come in bursts is not known: {arrive}."
    run = f"{arrive}, and the longest loss is {counted(link['longest_loss_burst'] or 0, 'packet')}"
    return f"{_KINDS[kind]}: {run}."


_KINDS: Final = {
    "bursty": "Losses come in bursts",
    "oscillating": "Losses keep farther apart than independent ones",
    "independent": "Losses are independent of each other",
    "undecided": "Cannot tell whether losses come in bursts",
    "constant": "Cannot tell whether losses come in bursts",
    "unmeasured": "Cannot tell whether losses come in bursts",
}
"""What a person would say of the memory of a link."""
_IN_TABLE: Final = {
    "bursty": "in bursts",
    "oscillating": "apart",
    "independent": "independent",
    "undecided": "cannot tell",
    "constant": "-",
    "unmeasured": "-",
}
"""The same in a column."""


def _over_all(links: Sequence[Row]) -> str:
    """Say on how many links losses come in bursts."""
    kinds = Counter(memory(link) if link["order_known"] else "unmeasured" for link in links)
    total = len(links)
    if kinds["constant"] == total:
        return f"Each of {counted(total, 'link')} lost nothing or everything."
    if kinds["unmeasured"] == total:
        return f"Whether losses come in bursts is not known on any of {counted(total, 'link')}."
    for kind in ("bursty", "oscillating", "independent"):
        if kinds[kind]:
            where = "each" if kinds[kind] == total else words.count(kinds[kind])
            return f"{_KINDS[kind]} on {where} of {counted(total, 'link')}."
    return f"{_KINDS['undecided']} on any of {counted(total, 'link')}."


def _needs(links: Sequence[Row]) -> str | None:
    """Say how many traces are too short for mu, and what would tell."""
    short = [link for link in links if too_short(link) is not None]
    if not short:
        return None
    if len(short) == 1:
        return too_short(short[0])
    needs = [n for x in short if (n := x["convergence"]["needed_packets"]) is not None]
    tell = f": about {words.number(median(needs), 2)} packets (median) would tell" if needs else ""
    return f"{words.count(len(short))} traces are too short for the size of mu{tell}."


def _missing(document: Mapping[str, Any]) -> str | None:
    """Say what the document lacks."""
    links, skipped = document["links"], document["skipped"]
    if document["interrupted"]:
        done = len(links) + len(document["capacities"])
        return f"The reading was stopped after {counted(done, 'link')}."
    if skipped:
        return notes_words.not_read(skipped)
    if links and (apart := len(document["capacities"])):
        verb = "is" if apart == 1 else "are"
        return f"{counted(apart, 'link')} of varying capacity {verb} apart: --details."
    return None


def _order(links: Sequence[Row]) -> str | None:
    number = sum(not link["order_known"] for link in links)
    return drawn(number) if number else None


def _start(link: Row) -> str | None:
    """Say that the start of a trace differs from the rest, or that its losses have no order."""
    if not link["order_known"]:
        return drawn(1)
    start = link.get("start")
    if start is None:
        return None
    first, rest = words.share(start["prr"]), words.share(start["rest_prr"])
    return f"The start differs from the rest: {first} of its packets arrive, then {rest}."


def _table(links: Sequence[Row]) -> Grid:
    """Return the table of links; of many those first that lose most."""
    shown = sorted(links, key=lambda link: link["prr"])
    measured = tables.measured(shown)
    kept = ("packets", "prr", "mu", "longest_success_burst", "longest_loss_burst", "converged")
    columns = [measured[key] for key in kept]
    title = ""
    if len(links) > 1:
        columns = [Column(c.head, c.short or c.cells, rank=c.rank) for c in columns[:-1]]
        losses = [_IN_TABLE[memory(link)] if link["order_known"] else "-" for link in shown]
        columns.append(Column("losses", losses, left=True))
        at = kept.index("mu")
        unsettled = [too_short(link) is not None for link in shown]
        pairs = zip(columns[at].cells, unsettled, strict=True)
        marked = [f"~ {cell}" if short else cell for cell, short in pairs]
        columns[at] = replace(columns[at], cells=marked)
        title = counted(len(links), "link")
        title += "; ~ the trace is too short for mu" if any(unsettled) else ""
    names = [elided(link["name"], _LONGEST) for link in shown]
    return Grid("link", names, columns, title, sort="PRR").first(ROWS)


def _capacity(links: Sequence[Row]) -> str:
    """Say what links of varying capacity carry."""
    if len(links) > 1:
        varying = sum(map(varies, links))
        which = "each" if varying == len(links) else words.count(varying)
        said = f"The capacity of {which} of {counted(len(links), 'link')}"
        return f"{said} varies enough to matter to TCP."
    mean = f"{words.number(links[0]['mean_bps'] * MBPS, 2)} Mb/s"
    outage = f"{words.number(links[0]['longest_outage_s'], 2)} s"
    if varies(links[0]):
        return f"This link carries {mean} on average, with an outage of up to {outage}."
    return f"This link carries {mean}, almost steadily."


def _rates(links: Sequence[Row]) -> Grid:
    shown = sorted(links, key=lambda link: -link["longest_outage_s"])
    return replace(tables.capacities(shown), title="", sort="longest outage (ms)").first(ROWS)


def _details(document: Mapping[str, Any]) -> tuple[Finding | Grid, ...]:
    """Return the tables with every column, the notes, and why mu has not settled."""
    links, capacities = document["links"], document["capacities"]
    found: list[Finding | Grid] = []
    if links:
        found.append(tables.links(links))
        found += [Finding("Note", f"{line}.") for line in notes_words.notes(links)]
    if capacities:
        found.append(tables.capacities(capacities))
        lines = dict.fromkeys(note for link in capacities for note in link["notes"])
        found += [Finding("Note", line) for line in lines]
    found += [
        Finding(f"{link['name']}: mu has not settled", f"{reason(link['convergence'])}.")
        for link in links[: tables.ROWS]
        if too_short(link) is not None
    ]
    found += [
        Finding(f"Not read: {one['path']}", f"{one['reason']}.", "warn")
        for one in document["skipped"]
    ]
    return tuple(found)
