"""Distributions of delays and arrivals from files, for a user: tables, the page, errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import airtcp
from airtcp.questions.run import rows_delay as delay_rows

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp.questions.run.result import RunResult

MIXED = """duration = "2 s"
warmup = "500 ms"
replications = 2
[[cells]]
layout = { kind = "star", stations = 2, radius_m = 5 }
[[links]]
name = "wire"
from = "ap"
to = "server"
rate = "2 Mb/s"
[[flows]]
count = 2
from = "sta*"
to = "server"
[[flows]]
name = "web"
from = "server"
to = "sta0"
app = { kind = "request-response", request = "100 B", response = "1 kB", think = "10 ms" }
"""


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    path = tmp_path_factory.mktemp("delays") / "mixed.toml"
    path.write_text(MIXED)
    return airtcp.run(path)


def test_the_table_has_a_row_for_each_distribution_and_share(mixed: RunResult) -> None:
    table = mixed.delays.to_polars()
    assert table.columns == ["kind", "name", "category", "delay", "packets", "share", "delay_s"]
    kinds = set(table.select("kind", "delay").unique().iter_rows())
    assert kinds == {
        ("link", "queue"),
        ("flow", "exchange"),
        ("station", "queue"),
        ("station", "service"),
    }
    for _, one in table.group_by("kind", "name", "delay"):
        assert one["share"].to_list()[:3] == [0.0, 0.01, 0.02]
        assert one["share"].is_sorted()
        assert one["delay_s"].is_sorted()
        assert one["share"][-1] == 1.0


def test_percentiles_have_estimates(mixed: RunResult) -> None:
    rows = mixed.summary.to_polars().filter(
        mixed.summary.to_polars()["quantity"] == "queue_delay_p95_s"
    )
    assert {"wire", "sta0", "sta1"} <= set(rows["name"])
    assert rows.filter(rows["name"] == "wire")["ci_low"].null_count() == 0
    assert mixed.links.to_polars()["queue_delay_p99_s"].null_count() == 0
    assert "service_p99_s" in mixed.stations.to_polars().columns


def test_the_page_draws_the_distributions(mixed: RunResult) -> None:
    drawn = delay_rows.rows(mixed.json)
    assert list(drawn) == ["queue", "service", "exchange"]
    for rows in drawn.values():
        assert all(row["delay"] > 0.0 and 0.0 <= row["share"] <= 100.0 for row in rows)
    assert {row["name"] for row in drawn["exchange"]} == {"web"}
    page = mixed.page()
    for chart in ("delay_queue", "delay_service", "delay_exchange"):
        assert f'data-chart="{chart}"' in page


def test_a_page_without_delays(tmp_path: Path) -> None:
    path = tmp_path / "idle.toml"
    path.write_text(
        'duration = "1 s"\n[[links]]\nfrom = "a"\nto = "b"\nrate = "10 Mb/s"\n'
        '[[flows]]\nfrom = "a"\nto = "b"\ntransport = "udp"\n'
        'app = { kind = "constant-rate", rate = "80 kb/s" }\n'
    )
    result = airtcp.run(path)
    # Every packet leaves at once: there is a distribution, and nothing to draw.
    assert set(result.delays.to_polars()["delay_s"]) == {0.0}
    assert delay_rows.rows(result.json) == {}
    assert 'id="delays"' not in result.page()


SCHEDULED = """duration = "2 s"
[[links]]
from = "a"
to = "b"
rate = "10 Mb/s"
[[flows]]
from = "a"
to = "b"
transport = "udp"
app = { kind = "trace", path = "calls.csv" }
"""


def test_arrivals_come_from_a_file_beside_the_scenario(tmp_path: Path) -> None:
    path = tmp_path / "calls.toml"
    path.write_text(SCHEDULED)
    (tmp_path / "calls.csv").write_text("time_ms,bytes\n0,1200\n# two more\n20,300\n20,40\n")
    assert airtcp.run(path).flows.to_polars()["delivered_bytes"].to_list() == [1540]
    longer = airtcp.run(path, overrides={"flows[0].app.repeat": "500 ms"})
    # Four laps of three messages, and the first message of the fifth at the end of the run.
    assert longer.flows.to_polars()["segments_sent"].to_list() == [13]


def test_an_error_in_the_file_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "calls.toml"
    path.write_text(SCHEDULED)
    (tmp_path / "calls.csv").write_text("time_ms,bytes\n0,1200\n20,none\n")
    with pytest.raises(airtcp.AirtcpError, match=r'calls\.csv": line 3: "none" is not a whole'):
        airtcp.run(path)
