"""The page of fits: the estimates of each form, link by link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.charts.parts import assume
from airtcp.pages.command import command
from airtcp.pages.page import indented
from airtcp.pages.section import Page, Plot, Section, some
from airtcp.questions.fit import answer as fit_answer
from airtcp.questions.fit import charts as charts_fit
from airtcp.questions.fit import findings as fit_words
from airtcp.questions.study import findings_link as link_words
from airtcp.words import sentences as words
from airtcp.words.grid import Column, Grid
from airtcp.words.sentences import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.questions.fit.document import Fit, FitDocument

_ONLY_PYTHON: Final = {"segments_per_ack": 2.0, "max_window": 130.0}
"""Parameters of the formulas that are not options of the command, and their defaults."""
_ERRORS: Final = (
    "Mean of |estimate \N{MINUS SIGN} measured| in percent of the link's packets per second."
    " “Left out”: each link estimated by a fit to all others; formulas are not fitted. BIC: lower"
    " is better; only differences have a meaning."
)
_FITS: Final = (
    "Every dot is a link; on the dashed line the estimate is right. Estimates far beyond the"
    " throughput of every link are cut off. Drag to move, Shift and wheel to zoom, double-click to"
    " go back."
)
_FORMULAS: Final = (
    "The formulas take the round-trip time and the loss rate; an estimate is at most the packets"
    " per second of the link."
)
_COEFFICIENTS: Final = "They give the share of the link's packets per second."
_TERMS: Final = {
    "Throughput": (
        "Packets that TCP delivered in order per second over the trace itself, one packet a slot"
        " (Srinivasan et al., “PRR Is Not Enough”, sections 3 and 4)."
    ),
    "Fit": (
        "The coefficients with the least sum of absolute deviations, exactly. The forms are those"
        " of section 7 of that paper; “quadratic” has no linear term, as there."
        " 1/√(1 \N{MINUS SIGN} x) is evaluated at most at x = 1 \N{MINUS SIGN} 10⁻⁶."
    ),
    "Left out": (
        "Each link estimated by a fit to all others: the mean and the median (“typically”), which"
        " outliers do not change."
    ),
    "BIC": (
        "Bayesian information criterion for errors with Laplace's distribution: (k + 1) ln n + 2 n"
        " (ln 2e + 1), with k coefficients, n links and mean error e."
    ),
    "Formulas": (
        "Packet loss rate p = 1 \N{MINUS SIGN} PRR, as in the paper. An estimate above the rate"
        " of the link is replaced by that rate."
    ),
}


def fit_page(document: FitDocument) -> Page:
    """Make the page of fits from their document."""
    forms = [fit for fit in document["fits"] if fit["estimates"] is not None]
    plots = _plots(document, [*forms, *document["formulas"]])
    return Page(
        fit_answer.answer(document),
        [
            Section("errors", "Errors", _ERRORS, grid=_errors(document), notes=_problems(document)),
            Section("fits", "Estimate and measurement", _FITS, plots[: len(forms)]),
            Section("formulas", "Published formulas", _FORMULAS, plots[len(forms) :]),
            Section("coefficients", "Coefficients", _COEFFICIENTS, grid=_coefficients(document)),
            *_left_out(document),
            Section("options", "Parameters in force", code=indented(document["options"])),
            Section("method", "Method", terms=tuple(_TERMS.items())),
        ],
        document,
        title=f"Estimating TCP throughput over {words.counted(len(document['links']), 'link')}",
        lead="TCP's throughput over each link, fitted to metrics of the link by least absolute"
        " deviations, beside published formulas.",
        command=_command(document),
        chart=_closest(document, forms),
        facts=_facts(document),
        findings=fit_words.findings(document),
    )


def _closest(document: FitDocument, forms: Sequence[Fit]) -> str:
    """Return the plot of the form that the answer names, or else of the closest formula."""
    winner = fit_words.best(document)
    if winner is not None:
        return f"fit-{forms.index(winner)}"
    errors = [formula["error"] for formula in document["formulas"]]
    return f"fit-{len(forms) + errors.index(min(errors))}" if errors else ""


def _plots(document: FitDocument, shown: Sequence[Any]) -> tuple[Plot, ...]:
    """Draw each form, in the fit and left out, and each formula."""
    links = document["links"]
    top = max([link["packets_per_second"] for link in links], default=0.0) or 1.0
    rates = [link["link_packets_per_second"] for link in links]
    line = [{"at": end} for end in (-top, max(rates, default=1.0))]
    note = link_words.rate_note(document["slot_assumed_links"], len(links))
    plots: list[Plot] = []
    for index, found in enumerate(shown):
        out = found.get("leave_one_out_estimates")
        estimates: list[float] = found["estimates"] or []
        whole = "source" in found
        chart = charts_fit.estimate("estimate", estimates, top, len(links), whole=whole)
        views: tuple[tuple[str, str, Any], ...] = ()
        if out is not None:
            left = charts_fit.estimate("left_out", out, top, len(links))
            views = ((f"fit-{index}-out", "left out", assume(left, note)),)
        plots.append(
            Plot(
                f"fit-{index}",
                found["name"],
                _caption(found, formula=whole),
                assume(chart, note),
                {"points": _points(document, estimates, out), "line": line},
                views,
                label="in the fit",
            )
        )
    return tuple(plots)


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


def _errors(document: FitDocument) -> Grid:
    fits, formulas = document["fits"], document["formulas"]
    every: list[Any] = [*fits, *formulas]
    sample = [each["error"] for each in every]
    left_out = [fit["leave_one_out_error"] for fit in fits] + sample[len(fits) :]
    typical = [fit["leave_one_out_median"] for fit in fits] + [None] * len(formulas)
    bic = [each["bic"] for each in every]
    sizes = [len(fit["terms"]) for fit in fits] + [0] * len(formulas)
    columns = [
        Column("Left out %", list(map(percent, left_out)), keys=left_out),
        Column("In sample %", list(map(percent, sample)), keys=sample),
        Column("Typically %", list(map(percent, typical)), keys=typical),
        Column("BIC", ["-" if x is None else words.number(x, 4) for x in bic], keys=bic),
        Column("Coefficients", list(map(str, sizes)), keys=sizes),
    ]
    return Grid("Form", [each["name"] for each in every], columns)


def _coefficients(document: FitDocument) -> Grid:
    rows = [
        (fit["name"], term, value)
        for fit in document["fits"]
        for term, value in zip(fit["terms"], fit["coefficients"] or [], strict=False)
    ]
    values = [value for _, _, value in rows]
    columns = [
        Column("Term", [term for _, term, _ in rows], left=True),
        Column("Coefficient", [words.number(value, 4) for value in values], keys=values),
    ]
    return Grid("Form", [name for name, _, _ in rows], columns)


def _problems(document: FitDocument) -> tuple[str, ...]:
    return tuple(
        f"{fit['name']}: not fitted: {fit['problem_text']}."
        for fit in document["fits"]
        if fit["problem_text"]
    )


def _left_out(document: FitDocument) -> tuple[Section, ...]:
    """Name the links and files that no form is fitted to."""
    links = [f"{link['name']}: {link['reason']}" for link in document["left_out"]]
    files = [f"{file['path']}: {file['reason']}" for file in document["skipped"]]
    notes = (*some(links), *some(files))
    about = "Links that no form is fitted to, and files that were not read."
    return (Section("left-out", "Left out", about, notes=notes),) if notes else ()


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
