"""Reads the parts of a page: its payload, its charts with their headings, its findings."""

from __future__ import annotations

import base64
import gzip
import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any, Final

_PAYLOAD: Final = re.compile(
    r'<script type="application/json" id="payload">(.*?)</script>', re.DOTALL
)
_LIBRARY: Final = re.compile(r"<(script|style)\b.*?</\1>", re.DOTALL)


@dataclass
class Plot:
    """A place of a page in which a chart stands."""

    name: str
    heading: str = ""
    caption: str = ""
    views: list[str] = field(default_factory=list[str])
    """The charts that it can show, if there are several."""


@dataclass
class PageParts:
    """The parts of a page."""

    payload: dict[str, Any]
    title: str
    plots: list[Plot]
    findings: list[tuple[str, str]]
    """Headline and text of each."""


class _Reader(HTMLParser):
    """Collects texts by the element that they stand in."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.plots: list[Plot] = []
        self.findings: list[tuple[str, str]] = []
        self._place = ""
        self._tag = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        if tag == "figure" and said.get("data-chart"):
            self.plots.append(Plot(said["data-chart"] or ""))
            self._place = "figure"
        elif tag == "article" and (said.get("class") or "").startswith("card"):
            self.findings.append(("", ""))
            self._place = "article"
        elif tag == "button" and self._place == "figure" and said.get("data-view"):
            self.plots[-1].views.append(said["data-view"] or "")
        if tag in {"h1", "h3", "p"}:
            self._tag = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self._place:
            self._place = ""
        if tag == self._tag:
            self._tag = ""

    def handle_data(self, data: str) -> None:
        if self._tag == "h1":
            self.title += data
        elif self._place == "article" and self._tag:
            headline, text = self.findings[-1]
            grown = (headline + data, text) if self._tag == "h3" else (headline, text + data)
            self.findings[-1] = grown
        elif self._place == "figure" and self._tag == "h3":
            self.plots[-1].heading += data
        elif self._place == "figure" and self._tag == "p":
            self.plots[-1].caption += data


def parts_of(page: str) -> PageParts:
    """Read a page of airtcp.

    Args:
        page: The HTML document.

    Raises:
        ValueError: If the text is no page of airtcp.
    """
    found = _PAYLOAD.search(page)
    if found is None:
        message = "this is no page of airtcp: it has no element with the id payload"
        raise ValueError(message)
    reader = _Reader()
    reader.feed(_LIBRARY.sub("", page))
    reader.close()
    return PageParts(json.loads(found[1]), reader.title, reader.plots, reader.findings)


def unpacked(value: Any) -> Any:
    """Decode what `packed` of `airtcp.pages.sent` encoded."""
    return json.loads(gzip.decompress(base64.b64decode(value))) if isinstance(value, str) else value


def data_of(payload: dict[str, Any]) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Return the rows of each chart with data, by their name in the chart, as the script does."""
    tables = unpacked(payload["tables"])
    found = {
        name: {key: _rows(tables[place]) for key, place in places.items()}
        for name, places in payload["data"].items()
    }
    if (items := payload.get("items")) is not None:
        index = items["first"]
        item = unpacked(items["packed"][index // items["group"]])[index % items["group"]]
        for name, (_, data) in item["plots"].items():
            found[name] = {key: _rows(sent) for key, sent in data.items()}
    return found


def _rows(sent: Any) -> list[dict[str, Any]]:
    if isinstance(sent, list):
        return sent
    return [dict(zip(sent, row, strict=True)) for row in zip(*sent.values(), strict=True)]
