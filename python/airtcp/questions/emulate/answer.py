"""The answer of an emulated run: what the path carried, what it lost where, whether it counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.questions.emulate import tables
from airtcp.words.answer import Answer
from airtcp.words.sentences import begun, counted, number, share

if TYPE_CHECKING:
    from airtcp.questions.emulate.document import EmulateDocument, FateCount

_MEGA: Final = 1e-6
_MOST: Final = 0.5
"""Share of the dropped packets from which on one place lost most of them."""
_PLACES: Final = {
    "queue_full": "in the full queue of {place}",
    "queue_early": "by the queue of {place} before it was full",
    "loss": "by the losses of {place}",
    "retry_limit": "at {place} after all attempts",
    "lifetime": "at {place} after too long",
    "policed": "by the policer of {place}",
    "ack_filtered": "by the ACK filter of {place}",
    "too_long": "at {place}, too long for it",
    "duplicate": "at {place} as copies",
}
"""Where packets were dropped, in words, by their fate."""
_UNPRIVILEGED: Final = "no priority"


def answer(document: EmulateDocument) -> Answer:
    """Return the answer of an emulated run.

    Args:
        document: The document of the run.
    """
    return Answer(headline(document), _help(document), _doubt(document), tables.ports(document))


def headline(document: EmulateDocument) -> str:
    """Say what the path carried, what was lost where, and whether the run is valid."""
    state = "the run is valid" if document["valid"] else "the run is NOT valid"
    entered = document["packets"]["entered"]
    busiest = max(document["ports"], key=lambda port: port["bytes"], default=None)
    if busiest is None or not entered:
        return f"No packet came to the path in {number(document['duration_s'])} s; {state}."
    rate = number(busiest["rate_bps"] * _MEGA)
    carried = f"The path carried {rate} Mb/s to {busiest['node']}"
    return f"{carried} and {_dropped(document)}; {state}."


def _dropped(document: EmulateDocument) -> str:
    dropped = drops(document)
    total = sum(row["packets"] for row in dropped)
    if not total:
        return "dropped no packet"
    first = dropped[0]
    said = f"dropped {share(total / document['packets']['entered'])} of the packets"
    if first["packets"] == total:
        return f"{said}, all {place_of(first)}"
    if first["packets"] > _MOST * total:
        return f"{said}, most {place_of(first)}"
    return f"{said}, more {place_of(first)} than anywhere else"


def drops(document: EmulateDocument) -> list[FateCount]:
    """Return what was dropped, the most frequent first."""
    return [row for row in document["fates"] if row["fate"] not in {"delivered", "marked"}]


def place_of(row: FateCount) -> str:
    """Say where packets were dropped."""
    known = _PLACES.get(row["fate"])
    return f"at {row['place']} ({row['fate']})" if known is None else known.format_map(row)


def _help(document: EmulateDocument) -> str | None:
    if document["valid"]:
        return None
    if document["priority"] == _UNPRIVILEGED:
        return (
            "As root, the program has priority over others; less traffic and fewer busy programs"
            " help, too."
        )
    return "Less traffic, or fewer busy programs on the machine, would help."


def _doubt(document: EmulateDocument) -> str | None:
    if document["problem"] is not None:
        return f"{begun(document['problem'])}."
    clamped = document["packets"]["clamped"]
    if clamped:
        read = counted(
            clamped,
            "packet was read after the model had passed its arrival, and entered",
            "packets were read after the model had passed their arrivals, and entered",
        )
        return f"{begun(read)} that much later."
    return None
