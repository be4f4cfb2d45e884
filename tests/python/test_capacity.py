"""Links of varying capacity: runs, comparisons and studies; never read as losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.questions.compare import verdict
from airtcp.questions.study import answer_capacity

if TYPE_CHECKING:
    from pathlib import Path

MEAN = 1504 * 8 * 500
"""Bits per second of `bursts`: an opportunity every other millisecond on average."""


def bursts(folder: Path, seconds: int = 41) -> Path:
    """Write a link trace: in each second 500 opportunities, two per millisecond from 501 ms on."""
    lines = [str(1000 * s + 500 + (i + 1) // 2) for s in range(seconds) for i in range(1, 501)]
    path = folder / "lte.down"
    path.write_text("\n".join(lines) + "\n")
    return path


SCENARIO = """
duration = "20 s"
[[links]]
from = "a"
to = "b"
rate = { trace = "lte.down" }
delay = "20 ms"
reverse = { rate = "1 Gb/s" }
[[flows]]
from = "a"
to = "b"
"""


def test_run_over_a_capacity(tmp_path: Path) -> None:
    bursts(tmp_path)
    (tmp_path / "s.toml").write_text(SCENARIO)
    result = airtcp.run(tmp_path / "s.toml")
    link = result.links.to_polars().row(0, named=True)
    assert link["capacity_bps"] == pytest.approx(MEAN, rel=0.01)
    assert 0.5 < link["utilisation"] <= 1.0
    # A packet in transmission at the end counts as sent, but has not used all its capacity.
    used = link["utilisation"] * link["capacity_bps"]
    assert used <= link["sent_bps"] <= used + 1500 * 8 / 20
    forward = result.json["scenario"]["links"][0]["forward"]
    assert forward["rate"] == {"trace": "lte.down"}


@pytest.mark.parametrize(
    ("rate", "says"),
    [
        ('{ trace = "none.down" }', ["links[0].rate.trace", "none.down"]),
        ('{ trace = "bits.txt" }', ["links[0].rate.trace", "bits.txt", "mahimahi"]),
        ('{ trace = "rates.txt" }', ["links[0].rate.trace", "rates.txt"]),
        ('{ trace = "rates.txt", unit = "parsec" }', ["links[0].rate.trace", "Mb/s"]),
        ('{ file = "lte.down" }', ["links[0].rate", "unknown key", "trace"]),
        ("5", ["links[0].rate", "54 Mb/s", "trace"]),
    ],
)
def test_rates_that_are_refused(tmp_path: Path, rate: str, says: list[str]) -> None:
    bursts(tmp_path)
    (tmp_path / "bits.txt").write_text("0110101\n0101\n")
    (tmp_path / "rates.txt").write_text("0.0\t7.5\n1.0\t3.25\n")
    text = SCENARIO.replace('{ trace = "lte.down" }', rate)
    with pytest.raises(airtcp.AirtcpError) as error:
        airtcp.run(tmp_path / "s.toml", text=text)
    message = str(error.value)
    assert "\n" not in message
    assert all(part in message for part in says), message


def test_tables_of_rates(tmp_path: Path) -> None:
    rates = tmp_path / "walk.csv"
    rates.write_text("".join(f"{t},{1_000_000 if t % 2 else 250_000}\n" for t in range(1, 41)))
    text = SCENARIO.replace('"lte.down" }', '"walk.csv", unit = "B/s" }')
    result = airtcp.run(tmp_path / "s.toml", text=text)
    assert result.links.to_polars().row(0, named=True)["capacity_bps"] == pytest.approx(5e6)
    document = airtcp.stats(rates, rate_unit="B/s")
    assert document["capacities"][0]["mean_bps"] == pytest.approx(5e6)
    with pytest.raises(airtcp.TraceError, match="throughput"):
        airtcp.stats(rates)


def test_a_capacity_is_no_trace_of_losses(tmp_path: Path) -> None:
    path = bursts(tmp_path)
    document = airtcp.stats(path)
    assert document["links"] == []
    (link,) = document["capacities"]
    assert (link["entries"], link["longest_outage_s"]) == (20_500, 0.751)
    assert not {"prr", "mu", "class"} & set(link)
    for refused in (
        lambda: airtcp.models(path),
        lambda: airtcp.convert(path, tmp_path / "x.txt"),
        lambda: airtcp.run(
            tmp_path / "s.toml",
            text=SCENARIO.replace(
                'rate = { trace = "lte.down" }',
                'rate = "1 Mb/s"\nloss = { model = "trace", path = "lte.down", slot = "1 ms" }',
            ),
        ),
    ):
        with pytest.raises(airtcp.AirtcpError, match="losses"):
            refused()


def test_study_of_a_capacity(tmp_path: Path) -> None:
    path = bursts(tmp_path)
    result = airtcp.study(path)
    assert (len(result), result.json["links"]) == (1, [])
    (link,) = result.json["capacities"]
    assert link["mean_bps"] == pytest.approx(MEAN, rel=0.01)
    case = link["compared"]
    assert case is not None
    outcomes = case["outcomes"]
    # NewReno repairs a segment in a round trip, and a round trip takes an outage.
    newreno, *others = (o["goodput_bps"]["mean"] or 0.0 for o in outcomes)
    assert 0.02 * MEAN < newreno < min(others)
    assert all(0.2 * MEAN < goodput < MEAN for goodput in others)
    # The link sends nothing for three quarters of every second.
    assert all((o["rtt_mean_s"]["mean"] or 0.0) > 0.04 for o in outcomes)
    assert case["replications"] == 2
    answer = result.answer()
    assert answer is not None
    assert answer.table is not None
    assert "longest outage 751 ms" in answer.table.title
    said = " ".join([*answer.sentences, answer.table.title])
    assert not any(word in said for word in ("PRR", "LL-ARQ", "packets/s"))
    page = result.page()
    assert "Capacity over time" in page
    assert "<h2>Remedies against losses" not in page
    assert result.table("capacity_over_time").to_polars()["capacity_bps"].mean() == pytest.approx(
        MEAN, rel=0.01
    )


def test_remedies_against_the_wait(tmp_path: Path) -> None:
    path = tmp_path / "steady.down"
    path.write_text("".join(f"{10 * (i // 5)}\n" for i in range(5, 20_505)))
    result = airtcp.study(path)
    remedies = result.json["capacities"][0]["remedies"]
    assert remedies is not None
    assert (remedies["aim"], remedies["reference"]) == ("delay", "cubic")
    queue = {o["variant"]: o["queue_delay_s"]["mean"] or 0.0 for o in remedies["outcomes"]}
    assert list(queue) == ["cubic", "cubic@codel", "cubic@fq-codel", "cubic@pie", "sliding"]
    assert queue["cubic@codel"] < queue["cubic"]
    assert queue["cubic@codel"] == queue["cubic@fq-codel"], "a single flow has one queue"
    page = result.page()
    assert "Remedies against queueing delay" in page
    assert "against losses</h2>" not in page
    assert "would cut it to" in str(result.answer())
    without = airtcp.study(path, remedies=False).json["capacities"][0]
    assert without["remedies"] is None
    assert without["compared"] is not None


def test_a_constant_rate_is_one_run_and_most_laws_fill_it(tmp_path: Path) -> None:
    path = tmp_path / "steady.down"
    path.write_text("".join(f"{i + 1}\n" for i in range(60_000)))
    given: dict[str, Any] = {"layout": "mahimahi", "remedies": False}
    compared = airtcp.compare(path, tcp="sack,cubic,vegas,bbr", **given)
    said = compared.answer()
    assert said is not None
    assert said.doubt == "The repetitions are one run, counted several times: they show no spread."
    case, notes = compared.json["subjects"][0]["cases"][0], compared.json["subjects"][0]["notes"]
    assert verdict.one_run(notes)
    assert said.headline in compared.page()
    link: Any = {**airtcp.study(path, compare=False, **given).json["capacities"][0]}
    studied = answer_capacity.answer([{**link, "compared": case, "notes": notes}])
    assert "one run, counted several times" in (studied.doubt or "")


def test_a_queue_behind_a_law(tmp_path: Path) -> None:
    text = """
