"""The file of a sweep: its keys, read and checked.

`file_keys` has every key with its meaning; docs/guide/sweep.md lists the same keys.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from airtcp import _core
from airtcp.data.plain import printable
from airtcp.inputs.arguments import plain
from airtcp.inputs.toml_text import inline, value_text
from airtcp.laws.given import OwnLaws
from airtcp.questions.scenarios import parsable, text_of
from airtcp.questions.sweep.axes import Axis, axis_of
from airtcp.questions.sweep.conflicts import check_columns, check_once, check_paths
from airtcp.questions.sweep.errors import found, known, near, refuse
from airtcp.questions.sweep.file_keys import DESIGNS, KEYS, limits
from airtcp.questions.sweep.measures import KINDS, Kind, check_measures, defaults
from airtcp.questions.sweep.paths import OPTION, steps, value_of
from airtcp.questions.sweep.quantities import quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.questions.sweep.file_keys import Design


@dataclass(frozen=True)
class Rule:
    """How many replications a point has."""

    number: int | None
    """A fixed number; None leaves it to the scenario, or to `until`."""
    until: dict[str, float] = field(default_factory=dict[str, float])
    """Largest half width of the 95 % interval, as a share of the mean, by measure."""
    least: int = 10
    """With `until`: replications before the width is first looked at."""
    most: int = 1000
    """With `until`: the most replications."""


@dataclass(frozen=True)
class Sweep:
    """A sweep as its file describes it."""

    name: str
    """The file, for messages."""
    folder: Path
    """The folder that `of` is relative to."""
    scenario_folder: Path
    """The folder that names of files in the scenario are relative to: that of its file."""
    title: str
    kind: Kind
    inputs: tuple[str, ...]
    """The scenario or the traces; empty if `text` is the scenario."""
    text: str
    """The text of the scenario; empty if traces are studied or compared."""
    axes: tuple[Axis, ...]
    """The varied keys, in the order of the file."""
    design: Design
    points: int | None
    """Number of points of a Latin hypercube; base samples of Sobol points."""
    fixed: tuple[tuple[str, str], ...]
    """Values set at every point: path and text."""
    options: dict[str, Any]
    """Options of the study or comparison."""
    seed: int | None
    """Root seed of every point; None leaves it to the scenario."""
    rule: Rule
    measures: tuple[str, ...]
    laws: OwnLaws = field(default_factory=OwnLaws)
    """Congestion controls of one's own that the scenario or the options name."""


def read(
    source: str | Path | Mapping[str, Any],
    *,
    overrides: Mapping[str, Any] | None = None,
    seed: int | None = None,
    replications: int | None = None,
    laws: OwnLaws | None = None,
) -> Sweep:
    """Read a sweep.

    Args:
        source: The file, or its content as a dictionary; files are then relative to the present
            folder.
        overrides: Values set at every point, by path; they replace those of `set`.
        seed: Root seed; by default the file's.
        replications: Number of replications; replaces that of the file, and its `until`.
        laws: Congestion controls of one's own.

    Raises:
        AirtcpError: If a key is unknown, missing or impossible.
        ScenarioError: If the scenario is no text.
    """
    if isinstance(source, str | Path):
        path = Path(source)
        name, folder = printable(str(path)), path.parent
        try:
            with path.open("rb") as file:
                table = tomllib.loads(text_of(file, name))
        except OSError as error:
            refuse(name, f"{error.strerror}; expected a sweep file (TOML)")
        except tomllib.TOMLDecodeError as error:
            refuse(name, f"not TOML: {error}; expected a sweep file")
        except RecursionError:
            refuse(name, "nested too deeply; expected a sweep file")
    else:
        name, folder, table = "sweep", Path(), cast("dict[str, Any]", plain(dict(source)))
    try:
        found = _sweep(name, folder, _with(table, overrides, seed, replications))
        return replace(found, laws=laws or OwnLaws())
    except _core.AirtcpError as error:
        text = str(error)
        if type(error) is not _core.AirtcpError or text.startswith(f"{name}:"):
            raise
        message = f"{name}: {text}"
        raise _core.AirtcpError(message) from None


