"""Settings that stations have of their own, in words: what makes a station slower than its cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.run import limit_words
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from airtcp.data.documents import RunDocument
    from airtcp.questions.run.limit_words import Limit

_KEYS: Final = {
    "standard": "{}",
    "rate": "a rate of {}",
    "mcs": "MCS {}",
    "streams": "{} spatial stream",
    "width": "a width of {}",
    "guard_interval": "a guard interval of {}",
}
"""By key of a station that makes it slow: what the station then has."""
_NAMES: Final = {
    "standard": "a standard",
    "rate": "a rate",
    "mcs": "an MCS",
    "streams": "spatial streams",
    "width": "a width",
    "guard_interval": "a guard interval",
}


def _own(document: RunDocument, limit: Limit) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Return the stations of a limit that have keys of their own, with these and their cell."""
    cells: list[dict[str, Any]] = document["scenario"].get("cells", [])
    places = limit_words.places(limit["where"])
    found: list[tuple[str, dict[str, Any], dict[str, Any]]] = []
    for cell in cells:
        for station in cell.get("stations") or ():
            own = {key: station[key] for key in _KEYS if station.get(key) is not None}
            if station["name"] in places and own:
                found.append((station["name"], own, cell))
    return found


def said(document: RunDocument, limit: Limit) -> str:
    """Say what each station of a limit has of its own, and the cell; empty if none has."""
    parts: list[str] = []
    for name, own, cell in _own(document, limit):
        has = words.listed([_has(key, value) for key, value in own.items()])
        [key, *more] = own
        there = None if more else cell.get(key)
        parts.append(
            f"{name} has {has}"
            + (f", and the cell {_value(key, there)}" if there else " of its own")
        )
    return "; ".join(parts)


def are_of_a_radio(document: RunDocument, limit: Limit) -> bool:
    """Tell whether every key of their own is what a radio can, which no place changes."""
    found = _own(document, limit)
    return bool(found) and not any({"rate", "mcs"} & {*own} for _, own, _ in found)


def reason(document: RunDocument, limit: Limit) -> str:
    """Say why the only station of a limit is slow, after "because it has"; empty if not known.

    Numbers are words, so that a headline has room for two goodputs.
    """
    found = _own(document, limit)
    if len(found) != 1:
        return ""
    [(_, own, cell)] = found
    if [*own] != ["streams"]:
        return f"{words.listed([_NAMES[key] for key in own])} of its own"
    there = cell.get("streams")
    return _has("streams", own["streams"]) + (
        f", and the cell {_value('streams', there)}" if there else ""
    )


def removal(document: RunDocument, limit: Limit) -> str:
    """Say what the only station of a limit has without its own keys; empty if not known."""
    found = _own(document, limit)
    if len(found) != 1 or [*found[0][1]] != ["streams"] or not found[0][2].get("streams"):
        return ""
    return f"with {_value('streams', found[0][2]['streams'])} streams"


def _has(key: str, value: Any) -> str:
    text = _KEYS[key].format(_value(key, value))
    return f"{text}s" if key == "streams" and value != 1 else text


def _value(key: str, value: Any) -> str:
    """Write the value of a key; of streams as a word."""
    if key == "streams" and isinstance(value, int):
        return words.spelt(value)
    return str(value)
