"""The capture rules of radios, and what they change in results of S0 and S3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import polars as pl
import simulate

import airtcp

if TYPE_CHECKING:
    from collections.abc import Mapping

RULES: Final[dict[str, dict[str, Any]]] = {
    "preamble": {"model": "preamble-window"},
    "any8": {"model": "message-in-message", "margin_db": 8},
    "any10": {"model": "message-in-message", "margin_db": 10},
    "cases": {"model": "cases"},
}
#: Their headings in the table.
HEADINGS: Final = (
    "`preamble-window`, 5 dB",
    "`message-in-message`, 8 dB",
    "`message-in-message`, 10 dB",
    "`cases`",
)
FTCA: Final = {"cells[0].schemes": [{"scheme": "ftca"}]}
#: The second station is weaker than the first by so many dB.
APART: Final = {
    db: {"cells[0].propagation.path_loss.losses[1].loss_db": 70 + db} for db in (9, 11, 14, 20)
}
#: Paper, what is measured, scenario, its keys, quantity (of the first flow, or Jain's index), and the published value.
ROWS: Final[tuple[tuple[str, str, str, dict[str, Any], str, str], ...]] = (
    ("S0", "figure 4, upload (Mb/s), 3 attempts", "s0-two-cells", {}, "goodput", "3.22"),
    (
        "S0",
        "figure 4, upload (Mb/s), 7 attempts",
        "s0-two-cells",
        {"cells[0].mac.attempts": 7, "cells[1].mac.attempts": 3},
        "goodput",
        "4.08",
    ),
    ("S3", "star, base, JFI", "s3-star", {}, "jain", "0.95"),
    ("S3", "star, FTCA, JFI", "s3-star", FTCA, "jain", "0.9996"),
    ("S3", "grid, base, JFI", "s3-grid", {}, "jain", "0.84"),
    ("S3", "grid, FTCA, JFI", "s3-grid", FTCA, "jain", "0.97"),
    ("S3", "disc, base, JFI", "s3-disc", {}, "jain", "0.72"),
    ("S3", "disc, FTCA, JFI", "s3-disc", FTCA, "jain", "0.89"),
    ("S3", "figure 3.4, 9 dB, stronger station (Mb/s)", "s3-capture", APART[9], "goodput", "-"),
    ("S3", "figure 3.4, 11 dB, stronger station (Mb/s)", "s3-capture", APART[11], "goodput", "-"),
    ("S3", "figure 3.4, 14 dB, stronger station (Mb/s)", "s3-capture", APART[14], "goodput", "-"),
    ("S3", "figure 3.4, 20 dB, stronger station (Mb/s)", "s3-capture", APART[20], "goodput", "-"),
)


def measure(*_inputs: str) -> dict[str, pl.DataFrame]:
    """Run each scenario with each rule in all cells."""
    rows = []
    for paper, what, name, keys, quantity, published in ROWS:
        for rule, capture in RULES.items():
            cells = range(2 if name == "s0-two-cells" else 1)
            overrides = keys | {f"cells[{i}].capture": capture for i in cells}
            path = simulate.ROOT / "papers" / "scenarios" / f"{name}.toml"
            summary = airtcp.run(path, overrides=overrides).json["summary"]
            found = (
                summary["jain_index"] if quantity == "jain" else summary["flows"][0]["goodput_bps"]
            )
            scale = 1.0 if quantity == "jain" else 1e-6
            rows.append(
                {"paper": paper, "what": what, "published": published, "rule": rule}
                | {key: found[key] * scale for key in ("mean", "ci_low", "ci_high")}
            )
    return {"capture-rules.csv": pl.DataFrame(rows)}


def table(data: Mapping[str, pl.DataFrame]) -> str:
    """Lay out the values with their intervals, one column for a rule."""
    lines = [
        f"| paper | value | published | {' | '.join(HEADINGS)} |",
        f"|---|---|---|{'---|' * len(HEADINGS)}",
    ]
    rows = data["capture-rules.csv"].to_dicts()
    for paper, what, *_rest, published in ROWS:
        found = {one["rule"]: one for one in rows if (one["paper"], one["what"]) == (paper, what)}
        cells = [
            f"{one['mean']:.3f} [{one['ci_low']:.3f}, {one['ci_high']:.3f}]"
            for one in (found[rule] for rule in RULES)
        ]
        lines.append(f"| {paper} | {what} | {published} | {' | '.join(cells)} |")
    return "\n".join(lines)
