"""The answer of `trace models`: which model of bursty links imitates TCP's throughput best.

The error on a link is the difference of TCP's throughput over the model's links and over the trace,
as a part of one packet a slot. Models are compared link by link: a model is behind another if the
95 % interval of the mean difference of their errors lies above zero.
"""

from __future__ import annotations

from math import exp
from statistics import NormalDist, mean
from typing import TYPE_CHECKING, Any, Final

from airtcp.data.extension import mean_interval
from airtcp.words import sentences as words
from airtcp.words.answer import DEEPER, Answer
from airtcp.words.grid import Column, Grid
from airtcp.words.notes import models_notes, not_read
from airtcp.words.sentences import Finding, counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Document = Mapping[str, Any]

_ENOUGH: Final = 3
"""Fewest links for an interval of a difference."""
_TAIL: Final = 0.025
"""Share of each tail of a 95 % interval."""
_NAMED: Final = 3
"""Most models in a sentence."""
_SIMPLEST: Final = "independent"


def answer(document: Document) -> Answer | None:
    """Return the answer on models; none without a link to which one applies."""
    overall = _ranked(document)
    if not overall:
        return None
    return Answer(
        _headline(document, overall),
        _tells(document, overall),
        _doubt(document, overall),
        _table(document, overall),
        DEEPER,
        _details(document, overall),
    )


def _ranked(document: Document) -> list[dict[str, Any]]:
    """Return the models with an error, the least error first."""
    known = [row for row in document["overall"] if row["mean_normalised_error"] is not None]
    return sorted(known, key=lambda row: row["mean_normalised_error"])


