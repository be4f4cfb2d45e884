"""The data of the chart beside the answer: a point a link, and the curve of independent losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airtcp.charts.parts import rounded
from airtcp.questions.study.findings_link import standing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import Link

    Rows = list[dict[str, Any]]


def rows(links: Sequence[Link]) -> dict[str, Rows]:
    """Return the rows of the chart by the names of its data.

    A link over which TCP delivers nothing has no place on a logarithmic axis.
    """
    points: Rows = [
        {
            "index": index,
            "name": link["name"],
            "prr": rounded(link["prr"]),
            "tcp": rounded(rate),
            "independent": rounded(_independent(link)),
            "differs": DIFFERS if standing(link, "independent") else WITHIN,
        }
        for index, link in enumerate(links)
        if (rate := link["tcp"]["empirical"]["packets_per_second"]) > 0
    ]
    curve: Rows = [
        {"prr": rounded(link["prr"]), "independent": rounded(rate)}
        for link in sorted(links, key=lambda link: link["prr"])
        if link["mu"] is not None and link["order_known"] and (rate := _independent(link))
    ]
    return {"links": points, "curve": curve}


DIFFERS = "differs from independent losses"
WITHIN = "within chance"
"""What a point is, by whether TCP over the trace differs from TCP over independent losses."""


def _independent(link: Link) -> float | None:
    return link["tcp"]["independent"]["packets_per_second"]["mean"]
