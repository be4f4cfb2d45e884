"""Which of several links are bad for TCP, the worst first, and why.

A link is bad if TCP gets less than half of the packets that arrive over it. If independent losses
of equal PRR would leave TCP less than half as well, the reason is the PRR, else the bursts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.questions.study.findings_link import carries_ratio
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import Link

HALF: Final = 0.5
"""Share of what arrives below which a link is bad for TCP. [choice]"""
_NAMED: Final = 3
"""Most links in a sentence."""
_NAME: Final = 40
"""Characters of the longest name in a sentence; the table has the worst first."""


def share(link: Link) -> float | None:
    """Return TCP's part of the packets that arrive; None if none arrives."""
    return _part(link, link["tcp"]["empirical"]["packets_per_second"])


def _part(link: Link, rate: float | None) -> float | None:
    arriving = link["prr"] / link["tcp"]["slot_s"]
    return rate / arriving if arriving and rate is not None else None


def order(link: Link) -> tuple[bool, bool, float, float]:
    """Return the key that sorts links, the worst for TCP first.

    Links over which nothing arrives stand behind the others, and short traces last.
    """
    return not carries_ratio(link), not link["received"], share(link) or 0.0, link["prr"]


def is_bad(link: Link) -> bool:
    """Return whether TCP gets less than half of what arrives."""
    return (share(link) or 0.0) < HALF


def sentence(links: Sequence[Link]) -> str:
    """Say how many of several links are bad for TCP, and which are worst.

    A trace that is too short says little about its link: it counts only if all are.
    """
    links = [link for link in links if carries_ratio(link)] or links
    bad = sorted(filter(is_bad, links), key=order)
    of = words.counted(len(links), "link")
    parts = [part for link in links if (part := share(link)) is not None]
    if not parts:
        return f"Nothing arrives over any of {of}."
    if not bad:
        least = words.share(min(parts))
        return f"None of {of} is bad for TCP: it gets {least} or more of what arrives."
    number = words.count(len(bad))
    verb = "is" if len(bad) == 1 else "are"
    said = f"{number} of {of} {verb} bad for TCP, which gets less than half of what arrives there"
    worst = bad[:_NAMED]
    reasons = [_reason(link) for link in worst]
    names = [link["name"] for link in worst]
    if max(map(len, names)) > _NAME:
        return f"{said}."
    if len(set(reasons)) == 1:
        named = f"{words.listed(names)} ({reasons[0]})"
    else:
        each = zip(names, reasons, strict=True)
        named = words.listed([f"{name} ({reason})" for name, reason in each])
    return f"{said}: {'worst ' if len(bad) > len(worst) else ''}{named}."


def _reason(link: Link) -> str:
    """Return in a few words why a link is bad."""
    if not link["received"]:
        return "nothing arrives"
    alone = _part(link, link["tcp"]["independent"]["packets_per_second"]["mean"])
    if link["order_known"] and alone is not None and alone >= HALF:
        return "losses in bursts"
    return "low PRR"
