"""MPDUs lost on the measured 802.11ac links of ENS Lyon: how much, and whether as often in each 100 ms.

A row of a file has the MPDUs that BlockAcks acknowledged and those that they reported missing in 100 ms. The
order of the MPDUs within a row is not recorded. If every MPDU of a link were lost independently with one
probability p, the lost MPDUs of a row of n would have the variance n p (1 - p): the dispersion is the ratio of
the measured variance to this one. The files stay where AIRTCP_DATA names them.
"""

from __future__ import annotations

import os
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

import polars as pl
from aggregates import estimate, laid_out, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER: Final = "enslyon-80211ac"
BAD: Final = 0.1
"""Share of lost MPDUs from which 100 ms count as bad [choice]."""
FEWEST: Final = 50
"""Rows with both counts that a link needs to be listed [choice]."""


def _rows(path: Path) -> pl.DataFrame:
    table = pl.read_csv(path, separator="\t", infer_schema_length=0)
    names = {"mcs": "mcs", "lost": "pktlost_ack", "acked": "nbpkt_ack"}
    table = table.select(
        pl.col(source).cast(pl.Float64, strict=False).alias(name) for name, source in names.items()
    )
    known = pl.col("lost").is_not_null() & pl.col("acked").is_not_null()
    sent = pl.col("lost") + pl.col("acked")
    return table.filter(known & pl.col("mcs").is_between(0, 9) & (sent > 0)).with_columns(sent=sent)


def _link(place: str, rows: pl.DataFrame) -> dict[str, Any]:
    sent, lost = rows["sent"], rows["lost"]
    share = float(lost.sum()) / float(sent.sum())
    each = lost / sent
    link: dict[str, Any] = {"place": place, "sent": float(sent.sum()), "lost": share}
    expected = sent * share * (1 - share)
    if 0 < share < 1:
        link["dispersion"] = float(((lost - sent * share) ** 2 / expected).sum()) / (len(rows) - 1)
        apart = each - float(each.mean() or 0.0)
        following = float((apart[1:] * apart[:-1]).sum())
        whole = float((apart**2).sum())
        link["autocorrelation"] = following / whole if whole > 0 else None
    link["bad"] = float((each > BAD).mean() or 0.0)
    return link


def links() -> dict[str, pl.DataFrame]:
    """One row for each place, and one for each MCS."""
    places: dict[str, list[dict[str, Any]]] = {}
    schemes: list[pl.DataFrame] = []
    for path in sorted((Path(os.environ["AIRTCP_DATA"]) / FOLDER).glob("*/*.csv.gz")):
        rows = _rows(path)
        if len(rows) < FEWEST:
            continue
        place = path.parent.name
        places.setdefault(place, []).append(_link(place, rows))
        whole = rows.filter((pl.col("mcs") - pl.col("mcs").round()).abs() < 0.05)
        one = whole.with_columns(pl.col("mcs").round().cast(pl.Int64)).group_by("mcs").sum()
        schemes.append(one.with_columns(lost=pl.col("lost") / pl.col("sent")))
    found = []
    for place, several in places.items():
        row: dict[str, Any] = {"place": place, "links": len(several)}
        row["sent"] = sum(one["sent"] for one in several)
        row |= estimate("lost", [one["lost"] for one in several], 100)
        row["least"] = 100 * min(one["lost"] for one in several)
        row["most"] = 100 * max(one["lost"] for one in several)
        row |= estimate("bad", [one["bad"] for one in several], 100)
        for name in ("dispersion", "autocorrelation"):
            values = [one[name] for one in several if one.get(name) is not None]
            row[name] = median(values) if values else None
        found.append(row)
    by_mcs = []
    for (mcs,), several in sorted(pl.concat(schemes).group_by("mcs")):
        row = {"mcs": mcs, "links": len(several), "sent": several["sent"].sum()}
        row["pooled"] = 100 * float((several["lost"] * several["sent"]).sum()) / row["sent"]
        by_mcs.append(row | estimate("lost", several["lost"].to_list(), 100))
    return {
        "modern-measured-places.csv": pl.DataFrame(found, infer_schema_length=None),
        "modern-measured-mcs.csv": pl.DataFrame(by_mcs),
    }


def _share(row: Mapping[str, float], name: str) -> str:
    """Write an estimate in %; two links give an interval beyond 100 %."""
    return shown(
        {key: min(value, 100.0) for key, value in row.items() if key.startswith(name)}, name
    )


def places(data: Mapping[str, pl.DataFrame]) -> str:
    """Each place of the measurement."""
    heads = ["place", "links", "MPDUs (millions)", "lost, mean of links (%)", "least, most (%)"]
    heads += [
        "100 ms with more than 10 % lost (%)",
        "dispersion, median",
        "autocorrelation, median",
    ]
    rows = [
        [f"`{row['place']}`", row["links"], f"{row['sent'] / 1e6:.3g}", _share(row, "lost")]
        + [f"{row['least']:.2g}, {row['most']:.3g}", _share(row, "bad")]
        + [f"{row[name]:.3g}" for name in ("dispersion", "autocorrelation")]
        for row in data["modern-measured-places.csv"].to_dicts()
    ]
    return laid_out(heads, rows)


def mcs(data: Mapping[str, pl.DataFrame]) -> str:
    """Rows whose MPDUs all had one MCS."""
    heads = ["MCS", "links", "MPDUs (millions)", "lost, all MPDUs (%)", "mean of links (%)"]
    rows = [
        (
            *(row["mcs"], row["links"], f"{row['sent'] / 1e6:.3g}", f"{row['pooled']:.3g}"),
            _share(row, "lost"),
        )
        for row in data["modern-measured-mcs.csv"].to_dicts()
    ]
    return laid_out(heads, rows)
