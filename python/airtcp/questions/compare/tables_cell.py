"""`airtcp compare --schemes`: the same 802.11 cell under several schemes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airtcp.cli.console import fail, note, progress, refusals, screen
from airtcp.cli.remarks import put_finding, put_findings, put_remarks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from airtcp.cli.output import Output
    from airtcp.cli.tables import Column
    from airtcp.data.documents import SchemeQuestion, SchemesSubject
    from airtcp.questions.compare.result import SchemesResult


def compare(
    scenarios: Sequence[str],
    schemes: Sequence[str],
    *,
    reference: str | None,
    replications: int | None,
    seed: int | None,
    overrides: dict[str, Any],
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
        workers: As for `compare_schemes`.
        output: The requested output.
    """
    from airtcp.cli import places, write
    from airtcp.questions.compare import call_cell

    _refuse_traces(scenarios)
    where = output.places([*scenarios, *places.of_scenarios(list(scenarios))])
    with refusals("compare", scenarios), progress(quiet=output.quiet) as tell:
        result = call_cell.compare_schemes(
            scenarios,
            schemes=schemes,
            reference=reference,
            replications=replications,
            seed=seed,
            overrides=overrides,
            workers=workers,
            progress=tell,
            warn=lambda warning: note(f"warning: {warning}", quiet=output.quiet),
        )
    subjects = result.json["subjects"]
    done = subjects[-1]["replications"] if subjects else 0
    finished = write.finished(done, "replication") if done else "nothing was finished"
    output.finish(
        result,
        where,
        table=lambda: put_result(result.shown()),
        rows=lambda: (result.outcomes, _rows(result)),
        stopped=finished if result.interrupted else None,
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


def put_result(result: SchemesResult) -> None:
    """Print a comparison: each scenario with its table, rankings and findings."""
    console = screen()
    document = result.json
    for subject in document["subjects"]:
        _subject(console, subject, document["reference"])
    console.print(f"seed {result.seed}, airtcp {document['airtcp_version']}")


def _subject(console: Console, subject: SchemesSubject, reference: str) -> None:
    from rich.text import Text

    from airtcp.cli.tables import put
    from airtcp.questions.compare import findings_cell as schemes

    found = schemes.findings(subject, reference)
    name = subject["title"] or subject["name"]
    console.print(Text.assemble((name, "bold"), f" ({schemes.head(subject)})"))
    put_finding(console, found[0])
    names = [outcome["variant"] for outcome in subject["outcomes"]]
    put(console, "scheme", names, _columns(subject))
    for question in subject["verdict"]["questions"]:
        _ranking(console, subject, question, reference)
    put_findings(console, found[1:])
    put_remarks(console, [f"{line}." for line in schemes.sets(subject)])
    claims = [schemes.CLAIMS] if subject["verdict"]["replications"] > 1 else []
    put_remarks(console, [*subject["notes"], *claims])
    console.print()


def _columns(subject: SchemesSubject) -> list[Column]:
    from airtcp.cli.tables import metric_column
    from airtcp.data.metrics import columns
    from airtcp.words.columns import with_values

    rows: list[dict[str, Any]] = [dict(outcome) for outcome in subject["outcomes"]]
    metrics = with_values(columns("schemes", "SchemeOutcome"), rows)
    return [metric_column(metric, rows) for metric in metrics]


def _ranking(
    console: Console, subject: SchemesSubject, question: SchemeQuestion, reference: str
) -> None:
    """Print the variants in the order of one question, each with how far it is behind."""
    from rich.text import Text

    from airtcp.cli.tables import Column, put
    from airtcp.data.metrics import record
    from airtcp.questions.compare import cell_values as scheme_values
    from airtcp.questions.compare import findings_cell as schemes
    from airtcp.words import sentences as words

    order, quantity = question["ranking"]["order"], question["quantity"]
    metric = record("schemes", "SchemeOutcome")[quantity]
    means = [
        scheme_values.mean_of(scheme_values.outcome_of(subject, name), quantity) for name in order
    ]
    behind = {lag["variant"]: lag["behind"] for lag in question["lags"]}
    outcomes = [scheme_values.outcome_of(subject, name) for name in order]
    unit = "" if quantity.endswith("jain_index") else "\n(%)"
    largest = max((mean["mean"] or 0.0 for mean in means), default=0.0)
    least = question["matters"] * (largest if question["relative"] else 1.0)
    columns = [
        Column(
            metric.head.lower().replace("mb/s", "Mb/s").replace(" (", "\n("),
            [words.estimate(mean, metric.scale, metric.limits) for mean in means],
            [words.estimate(mean, metric.scale, short=True) for mean in means],
        ),
        Column(
            "behind the\nfirst",
            [words.estimate(behind.get(name), metric.scale, words.ANY) for name in order],
            [
                words.estimate(behind.get(name), metric.scale, words.ANY, short=True)
                for name in order
            ],
        ),
        Column("", [_place(question, name, least) for name in order], left=True),
        Column(
            f"vs {reference}{unit}",
            [_against(outcome, question, interval=True) for outcome in outcomes],
            [_against(outcome, question, interval=False) for outcome in outcomes],
        ),
    ]
    console.print(Text(f"Ranking: {schemes.HEADINGS[question['aspect']]}", style="bold"))
    put(console, "scheme", order, columns)


def _place(question: SchemeQuestion, name: str, least: float) -> str:
    """Write the place of a scheme in a ranking.

    Args: question: What is asked. name: The scheme. least: The distance from the first that counts.
    """
    ranking = question["ranking"]
    if ranking["order"][0] == name:
        return "first"
    if len(ranking["order"]) > 1 and not any(
        lag["behind"]["ci_low"] is not None for lag in question["lags"]
    ):
        return "not tested"
    if name in ranking["worse"]:
        return "behind"
    behind = next(lag["behind"]["ci_high"] for lag in question["lags"] if lag["variant"] == name)
    # Two variants are as good if the interval of their distance excludes one that counts.
    return "as good" if behind is not None and behind < least else "cannot tell"


def _against(outcome: Any, question: SchemeQuestion, *, interval: bool) -> str:
    from airtcp.questions.compare import cell_values as scheme_values

    if not outcome["differences"]:
        return "reference"
    return scheme_values.difference(outcome, question["quantity"], interval=interval) or "-"


def _rows(result: SchemesResult) -> list[dict[str, Any]]:
    """Return the outcomes of the document, each with its scenario."""
    return [
        {"subject": subject["name"], **outcome}
        for subject in result.json["subjects"]
        for outcome in subject["outcomes"]
    ]
