"""A worker of a sweep: a process that reads batches of points and answers with results.

Messages are lines of JSON. The first line is the job; each further line is a batch, a list of
number and values. The worker answers `[[number, result], ...]`, several points at a time. It ends
when its input ends: if the coordinator is killed, the system closes the pipe, and the worker ends
at once, even within a run.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, BinaryIO, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_ANSWER_S: Final = 0.2
"""Least time between two answers: each costs the coordinator a wake-up."""


def main() -> None:
    """Work until the input ends."""
    # Ctrl-C reaches the whole group of processes; the coordinator decides when workers end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A library that prints must not disturb the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, lines), daemon=True).start()
    job: Any = json.loads(lines.get())
    from airtcp import _core
    from airtcp.questions.sweep.tasks import run_point

    _core.quiet_panics()
    try:
        while True:
            batch: list[tuple[int, Any]] = json.loads(lines.get())
            for found in _grouped(batch, job, run_point):
                answers.write(json.dumps(found, separators=(",", ":")).encode() + b"\n")
                answers.flush()
    except BrokenPipeError:
        os._exit(0)


def _grouped(batch: list[tuple[int, Any]], job: Any, run: Any) -> Iterator[list[Any]]:
    """Yield results in groups, so that a killed worker loses little."""
    found: list[Any] = []
    last = time.monotonic()
    for number, sets in batch:
        found.append([number, run(job, sets)])
        if time.monotonic() - last >= _ANSWER_S:
            yield found
            found, last = [], time.monotonic()
    if found:
        yield found


def _listen(stream: BinaryIO, lines: queue.SimpleQueue[bytes]) -> None:
    for line in stream:
        lines.put(line)
    os._exit(0)


if __name__ == "__main__":
    main()
