"""Findings of a run: what limits the flows, and what else its counts show.

All findings follow from the document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airtcp.questions.run import controllers, copies, datagrams, lead, limits, starved

if TYPE_CHECKING:
    from airtcp.data.documents import RunDocument
    from airtcp.words.sentences import Finding


def leads_with_starvation(document: RunDocument) -> bool:
    """Tell whether the answer begins with flows that starve.

    It does if the limits were asked for, and none is known but that a medium or a link is full:
    this says nothing of how the flows share it.
    """
    why: dict[str, Any] = dict(document.get("why") or {})
    limits = document.get("limits") or []
    if why.get("verdict", "not-asked") == "not-asked" or lead.lead(document) != lead.Lead():
        return False
    full = not limits or limits[0]["cause"] in {"medium", "link-rate"}
    hungry = starved.starving_flows(document)
    return full and bool(hungry) and starved.starvation(document) is not None


def findings(document: RunDocument) -> list[Finding]:
    """Return the findings of a run, the answer to what limits the flows first.

    Returns:
        The most important first; none for a run without a finished replication.
    """
    if not document["replications"]:
        return []
    silent = starved.silent_flows(document)
    nothing = [starved.nothing_delivered(document, silent)] if silent else []
    limiting = limits.findings(document)
    if len(silent) == len(document["replications"][0]["flows"]):
        # Nothing arrives: that is the answer, and an empty list of limits is none.
        limiting = nothing + (limiting if document.get("limits") else [])
        nothing = []
    starving = [starved.starvation(document), starved.stalls(document)]
    if leads_with_starvation(document):
        limiting = [one for one in starving if one is not None] + limiting
        starving = []
    said = [
        *limiting,
        *nothing,
        *starving,
        datagrams.datagram_loss(document),
        *controllers.controllers_at_bounds(document),
        copies.duplicates_delivered(document),
    ]
    return [finding for finding in said if finding is not None]
