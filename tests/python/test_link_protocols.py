"""Link protocols through the program: tables, page, comparison, driver of papers."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import airtcp
from airtcp.questions.run import paths
from airtcp_papers.drivers.links import runs_of_level

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Program

SCENARIO = """
duration = "5 s"
replications = 2
[[links]]
name = "air"
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "10 ms"
loss = { model = "bernoulli", probability = "20 %" }
protocol = { kind = "ll-harq" }
[[flows]]
from = "a"
to = "b"
count = 2
"""


def test_a_run_reports_what_the_protocol_did(run: Program, tmp_path: Path) -> None:
    """The document has the protocol's quantities, the page its section."""
    scenario = tmp_path / "air.toml"
    scenario.write_text(SCENARIO)
    ended = run("run", str(scenario), "--details", "--out", str(tmp_path / "out"))
    assert ended.code == 0, ended.err
    assert "PFEC" in ended.out
    assert "residual loss" in ended.out
    assert "from end to end" in ended.out
    document = json.loads((tmp_path / "out" / "run.json").read_text())
    link = document["replications"][0]["links"][0]["protocol"]
    parts = link["data_bps"] + link["pfec_bps"] + link["rfec_bps"]
    assert abs(parts / link["throughput_bps"] - 1) < 1e-9
    summary = document["summary"]["links"][0]
    assert 0.15 < summary["unit_loss_rate"]["mean"] < 0.25
    assert summary["latency_mean_s"]["mean"] >= summary["decode_mean_s"]["mean"] > 0.01
    (way,) = paths.protocol_paths(document)
    assert way["name"] == "a"
    assert way["hops"] == 1
    assert way["latency"] > 10
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Bits sent, by kind" in page
    assert "Goodput, latency, residual loss" in page


def test_a_comparison_says_what_a_protocol_is_worth(run: Program, tmp_path: Path) -> None:
    """A protocol follows an @, and an unknown one is refused by name."""
    scenario = tmp_path / "air.toml"
    scenario.write_text(SCENARIO)
    wanted = "sack@none,sack@ll-arq:arq=selective,sack@ll-harq"
    ended = run("compare", str(scenario), "--tcp", wanted, "--json")
    assert ended.code == 0, ended.err
    (case,) = json.loads(ended.out)["subjects"][0]["cases"]
    got = {one["variant"]: one["goodput_bps"]["mean"] for one in case["outcomes"]}
    assert got["sack@ll-harq"] > 5 * got["sack@none"]
    assert got["sack@ll-arq:arq=selective"] > 5 * got["sack@none"]
    refused = run("compare", str(scenario), "--tcp", "sack@ll-hark")
    assert refused.code != 0
    assert "ll-harq" in refused.err


def test_run_lengths_are_pooled_by_level(tmp_path: Path) -> None:
    """Only links of the level, and of the range of reception ratio, count."""
    file = tmp_path / "delivery.tsv.gz"
    lines = [
        "noise_dbm\ttx\trx\treceived\terr\tpdr\ta\tb\tc\tbits",
        "0\tx\ty\t3\t0\t0.5\t-\t-\t-\t110100",
        "0\tx\tz\t4\t0\t0.6667\t-\t-\t-\t011110",
        "0\tx\tw\t6\t0\t1.0\t-\t-\t-\t111111",
        "-5\tx\tw\t3\t0\t0.5\t-\t-\t-\t000111",
    ]
    with gzip.open(file, "wt") as stream:
        stream.write("\n".join(lines) + "\n")
    received, lost = runs_of_level(file, "0", [0.3, 0.95])
    assert received == [[1, 1], [2, 1], [4, 1]]
    assert lost == [[1, 3], [2, 1]]


def test_a_run_reports_what_the_coding_of_a_flow_did(run: Program, tmp_path: Path) -> None:
    """Terminal and page say how much of each kind LT-TCP sent; plain TCP has no such table."""
    scenario = tmp_path / "air.toml"
    plain = SCENARIO.replace('protocol = { kind = "ll-harq" }\n', "")
    scenario.write_text(plain)
    ended = run("run", str(scenario), "--details", "--html", str(tmp_path / "plain.html"))
    assert "coded flow" not in ended.out
    assert "coded flow" not in (tmp_path / "plain.html").read_text()
    scenario.write_text(plain + 'transport = "lt-tcp"\n')
    ended = run("run", str(scenario), "--details", "--html", str(tmp_path / "coded.html"))
    assert ended.code == 0, ended.err
    head, *rows = ended.out[ended.out.index("coded flow") :].splitlines()
    assert "PFEC (Mb/s)" in head
    assert [row.split()[0] for row in rows[1:3]] == ["flow0", "flow1"]
    assert "reactive rounds" in (tmp_path / "coded.html").read_text()


def test_chains_that_share_nothing_have_no_fairness(run: Program, tmp_path: Path) -> None:
    """The page shows the trade-off of separate paths, and the fairness of one path."""
    scenario = tmp_path / "two.toml"
    one = SCENARIO.split("[[flows]]", maxsplit=1)[0].split("[[links]]")[1]
    other = one.replace('"a', '"c').replace('"b"', '"d"').replace("ll-harq", "ll-arq")
    flow = '[[flows]]\nfrom = "{}"\nto = "{}"\ncount = 2\n'
    head = 'duration = "5 s"\nreplications = 2\n'
    scenario.write_text(
        f"{head}[[links]]{one}[[links]]{other}{flow.format('a', 'b')}{flow.format('c', 'd')}"
    )
    page = tmp_path / "page.html"
    ended = run("run", str(scenario), "--details", "--html", str(page))
    assert ended.code == 0, ended.err
    assert "Jain" not in ended.out
    assert 'data-chart="trade-off"' in page.read_text()
    assert "from end to end" in page.read_text()
    assert "fairness index" not in page.read_text()
    scenario.write_text(SCENARIO)
    ended = run("run", str(scenario), "--details", "--html", str(page))
    assert "Jain" in ended.out
    assert "fairness index" in page.read_text()


DIAMOND = """
duration = "5 s"
links = [
  { from = "a", to = "slow", rate = "10 Mb/s", delay = "50 ms", protocol = { kind = "ll-harq" } },
  { from = "a", to = "fast", rate = "10 Mb/s", delay = "1 ms", protocol = { kind = "ll-harq" } },
  { from = "fast", to = "b", rate = "10 Mb/s", delay = "1 ms", protocol = { kind = "ll-harq" } },
  { from = "slow", to = "b", rate = "10 Mb/s", delay = "50 ms", protocol = { kind = "ll-harq" } },
]
flows = [{ from = "a", to = "slow" }, { from = "slow", to = "b" }, { from = "a", to = "b" }]
"""


def test_a_way_is_the_one_that_packets_take(tmp_path: Path) -> None:
    """Of two paths of two links the simulator takes the one whose last link was written first."""
    (tmp_path / "diamond.toml").write_text(DIAMOND)
    found = {
        (w["name"], w["to"]): w
        for w in paths.protocol_paths(airtcp.run(tmp_path / "diamond.toml").json)
    }
    assert found["a", "b"]["hops"] == 2
    assert found["a", "b"]["latency"] < 40
    assert found["a", "slow"]["latency"] > 50
