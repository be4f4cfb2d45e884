"""Published experiments in 802.11 cells: the driver, and a fast part of S0 and S3."""

from __future__ import annotations

from math import isclose, sqrt
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
import airtcp_papers
from airtcp_papers.drivers import collisions, read_figure
from airtcp_papers.drivers.cell_run import CellRun
from airtcp_papers.drivers.cell_windows import Window
from airtcp_papers.drivers.cells import MEASURES
from airtcp_papers.drivers.variants import variants
from airtcp_papers.form import PaperError
from airtcp_papers.library import Library, default_root
from airtcp_papers.runs import Options, Task, tasks_of
from example_paper import BARE, write_paper

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = """
duration = "1.2 s"
warmup = "200 ms"
[[cells]]
standard = "802.11a"
layout = { kind = "star", stations = 2 }
residual_error = "1 %"
[[flows]]
count = 2
from = "sta*"
to = "ap"
"""
FIGURE = """
id = "T1.fig1"
title = "Two uploads"
kind = "figure"
measures = "throughput"
source = { item = "Figure 1" }

[experiment]
driver = "cells"
scenario = "scenarios/two.toml"
measure = ["goodput", "throughput", "data error", "RTS error", "JFI"]
extremes = ["slowest"]
plot = ["goodput"]
runs = 2

[[experiment.axis]]
name = "rate"
title = "rate (Mb/s)"
[experiment.axis.values]
54 = { "cells[0].rate" = "54 Mb/s" }
"6" = { "cells[0].rate" = "6 Mb/s" }

[[experiment.axis]]
name = "system"
[experiment.axis.values]
base = {}
"RTS/CTS" = { "cells[0].mac" = { rts_threshold = "100 B" } }

[[claim]]
words = "at {rate} Mb/s RTS costs goodput"
left = "goodput[system=RTS/CTS]"
op = "<"
right = "goodput[system=base]"
each = { rate = [54] }

[[claim]]
words = "the slowest is no faster than half of all"
left = "greatest slowest[rate=6, system=base]"
op = "<="
right = 3.0

[[assumption]]
name = "rate"
status = "choice"
parameter = "set"
value = {}
alternatives = [{ "cells[0].rate" = "12 Mb/s" }]
why = "for a test"
"""


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """A folder of papers with one figure of a cell."""
    return write_paper(
        tmp_path / "papers", paper=BARE, figure=FIGURE, scenario=("two.toml", SCENARIO)
    )


def test_every_combination_is_measured(papers: Path) -> None:
    result = airtcp_papers.reproduce(papers=papers, cache=False)
    outcome = result.figures[0].outcome
    assert {(m.at["rate"], m.at["system"]) for m in outcome.measures} == {
        (rate, system) for rate in (6, 54) for system in ("base", "RTS/CTS")
    }
    found = {(m.metric, m.at["rate"], m.at["system"]): m for m in outcome.measures}
    # A variant without RTS frames has a note in place of their loss.
    assert found["RTS error", 54, "base"].value is None
    assert "no RTS error" in found["RTS error", 54, "base"].note
    assert found["RTS error", 54, "RTS/CTS"].value is not None
    # 1460 bytes of payload are 1536 in a frame without QoS; some frames are repeated.
    goodput, throughput = (found[m, 6, "base"].value for m in ("goodput", "throughput"))
    assert goodput is not None
    assert throughput is not None
    assert isclose(throughput / goodput, 1500 / 1460, rel_tol=0.02)
    least = found["least slowest", 6, "base"].value
    greatest = found["greatest slowest", 6, "base"].value
    each = found["slowest", 6, "base"].each
    assert each is not None
    assert (least, greatest) == (min(v or 0 for v in each), max(v or 0 for v in each))
    # The cost of RTS at 54 Mb/s is below the scatter of these few short runs.
    assert [row["verdict"] for row in result.rows] == ["undecided", "ordering holds"]
    # Values of an assumption override those of an axis.
    values = {s["here"] for row in result.rows for s in row["sensitivity"]}
    assert len(values) == 2
    rows = outcome.plots[0].layers[0].rows
    assert {(row["x"], row["series"]) for row in rows} == {
        (rate, system) for rate in (6, 54) for system in ("base", "RTS/CTS")
    }


