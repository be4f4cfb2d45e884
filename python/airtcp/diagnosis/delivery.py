"""The rates at which data arrived, over two round-trip times.

ACKs and SACK blocks show when data arrived. BBR takes the largest rate over a round trip for that
of the bottleneck (Cardwell et al., ACM Queue 14(5), 2016). While packets wait in the queue of a
link with a constant rate, it is the rate of the link; otherwise it is less. On a link whose rate
varies, or whose ACKs come in bunches, it is more than the mean rate. Then only few windows come
near it. If one in twenty does, the rate is steady, and a lower bound of the rate of the link.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.diagnosis.transfer import Delivery

if TYPE_CHECKING:
    from airtcp.captures import CaptureResult
    from airtcp.diagnosis.transfer import Transfer

_ROUNDS: Final = 2.0
_HIGH: Final = 0.95


def delivery(capture: CaptureResult, transfer: Transfer) -> Delivery | None:
    """Measure the rates over two least round-trip times.

    Args:
        capture: The analysis of the capture, with series.
        transfer: The transfer, captured at its sender.

    Returns:
        The rates; none without round-trip times or SACK, or if the series is thinned.
    """
    base = transfer.base_rtt_s
    if not base or transfer.rtt is None or not transfer.sack:
        return None
    acks = _own(capture, transfer, "ack_series", *_ACK)
    blocks = _own(capture, transfer, "sack_series", *_BLOCK, "duplicate")
    if any(one_of > 1 for one_of, *_ in (*acks, *blocks)):
        return None
    points = arrived(
        [(time, at) for _, time, at in acks],
        [(time, start, end) for _, time, start, end, duplicate in blocks if not duplicate],
    )
    bits = 8 * transfer.packet_bytes / transfer.payload_bytes
    found = sorted(slopes(points, _ROUNDS * base))
    if not found:
        return None
    return Delivery(bits * found[-1], bits * found[int(_HIGH * len(found))])


def _own(
    capture: CaptureResult, transfer: Transfer, table: str, *keys: str
) -> list[tuple[Any, ...]]:
    """Return what each point of the transfer's sender stands for, and its values."""
    found = capture.table(table)
    numbers, senders = found["connection"], found["from"]
    values = zip(found["one_of"], *(found[key] for key in keys), strict=True)
    return [
        row
        for number, sender, row in zip(numbers, senders, values, strict=True)
        if number == transfer.number and sender == transfer.sender
    ]


_ACK: Final = ("time_s", "ack_offset_bytes")
_BLOCK: Final = ("time_s", "start_offset_bytes", "end_offset_bytes")


def arrived(
    acks: list[tuple[float, int]], blocks: list[tuple[float, int, int]]
) -> list[tuple[float, int]]:
    """Return the bytes that are known to have arrived, over time.

    >>> arrived([(0.0, 0), (1.0, 10), (3.0, 40)], [(2.0, 20, 40)])
    [(0.0, 0), (1.0, 10), (2.0, 30), (3.0, 40)]
    """
    events = [(time, 0, at) for time, at in acks] + blocks
    points: list[tuple[float, int]] = []
    edge, held = 0, list[tuple[int, int]]()
    for time, start, end in sorted(events):
        held.append((start, end))
        edge = max(edge, end if start == 0 else 0)
        held = _joined([(max(a, edge), b) for a, b in held if b > edge])
        total = edge + sum(b - a for a, b in held)
        if points and points[-1][0] == time:
            points[-1] = (time, total)
        else:
            points.append((time, total))
    return points


def _joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def slopes(points: list[tuple[float, int]], window_s: float) -> list[float]:
    """Return the rise per second to each point, from the last point a window or more before.

    >>> slopes([(0.0, 0), (1.0, 10), (2.0, 40), (3.0, 50)], 2.0)
    [20.0, 20.0]
    """
    found: list[float] = []
    first = 0
    for time, total in points:
        while first + 1 < len(points) and points[first + 1][0] <= time - window_s:
            first += 1
        begin, before = points[first]
        if time - begin >= window_s:
            found.append((total - before) / (time - begin))
    return found
