"""What would deliver more over the link of a capture, in words.

No gain is stated whose paired interval includes zero, and no variant is named if the replay may
have the wrong link.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.findings.effects import gain, named
from airtcp.findings.words import Finding, count, counted, number

if TYPE_CHECKING:
    from airtcp.diagnose_document import Answers, DiagnoseDocument, Window

_MATTERS: Final = 3.0
"""Least gain in percent that counts, as in comparisons."""
_BEST: Final = 3
"""Variants that a sentence names."""
_SOONER: Final = 10.0
"""Least reduction of the delivery time in percent that counts, as in comparisons."""


def remedy(document: DiagnoseDocument) -> list[Finding]:
    """State what would deliver more, by how much, or that nothing would."""
    obstacle, answers = document["obstacle"], document["answers"]
    if obstacle == "application":
        return [
            Finding(
                "No other TCP would help",
                "The application sets the pace. The capture does not show what another TCP would do"
                " if the application had more data.",
            )
        ]
    found = [_window(document)] if document["windows"] else []
    if answers is None:
        return found
    if not answers["trusted"]:
        why = doubt(document) or "The replay does not reproduce the transfer."
        text = f"{why} The tables below are therefore no ranking."
        return [*found, Finding("What would help is unknown", text, "warn")]
    if document["windows"]:
        return found
    return [*found, *_gains(document, answers)]


def doubt(document: DiagnoseDocument) -> str | None:
    """State why a replay that agrees may have the wrong link."""
    if "place" in document["doubts"]:
        return (
            "The capture was not taken at the sender: every link that is at least as fast as the"
            " goodput explains it (give the rate with --rate)."
        )
    if "reordering" in document["doubts"]:
        return "The path reorders or duplicates packets, which the model leaves out."
    return None


def _window(document: DiagnoseDocument) -> Finding:
    """State the gain of a larger receive window."""
    windows, seen = document["windows"], document["observed"]
    if seen is not None and seen["zero_windows"]:
        text = (
            f"The receiver closed its window {counted(seen['zero_windows'], 'time')}: its"
            " application reads more slowly than the data arrive. A larger window fills too, only"
            " later."
        )
        return Finding("The receiving application is slow", text, "warn")
    best = max(windows, key=lambda each: each["gain"]["value"])
    least = [w for w in windows if w["rate_bps"] == windows[0]["rate_bps"]]
    here = max(least, key=lambda each: each["gain"]["value"])
    if (best["gain"]["low"] or 0.0) <= 1 + _MATTERS / 100:
        text = "In replays with 2, 4 and 8 times the window, goodput does not grow."
        return Finding("A larger receive window would not help", text)
    text = f"{_by(best)}, if the link carries it."
    if best["rate_bps"] != here["rate_bps"]:
        text += (
            f" The capture shows only that the link carries {number(here['rate_bps'] / 1e6)}"
            f" Mb/s; at that rate: {_by(here)}."
        )
    return Finding("A larger receive window helps", text, "good")


def _by(window: Window) -> str:
    gained = window["gain"]
    interval = f" [{number(gained['low'])}, {number(gained['high'])}]" if gained["low"] else ""
    return (
        f"{count(window['factor'])} times the window"
        f" ({count(window['receive_buffer_bytes'] / 1000)} kB) multiplies goodput by"
        f" {number(gained['value'])}{interval}"
    )


def better(subject: dict[str, Any], reference: str) -> list[dict[str, Any]]:
    """Return the variants with more goodput than the reference, the best first.

    Variants that the verdict does not rank, for instance for want of ECN, are left out.
    """
    case = subject["cases"][0]
    left_out = {entry["variant"] for entry in case["verdict"]["not_ranked"]} | {reference}
    found = [
        outcome
        for outcome in case["outcomes"]
        if outcome["variant"] not in left_out
        and (difference := outcome["difference"]) is not None
        and difference["standing"] == "more"
        and (difference["percent"] is None or difference["percent"]["mean"] >= _MATTERS)
    ]
    return sorted(found, key=lambda outcome: -outcome["goodput_bps"]["mean"])


def _gains(document: DiagnoseDocument, answers: Answers) -> list[Finding]:
    reference = answers["reference"]
    found: list[Finding] = []
    kinds = (("TCP", answers["tcps"]), ("remedy", answers["remedies"]))
    for kind, subject in kinds:
        if subject is None:
            continue
        more = better(subject, reference)
        if not more:
            found.append(_nothing(subject, kind, reference))
            continue
        texts = [_gain(outcome, reference) for outcome in more[:_BEST]]
        rest = f"; {counted(len(more) - _BEST, 'other')} also gain" if len(more) > _BEST else ""
        whole = f"{'; '.join(texts)}{rest}. Gains are over {reference} in the same replays."
        headline = f"{more[0]['variant']} is the {kind} with the most goodput"
        found.append(Finding(headline, f"{whole}{_at(document)}", "good"))
    remedies = answers["remedies"]
    sooner = None if remedies is None else _sooner(remedies, reference)
    return found if sooner is None else [*found, sooner]


def _sooner(subject: dict[str, Any], reference: str) -> Finding | None:
    """Name the remedy with the shortest delivery time, if it costs no goodput."""
    outcomes = subject["cases"][0]["outcomes"]
    shorter = [
        outcome
        for outcome in outcomes
        if (late := outcome["delivery_p95_difference"]) is not None
        and late["standing"] == "less"
        and late["percent"] is not None
        and late["percent"]["mean"] <= -_SOONER
        and not _costs(outcome)
    ]
    if not shorter:
        return None
    best = min(shorter, key=lambda outcome: outcome["delivery_p95_s"]["mean"])
    plain = next(outcome for outcome in outcomes if outcome["variant"] == reference)
    ours, theirs = (1e3 * outcome["delivery_p95_s"]["mean"] for outcome in (best, plain))
    name = named(best["variant"], reference)
    text = (
        f"With {name}, 95 % of the data arrive in order within {number(ours)} ms, against"
        f" {number(theirs)} ms with {reference} alone, for the same goodput or more."
    )
    return Finding(f"{best['variant']} is the remedy with the shortest delay", text, "good")


def _costs(outcome: dict[str, Any]) -> bool:
    difference = outcome["difference"]
    if difference is None or difference["standing"] != "less":
        return False
    percent = difference["percent"]
    return percent is None or percent["mean"] <= -_MATTERS


def _nothing(subject: dict[str, Any], kind: str, reference: str) -> Finding:
    tried = len(subject["cases"][0]["outcomes"]) - 1
    what = counted(tried, "other TCP") if kind == "TCP" else counted(tried, "remedy", "remedies")
    return Finding(
        f"No {'other TCP' if kind == 'TCP' else 'remedy'} raises goodput",
        f"None of {what} delivers significantly more than {reference} over this link.",
    )


def _gain(outcome: dict[str, Any], reference: str) -> str:
    percent = outcome["difference"]["percent"]
    name = named(outcome["variant"], reference)
    text = f"{number(outcome['goodput_bps']['mean'] / 1e6)} Mb/s"
    return f"{name} {text}" if percent is None else f"{name} {text} ({gain(percent)})"


def _at(document: DiagnoseDocument) -> str:
    link = document["link"]
    if link is None or link["rate_bps"]["high"] is not None or link["rate_told"]:
        return ""
    return " The link may be faster than fitted; gains may then be larger."
