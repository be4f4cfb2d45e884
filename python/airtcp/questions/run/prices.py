"""What an advised change does to all flows, as a trial of it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.run import groups
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from airtcp.data.documents import RunDocument

    Trial = Mapping[str, Any]

WORSE: Final = 1.2
"""Least factor by which goodput falls, or the round-trip time grows, that is stated. [choice]"""
_LITTLE: Final = 0.005
"""Round-trip time in seconds below which an increase is no price."""


def of_change(document: RunDocument, change: Sequence[str]) -> Trial | None:
    """Return the trial of a change; None if it was not tried."""
    trials: Sequence[Trial] = document.get("trials") or ()
    return next((trial for trial in trials if [*trial["change"]] == [*change]), None)


def others(trial: Trial, helped: Iterable[str]) -> tuple[float, float]:
    """Return the goodput of all flows but those helped, without and with the change, in b/s."""
    names = {*helped}
    rows = [row for row in trial["flows"] if row["flow"] not in names]
    without, with_it = (sum(row[key] or 0.0 for row in rows) for key in ("goodput_bps", "with_bps"))
    return without, with_it


def delays(trial: Trial) -> tuple[float, float]:
    """Return the mean round-trip time of the flows that have one in both, in seconds."""
    rows = [row for row in trial["flows"] if row["rtt_s"] and row["rtt_with_s"]]
    without, with_it = (groups.mean(row[key] for row in rows) for key in ("rtt_s", "rtt_with_s"))
    return without, with_it


def takes(trial: Trial, helped: Iterable[str]) -> bool:
    """Tell whether the others lose by `WORSE` or more; without any others, nobody does."""
    without, with_it = others(trial, helped)
    return without > WORSE * with_it


def delays_all(trial: Trial) -> bool:
    """Tell whether the round-trip time grows by `WORSE` or more."""
    without, with_it = delays(trial)
    return with_it > WORSE * without and with_it > without + _LITTLE


def is_loss(trial: Trial, helped: Iterable[str]) -> bool:
    """Tell whether the others lose more by the change than all flows together gain."""
    total, with_it = others(trial, ())
    return takes(trial, helped) and with_it < total


def said(trial: Trial, helped: Iterable[str]) -> str:
    """Say what a change costs, with two numbers at most; empty if it costs nothing.

    Args:
        trial: The trial of the change.
        helped: The flows that it is advised for; if these are all, no others can lose.
    """
    names = {*helped}
    rest = [row for row in trial["flows"] if row["flow"] not in names]
    longer = delays_all(trial)
    if takes(trial, names):
        without, with_it = others(trial, names)
        who, get = (rest[0]["flow"], "gets") if len(rest) == 1 else ("the others", "get")
        price = f"{who} {get} {_mbps(with_it)} Mb/s instead of {_mbps(without)}"
        return f"{price}, at longer round-trip times" if longer else price
    if longer:
        without, with_it = (words.number(1e3 * time, 2) for time in delays(trial))
        return f"the mean RTT rises from {without} to {with_it} ms"
    return ""


def short(trial: Trial, helped: Iterable[str]) -> str:
    """Say what a change costs, with one number; empty if it costs nothing."""
    names = {*helped}
    if takes(trial, names):
        without, with_it = others(trial, names)
        return f"takes {_mbps(without - with_it)} Mb/s from the others"
    if delays_all(trial):
        return f"raises the mean RTT to {words.number(1e3 * delays(trial)[1], 2)} ms"
    return ""


def _mbps(bps: float) -> str:
    return words.number(bps * 1e-6, 2)
