"""The structures of the C interface, read from its header."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_STRUCTURE: Final = re.compile(r"typedef struct \{\n(?P<fields>.*?)\n\} (?P<name>\w+);", re.DOTALL)
_FIELD: Final = re.compile(
    r"\s*(?P<kind>double|uint32_t|uint64_t|[\w ]*\*)\s*(?P<name>\w+)(?:\[(?P<count>\d+)\])?;.*"
)
_KINDS: Final = {"double": "f8", "uint32_t": "u4", "uint64_t": "u8"}
Field = tuple[str, str, int]
"""Name, type as numpy has it, and length of an array; 0 for a single value."""


@cache
def structures(header: str) -> dict[str, list[Field]]:
    r"""Return the fields of each structure of the header.

    >>> text = "typedef struct {\n  double now; /* s */\n  double key[16];\n} airtcp_x;"
    >>> structures(text)
    {'airtcp_x': [('now', 'f8', 0), ('key', 'f8', 16)]}
    """
    found: dict[str, list[Field]] = {}
    for structure in _STRUCTURE.finditer(header):
        lines = [_FIELD.fullmatch(line) for line in structure["fields"].splitlines()]
        # A table of functions has other fields.
        if all(lines):
            found[structure["name"]] = [
                (line["name"], _KINDS.get(line["kind"], "u8"), int(line["count"] or 0))
                for line in lines
                if line is not None
            ]
    return found
