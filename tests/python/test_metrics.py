"""The catalogue of metrics: declared metrics appear in tables, terminal, page and reference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import airtcp
from airtcp import _core
from airtcp.cli.console import screen
from airtcp.cli.show import put_grid
from airtcp.data import metrics
from airtcp.data.metrics import Metric, record
from airtcp.questions.run import tables
from airtcp.questions.study import tables as study_tables
from airtcp.words import columns
from airtcp.words.grid import Grid, broken

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = """
duration = "3 s"
replications = 2

[[links]]
from = "a"
to = "b"
rate = "5 Mb/s"
delay = "5 ms"

[[flows]]
name = "up"
from = "a"
to = "b"
"""
RECORDS = {
    "FlowResult": "flows",
    "LinkResult": "links",
    "ProtocolResult": "links",
    "StationResult": "stations",
}


@pytest.fixture(scope="module")
def wired() -> airtcp.RunResult:
    return airtcp.run("wired.toml", text=SCENARIO)


@pytest.fixture(scope="module")
def star() -> airtcp.RunResult:
    return airtcp.run(
        ROOT / "scenarios" / "wifi-star.toml",
        replications=1,
        overrides={"duration": "2 s", "warmup": "0 s"},
    )


@pytest.mark.parametrize("name", RECORDS)
def test_every_metric_is_a_column_of_values(name: str, star: airtcp.RunResult) -> None:
    table = star.table(RECORDS[name]).to_polars()
    metrics = [m for m in record("run", name).values() if not m.group]
    assert metrics
    assert not [m.key for m in metrics if m.key not in table.columns]


def test_tables_begin_with_what_a_row_is_of(star: airtcp.RunResult) -> None:
    assert star.table("flows").to_polars().columns[:4] == ["replication", "name", "from", "to"]
    assert star.table("stations").to_polars().columns[:3] == ["replication", "cell", "name"]
    assert star.table("links").to_polars().columns[:2] == ["replication", "name"]


def test_every_metric_with_a_value_is_on_the_page(wired: airtcp.RunResult) -> None:
    page = wired.page()
    rows = wired.json["summary"]["flows"]
    shown = columns.with_values(columns.flows(), rows)
    assert {"Goodput (Mb/s)", "RTT (ms)"} <= {m.head for m in shown}
    assert not [m.label for m in shown if m.label not in page]


def test_titles_of_a_table_differ_and_ranks_order_it() -> None:
    tables = (
        columns.flows(),
        columns.coded_flows(),
        columns.links(),
        columns.protocols(),
        columns.stations([]),
        columns.outcomes(),
        columns.remedies(),
    )
    for table in tables:
        assert len({m.head for m in table}) == len(table)
        assert len({m.key for m in table}) == len(table)
        assert all(m.rank >= 1 for m in table)


def test_headings_are_short_in_the_terminal() -> None:
    for metric in (*columns.flows(), *columns.stations([]), *columns.outcomes()):
        assert max(map(len, broken(metric.label).splitlines())) <= 22, metric.head


def test_the_reference_names_every_metric() -> None:
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text()
    for document, name in [*(("run", name) for name in RECORDS), ("compare", "Outcome")]:
        for metric in record(document, name).values():
            assert f"`{metric.key}` | {metric.meaning} |" in page, metric.key


def test_a_title_is_in_one_place(
    wired: airtcp.RunResult, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = _core.schema
    monkeypatch.setattr(
        "airtcp._core.schema", lambda kind: schema(kind).replace("Goodput", "Yield")
    )
    cached: tuple[Any, ...] = (
        metrics.schema,
        metrics.record,
        columns.flows,
        columns.protocols,
        columns.paths,
    )
    for function in cached:
        function.cache_clear()
    wired.__dict__.pop("_page", None)
    try:
        page = wired.page()
        for part in tables.grids(wired.json):
            if isinstance(part, Grid):
                put_grid(screen(), part)
    finally:
        monkeypatch.undo()
        wired.__dict__.pop("_page", None)
        for function in cached:
            function.cache_clear()
    printed = capsys.readouterr().out
    for shown in (page, printed):
        assert "ield (Mb/s)" in shown
        assert "oodput (Mb/s)" not in shown


def test_studied_links_are_called_the_same_everywhere(tmp_path: Path) -> None:
    path = airtcp.synth(tmp_path / "a.txt", prr=0.8, packets=2000)
    links = airtcp.study(path, replicas=2, compare=False, remedies=False).json["links"]
    headings = [column.heading for column in study_tables.links(links, 2).columns]
    assert set(headings) <= {metric.label for metric in columns.studied().values()}
    assert len(headings) == 13


def test_limits_are_those_of_the_quantity() -> None:
    flow = record("run", "FlowResult")
    assert flow["retransmission_ratio"].limits == (0.0, 1.0)
    assert record("run", "StationResult")["snr_db"].limits[0] < 0
    other = flow["goodput_bps"].named("Carried", 9)
    assert (other.title, other.rank, other.scale) == ("Carried", 9, 1e-6)
    assert isinstance(other, Metric)
