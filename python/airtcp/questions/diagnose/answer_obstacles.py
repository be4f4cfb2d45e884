"""What the answer of a diagnosis says where a capture allows no prediction, and what would."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.capture.findings import closed_to_end
from airtcp.questions.diagnose.document import LEAST_SEGMENTS
from airtcp.questions.diagnose.findings import STATISTICS, UNITS, tried
from airtcp.questions.diagnose.tables import is_sharp, mbps
from airtcp.questions.diagnose.transfer import AT_SENDER
from airtcp.words.sentences import counted, number, share

if TYPE_CHECKING:
    from airtcp.questions.diagnose.document import DiagnoseDocument, OtherLink

    Sentences = tuple[str, str | None]
    """What is found, and what would tell or help."""

_UNTOLD: Final = "What limits the transfer cannot be told"
_PLAIN: Final[dict[str, tuple[str, str | None]]] = {
    "place": (
        f"{_UNTOLD}, because the capture was not taken at its sender.",
        "A capture at the sender would tell: it shows when the sender waits, and the queue.",
    ),
    "no-rtt": (
        f"{_UNTOLD}, because no ACK shows the round-trip time of the path.",
        "--rtt gives it.",
    ),
    "idle": (
        (
            "The application may limit the transfer: for most of the time the sender has nothing to"
            " send."
        ),
        "A transfer that always has data would tell.",
    ),
    "no-sack": (
        f"{_UNTOLD}, because it repaired losses without SACK.",
        "A capture with SACK at both ends would tell.",
    ),
}
"""Obstacles in the same words for each capture."""
_MOSTLY: Final = 0.5
"""Share of the time in which the sender waits for the window, from which that limits [choice]."""
_REMOVED: Final = {
    "link-losses": "losses",
    "queue": "overflows",
    "receive-window": "that window",
}
"""What replays were without, in words."""
_HIDDEN: Final = {
    "sharing": (
        "the rate that it saw has no single value: a capture of all traffic would tell whether"
        " others share the queue"
    ),
    "batches": (
        "the link serves many packets at once, as aggregates of 802.11: a transfer with the other"
        " TCP would tell"
    ),
    "no-sack": "the transfer has no SACK: a capture with SACK at both ends would tell",
}


def sentences(document: DiagnoseDocument) -> Sentences | None:
    """Say why nothing is predicted, and what would tell; None if something is."""
    name, seen, other = document["obstacle"], document["observed"], document["other_link"]
    if seen is None:
        return _no_transfer(document)
    if name is not None and (window := _window(document)):
        return window
    if name == "short":
        sent = counted(seen["segments"], "data segment")
        return (
            f"The transfer is too short for a diagnosis: {sent}; it needs {LEAST_SEGMENTS}.",
            "A capture of a longer transfer would tell.",
        )
    if name in _PLAIN:
        return _PLAIN[name]
    if name == "check":
        return _differs(document)
    return None if other is None or name is None else _other(name, other, seen["goodput_bps"])


def _window(document: DiagnoseDocument) -> Sentences | None:
    """Say that the receive window limits, if the capture shows this without a replay.

    The receiver announces a closed window, so that each capture shows it.
    """
    seen = document["observed"]
    if seen is None or (seen["place"] not in AT_SENDER and not seen["zero_windows"]):
        return None
    part = seen["limited_by"]["receive_window"]
    if part < _MOSTLY:
        return None
    headline = f"The receive window limits the transfer: its sender waited for it {share(part)} of"
    if seen["zero_windows"]:
        if last := closed_to_end(seen):
            return f"{headline} the time.", f"{last}: its application no longer reads."
        closed = counted(seen["zero_windows"], "time")
        helps = (
            f"The receiver closed its window {closed}: an application that reads faster would help."
        )
    else:
        helps = "A larger receive buffer would help."
    return f"{headline} the time.", helps


def untold(document: DiagnoseDocument) -> Sentences | None:
    """Say that replays cannot tell the limit, if those with it get as much as those without.

    The rate of the link as a limit has other evidence: how long packets waited for it.
    """
    check, limits = document["replay"], document["limits"]
    if check is None or not limits or limits[0]["cause"] == "link-rate":
        return None
    goodput = next(each for each in check["statistics"] if each["name"] == "goodput_bps")
    if is_sharp(goodput) or limits[0]["without_bps"] > goodput["high"]:
        return None
    low, high = mbps(goodput["low"]), mbps(goodput["high"])
    headline = f"{_UNTOLD}: replays with {document['tcp']} get {low} to {high} Mb/s, and without"
    return (
        f"{headline} {_REMOVED[limits[0]['cause']]} no more than that.",
        "A longer transfer would tell.",
    )


def hidden(document: DiagnoseDocument) -> str | None:
    """Say why no other TCP than the sender's is predicted, and what would tell."""
    why = next((text for name, text in _HIDDEN.items() if name in document["doubts"]), None)
    return None if why is None else f"Whether another TCP helps cannot be told, because {why}."


