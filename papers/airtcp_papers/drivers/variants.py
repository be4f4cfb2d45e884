"""A scenario in variants, for the drivers `cells` and `links`.

Each table of `axis` has values by name, and each value has its changes to the scenario, by path.
Every combination is a *variant*, run with several seeds. Its conditions are the names of its
values; a name that is a number counts as a number. Changes of a later axis override those of an
earlier one, and changes of `set` override both, because an assumption may concern either.

This module has the common parts: the parameters, the variants, their runs, and the chart of a
measure over the first axis, with a line for each combination of the others. Each driver has its own
measures: by name, a unit and a function of one run.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from airtcp.words.sentences import begun
from airtcp_papers.form import Form, Key, is_number, refuse
from airtcp_papers.outcome import Axis, Layer, Measure, Plot, repeated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from airtcp_papers.context import Context
    from airtcp_papers.outcome import Outcome

VARIED: Final[Form] = {
    "name": Key("text", "name of the condition", required=True),
    "title": Key("text", "title of the axis, with the unit; the name if left out"),
    "values": Key(
        "open", "by name of the value: what it changes in the scenario, by path", required=True
    ),
}

MORE: Final[Form] = {
    "at": Key("conditions", "conditions of the variants, of all or some axes", required=True),
    "runs": Key("whole", "its replications", required=True),
}


@dataclass(frozen=True)
class Run:
    """One replication, with the driver's parameters."""

    document: Mapping[str, Any]
    parameters: Mapping[str, Any]

    def of_flows(self, name: str) -> float:
        """Add up a measure of the flows."""
        return sum(flow[name] for flow in self.document["flows"])


R = TypeVar("R", bound=Run)


def parameters_of(measures: Mapping[str, object], own: Form) -> Form:
    """Return the parameters of a driver of variants, including its own."""
    accepted = tuple(measures)
    return {
        "scenario": Key("scenario", "the scenario, relative to the library", required=True),
        "set": Key("open", "values in place of the scenario's and the axes', by path", default={}),
        "axis": Key(
            "tables", "what is varied: the x axis of the plot first", required=True, of=VARIED
        ),
        "measure": Key("texts", "what is measured", required=True, accepted=accepted),
        **own,
        "runs": Key("whole", "replications", default=6),
        "more": Key("tables", "variants with more replications", of=MORE, default=[]),
        "alternative_runs": Key(
            "whole", "the first so many of them under an alternative; all if left out"
        ),
        "wanted": Key(
            "open", "the conditions that are run, of all; set for alternatives, to those of rows"
        ),
        "plot": Key("texts", "the measures that are drawn", default=[], accepted=accepted),
    }


def _condition(name: str) -> str | float:
    """Read the name of a value; numbers are numbers.

    >>> _condition("80"), _condition("0.5"), _condition("RTS/CTS")
    (80, 0.5, 'RTS/CTS')
    """
    try:
        number = float(name)
    except ValueError:
        return name
    return int(number) if number.is_integer() else number


def variants(
    parameters: Mapping[str, Any],
) -> Iterator[tuple[dict[str, str | float], dict[str, Any]]]:
    """Yield the variants: the conditions of each, and its changes to the scenario.

    >>> rate = {"name": "rate", "values": {"6": {"r": 6}, "54": {"r": 54}}}
    >>> system = {"name": "system", "values": {"base": {}}}
    >>> list(variants({"axis": [rate, system]}))
    [({'rate': 6, 'system': 'base'}, {'r': 6}), ({'rate': 54, 'system': 'base'}, {'r': 54})]

    Raises: PaperError: If `more` matches no variant.

    With `wanted`, only the variants in it:

    >>> [at for at, _ in variants({"axis": [rate], "wanted": [{"rate": 54.0}]})]
    [{'rate': 54}]
    """
    wanted = parameters.get("wanted")
    more: list[dict[str, Any]] = list(parameters.get("more", []))
    axes = cast("list[dict[str, Any]]", parameters["axis"])
    for values in product(*(axis["values"] for axis in axes)):
        at: dict[str, str | float] = {}
        overrides: dict[str, Any] = {}
        for axis, value in zip(axes, values, strict=True):
            at[axis["name"]] = _condition(value)
            overrides |= axis["values"][value]
        more = [one for one in more if not one["at"].items() <= at.items()]
        if wanted is None or at in wanted:
            yield at, overrides
    if more:
        refuse(f"more: no variant is at {more[0]['at']}")


