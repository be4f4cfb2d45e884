"""Scenarios: one run of them, and TCPs compared over them or over traces."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Unpack, cast

from airtcp import _core
from airtcp.arguments import (
    COMPARED,
    as_json,
    names_of,
    native,
    only_given,
    paths_of,
    plain,
    remedies_of,
)
from airtcp.plain import printable
from airtcp.reading import how_to_read
from airtcp.toml_text import value_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from airtcp.arguments import PathLike, Progress
    from airtcp.folder import Purpose
    from airtcp.reading import Reading
    from airtcp.results import CompareResult, RunResult

_LONGEST_SCENARIO: Final = 4 << 20


def run(
    scenario: PathLike,
    *,
    text: str | None = None,
    seed: int | None = None,
    replications: int | None = None,
    overrides: Mapping[str, Any] | None = None,
    series: bool = False,
    pcap: PathLike | None = None,
    timeline: str | None = None,
    radiotap: PathLike | None = None,
    purpose: Purpose | None = None,
    force: bool = True,
    workers: int | None = None,
    progress: Progress | None = None,
    warn: Callable[[str], object] | None = None,
) -> RunResult:
    """Run a scenario.

    Args:
        scenario: A TOML file; traces it names are looked for beside it.
        text: The scenario itself, if it is not to be read from the file; `scenario` then stands
            for it in messages.
        seed: Root seed, in place of the scenario's.
        replications: Number of replications, in place of the scenario's.
        overrides: Values in place of the scenario's, by path, such as
            `{"links[0].rate": "20 Mb/s"}`.
        series: Whether to record series (windows, round-trip times, queues, stations) in the first
            replication; they become tables of the result.
        pcap: Where to write a capture (pcapng) of the first replication, taken at the senders.
        timeline: Interval of the first replication, such as `"2 s..2.02 s"`, of which to record
            every frame on the air, back-off and NAV; they become tables of the result.
        radiotap: Folder to write captures (pcapng with radiotap headers) of the first replication
            to, one for each station of the 802.11 cells: what its radio sent and heard.
        purpose: What the captures in `radiotap` are of, for who writes there next.
        force: Whether captures that another process writes there meanwhile may be replaced.
        workers: Threads; all cores if left out. The result does not depend on it.
        progress: Called with done, total and a label; a replication counts a hundred.
        warn: Called before the run starts with each thing to know of its cells, such as stations
            out of reach; the result has them as `warnings`.

    Returns:
        The result; `interrupted` is true if Ctrl-C stopped the run.

    Raises:
        ScenarioError: If the scenario cannot be run; the message names line and path.

    Examples:
        >>> lossy = '''
        ... duration = "10 s"
        ... [[links]]
        ... from = "a"
        ... to = "b"
        ... rate = "10 Mb/s"
        ... delay = "20 ms"
        ... loss = { model = "bernoulli", probability = 0.01 }
        ... [[flows]]
        ... from = "a"
        ... to = "b"
        ... '''
        >>> result = run("lossy", text=lossy, replications=3)
        >>> result.summary.columns
        ['kind', 'name', 'quantity', 'mean', 'ci_low', 'ci_high']
        >>> len(result.fingerprints)
        3
    """
    from airtcp import atomic_write
    from airtcp.api.captures import Captures
    from airtcp.results import RunResult, RunSettings

    path = Path(scenario)
    name = printable(str(path))
    asked = RunSettings(
        scenario=printable(os.fspath(scenario)) if text is None else "-",
        replications=replications,
        overrides=_replaced(overrides or {}),
        series=series,
        timeline=timeline,
    )
    text = _scenario_text(path) if text is None else parsable(text, name)
    replaced = only_given(seed=seed, replications=replications) | dict(overrides or {})
    if series:
        replaced["output.series"] = True
    options = only_given(
        set=_replaced(replaced),
        workers=workers,
        folder=native(path.parent),
        timeline=timeline,
    )
    if warn is not None:
        about = options | {"capture": pcap is not None or radiotap is not None}
        for warning in _core.warnings(text, name, as_json(about)):
            warn(warning)
    captures = Captures(pcap, radiotap, purpose, force)
    with atomic_write.staged() as files:
        options |= captures.stage(files)
        core = _core.run(text, name, as_json(options), progress)
        return captures.placed(files, RunResult(core, asked), core)


def compare(
    subjects: PathLike | Iterable[PathLike],
    *,
    tcp: str | Iterable[str] | None = None,
    remedies: bool | str | Iterable[str] | None = None,
    reference: str | None = None,
    flow: str | None = None,
    share: str | None = None,
    profile: str | None = None,
    replications: int | None = None,
    seed: int | None = None,
    slot: str | None = None,
    as_link: Mapping[str, Any] | None = None,
    synthetic: bool = True,
    text: str | None = None,
    overrides: Mapping[str, Any] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    warn: Callable[[str], object] | None = None,
    **reading: Unpack[Reading],
) -> CompareResult:
    """Compare TCPs: each over the same channel, with paired differences.

    Args:
        subjects: Scenarios (files whose name ends in `.toml`) and delivery traces, as for `study`.
        tcp: TCPs by name, as a list or separated by commas: a congestion law (with SACK recovery),
            a recovery with Reno's law (`newreno`, `tahoe`, `reno-nosack`), or `own` for the
            scenario's, with further keys behind colons (`cubic:recovery=newreno`); behind a link
            also `lt-tcp` and `sliding`; a link protocol behind an `@`.
        remedies: Whether to try remedies against losses, or which, by name as in `tcp`: `usual` are
            the usual ones, `none` is none. If left out, the usual ones where `tcp` is left out, on
            up to 20 subjects.
        reference: The one that the others are compared with; the first if left out.
        flow: The only flow of a scenario whose TCP is exchanged; all TCP flows if left out.
        share: A TCP that each has to share its way with, flow against flow.
        profile: TCP parameters that the TCPs change; if left out the scenario's own, `s1` over a
            trace, `linux` over a trace as a link.
        replications: Replications, or stretches of a trace.
        seed: Root seed; the scenario's, or 1, if left out.
        slot: Duration of a slot of a trace.
        as_link: Put traces behind a link: `rate`, `delay`, `queue` (a table as in a scenario).
        synthetic: Whether to compare over synthetic links that look like a trace, too.
        text: The scenario itself, if it is not to be read from the file in `subjects`.
        overrides: Values in place of the scenarios', by path.
        workers: Threads; all cores if left out. The result does not depend on it.
        progress: Called with done, total and a label.
        warn: Called before anything runs with each thing to know of the scenarios' cells.
        **reading: How to read traces: the options of `airtcp.reading.Reading`.

    Returns:
        The result; `interrupted` is true if Ctrl-C stopped the comparison: it holds the
        replications that every TCP had finished.

    Raises:
        ScenarioError: If a scenario cannot be run.
        TraceError: If a file cannot be read as a trace.
        AirtcpError: If a TCP or an option is impossible.

    Examples:
        >>> from airtcp import synth
        >>> path = synth("steady.txt", prr=0.9, packets=20_000, seed=1)
        >>> result = compare(path, tcp="newreno,sack", replications=5, synthetic=False)
        >>> result
        CompareResult(2 TCPs, 1 subject, seed 1)
        >>> result.outcomes["variant"].to_list()
        ['newreno', 'sack']
    """
    from airtcp.results import CompareResult

    paths = paths_of(subjects)
    scenarios = [Path(path) for path in paths if text is not None or path.lower().endswith(".toml")]
    read, replaced = how_to_read(reading), _replaced(dict(overrides or {}))
    options: dict[str, Any] = {
        "scenarios": [
            {
                "name": printable(str(path)),
                "text": (
                    _scenario_text(path) if text is None else parsable(text, printable(str(path)))
                ),
                "folder": native(path.parent),
            }
            for path in scenarios
        ],
        "set": replaced,
        "read": read,
        "compare": only_given(
            tcp=None if tcp is None else names_of(tcp),
            remedies=remedies_of(tcp is None if remedies is None else remedies),
            remedies_up_to=COMPARED if remedies is None else None,
            reference=reference,
            flow=flow,
            share=share,
            profile=profile,
            replications=replications,
            seed=seed,
            slot=slot,
            as_link=None if as_link is None else dict(as_link),
            synthetic=synthetic,
            workers=workers,
        ),
    }
    if warn is not None:
        for scenario in options["scenarios"]:
            how = json.dumps({"set": options["set"], "folder": scenario["folder"]})
            for warning in _core.warnings(scenario["text"], scenario["name"], how):
                warn(f"{scenario['name']}: {warning}")
    traces = [path for path in paths if Path(path) not in scenarios]
    core = _core.compare(traces, as_json(options), progress)
    return CompareResult(core, {"read": read, "set": replaced})


def _replaced(values: Mapping[str, Any]) -> list[list[str]]:
    """Give each path with the text that stands for its value."""
    return [
        [key, value_text(value)] for key, value in cast("dict[str, Any]", plain(values)).items()
    ]


_MAGIC: Final = 4096
"""Bytes by which a file that is not text is known."""


def parsable(text: str, name: str) -> str:
    """Give a text back if a parser of TOML reads it in reasonable time.

    Args:
        text: Of a scenario.
        name: What stands for it in messages.

    Raises:
        ScenarioError: If it is longer, or has more headers or longer keys, than any scenario.
    """
    _core.parsable(text, name)
    return text


def _scenario_text(path: Path) -> str:
    shown = printable(str(path))
    expected = "expected a scenario file (TOML)"
    try:
        with path.open("rb") as file:
            return text_of(file, str(path))
    except OSError as error:
        message = f"{shown}: {error.strerror}; {expected}"
        raise _core.ScenarioError(message) from error


def text_of(stream: BinaryIO, name: str) -> str:
    """Read the text of a scenario, from a stream that may have no end.

    Args:
        stream: Where to read.
        name: What stands for it in messages.

    Raises:
        ScenarioError: If it is longer than any scenario, or not UTF-8.
    """
    shown = printable(name)
    expected = "expected a scenario file (TOML)"
    raw = stream.read(_LONGEST_SCENARIO + 1)
    if len(raw) > _LONGEST_SCENARIO:
        message = f"{shown}: longer than {_LONGEST_SCENARIO} bytes; {expected}"
        raise _core.ScenarioError(message)
    if raw.startswith(b"\x1f\x8b"):
        message = f"{shown}: this is compressed with gzip; {expected}: decompress it (gunzip)"
        raise _core.ScenarioError(message)
    kind = _core.binary_kind(raw[:_MAGIC])
    if kind is not None:
        message = f"{shown}: this is {kind[0]}, not a scenario; expected a scenario file (TOML)"
        raise _core.ScenarioError(message)
    try:
        return parsable(raw.decode("utf-8"), shown)
    except UnicodeDecodeError as error:
        message = f"{shown}: byte {error.start} is not UTF-8; {expected}"
        raise _core.ScenarioError(message) from error
