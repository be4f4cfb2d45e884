"""Sweeps: replications until an interval is narrow go on from the first ones, and end at 0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import airtcp
from airtcp import _core
from airtcp.questions.sweep.findings import findings
from test_sweep import LINK, asked, json_toml, run

if TYPE_CHECKING:
    from pathlib import Path

MEASURES = ("goodput_bps", "timeouts")


def test_more_replications_go_on_from_the_finished_ones() -> None:
    """Replication k is that of a run, whatever the number of calls."""
    points = _core.Points(json_toml(LINK), "link.toml", ".", MEASURES)
    seed = ("seed", "3")
    point = points.point()
    number, first = point.run([seed, ("replications", "4")])
    assert number == 4
    # Finished replications do not run again: another value changes nothing.
    assert point.run([seed, ("links[0].delay", "90 ms"), ("replications", "4")]) == (4, first)
    number, rows = point.run([seed, ("replications", "9")])
    assert number == 9
    assert rows == points.point().run([seed, ("replications", "9")])[1]
    alone = airtcp.run("link.toml", text=json_toml(LINK), seed=3, replications=9)
    (flow,) = (values for kind, _, values in rows if kind == "flow")
    (summary,) = alone.json["summary"]["flows"]
    assert flow == [summary[key][end] for key in MEASURES for end in ("mean", "ci_low", "ci_high")]


def test_rows_are_those_of_the_summary_with_cells_and_stations() -> None:
    cell = """
    duration = "1 s"
    replications = 2
    cells = [{ layout = { kind = "star", stations = 2 } }]
    flows = [{ from = "sta0", to = "ap" }, { from = "ap", to = "sta1" }]
    """
    keys = ("total_goodput_bps", "goodput_bps", "busy_share", "airtime_share", "loss_rate")
    number, rows = _core.Points(cell, "cell.toml", ".", keys).point().run([])
    assert number == 2
    summary = airtcp.run("cell.toml", text=cell).json["summary"]
    (found,) = summary["cells"]
    records: list[tuple[str, str, dict[str, Any]]] = [("run", "all", summary)]
    records += [("flow", one["name"], one) for one in summary["flows"]]
    records.append(("cell", found["name"], found))
    records += [("station", one["name"], one) for one in found["stations"]]
    nothing = {"mean": None, "ci_low": None, "ci_high": None}
    assert rows == [
        (kind, name, [end for key in keys for end in record.get(key, nothing).values()])
        for kind, name, record in records
    ]


def test_a_measure_of_0_in_every_replication_adds_none(tmp_path: Path) -> None:
    """A link without losses and with room for the window has no timeouts."""
    (link,) = LINK["links"]
    clean = {key: value for key, value in link.items() if key != "loss"}
    queue = {"kind": "drop-tail", "packets": 5000}
    given = asked(
        scenario=LINK | {"links": [clean | {"queue": queue}]},
        vary={"links[0].delay": ["5 ms", "20 ms"]},
        until={"timeouts": "10 %", "goodput_bps": "5 %"},
        min_replications=4,
        max_replications=300,
    )
    del given["replications"]
    result = run(given, tmp_path / "out")
    flows = [row for row in result.points.rows() if row["kind"] == "flow"]
    assert {(row["timeouts"], row["replications"], row["narrow"]) for row in flows} == {
        (0.0, 4, False)
    }
    assert (result.json["points"]["zero"], result.json["points"]["wide"]) == (2, 0)
    said = [finding.headline for finding in findings(result.json)]
    assert "2 points with a measure of 0" in said
    # A point that is too uncertain in another measure counts there.
    narrow = given | {"until": {"rtt_mean_s": "0.1 %"}, "scenario": LINK, "max_replications": 6}
    wide = run(narrow, tmp_path / "wide").json["points"]
    assert (wide["zero"], wide["wide"]) == (0, 2)
