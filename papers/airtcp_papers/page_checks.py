"""Finds numbers on pages that come from neither results nor inputs.

A page on a paper, and the causes in its tables, may contain a handwritten number only if the
paper's files have it: a published value, a setting, a threshold. Measured values are in blocks or
values that are made from results (`airtcp_papers.pages`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp_papers import drivers, pages
from airtcp_papers.library import read_toml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from airtcp_papers.library import Library

_NUMBER: Final = re.compile(r"(?<![\w.])[-\u2212]?\d+(?:[.,]\d+)*")
_NOT_PROSE: Final = re.compile(
    r"```.*?```|`[^`]*`|\]\([^)]*\)|<!--.*?-->|^#+ [^\n]*$", re.DOTALL | re.MULTILINE
)
_COUNTS: Final = 20
"""Whole numbers up to this one count things in a sentence."""


def known(library: Library, paper: str) -> set[str]:
    """Return the numbers of a paper's files and of the scenarios and sets that they name."""
    found: set[str] = set()
    for id_ in library.choose([paper]):
        figure = drivers.read_figure(library, id_)
        for path in {figure.path, figure.paper.path, *drivers.files(figure, library)}:
            found |= _of_file(path)
    return found


def _of_file(path: Path) -> set[str]:
    found = {number for text in _texts(read_toml(path)) for number in numbers(text)}
    remarks = (line for line in path.read_text("utf-8").splitlines() if line.startswith("#"))
    return found | {number for line in remarks for number in numbers(line)}


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts, numbers and keys of a table except the causes."""
    if isinstance(value, dict):
        for key, one in cast("dict[str, Any]", value).items():
            if key not in {"reason", "tried"}:
                yield key
                yield from _texts(one)
    elif isinstance(value, list):
        for one in cast("list[Any]", value):
            yield from _texts(one)
    else:
        yield f"{value:g}" if isinstance(value, float) else str(value)


def numbers(text: str) -> list[str]:
    """Return the numbers of a text without signs, with 0.50 equal to 0.5.

    >>> numbers("from 0.50 to 1,000 Mb/s in S2.fig10")
    ['0.5', '1000']
    """
    found = (one.lstrip("-\u2212").replace(",", "") for one in _NUMBER.findall(text))
    return [f"{float(one):g}" if one.count(".") <= 1 else one for one in found]


def strays(text: str, allowed: Iterable[str]) -> list[str]:
    """Return the numbers of a text that are not allowed; small whole numbers always are.

    >>> strays("three of 12 lose 4.3 %, see `x = 0.7`", {"5"})
    ['4.3']
    """
    inputs = set(allowed)
    return [
        number
        for number in numbers(_NOT_PROSE.sub(" ", text))
        if number not in inputs and not (number.isdigit() and int(number) <= _COUNTS)
    ]


def of_page(page: str, library: Library, paper: str) -> list[str]:
    """Name the handwritten numbers of a page and of its rows' causes that have no source."""
    allowed = known(library, paper)
    found = [f"{number} in its text" for number in strays(pages.by_hand(page), allowed)]
    for id_ in library.choose([paper]):
        figure = drivers.read_figure(library, id_)
        said = (*figure.published, *figure.claims)
        reasons = {text for one in said for text in (one.reason, one.tried)}
        found += [
            f"{number} in a reason of {id_}"
            for reason in sorted(reasons)
            for number in strays(reason, allowed)
        ]
    return found
