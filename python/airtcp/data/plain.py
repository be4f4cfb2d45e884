"""Makes external text safe to show in a terminal, on a page or in a message.

Names of files, links, nodes and keys are external input. Control characters in them could move the
cursor, colour the screen or set a window title. Characters that change the writing direction can
make a name look like another. Both are shown as escapes.
"""

from __future__ import annotations

import codecs
import re
from typing import Any, Final, cast

_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f]")
_C1: Final = re.compile("[\x7f-\x9f]")
_UNSEEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_ASCII: Final = {
    "\N{NARROW NO-BREAK SPACE}": " ",
    "\N{NO-BREAK SPACE}": " ",
    "\N{HORIZONTAL ELLIPSIS}": "...",
    "\N{EN DASH}": "-",
    "\N{MINUS SIGN}": "-",
    "\N{PLUS-MINUS SIGN}": "+-",
    "\N{MULTIPLICATION SIGN}": "x",
    "\N{MICRO SIGN}": "u",
    "\N{GREEK SMALL LETTER MU}": "mu",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LESS-THAN OR EQUAL TO}": "<=",
    "\N{GREATER-THAN OR EQUAL TO}": ">=",
}
_NUMBERS: Final = frozenset((bool, float, int, type(None)))
POOR: Final = "airtcp.poor"
"""Name of the error handler for characters that a terminal's encoding lacks."""


def printable(text: str, keep: str = "") -> str:
    r"""Escape invisible characters and characters that control a terminal.

    Args:
        text: Any text.
        keep: Control characters that stay, such as line ends.

    >>> printable("a\x1b[31mb"), printable("gnp.\u202etxt"), printable("one\ntwo\t", "\n")
    ('a\\x1b[31mb', 'gnp.\\u202etxt', 'one\ntwo\\x09')
    """
    # Every escaped character is unprintable to Python as well, which checks faster.
    if text.isprintable():
        return text
    return _UNSEEN.sub(lambda m: m[0] if m[0] in keep else _escaped(m[0]), text)


def controls_escaped(text: str) -> str:
    r"""Escape control characters only, for files that other programs read.

    >>> controls_escaped("a\x1b[31mb\u200c"), controls_escaped("two\nlines")
    ('a\\x1b[31mb\u200c', 'two\\x0alines')
    """
    return text if text.isprintable() else _CONTROLS.sub(lambda m: _escaped(m[0]), text)


def plain_json(text: str) -> str:
    r"""Escape control characters that JSON permits and terminals interpret.

    >>> plain_json('{"name": "a\x9b31mb"}')
    '{"name": "a\\u009b31mb"}'
    """
    # Most documents are ASCII, which needs no search of each character.
    if text.isascii() and "\x7f" not in text:
        return text
    return _C1.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def _escaped(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # noqa: PLR2004 - a byte of a name that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:  # noqa: PLR2004 - one byte
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004


def printable_values(tree: Any, keep: str = "\n\t") -> Any:
    """Escape every text in a tree of dicts and lists.

    Args: tree: A tree of texts, numbers, lists and dicts. keep: Control characters that stay.
    """
    if isinstance(tree, str):
        return printable(tree, keep)
    # Most values are numbers, and a call for each would take most of the time.
    if isinstance(tree, dict):
        table = cast("dict[str, Any]", tree)
        return {
            printable(key): value if type(value) in _NUMBERS else printable_values(value, keep)
            for key, value in table.items()
        }
    if isinstance(tree, list):
        return [
            value if type(value) in _NUMBERS else printable_values(value, keep)
            for value in cast("list[Any]", tree)
        ]
    return tree


def is_printable_json(text: str) -> bool:
    r"""Return whether a document has no text that `printable` changes, judged by its JSON.

    JSON has control characters as escapes. A text with any escape, such as that of a quotation
    mark, is judged unprintable.

    >>> is_printable_json('{"name": "a"}'), is_printable_json('{"name": "a\\u001b[31mb"}')
    (True, False)
    """
    # Spaces that do not break are unprintable to Python, and stay.
    return "\\" not in text and (text.isprintable() or _UNSEEN.search(text) is None)


def _poor(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    found = error.object[error.start : error.end]
    shown = [_ASCII.get(c) or f"\\u{ord(c):04x}" for c in found]
    return "".join(shown), error.end


codecs.register_error(POOR, _poor)
