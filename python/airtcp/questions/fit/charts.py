"""The charts of fits, after S1's figures 11 and 12.

Every chart shows the links of one form: the estimate on the x axis, TCP's throughput on the y axis.
On the line the estimate is exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.charts import theme
from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, n, named, q, ramp, studied, zoom

if TYPE_CHECKING:
    from collections.abc import Sequence

HEIGHT: Final = 300
_MANY: Final = 150
_BEYOND: Final = 1.5
_BELOW: Final = -0.5
_LEAST: Final = 0.2
"""Ends of the axis of the estimate, relative to the greatest throughput of a link."""


def estimate(
    field: str, estimates: Sequence[float], top: float, links: int, *, whole: bool = False
) -> dict[str, Any]:
    """Draw measured against estimated throughput.

    Args: field: The estimate: `estimate`, or `left_out` for that of a fit to all other links.
        estimates: Its values, packets per second. top: Greatest throughput of a link. links: Number
        of links. whole: Whether to show every estimate. Otherwise estimates far beyond any link are
        cut off, so that an outlier does not hide the others.
    """
    least, most = min(estimates, default=0.0), max(estimates, default=top)
    if not whole:
        least, most = max(least, _BELOW * top), min(most, _BEYOND * top)
    room = 0.05 * (max(most, _LEAST * top) - min(least, 0.0))
    domain = [min(least, 0.0) - room, max(most, _LEAST * top) + room]
    scale = alt.Scale(domain=domain, nice=False)
    x = alt.X(f"{field}:Q", title="estimate (packets/s)", scale=scale)
    y = alt.Y(
        "measured:Q",
        title=studied("packets_per_second"),
        scale=alt.Scale(domain=[0, 1.08 * top], nice=False),
    )
    base = named("points").transform_filter(f"isValid(datum.{field})")
    line = (
        named("line")
        .mark_line(color=theme.GUIDE, strokeDash=[4, 3], strokeWidth=1.2, clip=True)
        .encode(x=alt.X("at:Q", scale=scale), y="at:Q")
    )
    points = (
        base.mark_point(filled=True, size=62 if links <= _MANY else 28, opacity=0.85, clip=True)
        .encode(
            x=x,
            y=y,
            color=ramp("mu", studied("mu")),
            tooltip=[
                n("link", "link"),
                q("measured", studied("packets_per_second")),
                q("estimate", "estimate"),
                q("left_out", "left out"),
                q("prr", studied("prr")),
                q("mu", studied("mu")),
            ],
        )
        .add_params(zoom())
    )
    return finish(alt.layer(line, points), HEIGHT)
