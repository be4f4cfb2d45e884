"""From the document of a run to what its page says of link protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.findings import columns
from airtcp.findings.paths import used
from airtcp.report.run_rows import table

if TYPE_CHECKING:
    from airtcp.documents import RunDocument

_PARTS: Final = (("data", "data_bps"), ("PFEC", "pfec_bps"), ("RFEC", "rfec_bps"))


def protocols(document: RunDocument) -> dict[str, list[Any]]:
    """Lay out what the protocols did, link by link."""
    return table(used(document), columns.protocols())


def bits(document: RunDocument) -> list[dict[str, Any]]:
    """Give data, PFEC and RFEC of each link in Mb/s."""
    return [
        {"name": row["name"], "part": part, "mbps": row[key]["mean"] * 1e-6}
        for row in used(document)
        for part, key in _PARTS
    ]
