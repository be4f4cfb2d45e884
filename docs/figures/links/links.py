"""Links whose settings a seeded program draws: kinds, ranges, and what the transfer over each is.

A link is options of `link.c` (rate in Mb/s, delay one way in ms, queue in packets of 1500 bytes) and a
transfer. The first link of a kind belongs to the half `train`, the next to `held-out`, and so on. The links of `new`
are drawn after the rules were repaired on both halves.
"""

from __future__ import annotations

import math
import random
import zlib
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

PACKET_BITS: Final = 12_000
MEDIUM: Final = 0.4
"""Bandwidth-delay products from which on a queue is not short [choice]."""
ERRORS: Final = (0, 0, 0, 0.03, 0.07, 0.2, 0.45, 0.75)
"""Share of frames lost at each rate of 802.11a, 6 to 54 Mb/s [choice]."""


@dataclass(frozen=True)
class Link:
    """A link and the transfer over it."""

    name: str
    kind: str
    half: str
    options: dict[str, Any]
    seconds: float = 10.0
    streams: int = 1
    application_mbps: float | None = None
    receive_buffer_bytes: int | None = None
    beside: str | None = None
    """Law of a TCP transfer beside, which the capture leaves out."""
    capture: str = "sender"
    sysctl: dict[str, int] = field(default_factory=dict[str, int])

    def document(self) -> dict[str, Any]:
        """The settings as JSON."""
        return asdict(self)


class Draw(random.Random):
    """Draws of one link."""

    def between(self, low: float, high: float, digits: int = 3) -> float:
        """Draw a number that is uniform in its logarithm, with significant digits."""
        drawn = math.exp(self.uniform(math.log(low), math.log(high)))
        return float(f"{drawn:.{digits}g}")

    def path(
        self, rate: tuple[float, float] = (3, 60), delay: tuple[float, float] = (6, 40)
    ) -> dict[str, Any]:
        """Draw rate and delay."""
        return {"rate": self.between(*rate), "delay": self.between(*delay)}

    def queued(
        self, of: dict[str, Any], low: float, high: float, least: int = 20
    ) -> dict[str, Any]:
        """Add a queue of a multiple of the bandwidth-delay product."""
        product = of["rate"] * 1e6 * 2 * of["delay"] / 1e3 / PACKET_BITS
        return of | {"queue": max(least, round(product * self.between(low, high)))}


def _plain(draw: Draw, low: float, high: float, **more: Any) -> dict[str, Any]:
    return {"options": draw.queued(draw.path(), low, high, 20 if low >= MEDIUM else 10) | more}


def _random(draw: Draw) -> dict[str, Any]:
    return _plain(draw, 1, 2, loss=draw.between(5e-4, 0.05))


def _bursts(draw: Draw) -> dict[str, Any]:
    made = _plain(draw, 1, 2)
    if draw.random() < 0.5:
        bursts = {"bursts": [draw.between(200, 1500), draw.between(1.5, 6), 0.9]}
    else:
        bursts = {"bursts": [draw.between(300, 1500), draw.between(2, 8), 0.9], "burst-ms": True}
    made["options"] |= bursts
    return made


def _mixed(draw: Draw) -> dict[str, Any]:
    return _plain(draw, 0.2, 0.8, loss=draw.between(3e-4, 4e-3))


def _window(draw: Draw) -> dict[str, Any]:
    options = draw.queued(draw.path((15, 60), (12, 40)), 1.5, 3)
    product = options["rate"] * 1e6 * 2 * options["delay"] / 8e3
    return {
        "options": options,
        "receive_buffer_bytes": round(2 * product * draw.between(0.25, 0.7)),
    }


def _application(draw: Draw) -> dict[str, Any]:
    options = draw.queued(draw.path((15, 60), (5, 30)), 0.5, 1.5)
    options["loss"] = draw.between(5e-4, 1e-2)
    return {
        "options": options,
        "application_mbps": float(f"{options['rate'] * draw.between(0.15, 0.6):.3g}"),
    }


def _wifi(draw: Draw, *, aggregates: bool) -> dict[str, Any]:
    scale = draw.between(0.7, 1.4)
    errors = [float(f"{min(0.95, scale * error):.3g}") for error in ERRORS]
    options: dict[str, Any] = {
        "rate": draw.between(60, 140) if aggregates else 54.0,
        "delay": draw.between(4, 20),
        "queue": draw.randint(60, 300),
        "wifi": [draw.randint(8, 32) if aggregates else 1, draw.randint(3, 7)],
        "errors": errors,
        "loss": draw.between(0.02, 0.2),
    }
    return {"options": options}


def _frozen(draw: Draw) -> dict[str, Any]:
    made = _plain(draw, 1, 2, loss=draw.between(5e-4, 4e-3))
    made["options"]["freeze"] = [draw.between(1, 3), draw.between(0.08, 0.4), 1]
    return made


