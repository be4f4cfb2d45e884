"""Metrics of studied links by name, and the conditions that choose links by them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from airtcp import _core
from airtcp.inputs.arguments import finite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Link: TypeAlias = dict[str, Any]
"""A link of a study's document, with the needed keys."""

_NAMED: Final = 40
_OUTCOMES: Final = ("tcp", "independent_", "gilbert_elliott_", "gain_", "against_")

_COMPARE: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "==": lambda a, b: a == b,
    "=": lambda a, b: a == b,
}
CLASSES: Final = ("very poor", "poor", "intermediate", "good", "very good", "perfect")


def number_of(value: Any) -> float | None:
    """Return a finite number; None for text, flags and other values."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not finite(value):
        return None
    return float(value)


def metric(link: Mapping[str, Any], name: str) -> float | None:
    """Return a number of a link; dots lead into parts, as in `loss_bursts.mean`.

    >>> metric({"loss_bursts": {"mean": 2.5}, "beta": None}, "loss_bursts.mean")
    2.5

    Raises: KeyError: If the link has no such key. TypeError: If the value is not a number.
    """
    value: Any = link
    for part in name.split("."):
        if not isinstance(value, dict) or part not in value:
            raise KeyError(name)
        value = cast("dict[str, Any]", value)[part]
    if value is not None and number_of(value) is None:
        raise TypeError(name)
    return number_of(value)


def metrics(links: Sequence[Mapping[str, Any]]) -> list[str]:
    """Name the numbers of links that can serve as metrics."""
    names: dict[str, None] = {}
    for link in links:
        for key, value in link.items():
            if key.startswith(_OUTCOMES) or key == "slot_s":
                continue
            if number_of(value) is not None:
                names[key] = None
            if isinstance(value, dict):
                parts = cast("dict[str, Any]", value).items()
                names |= {f"{key}.{k}": None for k, v in parts if number_of(v) is not None}
    return sorted(names)


def wanted(links: Sequence[Mapping[str, Any]], name: str, option: str) -> list[float | None]:
    """Return the number `name` of all links, for an option.

    Raises: AirtcpError: If no link has it, or it is a result of TCP.
    """
    if name.startswith(_OUTCOMES):
        message = f"{option} {name}: this is what TCP did; expected a metric of the link"
        raise _core.AirtcpError(message)
    found: list[float | None] = []
    known = False
    for link in links:
        try:
            found.append(metric(link, name))
            known = True
        except (KeyError, TypeError):
            # A Parquet table has fewer columns than a document.
            found.append(None)
    if links and not known:
        there = metrics(links)
        shown = ", ".join(there[:_NAMED]) + (" ..." if len(there) > _NAMED else "")
        message = f"{option} {name}: no such number of a link (there are: {shown})"
        raise _core.AirtcpError(message)
    return found


@dataclass(frozen=True)
class Condition:
    """A range of a metric, such as `0.2 <= prr <= 0.6`."""

    text: str
    name: str
    bounds: tuple[tuple[Callable[[float, float], bool], float], ...]

    @classmethod
    def read(cls, text: str) -> Condition:
        """Read a condition: a name between two numbers, or a name and one number.

        >>> Condition.read("0.2<=prr<0.6").allows(0.6)
        False

        Raises:
            AirtcpError: If it cannot be read.
        """
        parts = [part.strip() for part in re.split(r"(<=|>=|==|<|>|=)", text)]
        operands, signs = parts[::2], parts[1::2]
        names = [i for i, part in enumerate(operands) if _as_number(part) is None]
        if len(operands) not in (2, 3) or len(names) != 1 or not operands[names[0]]:
            raise cls._refused(text)
        at = names[0]
        if len(operands) == 3 and at != 1:  # noqa: PLR2004 - a number to either side
            raise cls._refused(text)
        if not re.fullmatch(r"[A-Za-z_][\w.]*", operands[at]):
            raise cls._refused(text)
        bounds: list[tuple[Callable[[float, float], bool], float]] = []
        for index, sign in enumerate(signs):
            left, right = _as_number(operands[index]), _as_number(operands[index + 1])
            compare = _COMPARE[sign]
            if right is not None:
                bounds.append((compare, right))
            elif left is not None:
                bounds.append((lambda a, b, compare=compare: compare(b, a), left))
        return cls(text, operands[at], tuple(bounds))

    @staticmethod
    def _refused(text: str) -> _core.AirtcpError:
        return _core.AirtcpError(
            f'--where "{text}": expected a metric and numbers, such as "0.2<=prr<=0.6" or "mu>0.5"'
        )

    def allows(self, value: float | None) -> bool:
        """Return whether a value lies in the range; a missing value does not."""
        return value is not None and all(compare(value, bound) for compare, bound in self.bounds)


def _as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def chosen(
    links: Sequence[Link], where: Iterable[str] = (), classes: Iterable[str] = ()
) -> list[Link]:
    """Choose the links that meet every condition and are of one of the classes.

    Raises: AirtcpError: If a condition cannot be read or names an unknown metric, or a class is
        unknown.
    """
    of = list(classes)
    for name in of:
        if name not in CLASSES:
            message = f'--class "{name}": accepted is {", ".join(CLASSES)}'
            raise _core.AirtcpError(message)
    kept = [link for link in links if not of or link.get("class") in of]
    for text in where:
        condition = Condition.read(text)
        # Tests all links, so that an unknown name is always an error.
        wanted(links, condition.name, "--where")
        values = wanted(kept, condition.name, "--where") if kept else []
        kept = [link for link, v in zip(kept, values, strict=True) if condition.allows(v)]
    return kept
