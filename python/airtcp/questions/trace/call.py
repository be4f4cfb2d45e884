"""Synthetic traces, and conversions of traces."""

from __future__ import annotations

import glob
import json
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from airtcp import _core
from airtcp.files import atomic_write, destinations
from airtcp.inputs import arrays
from airtcp.inputs.arguments import as_json, finite, native, only_given, plain
from airtcp.inputs.file_kinds import reads
from airtcp.inputs.reading import how_to_read

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping

    from airtcp.inputs.arguments import PathLike, Progress, TraceFormat
    from airtcp.inputs.arrays import Links
    from airtcp.inputs.reading import Reading


def _named_csv(path: Path) -> bool:
    return path.name.lower().removesuffix(".gz").endswith(".csv")


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
    force: bool = True,
    warn: Callable[[str], object] | None = None,
) -> Path:
    """Make a synthetic trace.

    Args:
        path: The file to write; an existing file is replaced. Compressed if its name ends in `.gz`.
        packets: Number of packets.
        prr: Packet reception ratio. Alone, it gives independent losses.
        mu: Burstiness of a Gilbert-Elliott chain, with `prr`.
        burst: Mean length of a run of losses of such a chain, with `prr`.
        model: Any other model: a table with the key `model`, such as "semi-markov", and its
            parameters.
        seed: Root seed.
        interval: Interval between packets, written to the file.
        fmt: `bits` (text of 0 and 1), `csv`, or `sequence` (received sequence numbers); by default
            `csv` for a name that ends in `.csv` or `.csv.gz`, else `bits`.
        force: Whether to replace a file that another process writes there during the call.
        warn: Called with a warning if the trace is too short for its model.

    Returns:
        The file written.

    Raises:
        TraceError: If no such link exists, or the file cannot be written.

    Examples:
        >>> synth("chain.txt.gz", prr=0.4, mu=0.7, packets=500).name
        'chain.txt.gz'
    """
    target = Path(path)
    said = synth_drawn(
        target,
        packets=packets,
        prr=prr,
        mu=mu,
        burst=burst,
        model=model,
        seed=seed,
        interval=interval,
        fmt=fmt,
        force=force,
    )["note"]
    if warn is not None and said is not None:
        warn(said)
    return target


def synth_drawn(
    target: Path,
    *,
    packets: int,
    prr: float | None,
    mu: float | None,
    burst: float | None,
    model: Mapping[str, Any] | None,
    seed: int,
    interval: str | None,
    fmt: TraceFormat | None,
    force: bool,
) -> dict[str, Any]:
    """Make a synthetic trace as `synth` does, and return its metrics."""
    for name, value in (("prr", prr), ("mu", mu), ("burst", burst)):
        if value is not None and not finite(value):
            message = f"{name} = {value}: expected a number"
            raise _core.TraceError(message)
    if fmt is None and _named_csv(target):
        fmt = "csv"
    spec = only_given(
        packets=packets,
        prr=prr,
        mu=mu,
        burst=burst,
        model=None if model is None else dict(model),
        seed=seed,
        interval=interval,
        format=fmt,
    )
    with _plainly(), atomic_write.staged() as files:
        spec["path"] = native(files.file(target, parents=False, new=not force, live=False))
        try:
            text = json.dumps(plain(spec), allow_nan=False)
        except (ValueError, RecursionError) as error:
            message = f"model: {_unwritable(error)}"
            raise _core.TraceError(message) from None
        drawn = json.loads(_core.trace_synth(text))
    asked = only_given(prr=prr, mu=mu, burst=burst, model=model)
    return {
        "schema": "airtcp.synth/1",
        "airtcp_version": _core.version(),
        "path": os.fspath(target),
        "seed": seed,
        "asked": asked,
        **drawn,
        "note": _too_short(drawn),
    }


