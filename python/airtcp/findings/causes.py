"""Why packets of a run were dropped: the place, the chain of causes, and a remedy to try.

A cause is named if the counts of the run show it. A suggestion comes with its option, and may not
help.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.findings import groups, words

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping, Sequence

    from airtcp.documents import RunDocument
    from airtcp.findings.groups import Place

_HALF: Final = 0.5
_MCS_STANDARDS: Final = ("802.11n", "802.11ac", "802.11ax")
REMEDIES: Final = "`airtcp compare SCENARIO --remedies usual`"
"""The command that runs the remedies against losses over a scenario."""

_WHY: Final = {
    "queue_full": "because the queue was full",
    "queue_early": "by the active queue management",
    "ack_filtered": "by the ACK filter",
    "loss": "by the link's losses",
    "retry_limit": "after the last retransmission on the air",
    "lifetime": "because their lifetime expired",
    "no_route": "because there was no route",
    "too_long": "because they were longer than the MTU",
    "duplicate": "as duplicates",
}


def why(place: Place) -> str:
    """Say why packets were dropped at a place, as the end of a sentence."""
    return _WHY.get(place.reason, place.reason)


def cause(document: RunDocument, names: Sequence[set[str]]) -> list[str]:
    """Follow the chain from what a group of flows lost to the queue or link that dropped it.

    Args: document: The document of a run. names: The flows of the group in each replication. If
        they differ between replications, counts are means over the replications with such flows.
    """
    places = groups.drops(document, names)
    alone = all(len(group) <= 1 for group in names)
    turns = len({frozenset(group) for group in names}) > 1
    if not places:
        if turns:
            return ["No packet of a starved flow was dropped."]
        return [f"None of {'its' if alone else 'their'} packets was dropped."]
    place, lost = next(iter(places.items()))
    what, number = groups.kinds(lost).most_common(1)[0]
    lost_there = (
        f"{place.name} dropped {words.count(_whole(document, number))} of"
        f" {'its' if alone else 'their'} {what} {_each(document, number)} {why(place)}."
    )
    said = [_lost_in_turns(document, names, place, what) if turns else lost_there]
    everything = groups.drops(document)[place]
    if place.reason.startswith("queue"):
        said.append(_composition(document, place, everything))
    timeouts = groups.mean(
        flow["timeouts"]
        for replication, group in zip(document["replications"], names, strict=True)
        for flow in replication["flows"]
        if flow["name"] in group
    )
    if timeouts >= 1 and turns:
        said.append(f"A starved flow times out {words.number(timeouts, 2)} times on average.")
    elif timeouts >= 1:
        who = "It" if alone else "Each of these flows"
        said.append(f"{who} times out {words.number(timeouts, 2)} times a replication.")
    said.append(first_try(document, place))
    return [sentence for sentence in said if sentence]


def _whole(document: RunDocument, number: float) -> float:
    """Return a mean number per replication, or the total if the mean is written as 0."""
    return number if number > _HALF else number * len(document["replications"])


def _each(document: RunDocument, number: float) -> str:
    """Name what such a number counts over."""
    if number > _HALF:
        return "a replication"
    return f"in {words.counted(len(document['replications']), 'replication')}"


def _packets(document: RunDocument, number: float) -> str:
    """Write a mean number of packets per replication, with its verb."""
    packets, of = _whole(document, number), _each(document, number)
    return words.counted(packets, f"packet {of} was", f"packets {of} were")


def _lost_in_turns(
    document: RunDocument, names: Sequence[set[str]], place: Place, what: str
) -> str:
    """State the drops of flows that starve in turns: where, and in how many replications.

    A mean over all replications would include those in which another flow starves.
    """
    dropped: dict[str, list[int]] = {}
    for replication, group in zip(document["replications"], names, strict=True):
        here: dict[str, int] = {}
        for row in replication["drops"]:
            alike = (row["reason"], groups.kind(row)) == (place.reason, what)
            if alike and row["flow"] in group:
                here[row["place"]] = here.get(row["place"], 0) + row["packets"]
        for name, packets in here.items():
            dropped.setdefault(name, []).append(packets)
    runs = len(names)
    each = ", ".join(
        f"{name} {words.count(groups.mean(found))} on average in {len(found)} of {runs}"
        for name, found in sorted(dropped.items(), key=lambda item: -len(item[1]))
    )
    return (
        f"Of starved flows, {what} were dropped {why(place)}: {each}"
        f" replication{'s' if runs > 1 else ''}."
    )


def _composition(document: RunDocument, place: Place, dropped: Counter[tuple[str, str]]) -> str:
    """State the direction and kind of most packets that a queue dropped."""
    total = dropped.total()
    parts = {
        (group.name, kind): sum(dropped[name, kind] for name in group.flows)
        for group in groups.groups(document)
        for kind in (groups.DATA, groups.ACKS, groups.CONTROL)
    }
    (name, kind), most = max(parts.items(), key=lambda item: item[1])
    return (
        f"The queue of {place.name} dropped"
        f" {words.counted(_whole(document, total), 'packet')} of all flows"
        f" {_each(document, total)}, {words.share(most / total)} of them {kind} of the {name}."
    )


def most_drops(document: RunDocument) -> tuple[Place, str] | None:
    """Name the place with most drops, and state their number, kind and reason."""
    places = groups.drops(document)
    if not places:
        return None
    place, dropped = next(iter(places.items()))
    kind, number = groups.kinds(dropped).most_common(1)[0]
    text = (
        f"{_packets(document, dropped.total())} dropped there {why(place)},"
        f" {words.share(number / dropped.total())} of them {kind}"
    )
    rest = [(other, there.total()) for other, there in places.items() if other != place]
    here = [(other, n) for other, n in rest if other.name == place.name and n >= _HALF]
    text += "".join(f"; {words.count(n)} more {why(other)}" for other, n in here)
    away = sum(n for other, n in rest if other.name != place.name)
    if away >= _HALF:
        text += f"; {words.count(away)} more at other places"
    return place, f"{text}."


def first_try(document: RunDocument, place: Place) -> str:
    """Return the first suggestion against drops at a place, with its option."""
    path = scenario_path(document, place.name)
    if place.reason in {"queue_full", "queue_early"}:
        key = _queue_key(document, path, place)
        if _serves_in_turn(document, path, key):
            return _already(document, place)
        what = "Try fair queueing"
        option = f": --set '{path}.{key}={{kind=\"fq-codel\"}}'" if path else ' ("fq-codel")'
        return f"{what}{option}.{_price(document, place)}"
    if place.reason == "retry_limit" and place.name in groups.stations(document):
        return _on_the_air(document, place.name, path)
    if place.reason in {"loss", "retry_limit"} and not loses_all(document, place.name):
        return f"Try {REMEDIES}."
    return ""


def _on_the_air(document: RunDocument, station: str, path: str | None) -> str:
    """Return the first suggestion if a station gives frames up."""
    if far := _out_of_range(document, station):
        return far
    if (cell := _hides(document, station)) is not None:
        return reserve(cell)
    own = _cell_at(document, path)
    control = "minstrel-ht" if own.get("standard") in _MCS_STANDARDS else "minstrel"
    rates: Mapping[str, Any] = own.get("rate_control") or {}
    if rates.get("control") == control:
        return ""
    return f"Try another rate control: --set '{path}.rate_control={{control=\"{control}\"}}'."


def _price(document: RunDocument, place: Place) -> str:
    """State the possible cost of such a queue for a cell, with the total to compare."""
    if place.name not in groups.access_points(document):
        return ""
    total = document["summary"]["total_goodput_bps"]["mean"] * 1e-6
    return (
        " It may lower the total goodput: packets that the queue drops now would then use"
        f" airtime. Compare the total, now {words.number(total)} Mb/s."
    )


def loses_all(document: RunDocument, link: str) -> bool:
    """Return whether a link loses every packet, so that no remedy helps."""
    rates = [
        row["loss_rate"]["mean"] for row in document["summary"]["links"] if row["name"] == link
    ]
    return rates == [1.0]


def _out_of_range(document: RunDocument, station: str) -> str:
    """State that a station's frames arrive below the sensitivity; empty if they do not."""
    for number, cell in enumerate(document["summary"].get("cells", [])):
        spec: dict[str, Any] = document["scenario"]["cells"][number]
        least = spec["sensing"]["sensitivity_dbm"]
        for one in cell["stations"]:
            if one["name"] == station and (beyond := _beyond(spec, one)):
                return beyond
            signal = one["signal_dbm"]["mean"] if "signal_dbm" in one else None
            if one["name"] == station and signal is not None and signal < least:
                return (
                    f"{station} is out of range: its frames arrive with {words.number(signal)} dBm,"
                    f" below the sensitivity of {words.number(least)} dBm. Move it closer, or raise"
                    " the power."
                )
    return ""


