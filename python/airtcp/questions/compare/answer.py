"""The answer of a comparison: which TCP is best over a channel, and what would help.

It follows from the document. Several scenarios or links have their sentences in `answer_many`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.questions.compare import (
    answer_many,
    answer_remedies,
    answer_table,
    answer_tcp,
    findings,
    quantities,
    slot_limits,
    tables,
    tables_remedies,
    unranked,
    verdict,
)
from airtcp.words import notes as notes_words
from airtcp.words import sentences as words
from airtcp.words.answer import DEEPER, Answer
from airtcp.words.sentences import Finding

if TYPE_CHECKING:
    from airtcp.data.documents import CompareDocument, CompareSubject, FailedTcp
    from airtcp.questions.compare.answer_tcp import Told
    from airtcp.words.grid import Grid

_FEW: Final = 2
"""Replications that hardly show how far they spread."""
_IN_FULL: Final = 5
"""Subjects whose details have every table."""


def answer(document: CompareDocument) -> Answer | None:
    """Return the answer of a comparison; none if nothing was finished."""
    subjects = [slot_limits.subject(each) for each in document["subjects"] if each["cases"]]
    if not subjects:
        return None
    if len(subjects) > 1:
        headline, helps = answer_many.sentences(subjects)
        doubt = answer_many.doubt(document, subjects)
        doubt = _failed(document) or _stopped(document, subjects[-1]) or doubt
        also = answer_many.tells(subjects)
    else:
        also = None
        told = answer_tcp.told(subjects[0]["cases"][0])
        headline, helps, open_still = _sentences(subjects[0], document["rival"], told)
        doubt = _failed(document) or _stopped(document, subjects[0])
        doubt = doubt or _doubt(document, subjects[0], open_still)
    further, details = _next(document, subjects), _details(document, subjects)
    grid = table(document)
    return Answer(headline, helps, doubt, grid and grid.within(), further, details, also)


def table(document: CompareDocument, rows: int | None = None) -> Grid | None:
    """Return the table of an answer; none if nothing was finished.

    Args:
        document: The document of the comparison.
        rows: Most rows; by default as many as fit a screen.
    """
    subjects = [slot_limits.subject(each) for each in document["subjects"] if each["cases"]]
    if len(subjects) > 1:
        return answer_many.table(subjects, rows or answer_many.ROWS)
    if not subjects:
        return None
    flow = document["options"].get("flow")
    grid = answer_table.table(subjects[0], document["rival"], rows or answer_table.ROWS, flow)
    return answer_table.with_failed(grid, [one["variant"] for one in _failures(document)])


def _sentences(
    subject: CompareSubject, rival: str | None, told: Told
) -> tuple[str, str | None, str | None]:
    """Return headline and help of one subject, and what is not shown."""
    case, remedies = subject["cases"][0], subject["remedies"]
    helps = None if remedies is None else answer_remedies.helps(case, remedies)
    headline, doubt = told.headline, told.doubt
    if rival is not None and (shared := answer_tcp.sharing(case, rival)) is not None:
        return shared, told.headline, told.tells or doubt
    if helps is None:
        return headline, told.tells, doubt
    return headline, helps, told.tells or doubt


def _failures(document: CompareDocument) -> list[FailedTcp]:
    return document.get("failed") or []


def _failed(document: CompareDocument) -> str | None:
    """Name the TCPs that failed, and why the first did."""
    failed = _failures(document)
    if not failed:
        return None
    first, *others = (answer_tcp.named(one["variant"]) for one in failed)
    also = f"; so did {answer_tcp.some(others)}: --details" if others else ""
    return f"{first} failed and has no numbers: {failed[0]['reason'].rstrip('.')}{also}."


def _stopped(document: CompareDocument, subject: CompareSubject) -> str | None:
    if not document["interrupted"]:
        return None
    return f"{answer_tcp.stopped(subject['cases'][0]['replications'])}."


def _doubt(
    document: CompareDocument, subject: CompareSubject, open_still: str | None
) -> str | None:
    """Say what the answer rests on that could be wrong; the most serious first."""
    case, notes = subject["cases"][0], subject["notes"]
    few = 1 < case["replications"] <= _FEW and case["over"] == "replications"
    few = few and not verdict.open_ones(case)
    slot = words.number((subject["slot_s"] or 0.0) * 1e3, 2)
    number = words.counted(case["replications"], "replication")
    if document["skipped"]:
        return notes_words.not_read(document["skipped"])
    found = (
        (
            verdict.drawn_order(notes),
            "The file does not give the order of losses: it was drawn, and bursts matter.",
        ),
        (
            verdict.one_run(notes),
            "The repetitions are one run, counted several times: they show no spread.",
        ),
        (open_still is not None and not few, open_still),
        (
            subject["slot_assumed"],
            f"Rates and times rest on an assumed slot of {slot} ms: --slot gives another.",
        ),
        (few, f"Rests on {number}: -n 8 runs more."),
        ((left := unranked.doubt(case["verdict"]["not_ranked"])) is not None, left or ""),
    )
    return next((said for applies, said in found if applies), None)


def _next(document: CompareDocument, subjects: list[CompareSubject]) -> str:
    """Name the options that go deeper."""
    said = DEEPER
    lone = document["rival"] is None and len(subjects) == 1
    case = subjects[0]["cases"][0]
    alive = any(outcome["goodput_bps"]["mean"] for outcome in case["outcomes"])
    single = alive and not any(
        measure["criterion"] == "share" for measure in case["verdict"]["measures"]
    )
    if len(subjects) == 1 and (command := _to_tell(subjects[0])) is not None:
        return f"To tell: {command}   {said}"
    if lone and single and case["channel"] == "scenario":
        return f"{said}   How each shares with other flows: --share cubic"
    return said


def _to_tell(subject: CompareSubject) -> str | None:
    """Return the options of the comparison that should tell which TCP, or remedy, is better."""
    command = answer_tcp.told(subject["cases"][0]).command
    remedies = subject["remedies"]
    if command is not None or remedies is None or remedies["over"] != "replications":
        return command
    few = answer_remedies.few(remedies)
    return None if few is None else few.command("remedies", None, remedies["replications"])


def _details(
    document: CompareDocument, subjects: list[CompareSubject]
) -> tuple[Finding | Grid, ...]:
    """Return every table, finding and note."""
    parts: list[Finding | Grid] = []
    if len(subjects) <= _IN_FULL:
        for subject in subjects:
            parts += _in_full(subject, document["reference"], document["rival"])
    else:
        parts += answer_many.details(subjects)
    if document["skipped"]:
        number = len(document["skipped"])
        first = f"{document['skipped'][0]['path']} ({document['skipped'][0]['reason']})"
        parts.append(Finding(words.unread(number), first))
    parts += [Finding(f"{one['variant']} failed", one["reason"]) for one in _failures(document)]
    about = f"Seed {document['seed']}, airtcp {document['airtcp_version']}"
    return (*parts, Finding(about, ""))


def _in_full(subject: CompareSubject, reference: str, rival: str | None) -> list[Finding | Grid]:
    parts: list[Finding | Grid] = [
        tables.case_grid(
            case, reference, rival, tables.heading(subject, case), cells=quantities.cells(subject)
        )
        for case in subject["cases"]
    ]
    parts += [*findings.not_ranked(subject["cases"][0]), *findings.look_alikes(subject)]
    parts += [Finding("Note", note) for note in subject["notes"]]
    if (remedies := subject["remedies"]) is not None:
        parts += [tables_remedies.grid(remedies), *findings.not_ranked(remedies)]
        parts += [Finding("Note", note) for note in remedies["notes"]]
    return parts