def _policed(draw: Draw) -> dict[str, Any]:
    options = draw.path((40, 100), (5, 30)) | {"queue": 1000}
    options["police"] = [draw.between(4, 20), round(draw.between(15_000, 90_000))]
    if draw.random() < 0.34:
        options["loss"] = draw.between(5e-4, 4e-3)
    return {"options": options}


def _shaped(draw: Draw) -> dict[str, Any]:
    made = _plain(draw, 0.4, 1.5)
    rate = made["options"]["rate"]
    made["options"] |= {
        "shape": [rate, round(draw.between(15_000, 200_000))],
        "rate": float(f"{rate * draw.between(3, 8):.3g}"),
    }
    return made


def _codel(draw: Draw) -> dict[str, Any]:
    options = draw.path((5, 50)) | {"queue": 1000, "codel": [5, 100]}
    if draw.random() < 0.4:
        options["loss"] = draw.between(3e-4, 3e-3)
    return {"options": options}


def _fq_codel(draw: Draw) -> dict[str, Any]:
    options = draw.path((8, 50)) | {"queue": 1000, "codel": [5, 100], "fq": True}
    options["cross"] = [float(f"{options['rate'] * draw.between(0.2, 0.4):.3g}"), 0, 0]
    return {"options": options}


def _pie(draw: Draw) -> dict[str, Any]:
    return {"options": draw.path((5, 50)) | {"queue": 1000, "pie": [15]}}


def _red(draw: Draw) -> dict[str, Any]:
    options = draw.queued(draw.path((5, 50), (8, 40)), 1, 2, 40)
    queue = options["queue"]
    options["red"] = [max(5, round(queue / 12)), max(15, round(queue / 4)), 0.1]
    return {"options": options}


def _constant(draw: Draw) -> dict[str, Any]:
    made = _plain(draw, 0.5, 1.5)
    made["options"]["cross"] = [
        float(f"{made['options']['rate'] * draw.between(0.15, 0.5):.3g}"),
        0,
        0,
    ]
    return made


def _on_off(draw: Draw) -> dict[str, Any]:
    made = _constant(draw)
    made["options"]["cross"][1:] = [draw.between(0.5, 1.5), draw.between(0.4, 1.2)]
    return made


def _beside(draw: Draw) -> dict[str, Any]:
    law = draw.choice(("cubic", "bbr"))
    return {"options": draw.queued(draw.path((8, 50)), 0.5, 1.5, 20), "beside": law}


def _step(draw: Draw, *, up: bool) -> dict[str, Any]:
    made = _plain(draw, 0.6, 1.5)
    options = made["options"]
    factor = draw.between(2, 4)
    if up:
        options["rate"] = float(f"{max(4, options['rate'] / factor):.3g}")
    after = options["rate"] * (factor if up else 1 / factor)
    options["steps"] = [[draw.between(3, 7), float(f"{max(2, after):.3g}")]]
    return made


def _cellular(draw: Draw) -> dict[str, Any]:
    options = draw.queued(draw.path((8, 40), (15, 40)), 2, 5, 60)
    options["cellular"] = [draw.between(0.25, 0.7), draw.between(150, 1500)]
    return {"options": options}


def _fast(draw: Draw) -> dict[str, Any]:
    options = draw.queued(
        {"rate": draw.between(150, 400), "delay": draw.between(2.5, 10)}, 0.5, 1.5
    )
    if draw.random() < 0.5:
        options["loss"] = draw.between(1e-4, 1e-3)
    return {"options": options, "seconds": 6.0}


def _switched(draw: Draw, name: str) -> dict[str, Any]:
    made = _mixed(draw) if draw.random() < 0.5 else _plain(draw, 0.4, 1.5)
    return made | {"sysctl": {f"net.ipv4.{name}": 0}}


def _lasting(draw: Draw, seconds: float) -> dict[str, Any]:
    made = _mixed(draw) if draw.random() < 0.5 else _plain(draw, 0.4, 1.5)
    return made | {"seconds": seconds}


def _far(draw: Draw) -> dict[str, Any]:
    options = draw.queued(draw.path((8, 40), (80, 100)), 0.4, 1.2)
    if draw.random() < 0.5:
        options["loss"] = draw.between(1e-4, 1e-3)
    return {"options": options}


def _acks_lost(draw: Draw) -> dict[str, Any]:
    more = {"ack-loss": draw.between(0.05, 0.4)}
    return _plain(draw, 0.5, 1.5, loss=draw.between(3e-4, 3e-3), **more)


def _late(draw: Draw) -> dict[str, Any]:
    late = {"late": [draw.between(5e-3, 0.03), draw.between(3, 12)]}
    return _plain(draw, 0.5, 1.5, loss=draw.between(3e-4, 4e-3), **late)


def _two(draw: Draw) -> dict[str, Any]:
    return _plain(draw, 0.5, 1.5) | {"streams": 2}


def _super(draw: Draw) -> dict[str, Any]:
    return {"options": _mixed(draw)["options"] | {"tso": True}}


