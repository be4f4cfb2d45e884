"""The functions of the package: what the command line calls, and what notebooks call.

Options are keyword arguments with the command line's names and defaults. Quantities with a unit
are text ("10 ms", "54 Mb/s"). `progress` is called now and then with how much is done, of how
much, and a word for what; Ctrl-C stops a long call, which then gives back what is finished.
"""

from __future__ import annotations

import json
import math
import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from airtcp import _core

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from airtcp.fits import FitDocument, FitResult
    from airtcp.papers.paper import Figure
    from airtcp.papers.result import PapersResult
    from airtcp.results import CompareResult, RunResult, StudyResult

PathLike: TypeAlias = "str | os.PathLike[str]"
Progress: TypeAlias = "Callable[[int, int, str], object]"
ColumnKind: TypeAlias = Literal["received", "lost", "sequence"]
TraceFormat: TypeAlias = Literal["bits", "csv", "sequence"]


_COMPARED: Final = 20
"""Links up to which a study compares TCPs by itself."""

_MOST_LINKS: Final = 2**32 - 1


def version() -> str:
    """Give the version of the program, which stands in every result."""
    return _core.version()


def _given(**options: Any) -> dict[str, Any]:
    """Leave out what was not given, so that the program's own default holds."""
    return {name: value for name, value in options.items() if value is not None}


def _paths(paths: PathLike | Iterable[PathLike]) -> list[str]:
    if isinstance(paths, (str, os.PathLike)):
        return [os.fspath(paths)]
    return [os.fspath(path) for path in paths]