def _too_short(drawn: Mapping[str, Any]) -> str | None:
    """Return a warning if a trace is too short to show its model."""
    if not drawn["is_too_short"]:
        return None
    from airtcp.words import sentences as words

    chain = drawn["expected"]
    return (
        f"{words.counted(drawn['packets'], 'packet is', 'packets are')} too few for PRR "
        f"{chain['prr']:.6g} at mu {chain['mu']:.6g}: a run of losses lasts "
        f"{words.number(chain['loss_run'])} packets on average and a run of received packets "
        f"{words.number(chain['success_run'])}, so the PRR of the trace varies by chance. "
        f"A trace of {words.count(chain['packets_needed'])} packets holds 100 runs of each (the "
        "rule: 100 times the sum of the two means)"
    )


@contextmanager
def _plainly() -> Generator[None]:
    """Let errors name the requested file, not the temporary one."""
    try:
        yield
    except _core.TraceError as error:
        said = destinations.said_plainly(str(error))
        if said == str(error):
            raise
        raise _core.TraceError(said) from None
    except destinations.PlaceError as error:
        raise _core.TraceError(str(error)) from None


def _unwritable(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return "holds a number that is not finite; expected numbers"


@reads("trace convert")
def convert(
    links: Links,
    target: PathLike,
    *,
    fmt: TraceFormat | None = None,
    force: bool = True,
    progress: Progress | None = None,
    warn: Callable[[str], object] | None = None,
    **reading: Unpack[Reading],
) -> list[Path]:
    """Convert traces to a common layout.

    Args:
        links: Delivery traces, as for `study`.
        target: The file for one link, or the folder for several.
        fmt: As for `synth`.
        force: Whether to replace existing files; inputs are never replaced.
        progress: Called with done, total and a label.
        warn: Called with each note on how the traces were read.
        **reading: How to read traces: the options of `airtcp.inputs.reading.Reading`.

    Returns:
        The files written.

    Raises:
        TraceError: If a file cannot be read as a trace, or must not be replaced.
        KeyboardInterrupt: After Ctrl-C; finished files are written.

    Examples:
        >>> made = synth("made.txt", prr=0.5, packets=100)
        >>> [path.name for path in convert(made, "made.csv", fmt="csv")]
        ['made.csv']
        >>> [path.name for path in convert([1, 0, 1, 1], "mine.txt.gz")]
        ['mine.txt.gz']
    """
    place = Path(target)
    if fmt is None and _named_csv(place):
        fmt = "csv"
    options = as_json({"read": how_to_read(reading, of=convert), **only_given(format=fmt)})
    into = place.is_dir()
    with arrays.given(links) as paths, _plainly(), atomic_write.staged() as files:
        if destinations.in_place(place):
            home = Path(tempfile.gettempdir())
        else:
            home = place if into else place.parent
        part = files.folder(home, wanted=place)
        single = None if into else place.name
        names, whole, read = _core.trace_convert(paths, part, single, options, progress)
        if len(names) != 1 and place.exists() and not into:
            message = (
                f"{place}: this is a file, and there are {len(names)} links; "
                "expected a folder, or a name that is free"
            )
            raise _core.TraceError(message)
        alone = len(names) == 1 and not into
        places = [place] if alone else [place / name for name in names]
        sources = list(sources_of(paths))
        for name, to in zip(names, places, strict=True):
            try:
                destinations.check(to, force=force, inputs=sources)
            except destinations.PlaceError as error:
                raise _core.TraceError(str(error)) from None
            files.place(part / name, to, new=not force)
    if warn is not None:
        from airtcp.words.notes import notes

        for line in notes([{"name": name, "notes": said} for name, said in read]):
            warn(line)
    if not whole:
        raise KeyboardInterrupt
    return places


def sources_of(paths: Iterable[PathLike]) -> Iterator[Path]:
    """Yield the files and folders of paths and patterns."""
    for name in paths:
        path = Path(name)
        if path.exists():
            yield path
        else:
            yield from map(Path, glob.glob(os.fspath(name), recursive=True))  # noqa: PTH207
