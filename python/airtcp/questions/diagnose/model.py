"""A link and a transfer as a scenario of airtcp.

The link has a rate or a trace of its rate, a delay, a queue and a loss process; where the capture
shows them, also reordering and losses of ACKs. The transfer is one TCP flow, or as many as the
capture has, for as long as the capture shows data. Numbers are rounded to the digits that a capture
supports, so that the scenario reads well and gives the same bits everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10
from typing import TYPE_CHECKING, Any, Final

from airtcp.inputs.toml_text import inline

if TYPE_CHECKING:
    from airtcp.questions.diagnose.transfer import Transfer

LEAST_QUEUE: Final = 4
LEAST_DELAY_S: Final = 1e-6
_NO_SCALING: Final = 65_535
_AMPLE_WINDOW: Final = 64 << 20
FLOW: Final = "transfer"
LINK: Final = "link"


@dataclass(frozen=True)
class Path:
    """The link of a transfer."""

    rate_bps: float
    """Rate of IP packets."""
    delay_s: float
    """One-way delay, without transmission and queue."""
    queue_packets: int
    loss: float
    mean_burst: float
    """Mean number of packets lost in a row; 1 means independent losses."""
    steps_in_time: bool = True
    """Whether bursts have a length in time, or in packets."""
    is_codel: bool = False
    """Whether the queue is CoDel instead of drop-tail."""
    trace: str | None = None
    """File with the rate over time, in Mb/s, and where the replay begins in it."""
    offset_s: float = 0.0
    ack_loss: float = 0.0
    late_share: float = 0.0
    """Share of the packets that arrive late, and by how much."""
    late_s: float = 0.0


@dataclass(frozen=True)
class Application:
    """An application that writes at a rate."""

    rate_bps: float
    message_bytes: int


@dataclass(frozen=True)
class Sender:
    """The TCP of a transfer."""

    law: str
    mss: int
    receive_buffer: int
    sack: bool
    timestamps: bool
    scaling: bool
    flows: int = 1
    application: Application | None = None


def sender_of(transfer: Transfer, law: str, window: int | None, flows: int = 1) -> Sender:
    """Describe the TCP of a transfer.

    Args:
        transfer: The transfer.
        law: The congestion law.
        window: The receive window in bytes, if it limited the transfer.
        flows: Connections that share the link.
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
        flows=flows,
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
        f"rate = {_rate(path)}",
        f'delay = "{_number(path.delay_s * 1e3)} ms"',
        f"queue = {inline(_queue(path))}",
    ]
    if path.loss > 0:
        lines.append(f"loss = {inline(_loss(path, sender))}")
    if path.late_share > 0:
        extra = f"{_number(path.late_s * 1e3)} ms"
        late = {"probability": path.late_share, "extra": extra}
        lines.append(f"reordering = {inline(late)}")
    if path.ack_loss > 0:
        loss = {"model": "bernoulli", "probability": path.ack_loss}
        lines.append(f"reverse = {inline({'loss': loss})}")
    for number in range(sender.flows):
        lines += [
            "",
            "[[flows]]",
            f'name = "{FLOW if number == 0 else f"{FLOW}-{number}"}"',
            'from = "sender"',
            'to = "receiver"',
            f"tcp = {inline(tcp(sender))}",
        ]
        if sender.application is not None:
            lines.append(f"app = {inline(_app(sender.application, sender.flows))}")
    return "\n".join(lines) + "\n"


def _rate(path: Path) -> str:
    if path.trace is None:
        return f'"{_number(path.rate_bps / 1e6)} Mb/s"'
    offset = f"{_number(path.offset_s)} s"
    return inline({"trace": path.trace, "unit": "Mb/s", "offset": offset})


def _queue(path: Path) -> dict[str, Any]:
    if path.is_codel:
        return {"kind": "codel", "limit": 1000}
    return {"kind": "drop-tail", "packets": path.queue_packets}


def _app(application: Application, flows: int) -> dict[str, Any]:
    return {
        "kind": "constant-rate",
        "rate": f"{_number(application.rate_bps / 1e6 / flows)} Mb/s",
        "message": f"{application.message_bytes} B",
    }


def _loss(path: Path, sender: Sender) -> dict[str, Any]:
    if path.mean_burst <= 1:
        return {"model": "bernoulli", "probability": path.loss}
    chain: dict[str, Any] = {
        "model": "gilbert-elliott",
        "mean_loss": path.loss,
        "mean_burst": path.mean_burst,
    }
    if not path.steps_in_time:
        return chain | {"stepping": "packet"}
    # Packets sent back to back are a slot apart.
    slot_us = 8e6 * (sender.mss + 40) / path.rate_bps
    return chain | {"slot": f"{_number(max(rounded(slot_us, 4), 1.0))} us"}


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
