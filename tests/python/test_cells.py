"""802.11 cells for a user: printed tables, data frames, the page, errors, warnings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.questions.run import cells
from airtcp.questions.run import rows_cell as cell_rows
from examples import SCENARIOS

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp.questions.run.result import RunResult
    from conftest import Program

CELL = """duration = "1 s"
warmup = "200 ms"
replications = 2
[[cells]]
standard = "802.11a"
rate = "54 Mb/s"
layout = { kind = "star", stations = 3, radius_m = 5 }
propagation.path_loss = { model = "log-distance", exponent = 3.5, reference_loss_db = 46.67 }
noise.floor_dbm = -99
[[flows]]
count = 3
from = "sta*"
to = "ap"
tcp = { profile = "s0", mss = 536 }
"""


@pytest.fixture(scope="module")
def star(tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    path = tmp_path_factory.mktemp("cell") / "star.toml"
    path.write_text(CELL)
    return airtcp.run(path)


def test_tables_of_stations_and_frames(star: RunResult) -> None:
    assert {"stations", "frames"} <= set(star.tables)
    assert star.stations.to_polars().height == 2 * 4
    ap = star.stations.to_polars().filter(star.stations.to_polars()["name"] == "ap")
    assert ap["snr_db"].null_count() == 2
    sent = star.frames.to_polars().filter(star.frames.to_polars()["class"] == "data")
    lost = [name for name in sent.columns if name.startswith("lost_")]
    assert {"lost_with_data", "lost_transmitter_side"} <= set(lost)
    for row in sent.iter_rows(named=True):
        rate = sum(row[name] for name in lost) / row["sent"]
        assert rate == pytest.approx(row["error_rate"])


def test_summary_has_cells_and_stations(star: RunResult) -> None:
    rows = star.summary.to_polars().filter(star.summary.to_polars()["kind"] == "cell")
    assert {"busy_share", "data_error_rate", "data_lost_with_data"} <= set(rows["quantity"])
    names = star.summary.to_polars().filter(star.summary.to_polars()["kind"] == "station")["name"]
    assert set(names) == {"ap", "sta0", "sta1", "sta2"}
    run = dict(
        star.summary.to_polars()
        .filter(star.summary.to_polars()["kind"] == "run")
        .select("quantity", "mean")
        .iter_rows()
    )
    assert run["max_difference_bps"] >= 0


def test_runs_without_cells_have_no_such_tables(tmp_path: Path) -> None:
    path = tmp_path / "link.toml"
    path.write_text(
        'duration = "1 s"\n[[links]]\nfrom = "a"\nto = "b"\nrate = "1 Mb/s"\ndelay = "5 ms"\n'
        '[[flows]]\nfrom = "a"\nto = "b"\n'
    )
    result = airtcp.run(path)
    assert "stations" not in result.tables
    assert result.stations.to_polars().is_empty()
    assert result.frames.to_polars().is_empty()
    assert result.warnings == []
    assert "cells" not in result.json["summary"]


def test_what_is_printed(run: Program, tmp_path: Path) -> None:
    (tmp_path / "star.toml").write_text(CELL)
    ended = run("run", "star.toml", "--out", "results", "--details")
    assert ended.code == 0, ended.err
    for word in ("sta0", "airtime", "data (%)", "sending (%)", "Jain's fairness index", "busy"):
        assert word in ended.out, word
    written = {path.name for path in (tmp_path / "results").iterdir()}
    assert {"stations.parquet", "frames.parquet", "report.html", "run.json"} <= written
    assert "warning" not in ended.err


def test_the_page_has_a_section_for_each_cell(star: RunResult) -> None:
    page = star.page()
    for part in ('id="cell0"', "cell0-map", "cell0-losses", "cell0-goodput", "cell0-airtime"):
        assert part in page, part
    rows = cell_rows.charted(star.json)[0]
    assert [row["role"] for row in rows["stations"]] == ["access point", *["station"] * 3]
    assert {row["direction"] for row in rows["goodput"]} == {"sends"}
    total = sum(row["share"] for row in rows["losses"] if row["frames"] == "data")
    cell = star.json["summary"]["cells"][0]
    assert total == pytest.approx(100 * cell["data_error_rate"]["mean"])


@pytest.mark.parametrize("name", ["wifi-star", "wifi-hidden"])
def test_worked_scenarios_run(run: Program, name: str) -> None:
    path = SCENARIOS / f"{name}.toml"
    assert len(path.read_text().splitlines()) <= 25
    ended = run("run", path, "--set", "duration=3 s", "-n", "1", "--json")
    assert ended.code == 0, ended.err
    document = json.loads(ended.out)
    assert document["summary"]["total_goodput_bps"]["mean"] > 1e6
    assert "warnings" not in document


def test_cells_on_one_medium_are_on_each_others_map() -> None:
    path = SCENARIOS / "wifi-two-cells.toml"
    short = {"duration": "4 s"}
    shared = airtcp.run(path, overrides=short, replications=1)
    first, second = cell_rows.charted(shared.json)
    assert {row["name"] for row in first["neighbours"]} == {"bs2", "n2-0"}
    assert {row["cell"] for row in second["neighbours"]} == {"BS-1"}
    assert [row["x"] for row in second["stations"]] == [600, 750]
    assert "cell0-map" in shared.page()
    lost = shared.json["summary"]["cells"][0]["lost"]["data"]
    assert lost["with_data"]["mean"] > 0.01
    apart = airtcp.run(path, overrides={**short, "cells[1].channel": 6}, replications=1)
    assert all(not rows["neighbours"] for rows in cell_rows.charted(apart.json))
    assert "with_data" not in apart.json["summary"]["cells"][0]["lost"]["data"]


def test_hidden_stations_are_helped_by_rts() -> None:
    rates: list[float] = []
    for threshold in ("3000 B", "0 B"):
        result = airtcp.run(
            SCENARIOS / "wifi-hidden.toml",
            overrides={"duration": "6 s", "cells[0].mac.rts_threshold": threshold},
            replications=2,
        )
        cell: dict[str, Any] = result.json["summary"]["cells"][0]
        rates.append(cell["data_error_rate"]["mean"])
    assert rates[1] < rates[0] / 2, rates


def test_an_exposed_station_depends_on_the_rule_for_frames_whose_start_it_missed() -> None:
    def middle(rule: str) -> float:
        keys = {f"cells[{i}].sensing.unreceived_frames": rule for i in range(3)}
        short = {"duration": "4 s", "warmup": "1 s"}
        path = SCENARIOS / "wifi-exposed.toml"
        flows = airtcp.run(path, overrides=keys | short, replications=1).json["summary"]["flows"]
        return next(f["goodput_bps"]["mean"] for f in flows if f["name"] == "middle")

    assert middle("carrier-sense") < 2e6
    assert middle("energy") > 10e6


BAD_CELLS: dict[str, tuple[str, str, list[str]]] = {
    "overlapping positions": (
        'layout = { kind = "star", stations = 3, radius_m = 5 }',
        'layout = { kind = "positions", stations = [[5, 0], [5, 0], [0, 5]] }',
        ["cells[0].layout.stations", '"sta0"', '"sta1"', "0.01 m"],
    ),
    "a rate the standard lacks": (
        '"54 Mb/s"',
        '"11 Mb/s"',
        ["cells[0].rate", "is 11 Mb/s", "802.11a has 6 Mb/s, 9 Mb/s", "48 Mb/s, 54 Mb/s"],
    ),
    "CWmin above CWmax": (
        'rate = "54 Mb/s"',
        "mac = { cw_min = 63, cw_max = 31 }",
        ["cells[0].mac", "63", "31"],
    ),
    "too many stations": ("stations = 3", "stations = 501", ["cells[0].layout.stations", "500"]),
    "no stations": ("stations = 3", "stations = 0", ["cells[0].layout.stations", "500"]),
    "a packet longer than a frame": ("mss = 536", "mss = 3000", ["cells[0]: ", "2296 B", "2256"]),
    "an exponent below nothing": (
        "exponent = 3.5",
        "exponent = -1",
        ["cells[0].propagation.path_loss.exponent", "-1"],
    ),
    "an unknown layout": ('"star"', '"stars"', ["layout", "stars", "star", "grid"]),
    "an unknown standard": ('"802.11a"', '"802.11be"', ["standard", "802.11be", "802.11ax"]),
    "a radius without sense": ("radius_m = 5", "radius_m = -5", ["radius_m", "-5"]),
}


@pytest.mark.parametrize("case", BAD_CELLS)
def test_bad_cells_are_refused(run: Program, tmp_path: Path, case: str) -> None:
    before, after, expected = BAD_CELLS[case]
    assert before in CELL
    (tmp_path / "bad.toml").write_text(CELL.replace(before, after, 1))
    ended = run("run", "bad.toml")
    assert ended.code == 2, ended.out + ended.err
    assert "Traceback" not in ended.err
    assert "bad.toml" in ended.err
    for word in expected:
        assert word in ended.err, (word, ended.err)
    assert len(ended.err.splitlines()) <= 24


def test_stations_out_of_range_are_warned_of(run: Program, tmp_path: Path) -> None:
    (tmp_path / "far.toml").write_text(CELL.replace("radius_m = 5", "radius_m = 500"))
    ended = run("run", "far.toml", "--html", "r.html")
    assert ended.code == 0, ended.err
    # 18 dBm - 46.67 dB - 35 log10(500) dB = -123.1 dBm, where -82 dBm are noticed.
    for word in ("warning: cells[0]", "out of everyone's range", "-82.0 dBm", "margin -41.1 dB"):
        assert word in ended.err, (word, ended.err)
    assert "out of everyone" in (tmp_path / "r.html").read_text()
    assert "warning" not in run("run", "far.toml", "--quiet").err


def test_timeline_of_the_medium(tmp_path: Path) -> None:
    path = tmp_path / "star.toml"
    path.write_text(CELL)
    result = airtcp.run(path, timeline="500 ms..520 ms")
    plain = airtcp.run(path)
    assert result.text == plain.text
    assert "timeline_frames" not in plain.tables
    frames, waits = (result.table(f"timeline_{name}").to_polars() for name in ("frames", "waits"))
    assert frames["start_s"].is_sorted()
    assert frames["end_s"].min() > 0.5
    assert frames["start_s"].max() < 0.52
    assert {"data", "mac_ack"} <= set(frames["class"])
    assert set(waits["what"]) == {"back_off", "nav"}
    assert waits["start_s"].min() >= 0.5
    assert waits["end_s"].max() <= 0.52
    record = result.timeline()
    assert record is not None
    assert record[:3] == (0.5, 0.52, False)
    page = result.page()
    assert "The medium from 0.5 s to 0.52 s" in page
    assert '"cell0-medium"' in page
    assert '"cell0-medium"' not in plain.page()
    written = {file.name for file in result.write(tmp_path / "out")}
    assert {"timeline_frames.parquet", "timeline_waits.parquet", "report.html"} <= written


def test_a_timeline_that_is_too_long_says_so(tmp_path: Path) -> None:
    path = tmp_path / "star.toml"
    path.write_text(CELL.replace('"1 s"', '"4 s"'))
    result = airtcp.run(path, replications=1, timeline="0 s..4 s")
    record = result.timeline()
    assert record is not None
    assert record.truncated
    assert result.table("timeline_frames").to_polars().height == 5000
    assert f"The record was full at {record.end_s:.6f}".rstrip("0") in result.page()


@pytest.mark.parametrize(
    ("interval", "said"),
    [
        ("2 s", "expected FROM..TO, such as 2s..2.02s"),
        ("0.2 s..0.1 s", "it ends before it begins"),
        ("7 s..8 s", "the run ends at 1 s"),
        ("1 m..8 m", "1 m"),
    ],
)
def test_intervals_that_cannot_be(tmp_path: Path, interval: str, said: str) -> None:
    path = tmp_path / "star.toml"
    path.write_text(CELL)
    with pytest.raises(airtcp.AirtcpError, match="timeline") as refused:
        airtcp.run(path, timeline=interval)
    assert said in str(refused.value)


def test_a_timeline_needs_a_place_and_a_cell(run: Program, tmp_path: Path) -> None:
    path = tmp_path / "star.toml"
    path.write_text(CELL)
    ended = run("run", path, "--timeline", "0.5s..0.51s")
    assert ended.code != 0
    assert "give --html FILE or --out DIR" in ended.err
    wire = tmp_path / "link.toml"
    wire.write_text(
        'duration = "1 s"\n[[links]]\nfrom = "a"\nto = "b"\nrate = "1 Mb/s"\ndelay = "5 ms"\n'
        '[[flows]]\nfrom = "a"\nto = "b"\n'
    )
    for option in ({"timeline": "0 s..1 s"}, {"radiotap": tmp_path / "air"}):
        with pytest.raises(airtcp.AirtcpError, match=r"has no 802\.11 cell"):
            airtcp.run(wire, **option)


def test_every_class_of_frames_has_a_colour_in_the_timeline() -> None:
    from airtcp.questions.run.charts_timeline import medium
    from airtcp.questions.run.rows_timeline import Lanes

    for name in cells.CLASSES.values():
        row = {"what": name, "why": None}
        assert name in str(medium(Lanes(["ap"], 0, 1.0, [row], []), "0 s"))


def test_rates_and_categories_of_stations(tmp_path: Path) -> None:
    path = tmp_path / "star.toml"
    more = 'rate_control = { control = "minstrel" }\nmac.access = "edca"\n'
    path.write_text(CELL.replace('rate = "54 Mb/s"\n', more))
    result = airtcp.run(path, series=True)
    rates, categories = result.table("rates").to_polars(), result.table("categories").to_polars()
    sent = (
        result.frames.to_polars()
        .filter(result.frames.to_polars()["class"].is_in(["data", "tcp_ack"]))["sent"]
        .sum()
    )
    assert rates["sent"].sum() == sent == categories["sent"].sum()
    assert rates["rate_bps"].n_unique() > 1
    assert set(categories["category"]) == {"best-effort"}
    summed = result.summary.to_polars().filter(result.summary.to_polars()["name"] == "sta1")[
        "quantity"
    ]
    assert {"best_effort_latency_mean_s", "latency_mean_s", "residual_loss"} <= set(summed)
    assert "sta0 best-effort" in set(result.table("queue_series").to_polars()["link"])
    stations = result.table("station_series").to_polars()
    last = stations.filter(stations["station"] == "sta1").tail(1).to_dicts()[0]
    share = result.stations.to_polars().filter(result.stations.to_polars()["name"] == "sta1")[
        "airtime_share"
    ][0]
    assert last["airtime_s"] > 0
    assert 0 < share < 1
    assert last["frames"] > last["frames_lost"]
    page = result.page()
    assert "Rates of data frames" in page
    assert '"cell0-rates"' in page
    assert "Share of the time that each station" in page


def test_one_rate_needs_no_picture_of_rates(star: RunResult) -> None:
    assert "Rates of data frames" not in star.page()
    assert star.table("rates").to_polars()["rate_bps"].unique().to_list() == [54_000_000]
    assert star.table("categories").to_polars().is_empty()


@pytest.mark.parametrize(("standard", "aggregates"), [("n", 1), ("ac", 1), ("ac", 64), ("ax", 1)])
def test_bytes_of_a_single_mpdu_have_no_delimiter(standard: str, aggregates: int) -> None:
    """MAC header 26 B, LLC and SNAP 8 B, IP 1500 B, FCS 4 B; the delimiter belongs to the PPDU."""
    scenario = {
        "duration": "20 ms",
        "cells": [
            {
                "standard": f"802.11{standard}",
                "layout": {"kind": "star", "stations": 1, "radius_m": 3},
                "mac": {"aggregation": {"max_mpdus": aggregates}},
            }
        ],
        "flows": [
            {
                "from": "sta0",
                "to": "ap",
                "transport": "udp",
                "app": {"kind": "constant-rate", "rate": "8 Mb/s", "message": "1472 B"},
            }
        ],
    }
    result = airtcp.run(scenario, replications=1, timeline="0 s..20 ms")
    frames = result.table("timeline_frames").to_polars()
    sizes = set(frames.filter(frames["class"] == "data")["bytes"])
    assert sizes == {1538}