def study(
    links: PathLike | Iterable[PathLike],
    *,
    profile: str | None = None,
    slot: str | None = None,
    replicas: int = 20,
    seed: int = 1,
    compare: bool | None = None,
    workers: int | None = None,
    interval: str | None = None,
    layout: str | None = None,
    column: str | int | None = None,
    kind: ColumnKind | None = None,
    time_column: str | int | None = None,
    time_unit: str | None = None,
    analyse: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> StudyResult:
    """Study links: what each is, what TCP gets over it and over links that look like it.

    Args:
        links: Delivery traces: files, folders, patterns; "-" is standard input.
        profile: TCP parameters: `s1` (S1's, with timers in proportion to the slot; the default)
            or the name of a profile (`registry("tcp-profile")`).
        slot: Duration of a slot, such as "10 ms"; the trace's own interval if left out.
        replicas: Synthetic links of each kind.
        seed: Root seed; the same seed gives the same result.
        compare: Whether to say which TCP suits each link; if left out, up to 20 links.
        workers: Threads; all cores if left out. The result does not depend on it.
        interval: Interval between packets, in place of what the file says.
        layout: Layout of the files (`registry("layout")`); told from the file if left out.
        column: Column of a table that holds the outcomes, by name or number from 1.
        kind: What that column holds.
        time_column: Column of time stamps.
        time_unit: What one unit of the time stamps is, if their name does not say.
        analyse: Options of the analysis, as in the document's `options.analyse`.
        progress: Called with done, total and a label.

    Returns:
        The result; `interrupted` is true if Ctrl-C stopped the study, and what was finished is
        in it.

    Raises:
        TraceError: If a file cannot be read as a trace.
        AirtcpError: If an option is impossible.

    Examples:
        >>> path = synth("steady.txt", prr=0.9, packets=2000, seed=1)
        >>> study(path, replicas=2)
        StudyResult(1 links, seed 1)
    """
    from airtcp.results import StudyResult

    options = {
        "read": _read(interval, layout, column, kind, time_column, time_unit),
        "study": _given(
            profile=profile,
            slot=slot,
            replicas=replicas,
            seed=seed,
            compare_links=_COMPARED if compare is None else _MOST_LINKS * compare,
            workers=workers,
            analyse=None if analyse is None else dict(analyse),
        ),
    }
    return StudyResult(_core.study(_paths(links), json.dumps(options), progress))


def _read(
    interval: str | None,
    layout: str | None,
    column: str | int | None,
    kind: ColumnKind | None,
    time_column: str | int | None,
    time_unit: str | None,
) -> dict[str, Any]:
    return _given(
        interval=interval,
        layout=layout,
        column=None if column is None else str(column),
        kind=kind,
        time_column=None if time_column is None else str(time_column),
        time_unit=time_unit,
    )


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
        workers: Threads; all cores if left out. The result does not depend on it.
        progress: Called with done, total and a label.
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
    from airtcp import output
    from airtcp.results import RunResult

    path = Path(scenario)
    if text is None:
        text = _scenario_text(path)
    replaced = _given(seed=seed, replications=replications) | dict(overrides or {})
    if series:
        replaced["output.series"] = True
    options = _given(
        set=[[key, _toml(value)] for key, value in replaced.items()],
        workers=workers,
        folder=str(path.parent),
        timeline=timeline,
    )
    if warn is not None:
        for warning in _core.warnings(text, str(path), json.dumps(options)):
            warn(warning)
    with ExitStack() as files:
        if pcap is not None:
            options["pcap"] = str(files.enter_context(output.whole(Path(pcap))))
        if radiotap is not None:
            options["radiotap"] = str(files.enter_context(output.whole_files(Path(radiotap))))
        return RunResult(_core.run(text, str(path), json.dumps(options), progress))


def _toml(value: Any) -> str:
    """Write a value as the text that would follow `=`; text is taken as it is.

    >>> _toml("5 ms"), _toml(True), _toml([{"kind": "red", "min": 5}])
    ('5 ms', 'true', '[{ "kind" = "red", "min" = 5 }]')
    """
    return value if isinstance(value, str) else _inline(value)


def _inline(value: Any) -> str:
    """Write a value as TOML in one line; tables and lists as deep as they are."""
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        pairs = [f"{json.dumps(key)} = {_inline(part)}" for key, part in table.items()]
        return "{ " + ", ".join(pairs) + " }" if pairs else "{}"
    if isinstance(value, list | tuple):
        parts = cast("Sequence[Any]", value)
        return "[" + ", ".join(_inline(part) for part in parts) + "]"
    return json.dumps(value)


_LONGEST_SCENARIO = 4 << 20


def _scenario_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(_LONGEST_SCENARIO + 1)
    except OSError as error:
        message = f"{path}: {error.strerror}; expected a scenario file (TOML)"
        raise _core.ScenarioError(message) from error
    if len(raw) > _LONGEST_SCENARIO:
        message = f"{path}: longer than {_LONGEST_SCENARIO} bytes; expected a scenario file (TOML)"
        raise _core.ScenarioError(message)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"{path}: byte {error.start} is not UTF-8; expected a scenario file (TOML)"
        raise _core.ScenarioError(message) from error


def compare(
    subjects: PathLike | Iterable[PathLike],
    *,
    tcp: str | Iterable[str] | None = None,
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
    interval: str | None = None,
    layout: str | None = None,
    column: str | int | None = None,
    kind: ColumnKind | None = None,
    time_column: str | int | None = None,
    time_unit: str | None = None,
    progress: Progress | None = None,
    warn: Callable[[str], object] | None = None,
) -> CompareResult:
    """Compare TCPs: each over the same channel, with paired differences.

    Args:
        subjects: Scenarios (files whose name ends in `.toml`) and delivery traces, as for `study`.
        tcp: TCPs by name, as a list or separated by commas: a congestion law, a recovery, or
            `own` for the scenario's, with further keys behind colons (`cubic:recovery=newreno`).
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
        interval: As for `study`.
        layout: As for `study`.
        column: As for `study`.
        kind: As for `study`.
        time_column: As for `study`.
        time_unit: As for `study`.
        progress: Called with done, total and a label.
        warn: Called before anything runs with each thing to know of the scenarios' cells.

    Returns:
        The result; `interrupted` is true if Ctrl-C stopped the comparison: it holds the
        replications that every TCP had finished.

    Raises:
        ScenarioError: If a scenario cannot be run.
        TraceError: If a file cannot be read as a trace.
        AirtcpError: If a TCP or an option is impossible.

    Examples:
        >>> path = synth("steady.txt", prr=0.9, packets=20_000, seed=1)
        >>> result = compare(path, tcp="newreno,sack", replications=5, synthetic=False)
        >>> result
        CompareResult(2 TCPs, 1 subjects, seed 1)
        >>> result.outcomes["variant"].to_list()
        ['newreno', 'sack']
    """
    from airtcp.results import CompareResult

    paths = _paths(subjects)
    scenarios = [Path(path) for path in paths if text is not None or path.lower().endswith(".toml")]
    options: dict[str, Any] = {
        "scenarios": [
            {
                "name": str(path),
                "text": _scenario_text(path) if text is None else text,
                "folder": str(path.parent),
            }
            for path in scenarios
        ],
        "set": [[key, _toml(value)] for key, value in (overrides or {}).items()],
        "read": _read(interval, layout, column, kind, time_column, time_unit),
        "compare": _given(
            tcp=None if tcp is None else _names(tcp),
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
    return CompareResult(_core.compare(traces, json.dumps(options), progress))


def _names(names: str | Iterable[str]) -> list[str]:
    """Split names that are separated by commas.

    >>> _names("newreno, sack,"), _names(["a,b", "c"])
    (['newreno', 'sack'], ['a', 'b', 'c'])
    """
    given = [names] if isinstance(names, str) else list(names)
    return [name.strip() for text in given for name in text.split(",") if name.strip()]


def stats(
    links: PathLike | Iterable[PathLike],
    *,
    seed: int = 1,
    interval: str | None = None,
    layout: str | None = None,
    column: str | int | None = None,
    kind: ColumnKind | None = None,
    time_column: str | int | None = None,
    time_unit: str | None = None,
    analyse: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Say what links are, without TCP.

    Args:
        links: Delivery traces, as for `study`.
        seed: Root seed of the confidence intervals.
        interval: As for `study`.
        layout: As for `study`.
        column: As for `study`.
        kind: As for `study`.
        time_column: As for `study`.
        time_unit: As for `study`.
        analyse: As for `study`.
        progress: Called with done, total and a label.

    Returns:
        The document `airtcp.trace/1`; its `links` have the same keys as those of a study.

    Examples:
        >>> document = stats(synth("half.txt", prr=0.5, packets=1000, seed=2))
        >>> [link["class"] for link in document["links"]]
        ['intermediate']
    """
    options = {
        "read": _read(interval, layout, column, kind, time_column, time_unit),
        "seed": seed,
        **_given(analyse=None if analyse is None else dict(analyse)),
    }
    return json.loads(_core.trace_stats(_paths(links), json.dumps(options), progress))


def models(
    links: PathLike | Iterable[PathLike],
    *,
    profile: str | None = None,
    slot: str | None = None,
    replicas: int = 10,
    seed: int = 1,
    workers: int | None = None,
    interval: str | None = None,
    layout: str | None = None,
    column: str | int | None = None,
    kind: ColumnKind | None = None,
    time_column: str | int | None = None,
    time_unit: str | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Score the synthesisers of bursty links: is TCP's throughput right, and the longest burst?

    Args:
        links: Delivery traces: files, folders, patterns; "-" is standard input.
        profile: TCP parameters, as for `study`.
        slot: Duration of a slot, as for `study`.
        replicas: Synthetic links that each synthesiser draws for each trace.
        seed: Root seed; the same seed gives the same result.
        workers: Threads; all cores if left out. The result does not depend on it.
        interval: As for `study`.
        layout: As for `study`.
        column: As for `study`.
        kind: As for `study`.
        time_column: As for `study`.
        time_unit: As for `study`.
        progress: Called with done, total and a label.

    Returns:
        The document (`airtcp.models/1`): per link what the trace has and each synthesiser made
        of it, and over all links how far each is off.

    Raises:
        TraceError: If a file cannot be read as a trace.
        AirtcpError: If an option is impossible.

    Examples:
        >>> path = synth("bursty.txt", prr=0.5, mu=0.6, packets=3000, seed=1)
        >>> document = models(path, replicas=2)
        >>> document["links"][0]["scores"][1]["synthesiser"]
        'gilbert-elliott'
    """
    options = {
        "read": _read(interval, layout, column, kind, time_column, time_unit),
        "study": _given(profile=profile, slot=slot, replicas=replicas, seed=seed, workers=workers),
    }
    return json.loads(_core.trace_models(_paths(links), json.dumps(options), progress))


def trace_fit(
    links: PathLike | Iterable[PathLike],
    *,
    metrics: str | Iterable[str] = (),
    forms: Mapping[str, Iterable[str]] | None = None,
    where: str | Iterable[str] = (),
    link_class: str | Iterable[str] = (),
    rtt_slots: float | None = None,
    timeout_slots: float | None = None,
    segments_per_ack: float | None = None,
    max_window: float | None = None,
    profile: str | None = None,
    slot: str | None = None,
    replicas: int = 1,
    seed: int = 1,
    workers: int | None = None,
    progress: Progress | None = None,
    **reading: Any,
) -> FitResult:
    """Fit TCP's throughput over links to what the links are, and compare published formulas.

    TCP runs over each trace as in `study`; the throughputs are then fitted to PRR, mu and
    further metrics by least absolute deviations.

    Args:
        links: Delivery traces, as for `study`, or results of studies: a JSON document, its
            table of links (`links.parquet`), or the folder with them. These run nothing again.
        metrics: Further metrics to put to the test beside PRR and mu: any number that a study
            gives of a link, such as "beta" or "loss_bursts.mean", or its logarithm, as in
            "log(longest_success_burst)".
        forms: Forms in place of S1's, by name: their terms, such as "prr", "prr^2",
            "1/sqrt(1-mu)", "prr*mu".
        where: Conditions on links, such as "0.2<=prr<=0.6" or "mu>0.5".
        link_class: Classes of links to take, such as "intermediate".
        rtt_slots: Round-trip time for the formulas, in slots; 2 if left out.
        timeout_slots: First retransmission timeout for the formulas, in slots; 100 if left out.
        segments_per_ack: Segments an acknowledgement stands for; 2 if left out.
        max_window: Largest window, packets; 130 if left out.
        profile: As for `study`.
        slot: As for `study`.
        replicas: As for `study`; fits need none, so 1 is enough.
        seed: As for `study`.
        workers: As for `study`.
        progress: Called with done, total and a label.
        **reading: How to read traces: `interval`, `layout`, `column`, `kind`, `time_column`,
            `time_unit`, as for `study`.

    Returns:
        The result. A form that these links cannot bear stands in it with the reason.

    Raises:
        TraceError: If a file cannot be read.
        AirtcpError: If an option is impossible, or no link is left to fit.

    Examples:
        >>> paths = [synth(f"{i}.txt", prr=i / 10, mu=0.3, packets=2000) for i in (2, 3, 4, 5)]
        >>> result = trace_fit(paths, where="prr>0.1")
        >>> result
        FitResult(4 links, 3 of 6 forms)
        >>> print(result.json["fits"][3]["problem_text"])
        4 coefficients need 5 links or more; there are 4
    """
    from airtcp import fit_links
    from airtcp.fits import FitResult

    given = {
        "rtt_slots": rtt_slots,
        "timeout_slots": timeout_slots,
        "segments_per_ack": segments_per_ack,
        "max_window": max_window,
    }
    for name, value in given.items():
        if value is not None and not math.isfinite(value):
            message = f"{name} is {value}: expected a number above 0"
            raise _core.AirtcpError(message)
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    conditions = [where] if isinstance(where, str) else list(where)
    classes = [link_class] if isinstance(link_class, str) else list(link_class)
    paths = _paths(links)
    results = [path for path in paths if fit_links.is_result(path)]
    found = [link for path in results for link in fit_links.read_result(path)]
    studied: dict[str, Any] = {}
    traces = [path for path in paths if path not in results]
    if traces:
        result = study(
            traces,
            profile=profile,
            slot=slot,
            replicas=replicas,
            seed=seed,
            workers=workers,
            progress=progress,
            **reading,
        )
        studied = dict(result.json)
        found += [fit_links.link_of(link) for link in studied.pop("links")]
    kept = fit_links.chosen(found, conditions, classes)
    if found and not kept:
        message = f"none of {len(found)} links meets the conditions {conditions + classes}"
        raise _core.AirtcpError(message)
    request = {
        "links": fit_links.samples(kept, names),
        "options": _given(
            metrics=names,
            forms=None
            if forms is None
            else [{"name": name, "terms": list(terms)} for name, terms in forms.items()],
            formulas=_given(**given),
        ),
    }
    answer: dict[str, Any] = json.loads(_core.fit_throughput(json.dumps(request), progress))
    options = answer["options"] | {"where": conditions, "classes": classes}
    document: FitDocument = {
        "schema": answer["schema"],
        "airtcp_version": answer["airtcp_version"],
        "seed": seed,
        "options": options,
        "study": studied.get("options"),
        "paths": paths,
        "considered": len(found),
        "shortfall": answer["shortfall"],
        "links": answer["links"],
        "left_out": answer["left_out"],
        "fits": answer["fits"],
        "formulas": answer["formulas"],
        "skipped": studied.get("skipped", []),
        "interrupted": answer["interrupted"] or studied.get("interrupted", False),
    }
    return FitResult(document)


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
    spec = _given(
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
    **reading: Any,
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
    names = ("interval", "layout", "column", "kind", "time_column", "time_unit")
    unknown = sorted(set(reading) - set(names))
    if unknown:
        message = f"convert() got an unexpected keyword argument {unknown[0]!r}"
        raise TypeError(message)
    options = {"read": _read(*(reading.get(name) for name in names)), **_given(format=fmt)}
    written = _core.trace_convert(_paths(links), os.fspath(target), json.dumps(options), progress)
    return [Path(name) for name in written]


def registry(family: str | None = None) -> list[dict[str, str]]:
    """List what can be chosen by name.

    Args:
        family: One family, such as "loss", "queue", "congestion"; all if left out.

    Returns:
        Entries with `family`, `name`, `description` and `source`.

    Examples:
        >>> sorted(entry["name"] for entry in registry("queue"))
        ['drop-tail', 'jersey', 'red']
    """
    return json.loads(_core.registry(family))


def schema(
    kind: Literal["scenario", "study", "run", "trace", "compare"] = "scenario",
) -> dict[str, Any]:
    """Give the JSON Schema of a document.

    Args:
        kind: Which document.

    Examples:
        >>> "links" in schema("study")["properties"]
        True
    """
    return json.loads(_core.schema(kind))


def published(ids: str | Iterable[str] = (), *, papers: PathLike | None = None) -> list[Figure]:
    """List the published tables and figures that can be reproduced.

    Args:
        ids: Ids, or what ids begin with; all if left out.
        papers: The folder of paper files, in place of airtcp's own.

    Raises:
        AirtcpError: If a file is not what it should be.

    Examples:
        >>> published("S1.fig13")[0].item
        'Figure 13'
    """
    from airtcp.papers.library import Library, default_root

    library = Library(default_root() if papers is None else Path(papers))
    wanted = [ids] if isinstance(ids, str) else list(ids)
    return [library.figure(id_) for id_ in library.choose(wanted)]


def reproduce(
    ids: str | Iterable[str] = (),
    *,
    papers: PathLike | None = None,
    runs: int | None = None,
    seed: int = 1,
    sensitivity: bool = True,
    cache: bool | PathLike = True,
    data: PathLike | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> PapersResult:
    """Make published experiments again and compare what comes out with what was published.

    Args:
        ids: Papers, tables, figures, or what their ids begin with; everything if left out.
        papers: The folder of paper files, in place of airtcp's own.
        runs: Independent repeats, in place of what the files say.
        seed: Root seed; the same seed gives the same result.
        sensitivity: Whether to try the alternatives of what a publication leaves open.
        cache: Whether to keep and use what was worked out before, or the folder to keep it in.
        data: The folder of measured data, in place of what AIRTCP_DATA says.
        workers: Threads; all cores if left out. The result does not depend on it.
        progress: Called with done, total and a label.

    Returns:
        The result; `interrupted` is true if Ctrl-C stopped the work, and the figures that were
        finished are in it.

    Raises:
        AirtcpError: If a file is not what it should be.
    """
    from airtcp.papers import cache as kept
    from airtcp.papers.reproduce import Options, data_folder
    from airtcp.papers.reproduce import reproduce as run_all
    from airtcp.papers.result import PapersResult

    folder = kept.default_folder() if cache is True else Path(cache) if cache else None
    options = Options(
        papers=None if papers is None else Path(papers),
        runs=runs,
        seed=seed,
        cache=folder,
        sensitivity=sensitivity,
        workers=workers,
        data=data_folder() if data is None else Path(data),
    )
    wanted = [ids] if isinstance(ids, str) else list(ids)
    figures, interrupted = run_all(wanted, options, progress)
    return PapersResult(figures, seed=seed, interrupted=interrupted)
