"""Published measurements through captures: the driver, and the functions that it uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import airtcp
import airtcp_papers
from airtcp_papers.drivers import captures, read_figure
from airtcp_papers.expected_goodput import expected
from airtcp_papers.form import PaperError
from airtcp_papers.library import Library, default_root
from airtcp_papers.loss_clusters import clusters
from example_paper import BARE, write_paper

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = """
duration = "6 s"
warmup = "0 s"
[[links]]
from = "server"
to = "ap"
rate = "100 Mb/s"
[[cells]]
standard = "802.11b"
layout = { kind = "star", stations = 1 }
mac.attempts = 4
residual_error = "20 %"
[[flows]]
from = "server"
to = "sta0"
tcp = { max_window = 16 }
"""
FIGURE = """
id = "T1.fig1"
title = "A download"
kind = "figure"
measures = "losses"
source = { item = "Figure 1" }

[experiment]
driver = "captures"
scenario = "scenarios/one.toml"
radio = "ap"
measure = ["throughput", "throughput error", "retransmissions", "retransmissions error",
  "raw loss", "true raw loss", "raw loss error", "residual loss error", "attempts error",
  "MAC throughput error", "rates error", "window / RTT", "loss events"]
scatter = true
runs = 2

[[experiment.axis]]
name = "polling"
[experiment.axis.values]
none = { "flows[0].tcp.max_window" = 8 }
"2" = { "cells[0].interference" = [{ kind = "polling", on = "60 ms" }] }

[[claim]]
words = "interruptions lose packets"
left = "retransmissions[polling=2]"
op = ">"
right = "retransmissions[polling=none]"
"""


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """A folder of papers with one figure that is measured through captures."""
    return write_paper(
        tmp_path / "papers", paper=BARE, figure=FIGURE, scenario=("one.toml", SCENARIO)
    )


def test_captures_agree_with_the_run(papers: Path) -> None:
    (figure,) = airtcp_papers.reproduce(papers=papers, cache=False).figures
    found = {(m.metric, m.at["polling"]): m for m in figure.outcome.measures}
    for polling in ("none", 2):
        for name, most in (
            ("retransmissions error", 0.0),
            ("throughput error", 2.0),
            ("raw loss error", 1.0),
            ("residual loss error", 1.0),
            ("attempts error", 1.0),
            ("MAC throughput error", 2.0),
            ("rates error", 1.0),
        ):
            value = found[name, polling].value
            assert value is not None
            assert value <= most, (name, polling)
        each = found["raw loss", polling].each
        assert each is not None
        # Each run has its own seed.
        assert each[0] != each[1]
    # The access point loses frames to noise, and to the interruptions as well.
    assert (found["true raw loss", "none"].value or 0) > 15
    assert (found["retransmissions", 2].value or 0) > (found["retransmissions", "none"].value or 0)
    # The window is known where a variant sets it.
    assert found["window / RTT", "none"].value is not None
    assert found["window / RTT", 2].value is None
    (plot,) = figure.outcome.plots
    assert {row["series"] for row in plot.layers[0].rows} <= {"none", "2"}
    assert len(plot.layers[0].rows) > 2


def test_a_radio_that_is_not_there_is_refused(papers: Path) -> None:
    path = papers / "T1" / "fig-1.toml"
    path.write_text(FIGURE.replace('radio = "ap"', 'radio = "sta7"'))
    with pytest.raises(PaperError, match=r"\"sta7\" is no station.*accepted: ap, sta0"):
        airtcp_papers.reproduce(papers=papers, cache=False)


def test_a_clock_keeps_its_phase_and_a_sawtooth_does_not() -> None:
    def events(times: list[float]) -> list[dict[str, Any]]:
        return [{"time_s": t, "sequence": int(1e6 * t)} for t in times]

    every = clusters(events([0.3 + 2.0 * n + 0.02 * (n % 3) for n in range(40)]), 1000)
    assert (every.folded(2.0) or 0) > 0.99
    assert every.near(2.0) == 100
    assert every.dependence == pytest.approx(1.0)
    # Intervals of 2.1 s are as near to 2 s, but their phases go around.
    drifting = clusters(events([2.1 * n for n in range(40)]), 1000)
    assert drifting.near(2.0) == 100
    assert (drifting.folded(2.0) or 1) < 0.1
    # Too few events say nothing.
    assert clusters([], 1000).folded(2.0) is None
    assert clusters([], 1000).near(2.0) is None
    assert clusters([], 1000).interval_s is None


def test_the_expected_goodput_is_reached_without_losses() -> None:
    """A clear channel at a fixed rate has S2's formula with back-off and delayed ACKs."""
    scenario = default_root() / "scenarios" / "s2-orbit.toml"
    for rate in (6, 36):
        overrides: dict[str, Any] = {
            "duration": "4 s",
            "warmup": "1 s",
            "cells[0].fading": {"model": "none"},
            "cells[0].rate_control": {"control": "fixed"},
            "cells[0].rate": f"{rate} Mb/s",
            "flows[0].tcp": {"profile": "s2", "timestamps": False},
        }
        run = airtcp.run(scenario, replications=1, overrides=overrides).json["replications"][0]
        best = expected(rate, slots=7.5, each=2)
        assert run["total_goodput_bps"] / 1e6 == pytest.approx(best, rel=0.05)


def test_errors_have_both_sides() -> None:
    """Each error is of a measure that has a true one."""
    for name in captures.MEASURES:
        if name.endswith(" error") and name not in {"rates error", "recoveries error"}:
            plain = name.removesuffix(" error")
            assert plain in captures.MEASURES
            assert f"true {plain}" in captures.MEASURES


def test_s4_has_every_cell_of_its_tables() -> None:
    library = Library(default_root())
    levels = read_figure(library, "S4.levels").published
    cells = {(one.term.metric, *one.term.at.values()) for one in levels}
    for point in ("Apple", "Belkin"):
        for channel in ("LOS", "NLOS"):
            assert {("throughput", channel, point), ("losses", channel, point)} <= cells
    windows = read_figure(library, "S4.windows").published
    for window in ("128k", "64k", "32k", "16k", "8k", "4k"):
        rows = {one.term.metric: one.value for one in windows if one.term.at["window"] == window}
        assert set(rows) == {"largest flight", "throughput", "RTT", "losses", "excess"}
        # The contradiction is computed from the three printed columns.
        flight, rtt, rate = (rows[name] or 0 for name in ("largest flight", "RTT", "throughput"))
        assert rows["excess"] == pytest.approx(8e-3 * flight / rtt / rate, abs=0.005)
