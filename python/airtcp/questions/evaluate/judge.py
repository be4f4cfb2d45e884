"""Verdicts: a quantity of the law against its bound, paired with the baselines by replication."""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING, Final, cast

from airtcp.data.extension import mean_interval
from airtcp.questions.evaluate.law import STANDARD
from airtcp.words.sentences import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from airtcp.questions.evaluate.bounds import Bound, Limit
    from airtcp.questions.evaluate.criterion import Check, Criterion
    from airtcp.questions.evaluate.document import CheckResult, CriterionResult, Value
    from airtcp.questions.evaluate.law import Law
    from airtcp.questions.evaluate.work import Work

Values = list[float]
ORDER: Final = ("wrong", "attention", "pass", "not evaluated")
"""The verdicts, the worst first."""
CREDIT: Final = 0.1
"""Relative gain over every yardstick that counts as better (ours)."""
STOPPED: Final = "stopped before its scenarios had run"
LATE: Final = "not run, because the law did not return in another scenario"


def yardsticks(law: Law, against: Sequence[Law]) -> list[Law]:
    """Return the laws on the standards track that the law is held against, CUBIC first.

    Args: law: The law. against: The baselines. The law itself is no yardstick.
    """
    found = [one for one in against if one.name in STANDARD and not one.same(law)]
    return sorted(found, key=lambda one: one.name != "cubic")


def measured(check: Check, law: Law, work: Work, number: int) -> Values | None:
    """Return a quantity of a law in each replication; None if a scene is not finished."""
    runs = [work.of(scene, check.replications(number)) for scene in check.scenes(law)]
    if not runs or any(run is None for run in runs):
        return None
    measure = cast("Callable[..., float | None]", check.measure)
    found = [measure(*reps) for reps in zip(*filter(None, runs), strict=True)]
    values = [value for value in found if value is not None]
    return values if len(values) == len(found) else None


def judged(
    check: Check, own: Values | None, others: Mapping[str, Values | None]
) -> CheckResult | None:
    """Judge a check.

    Args: check: The check. own: The law's values. others: Those of the yardsticks, the first
        first.
    """
    known = {name: values for name, values in others.items() if values is not None}
    if own is None or len(known) < len(others):
        return None
    chosen = [*known.values()][: 1 if check.bound.yardstick == "cubic" else None]
    pairs = [[values[at] for values in chosen] for at in range(len(own))]
    beyond = _beyond(check.bound, check.bound.limit, own, pairs)
    failed = _beyond(check.bound, check.bound.wrong, own, pairs)
    verdict, unsure = "pass", False
    if beyond is not None:
        worse = _shown(beyond)
        verdict = "attention" if worse else "pass"
        unsure = not worse and mean(beyond) > 0
        if worse and failed is not None and _shown(failed):
            verdict = "wrong"
    limit = check.bound.limit
    return {
        "name": check.name,
        "quantity": check.quantity,
        "unit": check.unit,
        "scale": check.scale,
        "verdict": verdict,
        "value": (value := _estimate(own))["value"],
        "low": value["low"],
        "high": value["high"],
        "baselines": {name: _estimate(values) for name, values in known.items()},
        "limit": None if limit is None else mean(limit(each) for each in pairs),
        "bound": check.bound.words,
        "bound_source": check.bound.source,
        "beyond": None if beyond is None else mean(beyond),
        "unsure": unsure,
        "better": _better(check.bound, own, pairs),
        "at": dict(check.at),
    }


def _better(bound: Bound, own: Values, pairs: list[list[float]]) -> bool | None:
    """Return whether a quantity is shown to be better than every yardstick's by a tenth.

    None if it is neither better nor worse.
    """
    if not all(pairs):
        return None
    sign = 1.0 if bound.more_is_better else -1.0
    best = [max(each) if bound.more_is_better else min(each) for each in pairs]
    gains = [sign * (value - each) for value, each in zip(own, best, strict=True)]
    if _shown([gain - CREDIT * abs(each) for gain, each in zip(gains, best, strict=True)]):
        return True
    return False if _shown([-gain for gain in gains]) else None


def _beyond(
    bound: Bound, limit: Limit | None, own: Values, pairs: list[list[float]]
) -> Values | None:
    """Return how far each replication is beyond a limit."""
    if limit is None:
        return None
    sign = -1.0 if bound.more_is_better else 1.0
    return [sign * (value - limit(each)) for value, each in zip(own, pairs, strict=True)]


def _shown(distances: Values) -> bool:
    """Return whether the interval of a distance lies above zero.

    >>> _shown([0.1, 0.11, 0.12]), _shown([0.1, -0.1, 0.2])
    (True, False)
    """
    ends = mean_interval(distances)
    return (mean(distances) if ends is None else ends[0]) > 0


def _estimate(values: Values) -> Value:
    ends = mean_interval(values)
    low, high = (None, None) if ends is None else ends
    return {"value": mean(values), "low": low, "high": high}


def criterion_result(
    criterion: Criterion,
    checks: Sequence[CheckResult],
    *,
    reason: str | None,
    scenes: Sequence[str],
    against: Sequence[str],
) -> CriterionResult:
    """Put the checks of a criterion together: the worst decides.

    Args: criterion: The criterion. checks: Its checks that were judged. reason: What was not
        evaluated, and why. scenes: Names of its scenarios. against: Names of the yardsticks.
    """
    deciding = min(checks, key=_rank, default=None)
    verdict = "not evaluated" if deciding is None else deciding["verdict"]
    faults = {"wrong": criterion.wrong or criterion.fault, "attention": criterion.fault}
    fault = faults.get(verdict)
    if fault is not None:
        fault = fault.format(first=against[0], both=listed(against))
    return {
        "id": criterion.id,
        "title": criterion.title,
        "verdict": verdict,
        "check": None if deciding is None else deciding["name"],
        "quantity": None if deciding is None else deciding["quantity"],
        "unit": "" if deciding is None else deciding["unit"],
        "value": None if deciding is None else deciding["value"],
        "low": None if deciding is None else deciding["low"],
        "high": None if deciding is None else deciding["high"],
        "baselines": {} if deciding is None else deciding["baselines"],
        "bound": None if deciding is None else deciding["bound"],
        "source": criterion.source,
        "fault": fault,
        "better": _credit(checks) if verdict == "pass" else False,
        "reason": reason,
        "checks": list(checks),
        "scenarios": list(scenes),
    }


def _credit(checks: Sequence[CheckResult]) -> bool:
    """Return whether half of the checks are shown to be better, and none to be worse."""
    better = [check["better"] for check in checks]
    return False not in better and 2 * better.count(True) >= len(better)


def _rank(check: CheckResult) -> tuple[int, float]:
    """Return the place of a check: the worst verdict first, then what is furthest beyond."""
    return ORDER.index(check["verdict"]), -(check["beyond"] or 0.0)