def _comparable(overall: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the models that apply to the most links: means over other links do not compare."""
    most = max(row["links"] for row in overall)
    return [row for row in overall if row["links"] == most]


def errors(document: Document, name: str) -> dict[str, float]:
    """Return the error of a model on each link to which it applies, by the name of the link."""
    found: dict[str, float] = {}
    for index, link in enumerate(document["links"]):
        for score in link["scores"]:
            rate = score["packets_per_second"]["mean"]
            if score["synthesiser"] == name and rate is not None:
                off = abs(rate - link["empirical"]["packets_per_second"])
                found[f"{index} {link['name']}"] = off * link["slot_s"]
    return found


def behind(document: Document, name: str, best: str, compared: int = 1) -> bool:
    """Return whether a model's error is shown to be larger than another's.

    Args:
        document: The document.
        name: The model.
        best: The other.
        compared: Number of models that are compared with the other: the interval is widened, so
            that all statements hold together.
    """
    ours, theirs = errors(document, name), errors(document, best)
    differences = sorted(ours[link] - theirs[link] for link in ours.keys() & theirs.keys())
    if len(differences) < _ENOUGH:
        return False
    ends = mean_interval(differences)
    normal = NormalDist()
    wider = normal.inv_cdf(1 - _TAIL / max(compared, 1)) / normal.inv_cdf(1 - _TAIL)
    return ends is not None and mean(differences) > wider * (ends[1] - ends[0]) / 2


def _alike(document: Document, overall: Sequence[dict[str, Any]]) -> list[str]:
    """Return the best model and those that are not shown to be behind it."""
    models = _comparable(overall)
    best = models[0]["synthesiser"]
    others = [row["synthesiser"] for row in models[1:]]
    return [best, *(name for name in others if not behind(document, name, best))]


def _headline(document: Document, overall: Sequence[dict[str, Any]]) -> str:
    """Say which model has the least error, and whether it is shown to be closer than others."""
    models = _comparable(overall)
    best = models[0]
    name, error = best["synthesiser"], _percent(best["mean_normalised_error"])
    simple = next((row for row in models if row["synthesiser"] == _SIMPLEST), None)
    worst = ""
    if simple is not None and simple is not best:
        worst = f", independent losses {_percent(simple['mean_normalised_error'])}"
    if len(models) > 1 and len(_alike(document, overall)) == 1:
        return f"{name} imitates TCP most closely: its error is {error} of the link's rate{worst}."
    if len(models) == 1:
        return f"Only {name} was scored: its error is {error} of the link's rate."
    start = "Which model imitates TCP best is open"
    return f"{start}: {name} has the least error, {error} of the link's rate{worst}."


def _tells(document: Document, overall: Sequence[dict[str, Any]]) -> str | None:
    """Say which models are shown to be worse, and what would tell more."""
    models, alike = _comparable(overall), _alike(document, overall)
    if len(alike) == 1:
        return None
    if len(document["links"]) < _ENOUGH:
        return "So few links do not rank models: score more links together."
    worse = [row["synthesiser"] for row in models if row["synthesiser"] not in alike]
    if not worse:
        return "No model is shown to be worse than it: more links would tell."
    named = worse[:_NAMED]
    more = len(worse) - len(named)
    said = words.listed([*named, f"{more} more"]) if more else words.listed(named)
    return f"Shown to be worse: {said}; more links would rank the others."


def _doubt(document: Document, overall: Sequence[dict[str, Any]]) -> str | None:
    links = document["links"]
    if document["interrupted"]:
        done = counted(len(links), "link is finished", "links are finished")
        return f"The scoring was stopped: {done}."
    if document["skipped"]:
        return not_read(document["skipped"])
    if drawn := sum(not link["order_known"] for link in links):
        return f"On {counted(drawn, 'link')} the order of losses was drawn, and models follow it."
    left = [row for row in overall if row not in _comparable(overall)]
    if left:
        verb = "does" if len(left) == 1 else "do"
        apply = f"{counted(len(left), 'model')} {verb} not apply to every link"
        return f"{apply}, and {'is' if len(left) == 1 else 'are'} not ranked."
    return None


def _percent(share: float) -> str:
    return f"{words.number(100 * share, 2)} %"


def _table(document: Document, overall: Sequence[dict[str, Any]]) -> Grid:
    """Return the table of models, the closest first."""
    alike = set(_alike(document, overall))
    ranked = {row["synthesiser"] for row in _comparable(overall)}
    rows = sorted(overall, key=lambda row: row["synthesiser"] not in ranked)

    def verdict(name: str) -> str:
        if name not in ranked:
            return "other links"
        if len(document["links"]) < _ENOUGH:
            return ""
        return ("closest" if len(alike) == 1 else "may be closest") if name in alike else "behind"

    verdicts = [verdict(row["synthesiser"]) for row in rows]
    columns = [
        Column("error in TCP's\nthroughput", _each(rows, "mean_normalised_error", _percent)),
        Column("within\n10 %", _each(rows, "within_ten_percent", _percent), rank=1),
        Column("longest-burst\nerror", _each(rows, "mean_absolute_burst_log_ratio", times)),
        Column("verdict", verdicts, left=True),
    ]
    if len(document["links"]) < _ENOUGH:
        # The share of one or two links is no share, and nothing is ranked.
        columns = [columns[0], columns[2]]
    replicas = counted(document["replicas"], "synthetic link")
    title = f"Over {counted(len(document['links']), 'link')}, {replicas} of each model and link"
    names = [row["synthesiser"] for row in rows]
    return Grid("model", names, columns, title, sort="error in TCP's throughput")


def _each(rows: Sequence[Mapping[str, Any]], key: str, write: Callable[[float], str]) -> list[str]:
    return ["-" if row[key] is None else write(row[key]) for row in rows]


def times(log_ratio: float | None) -> str:
    """Write a logarithm of a ratio as a factor."""
    return "-" if log_ratio is None else f"{words.number(exp(log_ratio))}\N{MULTIPLICATION SIGN}"


def every(document: Document) -> Grid:
    """Return the table of models with every column."""
    rows = document["overall"]

    def column(head: str, key: str, write: Callable[[Any], str]) -> Column:
        return Column(head, _each(rows, key, write), keys=[row[key] for row in rows])

    columns = [
        column("links", "links", words.count),
        column("throughput error", "mean_normalised_error", _percent),
        column("median", "median_absolute_throughput_error", _percent),
        column("within 10 %", "within_ten_percent", _percent),
        column("longest-burst error", "mean_absolute_burst_log_ratio", times),
        Column("keeps", _each(rows, "description", str), left=True),
    ]
    return Grid("model", [row["synthesiser"] for row in rows], columns)


def _details(document: Document, overall: Sequence[dict[str, Any]]) -> tuple[Finding | Grid, ...]:
    """Return every column, what each means, and the notes on the traces."""
    found: list[Finding | Grid] = [every(document)]
    found += [Finding(head, text) for head, text in LEGEND.items()]
    if len({row["links"] for row in overall}) > 1:
        found.append(Finding("Models over other links", UNLIKE, "warn"))
    found += [Finding("Note", f"{line}.") for line in models_notes(document["links"])]
    found += [
        Finding(f"Not read: {one['path']}", f"{one['reason']}.", "warn")
        for one in document["skipped"]
    ]
    return tuple(found)


LEGEND: Final = {
    "Throughput error": "Mean over links of |throughput over the model - over the trace|, in"
    " percent of one packet a slot, the maximum that TCP can get.",
    "Median, within 10 %": "Of the same difference in percent of the throughput over the trace:"
    " its median, and the share of the links for which it is at most 10 %, of those over which the"
    " trace delivers something.",
    "Longest-burst error": "Factor, either way, by which the longest run of received packets"
    " differs.",
}
"""What the columns mean."""
UNLIKE: Final = (
    "Some models do not apply to every link (links): compare models over the same number of links"
    " only."
)
"""Said where it is so."""
