"""Other TCPs, remedies and receive windows on the fitted link, with paired intervals.

The comparisons are those of `airtcp compare`: all variants meet the same channel.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from airtcp import _core
from airtcp.api.info import registry
from airtcp.api.scenarios import compare, run
from airtcp.diagnosis.model import FLOW, scenario
from airtcp.diagnosis.replay import Stopped
from airtcp.intervals import mean_interval

if TYPE_CHECKING:
    from airtcp.arguments import Progress
    from airtcp.diagnose_document import Answers, Window
    from airtcp.diagnosis.model import Path, Sender

NAME: Final = "the link of the capture"
_PROTOCOLS: Final = ("@ll-arq:arq=selective", "@ll-harq")
"""Link protocols, which need a link that loses packets."""
_QUEUES: Final = ("@codel", "@fq-codel")
_TRANSPORTS: Final = ("lt-tcp", "sliding")
WINDOWS: Final = (2, 4, 8)
_CARRIES: Final = 16
"""How many times the fitted rate stands for a link that is never the limit."""


def laws() -> list[str]:
    """Name the congestion laws."""
    return [entry["name"] for entry in registry("congestion")]


def known_law(name: str) -> str:
    """Return the name of a law.

    Raises:
        AirtcpError: If there is none of this name.
    """
    if name not in laws():
        message = f"--tcp {name}: no such congestion law (there are {', '.join(laws())})"
        raise _core.AirtcpError(message)
    return name


def answers(
    text: str,
    law: str,
    *,
    trusted: bool,
    lossy: bool,
    duration_s: float,
    replications: int,
    seed: int,
    workers: int | None,
    progress: Progress | None,
) -> Answers:
    """Compare the TCPs and the remedies over a link.

    Args:
        text: The scenario of the link and the transfer.
        law: The congestion law of the transfer, the reference.
        trusted: Whether the replay reproduces the transfer.
        lossy: Whether the link itself loses packets.
        duration_s: The time that each run simulates.
        replications: Number of replications.
        seed: Root seed.
        workers: Number of threads.
        progress: As for `compare`.

    Raises:
        Stopped: If Ctrl-C stopped the comparison of TCPs.
    """

    def subject(tcp: list[str]) -> tuple[dict[str, Any], bool]:
        done = compare(
            NAME,
            text=text,
            tcp=tcp,
            reference=law,
            remedies=False,
            replications=replications,
            seed=seed,
            workers=workers,
            progress=progress,
        )
        if not done.json["subjects"]:
            raise Stopped
        return dict(done.json["subjects"][0]), done.interrupted

    others = [other for other in laws() if other != law]
    tcps, stopped = subject([law, *others])
    remedies: dict[str, Any] | None = None
    if not stopped:
        try:
            remedies, _ = subject([law, *_remedies(law, lossy=lossy)])
        except Stopped:
            remedies = None
    return {
        "trusted": trusted,
        "reference": law,
        "duration_s": duration_s,
        "tcps": tcps,
        "remedies": remedies,
    }


def _remedies(law: str, *, lossy: bool) -> list[str]:
    """Name the remedies: queues, transports with erasure coding, and link protocols."""
    local = [law + protocol for protocol in _PROTOCOLS] if lossy else []
    whole = ["lt-tcp@ll-harq"] if lossy else []
    return [*local, *(law + queue for queue in _QUEUES), *_TRANSPORTS, *whole]


def windows(
    path: Path,
    sender: Sender,
    *,
    unbounded: bool,
    duration_s: float,
    replications: int,
    seed: int,
    workers: int | None,
) -> list[Window]:
    """Replay with larger receive windows, in pairs with the observed one.

    Args:
        path: The link.
        sender: The TCP, with the observed window.
        unbounded: Whether the capture leaves the upper end of the rate open: then also over a link
            that is never the limit.
        duration_s: The time that each run simulates.
        replications: Number of replications.
        seed: Root seed.
        workers: Number of threads.

    Raises:
        Stopped: If Ctrl-C stopped a run.
    """
    links = [path]
    if unbounded:
        most = path.rate_bps * _CARRIES
        links.append(replace(path, rate_bps=most, queue_packets=path.queue_packets * _CARRIES))
    found: list[Window] = []
    for link in links:

        def goodputs(window: int, link: Path = link) -> list[float]:
            large = replace(sender, receive_buffer=window, scaling=True)
            done = run(
                NAME,
                text=scenario(link, large, duration_s, NAME),
                seed=seed,
                replications=replications,
                workers=workers,
            )
            if done.interrupted:
                raise Stopped
            flows = [r["flows"][0] for r in done.json["replications"]]
            return [flow["goodput_bps"] for flow in flows if flow["name"] == FLOW]

        before = goodputs(sender.receive_buffer)
        for factor in WINDOWS:
            after = goodputs(factor * sender.receive_buffer)
            gains = [b / a for a, b in zip(before, after, strict=True) if a > 0]
            ends = mean_interval(gains) or (None, None)
            found.append(
                {
                    "factor": factor,
                    "receive_buffer_bytes": factor * sender.receive_buffer,
                    "rate_bps": link.rate_bps,
                    "goodput_bps": sum(after) / len(after),
                    "gain": {
                        "value": sum(gains) / len(gains) if gains else 1.0,
                        "low": ends[0],
                        "high": ends[1],
                    },
                }
            )
    return found
