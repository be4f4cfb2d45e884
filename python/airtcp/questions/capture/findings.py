"""What a capture shows, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.words.sentences import Finding, count, counted, listed, number, share

if TYPE_CHECKING:
    from collections.abc import Mapping

LIMITS: Final = {
    "congestion_window": "the congestion window",
    "slow_start": "slow start",
    "receive_window": "the receive window",
    "application": "the application",
    # A host that answers ACKs late looks like one that paces.
    "pacing": "pacing or the congestion window",
    "recovery": "recovery from losses",
}
"""What limits a sender, in words."""
_CLOSED: Final = 0.5
"""Share of the time with a closed receive window that is known away from the sender."""
_ASKED_S: Final = 1.0
"""Least time in seconds for which a window that is closed at the end is said: the least timer of
RFC 6298."""
_CAUSES: Final = {
    "fast": "in fast recovery",
    "timeout": "by timeout",
    "after_timeout": "after a timeout",
    "tail_loss_probe": "as tail-loss probe",
    "unknown": "for an unknown cause",
}
_TIMEOUTS: Final = {
    "spurious": "spurious (a copy had arrived)",
    "lost_retransmission": "because a retransmission was lost too",
    "tail": "because fewer than three segments followed, too few for duplicate ACKs",
    "whole_flight": "because nothing that followed was acknowledged",
    "few_duplicate_acks": "because fewer than three duplicate ACKs came",
    "other": "in spite of three duplicate ACKs",
}
_MEGA: Final = 100_000
"""Least bytes that are written in MB."""
_SMALL: Final = 0.1
"""Least share of the time that a sentence names."""


_LONGER: Final = 1.5
"""Duration of a connection by the time of its transfer above which both are named."""
_SHORT: Final = 0.1
"""Time in s below which a time is written in ms."""
_WIDE: Final = 2.0
"""Receive window by goodput above which the window is said not to limit."""


def link_name(link: Mapping[str, Any]) -> str:
    """Write both ends of an 802.11 link, and its point if several sniffers captured it."""
    point = link.get("point")
    at = "" if point is None else f" at point {point}"
    return f"{link['transmitter']} -> {link['receiver']}{at}"


def of_bulk(connection: Mapping[str, Any]) -> list[Finding]:
    """Say what happened to the data: losses, timeouts, limits, clusters, windows."""
    direction = bulk(connection)
    if unheard(connection):
        again = counted(direction["retransmitted_segments"], "segment")
        text = "the capture has no ACK of the data, and does not show why."
        return [Finding(f"{again} sent again", text, "warn")]
    parts = [losses(direction), reordered(direction), timeouts(direction), limit(connection)]
    if at_sender(connection):
        parts.append(window(direction))
    parts += [clock(direction), probes(direction)]
    return [part for part in parts if part is not None]


def early_acks(connection: Mapping[str, Any]) -> Finding | None:
    """Say that the capture holds ACKs before their data, and by how much."""
    early = connection.get("early_acks")
    if not early:
        return None
    middle, longest = (number(early[key] * 1e3) for key in ("lag_p50_s", "lag_max_s"))
    acks = counted(early["count"], "ACK")
    verb = "comes before its data" if early["count"] == 1 else "come before their data"
    text = f"by {middle} ms in the median, by {longest} ms at most. All are put in order"
    if not early["two_clocks"]:
        text += ", and none gives a round-trip time."
        return Finding(f"{acks} {verb}", text, "warn")
    most = early["skew_at_most_s"]
    most = "" if most is None else f" and at most {number(most * 1e3)} ms"
    text += (
        f". Two clocks were merged, which differ by at least {longest} ms{most}: times between the "
        "two ends are not given."
    )
    return Finding(f"{acks} {verb}", text, "warn")


def probes(direction: Mapping[str, Any]) -> Finding | None:
    """Say how often the receiver closed its window, if the sender probed it."""
    probed, last = direction.get("window_probes", 0), closed_to_end(direction)
    if not probed and not last:
        return None
    closed = counted(direction["zero_windows"], "time")
    asked = f"the sender sent {counted(probed, 'probe')}, which are neither data nor sent again."
    text = " ".join(filter(None, (asked if probed else "", f"{last}." if last else "")))
    return Finding(f"the receiver closed its window {closed}", text, "warn")


def timeouts(direction: Mapping[str, Any]) -> Finding | None:
    """Say why the sender had to wait for its timer."""
    causes = {key: n for key, n in direction["timeout_causes"].items() if n}
    total = sum(causes.values())
    if not total:
        return None
    text = "; ".join(by_cause(causes, _TIMEOUTS))
    return Finding(counted(total, "timeout"), f"{text}.", "warn")


def by_cause(counts: Mapping[str, int], words: Mapping[str, str]) -> list[str]:
    """Write counts by their cause. A single cause needs no count: it is that of the whole.

    Args: counts: The counts. words: The causes in words.

    >>> by_cause({"a": 2, "b": 0}, {"a": "because of a"})
    ['because of a']
    >>> by_cause({"a": 2, "b": 1}, {"a": "because of a", "b": "because of b"})
    ['2 because of a', '1 because of b']
    """
    found = {words[key]: n for key, n in counts.items() if n}
    return list(found) if len(found) == 1 else [f"{count(n)} {why}" for why, n in found.items()]


def clock(direction: Mapping[str, Any]) -> Finding | None:
    """Say that losses follow a clock, if they do."""
    clusters = direction["loss_clusters"]
    period = clusters and clusters["period"]
    if not period:
        return None
    lost, groups = clusters["losses"], clusters["clusters"]
    text = (
        f"{counted(lost, 'loss', 'losses')} in {counted(groups, 'cluster')}; independent losses "
        f"look as regular with a probability of {share(period['p_value'])}."
    )
    return Finding(f"losses every {number(period['period_s'])} s", text, "warn")


def window(direction: Mapping[str, Any]) -> Finding | None:
    """Say what the receiver's window allows, where that matters or contradicts the goodput."""
    received = direction["receive_window"]
    mean, bound, ratio = (received[k] for k in ("mean_bytes", "bound_bps", "bound_by_goodput"))
    if received["is_exceeded"]:
        text = (
            f"its largest one, {number(received['max_bytes'] / 1e3)} kB, allows "
            f"{number(received['largest_bps'] / 1e6)} Mb/s in the least round trip. The capture "
            "lacks the scale of the window, or a part of the round trip."
        )
        return Finding("the receive window contradicts the goodput", text, "warn")
    if direction["limited_by"]["receive_window"] < _SMALL or ratio is None:
        return None
    text = (
        f"{number(mean / 1e3)} kB in a mean round trip of "
        f"{number(direction['rtt_s']['mean'] * 1e3)} ms, {number(ratio)} times the goodput."
    )
    if ratio >= _WIDE:
        text += " The window limits parts of the transfer, not the whole."
    return Finding(f"the receive window allows {number(bound / 1e6)} Mb/s", text)


