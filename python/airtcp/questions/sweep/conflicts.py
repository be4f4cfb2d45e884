"""Refuses keys of a sweep file that the kind does not have, or that contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp.questions.sweep.axes import RESERVED
from airtcp.questions.sweep.errors import near, refuse
from airtcp.questions.sweep.measures import KINDS
from airtcp.questions.sweep.paths import OPTION, steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from airtcp.questions.sweep.axes import Axis
    from airtcp.questions.sweep.measures import Kind

_ENDINGS = ("", "_ci_low", "_ci_high")


def check_paths(paths: Iterable[tuple[str, str]], kind: Kind, *, scenario: bool) -> None:
    """Refuse paths that no point of a kind has.

    The keys of a scenario are checked later, with the scenario itself.

    Args: paths: Place in the sweep file, and path. kind: What is run. scenario: Whether there is a
        scenario; else traces are studied or compared.
    """
    options = KINDS[kind].options
    for place, path in paths:
        option = path.removeprefix(OPTION)
        if option != path and not options:
            refuse(place, f"a {kind} has no options; expected a key of the scenario")
        if option != path and option not in options:
            refuse(place, f'"{option}" is no option of kind "{kind}"{near(option, options)}')
        if option == path and not scenario:
            subject = "study" if kind == "study" else "comparison of traces"
            said = f"a {subject} has no key {path}; expected options.NAME{near(path, options)}"
            refuse(place, said)


def check_once(paths: Iterable[tuple[str, str]]) -> None:
    """Refuse a path that two keys of the sweep set.

    Args: paths: Place in the sweep file, and path.
    """
    places: dict[tuple[str, ...], str] = {}
    for place, path in paths:
        way = tuple(steps(path))
        if way in places:
            subject = "" if place == path else f"{path} "
            refuse(place, f"{subject}is also set by {places[way]}: remove one of them")
        places[way] = place


def check_columns(axes: Sequence[Axis], measures: Sequence[str]) -> None:
    """Refuse a varied key whose column has the name of another one.

    Readers such as DuckDB ignore upper and lower case in names of columns.
    """
    columns = {name.casefold(): f'"{name}"' for name in RESERVED}
    for name in measures:
        columns |= {(name + ending).casefold(): f'"{name}{ending}"' for ending in _ENDINGS}
    for axis in axes:
        column = axis.column.casefold()
        if column in columns:
            said = f"its column {axis.column} has the same name as {columns[column]}"
            refuse(f"vary.{axis.name}", f'{said}; give another name, with key = "{axis.paths[0]}"')
        columns[column] = f"that of vary.{axis.name}"
