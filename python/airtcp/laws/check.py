"""Checks of a class of laws when it is loaded, not in the middle of a run."""

from __future__ import annotations

import inspect
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar, Final, get_origin

from airtcp._core import LawBase, LawError
from airtcp.laws.base import Law

if TYPE_CHECKING:
    from airtcp.laws.base import KeyValue

METHODS: Final = {
    "start": 1,
    "on_sent": 1,
    "on_lost": 1,
    "on_ack": 1,
    "avoid": 1,
    "on_congestion": 1,
    "reduced": 1,
    "on_spurious": 0,
    "on_idle": 1,
    "limit_cwnd": 1,
    "raise_ssthresh": 1,
}
"""The methods of a law, with the number of their arguments."""
_DECLARED: Final = {"governs_recovery": bool, "follows_model": bool, "needs": (str, type(None))}
_NEAR: Final = 0.75


def check(law: type[Law]) -> None:
    """Refuse a class that cannot be a law.

    Args:
        law: The class.

    Raises:
        LawError: If it has an unknown callback, a wrong signature, or hides a part of the base.
    """
    for name, value in _own(law):
        callback = name.startswith("on_") or bool(get_close_matches(name, METHODS, 1, _NEAR))
        if name in METHODS:
            _check_signature(law, name)
        elif hasattr(LawBase, name) and not name.startswith("__"):
            _refuse(law, f"it hides `{name}` of the base; give it another name")
        elif callback and callable(value) and not name.startswith("_"):
            near = get_close_matches(name, METHODS, 1, 0.5)
            hint = f"; did you mean {near[0]}?" if near else ""
            _refuse(law, f"nothing calls its method {name}{hint} (methods: {', '.join(METHODS)})")
    for name, kind in _DECLARED.items():
        if not isinstance(getattr(law, name), kind):
            _refuse(law, f"{name} is {getattr(law, name)!r}")
    keys_of(law)


def keys_of(law: type[Law]) -> dict[str, KeyValue]:
    """Return the keys of a law with their defaults.

    Args:
        law: The class.

    Raises:
        LawError: If a key has no default, or one of a wrong type.
    """
    keys: dict[str, KeyValue] = {}
    for part in reversed(law.__mro__):
        if part is Law or not issubclass(part, Law):
            continue
        for name, kind in inspect.get_annotations(part).items():
            if name.startswith("_") or "ClassVar" in str(kind) or get_origin(kind) is ClassVar:
                continue
            if name in _DECLARED or name == "promises":
                continue
            if name not in vars(part):
                _refuse(law, f"its key {name} has no default")
            keys[name] = _default(law, name, kind, vars(part)[name])
        # A subclass may give another default without an annotation.
        for name in keys.keys() & vars(part).keys():
            keys[name] = _default(law, name, type(keys[name]), vars(part)[name])
    return keys


def _default(law: type[Law], name: str, kind: Any, value: Any) -> KeyValue:
    wanted = kind if isinstance(kind, str) else getattr(kind, "__name__", "")
    if wanted == "float" and type(value) is int:
        return float(value)
    if type(value) not in {bool, int, float, str} or wanted not in {type(value).__name__, ""}:
        _refuse(
            law,
            f"the default of its key {name} is {value!r}, and its type {wanted}; expected a "
            "number, a flag or text of that type",
        )
    return value


def _own(law: type[Law]) -> list[tuple[str, Any]]:
    parts = [part for part in law.__mro__ if part is not Law and issubclass(part, Law)]
    return [(name, value) for part in parts for name, value in vars(part).items()]


def _check_signature(law: type[Law], name: str) -> None:
    method, given = inspect.getattr_static(law, name), METHODS[name]
    if not inspect.isfunction(method):
        _refuse(law, f"its {name} is no method")
    try:
        inspect.signature(method).bind(*[None] * (given + 1))
    except TypeError:
        takes = "self" if given == 0 else "self and one argument"
        _refuse(law, f"its {name} takes {inspect.signature(method)}; expected {takes}")


def _refuse(law: type[Law], why: str) -> None:
    message = f"{law.__name__}: {why}"
    raise LawError(message)
