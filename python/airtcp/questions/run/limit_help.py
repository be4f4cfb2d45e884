"""What to do about a limit, if a change of the scenario can be made on a real network.

Every option that is named has run. What is advised has raised the goodput of the flows that it is
advised for, and stands with its price.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.run import airtime, limit_words, own_keys, prices, remedies
from airtcp.questions.run.limit_words import BY_STATION, options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import RunDocument
    from airtcp.questions.run.limit_words import Limit
    from airtcp.words.sentences import Finding

SCENARIO: Final = "SCENARIO"
"""Stands for the file in a command, as long as nobody names it."""
REMEDIES: Final = f"`airtcp compare {SCENARIO} --remedies usual`"
"""The command that runs the remedies against losses over a scenario."""
SCHEMES: Final = f"`airtcp compare {SCENARIO} --schemes all`"
"""The command that runs the schemes of 802.11 cells."""
_BUFFERS: Final = frozenset({"receive-window", "send-buffer"})


def with_file(found: Sequence[Finding], named: tuple[str, str] | None) -> list[Finding]:
    """Put the scenario, and the values that replace its own, into the commands of findings.

    Args:
        found: The findings.
        named: The file and the options, as a shell takes them; None if no command can name it.
    """
    if named is None:
        return [*found]
    file, replaced = named

    def put(command: str) -> str:
        return f"{command[:-1].replace(SCENARIO, file)}{replaced}`"

    return [
        replace(
            each, text=each.text.replace(REMEDIES, put(REMEDIES)).replace(SCHEMES, put(SCHEMES))
        )
        for each in found
    ]


def advice(document: RunDocument, limit: Limit) -> str:
    """Return what to try against a limit, as one sentence; empty if nothing is known to help.

    Args:
        document: The document of a run.
        limit: The limit: `cause`, `where`, `change` and `help` are read.
    """
    if limit.get("with"):
        return ""
    change, names = tried(limit), remedies.helped(document, limit)
    if limit_words.is_queue_of_cell(limit) and (
        better := remedies.of_starving(document, names, apart=change)
    ):
        return better
    if fair := airtime.said(document, limit):
        return fair
    if change and limit["cause"] in BY_STATION:
        return _of_its_own(document, limit, names)
    if not change:
        return _in_words(document, limit)
    trial = prices.of_change(document, change)
    price = "" if trial is None else prices.said(trial, names)
    what = _what_helps(limit) if limit.get("help") else ""
    said = f"{what}: {options(change)}" if what else f"Try {options(change)}"
    return f"{said}; {price}." if price else f"{said}."


def tried(limit: Limit) -> list[str]:
    """Return the arguments of `--set` that are advised against a limit; empty if none are.

    Args:
        limit: A limit, or the shortage of a slow flow: its cause, `change` and `help` are read.
    """
    cause: str | None = limit.get("cause") or limit.get("short_of")
    changes: list[str] = limit.get("change") or []
    helps: list[str] = limit.get("help") or []
    if helps:
        return helps
    is_fair = any(limit_words.FAIR_QUEUE in change for change in changes)
    if (cause in _BUFFERS or (cause == "queue" and is_fair)) and len(changes) == 1:
        return [*changes]
    if cause in BY_STATION:
        return [change for change in changes if limit_words.OWN_KEYS in change]
    return []


def _of_its_own(document: RunDocument, limit: Limit, names: Sequence[str]) -> str:
    """Say how stations become as fast as their cell, and what that costs others.

    Their settings stand for a radio or a place: no network deletes them. What was tried is a
    station with those of the cell.
    """
    change = tried(limit)
    trial = prices.of_change(document, change)
    places = limit_words.places(limit["where"])
    them, radio = ("it", "a faster radio") if len(places) == 1 else ("them", "faster radios")
    own = own_keys.said(document, limit) or f"{limit_words.shown(limit['where'])}: slow settings"
    price = "" if trial is None else prices.said(trial, names)
    of_radio = own_keys.are_of_a_radio(document, limit)
    if trial is not None and prices.is_loss(trial, names):
        what = radio if of_radio else f"a better place or {radio}"
        cost = f"{what} would cost others more than it gives: {price}"
        return f"{own}, but {cost} (tried: {options(change)})."
    move = "" if of_radio else f"move {them} closer, or "
    said = f"{own}: {move}give {them} {radio}"
    if price:
        return f"{said}; {price}, as tried with {options(change)}."
    return f"{said} (tried: {options(change)})."


def _closer(limit: Limit) -> str:
    return f"Move {limit_words.shown(limit['where'])} closer to the access point."


def _in_words(document: RunDocument, limit: Limit) -> str:
    """Return what to try where no option of a real network has run."""
    cause = limit["cause"]
    if cause == "link-losses" and not _loses_all(document, limit["where"]):
        return f"What helps against losses: {REMEDIES}."
    if limit_words.is_queue_of_cell(limit):
        return f"What may help: {SCHEMES}."
    return _closer(limit) if cause in BY_STATION else ""


def _what_helps(limit: Limit) -> str:
    """Name what was tried and helps."""
    if limit["cause"] == "hidden-stations":
        return "Try RTS before data frames"
    kinds = ("drop-tail", "per-station")
    is_drop_tail = any(kind in change for change in limit["change"] for kind in kinds)
    return "Try a longer queue" if is_drop_tail else "Try a queue that drops or marks later"


def _loses_all(document: RunDocument, where: str) -> bool:
    """Return whether a link loses every packet, so that no remedy helps."""
    names = limit_words.places(where)
    links: list[dict[str, Any]] = document["summary"]["links"]
    return any(link["name"] in names and link["loss_rate"]["mean"] == 1.0 for link in links)
