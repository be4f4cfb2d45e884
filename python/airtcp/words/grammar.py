"""The grammar of answers: one sentence each, and at most two numbers in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from airtcp.words.answer import Answer

NUMBERS: Final = 2
"""Most numbers in a sentence of an answer."""
LINES: Final = 25
"""Most lines of an answer at a width of 100 columns."""
_NUMBER: Final = re.compile(r"(?<![\w.\-])[+\N{MINUS SIGN}]?\d[\d.,\u202f]*(?:e-?\d+)?(?![\w\-])")
_COMMAND: Final = re.compile(r"`[^`]*`|--[\w-]+(?: '[^']*'| (?:\d+|yes|no|all|usual))?")
_END: Final = re.compile(r"[.!?](?= [A-Z])")


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
    text = _COMMAND.sub("", sentence.replace("(-n 8)", ""))
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, "")
    return [found.rstrip(".,") for found in _NUMBER.findall(text)]


def problems(answer: Answer, names: Iterable[str] = ()) -> list[str]:
    """Return what an answer has against the grammar, as sentences.

    Args:
        answer: The answer.
        names: As for `numbers`.
    """
    found: list[str] = []
    named = [*names]
    for sentence in answer.sentences:
        if len(numbers(sentence, named)) > NUMBERS:
            found.append(f"more than {NUMBERS} numbers: {sentence}")
        bare = _COMMAND.sub("", sentence)
        if _END.search(bare) or not bare.rstrip().endswith((".", "!", "?")):
            found.append(f"not one sentence: {sentence}")
        if "\n" in sentence:
            found.append(f"more than one line: {sentence}")
    return found
