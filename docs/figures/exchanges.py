"""Frames by station over time: S3's figures 4.2, 4.3, 5.1 and 5.2, drawn from simulated runs.

Every bar and line is made of events of a run. A function refuses to draw if the events are not
what its figure says, such as spaces that are not SIFS. Times in the tables are in microseconds
after the start of the first frame or, with a wire, after the first segment.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import altair as alt
import polars as pl
import simulate
import style

if TYPE_CHECKING:
    from collections.abc import Sequence

Row = dict[str, Any]

SIFS_US: Final = 16.0
SLOT_US: Final = 9.0
AIFSN: Final = {"voice": 2, "video": 2, "best-effort": 3, "background": 7}
"""Table 5.1 of S3."""
COLOURS: Final = {
    "DATA": style.BLUE,
    "TCP ACK": style.GREEN,
    "MAC ACK": style.ORANGE,
    "CTS": style.PURPLE,
    "NAV": style.RAMP[0],
    "interframe space": style.GRID,
    "back-off": "#b9c2cd",
}
_DELAY_US: Final = 200
_WIRE_MBPS: Final = 100
"""The wire between server and access point."""
CLASSES: Final = {"data": "DATA", "tcp_ack": "TCP ACK", "mac_ack": "MAC ACK", "cts": "CTS"}
_CELL: Final = """
[[cells]]
standard = "802.11a"
rate = "54 Mb/s"
"""


def _timeline(text: str, interval: str, **options: Any) -> tuple[Any, list[Row], list[Row]]:
    """Run a scenario; give the result, and the frames and waits of an interval by their starts."""
    result = simulate.run(text, timeline=interval, **options)
    found = result.timeline()
    if found is None:
        message = f"nothing was recorded in {interval}"
        raise ValueError(message)
    return result, pl.DataFrame(found.frames).to_dicts(), pl.DataFrame(found.waits).to_dicts()


def _us(seconds: float, origin: float) -> float:
    return round((seconds - origin) * 1e6, 3)


def _bar(row: Row, origin: float, lane: str | None = None, what: str | None = None) -> Row:
    what = what or CLASSES[row["class"]]
    return {
        "station": lane or row["station"],
        "what": what,
        "label": what,
        "from_us": _us(row["start_s"], origin),
        "to_us": _us(row["end_s"], origin),
    }


def _claim(holds: object, what: str) -> None:
    if not holds:
        message = f"the run is not what the figure says: {what}"
        raise ValueError(message)


def _chart(
    bars: Sequence[Row],
    lanes: Sequence[str],
    end: float,
    begin: float = 0.0,
    *,
    title: alt.Title,
    lines: Sequence[Row] = (),
) -> Any:
    """Draw a lane for each station: bars with labels above them, and lines between lanes."""
    frame = pl.DataFrame(list(bars))
    x = alt.X(
        "from_us:Q",
        title="time (µs)",
        scale=alt.Scale(domain=[begin, end], nice=False),
    )
    y = alt.Y("station:N", sort=list(lanes), title=None, axis=alt.Axis(labelLimit=160))
    shown = [what for what in COLOURS if what in set(frame["what"])]
    colour = alt.Color(
        "what:N",
        title=None,
        sort=shown,
        scale=alt.Scale(domain=shown, range=[COLOURS[what] for what in shown]),
        legend=None,
    )
    base = alt.Chart(style.rows(frame))
    layers: list[alt.Chart] = [base.mark_bar(size=20).encode(x=x, x2="to_us:Q", y=y, color=colour)]
    if lines:
        steps = alt.Chart(style.rows(pl.DataFrame(list(lines))))
        layers.append(
            steps.mark_line(strokeDash=[4, 3], strokeWidth=1.2, color=style.MUTED).encode(
                x=alt.X("from_us:Q"), y=y, detail="line:N"
            )
        )
    middle = base.transform_calculate(middle="(datum.from_us + datum.to_us) / 2")
    layers.append(
        middle.mark_text(dy=-17, fontSize=10.5, color=style.INK).encode(
            x=alt.X("middle:Q"), y=y, text="label:N"
        )
    )
    return alt.layer(*layers).properties(width=780, height=58 * len(lanes), title=title)


def _spaces(frames: Sequence[Row], origin: float, lane: str, name: str) -> list[Row]:
    """Give the spaces between consecutive frames, as bars of a lane."""
    return [
        {
            "station": lane,
            "what": "interframe space",
            "label": name,
            "from_us": _us(before["end_s"], origin),
            "to_us": _us(after["start_s"], origin),
        }
        for before, after in itertools.pairwise(frames)
    ]


def dcf_plus() -> dict[str, Any]:
    """Draw DCF+: a MAC ACK that reserves the medium for a TCP ACK in return (figure 4.2)."""
    text = (
        'duration = "1100 ms"'
        + _CELL
        + 'layout = { kind = "star", stations = 2, radius_m = 5 }\nschemes = [{ scheme = "dcf+" }]\n'
        '[[flows]]\nfrom = "ap"\nto = "sta0"\n'
    )
    _, frames, waits = _timeline(text, "1s..1.02s")
    wanted = [
        ("ap", "data"),
        ("sta0", "mac_ack"),
        ("ap", "cts"),
        ("sta0", "tcp_ack"),
        ("ap", "mac_ack"),
    ]
    starts = range(len(frames) - len(wanted))
    windows = (frames[i : i + len(wanted)] for i in starts)
    seen = next((w for w in windows if [(f["station"], f["class"]) for f in w] == wanted), None)
    _claim(seen is not None, "no MAC ACK is followed by a CTS and a TCP ACK")
    seen = seen or []
    origin, end = seen[0]["start_s"], seen[-1]["end_s"]
    spaces = _spaces(seen, origin, "medium idle", "SIFS")
    _claim(all(abs(s["to_us"] - s["from_us"] - SIFS_US) < 1e-3 for s in spaces), "spaces of SIFS")
    _claim(abs(seen[1]["reserved_until_s"] - end) < 1e-9, "the MAC ACK reserves until the end")
    bars = [_bar(frame, origin) for frame in seen]
    bars[1]["label"] = "MAC ACK + reservation"
    nav = [w for w in waits if w["what"] == "nav" and w["station"] == "sta1"]
    nav = [w for w in nav if origin < w["end_s"] and w["start_s"] < end]
    _claim(
        bool(nav) and nav[-1]["end_s"] <= end + 1e-9, "the NAV of the other station ends with it"
    )
    bars += [_bar(wait, origin, what="NAV") for wait in nav] + spaces
    chart = _chart(
        bars,
        ["ap", "sta0", "sta1", "medium idle"],
        _us(end, origin),
        title=alt.Title(
            "DCF+: the MAC ACK of a data frame reserves the medium for a frame in return",
            subtitle="one exchange of a download to sta0; sta1 hears the reservations and waits",
        ),
    )
    return style.drawn("dcf-plus", chart, pl.DataFrame(bars))


def _captured(path: Path) -> list[tuple[float, bool, int]]:
    """Give time, direction (true from the sender) and length of each packet of a capture.

    Reads as much of pcapng (little-endian, raw IPv4, nanoseconds) as the program writes.
    """
    raw = path.read_bytes()
    at, sender, found = 0, b"", list[tuple[float, bool, int]]()
    while at < len(raw):
        kind, length = (int.from_bytes(raw[at + k : at + k + 4], "little") for k in (0, 4))
        if kind == 6:
            high, low, size = (
                int.from_bytes(raw[at + k : at + k + 4], "little") for k in (12, 16, 20)
            )
            source = raw[at + 28 + 12 : at + 28 + 16]
            sender = sender or source
            found.append((((high << 32) + low) * 1e-9, source == sender, size))
        at += length
    return found


def _download(scheme: str, answered_by: tuple[str, str]) -> tuple[list[Row], list[Row], int]:
    """Give bars and lines of one segment of a download, and the packets that the scheme took.

    `answered_by` is the station and class of the frame whose end makes the access point send the
    TCP ACK.
    """
    text = (
        f'duration = "1 s"\n[[links]]\nfrom = "server"\nto = "ap"\n'
        f'rate = "{_WIRE_MBPS} Mb/s"\ndelay = "{_DELAY_US} us"\n'
        + _CELL
        + f'layout = {{ kind = "star", stations = 1, radius_m = 5 }}\n{scheme}\n'
        '[[flows]]\nfrom = "server"\nto = "sta0"\ntcp = { ack_every = 1 }\n'
        'app = { kind = "constant-rate", rate = "5792 kb/s", message = "1448 B" }\n'
    )
    with simulate.folder() as home:
        path = Path(home) / "run.pcapng"
        result, frames, _ = _timeline(text, "500ms..506ms", pcap=path)
        packets = [p for p in _captured(path) if 0.5 <= p[0] < 0.506]
    origin = next(time for time, sent, _ in packets if sent)
    arrival, size = next((time, n) for time, sent, n in packets if not sent and time > origin)
    air = [f for f in frames if origin <= f["start_s"] < arrival]
    answered = [f for f in air if (f["station"], f["class"]) == answered_by]
    _claim(len(answered) == 1, f"one frame of {answered_by} precedes the ACK at the server")
    left = answered[0]["end_s"]
    wire_us = _DELAY_US + size * 8 / _WIRE_MBPS
    _claim(abs(_us(arrival, left) - wire_us) < 0.01, "the TCP ACK leaves when this frame ends")
    bars = [_bar(frame, origin) for frame in air]
    for label, what, at in (("segment", "DATA", origin), ("TCP ACK", "TCP ACK", arrival)):
        since = _us(at, origin)
        bars.append(
            {
                "station": "server",
                "what": what,
                "label": label,
                "from_us": since,
                "to_us": since + 4,
            }
        )
    line = [
        {"line": "TCP ACK", "station": "ap", "from_us": _us(left, origin)},
        {"line": "TCP ACK", "station": "server", "from_us": _us(arrival, origin)},
    ]
    cell: dict[str, Any] = dict(result.json["replications"][0]["cells"][0])
    boundary: dict[str, Any] = cell.get("boundary") or {}
    return bars, line, int(boundary.get("absorbed_packets", 0))


def ack_agent() -> dict[str, Any]:
    """Draw one segment of a download without and with the TCP ACK agent (figure 4.3)."""
    without, line, _ = _download("", ("sta0", "tcp_ack"))
    agent, short, taken = _download('schemes = [{ scheme = "ack-agent" }]', ("sta0", "mac_ack"))
    on_air = {bar["what"] for bar in agent if bar["station"] != "server"}
    _claim("TCP ACK" not in on_air, "with the agent, no TCP ACK is on the air")
    _claim(taken > 0, "the agent at the station drops ACKs")
    lanes, end = ["server", "ap", "sta0"], max(bar["to_us"] for bar in without) + 40
    panels = [
        _chart(
            without,
            lanes,
            end,
            lines=line,
            title=alt.Title(
                "Without the agent: the station's TCP ACK crosses the air",
                subtitle="dashed: the TCP ACK on the wire",
            ),
        ),
        _chart(
            agent,
            lanes,
            end,
            lines=short,
            title=alt.Title(
                "TCP ACK agent: the MAC ACK makes the access point send the TCP ACK",
                subtitle=f"the station dropped {taken} TCP ACKs of its own in this run of 1 s",
            ),
        ),
    ]
    rows = [{"agent": which, **bar} for which, bars in ((0, without), (1, agent)) for bar in bars]
    return style.drawn("ack-agent", alt.vconcat(*panels, spacing=24), pl.DataFrame(rows))


_SEEDS: Final = 50
"""Most runs in which such a time is looked for: all four rarely have a packet at once."""


def _senders(categories: Sequence[str]) -> str:
    """Write a cell in which a station sends in each category, with equal contention windows.

    With windows of their own, voice and video nearly always end the idle time before the AIFS of
    background.
    """
    flows = "".join(
        f'[[flows]]\nfrom = "sta{i}"\nto = "ap"\ntransport = "udp"\naccess_category = "{category}"\n'
        'app = { kind = "constant-rate", rate = "4 Mb/s", message = "1000 B", arrivals = "poisson" }\n'
        for i, category in enumerate(categories)
    )
    return (
        'duration = "1600 ms"'
        + _CELL
        + f'layout = {{ kind = "star", stations = {len(categories)}, radius_m = 5 }}\n'
        'mac.access = "edca"\nmac.txop_limits = "zero"\n'
        "mac.edca = { voice = { cw_min = 15, cw_max = 1023 }, video = { cw_min = 15, cw_max = 1023 } }\n"
        + flows
    )


def _all_count(categories: Sequence[str], seed: int) -> tuple[Row, Row, Row, list[Row]] | None:
    """Find an exchange after which all categories count down until the next frame."""
    _, frames, waits = _timeline(_senders(categories), "500ms..1500ms", seed=seed)
    back_offs: dict[float, list[Row]] = {}
    for wait in waits:
        if wait["what"] == "back_off":
            back_offs.setdefault(round(wait["end_s"], 9), []).append(wait)
    for data, ack, after, other in zip(frames, frames[1:], frames[2:], frames[3:], strict=False):
        counts = back_offs.get(round(after["start_s"], 9), [])
        counts = [wait for wait in counts if wait["start_s"] > ack["end_s"]]
        kinds = (data["class"], ack["class"], after["class"])
        alone = other["start_s"] > after["end_s"]
        all_count = {wait["category"] for wait in counts} == set(categories)
        if kinds == ("data", "mac_ack", "data") and alone and all_count:
            return data, ack, after, counts
    return None


def spaces() -> dict[str, Any]:
    """Draw the interframe spaces of the four access categories after one exchange (figure 5.2)."""
    categories = list(AIFSN)
    found = (_all_count(categories, seed) for seed in range(1, _SEEDS))
    data, ack, after, counts = next(one for one in found if one is not None)
    origin = data["start_s"]
    lane = {category: f"sta{i}: {category}" for i, category in enumerate(categories)}
    bars = [_bar(frame, origin, lane[frame["category"]]) for frame in (data, after)]
    bars.append(_bar(ack, origin, "ap"))
    bars += _spaces([data, ack], origin, "ap", "SIFS")
    for wait in counts:
        category = wait["category"]
        space = {"end_s": ack["end_s"]}, {"start_s": wait["start_s"]}
        (bar,) = _spaces(space, origin, lane[category], "")
        length = bar["to_us"] - bar["from_us"]
        _claim(abs(length - SIFS_US - AIFSN[category] * SLOT_US) < 1e-3, f"AIFS of {category}")
        bar["label"] = f"AIFS {length:.0f} µs"
        bars += [bar, _bar(wait, origin, lane[category], "back-off")]
    # The frames fill the lanes; only their ends matter here.
    begin, end = bars[0]["to_us"] - 30, bars[1]["from_us"] + 30
    for bar in bars:
        bar["from_us"], bar["to_us"] = max(bar["from_us"], begin), min(bar["to_us"], end)
    chart = _chart(
        bars,
        [*lane.values(), "ap"],
        end,
        begin,
        title=alt.Title(
            "Spaces before access: AIFS = SIFS + AIFSN slots of 9 µs (802.11a)",
            subtitle="one idle time among four stations with data, one in each category, with equal contention windows",
        ),
    )
    return style.drawn("interframe-spaces", chart, pl.DataFrame(bars))


def categories() -> dict[str, Any]:
    """Count the frames of each category without and with FTCA (figure 5.1)."""
    flows = '[[flows]]\ncount = 3\nfrom = "sta*"\nto = "ap"\n' + "".join(
        f'[[flows]]\nfrom = "ap"\nto = "sta{i}"\n' for i in (3, 4, 5)
    )
    table: list[Row] = []
    for system, scheme in (("base", ""), ("FTCA", 'schemes = [{ scheme = "ftca" }]\n')):
        text = (
            'duration = "2 s"'
            + _CELL
            + 'layout = { kind = "star", stations = 6, radius_m = 5 }\nmac.access = "edca"\n'
            + scheme
            + flows
        )
        _, frames, _ = _timeline(text, "1s..1.5s")
        packets = [f for f in frames if f["class"] in ("data", "tcp_ack")]
        for frame in packets:
            who = "access point" if frame["station"] == "ap" else "stations"
            key = {
                "system": system,
                "sender": f"{CLASSES[frame['class']]} of {who}",
                "category": frame["category"],
            }
            table.append(key)
        high = {f["category"] for f in packets if f["class"] == "tcp_ack"}
        low = {f["category"] for f in packets if f["class"] == "data"}
        expected = ({"voice"}, {"best-effort"}) if scheme else ({"best-effort"},) * 2
        _claim((high, low) == expected, f"{system}: TCP ACKs in {high}, data in {low}")
    counted = pl.DataFrame(table).group_by("system", "sender", "category").len("frames")
    counted = counted.sort("system", "sender", "category", descending=[True, False, False])
    senders = [
        f"{kind} of {who}" for who in ("stations", "access point") for kind in ("DATA", "TCP ACK")
    ]
    base = alt.Chart(style.rows(counted)).encode(
        x=alt.X(
            "category:N",
            sort=["voice", "video", "best-effort", "background"],
            scale=alt.Scale(domain=["voice", "video", "best-effort", "background"]),
            title="access category, the highest priority first",
            axis=alt.Axis(labelAngle=0),
        ),
        y=alt.Y("sender:N", sort=senders, title=None, axis=alt.Axis(labelLimit=200)),
    )
    shown = base.mark_rect(stroke="#ffffff", color=style.BLUE).encode(
        opacity=alt.Opacity("frames:Q", scale=alt.Scale(range=[0.25, 0.7]), legend=None)
    )
    text_mark = base.mark_text(fontSize=12, color=style.INK).encode(text="frames:Q")
    panels = [
        (
            shown.transform_filter(alt.datum.system == name)
            + text_mark.transform_filter(alt.datum.system == name)
        ).properties(width=330, height=150, title=alt.Title(name, fontSize=12.5))
        for name in ("base", "FTCA")
    ]
    chart = alt.hconcat(*panels).properties(
        title=alt.Title(
            "FTCA puts TCP packets without payload in the category of the highest priority",
            subtitle="frames in 0.5 s of three uploads and three downloads",
        )
    )
    return style.drawn("access-categories", chart, counted)