def _elsewhere(draw: Draw, place: str) -> dict[str, Any]:
    made = _mixed(draw) if draw.random() < 0.5 else _plain(draw, 0.4, 1.5)
    return made | {"capture": place}


KINDS: Final[dict[str, tuple[int, Callable[[Draw], dict[str, Any]]]]] = {
    "random": (6, _random),
    "bursts": (4, _bursts),
    "short-queue": (4, lambda draw: _plain(draw, 0.15, 0.4)),
    "medium-queue": (2, lambda draw: _plain(draw, 0.5, 1.2)),
    "bloat": (2, lambda draw: _plain(draw, 2, 4)),
    "mixed": (4, _mixed),
    "window": (2, _window),
    "application": (4, _application),
    "ack-loss": (2, _acks_lost),
    "late": (2, _late),
    "wifi": (2, lambda draw: _wifi(draw, aggregates=False)),
    "ampdu": (2, lambda draw: _wifi(draw, aggregates=True)),
    "two-flows": (2, _two),
    "freeze": (2, _frozen),
    "policer": (4, _policed),
    "shaper": (2, _shaped),
    "codel": (2, _codel),
    "fq-codel": (2, _fq_codel),
    "pie": (2, _pie),
    "red": (2, _red),
    "cbr": (2, _constant),
    "cbr-on-off": (2, _on_off),
    "tcp-beside": (4, _beside),
    "step-down": (2, lambda draw: _step(draw, up=False)),
    "step-up": (2, lambda draw: _step(draw, up=True)),
    "cellular": (2, _cellular),
    "fast": (4, _fast),
    "no-sack": (2, lambda draw: _switched(draw, "tcp_sack")),
    "no-timestamps": (2, lambda draw: _switched(draw, "tcp_timestamps")),
    "2-s": (2, lambda draw: _lasting(draw, 2.0)),
    "60-s": (2, lambda draw: _lasting(draw, 60.0)),
    "200-ms": (2, _far),
    "super-segments": (2, _super),
    "at-receiver": (2, lambda draw: _elsewhere(draw, "receiver")),
    "in-middle": (2, lambda draw: _elsewhere(draw, "middle")),
}
"""How many links of each kind are drawn, and how."""


def links(seed: int) -> list[Link]:
    """Draw every link; a link's settings depend on the seed, its kind and its number alone."""
    drawn: list[Link] = []
    for kind, (count, settings) in KINDS.items():
        for number in range(1, count + 1):
            draw = Draw(zlib.crc32(f"{seed} {kind} {number}".encode()))
            half = "train" if number % 2 else "held-out"
            drawn.append(Link(name=f"{kind}-{number}", kind=kind, half=half, **settings(draw)))
    return drawn


NEW: Final = (
    *("no-sack", "no-sack", "tcp-beside", "tcp-beside", "tcp-beside", "super-segments"),
    *("ampdu", "ampdu", "policer", "policer", "codel", "pie", "red", "random", "bursts"),
    *("mixed", "short-queue", "application", "freeze", "cellular"),
)
"""Kinds of the links that judge a repaired diagnosis."""


def new(seed: int) -> list[Link]:
    """Draw links that no rule of the diagnosis has seen, of the half `new`."""
    drawn: list[Link] = []
    for place, kind in enumerate(NEW):
        number = NEW[: place + 1].count(kind)
        draw = Draw(zlib.crc32(f"new {seed} {kind} {number}".encode()))
        settings = KINDS[kind][1](draw)
        drawn.append(Link(name=f"new-{kind}-{number}", kind=kind, half="new", **settings))
    return drawn


def small() -> list[Link]:
    """Links of the captures that the tests keep: short transfers of different kinds."""
    every: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "random": ({"rate": 10.0, "delay": 20.0, "queue": 60, "loss": 0.012}, {"seconds": 5.0}),
        "short-queue": ({"rate": 5.0, "delay": 20.0, "queue": 16}, {}),
        "mixed": ({"rate": 5.0, "delay": 25.0, "queue": 18, "loss": 0.004}, {"seconds": 5.0}),
        "late": ({"rate": 5.0, "delay": 20.0, "queue": 30, "late": [0.015, 8], "loss": 0.004}, {}),
        "codel": ({"rate": 5.0, "delay": 15.0, "queue": 1000, "codel": [5, 100]}, {"seconds": 5.0}),
        "application": (
            {"rate": 20.0, "delay": 15.0, "queue": 60, "loss": 0.006},
            {"application_mbps": 5.0},
        ),
        "policer": ({"rate": 40.0, "delay": 15.0, "queue": 1000, "police": [5.0, 20000]}, {}),
        "tcp-beside": (
            {"rate": 8.0, "delay": 10.0, "queue": 25},
            {"beside": "cubic", "seconds": 5.0},
        ),
    }
    return [
        Link(kind, kind, "tests", options, **({"seconds": 4.0} | transfer))
        for kind, (options, transfer) in every.items()
    ]
