"""Fits in words: the best form, and the value of mu and further metrics.

Errors are mean absolute errors in percent of the link's packets per second. The error on left-out
links decides, because a form with many coefficients can overfit.
"""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING, Final

from airtcp.data.extension import mean_interval
from airtcp.words.sentences import (
    SLOT_ASSUMED,
    Finding,
    begun,
    count,
    counted,
    number,
    percent,
    signed,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from airtcp.questions.fit.document import Fit, FitDocument

PRR_ONLY: Final = "combined"
"""S1's "PRR only": the form with every term in PRR."""
WITH_MU: Final = ("second-order", "15-term")
"""S1's forms in PRR and mu."""
WITH_METRIC: Final = ("prr & mu + {}", "prr & mu & {}", "15-term + {}")
HUNDREDTHS: Final = "PRR in hundredths?"
"""Headline of the note that ratios look too small."""
_OVERFIT: Final = 2.0
"""Least ratio of the left-out to the in-sample error that is reported as overfitting."""
_ENOUGH: Final = 3
_SMALL_SCALE: Final = 0.011
"""Ratios that never exceed this are probably hundredths of delivery ratios."""
_MANY: Final = 100
"""Fewest links for that note."""


def best(document: FitDocument, names: Iterable[str] | None = None) -> Fit | None:
    """Return the form with the least error on left-out links, of all or of `names`."""
    chosen = None if names is None else list(names)
    known = [
        fit
        for fit in document["fits"]
        if fit["leave_one_out_error"] is not None and (chosen is None or fit["name"] in chosen)
    ]
    return min(known, key=lambda fit: fit["leave_one_out_error"] or 0.0, default=None)


def improvement(document: FitDocument, before: Fit, after: Fit) -> tuple[float, float] | None:
    """Return how far one form's error on left-out links is below another's.

    Returns:
        The mean over links of the difference of absolute errors, in parts of the link's packets
        per second, and half its 95 % confidence interval; none if either has no such errors.
    """
    first, second = before["leave_one_out_estimates"], after["leave_one_out_estimates"]
    links = document["links"]
    if first is None or second is None or len(links) < _ENOUGH:
        return None
    differences = [
        (abs(a - link["packets_per_second"]) - abs(b - link["packets_per_second"]))
        / link["link_packets_per_second"]
        for a, b, link in zip(first, second, links, strict=True)
    ]
    ends = mean_interval(differences)
    return ends and (mean(differences), (ends[1] - ends[0]) / 2)


def _worth(document: FitDocument, before: Fit, after: Fit, what: str) -> Finding | None:
    """State the value of further terms on left-out links."""
    change = improvement(document, before, after)
    error, left = before["leave_one_out_error"], after["leave_one_out_error"]
    if change is None or not error or left is None:
        return None
    gain, half = change
    part = 100 * (1 - left / error)
    shown = (
        f"On links left out, the error goes from {percent(error)} % ({before['name']}) to"
        f" {percent(left)} % ({after['name']}): {number(abs(100 * gain), 2)}"
        f" \N{PLUS-MINUS SIGN} {number(100 * half, 2)} points {'less' if gain > 0 else 'more'}."
    )
    if before["error"] and after["error"] is not None:
        inside = 100 * (1 - after["error"] / before["error"])
        shown += f" In the fit the error changes by {signed(-inside)} %."
    if abs(gain) <= half:
        return Finding(f"{what}: no significant gain", shown)
    if gain > 0:
        return Finding(f"{what}: {number(part, 2)} % less error", shown, "good")
    return Finding(f"{what}: more error", shown, "bad")


def findings(document: FitDocument) -> list[Finding]:
    """Return the findings of the fits, the most useful first."""
    found: list[Finding] = []
    with_mu = best(document, WITH_MU)
    compared = [("mu", best(document, [PRR_ONLY]), with_mu)]
    for metric in document["options"]["metrics"]:
        names = [name.format(metric) for name in WITH_METRIC]
        compared.append((metric, with_mu, best(document, names)))
    for what, before, after in compared:
        if before is not None and after is not None:
            worth = _worth(document, before, after, what)
            found += [] if worth is None else [worth]
    found += _conditions(document)
    found += _overfits(document["fits"])
    return [*found, *_missing(document)]


def _missing(document: FitDocument) -> list[Finding]:
    """Name the forms that were not fitted, and the links that were left out."""
    found: list[Finding] = []
    if text := document["shortfall"]:
        found.append(Finding("Some forms were not fitted", f"{begun(text)}.", "warn"))
    if document["left_out"]:
        first = document["left_out"][0]
        found.append(
            Finding(
                f"{count(len(document['left_out']))} left out",
                f"Links that lack a quantity, such as {first['name']}: {first['reason']}.",
                "warn",
            )
        )
    return found


def _conditions(document: FitDocument) -> list[Finding]:
    """State how the links of a fit were measured, and what was left out."""
    found: list[Finding] = []
    links = counted(len(document["links"]), "link")
    if document["order_drawn_links"]:
        found.append(
            Finding(
                "Order not measured",
                f"For {count(document['order_drawn_links'])} of {links} the file counts losses"
                " without their order, which was drawn at random: mu, bursts and TCP's throughput"
                " are those of the drawn order, not the link's own.",
                "warn",
            )
        )
    if document["slot_assumed_links"]:
        found.append(
            Finding(
                SLOT_ASSUMED.capitalize(),
                f"For {count(document['slot_assumed_links'])} of {links} neither the trace nor an"
                " option gives the time between packets: packets/s are in proportion to it, errors"
                " in percent are not.",
                "warn",
            )
        )
    if document["capacities"]:
        first = document["capacities"][0]
        found.append(
            Finding(
                f"{count(len(document['capacities']))} left out: no losses",
                f"Links of varying capacity, such as {first}: their files say nothing about"
                " losses.",
                "warn",
            )
        )
    ratios = [link["prr"] for link in document["links"] if link["prr"] > 0]
    if len(ratios) >= _MANY and max(ratios) <= _SMALL_SCALE:
        found.append(
            Finding(
                HUNDREDTHS,
                f"No PRR of {links} exceeds {number(max(ratios))}: they look like hundredths of"
                " delivery ratios.",
                "warn",
            )
        )
    return found


def _overfits(fits: Sequence[Fit]) -> list[Finding]:
    """Name the forms that overfit, the worst with its numbers."""
    bad = [
        fit
        for fit in fits
        if fit["error"] is not None
        and fit["leave_one_out_error"] is not None
        and fit["leave_one_out_error"] > _OVERFIT * fit["error"]
    ]
    if not bad:
        return []
    worst = max(bad, key=lambda fit: fit["leave_one_out_error"] or 0.0)
    names = ", ".join(fit["name"] for fit in bad)
    return [
        Finding(
            f"{count(len(bad))} overfit" if len(bad) > 1 else f"{worst['name']} overfits",
            f"{names}: on links left out the error is more than twice that on the links of the"
            f" fit. {worst['name']} with {counted(len(worst['terms']), 'coefficient')}:"
            f" {percent(worst['error'])} % in the fit, {percent(worst['leave_one_out_error'])} %"
            f" left out (median {percent(worst['leave_one_out_median'])} %).",
            "warn",
        )
    ]
