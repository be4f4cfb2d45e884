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
    yardstick: Literal["cubic", "all", "none"] = "cubic"
    """Whose values: CUBIC's (Reno's if CUBIC is evaluated), those of both, or nobody's."""
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


def at_least(factor: float, yardstick: Literal["cubic", "all"] = "cubic") -> Bound:
    """Return the bound of a quantity of which more is better, relative to a yardstick's.

    Args: factor: Share of the yardstick's value. yardstick: Whose; of both, the smaller one.
    """
    whose = "CUBIC's" if yardstick == "cubic" else "the smaller of Reno's and CUBIC's"
    return Bound(
        f"at least {factor:g} times {whose}",
        f"no worse than the standards-track laws; {OURS}",
        lambda values: factor * min(values),
        more_is_better=True,
        yardstick=yardstick,
    )


def at_most(
    factor: float, more: float = 0.0, said: str = "", yardstick: Literal["cubic", "all"] = "all"
) -> Bound:
    """Return the bound of a quantity of which less is better, relative to a yardstick's.

    Args: factor: Factor on the yardstick's value. more: What is added to it. said: That in words.
        yardstick: Whose; of both, the larger one.
    """
    whose = "CUBIC's" if yardstick == "cubic" else "the larger of Reno's and CUBIC's"
    times = "" if factor == 1 else f"{factor:g} times "
    return Bound(
        f"at most {times}{whose}{f' and {said}' if said else ''}",
        f"no worse than the standards-track laws; {OURS}",
        lambda values: factor * max(values) + more,
        yardstick=yardstick,
    )


REPRODUCIBLE: Final = Bound(
    "equal fingerprints",
    "a run is a function of scenario and seed",
    lambda _: 1.0,
    more_is_better=True,
    yardstick="none",
    wrong=lambda _: 1.0,
)
BACK_OFF: Final = Bound(
    "at most 1.5 times the larger of Reno's and CUBIC's; wrong above one a round trip",
    "full back-off of RFC 9743: at most a packet a round trip under persistent loss; 1.5 is ours",
    lambda both: 1.5 * max(both),
    yardstick="all",
    wrong=lambda _: 1.0,
)
HEAVY_LOSS: Final = at_most(1.5)
SMALL_DELAY_S: Final = 0.005
"""Extra delay that a person does not feel (ours): the target of CoDel (RFC 8289)."""
DELAY: Final = at_most(1, SMALL_DELAY_S, "5 ms", "cubic")
DELAY_OF_OTHERS: Final = at_most(1, SMALL_DELAY_S, "5 ms")
COMPLETION: Final = at_most(1.25, yardstick="cubic")
HARM: Final = at_most(1, MORE_HARM, "0.05")
LOSS_OF_OTHERS: Final = at_most(1, 0.01, "1 %")
AS_GOOD: Final = at_least(0.9)
NEARLY: Final = at_least(0.8)
RATIO: Final = Bound(
    "at most twice CUBIC's, and 8",
    f"no worse than the standards-track laws; {OURS}",
    lambda cubic: min(max(2 * cubic[0], 2.0), 8.0),
)
JAIN: Final = Bound(
    "at least 0.9, or CUBIC's",
    f"no worse than the standards-track laws; {OURS}",
    lambda cubic: min(0.9, cubic[0]),
    more_is_better=True,
)
SHARE: Final = Bound(
    "at least CUBIC's less 0.1",
    f"no worse than the standards-track laws; {OURS}",
    lambda cubic: cubic[0] - 0.1,
    more_is_better=True,
)
CONVERGENCE: Final = Bound(
    "at most twice CUBIC's and 5 s",
    f"no worse than the standards-track laws (RFC 5166 asks for the time); {OURS}",
    lambda cubic: 2 * cubic[0] + 5,
)
MARKED: Final = Bound(
    "at most 0.1 % above CUBIC's",
    f"a mark takes the place of a loss (RFC 3168); {OURS}",
    lambda cubic: cubic[0] + 0.001,
)
DOMINATED: Final = Bound(
    "at most 1.1: not worse in both by a tenth",
    "the plane of goodput and delay (Pantheon, Yan et al. 2018); width ours",
    lambda _: 1.1,
    yardstick="none",
)
STARVES_ITSELF: Final = Bound(
    "at most 10",
    "delay-convergent laws can starve under jitter (Arun et al. 2022); level ours",
    lambda _: 10.0,
    yardstick="none",
)
UNUSED_WINDOW: Final = at_most(1.5)
BURST: Final = Bound(
    "at most 10 segments, or 1.25 times CUBIC's",
    f"an initial window is 10 segments (RFC 6928); {OURS}",
    lambda cubic: max(10.0, 1.25 * cubic[0]),
)
HALF: Final = at_least(0.5, "all")
TWICE: Final = at_most(2)
POLICED: Final = at_most(2, SOME_LOSS, "0.5 %", "cubic")
STUCK: Final = Bound(
    "at least 0.5, or CUBIC's",
    "a law that keeps the round-trip time of the shorter path fills a third; level ours",
    lambda cubic: min(0.5, cubic[0]),
    more_is_better=True,
)
DECEIVED: Final = Bound(
    "at most 1.1, and 1.1 times the larger of Reno's and CUBIC's",
    f"a receiver gains nothing by false ACKs (Savage et al. 1999); {OURS}",
    lambda both: 1.1 * max(1.0, *both),
    yardstick="all",
)
