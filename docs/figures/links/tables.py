"""Tables of the diagnoses of recorded links: the bounds, and each kind of link."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl

Row = dict[str, Any]
LAWS: Final = ("bbr", "cubic", "reno")
NAMED: Final = 0.95
"""Probability from which a law is named as better."""
GAIN: Final = 1.2
WRONG: Final = 1.5
"""Ratio of a prediction to the kernel's goodput that counts as right, and from which on as wrong."""
HARD: Final = (
    *("policer", "codel", "fq-codel", "pie", "red", "cbr", "cbr-on-off", "tcp-beside"),
    *("application", "no-sack", "step-down", "step-up"),
)
"""Kinds that one rate and one drop-tail queue do not describe."""
REFUSABLE: Final = ("policer", "tcp-beside")
UNKNOWN: Final = ("weak", "none")


def _of(found: Sequence[object], of: Sequence[object]) -> str:
    return f"{len(found)} of {len(of)}" if of else "-"


def _answered(rows: list[Row]) -> str:
    return _of([row for row in rows if row["answered"]], rows)


def _refused(rows: list[Row]) -> str:
    refused = [row for row in rows if not row["answered"]]
    reasons = [
        row
        for row in refused
        if row["kind"] in REFUSABLE or row["rate_kind"] in UNKNOWN or row["obstacle"] == "place"
    ]
    return _of(reasons, refused)


def _measured(rows: list[Row]) -> list[Row]:
    return [
        row
        for row in rows
        if row["rate_true_bps"] and row["rate_bps"] and row["rate_kind"] not in UNKNOWN
    ]


def _rate(rows: list[Row]) -> str:
    measured = _measured(rows)
    near = [
        row
        for row in measured
        if abs(row["rate_bps"] / row["rate_true_bps"] - 1) <= 0.03
        and _covers(row, "rate_bps", row["rate_true_bps"])
    ]
    return _of(near, measured)


def _worst_rate(rows: list[Row]) -> str:
    errors = [abs(math.log(row["rate_bps"] / row["rate_true_bps"])) for row in _measured(rows)]
    return f"{math.exp(max(errors)):.3g}x" if errors else "-"


def _covers(row: Row, key: str, true: float) -> bool:
    low, high = row[f"{key}_low"] or 0.0, row[f"{key}_high"]
    return low <= true * (1 + 1e-6) and (high is None or high >= true * (1 - 1e-6))


def _level(rows: list[Row]) -> str:
    overflown = [
        row for row in rows if row["level_true_packets"] is not None and row["queue_packets"]
    ]
    return _of([row for row in overflown if _is_level(row)], overflown)


def _is_level(row: Row) -> bool:
    true, found = row["level_true_packets"], row["queue_packets"]
    if found is None or row["queue_packets_high"] is None:
        return False
    beyond = max(found - true, true - 1 - found, 0)
    return beyond <= max(2, 0.03 * true)


def _bound(rows: list[Row]) -> str:
    open_ended = [
        row
        for row in rows
        if row["queue_packets_high"] is None
        and row["queue_packets_low"]
        and row["queue_true_packets"]
    ]
    true = [row for row in open_ended if row["queue_packets_low"] <= row["queue_true_packets"]]
    return _of(true, open_ended)


def _origin(rows: list[Row]) -> str:
    seen = [row for row in rows if row["loss_right"] is not None and row["kind"] != "policer"]
    keys = ("right", "wrong", "unknown", "unseen", "false")
    right, wrong, unknown, unseen, false = (sum(row[f"loss_{key}"] for row in seen) for key in keys)
    if not seen:
        return "-"
    return f"{right} of {right + wrong + unknown + unseen}; {false} false"


def _loss(rows: list[Row]) -> str:
    fitted = [row for row in rows if row["link_loss"] is not None and row["kind"] != "policer"]
    return _of([row for row in fitted if _covers(row, "link_loss", row["link_loss_true"])], fitted)


def _inside(law: str) -> Callable[[list[Row]], str]:
    def cell(rows: list[Row]) -> str:
        told = [
            row for row in rows if row[f"{law}_inside"] is not None and row[f"{law}_goodput_bps"]
        ]
        runs, inside = (sum(row[f"{law}_{key}"] for row in told) for key in ("runs", "inside"))
        return f"{inside} of {runs} ({inside / runs:.0%})" if runs else "-"

    return cell


def _width(rows: list[Row]) -> str:
    cells: list[str] = []
    for law in LAWS:
        told = [row for row in rows if row[f"{law}_goodput_bps"]]
        ratios = [
            row[f"{law}_high"] / row[f"{law}_low"]
            if row[f"{law}_high"] and row[f"{law}_low"]
            else math.inf
            for row in told
        ]
        cells.append(f"{statistics.median(ratios):.2f}" if ratios else "-")
    return ", ".join(cells)


def _off(row: Row) -> float:
    """Factor by which the prediction for BBR, relative to the capture, misses the kernel's."""
    return math.exp(abs(math.log(row["bbr_goodput_bps"] / row["bbr_kernel_bps"])))