def _other(name: str, other: OtherLink, goodput: float) -> Sentences | None:
    """Say which link or sender the replays do not describe."""
    policer, back = other["policer"], other["return_path"]
    if name == "policer" and policer is not None:
        most = mbps(policer["most_goodput_bps"])
        return (
            (
                f"A policer limits the transfer: {mbps(goodput)} Mb/s, and no TCP gets more than"
                f" {most}."
            ),
            None,
        )
    if name == "return-path" and back is not None:
        wait, excess = (number(back[key] * 1e3, 2) for key in ("wait_s", "excess_s"))
        return (
            (
                f"ACKs wait on their way back: {wait} of the {excess} ms by which round trips"
                " exceed the least one."
            ),
            (
                "More capacity or less traffic on the way back would help; a capture at the"
                " receiver would tell how much."
            ),
        )
    if name == "shared":
        return (
            f"Other traffic shares the queue: this transfer got {mbps(goodput)} Mb/s as its share.",
            (
                "What another TCP would get depends on the others: a capture of all traffic would"
                " tell."
            ),
        )
    application = other["application"]
    if name == "application" and application is not None:
        return (
            (
                f"The application limits the transfer at times: {mbps(goodput)} Mb/s, and it had"
                f" nothing to send for {share(application['share'])} of the time."
            ),
            (
                "What another TCP would get cannot be told: a transfer that always has data would"
                " tell."
            ),
        )
    return None


def _differs(document: DiagnoseDocument) -> Sentences:
    """Say that no replay comes near, by the first statistic that differs."""
    law = document["tcp"]
    replay = document["replay"]
    outside = [] if replay is None else [s for s in replay["statistics"] if not s["inside"]]
    several = len(document["tcp_checked"]) > 1
    headline = f"{_UNTOLD}: no replay with {tried(document)} reproduces it"
    if outside:
        before = f"; with {law}," if several else ", as"
        headline += f"{before} {_beside(outside[0])}"
    if several:
        helps = (
            "Its TCP may be another one, which --tcp names; a capture of all traffic would tell"
            " whether others share the link."
        )
    elif not document["tcp_told"]:
        helps = f"That the sender uses {law} is a guess: --tcp names its congestion control."
    elif law == "bbr":
        helps = "What Linux calls bbr is BBRv1: --tcp bbr1 may reproduce it."
    else:
        helps = None
    return f"{headline}.", helps


def _beside(statistic: Any) -> str:
    """Write a statistic beside the nearer end of its interval in replays."""
    _, words, scale = STATISTICS[statistic["name"]]
    unit = UNITS.get(scale, "")
    low = statistic["observed"] < statistic["low"]
    end = number(statistic["low" if low else "high"] * scale)
    seen = number(statistic["observed"] * scale)
    return f"{words} is {seen}{unit}, and {end} or {'more' if low else 'less'} in replays"


def _no_transfer(document: DiagnoseDocument) -> Sentences:
    """Say why a capture has no transfer."""
    if document["interrupted"]:
        return "Nothing was diagnosed: the analysis of the capture was stopped.", None
    packets = sum(file["packets"] for file in document["files"])
    frames = sum(file["air_frames"] for file in document["files"])
    tells = "A capture at the sender would tell: `tcpdump -s 128 -w FILE tcp`."
    if frames:
        found = counted(frames, "frame")
        return (
            f"No transfer to diagnose: {found} of 802.11 without readable data of TCP.",
            tells,
        )
    return (
        (
            f"No transfer to diagnose: {counted(packets, 'packet')}, but no connection of TCP with"
            " data."
        ),
        tells,
    )
