"""The page of a comparison: charts and tables of each scenario or link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.inputs.toml_text import inline
from airtcp.pages.command import command
from airtcp.pages.page import indented
from airtcp.pages.section import Page, Plot, Section, some
from airtcp.questions.compare import answer as answer_compare
from airtcp.questions.compare import charts as charts_compare
from airtcp.questions.compare import (
    charts_answer,
    findings,
    quantities,
    sections_remedies,
    slot_limits,
    tables,
)
from airtcp.questions.compare.rows import (
    CHANNEL_NAMES,
    mean_row,
    run_rows,
    window_rows,
)
from airtcp.words import sentences as words
from airtcp.words.grid import Column, Grid

if TYPE_CHECKING:
    from airtcp.data.documents import CompareDocument, CompareSubject

MOST_ROWS: Final = 2000
"""Rows of the table below the answer."""
_SECTIONS: Final = 40
"""Most subjects with a separate section; the others are in the overview only."""
_FIRST: Final = "Goodput, the most first"
_FIRST_ABOUT: Final = (
    "The dot is the mean, the bar its 95 % confidence interval. A dashed line is the TCP without a"
    " remedy, or the reference."
)
_OVERVIEW: Final = (
    "For each scenario or link: the TCPs that the verdict ranks first, the TCPs that are better in"
    " one criterion and worse in another, and the TCPs that are worse."
)
_GOODPUT: Final = (
    "Payload delivered in order. Thin ticks are the replications, the dot their mean, the bar its"
    " 95 % confidence interval: of the mean, not of a difference."
)
_DIFFERENCE: Final = (
    "Paired by replication, so that the effect of the channel cancels; the bar is the 95 %"
    " interval. Faint: not significant."
)
_DELAY: Final = (
    "Up is more goodput, left is a shorter round trip. Bars are 95 % intervals of the means."
)
_WINDOWS: Final = (
    "Of the first replication, or of the whole trace; the minimum of each part of the time. A name"
    " in the key shows its line alone; drag sideways to move, Shift and wheel to zoom."
)
_TERMS: Final = {
    "The same channel": (
        "Random numbers belong to links and flows, not to the order of packets. In a"
        " replication every TCP has the same channel (common random numbers)."
    ),
    "Difference": (
        "Goodput minus that of the reference in the same replication; mean and 95 %"
        " interval (Student's t) over the replications. A tilde (~) marks a difference"
        " that is not significant."
    ),
    "Intervals": (
        "Intervals of means are cut off at the limits of the quantity: 0, and 100 % for shares."
    ),
    "Verdict": (
        "Each pair of TCPs is compared in goodput, delivery time (95 %), retransmitted"
        " share (with coding or link protocols: bytes on the link per byte) and goodput of"
        " the other flows. A difference counts if its paired interval excludes zero and"
        " its mean reaches the threshold: 3 % of the goodput, 10 % of the delivery time,"
        " one percentage point of retransmissions (5 % of the bytes), 5 % of the goodput"
        " of the other flows (0.05 of Jain's index). A TCP is worse than another if it is"
        " worse in one criterion and better in none. With k TCPs and m criteria the"
        " intervals are Bonferroni-corrected, at 1 \N{MINUS SIGN} 0.05/(m (k \N{MINUS SIGN} 1))."
    ),
    "Not ranked": ("A TCP that needs something that the path lacks, such as a queue that marks."),
    "Stretches": (
        "A trace is one channel. It is cut into equal stretches, and the intervals are"
        " over stretches: they hold for a longer trace if its stretches are alike."
    ),
    "Round trip, queue": (
        "Mean and 95th percentile of all samples; mean delay in the queue where packets"
        " wait longest, by Little's law."
    ),
    "Delivery time": (
        "From the first transmission of data until the application has the data in order:"
        " queue, link, retransmissions or repairs, and the wait for earlier data."
    ),
    "Loss left, bytes per byte": (
        "Share of packets that a link with losses dropped, or that its protocol gave up;"
        " bytes sent over a link, headers, parity and repetitions included, for each byte"
        " of payload that arrives, for each hop."
    ),
    "Fairness": ("Jain's index of the goodputs: 1 is equal shares."),
}


def compare_page(document: CompareDocument) -> Page:
    """Make the page of a comparison from its document."""
    subjects = [slot_limits.subject(subject) for subject in document["subjects"]]
    hidden = len(subjects) - _SECTIONS
    sections: list[Section] = []
    if (first := charts_answer.chart(document)) is not None:
        plot = Plot(charts_answer.NAME, _FIRST, _FIRST_ABOUT, *first, wide=True)
        sections.append(Section("first", _FIRST, plots=(plot,)))
    if len(subjects) > 1:
        cases = [(s["name"], s["cases"][0]) for s in subjects if s["cases"]]
        whole = tables.overview(cases, MOST_ROWS)
        sections.append(Section("overview", "Overview", _OVERVIEW, grid=whole))
    for index, subject in enumerate(subjects[:_SECTIONS]):
        sections += _subject(index, subject, document)
    if document["skipped"]:
        files = [f"{file['path']}: {file['reason']}" for file in document["skipped"]]
        sections.append(Section("notes", "Not read", notes=some(files)))
    options = indented(document["options"])
    sections.append(Section("method", "Method", terms=tuple(_TERMS.items()), code=options))
    return Page(
        answer_compare.answer(document),
        sections,
        document,
        title=_title(document),
        command=_command(document),
        chart=charts_answer.NAME,
        facts=[
            ("TCPs", words.count(len(document["variants"]))),
            ("Reference", document["reference"]),
            *([("Rival", document["rival"])] if document["rival"] else []),
        ],
        whole=answer_compare.table(document, MOST_ROWS),
        lead="Every TCP ran over the same channel: in a replication the link treats every TCP"
        " alike, so that differences are those of the TCPs.",
        banners=[f"{hidden} more are in the overview only."] if hidden > 0 else [],
    )


def _subject(index: int, subject: CompareSubject, document: CompareDocument) -> list[Section]:
    """Return the sections of one scenario or link."""
    if not subject["cases"]:
        return []
    reference, rival, cells = document["reference"], document["rival"], quantities.cells(subject)
    several = len(subject["cases"]) > 1
    grids = [
        tables.case_grid(
            case,
            reference,
            rival,
            f"Over {quantities.CHANNELS[case['channel']]}" if several else "",
            cells=cells,
        )
        for case in subject["cases"]
    ]
    found = [*findings.not_ranked(subject["cases"][0]), *findings.look_alikes(subject)]
    said = tuple(f"{each.headline}: {each.text}" for each in found)
    sections = [
        Section(
            f"subject-{index}",
            subject["title"] or subject["name"],
            _over(subject),
            _plots(index, subject, document),
            grids[0],
            tuple(grids[1:]),
            notes=(*said, *subject["notes"]),
        )
    ]
    if subject["remedies"] is not None:
        sections.append(sections_remedies.remedies_section(subject["remedies"], f"-{index}"))
    if len(document["subjects"]) == 1:
        sections.append(_set_up(subject))
    return sections


def _set_up(subject: CompareSubject) -> Section:
    """Return the parameters of each TCP, and the scenario."""
    tcps = subject["tcp"]
    columns = [
        Column("congestion law", [entry["law"] or "" for entry in tcps], left=True),
        Column("loss recovery", [entry["recovery"] or "" for entry in tcps], left=True),
    ]
    code = {entry["variant"]: entry["parameters"] for entry in tcps}
    said = [indented(code), *([indented(subject["scenario"])] if subject["scenario"] else [])]
    return Section(
        "parameters",
        "TCP parameters and scenario",
        "Everything in force, with every default filled in.",
        grid=Grid("TCP", [entry["variant"] for entry in tcps], columns),
        code="\n\n".join(said),
    )


def _plots(index: int, subject: CompareSubject, document: CompareDocument) -> tuple[Plot, ...]:
    """Draw one subject."""
    cases, variants, rival = subject["cases"], document["variants"], document["rival"]
    first, several, reference = cases[0], len(cases) > 1, document["reference"]
    unit = quantities.goodput(first["outcomes"][0])[1]
    means = [mean_row(case, outcome) for case in cases for outcome in case["outcomes"]]
    own = [row for row in means if row["channel"] == CHANNEL_NAMES[first["channel"]]]
    tested = [row for row in means if row["gain"] is not None]
    plots = [
        Plot(
            f"goodput-{index}",
            "Goodput of each TCP",
            _GOODPUT,
            charts_compare.goodput(variants, unit, several=several),
            {"means": means, "runs": run_rows(cases)},
        ),
        Plot(
            f"difference-{index}",
            f"Difference to {reference}",
            _DIFFERENCE,
            charts_compare.difference(variants, reference, several=several),
            {"means": means if tested else [], "unit": [{}]},
        ),
        Plot(
            f"delay-{index}",
            "Goodput and delay",
            _DELAY,
            charts_compare.against_delay(variants, unit),
            {"means": own if any(row["rtt"] is not None for row in own) else []},
            wide=rival is None,
        ),
        Plot(
            f"windows-{index}",
            "Congestion windows",
            _WINDOWS,
            charts_compare.windows(variants),
            {"windows": window_rows(first)},
            wide=True,
        ),
    ]
    if rival is not None:
        caption = (
            f"One flow of each TCP beside one of {rival} on the same path: its share of the"
            " goodput of both. The dashed line is an equal share."
        )
        chart = charts_compare.shares(variants, rival)
        data: dict[str, list[dict[str, Any]]] = {"means": own, "unit": [{}]}
        plots.insert(2, Plot(f"shares-{index}", f"Sharing with {rival}", caption, chart, data))
    return tuple(plots)


def _title(document: CompareDocument) -> str:
    subjects = document["subjects"]
    if len(subjects) == 1:
        return f"TCPs compared: {subjects[0]['title'] or subjects[0]['name']}"
    return f"TCPs compared on {words.count(len(subjects))} scenarios and links"


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
        ("law", asked.get("law", [])),
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
