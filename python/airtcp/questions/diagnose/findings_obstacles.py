"""Why a capture allows no prediction, in words, and what would."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.diagnose.document import LEAST_SEGMENTS
from airtcp.words.sentences import Finding, begun, count, counted, listed, number, share

if TYPE_CHECKING:
    from airtcp.questions.diagnose.document import (
        AqmFound,
        DiagnoseDocument,
        OtherLink,
        SharedFound,
    )

STATISTICS: Final = {
    "goodput_bps": ("goodput (Mb/s)", "goodput", 1e-6),
    "rtt_p50_s": ("RTT p50 (ms)", "the median RTT", 1e3),
    "link_losses": ("losses of the link (per s)", "the losses of the link in a second", 1.0),
    "drop_episodes": ("overflows (per s)", "the overflows of the queue in a second", 1.0),
}
"""Statistics of the check: heading, words, and factor to the unit."""
_UNTOLD: Final = "What limits the transfer cannot be told"
_PLAIN: Final = {
    "place": (
        _UNTOLD,
        (
            "The capture was not taken at the sender. It shows neither when the sender waits nor"
            " the queue. Capture at the sender."
        ),
    ),
    "no-rtt": (_UNTOLD, "No ACK shows the round-trip time of the path (give it with --rtt)."),
    "idle": (
        "The application may limit the transfer",
        (
            "For most of the time the sender has nothing to send. Its pauses are too short to show"
            " the rate of the application. A transfer that always has data would tell."
        ),
    ),
    "no-sack": (
        "The transfer has no SACK",
        (
            "It repaired losses, and replays of TCP without SACK differ from kernels. A capture"
            " with SACK at both ends would tell what another TCP gets."
        ),
    ),
}
"""Obstacles in the same words for each capture: headline and text."""
UNITS: Final = {1e-6: " Mb/s", 1e3: " ms"}


def obstacle(document: DiagnoseDocument) -> Finding | None:
    """State why nothing is predicted; none if something is."""
    name, seen, other = document["obstacle"], document["observed"], document["other_link"]
    if seen is None:
        return _no_transfer(document)
    if name == "short":
        sent = f"{counted(seen['segments'], 'segment')} in {number(seen['duration_s'])} s"
        text = f"{sent}; a diagnosis needs {LEAST_SEGMENTS}."
        return Finding("Too short for a diagnosis", text, "warn")
    if name in _PLAIN:
        return Finding(*_PLAIN[name], "warn")
    if name == "check":
        return _differs(document)
    return None if other is None or name is None else _other(name, other, seen["goodput_bps"])


def _other(name: str, other: OtherLink, goodput: float) -> Finding | None:
    policer, shared, back = other["policer"], other["shared"], other["return_path"]
    if name == "policer" and policer is not None:
        rate, most = (number(policer[key] / 1e6) for key in ("rate_bps", "most_goodput_bps"))
        burst = number(policer["burst_bytes"] / 1e3)
        text = (
            f"It drops what exceeds {rate} Mb/s and a burst of {burst} kB, without a queue"
            f" ({counted(policer['drops'], 'drop')}). No TCP gets more than {most} Mb/s."
        )
        return Finding("A policer limits the transfer", text, "warn")
    if name == "return-path" and back is not None:
        wait, excess = (number(back[key] * 1e3) for key in ("wait_s", "excess_s"))
        text = (
            f"They wait {wait} of the {excess} ms by which the usual round trip exceeds the least"
            f" one, and the data, at {number(goodput / 1e6)} Mb/s, does not. More capacity or less"
            " traffic on the way back would help. The pace of the ACKs hides the rate of the link;"
            " a capture at the receiver would tell."
        )
        return Finding("ACKs wait on their way back", text, "warn")
    if name == "shared" and shared is not None:
        text = (
            f"{_beside_others(shared)} The transfer got its share, {number(goodput / 1e6)} Mb/s."
            " Whether the link or the full queue lost its packets cannot be told. What another TCP"
            " would get depends on how the others react; a capture of all traffic would tell."
        )
        return Finding("Other traffic shares the queue", text, "warn")
    if name == "application":
        text = (
            "It had nothing to send at times, at no single rate. What another TCP would get cannot"
            " be told; a transfer that always has data would tell."
        )
        return Finding("The application limits the transfer at times", text, "warn")
    return None


def _beside_others(shared: SharedFound) -> str:
    """Say what shows other traffic in the queue."""
    if shared["waited_alone"]:
        return (
            f"{count(shared['waited_alone'])} of {counted(shared['alone'], 'packet')} that found no"
            " other one of this transfer in the queue waited all the same."
        )
    return (
        f"At {counted(shared['drops'], 'drop')} the wait is constant, and the packets of this"
        " transfer in the queue are not."
    )


def _differs(document: DiagnoseDocument) -> Finding:
    replay = document["replay"]
    outside = [] if replay is None else [s for s in replay["statistics"] if not s["inside"]]
    text = "; ".join(beside(each) for each in outside)
    tail = " What another TCP would get cannot be told."
    law = ""
    if not document["tcp_told"]:
        law = f" with {tried(document)}"
        text = f"with {document['tcp']}, {text}"
        tail = (
            " Its TCP may be another one: name its congestion control with --tcp. Or the path is"
            " one that the replays do not describe."
        )
    elif document["tcp"] == "bbr":
        tail += " What Linux calls bbr is BBRv1: try --tcp bbr1."
    return Finding(f"No replay{law} reproduces this transfer", f"{begun(text)}.{tail}", "bad")


def tried(document: DiagnoseDocument) -> str:
    """Name the laws that were replayed: "cubic, reno or bbr1"."""
    laws = [each["tcp"] for each in document["tcp_checked"]] or [document["tcp"]]
    return " or ".join([*([", ".join(laws[:-1])] if laws[1:] else []), laws[-1]])


def beside(statistic: Any) -> str:
    """Write a statistic beside its interval in replays."""
    _, words, scale = STATISTICS[statistic["name"]]
    unit = UNITS.get(scale, "")
    seen, low, high = (number(statistic[key] * scale) for key in ("observed", "low", "high"))
    return f"{words} is {seen}{unit} in the capture, and {low} to {high}{unit} in replays"


def _no_transfer(document: DiagnoseDocument) -> Finding:
    """State why a capture has no transfer."""
    if document["interrupted"]:
        return Finding("Nothing was diagnosed", "The analysis of the capture was stopped.", "warn")
    packets = sum(file["packets"] for file in document["files"])
    frames = sum(file["air_frames"] for file in document["files"])
    if frames:
        text = (
            f"{counted(frames, 'frame')} of 802.11 without readable data of TCP: they may be"
            " encrypted, or of other protocols. A capture at the sender shows TCP."
        )
    else:
        text = f"{counted(packets, 'packet')}, but no connection of TCP with data."
    return Finding("No transfer to diagnose", text, "warn")


def unknowable(document: DiagnoseDocument) -> Finding | None:
    """State why no other TCP is predicted, and what would tell; none if others are."""
    said = [text for name, text in _UNKNOWABLE.items() if name in document["doubts"]]
    if not said:
        return None
    return Finding("Whether another TCP helps cannot be told", " ".join(said), "warn")


_UNKNOWABLE: Final = {
    "sharing": (
        "The rate that this transfer saw has no single value. The link may vary, or other traffic"
        " may share the queue; a capture of all traffic would tell."
    ),
    "batches": (
        "The link serves many packets at once, as aggregates of 802.11. The replays do not; a"
        " transfer with the other TCP would tell."
    ),
    "no-sack": "The transfer has no SACK; a capture with SACK at both ends would tell.",
}


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
