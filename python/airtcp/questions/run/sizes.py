"""The two rates of a sentence on a limit: the goodput of the run, and that without the limit.

The search for limits may run for a part of the time, and with fewer replications. A sentence gives
the goodput of the run itself, which its table has. Beside it stands the goodput that was measured
without the limit, if the search supports the factor between both, and else the factor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from airtcp.questions.run import groups, starved
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.data.documents import RunDocument

    Flows = Sequence[Mapping[str, Any]]

SLOWEST: Final = "slowest-of-each-run"
"""Limits of the slowest flow of each replication, which may be another one in each."""
_TOLERANCE: Final = 1.1
"""Largest error of a factor; nothing below it is called a limit."""
_LARGEST: Final = 100.0
"""Largest factor that is written."""
_SAME: Final = 1.3
"""Largest factor between the goodputs of the same flows in the run and in the search."""
_TOGETHER: Final = 0.99
"""Flows add up if each is active for this share of the longest time."""


class Size(NamedTuple):
    """The goodput with and without a limit, in b/s."""

    goodput: float
    """Of the run, as in its table; if the run has no such goodput, of the search."""
    without: float
    """What it would be: measured, or the goodput times the factor."""
    factor: float | None
    """The factor of the search, if the two measured rates do not give it."""

    def said(self, whose: str = "", unit: str = " Mb/s") -> str:
        """Write both rates, without what the second is like.

        >>> Size(1.64e6, 9.54e6, None).said(), Size(2.8e6, 8.7e6, 3.1).said(" together")
        ('1.6 Mb/s, and 9.5', '2.8 Mb/s together, and 3.1 times that')
        """
        after = words.number(self.without * 1e-6, 2)
        if self.factor is not None:
            after = f"{words.number(self.factor, 2)} times that"
        return f"{words.number(self.goodput * 1e-6, 2)}{unit}{whose}, and {after}"


def of_limit(document: RunDocument, limit: Mapping[str, Any]) -> Size:
    """Return the size of a limit.

    Args:
        document: The document of a run.
        limit: A limit of the run as it is: nothing is taken away before.
    """
    measured, without, ratio = limit["goodput_bps"], limit["without_bps"], limit["ratio"]
    own = _own(document, limit)
    if own is None:
        return Size(measured, without, None)
    low, high = limit["low"] or ratio, limit["high"] or ratio
    return _size(own, without, ratio, (low, high))


def of_flows(document: RunDocument, slow: Flows, every: Sequence[str] = ()) -> Size:
    """Return the mean size of what slow flows are short of.

    Args:
        document: The document of a run.
        slow: Slow flows with the same shortage, as in `why`.
        every: The names of these and of others that starve alike; by default these.
    """
    measured, without = (groups.mean(flow[key] for flow in slow) for key in ("goodput_bps", _AFTER))
    names = {*every} or {flow["flow"] for flow in slow}
    rows = [flow for flow in document["summary"]["flows"] if flow["name"] in names]
    if not rows:
        return Size(measured, without, None)
    own = groups.mean(flow["goodput_bps"]["mean"] for flow in rows)
    ratio = without / measured if measured else None
    return _size(own, without, ratio, (ratio, ratio))


_AFTER: Final = "without_bps"


def _size(
    own: float, without: float, ratio: float | None, interval: tuple[float | None, float | None]
) -> Size:
    """Set the goodput of the run beside one of the search."""
    low, high = interval
    if ratio is None or low is None or high is None or ratio > _LARGEST or not own:
        return Size(own, without, None)
    if low / _TOLERANCE <= without / own <= high * _TOLERANCE:
        return Size(own, without, None)
    return Size(own, own * ratio, ratio)


def _own(document: RunDocument, limit: Mapping[str, Any]) -> float | None:
    """Return the run's goodput of those whose goodput a limit has; None if it has none.

    The limit names the flows that it slows, and may measure these and others together: of the
    goodputs that may be meant, that of the search is nearest to its own.
    """
    if limit["of"] == SLOWEST:
        return _slowest(document)
    flows: Flows = document["summary"]["flows"]
    named = [flow for flow in flows if flow["name"] in limit["flows"]]
    endless = starved.endless_flows(document)
    choices = [named, [flows[i] for i in endless], flows]
    if limit["of"] == "flows":
        choices = [named or flows]
    known = [total for of in choices if of and (total := _total(of)) is not None]
    measured: float = limit["goodput_bps"]
    if not measured:
        return known[0] if known else None
    near = [total for total in known if 1 / _SAME <= total / measured <= _SAME]
    if near:
        return min(near, key=lambda total: abs(total - measured))
    return known[0] if len(flows) == 1 and known else None


def _total(flows: Flows) -> float | None:
    """Add the goodputs of flows; None if they are active for different times."""
    active = [flow["active_s"]["mean"] or 0.0 for flow in flows if "active_s" in flow]
    if active and min(active) < _TOGETHER * max(active):
        return None
    return sum(flow["goodput_bps"]["mean"] or 0.0 for flow in flows)


def _slowest(document: RunDocument) -> float | None:
    """Return the mean goodput of the slowest endless flow of each replication."""
    endless = starved.endless_flows(document)
    found = [
        min((run["flows"][i].get("goodput_bps") for i in endless), default=None)
        for run in document["replications"]
    ]
    return None if None in found or not found else groups.mean(found)
