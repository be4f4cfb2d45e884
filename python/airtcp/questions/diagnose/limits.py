"""What limits the transfer, by interventions: replays with one thing taken away.

| cause | taken away |
|---|---|
| `link-losses` | the losses of the link |
| `link-rate` | four times the rate, if packets waited half of the time or .9 of it were used |
| `queue` | four times the queue, at least two bandwidth-delay products, if drops show it |
| `receive-window` | four times the window |

The draws and seeds are those of the predictions. A cause limits if taking it away raises the median
goodput by 10 % [choice].
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from airtcp.questions.diagnose.predict import Maker, quantile

if TYPE_CHECKING:
    from airtcp.questions.diagnose.document import Limit, LinkFit
    from airtcp.questions.diagnose.model import Path, Sender
    from airtcp.questions.diagnose.predict import Asked, Replays

_LINKS: Final = 20
_TIMES: Final = 4
_RAISES: Final = 1.1
_BUSY: Final = 0.5
_USED: Final = 0.9


def limits(found: Replays, asked: Asked, link: LinkFit) -> list[Limit]:
    """Return what limits the transfer, the largest effect first.

    Args:
        found: The replays of the predictions.
        asked: What they are made of.
        link: What was measured of the link.

    Raises:
        Stopped: If Ctrl-C stopped a replay.
    """
    seen = asked.seen
    causes = {
        "link-losses": any(path.loss > 0 for path in found.paths),
        "link-rate": link["busy_share"] >= _BUSY or link["utilisation"] >= _USED,
        "queue": seen["queue"] is not None,
        "receive-window": asked.other["receive_window"] is not None,
    }
    paths = found.paths[:_LINKS]
    with Maker(asked) as maker:
        own = sorted(found.goodputs[asked.sender.law][:_LINKS])
        rows: list[Limit] = []
        for cause in (name for name, possible in causes.items() if possible):
            values: list[float] = []
            for number, path in enumerate(paths):
                changed, window = _without(cause, path, found.windows[number], seen["packet_bytes"])
                sender = _with_window(maker.sender, window)
                values.append(maker.replayed(changed, sender, number))
            without = quantile(sorted(values), 0.5)
            ratio = without / max(quantile(own, 0.5), 1.0)
            if ratio >= _RAISES:
                row: Limit = {
                    "cause": cause,
                    "goodput_bps": quantile(own, 0.5),
                    "without_bps": without,
                    "ratio": ratio,
                }
                rows.append(row)
    return sorted(rows, key=lambda row: -row["ratio"])


def _without(
    cause: str, path: Path, window: int | None, packet_bytes: float
) -> tuple[Path, int | None]:
    """Return the link and the window without a cause."""
    if cause == "link-losses":
        return replace(path, loss=0.0), window
    if cause == "link-rate":
        return replace(path, rate_bps=_TIMES * path.rate_bps, trace=None), window
    if cause == "queue":
        full = 2 * path.rate_bps * 2 * path.delay_s / 8 / packet_bytes
        queue = max(_TIMES * path.queue_packets, round(full))
        return replace(path, queue_packets=queue), window
    return path, None if window is None else _TIMES * window


def _with_window(sender: Sender, window: int | None) -> Sender:
    return sender if window is None else replace(sender, receive_buffer=window, scaling=True)
