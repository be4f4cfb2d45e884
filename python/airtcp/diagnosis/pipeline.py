"""The steps of a diagnosis, in order. Ctrl-C ends them; finished steps stay.

A capture that shows too little of the link ends the steps early. The document then names the
obstacle.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from airtcp.api.info import version
from airtcp.diagnose_document import LEAST_SEGMENTS
from airtcp.diagnosis import answers as answering
from airtcp.diagnosis import matching, verify
from airtcp.diagnosis.linkfit import fitted, known_of
from airtcp.diagnosis.losses import fit_losses
from airtcp.diagnosis.model import scenario, sender_of
from airtcp.diagnosis.replay import Replayer, Stopped

if TYPE_CHECKING:
    from collections.abc import Callable

    from airtcp.arguments import Progress
    from airtcp.diagnose_document import Air, DiagnoseDocument, LossFit, Observed
    from airtcp.diagnosis.model import Sender
    from airtcp.diagnosis.transfer import Transfer

LEAST_REPLICATIONS: Final = 5
"""Replays below which there is no prediction interval: Student's quantile for 99 % is 4.6 with 5
replays, 5.8 with 4, 9.9 with 3 and 64 with 2 [choice]."""
MOSTLY: Final = 0.5
"""Share of the time from which a limit rules a transfer [choice]."""
_SOME: Final = 0.1
_TWICE: Final = 2
_TWICE_SHARE: Final = 0.005
"""Segments received twice above which the path reorders or duplicates packets [choice]."""
_FIT_SEGMENTS: Final = 15_000
_REPLAY_SEGMENTS: Final = 60_000
"""Segments that replays simulate at most, if that is 100 round-trip times or more."""
_LEAST_RTTS: Final = 100


@dataclass(frozen=True)
class Asked:
    """The options of a diagnosis."""

    law: str | None
    rate_bps: float | None
    replications: int
    seed: int
    workers: int | None
    progress: Progress | None

    def tell(self, label: str) -> Callable[[int, int], None]:
        """Return a function that reports the progress of a step."""

        def told(done: int, total: int) -> None:
            if self.progress is not None:
                self.progress(done, total, label)

        return told


def begun(paths: list[str], asked: Asked) -> DiagnoseDocument:
    """Return the document before the first step."""
    return {
        "schema": "airtcp.diagnose/1",
        "airtcp_version": version(),
        "seed": asked.seed,
        "replications": asked.replications,
        "paths": paths,
        "files": [],
        "tcp": asked.law or "",
        "tcp_told": asked.law is not None,
        "observed": None,
        "losses": None,
        "seen_at": [],
        "air": None,
        "air_fit": None,
        "link": None,
        "scenario": None,
        "replay": None,
        "windows": [],
        "answers": None,
        "obstacle": None,
        "doubts": [],
        "interrupted": False,
    }


def air_of(links: list[dict[str, Any]]) -> Air | None:
    """Summarise the 802.11 link with the most attempts."""
    measured = [link for link in links if link["raw_loss"] is not None]
    if not measured:
        return None
    link = max(measured, key=lambda each: each["attempts"])
    keys = ("transmitter", "receiver", "attempts", "packets")
    losses = ("raw_loss", "residual_loss", "mean_attempts")
    found: Any = {key: link[key] for key in (*keys, *losses)}
    return found | {"latency_p50_s": link["latency_s"]["p50"]}


def diagnose(transfer: Transfer, document: DiagnoseDocument, asked: Asked) -> None:
    """Take all steps on a transfer, and write what they find into the document."""
    document["observed"] = observed(transfer)
    document["losses"] = losses = fit_losses(transfer)
    law = asked.law or _guessed(transfer)
    document["tcp"] = law
    document["obstacle"] = _obstacle(transfer)
    document["doubts"] = _doubts(transfer, told=asked.rate_bps is not None)
    if document["obstacle"] is not None:
        return
    busy = _busy(transfer)
    window = busy.flight_bytes if busy.limited("receive_window") >= _SOME else None
    sender = sender_of(busy, law, window)
    try:
        _steps(busy, sender, losses, document, asked)
    except (Stopped, KeyboardInterrupt):
        document["interrupted"] = True


def _steps(
    transfer: Transfer,
    sender: Sender,
    losses: LossFit,
    document: DiagnoseDocument,
    asked: Asked,
) -> None:
    fitting = fitting_replayer(transfer, sender, asked.seed)
    air = document["air_fit"]
    known = known_of(air, asked.rate_bps, transfer.delivery)
    match = matching.match(fitting, losses, known, asked.tell("fitting"))
    document["link"] = fitted(transfer, losses, match, told=asked.rate_bps is not None, air=air)
    path = match.chosen
    title = f"{transfer.sender} to {transfer.receiver}, fitted to a capture"
    document["scenario"] = scenario(path, sender, transfer.duration_s, title)
    replayer = _replayer(transfer, sender, asked.seed, _REPLAY_SEGMENTS)
    replay = verify.replayed(replayer, path, asked.replications, asked.tell("replaying"))
    document["replay"] = replay
    common: dict[str, Any] = {
        "duration_s": replayer.duration_s,
        "replications": asked.replications,
        "seed": asked.seed,
        "workers": asked.workers,
    }
    if transfer.limited("receive_window") >= _SOME:
        open_rate = match.rate_high_bps is None
        document["windows"] = answering.windows(path, sender, unbounded=open_rate, **common)
    document["answers"] = answering.answers(
        replayer.text(path, title),
        sender.law,
        trusted=replay["reproduces"] and not document["doubts"],
        lossy=path.loss > 0,
        progress=asked.progress,
        **common,
    )


def observed(transfer: Transfer) -> Observed:
    """Describe the transfer for the document."""
    rtt, delivery = transfer.rtt or {}, transfer.delivery
    return {
        "connection": transfer.number,
        "point": transfer.point,
        "sender": transfer.sender,
        "receiver": transfer.receiver,
        "place": transfer.place,
        "duration_s": transfer.duration_s,
        "unique_bytes": transfer.unique_bytes,
        "segments": transfer.segments,
        "payload_bytes": transfer.payload_bytes,
        "goodput_bps": transfer.goodput_bps,
        "retransmissions": transfer.retransmissions,
        "spurious": transfer.spurious,
        "timeouts": transfer.timeouts,
        "zero_windows": transfer.zero_windows,
        "largest_flight_bytes": transfer.flight_bytes,
        "rtt_min_s": transfer.base_rtt_s,
        "rtt_from": transfer.base_from,
        "rtt_p50_s": rtt.get("p50"),
        "rtt_p95_s": rtt.get("p95"),
        "rtt_max_s": rtt.get("max"),
        "delivery_bps": None if delivery is None else delivery.largest_bps,
        "delivery_p95_bps": None if delivery is None else delivery.p95_bps,
        "limited_by": dict(transfer.limits),
    }


def _guessed(transfer: Transfer) -> str:
    """Guess the congestion law: BBR paces, most others do not."""
    return "bbr" if transfer.limited("pacing") >= MOSTLY else "cubic"


def _obstacle(transfer: Transfer) -> str | None:
    if transfer.segments < LEAST_SEGMENTS or not transfer.goodput_bps:
        return "short"
    if transfer.limited("application") >= MOSTLY:
        return "application"
    if not transfer.base_rtt_s:
        return "no-rtt"
    return None


def _doubts(transfer: Transfer, *, told: bool) -> list[str]:
    """Return why a replay that agrees may have the wrong link."""
    place = [] if transfer.rtt is not None or told else ["place"]
    many = max(_TWICE, _TWICE_SHARE * transfer.segments)
    return [*place, *(["reordering"] if transfer.received_twice > many else [])]


def _busy(transfer: Transfer) -> Transfer:
    """Leave out the time in which the application had nothing to send."""
    busy = 1 - transfer.limited("application")
    return replace(
        transfer,
        duration_s=transfer.duration_s * busy,
        goodput_bps=transfer.goodput_bps / busy,
    )


def _replayer(transfer: Transfer, sender: Sender, seed: int, segments: int) -> Replayer:
    least = _LEAST_RTTS * (transfer.base_rtt_s or 0.0)
    part = segments / max(transfer.segments, 1)
    duration = min(transfer.duration_s, max(transfer.duration_s * part, least))
    return Replayer(transfer, sender, seed, duration)


def fitting_replayer(transfer: Transfer, sender: Sender, seed: int) -> Replayer:
    """Return what replays a transfer for the fit, with a bounded number of segments."""
    return _replayer(transfer, sender, seed, _FIT_SEGMENTS)
