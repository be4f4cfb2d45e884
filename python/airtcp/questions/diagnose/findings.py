"""What a diagnosis says behind its answer, and the words that both use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from airtcp.words.sentences import Finding, begun, count, counted, either, listed, number, share

if TYPE_CHECKING:
    from airtcp.questions.diagnose.document import (
        AirFit,
        AqmFound,
        DiagnoseDocument,
        Limit,
        Prediction,
        SeenAt,
    )

SURE: Final = 0.95
"""Probability from which a TCP is named as better [choice]."""
NEEDS: Final = {"jersey": "needs marks of the path", "tcp-ap": "is made for chains of 802.11 hops"}
"""Laws that are predicted and not named, and why."""
_SAME: Final = 1.03
_IN_USE: Final = {"cubic", "bbr", "bbr1"}
"""TCPs of today's systems."""
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


def usual_first(rows: list[Prediction]) -> list[Prediction]:
    """Return rows, the best first; of TCPs that the intervals do not tell apart, the usual ones.

    Args: rows: What gets more than the transfer, the best first.
    """
    laws = [row for row in rows if kind(row["variant"]) == "law"]
    if not laws or laws[0]["goodput_bps"] is None:
        return rows
    best = laws[0]["goodput_bps"]
    same = [row for row in laws if row["high"] is None or row["high"] >= best]
    chosen = next((row for row in same if row["variant"] in _IN_USE), None)
    if chosen is None or chosen is laws[0]:
        return rows
    # A remedy of the link that gets more stays before it.
    place = rows.index(laws[0])
    rest = [row for row in rows if row is not chosen]
    return [*rest[:place], chosen, *rest[place:]]


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


STATISTICS: Final = {
    "goodput_bps": ("goodput (Mb/s)", "goodput", 1e-6),
    "rtt_p50_s": ("RTT p50 (ms)", "the median RTT", 1e3),
    "link_losses": ("losses of the link (per s)", "the losses of the link in a second", 1.0),
    "drop_episodes": ("overflows (per s)", "the overflows of the queue in a second", 1.0),
}
"""Statistics of the check: heading, words, and factor to the unit."""
UNKNOWABLE: Final = {"sharing", "batches", "no-sack"}
"""Doubts with which no other TCP is predicted."""
UNITS: Final = {1e-6: " Mb/s", 1e3: " ms"}


def evidence(document: DiagnoseDocument) -> str | None:
    """State what shows a policer or other traffic, if that is why nothing is predicted."""
    name, other = document["obstacle"], document["other_link"]
    policer, shared = (None, None) if other is None else (other["policer"], other["shared"])
    if name == "policer" and policer is not None:
        rate, burst = number(policer["rate_bps"] / 1e6), number(policer["burst_bytes"] / 1e3)
        return (
            f"The policer drops what exceeds {rate} Mb/s and a burst of {burst} kB, without a queue"
            f" ({counted(policer['drops'], 'drop')})."
        )
    if name != "shared" or shared is None:
        return None
    if shared["waited_alone"]:
        return (
            f"{count(shared['waited_alone'])} of {counted(shared['alone'], 'packet')} that found no"
            " other one of this transfer in the queue waited all the same."
        )
    return (
        f"At {counted(shared['drops'], 'drop')} the wait is constant, and the packets of this"
        " transfer in the queue are not."
    )


def tried(document: DiagnoseDocument) -> str:
    """Name the laws that were replayed: "cubic, reno or bbr1"."""
    laws = [each["tcp"] for each in document["tcp_checked"]] or [document["tcp"]]
    return either(laws)


def signs(document: DiagnoseDocument) -> list[str]:
    """Name what one rate and one drop-tail queue do not describe, and what replays include."""
    other = document["other_link"]
    if other is None:
        return []
    said: list[str] = []
    still, window, application = (
        other["stand_stills"],
        other["receive_window"],
        other["application"],
    )
    if other["aqm"] is not None:
        said.append(_discipline(other["aqm"]))
    if still is not None:
        mean = number(still["total_s"] / max(still["count"], 1))
        said.append(
            f"the link stood still {counted(still['count'], 'time')}, for {mean} s on average"
        )
    if window is not None:
        said.append(f"the receive window limits {share(window['share'])} of the time")
    if application is not None and application["kind"] == "steady":
        rate = number(application["rate_bps"] / 1e6)
        said.append(f"the application wrote {rate} Mb/s, and the transfer fell behind it")
    return said


def _discipline(aqm: AqmFound) -> str:
    """Name the discipline of a queue that drops early, if its drops do."""
    rule = aqm["codel"]
    if rule["found"]:
        drops = counted(rule["due"] + rule["not_due"], "drop")
        return (
            f"the queue is managed by CoDel: {count(rule['due'])} of {drops} came when it drops"
            " (after 0.1 s of waits above 5 ms)"
        )
    return (
        "the queue drops before it is full, and the capture does not tell by which rule (replayed"
        " as CoDel)"
    )


def losses(document: DiagnoseDocument) -> str:
    """State how many packets were lost, and by what."""
    seen, link, lost = document["losses"], document["link"], document["lost_packets"]
    if seen is None or link is None:
        return ""
    if not lost:
        return "No packet was lost."
    by = {origin: sum(each["origin"] == origin for each in lost) for origin in _ORIGINS}
    places = [f"{count(n)} {_ORIGINS[origin]}" for origin, n in by.items() if n]
    text = f"{count(len(lost))} of {counted(seen['sent'], 'packet')} were lost: {listed(places)}."
    if seen["bursty"] and by["link"] and seen["mean_burst"] is not None:
        text += f" The losses come in bursts of {number(seen['mean_burst'], 2)} packets on average."
    return text


_ORIGINS: Final = {"link": "on the link", "queue": "by the queue", "unknown": "by either"}


SOURCES: Final = {
    "air": "the air",
    "timing": "packet timing",
    "backlog": "backlog at losses",
    "option": "the option",
}
"""Sources of a parameter of the link."""


def air_losses(document: DiagnoseDocument) -> Finding | None:
    """State what the air did to the packets, if it was captured."""
    air, host = document["air"], document["air_fit"]
    if host is not None:
        return Finding("On the air", _of_host(host))
    if air is None or air["residual_loss"] is None:
        return None
    text = (
        f"It lost {share(air['raw_loss'] or 0.0)} of the attempts and, after retries,"
        f" {share(air['residual_loss'])} of the packets."
    )
    return Finding("On the air", text)


def _of_host(air: AirFit) -> str:
    if air["not_used"] == "missed":
        return f"The sniffer missed {share(air['missed_share'])} of the frames, so it is not used."
    if air["not_used"] is not None:
        found = counted(air["packets"], "packet")
        return f"Only {found} of the transfer were found, so it is not used."
    loss = air["loss"]
    low, high = (number(100 * (loss[end] or 0.0)) for end in ("low", "high"))
    text = (
        f"The link gave up {count(air['lost'])} of {counted(air['packets'], 'packet')} after the"
        f" last attempt, {number(100 * loss['value'])} % [{low}, {high}]."
    )
    if air["not_on_air"] is not None:
        text += f" {counted(air['not_on_air'], 'segment')} of the host did not come to the air."
    return text
