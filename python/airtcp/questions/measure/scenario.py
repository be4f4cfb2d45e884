"""The path as a scenario of airtcp: a link with what was measured in each direction.

Losses are those of the small packets: a Gilbert-Elliott chain in time if they come in bursts, else
independent. The delay is half of the median round trip over the idle path: how it divides between
the directions is not measured. The queue is what TCP added to the round-trip time at most, as bytes
at the capacity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from airtcp.questions.measure.document import Capacity, Idle, Load, Losses, Queue, Way

_LEAST_QUEUE: Final = 30_000
"""Bytes of the shortest queue: 20 full packets."""
_OVERFLOW: Final = 3
"""Segments sent again, beyond twice what the link loses, from which a queue overflowed."""
_SEGMENT: Final = 1_448
"""Bytes of payload in a usual segment."""


def queue(
    capacity: Capacity | None, load: Load | None, losses: Losses | None, idle: Idle
) -> Queue | None:
    """Return the queue of a direction, if its capacity is known.

    Args:
        capacity: Its capacity.
        load: A TCP connection that sent in this direction.
        losses: Its losses.
        idle: The path without load.
    """
    rtt = idle["rtt"]
    if capacity is None or rtt is None:
        return None
    per_second = capacity["bps"] / 8
    if load is None or load["rtt"] is None:
        product = round(per_second * rtt["median_s"])
        return {"bytes": max(product, _LEAST_QUEUE), "source": "assumed"}
    waited = round(per_second * (load["rtt"]["p99_s"] - rtt["least_s"]))
    segments = load["goodput_bps"] * load["duration_s"] / 8 / _SEGMENT
    by_link = segments * (losses["loss"] if losses else 0.0)
    overflowed = load["retransmissions"] > 2 * by_link + _OVERFLOW
    source = "level" if overflowed and waited >= _LEAST_QUEUE else "at least"
    return {"bytes": max(waited, _LEAST_QUEUE), "source": source}


def scenario(
    idle: Idle, up: Way, down: Way, *, upload: bool = False, title: str = ""
) -> str | None:
    """Write the path as TOML, with one flow of Linux's CUBIC.

    Args:
        idle: The path without load.
        up: The direction to the server.
        down: The direction from the server.
        upload: Whether the flow goes to the server.
        title: The title.

    Returns:
        The text; none if capacity or losses of a direction are not known.
    """
    rtt = idle["rtt"]
    first, second = (up, down) if upload else (down, up)
    forward, reverse = _direction(first), _direction(second)
    if rtt is None or forward is None or reverse is None:
        return None
    sender, receiver = ("client", "server") if upload else ("server", "client")
    delay = f"{rtt['median_s'] / 2 * 1e3:.4g} ms"
    capacity = first["capacity"]
    seconds = _seconds(capacity["bps"] if capacity else 0.0)
    names = f'from = "{sender}"\nto = "{receiver}"\n'
    return (
        f'title = "{title or "A measured path"}"\nduration = "{seconds} s"\nreplications = 5\n\n'
        f'[[links]]\nname = "path"\n{names}delay = "{delay}"\n{forward}\n'
        f'[links.reverse]\ndelay = "{delay}"\n{reverse}\n[[flows]]\n{names}tcp = "linux"\n'
    )


def _seconds(bps: float) -> int:
    """Return the duration: 20 s, less for fast links."""
    return max(5, min(20, round(1e9 / bps))) if bps > 0 else 20


def _direction(way: Way) -> str | None:
    capacity, losses, queued = way["capacity"], way["losses"], way["queue"]
    if capacity is None or losses is None or queued is None:
        return None
    lines = [f'rate = "{capacity["bps"] / 1e6:.4g} Mb/s"{_about(capacity)}']
    why = {
        "level": "where TCP met its end",
        "at least": "at least: TCP did not fill it",
        "assumed": "assumed: a round trip at this rate",
    }[queued["source"]]
    length = f"{queued['bytes'] / 1e3:.3g} kB"
    lines.append(f'queue = {{ kind = "drop-tail", bytes = "{length}" }}  # {why}')
    model = _loss(losses)
    return "\n".join([*lines, *([] if model is None else [f"loss = {model}"]), ""])


def _about(capacity: Capacity) -> str:
    low, high = capacity["low_bps"] / 1e6, capacity["high_bps"]
    if high is None:
        return "  # at least: nothing spread the bursts"
    if capacity["kind"] == "varying":
        return f"  # it varies: {low:.3g} to {high / 1e6:.3g} Mb/s"
    return ""


def _loss(losses: Losses) -> str | None:
    """Write the loss model: bursts if they are shown, else independent losses."""
    if losses["loss"] == 0:
        return None
    loss = f"{losses['loss']:.4g}"
    if losses["loss"] == 1 or losses["memory"] != "bursty" or losses["mean_burst"] is None:
        return f'{{ model = "bernoulli", probability = {loss} }}'
    slot = f"{losses['interval_s'] * 1e3:.4g} ms"
    burst = f"{losses['mean_burst']:.4g}"
    chain = f'mean_loss = {loss}, mean_burst = {burst}, slot = "{slot}"'
    return f'{{ model = "gilbert-elliott", {chain} }}'
