"""The notes of the trace reader on many links, each kind once.

A note of one link is shown unchanged. Notes of many links that differ only in numbers, or in
singular and plural, are one kind: the first is shown, with the number of links that have one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from airtcp.words.sentences import SLOT_ASSUMED, count, counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
_SINGULAR = {
    "are": "is",
    "go": "goes",
    "have": "has",
    "others": "another",
    "replies": "reply",
    "their": "its",
    "were": "was",
}
_SLOT = (
    f"{SLOT_ASSUMED}: neither the trace nor an option gives the time between packets; rates and"
    " times scale with it (--interval sets it)"
)


def notes(links: Sequence[Mapping[str, Any]]) -> list[str]:
    """Gather the notes of links, each kind once.

    Args:
        links: Links of a study or of `trace stats`, or subjects of a comparison.

    Returns:
        A line for each kind, in the order of its first occurrence.

    >>> one = {"name": "a", "notes": ["3 duplicates ignored"]}
    >>> notes([one])
    ['3 duplicates ignored']
    >>> notes([one, {"name": "b", "notes": ["1 duplicate ignored"]}, {"name": "c", "notes": []}])
    ['3 duplicates ignored (a; likewise 1 more of 3 links)']
    """
    kinds: dict[str, list[tuple[str, str]]] = {}
    for link in links:
        said = list(link["notes"])
        # A link of a study has the flag in its `tcp`, a subject of a comparison has it itself.
        place: Any = link if "slot_assumed" in link else link.get("tcp", {})
        if place.get("slot_assumed"):
            said.append(_SLOT)
        for kind, text in {_kind(text): text for text in said}.items():
            kinds.setdefault(kind, []).append((link["name"], text))
    lines: list[str] = []
    for found in kinds.values():
        name, text = found[0]
        if len(links) == 1:
            lines.append(text)
        elif len(found) == len(links) and len({text for _, text in found}) == 1:
            lines.append(f"{text} (all {count(len(links))} links)")
        elif len(found) == 1:
            lines.append(f"{text} ({name})")
        else:
            more = f"likewise {count(len(found) - 1)} more of {counted(len(links), 'link')}"
            lines.append(f"{text} ({name}; {more})")
    return lines


def doubt(links: Sequence[Mapping[str, Any]]) -> str | None:
    """Say that notes tell how traces were read; None without such notes.

    >>> doubt([{"name": "a", "notes": ["3 duplicates ignored"]}])
    'How the trace was read is in 1 note: --details.'
    """
    said = [line for line in notes(links) if not line.startswith(SLOT_ASSUMED)]
    if not said:
        return None
    what = "trace was" if len(links) == 1 else "traces were"
    return f"How the {what} read is in {counted(len(said), 'note')}: --details."


def _kind(text: str) -> str:
    """Return a note without its numbers, for comparison with others."""
    words = (_SINGULAR.get(word, word).removesuffix("s") for word in text.split(" "))
    return _NUMBER.sub("#", " ".join(words))


def models_notes(links: Sequence[Mapping[str, Any]]) -> list[str]:
    """Collect the notes of the links of fitted models.

    >>> models_notes([{"name": "a", "notes": [], "order_known": False}])
    ['On 1 link the order of losses was not measured but drawn at random: models, bursts and TCP \
are those of the drawn order.']
    """
    drawn = sum(not link["order_known"] for link in links)
    if not drawn:
        return notes(links)
    said = (
        f"On {counted(drawn, 'link')} the order of losses was not measured but drawn at random:"
        " models, bursts and TCP are those of the drawn order."
    )
    return [*notes(links), said]
