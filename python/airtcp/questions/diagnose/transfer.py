"""What a capture shows of one transfer: the numbers that the fit of its link uses.

The document of a capture is read here only. Round-trip times are those of the whole path if the
capture was taken at the sender. Elsewhere, the path's round-trip time comes from data in the other
direction; the round-trip times of the queue are then unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from airtcp import _core
from airtcp.questions.diagnose.points import bulk_of, chosen, place_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_TIMESTAMPS: Final = 12
"""Bytes of the timestamps option with padding (RFC 7323)."""
_HEADERS: Final = 40
"""Bytes of the headers of IPv4 and TCP."""
_USUAL_MSS: Final = 1460
_SPACE: Final = 1 << 32
AT_SENDER: Final = {"sender", "unknown"}
"""Places at which the sender's view is taken for granted."""


@dataclass(frozen=True)
class Loss:
    """A lost transmission: the bytes that were sent again, and when."""

    time_s: float
    start: int
    end: int


@dataclass(frozen=True)
class Transfer:
    """The direction of a connection that carried more data."""

    number: int
    point: int | None
    """Point of the path at which it was captured, if the document has several."""
    sender: str
    receiver: str
    place: str
    """Where the capture was taken: `sender`, `receiver`, `middle` or `unknown`."""
    duration_s: float
    """Time from the first to the last data."""
    unique_bytes: int
    goodput_bps: float
    payload_bytes: int
    """Bytes of payload of a full segment."""
    segments: int
    """Full segments that the sender sent once, or the bytes they stand for."""
    retransmissions: int
    spurious: int
    timeouts: int
    recoveries: int
    zero_windows: int
    closed_to_end_s: float | None
    received_twice: int
    """Segments that the receiver reported as received twice."""
    flight_bytes: int
    rtt: Mapping[str, float] | None
    """Round-trip times of the whole path under load; none away from the sender."""
    base_rtt_s: float | None
    base_from: str
    """Where the least round-trip time comes from, in words."""
    limits: Mapping[str, float]
    sack: bool
    timestamps: bool
    scaling: bool
    is_joined: bool
    """Whether the host of the sender joined several packets into one captured segment."""
    losses: tuple[Loss, ...]

    @property
    def lost(self) -> int:
        """Return the retransmissions that were needed: each repairs a lost transmission."""
        return self.retransmissions - self.spurious

    def limited(self, limit: str) -> float:
        """Return the share of the time of a limit; away from the sender it is not known.

        A receiver sees data that it acknowledges at once, as if the sender had nothing to send.
        """
        return self.limits[limit] if self.place in AT_SENDER else 0.0

    @property
    def packet_bytes(self) -> int:
        """Return the bytes of a full segment's IP packet."""
        return self.payload_bytes + self.header_bytes

    @property
    def header_bytes(self) -> int:
        """Return the bytes of the headers, which are also those of an ACK."""
        return _HEADERS + (_TIMESTAMPS if self.timestamps else 0)

    @property
    def mss(self) -> int:
        """Return the MSS that gives these segments; it includes the options."""
        return self.payload_bytes + (_TIMESTAMPS if self.timestamps else 0)


def transfer_of(document: Mapping[str, Any], number: int | None) -> Transfer | None:
    """Read a transfer from the document of a capture.

    Args:
        document: The document `airtcp.capture/1`, with events.
        number: The connection, counted from 0; by default that with the most data,
            as its sender saw it if there are several captures.

    Returns:
        The transfer; none if the capture has no connection with data.

    Raises:
        AirtcpError: If there is no such connection.
    """
    connections = document["connections"]
    if number is not None and not 0 <= number < len(connections):
        held = f"has {len(connections)}, numbered from 0" if connections else "has none"
        message = f"connection {number}: the capture {held} (with data)"
        raise _core.AirtcpError(message)
    if not connections:
        return None
    if number is None:
        number = chosen(document)
    connection = connections[number]
    direction = bulk_of(connection)
    if direction["unique_bytes"] == 0:
        return None
    return _read(document, number, connection, direction)


def retransmissions_of(document: Mapping[str, Any], number: int, sender: str) -> list[Any]:
    """Return the rows of the retransmissions of a direction."""
    table = document["retransmissions"]
    return [row for row in table if row["connection"] == number and row["from"] == sender]