def bulk(connection: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the direction that carried more data."""
    return max(connection["directions"], key=lambda d: d["unique_bytes"])


def unheard(connection: Mapping[str, Any]) -> bool:
    """Return whether the capture has no ACK of the direction that carried more data.

    The steps of a handshake acknowledge no data. Without ACKs nothing shows what arrived, nor why
    the sender sent again.
    """
    data = bulk(connection)
    if data["rtt_s"]["samples"] or data["duplicate_acks"] or data["duplicate_acks_sack"]:
        return False
    other = next(each for each in connection["directions"] if each is not data)
    steps = 0
    if all(connection["handshake"]):
        steps = 1 if data["from"] == connection["client"] else 2
    return other["packets"] - other["syn_retransmissions"] <= steps


def ends(connection: Mapping[str, Any]) -> str:
    """Write sender and receiver of the direction that carried more data."""
    sender = bulk(connection)["from"]
    client, server = connection["client"], connection["server"]
    return f"{sender} -> {server if sender == client else client}"


def is_one_way(connection: Mapping[str, Any]) -> bool:
    """Return whether the capture has packets of one direction only."""
    return any(not each["packets"] for each in connection["directions"])


def at_sender(connection: Mapping[str, Any]) -> bool:
    """Return whether the capture shows what the sender of most data did, as far as is known.

    Elsewhere the data is acknowledged at once. The sender then seems to have nothing to send, and
    the round-trip time is the delay of the receiver's ACKs. `diagnose` has the same rule.
    """
    place = connection["vantage"]
    return place == "unknown" or connection.get(place) == bulk(connection)["from"]


def waits(connection: Mapping[str, Any]) -> dict[str, float]:
    """Return the shares of the time by what limited the sender, as far as the capture shows them.

    The receiver announces that its window is closed, so that each capture shows it.
    """
    direction = bulk(connection)
    shares: dict[str, float] = direction["limited_by"]
    if at_sender(connection):
        return shares
    closed = shares["receive_window"] if direction["zero_windows"] else 0.0
    return {"receive_window": closed} if closed >= _CLOSED else {}


def closed_to_end(direction: Mapping[str, Any]) -> str:
    """Say for how long the window of the receiver has been closed at the end; empty if it is open.

    A sender asks after its timer at the earliest (RFC 9293 section 3.8.6.1): a shorter time is that
    of a window that opens and closes.
    """
    last = direction.get("closed_to_end_s") or 0.0
    if last < _ASKED_S:
        return ""
    return f"The window of its receiver never opened again in the last {number(last, 2)} s"


def never_opens(direction: Mapping[str, Any]) -> bool:
    """Return whether the receiver took nothing at any time of the capture."""
    return direction["zero_windows"] > 0 and direction["receive_window"]["max_bytes"] == 0


def reordered(direction: Mapping[str, Any]) -> Finding | None:
    """Say how many segments others overtook."""
    late = direction["out_of_order"]
    if not late:
        return None
    text = f"of {counted(direction['data_segments'], 'data segment')}: others overtook them."
    return Finding(f"{counted(late, 'segment')} came out of order", text, "warn")


def limit(connection: Mapping[str, Any]) -> Finding | None:
    """Say what limited the sender of most data, as far as the capture shows it."""
    shares = sorted(waits(connection).items(), key=lambda item: -item[1])
    named = [(key, part) for key, part in shares if part >= _SMALL]
    if not named:
        return None
    first = LIMITS[named[0][0]]
    others = [f"{LIMITS[key]} {share(part)}" for key, part in named[1:]]
    rest = f"; {listed(others)}" if others else ""
    return Finding(f"limited by {first}", f"{share(named[0][1])} of the time{rest}.")


def losses(direction: Mapping[str, Any]) -> Finding:
    """Say what was sent again, why, and how much of it needlessly."""
    again, sent = direction["retransmitted_segments"], direction["data_segments"]
    lacks = direction["capture_losses"]
    missing = ""
    if lacks:
        were = "one more segment that was" if lacks == 1 else f"{count(lacks)} more that were"
        missing = f" The capture lacks {were} acknowledged: bytes and goodput are too low."
    if again == 0:
        text = f"{counted(sent, 'data segment')}.{missing}"
        return Finding("nothing was sent again", text, "warn" if missing else "good")
    causes = by_cause(direction["retransmissions"], _CAUSES)
    text = f"{count(again)} of {counted(sent, 'data segment')}, {listed(causes)}."
    spurious = direction["spurious_retransmissions"]
    if spurious:
        were = counted(spurious, "of them was spurious", "of them were spurious")
        needless = f" {'It was spurious' if again == 1 else were}: a copy had arrived."
    else:
        which = "It is not" if again == 1 else "None of them is"
        needless = f" {which} shown to be spurious."
    return Finding(f"{share(again / sent)} sent again", text + needless + missing, "warn")


def air(link: Mapping[str, Any]) -> Finding | None:
    """Say what an 802.11 link lost."""
    raw, residual = link["raw_loss"], link["residual_loss"]
    if raw is None or residual is None:
        return None
    attempts = link["mean_attempts"]
    each = "" if attempts is None else f" A packet took {number(attempts)} attempts on average."
    text = (
        f"{counted(link['attempts'], 'attempt')}; residual loss {share(residual)} of "
        f"{counted(link['packets'], 'packet')}.{each}"
    )
    return Finding(f"raw loss {share(raw)}", text)


def duration(seconds: float) -> str:
    """Write a time, a short one in ms.

    >>> duration(90.7), duration(0.00855)
    ('90.7 s', '8.55 ms')
    """
    return f"{number(seconds * 1e3)} ms" if 0 < seconds < _SHORT else f"{number(seconds)} s"


def transfer(connection: Mapping[str, Any]) -> str:
    """Write what a connection carried, and where the capture was taken."""
    direction = bulk(connection)
    rate, took = direction["goodput_bps"], direction["transfer_s"] or 0.0
    lasted = connection["duration_s"]
    if rate is None:
        speed = f" in a connection of {duration(lasted)}"
    else:
        speed = f" in {duration(took)} at {number(rate / 1e6)} Mb/s"
        if lasted > _LONGER * took:
            speed += f" in a connection of {duration(lasted)}"
    places = {
        "client": "captured at the client",
        "server": "captured at the server",
        "middle": "captured between the ends",
        "unknown": "place of the capture unknown",
    }
    sent = direction["unique_bytes"]
    size = f"{number(sent / 1e6)} MB" if sent >= _MEGA else f"{number(sent / 1e3)} kB"
    told = " (as told)" if connection["vantage_told"] else ""
    return f"{size}{speed}, {places[connection['vantage']]}{told}"
