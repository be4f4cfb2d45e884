"""Makes the rows on link protocols from the document of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.data.metrics import record
from airtcp.questions.run.paths import protocol_links
from airtcp.questions.run.rows import table
from airtcp.words import columns

if TYPE_CHECKING:
    from airtcp.data.documents import RunDocument

_PARTS: Final = ("data_bps", "pfec_bps", "rfec_bps")


def protocols(document: RunDocument) -> dict[str, list[Any]]:
    """Lay out the protocols' results, link by link."""
    return table(protocol_links(document), columns.protocols())


def bits(document: RunDocument) -> list[dict[str, Any]]:
    """Return data, PFEC and RFEC of each link, in the unit of the axis."""
    metrics = record("run", "ProtocolResult")
    return [
        {"name": row["name"], "part": part.title, "sent": row[part.key]["mean"] * part.scale}
        for row in protocol_links(document)
        for part in (metrics[key] for key in _PARTS)
    ]
