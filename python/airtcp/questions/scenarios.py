"""Simulations of scenarios, and comparisons of TCPs over scenarios and traces."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NoReturn, Unpack, cast

from airtcp import _core
from airtcp.data.plain import printable
from airtcp.inputs import arrays
from airtcp.inputs.arguments import (
    COMPARED,
    as_json,
    names_of,
    native,
    only_given,
    plain,
    remedies_of,
)
from airtcp.inputs.progress import shows_progress
from airtcp.inputs.reading import how_to_read
from airtcp.inputs.toml_text import inline, value_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from airtcp.files.folder import Purpose
    from airtcp.inputs.arguments import PathLike, Progress
    from airtcp.inputs.arrays import Links
    from airtcp.inputs.reading import Reading
    from airtcp.questions.results import CompareResult, RunResult, Why

_LONGEST_SCENARIO: Final = 4 << 20
_EXPECTED: Final = "expected a scenario file (TOML)"
_IN_PYTHON: Final = "scenario"
"""The name of a scenario that is given as a table."""
_DEEPEST: Final = 100


@shows_progress
def run(
    scenario: PathLike | Mapping[str, Any],
    *,
    text: str | None = None,
    seed: int | None = None,
    replications: int | None = None,
    overrides: Mapping[str, Any] | None = None,
    series: bool = False,
    pcap: PathLike | None = None,
    timeline: str | None = None,
    radiotap: PathLike | None = None,
    why: Why = "no",
    purpose: Purpose | None = None,
    force: bool = True,
    workers: int | None = None,
    progress: Progress | None = None,
    warn: Callable[[str], object] | None = None,
) -> RunResult:
    """Simulate a scenario.

    Args:
        scenario: A TOML file, or the scenario as a table of Python values. Traces in a file are
            named relative to its folder, those in a table relative to the working folder.
        text: The text of the scenario, instead of the file; `scenario` is then its name in
            messages.
        seed: Root seed; by default the scenario's.
        replications: Number of replications; by default the scenario's.
        overrides: Values that replace those of the scenario, by path, such as
            `{"links[0].rate": "20 Mb/s"}`.
        series: Whether to record windows, round-trip times, queues and stations over time in the
            first replication, as tables of the result.
        pcap: File for a capture (pcapng) of the first replication, taken at the senders.
        timeline: Interval of the first replication, such as `"2 s..2.02 s"`, in which to record
            every frame on the air, back-off and NAV, as tables of the result.
        radiotap: Folder for captures (pcapng with radiotap headers) of the first replication, one
            for each station of the 802.11 cells, with the frames that it sent and heard.
        why: Whether to find what limits the flows, by runs with one thing taken away: `"auto"` with
            a quarter of the measured time, `"yes"` with the whole time, or `"no"`. The document has
            the answer as `limits` and `why`.
        purpose: The command that the captures in `radiotap` belong to; decides what may replace
            them later.
        force: Whether to replace captures that another process writes there during the run.
        workers: Number of threads; by default all cores. The result does not depend on it.
        progress: Called with done, total and a label, in hundredths of a replication.
        warn: Called before the run with each warning about its cells, such as stations out of
            range; the result has them as `warnings`.

    Returns:
        The result. If Ctrl-C stopped the run, `interrupted` is true.

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
    from airtcp.files import atomic_write
    from airtcp.questions.results import RunResult, RunSettings
    from airtcp.questions.run.captures import Captures

    if isinstance(scenario, Mapping):
        only_table(text)
        scenario, text = _IN_PYTHON, table_text(scenario)
    path = Path(scenario)
    name = printable(str(path))
    asked = RunSettings(
        scenario=printable(os.fspath(scenario)) if text is None else "-",
        replications=replications,
        overrides=replaced_texts(overrides or {}),
        series=series,
        timeline=timeline,
        why=why,
    )
    text = _scenario_text(path) if text is None else parsable(text, name)
    replaced = only_given(seed=seed, replications=replications) | dict(overrides or {})
    if series:
        replaced["output.series"] = True
    options = only_given(
        set=replaced_texts(replaced),
        workers=workers,
        folder=native(path.parent),
        timeline=timeline,
        why=why,
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


@shows_progress
def compare(
    subjects: Links,
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
    """Compare TCPs over the same channel, with paired differences.

    Args:
        subjects: Scenarios (files whose name ends in `.toml`) and delivery traces, as for `study`;
            or one scenario as a table of Python values, with the key `flows`.
        tcp: Names of TCPs, as a list or separated by commas: a congestion law (with SACK recovery),
            a recovery with Reno's law (`newreno`, `tahoe`, `reno-nosack`), or `own` for the
            scenario's; behind a link also `lt-tcp` and `sliding`. Keys follow colons
            (`cubic:recovery=newreno`), and a link protocol or queue follows an `@`.
        remedies: Whether to try remedies against losses, or their names as in `tcp`, `usual` or
            `none`. By default `usual`, without `tcp` and for up to 20 subjects.
        reference: The reference of the differences; by default the first TCP.
        flow: The flow whose TCP is replaced; by default all TCP flows.
        share: A TCP of which one flow runs beside one flow of each TCP.
        profile: TCP parameters of all TCPs; by default the scenario's, `s1` over a trace, `linux`
            over a trace behind a link.
        replications: Number of replications, or of stretches of a trace.
        seed: Root seed; by default the scenario's, else 1.
        slot: Duration of a slot of a trace; by default its interval, else 10 ms.
        as_link: Put traces behind a link: `rate`, `delay`, `queue` (a table as in a scenario).
        synthetic: Whether to compare also over synthetic links of the trace's PRR and mu.
        text: The text of the scenario, instead of the file in `subjects`.
        overrides: Values that replace those of the scenarios, by path.
        workers: Number of threads; by default all cores. The result does not depend on it.
        progress: Called with done, total and a label.
        warn: Called before the runs with each warning about the scenarios' cells.
        **reading: How to read traces: the options of `airtcp.inputs.reading.Reading`.

    Returns:
        The result. If Ctrl-C stopped the comparison, `interrupted` is true and the result holds
        the replications that every TCP finished.

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
        >>> result.outcomes["variant"]
        ['newreno', 'sack']
    """
    from airtcp.questions.results import CompareResult

    links: arrays.Links = subjects
    if isinstance(subjects, Mapping):
        only_table(text)
    if isinstance(subjects, Mapping) and "flows" in subjects:
        links, text = _IN_PYTHON, table_text(cast("Mapping[str, Any]", subjects))
    with arrays.given(links) as paths:
        scenarios = [
            Path(path) for path in paths if text is not None or path.lower().endswith(".toml")
        ]
        read, replaced = how_to_read(reading), replaced_texts(dict(overrides or {}))
        options: dict[str, Any] = {
            "scenarios": scenario_texts(scenarios, text),
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
        warn_about(options, warn)
        traces = [path for path in paths if Path(path) not in scenarios]
        core = _core.compare(traces, as_json(options), progress)
        return CompareResult(core, {"read": read, "set": replaced})


def scenario_texts(scenarios: Iterable[Path], text: str | None) -> list[dict[str, Any]]:
    """Return the scenarios as the extension reads them.

    Args:
        scenarios: Their files.
        text: The text of the scenario, instead of the files.

    Raises:
        ScenarioError: If a file cannot be read as text.
    """
    return [
        {
            "name": printable(str(path)),
            "text": (
                _scenario_text(path) if text is None else parsable(text, printable(str(path)))
            ),
            "folder": native(path.parent),
        }
        for path in scenarios
    ]


def warn_about(options: Mapping[str, Any], warn: Callable[[str], object] | None) -> None:
    """Give the warnings about the cells of scenarios.

    Args:
        options: Options with `scenarios` and `set`.
        warn: Called with each warning.
    """
    if warn is None:
        return
    for scenario in options["scenarios"]:
        how = json.dumps({"set": options["set"], "folder": scenario["folder"]})
        for warning in _core.warnings(scenario["text"], scenario["name"], how):
            warn(f"{scenario['name']}: {warning}")


def table_text(scenario: Mapping[str, Any]) -> str:
    """Return the text of a scenario that is given as a table.

    >>> print(table_text({"duration": "1 s", "links": [{"from": "a", "to": "b"}]}))
    "duration" = "1 s"
    "links" = [{ "from" = "a", "to" = "b" }]

    Raises:
        ScenarioError: If a value is None; the message names its path.
        TypeError: If a key is no text, or a value has no form in TOML; the message names it.
    """
    _check_table(scenario, "")
    values = cast("dict[str, Any]", plain(scenario))
    return "\n".join(f"{json.dumps(key)} = {inline(value)}" for key, value in values.items())


def _check_table(value: Any, at: str, depth: int = 0) -> None:
    """Refuse values of None and keys that are no text, with their path."""
    if value is None:
        _refuse(_IN_PYTHON, f"{at} is None: leave the key out")
    if depth > _DEEPEST:
        _refuse(_IN_PYTHON, f"{at[:80]}: nested too deeply")
    if isinstance(value, Mapping):
        for key, part in cast("Mapping[Any, Any]", value).items():
            if not isinstance(key, str):
                where = at or "the scenario"
                message = f"{where}: found the key {key!r}; expected keys that are text"
                raise TypeError(message)
            _check_table(part, f"{at}.{key}" if at else key, depth + 1)
    elif isinstance(value, (list, tuple)):
        for number, part in enumerate(cast("list[Any]", value)):
            _check_table(part, f"{at}[{number}]", depth + 1)


def only_table(text: str | None) -> None:
    """Refuse a text beside a scenario that is given as a table.

    Raises:
        TypeError: If there is a text.
    """
    if text is not None:
        message = "there are a table and text; expected a scenario as a table, or a name with text"
        raise TypeError(message)


def replaced_texts(values: Mapping[str, Any]) -> list[list[str]]:
    """Return each path with the TOML text of its value."""
    return [
        [key, value_text(value)] for key, value in cast("dict[str, Any]", plain(values)).items()
    ]


_MAGIC: Final = 4096
"""Bytes that are enough to recognise a file that is not text."""


def parsable(text: str, name: str) -> str:
    """Return the text of a scenario if a TOML parser can read it in bounded time.

    Args:
        text: The text.
        name: Its name in messages.

    Raises:
        ScenarioError: If the text is longer, or has more headers or longer keys, than allowed.
    """
    _core.parsable(text, name)
    return text


def _scenario_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return text_of(file, str(path))
    except OSError as error:
        _refuse(str(path), f"{error.strerror}; {_EXPECTED}")


def text_of(stream: BinaryIO, name: str) -> str:
    """Read the text of a scenario, from a stream that may have no end.

    Args:
        stream: The stream.
        name: Its name in messages.

    Raises:
        ScenarioError: If the text is too long, or not UTF-8.
    """
    raw = stream.read(_LONGEST_SCENARIO + 1)
    if len(raw) > _LONGEST_SCENARIO:
        _refuse(name, f"longer than {_LONGEST_SCENARIO} bytes; {_EXPECTED}")
    if raw.startswith(b"\x1f\x8b"):
        _refuse(name, f"this is compressed with gzip; {_EXPECTED}: decompress it (gunzip)")
    kind = _core.binary_kind(raw[:_MAGIC])
    if kind is not None:
        _refuse(name, f"this is {kind[0]}, not a scenario; {_EXPECTED}")
    try:
        return parsable(raw.decode("utf-8"), printable(name))
    except UnicodeDecodeError as error:
        _refuse(name, f"byte {error.start} is not UTF-8; {_EXPECTED}")


def _refuse(name: str, what: str) -> NoReturn:
    message = f"{printable(name)}: {what}"
    raise _core.ScenarioError(message)
