"""What a capture shows of a link that the replays do not describe, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.words.sentences import count, counted, listed, number, share

if TYPE_CHECKING:
    from airtcp.questions.diagnose.document import AqmFound, DiagnoseDocument

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
    return " or ".join([*([", ".join(laws[:-1])] if laws[1:] else []), laws[-1]])


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
