"""The result of a diagnosis: the document, the tables, the page and the files."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from airtcp import atomic_write
from airtcp.findings import diagnose as diagnose_words
from airtcp.result_files import Written

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from airtcp.diagnose_document import DiagnoseDocument
    from airtcp.findings.words import Finding

TABLES = ("link", "replay", "answers")


class DiagnoseResult(Written):
    """The result of `diagnose`."""

    _kind = "diagnose"

    def __init__(self, document: DiagnoseDocument) -> None:
        """Hold the document that `diagnose` makes."""
        self.json: DiagnoseDocument = document

    @cached_property
    def text(self) -> str:
        """The document as JSON text; equal inputs and seed give equal text."""
        return json.dumps(self.json, ensure_ascii=False, separators=(",", ":"))

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C stopped the work; the finished steps are here."""
        return self.json["interrupted"]

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

    @property
    def tables(self) -> list[str]:
        """Names of the tables."""
        return list(TABLES)

    def table(self, table: str) -> pl.DataFrame:
        """Return a table as a polars frame.

        Args:
            table: One of `tables`.

        Raises:
            KeyError: If there is no such table.
        """
        if table not in TABLES:
            message = f'no table "{table}" (there are {", ".join(TABLES)})'
            raise KeyError(message)
        rows: list[dict[str, Any]] = getattr(self, f"_{table}")()
        return pl.DataFrame(rows, schema=_SCHEMAS[table])

    def _link(self) -> list[dict[str, Any]]:
        link = self.json["link"]
        if link is None:
            return []
        keys = ("rate_bps", "delay_s", "queue_packets", "link_loss")
        return [{"quantity": key, **link[key]} for key in keys]

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

    def _frames(self) -> Iterator[tuple[str, pl.DataFrame]]:
        return ((name, self.table(name)) for name in self.tables)

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
_NUMBERS = dict.fromkeys(("value", "low", "high"), pl.Float64)
_SCHEMAS: dict[str, dict[str, Any]] = {
    "link": {"quantity": pl.String, **_NUMBERS},
    "replay": {
        "name": pl.String,
        **dict.fromkeys(("observed", "mean", "low", "high"), pl.Float64),
        "inside": pl.Boolean,
    },
    "answers": {
        "kind": pl.String,
        "variant": pl.String,
        **dict.fromkeys(
            ("goodput_bps", "gain_percent", "gain_percent_low", "gain_percent_high"), pl.Float64
        ),
        "trusted": pl.Boolean,
    },
}
