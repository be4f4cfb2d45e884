"""The bounds of the criteria, each with its source. A changed bound is a line of the changelog.

RFC 9743 has no number in it: in its section 5.2 a new algorithm should not do "more harm than
previous standards-track algorithms". So most bounds are relative to what Reno and CUBIC do in the
same scene, drawn with the same random numbers. The widths around that are ours, and say so.

A bound gives the limit of a replication from the values of the laws on the standards track. A law
is worse if the interval of its distance from the limit lies on the wrong side of zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Limit = Callable[[Sequence[float]], float]

OURS: Final = "width ours"


@dataclass(frozen=True)
class Bound:
    """The limit of a quantity, and beyond which it is wrong."""

    words: str
    """The limit in words."""
    source: str
    """Where it is from."""
    limit: Limit | None
    """The limit from the values of the yardsticks; None for a quantity without a limit."""
    more_is_better: bool = False
    yardstick: Literal["cubic", "all"] = "cubic"
    """Whose values: CUBIC's (Reno's if CUBIC is evaluated), or those of Reno and CUBIC."""
    wrong: Limit | None = None
    """The limit of what a document calls a failure; it counts only beyond `limit`, too."""


FULL: Final = 0.95
"""Share of a link that a law fills with a buffer of one BDP (Appenzeller et al. 2004)."""


def _filled(cubic: Sequence[float]) -> float:
    least = cubic[0] - 0.03
    return max(FULL, least) if cubic[0] >= FULL else least


UTILISATION: Final = Bound(
    "at least 0.95 where CUBIC has it, and CUBIC's less 0.03",
    f"a buffer of one BDP fills a link (Appenzeller et al. 2004); {OURS}",
    _filled,
    more_is_better=True,
)
QUEUE: Final = Bound(
    "at most 1.05 times CUBIC's",
    f"no worse than the standards-track laws; {OURS}",
    lambda cubic: 1.05 * cubic[0],
)

SOME_LOSS: Final = 0.005
"""Share of retransmissions that is never called excessive (ours)."""
EXCESSIVE: Final = 0.05
MANY_FLOWS: Final = 16
"""Flows up to which a loss beyond `FAILURE` is wrong: with more, each has a few packets a round."""
FAILURE: Final = 0.10


def _lost(cubic: Sequence[float]) -> float:
    return min(max(SOME_LOSS, 2 * cubic[0]), max(EXCESSIVE, 1.25 * cubic[0]))


LOSS: Final = Bound(
    "at most twice CUBIC's (0.5 % is free) and 5 %",
    f"no more loss than the standards-track laws; {OURS}",
    _lost,
)
LOSS_OF_FEW: Final = Bound(
    f"{LOSS.words}; wrong above 10 %",
    "RFC 9743 calls BBRv1's sustained loss in buffers below 1.5 BDP a failure; level ours",
    _lost,
    wrong=lambda cubic: max(FAILURE, 2 * cubic[0]),
)
TOLERANCE: Final = Bound(
    "at least 0.8 times CUBIC's",
    f"no worse than the standards-track laws; {OURS}",
    lambda cubic: 0.8 * cubic[0],
    more_is_better=True,
)

MORE_HARM: Final = 0.05
"""Harm beyond that of Reno or CUBIC that counts (ours)."""
STARVED: Final = 0.2
"""Share of its fair share below which a flow is starved (ours)."""


def harm(fair: float) -> Bound:
    """Return the bound of the harm to a rival's goodput.

    Args:
        fair: The share of the link that is fair for the rival.
    """
    return Bound(
        "at most 0.05 above that of Reno or CUBIC; wrong if the rival starves",
        "status quo of harm (Ware et al. 2019); RFC 9743 asks to assess starvation; level ours",
        lambda both: max(both) + MORE_HARM,
        yardstick="all",
        wrong=lambda _: 1 - STARVED * fair,
    )


def own_share(fair: float) -> Bound:
    """Return the bound of the law's own share beside a rival.

    Args:
        fair: The share of the link that is fair for the law.
    """
    return Bound(
        "not starved: at least a fifth of a fair share",
        "RFC 9743 asks to assess starvation; level ours",
        lambda both: min(STARVED * fair, *both),
        more_is_better=True,
        yardstick="all",
    )
