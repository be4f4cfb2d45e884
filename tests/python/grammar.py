"""The grammar of answers: one sentence each, and at most two numbers in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from airtcp.words.grammar import COMMAND, NUMBERS, numbers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from airtcp.words.answer import Answer

LINES: Final = 25
"""Most lines of an answer at a width of 100 columns."""
_END: Final = re.compile(r"[.!?](?= [A-Z])")


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
        bare = COMMAND.sub("", sentence)
        if _END.search(bare) or not bare.rstrip().endswith((".", "!", "?")):
            found.append(f"not one sentence: {sentence}")
        if "\n" in sentence:
            found.append(f"more than one line: {sentence}")
    return found
