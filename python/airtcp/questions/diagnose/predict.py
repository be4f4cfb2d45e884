"""What each TCP would get over the link: replays of draws of the link.

Each draw is replayed once with each TCP. The predictive distribution of a TCP is that of its
replays, each times a lognormal factor for what the model leaves out. Its quantiles are those of a
new transfer over this link, not of a mean. The gain is over the goodput of the captured transfer,
which is known.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from math import exp, log
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final, Self

from airtcp.data.extension import registry
from airtcp.questions.capture.call import logged
from airtcp.questions.compare.call import compare
from airtcp.questions.diagnose.model import Application, scenario
from airtcp.questions.diagnose.points import bulk_of, chosen
from airtcp.questions.diagnose.posterior import draw, is_found
from airtcp.questions.run.call import run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from airtcp.questions.diagnose.document import AirFit, OtherLink, Prediction
    from airtcp.questions.diagnose.model import Path as Link
    from airtcp.questions.diagnose.model import Sender

TITLE: Final = "the link of the capture"
_LONGEST_S: Final = 30.0
_BIN_S: Final = 0.05
_FACTORS: Final = 5
"""Factors of the model's error for each replay."""
_ERROR: Final = {"bbr": 0.03, "bbr1": 0.03}
_OTHERS: Final = 0.06
"""Standard deviation of the model's error by law, from captures of a Linux kernel."""
_VARYING: Final = 0.04
_BETTER: Final = 1.03
_WINDOW: Final = 0.04
"""Largest difference of a replay's goodput from the capture's, where the window is unknown."""
_TRIES: Final = 4
_CHECKED: Final = 30
"""Replays that are measured as the capture was."""
_SIMULATED: Final = 6_000_000
_FEWEST: Final = 20
_FILLS: Final = 0.75
"""Part of the rate from which a TCP would fill the link [choice]."""
_PROTOCOL: Final = "@ll-arq:arq=selective"
_TRANSPORTS: Final = ("lt-tcp", "sliding")


class Stopped(Exception):  # noqa: N818 - not an error
    """Ctrl-C stopped a replay."""


def laws() -> list[str]:
    """Name the congestion laws."""
    return [entry["name"] for entry in registry("congestion")]


@dataclass(frozen=True)
class Asked:
    """What the replays are made of."""

    seen: Mapping[str, Any]
    other: OtherLink
    air: AirFit | None
    sender: Sender
    compares: bool
    """Whether other TCPs than the sender's are replayed."""
    draws: int
    seed: int
    workers: int | None
    tell: Callable[[int, int], None]


@dataclass(frozen=True)
class Replays:
    """What the replays gave, for one link after the other."""

    paths: list[Link]
    windows: list[int | None]
    """The receive window of each, if it was drawn."""
    goodputs: dict[str, list[float]]
    """Goodput in bit/s by variant."""
    checked: list[Mapping[str, float]]
    """Statistics of replays with the law of the capture, measured as the capture was."""


def replays(asked: Asked) -> Replays:
    """Replay draws of the link with each TCP.

    Raises:
        Stopped: If Ctrl-C stopped a replay.
    """
    with Maker(asked) as maker:
        found = Replays([], [], {}, [])
        tries = 0
        while len(found.paths) < asked.draws:
            asked.tell(len(found.paths), asked.draws)
            left = _TRIES * asked.draws - tries
            maker.one(found, tries, may_reject=left > asked.draws - len(found.paths))
            tries += 1
    return found