def test_alternatives_may_be_run_fewer_times(papers: Path) -> None:
    (task, other) = _tasks(papers)
    assert (task.parameters["runs"], other.parameters["runs"]) == (2, 2)
    path = papers / "T1" / "fig-1.toml"
    path.write_text(FIGURE.replace("runs = 2", "runs = 2\nalternative_runs = 1"))
    (task, other) = _tasks(papers)
    assert (task.parameters["runs"], other.parameters["runs"]) == (2, 1)
    # Never more than the figure itself has: there would be nothing to compare with.
    path.write_text(FIGURE.replace("runs = 2", "runs = 2\nalternative_runs = 5"))
    assert [task.parameters["runs"] for task in _tasks(papers)] == [2, 2]


def test_an_alternative_is_run_where_rows_look(papers: Path) -> None:
    (task, other) = _tasks(papers)
    assert len(list(variants(task.parameters))) == 4
    # One row is about both systems at 54 Mb/s, the other about one at 6.
    assert [at for at, _ in variants(other.parameters)] == [
        {"rate": 54, "system": "base"},
        {"rate": 54, "system": "RTS/CTS"},
        {"rate": 6, "system": "base"},
    ]


def _tasks(papers: Path) -> list[Task]:
    return list(tasks_of(read_figure(Library(papers), "T1.fig1"), Options(papers=papers)))


def test_refusals(papers: Path) -> None:
    path = papers / "T1" / "fig-1.toml"
    path.write_text(FIGURE.replace('"data error"', '"data eror"'))
    with pytest.raises(PaperError, match='unknown value "data eror"; did you mean "data error"'):
        airtcp_papers.reproduce(papers=papers, cache=False)


def test_shares_of_losses() -> None:
    frames: list[dict[str, Any]] = [
        {"data": {"sent": 300, "lost": {"with_data": 30, "noise": 3}}},
        {"data": {"sent": 100, "lost": {"with_data": 10}}, "rts": {"sent": 0, "lost": {}}},
    ]
    run = CellRun({"cells": [{"stations": [{"frames": f} for f in frames]}]}, {})
    assert run.lost("data") == 100 * 43 / 400
    assert run.lost("data", "with_data") == 10
    assert run.lost("data", "captured") == 0
    assert run.lost("tcp_ack") is None
    assert run.lost("rts") is None


def test_shares_of_flows_and_waits_by_hand() -> None:
    def station(
        name: str, distance: float | None, data: int, acks: int, wait: float
    ) -> dict[str, Any]:
        frames = {
            "data": {"sent": data, "lost": {"with_data": 5}},
            "tcp_ack": {"sent": acks, "lost": {}},
        }
        return {
            "name": name,
            "distance_m": distance,
            "frames": frames,
            "retry_drops": 1,
            "queue_delay_mean_s": wait,
        }

    # The access point sends more ACKs than data: what it gives up does not count.
    stations = [station("ap", None, 8, 90, 0.2)]
    stations += [station(f"sta{i}", far, 104, 1, 0.01 * i) for i, far in enumerate((5.0, 5.0, 8.0))]
    flows = [
        {"from": f"sta{i}", "to": "ap", "ip_delivered_bps": rate * 1e6}
        for i, rate in enumerate((4.0, 1.0, 0.1))
    ]
    flows.append({"from": "ap", "to": "sta2", "ip_delivered_bps": 2.9e6})
    run = CellRun({"cells": [{"stations": stations}], "flows": flows}, {})
    expected = {
        "given up": 100 * 3 / 300,
        "starved": 1,
        "two fastest": 100 * 6.9 / 8,
        "difference at one distance": 100 * 3 / 2,
        "uploads": 5.1,
        "downloads": 2.9,
        "wait at AP": 200,
        "wait at stations": 10,
    }
    for name, value in expected.items():
        found = MEASURES[name][1](run)
        assert found is not None, name
        assert isclose(found, value), name


def test_tables_among_overrides() -> None:
    jammer = {"kind": "periodic", "on": "2 s", "reach": {"stations": ["ap"]}}
    overrides: dict[str, Any] = {"cells[0].interference": [jammer]}
    result = airtcp.run("two.toml", text=SCENARIO, overrides=overrides)
    assert result.json["summary"]["total_goodput_bps"]["mean"] == 0


