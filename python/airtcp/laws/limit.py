"""The time that a replication with a law may take.

An endless loop in a law ends with an exception in the law's own line. The interpreter raises it
between two instructions of Python; a law that is stuck in a function of C does not notice.
"""

from __future__ import annotations

import ctypes
import threading
import time
from typing import TYPE_CHECKING, Final

from airtcp import _core
from airtcp.inputs.quantities_text import time_of

if TYPE_CHECKING:
    from collections.abc import Callable

STANDARD: Final = "60 s"
"""Processor time of a replication, if the caller gives none."""
ALLOWS_MORE: Final = "--law-timeout allows more"
"""What the error of each law says that took too long, also of a compiled one."""
_LOOK_S: Final = 0.1
"""Time between two looks at the clocks."""
_GRACE_S: Final = 1.0
"""Time after Ctrl-C in which a replication ends by itself."""


class LawTimeout(BaseException):
    """A replication with a law takes too long. No `except Exception` of a law catches it."""

    seconds: float = 0.0

    def __str__(self) -> str:
        """Say the limit, and how to move it."""
        return f"its replication has taken {self.seconds:g} s of processor time; {ALLOWS_MORE}"


class LawStopped(KeyboardInterrupt):
    """Ctrl-C came, and the law does not return."""


class Watch:
    """Ends replications that take too long."""

    def __init__(self, seconds: float) -> None:
        """Watch for replications that take longer than this, in processor time."""
        self._limit = seconds
        self._late: type[BaseException] = type("LawTimeout", (LawTimeout,), {"seconds": seconds})
        self._lock = threading.Lock()
        self._running: dict[int, tuple[Callable[[], float], float]] = {}
        self._thread: threading.Thread | None = None

    def begins(self) -> None:
        """A replication begins on this thread."""
        clock = _clock()
        with self._lock:
            self._running[threading.get_ident()] = clock, clock()
            if self._thread is None:
                self._thread = threading.Thread(target=self._look, name="laws", daemon=True)
                self._thread.start()

    def ends(self) -> None:
        """The replication on this thread ends."""
        ident = threading.get_ident()
        with self._lock:
            if self._running.pop(ident, None) is not None:
                _raise_in(ident, None)

    def _look(self) -> None:
        stopped: float | None = None
        while True:
            time.sleep(_LOOK_S)
            now = time.monotonic()
            stopped = (stopped or now) if _core.stopping() else None
            with self._lock:
                if not self._running:
                    self._thread = None
                    return
                for ident, (clock, begun) in self._running.items():
                    if clock() - begun > self._limit:
                        _raise_in(ident, self._late)
                    elif stopped is not None and now - stopped > _GRACE_S:
                        _raise_in(ident, LawStopped)


def _clock() -> Callable[[], float]:
    """Return the clock of the processor time of this thread, or of the process."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.process_time
    number = time.pthread_getcpuclockid(threading.get_ident())

    def read() -> float:
        try:
            return time.clock_gettime(number)
        except OSError:  # the thread has ended
            return 0.0

    return read


def _raise_in(ident: int, error: type[BaseException] | None) -> None:
    """Raise an exception in a thread, or take one back that was not raised yet."""
    raised = ctypes.py_object() if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), raised)


def seconds_of(text: str) -> float:
    """Read the limit.

    >>> seconds_of("60 s"), seconds_of("500ms")
    (60.0, 0.5)

    Raises:
        AirtcpError: If it is no time with a unit.
    """
    return time_of(text, "law-timeout")