class Maker:
    """Draws links, and replays the transfer over them."""

    def __init__(self, asked: Asked) -> None:
        """Prepare the replays of what was asked."""
        self.asked = asked
        self._folder = tempfile.TemporaryDirectory(prefix="airtcp-")
        self.folder = Path(self._folder.name)
        self._random = Random(asked.seed)  # noqa: S311 - a simulation
        self._trace = _trace(asked.seen, asked.other, self.folder)
        seen = asked.seen
        transfer_s = min(max(seen["duration_s"], 1.0), _LONGEST_S)
        # The capture's time begins with the first data, and what is in flight at its end counts.
        self._duration_s = transfer_s + 1.5 * seen["least_rtt_s"]
        self._scale = self._duration_s / transfer_s
        application = asked.other["application"]
        source = None
        if application is not None and application["kind"] == "steady":
            message = round(min(max(application["message_bytes"], 1000), 131_072))
            source = Application(application["rate_bps"], message)
        self.sender = replace(asked.sender, application=source)
        """The TCP of the transfer, with its application."""
        own = self.sender.law
        self._variants = [law for law in laws() if law != own] if asked.compares else []
        self._is_compared = asked.compares and self.sender.flows == 1 and source is None
        if self._is_compared:
            # These transports have no receive window.
            windowed = asked.other["receive_window"] is not None
            self._variants += () if windowed else _TRANSPORTS

    def __enter__(self) -> Self:
        """Return the maker."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the files of the replays."""
        self._folder.cleanup()

    def one(self, found: Replays, number: int, *, may_reject: bool) -> None:
        """Draw a link, and replay it unless the transfer of the capture excludes it."""
        asked = self.asked
        path = draw(self._random, asked.seen, asked.air, self._trace)
        sender, window = self.sender, None
        if asked.other["receive_window"] is not None:
            window = self._window(sender)
            sender = replace(sender, receive_buffer=window)
        text = scenario(path, sender, self._duration_s, TITLE)
        place = self.folder / "replay.pcapng" if len(found.checked) < _CHECKED else None
        done = _run(text, self._seed(number), place)
        goodput = _goodput(done) * self._scale
        excluded = may_reject and self._excludes(goodput, done)
        # A window that the goodput excludes is no draw; an overflow that the capture lacks is.
        if place is not None and not (excluded and window is not None):
            losses = done["links"][0]["drops"]["loss"] / self._duration_s
            found.checked.append({**_measured(place, goodput), "link_losses": losses})
        if excluded:
            return
        found.paths.append(path)
        found.windows.append(window)
        found.goodputs.setdefault(sender.law, []).append(goodput)
        others = self._others(text, number, path, sender)
        repair = sender.law + _PROTOCOL
        if self._is_compared and asked.seen["link_losses"] > 0:
            # Retransmission on a link that loses nothing changes nothing.
            others.setdefault(repair, goodput)
        for variant, value in others.items():
            found.goodputs.setdefault(variant, []).append(value)

    def replayed(self, path: Link, sender: Sender, number: int) -> float:
        """Return the goodput of a replay over another link."""
        if path.trace is not None:
            path = replace(path, trace=self._trace)
        text = scenario(path, sender, self._duration_s, TITLE)
        return _goodput(_run(text, self._seed(number), None)) * self._scale

    def _seed(self, number: int) -> int:
        return (self.asked.seed * 1000 + number) % (1 << 63)

    def _window(self, sender: Sender) -> int:
        """Draw the receive window: between what the goodput needs and what was in flight."""
        seen = self.asked.seen
        least = 0.9 * seen["goodput_bps"] * seen["least_rtt_s"] / 8
        # The window holds less than one more segment than the largest flight.
        most = max(seen["flight_bytes"], least) + sender.mss
        return max(round(self._random.uniform(least, most)), 2 * sender.mss)

    def _excludes(self, goodput: float, done: Mapping[str, Any]) -> bool:
        """Return whether the capture shows that the link is another one."""
        seen, other = self.asked.seen, self.asked.other
        drops = done["links"][0]["drops"]["queue_full"]
        if seen["queue"] is None and not is_found(seen, "aqm") and drops > 0:
            # The queue overflowed, which that of the capture did not.
            return True
        if other["receive_window"] is None:
            return False
        return abs(log(max(goodput, 1.0) / seen["goodput_bps"])) > _WINDOW

    def _others(self, text: str, number: int, path: Link, sender: Sender) -> dict[str, float]:
        """Return the goodput of all other variants."""
        if not self._is_compared:
            return {
                law: self.replayed(path, replace(sender, law=law), number) for law in self._variants
            }
        is_lossy = path.loss > 0 and self.asked.seen["link_losses"] > 0
        repair = [sender.law + _PROTOCOL] if is_lossy else []
        done = compare(
            TITLE,
            text=text,
            tcp=[sender.law, *self._variants, *repair],
            reference=sender.law,
            remedies=False,
            replications=1,
            seed=self._seed(number),
            workers=self.asked.workers,
        )
        if done.interrupted:
            raise Stopped
        outcomes: list[Any] = done.json["subjects"][0]["cases"][0]["outcomes"]
        return {
            outcome["variant"]: outcome["goodput_bps"]["mean"] * self._scale
            for outcome in outcomes
            if outcome["variant"] != sender.law
        }


