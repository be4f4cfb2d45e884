"""What run advises, tried: the same replications with the advised change.

The search for limits runs a change for the flows that it may help. A trial runs it for all flows,
so that an advice can state what it costs the others, in goodput and in round-trip time. It takes
the time that the search took: the part of the run that has the goodput of the whole. Where the
queue of an access point starves flows, two remedies that need no change of the stations are tried
beside what the search found: FQ-CoDel as `airtcp compare --schemes` sets it, with the capacity that
the queue has, and a queue that drops the TCP ACKs which a newer one makes useless.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.run import airtime, lead, limit_help, starved

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from airtcp.data.documents import RunDocument

REPLICATIONS: Final = 3
"""Replications of a trial: the first ones of the run, with the same seeds."""
MOST: Final = 4
"""Most changes that are tried."""
PACKETS: Final = 100
"""Capacity of a queue whose scenario states none, in packets."""
_RATES: Final = (("goodput_bps", "goodput_bps", "with_bps"), ("rtt_mean_s", "rtt_s", "rtt_with_s"))
"""Keys of a flow, and those of a trial without and with the change."""


def proposals(document: RunDocument) -> list[list[str]]:
    """Return the changes that the answer may advise, each as arguments of `--set`.

    Args:
        document: The document of a run.
    """
    if not document["replications"] or document.get("interrupted"):
        return []
    why: dict[str, Any] = dict(document.get("why") or {})
    if why.get("verdict", "not-asked") in {"not-asked", "stopped"}:
        return []
    known: list[Any] = [*lead.ordered(document), *why.get("slow_flows", [])]
    found = [limit_help.tried(limit) for limit in known if not limit.get("with")]
    found = [*_of_queues(document), *(airtime.change(document, each) for each in known), *found]
    unique: list[list[str]] = []
    for change in found:
        if change and change not in unique:
            unique.append(change)
    return unique[:MOST]


def _of_queues(document: RunDocument) -> list[list[str]]:
    """Return remedies of the queue of an access point, if flows of its cell starve."""
    cells: list[dict[str, Any]] = document["scenario"].get("cells") or []
    summary: list[dict[str, Any]] = document["summary"].get("cells") or []
    if not _hungry(document) or len(cells) != len(summary):
        return []
    found: list[list[str]] = []
    for number, (cell, shown) in enumerate(zip(cells, summary, strict=True)):
        own: dict[str, Any] = cell.get("queue") or {}
        point: dict[str, Any] | None = cell.get("access_point_queue")
        queue = point or own
        drops: dict[str, Any] = shown["stations"][0].get("queue_drops") or {}
        if queue.get("kind") not in {"drop-tail", "fq-codel"} or not drops.get("mean"):
            continue
        place = f"cells[{number}]"
        # The limit of FQ-CoDel is no length that a queue of one flow could have.
        size = queue.get("packets") or own.get("packets") or PACKETS
        found.append([f'{place}.access_point_queue={{ kind = "ack-filter", packets = {size} }}'])
        if queue["kind"] == "drop-tail":
            each = own.get("packets") or PACKETS
            fair = [f'{place}.queue={{ kind = "fq-codel", limit = {each} }}']
            if point:
                fair.append(f'{place}.access_point_queue={{ kind = "fq-codel", limit = {size} }}')
            found.append(fair)
    return found[:2]


def _hungry(document: RunDocument) -> bool:
    """Tell whether a queue of a cell starves flows, or flows starve for no known reason."""
    why: dict[str, Any] = dict(document.get("why") or {})
    limits: Sequence[Any] = document.get("limits") or []
    short = [slow["short_of"] for slow in why.get("slow_flows", [])]
    of_each = [limit["cause"] for limit in limits if limit["of"] != "sum"]
    return "queue" in [*short, *of_each] or bool(starved.starving_flows(document))


def run_trials(
    document: RunDocument, run_with: Callable[[list[list[str]]], Any]
) -> list[dict[str, Any]]:
    """Try each change that the answer may advise.

    Args:
        document: The document of a run.
        run_with: Runs the scenario with values in place of its own, each a path and a text, and
            returns the document; None if the scenario cannot have the values, or Ctrl-C stopped
            the run.
    """
    found: list[dict[str, Any]] = []
    changes = proposals(document)
    if not changes:
        return found
    number = min(REPLICATIONS, len(document["replications"]))
    before: list[dict[str, Any]] | None = document["replications"][:number]
    extent, measured = [["replications", str(number)]], before[0]["measured_s"]
    short = dict(document.get("why") or {}).get("measured_s") or measured
    # A shorter time takes one more run: the scenario as it is.
    if (len(changes) + 1) * short < len(changes) * measured:
        duration = before[0]["duration_s"] - measured + short
        extent, measured = [*extent, ["duration", f"{duration:.9f} s"]], short
        before = _finished(run_with(extent), number)
    endless = starved.endless_flows(document)
    for change in changes if before else []:
        parts = (item.partition("=") for item in change)
        after = _finished(run_with([*extent, *([path, value] for path, _, value in parts)]), number)
        if before and after:
            runs = before, after
            slowest = [_slowest(each, endless) for each in runs]
            found.append(
                {
                    "change": change,
                    "replications": number,
                    "measured_s": measured,
                    "slowest_bps": slowest[0],
                    "slowest_with_bps": slowest[1],
                    "flows": _flows(*runs),
                }
            )
    return found


def _finished(document: Any, number: int) -> list[dict[str, Any]] | None:
    """Return the replications of a run; None if it did not run, or lacks one of them."""
    runs: list[dict[str, Any]] = [] if document is None else document["replications"]
    return runs if len(runs) == number else None


def _slowest(runs: Sequence[dict[str, Any]], endless: Sequence[int]) -> float | None:
    """Return the mean goodput of the slowest endless flow of each replication; None without any."""
    if not endless:
        return None
    rates = [min(run["flows"][i].get("goodput_bps") or 0.0 for i in endless) for run in runs]
    return sum(rates) / len(rates)


def _flows(
    before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    flows: list[dict[str, Any]] = []
    for i, flow in enumerate(before[0]["flows"]):
        row: dict[str, Any] = {"flow": flow["name"]}
        for key, without, with_it in _RATES:
            for name, runs in ((without, before), (with_it, after)):
                # Of a round-trip time that one of the replications lacks, the others tell.
                known = [v for run in runs if (v := run["flows"][i].get(key)) is not None]
                row[name] = sum(known) / len(known) if known else None
        flows.append(row)
    return flows
