"""Scores of models of bursty links: the document, the table, the page and the files."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from airtcp.questions.result_files import Written
from airtcp.words.answer import answered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from airtcp.data.table import Table
    from airtcp.pages.section import Page
    from airtcp.words.answer import Answer


class ModelScores(Written):
    """The result of `models`, as files."""

    _kind = "models"

    def __init__(self, document: dict[str, Any]) -> None:
        """Hold the document that `models` makes."""
        self.json = answered(document, self._answer(document))

    def _answer(self, document: dict[str, Any]) -> Answer | None:
        from airtcp.questions.trace.answer_models import answer

        return answer(document)

    @cached_property
    def text(self) -> str:
        """The document as JSON text."""
        return json.dumps(self.json, ensure_ascii=False)

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """One row a link and synthesiser."""
        return _rows(self.json)

    @property
    def table(self) -> Table:
        """The rows as a table."""
        from airtcp.data.table import Table

        return Table.from_rows(self.rows)

    def _frames(self) -> Iterator[tuple[str, Table]]:
        yield "scores", self.table

    def _make_page(self) -> Page:
        from airtcp.questions.trace.sections import models_page

        return models_page(self.json)


def _rows(document: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a link and synthesiser."""
    rows: list[dict[str, Any]] = []
    for link in document["links"]:
        for score in link["scores"]:
            row = {
                "link": link["name"],
                "synthesiser": score["synthesiser"],
                "trace_packets_per_second": link["empirical"]["packets_per_second"],
                "trace_longest_success_burst": link["empirical"]["longest_success_burst"],
                "throughput_error": score["throughput_error"],
                "longest_burst_log_ratio": score["longest_burst_log_ratio"],
            }
            for key in ("packets_per_second", "prr", "longest_success_burst", "success_excess"):
                row[key] = score[key]["mean"]
            rows.append(row)
    return rows
