"""The keys of a sweep file: their JSON Schema and meaning.

The reader takes the known keys and the limits of numbers from these tables, and the schema of sweep
files is made from them, so that both accept the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from airtcp.questions.sweep.measures import KINDS, accepted

if TYPE_CHECKING:
    from collections.abc import Mapping

Design = Literal["grid", "list", "latin-hypercube", "sobol"]
DESIGNS: Final[tuple[Design, ...]] = get_args(Design)
SCALES: Final = ("linear", "log")
MOST_POINTS: Final = 10_000_000
MOST_REPLICATIONS: Final = 1_000_000
MOST_VALUES: Final = 1_000_000

_TEXT: Final[dict[str, Any]] = {"type": "string"}
_NAME: Final[dict[str, Any]] = {"type": "string", "minLength": 1}
_NAMES: Final[dict[str, Any]] = {"type": "array", "items": _NAME, "minItems": 1}
_TABLE: Final[dict[str, Any]] = {"type": "object"}
_QUANTITY: Final[dict[str, Any]] = {"type": ["number", "string"]}


def _whole(least: int, most: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": least, "maximum": most}


KEYS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "title": ("Heading of the report.", _TEXT),
    "of": (
        "The scenario (NAME.toml), or the traces of a study or comparison, relative to this file.",
        {"oneOf": [_NAME, _NAMES]},
    ),
    "scenario": ("A scenario in place of `of`.", _TABLE),
    "kind": (
        "What runs at each point; by default `run` of a scenario and `study` of traces.",
        {"enum": list(KINDS)},
    ),
    "vary": (
        "Keys to vary: a path as in --set, or `options.NAME`, with a list or a range.",
        {"type": "object", "minProperties": 1, "additionalProperties": {"$ref": "#/$defs/Axis"}},
    ),
    "design": ("Which points: `grid` by default.", {"enum": list(DESIGNS)}),
    "points": (
        "Points of a Latin hypercube; base samples of Sobol points, a power of 2.",
        _whole(1, MOST_POINTS),
    ),
    "set": ("Values for all points, by path as in --set.", _TABLE),
    "options": (
        "Options of the study or comparison, as in Python.",
        {
            "type": "object",
            "propertyNames": {
                "enum": sorted({name for of in KINDS.values() for name in of.options})
            },
        },
    ),
    "seed": ("Root seed of all points; by default the scenario's.", _whole(0, 2**64 - 1)),
    "replications": (
        "Replications of each point; by default the scenario's.",
        _whole(1, MOST_REPLICATIONS),
    ),
    "until": (
        "Largest half width of the 95 % interval as a share of the mean, by measure.",
        {"type": "object", "additionalProperties": {"type": ["number", "string"]}},
    ),
    "min_replications": (
        "With `until`: replications before the width is first looked at; by default 10.",
        _whole(2, MOST_REPLICATIONS),
    ),
    "max_replications": (
        "With `until`: the most replications; by default 1000.",
        _whole(2, MOST_REPLICATIONS),
    ),
    "measure": (
        "The metrics to keep.",
        {
            "type": "array",
            "minItems": 1,
            "items": {"enum": sorted({name for kind in KINDS for name in accepted(kind)})},
        },
    ),
}
"""Keys of the file: meaning and schema."""

AXIS_KEYS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "key": (
        "The path, or several that get the same value; by default the name of the table.",
        {"oneOf": [_NAME, _NAMES]},
    ),
    "values": ("The values.", {"type": "array", "minItems": 1, "maxItems": MOST_VALUES}),
    "from": ("Lower end of a range.", _QUANTITY),
    "to": ("Upper end of a range, in a unit of the same dimension.", _QUANTITY),
    "steps": ("Number of values of a range, with both ends.", _whole(2, MOST_VALUES)),
    "scale": ("Scale of a range: `linear` by default.", {"enum": list(SCALES)}),
}
"""Keys of a table in [vary]: meaning and schema."""


def limits(table: Mapping[str, tuple[str, dict[str, Any]]], key: str) -> tuple[int, int]:
    """Return the smallest and the largest whole number that a key accepts.

    >>> limits(KEYS, "points")
    (1, 10000000)
    """
    schema = table[key][1]
    return schema["minimum"], schema["maximum"]


def file_schema() -> dict[str, Any]:
    """Return the JSON Schema of a sweep file.

    It has the rules of single keys, and most rules of which keys need or exclude each other. Only
    `airtcp sweep` checks units, the order of numbers, which options and measures a kind has, paths
    that are set twice, and that the scenario has the paths.

    >>> file_schema()["properties"]["design"]["enum"]
    ['grid', 'list', 'latin-hypercube', 'sobol']
    """
    sampled = {"properties": {"design": {"enum": ["latin-hypercube", "sobol"]}}}
    rules: list[dict[str, Any]] = [
        {"oneOf": [{"required": ["of"]}, {"required": ["scenario"]}]},
        {
            "if": sampled | {"required": ["design"]},
            "then": {"required": ["points"]},
            "else": {"not": {"required": ["points"]}},
        },
        {
            "if": {"required": ["until"], "properties": {"until": {"minProperties": 1}}},
            "then": {"not": {"required": ["replications"]}},
            "else": {
                "not": {"anyOf": [{"required": [f"{end}_replications"]} for end in ("min", "max")]}
            },
        },
    ]
    axis: dict[str, Any] = {
        "description": "The values of a varied key.",
        "oneOf": [
            {"type": "array", "minItems": 1, "maxItems": MOST_VALUES},
            _object(AXIS_KEYS, allow=("key", "values"), required=["values"]),
            _object(
                AXIS_KEYS, allow=("key", "from", "to", "steps", "scale"), required=["from", "to"]
            ),
        ],
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Sweep",
        "description": "A sweep file: a scenario, study or comparison at many points.",
        **_object(KEYS, allow=tuple(KEYS), required=["vary"]),
        "allOf": rules,
        "$defs": {"Axis": axis},
    }


def _object(
    table: Mapping[str, tuple[str, dict[str, Any]]], *, allow: tuple[str, ...], required: list[str]
) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {key: {"description": table[key][0], **table[key][1]} for key in allow},
        "required": required,
        "additionalProperties": False,
    }
