"""Links of varying capacity on the page of a study: the capacity over time, and TCP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, named, q, zoom
from airtcp.pages.command import study_command
from airtcp.pages.page import indented, render
from airtcp.questions.compare import charts as charts_compare
from airtcp.questions.compare import quantities
from airtcp.questions.compare import sections_remedies as remedies
from airtcp.questions.compare.rows import mean_row, table
from airtcp.questions.study import answer_capacity
from airtcp.questions.study import findings_capacity as capacity
from airtcp.questions.trace.findings import MBPS
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import CapacityLink, StudyDocument
    from airtcp.words.answer import Answer

_DRAWN: Final = 20
"""Most links with separate charts."""


def over_time() -> dict[str, Any]:
    """One link: its mean capacity in each window of time."""
    chart = (
        named("means")
        .mark_area(
            interpolate="step-after",
            color=theme.TRACE,
            opacity=0.25,
            line={"color": theme.TRACE, "strokeWidth": 1.2},
            clip=True,
        )
        .encode(
            x=alt.X("t:Q", title="time (s)", scale=alt.Scale(nice=False)),
            y=alt.Y("capacity:Q", title="capacity (Mb/s)", scale=alt.Scale(zero=True)),
            tooltip=[q("t", "time (s)", ".2f"), q("capacity", "Mb/s")],
        )
        .add_params(zoom("x"))
    )
    return finish(chart, 220)


def _points(link: CapacityLink) -> list[dict[str, float]]:
    step = link["over_time"]["window_s"]
    rates = [float(f"{bps * MBPS:.4g}") for bps in link["over_time"]["bps"]]
    points = [{"t": i * step, "capacity": rate} for i, rate in enumerate(rates)]
    # The last window is as long as the others.
    return [*points, {"t": len(rates) * step, "capacity": rates[-1]}] if points else []


def parts(links: Sequence[CapacityLink]) -> dict[str, Any] | None:
    """Return the sections of these links, with `charts` and `data` for the payload."""
    if not links:
        return None
    charts: dict[str, Any] = {}
    data: dict[str, Any] = {}
    sections: list[dict[str, Any]] = []
    for index, link in enumerate(links[:_DRAWN]):
        name = f"capacity-{index}"
        charts[name], data[name] = over_time(), {"means": _points(link)}
        section: dict[str, Any] = {
            "name": link["name"],
            "source": f"{link['source']['path']} ({link['source']['layout']})",
            "chart": name,
            "findings": capacity.capacity_findings([link]),
            "notes": link["notes"],
            "tcp": None,
            "remedies": None,
        }
        if link["remedies"] is not None:
            section["remedies"] = remedies.section(link["remedies"], f"-{name}")
            charts |= section["remedies"]["charts"]
            data |= section["remedies"]["data"]
        case = link["compared"]
        if case is not None:
            variants = [outcome["variant"] for outcome in case["outcomes"]]
            means = [mean_row(case, outcome) for outcome in case["outcomes"]]
            reference = quantities.reference_of(case)
            charts[f"{name}-goodput"] = charts_compare.goodput(
                variants, "Mb/s", several=False, runs=False
            )
            data[f"{name}-goodput"] = {"means": means}
            charts[f"{name}-delay"] = charts_compare.against_delay(variants, "Mb/s")
            data[f"{name}-delay"] = {"means": means}
            section["tcp"] = {
                "table": table(case, reference, None),
                "stretches": case["replications"],
            }
        sections.append(section)
    return {
        "charts": charts,
        "data": data,
        "sections": sections,
        "hidden": len(links) - len(sections),
    }


def capacity_page(document: StudyDocument, answer: Answer | None = None) -> str:
    """Make the page of a study with links of varying capacity only.

    Args:
        document: The document of a study.
        answer: Its answer, which takes the first screen.
    """
    links = document["capacities"]
    made = parts(links)
    if made is None:
        message = "there is no link of varying capacity"
        raise ValueError(message)
    return render(
        "capacity.html.j2",
        "compare.js",
        {"kind": "study", "charts": made["charts"], "data": made["data"]},
        document,
        answer=answer,
        chart="capacity-0",
        whole=answer_capacity.table(links, len(links)) if len(links) > 1 else None,
        title=f"What TCP gets over {links[0]['name']}"
        if len(links) == 1
        else f"What TCP gets over {words.counted(len(links), 'link')} of varying capacity",
        lead="Capacity of the link over time, and goodput and delay of TCPs over it.",
        facts=[("Links", words.count(len(links)))],
        findings=capacity.capacity_findings(links),
        capacity=made,
        several=len(links) > 1,
        skipped=document["skipped"],
        options=indented(document["options"]),
        command=study_command(document),
    )
