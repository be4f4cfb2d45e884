"""Whether a capture allows predictions of other TCPs than its own, and of its own.

| what | why it is not predicted |
|---|---|
| any TCP, if packets were lost without SACK | replays were up to four times the kernel's goodput |
| another TCP, if others may share the queue | how the others react is not in the capture |
| another TCP, if the link serves batches | the replayed link serves packets one after the other |

A queue may be shared if the rate has no single value, and the drops do not show that the own
packets alone filled it: then their number is the same at each drop. If the rate is weak, few own
packets wait, and their number shows nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

UNKNOWABLE: Final = frozenset({"no-sack", "sharing", "batches"})
"""Doubts with which only the sender's own TCP is predicted."""
BATCH: Final = 8
"""Packets that are served at once, from which on the replay is another link [choice]."""
_MOSTLY: Final = 0.5
"""Share of the time without data to send from which the application may limit [choice]."""
_CONSTANT: Final = 0.1
"""Quartile range of the own backlog at drops by its median, below which it alone is the queue."""


def is_without_sack(seen: Mapping[str, Any]) -> bool:
    """Return whether losses were repaired without SACK."""
    return not seen["has_sack"] and seen["lost"] > 0


def may_be_application(seen: Mapping[str, Any], share: float) -> bool:
    """Return whether an application whose rate is not known may limit the transfer.

    Args:
        seen: The bottleneck that the capture shows.
        share: Share of the time in which the sender had nothing to send, as the capture shows it.
    """
    return seen["application"] is None and share > _MOSTLY


def only_own(seen: Mapping[str, Any], *, has_air: bool) -> list[str]:
    """Return why only the sender's own TCP can be predicted: `no-sack`, `sharing`, `batches`.

    Args:
        seen: The bottleneck that the capture shows.
        has_air: Whether a capture of the air shows the link beside it.
    """
    found = {
        "no-sack": not seen["has_sack"],
        "sharing": not has_air and _may_be_shared(seen),
        "batches": seen["batch_packets"] >= BATCH,
    }
    return [name for name, is_so in found.items() if is_so]


def _may_be_shared(seen: Mapping[str, Any]) -> bool:
    rate, drops = seen["rate"], seen["shared"]
    if rate["kind"] == "weak":
        # The transfer has few packets in the queue, so that their number shows nothing.
        return True
    varies = rate["kind"] == "varying" or rate["has_phases"]
    if not varies or seen["stand_stills"]["found"]:
        return False
    spread = None if drops is None else drops["backlog_spread"]
    return spread is None or spread >= _CONSTANT
