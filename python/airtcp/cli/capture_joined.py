"""The options of `airtcp capture` for joined captures and delivery traces."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from airtcp.cli import options as opt
from airtcp.data.plain import printable

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


def put_traces(traces: dict[str, Any], *, quiet: bool) -> None:
    """Say which delivery traces were written.

    Args:
        traces: The part `traces` of the document, with names that are safe to print.
        quiet: Whether to print fewer notes.
    """
    from airtcp.cli.console import note
    from airtcp.questions.capture import findings_joined as words

    for trace in traces["traces"][:_WRITTEN]:
        note(words.trace(trace), quiet=quiet)
    for why in traces["left_out"][:_WRITTEN]:
        note(why, quiet=quiet)
    if not traces["files"]:
        note("no delivery trace was written: no link has 100 outcomes", quiet=False)
    for path in traces["files"][:_WRITTEN]:
        note(f"delivery trace: {path}", quiet=quiet)
