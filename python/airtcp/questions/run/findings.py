"""Findings of a run: what limits the flows, and what else its counts show.

All findings follow from the document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp.questions.run import controllers, copies, datagrams, limits, starved

if TYPE_CHECKING:
    from airtcp.data.documents import RunDocument
    from airtcp.words.sentences import Finding


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
    said = [
        *limiting,
        *nothing,
        starved.starvation(document),
        datagrams.datagram_loss(document),
        *controllers.controllers_at_bounds(document),
        copies.duplicates_delivered(document),
    ]
    return [finding for finding in said if finding is not None]
