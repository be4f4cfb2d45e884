"""Remedies on the pages of a comparison and of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.questions.compare import charts as charts_compare
from airtcp.questions.compare import findings as compare
from airtcp.questions.compare import findings_remedies as remedies_words
from airtcp.questions.compare import slot_limits
from airtcp.questions.compare.rows import mean_row, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import Link, Remedies


_ABOUT: Final = {
    "losses": "Transports with erasure coding (LT-TCP, sliding) and link protocols (LL-ARQ,"
    " LL-HARQ) over the same channel, each compared with plain TCP.",
    "delay": "Queue disciplines, and a transport that keeps the queue short by itself, over the"
    " same link, each compared with TCP and the queue as it is.",
}


def section(remedies: Remedies, suffix: str = "") -> dict[str, Any]:
    """Return the section on the remedies on one scenario or link.

    Args: remedies: The remedies. suffix: Suffix of its chart names, which makes them unique on the
        page.

    Returns: The values of the template, with `charts` and `data` for the payload.
    """
    outcomes, reference = remedies["outcomes"], remedies["reference"]
    variants = [outcome["variant"] for outcome in outcomes]
    unit = compare.goodput(outcomes[0])[1]
    means = [mean_row(remedies, outcome) for outcome in outcomes]
    drawn: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "remedies-goodput": (
            charts_compare.goodput(variants, unit, several=False, runs=False),
            {"means": means},
        )
    }
    if any(row["gain"] is not None for row in means):
        chart = charts_compare.difference(variants, reference, several=False)
        drawn["remedies-difference"] = (chart, {"means": means, "unit": [{}]})
    if any(row["delivery"] for row in means):
        chart = charts_compare.trade_off(variants, unit)
        drawn["remedies-trade"] = (chart, {"means": means})
    return {
        "charts": {f"{name}{suffix}": chart for name, (chart, _) in drawn.items()},
        "data": {f"{name}{suffix}": rows for name, (_, rows) in drawn.items()},
        "plots": list(drawn),
        "suffix": suffix,
        "reference": reference,
        "title": remedies_words.TITLES[remedies["aim"]],
        "about": _ABOUT[remedies["aim"]],
        "findings": remedies_words.findings(remedies),
        "table": table(remedies, reference, None),
        "notes": remedies["notes"],
        "several": None,
    }


def helped(links: Sequence[Link]) -> dict[str, Any] | None:
    """Return the part of a study's page on remedies.

    Args:
        links: The links of the study.

    Returns: As `section`; for several links a table with a row for each; None without remedies.
    """
    tried = [
        (link["name"], slot_limits.remedies(each, link["tcp"]["slot_s"]))
        for link in links
        if (each := link.get("remedies"))
    ]
    if not tried:
        return None
    if len(tried) == 1:
        return section(tried[0][1])
    return {
        "charts": {},
        "data": {},
        "plots": [],
        "findings": [remedies_words.several(tried)],
        "notes": list(dict.fromkeys(note for _, each in tried for note in each["notes"])),
        "several": {
            "head": ["What would help", "By how much"],
            "rows": [
                [name, found.headline, found.text]
                for name, each in tried
                for found in [remedies_words.conclusion(each)]
            ],
        },
    }
