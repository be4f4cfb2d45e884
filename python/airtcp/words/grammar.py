"""The numbers in a sentence of an answer, of which it has two at most."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

NUMBERS: Final = 2
"""Most numbers in a sentence of an answer."""
_NUMBER: Final = re.compile(r"(?<![\w.\-])[+\N{MINUS SIGN}]?\d[\d.,\u202f]*(?:e-?\d+)?(?![\w\-])")
COMMAND: Final = re.compile(r"`[^`]*`|--[\w-]+(?: '[^']*'| (?:\d+|yes|no|all|usual))?")
"""What is typed, in a sentence."""


def numbers(sentence: str, names: Iterable[str] = ()) -> list[str]:
    """Return the numbers in a sentence; those of commands and names do not count.

    Args:
        sentence: The sentence.
        names: Names of flows, links and stations that may have numbers.

    >>> numbers("Losses limit the laptop 2: 9 Mb/s, and 24.5 without them.", ["laptop 2"])
    ['9', '24.5']
    >>> numbers("More replications (-n 8) may decide: --set 'a=3'.")
    []
    """
    text = COMMAND.sub("", sentence.replace("(-n 8)", ""))
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, "")
    return [found.rstrip(".,") for found in _NUMBER.findall(text)]
