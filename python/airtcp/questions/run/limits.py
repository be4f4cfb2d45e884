"""What limits the flows of a run, in words.

Every sentence follows from a run with one thing taken away: `limits` and `why` of the document.
"""

from __future__ import annotations

from dataclasses import replace
from math import exp, log
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.run import groups, lead, limit_words, own_keys, sizes, starved
from airtcp.questions.run.limit_help import advice
from airtcp.questions.run.limit_words import BY_STATION
from airtcp.words import sentences as words
from airtcp.words.sentences import Finding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.data.documents import RunDocument
    from airtcp.questions.run.limit_words import Limit

    Slow = Mapping[str, Any]

_WIDE: Final = 2.0
"""An interval of a factor is written if its upper end is this many times its lower end."""
_LARGEST: Final = 100.0
"""Largest factor that is written."""
_UNDECIDED: Final = 3
"""Most undecided removals that are named."""
_SAME: Final = 0.01
"""Largest relative difference between a flow's goodput and that of a limit of this flow alone."""


def findings(document: RunDocument) -> list[Finding]:
    """Return what limits the flows, the answer first."""
    why: dict[str, Any] = dict(document.get("why") or {})
    limits = lead.ordered(document)
    first = lead.lead(document)
    slow: list[Slow] = [*why.get("slow_flows", [])]
    found = [] if limits else [_none(why)]
    explained: list[Slow] = []
    for limit in limits:
        of_it = [flow for flow in slow if limit["of"] == "flows" and _explains(limit, flow)]
        if limit["after"]:
            found.append(_then(document, limit))
        elif of_it:
            found.append(_short(document, of_it, limit))
            explained += of_it
        elif not _is_said(limit, limits):
            found.append(_limit(document, limit, limits))
    rest = [flow for flow in slow if flow not in explained]
    if leading := [
        flow for flow in rest if (flow["short_of"], flow["where"]) == (first.cause, first.where)
    ]:
        found.insert(0, _short(document, leading, leading[0]))
    found += _slow(document, [flow for flow in rest if flow not in leading])
    if limits and why.get("verdict") == "stopped":
        found.append(Finding("The search was stopped", "More limits may exist.", "warn"))
    return _once(found)


def said(document: RunDocument, limit: Limit) -> Finding:
    """Return one limit of the run as it is, in words."""
    return _limit(document, limit, document.get("limits") or [])


def by_flow(document: RunDocument) -> list[str]:
    """Name the causes that limit each flow as the run is; empty unless they differ by flow."""
    why: dict[str, Any] = dict(document.get("why") or {})
    short = {flow["flow"]: flow["short_of"] for flow in why.get("slow_flows", [])}
    acting, stalled = _acting(document), starved.stalled_flows(document)
    found: list[str] = []
    for row in document["summary"]["flows"]:
        causes = [cause for cause, flows in acting if row["name"] in flows]
        own = [short[row["name"]]] if short.get(row["name"]) else []
        nouns = [limit_words.NOUNS[cause] for cause in dict.fromkeys(own + causes)]
        if not nouns and row["name"] in stalled:
            nouns = ["timeouts"]
        found.append(", ".join(nouns) or "\N{EN DASH}")
    return found if len({*found}) > 1 else []


def _acting(document: RunDocument) -> list[tuple[str, set[str]]]:
    """Return the causes that limit flows as the run is, each with these flows."""
    limits: Sequence[Limit] = document.get("limits") or []
    now = [limit for limit in limits if limit["of"] != sizes.SLOWEST and not limit["after"]]
    return [(limit["cause"], set(limit["flows"])) for limit in now]


def _once(found: Sequence[Finding]) -> list[Finding]:
    """Leave out a text that an earlier finding has: the same advice."""
    texts = [finding.text for finding in found]
    return [
        replace(finding, text="") if finding.text in texts[:number] else finding
        for number, finding in enumerate(found)
    ]


def _is_said(limit: Limit, limits: Sequence[Limit]) -> bool:
    """Tell whether another sentence says a limit.

    Removals that only help together share a sentence. What all flows get more without also raises
    the slowest of each run.
    """
    if limit["with"]:
        return next(one for one in limits if one["change"] == limit["change"]) is not limit
    earlier = limits[: limits.index(limit)]
    return limit["of"] == sizes.SLOWEST and any(
        one["cause"] == limit["cause"] and {*one["flows"]}.issuperset(limit["flows"])
        for one in earlier
    )


def _explains(limit: Limit, flow: Slow) -> bool:
    return (limit["cause"], limit["where"]) == (flow["short_of"], flow["where"])