def _trace(seen: Mapping[str, Any], other: OtherLink, folder: Path) -> str | None:
    """Write the service over time, if a replay needs it."""
    rate = seen["rate"]
    varies = rate["kind"] == "varying" or rate["has_phases"]
    if not varies and other["stand_stills"] is None:
        return None
    place = folder / "service.csv"
    rows = (
        f"{i * _BIN_S:.2f},{max(bps / 1e6, 0.001):.4f}" for i, bps in enumerate(seen["service_bps"])
    )
    place.write_text("time_s,rate_mbps\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return str(place)


def _run(text: str, seed: int, place: Path | None) -> Mapping[str, Any]:
    """Run a replay once; a handshake that lost its SYN is no transfer, and is run again."""
    result: Mapping[str, Any] = {}
    for again in range(5):
        done = run(
            "replay",
            text=text,
            seed=(seed + again * 777_777) % (1 << 63),
            replications=1,
            pcap=place,
            workers=1,
        )
        if done.interrupted:
            raise Stopped
        result = done.json["replications"][0]
        if _goodput(result) > 0:
            break
    return result


def _goodput(result: Mapping[str, Any]) -> float:
    return sum(flow["goodput_bps"] for flow in result["flows"])


def _measured(place: Path, goodput: float) -> Mapping[str, float]:
    """Measure a replay as the capture was."""
    read = logged([place])
    connections = read.json["connections"]
    if not connections:
        return {"goodput_bps": goodput, "rtt_p50_s": 0.0, "link_losses": 0.0, "drop_episodes": 0.0}
    number = chosen(read.json)
    found = read.bottleneck(number, bulk_of(connections[number])["from"])
    return statistics_of(found or {}, goodput)


def statistics_of(seen: Mapping[str, Any], goodput: float) -> Mapping[str, float]:
    """Return the statistics of a bottleneck that are compared, for one second where they count."""
    duration = seen.get("duration_s") or 1.0
    return {
        "goodput_bps": goodput,
        "rtt_p50_s": seen.get("rtt_p50_s", 0.0),
        "link_losses": seen.get("link_losses", 0) / duration,
        "drop_episodes": seen.get("drop_episodes", 0) / duration,
    }


def predictions(found: Replays, asked: Asked) -> list[Prediction]:
    """Return the predictive median and 90 % interval of each variant, the best first."""
    rate = asked.seen["rate"]
    observed = asked.seen["goodput_bps"]
    is_bound = rate["kind"] in {"weak", "none"}
    random = Random(asked.seed + 1)  # noqa: S311 - a simulation
    rows: list[Prediction] = []
    for variant, goodputs in found.goodputs.items():
        error = _ERROR.get(variant, _OTHERS) + _VARYING * (rate["kind"] == "varying")
        spread = sorted(
            goodput * exp(random.gauss(0.0, error)) for goodput in goodputs for _ in range(_FACTORS)
        )
        low, middle, high = (quantile(spread, part) for part in (0.05, 0.5, 0.95))
        if is_bound and variant == asked.sender.law:
            # Over a link that is not known well, the transfer itself shows what it may get.
            low = min(low, observed)
        fills = is_bound and high > _FILLS * rate["value_bps"]
        rows.append(
            {
                "variant": variant,
                "goodput_bps": None if fills else middle,
                "low": low,
                "high": None if fills else high,
                "p_better": sum(value > _BETTER * observed for value in spread) / len(spread),
            }
        )
    return sorted(rows, key=lambda row: -(row["goodput_bps"] or row["low"] or 0.0))


def draws_of(seen: Mapping[str, Any], asked: int) -> int:
    """Return how many links are drawn: fewer where each replay has many packets."""
    part = min(1.0, _LONGEST_S / max(seen["duration_s"], 1e-9))
    packets = max(seen["transmissions"] * part, 1.0)
    bound = int(_SIMULATED / packets / len(laws()))
    return max(min(asked, max(bound, _FEWEST)), 1)


def quantile(values: Sequence[float], part: float) -> float:
    """Return a quantile of sorted values, by linear interpolation.

    >>> quantile([1.0, 2.0, 4.0], 0.75)
    3.0
    """
    place = part * (len(values) - 1)
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (values[above] - values[below]) * (place - below)
