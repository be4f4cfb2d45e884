"""The answer of a run: what limits its flows, and what would help.

It follows from the document. The size of a limit is that of a run with this one thing taken away.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.run import (
    datagrams,
    groups,
    lead,
    limit_help,
    limits,
    remedies,
    sizes,
    starved,
    tables,
    waiting,
)
from airtcp.questions.run import findings as run_words
from airtcp.words import columns
from airtcp.words import sentences as words
from airtcp.words.answer import DEEPER, Answer
from airtcp.words.grammar import NUMBERS, numbers
from airtcp.words.grid import Column, Grid, metric_column
from airtcp.words.names import shell_paths
from airtcp.words.sentences import Finding, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import RunDocument

ROWS: Final = 8
"""Flows in the table of an answer."""
_LONGEST_ADVICE: Final = 200
_LONGEST_WARNING: Final = 200
_LONGEST_CAUSE: Final = 36
_FEW: Final = 2
"""Replications that hardly show how far they spread."""
_COLUMNS: Final = ("goodput_bps", "rtt_mean_s", "retransmission_ratio", "datagram_loss")
_TITLES: Final = {"retransmission_ratio": "Sent again", "datagram_loss": "Lost"}


def answer(
    document: RunDocument, file: str | None = None, sets: Sequence[str] = ()
) -> Answer | None:
    """Return the answer of a run; none without a finished replication.

    Args:
        document: The document of the run.
        file: The file of the scenario, if a command can name it.
        sets: The arguments of `--set`.
    """
    if not document["replications"]:
        return None
    found = run_words.findings(document)
    why: dict[str, Any] = dict(document.get("why") or {})
    headline, helps = _unknown(document, why, found[0]) or (_first(document, found), None)
    return Answer(
        _sentence(headline),
        helps or _help(document, found),
        _doubt(document, why),
        table(document),
        _next(document, file, sets),
        _details(document, limit_help.with_file(found, _arguments(file, sets))),
    )


def _unknown(
    document: RunDocument, why: dict[str, Any], first: Finding
) -> tuple[str, str | None] | None:
    """Say that no limit is known, and what would tell; None if a limit is named."""
    if document.get("limits") or first.tone == "bad":
        return None
    verdict = why.get("verdict", "not-asked")
    total = waiting.together(document)
    several = len(document["summary"]["flows"]) > 1
    flows, get = ("the flows", "get") if several else ("the flow", "gets")
    it = "they" if several else "it"
    whole = " over the whole time" if groups.over(document) else ""
    rate = f"{words.number(total * 1e-6, 2)} Mb/s{f' together{whole}' if several else ''}"
    if verdict == "not-asked":
        waits, them = waiting.most(document), "them" if several else "it"
        return (
            f"T{flows[1:]} {get} {rate}{f'; {waits}' if waits else ''}",
            f"What limits {them} was not asked: why = auto takes things away, one at a time.",
        )
    if verdict == "nothing-single":
        more = "no removal raises their goodput by a tenth" if several else "no removal raises it"
        by = "" if several else " by a tenth"
        return f"Nothing single limits {flows}: {it} {get} {rate}, and {more}{by}", None
    if verdict == "stopped":
        return f"What limits {flows} is not known: {it} {get} {rate}", None
    more = (
        "More replications (-n 8) may decide."
        if why.get("asked") == "yes"
        else "A longer search may decide: --why yes."
    )
    return f"Cannot tell what limits {flows}: {it} {get} {rate}", more


def _plain(finding: Finding) -> str:
    """Write a headline without the numbers that its names hold."""
    text = re.sub(r" \(channel [^)]*\)", "", finding.headline)
    text = re.sub(r"\bthe \d+ (?=\w+loads|flows)", "the ", text)
    text = re.sub(r"\b(\d+) of (\d+) flows", _part, text)
    if finding.headline.startswith("Nothing got through") and finding.text:
        first = re.split(r"(?<=[^.])\. ", finding.text.rstrip("."))[0]
        text += f" ({first})" if ":" in text else f": {first}"
    return text


def _first(document: RunDocument, found: list[Finding]) -> str:
    """Write the headline, with the flows that starve without being in it."""
    text = _plain(found[0])
    names = [name for name in starved.stalled_flows(document) if name not in text]
    if not names or found[0].tone != "bad" or ": " not in text:
        return text
    starve = "starves" if len(names) == 1 else "starve"
    return f"{text}; {groups.named(document, names)} {starve} too"


def _part(found: re.Match[str]) -> str:
    return "most flows" if 2 * int(found[1]) > int(found[2]) else "some flows"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _help(document: RunDocument, found: list[Finding]) -> str | None:
    """Say what would help: a change that has run, or what a slow flow is short of."""
    first = lead.of_answer(document)
    if run_words.leads_with_starvation(document):
        rows = document["summary"]["flows"]
        names = [rows[i]["name"] for i in starved.starving_flows(document)]
        if said := remedies.of_starving(document, names):
            return said
        return _first_short([_sentence(_plain(one)) for one in found[1:]], _names(document))
    if first is not None:
        said = limit_help.advice(document, first)
        if said and said.count(". ") == 0 and limit_help.SCENARIO not in said:
            if len(said) <= _LONGEST_ADVICE:
                return said
            return _shortened(said)
    slow = [_sentence(_plain(one)) for one in found[1:] if one.tone == "bad"]
    names = _names(document)
    said = [one for one in slow or [_second(document)] if one]
    return _first_short(said, names)


def _shortened(advice: str) -> str:
    """Shorten an advice whose options are long: --details has them."""
    what, options = advice.split(":", 1)
    if what.startswith("Try a"):
        return f"{what.replace('Try a', 'A', 1)} helps: --details has it."
    return f"{advice.split(' (tried: ', 1)[0] if ' (tried: ' in options else what}."


def _first_short(said: Sequence[str], names: Sequence[str]) -> str | None:
    """Return the first sentence without too many numbers."""
    return next((one for one in said if len(numbers(one, names)) <= NUMBERS), None)


def _second(document: RunDocument) -> str:
    """Say a limit beside the first that a setting takes away; empty if there is none."""
    for limit in lead.ordered(document)[1:]:
        if limit["after"] or limit["with"] or limit["of"] == sizes.SLOWEST:
            continue
        advice = limit_help.advice(document, limit)
        if advice and limit.get("help") and len(advice) <= _LONGEST_ADVICE:
            return advice
        if advice:
            said = limits.said(document, limit).headline
            return _sentence(re.sub(r" (limits?) ", r" also \1 ", said, count=1))
    return ""


def _doubt(document: RunDocument, why: dict[str, Any]) -> str | None:
    """Say what the answer rests on that could be wrong; the most serious first."""
    broken = [r for r in document["replications"] if not r["conservation"]["ok"]]
    if broken:
        return f"Packet counts do not add up in {counted(len(broken), 'replication')}: a bug."
    if (failed := document.get("failed")) is not None:
        return _failed(document, failed)
    if document["interrupted"] or why.get("verdict") == "stopped":
        return "The search for limits was stopped: more may exist."
    return _warning(document) or _few(document) or _uncertain(document)


def _failed(document: RunDocument, failed: dict[str, Any]) -> str:
    """Say in which replication a law failed; the error itself ends the command."""
    number = failed.get("replication")
    which = "a replication" if number is None else f"replication {number}"
    done = counted(len(document["replications"]), "finished replication")
    return f"The law failed in {which}: only {done} count, and limits were not sought."


def _warning(document: RunDocument) -> str | None:
    """Say the first warning of the scenario, if it is one short sentence, and count the others."""
    warnings = document.get("warnings") or []
    if not warnings:
        return None
    rest = f"; {len(warnings) - 1} more: --details" if len(warnings) > 1 else ""
    said = _sentence(warnings[0].rstrip(".") + rest)
    short = len(said) <= _LONGEST_WARNING and ". " not in said
    if short and len(numbers(said, _names(document))) <= NUMBERS:
        return said
    return f"The scenario has {counted(len(warnings), 'warning')}: --details."


def _few(document: RunDocument) -> str | None:
    runs = len(document["replications"])
    if runs == 1:
        return "One replication shows no spread: -n 8 runs more."
    return f"Rests on {counted(runs, 'replication')}: -n 8 runs more." if runs <= _FEW else None


def _uncertain(document: RunDocument) -> str | None:
    """Give the interval of the factor between the two rates of the headline, if it is wide."""
    limit = lead.of_answer(document)
    if run_words.leads_with_starvation(document):
        return None
    said = "" if limit is None else limits.spread(limit)
    if limit is None or not said or limit["low"] < 1.0:
        return None
    size = sizes.of_limit(document, limit)
    if size.goodput and not limit["low"] <= size.without / size.goodput <= limit["high"]:
        # The search ran for a part of the time: its interval is not of these two rates.
        return None
    return f"The gain is uncertain: {said} times."


def table(document: RunDocument, rows: int = ROWS) -> Grid | None:
    """Return the table of flows; with many the slowest first, and the others counted."""
    shown = datagrams.shown(document)
    limited = limits.by_flow(document) or [""] * len(shown)
    pairs = list(zip(shown, limited, strict=False))
    many = len(pairs) > ROWS
    if many:
        pairs.sort(key=lambda pair: pair[0]["goodput_bps"]["mean"] or 0.0)
    cut = pairs[:rows]
    flows = [flow for flow, _ in cut]
    metrics = {metric.key: metric for metric in columns.flows()}
    laid: list[Column] = []
    for key in _COLUMNS:
        metric = metrics[key].named(_TITLES.get(key, metrics[key].title))
        if columns.with_values([metric], flows):
            full = metric_column(metric, flows)
            means = [words.estimate(_mean(flow.get(key)), metric.scale) for flow in flows]
            # The interval of what is asked for; --details has those of the others.
            cells = full.short or full.cells if key == _COLUMNS[0] else means
            laid.append(Column(full.head, cells, keys=full.keys))
    if any(limited):
        causes = [_cause(cause) for _, cause in cut]
        laid.append(Column("limited by", causes, left=True))
    elif not document.get("limits") and (waits := waiting.column(flows)):
        laid.append(waits)
    if not cut:
        return None
    sort = "goodput (Mb/s)" if many else None
    names = [flow["name"] for flow in flows]
    return Grid("flow", names, laid, _title(document), len(pairs) - len(cut), sort)


def _title(document: RunDocument) -> str:
    runs, duration = len(document["replications"]), document["scenario"]["duration"]
    if runs == 1:
        return f"One run of {duration}"
    return f"Means of {words.count(runs)} runs of {duration}, goodput with its 95 % interval"


def _mean(value: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if value is None else {"mean": value["mean"], "ci_low": None, "ci_high": None}


def _cause(causes: str) -> str:
    """Shorten a list of causes to the first, if it is long.

    >>> _cause("other cells, the medium"), _cause("the rate of the link, drops of the queue, x")
    ('other cells, the medium', 'the rate of the link and 2 more')
    """
    first, *others = causes.split(", ")
    return causes if len(causes) <= _LONGEST_CAUSE else f"{first} and {len(others)} more"


def _next(document: RunDocument, file: str | None, sets: Sequence[str]) -> str:
    """Name the options and the command that go deeper."""
    said = DEEPER
    if document["scenario"].get("output", {}).get("series"):
        said = "All: --details   cwnd, RTT and queue over time: --html FILE, or Parquet: --out DIR"
    compare = help_command(document, file, sets)
    return f"{said}   Help: {compare}" if compare else said


def help_command(document: RunDocument, file: str | None, sets: Sequence[str]) -> str:
    """Return the command that compares what would help; empty if there is none.

    Args:
        document: The document of a run.
        file: The file of the scenario, if a command can name it.
        sets: The arguments of `--set`.
    """
    runs = document["replications"]
    tcp = any(flow["transport"] != "udp" for run in runs[:1] for flow in run["flows"])
    named = _arguments(file, sets)
    if named is None or not tcp:
        return ""
    path, replaced = named
    schemes = " --schemes all" if document["summary"].get("cells") else ""
    first = (document.get("limits") or [{"cause": ""}])[0]["cause"]
    remedies = " --remedies usual" if first == "link-losses" else ""
    return f"airtcp compare {path}{schemes or remedies}{replaced}"


def _details(document: RunDocument, found: list[Finding]) -> tuple[Finding | Grid, ...]:
    """Return every warning, finding and table, but for what the headline says in full."""
    return (*_said(document, found), *tables.grids(document))


def said(document: RunDocument, file: str | None = None, sets: Sequence[str] = ()) -> list[Finding]:
    """Return what stands beside the answer in words; the arguments are those of `answer`."""
    more = tables.said(document) if document["replications"] else ()
    found = limit_help.with_file(run_words.findings(document), _arguments(file, sets))
    return [*_said(document, found), *more]


def _arguments(file: str | None, sets: Sequence[str]) -> tuple[str, str] | None:
    """Return the scenario of a command, and its replaced values; None if no command can name it."""
    if file is None or (path := shell_paths([file])) is None:
        return None
    return path, "".join(f" --set {shlex.quote(one)}" for one in sets)


def _said(document: RunDocument, found: list[Finding]) -> list[Finding]:
    warnings = [
        Finding("Check this first", warning, "warn") for warning in document.get("warnings") or []
    ]
    rest = found if found[:1] and (found[0].text or _plain(found[0]) != found[0].headline) else []
    return [*warnings, *(rest or found[1:])]


def _names(document: RunDocument) -> list[str]:
    """Return the names in sentences: of flows, links, cells and stations."""
    summary = document["summary"]
    cells: list[dict[str, Any]] = summary.get("cells", [])
    things = [*summary["flows"], *summary["links"], *cells]
    things += [station for cell in cells for station in cell["stations"]]
    return [thing["name"] for thing in things]
