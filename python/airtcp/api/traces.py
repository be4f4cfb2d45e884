"""Delivery traces: synthetic ones, and any written anew."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from airtcp import _core
from airtcp.api.options import how_to_read, only_given, paths_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from airtcp.api.options import PathLike, Progress, Reading, TraceFormat


def synth(
    path: PathLike,
    *,
    packets: int,
    prr: float | None = None,
    mu: float | None = None,
    burst: float | None = None,
    model: Mapping[str, Any] | None = None,
    seed: int = 1,
    interval: str | None = None,
    fmt: TraceFormat | None = None,
) -> Path:
    """Make a synthetic trace.

    Args:
        path: The file to write; compressed if its name ends in `.gz`.
        packets: Number of packets.
        prr: Packet reception ratio. Alone: independent losses.
        mu: Burstiness, with `prr`: a Gilbert-Elliott chain.
        burst: Mean number of losses in a run, with `prr`: the same chain, said otherwise.
        model: Any model, as `airtcp schema` describes it, in place of the three above.
        seed: Root seed.
        interval: Interval between packets, to be noted in the file.
        fmt: `bits` (text of 0 and 1; the default), `csv`, or `sequence` (received numbers).

    Returns:
        The file written.

    Raises:
        TraceError: If no such link exists, or the file cannot be written.

    Examples:
        >>> synth("chain.txt.gz", prr=0.4, mu=0.7, packets=500).name
        'chain.txt.gz'
    """
    for name, value in (("prr", prr), ("mu", mu), ("burst", burst)):
        if value is not None and not math.isfinite(value):
            message = f"{name} = {value}: expected a number"
            raise _core.TraceError(message)
    spec = only_given(
        path=os.fspath(path),
        packets=packets,
        prr=prr,
        mu=mu,
        burst=burst,
        model=None if model is None else dict(model),
        seed=seed,
        interval=interval,
        format=fmt,
    )
    _core.trace_synth(json.dumps(spec))
    return Path(path)


def convert(
    links: PathLike | Iterable[PathLike],
    target: PathLike,
    *,
    fmt: TraceFormat | None = None,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> list[Path]:
    """Write traces anew in a layout that everything reads.

    Args:
        links: Delivery traces, as for `study`.
        target: The file to write, or, for several links, the folder.
        fmt: As for `synth`.
        progress: Called with done, total and a label.
        **reading: How to read: `interval`, `layout`, `column`, `kind`, `time_column`,
            `time_unit`, as for `study`.

    Returns:
        The files written.

    Examples:
        >>> made = synth("made.txt", prr=0.5, packets=100)
        >>> [path.name for path in convert(made, "made.csv", fmt="csv")]
        ['made.csv']
    """
    options = {"read": how_to_read(reading), **only_given(format=fmt)}
    written = _core.trace_convert(paths_of(links), os.fspath(target), json.dumps(options), progress)
    return [Path(name) for name in written]
