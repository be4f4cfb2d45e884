"""The results of `compare` and `compare_schemes`."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from airtcp.questions.result import SeededResult
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from airtcp.data.documents import CompareDocument, SchemesDocument
    from airtcp.data.table import Table
    from airtcp.pages.section import Page
    from airtcp.words.answer import Answer


class CompareResult(SeededResult):
    """The result of `compare`: every TCP on every scenario and link."""

    _kind = "compare"

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

    def _answer(self, document: CompareDocument) -> Answer | None:
        from airtcp.questions.compare.answer import answer

        return answer(document)

    def _make_page(self) -> Page:
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


class SchemesResult(SeededResult):
    """The result of `compare_schemes`: every scheme in every cell."""

    _kind = "schemes"

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

    def _answer(self, document: SchemesDocument) -> Answer | None:
        from airtcp.questions.compare.answer_cell import answer

        return answer(document)

    def _make_page(self) -> Page:
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
