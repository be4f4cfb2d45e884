"""The function `run`: simulate a scenario."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp import _core
from airtcp._core import LawError
from airtcp.data.plain import printable
from airtcp.inputs.arguments import as_json, native, only_given
from airtcp.inputs.file_kinds import reads
from airtcp.inputs.progress import shows_progress
from airtcp.laws.given import own_laws
from airtcp.laws.limit import STANDARD
from airtcp.questions import scenarios

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from airtcp.files.folder import Purpose
    from airtcp.inputs.arguments import PathLike, Progress
    from airtcp.laws.given import Tcp
    from airtcp.questions.run.result import RunResult, Why


@reads("run")
@shows_progress
def run(
    scenario: PathLike | Mapping[str, Any],
    *,
    text: str | None = None,
    seed: int | None = None,
    replications: int | None = None,
    overrides: Mapping[str, Any] | None = None,
    tcp: Tcp | None = None,
    law: str | Iterable[str] = (),
    law_timeout: str = STANDARD,
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
        tcp: The TCP of every TCP flow, in place of the scenario's: a name as in `compare`, or a
            congestion control of one's own, a class on `airtcp.laws.Law`.
        law: Files with congestion controls of one's own that the scenario names, as in
            `tcp.congestion = { external = "Aimd" }`. Their code runs.
        law_timeout: Processor time that a replication with a law in Python may take, and a call of
            a compiled law: an endless loop in a law ends then. Such a call ends the process, but
            not with several replications of a law in a shared library.
        series: Whether to record windows, round-trip times, queues and stations over time in the
            first replication, as tables of the result.
        pcap: File for a capture (pcapng) of the first replication, taken at the senders.
        timeline: Interval of the first replication, such as `"2 s..2.02 s"`, in which to record
            every frame on the air, back-off and NAV, as tables of the result.
        radiotap: Folder for captures (pcapng with radiotap headers) of the first replication, one
            for each station of the 802.11 cells, with the frames that it sent and heard.
        why: Whether to find what limits the flows, by runs with one thing taken away: `"auto"` with
            a quarter of the measured time, `"yes"` with the whole time, or `"no"`. The document has
            the answer as `limits` and `why`, and as `trials` what advised changes do to each flow.
        purpose: The command that the captures in `radiotap` belong to; decides what may replace
            them later.
        force: Whether to replace captures that another process writes there during the run.
        workers: Number of threads, or of processes with a law in Python; by default all cores. The
            result does not depend on it.
        progress: Called with done, total and a label, in hundredths of a replication.
        warn: Called before the run with each warning about its cells, such as stations out of
            range; the result has them as `warnings`.

    Returns:
        The result. If Ctrl-C stopped the run, `interrupted` is true.

    Raises:
        ScenarioError: If the scenario cannot be run; the message names line and path.
        LawError: If a congestion control of one's own cannot be loaded, or fails in the run. Its
            `result` has the replications that were finished before, if there are any.

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
    from airtcp.questions.run import trials
    from airtcp.questions.run.captures import Captures
    from airtcp.questions.run.result import RunResult, RunSettings

    if isinstance(scenario, Mapping):
        scenarios.only_table(text)
        scenario, text = scenarios.IN_PYTHON, scenarios.table_text(scenario)
    path = _path(scenario)
    name = printable(str(path))
    laws, put = own_laws(law, tcp, law_timeout)
    asked = RunSettings(
        scenario=printable(os.fspath(scenario)) if text is None else "-",
        replications=replications,
        overrides=scenarios.replaced_texts(overrides or {}),
        series=series,
        timeline=timeline,
        why=why,
        tcp=put,
        laws=tuple(laws.sources),
    )
    text = scenarios.scenario_text(path) if text is None else scenarios.parsable(text, name)
    replaced = only_given(seed=seed, replications=replications) | dict(overrides or {})
    replaced |= {"output.series": True} if series else {}
    options = only_given(
        set=scenarios.replaced_texts(replaced),
        workers=laws.threads(workers),
        tcp=put,
        folder=native(path.parent),
        timeline=timeline,
        why=why,
    )
    if warn is not None:
        about = options | {"capture": pcap is not None or radiotap is not None}
        for warning in _core.warnings(text, name, as_json(about), laws.core):
            warn(warning)
    # What is recorded is recorded in this process.
    captures = Captures(pcap, radiotap, purpose, force)
    shared = {key: value for key, value in options.items() if key != "timeline"}
    apart = laws.are_libraries and _has_several(text, options["set"])
    sharing = laws.sharing("run", [text, name, as_json(shared)], workers, apart=apart)
    with atomic_write.staged() as files, sharing as crew:
        staged = options | captures.stage(files)
        core, failure = _kept(
            lambda: _core.run(text, name, as_json(staged), progress, laws.core, crew)
        )
        found: list[dict[str, Any]] = []
        if why != "no" and not core.interrupted:

            def run_with(values: list[list[str]]) -> Any:
                sets = [*options["set"], *values]
                more = shared | {"set": sets, "why": "no"}
                return _tried(text, name, as_json(more), progress, laws.core)

            found = trials.run_trials(json.loads(core.json()), run_with)
        result = captures.placed(files, RunResult(core, asked, found), core)
    if failure is not None:
        failure.result = result
        raise failure
    return result


def _kept(call: Callable[[], _core.RunResult]) -> tuple[_core.RunResult, LawError | None]:
    """Return what a call has finished, with the error of a law that ended it.

    Raises:
        LawError: If nothing was finished.
    """
    try:
        return call(), None
    except LawError as error:
        kept = error.kept
        if kept is None or not json.loads(kept.json())["replications"]:
            raise
        error.kept = None
        return kept, error


def _has_several(text: str, replaced: list[list[str]]) -> bool:
    """Return whether there are several replications, of which some may be finished before others.

    Args: text: The scenario. replaced: Paths and values that replace its own.
    """
    given = dict(replaced).get("replications")
    try:
        return int(given or tomllib.loads(text).get("replications", 1)) > 1
    except (ValueError, TypeError, RecursionError):
        return False  # the extension says what is wrong


def _path(scenario: PathLike) -> Path:
    try:
        return Path(scenario)
    except TypeError:
        kind = type(scenario).__name__
        message = (
            f"scenario is of {kind}: airtcp.run reads one; expected a path, or a table as a dict"
        )
        raise TypeError(message) from None


def _tried(
    text: str, name: str, options: str, progress: Progress | None, laws: _core.Laws | None
) -> Any:
    """Run a changed scenario and return its document; None if it cannot be run, or was stopped."""
    try:
        core = _core.run(text, name, options, progress, laws)
    except _core.ScenarioError:
        return None
    return None if core.interrupted else json.loads(core.json())
