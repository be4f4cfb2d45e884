"""The steps of a diagnosis, in order. Ctrl-C ends them; finished steps stay.

A capture that shows too little of the link, or a link that the model does not describe, ends the
steps early. The document then names the obstacle, and predicts nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from airtcp.data.extension import version
from airtcp.questions.diagnose import predict
from airtcp.questions.diagnose.check import checked
from airtcp.questions.diagnose.document import LEAST_SEGMENTS
from airtcp.questions.diagnose.limits import limits
from airtcp.questions.diagnose.link import fitted, likely, usable
from airtcp.questions.diagnose.losses import fit_losses
from airtcp.questions.diagnose.model import rounded, scenario, sender_of
from airtcp.questions.diagnose.other_links import other_link
from airtcp.questions.diagnose.posterior import is_found
from airtcp.questions.diagnose.unknowable import (
    UNKNOWABLE,
    is_without_sack,
    may_be_application,
    only_own,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from airtcp.inputs.arguments import Progress
    from airtcp.questions.diagnose.document import Air, DiagnoseDocument, Observed, Replay
    from airtcp.questions.diagnose.model import Sender
    from airtcp.questions.diagnose.transfer import Transfer

LEAST_REPLICATIONS: Final = 5
"""Links below which there is no useful interval [choice]."""
_LUCKY: Final = 1.03
USUAL: Final = ("cubic", "reno", "bbr1")
"""Laws of common systems, which are tried where the guess does not reproduce the transfer.

