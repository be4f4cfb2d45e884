"""Links of varying capacity on the page of a study: the capacity over time, and TCP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, named, q, zoom
from airtcp.pages.section import Plot, Section
from airtcp.questions.compare import charts as charts_compare
from airtcp.questions.compare import quantities, sections_remedies, tables
from airtcp.questions.compare.rows import mean_row
from airtcp.questions.study import answer_capacity
from airtcp.questions.trace.findings import MBPS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import CapacityLink

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


def capacity_sections(links: Sequence[CapacityLink]) -> list[Section]:
    """Return the sections of links of varying capacity."""
    found: list[Section] = []
    for index, link in enumerate(links[:_DRAWN]):
        found.append(_section(f"capacity-{index}", link))
        if link["remedies"] is not None:
            suffix = f"-capacity-{index}"
            found.append(sections_remedies.remedies_section(link["remedies"], suffix))
    if len(links) > _DRAWN:
        said = f"{len(links) - _DRAWN} more links are in the tables and in the JSON document."
        found.append(Section("capacity-more", "More links", notes=(said,)))
    return found


def _section(name: str, link: CapacityLink) -> Section:
    case = link["compared"]
    plots = [
        Plot(
            name,
            f"Capacity over time: {link['name']}",
            "Mean capacity in each window. Drag sideways to move, Shift and wheel to zoom in time.",
            over_time(),
            {"means": _points(link)},
            wide=True,
        )
    ]
    if case is not None:
        variants = [outcome["variant"] for outcome in case["outcomes"]]
        means = [mean_row(case, outcome) for outcome in case["outcomes"]]
        plots += [
            Plot(
                f"{name}-goodput",
                "Goodput of each TCP",
                f"The dot is the mean over {case['replications']} equal stretches of the file, the"
                " bar its 95 % confidence interval.",
                charts_compare.goodput(variants, "Mb/s", several=False, runs=False),
                {"means": means},
            ),
            Plot(
                f"{name}-delay",
                "Goodput and delay",
                "Mean round-trip time and mean goodput of each TCP; the queue fills whenever the"
                " capacity falls.",
                charts_compare.against_delay(variants, "Mb/s"),
                {"means": means},
            ),
        ]
    grid = None if case is None else tables.case_grid(case, quantities.reference_of(case), None)
    answer = answer_capacity.answer([link])
    carries = [] if answer.table is None else [f"{answer.table.title}."]
    return Section(
        name,
        link["name"],
        f"{link['source']['path']} ({link['source']['layout']})",
        tuple(plots),
        grid,
        notes=(*answer.sentences, *carries, *link["notes"]),
    )
