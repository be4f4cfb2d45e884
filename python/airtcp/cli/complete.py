"""Values that a shell completes: names of laws, schemes, profiles, layouts, families, papers.

A function here gets the beginning of a word, and returns the words that it may become, each with
what it means. The names come from the registry, so that a new law is completed without more work.
Words without values, such as files, are left to the shell. An error gives no value: a shell shows
the output of a completion in the middle of the line that the user types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Word = tuple[str, str]
"""A word and its meaning."""

_TCPS: Final = (
    ("own", "the TCP of the scenario"),
    ("newreno", "Reno's law with NewReno's recovery"),
    ("tahoe", "Reno's law with Tahoe's recovery"),
    ("reno-nosack", "Reno's law with Reno's recovery"),
    ("sack", "Reno's law with SACK recovery"),
    ("lt-tcp", "LT-TCP: erasure coding, behind a link"),
    ("sliding", "coding over a sliding window, behind a link"),
)
_REMEDIES: Final = (
    ("usual", "the usual remedies"),
    ("none", "no remedies"),
    ("lt-tcp", "LT-TCP: erasure coding"),
    ("sliding", "coding over a sliding window"),
    ("ll-arq", "retransmission on the link"),
    ("ll-harq", "parity on the link"),
    ("lt-tcp@ll-harq", "LT-TCP over parity on the link"),
)
_SCHEMES: Final = (
    ("all", "everything that can act in the cell"),
    ("base", "the scenario as written"),
    ("edca", "standard EDCA"),
    ("rts", "RTS before data frames"),
    ("ack-1", "an ACK for every segment"),
)
_PROFILES: Final = (("s1", "the parameters of S1, with timers in proportion to the slot"),)
_RATE_UNITS: Final = ("b/s", "kb/s", "Mb/s", "Gb/s", "B/s", "kB/s", "MB/s")


def _registered(*families: str) -> list[Word]:
    from airtcp.data import extension

    return [(e["name"], e["description"]) for kind in families for e in extension.registry(kind)]


def fitting(words: Iterable[Word], incomplete: str) -> list[Word]:
    """Return the words with this beginning, each once."""
    found: dict[str, str] = {}
    for word, meaning in words:
        if word.startswith(incomplete):
            found.setdefault(word, meaning)
    return list(found.items())


def _listed(words: Iterable[Word], incomplete: str, separators: str = ",") -> list[Word]:
    """Complete the last name of a list; the names before it stay.

    >>> _listed([("reno", ""), ("cubic", "")], "reno,cu")
    [('reno,cubic', '')]
    """
    cut = max(incomplete.rfind(mark) for mark in separators) + 1
    before, last = incomplete[:cut], incomplete[cut:]
    return [(before + word, meaning) for word, meaning in fitting(words, last)]


def profile(incomplete: str) -> list[Word]:
    """Complete the name of a TCP profile."""
    return fitting([*_PROFILES, *_registered("tcp-profile")], incomplete)


def law(incomplete: str) -> list[Word]:
    """Complete the name of a congestion law."""
    return fitting(_registered("congestion"), incomplete)


def tcp(incomplete: str) -> list[Word]:
    """Complete the name of a TCP of a comparison."""
    return fitting([*_registered("congestion"), *_TCPS], incomplete)


def tcps(incomplete: str) -> list[Word]:
    """Complete the last of the TCPs of a comparison."""
    return _listed([*_registered("congestion"), *_TCPS], incomplete)


def remedies(incomplete: str) -> list[Word]:
    """Complete the last of the remedies of a comparison."""
    return _listed(_REMEDIES, incomplete)


def schemes(incomplete: str) -> list[Word]:
    """Complete the last of the schemes of a comparison."""
    return _listed([*_SCHEMES, *_registered("scheme", "queue")], incomplete, ",+")


def reference(incomplete: str) -> list[Word]:
    """Complete the reference of a comparison of TCPs or of schemes."""
    return fitting(
        [*_registered("congestion"), *_TCPS, *_SCHEMES[1:], *_registered("scheme", "queue")],
        incomplete,
    )


def layout(incomplete: str) -> list[Word]:
    """Complete the name of a trace layout."""
    return fitting(_registered("layout"), incomplete)


def rate_unit(incomplete: str) -> list[Word]:
    """Complete a unit of rates."""
    return fitting([(unit, "") for unit in _RATE_UNITS], incomplete)


def family(incomplete: str) -> list[Word]:
    """Complete the name of a family of the registry."""
    from airtcp.data import extension

    families = dict.fromkeys(entry["family"] for entry in extension.registry())
    return fitting([(name, "") for name in families], incomplete)


READING: Final[dict[str, Callable[[str], list[Word]]]] = {
    "layout": layout,
    "rate_unit": rate_unit,
}
"""The options of reading traces whose values are completed."""
