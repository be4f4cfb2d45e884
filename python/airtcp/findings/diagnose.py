"""A diagnosis in words: what limited the transfer, where its losses came from, what would help.

The last findings state how near the replay comes, and what the capture cannot tell. No gain is
stated whose paired interval includes zero, and no variant is ranked if the replay does not
reproduce the transfer.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from airtcp.diagnose_document import LEAST_SEGMENTS
from airtcp.findings import capture as capture_words
from airtcp.findings.capture import sentence
from airtcp.findings.diagnose_air import air_origin, usable
from airtcp.findings.diagnose_limits import unknowns
from airtcp.findings.diagnose_remedies import doubt, remedy
from airtcp.findings.words import Finding, count, counted, listed, number, share

if TYPE_CHECKING:
    from airtcp.diagnose_document import DiagnoseDocument, LinkFit, LossFit, SeenAt

_FULL: Final = 0.85
"""Share of the rate from which a link is full [choice]."""

STATISTICS: Final = {
    "goodput_bps": ("goodput (Mb/s)", "goodput", 1e-6),
    "lost": ("steady losses", "the number of losses without the overshoot", 1.0),
    "timeouts": ("timeouts", "the number of timeouts", 1.0),
    "rtt_p50_s": ("RTT p50 (ms)", "the median RTT", 1e3),
    "rtt_p95_s": ("RTT p95 (ms)", "the 95 % quantile of the RTT", 1e3),
}
"""Statistics: heading, words, and factor to the unit."""


def findings(document: DiagnoseDocument) -> list[Finding]:
    """Return the findings: the answer first, then its evidence."""
    found = [limited(document), origin(document), *remedy(document), replayed(document)]
    found.append(points(document))
    return [each for each in found if each is not None] + unknowns(document)


def points(document: DiagnoseDocument) -> Finding | None:
    """State which capture is used of a transfer that several captures show."""
    if not document["seen_at"]:
        return None
    used, *others = document["seen_at"]
    head = f"The transfer is in captures of {len(others) + 1} points of its path"
    rest = listed([f"{_files(each)} ({_PLACES[each['place']]})" for each in others])
    text = f"The diagnosis uses {_files(used)} ({_PLACES[used['place']]}), and not {rest}."
    if used["place"] not in {"sender", "unknown"}:
        text += " No capture was taken at the sender."
    return Finding(head, text)


def _files(seen: SeenAt) -> str:
    return listed([Path(file).name for file in seen["files"]])


_PLACES: Final = {
    "sender": "captured at the sender",
    "receiver": "captured at the receiver",
    "middle": "captured between the ends",
    "unknown": "place of the capture unknown",
}


def limited(document: DiagnoseDocument) -> Finding:
    """State what limited the transfer."""
    seen = document["observed"]
    if seen is None:
        return _no_transfer(document)
    if seen["place"] in {"receiver", "middle"} and document["obstacle"] != "short":
        text = "The capture was not taken at the sender, so it does not show when the sender waits."
        return Finding("What limited the sender is unknown", text, "warn")
    shares = capture_words.limit({"limited_by": seen["limited_by"]})
    how = shares.text if shares else "No limit holds for a tenth of the time."
    if document["obstacle"] == "short":
        sent = f"{counted(seen['segments'], 'segment')} in {number(seen['duration_s'])} s"
        text = f"{sent}; a diagnosis needs {LEAST_SEGMENTS}."
        if shares is not None:
            text += f" The transfer was {shares.headline} {how}"
        return Finding("Too short for a diagnosis", text, "warn")
    if full := _full(document):
        return Finding("Limited by the rate of the link", full)
    what = shares.headline if shares else "limited by nothing in particular"
    tail = ""
    losses = document["losses"]
    if shares and "congestion window" in what and losses and losses["lost"]:
        tail = " Losses keep the window small."
    return Finding(f"{what[0].upper()}{what[1:]}", f"{how[0].upper()}{how[1:]}{tail}")


def _full(document: DiagnoseDocument) -> str | None:
    """State that the link was full, if replays bound its rate and the goodput comes near."""
    link, replay = document["link"], document["replay"]
    if link is None or link["rate_bps"]["high"] is None or link["utilisation"] < _FULL:
        return None
    if replay is None or not replay["reproduces"] or document["doubts"]:
        return None
    rate = number(link["rate_bps"]["value"] / 1e6)
    carried = share(min(link["utilisation"], 1.0))
    return f"The transfer took {carried} of the {rate} Mb/s of the link."


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


def origin(document: DiagnoseDocument) -> Finding | None:
    """State where the losses came from, and whether they come in bursts."""
    losses, link = document["losses"], document["link"]
    if losses is None:
        return None
    if losses["lost"] == 0:
        return Finding(
            "No losses", f"None of {counted(losses['sent'], 'packet')} was lost.", "good"
        )
    interval = f"[{_percents(losses['share_low'], losses['share_high'])}]"
    share_lost = f"{number(100 * losses['share'])} % {interval}"
    of = f"{count(losses['lost'])} of {counted(losses['sent'], 'packet')}"
    text = f"{of} were lost, {share_lost}. {_bursts(losses)}"
    if link is None:
        return Finding("Losses", text, "warn")
    if (measured := usable(document)) is not None:
        headline, why = air_origin(losses, measured)
        said = f"{why} TCP sent {of} again, {share_lost}. {_bursts(losses)}"
        return Finding(headline, said, "warn")
    headline, why = _source(document, link)
    if 0 < losses["overshoot"] < losses["lost"]:
        headline += ", and an overshoot of slow start"
    return Finding(headline, f"{why} {text}{_air(document)}", "warn")


def _source(document: DiagnoseDocument, link: LinkFit) -> tuple[str, str]:
    """Return the origin of the losses, and the evidence."""
    replay, seen = document["replay"], document["observed"]
    if seen is not None and seen["rtt_p50_s"] is None:
        why = "The capture was not taken at the sender, so it does not show the queue."
        return "The origin of the losses is unknown", why
    if why := doubt(document):
        return "The origin of the losses is unknown", why
    if replay is not None and not replay["reproduces"]:
        return "The origin of the losses is unknown", "No replay reproduces the transfer."
    possible = [each["part"] for each in link["origins"] if each["possible"]]
    low, high = min(possible, default=0.0), max(possible, default=1.0)
    return _SOURCES[_size(low), _size(high)]


def _size(part: float) -> str:
    """Name the size of the part of the losses that the link causes."""
    if part >= 1:
        return "all"
    return "few" if part <= _FEW_PARTS else "some"


_FEW_PARTS: Final = 0.1
_ONLY: Final = "Replays agree with the capture only if {}."
_NOT_ALL: Final = _ONLY.format("the queue drops some of the lost packets")
_NOT_FEW: Final = _ONLY.format("the link itself loses more than 10 % of the lost packets")
_SOURCES: Final = {
    ("few", "few"): (
        "Losses by overflow of the queue",
        _ONLY.format("the link itself loses less than 40 % of the lost packets"),
    ),
    ("few", "some"): ("Losses by overflow of the queue, perhaps also of the link", _NOT_ALL),
    ("some", "some"): ("Losses of the link and by overflow of the queue", _NOT_ALL),
    ("some", "all"): ("Losses of the link, perhaps also by overflow of the queue", _NOT_FEW),
    ("all", "all"): (
        "Losses of the link itself",
        _ONLY.format("the queue drops less than 60 % of the lost packets"),
    ),
    ("few", "all"): (
        "The origin of the losses is unknown",
        "Losses of the link and overflow of the queue both explain the capture.",
    ),
}
"""Origin and evidence, by the least and the largest part that the link may cause."""


def _bursts(losses: LossFit) -> str:
    early = ""
    if losses["overshoot"]:
        early = f"Slow start overshot the queue and lost {count(losses['overshoot'])} of them. "
    return early + _runs(losses)


def _runs(losses: LossFit) -> str:
    if losses["p_independent"] is None:
        subject = "The other losses" if losses["overshoot"] else "The losses"
        lost = counted(losses["lost_first"], "packet")
        return f"{subject} ({lost}) are too few to tell whether losses come in bursts."
    mean, low, high = losses["mean_burst"], losses["mean_burst_low"], losses["mean_burst_high"]
    size = f"on average, {number(mean)} packets [{number(low)}, {number(high)}] are lost in a row"
    subject = "The others" if losses["overshoot"] else "The losses"
    if losses["bursty"]:
        longest = count(losses["longest_burst"])
        return f"{subject} come in bursts: {size}, at most {longest}."
    return f"{subject} show no bursts: {size}."


def _air(document: DiagnoseDocument) -> str:
    """Compare the losses of TCP with those that 802.11 left."""
    air, losses = document["air"], document["losses"]
    if air is None or losses is None or air["residual_loss"] is None:
        return ""
    said = (
        f" The air lost {share(air['raw_loss'] or 0.0)} of the attempts and, after retries,"
        f" {share(air['residual_loss'])} of the packets."
    )
    if losses["share_low"] <= air["residual_loss"] <= losses["share_high"]:
        return f"{said} That agrees with the losses of TCP."
    less = air["residual_loss"] < losses["share_low"]
    if less:
        return f"{said} TCP lost more: packets are also lost in other places."
    return f"{said} TCP lost less."


def replayed(document: DiagnoseDocument) -> Finding | None:
    """State how near the replay comes to the transfer."""
    replay = document["replay"]
    if replay is None:
        return None
    outside = [s for s in replay["statistics"] if not s["inside"]]
    runs = counted(replay["replications"], "replay")
    text = f"{sentence('; '.join(_beside(each) for each in outside))} (interval of {runs})."
    if not replay["reproduces"]:
        return Finding("The model does not reproduce this transfer", text, "bad")
    if outside:
        return Finding("The replay agrees with the capture in part", text, "warn")
    names = sentence(listed([STATISTICS[s["name"]][1] for s in replay["statistics"]]))
    text = f"{names} of the capture lie in the prediction intervals of {runs}."
    return Finding("The replay agrees with the capture", text, "good")


def _beside(statistic: Any) -> str:
    _, words, scale = STATISTICS[statistic["name"]]
    unit = {1e-6: " Mb/s", 1e3: " ms"}.get(scale, "")
    seen, low, high = (number(statistic[key] * scale) for key in ("observed", "low", "high"))
    return f"{words} is {seen}{unit} in the capture, and {low} to {high}{unit} in replays"


def _percents(low: float, high: float) -> str:
    return f"{number(100 * low)}, {number(100 * high)}"


def transfer(document: DiagnoseDocument) -> str:
    """Write what the transfer carried, and where the capture was taken."""
    seen = document["observed"]
    if seen is None:
        return "no transfer"
    sent = seen["unique_bytes"]
    size = f"{number(sent / 1e6)} MB" if sent >= 100_000 else f"{number(sent / 1e3)} kB"  # noqa: PLR2004
    rate = number(seen["goodput_bps"] / 1e6)
    place = _PLACES[seen["place"]]
    return f"{size} in {number(seen['duration_s'])} s at {rate} Mb/s, {place}"
