"""The page of a study: TCP over measured links and over their synthetic links."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any, Final

from airtcp.charts.parts import assume
from airtcp.pages.command import study_command
from airtcp.pages.page import indented, render
from airtcp.questions.compare import sections as compare
from airtcp.questions.compare import sections_remedies as remedies
from airtcp.questions.study import answer as answer_study
from airtcp.questions.study import charts as charts_study
from airtcp.questions.study import charts_answer, rows, rows_answer
from airtcp.questions.study import findings as study
from airtcp.questions.study import findings_capacity as capacity_words
from airtcp.questions.study import findings_link as link_words
from airtcp.questions.study import sections_capacity as capacity
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from airtcp.data.documents import Link, StudyDocument
    from airtcp.words.answer import Answer
    from airtcp.words.grid import Grid

MOST_ROWS: Final = 2000
"""Links in the table of the answer."""


def study_page(document: StudyDocument, answer: Answer | None = None) -> str:
    """Make the page of a study.

    Args: document: The document of a study. answer: Its answer, which takes the first screen.

    Returns:
        A complete HTML document. Equal documents give equal pages.
    """
    links = document["links"]
    if document["capacities"] and not links:
        return capacity.capacity_page(document, answer)
    payload = rows.study_payload(document)
    payload["charts"] = charts_study.study_charts(len(links))
    payload["first"] = _first(links)
    choices = compare.best_choices(links)
    helped = remedies.helped(links)
    varying = capacity.parts(document["capacities"])
    for part in (choices, helped, varying):
        if part is not None:
            payload["charts"] |= part["charts"]
            payload["sections"] = payload.get("sections", {}) | part["data"]
    unknown = sum(link["tcp"].get("slot_assumed", False) for link in links)
    note = link_words.rate_note(unknown, len(links))
    first = _beside(links)
    if first:
        payload["charts"][charts_answer.NAME] = charts_answer.over_prr(len(links))
        payload["sections"] = payload.get("sections", {}) | {charts_answer.NAME: first}
    payload["charts"] = assume(payload["charts"], note)
    payload["rate"] = f"packets/s ({note})" if note else "packets/s"
    several = len(links) != 1
    return render(
        "study.html.j2",
        "study.js",
        payload,
        document,
        answer=answer,
        chart=_chart(links, several=several, first=bool(first)),
        whole=_whole(links) if several else None,
        over_prr=bool(first),
        title=f"What TCP gets over {words.counted(len(links), 'link')}"
        if several
        else f"What TCP gets over {links[0]['name']}",
        lead=_lead(links),
        facts=_facts(document),
        findings=[
            *(study.study_findings(links) if links else []),
            *capacity_words.capacity_findings(document["capacities"]),
        ],
        varying=varying,
        rate_note=note,
        headings=_headings(links) if several else {},
        scales=_scales(links),
        first=links[_first(links)]["name"] if links else "No link",
        links=len(links),
        choices=choices,
        helped=helped,
        skipped=document["skipped"],
        options=indented(document["options"]),
        command=study_command(document),
    )


def _beside(links: Sequence[Link]) -> dict[str, list[dict[str, Any]]]:
    """Return the data of the chart beside the answer on several links; empty without a point."""
    if len(links) <= 1:
        return {}
    found = rows_answer.rows(links)
    return found if found["links"] else {}


def _chart(links: Sequence[Link], *, several: bool, first: bool) -> str:
    """Choose the chart beside the answer."""
    if not links:
        return ""
    if not several:
        return "link-tcp"
    return charts_answer.NAME if first else "throughput"


def _whole(links: Sequence[Link]) -> Grid | None:
    """Return the table of the answer on several links, with all rows."""
    return answer_study.table(links, MOST_ROWS) if links else None


def _first(links: Sequence[Link]) -> int:
    """Choose the link to show first, preferably an intermediate one."""

    def rank(index: int) -> tuple[bool, bool, bool, float]:
        link = links[index]
        gain = link["tcp"]["difference"]["independent"]["packets_per_second"]["mean"] or 0.0
        low, high = study.INTERMEDIATE
        window = link["tcp"]["empirical"]["cwnd"] is not None
        return window, low <= link["prr"] <= high, link["converged"], abs(gain)

    return max(range(len(links)), key=rank, default=0)


def _lead(links: Sequence[Link]) -> str:
    return (
        "TCP over the measured order of successes and losses, beside TCP over links that look the"
        " same by packet reception ratio alone, and by reception ratio and burstiness."
        if links
        else "No study of a link was finished."
    )


def _facts(document: StudyDocument) -> list[tuple[str, str]]:
    options = document["options"]
    packets = sum(link["packets"] for link in document["links"])
    return [
        ("Packets", words.count(packets)),
        ("TCP profile", str(options.get("profile", "unknown"))),
        ("Replicas", str(options.get("replicas", "unknown"))),
    ]


_FLAT: Final = 20.0


def _scales(links: Sequence[Link]) -> Callable[[str], list[tuple[str, str]]]:
    """Order the scales of a throughput chart: logarithmic first if most links lie near zero."""
    rates = [link["tcp"]["empirical"]["packets_per_second"] for link in links]
    some = [rate for rate in rates if rate > 0]
    squeezed = bool(some) and max(some) > _FLAT * median(some)

    def views(chart: str) -> list[tuple[str, str]]:
        both = [(chart, "linear"), (f"{chart}-log", "log")]
        return both[::-1] if squeezed else both

    return views


def _headings(links: Sequence[Link]) -> dict[str, str]:
    """Write the headings of the charts of all links."""
    spread = study.widest_spread(links)
    found = {
        "throughput": "Throughput follows PRR",
        "gain": "Burstiness and TCP throughput",
        "chain": "Does a Gilbert-Elliott chain predict TCP?",
        "longest": "Longest runs, measured and modelled",
    }
    if spread is not None:
        found["throughput"] = (
            f"At PRR {words.number(spread.prr, 2)}, throughput differs"
            f" {words.number(spread.ratio, 2)}-fold"
        )
    losing = [link for link in links if link["mu"] is not None]
    if losing:
        more, _, _ = study.sides(losing, "independent")
        found["gain"] = (
            f"{words.count(more)} of {words.counted(len(losing), 'link')} beat independent losses"
        )
        modelled = [link for link in losing if link["tcp"]["gilbert_elliott"]]
        more, less, _ = study.sides(modelled, "gilbert_elliott")
        if modelled:
            found["chain"] = (
                f"The chain gives TCP too little on {words.count(more)} of"
                f" {words.count(len(modelled))}, too much on {words.count(less)}"
            )
        known = [
            (link["longest_success_burst"] or 0) > expected
            for link in losing
            if (expected := link_words.expected_longest(link)) is not None
        ]
        if known:
            found["longest"] = (
                f"Longest runs exceed the chain's on {words.count(sum(known))}"
                f" of {words.count(len(known))}"
            )
    return found
