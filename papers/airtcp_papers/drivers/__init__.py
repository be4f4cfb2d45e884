"""The drivers: one file each, and one line here."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp_papers.form import check, did_you_mean, refuse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from airtcp_papers.drivers.base import Driver
    from airtcp_papers.library import Library
    from airtcp_papers.paper import Assumption, Figure

DRIVERS: Final = {
    "against-chain": "against_chain",
    "burst-pair": "burst_pair",
    "captures": "captures",
    "cell-windows": "cell_windows",
    "cells": "cells",
    "collisions": "collisions",
    "convergence": "convergence",
    "cubic-curve": "cubic_curve",
    "fits": "fits",
    "gain": "gain",
    "link-classes": "link_classes",
    "links": "links",
    "prr-distribution": "prr_distribution",
    "success-pairs": "success_pairs",
    "sweep": "sweep",
    "throughput": "throughput",
    "window": "window",
}
"""The module of each driver."""


@cache
def driver(name: str) -> Driver:
    """Return a driver; its module is loaded when first asked for."""
    return import_module(f"airtcp_papers.drivers.{DRIVERS[name]}").DRIVER


def read_figure(library: Library, id_: str) -> Figure:
    """Read and check a table or figure.

    Raises: PaperError: If its file, or one that it names, is invalid.
    """
    return checked(library.unchecked(id_), library)


def checked(figure: Figure, library: Library) -> Figure:
    """Check the driver, its parameters and the files they name, and fill in defaults.

    Parameters under `defaults` in `paper.toml` apply to every driver that has them.

    Raises: PaperError: If something does not exist or is invalid.
    """
    from dataclasses import replace

    where = str(figure.path)
    if figure.driver not in DRIVERS:
        message = f'{where}: experiment.driver: unknown driver "{figure.driver}"'
        refuse(message + did_you_mean(figure.driver, list(DRIVERS)))
    form = driver(figure.driver).parameters
    defaults = {k: v for k, v in figure.paper.defaults.items() if k in form}
    parameters = check(form, {**defaults, **figure.parameters}, where, "experiment")
    made = replace(figure, parameters=parameters)
    for assumption in made.assumptions:
        _check_assumption(assumption, form, made, where)
    for _ in files(made, library):
        pass
    return made


def _check_assumption(
    assumption: Assumption, form: Mapping[str, Any], figure: Figure, where: str
) -> None:
    first = assumption.parameter.split(".")[0]
    if first not in form:
        message = (
            f'{where}: assumption "{assumption.name}": the driver {figure.driver}'
            f' has no parameter "{first}"'
        )
        refuse(message + did_you_mean(first, list(form)))
    for value in (assumption.value, *assumption.alternatives):
        check(form, replaced(figure.parameters, assumption.parameter, value), where, "assumption")


def replaced(parameters: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return parameters with the one at a path replaced.

    >>> replaced({"tcp": {"ack_every": 2, "mss": 536}, "runs": 3}, "tcp.ack_every", 1)
    {'tcp': {'ack_every': 1, 'mss': 536}, 'runs': 3}
    """
    first, dot, rest = path.partition(".")
    if not dot:
        return {**parameters, first: value}
    inner = cast("dict[str, Any]", parameters.get(first, {}))
    return {**parameters, first: replaced(inner, rest, value)}


def files(figure: Figure, library: Library) -> Iterator[Path]:
    """Return every file that a figure's experiment reads, besides its own and `paper.toml`.

    Raises: PaperError: If one does not exist; the message names the searched folder and the
        existing files.
    """
    for name, key in driver(figure.driver).parameters.items():
        value = figure.parameters.get(name)
        place = f"{figure.path}: experiment.{name}"
        if key.kind == "scenario" and value is not None:
            path = library.scenario(value)
            if not path.is_file():
                message = f'{place}: there is no scenario "{value}": {path} does not exist'
                known = did_you_mean(value, library.scenarios or ["none"])
                refuse(
                    f"{message}{known}; put the file there, or name one relative to {library.root}"
                )
            yield path
        elif key.kind in {"set", "sets"} and value is not None:
            for one in [value] if isinstance(value, str) else cast("list[str]", value):
                path = library.ensemble(one)
                if not path.is_file():
                    message = f'{place}: there is no set of links "{one}": {path} does not exist'
                    refuse(message + did_you_mean(one, library.ensembles or ["none"]))
                yield path


def data_of(figure: Figure, library: Library, data: Path | None) -> Iterator[Path]:
    """Return the measured data that a figure uses, as far as they are present."""
    from airtcp_papers.ensembles import DataMissingError, read_set

    for path in files(figure, library):
        if path.parent == library.ensemble("x").parent:
            links = read_set(library, path.stem)
            if links.measured:
                try:
                    yield links.data(data)
                except DataMissingError:
                    continue
