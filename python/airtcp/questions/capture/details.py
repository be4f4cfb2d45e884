"""What `--details` shows of a capture beside its answer: findings, tables, and the files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.capture import busiest, tables
from airtcp.questions.capture import findings as words
from airtcp.questions.capture import findings_joined as joined_words
from airtcp.questions.capture import findings_points as points
from airtcp.questions.capture.findings_air import of_air
from airtcp.words.sentences import Finding, begun, count, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from airtcp.words.grid import Grid

_SHOWN: Final = 5
"""Connections, links and comparisons with findings of their own."""


def details(
    document: Mapping[str, Any],
    known: Sequence[Mapping[str, Any]],
    total: int,
    *,
    is_listed: bool,
) -> tuple[Finding | Grid, ...]:
    """Return everything else.

    Args:
        document: The document.
        known: The connections with the most bytes.
        total: The number of all connections.
        is_listed: Whether the table of the answer lists retransmissions.
    """
    parts: list[Finding | Grid] = []
    for connection in known[:_SHOWN]:
        text = f"{begun(words.transfer(connection))}."
        parts.append(Finding(words.ends(connection), text))
        parts += _begun(words.of_bulk(connection))
        early = words.early_acks(connection)
        parts += [early] if early else []
    if known:
        parts.append(tables.connections(known, total, tables.DETAILS, whole=True))
    if is_listed and (events := tables.events(document, tables.DETAILS)):
        parts.append(events)
    parts += _of_points(document)
    parts += _of_air(document)
    if document.get("joined"):
        parts += _of_joined(document["joined"])
        table = tables.joined(document, tables.DETAILS)
        if table is not None and len(table.names) > tables.ROWS:
            parts.append(table)
    return (*parts, *_files(document), *_counts(document))


def _begun(found: Sequence[Finding]) -> list[Finding]:
    return [Finding(begun(f.headline), begun(f.text), f.tone) for f in found]


def _of_points(document: Mapping[str, Any]) -> Iterator[Finding]:
    if named := points.points(document):
        yield Finding("Points of the path", f"{begun(named)}.")
        yield from _begun(points.findings(document)[:_SHOWN])
        if split := points.halves(document):
            yield split


def _of_air(document: Mapping[str, Any]) -> Iterator[Finding | Grid]:
    if document["links"]:
        for link in busiest.links(document)[:_SHOWN]:
            if found := words.air(link):
                text = f"{begun(found.headline)}: {found.text}"
                yield Finding(words.link_name(link), text, found.tone)
        yield tables.links(document, tables.DETAILS, whole=True)
    yield from _begun(of_air(document))
    for link in document["links"]:
        for period in link.get("loss_periods", ()):
            yield from _begun([joined_words.period(link, period)])


def _of_joined(joined: Mapping[str, Any]) -> Iterator[Finding]:
    yield Finding("Captures", f"{joined_words.places(joined)}.")
    for host in joined["hosts"]:
        yield from _begun([joined_words.clock(host), *joined_words.packets(host)])
    if found := joined_words.timeouts(joined["timeout_causes"]):
        yield from _begun([found])


def _files(document: Mapping[str, Any]) -> Iterator[Finding]:
    for file in document["files"]:
        what = f"{file['link_type'] or 'no packets'}, {counted(file['packets'], 'packet')}"
        yield Finding(file["path"], f"{what}, {count(file['tcp_segments'])} with TCP.")
        for note in file["warnings"]:
            yield Finding("Note", f"{begun(note.rstrip('.'))}.", "warn")


def _counts(document: Mapping[str, Any]) -> Iterator[Finding]:
    """Count connections that had no data, ended early or are left out."""
    if silent := document["without_data"]:
        by = document["without_data_by"]
        parts = ", ".join(f"{count(n)} {kind}" for kind, n in by.items() if n)
        yield Finding(f"{counted(silent, 'connection')} without data", f"{begun(parts)}.")
    if evicted := document["evicted"]:
        yield Finding(f"{counted(evicted, 'connection')} ended early", "To bound the memory.")
    if omitted := document["omitted"]:
        text = "Those with the fewest bytes, to bound the memory."
        yield Finding(f"{counted(omitted, 'connection')} left out", text)
