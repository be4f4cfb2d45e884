"""Times in which the capturing system dropped packets, as bands in the charts of a page.

What seems lost or late in a band may have passed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import named, q

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.pages.section import Plot
    from airtcp.questions.capture.rows import Rows

_DATA: Final = "dropped"
_SAID: Final = (
    "In the shaded times, the capturing system dropped packets: what seems lost then may have"
    " passed."
)
_OUTER: Final = frozenset({"width", "height", "resolve"})
"""What a chart keeps when it becomes one of several layers."""


def bands(document: Mapping[str, Any], start_s: float, end_s: float) -> Rows:
    """Return a row a stretch of time in which packets were dropped, since a start.

    Args:
        document: The document of a capture.
        start_s: The start, in seconds since 1970.
        end_s: The end, since the start. What is outside is left out or cut.
    """
    stretches = (one for file in document["files"] for one in file.get("drops", []))
    found: Rows = []
    for one in stretches:
        begin, end = one["from_s"] - start_s, one["to_s"] - start_s
        if end > 0 and begin < end_s:
            times = {"t": round(max(begin, 0.0), 7), "t2": round(min(end, end_s), 7)}
            found.append(times | {"packets": one["packets"]})
    return found


def shaded(plots: Sequence[Plot], found: Rows) -> tuple[Plot, ...]:
    """Return plots over time with these bands behind what they show.

    Args:
        plots: Plots whose charts have the time as field `t`.
        found: The bands; without any, the plots stay as they are.
    """
    if not found:
        return tuple(plots)
    return tuple(
        replace(
            plot,
            spec=_behind(plot.spec),
            data={**plot.data, _DATA: found},
            caption=f"{plot.caption} {_SAID}".strip(),
            thinned=None if plot.thinned is None else {**plot.thinned, _DATA: ()},
        )
        for plot in plots
    )


def _behind(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Put the layer of the bands behind a chart."""
    outer = {key: value for key, value in spec.items() if key in _OUTER}
    inner = {key: value for key, value in spec.items() if key not in _OUTER}
    layers: list[dict[str, Any]] = inner.get("layer", [inner])
    x: Mapping[str, Any] = next(layer for layer in layers if "encoding" in layer)["encoding"]["x"]
    band: dict[str, Any] = (
        named(_DATA)
        .mark_rect(opacity=0.16, color="@late", clip=True)
        .encode(
            x=alt.X("t:Q", title=x.get("title")),
            x2="t2:Q",
            tooltip=[
                q("packets", "packets dropped by the capturing system", ",d"),
                q("t", "from (s)", ".4~f"),
                q("t2", "to (s)", ".4~f"),
            ],
        )
        .to_dict()
    )
    band = {key: value for key, value in band.items() if key in {"data", "mark", "encoding"}}
    # A chart that has layers keeps what they share, such as its parameters.
    shared = {key: value for key, value in inner.items() if key != "layer"}
    rest = shared if "layer" in inner else {}
    return {**outer, **rest, "layer": [band, *layers]}
