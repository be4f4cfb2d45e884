"""Laws of one's own in sweeps and diagnoses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.laws import LawError
from test_laws import AIMD, command

if TYPE_CHECKING:
    from airtcp.questions.sweep.result import SweepResult

SCENARIO: dict[str, Any] = {
    "duration": "3 s",
    "links": [{"from": "a", "to": "b", "rate": "5 Mb/s", "delay": "20 ms"}],
    "flows": [{"from": "a", "to": "b", "tcp": {"congestion": {"external": "Aimd"}}}],
}
VARY: dict[str, Any] = {"flows[0].tcp.congestion.a": [1.0, 3.0]}


@pytest.fixture
def law(tmp_path: Path) -> str:
    file = tmp_path / "aimd.py"
    file.write_text(AIMD, "utf-8")
    return str(file)


def swept(tmp_path: Path, law: str, **more: Any) -> SweepResult:
    source = {"scenario": SCENARIO, "vary": VARY, "replications": 2}
    return airtcp.sweep(source, out=tmp_path / "out", law=law, **more)


def goodputs(result: SweepResult) -> list[float]:
    rows = [row for row in result.points.rows() if row["kind"] == "run"]
    return [row["total_goodput_bps"] for row in rows]


def test_a_key_of_a_law_is_varied(tmp_path: Path, law: str) -> None:
    found = swept(tmp_path, law, workers=2)
    assert not found.failures
    expected = [
        airtcp.run(SCENARIO, law=law, replications=2, overrides={"flows[0].tcp.congestion.a": a})
        for a in (1.0, 3.0)
    ]
    assert goodputs(found) == [run.json["summary"]["total_goodput_bps"]["mean"] for run in expected]
    assert found.json["sweep"]["laws"][0]["name"] == "Aimd"
    again = swept(tmp_path, law, workers=1)
    assert again.json["points"]["run"] == 0


def test_a_changed_law_is_refused(tmp_path: Path, law: str) -> None:
    swept(tmp_path, law, workers=1)
    Path(law).write_text(AIMD + "# another\n", "utf-8")
    with pytest.raises(LawError, match=r"aimd\.py: Aimd has changed since .* was begun"):
        swept(tmp_path, law, workers=1)
    Path(law).write_text(AIMD, "utf-8")
    assert swept(tmp_path, law, workers=1).json["points"]["run"] == 0


def test_a_comparison_names_laws_without_files(tmp_path: Path, law: str) -> None:
    scenario = {**SCENARIO, "flows": [{"from": "a", "to": "b"}]}
    source: dict[str, Any] = {
        "scenario": scenario,
        "kind": "compare",
        "vary": {"links[0].delay": ["5 ms", "20 ms"]},
        "options": {"tcp": "Aimd:a=2,cubic"},
        "replications": 2,
    }
    found = airtcp.sweep(source, out=tmp_path / "out", law=law, workers=2)
    assert not found.failures
    assert {row["name"] for row in found.points.rows()} == {"Aimd:a=2", "cubic"}
    source["options"] = {"tcp": f"{law}:Aimd"}
    for given in ((), law):
        with pytest.raises(airtcp.AirtcpError, match=r"options\.tcp: .* names a file; give it as"):
            airtcp.sweep(source, out=tmp_path / "other", law=given)
    del source["options"]
    source["vary"] = {"options.tcp": [f"{law}:a=1", "cubic"]}
    with pytest.raises(airtcp.AirtcpError, match=r"vary\.options\.tcp: .* names a file"):
        airtcp.sweep(source, out=tmp_path / "other", law=law)


def test_without_the_law_a_sweep_is_refused(tmp_path: Path) -> None:
    with pytest.raises(airtcp.AirtcpError, match='no law "Aimd": name its file with --law FILE'):
        airtcp.sweep({"scenario": SCENARIO, "vary": VARY}, out=tmp_path / "out")


def test_the_command(tmp_path: Path, law: str) -> None:
    text = 'of = "link.toml"\nreplications = 2\n[vary]\n"flows[0].tcp.congestion.a" = [1.0, 3.0]\n'
    (tmp_path / "sweep.toml").write_text(text, "utf-8")
    link = """duration = "3 s"
[[links]]
from = "a"
to = "b"
rate = "5 Mb/s"
delay = "20 ms"
[[flows]]
from = "a"
to = "b"
tcp = { congestion = { external = "Aimd" } }
"""
    (tmp_path / "link.toml").write_text(link, "utf-8")
    done = command("sweep", "sweep.toml", "--law", law, "-q", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert '"finished":2' in done.stdout


def test_a_diagnosis_says_what_its_option_is_for(tmp_path: Path, law: str) -> None:
    run = airtcp.run(
        {**SCENARIO, "flows": [{"from": "a", "to": "b"}]}, pcap=tmp_path / "one.pcapng"
    )
    assert run.captures
    with pytest.raises(airtcp.AirtcpError, match="the law that the sender of the capture ran"):
        airtcp.diagnose(tmp_path / "one.pcapng", tcp=law, replications=5)
