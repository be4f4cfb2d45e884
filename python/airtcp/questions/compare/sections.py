"""The page of a comparison: findings, charts and table of each scenario or link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.inputs.toml_text import inline
from airtcp.pages.command import command
from airtcp.pages.page import indented, render
from airtcp.questions.compare import answer as answer_compare
from airtcp.questions.compare import charts as charts_compare
from airtcp.questions.compare import charts_answer, quantities, slot_limits
from airtcp.questions.compare import findings as compare
from airtcp.questions.compare import findings_remedies as remedies_words
from airtcp.questions.compare import sections_remedies as remedies
from airtcp.questions.compare.rows import (
    CHANNEL_NAMES,
    mean_row,
    overview,
    run_rows,
    table,
    window_rows,
)
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import (
        CompareDocument,
        CompareSubject,
        Link,
    )

MOST_ROWS: Final = 2000
"""Rows of the table below the answer."""
_SECTIONS: Final = 40
"""Most subjects with a separate section; the others are in the overview only."""


def compare_page(document: CompareDocument) -> str:
    """Make the page.

    Args: document: The document of a comparison.

    Returns:
        A complete HTML document. Equal documents give equal pages.
    """
    subjects = document["subjects"]
    charts: dict[str, Any] = {}
    data: dict[str, Any] = {}
    sections = [
        section(i, subject, document, charts, data)
        for i, subject in enumerate(subjects[:_SECTIONS])
    ]
    if (first := charts_answer.chart(document)) is not None:
        charts[charts_answer.NAME], data[charts_answer.NAME] = first
    return render(
        "compare.html.j2",
        "compare.js",
        {"kind": "compare", "charts": charts, "data": data},
        document,
        answer=answer_compare.answer(document),
        chart=charts_answer.NAME,
        whole=answer_compare.table(document, MOST_ROWS),
        first=first is not None,
        title=_title(document),
        lead="Every TCP ran over the same channel: in a replication the link treats every TCP"
        " alike, so that differences are those of the TCPs.",
        facts=[
            ("TCPs", words.count(len(document["variants"]))),
            ("Reference", document["reference"]),
            *([("Rival", document["rival"])] if document["rival"] else []),
        ],
        findings=_findings(document),
        sections=sections,
        overview=overview([(s["name"], s["cases"][0]) for s in subjects])
        if len(subjects) > 1
        else None,
        hidden=max(len(subjects) - _SECTIONS, 0),
        skipped=document["skipped"],
        reference=document["reference"],
        sharing=document["rival"],
        options=indented(document["options"]),
        command=_command(document),
    )


def best_choices(links: Sequence[Link]) -> dict[str, Any] | None:
    """Return the part of a study's page on the TCPs compared over its links.

    Args:
        links: The links of the study.

    Returns: The values of the template, with `charts` and `data` for the payload; None if no TCPs
        were compared.
    """
    compared = [
        (link["name"], slot_limits.case(case, link["tcp"]["slot_s"]))
        for link in links
        if (case := link.get("compared"))
    ]
    if not compared:
        return None
    case = compared[0][1]
    ordered = next(link["order_known"] for link in links if link.get("compared"))
    variants = [outcome["variant"] for outcome in case["outcomes"]]
    reference = quantities.reference_of(case)
    means = [
        {"link": name, **mean_row(each, outcome)}
        for name, each in compared
        for outcome in each["outcomes"]
    ]
    drawn: dict[str, list[dict[str, Any]]] = {"means": means, "unit": [{}]}
    known = any(row["gain"] is not None for row in means)
    charts: dict[str, Any] = {}
    data: dict[str, Any] = {}
    if len(compared) == 1:
        unit = compare.goodput(case["outcomes"][0])[1]
        charts["choice-goodput"] = charts_compare.goodput(variants, unit, several=False, runs=False)
        data["choice-goodput"] = {"means": means}
        if known:
            chart = charts_compare.difference(variants, reference, several=False)
            charts["choice-difference"], data["choice-difference"] = chart, drawn
        laid = table(case, reference, None)
    else:
        if known:
            names = [name for name, _ in compared]
            charts["choice-links"] = charts_compare.by_link(variants, names, reference)
            data["choice-links"] = drawn
        laid = overview(compared)
    return {
        "charts": charts,
        "data": data,
        "finding": compare.best_choices(compared)
        if len(compared) > 1
        else compare.best_choice(case, ordered=ordered),
        "reference": reference,
        "table": laid,
        "one": len(compared) == 1,
        "stretches": case["replications"],
    }


def _title(document: CompareDocument) -> str:
    subjects = document["subjects"]
    if len(subjects) == 1:
        return f"TCPs compared: {subjects[0]['title'] or subjects[0]['name']}"
    return f"TCPs compared on {words.count(len(subjects))} scenarios and links"


def _findings(document: CompareDocument) -> list[words.Finding]:
    subjects = document["subjects"]
    if len(subjects) == 1:
        return compare.subject_findings(subjects[0], document["reference"], document["rival"])
    if not subjects:
        return []
    found = [compare.best_choices([(s["name"], s["cases"][0]) for s in subjects])]
    helped = [(s["name"], each) for s in subjects if (each := s["remedies"]) is not None]
    return [*found, *remedies_words.summaries(helped)]


def _command(document: CompareDocument) -> str:
    asked, subjects = document["options"], document["subjects"]
    few = asked["remedies_up_to"] is None or len(subjects) <= asked["remedies_up_to"]
    options: list[tuple[str, Any]] = [
        ("tcp", ",".join(document["variants"])),
        ("seed", document["seed"]),
        ("remedies", ",".join(asked["remedies"]) if few and asked["remedies"] else None),
        *((n, asked.get(n)) for n in ("reference", "flow", "share", "profile", "replications")),
        ("slot", asked.get("slot")),
        ("no-synthetic", None if asked["synthetic"] else True),
        ("set", [f"{path}={value}" for path, value in asked.get("set", [])]),
    ]
    link = asked.get("as_link")
    if link is not None:
        queue = link["queue"]
        simple = queue["kind"] == "drop-tail" and set(queue) <= {"kind", "packets"}
        short = f"rate={link['rate']},delay={link['delay']},queue={queue.get('packets')}"
        options.append(("as-link", short if simple else inline(link)))
    return command(
        "compare",
        paths=[s["name"] if s["source"] is None else s["source"]["path"] for s in subjects],
        options=options,
        read=asked.get("read"),
    )


def section(
    index: int,
    subject: CompareSubject,
    document: CompareDocument,
    charts: dict[str, Any],
    data: dict[str, Any],
) -> dict[str, Any]:
    """Return the section of one subject; its charts and data go to the payload."""
    subject = slot_limits.subject(subject)
    reference, rival = document["reference"], document["rival"]
    plots = _plots(subject, document)
    for name, (chart, rows_of) in plots.items():
        charts[f"{name}-{index}"] = chart
        data[f"{name}-{index}"] = rows_of
    helped = None
    if subject["remedies"] is not None:
        helped = remedies.section(subject["remedies"], f"-{index}")
        charts.update(helped["charts"])
        data.update(helped["data"])
    return {
        "id": f"subject-{index}",
        "index": index,
        "name": subject["name"],
        "title": subject["title"] or subject["name"],
        "over": _over(subject),
        "plots": list(plots),
        "tables": [
            {
                "over": compare.CHANNELS[case["channel"]],
                "table": table(case, reference, rival),
            }
            for case in subject["cases"]
        ],
        "findings": compare.subject_findings(subject, reference, rival),
        "remedies": helped,
        "notes": subject["notes"],
        "tcp": [[entry["variant"], entry["law"], entry["recovery"]] for entry in subject["tcp"]],
        "scenario": indented(subject["scenario"]) if subject["scenario"] else None,
        "parameters": indented({entry["variant"]: entry["parameters"] for entry in subject["tcp"]}),
    }


def _plots(
    subject: CompareSubject, document: CompareDocument
) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Draw one subject; return each chart with its data, by name."""
    cases = subject["cases"]
    first, several = cases[0], len(cases) > 1
    variants, rival = document["variants"], document["rival"]
    unit = compare.goodput(first["outcomes"][0])[1]
    means = [mean_row(case, outcome) for case in cases for outcome in case["outcomes"]]
    own = [row for row in means if row["channel"] == CHANNEL_NAMES[first["channel"]]]
    plots = {
        "goodput": (
            charts_compare.goodput(variants, unit, several=several),
            {"means": means, "runs": run_rows(cases)},
        ),
    }
    if any(row["gain"] is not None for row in means):
        chart = charts_compare.difference(variants, document["reference"], several=several)
        plots["difference"] = (chart, {"means": means, "unit": [{}]})
    if any(row["rtt"] is not None for row in own):
        plots["delay"] = (charts_compare.against_delay(variants, unit), {"means": own})
    if rival is not None:
        plots["shares"] = (charts_compare.shares(variants, rival), {"means": own, "unit": [{}]})
    rows = window_rows(first)
    if rows:
        plots["windows"] = (charts_compare.windows(variants), {"windows": rows})
    return plots


def _over(subject: CompareSubject) -> str:
    case = subject["cases"][0]
    repeats = quantities.repeats(case)
    duration = f"{words.number(subject['duration_s'])} s"
    if subject["kind"] == "trace":
        slot = (subject["slot_s"] or 0.0) * 1e3
        known = ", assumed" if subject["slot_assumed"] else ""
        return (
            f"A trace of {duration}, one packet every {words.number(slot)} ms{known}, in {repeats}."
        )
    where = {
        "trace-as-link": "The trace as the losses of a link: ",
        "capacity": "The file as the capacity of a link: ",
    }.get(subject["kind"], "")
    return f"{where}{repeats} of {duration}."