def _with(
    table: dict[str, Any],
    overrides: Mapping[str, Any] | None,
    seed: int | None,
    replications: int | None,
) -> dict[str, Any]:
    """Return the table with the values of the command line, which replace those of the file."""
    table = dict(table)
    asked: dict[str, Any] = {"seed": seed, "replications": replications}
    given = {key: value for key, value in asked.items() if value is not None}
    if replications is not None:
        table.pop("until", None)
    ways = [steps(path) for path in (*(overrides or ()), *given)]
    for key, before in (("set", ""), ("options", OPTION)):
        part = table.get(key)
        if isinstance(part, dict):
            there = cast("dict[str, Any]", part)
            table[key] = {k: v for k, v in there.items() if steps(before + k) not in ways}
    for key in asked:
        if [key] in ways:
            table.pop(key, None)
    if overrides and isinstance(table.get("set", {}), dict):
        table["set"] = table.get("set", {}) | dict(overrides)
    return table | given


def _sweep(name: str, folder: Path, table: dict[str, Any]) -> Sweep:
    known("", table, KEYS)
    inputs, text, kind = _subject(folder, table)
    design = table.get("design", "grid")
    if design not in DESIGNS:
        refuse("design", f"{found(design)} is no design{near(str(design), DESIGNS)}")
    vary = table.get("vary")
    if not isinstance(vary, dict) or not vary:
        refuse("vary", 'expected a table of keys to vary, such as "links[0].rate" = ["5 Mb/s"]')
    grid = design in {"grid", "list"}
    axes = tuple(axis_of(key, value, grid=grid) for key, value in cast("Any", vary).items())
    fixed, options = _fixed(table, kind, axes, scenario=bool(text))
    points = _whole(table, "points")
    if grid and points is not None:
        refuse("points", f"a {design} has the points of [vary]; remove the key")
    if not grid and points is None:
        refuse("points", f'missing: design = "{design}" needs a number of points')
    measures = check_measures(kind, table.get("measure", list(defaults(kind))))
    check_columns(axes, measures)
    return Sweep(
        name=name,
        folder=folder,
        scenario_folder=(folder / inputs[0]).parent if text and inputs else folder,
        title=_text(table, "title") or "",
        kind=kind,
        inputs=inputs,
        text=text,
        axes=axes,
        design=design,
        points=points,
        fixed=fixed,
        options=options,
        seed=_whole(table, "seed"),
        rule=_rule(table, kind, measures),
        measures=measures,
    )


def _subject(folder: Path, table: dict[str, Any]) -> tuple[tuple[str, ...], str, Kind]:
    """Return the inputs, the text of the scenario, and what is run."""
    of, own = table.get("of"), table.get("scenario")
    if (of is None) == (own is None):
        refuse("of", 'expected one of `of = "FILE"` and a table [scenario]')
    kind: Any = table.get("kind")
    if kind is not None and kind not in KINDS:
        refuse("kind", f"{found(kind)} is no kind of sweep{near(str(kind), KINDS)}")
    if own is not None:
        if not isinstance(own, dict):
            refuse("scenario", f"found {found(own)}; expected a table")
        text = "\n".join(f"{key} = {inline(value)}" for key, value in cast("Any", own).items())
        if kind == "study":
            refuse("scenario", "a study is of traces; expected `of`")
        return (), parsable(text, "scenario") or "\n", kind or "run"
    given: list[Any] = cast("list[Any]", of) if isinstance(of, list) else [of]
    if not given or not all(isinstance(one, str) and one for one in given):
        own = "; a scenario itself stands under `scenario`" if isinstance(of, dict) else ""
        refuse("of", f"found {found(of)}; expected the name of a file, or a list of names{own}")
    names = tuple(str(one) for one in given)
    scenarios = [one for one in names if one.lower().endswith(".toml")]
    kind = kind or ("run" if scenarios else "study")
    _check_inputs(names, scenarios, kind)
    return names, _scenario(folder, scenarios[0]) if scenarios else "", kind


def _check_inputs(names: tuple[str, ...], scenarios: list[str], kind: Kind) -> None:
    if kind == "study" and scenarios:
        refuse("of", f"{scenarios[0]} is a scenario, and a study is of traces")
    if kind == "run" and len(names) > 1:
        refuse("of", f"found {len(names)} files; a run is of one scenario")
    if kind == "run" and not scenarios:
        refuse("of", f"{', '.join(names)} is no scenario (NAME.toml); a run is of a scenario")
    if kind == "compare" and scenarios and len(names) > 1:
        refuse("of", f"found {len(names)} files; a comparison is of one scenario, or of traces")


