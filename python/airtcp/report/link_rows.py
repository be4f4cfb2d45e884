"""From the document of a run to what its page says of link protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.findings.paths import used
from airtcp.report.run_rows import SENT_COLUMNS, table

if TYPE_CHECKING:
    from airtcp.documents import RunDocument

PROTOCOL_COLUMNS: Final = (
    ("Goodput (Mb/s)", "delivered_bps", 1e-6),
    ("Sent (Mb/s)", "throughput_bps", 1e-6),
    *SENT_COLUMNS,
    ("Transmissions", "attempts_mean", 1.0),
    ("Latency (ms)", "latency_mean_s", 1e3),
    ("95 %", "latency_p95_s", 1e3),
    ("99 %", "latency_p99_s", 1e3),
    ("Decoded (ms)", "decode_mean_s", 1e3),
    ("Residual loss (%)", "loss_rate", 100.0),
)
_PARTS: Final = (("data", "data_bps"), ("PFEC", "pfec_bps"), ("RFEC", "rfec_bps"))


def protocols(document: RunDocument) -> dict[str, list[Any]]:
    """Lay out what the protocols did, link by link."""
    return table(used(document), PROTOCOL_COLUMNS)


def bits(document: RunDocument) -> list[dict[str, Any]]:
    """Give data, PFEC and RFEC of each link in Mb/s."""
    return [
        {"name": row["name"], "part": part, "mbps": row[key]["mean"] * 1e-6}
        for row in used(document)
        for part, key in _PARTS
    ]