def _read(
    document: Mapping[str, Any],
    number: int,
    connection: Mapping[str, Any],
    direction: Mapping[str, Any],
) -> Transfer:
    sender = direction["from"]
    is_client = sender == connection["client"]
    receiver = connection["server"] if is_client else connection["client"]
    place = place_of(connection, direction)
    ends: list[dict[str, Any]] = [end or {} for end in connection["handshake"]]
    timestamps = all(end.get("timestamps") for end in ends) if any(ends) else True
    payload = _payload(direction, ends, timestamps=timestamps)
    rate = direction["goodput_bps"] or 0.0
    unique = direction["unique_bytes"]
    base, base_from = _base(document, connection, direction, place, receiver)
    is_joined = direction["largest_segment_bytes"] > payload
    return Transfer(
        number=number,
        point=connection.get("point"),
        sender=sender,
        receiver=receiver,
        place=place,
        duration_s=unique * 8 / rate if rate else connection["duration_s"],
        unique_bytes=unique,
        goodput_bps=rate,
        payload_bytes=payload,
        segments=max(
            direction["data_segments"] - direction["retransmitted_segments"]
            if not is_joined
            else 0,
            -(-unique // payload),
        ),
        retransmissions=_packets(direction, payload, is_joined=is_joined),
        spurious=direction["spurious_retransmissions"],
        timeouts=direction["timeouts"],
        recoveries=direction["recoveries"],
        zero_windows=direction["zero_windows"],
        closed_to_end_s=direction.get("closed_to_end_s"),
        received_twice=direction["dsacks"],
        flight_bytes=direction["largest_flight_bytes"],
        rtt=_rtt(direction) if place in AT_SENDER else None,
        base_rtt_s=base,
        base_from=base_from,
        limits=direction["limited_by"],
        sack=all(end.get("sack_permitted") for end in ends) if any(ends) else True,
        timestamps=timestamps,
        scaling=all(end.get("window_scale") is not None for end in ends) if any(ends) else True,
        is_joined=is_joined,
        losses=_losses(retransmissions_of(document, number, sender)),
    )


def _packets(direction: Mapping[str, Any], payload: int, *, is_joined: bool) -> int:
    """Count retransmitted packets, also where the host joined several into one segment."""
    segments: int = direction["retransmitted_segments"]
    if not is_joined:
        return segments
    return max(segments, -(-direction["retransmitted_bytes"] // payload))


def _payload(direction: Mapping[str, Any], ends: list[dict[str, Any]], *, timestamps: bool) -> int:
    """Return the payload of a full segment: the least of the MSS and the largest segment."""
    announced = [end["mss"] for end in ends if end.get("mss")]
    most = min(announced, default=_USUAL_MSS) - (_TIMESTAMPS if timestamps else 0)
    return max(min(most, direction["largest_segment_bytes"]), 1)


def _rtt(direction: Mapping[str, Any]) -> Mapping[str, float] | None:
    rtt = direction["rtt_s"]
    return rtt if rtt["samples"] else None


def _base(
    document: Mapping[str, Any],
    connection: Mapping[str, Any],
    direction: Mapping[str, Any],
    place: str,
    receiver: str,
) -> tuple[float | None, str]:
    """Return the least round-trip time of the path, and where it comes from."""
    own = direction["rtt_s"]["min"]
    if place in AT_SENDER:
        return own, "the data"
    back = _least_back(document, connection, direction["from"], receiver)
    if back is None:
        return None, "nothing"
    return back + (own or 0.0), "data in the other direction"


def _least_back(
    document: Mapping[str, Any], connection: Mapping[str, Any], sender: str, receiver: str
) -> float | None:
    """Return the least time from the capture to the sender and back.

    Any connection between the same hosts counts, for instance the control connection of iperf.
    """
    hosts = {_host(sender), _host(receiver)}
    found = [
        direction["rtt_s"]["min"]
        for other in document["connections"]
        if {_host(other["client"]), _host(other["server"])} == hosts
        and other["vantage"] in {connection["vantage"], "unknown"}
        and other.get("point") == connection.get("point")
        for direction in other["directions"]
        if _host(direction["from"]) == _host(receiver)
    ]
    return min((rtt for rtt in found if rtt is not None), default=None)


def _host(endpoint: str) -> str:
    return endpoint.rpartition(":")[0]


def _losses(rows: list[Any]) -> tuple[Loss, ...]:
    """Return the lost transmissions in order of time, with sequence numbers without wrap."""
    found: list[Loss] = []
    last: int | None = None
    for row in sorted(rows, key=lambda row: row["time_s"]):
        start: int = row["sequence"]
        if last is not None:
            start += round((last - start) / _SPACE) * _SPACE
        last = start
        if not row["spurious"]:
            found.append(Loss(row["time_s"], start, start + row["length"]))
    return tuple(found)
