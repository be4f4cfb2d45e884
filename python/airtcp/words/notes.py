"""The notes of the trace reader on many links, each kind once.

A note of one link is shown unchanged. Notes of many links that differ only in numbers, or in
singular and plural, are one kind: the first is shown, with the number of links that have one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from airtcp.words.grid import cut, elided
from airtcp.words.sentences import SLOT_ASSUMED, count, counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
_PATH = re.compile(r"(?:/[^/\s]+)*/([^/\s]+)")
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


_REASON = 70
"""Characters of a reason in a sentence."""


def not_read(skipped: Sequence[Mapping[str, Any]]) -> str:
    """Say how many files were not read, and why the first was not, in a few words.

    Args:
        skipped: The files, at least one: their paths and reasons.

    >>> one = {"path": "/a/log.txt", "reason": "/a/log.txt: no column of outcomes; name one"}
    >>> not_read([one])
    '1 file was not read (log.txt: no column of outcomes): --details.'
    >>> not_read([one, {"path": "b", "reason": "b: no column of outcomes; name one"}])
    '2 files were not read (no column of outcomes): --details.'
    """
    reasons = [_in_short(one["path"], one["reason"]) for one in skipped]
    why = reasons[0]
    if len(set(reasons)) > 1 or len(reasons) == 1:
        first = elided(skipped[0]["path"].rpartition("/")[2], _NAME)
        why = f"{'' if len(reasons) == 1 else 'the first, '}{first}: {why}"
    return f"{counted(len(skipped), 'file was', 'files were')} not read ({why}): --details."


_NAME = 30
"""Characters of the name of a file in a sentence."""


def _in_short(path: str, reason: str) -> str:
    """Return the first part of a reason, without paths of files."""
    text = reason.removeprefix(f"{path}: ")
    text = _PATH.sub(r"\1", text)
    return cut(re.split(r"[;:,] |\. ", text)[0].rstrip("."), _REASON)


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
