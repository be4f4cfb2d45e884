"""The answer of a diagnosis: what limits the transfer, what would deliver more, what is in doubt.

A limit is named by replays without it, and help by predictions: a TCP only if it gets more than
this transfer with 95 % probability.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.compare.effects import spoken
from airtcp.questions.diagnose import answer_obstacles as obstacles
from airtcp.questions.diagnose import findings as words
from airtcp.questions.diagnose import tables
from airtcp.questions.diagnose.findings import evidence, losses
from airtcp.questions.diagnose.tables import mbps
from airtcp.words.answer import DEEPER, Answer
from airtcp.words.names import shell_paths
from airtcp.words.sentences import Finding, begun, count, counted, listed, share

if TYPE_CHECKING:
    from airtcp.questions.diagnose.document import DiagnoseDocument, Prediction
    from airtcp.words.grid import Grid

_KEEPS_UP: Final = 1.1
"""Rate of the application by the goodput below which the transfer keeps up with it [choice]."""
_FEW: Final = 20
"""Drawn links below which the answer says so [choice]."""
_GAIN: Final = 1.05
"""Goodput without a limit by that of the transfer below which the transfer was lucky [choice]."""
_CHANGES: Final = {
    "queue": "with four times the queue",
    "receive-window": "with four times the window",
}
"""What replays had instead of a limit; without losses, it is "without them"."""
_NAMED: Final = 2
"""Gains with a number in a sentence."""


def answer(document: DiagnoseDocument) -> Answer:
    """Return the answer of a diagnosis."""
    untold = obstacles.untold(document)
    predicted = bool(document["predictions"]) and untold is None
    headline, helps = (
        obstacles.sentences(document) or untold or (_headline(document), _help(document))
    )
    table: Grid | None = tables.transfer(document)
    if predicted:
        table = tables.predictions(document)
    elif document["obstacle"] == "check" or untold:
        table = tables.check(document, tables.title(document))
    return Answer(headline, helps, _doubt(document), table, _next(document), _details(document))


def _headline(document: DiagnoseDocument) -> str:
    """Say what limits the transfer, and what it costs."""
    seen, other = document["observed"], document["other_link"]
    if document["interrupted"] or seen is None or other is None:
        return "Nothing was predicted: the diagnosis was stopped."
    goodput = mbps(seen["goodput_bps"])
    application = other["application"]
    if application is not None and application["rate_bps"] < _KEEPS_UP * seen["goodput_bps"]:
        idle = share(application["share"])
        return (
            f"The application limits the transfer: {goodput} Mb/s, and it had nothing to send for"
            f" {idle} of the time."
        )
    if not document["limits"]:
        return (
            f"Nothing single limits the transfer: {goodput} Mb/s, and no removal raises it by a"
            " tenth."
        )
    first = document["limits"][0]
    cause = words.cause_of(document, first)
    if first["cause"] == "link-rate":
        return f"{_rate(document, cause)}."
    least = " or more" if "rate" in document["doubts"] else ""
    change = _CHANGES.get(first["cause"], "without them")
    without = f"and {mbps(first['without_bps'])}{least} {change}"
    if first["without_bps"] < _GAIN * seen["goodput_bps"]:
        # The ratio holds for replays; the transfer itself was lucky.
        return f"{cause}: {mbps(first['goodput_bps'])} Mb/s in replays, {without}."
    return f"{cause}: {goodput} Mb/s, {without}."


def _rate(document: DiagnoseDocument, cause: str) -> str:
    """Say that the link carries no more, or that something takes the rest."""
    link, seen = document["link"], document["observed"]
    goodput = mbps(None if seen is None else seen["goodput_bps"])
    used = "" if link is None else f", {share(link['utilisation'])} of what"
    if "varying" in document["doubts"]:
        rest = f"{used} it got while packets waited" if used else ""
        return f"What the link leaves limits the transfer: {goodput} Mb/s{rest}"
    return f"{cause}: {goodput} Mb/s{f'{used} the link carries' if used else ''}"


def _help(document: DiagnoseDocument) -> str | None:
    """Say what would get more, that nothing surely would, or what would tell."""
    if not document["predictions"]:
        return None
    if hidden := obstacles.hidden(document):
        return hidden
    best = words.better(document)
    seen: Any = document["observed"]
    if not best:
        rows = [row for row in document["predictions"] if row["variant"] not in words.NEEDS]
        if any(row["high"] is None for row in rows):
            return (
                "Whether another TCP helps cannot be told, because the link may be faster than the"
                " capture shows: a capture with a full queue would tell."
            )
        if seen["connections"] > 1 or (document["other_link"] or {}).get("application"):
            return "No TCP surely gets more."
        return "No TCP and no remedy surely gets more than this transfer got."
    return _advice(document, best)


def _advice(document: DiagnoseDocument, best: list[Prediction]) -> str:
    """Name the best of each kind; if the transfer was unlucky, what gets more than its own TCP."""
    own = next((row for row in best if row["variant"] == document["tcp"]), None)
    if own is not None:
        best = [row for row in best if (row["low"] or 0.0) > (own["high"] or own["low"] or 0.0)]
    if not best:
        return f"No other TCP surely gets more than {document['tcp']} would get again."
    kinds: dict[str, Prediction] = {}
    for row in words.usual_first(best):
        kinds.setdefault(words.kind(row["variant"]), row)
    return _gains(list(kinds.values()))


def _gains(rows: list[Prediction]) -> str:
    """Say what the best of each kind would get; at most two of them with a number.

    The best comes first.
    """
    parts: list[str] = []
    numbered: list[str] = []
    for row in rows:
        amount = _amount(row)
        if amount in numbered:
            more = " as much"
        elif len(numbered) < _NAMED:
            unit = "" if numbered else " Mb/s"
            more = f" {amount}{unit}{'' if row['goodput_bps'] is not None else ' or more'}"
            numbered.append(amount)
        else:
            more = " less"
        parts.append(f"{_named(row['variant'])}{' would get' if not parts else ''}{more}")
    text = listed(parts) if len(parts) != 2 else f"{parts[0]}, and {parts[1]}"  # noqa: PLR2004
    return f"{text[:1].upper() if parts[0].startswith('a ') else text[:1]}{text[1:]}."


def _amount(row: Prediction) -> str:
    return mbps(row["low"] or 0.0 if row["goodput_bps"] is None else row["goodput_bps"])


def _named(variant: str) -> str:
    """Write a variant in words; retransmission on the link has the sender's own TCP."""
    return spoken(variant, variant.partition("@")[0])


