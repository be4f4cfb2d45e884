"""The committed comparisons with other programs still describe this one.

Each point is run by the script that made its table, and held to the table: to what the other
program got within the page's bound, and to what is written there of ours.
"""

from __future__ import annotations

import csv
import importlib.util
from statistics import mean
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from examples import DOCS

if TYPE_CHECKING:
    from types import ModuleType

FIGURES = DOCS / "figures"
OURS = 0.05
"""How far a mean of fewer runs may lie from the table's."""


def _script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name.replace("/", "_"), FIGURES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _rows(name: str, **where: object) -> list[dict[str, float]]:
    """Return the rows of a table, as numbers, that have these values."""

    def same(cell: str, value: object) -> bool:
        return cell == value if isinstance(value, str) else float(cell) == value

    def number(cell: str) -> float:
        return float(cell) if cell.replace(".", "", 1).isdigit() else float("nan")

    with (FIGURES / name).open(encoding="utf-8") as file:
        found = [
            row for row in csv.DictReader(file) if all(same(row[k], v) for k, v in where.items())
        ]
    assert found, (name, where)
    return [{key: number(cell) for key, cell in row.items()} for row in found]


def _near(found: float, wanted: float, bound: float) -> bool:
    return abs(found / wanted - 1) <= bound


@pytest.fixture(scope="module")
def kernel() -> ModuleType:
    """The comparison with Linux."""
    return _script("kernel/compare")


def _beside_linux(kernel: ModuleType, law: str, rtt: int, loss: float, *, mark: bool) -> float:
    """Run a point, compare it with Linux's goodput and the table's, and return it in Mb/s."""
    point: dict[str, Any] = {
        "flows": law,
        "rtt_ms": rtt,
        "loss": loss,
        "ack_loss": 0,
        "burst_ms": 0,
    }
    theirs = [row for row in _rows("kernel/kernel.csv", **point) if (row["mark"] > 0) == mark]
    ours = [row for row in _rows("kernel/simulated.csv", **point) if (row["mark"] > 0) == mark]
    link = kernel.Point(law, rtt, loss, 0, 0, 100, int(theirs[0]["mark"]))
    found = mean(airtcp.run("kernel", text=kernel.scenario(link)).flows.to_polars()["goodput_bps"])
    assert _near(found, mean(row["goodput_bps"] for row in theirs), kernel.FAR), found
    assert _near(found, mean(row["goodput_bps"] for row in ours), OURS), found
    return found / 1e6


def test_cubic_has_what_linux_has_and_less_than_reno(kernel: ModuleType) -> None:
    # RFC 9438's CUBIC has 4.5 Mb/s here and wins.
    cubic, reno = (_beside_linux(kernel, law, 10, 0.05, mark=False) for law in ("cubic", "reno"))
    assert cubic < reno


def test_the_answer_to_marks_is_spread_as_in_linux(kernel: ModuleType) -> None:
    # At once it would be 9.50 Mb/s, where Linux has 8.55.
    assert _beside_linux(kernel, "cubic", 80, 0.0, mark=True) < 9


@pytest.mark.parametrize(
    ("path", "ecn", "window"), [("wire", 0, 11000), ("wire", 1, 11000), ("cell", 1, 100)]
)
def test_red_at_80_ms_is_that_of_ns2(path: str, ecn: int, window: int) -> None:
    red = _script("ns2/red")
    red.SEEDS, red.SECONDS = 1, 100 if path == "wire" else 30
    point = {"path": path, "rtt_ms": 80, "gentle": 1, "ecn": ecn, "wait": 1, "window": window}
    (row,) = _rows("ns2/red.csv", **point)
    found, _ = red.ours(point)
    # On a wire an average that does not decay while the queue is empty has 1.1 % less.
    bound = 0.005 if path == "wire" else 0.015
    assert _near(found, row["ns2_mbps"], bound), found
    assert _near(found, row["with_idle_decay_mbps"], bound), found


@pytest.mark.parametrize("discipline", ["CoDel", "FqCoDel", "Pie"])
def test_aqm_is_that_of_ns3(discipline: str) -> None:
    where: dict[str, Any] = {"discipline": discipline, "flows": 1, "rtt_ms": 20, "ecn": 0}
    (row,) = _rows("peers/aqm.csv", **where)
    goodput, dropped, _, waiting = _script("peers/aqm").ours(discipline, 1, 20.0, 0)
    assert _near(goodput, row["ns3_mbps"], OURS)
    assert _near(dropped, row["ns3_dropped"], 0.15)
    assert _near(waiting, row["ns3_waiting"], 0.25)
    for found, key in ((goodput, "mbps"), (dropped, "dropped"), (waiting, "waiting")):
        assert _near(found, row[f"airtcp_{key}"], OURS), (key, found)
