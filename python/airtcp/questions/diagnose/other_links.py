"""Links and senders that one rate and one drop-tail queue do not describe: which test spoke.

| what | replayed as |
|---|---|
| policer | not at all: no law gets more than its rate |
| active queue management | CoDel |
| return path on which ACKs wait | not at all: the pace of the ACKs hides the rate |
| shared queue | not at all: the others' reaction is unknown |
| stand-stills | the service over time |
| application | a source of the same rate |
| receive window | a window that gives the observed goodput |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.diagnose.posterior import is_found

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.questions.diagnose.document import OtherLink
    from airtcp.questions.diagnose.transfer import Transfer

_SOME: Final = 0.1
_OFTEN: Final = 0.3
"""Share of the time from which pauses are the application's [choice]."""
_MORE: Final = 1.1
"""Rate of the application by the goodput from which the transfer fell behind it [choice]."""


def other_link(seen: Mapping[str, Any], transfer: Transfer) -> OtherLink:
    """Return what each test found; null for those that found nothing."""
    found: dict[str, Any] = dict.fromkeys(
        (
            *("policer", "aqm", "shared", "return_path"),
            *("stand_stills", "application", "receive_window"),
        )
    )
    if is_found(seen, "policer"):
        policer = seen["policer"]
        payload = transfer.payload_bytes / transfer.packet_bytes
        found["policer"] = {
            "rate_bps": policer["rate_bps"],
            "burst_bytes": policer["burst_bytes"],
            "drops": policer["drops"],
            "most_goodput_bps": policer["rate_bps"] * payload,
        }
    for test in ("aqm", "shared", "return_path", "stand_stills"):
        if is_found(seen, test):
            found[test] = {key: seen[test][key] for key in seen[test] if key != "found"}
    window, idle = transfer.limited("receive_window"), transfer.limited("application")
    if window > _SOME:
        found["receive_window"] = {"share": window, "largest_flight_bytes": transfer.flight_bytes}
    writes = seen["application"]
    # The share alone is no evidence: segments that the host joined look like pauses, too.
    if writes is not None:
        found["application"] = {
            "share": idle,
            "rate_bps": writes["rate_bps"],
            "message_bytes": writes["message_bytes"],
            "kind": _application(seen, idle),
        }
    return found  # pyright: ignore[reportReturnType] - the keys are those of the type


def _application(seen: Mapping[str, Any], idle: float) -> str:
    """Tell whether the application can be replayed.

    A starved host of a sender pauses, too, at the rate of the goodput, but rarely.
    """
    writes = seen["application"]
    is_behind = writes["rate_bps"] >= _MORE * seen["goodput_bps"]
    return "steady" if writes["is_steady"] and (is_behind or idle > _OFTEN) else "varies"
