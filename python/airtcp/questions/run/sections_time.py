"""What the page of a run shows over time, of its first replication: flows, and stations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.data.metrics import record
from airtcp.pages.section import Plot, Section
from airtcp.questions.run import charts, rows, rows_time

if TYPE_CHECKING:
    from airtcp.data.documents import RunDocument

Series = dict[str, dict[str, list[Any]]]

_HOW: Final = (
    "The first replication. Drag sideways to move, Shift and wheel to zoom, double-click to go"
    " back; a name in the key shows it alone."
)
_MARKS: Final = (
    "A triangle is a cut of the window by a fifth or more, after a loss or a mark or by the model"
    " of the law. A cross is a timeout."
)
_QUEUES: Final = "Packets waiting in front of the links with the longest queues."
_AIRTIME: Final = (
    "Share of the time that each station's frames, answers included, were on the air, in 120 equal"
    " stretches."
)
_RATE: Final = "Rate of the latest frame with a packet that each station sent."


def sections(document: RunDocument, series: Series) -> list[Section]:
    """Lay out the first flows one by one, all flows, and the stations.

    Args:
        document: The document of a run.
        series: Its series by table name, each a table as columns; empty if none was recorded.
    """
    if not series:
        return []
    flows = rows_time.flows(document, series)
    end = max((row["t"] for flow in flows for row in (*flow["window"], *flow["rtt"])), default=0.0)
    found = [_flow(number, flow, end, len(flows)) for number, flow in enumerate(flows)]
    if plots := _all(series, len(flows)):
        found.append(Section("series-flows", "All flows over time", _HOW, plots))
    if stations := series.get("station_series"):
        plots = _stations(stations)
        found.append(Section("series-stations", "Stations over time", _HOW, plots))
    return found


def _flow(number: int, flow: dict[str, Any], end: float, of: int) -> Section:
    """Draw window, round-trip time and queues of one flow, below each other."""
    name, marks = flow["name"], flow["marks"]
    window = {"window": flow["window"]} | ({"marks": marks} if marks else {})
    several = len({row["name"] for row in flow["queue"]}) > 1
    series = charts.series
    plots = (
        Plot(
            f"flow{number}-window",
            f"Congestion window of {name}",
            _MARKS,
            charts.window(end) if marks else series("window", "", "cwnd", charts.WINDOW, end),
            window,
            wide=True,
        ),
        Plot(
            f"flow{number}-rtt",
            f"Round-trip time of {name}",
            "Samples taken by the sender.",
            series("rtt", "", "rtt", charts.label("rtt_mean_s"), end),
            {"rtt": flow["rtt"]},
            wide=True,
        ),
        Plot(
            f"flow{number}-queue",
            "Longest queues",
            _QUEUES,
            series("queue", "name" if several else "", "packets", charts.QUEUE, end),
            {"queue": flow["queue"]},
            wide=True,
        ),
    )
    return Section(
        f"series-{number}" if number else "series",
        "Over time" if of == 1 else f"Over time: {name}",
        _HOW,
        plots,
        unfolded=number == 0,
        joined=True,
    )


def _all(series: Series, own: int) -> tuple[Plot, ...]:
    """Draw all flows in one chart each, if some have none of their own."""
    windows, trips, queues = (series[f"{name}_series"] for name in ("window", "rtt", "queue"))
    sending = rows.endpoint_names(windows, "in_flight_bytes")
    active = set(sending)
    timed = [end if end in active else "" for end in rows.endpoint_names(trips)]
    curves = rows.curves(sending, windows["t_s"], windows["cwnd_bytes"], 1e-3)
    if len(curves) <= own:
        return ()
    lengths = queues["queue_packets"]
    longest = rows.busiest(queues["link"], lengths)
    return (
        _plot(
            "window",
            "Congestion windows",
            f"Congestion window of each sender.{_rest(sending, 'window_series')}",
            ("cwnd", charts.WINDOW),
            curves,
        ),
        _plot(
            "rtt",
            "Round-trip times",
            f"Samples taken by each sender.{_rest(timed, 'rtt_series')}",
            ("rtt", charts.label("rtt_mean_s")),
            rows.curves(timed, trips["t_s"], trips["rtt_s"], 1e3),
        ),
        _plot(
            "queue",
            "Queues",
            _QUEUES,
            ("packets", charts.QUEUE),
            rows.curves(longest, queues["t_s"], lengths, 1.0),
        ),
    )


def _stations(stations: dict[str, list[Any]]) -> tuple[Plot, ...]:
    """Draw airtime and rate of each station."""
    names, times = stations["station"], stations["t_s"]
    more = _rest(names, "station_series")
    rates = [float(rate or 0) for rate in stations["rate_bps"]]
    airtime = record("run", "StationResult")["airtime_share"].label
    return (
        _plot(
            "airtime",
            "Airtime",
            _AIRTIME + more,
            ("share", airtime),
            rows.shares(names, times, stations["airtime_s"]),
        ),
        _plot(
            "rate",
            "Rates",
            _RATE + more,
            ("mbps", "rate (Mb/s)"),
            rows.curves(names, times, rates, 1e-6),
        ),
    )


def _plot(
    name: str, heading: str, caption: str, value: tuple[str, str], curves: list[list[Any]]
) -> Plot:
    """Draw a quantity, a line for each name; `value` is its field, and the title of its axis."""
    spec = charts.series(name, "name", *value)
    return Plot(name, heading, caption, spec, {name: rows.lines(curves, value[0])}, wide=True)


def _rest(names: list[str], table: str) -> str:
    """Say where the lines are that a chart leaves out."""
    more = rows.left_out(names)
    if not more:
        return ""
    drawn = f" The first {rows.MAX_NAMES} are drawn; the other {more}"
    return f"{drawn} are in the table {table} of --out DIR."
