"""Fits of TCP throughput: the document, the tables, the page and the files."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from airtcp.questions.document_result import DocumentResult
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from airtcp.data.table import Table
    from airtcp.pages.section import Page
    from airtcp.questions.fit.document import FitDocument
    from airtcp.words.answer import Answer

_ERRORS = ("error", "leave_one_out_error", "leave_one_out_median", "bic")
_SCHEMAS: dict[str, dict[str, type]] = {
    "fits": {
        "name": str,
        "kind": str,
        "formula": str,
        "links": int,
        "coefficients": int,
        **dict.fromkeys(_ERRORS, float),
        "problem": str,
    },
    "coefficients": {"name": str, "term": str, "coefficient": float},
    "estimates": {
        "name": str,
        "kind": str,
        "link": str,
        "packets_per_second": float,
        "estimate": float,
        "leave_one_out_estimate": float,
    },
}


class FitResult(DocumentResult):
    """The result of `trace_fit`: forms and formulas side by side."""

    _kind = "fit"
    _tables = ("fits", "coefficients", "estimates", "links")
    _schemas = _SCHEMAS
    json: FitDocument

    @cached_property
    def fits(self) -> Table:
        """One row per form or formula: its errors and its BIC."""
        return self.table("fits")

    def _fits(self) -> list[dict[str, Any]]:
        forms = [
            {
                "name": fit["name"],
                "kind": "fit",
                "formula": fit["formula"],
                "links": len(self.json["links"]),
                "coefficients": len(fit["terms"]),
                **{key: fit[key] for key in _ERRORS},
                "problem": fit["problem_text"],
            }
            for fit in self.json["fits"]
        ]
        formulas = [
            {
                "name": found["name"],
                "kind": "formula",
                "formula": found["formula"],
                "links": len(self.json["links"]),
                "coefficients": 0,
                "error": found["error"],
                "bic": found["bic"],
            }
            for found in self.json["formulas"]
        ]
        return forms + formulas

    def _coefficients(self) -> list[dict[str, Any]]:
        return [
            {"name": fit["name"], "term": term, "coefficient": value}
            for fit in self.json["fits"]
            for term, value in zip(fit["terms"], fit["coefficients"] or [], strict=False)
        ]

    def _estimates(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for kind, group in (("fit", self.json["fits"]), ("formula", self.json["formulas"])):
            for found in group:
                out = found.get("leave_one_out_estimates")
                rows += [
                    {
                        "name": found["name"],
                        "kind": kind,
                        "link": link["name"],
                        "packets_per_second": link["packets_per_second"],
                        "estimate": estimate,
                        "leave_one_out_estimate": out[i] if out else None,
                    }
                    for i, (link, estimate) in enumerate(
                        zip(self.json["links"], found["estimates"] or [], strict=False)
                    )
                ]
        return rows

    def _links(self) -> list[dict[str, Any]]:
        return [
            {key: value for key, value in link.items() if key != "metrics"} | link["metrics"]
            for link in self.json["links"]
        ]

    def _answer(self, document: FitDocument) -> Answer | None:
        from airtcp.questions.fit.answer import answer

        return answer(document)

    def _make_page(self) -> Page:
        from airtcp.questions.fit.sections import fit_page

        return fit_page(self.json)

    def __len__(self) -> int:
        """Count the links that were fitted."""
        return len(self.json["links"])

    def __repr__(self) -> str:
        """Name the result by its size."""
        done = sum(fit["problem"] is None for fit in self.json["fits"])
        state = ", interrupted" if self.interrupted else ""
        links = words.counted(len(self), "link")
        return f"FitResult({links}, {done} of {len(self.json['fits'])} forms{state})"
