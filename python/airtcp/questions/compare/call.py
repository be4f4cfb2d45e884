"""The function `compare`: TCPs and remedies over scenarios and traces."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast

from airtcp import _core
from airtcp.inputs import arrays
from airtcp.inputs.arguments import COMPARED, as_json, only_given, remedies_of
from airtcp.inputs.file_kinds import reads
from airtcp.inputs.progress import shows_progress
from airtcp.inputs.reading import how_to_read
from airtcp.laws.given import OwnLaws
from airtcp.laws.limit import STANDARD
from airtcp.questions import scenarios
from airtcp.questions.compare import names
from airtcp.questions.compare.sound import sound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from airtcp._core import LawError
    from airtcp.data.documents import FailedTcp
    from airtcp.inputs.arguments import Progress
    from airtcp.inputs.arrays import Links
    from airtcp.inputs.reading import Reading
    from airtcp.laws.given import Tcp
    from airtcp.questions.compare.result import CompareResult


@reads("compare")
@shows_progress
def compare(
    subjects: Links,
    *,
    tcp: Tcp | Iterable[Tcp] | None = None,
    law: str | Iterable[str] = (),
    law_timeout: str = STANDARD,
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
            (`cubic:recovery=newreno`), and a link protocol or queue follows an `@`. Also
            congestion controls of one's own, classes on `airtcp.laws.Law`.
        law: Files with congestion controls of one's own that scenarios or `tcp` name. Their code
            runs.
        law_timeout: Processor time that a replication with a law in Python may take, and a call of
            a compiled law: an endless loop in a law ends then.
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
        workers: Number of threads, or of processes with a law in Python; by default all cores. The
            result does not depend on it.
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
        LawError: If a congestion control of one's own cannot be loaded, or fails in a run. Its
            `result` compares the others, if there are any, and names those that failed.

    Examples:
        >>> from airtcp import synth
        >>> path = synth("steady.txt", prr=0.9, packets=20_000, seed=1)
        >>> result = compare(path, tcp="newreno,sack", replications=5, synthetic=False)
        >>> result
        CompareResult(2 TCPs, 1 subject, seed 1)
        >>> result.outcomes["variant"]
        ['newreno', 'sack']
    """
    from airtcp.questions.compare.result import CompareResult

    links: arrays.Links = subjects
    if isinstance(subjects, Mapping):
        scenarios.only_table(text)
    if isinstance(subjects, Mapping) and "flows" in subjects:
        links, text = scenarios.IN_PYTHON, scenarios.table_text(cast("Mapping[str, Any]", subjects))
    with arrays.given(links) as paths:
        files = [Path(path) for path in paths if text is not None or path.lower().endswith(".toml")]
        texts = scenarios.scenario_texts(files, text)
        tried = names.usual([each["text"] for each in texts], flow)
        laws = OwnLaws([law] if isinstance(law, str) else law, timeout=law_timeout)
        read, replaced = (
            how_to_read(reading, of=compare),
            scenarios.replaced_texts(dict(overrides or {})),
        )
        options: dict[str, Any] = {
            "scenarios": texts,
            "set": replaced,
            "read": read,
            "compare": only_given(
                tcp=tried if tcp is None else laws.names(tcp),
                remedies=remedies_of(tcp is None if remedies is None else remedies),
                remedies_up_to=COMPARED if remedies is None else None,
                reference=reference,
                flow=flow,
                share=None if share is None else laws.names(share)[0],
                profile=profile,
                replications=replications,
                seed=seed,
                slot=slot,
                as_link=None if as_link is None else dict(as_link),
                synthetic=synthetic,
                workers=laws.threads(workers),
            ),
        }
        _check(options["compare"])
        scenarios.warn_about(options, warn, laws.core)
        traces = [path for path in paths if Path(path) not in files]
        core, failure = _compared(traces, options, laws, workers, progress)
    result = CompareResult(core, {"read": read, "set": replaced, "law": laws.sources})
    if failure is not None:
        failure.result = result
        raise failure
    return result


def _compared(
    traces: list[str],
    options: Mapping[str, Any],
    laws: OwnLaws,
    workers: int | None,
    progress: Progress | None,
) -> tuple[_core.CoreResult, LawError | None]:
    """Compare; without the laws that fail, whose error is returned."""
    asked = options["compare"]
    # Standard input can be read once.
    once = "-" in traces
    kept = _core.Kept() if laws and not once else None

    def call(
        tcp: Sequence[str], failed: Sequence[FailedTcp] = (), *, ended: bool = False
    ) -> _core.CoreResult:
        chosen = dict(asked) | {"tcp": list(tcp)}
        if len(tcp) < len(asked["tcp"]) and chosen.get("reference") not in tcp:
            chosen.pop("reference", None)
        more = {"compare": chosen, "failed": list(failed), "interrupted": ended}
        text = as_json(dict(options) | more)
        report = _stop if ended else progress
        args = [traces, text]
        with laws.sharing("compare", args, 1 if once else workers, apart=not once) as crew:
            return _core.compare(traces, text, report, laws.core, crew, kept)

    return (call(asked["tcp"]), None) if kept is None else sound(call, asked["tcp"])


def _stop(_done: int, _total: int, _label: str) -> None:
    """Run nothing more: Ctrl-C came before."""
    raise KeyboardInterrupt


def _check(asked: Mapping[str, Any]) -> None:
    """Refuse names that are no TCPs, with the forms that are expected."""
    names.check_tcps(asked.get("tcp", ()))
    names.check_tcps(asked["remedies"], "--remedies")
    names.check_tcps([asked["share"]] if "share" in asked else [], "--share")
