"""Results: a document, tables, and a page.

The extension module makes tables in Arrow's layout. `airtcp.Table` holds them; polars, pyarrow and
every other user of the Arrow PyCapsule interface read them without a copy.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from airtcp.data.plain import is_printable_json
from airtcp.questions.result_files import REPORT, Written
from airtcp.words import sentences as words
from airtcp.words.answer import answered, answered_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars as pl

    from airtcp import _core
    from airtcp.data.documents import CompareDocument, RunDocument, SchemesDocument, StudyDocument
    from airtcp.data.table import Table
    from airtcp.questions.run.rows_timeline import Timeline

    _Seeded = _core.StudyResult | _core.RunResult | _core.CompareResult | _core.SchemesResult

_OPTIONS: Final = '"options":{'
Why = Literal["auto", "yes", "no"]
"""Whether to find what limits the flows of a run."""


class TableResult(Written):
    """A result of the extension module: a document and tables."""

    def __init__(
        self, core: _Seeded | _core.CaptureResult, asked: Mapping[str, Any] | None = None
    ) -> None:
        """Hold the result.

        Args: core: The result of the extension module. asked: Options that the document lacks, such
            as those of reading traces; they join the document's options.
        """
        self._core = core
        self._asked = {key: value for key, value in (asked or {}).items() if value}

    @cached_property
    def text(self) -> str:
        """The document as JSON text. Equal inputs and seeds give equal text."""
        text = self._bare_text
        return answered_text(text, self._answer(self._bare)) if self._has_answers() else text

    @classmethod
    def _has_answers(cls) -> bool:
        return cls._answer is not TableResult._answer

    @cached_property
    def _bare(self) -> Any:
        """The document without its answer."""
        return json.loads(self._bare_text)

    @cached_property
    def _document(self) -> Any:
        """The document with its answer."""
        return answered(self._bare, self._answer(self._bare))

    @cached_property
    def _bare_text(self) -> str:
        text = self._core.json()
        if not self._asked:
            return text
        more = json.dumps(self._asked, ensure_ascii=False, separators=(",", ":"))
        # Only a schema, a version and a seed precede the options, so the first match is the key.
        return text.replace(_OPTIONS, f"{_OPTIONS}{more[1:-1]},", 1)

    def shown(self) -> Self:
        """Return the same result with names that are safe to show in a terminal."""
        return self if is_printable_json(self._bare_text) else super().shown()

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C stopped the work; the result then holds what is finished."""
        return self._core.interrupted

    @property
    def tables(self) -> list[str]:
        """The names of the tables."""
        return self._core.table_names()

    def arrow(self, table: str) -> _core.Table:
        """Return a table as an object with `__arrow_c_stream__`.

        Args:
            table: One of `tables`.

        Raises:
            KeyError: If no table has this name.
        """
        return self._core.table(table)

    def table(self, table: str) -> Table:
        """Return a table.

        Args:
            table: One of `tables`.

        Raises:
            KeyError: If no table has this name.
        """
        from airtcp.data.table import Table

        return Table(self.arrow(table))

    def to_polars(self, table: str | None = None) -> pl.DataFrame:
        """Return a table as a polars frame; needs polars.

        Args:
            table: One of `tables`; by default the first.
        """
        return self._one(table).to_polars()

    def to_pandas(self, table: str | None = None) -> Any:
        """Return a table as a pandas frame; needs pandas.

        Args:
            table: One of `tables`; by default the first.
        """
        return self._one(table).to_pandas()

    def to_arrow(self, table: str | None = None) -> Any:
        """Return a table as a pyarrow table; needs pyarrow.

        Args:
            table: One of `tables`; by default the first.
        """
        return self._one(table).to_arrow()

    def _one(self, table: str | None) -> Table:
        return self.table(self.tables[0] if table is None else table)

    def _frames(self) -> Iterator[tuple[str, Table]]:
        return ((name, self.table(name)) for name in self.tables)


class _Result(TableResult):
    """A result that depends on a seed."""

    def __init__(self, core: _Seeded, asked: Mapping[str, Any] | None = None) -> None:
        """Hold the result, as `TableResult` does."""
        super().__init__(core, asked)
        self._seed = core.seed

    @property
    def seed(self) -> int:
        """The root seed. Equal seeds, inputs and versions give equal results."""
        return self._seed


