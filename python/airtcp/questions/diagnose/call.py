"""From a packet capture to a remedy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from airtcp import _core
from airtcp.inputs.arguments import paths_of
from airtcp.inputs.file_kinds import reads
from airtcp.inputs.progress import shows_progress
from airtcp.laws.given import is_file_of_law
from airtcp.questions.capture.call import logged

if TYPE_CHECKING:
    from collections.abc import Iterable

    from airtcp.inputs.arguments import PathLike, Progress
    from airtcp.questions.capture.result import CaptureResult
    from airtcp.questions.diagnose.result import DiagnoseResult


@reads("diagnose")
@shows_progress
def diagnose(
    files: PathLike | Iterable[PathLike],
    *,
    interface: str | None = None,
    read: CaptureResult | None = None,
    connection: int | None = None,
    tcp: str | None = None,
    rate: str | None = None,
    rtt: str | None = None,
    replications: int = 60,
    seed: int = 1,
    workers: int | None = None,
    progress: Progress | None = None,
) -> DiagnoseResult:
    """Find what limited the transfer of a capture, and what would deliver more.

    The timing of packets and ACKs shows the link behind the transfer. Links that agree with it are
    drawn, and the transfer is replayed over each of them with each TCP.

    Args:
        files: Captures of one transfer, as for `capture`. Monitor-mode captures beside captures of
            a host add the losses of the air.
        interface: The only interface that is read, by its name in a pcapng file; by default that
            nearest the sender is used.
        read: A capture that was read already, with every segment kept, in place of files.
        connection: The connection, counted from 0 as in the tables of `capture`; by default that
            with the most data.
        tcp: The congestion law of the sender, also `newreno`; by default a guess.
        rate: The rate of the link, such as `"20 Mb/s"`; by default measured.
        rtt: The round-trip time of the path without load, such as `"30 ms"`; by default the least
            of the capture.
        replications: Number of links that are drawn; each is replayed once with each TCP. At least
            5, since fewer give no useful interval.
        seed: Root seed. Equal captures and seeds give equal documents.
        workers: Number of threads; by default all cores. The result does not depend on it.
        progress: Called with done, total and a label.

    Returns:
        The result. If Ctrl-C stopped the work, `interrupted` is true and the result holds the
        finished steps.

    Raises:
        TraceError: If a file cannot be read as a capture.
        AirtcpError: If an option is impossible.

    Examples:
        >>> lossy = '''
        ... duration = "5 s"
        ... [[links]]
        ... from = "a"
        ... to = "b"
        ... rate = "10 Mb/s"
        ... delay = "20 ms"
        ... loss = { model = "bernoulli", probability = 0.01 }
        ... [[flows]]
        ... from = "a"
        ... to = "b"
        ... tcp = { profile = "linux", congestion = "cubic" }
        ... '''
        >>> import airtcp
        >>> run = airtcp.run("lossy", text=lossy, pcap="lossy.pcapng")
        >>> result = diagnose("lossy.pcapng", replications=5)
        >>> result.json["obstacle"] is None
        True
        >>> result.json["observed"]["place"]
        'sender'
    """
    from airtcp.inputs.quantities_text import rate_of, time_of
    from airtcp.questions.diagnose import pipeline
    from airtcp.questions.diagnose.air import measured
    from airtcp.questions.diagnose.link import RTT_OPTION
    from airtcp.questions.diagnose.points import seen_at
    from airtcp.questions.diagnose.result import DiagnoseResult
    from airtcp.questions.diagnose.transfer import transfer_of

    if replications < pipeline.LEAST_REPLICATIONS:
        message = (
            f"replications is {replications}: expected {pipeline.LEAST_REPLICATIONS} or more; with"
            " fewer links the intervals tell nothing"
        )
        raise _core.AirtcpError(message)
    asked = pipeline.Asked(
        law=None if tcp is None else _known_law(tcp),
        rate_bps=None if rate is None else rate_of(rate, "rate"),
        replications=replications,
        seed=seed,
        workers=workers,
        progress=progress,
    )
    base = None if rtt is None else time_of(rtt, "rtt")
    paths = paths_of(files)
    document = pipeline.begun(list(map(str, paths)), asked, interface)
    # Beside captures of hosts, those of the air do not count a packet twice.
    read = logged(paths, interface, progress) if read is None else read
    seen = read.json
    document["files"] = seen["files"]
    document["air"] = pipeline.air_of(seen["links"])
    transfer = transfer_of(seen, connection)
    if seen["interrupted"]:
        document["interrupted"] = True
    elif transfer is None:
        document["obstacle"] = "no-data"
    else:
        if base is not None:
            transfer = replace(transfer, base_rtt_s=base, base_from=RTT_OPTION)
        document["seen_at"] = seen_at(seen, transfer.number)
        document["air_fit"] = measured(seen, transfer)
        number, sender = transfer.number, transfer.sender

        def measure() -> dict[str, Any] | None:
            return read.bottleneck(number, sender, rtt_s=base, rate_bps=asked.rate_bps)

        pipeline.diagnose(transfer, measure, document, asked)
    return DiagnoseResult(document)


_ALIASES: Final = {"newreno": "reno"}
"""Usual names of laws. The recovery of RFC 6582 (NewReno) goes with the law of Reno."""


def _known_law(name: str) -> str:
    """Return the name of a law.

    Raises:
        AirtcpError: If there is none of this name.
    """
    from airtcp.questions.diagnose.predict import laws

    if is_file_of_law(name):
        message = (
            f"--tcp {name}: this is the law that the sender of the capture ran, and replays are of "
            "built-in laws; airtcp run and compare run your law over a link (--tcp my_law.py)"
        )
        raise _core.AirtcpError(message)
    name = _ALIASES.get(name, name)
    if name not in laws():
        message = f"--tcp {name}: no such congestion law (there are {', '.join(laws())})"
        raise _core.AirtcpError(message)
    return name
