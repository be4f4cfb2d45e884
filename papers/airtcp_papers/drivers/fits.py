"""Estimating TCP throughput from PRR, and from PRR and mu (S1, section 7, figures 11 to 13).

Least absolute deviations, as S1 does: `linear`, `quadratic` (PRR squared and a constant),
`inverse-root`, `combined` (S1's "PRR only"), `second-order` and `15-term`. The error is the mean
of |estimate - throughput| over the link's packets per second, here in hundredths.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from airtcp import _core
from airtcp_papers.drivers.base import SETS, Driver, every_set, within
from airtcp_papers.form import Form, Key
from airtcp_papers.outcome import Axis, Layer, Outcome, Plot, repeated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp_papers.context import Context
    from airtcp_papers.link_run import LinkRun

FITS: Final = ("linear", "quadratic", "inverse-root", "combined", "second-order", "15-term")
_UNIT: Final = 100.0
PARAMETERS: Final[Form] = {
    **SETS,
    "prr": Key("interval", "range of PRR of the links", default=[0.2, 0.6]),
    "shows": Key("text", "the fit that is drawn", accepted=FITS, default="second-order"),
}


def fitted(links: Sequence[LinkRun]) -> dict[str, dict[str, Any]]:
    """Fit the links in every form; empty if there are none with a mu."""
    samples = [
        {
            "name": link.name,
            "prr": link.prr,
            "mu": link.mu,
            "packets_per_second": link.tcp,
            "link_packets_per_second": link.rate,
        }
        for link in links
        if link.mu is not None
    ]
    if not samples:
        return {}
    answer = json.loads(_core.fit_throughput(json.dumps({"links": samples})))
    return {fit["name"]: {**fit, "links": answer["links"]} for fit in answer["fits"]}


def _improvement(fits: Mapping[str, Mapping[str, Any]], name: str, key: str) -> float | None:
    if not fits or fits[name][key] is None or not fits["combined"][key]:
        return None
    return 100 * (1 - fits[name][key] / fits["combined"][key])


def measure(context: Context, parameters: Mapping[str, Any], draw: bool) -> Outcome:  # noqa: FBT001
    """Measure."""
    outcome = Outcome()
    for links, runs in every_set(context, parameters, outcome):
        fits = [fitted(within(run, links.prr(parameters["prr"]))) for run in runs]
        for name in FITS:
            at = {"set": links.name, "fit": name}
            why = next((f[name]["problem_text"] for f in fits if f and f[name]["problem_text"]), "")
            out = next(
                (
                    f[name]["leave_one_out_note"]
                    for f in fits
                    if f and f[name]["leave_one_out_note"]
                ),
                "",
            )
            outcome.measures += [
                repeated("error", at, _scaled(fits, name, "error"), "1e-2", why),
                repeated(
                    "left-out error", at, _scaled(fits, name, "leave_one_out_error"), "1e-2", out
                ),
                repeated(
                    "improvement", at, [_improvement(f, name, "error") for f in fits], "%", why
                ),
                repeated(
                    "left-out improvement",
                    at,
                    [_improvement(f, name, "leave_one_out_error") for f in fits],
                    "%",
                    out,
                ),
            ]
        drawn = fits[0].get(parameters["shows"])
        if draw and drawn is not None and drawn["estimates"] is not None:
            outcome.plots.append(_plot(links.name, links.label, links.words, drawn))
    return outcome


def _scaled(
    fits: Sequence[Mapping[str, Mapping[str, Any]]], name: str, key: str
) -> list[float | None]:
    return [None if not fit or fit[name][key] is None else _UNIT * fit[name][key] for fit in fits]


def _plot(name: str, label: str, words: str, fit: Mapping[str, Any]) -> Plot:
    rows = [
        {"x": estimate, "y": link["packets_per_second"], "label": link["name"], "series": label}
        for estimate, link in zip(fit["estimates"], fit["links"], strict=True)
    ]
    ends = [value for row in rows for value in (row["x"], row["y"])]
    line = [{"x": end, "y": end} for end in (min(ends), max(ends))]
    return Plot(
        name,
        f"Throughput against its estimate, {fit['name']} fit: {label}",
        f"{words} On the line the estimate is right.",
        Axis("estimate (packets/s)"),
        Axis("TCP throughput (packets/s)"),
        [Layer("rule", line), Layer("point", rows)],
    )


DRIVER = Driver("fits", "estimating throughput from PRR, and from PRR and mu", PARAMETERS, measure)
