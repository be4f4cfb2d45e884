"""The result of `run`, and the options that its page prints."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from airtcp.questions.result import SeededResult
from airtcp.questions.result_files import REPORT
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp import _core
    from airtcp.data.documents import RunDocument
    from airtcp.data.table import Table
    from airtcp.pages.section import Page
    from airtcp.questions.run.rows_timeline import Timeline
    from airtcp.words.answer import Answer

Why = Literal["auto", "yes", "no"]
"""Whether to find what limits the flows of a run."""


@dataclass(frozen=True)
class RunSettings:
    """The options of a run beside its scenario; together with the seed they reproduce its page."""

    scenario: str
    """The file; "-" is standard input."""
    replications: int | None
    overrides: list[list[str]]
    """Paths and the text of their values."""
    series: bool
    timeline: str | None
    why: Why = "no"
    tcp: str | None = None
    laws: tuple[str, ...] = ()
    """Files with congestion controls of one's own."""


class RunResult(SeededResult):
    """The result of `run`: flows and links, per replication and as a summary."""

    _kind = "run"
    _core: _core.RunResult

    def __init__(
        self,
        core: _core.RunResult,
        settings: RunSettings,
        trials: Sequence[dict[str, Any]] = (),
    ) -> None:
        """Hold the result, the options, and the trials of what the answer advises."""
        super().__init__(core)
        self._trials = trials
        self._settings = settings
        self.captures: list[str] = []
        """The written captures: files and folders."""
        self.unwritten: list[str] = []
        """Captures that could not be written, with reasons."""

    @cached_property
    def json(self) -> RunDocument:
        """The document, as `airtcp run --json` prints it."""
        return self._document

    @cached_property
    def _bare_text(self) -> str:
        text = self._core.json()
        if not self._trials:
            return text
        more = json.dumps(self._trials, ensure_ascii=False, separators=(",", ":"))
        return f'{text.rstrip()[:-1]},"trials":{more}}}'

    @cached_property
    def flows(self) -> Table:
        """One row per flow and replication."""
        return self.table("flows")

    @cached_property
    def links(self) -> Table:
        """One row per direction of a link and replication."""
        return self.table("links")

    @cached_property
    def summary(self) -> Table:
        """Means with 95 % confidence intervals over replications, one row per quantity."""
        return self.table("summary")

    @cached_property
    def delays(self) -> Table:
        """Distributions of delays over all replications, one row per distribution and share.

        `delay` is `queue`, `service` (from the head of a station's queue to the end of the
        exchange) or `exchange`. `share` of the packets have a delay of at most `delay_s`, which is
        within 0.8 %.
        """
        return self.table("delays")

    @cached_property
    def stations(self) -> Table:
        """One row per station of an 802.11 cell and replication; empty without cells."""
        return self._table_or_empty("stations")

    @cached_property
    def frames(self) -> Table:
        """One row per station, class of frames and replication; empty without cells."""
        return self._table_or_empty("frames")

    def _table_or_empty(self, table: str) -> Table:
        from airtcp.data.table import Table

        return self.table(table) if table in self.tables else Table.from_rows([])

    @property
    def warnings(self) -> list[str]:
        """Warnings about the scenario, such as stations out of range."""
        return self.json.get("warnings", [])

    @property
    def fingerprints(self) -> list[str]:
        """A hash of each replication; equal runs have equal hashes."""
        return [replication["fingerprint"] for replication in self.json["replications"]]

    def _make_page(self) -> Page:
        from airtcp.pages.command import command
        from airtcp.questions.run.answer import help_command, said
        from airtcp.questions.run.sections import run_page

        asked = self._settings
        printed = command(
            "run",
            paths=[asked.scenario],
            options=[
                ("seed", self.seed),
                ("replications", asked.replications),
                ("set", self._sets),
                ("tcp", asked.tcp),
                ("law", list(asked.laws)),
                ("series", asked.series or None),
                ("timeline", asked.timeline),
                ("why", None if asked.why == "auto" else asked.why),
                ("html", REPORT),
            ],
        )
        helps = help_command(self.json, self._file, self._sets)
        beside = said(self.json, self._file, self._sets)
        shown = self._series(), self.timeline(), self.answer(), beside
        return run_page(self.json, *shown, (printed, helps))

    def _answer(self, document: RunDocument) -> Answer | None:
        from airtcp.questions.run.answer import answer

        return answer(document, self._file, self._sets)

    @property
    def _file(self) -> str | None:
        """The file of the scenario, if a command can name it."""
        file = self._settings.scenario
        return None if file == "-" else file

    @property
    def _sets(self) -> list[str]:
        """The arguments of `--set`."""
        return [f"{path}={value}" for path, value in self._settings.overrides]

    def timeline(self) -> Timeline | None:
        """Return the recorded interval of the medium, or `None` without `timeline`.

        Its frames and waits are the tables `timeline_frames` and `timeline_waits`.
        """
        from airtcp.questions.run.rows_timeline import Timeline

        span = self._core.timeline()
        if span is None:
            return None
        frames, waits = (self.table(f"timeline_{name}").to_dict() for name in ("frames", "waits"))
        return Timeline(*span, frames, waits)

    def _series(self) -> dict[str, dict[str, list[Any]]]:
        return {
            name: self.table(name).to_dict() for name in self.tables if name.endswith("_series")
        }

    def __repr__(self) -> str:
        """Describe the result by its size."""
        state = ", interrupted" if self.interrupted else ""
        count = len(self.json["replications"])
        return f"RunResult({words.counted(count, 'replication')}, seed {self.seed}{state})"
