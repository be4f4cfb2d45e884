"""What a capture shows, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.findings.words import Finding, count, counted, listed, number, share

if TYPE_CHECKING:
    from collections.abc import Mapping

_LIMITS: Final = {
    "congestion_window": "the congestion window",
    "slow_start": "slow start",
    "receive_window": "the receive window",
    "application": "the application",
    "pacing": "pacing",
    "recovery": "recovery from losses",
}
_CAUSES: Final = {
    "fast": "in fast recovery",
    "timeout": "by timeout",
    "after_timeout": "after a timeout",
    "tail_loss_probe": "as tail-loss probe",
    "unknown": "for an unknown cause",
}
_MEGA: Final = 100_000
"""Least bytes that are written in MB."""
_SMALL: Final = 0.1
"""Least share of the time that a sentence names."""


def bulk(connection: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the direction that carried more data."""
    return max(connection["directions"], key=lambda d: d["unique_bytes"])


def ends(connection: Mapping[str, Any]) -> str:
    """Write sender and receiver of the direction that carried more data."""
    sender = bulk(connection)["from"]
    client, server = connection["client"], connection["server"]
    return f"{sender} -> {server if sender == client else client}"


def limit(direction: Mapping[str, Any]) -> Finding | None:
    """Say what limited the sender of a direction."""
    shares = sorted(direction["limited_by"].items(), key=lambda item: -item[1])
    named = [(key, part) for key, part in shares if part >= _SMALL]
    if not named:
        return None
    first = _LIMITS[named[0][0]]
    others = [f"{_LIMITS[key]} {share(part)}" for key, part in named[1:]]
    rest = f"; {listed(others)}" if others else ""
    return Finding(f"limited by {first}", f"{share(named[0][1])} of the time{rest}.")


def losses(direction: Mapping[str, Any]) -> Finding:
    """Say what was sent again, why, and how much of it needlessly."""
    again, sent = direction["retransmitted_segments"], direction["data_segments"]
    if again == 0:
        return Finding("nothing was sent again", f"{counted(sent, 'data segment')}.", "good")
    causes = [f"{count(n)} {_CAUSES[key]}" for key, n in direction["retransmissions"].items() if n]
    text = f"{count(again)} of {counted(sent, 'data segment')}: {listed(causes)}."
    spurious = direction["spurious_retransmissions"]
    needless = " None of them is shown to be spurious."
    if spurious:
        were = counted(spurious, "of them was spurious", "of them were spurious")
        needless = f" {were}: a copy had arrived."
    return Finding(f"{share(again / sent)} sent again", text + needless, "warn")


def air(link: Mapping[str, Any]) -> Finding | None:
    """Say what an 802.11 link lost."""
    raw, residual = link["raw_loss"], link["residual_loss"]
    if raw is None or residual is None:
        return None
    attempts = link["mean_attempts"]
    each = "" if attempts is None else f" A packet took {number(attempts)} attempts on average."
    text = (
        f"of {counted(link['attempts'], 'attempt')}; residual loss {share(residual)} of "
        f"{counted(link['packets'], 'packet')}.{each}"
    )
    return Finding(f"raw loss {share(raw)}", text)


def transfer(connection: Mapping[str, Any]) -> str:
    """Write what a connection carried, and where the capture was taken."""
    direction = bulk(connection)
    rate = direction["goodput_bps"]
    speed = "" if rate is None else f" at {number(rate / 1e6)} Mb/s"
    places = {
        "client": "captured at the client",
        "server": "captured at the server",
        "middle": "captured between the ends",
        "unknown": "place of the capture unknown",
    }
    sent = direction["unique_bytes"]
    size = f"{number(sent / 1e6)} MB" if sent >= _MEGA else f"{number(sent / 1e3)} kB"
    seconds = number(connection["duration_s"])
    return f"{size} in {seconds} s{speed}, {places[connection['vantage']]}"
