"""A link and a transfer as a scenario of airtcp.

The link has a rate, a delay, a drop-tail queue and a loss process. The transfer is one TCP flow
without an end, for as long as the capture shows data. Numbers are rounded to the digits that a
capture supports, so that the scenario reads well and gives the same bits everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10
from typing import TYPE_CHECKING, Any, Final

from airtcp.toml_text import inline

if TYPE_CHECKING:
    from airtcp.diagnosis.transfer import Transfer

LEAST_QUEUE: Final = 4
_LEAST_DELAY_S: Final = 1e-6
_NO_SCALING: Final = 65_535
_AMPLE_WINDOW: Final = 64 << 20
FLOW: Final = "transfer"
LINK: Final = "link"


@dataclass(frozen=True)
class Path:
    """The link of a transfer."""

    rate_bps: float
    delay_s: float
    """One-way delay, without transmission and queue."""
    queue_packets: int
    loss: float
    mean_burst: float
    """Mean number of packets lost in a row; 1 means independent losses."""


@dataclass(frozen=True)
class Sender:
    """The TCP of a transfer."""

    law: str
    mss: int
    receive_buffer: int
    sack: bool
    timestamps: bool
    scaling: bool


def sender_of(transfer: Transfer, law: str, window: int | None) -> Sender:
    """Describe the TCP of a transfer.

    Args:
        transfer: The transfer.
        law: The congestion law.
        window: The receive window in bytes, if it limited the transfer.
    """
    most = _AMPLE_WINDOW if transfer.scaling else _NO_SCALING
    if window is not None:
        most = min(most, window)
    return Sender(
        law=law,
        mss=max(transfer.mss, 48),
        receive_buffer=max(most, transfer.mss),
        sack=transfer.sack,
        timestamps=transfer.timestamps,
        scaling=transfer.scaling,
    )


def path_of(
    transfer: Transfer, rate_bps: float, loss: float, mean_burst: float, *, overflowed: bool
) -> Path:
    """Describe the link of a transfer for a rate.

    The delay is what the least round-trip time leaves after transmission. The queue is what the
    largest round-trip time adds to the least. If the queue never overflowed, it has twice that.
    """
    least = transfer.base_rtt_s or 0.0
    on_wire = 8 * (transfer.packet_bytes + transfer.header_bytes) / rate_bps
    most = transfer.rtt["max"] if transfer.rtt else 2 * least
    # Of the packets before the last one, one is in transmission, half of it on average.
    waiting = max((most - least) * rate_bps / 8 / transfer.packet_bytes - 0.5, 0.0)
    packets = round(waiting) if overflowed else round(2 * waiting) + 2 * LEAST_QUEUE
    return Path(
        rate_bps=rounded(rate_bps, 4),
        delay_s=max(rounded((least - on_wire) / 2, 4), _LEAST_DELAY_S),
        queue_packets=max(packets, LEAST_QUEUE),
        loss=rounded(loss, 3),
        mean_burst=rounded(mean_burst, 3),
    )


def rounded(value: float, digits: int) -> float:
    """Round to significant digits.

    >>> rounded(12345.678, 3), rounded(0.00123456, 3), rounded(0.0, 3)
    (12300.0, 0.00123, 0.0)
    """
    if value == 0:
        return 0.0
    return round(value, digits - 1 - floor(log10(abs(value))))


def scenario(path: Path, sender: Sender, duration_s: float, title: str) -> str:
    """Write the scenario as TOML.

    Args:
        path: The link.
        sender: The TCP.
        duration_s: The time that is simulated.
        title: The title, in one line.
    """
    lines = [
        f"title = {inline(title)}",
        f'duration = "{_number(rounded(duration_s, 4))} s"',
        "",
        "[[links]]",
        f'name = "{LINK}"',
        'from = "sender"',
        'to = "receiver"',
        f'rate = "{_number(path.rate_bps / 1e6)} Mb/s"',
        f'delay = "{_number(path.delay_s * 1e3)} ms"',
    ]
    lines.append(f"queue = {inline({'kind': 'drop-tail', 'packets': path.queue_packets})}")
    if path.loss > 0:
        lines.append(f"loss = {inline(_loss(path, sender))}")
    lines += [
        "",
        "[[flows]]",
        f'name = "{FLOW}"',
        'from = "sender"',
        'to = "receiver"',
        f"tcp = {inline(tcp(sender))}",
    ]
    return "\n".join(lines) + "\n"


def _loss(path: Path, sender: Sender) -> dict[str, Any]:
    if path.mean_burst <= 1:
        return {"model": "bernoulli", "probability": path.loss}
    # Packets sent back to back are a slot apart.
    slot_us = 8e6 * (sender.mss + 40) / path.rate_bps
    return {
        "model": "gilbert-elliott",
        "mean_loss": path.loss,
        "mean_burst": path.mean_burst,
        "slot": f"{_number(max(rounded(slot_us, 4), 1.0))} us",
    }


def tcp(sender: Sender) -> dict[str, Any]:
    """Return the table of the TCP."""
    table: dict[str, Any] = {
        "profile": "linux",
        "congestion": sender.law,
        "mss": sender.mss,
        "receive_buffer": f"{sender.receive_buffer} B",
    }
    if not sender.sack:
        table |= {"recovery": "newreno", "sack": False}
    if not sender.timestamps:
        table["timestamps"] = False
    if not sender.scaling:
        table["window_scaling"] = False
    return table


def _number(value: float) -> str:
    """Write a number without an exponent.

    >>> _number(0.00001), _number(12.50), _number(3.0)
    ('0.00001', '12.5', '3')
    """
    text = f"{value:.9f}".rstrip("0").rstrip(".")
    return text or "0"
