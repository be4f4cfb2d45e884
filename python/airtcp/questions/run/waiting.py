"""What the senders of a run waited for, in words: shares of their time, which name no cause."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.words import sentences as words
from airtcp.words.grid import Column

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.data.documents import RunDocument

FOR: Final = {
    "waits_application": ("data of {its} application", "application"),
    "waits_device_queue": ("the queue of {its} own device", "own device"),
    "waits_handshake": ("the answer to {its} opening", "handshake"),
    "waits_pacing": ("{its} pacing rate", "pacing"),
    "waits_receive_window": ("the receive window", "receive window"),
    "waits_recovery": ("the repair of losses", "repair of losses"),
    "waits_send_buffer": ("room in {its} send buffer", "send buffer"),
    "waits_timeout": ("timeouts", "timeouts"),
    "waits_window_after_loss": ("a window that a loss reduced", "window after a loss"),
    "waits_window_after_mark": ("a window that a mark reduced", "window after a mark"),
    "waits_window_growth": ("a window that still grows", "growing window"),
    "waits_window_model": ("a window that a model bounds", "window by model"),
}
"""By state of a sender: what it waits for in a sentence, and in a table."""
_LEAST: Final = 0.005
"""Smallest share that is named."""


def shares(flow: Mapping[str, Any]) -> dict[str, float]:
    """Return the share of a sender's time in each state, the largest first.

    Args:
        flow: A flow of the summary; one without a TCP sender has no states.
    """
    means: dict[str, float | None] = {key: flow[key]["mean"] for key in FOR if flow.get(key)}
    found = {key: mean for key, mean in means.items() if mean}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def most(document: RunDocument) -> str | None:
    """Say what the senders waited for most, over all flows; None if it is not known.

    Each sender counts the same.
    """
    flows = document["summary"]["flows"]
    kinds = [flow["transport"] for flow in document["replications"][0]["flows"]]
    # A sender of datagrams waits for nothing but its application.
    own = [flow for flow, kind in zip(flows, kinds, strict=True) if kind != "udp"]
    known = [found for flow in own or flows if (found := shares(flow))]
    if not known:
        return None
    means = {key: sum(found.get(key, 0.0) for found in known) / len(known) for key in FOR}
    state = max(means, key=means.__getitem__)
    if means[state] < _LEAST:
        return None
    several = len(known) > 1
    its, waits = ("their", "wait") if several else ("its", "waits")
    sender = "the senders" if several else "the sender"
    what = FOR[state][0].format(its=its)
    return f"{sender} {waits} {words.share(means[state])} of the time for {what}"


def column(flows: Sequence[Mapping[str, Any]]) -> Column | None:
    """Return the column of what each sender waited for most; None if no sender waited.

    Args:
        flows: Flows of the summary.
    """
    cells: list[str] = []
    for flow in flows:
        first = next(iter(shares(flow).items()), None)
        said = first is not None and first[1] >= _LEAST
        cells.append(f"{FOR[first[0]][1]}, {words.share(first[1])}" if said and first else "-")
    if set(cells) == {"-"}:
        return None
    return Column("waits most for", cells, left=True)


def together(document: RunDocument) -> float:
    """Return the goodput of all flows over the measured time, in b/s; of one, that of its table."""
    flows = document["summary"]["flows"]
    if len(flows) == 1:
        return flows[0]["goodput_bps"]["mean"] or 0.0
    return document["summary"]["total_goodput_bps"]["mean"] or 0.0
