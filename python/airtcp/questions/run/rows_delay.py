"""Makes the data of the distributions of delays on the page of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.run.rows import MAX_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from airtcp.data.documents import RunDocument

DELAYS: Final = ("queue", "service", "exchange")
"""The delays of a run, in the order of the page."""


def rows(document: RunDocument) -> dict[str, list[dict[str, Any]]]:
    """Return the points of the distributions by delay, for those that have any.

    Each delay has at most `MAX_NAMES` names. Under EDCA a station has a curve for each category. A
    queue in which no packet waited has no points.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    shares = _delays(document).get("shares", [])
    for delay in DELAYS:
        drawn = _drawn(document, delay)[:MAX_NAMES]
        points = [
            {"name": name, "delay": 1e3 * seconds, "share": 100 * share}
            for name, delays in drawn
            for share, seconds in zip(shares, delays, strict=True)
            # The axis is logarithmic: a curve begins above the share of the packets without delay.
            if seconds > 0.0
        ]
        if points:
            found[delay] = points
    return found


def left_out(document: RunDocument) -> dict[str, int]:
    """Count the names of each delay that `rows` leaves out."""
    return {delay: max(0, len(_drawn(document, delay)) - MAX_NAMES) for delay in DELAYS}


def _delays(document: RunDocument) -> dict[str, Any]:
    return document.get("delays", {})


def _drawn(document: RunDocument, delay: str) -> list[tuple[str, list[float]]]:
    return list(_named(_delays(document).get("distributions", []), delay))


def _named(distributions: list[dict[str, Any]], delay: str) -> Iterator[tuple[str, list[float]]]:
    """Name the distributions of a delay in which somebody waited."""
    ours = [d for d in distributions if d["delay"] == delay]
    divided = {(d["kind"], d["name"]) for d in ours if d.get("category")}
    for one in ours:
        category = one.get("category")
        if category is None and (one["kind"], one["name"]) in divided:
            continue
        if one["delays_s"][-1] > 0.0:
            yield f"{one['name']} {category}" if category else one["name"], one["delays_s"]
