"""The rows of the chart beside a run's answer: goodput, and what it would be without its limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.run import groups, limit_words

if TYPE_CHECKING:
    from airtcp.data.documents import RunDocument

MOST: Final = 8
"""Most bars."""


def rows(document: RunDocument) -> list[dict[str, Any]]:
    """Return a row a flow, the slowest first if there are many, and one for limited flows together.

    A goodput beside an outline is that of the same runs, which may be shorter than the run.

    Args:
        document: The document of a run.
    """
    why: dict[str, Any] = dict(document.get("why") or {})
    slow = {flow["flow"]: flow for flow in why.get("slow_flows", []) if flow.get("without_bps")}
    flows = document["summary"]["flows"]
    limit = next((one for one in document.get("limits") or [] if not one["after"]), None)
    alone = limit["flows"][0] if limit and len(limit["flows"]) == 1 else ""
    if limit and len(flows) == 1:
        alone = flows[0]["name"]
    found: list[dict[str, Any]] = []
    for flow in flows:
        name = flow["name"]
        row = _row(name, flow["goodput_bps"]["mean"], None, "")
        if name in slow and slow[name]["short_of"]:
            one = slow[name]
            row = _row(
                name, one["goodput_bps"], one["without_bps"], limit_words.NOUNS[one["short_of"]]
            )
        elif limit and name == alone:
            row = _limited(name, limit)
        found.append(row)
    together = limit is not None and not alone
    room = MOST - together
    if len(found) > room:
        found = sorted(found, key=lambda row: row["goodput"])[:room]
    if limit and together:
        many = len(limit["flows"]) in {0, len(flows)}
        name = "all together" if many else _together(document, limit["flows"])
        found.append(_limited(name, limit))
    return found


def _together(document: RunDocument, names: list[str]) -> str:
    named = groups.named(document, names).removeprefix("the ")
    return f"{named} together"


def _limited(name: str, limit: dict[str, Any]) -> dict[str, Any]:
    noun = limit_words.NOUNS[limit["cause"]]
    return _row(name, limit["goodput_bps"], limit["without_bps"], noun)


def _row(name: str, goodput: float | None, without: float | None, limit: str) -> dict[str, Any]:
    return {
        "name": name,
        "goodput": (goodput or 0.0) * 1e-6,
        "without": None if without is None else without * 1e-6,
        "limit": limit or None,
    }
