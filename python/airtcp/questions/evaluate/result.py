"""Evaluations: the document, the tables, the page and the files."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.document_result import DocumentResult

if TYPE_CHECKING:
    from airtcp.data.table import Table
    from airtcp.pages.section import Page
    from airtcp.questions.evaluate.document import EvaluateDocument
    from airtcp.words.answer import Answer

_VALUES: Final = {"value": float, "low": float, "high": float}


class EvaluateResult(DocumentResult):
    """The result of `evaluate`."""

    _kind = "evaluate"
    _tables = ("criteria", "checks")
    _schemas = {  # noqa: RUF012 - as in the other results
        "criteria": {
            "id": str,
            "title": str,
            "verdict": str,
            "check": str,
            "quantity": str,
            **_VALUES,
            "bound": str,
            "source": str,
            "reason": str,
        },
        "checks": {
            "id": str,
            "name": str,
            "quantity": str,
            "verdict": str,
            **_VALUES,
            "limit": float,
            "beyond": float,
            "unsure": bool,
            "bound": str,
            "bound_source": str,
        },
    }
    json: EvaluateDocument

    @cached_property
    def criteria(self) -> Table:
        """One row per criterion: its verdict, and the value that decides."""
        return self.table("criteria")

    def _criteria(self) -> list[dict[str, Any]]:
        fields = self._schemas["criteria"]
        return [{key: one[key] for key in fields} for one in self.json["criteria"]]  # pyright: ignore[reportGeneralTypeIssues, reportUnknownVariableType]

    def _checks(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for one in self.json["criteria"]:
            for check in one["checks"]:
                plain = {k: v for k, v in check.items() if k in self._schemas["checks"]}
                of = {f"{name}_value": v["value"] for name, v in check["baselines"].items()}
                rows.append({"id": one["id"], **plain, **of})
        return rows

    def _answer(self, document: EvaluateDocument) -> Answer | None:
        from airtcp.questions.evaluate.answer import answer

        return answer(document)

    def _make_page(self) -> Page:
        from airtcp.questions.evaluate.sections import evaluate_page

        return evaluate_page(self.json)

    def __len__(self) -> int:
        """Count the criteria that were evaluated."""
        return sum(one["verdict"] != "not evaluated" for one in self.json["criteria"])

    def __repr__(self) -> str:
        """Name the result by its law and its verdicts."""
        verdicts = [one["verdict"] for one in self.json["criteria"]]
        state = ", interrupted" if self.interrupted else ""
        wrong, attention = verdicts.count("wrong"), verdicts.count("attention")
        return (
            f"EvaluateResult({self.json['law']['label']}: {len(self)} of {len(verdicts)} criteria,"
            f" {wrong} wrong, {attention} need attention{state})"
        )
