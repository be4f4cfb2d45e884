"""The page of a study: all links, and the one that a reader chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.pages.command import study_command
from airtcp.pages.page import indented
from airtcp.pages.section import Page, Plot, Section, some
from airtcp.questions.compare import answer_many, quantities, sections_remedies, slot_limits
from airtcp.questions.compare import charts as charts_compare
from airtcp.questions.compare import tables as compare_tables
from airtcp.questions.compare.rows import mean_row
from airtcp.questions.study import answer as answer_study
from airtcp.questions.study import answer_capacity, charts, findings_link, rows, tables
from airtcp.questions.study import findings as study_words
from airtcp.questions.study.sections_capacity import capacity_sections
from airtcp.questions.study.sections_link import link_items
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import Link, StudyDocument
    from airtcp.questions.study.rows import Rows
    from airtcp.words.grid import Grid

MOST_ROWS: Final = 2000
"""Links in a table."""
_DOTS: Final = (
    "Every dot is a link; bars are 95 % confidence intervals over replicas. Choose a dot to see"
    " that link. Drag to move a plot, Shift and wheel to zoom, double-click to go back."
)
_OVER_PRR: Final = (
    "A point above the line is a link whose order of losses leaves TCP more than independent losses"
    " of equal PRR do. Choose a point to see that link."
)
_CHOICE: Final = (
    "Several TCPs over the same trace, cut into equal stretches, one packet a slot; differences are"
    " paired by stretch. airtcp compare puts the trace behind a link with a rate, a delay and a"
    " queue."
)
_GOODPUT: Final = (
    "The dot is the mean over the stretches of the trace, the bar its 95 % confidence interval: of"
    " the mean, not of a difference."
)
_DIFFERENCE: Final = "Paired by stretch; the bar is the 95 % interval. Faint: zero is inside it."
_TERMS: Final = {
    "TCP over a trace": (
        "One packet a slot. Entry i of the trace decides the outcome of a packet sent in slot i, so"
        " time passes while TCP waits. Acknowledgements are not lost. Throughput is packets"
        " delivered in order per second (Srinivasan et al., “PRR Is Not Enough”, sections 3 and 4)."
    ),
    "PRR": (
        "Packets received over packets sent; the interval is exact, at the effective number of"
        " independent packets."
    ),
    "g, b, mu": (
        "Probability g of a success after a loss, b of a loss after a success;"
        " mu = 1 \N{MINUS SIGN} g \N{MINUS SIGN} b. Positive: bursty, zero: independent, negative:"
        " oscillating."
    ),
    "Beta": (
        "Distance of the conditional delivery function from that of an independent link, relative"
        " to that of a perfectly bursty link: 0 is independent, 1 perfectly bursty."
    ),
    "Independent losses": (
        "Synthetic links with the trace's length in which each packet arrives with probability PRR."
    ),
    "Gilbert-Elliott": (
        "Synthetic links from the two-state chain with the trace's PRR and mu. The bad state loses"
        " every packet."
    ),
    "Difference": (
        "Throughput over the trace minus that over each replica; mean and 95 % interval (Student's"
        " t) over the replicas. The trace is one draw, so a link counts as better or worse than a"
        " model only where it lies outside the 95 % prediction interval of one more replica."
    ),
    "Settled": ("mu is precise and its prefix curve has levelled off. Each link shows the reason."),
}
_CAPACITY_TERMS: Final = {
    "Capacity": (
        "Capacity of the file over time: 1504 bytes at each timestamp of a mahimahi trace, or the"
        " rate of each row of a table. The file repeats."
    ),
    "Windows": ("Consecutive stretches of time; percentiles are over their mean capacities."),
    "TCP over a capacity": (
        "One bulk flow behind a drop-tail queue. The file is cut into equal stretches of 20 s or"
        " more, a replication each, and differences are paired by stretch. The return path has"
        " 1 Gb/s. Only a full queue drops packets: the file says nothing about losses."
    ),
}


def study_page(document: StudyDocument, file: str | None = None) -> Page:
    """Make the page of a study from its document.

    Args:
        document: The document.
        file: The file of the link, if it is one and a command can name it.
    """
    links, capacities = document["links"], document["capacities"]
    sections: list[Section] = []
    if links:
        sections += _sections(document)
    sections += capacity_sections(capacities)
    if document["skipped"]:
        files = [f"{one['path']}: {one['reason']}" for one in document["skipped"]]
        sections.append(Section("notes", "Not read", notes=some(files)))
    terms = (_TERMS if links else {}) | (_CAPACITY_TERMS if capacities else {})
    options = indented(document["options"])
    sections.append(Section("method", "Method", terms=tuple(terms.items()), code=options))
    chart = charts.ANSWER if len(links) > 1 else "link-tcp" if links else "capacity-0"
    return Page(
        answer_study.answer(document, file),
        sections,
        document,
        title=_title(document),
        command=study_command(document),
        chart=chart,
        facts=_facts(document),
        findings=study_words.study_findings(links) if links else (),
        whole=_whole(document),
        lead="No study of a link was finished.",
    )


def _title(document: StudyDocument) -> str:
    every = [*document["links"], *document["capacities"]]
    if len(every) == 1:
        return f"What TCP gets over {every[0]['name']}"
    return f"What TCP gets over {words.counted(len(every), 'link')}"


def _whole(document: StudyDocument) -> Grid | None:
    """Return the table of the answer with all rows, if it has a row for each link."""
    links, capacities = document["links"], document["capacities"]
    if len(links) > 1:
        return answer_study.table(links, MOST_ROWS)
    return (
        answer_capacity.table(capacities, MOST_ROWS) if len(capacities) > 1 > len(links) else None
    )


def _facts(document: StudyDocument) -> list[tuple[str, str]]:
    options = document["options"]
    packets = sum(link["packets"] for link in document["links"])
    return [
        *([("Packets", words.count(packets))] if packets else []),
        ("TCP profile", str(options.get("profile", "unknown"))),
        ("Replicas", str(options.get("replicas", "unknown"))),
    ]


def _sections(document: StudyDocument) -> list[Section]:
    """Return the sections of links with losses."""
    links = document["links"]
    several = len(links) > 1
    sections: list[Section] = []
    if several:
        sections.append(Section("all", "All links", _DOTS, _overview(links)))
    items, first = link_items(links)
    heading, about = "The link", "Its losses, and TCP over it and over links of both models."
    if several:
        heading, about = "One link", "Choose it here, at a dot of a plot, or in a row of a table."
    sections.append(Section("link", heading, about, items=items, first=first))
    if several:
        grid = tables.links(links, document["options"]["replicas"], MOST_ROWS)
        sections.append(
            Section("table", "Every column", "Choose a row to see the link.", grid=grid)
        )
    sections += _choice(links)
    if not several and (tried := links[0].get("remedies")) is not None:
        cut = slot_limits.remedies(tried, links[0]["tcp"]["slot_s"])
        sections.append(sections_remedies.remedies_section(cut))
    return sections


def _overview(links: Sequence[Link]) -> tuple[Plot, ...]:
    """Draw all links: TCP against PRR, its gain by burstiness, and the Gilbert-Elliott chain."""
    number = len(links)
    found = rows.of_links(links)
    lines = rows.lines(found)
    chain = found if any(row["tcp"] and row["chain"] for row in found) else []
    over_prr = rows.over_prr(links)
    unit: Rows = [{}]
    specs = findings_link.noted(
        {
            charts.ANSWER: charts.over_prr(number),
            "gain": charts.gain("rate", number),
            "gain-percent": charts.gain("percent", number),
            "chain": charts.against_chain("log", number),
            "chain-linear": charts.against_chain("linear", number),
        },
        links,
    )
    return (
        Plot(
            charts.ANSWER,
            "TCP over each link, by PRR",
            _OVER_PRR,
            specs[charts.ANSWER],
            over_prr,
        ),
        Plot(
            "gain",
            "Burstiness and TCP throughput",
            "Throughput over the trace compared with independent losses, by burstiness. Faint: not"
            " significant. Hollow: mu has not settled.",
            specs["gain"],
            {"links": found, "unit": unit},
            (("gain-percent", "percent", specs["gain-percent"]),),
            label="packets/s",
        ),
        Plot(
            "chain",
            "Does a Gilbert-Elliott chain predict TCP?",
            "On the dashed line the throughput over model and trace is equal; the band is ±10 %. On"
            " logarithmic scales, links over which TCP delivers nothing are left out.",
            specs["chain"],
            {"links": chain, "diagonal": lines["diagonal"]},
            (("chain-linear", "linear", specs["chain-linear"]),),
            label="log",
        ),
        Plot(
            "longest",
            "Longest runs, measured and modelled",
            "Above the dashed line the trace has longer runs than its Gilbert-Elliott chain would."
            " Links with fewer than ten runs are left out.",
            charts.longest("success", number),
            {"links": found, "runs": lines["runs"]},
            (("longest-loss", "losses", charts.longest("loss", number)),),
            label="successes",
        ),
    )


def _choice(links: Sequence[Link]) -> list[Section]:
    """Return the section on the TCPs compared over the links; none without a comparison."""
    compared = [
        (link["name"], slot_limits.case(case, link["tcp"]["slot_s"]))
        for link in links
        if (case := link.get("compared"))
    ]
    if not compared:
        return []
    case = compared[0][1]
    variants = [outcome["variant"] for outcome in case["outcomes"]]
    reference = quantities.reference_of(case)
    means: Rows = [
        {"link": name, **mean_row(each, outcome)}
        for name, each in compared
        for outcome in each["outcomes"]
    ]
    tested = means if any(row["gain"] is not None for row in means) else []
    paired: dict[str, Rows] = {"means": tested, "unit": [{}]}
    if len(compared) == 1:
        unit = quantities.goodput(case["outcomes"][0])[1]
        plots = (
            Plot(
                "choice-goodput",
                "Goodput of each TCP",
                _GOODPUT,
                charts_compare.goodput(variants, unit, several=False, runs=False),
                {"means": means},
            ),
            Plot(
                "choice-difference",
                f"Difference to {reference}",
                _DIFFERENCE,
                charts_compare.difference(variants, reference, several=False),
                paired,
            ),
        )
    else:
        chart = charts_compare.by_link(variants, [name for name, _ in compared], reference)
        heading = f"Difference to {reference}, link by link"
        plots = (Plot("choice-links", heading, _DIFFERENCE, chart, paired, wide=True),)
    (grid,) = compare_tables.choices(compared)
    cases = [case for _, case in compared]
    notes = (answer_many.headline(cases, "link"),) if len(cases) > 1 else ()
    return [Section("choice", "Which TCP", _CHOICE, plots, grid, notes=notes)]
