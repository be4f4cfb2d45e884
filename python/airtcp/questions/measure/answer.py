"""The answer of `measure`: what limits TCP on the path, what would help, what is not known.

What a thing costs comes from replays over the scenario of the path: the same with this one thing
taken away. Where no replay is, the answer says what was measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.questions.measure.details import details
from airtcp.words.answer import DEEPER, Answer
from airtcp.words.grid import Column, Grid
from airtcp.words.names import shell_paths
from airtcp.words.sentences import counted, number, share

if TYPE_CHECKING:
    from airtcp.questions.measure.document import (
        Capacity,
        Load,
        Losses,
        MeasureDocument,
        Replay,
        Way,
    )

MBPS: Final = 1e-6
MS: Final = 1e3
FROM: Final = "from the server"
TO: Final = "to the server"
_EFFECT: Final = 1.1
"""Factor from which a change matters."""
_FULL: Final = 0.8
"""Share of the capacity from which TCP is held by the rate."""
_HELD: Final = 0.3
"""Share of the time from which the receiver's window holds TCP."""
_DIFFERS: Final = 1.5
"""Factor from which the TCP of the hosts and the replay differ."""
_HELPS: Final = {"bbr": "BBR", "sliding": "a coded transport (sliding)"}


def answer(document: MeasureDocument) -> Answer:
    """Return the answer of a measurement.

    Args:
        document: The document.
    """
    ways = [(document["down"], FROM), (document["up"], TO)]
    way, where = max(ways, key=lambda pair: _cost(pair[0]))
    return Answer(
        _limit(way, where) or _path(document),
        _help(way),
        _doubt(document),
        _table(document),
        _next(document),
        details(document),
    )


def _named(way: Way, name: str) -> Replay | None:
    return next((each for each in way["replays"] if each["name"] == name), None)


def _cost(way: Way) -> float:
    """Return the factor that TCP would gain without losses."""
    as_it_is, without = _named(way, "cubic"), _named(way, "no losses")
    if as_it_is is None or without is None:
        return 0.0
    return without["goodput_bps"] / max(as_it_is["goodput_bps"], 1.0)


def _limit(way: Way, where: str) -> str | None:
    """Say what limits TCP in a direction, and what that costs; none if replays do not tell."""
    capacity, load = way["capacity"], way["load"]
    as_it_is, without = _named(way, "cubic"), _named(way, "no losses")
    if capacity is None or as_it_is is None or without is None:
        return None
    if load is not None and load["rwnd_limited_s"] > _HELD * load["duration_s"]:
        held = share(load["rwnd_limited_s"] / load["duration_s"])
        return (
            f"The receiver's window limits TCP {where}: it held the sender for {held} of the time."
        )
    now = _mbps(as_it_is["goodput_bps"])
    if _cost(way) >= _EFFECT and without["low_bps"] > as_it_is["high_bps"]:
        free = _mbps(without["goodput_bps"])
        return f"Losses limit TCP {where}: CUBIC gets {now} Mb/s, and {free} without them."
    if as_it_is["goodput_bps"] >= _FULL * capacity["bps"]:
        most = _rate(capacity)
        return f"The rate of the path limits TCP: CUBIC gets {now} of {most} {where}."
    return None


def _path(document: MeasureDocument) -> str:
    """Say what the path is like."""
    up, down = document["up"], document["down"]
    rtt = document["idle"]["rtt"]
    trip = "no echo was answered" if rtt is None else f"a round trip takes {_ms(rtt['median_s'])}"
    known = [(x["losses"], said) for x, said in ((down, FROM), (up, TO)) if x["losses"]]
    if not known:
        return f"The measurement ended before packets were counted: {trip}."
    losses, where = max(known, key=lambda pair: pair[0]["loss"])
    capacity = down["capacity"] or up["capacity"]
    of = "" if capacity is None else f" of {_rate(capacity)}"
    if losses["loss"] == 0:
        return f"The path{of} lost no packet, and {trip}."
    return f"The path{of} loses {share(losses['loss'])} of the packets {where}, and {trip}."


def _help(way: Way) -> str | None:
    """Say which transport would get more, if one is shown to."""
    base = _named(way, "cubic")
    if base is None:
        return None
    better = [
        each
        for each in way["replays"]
        if each["name"] in _HELPS
        and each["goodput_bps"] >= _EFFECT * base["goodput_bps"]
        and each["low_bps"] > base["high_bps"]
    ]
    better.sort(key=lambda each: -each["goodput_bps"])
    if not better:
        return None
    first, *rest = better
    said = f"{_HELPS[first['name']]} would get {_mbps(first['goodput_bps'])} Mb/s"
    said += "".join(f", {_HELPS[each['name']]} {_mbps(each['goodput_bps'])}" for each in rest)
    return f"{said[0].upper()}{said[1:]}."