def test_s0_prose() -> None:
    ids = ["S0.sec1", "S0.sec4A", "S0.sec4Dtimes"]
    result = airtcp_papers.reproduce(ids, cache=False, sensitivity=False, runs=2)
    rows = {(row["id"], row["metric"], tuple(row["at"].values())): row for row in result.rows}
    held = [rows["S0.sec4Dtimes", "hold", (k,)]["here"] for k in (3, 7)]
    # Each attempt: DIFS, half a window, the frame with its preamble, the timeout of its MAC ACK.
    half = [cw * 20e-3 / 2 for cw in (31, 63, 127, 255, 511, 1023, 1023)]
    fixed = 0.05 + 0.192 + 8e-3 * 1536 / 11 + 0.233
    for mean, attempts in zip(held, (3, 7), strict=True):
        assert mean is not None
        assert isclose(mean, sum(half[:attempts]) + attempts * fixed, rel_tol=0.05)
    for voice, p in (("HV1", 0.27), ("HV3", 0.081)):
        hit = rows["S0.sec4A", "data-interferer", (11, voice)]["here"]
        assert hit is not None
        assert abs(hit / 100 - p) < 4 * sqrt(p * (1 - p) / 5000)
    missed = [row for row in result.rows if row["verdict"] == "not reproduced"]
    assert {"attempts": 7} in [row["at"] for row in missed]
    assert all(row["kind"] == "value" for row in missed)


def test_s0_tables_have_a_reason_for_each_miss() -> None:
    result = airtcp_papers.reproduce(["S0.table2", "S0.table3"], cache=False, sensitivity=False)
    missed = [row for row in result.rows if row["verdict"] == "not reproduced"]
    assert all(row["cause"] for row in missed)
    met = {row["metric"] for row in result.rows if row["kind"] == "ordering"} - {
        row["metric"] for row in missed if row["kind"] == "ordering"
    }
    assert met == {"goodput"}


BLUETOOTH: dict[str, Any] = {
    "kind": "bluetooth",
    "voice": "HV1",
    "slots": "independent",
    "duty": 1.0,
    "in_band": 0.27,
    "overlap": "payload-slots",
    "reach": {"stations": ["bs1"]},
}


def test_s0_lt_tcp_answers_marks_alone() -> None:
    """S0's table III: our guard takes a cell's jitter for a queue, the paper's sender does not."""
    scenario = default_root() / "scenarios" / "s0-cell.toml"
    cell = {"cells[0].queue.ecn": True, "cells[0].interference": [BLUETOOTH], "duration": "100 s"}
    goodput: dict[str, float] = {}
    reactions: dict[str, int] = {}
    for way, overrides in (
        ("SACK", {}),
        ("marks", {"flows[0].transport": "lt-tcp", "flows[0].lt.without_ecn": "nothing"}),
        ("guard", {"flows[0].transport": "lt-tcp"}),
    ):
        result = airtcp.run(scenario, replications=2, overrides={**cell, **overrides})
        runs = result.json["replications"]
        goodput[way] = sum(run["total_goodput_bps"] for run in runs) / 2e6
        reactions[way] = sum(run["flows"][0].get("loss_reactions", 0) for run in runs)
    # S0: 2.83 and 0.40 Mb/s.
    assert 2.6 < goodput["marks"] < 3.4
    assert goodput["marks"] > 5 * goodput["SACK"]
    assert goodput["guard"] < 0.8 * goodput["marks"]
    assert reactions["marks"] == 0 < reactions["guard"]


def test_s0_figure_1_needs_more_than_marks() -> None:
    """RED drops above its upper threshold: senders that hear marks alone fill it with parity."""
    scenario = default_root() / "scenarios" / "bursty-loss.toml"
    base: dict[str, Any] = {
        "duration": "40 s",
        "links[0].loss": {"model": "none"},
        "flows[0].transport": "lt-tcp",
        "flows[0].start_spread": "0 s",
    }
    parity: list[float] = []
    for overrides in ({}, {"flows[0].lt.without_ecn": "nothing"}):
        result = airtcp.run(scenario, replications=1, overrides={**base, **overrides})
        (run,) = result.json["replications"]
        parity.append(sum(flow["pfec_bps"] for flow in run["flows"]) / 1e6)
    assert parity[0] < 1
    assert parity[1] > 10


WINDOWS = [16, 32, 64, 128, 256, 512, 1024]


@pytest.mark.parametrize(
    ("n", "frozen", "chain"),
    [(2, 0.111, 0.105), (4, 0.229, 0.232), (6, 0.295, 0.304), (10, 0.374, 0.389)],
)
def test_collision_models(n: int, frozen: float, chain: float) -> None:
    """Numbers of docs/models/wifi-mac.md, computed by separate programs."""
    assert abs(collisions.bianchi(n, WINDOWS) - chain) < 0.001
    assert abs(collisions.refined(n, WINDOWS) - frozen) < 0.008
    assert abs(collisions.slotted(n, WINDOWS, 30_000, 1) - frozen) < 0.01
    # One station alone never collides.
    assert collisions.bianchi(1, WINDOWS) < 1e-9
    assert collisions.refined(1, WINDOWS) < 1e-9