def _predicted(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["bbr_goodput_bps"] and row["bbr_kernel_bps"]]


def _gain(rows: list[Row]) -> str:
    told = _predicted(rows)
    worst = max((_off(row) for row in told), default=math.nan)
    return f"{_of([row for row in told if _off(row) <= GAIN], told)}; {worst:.2f}x" if told else "-"


def _direction(rows: list[Row]) -> str:
    named = [
        (row, law)
        for row in rows
        for law in ("bbr", "reno")
        if (row[f"{law}_p_better"] or 0) >= NAMED and row[f"{law}_kernel_bps"]
    ]
    wrong = [row for row, law in named if row[f"{law}_kernel_bps"] <= row["observed_bps"]]
    return _of(wrong, named)


def _printed(rows: list[Row]) -> str:
    hard = [row for row in _predicted(rows) if row["kind"] in HARD]
    return _of([row for row in hard if _off(row) > WRONG], hard)


def _time(rows: list[Row]) -> str:
    spent = [row["processor_s"] for row in rows if row["processor_s"] is not None]
    return f"{statistics.median(spent):.1f}, {max(spent):.1f}" if spent else "-"


BOUNDS: Final[tuple[tuple[str, str, Callable[[list[Row]], str]], ...]] = (
    ("answers", ">= 85 %", _answered),
    ("refusals of a policer, TCP beside, an unknown rate, another place", "all", _refused),
    ("rate within 3 % and in its interval, unless weak", ">= 90 %", _rate),
    ("rate: worst error, unless weak", "<= 1.15x", _worst_rate),
    ("queue within max(2, 3 %), with 5 drops", ">= 95 %", _level),
    ("queue: lower bounds that hold", ">= 95 %", _bound),
    ("losses with the right origin", ">= 97 %", _origin),
    ("link loss: interval contains the realised share", ">= 90 %", _loss),
    *((f"runs in the 90 % interval: {law}", "85-97 %", _inside(law)) for law in LAWS),
    (f"median width high/low: {', '.join(LAWS)}", "<= 1.15, 1.6, 1.6", _width),
    ("gain of BBR within 20 %; worst", ">= 90 %; 1.5x", _gain),
    ("better, named wrongly", "none", _direction),
    ("BBR beyond 1.5x where the simple model fails", "none", _printed),
    ("processor seconds of a diagnosis: median, most", "<= 20", _time),
)


def _rows(numbers: Mapping[str, pl.DataFrame]) -> list[Row]:
    return numbers["links/scored.csv"].to_dicts()


def acceptance(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Lay out every bound, for both halves of the links and each build."""
    rows = _rows(numbers)
    builds = sorted({row["build"] for row in rows})
    columns = [
        (build, half)
        for build in builds
        for half in ("train", "held-out", "new")
        if any(row["build"] == build and row["half"] == half for row in rows)
    ]
    heads = "".join(f" {build}, {half} |" for build, half in columns)
    out = [f"| bound | aim |{heads}", f"|---|---|{'---|' * len(columns)}"]
    for name, aim, cell in BOUNDS:
        cells = [
            cell([row for row in rows if row["build"] == build and row["half"] == half])
            for build, half in columns
        ]
        out.append(f"| {name} | {aim} | {' | '.join(cells)} |")
    return "\n".join(out)


def kinds(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Lay out the last build by kind of link."""
    rows = _rows(numbers)
    last = max(row["build"] for row in rows)
    out = [
        "| kind | answered | worst rate | queue | origins | BBR within 20 %; worst | runs: bbr | cubic | reno |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for kind in dict.fromkeys(row["kind"] for row in rows):
        of = [
            row
            for row in rows
            if row["build"] == last and row["kind"] == kind and row["half"] != "new"
        ]
        cells = [
            *(cell(of) for cell in (_answered, _worst_rate, _level, _origin, _gain)),
            *(_inside(law)(of).split(" (")[0] for law in LAWS),
        ]
        out.append(f"| {kind} | {' | '.join(cells)} |")
    return "\n".join(out)


def new(numbers: Mapping[str, pl.DataFrame]) -> str:
    """Lay out each new link."""
    out = [
        "| link | nothing or the own TCP alone, because of | rate, by the true one | origins | BBR, by the kernel's | runs: bbr | cubic | reno |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in (row for row in _rows(numbers) if row["half"] == "new"):
        rate = f"{row['rate_bps'] / row['rate_true_bps']:.3f}" if _measured([row]) else "-"
        gain = f"{row['bbr_goodput_bps'] / row['bbr_kernel_bps']:.2f}" if _predicted([row]) else "-"
        runs = [_inside(law)([row]).split(" (")[0] for law in LAWS]
        cells = [row["link"], row["obstacle"] or "", rate, _origin([row]), gain, *runs]
        out.append(f"| {' | '.join(cells)} |")
    return "\n".join(out)
