"""The result of an analysis of packet captures: the document, the tables, the page."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Self

from airtcp.data.plain import printable_values
from airtcp.questions.result import TableResult
from airtcp.questions.result_files import REPORT
from airtcp.words import sentences as words
from airtcp.words.answer import answered_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from airtcp import _core
    from airtcp.data.table import Table
    from airtcp.pages.section import Page
    from airtcp.words.answer import Answer

_SERIES: Final = "_series"
_HEAD: Final = 1000
"""Connections in a page's document."""
_EVENTS: Final = ',"retransmissions":['
"""Begins the list of retransmissions; other keys of this name have no list."""


class _Enough(Exception):  # noqa: N818 - not an error
    """Ends the writing of a document."""


@dataclass(frozen=True)
class CaptureSettings:
    """What was asked; together with the files it reproduces the page."""

    files: list[str]
    events: bool
    vantage: str | None
    interface: str | None


class CaptureResult(TableResult):
    """The result of `capture`: connections, retransmissions, 802.11 links.

    `result["connections"]` is short for `result.json["connections"]`.
    """

    _kind = "capture"
    _core: _core.CaptureResult

    def __init__(self, core: _core.CaptureResult, settings: CaptureSettings) -> None:
        """Hold the result and the options."""
        super().__init__(core)
        self._settings = settings

    @cached_property
    def json(self) -> dict[str, Any]:
        """The document, as `airtcp capture --json` prints it."""
        return self._document

    @cached_property
    def text(self) -> str:
        """The document as JSON text."""
        parts: list[str] = []
        self.put_text(parts.append)
        return "".join(parts)

    def answer(self) -> Answer:
        """Return the answer, as every result does; it follows from `head`."""
        return self._answer(self.head)

    def _answer(self, document: Mapping[str, Any]) -> Answer:
        from airtcp.questions.capture.answer import answer

        asked = self._settings
        return answer(document, self.total, asked.files, asked.interface)

    def put_text(self, write: Callable[[str], object]) -> None:
        """Give the document as JSON text to a function in pieces, without the whole in memory.

        Args:
            write: Takes a piece of the text.
        """
        said: Answer | None = self._answer(self._beginning())

        def piece(text: str) -> None:
            nonlocal said
            write(text if said is None else answered_text(text, said))
            said = None

        self._core.write_json(piece)

    def _beginning(self) -> dict[str, Any]:
        """Return the document with the connections of which the answer speaks, and without lists.

        The text is read up to the list of retransmissions, which may be long.
        """
        from airtcp.questions.capture.answer import HEAD

        parts: list[str] = []

        def piece(text: str) -> None:
            parts.append(text)
            # The mark may lie across the end of a piece.
            tail = "".join(parts[-2:])[-len(text) - len(_EVENTS) :]
            if _EVENTS in tail:
                raise _Enough

        with suppress(_Enough):
            self._core.write_json(piece, HEAD)
        text, mark, _ = "".join(parts).partition(_EVENTS)
        return json.loads(text + "}" if mark else text)

    def shown(self) -> Self:
        """Return the same result with names that are safe to show in a terminal."""
        other = copy.copy(self)
        other.head = printable_values(self.head, keep="")
        return other

    @property
    def total(self) -> int:
        """The number of connections in the document."""
        return self._core.counts[0]

    @cached_property
    def head(self) -> dict[str, Any]:
        """The document with the thousand connections that have the most bytes.

        The page, the terminal and the findings need no more. It is the whole document if its
        retransmissions are listed, or if several points are compared, because these name others.
        """
        _, _, pairs = self._core.counts
        parts: list[str] = []
        self._core.write_json(parts.append, None if pairs or self._settings.events else _HEAD)
        return json.loads("".join(parts))

    def __getitem__(self, key: str) -> Any:
        """Return a part of the document."""
        return self.json[key]

    def bottleneck(
        self,
        connection: int,
        sender: str,
        *,
        rtt_s: float | None = None,
        rate_bps: float | None = None,
    ) -> dict[str, Any] | None:
        """Measure the bottleneck of a transfer from the timing of its packets.

        Args:
            connection: The connection, counted from 0.
            sender: Address and port of the end that sends the data.
            rtt_s: The round-trip time without load; by default the least.
            rate_bps: The rate in bit/s; by default measured.

        Returns:
            What was measured; none unless every segment was kept (`packet_captures.logged`).
        """
        told = {"rtt_s": rtt_s, "rate_bps": rate_bps}
        return json.loads(self._core.bottleneck(connection, sender, json.dumps(told)))

    @cached_property
    def directions(self) -> Table:
        """One row per connection and end that sends."""
        return self.table("directions")

    @cached_property
    def connections(self) -> Table:
        """One row per connection."""
        return self.table("connections")

    @cached_property
    def retransmissions(self) -> Table:
        """One row per segment that was sent again, with its cause; also without `events`."""
        return self.table("retransmissions")

    @cached_property
    def losses(self) -> Table:
        """One row per loss: time and segments since the loss before it."""
        return self.table("losses")

    @cached_property
    def between(self) -> Table:
        """One row per connection and sender, for each two points at which it was captured."""
        return self.table("between")

    @cached_property
    def links(self) -> Table:
        """One row per 802.11 link."""
        return self.table("links")

    def series(self) -> dict[str, Table]:
        """Return the tables of what happened over time; none without `series`."""
        return {name: self.table(name) for name in self.tables if name.endswith(_SERIES)}

    def _make_page(self) -> Page:
        """Lay out the page, with diagrams over time if the result was made with `series`."""
        from airtcp.pages.command import command
        from airtcp.questions.capture.sections import capture_page

        asked = self._settings
        printed = command(
            "capture",
            paths=asked.files,
            options=[
                ("interface", asked.interface),
                ("vantage", asked.vantage),
                ("events", asked.events or None),
                ("html", REPORT),
            ],
        )
        return capture_page(
            self.head, self.total, self.series(), self.losses, printed, self.answer()
        )

    def __repr__(self) -> str:
        """Describe the result by its size."""
        state = ", interrupted" if self.interrupted else ""
        connections, links, _ = self._core.counts
        found = f"{words.counted(connections, 'connection')}, {words.counted(links, 'link')}"
        return f"CaptureResult({found}{state})"
