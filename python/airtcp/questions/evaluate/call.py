"""The function `evaluate`: a congestion control by the criteria of the IETF."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp import _core
from airtcp.data.extension import version
from airtcp.data.plain import printable
from airtcp.inputs.arguments import names_of, whole
from airtcp.inputs.progress import shows_progress
from airtcp.laws.limit import STANDARD, seconds_of
from airtcp.questions.evaluate import criteria as criteria_list
from airtcp.questions.evaluate import views, write
from airtcp.questions.evaluate.criterion import EFFORTS, Criterion, Plan
from airtcp.questions.evaluate.document import FAILED
from airtcp.questions.evaluate.judge import (
    LATE,
    STOPPED,
    criterion_result,
    judged,
    measured,
    yardsticks,
)
from airtcp.questions.evaluate.law import read_law
from airtcp.questions.evaluate.recorded import recorded
from airtcp.questions.evaluate.simulate import Laws
from airtcp.questions.evaluate.work import Work

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from airtcp.inputs.arguments import Progress
    from airtcp.laws.given import Tcp
    from airtcp.questions.evaluate.criterion import Check
    from airtcp.questions.evaluate.document import CriterionResult, EvaluateDocument
    from airtcp.questions.evaluate.law import Law
    from airtcp.questions.evaluate.result import EvaluateResult

AGAINST: Final = "reno,cubic,bbr"
_MOST_SEED: Final = 2**64 - 1
_MOST: Final = 1000


@shows_progress
def evaluate(
    law: Tcp,
    *,
    against: str | Iterable[str] = AGAINST,
    only: str | Iterable[str] = (),
    effort: str = "standard",
    replications: int | None = None,
    seed: int = 1,
    law_timeout: str = STANDARD,
    workers: int | None = None,
    progress: Progress | None = None,
) -> EvaluateResult:
    """Evaluate a congestion control by the criteria that RFC 9743 asks of a new one.

    Each criterion runs scenarios of its own, with the law and with Reno and CUBIC, and compares
    them replication by replication.

    Args:
        law: The congestion control, with keys after colons: `cubic:beta_cubic=0.5`. One's own is
            named by its file, `my_law.py:Aimd:a=2`, or is a class of a file.
        against: The laws that it is held against. Verdicts are relative to `reno` and `cubic`;
            all of them are rivals on one link.
        only: Criteria to evaluate, such as "E1,E4"; by default all.
        effort: `quick`, `standard` or `full`: which paths, for how long, how often.
        replications: Number of replications, instead of that of the effort.
        seed: Root seed.
        law_timeout: Processor time that a replication with a law in Python may take, and a call of
            a compiled law: an endless loop in a law ends then, and no further scenario begins.
        workers: Number of threads, or of processes with a law in Python; by default all cores. The
            result does not depend on it.
        progress: Called with done, total and a label.

    Returns:
        The result. If Ctrl-C stopped the evaluation, `interrupted` is true, and criteria that were
        not finished are not evaluated.

    Raises:
        LawError: If a law of one's own cannot be loaded, or fails in a run. Its `result` has the
            criteria in whose scenarios it does not fail, if there are any.
        AirtcpError: If there is no such law, criterion or effort.

    Examples:
        >>> result = evaluate("vegas", only="E3", effort="quick", replications=2)
        >>> result
        EvaluateResult(vegas: 1 of 28 criteria, 0 wrong, 0 need attention)
        >>> result.criteria.to_dict()["verdict"][3]
        'pass'
    """
    from airtcp.questions.evaluate.result import EvaluateResult

    own, others = read_law(law), [read_law(name, "--against") for name in names_of(against)]
    chosen = _chosen(names_of(only))
    if effort not in EFFORTS:
        message = f'effort "{printable(effort)}": expected {", ".join(EFFORTS)}'
        raise _core.AirtcpError(message)
    plan = Plan(own, EFFORTS[effort], others, yardsticks(own, others))
    number = whole("replications", replications, 1, _MOST) or plan.effort.replications
    root = whole("seed", seed, 0, _MOST_SEED) or 0
    if not plan.yardsticks:
        message = f"--against {', '.join(names_of(against)) or 'nothing'}: verdicts need reno or"
        message += " cubic, and not the law itself"
        raise _core.AirtcpError(message)
    work, every = _work(root, [own, *others], law_timeout), criteria_list.every()
    checks: dict[str, Sequence[Check]] = {
        one.id: one.made(plan) if one.id in chosen else () for one in every
    }
    for check in (check for found in checks.values() for check in found):
        for one in (own, *check.held_against(plan)):
            for scene in check.scenes(one):
                work.ask(scene, check.replications(number))
    if not names_of(only):
        views.ask(plan, work)
    work.run(workers, progress)
    results = [
        _result(one, checks[one.id], plan, work, number, asked=one.id in chosen) for one in every
    ]
    document: EvaluateDocument = {
        "schema": "airtcp.evaluate/1",
        "airtcp_version": version(),
        "seed": root,
        "options": {
            "against": [one.label for one in others],
            "only": names_of(only),
            "effort": effort,
            "replications": number,
        },
        "law": {
            "label": own.label,
            "tcp": own.tcp(),
            "files": list(own.sources),
            "sha256": own.sha256,
        },
        "yardsticks": [one.label for one in plan.yardsticks],
        "criteria": results,
        "series": [] if names_of(only) else views.series(plan, work),
        "recorded": work.recorded,
        "interrupted": work.interrupted,
    }
    result = EvaluateResult(document)
    if work.failed:
        raise _failed(work, result)
    return result


def _failed(work: Work, result: EvaluateResult) -> _core.LawError:
    """Return the error of laws that failed, with what was evaluated."""
    first = next(work.failed[key] for key in work.tasks if key in work.failed)
    error = _core.LawError(first)
    error.result = result if len(result) else None
    return error


def _missing(checks: Sequence[Check], plan: Plan, work: Work, number: int) -> str:
    """Say why a criterion has no verdict: the failure of a law in one of its scenarios."""
    for check in checks:
        for law in (plan.law, *check.held_against(plan)):
            for scene in check.scenes(law):
                reason = work.failure(scene, check.replications(number))
                if reason is not None:
                    return f"{FAILED}{reason}"
    return LATE if work.late else STOPPED


def _work(seed: int, laws: Sequence[Law], timeout: str) -> Work:
    """Return the work of an evaluation, which knows the laws of one's own."""
    seconds_of(timeout)  # refused before anything runs
    sources = dict.fromkeys(source for one in laws for source in one.sources)
    hashes = dict.fromkeys(one.sha256 for one in laws if one.sha256 is not None)
    compiled = any(one.sources and not one.in_python for one in laws)
    own = Laws(tuple(sources), tuple(hashes), timeout, compiled)
    return Work(seed, own, recorded=recorded(seed))


