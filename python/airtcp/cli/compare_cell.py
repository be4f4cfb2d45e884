"""`airtcp compare --schemes`: the same 802.11 cell under several schemes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airtcp.cli.console import fail, note, progress, refusals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.cli.output import Output
    from airtcp.questions.compare.result import SchemesResult


def compare(
    scenarios: Sequence[str],
    schemes: Sequence[str],
    *,
    reference: str | None,
    replications: int | None,
    seed: int | None,
    overrides: dict[str, Any],
    law: Sequence[str],
    law_timeout: str,
    workers: int | None,
    output: Output,
) -> None:
    """Compare schemes, print the result and write it.

    Args:
        scenarios: Files with 802.11 cells.
        schemes: Names of the variants.
        reference: As for `compare_schemes`.
        replications: As for `compare_schemes`.
        seed: As for `compare_schemes`.
        overrides: As for `compare_schemes`.
        law: As for `compare_schemes`.
        law_timeout: As for `compare_schemes`.
        workers: As for `compare_schemes`.
        output: The requested output.
    """
    from airtcp.cli import places
    from airtcp.questions.compare import call_cell

    _refuse_traces(scenarios)
    where = output.places([*scenarios, *places.of_scenarios(list(scenarios))])
    with refusals("compare --schemes", scenarios), progress(quiet=output.quiet) as tell:
        result = call_cell.compare_schemes(
            scenarios,
            schemes=schemes,
            reference=reference,
            replications=replications,
            seed=seed,
            overrides=overrides,
            law=law,
            law_timeout=law_timeout,
            workers=workers,
            progress=tell,
            warn=lambda warning: note(f"warning: {warning}", quiet=output.quiet),
        )
    subjects = result.json["subjects"]
    done = subjects[-1]["replications"] if subjects else 0
    unfinished = "" if done else "nothing was finished"
    output.finish(
        result,
        where,
        rows=lambda: (result.outcomes, _rows(result)),
        stopped=unfinished if result.interrupted else None,
        finished=len(subjects),
    )


def refuse_beside(options: dict[str, Any]) -> None:
    """Refuse options that compare something else, and traces.

    Args:
        options: Values of the options by name; those that are not given are false.
    """
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if value:
            fail(
                f"--schemes and {flag}: --schemes compares the schemes of an 802.11 cell and "
                f"leaves the rest of the scenario as it is; leave {flag} out, or run two commands"
            )


def _refuse_traces(subjects: Sequence[str]) -> None:
    for subject in subjects:
        if not subject.endswith(".toml"):
            fail(
                f"--schemes {subject}: expected scenarios (*.toml) with 802.11 cells; "
                "a trace has no cell"
            )


def _rows(result: SchemesResult) -> list[dict[str, Any]]:
    """Return the outcomes of the document, each with its scenario."""
    return [
        {"subject": subject["name"], **outcome}
        for subject in result.json["subjects"]
        for outcome in subject["outcomes"]
    ]
