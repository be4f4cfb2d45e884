"""The answer of a capture: what its largest connection got, or what its links of 802.11 lost.

It follows from the document: from the largest connections at its head, and the number of all. The
counters of a capture show what was sent again and what senders waited for; what that costs, and
what would help, `diagnose` finds by replays.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.capture import (
    answer_air,
    answer_joined,
    answer_points,
    details,
    failed,
    tables,
)
from airtcp.questions.capture import findings as words
from airtcp.questions.capture import findings_points as points
from airtcp.words.answer import DEEPER, Answer
from airtcp.words.grammar import NUMBERS, numbers
from airtcp.words.names import shell_paths
from airtcp.words.sentences import begun, count, counted, number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HEAD: Final = 200
"""Connections from which the answer follows: those with the most bytes."""
_NEARLY_ALL: Final = 0.9
_MOST: Final = 0.5
LEAST_SEGMENTS: Final = 50
"""Segments of a transfer from which `diagnose` may tell more."""
_LONGEST: Final = 200
_KINDS: Final = {
    "opened": "opened, and then sent nothing",
    "refused": "were refused",
    "unanswered": "were not answered",
}
"""Connections without data, by how far they came."""
_NO_LINK: Final = "no link of 802.11: "
_NO_ACK: Final = "no MAC ACK was captured"
_ENCRYPTED: Final = "are encrypted: TCP in them"
"""Notes on files that the answer says in other sentences."""
_CAUSES: Final = {
    "fast": "in fast recovery",
    "timeout": "by timeout",
    "after_timeout": "after timeouts",
    "tail_loss_probe": "as tail-loss probes",
    "unknown": "for an unknown cause",
}


def answer(
    document: Mapping[str, Any],
    total: int,
    files: Sequence[str] = (),
    interface: str | None = None,
) -> Answer:
    """Return the answer of a capture.

    Args:
        document: The document, with at least the `HEAD` connections that have the most bytes.
        total: The number of all connections.
        files: The files, if a command can name them.
        interface: The only interface that was read.
    """
    head: dict[str, Any] = {**document, "connections": document["connections"][:HEAD]}
    known = sorted(points.at_senders(head), key=lambda c: -words.bulk(c)["unique_bytes"])
    every = total - points.far(document) if total > HEAD else len(known)
    # A list that was asked for is the table.
    listed = tables.events(document)
    table = listed or _table(document, known, every)
    headline, helps, doubt = _sentences(document, known, every)
    return Answer(
        headline,
        helps,
        _first_doubt(document) or doubt or _warning(document) or _bounded(document),
        table,
        _next(document, known, shell_paths(files), interface),
        details.details(document, known, every, is_listed=listed is not None),
    )


def _sentences(
    document: Mapping[str, Any], known: Sequence[Mapping[str, Any]], total: int
) -> tuple[str, str | None, str | None]:
    """Return the headline, what would help or tell, and the doubt."""
    if document.get("joined"):
        found = answer_joined.sentences(document["joined"])
        if found is not None:
            return found
    if points.directions(document):
        return answer_points.sentences(document, _part(known, total))
    if document["links"]:
        largest = f"{tables.connection_ends(known[0])}, got {_got(known[0])}" if known else None
        return answer_air.sentences(document, largest)
    if not known:
        return *_nothing(document), None
    return _of_connections(document, known, total)


def _of_connections(
    document: Mapping[str, Any], known: Sequence[Mapping[str, Any]], total: int
) -> tuple[str, str | None, str | None]:
    """Say what the largest connection got, and which connections failed."""
    doubt, place = _doubt(document, known[0]), _place(known[0])
    lost = failed.sentence(document, total)
    if lost is None:
        return _headline(known, total), _again(known[0]), doubt or place
    headline = _headline(known, total, "connection with data")
    if failed.is_first(document, total):
        return lost, headline, doubt or place
    return headline, _again(known[0]), doubt or lost


def _table(document: Mapping[str, Any], known: Sequence[Mapping[str, Any]], total: int) -> Any:
    if document.get("joined") and (table := tables.joined(document)):
        return table
    if table := tables.between(document):
        return table
    if document["links"] and any(map(tables.has_figure, document["links"])):
        return tables.links(document)
    return tables.connections(known, total) if known else None


def _bytes(connection: Mapping[str, Any]) -> int:
    return sum(direction["unique_bytes"] for direction in connection["directions"])


def _part(known: Sequence[Mapping[str, Any]], total: int) -> float:
    """Return the least share of the bytes that the largest connection can have.

    Connections that are not known are smaller than all that are.
    """
    if not known:
        return 0.0
    sizes = [_bytes(connection) for connection in known]
    return sizes[0] / max(sum(sizes) + (total - len(known)) * min(sizes), 1)


def _headline(known: Sequence[Mapping[str, Any]], total: int, what: str = "connection") -> str:
    """Say how the bytes divide between the connections, and what the largest got."""
    first = known[0]
    name, got, part = tables.connection_ends(first), _got(first), _part(known, total)
    every = counted(total, what, what.replace("connection", "connections"))
    verb = "sent" if words.is_one_way(first) or words.unheard(first) else "got"
    if total == 1:
        return f"{name} {verb} {got}."
    if part >= _MOST:
        much = "nearly all" if part >= _NEARLY_ALL else "most"
        return f"One of {every} carries {much} bytes: {name}, {_at(first)}."
    return f"The largest of {every}, {name}, {verb} {got}."


def _got(connection: Mapping[str, Any]) -> str:
    """Write the goodput of a connection; what it carried, if it is too short for a rate."""
    direction = words.bulk(connection)
    if rate := tables.rate(direction):
        return f"{rate} Mb/s"
    size = direction["unique_bytes"]
    return f"{number(size / 1e3)} kB" if size else "nothing"


def _at(connection: Mapping[str, Any]) -> str:
    got = _got(connection)
    return f"at {got}" if got.endswith("Mb/s") else f"with {got}"


def _again(connection: Mapping[str, Any]) -> str:
    """Say what was sent again, and what would tell the cost."""
    direction = words.bulk(connection)
    closed = words.closed_to_end(direction)
    if closed and not words.never_opens(direction):
        return f"{closed}: its application no longer reads."
    sent, again = direction["data_segments"], direction["retransmitted_segments"]
    if not sent or not again:
        return _nothing_again(connection)
    if words.unheard(connection):
        part = f"{count(again)} of its {counted(sent, 'segment')}"
        were = "was" if again == 1 else "were"
        return f"{part} {were} sent again, and without ACKs the capture does not show why."
    causes = {key: n for key, n in direction["retransmissions"].items() if n}
    first = max(causes, key=lambda key: causes[key])
    needless = direction["spurious_retransmissions"]
    if again == 1:
        how, were = _CAUSES[first], "was"
        shown = "and needlessly" if needless else "not shown to be needless"
    else:
        how, were = "for several causes", "were"
        if len(causes) == 1 or 2 * causes[first] > again:
            how = f"{'all' if len(causes) == 1 else 'mostly'} {_CAUSES[first]}"
        shown = f"{count(needless)} of them needlessly" if needless else "none shown to be needless"
    if sent < LEAST_SEGMENTS:
        part = f"{count(again)} of its {counted(sent, 'segment')} {were}"
        return f"{part} sent again, {how}, {shown}."
    text = f"{tables.again(direction)} of its segments were sent again, {how}, {shown}"
    if words.at_sender(connection) and connection["vantage"] != "unknown":
        return f"{text}: airtcp diagnose tells what that costs."
    return f"{text}: a capture at its sender would tell what that costs."


def _nothing_again(connection: Mapping[str, Any]) -> str:
    """Say that nothing was sent again, what overtook what, and what the sender waited for."""
    direction = words.bulk(connection)
    late, sent = direction["out_of_order"], direction["data_segments"]
    if late:
        part = f"{count(late)} of its {counted(sent, 'segment')} came out of order"
        return f"{part}, and none was seen twice{_waits(connection)}."
    at_sender = words.at_sender(connection)
    text = "Nothing of it was sent again" if at_sender else "No segment of it was seen twice"
    return f"{text}{_waits(connection)}."


def _waits(connection: Mapping[str, Any]) -> str:
    """Say what the sender waited for, if the capture shows one thing for most of the time."""
    name, part = max(words.waits(connection).items(), key=lambda item: item[1], default=("", 0.0))
    if part < _MOST:
        return ""
    text = f", and its sender mostly waited for {words.LIMITS[name]}"
    if name == "receive_window" and words.never_opens(words.bulk(connection)):
        return f"{text}, which never opens"
    return text


def _doubt(document: Mapping[str, Any], connection: Mapping[str, Any]) -> str | None:
    """Say what the numbers of the largest connection rest on; the most serious first."""
    direction = words.bulk(connection)
    if lacks := direction["capture_losses"]:
        were = "segment of it that was" if lacks == 1 else "segments of it that were"
        return (
            f"The capture lacks {count(lacks)} {were} acknowledged: its bytes and rate are too low."
        )
    early: Mapping[str, Any] = connection.get("early_acks") or {"two_clocks": False}
    doubts = {
        (
            "Each file has the packets of one end only: times and losses need both in one file,"
            " as `mergecap -w BOTH FILE FILE` writes it."
        ): points.halves(document) is not None,
        "The capture has one direction only: nothing shows what arrived.": words.is_one_way(
            connection
        ),
        "The capture has no ACK of its data: nothing shows what arrived.": words.unheard(
            connection
        ),
        (
            "Two clocks were merged in this capture: times between the two ends are not given."
        ): early["two_clocks"],
        (
            "The receive window contradicts the goodput: the capture lacks the scale of the window,"
            " or a part of the round trip."
        ): direction["receive_window"]["is_exceeded"],
    }
    return next((text for text, is_so in doubts.items() if is_so), None)


def _place(connection: Mapping[str, Any]) -> str | None:
    """Say what a capture does not show because of where it was taken."""
    if words.at_sender(connection):
        return None
    place = "between the ends" if connection["vantage"] == "middle" else "at its receiver"
    unseen = "all copies sent, the round-trip time, or what its sender waited for"
    if words.waits(connection):
        unseen = "all copies sent, or the round-trip time"
    return f"It was captured {place}, which does not show {unseen}."


def _nothing(document: Mapping[str, Any]) -> tuple[str, str | None]:
    """Say that a capture has no data of TCP, and what would show it."""
    silent = document["without_data"]
    packets = sum(file["packets"] for file in document["files"])
    frames = sum(file["air_frames"] for file in document["files"])
    if silent:
        kinds = document["without_data_by"]
        most = max(_KINDS, key=lambda kind: kinds[kind])
        why = f", and most of them {_KINDS[most]}" if 2 * kinds[most] > silent else ""
        if silent == 1:
            one = why.replace("most of them were", "it was").replace("most of them", "it")
            return f"The only connection has no data{one}.", None
        return f"None of {counted(silent, 'connection')} has data{why}.", None
    if frames:
        notes = [note for file in document["files"] for note in file["warnings"]]
        why = next((note for note in notes if note.startswith(_NO_LINK)), None)
        if why is None:
            return f"No link of 802.11 in {counted(frames, 'frame')}.", None
        # What is counted in brackets stands in the details.
        reason = re.sub(r" \([^)]*\)", "", why.removeprefix(_NO_LINK))
        reason, _, advice = reason.partition(". ")
        return f"No link of 802.11 in {counted(frames, 'frame')}: {reason}.", _ended(advice)
    if not packets:
        return "The capture has no packets.", None
    return (
        f"No TCP in {counted(packets, 'packet')}.",
        "A capture at the sender would tell: `tcpdump -s 128 -w FILE tcp`.",
    )


def _ended(text: str) -> str | None:
    return f"{text.rstrip('.')}." if text else None


def _first_doubt(document: Mapping[str, Any]) -> str | None:
    if document["interrupted"]:
        return "The analysis was stopped: the numbers are those of what was read."
    if dropped := sum(file.get("dropped_packets", 0) for file in document["files"]):
        every = dropped + sum(file["packets"] for file in document["files"])
        return (
            f"The capturing system dropped {count(dropped)} of {counted(every, 'packet')}: what"
            " seems lost may have passed (--details says when)."
        )
    notes = (note for file in document["files"] for note in file["warnings"])
    unheard = next((note for note in notes if note.startswith(_NO_ACK)), None)
    # Then losses of 802.11 are hardly seen.
    return None if unheard is None else begun(f"{unheard}.")


def _warning(document: Mapping[str, Any]) -> str | None:
    """Say the first note on a file, if it is one short sentence, and count the others."""
    every = [note for file in document["files"] for note in file["warnings"]]
    notes = [note for note in every if not note.startswith(_NO_LINK) and _ENCRYPTED not in note]
    for note in notes:
        rest = len(notes) - 1
        more = f"; {count(rest)} more: --details" if rest else ""
        text = begun(f"{note.partition('. ')[0].rstrip('.')}{more}.")
        if len(text) <= _LONGEST and len(numbers(text)) <= NUMBERS:
            return text
    return f"The files have {counted(len(notes), 'note')}: --details." if notes else None


def _bounded(document: Mapping[str, Any]) -> str | None:
    """Say that connections are left out, or ended early."""
    omitted, evicted = document["omitted"], document["evicted"]
    if omitted:
        return f"{counted(omitted, 'connection')} with the fewest bytes are left out."
    if evicted:
        return f"{counted(evicted, 'connection')} ended early to bound the memory."
    return None


def _next(
    document: Mapping[str, Any],
    known: Sequence[Mapping[str, Any]],
    names: str | None,
    interface: str | None,
) -> str:
    said = DEEPER
    long = known and words.bulk(known[0])["data_segments"] >= LEAST_SEGMENTS
    at = [] if interface is None else ["--interface", shlex.quote(interface)]
    what = " ".join([*([names] if names else []), *at])
    # Elsewhere a diagnosis tells no more.
    long = long and words.at_sender(known[0])
    if not long or names is None or not what or document["interrupted"]:
        return said
    return f"{said}   Why, and what would help: airtcp diagnose {what}"
