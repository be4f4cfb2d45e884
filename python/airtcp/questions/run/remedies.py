"""The remedy of starving flows that run has tried, in one sentence with its price.

Of the trials the best is the one under which the slowest endless flow gets most; a longer round
trip counts against it by its factor.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from airtcp.questions.run import prices, starved
from airtcp.questions.run.limit_words import options
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import RunDocument
    from airtcp.questions.run.limit_words import Limit
    from airtcp.questions.run.prices import Trial

_LEAST: Final = 2.0
"""Least factor by which a remedy raises the slowest flow."""
_KIND: Final = re.compile(r'kind = "([a-z-]+)"')
_OF_QUEUE: Final = re.compile(r"cells\[\d+\]\.(?:access_point_)?queue=")
_KINDS: Final = {"ack-filter": "An ACK filter", "fq-codel": "FQ-CoDel"}


def of_starving(document: RunDocument, names: Sequence[str], *, apart: Sequence[str] = ()) -> str:
    """Say which queue of a cell helps flows that starve, and at what price; empty if none does.

    Args:
        document: The document of a run.
        names: The flows that starve.
        apart: A change that the caller states itself, if it is the best.
    """
    trials: Sequence[Trial] = document.get("trials") or ()
    tried = [trial for trial in trials if all(map(_OF_QUEUE.match, trial["change"]))]
    best = max(tried, key=_score, default=None)
    if best is None or [*best["change"]] == [*apart]:
        return ""
    before, after = best["slowest_bps"], best["slowest_with_bps"]
    if not after or after < _LEAST * (before or 0.0):
        return ""
    price = prices.short(best, names)
    cost = f", and {price}" if price else ""
    # A trial leaves out flows whose application sends little.
    all_send = len(starved.endless_flows(document)) == len(document["replications"][0]["flows"])
    which = "flow" if all_send else "flow that always has data"
    gets = f"the slowest {which} {words.number(1e-6 * after, 2)} Mb/s"
    return f"{named(best['change'])} gives {gets}{cost}: {options(best['change'])}."


def named(change: Sequence[str]) -> str:
    """Name a change of queues, at the beginning of a sentence.

    >>> named(['cells[0].access_point_queue={ kind = "ack-filter", packets = 20 }'])
    'An ACK filter at the access point'
    >>> named(['cells[0].queue={ kind = "fq-codel", limit = 100 }'])
    'FQ-CoDel in every queue'
    """
    found = _KIND.search(change[0])
    kind = found[1] if found else ""
    everywhere = any("].queue=" in item for item in change)
    place = "in every queue" if everywhere else "at the access point"
    return f"{_KINDS.get(kind, 'A longer queue')} {place}"


def _score(trial: Trial) -> float:
    without, with_it = prices.delays(trial)
    factor = max(with_it / without, 1.0) if without else 1.0
    return (trial["slowest_with_bps"] or 0.0) / factor


def helped(document: RunDocument, limit: Limit) -> list[str]:
    """Return the flows that a change is advised for: those that a limit names, else all.

    Args:
        document: The document of a run.
        limit: The limit that the change takes away.
    """
    if limit.get("of") == "flows" and limit.get("flows"):
        return starved.with_siblings(document, limit["flows"])
    return [flow["name"] for flow in document["summary"]["flows"]]