class StudyResult(_Result):
    """The result of `study`: one entry for each link."""

    _kind = "study"
    _core: _core.StudyResult

    @cached_property
    def json(self) -> StudyDocument:
        """The document, as `airtcp study --json` prints it."""
        return self._document

    @cached_property
    def links(self) -> Table:
        """One row per link: metrics, and TCP over the trace and over synthetic links."""
        return self.table("links")

    @property
    def findings(self) -> list[words.Finding]:
        """The findings over all links, in words."""
        from airtcp.questions.study import findings as study
        from airtcp.questions.study import findings_capacity as capacity

        found = study.study_findings(self.json["links"]) if self.json["links"] else []
        return [*found, *capacity.capacity_findings(self.json["capacities"])]

    def page(self) -> str:
        """Return the report: one self-contained HTML document."""
        from airtcp.questions.study.sections import study_page

        return study_page(self.json)

    def __len__(self) -> int:
        """Return the number of links."""
        return len(self.json["links"]) + len(self.json["capacities"])

    def __repr__(self) -> str:
        """Describe the result by its size."""
        state = ", interrupted" if self.interrupted else ""
        return f"StudyResult({words.counted(len(self), 'link')}, seed {self.seed}{state})"


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


class RunResult(_Result):
    """The result of `run`: flows and links, per replication and as a summary."""

    _kind = "run"
    _core: _core.RunResult

    def __init__(self, core: _core.RunResult, settings: RunSettings) -> None:
        """Hold the result and the options."""
        super().__init__(core)
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

    def page(self) -> str:
        """Return the report: one self-contained HTML document."""
        from airtcp.pages.command import command
        from airtcp.questions.run.sections import run_page

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
                ("why", None if asked.why == "auto" else asked.why),
                ("html", REPORT),
            ],
        )
        return run_page(self.json, self._series(), self.timeline(), printed, self.schemes_command)

    @property
    def schemes_command(self) -> str | None:
        """The command that compares schemes for the 802.11 cell; `None` without cell or file."""
        from airtcp.pages.command import command

        asked = self._settings
        if asked.scenario == "-" or not self.json["summary"].get("cells"):
            return None
        sets = [f"{path}={value}" for path, value in asked.overrides]
        return command(
            "compare", paths=[asked.scenario], options=[("schemes", "all"), ("set", sets)]
        )

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


class CompareResult(_Result):
    """The result of `compare`: every TCP on every scenario and link."""

    _kind = "compare"
    _core: _core.CompareResult

    @cached_property
    def json(self) -> CompareDocument:
        """The document, as `airtcp compare --json` prints it."""
        return self._document

    @cached_property
    def outcomes(self) -> Table:
        """One row per subject, channel and TCP: means with 95 % confidence intervals."""
        return self.table("outcomes")

    @cached_property
    def runs(self) -> Table:
        """One row per subject, channel, TCP and replication."""
        return self.table("runs")

    @property
    def findings(self) -> list[words.Finding]:
        """The findings of the first subject, in words."""
        from airtcp.questions.compare import findings as compare

        document = self.json
        if not document["subjects"]:
            return []
        return compare.subject_findings(
            document["subjects"][0], document["reference"], document["rival"]
        )

    def page(self) -> str:
        """Return the report: one self-contained HTML document."""
        from airtcp.questions.compare.sections import compare_page

        return compare_page(self.json)

    def __repr__(self) -> str:
        """Describe the result by its size."""
        state = ", interrupted" if self.interrupted else ""
        document = self.json
        return (
            f"CompareResult({words.counted(len(document['variants']), 'TCP')},"
            f" {words.counted(len(document['subjects']), 'subject')},"
            f" seed {self.seed}{state})"
        )


class SchemesResult(_Result):
    """The result of `compare_schemes`: every scheme in every cell."""

    _kind = "schemes"
    _core: _core.SchemesResult

    @cached_property
    def json(self) -> SchemesDocument:
        """The document, as `airtcp compare --schemes ... --json` prints it."""
        return self._document

    @cached_property
    def outcomes(self) -> Table:
        """One row per scenario and variant: means with 95 % confidence intervals."""
        return self.table("outcomes")

    @cached_property
    def differences(self) -> Table:
        """One row per scenario, variant and quantity: the paired difference to the reference."""
        return self.table("differences")

    @cached_property
    def stations(self) -> Table:
        """One row per scenario, variant and station: goodput and airtime."""
        return self.table("stations")

    @property
    def findings(self) -> list[words.Finding]:
        """The findings of the first scenario, in words."""
        from airtcp.questions.compare import findings_cell as schemes

        document = self.json
        if not document["subjects"]:
            return []
        return schemes.findings(document["subjects"][0], document["reference"])

    def page(self) -> str:
        """Return the report: one self-contained HTML document."""
        from airtcp.questions.compare.sections_cell import schemes_page

        return schemes_page(self.json)

    def __repr__(self) -> str:
        """Describe the result by its size."""
        state = ", interrupted" if self.interrupted else ""
        subjects = self.json["subjects"]
        variants = len({v["variant"] for s in subjects for v in s["variants"]})
        return (
            f"SchemesResult({words.counted(variants, 'variant')},"
            f" {words.counted(len(subjects), 'scenario')}, seed {self.seed}{state})"
        )