More would be no gain: over a link that the model does not describe, some law agrees by chance."""
_TRIED: Final = 30
"""Links over which another law is tried."""
_MOSTLY: Final = 0.5
"""Share of the time in which BBR paces, at least [choice]."""


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


def begun(paths: list[str], asked: Asked, interface: str | None = None) -> DiagnoseDocument:
    """Return the document before the first step."""
    return {
        "schema": "airtcp.diagnose/1",
        "airtcp_version": version(),
        "seed": asked.seed,
        "replications": asked.replications,
        "paths": paths,
        "interface": interface,
        "files": [],
        "tcp": asked.law or "",
        "tcp_told": asked.law is not None,
        "tcp_checked": [],
        "observed": None,
        "losses": None,
        "seen_at": [],
        "air": None,
        "air_fit": None,
        "link": None,
        "lost_packets": [],
        "other_link": None,
        "scenario": None,
        "replay": None,
        "predictions": [],
        "limits": [],
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


def diagnose(
    transfer: Transfer,
    measure: Callable[[], Mapping[str, Any] | None],
    document: DiagnoseDocument,
    asked: Asked,
) -> None:
    """Take all steps on a transfer, and write what they find into the document.

    Args:
        transfer: The transfer.
        measure: Measures its bottleneck.
        document: The document, which is written.
        asked: The options.
    """
    document["observed"] = observed(transfer)
    document["losses"] = fit_losses(transfer)
    law = asked.law or _guessed(transfer)
    document["tcp"] = law
    document["obstacle"] = _obstacle(transfer)
    if document["obstacle"] is not None:
        return
    seen = measure()
    if seen is None:
        document["obstacle"] = "short"
        return
    document["observed"]["connections"] = seen["connections"]
    if seen["connections"] > 1:
        # The predictions are for all of them together.
        document["observed"]["goodput_bps"] = seen["goodput_bps"]
    sender = sender_of(transfer, law, None, flows=seen["connections"])
    _describe(document, transfer, seen, sender, told=asked.rate_bps is not None)
    document["obstacle"] = _other_obstacle(document) or _unknown(seen, transfer)
    if document["obstacle"] is not None:
        return
    try:
        _predict(document, seen, sender, asked)
    except (predict.Stopped, KeyboardInterrupt):
        document["interrupted"] = True
        document["predictions"] = []


def _describe(
    document: DiagnoseDocument,
    transfer: Transfer,
    seen: Mapping[str, Any],
    sender: Sender,
    *,
    told: bool,
) -> None:
    """Write what the timing of packets shows."""
    air = usable(document["air_fit"])
    document["link"] = link = fitted(seen, transfer, air, told=told)
    document["lost_packets"] = list(seen["lost_packets"])
    document["other_link"] = other_link(seen, transfer)
    title = f"{transfer.sender} to {transfer.receiver}, measured in a capture"
    path = likely(seen, link)
    document["scenario"] = scenario(path, sender, rounded(transfer.duration_s, 4), title)
    document["doubts"] = _doubts(document, seen)


def _doubts(document: DiagnoseDocument, seen: Mapping[str, Any]) -> list[str]:
    """Return what the predictions rest on."""
    place = document["observed"] is not None and document["observed"]["place"] == "unknown"
    kind = seen["rate"]["kind"]
    found = {
        "law": not document["tcp_told"],
        "place": place,
        "rate": kind in {"weak", "none"},
        "varying": kind == "varying",
        "queue": seen["queue"] is None,
        "cut": seen["is_cut"],
        "discipline": is_found(seen, "aqm") and not seen["aqm"]["codel"]["found"],
    }
    has_air = usable(document["air_fit"]) is not None
    alone = only_own(seen, has_air=has_air)
    return [*(name for name, doubted in found.items() if doubted), *alone]


def _predict(
    document: DiagnoseDocument, seen: Mapping[str, Any], sender: Sender, asked: Asked
) -> None:
    other = document["other_link"]
    if other is None:
        return
    made_of = predict.Asked(
        seen=seen,
        other=other,
        air=usable(document["air_fit"]),
        sender=sender,
        compares=UNKNOWABLE.isdisjoint(document["doubts"]),
        draws=predict.draws_of(seen, asked.replications),
        seed=asked.seed,
        workers=asked.workers,
        tell=asked.tell("replaying"),
    )
    found, replay = _checked(document, seen, made_of)
    if not replay["reproduces"] and not document["tcp_told"]:
        for law in _agreeing(document, seen, made_of):
            made_of = replace(made_of, sender=replace(sender, law=law))
            found, again = _checked(document, seen, made_of)
            if again["reproduces"]:
                replay = again
                break
    document["replay"] = replay
    if not replay["reproduces"]:
        document["obstacle"] = "check"
        return
    _say_law(document, made_of.sender)
    rows = predict.predictions(found, made_of)
    document["predictions"] = rows
    same = next(row for row in rows if row["variant"] == document["tcp"])
    if same["high"] is not None and _LUCKY * same["high"] < seen["goodput_bps"]:
        document["doubts"].append("lucky")
    if document["link"] is not None:
        document["limits"] = limits(found, made_of, document["link"])


def _checked(
    document: DiagnoseDocument, seen: Mapping[str, Any], made_of: predict.Asked
) -> tuple[predict.Replays, Replay]:
    """Replay a law of the sender, and compare it with the transfer."""
    found = predict.replays(made_of)
    own = predict.statistics_of(seen, seen["goodput_bps"])
    replay = checked(own, found.checked, seen["duration_s"])
    law = made_of.sender.law
    known = [each for each in document["tcp_checked"] if each["tcp"] != law]
    document["tcp_checked"] = [*known, {"tcp": law, "agrees": replay["reproduces"]}]
    return found, replay


def _agreeing(
    document: DiagnoseDocument, seen: Mapping[str, Any], made_of: predict.Asked
) -> list[str]:
    """Return the other usual laws whose replays agree with the transfer."""
    draws = min(made_of.draws, _TRIED)
    agree: list[str] = []
    for law in (law for law in USUAL if law != made_of.sender.law):
        sender = replace(made_of.sender, law=law)
        asked = replace(made_of, sender=sender, compares=False, draws=draws)
        if _checked(document, seen, asked)[1]["reproduces"]:
            agree.append(law)
    return agree


def _say_law(document: DiagnoseDocument, sender: Sender) -> None:
    """Write the law whose replays agree, also into the scenario."""
    if document["scenario"] is not None and document["tcp"] != sender.law:
        was, now = (f'"congestion" = "{law}"' for law in (document["tcp"], sender.law))
        document["scenario"] = document["scenario"].replace(was, now)
    document["tcp"] = sender.law


def observed(transfer: Transfer) -> Observed:
    """Describe the transfer for the document."""
    rtt = transfer.rtt or {}
    return {
        "connection": transfer.number,
        "connections": 1,
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
        "closed_to_end_s": transfer.closed_to_end_s,
        "largest_flight_bytes": transfer.flight_bytes,
        "rtt_min_s": transfer.base_rtt_s,
        "rtt_from": transfer.base_from,
        "rtt_p50_s": rtt.get("p50"),
        "rtt_p95_s": rtt.get("p95"),
        "rtt_max_s": rtt.get("max"),
        "limited_by": dict(transfer.limits),
    }


def _guessed(transfer: Transfer) -> str:
    """Guess the congestion law: BBR paces, most others do not, and kernels have its version 1."""
    return "bbr1" if transfer.limited("pacing") >= _MOSTLY else "cubic"


def _obstacle(transfer: Transfer) -> str | None:
    if transfer.segments < LEAST_SEGMENTS or not transfer.goodput_bps:
        return "short"
    if transfer.rtt is None:
        return "place"
    return None if transfer.base_rtt_s else "no-rtt"


def _other_obstacle(document: DiagnoseDocument) -> str | None:
    """Return which link or sender the replays do not describe."""
    other = document["other_link"]
    if other is None:
        return None
    if other["policer"] is not None:
        return "policer"
    if other["return_path"] is not None:
        return "return-path"
    if other["shared"] is not None:
        return "shared"
    application = other["application"]
    varies = application is not None and application["kind"] == "varies"
    return "application" if varies else None


def _unknown(seen: Mapping[str, Any], transfer: Transfer) -> str | None:
    """Return what the capture does not show of a transfer that the replays could describe."""
    if is_without_sack(seen):
        return "no-sack"
    # Segments that the host joined look like pauses, too.
    idle = 0.0 if transfer.is_joined else transfer.limited("application")
    return "idle" if may_be_application(seen, idle) else None
