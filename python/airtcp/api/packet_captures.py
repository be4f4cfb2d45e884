"""Analysis of packet captures."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from airtcp import _core
from airtcp.arguments import as_json, native, paths_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from airtcp.arguments import PathLike, Progress


def capture(
    files: PathLike | Iterable[PathLike],
    *,
    events: bool = False,
    air: PathLike | Iterable[PathLike] = (),
    hosts: PathLike | Iterable[PathLike] = (),
    trace_out: PathLike | None = None,
    patterns: bool = False,
    force: bool = True,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Analyse packet captures: TCP connections, retransmissions and their causes.

    Args:
        files: pcap or pcapng files, also compressed with gzip, xz or zstd; "-" is standard input.
            Several files are analysed as one capture, in the order given. Captures of a radio
            beside captures of hosts are joined: the link type shows which is which.
        events: Whether to list every retransmission under its direction, and every packet of
            joined captures.
        air: Captures of a radio in monitor mode.
        hosts: Captures of hosts, each of another one.
        trace_out: Where to write delivery traces for `study` and `stats`: a table, or a folder
            for a file per link.
        patterns: Whether to look for periodic losses on the air, as microwave ovens and Bluetooth
            voice make them. Joined captures and traces include it.
        force: Whether to replace existing traces.
        progress: Called with the bytes read of a file, its length (0 if unknown) and a label.

    Returns:
        The document `airtcp.capture/1`. If Ctrl-C stopped the analysis, `interrupted` is true and
        the document holds what was read.

    Raises:
        TraceError: If a file cannot be opened, or is no capture; if traces cannot be written.
    """
    options: dict[str, Any] = {
        "events": events,
        "air": [native(path) for path in paths_of(air)],
        "hosts": [native(path) for path in paths_of(hosts)],
        "patterns": patterns,
        "replace": force,
    }
    if trace_out is not None:
        options["traces"] = native(trace_out)
    return json.loads(_core.capture(paths_of(files), as_json(options), progress))