def _limit(document: RunDocument, limit: Limit, limits: Sequence[Limit]) -> Finding:
    """Say one limit, with the goodput with and without it."""
    flows = _flows(document, limit)
    if limit["cause"] == "application" and not limit_words.is_pause(limit):
        verb = "gets what its application asks" if _is_one(document, limit) else _ASKED
        gets = sizes.of_limit(document, limit).goodput
        return Finding(f"{_start(flows)} {verb}: {_mbps(gets)} Mb/s", "")
    text = " ".join(filter(None, (_doubt(limit), _or(limit), advice(document, limit))))
    with_and_without = f"{sizes.of_limit(document, limit).said(_whose(document, limit))} "
    if limit["with"]:
        together = [one for one in limits if one["change"] == limit["change"]]
        causes = limit_words.joint(together)
        without = "without both limits" if len(causes) == 2 else "without all of them"  # noqa: PLR2004 - both are two
        named = _start(words.listed(causes))
        said = f"{named} together limit {flows}: {with_and_without}{without}"
        return Finding(said, text, "warn")
    without = limit_words.removal(limit)
    what, plural = limit_words.what(limit)
    if limit["of"] == sizes.SLOWEST:
        verb = "starve" if plural else "starves"
        said = f"{_start(what)} {verb} a flow in each run: {with_and_without}{without}"
        return Finding(said, text, "bad")
    if limit_words.is_full(document, limit):
        kind = "link" if limit["cause"] == "link-rate" else "medium of"
        part = "" if _is_all(document, limit) else f" and limits {flows}"
        where = limit_words.shown(limit["where"])
        said = f"The {kind} {where} is full{part}: {with_and_without}{without}"
        return Finding(said, text, "warn")
    if limit["cause"] == "hidden-stations":
        part = "" if _is_all(document, limit) else f", which limits {flows}"
        said = f"Stations of {limit_words.shown(limit['where'])} do not hear each other{part}"
        return Finding(f"{said}: {with_and_without}{without}", text, "warn")
    verb = "limit" if plural else "limits"
    return Finding(f"{_start(what)} {verb} {flows}: {with_and_without}{without}", text, "warn")


_ASKED: Final = "get what their applications ask"


def _then(document: RunDocument, limit: Limit) -> Finding:
    """Say what limits once the limits before are gone."""
    flows, goodput = _flows(document, limit), _mbps(limit["goodput_bps"])
    if limit["cause"] == "application":
        verb = "gets what its application asks" if _is_one(document, limit) else _ASKED
        return Finding(f"Then {flows} {verb}: {goodput} Mb/s", "")
    what, plural = limit_words.what(limit)
    return Finding(
        f"Then {what} {'limit' if plural else 'limits'} {flows}: {goodput} Mb/s, and"
        f" {_mbps(limit['without_bps'])} {limit_words.removal(limit)}",
        _doubt(limit),
    )


def _whose(document: RunDocument, limit: Limit) -> str:
    """Say whose goodput the numbers of a limit are, if its sentence does not."""
    if limit["of"] == sizes.SLOWEST:
        return " for the slowest"
    flows = document["summary"]["flows"]
    if len(limit["flows"]) == 1:
        own = next((flow for flow in flows if flow["name"] == limit["flows"][0]), None)
        mean = 0.0 if own is None else own["goodput_bps"]["mean"] or 0.0
        if (
            limit["of"] == "flows"
            or abs(mean - sizes.of_limit(document, limit).goodput) <= _SAME * mean
        ):
            return ""
    return " together" if len(flows) > 1 else ""


def spread(limit: Limit) -> str:
    """Write the interval of a factor if it is wide; empty if it is not, or not known.

    >>> spread({"low": 1.5, "high": 4.0}), spread({"low": 1.5, "high": 500.0})
    ('1.5 to 4.0', 'at least 1.5')
    >>> spread({"low": 1.5, "high": 2.0}), spread({"low": None, "high": None})
    ('', '')
    """
    low, high = limit["low"], limit["high"]
    if low is None or high is None or high < _WIDE * low or low > _LARGEST:
        return ""
    least = words.number(low, 2)
    return f"at least {least}" if high > _LARGEST else f"{least} to {words.number(high, 2)}"


def _doubt(limit: Limit) -> str:
    """Give the interval of the factor if it is wide."""
    said = spread(limit)
    return f"The factor is {said} (95 % interval)." if said else ""


def _or(limit: Limit) -> str:
    """Name other removals that lift the same limit."""
    others = [limit_words.NOUNS[cause] for cause in limit["or"] if cause not in BY_STATION]
    return f"Without {words.listed(others)} it is lifted as well." if others else ""


def _none(why: Mapping[str, Any]) -> Finding:
    """Say why no limit is named."""
    verdict = why.get("verdict", "not-asked")
    if verdict == "stopped":
        return Finding("What limits the flows is not known", "The search was stopped.", "warn")
    if verdict == "not-asked":
        return Finding(
            "What limits the flows was not asked",
            "--why auto takes things away, one at a time, and names what raises the goodput.",
        )
    if verdict == "nothing-single":
        return Finding(
            "Nothing single limits the flows", "No removal raises their goodput by a tenth."
        )
    runs = words.counted(why["replications"], "replication")
    ranked = sorted(why["undecided"], key=lambda one: -log(one["ratio"] or exp(99)))
    nearly = [
        f"{limit_words.NOUNS[one['cause']]} ({one['where']}): {_factor(one)}"
        for one in ranked[:_UNDECIDED]
    ]
    more = "More replications (-n)" if why["asked"] == "yes" else "--why yes, which runs longer,"
    return Finding(
        f"Cannot tell what limits the flows from {runs} of {words.number(why['measured_s'])} s",
        f"Goodput without {'; without '.join(nearly)}. {more} may decide.",
        "warn",
    )


