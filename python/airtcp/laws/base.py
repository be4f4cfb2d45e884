"""The class under every congestion control of one's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, TypeAlias

from airtcp._core import LawBase, Params, Promises

KeyValue: TypeAlias = "bool | int | float | str"
_UNWRITABLE: Final = (":", ",", "@")


class Law(LawBase):
    """A congestion control.

    Either override `avoid` and `reduced`: growth above the slow-start threshold, and the window
    after a congestion episode. Slow start, recovery, timeouts, undo, restart after idle time and
    the bounds of the window are then those of the built-in laws, and `avoid` is called only when
    the window may grow.

    Or override the full callbacks, which mirror the interface of the built-in laws: `start`,
    `on_sent`, `on_lost`, `on_ack`, `on_congestion`, `on_spurious`, `on_idle`, `limit_cwnd`,
    `raise_ssthresh`. A method that is not overridden behaves as in the base, and costs no call.

    Class attributes with an annotation and a default are keys, which `--tcp my_law.py:Aimd:a=2`
    sets. Randomness comes from `random` alone, and time from `now`: equal seeds give equal results.
    """

    governs_recovery: ClassVar[bool] = False
    """Whether the law itself sets the window during recovery, as `cong_control` in Linux."""
    follows_model: ClassVar[bool] = False
    """Whether a model of the path bounds the window while no loss does, as in BBR and Vegas."""
    promises: ClassVar[Promises] = Promises()
    """How the law differs from RFC 5681, for the conformance suite."""
    needs: ClassVar[str | None] = None
    """`"ecn"` if the law works only on a path that marks with ECN."""

    @classmethod
    def with_(cls, **keys: KeyValue) -> BoundLaw:
        """Return the law with other values of its keys.

        Args:
            keys: The keys, by name.
        """
        return BoundLaw(cls, keys)


def begun(law: type[Law], params: Params, **keys: KeyValue) -> Law:
    """Make a law and start it, as a sender does: for tests.

    Args:
        law: The class.
        params: The parameters of the connection.
        keys: Values of keys.
    """
    made = law.__new__(law)
    made.begin(params)
    for name, value in keys.items():
        setattr(made, name, value)
    made.__init__()
    made.start(made.params)
    return made


@dataclass(frozen=True)
class BoundLaw:
    """A law with values of its keys."""

    law: type[Law]
    keys: dict[str, KeyValue] = field(default_factory=dict[str, Any])

    @property
    def texts(self) -> list[str]:
        """The keys as they stand behind colons.

        Raises:
            ValueError: If a text has a sign that separates names.
        """
        return [f"{key}={_text(key, value)}" for key, value in self.keys.items()]


def _text(key: str, value: KeyValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = value if isinstance(value, str) else repr(value)
    if any(sign in text for sign in _UNWRITABLE):
        message = f"{key} is {text!r}; a value cannot have one of {' '.join(_UNWRITABLE)}"
        raise ValueError(message)
    return text
