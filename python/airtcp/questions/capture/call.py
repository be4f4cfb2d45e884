"""Analysis of packet captures."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp import _core
from airtcp.data.plain import printable
from airtcp.inputs.arguments import as_json, native, only_given, paths_of
from airtcp.inputs.file_kinds import reads
from airtcp.inputs.progress import shows_progress

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from airtcp.inputs.arguments import PathLike, Progress
    from airtcp.questions.capture.result import CaptureResult


@reads("capture")
@shows_progress
def capture(
    files: PathLike | Iterable[PathLike],
    *,
    events: bool = False,
    series: bool = False,
    vantage: str | None = None,
    interface: str | None = None,
    air: PathLike | Iterable[PathLike] = (),
    hosts: PathLike | Iterable[PathLike] = (),
    trace_out: PathLike | None = None,
    patterns: bool = False,
    decrypt_with: PathLike | None = None,
    force: bool = True,
    workers: int | None = None,
    progress: Progress | None = None,
) -> CaptureResult:
    """Analyse packet captures: TCP connections, retransmissions and their causes, 802.11 links.

    Args:
        files: pcap or pcapng files, also compressed with gzip, xz or zstd; "-" is standard input.
            Files that follow each other in time are one capture. Files that overlap were captured
            at several points: connections that these have in common are compared (`between`).
            Captures of a radio beside captures of hosts are joined: the link type shows which is
            which.
        events: Whether the document lists every retransmission, and every packet of joined
            captures. The table `retransmissions` always lists retransmissions.
        series: Whether to record segments, ACKs, SACK blocks, round-trip times and windows over
            time, as tables of the result. The diagrams of the page need them.
        vantage: Where the capture was taken: `client`, `server` or `middle`. By default round-trip
            times show it.
        interface: The only interface that is read, by its name in a pcapng file. By default all:
            interfaces that have the same packets are points of their own, and others are one.
        air: Captures of a radio in monitor mode.
        hosts: Captures of hosts, each of another one.
        trace_out: Where to write delivery traces for `study` and `stats`: a table, or a folder
            for a file per link.
        patterns: Whether to look for periodic losses on the air, as microwave ovens and Bluetooth
            voice make them. Joined captures and traces include it.
        decrypt_with: A file with keys of 802.11, as Wireshark stores them in `80211_keys`: lines as
            `"wpa-pwd","PASSPHRASE:SSID"`. tshark decrypts the captures of radios.
        force: Whether to replace existing traces.
        workers: Number of threads; by default all cores. The result does not depend on it.
        progress: Called with the bytes read of a file, its length (0 if unknown) and a label.

    Returns:
        The result: the document `airtcp.capture/1`, tables and a page. If Ctrl-C stopped the
        analysis, `interrupted` is true and the result holds what was read.

    Raises:
        TraceError: If a file cannot be opened, or is no capture; if traces cannot be written; if
            captures are to be decrypted and tshark is not installed or fails; if a file lacks the
            interface.
        AirtcpError: If the vantage is none of those named, or a number is out of range.
    """
    from airtcp.questions.capture.result import CaptureResult, CaptureSettings

    given = [paths_of(files), paths_of(air), paths_of(hosts)]
    options: dict[str, Any] = only_given(
        events=events, series=series, vantage=vantage, interface=interface, workers=workers
    )
    options |= {"patterns": patterns, "replace": force}
    if trace_out is not None:
        options["traces"] = native(trace_out)
    names = [printable(str(path)) for path in given[0]]
    settings = CaptureSettings(names, events, vantage, interface)
    with _decrypted(given, decrypt_with) as (read, copies):
        options |= {
            "air": [native(path) for path in read[1]],
            "hosts": [native(path) for path in read[2]],
        }
        if copies:
            options["decrypted"] = copies
        return CaptureResult(_core.capture(read[0], as_json(options), progress), settings)


def logged(
    files: PathLike | Iterable[PathLike],
    interface: str | None = None,
    progress: Progress | None = None,
) -> CaptureResult:
    """Analyse packet captures and keep every segment, for `CaptureResult.bottleneck`.

    Args:
        files: As for `capture`.
        interface: As for `capture`.
        progress: As for `capture`.
    """
    from airtcp.questions.capture.result import CaptureResult, CaptureSettings

    paths = paths_of(files)
    names = [printable(str(path)) for path in paths]
    settings = CaptureSettings(names, events=True, vantage=None, interface=interface)
    options = only_given(interface=interface) | {"events": True, "log": True}
    core = _core.capture(paths, as_json(options), progress)
    return CaptureResult(core, settings)


@contextmanager
def _decrypted(
    given: list[list[Any]], keys: PathLike | None
) -> Generator[tuple[list[list[Any]], list[dict[str, Any]]], None, None]:
    """Decrypt captures, if there are keys: the files to read, and what was decrypted."""
    if keys is None:
        yield given, []
        return
    from airtcp.questions.capture.decrypt import decrypted

    names = [str(path) for paths in given for path in paths]
    with decrypted(names, Path(keys)) as (paths, copies):
        left = iter(paths)
        yield [[next(left) for _ in part] for part in given], [asdict(copy) for copy in copies]