def test_s3_late_carrier_sense_makes_tcp_unfair() -> None:
    """S3's grid: what its simulator did to carrier sense, and what it does to fairness."""
    scenario = default_root() / "scenarios" / "s3-grid.toml"
    # Equal seeds, two runs: data-data collisions are twice as many, and segments get lost.
    lost: list[float] = []
    repaired: list[float] = []
    for overrides in ({}, {"cells[0].sensing.detection_time": "0 s"}):
        result = airtcp.run(scenario, replications=2, overrides={"duration": "12 s", **overrides})
        runs = [CellRun(run, {}) for run in result.json["replications"]]
        lost.append(sum(run.lost("data", "with_data") or 0 for run in runs) / 2)
        repaired.append(sum(run.of_flows("fast_retransmits") for run in runs))
    assert lost[0] > 1.6 * lost[1]
    assert repaired[0] > 4 * repaired[1]


WINDOWS_FIGURE = """
id = "T1.fig2"
title = "Windows of two uploads"
kind = "figure"
measures = "windows"
source = { item = "Figure 2" }

[experiment]
driver = "cell-windows"
scenario = "scenarios/lossy.toml"
shown = "least fair"
runs = 2

[[experiment.span]]
name = "all"
from_s = 0.2
to_s = 2

[[claim]]
words = "the fastest has the larger window"
left = "window[node=fastest, span=all]"
op = ">"
right = "window[node=slowest, span=all]"
"""


def test_windows_of_a_cell(papers: Path) -> None:
    (papers / "T1" / "fig-2.toml").write_text(WINDOWS_FIGURE)
    # The cell repeats a frame once only, so that TCP sees the losses.
    lossy = SCENARIO.replace("residual_error", "mac.attempts = 2\nresidual_error")
    (papers / "scenarios" / "lossy.toml").write_text(lossy.replace("1.2 s", "2 s"))
    result = airtcp_papers.reproduce("T1.fig2", papers=papers, cache=False)
    outcome = result.figures[0].outcome
    found = {(m.metric, *m.at.values()): m for m in outcome.measures}
    whole, within = (found["reductions", "slowest", *span].each for span in ((), ("all",)))
    assert whole is not None
    assert within is not None
    # A timeout or fast retransmission is a new threshold, but for timeouts of the same segment.
    assert min(v or 0 for v in whole) > 0
    assert all(0 < (v or 0) <= (all_ or 0) for v, all_ in zip(within, whole, strict=True))
    assert found["least reductions", "slowest"].value == min(v or 0 for v in whole)
    # The chart shows the windows of both flows in the less fair of the two runs.
    fair = found["JFI",].each
    assert fair is not None
    plot = outcome.plots[0]
    assert f"{min(v or 0 for v in fair):.2f}" in plot.caption
    assert len({row["series"] for row in plot.layers[1].rows}) == 2
    # Each run has its own seed.
    assert fair[0] != fair[1]


def test_a_window_by_hand() -> None:
    # Slow start to a loss at 3 s, which halves the window; a step of avoidance at 5 s.
    window = Window([1.0, 2.0, 3.0, 5.0], [10.0, 40.0, 20.0, 30.0], [None, None, 20.0, 20.0])
    assert [window.at(t) for t in (0.0, 1.5, 3.0, 9.0)] == [10, 10, 20, 30]
    # 10 for half a second, 40 for one, 20 for two, 30 for half of one.
    assert isclose(window.mean(1.5, 5.5), (5 + 40 + 40 + 15) / 4)
    assert window.falls() == [2]
    assert window.slow_start_end() == 3.0
    # A threshold from the start ends it without a loss; nothing does where there is neither.
    assert Window([1.0, 2.0], [10.0, 40.0], [32.0, 32.0]).slow_start_end() == 2.0
    assert Window([1.0, 2.0], [10.0, 40.0], [None, None]).slow_start_end() is None


def test_s3_systems_are_lines_of_an_axis() -> None:
    library = Library(default_root())
    for id_ in ("S3.fig7.1", "S3.fig7.9", "S3.fig7.26"):
        axis = read_figure(library, id_).parameters["axis"][0]
        systems = ["base", "ACK-1", "RTS/CTS", "ACK-1 + RTS/CTS", "FTCA", "FTCA + RTS/CTS"]
        assert list(axis["values"]) == systems
    ids = library.choose(["S3.fig7"])
    assert ids.index("S3.fig7.9") < ids.index("S3.fig7.10")