def _doubt(document: DiagnoseDocument) -> str | None:
    """Say what the answer rests on that could be wrong; how many checks agree."""
    if document["interrupted"]:
        return "The diagnosis was stopped: only the finished steps are here."
    link, doubts = document["link"], document["doubts"]
    if link is None or not document["predictions"]:
        return _noted(document)
    if "lucky" in doubts:
        own = next(r for r in document["predictions"] if r["variant"] == document["tcp"])
        return (
            f"The transfer was a lucky one: {own['variant']} will likely get {_amount(own)} Mb/s"
            " again."
        )
    queue, rate = link["queue_packets"]["low"] or 0.0, link["rate_bps"]
    named = {
        "law": f"the sender's TCP ({_law(document)}; --tcp)",
        "discipline": "by which rule the queue drops early",
        "place": "where the capture was taken (at the sender assumed)",
        "rate": f"the rate of the link (at least {mbps(rate['low'] or 0.0)} Mb/s)",
        "varying": "why the rate varies",
        "cut": "the end of the transfer",
        "queue": "the length of the queue"
        + ("" if "rate" in doubts else f" (at least {counted(queue, 'packet')})"),
    }
    unknown = [text for name, text in named.items() if name in doubts]
    checks = document["replay"]["statistics"] if document["replay"] is not None else []
    agree = f"the replays agree with the capture in all {len(checks)} checks" if checks else ""
    if any(each["name"] == "goodput_bps" and not tables.is_sharp(each) for each in checks):
        # Such a check refutes nothing.
        agree = "the goodput of replays varies too much for a check"
    if document["replications"] < _FEW:
        return f"Rests on {counted(document['replications'], 'drawn link')}: -n 60 draws more."
    if not unknown:
        return f"{begun(agree)}." if agree else _noted(document)
    return f"Not known from this capture: {listed(unknown)}{f'; {agree}' if agree else ''}."


def _law(document: DiagnoseDocument) -> str:
    """Say which law is assumed, and whether replays with others agree less, or as well."""
    law = document["tcp"]
    others = [each for each in document["tcp_checked"] if each["tcp"] != law]
    same = [each["tcp"] for each in others if each["agrees"]]
    if same:
        return f"{law} assumed, and {listed(same)} {'agrees' if not same[1:] else 'agree'}, too"
    differ = [each["tcp"] for each in others]
    return f"{law}, as replays with {listed(differ)} differ" if differ else f"{law} assumed"


def _noted(document: DiagnoseDocument) -> str | None:
    notes = sum(len(file["warnings"]) for file in document["files"])
    return f"The files have {counted(notes, 'note')}: --details." if notes else None


def _next(document: DiagnoseDocument) -> str:
    said = DEEPER
    if document["scenario"] is not None and document["predictions"]:
        return f"{said}   Try a change: --scenario-out link.toml"
    names = shell_paths(document["paths"])
    one = document["interface"]
    at = [] if one is None else ["--interface", shlex.quote(one)]
    what = " ".join([*([names] if names else []), *at])
    return said if names is None else f"{said}   What it shows: airtcp capture {what}"


def _details(document: DiagnoseDocument) -> tuple[Finding | Grid, ...]:
    """Return the evidence, all predictions, the link, the check, and the notes on the files."""
    parts: list[Finding | Grid] = []
    if shown := evidence(document):
        parts.append(Finding("Evidence", shown))
    if told := losses(document):
        parts.append(Finding("Losses", told))
    parts += words.details(document)
    if len(document["predictions"]) > 1:
        parts.append(tables.all_predictions(document))
    parts += [grid] if (grid := tables.link(document)) else []
    if document["predictions"] and (grid := tables.check(document, "The check")):
        parts.append(grid)
    for file in document["files"]:
        parts += [Finding("Note", f"{note.rstrip('.')}.", "warn") for note in file["warnings"]]
    parts.append(
        Finding("Seed", f"{count(document['seed'])}, airtcp {document['airtcp_version']}.")
    )
    return tuple(parts)