def _doubt(document: MeasureDocument) -> str | None:
    """Say what the answer rests on that could be wrong; the most serious first."""
    ways = [(document["down"], FROM), (document["up"], TO)]
    both = [way["losses"] for way, _ in ways if way["losses"]]
    pauses = sum(losses["pauses"] for losses in both)
    kinds = {losses["memory"] for losses in both}
    cuts = {
        "interrupted": "The measurement was ended early; what was measured is here.",
        "silent": "The server stopped answering; what was measured until then is here.",
    }
    no_tcp = [said for way, said in ways if way["capacity"] and not way["load"]]
    doubts = (
        (document["cut"], cuts.get(document["cut"] or "")),
        (
            pauses,
            f"A host is busy, which adds to delays: it stood still {counted(pauses, 'time')}.",
        ),
        (no_tcp, "No TCP connection came about: is its port closed? The queue is assumed."),
        (_other(ways), _other(ways)),
        (
            "undecided" in kinds,
            "Whether losses come in bursts cannot be told; a longer measurement would (--for).",
        ),
    )
    return next((said for holds, said in doubts if holds), None)


def _other(ways: list[tuple[Way, str]]) -> str | None:
    """Say that the hosts' own TCP did not get what the replay says."""
    for way, where in ways:
        base, load = _named(way, "cubic"), way["load"]
        if base is None or load is None:
            continue
        ratio = load["goodput_bps"] / max(base["goodput_bps"], 1.0)
        if not 1 / _DIFFERS <= ratio <= _DIFFERS:
            got = _mbps(load["goodput_bps"])
            return f"The hosts' own TCP got {got} Mb/s {where}: not by CUBIC, or the path varied."
    return None


def _table(document: MeasureDocument) -> Grid:
    ways = [document["down"], document["up"]]
    losses = [way["losses"] for way in ways]
    loads = [way["load"] for way in ways]
    return Grid(
        "direction",
        [FROM, TO],
        [
            Column("capacity\n(Mb/s)", [_capacity(way["capacity"]) for way in ways]),
            Column("lost\n(%)", [_lost(each) for each in losses]),
            Column("losses", [_kind(each) for each in losses], left=True),
            Column("mean\nburst", [_burst(each) for each in losses]),
            Column("longest", ["-" if not x else str(x["longest_burst"]) for x in losses]),
            Column("TCP\n(Mb/s)", [_goodput(each) for each in loads]),
            Column("RTT then\n(ms, p95)", [_loaded(each) for each in loads]),
        ],
    )


def _kind(losses: Losses | None) -> str:
    if losses is None or losses["loss"] == 0:
        return "-"
    return _KINDS.get(losses["memory"], "-")


_KINDS: Final = {
    "independent": "independent",
    "bursty": "in bursts",
    "oscillating": "apart",
    "undecided": "unclear",
}


def _capacity(capacity: Capacity | None) -> str:
    if capacity is None:
        return "-"
    value = number(capacity["bps"] * MBPS)
    if capacity["high_bps"] is None:
        return f"over {value}"
    if capacity["kind"] == "varying":
        return _range(capacity["low_bps"], capacity["high_bps"])
    half = (capacity["high_bps"] - capacity["low_bps"]) / 2 * MBPS
    return f"{value} \N{PLUS-MINUS SIGN}{number(half, 1)}"


def _rate(capacity: Capacity) -> str:
    if capacity["kind"] == "varying" and capacity["high_bps"] is not None:
        return f"{_range(capacity['low_bps'], capacity['high_bps'])} Mb/s"
    bound = "at least " if capacity["high_bps"] is None else ""
    return f"{bound}{_mbps(capacity['bps'])} Mb/s"


def _range(low: float, high: float) -> str:
    return f"{_mbps(low)} to {_mbps(high)}"


def _mbps(bps: float) -> str:
    return number(bps * MBPS, 2)


def _ms(seconds: float) -> str:
    return f"{number(seconds * MS, 2)} ms"


def _lost(losses: Losses | None) -> str:
    if losses is None:
        return "-"
    low, high = number(100 * losses["loss_low"], 2), number(100 * losses["loss_high"], 2)
    return f"{number(100 * losses['loss'], 2)} [{low}, {high}]"


def _burst(losses: Losses | None) -> str:
    return "-" if not losses or losses["mean_burst"] is None else number(losses["mean_burst"], 2)


def _goodput(load: Load | None) -> str:
    return "-" if load is None else _mbps(load["goodput_bps"])


def _loaded(load: Load | None) -> str:
    return "-" if load is None or load["rtt"] is None else number(load["rtt"]["p95_s"] * MS, 2)


def _next(document: MeasureDocument) -> str:
    if document["files"] is None:
        return f"{DEEPER}   Trace and scenario of the path: --out PREFIX"
    trace, path = (shell_paths([f"{document['files']}.{end}"]) for end in ("trace", "toml"))
    said = f"Each TCP: airtcp compare {path}   " if document["scenario"] else ""
    return f"{said}The losses: airtcp study {trace}   {DEEPER}"
