"""Output of `airtcp compare`: a table and findings for each case, or a line for each link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.cli.console import screen
from airtcp.cli.remarks import put_finding, put_findings, put_remarks, put_unread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from airtcp.cli.tables import Column
    from airtcp.data.documents import CompareCase, CompareSubject
    from airtcp.questions.compare.result import CompareResult


_IN_FULL: Final = 5
"""Maximum number of subjects with separate tables."""

_ROWS: Final = 40
"""Maximum number of lines of the overview."""


def put_result(result: CompareResult) -> None:
    """Print a comparison: each case in full, or a line for each of many."""
    console = screen()
    document = result.json
    subjects = document["subjects"]
    reference, rival = document["reference"], document["rival"]
    if len(subjects) <= _IN_FULL:
        for subject in subjects:
            _in_full(console, subject, reference, rival)
    else:
        _many(console, subjects)
    put_unread(console, document["skipped"])
    console.print(f"seed {result.seed}, airtcp {document['airtcp_version']}")


def _in_full(console: Console, subject: CompareSubject, reference: str, rival: str | None) -> None:
    """Print the conclusion on one scenario or link, its tables and its findings."""
    from airtcp.questions.compare import findings as compare
    from airtcp.questions.compare import slot_limits
    from airtcp.questions.compare import tables_remedies as remedies

    findings = compare.subject_findings(subject, reference, rival)
    subject = slot_limits.subject(subject)
    for i, case in enumerate(subject["cases"]):
        _heading(console, subject, case)
        if i == 0:
            put_finding(console, findings[0])
        case_table(console, case, reference, rival)
    put_findings(console, findings[1:])
    put_remarks(console, subject["notes"])
    console.print()
    helped = subject["remedies"]
    if helped is not None:
        remedies.section(console, helped)


def _many(console: Console, subjects: Sequence[CompareSubject]) -> None:
    """Print a line for each of many subjects, and their common findings."""
    from airtcp.questions.compare import findings as compare
    from airtcp.questions.compare import findings_remedies as remedies_words
    from airtcp.words import notes

    cases = [(subject["name"], subject["cases"][0]) for subject in subjects]
    overview(console, cases)
    helped = [(s["name"], each) for s in subjects if (each := s["remedies"]) is not None]
    put_findings(console, [compare.best_choices(cases), *remedies_words.summaries(helped)])
    put_remarks(console, notes.notes(subjects))


def _heading(console: Console, subject: CompareSubject, case: CompareCase) -> None:
    from rich.text import Text

    from airtcp.questions.compare import findings as compare
    from airtcp.questions.compare import quantities
    from airtcp.words import sentences as words
    from airtcp.words.sentences import SLOT_ASSUMED

    parts = [quantities.repeats(case)]
    if case["channel"] != "scenario":
        parts.insert(0, f"over {compare.CHANNELS[case['channel']]}")
    each = f"{words.number(subject['duration_s'])} s"
    if subject["kind"] != "trace":
        parts.append(f"{each} each")
    if subject["slot_assumed"]:
        parts.append(SLOT_ASSUMED)
    name = subject["title"] or subject["name"]
    console.print(Text.assemble((name, "bold"), f" ({', '.join(parts)})"))


def case_table(console: Console, case: CompareCase, reference: str, rival: str | None) -> None:
    """Print the table of TCPs of one case."""
    from airtcp.cli.tables import put

    names = [outcome["variant"] for outcome in case["outcomes"]]
    put(console, "TCP", names, _columns(case, reference, rival))


def _columns(case: CompareCase, reference: str, rival: str | None) -> list[Column]:
    from airtcp.questions.compare import findings as compare
    from airtcp.questions.compare.tables_columns import against, means, plain
    from airtcp.words import columns as metrics
    from airtcp.words.sentences import SHARE

    outcomes = case["outcomes"]

    unit = compare.goodput(outcomes[0])[1]
    # Others are beside a rival, which has its own column.
    plains = [m for m in metrics.outcomes() if not (rival and m.key == "others_goodput_bps")]
    columns = [
        means(f"goodput\n({unit})", [compare.goodput(o)[0] for o in outcomes], 1.0),
        against(reference, outcomes) if len(outcomes) > 1 else None,
        means("share\n(%)", [o["share"] for o in outcomes], 100.0, limits=SHARE),
        means(f"{rival} gets\n(Mb/s)", [o["rival_goodput_bps"] for o in outcomes], 1e-6, 1),
        *(plain(metric, outcomes) for metric in plains),
    ]
    return [column for column in columns if column is not None]


def choices(console: Console, compared: list[tuple[str, CompareCase]]) -> None:
    """Print the table of TCPs over one link, or the verdict over each of several.

    Args:
        console: Where to print.
        compared: Name and case of each link; none, and nothing is printed.
    """
    from airtcp.questions.compare.quantities import reference_of

    if compared:
        console.print()
    if len(compared) > 1:
        overview(console, compared)
    elif compared:
        case = compared[0][1]
        case_table(console, case, reference_of(case), None)


def overview(console: Console, compared: list[tuple[str, CompareCase]]) -> None:
    """Print a line for each of several links: the verdict over it.

    Args:
        console: Where to print.
        compared: Name and case of each link.
    """
    from airtcp.cli.tables import Column, put
    from airtcp.questions.compare import findings as compare
    from airtcp.questions.compare import verdict
    from airtcp.words import sentences as words

    shown = compared[:_ROWS]
    cases = [case for _, case in shown]
    columns = [
        Column("best choice", [verdict.best_text(case) or "-" for case in cases], left=True),
        Column(
            "goodput",
            [
                "-" if (name := compare.best(case)) is None else compare.shown(case, name)
                for case in cases
            ],
            rank=2,
        ),
        Column(
            "other strengths",
            [_names([c["variant"] for c in case["verdict"]["alternatives"]]) for case in cases],
            rank=1,
            left=True,
        ),
        Column(
            "worse",
            [_names([c["variant"] for c in case["verdict"]["worse"]]) for case in cases],
            rank=3,
            left=True,
        ),
    ]
    put(console, "link", [name for name, _ in shown], columns)
    if len(compared) > _ROWS:
        console.print(f"{_ROWS} of {words.count(len(compared))}; all are in --format csv")


def _names(names: list[str]) -> str:
    return ", ".join(names) or "-"
