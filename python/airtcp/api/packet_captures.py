"""Analysis of packet captures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp import _core
from airtcp.arguments import as_json, only_given, paths_of
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
    progress: Progress | None = None,
) -> CaptureResult:
    """Analyse packet captures: TCP connections, retransmissions and their causes, 802.11 links.

    Args:
        files: pcap or pcapng files, also compressed with gzip, xz or zstd; "-" is standard input.
            Several files are analysed as one capture, in the order given.
        events: Whether the document lists every retransmission. The table `retransmissions` always
            does.
        series: Whether to record segments, ACKs, SACK blocks, round-trip times and windows over
            time, as tables of the result. The diagrams of the page need them.
        vantage: Where the capture was taken: `client`, `server` or `middle`. By default round-trip
            times show it.
        progress: Called with the bytes read of a file, its length (0 if unknown) and a label.

    Returns:
        The result: the document `airtcp.capture/1`, tables and a page. If Ctrl-C stopped the
        analysis, `interrupted` is true and the result holds what was read.

    Raises:
        TraceError: If a file cannot be opened, or is no capture.
        AirtcpError: If the vantage is none of those named.
    """
    from airtcp.captures import CaptureResult, CaptureSettings

    paths = paths_of(files)
    options = only_given(events=events, series=series, vantage=vantage)
    core = _core.capture(paths, as_json(options), progress)
    settings = CaptureSettings([printable(str(path)) for path in paths], events, vantage)
    return CaptureResult(core, settings)
