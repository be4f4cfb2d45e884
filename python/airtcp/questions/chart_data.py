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


def data_of(payload: dict[str, Any], link: int | None = None) -> dict[str, Data]:
    """Return the data of the charts of a page.

    Args:
        payload: The payload of the page.
        link: The link of a study whose charts are wanted; by default the one shown first.
    """
    kinds: tuple[tuple[str, Callable[[], dict[str, Data]]], ...] = (
        ("details", lambda: study_data.study(payload, link)),
        ("data", lambda: cast("dict[str, Data]", payload["data"])),
    )
    makers = [make for key, make in kinds if key in payload]
    found: dict[str, Data] = makers[0]() if makers else {}
    return {name: data for name, data in found.items() if any(data.values())}
