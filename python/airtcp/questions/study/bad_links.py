"""Which of several links are bad for TCP, the worst first, and why.

A link is bad if TCP gets less than half of the packets that arrive over it. If independent losses
of equal PRR would leave TCP at least half, the reason is the bursts. Else it is the PRR, if its
class is low. If it is good, the reason is what TCP does after losses: whether it waits for timeouts
more often than it retransmits fast.
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
_LOW: Final = ("very poor", "poor", "intermediate")
"""Classes of a low PRR."""
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


def counting(links: Sequence[Link]) -> list[Link]:
    """Return the links that the sentence counts: packets arrive, and the trace is long enough.

    A trace that is too short says little about its link: it counts only if all are.
    """
    alive = [link for link in links if link["received"]]
    return [link for link in alive if carries_ratio(link)] or alive


def left_out(links: Sequence[Link]) -> str:
    """Write why links of the table do not count, for its title; empty if all do.

    Those over which nothing arrives have their own words in the sentence.
    """
    short = sum(bool(link["received"]) for link in links) - len(counting(links))
    return f", {words.count(short)} too short to count" if short else ""


def ties(links: Sequence[Link]) -> list[Link]:
    """Return the worst links, if TCP delivers nothing over more of them than a sentence names."""
    alive = [link for link in counting(links) if not share(link)]
    return alive if len(alive) > _NAMED else []


def sentence(links: Sequence[Link]) -> str:
    """Say how many of several links are bad for TCP, and which are worst."""
    counted, dead = counting(links), sum(not link["received"] for link in links)
    if not counted:
        return f"Nothing arrives over any of {words.counted(len(links), 'link')}."
    over = f"; over {words.count(dead)} more nothing arrives" if dead else ""
    bad = sorted(filter(is_bad, counted), key=order)
    of = words.counted(len(counted), "link")
    if not bad:
        least = words.share(min(share(link) or 0.0 for link in counted))
        none = "No link" if dead else f"None of {of}"
        return f"{none} is bad for TCP: it gets {least} or more of what arrives{over}."
    # A sentence has two numbers; the title of the table has the number of all links.
    which = words.counted(len(bad), "link") if dead else f"{words.count(len(bad))} of {of}"
    verb = "is" if len(bad) == 1 else "are"
    said = f"{which} {verb} bad for TCP, which gets less than half of what arrives there"
    worst = bad[:_NAMED]
    names = [link["name"] for link in worst]
    if ties(links) or max(map(len, names)) > _NAME:
        return f"{said}{over}."
    reasons = [_reason(link) for link in worst]
    if len(set(reasons)) == 1:
        named = f"{words.listed(names)} ({reasons[0]})"
    else:
        each = zip(names, reasons, strict=True)
        named = words.listed([f"{name} ({reason})" for name, reason in each])
    return f"{said}: {'worst ' if len(bad) > len(worst) else ''}{named}{over}."


def _reason(link: Link) -> str:
    """Return in a few words why a link is bad, by what the link and TCP's run over it show."""
    alone = _part(link, link["tcp"]["independent"]["packets_per_second"]["mean"])
    if link["order_known"] and alone is not None and alone >= HALF:
        return "losses in bursts"
    if link["class"] in _LOW:
        return "low PRR"
    run = link["tcp"]["empirical"]
    return "timeouts" if run["timeouts"] > run["fast_retransmits"] else "losses"
