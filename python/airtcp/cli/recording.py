"""Captures of an interface as they happen: the program that records, and what is shown."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from airtcp.cli import ctrl_c
from airtcp.cli import options as opt
from airtcp.cli.console import BAD_INPUT, fail, refusals

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from airtcp.questions.capture.live import LiveCapture
    from airtcp.questions.capture.result import CaptureResult

_EVERY_S: Final = 1.0
"""Time between two answers on a terminal."""
_LEAST_SNAP: Final = 64
_MOST_SNAP: Final = 65_535

Interface = Annotated[
    str | None,
    typer.Option(
        "--interface",
        "-i",
        metavar="NAME",
        help="Without files: capture on this interface as it happens, until --for or Ctrl-C. With "
        "files: read this interface of a pcapng file only; by default interfaces that have the "
        "same packets are compared as captures of several points, and others are one capture.",
        show_default=False,
    ),
]
For = Annotated[
    str | None,
    typer.Option(
        "--for",
        metavar="TIME",
        help="End a capture of an interface after this time, such as '30 s'; by default at Ctrl-C.",
        show_default=False,
    ),
]
Kept = Annotated[
    Path | None,
    typer.Option(
        "--pcap",
        parser=opt.place,
        metavar=opt.SHOWN,
        help="Keep the packets of a capture of an interface in this file (pcapng).",
        show_default=False,
    ),
]
Snap = Annotated[
    int | None,
    typer.Option(
        "--snap",
        metavar="BYTES",
        help="Bytes kept of a packet in a capture of an interface; by default 160, or 320 of a "
        "radio in monitor mode, which hold all headers.",
        min=_LEAST_SNAP,
        max=_MOST_SNAP,
        show_default=False,
    ),
]


@dataclass(frozen=True)
class Recording:
    """What is captured, and for how long."""

    interface: str
    seconds: float | None
    pcap: Path | None
    snap: int | None


def asked(
    command: str,
    interface: str | None,
    *,
    inputs: list[str],
    time_text: str | None,
    pcap: Path | None,
    snap: int | None,
    force: bool,
    needs_files: dict[str, bool],
) -> Recording | None:
    """Return what to capture as it happens; none if files are given.

    Args:
        command: The command.
        interface: The value of --interface.
        inputs: The files.
        time_text: The value of --for.
        pcap: The value of --pcap.
        snap: The value of --snap.
        force: The value of --force.
        needs_files: Options that only files can have, and whether each is given.
    """
    from airtcp.cli import places
    from airtcp.inputs.quantities_text import time_of

    only_live = {
        "--for": time_text is not None,
        "--pcap": pcap is not None,
        "--snap": snap is not None,
    }
    if interface is None or inputs:
        for option in (name for name, given in only_live.items() if given):
            fail(
                f"{option} is for captures of an interface: airtcp {command} -i INTERFACE {option}"
            )
        return None
    for option in (name for name, given in needs_files.items() if given):
        fail(
            f"{option} needs a file: keep the packets with --pcap FILE, then airtcp {command} FILE"
        )
    seconds = None
    if time_text is not None:
        with refusals(command):
            seconds = time_of(time_text, "--for")
        if seconds <= 0:
            fail(f"--for {time_text}: expected a time above 0, such as '30 s'")
    places.check(pcap, force=force, inputs=[], ours=False)
    return Recording(interface, seconds, pcap, snap)


def follow(
    command: str,
    recording: Recording,
    show: Callable[[CaptureResult, str], None] | None,
    **options: Any,
) -> CaptureResult:
    """Capture until the time is over or Ctrl-C, and return what was found.

    Args:
        command: The command, for errors.
        recording: What is captured.
        show: Takes what was found so far and how far that is, each second; none if nobody looks.
        options: Options of the analysis.
    """
    from airtcp.cli.continued import needed_program
    from airtcp.questions.capture.live import LiveCapture

    words = [needed_program(f"{command} -i"), "record", f"--snap={recording.snap}"]
    words = words if recording.snap else words[:-1]
    if recording.seconds is not None:
        words.append(f"--for={recording.seconds}")
    if recording.pcap is not None:
        words.append(f"--pcap={recording.pcap}")
    begin = time.monotonic()
    reading, writing = os.pipe()
    try:
        child = subprocess.Popen(  # noqa: S603 - no shell
            [*words, "--", recording.interface], stdin=subprocess.DEVNULL, stdout=writing
        )
    finally:
        os.close(writing)
    with child, _ended_by_signals(child):
        stream = f"/proc/self/fd/{reading}"
        live = LiveCapture(stream, recording.interface, kept=recording.pcap, **options)
        _wait(live, recording, begin, show)
        os.close(reading)
        if child.wait() == BAD_INPUT:
            # The program has said why.
            raise SystemExit(BAD_INPUT)
    with refusals(command):
        result = live.finish()
    if not any(file["packets"] for file in result.head["files"]):
        took = time.monotonic() - begin
        fail(
            f"no packet passed {recording.interface} in {took:.1f} s: capture where the traffic is"
            " (ip -s link shows the counts of each interface), and begin before it does"
        )
    return result


def _wait(
    live: LiveCapture,
    recording: Recording,
    begin: float,
    show: Callable[[CaptureResult, str], None] | None,
) -> None:
    """Wait for the end of the capture, and show what was found each second."""
    while not live.wait(_EVERY_S if show is not None else 3600.0):
        if show is None:
            continue
        passed = time.monotonic() - begin
        until = "" if recording.seconds is None else f" of {recording.seconds:g}"
        show(live.so_far(), f"{recording.interface}: {passed:.0f}{until} s; Ctrl-C ends")


@contextmanager
def _ended_by_signals(child: subprocess.Popen[bytes]) -> Generator[None]:
    """Let Ctrl-C and a request to end stop the recording, and not this program."""

    def stop(_number: int, _frame: object) -> None:
        with suppress(ProcessLookupError):
            child.send_signal(signal.SIGINT)

    try:
        with ctrl_c.handled(stop, signal.SIGINT, signal.SIGTERM):
            yield
    finally:
        # From here on, Ctrl-C stops the analysis.
        ctrl_c.again()


@contextmanager
def screen_of(
    *, table: bool, quiet: bool
) -> Generator[Callable[[CaptureResult, str], None] | None]:
    """Give what shows an answer that is not final: on a terminal only, where it is replaced.

    Args:
        table: Whether the answer goes to standard output as text.
        quiet: Whether to show nothing.
    """
    on_stdout = table and sys.stdout.isatty()
    if quiet or not (on_stdout or sys.stderr.isatty()):
        yield None
        return
    from rich.console import Group
    from rich.live import Live
    from rich.text import Text

    from airtcp.cli import show
    from airtcp.cli.console import screen

    console = screen(stderr=not on_stdout)
    with Live(console=console, auto_refresh=False, transient=True) as live:

        def put(result: CaptureResult, far: str) -> None:
            line = Text(far, style="dim")
            shown = show.as_text(result.shown().answer()) if on_stdout else Text("")
            live.update(Group(line, shown) if on_stdout else line, refresh=True)

        yield put
