"""The answer of `trace fit`: how closely forms and published formulas predict TCP's throughput.

Errors are mean absolute errors in percent of the link's packets per second. A form is judged on
links that were left out of its fit, because one with many coefficients can overfit.
"""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING, Any, Final

from airtcp.data.extension import mean_interval
from airtcp.questions.fit import findings as fit_words
from airtcp.questions.fit.findings import PRR_ONLY, WITH_MU, best, improvement
from airtcp.words import notes
from airtcp.words import sentences as words
from airtcp.words.answer import DEEPER, Answer
from airtcp.words.grid import Column, Grid, elided
from airtcp.words.sentences import SLOT_ASSUMED, Finding, counted, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.questions.fit.document import Fit, FitDocument, Prediction

ROWS: Final = 14
"""Forms and formulas in the table."""
_ENOUGH: Final = 3
"""Fewest links for an interval of a difference."""
_NAME: Final = 28
"""Characters of a name in the table."""
_FORMULA: Final = 36
"""Most characters of a formula in the table."""


def answer(document: FitDocument) -> Answer | None:
    """Return the answer of a fit; none without a link."""
    if not document["links"]:
        return None
    return Answer(
        headline(document),
        _metrics(document),
        _doubt(document),
        _table(document),
        DEEPER,
        (_every(document), *fit_words.findings(document), *_unread(document)),
    )


def headline(document: FitDocument) -> str:
    """Say which form and which formula predict TCP best, and by how much each misses."""
    winner = best(document)
    formula = min(document["formulas"], key=lambda each: each["error"], default=None)
    if winner is None:
        links = counted(len(document["links"]), "link")
        if formula is None:
            return f"No form can be fitted to {links}."
        error = _error(formula["error"])
        return (
            f"No form can be fitted to {links}; of the formulas {formula['name']} is closest, with"
            f" a mean error of {error}."
        )
    error = _error(winner["leave_one_out_error"] or 0.0)
    start = (
        f"The form {winner['name']} predicts TCP's throughput over links outside its fit with a"
        f" mean error of {error}"
    )
    if formula is None:
        return f"{start}."
    name, error = formula["name"], _error(formula["error"])
    side = _closer(document, winner, formula)
    if side > 0:
        return f"{start}; the best formula, {name}, has a larger one ({error})."
    if side < 0:
        return f"{start}; the formula {name} is closer without a fit ({error})."
    return f"{start}; the formula {name}, without a fit, is not shown to be worse ({error})."


def _closer(document: FitDocument, winner: Fit, formula: Prediction) -> int:
    """Return 1 if a fit is shown to be closer than a formula, -1 if the formula is, else 0."""
    left_out = winner["leave_one_out_estimates"]
    links = document["links"]
    if left_out is None or len(links) < _ENOUGH:
        return 0
    differences = [
        (abs(theirs - link["packets_per_second"]) - abs(ours - link["packets_per_second"]))
        / link["link_packets_per_second"]
        for ours, theirs, link in zip(left_out, formula["estimates"], links, strict=True)
    ]
    ends = mean_interval(differences)
    if ends is None or ends[0] <= 0 <= ends[1]:
        return 0
    return 1 if mean(differences) > 0 else -1


def _error(share: float) -> str:
    return f"{words.number(100 * share, 2)} %"


def _metrics(document: FitDocument) -> str | None:
    """Say what mu, and metrics that were asked for, add to PRR."""
    with_mu = best(document, WITH_MU)
    asked: Sequence[str] = document["options"]["metrics"]
    compared = [("mu", "PRR", best(document, [PRR_ONLY]), with_mu)]
    for metric in asked:
        names = [name.format(metric) for name in fit_words.WITH_METRIC]
        compared.append((metric, "PRR and mu", with_mu, best(document, names)))
    what, beside, before, after = compared[-1]
    if before is None or after is None:
        return None
    change, error = improvement(document, before, after), before["leave_one_out_error"]
    left = after["leave_one_out_error"]
    if change is None or not error or left is None:
        return None
    gain, half = change
    name = elided(what, 40)
    if abs(gain) <= half:
        return f"Knowing {name} beside {beside} is not shown to help: more links would tell."
    much = words.number(abs(100 * (1 - left / error)), 2)
    if gain > 0:
        return f"Knowing {name} beside {beside} lowers the error by {much} %."
    return f"Knowing {name} beside {beside} raises the error by {much} %: the form overfits."


