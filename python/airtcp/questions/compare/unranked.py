"""Why a variant is not ranked, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp.words.sentences import Finding, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import NotRanked


def why(left: NotRanked, *, several: bool = False) -> str:
    """Write the reason as a sentence without a full stop.

    Args:
        left: The variant that is not ranked.
        several: Whether the sentence is about several variants.

    >>> why({"variant": "jersey", "reason": "unmet", "lacks": ["queue"], "queue": "jersey"})
    'it needs a queue of kind "jersey", and the path has none'
    >>> why({"variant": "reno", "reason": "delivers-nothing"}, several=True)
    'they deliver nothing'
    """
    if left["reason"] == "refused":
        return (left.get("error") or "").rstrip(".")
    it, s = ("they", "") if several else ("it", "s")
    if left["reason"] == "delivers-nothing":
        return f"{it} deliver{s} nothing"
    lacks = left.get("lacks", [])
    queue = f"a {_queue(left)}"
    if lacks == ["ecn"]:
        return f"{it} need{s} ECN, and tcp.ecn is off"
    if lacks == ["queue"]:
        return f"{it} need{s} {queue}, and the path has none"
    return f"{it} need{s} ECN and {queue}; tcp.ecn is off, and the path has no such queue"


def in_short(left: NotRanked) -> str:
    """Write the reason in a few words; empty if the reason is an error.

    >>> in_short({"variant": "x", "reason": "unmet", "lacks": ["ecn", "queue"], "queue": "jersey"})
    'no ECN'
    >>> in_short({"variant": "x", "reason": "unmet", "lacks": ["queue"]})
    'no queue that marks with ECN'
    """
    if left["reason"] == "delivers-nothing":
        return "delivers nothing"
    lacks = left.get("lacks", [])
    if not lacks:
        return ""
    return "no ECN" if "ecn" in lacks else f"no {_queue(left)}"


def _queue(left: NotRanked) -> str:
    kind = left.get("queue")
    return f'queue of kind "{kind}"' if kind else "queue that marks with ECN"


def findings(left: Sequence[NotRanked]) -> list[Finding]:
    """Say why each of some variants is not ranked."""
    said = [f"{one['variant']}: {why(one)}" for one in left]
    return [Finding("Not ranked", f"{'; '.join(said)}.")] if said else []


def doubt(left: Sequence[NotRanked]) -> str | None:
    """Say why variants are not ranked: the reason of the first, and how many others there are."""
    if not left:
        return None
    first = left[0]
    same = [one["variant"] for one in left if why(one) == why(first)]
    rest = len(left) - len(same)
    more = f" ({rest} more: --details)" if rest else ""
    several = len(same) > 1
    are = "are" if several else "is"
    return f"{listed(same)} {are} not ranked: {why(first, several=several)}{more}."
