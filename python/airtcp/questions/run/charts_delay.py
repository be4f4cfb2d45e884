"""The charts of the distributions of delays of a run.

Specifications name their data, as in `airtcp.charts.parts`; the rows are those of
`airtcp.questions.run.rows_delay`.
"""

from __future__ import annotations

from typing import Any, Final

from airtcp.charts import vega_lite as alt
from airtcp.charts.parts import finish, lines, n, named, q, zoom

_TITLES: Final = {
    "queue": "time in the queue (ms)",
    "service": "service time (ms)",
    "exchange": "duration of an exchange (ms)",
}


def distribution(delay: str) -> dict[str, Any]:
    """Cumulative share of the packets over their delay, a line for each place."""
    title = _TITLES[delay]
    pick, encoding = lines("name")
    curve = (
        named(f"delay_{delay}")
        .mark_line(strokeWidth=1.4, clip=True)
        .encode(
            x=alt.X("delay:Q", title=title, scale=alt.Scale(type="log", nice=False)),
            y=alt.Y("share:Q", title="share (%)", scale=alt.Scale(domain=[0, 100])),
            order=alt.Order("share:Q"),
            tooltip=[n("name", "of"), q("delay", title), q("share", "share (%)")],
            **encoding,
        )
        .add_params(pick, zoom("x"))
    )
    return finish(curve, 230)