def _doubt(document: FitDocument) -> str | None:
    """Say what the answer rests on that could be wrong; the most serious first."""
    links = counted(len(document["links"]), "link")
    drawn, skipped = document["order_drawn_links"], document["skipped"]
    left = len(document["left_out"]) + len(document["capacities"])
    missing = sum(fit["problem"] is not None for fit in document["fits"])
    tiny = any(f.headline == fit_words.HUNDREDTHS for f in fit_words.findings(document))
    doubts = (
        (document["interrupted"], f"The work was stopped: {links} fitted."),
        (skipped, notes.not_read(skipped) if skipped else ""),
        (drawn, f"For {words.count(drawn)} of {links} the order of losses was drawn at random."),
        (tiny, "The PRRs look like hundredths of delivery ratios: none exceeds a hundredth."),
        (left, f"{counted(left, 'link was', 'links were')} left out: --details."),
        (missing, f"{counted(missing, 'form')} cannot be fitted to {links}: --details."),
        (document["slot_assumed_links"], f"Packets/s rest on an assumption: {SLOT_ASSUMED}."),
    )
    return next((said for holds, said in doubts if holds), None)


def _rows(document: FitDocument) -> list[tuple[float | None, Any]]:
    """Return forms and formulas with the error that judges them, the least first."""
    fits = [(fit["leave_one_out_error"], fit) for fit in document["fits"]]
    found: list[tuple[float | None, Any]] = [
        *fits,
        *((formula["error"], formula) for formula in document["formulas"]),
    ]
    return sorted(found, key=lambda pair: (pair[0] is None, pair[0] or 0.0))


def _table(document: FitDocument) -> Grid:
    """Return the table of forms and formulas, the closest first."""
    rows = [pair for pair in _rows(document) if pair[0] is not None or pair[1]["error"] is not None]
    sizes = ["0" if _is(found) else str(len(found["terms"])) for _, found in rows]
    columns = [
        Column("error outside\nthe fit (%)", [percent(error) for error, _ in rows]),
        Column("error in\nthe fit (%)", ["-" if _is(x) else percent(x["error"]) for _, x in rows]),
        Column("terms", sizes, rank=1),
        Column("formula", [_whole(x["formula"]) for _, x in rows], left=True, rank=2),
    ]
    title = f"{counted(len(document['links']), 'link')}; errors in percent of the link's packets/s"
    names = [elided(x["name"], _NAME) for _, x in rows]
    return Grid("fit or formula", names, columns, title, sort=columns[0].heading).first(ROWS)


def _whole(formula: str) -> str:
    """Return a formula, or where to find one that is too long: a part of it says nothing."""
    return formula if len(formula) <= _FORMULA else "--details"


def _is(found: Any) -> bool:
    """Return whether this is a published formula, which is not fitted."""
    return "source" in found


def _every(document: FitDocument) -> Grid:
    """Return the table with every column."""
    every = [*document["fits"], *document["formulas"]]
    fits = document["fits"]
    after = ["-"] * len(document["formulas"])
    left_out = [x["leave_one_out_error"] for x in fits] + [x["error"] for x in document["formulas"]]
    coefficients = [
        "-" if (values := x["coefficients"]) is None else " ".join(map(words.number, values))
        for x in fits
    ]
    columns = [
        Column("left out %", list(map(percent, left_out))),
        Column("in sample %", [percent(x["error"]) for x in every]),
        Column("left out, median %", [percent(x["leave_one_out_median"]) for x in fits] + after),
        Column("BIC", ["-" if x["bic"] is None else words.number(x["bic"], 4) for x in every]),
        Column("coefs", [str(len(x["terms"])) for x in fits] + ["0"] * len(after)),
        Column("formula", [x["formula"] for x in every], left=True),
        Column("coefficients", coefficients + after, left=True),
    ]
    title = (
        "Left out: each link by a fit to all others (formulas fit nothing), mean and median;"
        " coefficients give the share of the link's packets/s"
    )
    return Grid("form", [x["name"] for x in every], columns, title)


def _unread(document: FitDocument) -> list[Finding]:
    return [
        Finding(f"Not read: {one['path']}", f"{one['reason']}.", "warn")
        for one in document["skipped"]
    ]