duration = "10 s"
links = [{ from = "a", to = "b", rate = "5 Mb/s", delay = "20 ms" }]
flows = [{ from = "a", to = "b" }]
"""
    (tmp_path / "s.toml").write_text(text)
    result = airtcp.compare(
        tmp_path / "s.toml", tcp="cubic,cubic@codel:target=20 ms", replications=2
    )
    plain, codel = result.json["subjects"][0]["cases"][0]["outcomes"]
    assert (codel["queue_delay_s"]["mean"] or 0) < 0.5 * (plain["queue_delay_s"]["mean"] or 0)
    for tcp, says in (
        ("cubic@codle", "codel"),
        ("cubic@codel:targt=5", "targt"),
        ("cubic@codel@pie", "already"),
    ):
        with pytest.raises(airtcp.AirtcpError, match=says):
            airtcp.compare(tmp_path / "s.toml", tcp=tcp)


def test_study_of_both_kinds(tmp_path: Path) -> None:
    path = bursts(tmp_path)
    losses = airtcp.synth(tmp_path / "losses.txt", prr=0.9, packets=2000)
    result = airtcp.study([path, losses], replicas=2)
    assert (len(result.json["links"]), len(result.json["capacities"])) == (1, 1)
    assert "Capacity over time" in result.page()


def test_compare_on_a_capacity(tmp_path: Path) -> None:
    path = bursts(tmp_path)
    result = airtcp.compare(path, tcp="cubic,bbr")
    (subject,) = result.json["subjects"]
    assert (subject["kind"], subject["remedies"]) == ("capacity", None)
    assert [case["channel"] for case in subject["cases"]] == ["trace"]
    assert subject["cases"][0]["replications"] == 2
    assert all(
        0.0 < (o["goodput_bps"]["mean"] or 0.0) < MEAN for o in subject["cases"][0]["outcomes"]
    )
    assert "capacity of a link" in result.page()
    scenario = airtcp.compare(tmp_path / "s.toml", tcp="cubic", text=SCENARIO, replications=1)
    (outcome,) = scenario.json["subjects"][0]["cases"][0]["outcomes"]
    assert 0.0 < (outcome["goodput_bps"]["mean"] or 0.0) < MEAN
