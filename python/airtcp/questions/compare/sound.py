"""A comparison goes on without the laws of one's own that fail.

What the others have finished is kept and runs no second time.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol

from airtcp._core import LawError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp import _core
    from airtcp.data.documents import FailedTcp


UNFINISHED: Final = "it had finished no replication when the comparison was stopped"
"""Why a TCP has no result after Ctrl-C."""


class Call(Protocol):
    """A comparison of some of the TCPs."""

    def __call__(
        self, tcp: Sequence[str], failed: Sequence[FailedTcp] = (), *, ended: bool = False
    ) -> _core.CoreResult:
        """Compare.

        Args: tcp: The TCPs. failed: Those that failed before, for the document. ended: Whether
            nothing more runs, after Ctrl-C.
        """
        ...


def sound(compared: Call, tcp: Sequence[str]) -> tuple[_core.CoreResult, LawError | None]:
    """Compare the TCPs whose laws do not fail.

    Returns:
        The result, and the error of those that failed.

    Raises:
        LawError: If none is left, or each fails.
    """
    left, ended = list(tcp), False
    failed: list[FailedTcp] = []
    first: LawError | None = None
    while True:
        try:
            core = _interruptible(compared, left, failed, ended=ended)
            return _finished(compared, core, left, failed), first
        except LawError as error:
            found, ended = _failing(compared, left, error)
            if len(found) == len(left) or not (found or ended):
                raise
            first = first or error
            failed += found
            names = {one["variant"] for one in found}
            left = [name for name in left if name not in names]


def _interruptible(
    compared: Call, tcp: Sequence[str], failed: Sequence[FailedTcp] = (), *, ended: bool = False
) -> _core.CoreResult:
    """Compare; a law that Ctrl-C has ended takes nothing along that is finished."""
    if not ended:
        with suppress(KeyboardInterrupt):
            return compared(tcp, failed)
    return compared(tcp, failed, ended=True)


def _finished(
    compared: Call, core: _core.CoreResult, tcp: Sequence[str], failed: Sequence[FailedTcp]
) -> _core.CoreResult:
    """Return what is finished of a comparison that was stopped.

    A replication counts if every TCP has finished it. A law that does not return finishes none: it
    is left out.
    """
    if not core.interrupted or _subjects(core):
        return core
    done = [name for name in tcp if _subjects(compared([name], ended=True))]
    rest: list[FailedTcp] = [
        {"variant": name, "reason": UNFINISHED} for name in tcp if name not in done
    ]
    return compared(done, [*failed, *rest], ended=True) if done and rest else core


def _subjects(core: _core.CoreResult) -> list[object]:
    """Return the subjects of which something is finished."""
    return json.loads(core.json())["subjects"]


def _failing(compared: Call, tcp: Sequence[str], error: LawError) -> tuple[list[FailedTcp], bool]:
    """Return which TCPs fail, and whether Ctrl-C came.

    The message of an error begins with the name of its law. If several TCPs have that law, with
    other keys, or none has it, because the scenario names it, each runs by itself.
    """
    label = str(error).partition(".")[0]
    named = [name for name in tcp if re.split("[:@]", name)[0] == label]
    if len(named) == 1:
        return [{"variant": named[0], "reason": str(error)}], False
    found: list[FailedTcp] = []
    for name in named or tcp:
        try:
            if _interruptible(compared, [name]).interrupted:
                return found, True
        except LawError as own:
            found.append({"variant": name, "reason": str(own)})
    return found, False
