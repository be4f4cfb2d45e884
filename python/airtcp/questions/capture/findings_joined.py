"""What captures of the air and of hosts show together, in words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.capture.findings import by_cause
from airtcp.words.sentences import Finding, count, counted, listed, number, share

if TYPE_CHECKING:
    from collections.abc import Mapping

_CAUSES: Final = {
    "lost_on_link": "after the last attempt of the link failed",
    "slow_packet": "spurious, because the attempts of the packet took long",
    "stuck_behind_others": "spurious, because the packet waited behind others",
    "acknowledgement": "because the TCP ACK was late or lost",
    "not_on_air": "with a last copy that was not found on the air",
    "unknown": "for an unknown cause",
}
_PATTERNS: Final = {
    "mains_50hz": "that of the mains at 50 Hz, as beside a microwave oven",
    "mains_60hz": "that of the mains at 60 Hz, as beside a microwave oven",
    "bluetooth_hv3": "that of Bluetooth voice (HV3)",
    "bluetooth_hv1": "that of Bluetooth voice (HV1)",
    "polling": "{period} s, with outages as of an access point that polls",
}
_UNITS: Final = {"attempt": "attempts", "segment": "first copies of segments"}


def places(joined: Mapping[str, Any]) -> str:
    """Write which captures are of the air, and which of hosts."""
    air = listed([Path(path).name for path in joined["air"]])
    hosts = listed([Path(host["path"]).name for host in joined["hosts"]])
    return f"{air}: the air; {hosts}: {'a host' if len(joined['hosts']) == 1 else 'hosts'}"


def clock(host: Mapping[str, Any]) -> Finding:
    """Say how the clock of a host differs from that of the sniffer."""
    name, clock = Path(host["path"]).name, host["clock"]
    if clock is None:
        return Finding(f"{name} does not fit", "no packet of it was found on the air.", "warn")
    head = f"clock of {name}"
    unsure = number(clock["drift_uncertainty_ppm"])
    drift = f"drift {number(clock['drift_ppm'])} ppm within {unsure} ppm"
    ahead = clock["offset_s"]
    behind = "behind" if ahead >= 0 else "ahead of"
    text = f"{number(abs(ahead) * 1e3, 6)} ms {behind} the sniffer's, {drift}"
    used = count(clock["sent_packets"] + clock["received_packets"])
    if clock["uncertainty_s"] is None:
        return Finding(
            head, f"{text}. Packets of only one direction are known: the least delay is part of it."
        )
    within = f"{number(clock['uncertainty_s'] * 1e3)} ms"
    return Finding(head, f"{text}; exact within {within}, by {used} packets.")


def packets(host: Mapping[str, Any]) -> list[Finding]:
    """Say how long the sent packets of a host waited, and what was not found on the air."""
    name = Path(host["path"]).name
    found: list[Finding] = []
    if missing := host["sent_not_on_air"]:
        found.append(
            Finding(
                f"{counted(missing, 'packet')} of {name} not on the air",
                f"of {count(host['sent'])} sent: dropped before the air, or missed by the sniffer.",
                "warn",
            )
        )
    for link in host["links"]:
        waits = link["queueing_s"]
        if not link["is_sent"] or waits["p50"] is None:
            continue
        lost = f"; the link gave up {count(link['lost_on_link'])}" if link["lost_on_link"] else ""
        median, high = number(waits["p50"] * 1e3), number(waits["p99"] * 1e3)
        found.append(
            Finding(
                f"packets of {name} waited {median} ms",
                f"median of {counted(waits['samples'], 'packet')} from the host to the first "
                f"attempt, 99 % at most {high} ms{lost}.",
            )
        )
    return found


def timeouts(causes: Mapping[str, int]) -> Finding | None:
    """Say why timeouts happened."""
    every = sum(causes.values())
    if not every:
        return None
    return Finding(counted(every, "timeout"), f"{listed(by_cause(causes, _CAUSES))}.", "warn")


def period(link: Mapping[str, Any], period: Mapping[str, Any]) -> Finding:
    """Say that the losses of a link have a period."""
    worse, better = period["loss_by_half"]
    what = _PATTERNS[period["pattern"]].format(period=number(period["period_s"]))
    return Finding(
        f"losses of {link['transmitter']} -> {link['receiver']} have a period",
        f"{what}; {share(worse)} in one half of it, {share(better)} in the "
        f"other (by chance with a probability of at most {max(period['p_value'], 1e-9):.1g}).",
        "warn",
    )


def timeout(timeout: Mapping[str, Any]) -> str:
    """Say what became of the copies of a segment that timed out."""
    steps: list[str] = []
    for copy in timeout["copies"]:
        if copy["fate"] is None:
            steps.append("not found on the air")
            continue
        waited = f"{number(copy['queueing_s'] * 1e3)} ms of waiting, "
        tried = counted(copy["attempts"], "attempt")
        steps.append(f"{copy['fate'].replace('_', ' ')} after {waited}{tried}")
    copies = "; ".join(f"copy {i} {step}" for i, step in enumerate(steps, 1))
    return (
        f"The segment with sequence number {timeout['sequence']} of {timeout['from']}: {copies}. "
        f"The cause of the timeout: {timeout['cause'].replace('_', ' ')}."
    )


def trace(trace: Mapping[str, Any]) -> str:
    """Say what a delivery trace holds."""
    what = _UNITS[trace["unit"]]
    notes = f" ({'; '.join(trace['notes'])})" if trace["notes"] else ""
    return (
        f"{trace['from']} -> {trace['to']}: {count(trace['outcomes'])} {what}, "
        f"{share(trace['delivered'])} delivered{notes}"
    )
