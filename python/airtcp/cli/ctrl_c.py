"""Ctrl-C while the main thread waits in a system call, where no Python handler runs.

Libraries may restart system calls after a signal, as polars does: opening a pipe without a writer
would then wait for ever. The interpreter writes each signal to a pipe before any handler runs. A
thread reads that pipe, interrupts the main thread's system call, and ends the program after a
second Ctrl-C.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import FrameType

INTERRUPTED: Final = 130
_TOGETHER_S: Final = 0.3
"""Signals within this time count as one Ctrl-C: `timeout -s INT` sends two."""
_GRACE_S: Final = 1.0
"""Time for cleaning up after a second Ctrl-C."""
_NUDGES: Final = 5
_NUDGE_S: Final = 0.05

_pressed = 0
_seen = False


def at_once(_number: int, _frame: FrameType | None) -> NoReturn:
    """End the program at once."""
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)


def interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """Stop the work; this is the handler of Ctrl-C during the work."""
    global _seen  # noqa: PLW0603 - one per process, as signals are
    _seen = True
    signal.default_int_handler(number, frame)
    raise KeyboardInterrupt


def terminate(_number: int, _frame: FrameType | None) -> None:
    """Take a request to end, as of `kill` or a job scheduler, for Ctrl-C."""
    signal.raise_signal(signal.SIGINT)


def seen() -> bool:
    """Return whether Ctrl-C stopped the work; a library may have raised another exception."""
    return _seen


def again() -> None:
    """Reset the count, because the meaning of Ctrl-C has changed."""
    global _pressed  # noqa: PLW0603 - one per process, as signals are
    _pressed = 0


def unheard(_number: int, _frame: FrameType | None) -> None:
    """Leave a signal to a child, which has it, too."""


@contextmanager
def handled(handler: Callable[[int, FrameType | None], object], *signals: int) -> Generator[None]:
    """Let a function take signals, and give them back to those that took them before."""
    before = {number: signal.signal(number, handler) for number in signals}
    try:
        yield
    finally:
        for number, kept in before.items():
            signal.signal(number, kept)


def watch() -> None:
    """Start the watching thread; called by the main thread.

    Windows cannot wake a thread by a signal. There, Python's own handling of Ctrl-C stays.
    """
    if not hasattr(signal, "pthread_kill"):
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    # No other program sends this signal, and it is ignored if no handler is set.
    signal.signal(signal.SIGURG, lambda _number, _frame: None)
    sys.unraisablehook = _unraisable
    main = threading.get_ident()
    threading.Thread(target=_look, args=(reading, main), name="ctrl-c", daemon=True).start()


def _unraisable(lost: sys.UnraisableHookArgs) -> None:
    """Raise a Ctrl-C that came while the interpreter could not raise it."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    else:
        sys.__unraisablehook__(lost)


def _look(reading: int, main: int) -> None:
    global _pressed  # noqa: PLW0603 - as above
    last = -_TOGETHER_S
    while True:
        if not {signal.SIGINT, signal.SIGTERM}.intersection(os.read(reading, 64)):
            continue
        now = time.monotonic()
        if now - last > _TOGETHER_S:
            _pressed += 1
        last = now
        for _ in range(_NUDGES):
            time.sleep(_NUDGE_S)
            signal.pthread_kill(main, signal.SIGURG)
        if _pressed > 1:
            time.sleep(_GRACE_S)
            # The meaning of Ctrl-C may have changed by now.
            if _pressed > 1:
                at_once(signal.SIGINT, None)
