"""The options and the output of `airtcp capture` for joined captures and delivery traces."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from airtcp.cli import options as opt
from airtcp.data.plain import printable

if TYPE_CHECKING:
    from rich.console import Console

Air = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE",
        help="A capture of a radio in monitor mode, to be joined with those of hosts. By default "
        "the link type shows it.",
        show_default=False,
    ),
]
Hosts = Annotated[
    list[str] | None,
    typer.Option(
        "--host",
        metavar="FILE",
        help="A capture of a host, to be joined with one of a radio; may be given more than once.",
        show_default=False,
    ),
]


def _trace_place(text: str) -> str:
    """Read the name of a file or folder; a separator at its end stays."""
    opt.place(text)
    return text


TraceOut = Annotated[
    str | None,
    typer.Option(
        parser=_trace_place,
        metavar=opt.SHOWN,
        help="Write delivery traces for airtcp study and airtcp trace: one table, or a file per "
        "link in a folder. A name that ends in / is a folder, which is created.",
        show_default=False,
    ),
]
Patterns = Annotated[
    bool,
    typer.Option(
        "--patterns",
        help="Look for periodic losses of 802.11 links: microwave ovens, Bluetooth voice.",
    ),
]
Keys = Annotated[
    Path | None,
    typer.Option(
        "--decrypt-with",
        metavar="FILE",
        help="Decrypt 802.11 with tshark. FILE has keys as Wireshark stores them in 80211_keys: "
        'lines as "wpa-pwd","PASSPHRASE:SSID". A capture needs the handshake of each station.',
        show_default=False,
    ),
]
_SEPARATORS: Final = tuple(filter(None, (os.sep, os.altsep)))
_WRITTEN: Final = 5
"""Traces that are told one by one."""


def check_trace_place(text: str, *, force: bool, inputs: list[str]) -> None:
    """Refuse a place for delivery traces before the work, if they cannot be written there.

    Args: text: The place. force: The value of --force. inputs: The captures.
    """
    from airtcp.cli import places
    from airtcp.cli.console import fail

    place = Path(text)
    if place.is_dir():
        return
    if not text.endswith(_SEPARATORS):
        places.check(place, force=force, inputs=inputs, ours=False)
    elif place.exists():
        fail(f"--trace-out {printable(text)}: a file of this name exists; give another folder")


def put_joined(console: Console, joined: dict[str, Any]) -> None:
    """Print what the captures of the air and of hosts show together."""
    from rich.text import Text

    from airtcp.cli.remarks import put_finding
    from airtcp.cli.tables import Column, put
    from airtcp.questions.capture import findings_joined as words
    from airtcp.words.sentences import count, number

    console.print(Text(words.places(joined), style="bold"))
    for host in joined["hosts"]:
        put_finding(console, words.clock(host), "- ")
        for finding in words.packets(host):
            put_finding(console, finding, "- ")
    if finding := words.timeouts(joined["timeout_causes"]):
        put_finding(console, finding, "- ")
    rows = [(host, link) for host in joined["hosts"] for link in host["links"]]
    if not rows:
        return

    def times(head: str, key: str, rank: int) -> Column:
        values = [link[key]["p50"] for _, link in rows]
        cells = ["" if value is None else number(value * 1e3) for value in values]
        return Column(head, cells, rank=rank)

    means = [link["mean_attempts"] for _, link in rows]
    columns = [
        Column("host", [Path(host["path"]).name for host, _ in rows], rank=5),
        Column("direction", ["sent" if link["is_sent"] else "received" for _, link in rows]),
        Column("packets", [count(link["packets"]) for _, link in rows], rank=1),
        times("queueing\np50 (ms)", "queueing_s", 0),
        Column("attempts", ["" if m is None else number(m) for m in means], rank=2),
        times("latency\np50 (ms)", "latency_s", 3),
        Column("lost on\nthe link", [count(link["lost_on_link"]) for _, link in rows], rank=4),
    ]
    names = [f"{link['transmitter']} -> {link['receiver']}" for _, link in rows]
    put(console, "joined link", names, columns)


def put_periods(console: Console, links: list[dict[str, Any]]) -> None:
    """Print the periods of losses on the air."""
    from airtcp.cli.remarks import put_finding
    from airtcp.questions.capture import findings_joined as words

    for link in links:
        for period in link.get("loss_periods", []):
            put_finding(console, words.period(link, period), "- ")


def put_traces(console: Console, traces: dict[str, Any]) -> None:
    """Print which delivery traces were written."""
    from rich.text import Text

    from airtcp.questions.capture import findings_joined as words

    for trace in traces["traces"][:_WRITTEN]:
        console.print(Text(f"- {words.trace(trace)}"))
    for why in traces["left_out"][:_WRITTEN]:
        console.print(Text(f"- {why}"))
    if not traces["files"]:
        console.print("- no delivery trace was written: no link has 100 outcomes")
    for path in traces["files"][:_WRITTEN]:
        console.print(Text(f"delivery trace: {path}"))
