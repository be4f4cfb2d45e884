"""Analysis of packet captures."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from airtcp import _core
from airtcp.arguments import as_json, paths_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from airtcp.arguments import PathLike, Progress


def capture(
    files: PathLike | Iterable[PathLike],
    *,
    events: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Analyse packet captures: TCP connections, retransmissions and their causes.

    Args:
        files: pcap or pcapng files, also compressed with gzip, xz or zstd; "-" is standard input.
            Several files are analysed as one capture, in the order given.
        events: Whether to list every retransmission under its direction.
        progress: Called with the bytes read of a file, its length (0 if unknown) and a label.

    Returns:
        The document `airtcp.capture/1`. If Ctrl-C stopped the analysis, `interrupted` is true and
        the document holds what was read.

    Raises:
        TraceError: If a file cannot be opened, or is no capture.
    """
    return json.loads(_core.capture(paths_of(files), as_json({"events": events}), progress))
