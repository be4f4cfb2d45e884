"""Makes the rows of charts from the document of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.charts.parts import thin
from airtcp.data.metrics import record
from airtcp.questions.compare import quantities
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from airtcp.data.documents import CompareCase, Estimate, Outcome, PairedDifference


_POINTS: Final = 400
CHANNEL_NAMES: Final = {
    "scenario": "the scenario",
    "trace": "the trace",
    "independent": "independent losses",
    "gilbert-elliott": "Gilbert-Elliott",
}
"""The channels of cases in legends."""


def ends(
    value: Estimate | None,
    scale: float = 1.0,
    name: str = "mean",
    names: tuple[str, str] = ("low", "high"),
    limits: tuple[float, float] = words.NOT_NEGATIVE,
) -> dict[str, Any]:
    """Return a mean and the ends of its interval as fields; without one, the mean itself.

    Args:
        value: The estimate.
        scale: Factor to the unit of the chart.
        name: The field of the mean.
        names: The fields of the ends.
        limits: What the ends are cut off at.
    """
    low, high = names
    if value is None or value["mean"] is None:
        return {name: None, low: None, high: None}
    mean = value["mean"]
    least, most = (mean if end is None else end for end in words.bounded(value, limits))
    shown = {name: mean, low: least, high: most}
    return {key: _short(end * scale) for key, end in shown.items()}


def named(
    value: Estimate | None,
    scale: float,
    name: str,
    limits: tuple[float, float] = words.NOT_NEGATIVE,
) -> dict[str, Any]:
    """Return a mean with its ends, in fields that begin with its name; see `ends`."""
    return ends(value, scale, name, (f"{name}_low", f"{name}_high"), limits)


def _short(value: float) -> float:
    return float(f"{value:.5g}")


def mean_row(case: CompareCase, outcome: Outcome) -> dict[str, Any]:
    """Return the row of one outcome for the charts."""
    value, _ = quantities.goodput(outcome)
    difference: PairedDifference | None = outcome["difference"]
    # A difference that was not tested is not drawn.
    tested = difference is not None and not quantities.untested(difference)
    percent = difference["percent"] if difference is not None and tested else None
    of = record("compare", "Outcome")
    return {
        "variant": outcome["variant"],
        "channel": CHANNEL_NAMES[case["channel"]],
        **ends(value),
        **named(percent, 1.0, "gain", words.CHANGE),
        "standing": None if difference is None else difference["standing"],
        "significant": difference is not None and difference["standing"] in {"more", "less"},
        **named(outcome["rtt_mean_s"], of["rtt_mean_s"].scale, "rtt"),
        "rtt_p95": named(outcome["rtt_p95_s"], of["rtt_p95_s"].scale, "p")["p"],
        "delivery": named(outcome["delivery_p95_s"], of["delivery_p95_s"].scale, "d")["d"],
        "left": named(outcome["residual_loss"], of["residual_loss"].scale, "l")["l"],
        "cost": named(outcome["bytes_per_byte"], 1.0, "c")["c"],
        **named(outcome["share"], 100.0, "share", words.SHARE),
        "rival": named(outcome["rival_goodput_bps"], 1e-6, "r")["r"],
    }


def run_rows(cases: list[CompareCase]) -> list[dict[str, Any]]:
    """Return the goodput of every replication, for the chart."""
    return [
        {
            "variant": run["variant"],
            "channel": CHANNEL_NAMES[case["channel"]],
            "value": _short(
                run["goodput_bps"] * 1e-6
                if run["packets_per_second"] is None
                else run["packets_per_second"]
            ),
        }
        for case in cases
        for run in case["runs"]
    ]


def window_rows(case: CompareCase) -> list[dict[str, Any]]:
    """Return the windows over time of the variants of a case."""
    return [
        {"variant": window["variant"], "t": t, "cwnd": cwnd}
        for window in case["windows"]
        for t, cwnd in thin(window["t_s"], window["cwnd_packets"], _POINTS)
    ]