def _factor(one: Mapping[str, Any]) -> str:
    """Write the ratio of an undecided removal with its interval."""
    ratio, low, high = one["ratio"], one["low"], one["high"]
    if ratio is None or ratio > _LARGEST:
        return "unknown"
    said = f"{words.number(ratio, 2)} times"
    if low is None or high is None or high > _LARGEST:
        return f"{said}, not significantly"
    return f"{said} [{words.number(low, 2)}, {words.number(high, 2)}]"


def _slow(document: RunDocument, slow: Sequence[Slow]) -> list[Finding]:
    """Say what slow flows are short of, one sentence for those that lack the same."""
    kinds: dict[tuple[str | None, str], list[Slow]] = {}
    for flow in slow:
        kinds.setdefault((flow["short_of"], flow["where"]), []).append(flow)
    return [
        _short(document, of, of[0]) if short else _alone(document, of)
        for (short, _), of in kinds.items()
    ]


def _alone(document: RunDocument, slow: Sequence[Slow]) -> Finding:
    """Name slow flows that no removal helps."""
    names = groups.named(document, [flow["flow"] for flow in slow])
    verb, whose, each = ("is", "its", "") if len(slow) == 1 else ("are", "their", " each")
    named = {flow["flow"] for flow in slow}
    acts = any(named & flows for _, flows in _acting(document))
    text = f"No {'other ' if acts else ''}removal doubles {whose} goodput."
    if any(flow["alone_bps"] is not None for flow in slow):
        alone = _mbps(_mean(slow, "alone_bps"))
        text += f" Without all other flows, it would be {alone} Mb/s{each}."
    gets = f"{_mbps(sizes.of_flows(document, slow).goodput)} Mb/s{each}"
    median = _mbps(slow[0]["median_bps"])
    return Finding(
        f"{_start(names)} {verb} slow: {gets}, and the median flow {median} Mb/s", text, "warn"
    )


def _short(document: RunDocument, slow: Sequence[Slow], by: Mapping[str, Any]) -> Finding:
    """Say what slow flows are short of, all the same."""
    every = starved.with_siblings(document, [flow["flow"] for flow in slow])
    names, one = groups.named(document, every), len(every) == 1
    limit: Limit = {
        "cause": slow[0]["short_of"],
        "where": slow[0]["where"],
        "change": by.get("change", []),
        "help": by.get("help", []),
        "of": "flows",
        "flows": every,
    }
    median = f"The median flow gets {_mbps(slow[0]['median_bps'])} Mb/s."
    text = f"{median} {advice(document, limit)}".rstrip()
    size, each = sizes.of_flows(document, slow, every), "" if one else " each"
    without = limit_words.removal(limit)
    keyed = [limit_words.OWN_KEYS in change for change in limit["change"]]
    # What was tried is the reason: a station that was moved keeps its own keys.
    is_keyed = limit["cause"] in BY_STATION and any(keyed)
    own = own_keys.reason(document, limit) if is_keyed else ""
    if own and one and all(keyed):
        without = own_keys.removal(document, limit) or without
    if size.goodput:
        verb = "is slow" if one else "are slow"
        numbers = f": {size.said(each)} {without}"
    else:
        verb = "gets nothing" if one else "get nothing"
        numbers = f", and {_mbps(size.without)} Mb/s{each} {without}"
    cause = f"because of {limit_words.what(limit)[0]}"
    if own:
        who = "it" if every == [limit["where"]] else limit["where"]
        cause = f"because {who} has {own}"
    elif limit["cause"] == "slow-station" and every == [limit["where"]]:
        # A flow that has the name of its station is not slow because of itself.
        cause = "because its station sends at low rates"
    return Finding(f"{_start(names)} {verb} {cause}{numbers}", text, "bad")


def _mean(slow: Sequence[Slow], key: str) -> float:
    return groups.mean(flow[key] for flow in slow)


def _is_one(document: RunDocument, limit: Limit) -> bool:
    return (len(limit["flows"]) or len(document["summary"]["flows"])) == 1


def _flows(document: RunDocument, limit: Limit) -> str:
    """Name the flows that a removal raises."""
    if _is_all(document, limit):
        return "the flow" if len(document["summary"]["flows"]) == 1 else "the flows"
    return groups.named(document, limit["flows"])


def _is_all(document: RunDocument, limit: Limit) -> bool:
    return len(limit["flows"]) in {0, len(document["summary"]["flows"])}


def _start(text: str) -> str:
    """Begin a sentence; names of flows, links and stations keep their first letter."""
    return words.begun(text) if text.startswith(_LOWER) else text


_LOWER: Final = (
    "the ",
    "losses ",
    "reordering ",
    "interference ",
    "other cells ",
    "hidden stations ",
)
"""What sentences begin with in lower case."""


def _mbps(bps: float) -> str:
    """Write a rate in Mb/s."""
    return words.number(bps * 1e-6, 2)
