"""Comparisons of schemes in the 802.11 cells of scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from airtcp import _core
from airtcp.inputs.arguments import as_json, names_of, only_given, paths_of
from airtcp.inputs.file_kinds import reads
from airtcp.inputs.progress import shows_progress
from airtcp.laws.given import OwnLaws
from airtcp.laws.limit import STANDARD
from airtcp.questions.compare import names
from airtcp.questions.scenarios import (
    only_table,
    replaced_texts,
    scenario_texts,
    table_text,
    warn_about,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from airtcp.inputs.arguments import PathLike, Progress
    from airtcp.questions.compare.result import SchemesResult


@reads("compare --schemes")
@shows_progress
def compare_schemes(
    scenarios: PathLike | Iterable[PathLike] | Mapping[str, Any],
    *,
    schemes: str | Iterable[str] = "all",
    reference: str | None = None,
    replications: int | None = None,
    seed: int | None = None,
    text: str | None = None,
    overrides: Mapping[str, Any] | None = None,
    law: str | Iterable[str] = (),
    law_timeout: str = STANDARD,
    workers: int | None = None,
    progress: Progress | None = None,
    warn: Callable[[str], object] | None = None,
) -> SchemesResult:
    """Compare schemes in the same cell, with paired differences.

    Args:
        scenarios: TOML files that describe 802.11 cells, or one scenario as a table of Python
            values.
        schemes: Variants of the cell, as a list or separated by commas: `base` for the scenario as
            written, `edca`, a scheme or queue discipline by its tag (`airtcp.registry("scheme")`,
            `airtcp.registry("queue")`), `rts`, `ack-1`. Keys follow colons
            (`ftca:exclusive=true`), and a plus sign joins variants (`ftca+rts`). `all` stands for
            each of these that can act in the cell.
        reference: The variant that the others are compared with; by default `base`.
        replications: Number of replications; by default the scenario's if it has several, else 10.
        seed: Root seed; by default the scenario's.
        text: The text of the scenario, instead of the file; `scenarios` is then its name in
            messages.
        overrides: Values that replace those of the scenarios, by path.
        law: Files with congestion controls of one's own that the scenarios name. Their code runs.
        law_timeout: Processor time that a replication with a law in Python may take.
        workers: Number of threads, or of processes with a law in Python; by default all cores. The
            result does not depend on it.
        progress: Called with done, total and a label.
        warn: Called before the runs with each warning about the cells.

    Returns:
        The result. If Ctrl-C stopped the comparison, `interrupted` is true and the result holds
        the replications that every variant finished.

    Raises:
        ScenarioError: If a scenario cannot be run, or has no cell.
        AirtcpError: If a variant is impossible, or one that is named cannot act in the cell.

    Examples:
        >>> cell = '''
        ... duration = "500 ms"
        ... [[cells]]
        ... layout = { kind = "star", stations = 2, radius_m = 5 }
        ... [[flows]]
        ... count = 2
        ... from = "sta*"
        ... to = "ap"
        ... '''
        >>> result = compare_schemes("cell", text=cell, schemes="rts,ack-1", replications=3)
        >>> result
        SchemesResult(3 variants, 1 scenario, seed 1)
        >>> result.outcomes["variant"]
        ['base', 'rts', 'ack-1']
    """
    from airtcp.questions.compare.result import SchemesResult

    if isinstance(scenarios, Mapping):
        only_table(text)
        scenarios, text = "scenario", table_text(cast("Mapping[str, Any]", scenarios))
    replaced = replaced_texts(dict(overrides or {}))
    laws = OwnLaws([law] if isinstance(law, str) else law, timeout=law_timeout)
    options: dict[str, Any] = {
        "scenarios": scenario_texts(map(Path, paths_of(scenarios)), text),
        "set": replaced,
        "schemes": only_given(
            schemes=names.schemes(names_of(schemes)),
            reference=None if reference is None else names.schemes([reference])[0],
            replications=replications,
            seed=seed,
            workers=laws.threads(workers),
        ),
    }
    warn_about(options, warn, laws.core)
    with laws.sharing("compare_schemes", [as_json(options)], workers) as crew:
        core = _core.compare_schemes(as_json(options), progress, laws.core, crew)
    return SchemesResult(core, {"set": replaced, "law": laws.sources})
