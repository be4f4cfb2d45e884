"""A worker: a process that reads batches of tasks and answers with results.

Messages are lines of JSON. The first line is the job; each further line is a batch, a list of
number and task. The worker answers `[[number, result], ...]`, several at a time. It ends when its
input ends: if the process that started it is killed, the system closes the pipe, and the worker
ends at once, even within a task.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ANSWER_S: Final = 0.2
"""Least time between two answers: each costs the other process a wake-up."""


class Talk:
    """The lines to and from the process that started this one."""

    def __init__(self, answers: BinaryIO, lines: queue.SimpleQueue[bytes]) -> None:
        """Talk through a queue of lines that came, and a stream of answers."""
        self._answers, self._lines = answers, lines

    def hear(self) -> Any:
        """Wait for the next message."""
        return json.loads(self._lines.get())

    def say(self, results: list[Any]) -> None:
        """Answer with results."""
        self._answers.write(json.dumps(results, separators=(",", ":")).encode() + b"\n")
        self._answers.flush()


def main() -> None:
    """Work until the input ends."""
    # Ctrl-C reaches the whole group of processes; the one that leads decides when workers end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A library that prints must not disturb the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, lines), daemon=True).start()
    talk = Talk(answers, lines)
    job: Any = talk.hear()
    from airtcp import _core

    module, _, name = job["call"].partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    _core.quiet_panics()
    if os.name == "posix":
        _core.last_words_to(f"/dev/fd/{answers.fileno()}")
    try:
        if job["serves"]:
            function(job["given"], talk)
            while True:
                talk.hear()
        while True:
            for found in _grouped(talk.hear(), job["given"], function):
                talk.say(found)
    except BrokenPipeError:
        os._exit(0)


def _grouped(batch: list[tuple[int, Any]], given: Any, function: Any) -> Iterator[list[Any]]:
    """Yield results in groups, so that a killed worker loses little."""
    found: list[Any] = []
    last = time.monotonic()
    for number, task in batch:
        found.append([number, function(given, task)])
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