def _scenario(folder: Path, name: str) -> str:
    try:
        with (folder / name).open("rb") as file:
            # No text would mean that there is no scenario.
            return text_of(file, str(folder / name)) or "\n"
    except OSError as error:
        refuse("of", f"{folder / name}: {error.strerror}; expected a scenario file (TOML)")


def _fixed(
    table: dict[str, Any], kind: Kind, axes: tuple[Axis, ...], *, scenario: bool
) -> tuple[tuple[tuple[str, str], ...], dict[str, Any]]:
    """Return the values set in the scenario at every point, and the options.

    Raises:
        AirtcpError: If a path is set twice, or is no path of the kind.
    """
    options = _table(table, "options")
    if options and kind == "run":
        refuse("options", 'a run has no options; expected kind = "study" or "compare"')
    for key in options:
        if key in KEYS and key not in KINDS[kind].options:
            refuse(f"options.{key}", f"it stands at the top of the file: {key} = ...")
    known("options", options, KINDS[kind].options)
    fixed = [(path, value_text(value)) for path, value in _table(table, "set").items()]
    paths = [(f"vary.{axis.name}", path) for axis in axes for path in axis.paths]
    paths += [(f"set.{path}", path) for path, _ in fixed]
    check_paths(paths, kind, scenario=scenario)
    paths += [(f"options.{name}", f"{OPTION}{name}") for name in options]
    rule = "replications" if table.get("replications") is not None else "until"
    own = [("seed", "seed"), (rule, "replications")]
    check_once([*paths, *(pair for pair in own if table.get(pair[0]) not in ({}, None))])
    set_options = {path: text for path, text in fixed if path.startswith(OPTION)}
    values = {path.removeprefix(OPTION): value_of(text) for path, text in set_options.items()}
    return tuple(pair for pair in fixed if pair[0] not in set_options), options | values


def _rule(table: dict[str, Any], kind: Kind, measures: tuple[str, ...]) -> Rule:
    number = _whole(table, "replications")
    least = _whole(table, "min_replications")
    most = _whole(table, "max_replications")
    until = _table(table, "until")
    if not until:
        return _fixed_rule(kind, number, {"min_replications": least, "max_replications": most})
    if number is not None:
        refuse("replications", "expected either `replications` or [until] with max_replications")
    if kind != "run":
        refuse("until", f'kind = "{kind}" has no replications until; expected `replications`')
    widths: dict[str, float] = {}
    for key, value in until.items():
        if key not in measures:
            refuse(f"until.{key}", f"is not among the measures{near(key, measures)}")
        width = quantity(value)
        if width is None or width.dimension or not 0 < width.si < 1:
            refuse(f"until.{key}", f'found {found(value)}; expected a share such as "2 %"')
        widths[key] = width.si
    rule = Rule(None, widths, least or Rule.least, most or max(Rule.most, least or 0))
    if rule.most < rule.least:
        refuse("max_replications", f"is {rule.most}, below min_replications ({rule.least})")
    return rule


def _fixed_rule(kind: Kind, number: int | None, others: dict[str, int | None]) -> Rule:
    for key, given in others.items():
        if given is not None:
            refuse(key, "stands beside [until]; expected `replications`")
    if number is not None and kind == "study":
        refuse("replications", "a study has no replications; expected options.replicas")
    return Rule(number)


def _table(table: dict[str, Any], key: str) -> dict[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, dict):
        refuse(key, f"found {found(value)}; expected a table")
    return cast("dict[str, Any]", value)


def _text(table: dict[str, Any], key: str) -> str | None:
    value = table.get(key)
    if value is not None and not isinstance(value, str):
        refuse(key, f"found {found(value)}; expected text")
    return value


def _whole(table: dict[str, Any], key: str) -> int | None:
    value = table.get(key)
    if value is None:
        return None
    least, most = limits(KEYS, key)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        refuse(key, f"found {found(value)}; expected a whole number from {least} to {most}")
    return value
