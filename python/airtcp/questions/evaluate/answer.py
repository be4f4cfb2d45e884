"""The answer of `evaluate`: whether a law is ready, and what is wrong first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.evaluate import tables
from airtcp.questions.evaluate.document import FAILED
from airtcp.words import sentences as words
from airtcp.words.answer import Answer
from airtcp.words.grid import elided
from airtcp.words.sentences import counted, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.questions.evaluate.document import CriterionResult, EvaluateDocument

_NAMED: Final = 2
"""Faults that the first sentence names."""
_NAME: Final = 40
"""Characters of the law's name."""
_FEW: Final = 3
"""Replications below which an interval tells little."""


def answer(document: EvaluateDocument) -> Answer | None:
    """Return the answer of an evaluation; none if no criterion was evaluated.

    Args:
        document: The document of the evaluation.
    """
    if not evaluated(document):
        return None
    return Answer(
        headline(document),
        _credit(document),
        _doubt(document),
        tables.attention(document),
        _next(document),
        tables.details(document),
    )


def evaluated(document: EvaluateDocument) -> list[CriterionResult]:
    """Return the criteria that were evaluated."""
    return [one for one in document["criteria"] if one["verdict"] != "not evaluated"]


def headline(document: EvaluateDocument) -> str:
    """Say whether the law is ready, and what is wrong, or needs attention, first."""
    law = elided(document["law"]["label"], _NAME)
    if failed := _failed(document):
        return f"{law} cannot be evaluated in {_some([one['id'] for one in failed])}: a law failed."
    wrong, attention = (_faults(document, verdict) for verdict in ("wrong", "attention"))
    if wrong:
        more = len(wrong) - _NAMED
        faults = [_fault(document, one, number) for number, one in enumerate(wrong[:_NAMED])]
        rest = f", and {words.count(more)} more {_are(more)} wrong" if more > 0 else ""
        return f"{law} is not ready: it {listed(faults)}{rest}."
    done = len(evaluated(document))
    if attention:
        first = _fault(document, attention[0], 0, numbers=False)
        if done == 1:
            return f"{law} needs attention: it {first}."
        rules = f"Nothing rules {law} out"
        if len(attention) == 1:
            return (
                f"{rules}, but one of {counted(done, 'criterion', 'criteria')} needs attention:"
                f" it {first}."
            )
        return (
            f"{rules}, but {words.count(len(attention))} of {words.count(done)} criteria need"
            f" attention: first, it {first}."
        )
    which = "the one criterion" if done == 1 else f"any of {words.count(done)} criteria"
    return f"{law} is not shown to be worse than {_held(document)} in {which}."


def _failed(document: EvaluateDocument) -> list[CriterionResult]:
    """Return the criteria in whose scenarios a law failed."""
    return [one for one in document["criteria"] if (one["reason"] or "").startswith(FAILED)]


def _held(document: EvaluateDocument) -> str:
    """Name what the law is held against."""
    return listed(document["yardsticks"])


def _are(number: int) -> str:
    return "criterion is" if number == 1 else "criteria are"


def _faults(document: EvaluateDocument, verdict: str) -> list[CriterionResult]:
    return [one for one in document["criteria"] if one["verdict"] == verdict]


def _fault(
    document: EvaluateDocument, one: CriterionResult, place: int, *, numbers: bool = True
) -> str:
    """Say a fault; the first with its size, beside that of the first yardstick."""
    said = one["fault"] or f"fails {one['title']}"
    check, first = tables.deciding(one), document["yardsticks"][0]
    if place or not numbers or check is None or first not in one["baselines"]:
        return said
    own, other = (
        f"{words.number(value * check['scale'], 2)}"
        for value in (check["value"], check["baselines"][first]["value"])
    )
    unit = f" {check['unit']}" if check["unit"] else ""
    return f"{said} ({check['quantity']} {own}{unit}, {first} {other}{unit})"


def _credit(document: EvaluateDocument) -> str | None:
    """Say in what the law is better than the laws on the standards track."""
    better = [one["title"] for one in document["criteria"] if one["better"]]
    if not better:
        return None
    shown = better[:4]
    more = len(better) - len(shown)
    rest = f" and {words.count(more)} more" if more else ""
    names = ", ".join(shown) if more else listed(shown)
    return f"It is better than {_held(document)} in {names}{rest}."


def _doubt(document: EvaluateDocument) -> str | None:
    """Say what the answer rests on that could be wrong; the most serious first."""
    done = evaluated(document)
    unsure = [
        one
        for one in done
        if one["verdict"] == "pass" and any(check["unsure"] for check in one["checks"])
    ]
    left = len(document["criteria"]) - len(done)
    number = document["options"]["replications"]
    asked = bool(document["options"]["only"])
    if failed := _failed(document):
        return f"{(failed[0]['reason'] or '').removeprefix(FAILED)}."
    if document["interrupted"]:
        return f"The work was stopped: {counted(left, 'criterion is', 'criteria are')} missing."
    if number < _FEW:
        return f"It rests on {counted(number, 'replication')}: -n 5 would tell more."
    if unsure:
        names = _some([one["id"] for one in unsure])
        return f"{names} would need attention if the means were right: -n 10 may tell."
    if left and not asked:
        names = _some([one["id"] for one in document["criteria"] if one not in done])
        return f"Not evaluated: {names} (--details says why)."
    return None


def _some(names: Sequence[str]) -> str:
    """Write the first names of a list.

    >>> _some(["E1", "E2"]), _some([f"E{n}" for n in range(9)])
    ('E1 and E2', 'E0, E1, E2, E3 and others')
    """
    most = 4
    return listed(names) if len(names) <= most else f"{', '.join(names[:most])} and others"


def _next(document: EvaluateDocument) -> str:
    """Name the scenarios of what is wrong first, and the options that go deeper."""
    found = [*_faults(document, "wrong"), *_faults(document, "attention"), *evaluated(document)]
    parts: list[Any] = ["All: --details", "Page: --html FILE"]
    parts.append(f"Scenarios of {found[0]['id']}: --write {found[0]['id']}")
    return "   ".join(parts)
