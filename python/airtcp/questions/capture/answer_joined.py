"""What the answer says of captures of the air and of hosts together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.capture.tables import file_name
from airtcp.words.sentences import count, counted, number, share

if TYPE_CHECKING:
    from collections.abc import Mapping

_TIMEOUTS: Final = {
    "lost_on_link": "because the last attempt of the link failed",
    "slow_packet": "needlessly, because the attempts of a packet took long",
    "stuck_behind_others": "needlessly, because a packet waited behind others",
    "acknowledgement": "because the TCP ACK was late or lost",
    "not_on_air": "with a last copy that was not found on the air",
    "unknown": "for an unknown cause",
}


def sentences(joined: Mapping[str, Any]) -> tuple[str, str | None, str | None] | None:
    """Return headline, help and doubt; none if no packet of a host is on the air."""
    fitting = [host for host in joined["hosts"] if host["links"]]
    if not fitting:
        if not joined["hosts"]:
            return None
        names = ", ".join(file_name(host["path"]) for host in joined["hosts"])
        text = f"No packet of {names} was found on the air: the captures do not fit."
        return text, "Captures of the same time, and of a radio near the host, would tell.", None
    host = max(fitting, key=lambda each: each["sent"] + each["received"])
    link = max(host["links"], key=lambda each: (each["is_sent"], each["packets"]))
    return _headline(host, link), _timeouts(joined["timeout_causes"]), _doubt(host)


def _headline(host: Mapping[str, Any], link: Mapping[str, Any]) -> str:
    name, packets, given_up = file_name(host["path"]), link["packets"], link["lost_on_link"]
    lost = (
        f"the link gave up {share(given_up / packets)} of them"
        if given_up and packets
        else "the link gave up none of them"
    )
    wait = link["queueing_s"]["p50"]
    if not link["is_sent"]:
        return f"Packets to {name} took {_attempts(link)}, and {lost}."
    if wait is None:
        return f"Packets of {name} took {_attempts(link)}, and {lost}."
    return f"Packets of {name} waited {number(wait * 1e3)} ms for the air (median), and {lost}."


def _attempts(link: Mapping[str, Any]) -> str:
    mean = link["mean_attempts"]
    return "an unknown number of attempts" if mean is None else f"{number(mean)} attempts each"


def _timeouts(causes: Mapping[str, int]) -> str | None:
    """Say why the senders had to wait for their timers."""
    every = sum(causes.values())
    if not every:
        return None
    first = max(causes, key=lambda cause: causes[cause])
    if every == 1:
        return f"The only timeout came {_TIMEOUTS[first]}."
    if causes[first] == every:
        which = "Both" if every == 2 else f"All {count(every)}"  # noqa: PLR2004
        return f"{which} timeouts came {_TIMEOUTS[first]}."
    return f"{count(causes[first])} of {counted(every, 'timeout')} came {_TIMEOUTS[first]}."


def _doubt(host: Mapping[str, Any]) -> str | None:
    missing = host["sent_not_on_air"]
    name = file_name(host["path"])
    if missing:
        were = "was" if missing == 1 else "were"
        return (
            f"{counted(missing, 'packet')} of {name} {were} not found on the air: dropped before"
            " it, or missed by the sniffer."
        )
    clock = host["clock"]
    if clock is not None and clock["uncertainty_s"] is None:
        return f"Packets of {name} in one direction only are known: waits lack the least delay."
    return None
