"""A diagnosis in words: answer, help and doubt.

A limit is named by the replays without it, and a TCP only if it gets more than this transfer with
95 % probability.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.diagnose.findings_air import air_losses
from airtcp.questions.diagnose.findings_obstacles import (
    beside,
    losses,
    obstacle,
    signs,
    unknowable,
)
from airtcp.words.sentences import Finding, begun, counted, listed, number, share

if TYPE_CHECKING:
    from airtcp.questions.diagnose.document import DiagnoseDocument, Limit, Prediction, SeenAt

SURE: Final = 0.95
"""Probability from which a TCP is named as better [choice]."""
NEEDS: Final = {"jersey": "needs marks of the path", "tcp-ap": "is made for chains of 802.11 hops"}
"""Laws that are predicted and not named, and why."""
_SAME: Final = 1.03
_KEEPS_UP: Final = 1.1
"""Rate of the application by the goodput below which the transfer keeps up with it [choice]."""
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


def findings(document: DiagnoseDocument) -> list[Finding]:
    """Return the answer, the help, the doubt, and what the details state."""
    found = [answer(document), helps(document), doubt(document), *details(document)]
    return [each for each in found if each is not None]


def answer(document: DiagnoseDocument) -> Finding:
    """State what limits the transfer, and what it costs."""
    hindered = obstacle(document)
    if hindered is not None:
        return hindered
    seen, other = document["observed"], document["other_link"]
    told = losses(document)
    if document["interrupted"] or seen is None or other is None:
        return Finding("Nothing was predicted", f"The diagnosis was stopped. {told}", "warn")
    goodput = number(seen["goodput_bps"] / 1e6)
    application = other["application"]
    if application is not None and application["rate_bps"] < _KEEPS_UP * seen["goodput_bps"]:
        idle = share(application["share"])
        text = f"It had nothing to send for {idle} of the time. No TCP gets more than it writes."
        return Finding("The application limits the transfer", f"{goodput} Mb/s. {text}")
    if not document["limits"]:
        text = f"It got {goodput} Mb/s, and taking away one thing gives no 10 % more. {told}"
        return Finding("Nothing single limits the transfer", text)
    first = document["limits"][0]
    cause = cause_of(document, first)
    if first["cause"] == "link-rate" and "varying" in document["doubts"]:
        cause = "What the link leaves limits the transfer"
    return Finding(cause, f"{_cost(document, first, goodput)} {told}", "warn")


def cause_of(document: DiagnoseDocument, limit: Limit) -> str:
    """Say what limits. Whose losses they are, few own packets in the queue do not tell."""
    link = document["link"]
    never_waited = link is not None and link["rate_bps"]["kind"] == "none"
    is_open = never_waited or "sharing" in document["doubts"]
    if limit["cause"] == "link-losses" and is_open:
        return "Losses limit the transfer, of the link or of a queue that others fill"
    return CAUSES[limit["cause"]]


def _cost(document: DiagnoseDocument, limit: Limit, goodput: str) -> str:
    least = " or more" if "rate" in document["doubts"] else ""
    link = document["link"]
    if limit["cause"] == "link-rate" and link is not None:
        used = share(link["utilisation"])
        rate = number(link["rate_bps"]["value"] / 1e6)
        if "varying" in document["doubts"]:
            return (
                f"{goodput} Mb/s, {used} of the {rate} Mb/s that it got while packets waited. The"
                " rate varies, or other traffic takes a part."
            )
        return f"{goodput} Mb/s, {used} of its {rate} Mb/s."
    # The ratio holds for replays; the transfer itself may have been lucky.
    observed = float((document["observed"] or {}).get("goodput_bps", 0.0))
    without = max(limit["without_bps"], observed)
    change = "with four times" if limit["cause"] in {"queue", "receive-window"} else "without them"
    thing = {"queue": " the queue", "receive-window": " the window"}.get(limit["cause"], "")
    return f"{goodput} Mb/s, and {number(without / 1e6)}{least} {change}{thing}."


def better(document: DiagnoseDocument) -> list[Prediction]:
    """Return what gets more than this transfer with 95 % probability, the best first."""
    if unknowable(document) is not None:
        return []
    rows = document["predictions"]
    return [row for row in rows if row["p_better"] >= SURE and row["variant"] not in NEEDS]


def named(variant: str) -> str:
    """Write a variant in words."""
    if "@" in variant:
        return f"retransmission on the link (with {variant.partition('@')[0]})"
    return {"sliding": "a coded transport (sliding)", "lt-tcp": "TCP with parity (lt-tcp)"}.get(
        variant, variant
    )


def helps(document: DiagnoseDocument) -> Finding | None:
    """State what would get more, or that nothing surely would."""
    if not document["predictions"]:
        return None
    hidden = unknowable(document)
    if hidden is not None:
        return hidden
    best = better(document)
    if not best:
        rows = [row for row in document["predictions"] if row["variant"] not in NEEDS]
        wide = [row for row in rows if row["high"] is None]
        if wide:
            text = (
                "The link may be faster than the capture shows; a capture with a full queue tells."
            )
            return Finding("Whether another TCP helps cannot be told", text, "warn")
        seen: Any = document["observed"]
        text = (
            f"No interval lies above the {number(seen['goodput_bps'] / 1e6)} Mb/s of this transfer."
        )
        return Finding("No TCP surely gets more", f"{text} {_same(document)}".strip())
    kinds: dict[str, Prediction] = {}
    for row in best:
        kinds.setdefault(kind(row["variant"]), row)
    first, *others = [f"{named(row['variant'])} {_amount(row)}" for row in kinds.values()]
    observed = number(float((document["observed"] or {}).get("goodput_bps", 0.0)) / 1e6)
    rest = f"; {listed(others)}" if others else ""
    text = f"{first} instead of {observed}{rest}. {_same(document)}"
    return Finding("More would be had with", text.strip(), "good")


def kind(variant: str) -> str:
    """Return the kind of a remedy: `link`, `coded`, or another `law`."""
    return "link" if "@" in variant else "coded" if variant in {"sliding", "lt-tcp"} else "law"


def _amount(row: Prediction) -> str:
    if row["goodput_bps"] is None:
        return f"{number((row['low'] or 0.0) / 1e6)} Mb/s or more"
    return f"{number(row['goodput_bps'] / 1e6)} Mb/s"


def _same(document: DiagnoseDocument) -> str:
    """State what the same TCP would get again, if that differs."""
    seen = document["observed"]
    own = next((r for r in document["predictions"] if r["variant"] == document["tcp"]), None)
    if seen is None or own is None or "lucky" not in document["doubts"]:
        return ""
    return f"The transfer was a lucky one: {own['variant']} will likely get {_amount(own)} again."


def doubt(document: DiagnoseDocument) -> Finding | None:
    """State what the answer rests on that could be wrong."""
    link, doubts = document["link"], document["doubts"]
    if link is None or not document["predictions"]:
        return None
    queue, rate = link["queue_packets"]["low"] or 0.0, link["rate_bps"]
    said = {
        "law": f"the law of the sender ({document['tcp']} assumed; --tcp)",
        "discipline": "by which rule the queue drops early (replayed as CoDel)",
        "place": "where the capture was taken (at the sender assumed)",
        "rate": f"the rate of the link (at least {number((rate['low'] or 0.0) / 1e6)} Mb/s)",
        "varying": "why the rate varies (what the link left to this transfer is replayed)",
        "queue": f"the length of the queue (at least {counted(queue, 'packet')})",
        "cut": "the end of the transfer (only its beginning was kept)",
    }
    unknown = [said[name] for name in doubts if name in said]
    text = f"Not known from this capture: {listed(unknown)}." if unknown else ""
    if document["replay"] is not None:
        text += " The replays agree with the capture."
    return Finding("Doubt", text.strip()) if text else None


def details(document: DiagnoseDocument) -> list[Finding]:
    """State what stands behind the answer."""
    found = [Finding("Also", f"{begun(text)}.") for text in signs(document)]
    found += [points(document), air_losses(document)]
    for limit in document["limits"][1:]:
        text = f"{number(limit['ratio'])} times the goodput without it."
        found.append(Finding(CAUSES[limit["cause"]].replace(" limit", " also limit"), text))
    if document["replay"] is not None and document["obstacle"] != "check":
        text = "; ".join(beside(each) for each in document["replay"]["statistics"])
        found.append(Finding("Replays", f"{begun(text)}."))
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
    """Name the files of a capture, and its interface if that is a part of them."""
    files = listed([Path(file).name for file in seen["files"]])
    at = "+".join(seen["interfaces"])
    return f"interface {at} of {files}" if at else files


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
