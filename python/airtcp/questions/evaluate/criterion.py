"""What a criterion is: scenes, a quantity measured in them, and its bound."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from airtcp.questions.evaluate.bounds import Bound
    from airtcp.questions.evaluate.law import Law
    from airtcp.questions.evaluate.outcome import Rep
    from airtcp.questions.evaluate.scenes import Scene

    Measure = (
        Callable[[Rep], float | None]
        | Callable[[Rep, Rep], float | None]
        | Callable[[Rep, Rep, Rep], float | None]
    )
    """A quantity of a replication, from what each scene measured in it."""


@dataclass(frozen=True)
class Effort:
    """How much is run."""

    name: str
    replications: int
    rates_mbps: tuple[float, ...]
    rtts_ms: tuple[float, ...]
    buffers_bdp: tuple[float, ...]
    """The grid of single flows."""
    rival_buffers_bdp: tuple[float, ...]
    rival_s: float
    """Duration beside a rival with a queue of 2 BDP or less; three times that beyond."""
    thorough: bool = True
    """Whether to run the rows that only refine a criterion."""


QUICK: Final = Effort(
    "quick", 3, (1, 20, 100), (10, 40, 100), (0.5, 1, 4), (0.5, 1, 4), 30, thorough=False
)
STANDARD: Final = Effort(
    "standard",
    5,
    (1, 5, 20, 100),
    (10, 40, 100, 300),
    (0.25, 0.5, 1, 2, 4),
    (0.25, 0.5, 1, 4, 8),
    40,
)
FULL: Final = Effort(
    "full",
    10,
    STANDARD.rates_mbps,
    STANDARD.rtts_ms,
    STANDARD.buffers_bdp,
    STANDARD.rival_buffers_bdp,
    120,
)
EFFORTS: Final = {each.name: each for each in (QUICK, STANDARD, FULL)}


@dataclass(frozen=True)
class Plan:
    """What an evaluation runs: its effort, and the laws beside which the law runs."""

    law: Law
    effort: Effort
    rivals: Sequence[Law]
    """The laws that it shares a link with."""
    yardsticks: Sequence[Law]
    """The laws on the standards track that it is held against, CUBIC first."""


@dataclass(frozen=True)
class Check:
    """A quantity with a bound, in one scene or several."""

    name: str
    scenes: Callable[[Law], Sequence[Scene]]
    """The scenes for a law."""
    measure: Measure
    """The quantity of a replication, from what each scene measured in it."""
    bound: Bound
    quantity: str
    """What is measured, in words."""
    unit: str = ""
    scale: float = 1.0
    """Factor from the value to its unit in tables."""
    at: Mapping[str, float] = field(default_factory=dict[str, float])
    """Where it is measured, for charts: rate, round-trip time, buffer."""
    most: int | None = None
    """Most replications: 1 if only the first records what is measured, few if little is random."""

    def held_against(self, plan: Plan) -> Sequence[Law]:
        """Return the laws whose values decide, CUBIC first."""
        return [] if self.bound.yardstick == "none" else plan.yardsticks

    def replications(self, number: int) -> int:
        """Return how many of the replications of an evaluation its scenes have."""
        return number if self.most is None else min(number, self.most)


@dataclass(frozen=True)
class Criterion:
    """A criterion: checks, or the reason why there are none."""

    id: str
    title: str
    source: str
    """The document and section that asks for it."""
    checks: Callable[[Plan], Sequence[Check]] | None = None
    fault: str = ""
    """What a law does that needs attention; {first} and {both} name its yardsticks."""
    wrong: str = ""
    """What a law does that is wrong."""
    missing: str = ""
    """What is not evaluated of it, and why."""

    def made(self, plan: Plan) -> Sequence[Check]:
        """Return the checks of an evaluation; none if it is not evaluated."""
        return () if self.checks is None else self.checks(plan)
