"""Finds mistakes of a sweep before a worker starts, so that they are reported once.

A value is a mistake if the scenario cannot be read with it, neither with the first values of the
other keys nor with their last ones: a misspelt key, another unit, an unknown name. A value that is
impossible with some values of the other keys only is a failure of these points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from airtcp import _core
from airtcp.laws.given import is_file_of_law
from airtcp.questions.sweep.errors import refuse
from airtcp.questions.sweep.paths import OPTION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from airtcp.questions.sweep.plan import Plan
    from airtcp.questions.sweep.sweep_file import Sweep

    Sets = Sequence[tuple[str, str]]

_TCPS: Final = ("tcp", "share")
"""Options that name TCPs."""
_MOST: Final = 100
"""Values of a key that are tried; of more values, as many at equal distances."""


def check(plan: Plan) -> None:
    """Refuse a sweep whose scenario cannot be read or planned.

    Args: plan: The points.

    Raises:
        AirtcpError: If a key or value is a mistake, with its place in the sweep file.
    """
    sweep = plan.sweep
    _check_names(sweep)
    if not sweep.text:
        return
    name = sweep.inputs[0] if sweep.inputs else "scenario"
    points = _core.Points(sweep.text, name, *_rest(plan), sweep.laws.core)
    ends = [plan.sets(0), plan.sets(len(plan) - 1)]
    if sweep.design == "grid":
        for place, axis in enumerate(sweep.axes):
            for value in _spread(axis.values):
                text = axis.text(value)
                tried = [_with(sweep, end, place, text) for end in ends]
                _refused(sweep, points.read, tried, f"vary.{axis.name}")
    _refused(sweep, points.read, ends)
    _refused(sweep, points.plan, ends)


def _check_names(sweep: Sweep) -> None:
    """Refuse files of laws among the TCPs: to open a sweep file never runs code."""
    given: list[tuple[str, Any]] = [(f"options.{k}", sweep.options.get(k)) for k in _TCPS]
    given += [
        (f"vary.{axis.name}", value)
        for axis in sweep.axes
        if {OPTION + key for key in _TCPS} & set(axis.paths)
        for value in axis.values
    ]
    for key, value in given:
        several = cast("list[Any]", value) if isinstance(value, list) else [value]
        for names in several:
            for part in str(names).split(","):
                if is_file_of_law(part.strip()):
                    why = "names a file; give it as --law FILE, and name the law: Aimd:a=2"
                    refuse(f"{sweep.name}: {key}", f"{part.strip()} {why}")


def _rest(plan: Plan) -> tuple[str, list[str]]:
    return plan.job["folder"], list(plan.sweep.measures)


def _spread(values: Sequence[object]) -> Iterable[object]:
    if len(values) <= _MOST:
        return values
    return (values[i * (len(values) - 1) // (_MOST - 1)] for i in range(_MOST))


def _with(sweep: Sweep, sets: Sets, place: int, text: str) -> Sets:
    """Return the values of a point with another value of one axis."""
    before = sum(len(axis.paths) for axis in sweep.axes[:place])
    paths = sweep.axes[place].paths
    own = [(path, text) for path in paths]
    return [*sets[:before], *own, *sets[before + len(paths) :]]


def _refused(
    sweep: Sweep, attempt: Callable[[Sets], None], tried: Sequence[Sets], place: str = ""
) -> None:
    """Refuse the sweep if the core refuses all of these points."""
    first = ""
    for sets in tried:
        scenario = [pair for pair in sets if not pair[0].startswith(OPTION)]
        seed = [] if sweep.seed is None else [("seed", str(sweep.seed))]
        try:
            attempt([*sweep.fixed, *scenario, *seed])
        except _core.AirtcpError as error:
            first = first or str(error)
        else:
            return
    at = _place(sweep, first) or place
    refuse(f"{sweep.name}: {at}" if at else sweep.name, first)


def _place(sweep: Sweep, message: str) -> str:
    """Return the key of the sweep file whose path a message names."""
    paths = [(path, f"vary.{axis.name}") for axis in sweep.axes for path in axis.paths]
    paths += [(path, f"set.{path}") for path, _ in sweep.fixed]
    forms = (" {} ", "{}:", "{}=")
    named = [(p, key) for p, key in paths if any(form.format(p) in message for form in forms)]
    return max(named, key=lambda of: len(of[0]), default=("", ""))[1]
