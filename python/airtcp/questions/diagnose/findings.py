"""What a diagnosis says behind its answer, and the words that both use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.diagnose.findings_air import air_losses
from airtcp.questions.diagnose.findings_obstacles import UNKNOWABLE, signs
from airtcp.words.sentences import Finding, begun, listed, number

if TYPE_CHECKING:
    from airtcp.questions.diagnose.document import DiagnoseDocument, Limit, Prediction, SeenAt

SURE: Final = 0.95
"""Probability from which a TCP is named as better [choice]."""
NEEDS: Final = {"jersey": "needs marks of the path", "tcp-ap": "is made for chains of 802.11 hops"}
"""Laws that are predicted and not named, and why."""
_SAME: Final = 1.03
PLACES: Final = {
    "sender": "captured at the sender",
    "receiver": "captured at the receiver",
    "middle": "captured between the ends",
    "unknown": "place of the capture unknown",
}
"""Places of a capture, in words."""
CAUSES: Final = {
    "link-losses": "Losses of the link limit the transfer",
    "link-rate": "The rate of the link limits the transfer",
    "queue": "Overflow of the queue limits the transfer",
    "receive-window": "The receive window limits the transfer",
}
"""Limits by intervention, in words."""


def cause_of(document: DiagnoseDocument, limit: Limit) -> str:
    """Say what limits. Whose losses they are, few own packets in the queue do not tell."""
    link = document["link"]
    never_waited = link is not None and link["rate_bps"]["kind"] == "none"
    is_open = never_waited or "sharing" in document["doubts"]
    if limit["cause"] == "link-losses" and is_open:
        return "Losses limit the transfer, of the link or of a queue that others fill"
    return CAUSES[limit["cause"]]


def better(document: DiagnoseDocument) -> list[Prediction]:
    """Return what gets more than this transfer with 95 % probability, the best first."""
    if UNKNOWABLE & set(document["doubts"]):
        return []
    rows = document["predictions"]
    return [row for row in rows if row["p_better"] >= SURE and row["variant"] not in NEEDS]


def kind(variant: str) -> str:
    """Return the kind of a remedy: `link`, `coded`, or another `law`."""
    return "link" if "@" in variant else "coded" if variant in {"sliding", "lt-tcp"} else "law"


def details(document: DiagnoseDocument) -> list[Finding]:
    """State what stands behind the answer."""
    found = [Finding("Also", f"{begun(text)}.") for text in signs(document)]
    found += [points(document), air_losses(document)]
    for limit in document["limits"][1:]:
        text = f"{number(limit['ratio'])} times the goodput without it."
        found.append(Finding(CAUSES[limit["cause"]].replace(" limit", " also limit"), text))
    return [each for each in found if each is not None]


def points(document: DiagnoseDocument) -> Finding | None:
    """State which capture is used of a transfer that several captures show."""
    if not document["seen_at"]:
        return None
    used, *others = document["seen_at"]
    head = f"The transfer is in captures of {len(others) + 1} points of its path"
    rest = listed([f"{_files(each)} ({PLACES[each['place']]})" for each in others])
    return Finding(
        head, f"The diagnosis uses {_files(used)} ({PLACES[used['place']]}), and not {rest}."
    )


def _files(seen: SeenAt) -> str:
    return listed([Path(file).name for file in seen["files"]])


def transfer(document: DiagnoseDocument) -> str:
    """Write what the transfer carried, and where the capture was taken."""
    seen = document["observed"]
    if seen is None:
        return "no transfer"
    sent = seen["unique_bytes"]
    size = f"{number(sent / 1e6)} MB" if sent >= 100_000 else f"{number(sent / 1e3)} kB"  # noqa: PLR2004
    rate = number(seen["goodput_bps"] / 1e6)
    flows = f", {seen['connections']} connections" if seen["connections"] > 1 else ""
    place = PLACES[seen["place"]]
    return f"{size} in {number(seen['duration_s'])} s at {rate} Mb/s{flows}, {place}"


def verdict(document: DiagnoseDocument, row: Prediction) -> str:
    """Write what a prediction says against this transfer."""
    seen: Any = document["observed"]
    observed = seen["goodput_bps"]
    if row["variant"] in NEEDS:
        return NEEDS[row["variant"]]
    if row["p_better"] >= SURE:
        return "more"
    low, high = row["low"], row["high"]
    if high is not None and high * _SAME < observed:
        return "less"
    if (
        low is not None
        and high is not None
        and low <= observed * _SAME
        and high >= observed / _SAME
    ):
        return "no difference seen"
    return "cannot tell"
