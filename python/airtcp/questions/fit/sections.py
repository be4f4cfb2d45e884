"""The page of fits: the estimates of each form, link by link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.charts.parts import assume
from airtcp.pages.command import command
from airtcp.pages.page import indented, render
from airtcp.questions.fit import charts as charts_fit
from airtcp.questions.fit import findings as fit_words
from airtcp.questions.study import findings_link as link_words
from airtcp.words import sentences as words
from airtcp.words.sentences import percent

if TYPE_CHECKING:
    from airtcp.questions.fit.document import FitDocument

_ONLY_PYTHON: Final = {"segments_per_ack": 2.0, "max_window": 130.0}
"""Parameters of the formulas that are not options of the command, and their defaults."""


def fit_page(document: FitDocument) -> str:
    """Make the page of fits.

    Args: document: The document of fits.

    Returns:
        A complete HTML document. Equal documents give equal pages.
    """
    links = document["links"]
    top = max([link["packets_per_second"] for link in links], default=0.0) or 1.0
    plots, charts, points = _drawn(document, top)
    rates = [link["link_packets_per_second"] for link in links]
    ends = [{"at": end} for end in (-top, max(rates, default=1.0))]
    return render(
        "fit.html.j2",
        "points.js",
        {
            "charts": assume(
                charts, link_words.rate_note(document["slot_assumed_links"], len(links))
            ),
            "points": points,
            "line": ends,
        },
        document,
        title=f"Estimating TCP throughput over {words.counted(len(links), 'link')}",
        lead="TCP's throughput over each link, fitted to metrics of the link by least absolute"
        " deviations, beside published formulas.",
        facts=_facts(document),
        findings=fit_words.findings(document),
        plots=plots,
        errors=_errors(document),
        coefficients=_coefficients(document),
        problems=[
            (fit["name"], fit["problem_text"]) for fit in document["fits"] if fit["problem_text"]
        ],
        left_out=document["left_out"],
        skipped=document["skipped"],
        options=indented(document["options"]),
        command=_command(document),
    )


def _drawn(
    document: FitDocument, top: float
) -> tuple[list[dict[str, Any]], dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """Draw each form and formula: plots of the template, charts and points."""
    links = len(document["links"])
    plots: list[dict[str, Any]] = []
    charts: dict[str, Any] = {}
    points: dict[str, list[dict[str, Any]]] = {}
    known = [fit for fit in document["fits"] if fit["estimates"] is not None]
    for index, found in enumerate([*known, *document["formulas"]]):
        name = f"fit-{index}"
        out = found.get("leave_one_out_estimates")
        estimates = found["estimates"] or []
        formula = "source" in found
        charts[name] = charts_fit.estimate("estimate", estimates, top, links, whole=formula)
        views: list[tuple[str, str]] = []
        if out is not None:
            charts[f"{name}-out"] = charts_fit.estimate("left_out", out, top, links)
            views = [(name, "in the fit"), (f"{name}-out", "left out")]
        points[name] = _points(document, estimates, out)
        plots.append(
            {
                "name": name,
                "heading": found["name"],
                "caption": _caption(found, formula=formula),
                "views": views,
                "fit": not formula,
            }
        )
    return plots, charts, points


def _points(
    document: FitDocument, estimates: list[float], out: list[float] | None
) -> list[dict[str, Any]]:
    return [
        {
            "link": link["name"],
            "prr": link["prr"],
            "mu": link["mu"],
            "measured": link["packets_per_second"],
            "estimate": estimate,
            "left_out": out[i] if out else None,
        }
        for i, (link, estimate) in enumerate(zip(document["links"], estimates, strict=True))
    ]


def _caption(found: Any, *, formula: bool) -> str:
    text = f"{found['formula']}: off by {percent(found['error'])} % of the link's packets/s"
    if formula:
        return f"{text}. {found['source']}."
    out = found["leave_one_out_error"]
    if out is None:
        return f"{text}; {found['leave_one_out_note']}."
    return f"{text}, {percent(out)} % on links left out."


def _facts(document: FitDocument) -> list[tuple[str, str]]:
    facts = [("Links", f"{len(document['links'])} of {document['considered']}")]
    options = document["options"]
    chosen = [*options["where"], *options["classes"]]
    if chosen:
        facts.append(("Chosen", ", ".join(chosen)))
    if options["metrics"]:
        facts.append(("Metrics", ", ".join(options["metrics"])))
    if document["study"]:
        facts.append(("TCP profile", str(document["study"].get("profile", "unknown"))))
    return facts


def _errors(document: FitDocument) -> dict[str, Any]:
    rows = [
        [
            fit["name"],
            percent(fit["leave_one_out_error"]),
            percent(fit["error"]),
            percent(fit["leave_one_out_median"]),
            _bic(fit["bic"]),
            str(len(fit["terms"])),
        ]
        for fit in document["fits"]
    ]
    rows += [
        [f["name"], percent(f["error"]), percent(f["error"]), "-", _bic(f["bic"]), "0"]
        for f in document["formulas"]
    ]
    head = ["Left out %", "In sample %", "Typically %", "BIC", "Coefficients"]
    return {"head": head, "rows": rows}


def _bic(value: float | None) -> str:
    return "-" if value is None else words.number(value, 4)


def _coefficients(document: FitDocument) -> dict[str, Any]:
    rows = [
        [fit["name"], term, words.number(value, 4)]
        for fit in document["fits"]
        for term, value in zip(fit["terms"], fit["coefficients"] or [], strict=False)
    ]
    return {"head": ["Term", "Coefficient"], "rows": rows}


def _command(document: FitDocument) -> str:
    asked, studied = document["options"], document["study"] or {}
    formulas, forms = asked["formulas"], asked.get("forms")
    python: dict[str, Any] = {
        name: formulas[name] for name, default in _ONLY_PYTHON.items() if formulas[name] != default
    }
    if forms is not None:
        python["forms"] = {form["name"]: form["terms"] for form in forms}
    return command(
        "trace",
        "fit",
        paths=document["paths"],
        options=[
            ("metric", asked["metrics"]),
            ("where", asked["where"]),
            ("class", asked["classes"]),
            ("rtt-slots", asked["formulas"]["rtt_slots"]),
            ("timeout-slots", asked["formulas"]["timeout_slots"]),
            *((name, studied.get(name)) for name in ("profile", "slot", "replicas")),
            ("seed", document["seed"]),
        ],
        read=asked.get("read"),
        python=python,
    )