def scenario_files(
    law: Tcp,
    only: str | Iterable[str],
    *,
    against: str | Iterable[str] = AGAINST,
    effort: str = "standard",
    seed: int = 1,
) -> dict[str, str]:
    """Return the scenarios of criteria as texts by name of file.

    Args: law: As for `evaluate`. only: The criteria. against: As for `evaluate`. effort: As for
        `evaluate`. seed: As for `evaluate`.

    Raises:
        AirtcpError: If there is no such law or criterion, or a criterion has no scenarios.
    """
    own, others = read_law(law), [read_law(name, "--against") for name in names_of(against)]
    chosen = _chosen(names_of(only), "--write")
    criteria = [one for one in criteria_list.every() if one.id in chosen]
    if names := write.without(criteria):
        message = f"--write {', '.join(names)}: it has no scenarios: {criteria[0].missing}"
        raise _core.AirtcpError(message)
    plan = Plan(own, EFFORTS[effort], others, yardsticks(own, others))
    return write.files_of(criteria, plan, seed)


def _chosen(only: Sequence[str], option: str = "--only") -> set[str]:
    """Return the criteria to evaluate."""
    known = [one.id for one in criteria_list.every()]
    wanted = [name.upper() for name in only]
    for name in wanted:
        if name not in known:
            message = f"{option} {printable(name)}: there is no such criterion: E0 to {known[-1]}"
            raise _core.AirtcpError(message)
    return set(wanted or known)


def _result(
    criterion: Criterion,
    checks: Sequence[Check],
    plan: Plan,
    work: Work,
    number: int,
    *,
    asked: bool,
) -> CriterionResult:
    """Judge the checks of a criterion; one that is not finished is not evaluated."""
    found = [
        judged(
            check,
            measured(check, plan.law, work, number),
            {one.label: measured(check, one, work, number) for one in check.held_against(plan)},
        )
        for check in checks
    ]
    done = [one for one in found if one is not None]
    reason = criterion.missing or None
    if not asked:
        reason = "not asked for (--only)"
    elif len(done) < len(found):
        done, reason = [], _missing(checks, plan, work, number)
    names = dict.fromkeys(scene.name for check in checks for scene in check.scenes(plan.law))
    against = [one.label for one in plan.yardsticks]
    return criterion_result(criterion, done, reason=reason, scenes=[*names], against=against)
