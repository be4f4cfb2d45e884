"""The result of a diagnosis: the document, the tables, the page and the files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp import atomic_write
from airtcp.document_result import DocumentResult
from airtcp.findings import diagnose as diagnose_words

if TYPE_CHECKING:
    import os

    from airtcp.diagnose_document import DiagnoseDocument
    from airtcp.findings.words import Finding

_NUMBERS = dict.fromkeys(("value", "low", "high"), float)
_SCHEMAS: dict[str, dict[str, type]] = {
    "link": {"quantity": str, **_NUMBERS, "source": str},
    "replay": {
        "name": str,
        **dict.fromkeys(("observed", "mean", "low", "high"), float),
        "inside": bool,
    },
    "answers": {
        "kind": str,
        "variant": str,
        **dict.fromkeys(
            ("goodput_bps", "gain_percent", "gain_percent_low", "gain_percent_high"), float
        ),
        "trusted": bool,
    },
}


class DiagnoseResult(DocumentResult):
    """The result of `diagnose`."""

    _kind = "diagnose"
    _tables = ("link", "replay", "answers")
    _schemas = _SCHEMAS
    json: DiagnoseDocument

    @property
    def findings(self) -> list[Finding]:
        """The findings, in words."""
        return diagnose_words.findings(self.json)

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

    def _link(self) -> list[dict[str, Any]]:
        link = self.json["link"]
        if link is None:
            return []
        keys = ("rate_bps", "delay_s", "queue_packets", "link_loss")
        sources = link["sources"]
        return [{"quantity": key, **link[key], "source": sources[key]} for key in keys]

    def _replay(self) -> list[dict[str, Any]]:
        replay = self.json["replay"]
        return [] if replay is None else [dict(each) for each in replay["statistics"]]

    def _answers(self) -> list[dict[str, Any]]:
        answers = self.json["answers"]
        if answers is None:
            return []
        rows: list[dict[str, Any]] = []
        for kind, subject in (("tcp", answers["tcps"]), ("remedy", answers["remedies"])):
            outcomes: list[Any] = [] if subject is None else subject["cases"][0]["outcomes"]
            rows += [_answer(kind, outcome, trusted=answers["trusted"]) for outcome in outcomes]
        return rows

    def page(self) -> str:
        """Return the report: one self-contained HTML document."""
        from airtcp.report.diagnose import diagnose_page

        return diagnose_page(self.json)

    def __repr__(self) -> str:
        """Name the result by its transfer."""
        seen = self.json["observed"]
        what = "no transfer" if seen is None else f"{seen['sender']} -> {seen['receiver']}"
        state = ", interrupted" if self.interrupted else ""
        return f"DiagnoseResult({what}, seed {self.json['seed']}{state})"


def _answer(kind: str, outcome: Any, *, trusted: bool) -> dict[str, Any]:
    difference = outcome["difference"]
    percent: Any = (difference and difference["percent"]) or _NOTHING
    return {
        "kind": kind,
        "variant": outcome["variant"],
        "goodput_bps": outcome["goodput_bps"]["mean"],
        "gain_percent": percent["mean"],
        "gain_percent_low": percent["ci_low"],
        "gain_percent_high": percent["ci_high"],
        "trusted": trusted,
    }


_NOTHING: dict[str, None] = {"mean": None, "ci_low": None, "ci_high": None}
