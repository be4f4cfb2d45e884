"""Analysis of packet captures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airtcp import _core
from airtcp.arguments import as_json, native, only_given, paths_of
from airtcp.plain import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from airtcp.arguments import PathLike, Progress
    from airtcp.captures import CaptureResult


def capture(
    files: PathLike | Iterable[PathLike],
    *,
    events: bool = False,
    series: bool = False,
    vantage: str | None = None,
    air: PathLike | Iterable[PathLike] = (),
    hosts: PathLike | Iterable[PathLike] = (),
    trace_out: PathLike | None = None,
    patterns: bool = False,
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
        air: Captures of a radio in monitor mode.
        hosts: Captures of hosts, each of another one.
        trace_out: Where to write delivery traces for `study` and `stats`: a table, or a folder
            for a file per link.
        patterns: Whether to look for periodic losses on the air, as microwave ovens and Bluetooth
            voice make them. Joined captures and traces include it.
        force: Whether to replace existing traces.
        workers: Number of threads; by default all cores. The result does not depend on it.
        progress: Called with the bytes read of a file, its length (0 if unknown) and a label.

    Returns:
        The result: the document `airtcp.capture/1`, tables and a page. If Ctrl-C stopped the
        analysis, `interrupted` is true and the result holds what was read.

    Raises:
        TraceError: If a file cannot be opened, or is no capture; if traces cannot be written.
        AirtcpError: If the vantage is none of those named, or a number is out of range.
    """
    from airtcp.captures import CaptureResult, CaptureSettings

    paths = paths_of(files)
    options: dict[str, Any] = only_given(
        events=events, series=series, vantage=vantage, workers=workers
    )
    options |= {
        "air": [native(path) for path in paths_of(air)],
        "hosts": [native(path) for path in paths_of(hosts)],
        "patterns": patterns,
        "replace": force,
    }
    if trace_out is not None:
        options["traces"] = native(trace_out)
    core = _core.capture(paths, as_json(options), progress)
    settings = CaptureSettings([printable(str(path)) for path in paths], events, vantage)
    return CaptureResult(core, settings)
