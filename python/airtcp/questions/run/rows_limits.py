"""The rows of the chart beside a run's answer: goodput, and what it would be without its limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.run import groups, lead, limit_words, sizes

if TYPE_CHECKING:
    from airtcp.data.documents import RunDocument
    from airtcp.questions.run.limit_words import Limit

MOST: Final = 8
"""Most bars."""
_SAME: Final = 0.01
"""Largest relative difference between two means of the same goodput."""


def rows(document: RunDocument) -> list[dict[str, Any]]:
    """Return a row a flow, the slowest first if there are many, and one for limited flows together.

    The goodputs are those of the run, as in its table.
    """
    why: dict[str, Any] = dict(document.get("why") or {})
    slow = {flow["flow"]: flow for flow in why.get("slow_flows", []) if flow.get("without_bps")}
    flows = document["summary"]["flows"]
    first = lead.of_answer(document)
    limit = None if first is None or first["after"] else first
    alone = limit["flows"][0] if limit and len(limit["flows"]) == 1 else ""
    if limit and len(flows) == 1:
        alone = flows[0]["name"]
    if limit and limit["of"] == sizes.SLOWEST:
        # The slowest of each run may be another flow in each.
        alone = ""
    elif limit and alone and not _is_own(document, limit, alone):
        alone = ""
    found: list[dict[str, Any]] = []
    for flow in flows:
        name = flow["name"]
        row = _row(name, flow["goodput_bps"]["mean"], None, "")
        if name in slow and slow[name]["short_of"]:
            noun = limit_words.NOUNS[slow[name]["short_of"]]
            size = sizes.of_flows(document, [slow[name]])
            row = _row(name, size.goodput, size.without, noun)
        elif limit and name == alone:
            row = _limited(document, name, limit)
        found.append(row)
    together = limit is not None and not alone
    room = MOST - together
    if len(found) > room:
        found = sorted(found, key=lambda row: row["goodput"])[:room]
    if limit and together:
        # A limit that raises one flow may be measured by the sum of all.
        many = len(limit["flows"]) in {0, 1, len(flows)}
        name = "all together" if many else _together(document, limit["flows"])
        if limit["of"] == sizes.SLOWEST:
            name = "the slowest of each run"
        found.append(_limited(document, name, limit))
    return found


def _is_own(document: RunDocument, limit: Limit, name: str) -> bool:
    """Tell whether the goodput of a limit is that of one flow, and not of others as well."""
    size = sizes.of_limit(document, limit)
    means = [f["goodput_bps"]["mean"] or 0.0 for f in _flows(document) if f["name"] == name]
    return any(abs(mean - size.goodput) <= _SAME * mean for mean in means)


def _flows(document: RunDocument) -> list[dict[str, Any]]:
    return document["summary"]["flows"]


def _together(document: RunDocument, names: list[str]) -> str:
    named = groups.named(document, names).removeprefix("the ")
    return f"{named} together"


def _limited(document: RunDocument, name: str, limit: Limit) -> dict[str, Any]:
    size = sizes.of_limit(document, limit)
    return _row(name, size.goodput, size.without, limit_words.NOUNS[limit["cause"]])


def _row(name: str, goodput: float | None, without: float | None, limit: str) -> dict[str, Any]:
    return {
        "name": name,
        "goodput": (goodput or 0.0) * 1e-6,
        "without": None if without is None else without * 1e-6,
        "limit": limit or None,
    }