def _beyond(cell: Mapping[str, Any], station: Mapping[str, Any]) -> str:
    """State that a station is beyond the range of the path loss "ranges"; empty if it is not.

    Within this range frames of every rate arrive, and power does not change it.
    """
    loss: Mapping[str, Any] = cell["propagation"]["path_loss"]
    if loss["model"] != "ranges" or "distance_m" not in station:
        return ""
    far, most = station["distance_m"]["mean"], loss["decode_m"]
    if far is None or far <= most:
        return ""
    chain = cell.get("hops") == "chain"
    place = "the previous node of the chain" if chain else "the access point"
    return (
        f"{station['name']} is out of range: it is {words.number(far)} m from {place}, and frames"
        f" of every rate are received up to {words.number(most)} m. Move it closer, or raise"
        " propagation.path_loss.decode_m."
    )


def _cell_at(document: RunDocument, path: str | None) -> dict[str, Any]:
    """Return the cell at a path; empty without one."""
    cells: list[dict[str, Any]] = document["scenario"].get("cells", [])
    if path is None or not cells:
        return {}
    return cells[int(path.rstrip("]").split("[")[1])]


def hidden(cell: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the stations of a cell that send data and cannot sense every other station."""
    stations: list[dict[str, Any]] = cell["stations"]
    return [
        station
        for station in stations
        if (station["hidden_stations"]["mean"] or 0.0) >= 1 and "data_error_rate" in station
    ]


def reserve(cell: int) -> str:
    """Return the suggestion of RTS and CTS for stations that do not sense one another."""
    return f"Try RTS and CTS before data frames: --set 'cells[{cell}].mac.rts_threshold=0 B'."


def _hides(document: RunDocument, station: str) -> int | None:
    """Return the number of a cell without RTS in which a station does not sense every other."""
    for number, cell in enumerate(document["summary"].get("cells", [])):
        if any(one["name"] == station for one in hidden(cell)):
            threshold = document["scenario"]["cells"][number]["mac"].get("rts_threshold")
            return number if threshold is None else None
    return None


def scenario_path(document: RunDocument, name: str) -> str | None:
    """Return the path of a cell or link in the scenario; none if it is not written there."""
    cells = groups.stations(document)
    if name in cells:
        names = [cell["name"] for cell in document["replications"][0]["cells"]]
        return f"cells[{names.index(cells[name])}]"
    directions = [link["name"] for link in document["summary"]["links"]]
    # A topology makes links that are not written, and `hops` makes several links of one.
    if name in directions and len(directions) == 2 * len(document["scenario"].get("links", [])):
        return f"links[{directions.index(name) // 2}]"
    return None


def _table(document: RunDocument, written: str) -> dict[str, Any]:
    """Return the cell or link at a path of the scenario."""
    kind, number = written.rstrip("]").split("[")
    table: dict[str, Any] = document["scenario"][kind][int(number)]
    return table


def _queue_key(document: RunDocument, written: str | None, place: Place) -> str:
    """Return the key of the queue of a place, in the table at a path of the scenario."""
    own = "access_point_queue"
    if written is None or place.name not in groups.access_points(document):
        return "queue"
    return own if _table(document, written).get(own) else "queue"


def _serves_in_turn(document: RunDocument, written: str | None, key: str) -> bool:
    """Return whether the queue at a path of the scenario serves flows in turn."""
    if written is None:
        return False
    table = _table(document, written)
    forward: dict[str, Any] = table.get("forward") or {}
    queues: list[dict[str, Any]] = [table.get(key) or {}, forward.get(key) or {}]
    return any(queue.get("kind") in {"fq-codel", "airtime-fair"} for queue in queues)


def _already(document: RunDocument, place: Place) -> str:
    """State what remains if a queue serves flows in turn and flows still starve."""
    said = "The queue already uses fair queueing."
    if place.name in groups.access_points(document):
        said += (
            " The access point contends for the medium as one station, and sends what all flows"
            " behind it get."
        )
    return said
