"""Remedies on the pages of a comparison and of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.pages.section import Plot, Section
from airtcp.questions.compare import charts as charts_compare
from airtcp.questions.compare import findings, quantities, tables_remedies
from airtcp.questions.compare import findings_remedies as remedies_words
from airtcp.questions.compare.rows import mean_row

if TYPE_CHECKING:
    from airtcp.data.documents import Remedies


_ABOUT: Final = {
    "losses": "Transports with erasure coding (LT-TCP, sliding) and link protocols (LL-ARQ,"
    " LL-HARQ) over the same channel, each compared with plain TCP.",
    "delay": "Queue disciplines, and a transport that keeps the queue short by itself, over the"
    " same link, each compared with TCP and the queue as it is.",
}


def remedies_section(remedies: Remedies, suffix: str = "") -> Section:
    """Return the section on the remedies on one scenario or link.

    Args: remedies: The remedies. suffix: Suffix of its names, which makes them unique on the page.
    """
    return Section(
        f"remedies{suffix}",
        remedies_words.TITLES[remedies["aim"]],
        _ABOUT[remedies["aim"]],
        _plots(remedies, suffix),
        tables_remedies.grid(remedies, ""),
        notes=(*(each.text for each in findings.not_ranked(remedies)), *remedies["notes"]),
    )


def _plots(remedies: Remedies, suffix: str) -> tuple[Plot, ...]:
    outcomes, reference = remedies["outcomes"], remedies["reference"]
    variants = [outcome["variant"] for outcome in outcomes]
    unit = quantities.goodput(outcomes[0])[1]
    means = [mean_row(remedies, outcome) for outcome in outcomes]
    tested = any(row["gain"] is not None for row in means)
    return (
        Plot(
            f"remedies-goodput{suffix}",
            "Goodput with each remedy",
            "Payload delivered in order. The dot is the mean, the bar its 95 % confidence interval:"
            " of the mean, not of a difference.",
            charts_compare.goodput(variants, unit, several=False, runs=False),
            {"means": means},
        ),
        Plot(
            f"remedies-difference{suffix}",
            f"Difference to {reference} alone",
            "Paired, so that the effect of the channel cancels; the bar is the 95 % interval."
            " Faint: not significant.",
            charts_compare.difference(variants, reference, several=False),
            {"means": means if tested else [], "unit": [{}]},
        ),
        Plot(
            f"remedies-trade{suffix}",
            "Goodput and delivery time",
            "Up is more goodput, left is a shorter delivery time (95 %): from the first"
            " transmission of data until the application has them in order.",
            charts_compare.trade_off(variants, unit),
            {"means": means if any(row["delivery"] for row in means) else []},
            wide=True,
        ),
    )
