"""What the answer says of captures at several points of a path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.capture import findings_points as points
from airtcp.questions.capture import tables
from airtcp.words.sentences import count, counted, listed, share

if TYPE_CHECKING:
    from collections.abc import Mapping

_NEARLY_ALL: Final = 0.9
_NAMED: Final = 3
"""Interfaces that a sentence names."""


def sentences(document: Mapping[str, Any], part: float) -> tuple[str, str | None, str | None]:
    """Return headline, help and doubt on the direction with most data.

    Args:
        document: The document of captures of which some connection was captured at two points.
        part: Share of the bytes of the largest connection.
    """
    found = points.directions(document)
    most = found[0][1]["sent"]
    # Of several parts of a path, the one that loses most of the same data.
    first = found[0]
    same = points.way_of(first[0], first[1])
    for pair, direction, way in found:
        if points.way_of(pair, direction) == same and direction["lost"] > first[1]["lost"]:
            first = (pair, direction, way)
    pair, direction, way = first
    name = tables.ends(*same)
    whole = ", which carries nearly all bytes," if _NEARLY_ALL <= part < 1 and most else ""
    before, behind = map(tables.file_name, way)
    lost = share(direction["lost"] / direction["sent"]) if direction["lost"] else "None"
    headline = (
        f"{lost} of the segments of {name}{whole} {'were' if direction['lost'] else 'was'} lost"
        f" between {before} and {behind}."
    )
    return headline, _again(direction), _doubt(document, direction)


def _again(direction: Mapping[str, Any]) -> str | None:
    """Say how many retransmissions were needed."""
    again, spurious = direction["retransmissions"], direction["spurious"]
    if not again:
        return "Nothing of it was sent again."
    if spurious is None:
        which = (
            "its retransmission was" if again == 1 else f"its {count(again)} retransmissions were"
        )
        return f"Only a capture at the receiver shows whether {which} needed."
    if not spurious:
        all_of = (
            "Its retransmission was"
            if again == 1
            else f"All its {count(again)} retransmissions were"
        )
        return f"{all_of} needed: airtcp diagnose tells what the losses cost."
    which = "was" if spurious == 1 else "were"
    return (
        f"{count(spurious)} of its {counted(again, 'retransmission')} {which} needless: the first"
        " copy had arrived."
    )


def _doubt(document: Mapping[str, Any], direction: Mapping[str, Any]) -> str | None:
    unseen = direction["not_seen_sent"]
    if unseen:
        are = "is" if unseen == 1 else "are"
        return f"{counted(unseen, 'segment')} {are} not in the capture near the sender."
    if points.halves(document):
        return (
            "Each file has the packets of one end only: losses need both in one file, as"
            " `mergecap -w BOTH FILE FILE` writes it."
        )
    if named := points.interfaces(document):
        return (
            f"{listed(list(map(tables.file_name, named[:_NAMED])))} are interfaces of one file with"
            " the same packets; --interface takes one alone."
        )
    return None
