"""Makes the rows of the chart of link protocols from the document of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.data.metrics import record
from airtcp.questions.run.paths import protocol_links

if TYPE_CHECKING:
    from airtcp.data.documents import RunDocument

_PARTS: Final = ("data_bps", "pfec_bps", "rfec_bps")


def bits(document: RunDocument) -> list[dict[str, Any]]:
    """Return data, PFEC and RFEC of each link, in the unit of the axis."""
    metrics = record("run", "ProtocolResult")
    return [
        {"name": row["name"], "part": part.title, "sent": row[part.key]["mean"] * part.scale}
        for row in protocol_links(document)
        for part in (metrics[key] for key in _PARTS)
    ]
