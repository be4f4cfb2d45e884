"""The result of a diagnosis: the document, the tables, the page and the files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.files import atomic_write
from airtcp.questions.document_result import DocumentResult

if TYPE_CHECKING:
    import os

    from airtcp.pages.section import Page
    from airtcp.questions.diagnose.document import DiagnoseDocument
    from airtcp.words.answer import Answer

_NUMBERS = dict.fromkeys(("value", "low", "high"), float)
_SCHEMAS: dict[str, dict[str, type]] = {
    "link": {"quantity": str, **_NUMBERS, "source": str},
    "replay": {
        "name": str,
        **dict.fromkeys(("observed", "mean", "low", "high"), float),
        "inside": bool,
    },
    "predictions": {
        "variant": str,
        **dict.fromkeys(("goodput_bps", "low", "high", "p_better"), float),
    },
    "lost_packets": {"time_s": float, "origin": str, "backlog_packets": int},
}


class DiagnoseResult(DocumentResult):
    """The result of `diagnose`."""

    _kind = "diagnose"
    _tables = ("link", "replay", "predictions", "lost_packets")
    _schemas = _SCHEMAS
    json: DiagnoseDocument

    @property
    def scenario(self) -> str | None:
        """The fitted link and the transfer as a scenario for `run`; none without a fit."""
        return self.json["scenario"]

    def write_scenario(self, path: str | os.PathLike[str]) -> Path | None:
        """Write the scenario, and replace an existing file.

        Args:
            path: The file to write.

        Returns:
            The file written; none without a fit.
        """
        if self.scenario is None:
            return None
        atomic_write.write_text(Path(path), self.scenario)
        return Path(path)

    def _answer(self, document: DiagnoseDocument) -> Answer:
        from airtcp.questions.diagnose.answer import answer

        return answer(document)

    def _link(self) -> list[dict[str, Any]]:
        link = self.json["link"]
        if link is None:
            return []
        keys = ("rate_bps", "delay_s", "queue_packets", "link_loss")
        sources = link["sources"]
        parts = ("value", "low", "high")
        return [
            {"quantity": key, **{part: link[key][part] for part in parts}, "source": sources[key]}
            for key in keys
        ]

    def _replay(self) -> list[dict[str, Any]]:
        replay = self.json["replay"]
        return [] if replay is None else [dict(each) for each in replay["statistics"]]

    def _predictions(self) -> list[dict[str, Any]]:
        return [dict(each) for each in self.json["predictions"]]

    def _lost_packets(self) -> list[dict[str, Any]]:
        return [dict(each) for each in self.json["lost_packets"]]

    def _make_page(self) -> Page:
        from airtcp.questions.diagnose.sections import diagnose_page

        return diagnose_page(self.json, self._answer(self.json))

    def __repr__(self) -> str:
        """Name the result by its transfer."""
        seen = self.json["observed"]
        what = "no transfer" if seen is None else f"{seen['sender']} -> {seen['receiver']}"
        state = ", interrupted" if self.interrupted else ""
        return f"DiagnoseResult({what}, seed {self.json['seed']}{state})"
