"""All criteria in their order, E0 to E27."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.questions.evaluate import alone, rivals
from airtcp.questions.evaluate.criterion import Criterion

if TYPE_CHECKING:
    from collections.abc import Sequence

_EVERY: Final = 28
_KNOWN: Final = (alone.BULK, alone.BUFFERBLOAT, alone.LOSS, alone.RANDOM_LOSS, rivals.RIVALS)
_NOT_YET: Final = "airtcp has no scenarios for it yet"
_REST: Final = {
    "E0": ("reproducible", ""),
    "E1": ("full back-off", "RFC 9743 5.1.1"),
    "E6": ("latency under load", "RFC 9743 5.1.2"),
    "E7": ("short flows", "RFC 9743 5.2.3"),
    "E8": ("capacity step", "RFC 9743 7.8"),
    "E9": ("change of the path", "RFC 9743 7.9"),
    "E10": ("fairness over RTTs", "RFC 9743 5.1.4"),
    "E11": ("own fairness", "RFC 9743 5.1.4"),
    "E13": ("real-time flows", "RFC 9743 5.2.2"),
    "E14": ("AQM and ECN", "RFC 9743 7.1"),
    "E15": ("Wi-Fi cells", "RFC 9743 6.4"),
    "E16": ("cellular links", "RFC 9743 6.4"),
    "E17": ("jitter", "RFC 9743 7.3"),
    "E18": ("reordering", "RFC 9743 7.7"),
    "E19": ("slow ACK path", "RFC 3449"),
    "E20": ("limited by the application", "RFC 7661"),
    "E21": ("bursts", "RFC 9002"),
    "E22": ("long delay", "RFC 9743 7.5"),
    "E23": ("slow links", "RFC 9743 7.4"),
    "E24": ("bottlenecks in a row", "Common TCP Evaluation Suite"),
    "E25": ("data centre", "RFC 9743 7.11"),
    "E26": ("misbehaving receiver", "RFC 9743 7.6"),
    "E27": ("policer", "RFC 9743 5.1.3"),
}


def every() -> Sequence[Criterion]:
    """Return all criteria."""
    known = {one.id: one for one in _KNOWN}
    names = [f"E{number}" for number in range(_EVERY)]
    return [
        known[name] if name in known else Criterion(name, *_REST[name], missing=_NOT_YET)
        for name in names
    ]
