"""The options for reading traces, in one list.

Each entry of `Reading` is a keyword of the functions and, with hyphens, an option of every command
that reads traces. Its annotation gives its accepted values and its meaning. Help texts, and the
commands on pages, follow from it. A test compares the guide with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from inspect import signature
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    Literal,
    TypeAlias,
    TypedDict,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ColumnKind: TypeAlias = Literal["received", "lost", "sequence", "arrival"]
_BITS: Final = re.compile(r"([kMG]?)(?:bps|bit/s)")
"""Units of a rate that a scenario accepts beside b/s."""


class Reading(TypedDict, total=False):
    """How to read traces. The file determines what is not given."""

    interval: Annotated[
        str | None,
        "Interval between packets, such as '10 ms'; replaces that of the file.",
    ]
    layout: Annotated[
        str | None,
        "Layout of the files (airtcp list layout); by default recognised from the file.",
    ]
    column: Annotated[
        str | int | None,
        "Column of a table with the outcomes: its name, or its number from 1.",
    ]
    kind: Annotated[
        ColumnKind | None,
        "Content of that column (arrival: a time or delay, blank = lost).",
    ]
    lost_value: Annotated[
        str | float | None,
        "Values of that column that mean lost, beside blanks, with commas between, such as '-1';"
        " none for no value.",
    ]
    unsent_value: Annotated[
        str | float | None,
        "Values of that column in rows without a packet, with commas between, such as '0' or"
        " blank.",
    ]
    link_column: Annotated[
        str | int | None,
        "Column that tells links apart: its name or number; several with commas between.",
    ]
    rate_column: Annotated[
        str | int | None,
        "Column of the rate of the link over time: its name or number; its unit is in the name or"
        " in --rate-unit.",
    ]
    bytes_column: Annotated[
        str | int | None,
        "Column of the bytes that the link delivered from each row's time to the next: its name or"
        " number.",
    ]
    time_column: Annotated[
        str | int | None,
        "Column of the time stamps: its name or number.",
    ]
    time_unit: Annotated[
        str | None,
        "Unit of the time stamps, such as '1 us'.",
    ]
    rate_unit: Annotated[
        str | None,
        "Unit of the rates: b/s, kb/s, Mb/s, Gb/s, B/s, kB/s or MB/s; without --rate-column, read"
        " the files as tables of times and rates.",
    ]


@dataclass(frozen=True)
class ReadingOption:
    """One option, as `Reading` declares it."""

    name: str
    help: str
    accepted: tuple[str, ...]
    """The accepted values, if there is a fixed list."""

    @property
    def flag(self) -> str:
        """Its name on the command line."""
        return f"--{self.name.replace('_', '-')}"


@cache
def options() -> tuple[ReadingOption, ...]:
    """Return the options in the order of their declaration."""
    found: list[ReadingOption] = []
    for name, hint in get_type_hints(Reading, include_extras=True).items():
        kind, text = get_args(hint)
        parts = get_args(kind) if get_origin(kind) in {Union, UnionType} else (kind,)
        accepted = [value for part in parts if part is not NoneType for value in get_args(part)]
        found.append(ReadingOption(name, text, tuple(accepted)))
    return tuple(found)


def how_to_read(
    reading: Mapping[str, Any], of: Callable[..., object] | None = None
) -> dict[str, str]:
    """Return the given options of reading as text, without those that were not given.

    `of` is the function that takes them among its own arguments: a misspelt one may be of either.

    >>> how_to_read({"column": 2, "kind": None})
    {'column': '2'}
    >>> how_to_read({"rate_unit": "Mbps"})
    {'rate_unit': 'Mb/s'}

    Raises:
        TypeError: If a keyword is none of these options.
    """
    known = [option.name for option in options()]
    unknown = sorted(set(reading) - set(known))
    if unknown:
        own = [] if of is None else [name for name in signature(of).parameters if name != "reading"]
        close = get_close_matches(unknown[0], [*own, *known], 1)
        hint = (
            f"did you mean {close[0]!r}?"
            if close
            else f"expected one of {', '.join([*own[1:], *known])}"
        )
        message = f"unexpected keyword argument {unknown[0]!r}; {hint}"
        raise TypeError(message)
    read = {
        name: str(value) if isinstance(value, (int, float)) else value
        for name, value in reading.items()
        if value is not None
    }
    if (rate := _BITS.fullmatch(str(read.get("rate_unit")))) is not None:
        read["rate_unit"] = f"{rate[1]}b/s"
    return read
