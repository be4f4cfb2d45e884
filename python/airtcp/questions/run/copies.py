"""Links that duplicate packets: their delivered packets include copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from airtcp.questions.run import groups
from airtcp.words import sentences as words
from airtcp.words.sentences import Finding

if TYPE_CHECKING:
    from airtcp.data.documents import RunDocument


def duplicates_delivered(document: RunDocument) -> Finding | None:
    """State which links deliver copies, and the copies' share."""
    if not _asked(document["scenario"]):
        return None
    said: list[str] = []
    for i, link in enumerate(document["summary"]["links"]):
        runs = [replication["links"][i] for replication in document["replications"]]
        # The packets in flight at the end of the warm-up and of the run differ by few packets.
        copies = groups.mean(
            run["delivered_packets"] + run["drops"].get("loss", 0) - run["sent_packets"]
            for run in runs
        )
        delivered = groups.mean(run["delivered_packets"] for run in runs)
        if copies < 1 or not delivered:
            continue
        rate = (link["delivered_bps"]["mean"] or 0.0) * 1e-6
        said.append(
            f"of the {words.number(rate)} Mb/s that {link['name']} delivers, about"
            f" {words.number(rate * copies / delivered, 2)} Mb/s are copies of packets that it"
            f" duplicates ({words.count(copies)} a replication)"
        )
    if not said:
        return None
    text = "; ".join(said)
    return Finding(
        "Copies count as delivered",
        f"{words.begun(text)}. Copies use none of the link's rate, and goodput does not"
        " count copies.",
    )


def _asked(table: object) -> bool:
    """Return whether a link of a scenario duplicates packets."""
    if isinstance(table, dict):
        own = cast("dict[str, object]", table)
        return bool(own.get("duplication")) or any(map(_asked, own.values()))
    return isinstance(table, list) and any(map(_asked, cast("list[object]", table)))
