"""The answer to a question: what a person sees first.

Terminal, page, notebook and document say this one value. It follows from the document alone, so
equal inputs give equal text.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from airtcp.words.grid import Grid
    from airtcp.words.sentences import Finding


@dataclass(frozen=True)
class Answer:
    """An answer in at most four sentences, one table, and the command that goes deeper.

    A sentence has two numbers at most, rounded to what is known; intervals stand in the table. The
    size of an effect comes from an intervention: the same run with this one thing taken away.
    """

    headline: str
    """What happens, what limits it, how much that costs."""
    help: str | None = None
    """What would help most, by how much, at what price; or what would tell, if nothing does."""
    doubt: str | None = None
    """What the answer rests on that could be wrong."""
    table: Grid | None = None
    """What somebody needs in order to act: at most 100 columns wide and a screen long."""
    next: str | None = None
    """One line: how to go deeper."""
    details: tuple[Finding | Grid, ...] = ()
    """Everything else, behind `--details` and on the page."""
    also: str | None = None
    """What else happens, after the headline."""

    @property
    def sentences(self) -> list[str]:
        """The headline and what else happens, and help and doubt if there are any."""
        return [said for said in (self.headline, self.also, self.help, self.doubt) if said]

    def __str__(self) -> str:
        """Write the answer as a terminal of 100 columns shows it."""
        said = [line for each in self.sentences for line in textwrap.wrap(each, 100)]
        said += [] if self.table is None else self.table.text()
        return "\n".join([*said, *self.next_lines(100)])

    def next_lines(self, wide: int) -> list[str]:
        """Return the line `next`; if it is wider than that, in lines between its parts.

        Parts have three blanks between them. A part stays whole, so that a command in it can be
        pasted.

        >>> Answer("It is.", next="All: --details   Also: airtcp run 'a   b'").next_lines(30)
        ['All: --details', "Also: airtcp run 'a   b'"]
        """
        if not self.next or len(self.next) <= wide:
            return [self.next] if self.next else []
        lines: list[str] = []
        for part in map(str.strip, _PART.findall(self.next)):
            if lines and len(lines[-1]) + 3 + len(part) <= wide:
                lines[-1] += f"   {part}"
            else:
                lines.append(part)
        return lines

    def document(self) -> dict[str, str | None]:
        """Return the sentences as the key `answer` of a document; `headline` has `also` as well."""
        found = {key: getattr(self, key) for key in ("headline", "help", "doubt", "next")}
        return found | {"headline": " ".join(filter(None, (self.headline, self.also)))}


DEEPER: Final = "All: --details   Page: --html FILE"
"""The options that go deeper, for the line `next`."""
MEANINGS: Final = {
    "headline": "What happens, what limits it, how much that costs.",
    "help": "What would help most, or what would tell; null if nothing is known to help.",
    "doubt": "What the answer rests on that could be wrong.",
    "next": "How to go deeper: the command, or options of it.",
}
"""The fields of an answer in a document, with their meanings."""

_PART: Final = re.compile(r"""(?:'[^']*'|"[^"]*"|(?! {3}).)+""")
"""A part of the line `next`; three blanks in quotes are those of a name."""
_FIRST: Final = re.compile(r'\{\s*(?:"schema"\s*:\s*"[^"\\]*"\s*,)?')


def answered_text(text: str, answer: Answer | None) -> str:
    """Put an answer into the JSON text of a document, after its schema.

    Args:
        text: A JSON object with several keys, or the beginning of one.
        answer: Its answer, if there is one.

    >>> answered_text('{"schema":"x/1","seed":1}', Answer("It is."))
    '{"schema":"x/1","answer":{"headline":"It is.","help":null,"doubt":null,"next":null},"seed":1}'
    """
    import json

    found = _FIRST.match(text)
    if answer is None or found is None:
        return text
    said = json.dumps(answer.document(), ensure_ascii=False, separators=(",", ":"))
    return f'{found[0]}"answer":{said},{text[found.end() :]}'


def answered(document: Any, answer: Answer | None) -> Any:
    """Put an answer into a document, after its schema.

    >>> list(answered({"schema": "x/1", "seed": 1}, Answer("It is.")))
    ['schema', 'answer', 'seed']
    """
    if answer is None:
        return document
    head = {"schema": document["schema"]} if "schema" in document else {}
    return {**head, "answer": answer.document(), **document}