def repeats_of(parameters: Mapping[str, Any], at: Mapping[str, str | float]) -> int:
    """Return a variant's number of replications in a figure.

    Raises: PaperError: If `more` has no more replications.

    >>> more = [{"at": {"loss": 50}, "runs": 6}, {"at": {"loss": 50, "arq": "all"}, "runs": 4}]
    >>> [repeats_of({"runs": 3, "more": more}, {"loss": n, "arq": "all"}) for n in (10, 50)]
    [3, 6]
    """
    runs: int = parameters["runs"]
    for one in parameters["more"]:
        if one["runs"] <= runs:
            refuse(f"more: {one['runs']} runs at {one['at']} are not more than {runs}")
    more = [one["runs"] for one in parameters["more"] if one["at"].items() <= at.items()]
    return max([runs, *more])


def runs_of(
    context: Context,
    parameters: Mapping[str, Any],
    every: Sequence[tuple[Mapping[str, str | float], Mapping[str, Any]]],
    kind: type[R],
) -> list[list[R]]:
    """Run variants side by side, each with several seeds.

    Args: context: The reproduction. parameters: Those of the driver. every: The conditions of each
        variant, and its changes. kind: The class of a run.
    """

    def run(variant: tuple[Mapping[str, str | float], Mapping[str, Any]]) -> list[R]:
        at, overrides = variant
        documents = context.replications(
            parameters["scenario"],
            {**overrides, **parameters["set"]},
            runs=context.repeats(repeats_of(parameters, at)),
            beside=len(every),
        )
        return [kind(document, parameters) for document in documents]

    return context.side_by_side(run, every)


def measured(
    name: str,
    at: Mapping[str, str | float],
    runs: Sequence[R],
    measures: Mapping[str, tuple[str, Callable[[R], float | None]]],
    events: Mapping[str, Callable[[R], float]],
) -> Measure:
    """Take a measure from each run of a variant.

    Args: name: Name of the measure. at: The conditions of the variant. runs: Its runs. measures: By
        name, a unit and a function that takes the measure from one run. events: For counts and
        rates of events, by name: the events of a run over its value.
    """
    unit, take = measures[name]
    weights = [events[name](run) for run in runs] if name in events else None
    note = f"no {name} in this variant"
    return repeated(name, at, [take(run) for run in runs], unit, note, weights)


def plots_of(
    parameters: Mapping[str, Any], outcome: Outcome, measures: Mapping[str, tuple[str, object]]
) -> list[Plot]:
    """Draw the chosen measures."""
    axis = parameters["axis"][0]
    return [_plot(name, measures[name][0], axis, outcome) for name in parameters["plot"]]


def _plot(name: str, unit: str, axis: Mapping[str, Any], outcome: Outcome) -> Plot:
    """Draw a measure over an axis; values that are not numbers are left out."""
    rows = [
        {
            "x": found.at[axis["name"]],
            "y": found.value,
            "low": found.low,
            "high": found.high,
            "series": ", ".join(str(v) for k, v in found.at.items() if k != axis["name"]) or name,
        }
        for found in outcome.measures
        if found.metric == name and is_number(found.at[axis["name"]])
    ]
    title = axis.get("title", axis["name"])
    return Plot(
        name.replace(" ", "-").replace("%", "percent"),
        f"{begun(name)} over {title}",
        "Simulated; bars are 95 % intervals over replications.",
        Axis(title),
        Axis(f"{name} ({unit})" if unit else name),
        [Layer("line", rows), Layer("point", rows)],
    )
