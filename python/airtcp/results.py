"""Results: a document to read, tables to compute with, a page to look at.

Tables are made by the extension module in Arrow's layout and handed to polars, pandas, pyarrow
or anything else that speaks the Arrow PyCapsule interface, without a copy.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from airtcp.findings import capacity, study, words
from airtcp.result_files import REPORT, Written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from airtcp import _core
    from airtcp.documents import CompareDocument, RunDocument, StudyDocument
    from airtcp.report.timeline_rows import Timeline


_OPTIONS: Final = '"options":{'


class _Result(Written):
    """What all results of the extension module have."""

    def __init__(
        self,
        core: _core.StudyResult | _core.RunResult | _core.CompareResult,
        asked: Mapping[str, Any] | None = None,
    ) -> None:
        """Hold what came out.

        Args:
            core: The result of the extension module.
            asked: What was asked that its document does not say, such as how traces were read;
                it joins the document's options.
        """
        self._core = core
        self._asked = {key: value for key, value in (asked or {}).items() if value}

    @cached_property
    def text(self) -> str:
        """The document as JSON text; equal inputs and seed give equal text."""
        text = self._core.json()
        if not self._asked:
            return text
        more = json.dumps(self._asked, ensure_ascii=False, separators=(",", ":"))
        # Before the options stand a schema, a version and a seed: the first match is the key.
        return text.replace(_OPTIONS, f"{_OPTIONS}{more[1:-1]},", 1)

    @property
    def seed(self) -> int:
        """The root seed: with it and the same version, the same result comes out."""
        return self._core.seed

    @property
    def interrupted(self) -> bool:
        """True if the work was stopped (Ctrl-C); what was finished is here."""
        return self._core.interrupted

    @property
    def tables(self) -> list[str]:
        """Names of the tables."""
        return self._core.table_names()

    def arrow(self, table: str) -> _core.Table:
        """Give a table as it is: an object with `__arrow_c_stream__`.

        Args:
            table: One of `tables`.

        Raises:
            KeyError: If there is no such table.
        """
        return self._core.table(table)

    def table(self, table: str) -> pl.DataFrame:
        """Give a table as a polars frame.

        Args:
            table: One of `tables`.
        """
        return pl.DataFrame(self.arrow(table))

    def to_pandas(self, table: str | None = None) -> Any:
        """Give a table as a pandas frame; needs pandas and pyarrow.

        Args:
            table: One of `tables`; the first if it is left out.
        """
        return self.to_arrow(table).to_pandas()

    def to_arrow(self, table: str | None = None) -> Any:
        """Give a table as a pyarrow table; needs pyarrow.

        Args:
            table: One of `tables`; the first if it is left out.
        """
        import pyarrow as pa  # pyright: ignore[reportMissingTypeStubs]

        return pa.table(self.arrow(self.tables[0] if table is None else table))  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]

    def _document(self) -> str:
        return self.text

    def _frames(self) -> Iterator[tuple[str, pl.DataFrame]]:
        return ((name, self.table(name)) for name in self.tables)


class StudyResult(_Result):
    """What `study` found: one entry for each link, and what they have in common."""

    _kind = "study"
    _core: _core.StudyResult

    @cached_property
    def json(self) -> StudyDocument:
        """The document, as `airtcp study --json` prints it."""
        return json.loads(self.text)

    @cached_property
    def links(self) -> pl.DataFrame:
        """One row a link: what it is, and what TCP gets over it and its look-alikes."""
        return self.table("links")

    @property
    def findings(self) -> list[words.Finding]:
        """The findings over all links, in plain words."""
        found = study.study_findings(self.json["links"]) if self.json["links"] else []
        return [*found, *capacity.capacity_findings(self.json["capacities"])]

    def page(self) -> str:
        """Make the report: one HTML document, complete in itself."""
        from airtcp.report.study import study_page

        return study_page(self.json)

    def __len__(self) -> int:
        """Count the links."""
        return len(self.json["links"]) + len(self.json["capacities"])

    def __repr__(self) -> str:
        """Name the result by its size."""
        state = ", interrupted" if self.interrupted else ""
        return f"StudyResult({words.counted(len(self), 'link')}, seed {self.seed}{state})"


@dataclass(frozen=True)
class RunSettings:
    """What was asked of a run beside its scenario: with it and the seed, its page comes again."""

    scenario: str
    """The file; "-" is standard input."""
    replications: int | None
    overrides: list[list[str]]
    """Paths and the text of their values."""
    series: bool
    timeline: str | None


class RunResult(_Result):
    """What `run` measured: flows and links, per replication and summed up."""

    _kind = "run"
    _core: _core.RunResult

    def __init__(self, core: _core.RunResult, settings: RunSettings) -> None:
        """Hold what was measured, and what was asked."""
        super().__init__(core)
        self._settings = settings
        self.captures: list[str] = []
        """Files and folders of the captures that were written."""
        self.lost: list[str] = []
        """What could not be written beside the results, and why."""

    @cached_property
    def json(self) -> RunDocument:
        """The document, as `airtcp run --json` prints it."""
        return json.loads(self.text)

    @cached_property
    def flows(self) -> pl.DataFrame:
        """One row a flow and replication."""
        return self.table("flows")

    @cached_property
    def links(self) -> pl.DataFrame:
        """One row a direction of a link and replication."""
        return self.table("links")

    @cached_property
    def summary(self) -> pl.DataFrame:
        """Means with 95 % confidence intervals over replications, one row a quantity."""
        return self.table("summary")

    @cached_property
    def stations(self) -> pl.DataFrame:
        """One row a station of an 802.11 cell and replication; empty without cells."""
        return self.table("stations") if "stations" in self.tables else pl.DataFrame()

    @cached_property
    def frames(self) -> pl.DataFrame:
        """One row a station, class of frames and replication; empty without cells."""
        return self.table("frames") if "frames" in self.tables else pl.DataFrame()

    @property
    def warnings(self) -> list[str]:
        """What to know before believing the results, such as stations out of range."""
        return self.json.get("warnings", [])

    @property
    def fingerprints(self) -> list[str]:
        """A hash of everything that happened, per replication; equal runs have equal ones."""
        return [replication["fingerprint"] for replication in self.json["replications"]]

    def page(self) -> str:
        """Make the report: one HTML document, complete in itself."""
        from airtcp.report.command import command
        from airtcp.report.run import run_page

        asked = self._settings
        printed = command(
            "run",
            paths=[asked.scenario],
            options=[
                ("seed", self.seed),
                ("replications", asked.replications),
                ("set", [f"{path}={value}" for path, value in asked.overrides]),
                ("series", asked.series or None),
                ("timeline", asked.timeline),
                ("html", REPORT),
            ],
        )
        return run_page(self.json, self._series(), self.timeline(), printed)

    def timeline(self) -> Timeline | None:
        """Give what happened on the air in the interval that was asked for; `None` if none was.

        Its frames and waits are the tables `timeline_frames` and `timeline_waits`, as columns.
        """
        from airtcp.report.timeline_rows import Timeline

        span = self._core.timeline()
        if span is None:
            return None
        frames, waits = (
            self.table(f"timeline_{name}").to_dict(as_series=False) for name in ("frames", "waits")
        )
        return Timeline(*span, frames, waits)

    def _series(self) -> dict[str, dict[str, list[Any]]]:
        return {
            name: self.table(name).to_dict(as_series=False)
            for name in self.tables
            if name.endswith("_series")
        }

    def __repr__(self) -> str:
        """Name the result by its size."""
        state = ", interrupted" if self.interrupted else ""
        count = len(self.json["replications"])
        return f"RunResult({words.counted(count, 'replication')}, seed {self.seed}{state})"


class CompareResult(_Result):
    """What `compare` found: every TCP on every scenario and link."""

    _kind = "compare"
    _core: _core.CompareResult

    @cached_property
    def json(self) -> CompareDocument:
        """The document, as `airtcp compare --json` prints it."""
        return json.loads(self.text)

    @cached_property
    def outcomes(self) -> pl.DataFrame:
        """One row a subject, channel and TCP: means with 95 % confidence intervals."""
        return self.table("outcomes")

    @cached_property
    def runs(self) -> pl.DataFrame:
        """One row a subject, channel, TCP and replication."""
        return self.table("runs")

    @property
    def findings(self) -> list[words.Finding]:
        """The findings of the first subject, in plain words."""
        from airtcp.findings import compare

        document = self.json
        if not document["subjects"]:
            return []
        return compare.subject_findings(
            document["subjects"][0], document["reference"], document["rival"]
        )

    def page(self) -> str:
        """Make the report: one HTML document, complete in itself."""
        from airtcp.report.compare import compare_page

        return compare_page(self.json)

    def __repr__(self) -> str:
        """Name the result by its size."""
        state = ", interrupted" if self.interrupted else ""
        document = self.json
        return (
            f"CompareResult({words.counted(len(document['variants']), 'TCP')},"
            f" {words.counted(len(document['subjects']), 'subject')},"
            f" seed {self.seed}{state})"
        )
