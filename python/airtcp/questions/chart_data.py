"""The data of each chart of a page, as the page's script puts them together.

Some kinds of pages have scripts in `pages/templates`. A function here does for a figure what the
script does for the page; a test compares the two in a browser. Charts without data are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from airtcp.questions.study import chart_data as study_data

if TYPE_CHECKING:
    from collections.abc import Callable

Rows: TypeAlias = list[dict[str, Any]]
Data: TypeAlias = dict[str, Rows]
"""Rows by the name of the data in the chart."""

_SERIES = (
    ("window", "cwnd"),
    ("rtt", "rtt"),
    ("queue", "packets"),
    ("airtime", "share"),
    ("rate", "mbps"),
)
_CELL = (
    ("map", "stations"),
    ("losses", "losses"),
    ("goodput", "goodput"),
    ("airtime", "airtime"),
    ("rates", "rates"),
)


def data_of(payload: dict[str, Any], link: int | None = None) -> dict[str, Data]:
    """Return the data of the charts of a page.

    Args:
        payload: The payload of the page.
        link: The link of a study whose charts are wanted; by default the one shown first.
    """
    kinds: tuple[tuple[str, Callable[[], dict[str, Data]]], ...] = (
        ("details", lambda: study_data.study(payload, link)),
        ("means", lambda: _run(payload)),
        ("data", lambda: cast("dict[str, Data]", payload["data"])),
    )
    makers = [make for key, make in kinds if key in payload]
    found: dict[str, Data] = makers[0]() if makers else {}
    return {name: data for name, data in found.items() if any(data.values())}


def _run(payload: dict[str, Any]) -> dict[str, Data]:
    found: dict[str, Data] = {}
    if payload["means"]:
        found["limited"] = {"limited": payload["limited"]}
        found["goodput"] = {key: payload[key] for key in ("means", "replications")}
    for name, value in _SERIES:
        found[name] = {
            name: [
                {"name": who, "t": t, value: v}
                for who, points in payload.get(name, [])
                for t, v in points
            ]
        }
    for number, flow in enumerate(payload["over_time"]["flows"]):
        found |= _flow(number, flow)
    found["trade-off"] = {"paths": payload["paths"]}
    found["bits"] = {"bits": payload["bits"]}
    for delay, rows in payload["delays"].items():
        found[f"delay_{delay}"] = {f"delay_{delay}": rows}
    for number, cell in enumerate(payload["cells"]):
        found |= _cell(number, cell)
    return found


def _flow(number: int, flow: dict[str, Any]) -> dict[str, Data]:
    """Return the charts over time of one flow of a run."""
    queues = [(name, t, v) for name, points in flow["queue"] for t, v in points]
    marks = [{"t": t, "cwnd": v, "what": what} for t, v, what in flow["marks"]]
    window = {"window": [{"t": t, "cwnd": v} for t, v in flow["window"]]}
    return {
        f"flow{number}-window": window | ({"marks": marks} if marks else {}),
        f"flow{number}-rtt": {"rtt": [{"t": t, "rtt": v} for t, v in flow["rtt"]]},
        f"flow{number}-queue": {
            "queue": [{"name": name, "t": t, "packets": v} for name, t, v in queues]
        },
    }


def _cell(number: int, cell: dict[str, Any]) -> dict[str, Data]:
    found: dict[str, Data] = {
        f"cell{number}-{name}": {key: cell[key]} for name, key in _CELL if cell.get(key)
    }
    if cell["neighbours"]:
        found[f"cell{number}-map"]["neighbours"] = cell["neighbours"]
    if cell.get("air") or cell.get("waits"):
        found[f"cell{number}-medium"] = {
            "frames": cell["air"],
            "waits": cell["waits"],
            "lanes": cell["lanes"],
        }
    return found
