"""Intervals and verdicts: few losses, or a drawn order, give no significant claim."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from html import escape
from math import exp
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.questions.fit import findings as fit
from airtcp.questions.study import findings as study
from airtcp.questions.study import findings_link as link_words
from airtcp.questions.trace import findings as trace_words
from airtcp.words import notes as notes_words
from airtcp.words import sentences as words
from airtcp_papers import outcome, verdict
from airtcp_papers.paper import Claim, Term

if TYPE_CHECKING:
    from conftest import Program

ROOT = Path(__file__).resolve().parents[2]

HEADER = (
    '{"location": "here", "interframe_duration": 10}\n'
    "datetime,src,dst,channel,mean_rssi,pdr,tx_count\n"
)


def _k7(folder: Path, name: str, ratios: list[float], bursts: int = 20) -> Path:
    rows = "".join(
        f"2020-01-01 00:{minute % 60:02}:00,1,{2 + link},11,-80,{ratio},100\n"
        for link, ratio in enumerate(ratios)
        for minute in range(bursts)
    )
    path = folder / f"{name}.k7"
    path.write_text(HEADER + rows)
    return path


@pytest.fixture
def counted(tmp_path: Path) -> Path:
    return _k7(tmp_path, "counted", [0.9, 0.6])


def test_independent_losses_do_not_oscillate(tmp_path: Path) -> None:
    for seed in range(12):
        airtcp.synth(tmp_path / f"{seed}.txt", prr=0.97, packets=300, seed=seed)
    links: Any = airtcp.stats(tmp_path)["links"]
    kinds = [trace_words.memory(link) for link in links]
    assert kinds.count("undecided") >= 11
    assert "oscillating" not in kinds
    assert all(low < 0 < high for low, high in (link["mu_ci"] for link in links))


def test_many_independent_losses_are_called_so(tmp_path: Path) -> None:
    path = airtcp.synth(tmp_path / "many.txt", prr=0.9, packets=100_000, seed=1)
    (link,) = airtcp.stats(path)["links"]
    assert trace_words.memory(link) == "independent"  # pyright: ignore[reportArgumentType]
    assert link["converged"]


def test_a_drawn_order_is_not_shown_as_measured(counted: Path, run: Program) -> None:
    result = airtcp.study(counted, replicas=2)
    for link in result.json["links"]:
        assert not link["order_known"]
        for key in ("mu", "mu_ci", "g", "b", "beta", "longest_loss_burst", "loss_bursts"):
            assert link[key] is None, key  # pyright: ignore[reportTypedDictNotRequiredAccess]
        assert (link["cpdf"], link["autocorrelation"], link["converged"]) == ([], [], False)
        assert link["tcp"]["gilbert_elliott"] is None
        assert "not measured" in (link["tcp"]["gilbert_elliott_note"] or "")
        said = [finding.headline for finding in link_words.link_findings(link)]
        assert "Memory not measured" in said
        assert not {"Bursty", "Oscillating", "Independent", "Long enough"} & set(said)
    table = result.links.to_polars()
    assert table["mu"].null_count() == len(table)
    assert table["longest_loss_burst"].null_count() == len(table)
    said = " ".join(f.text for f in study.study_findings(result.json["links"]))
    assert "without their order" in said
    assert "settled" not in said
    shown = run("trace", "stats", counted)
    assert shown.code == 0, shown.err
    assert "without their order" in " ".join(shown.out.split())
    # The option gives the statistics of the drawn trace.
    drawn = airtcp.stats(counted, analyse={"drawn_order": True})["links"]
    assert all(link["mu"] is not None for link in drawn)


def test_hundredths_of_delivery_ratios_are_noticed(tmp_path: Path) -> None:
    path = _k7(tmp_path, "hundredths", [0.0098, 0.0102], bursts=60)
    for link in airtcp.stats(path)["links"]:
        assert any("no pdr of the file exceeds 0.0102" in note for note in link["notes"])
    for link in airtcp.stats(_k7(tmp_path, "poor", [0.0098, 0.5], bursts=60))["links"]:
        assert not any("no pdr" in note for note in link["notes"])


def test_a_start_that_makes_the_finding_is_told(tmp_path: Path) -> None:
    good = airtcp.synth(tmp_path / "good.txt", prr=0.99, packets=500, seed=1)
    bad = airtcp.synth(tmp_path / "bad.txt", prr=0.4, packets=9500, seed=2)
    both = tmp_path / "both.txt"
    both.write_text(Path(good).read_text() + Path(bad).read_text())
    (link,) = airtcp.study(both, replicas=2).json["links"]
    start = link.get("start")
    assert start is not None
    assert start["packets"] == 500
    assert start["packets_per_second_without"] < link["tcp"]["empirical"]["packets_per_second"] / 2
    said = [finding.headline for finding in link_words.link_findings(link)]
    assert said[1] == "The start differs from the rest"
    (bad_link,) = airtcp.study(bad, replicas=2).json["links"]
    assert bad_link.get("start") is None


def test_remedies_over_a_part_of_the_trace_say_so(tmp_path: Path) -> None:
    path = airtcp.synth(tmp_path / "long.txt", prr=0.9, packets=100_500, seed=1)
    result = airtcp.study(path, replicas=2, compare=False, remedies="sack@ll-arq")
    remedies = result.json["links"][0].get("remedies")
    assert remedies is not None
    assert "Over the first 100000 of the trace's 100500 packets." in remedies["notes"]


@pytest.mark.parametrize("prr", ["0.99", "0.97"])
def test_the_guide_says_what_the_sweep_found_of_rare_replications(prr: str) -> None:
    with (ROOT / "docs" / "figures" / "intervals.csv").open(encoding="utf-8") as lines:
        rows = [
            row
            for row in csv.DictReader(lines)
            if f"over slots, independent losses, PRR {prr}" in row["corner"]
        ]
    shares = [100 * int(row["covered"]) / int(row["draws"]) for row in rows]
    assert len(rows) == 12
    said = (
        f"{min(shares):.0f} % to {max(shares):.0f} % (?:of sets of replications )?at a PRR of {prr}"
    )
    page = (ROOT / "docs" / "guide" / "compare.md").read_text(encoding="utf-8")
    assert re.search(said, " ".join(page.split()))


def test_the_gain_of_a_fit_holds_with_few_links() -> None:
    draws, links, truth = 400, 4, 0.02
    random = Random(1)  # noqa: S311
    missed = 0
    for _ in range(draws):
        document: Any = {
            "links": [{"packets_per_second": 0.0, "link_packets_per_second": 1.0}] * links
        }
        before: Any = {
            "leave_one_out_estimates": [0.5 + random.gauss(0, 0.05) for _ in range(links)]
        }
        after: Any = {"leave_one_out_estimates": [0.5 - truth] * links}
        found = fit.improvement(document, before, after)
        assert found is not None
        missed += abs(found[0] - truth) > found[1]
    # 5 % and four binomial errors; the normal quantile missed 15 %.
    assert missed <= 0.05 * draws + 4 * (0.05 * 0.95 * draws) ** 0.5


def _limit(draws: int) -> float:
    """Return the most misses of a 95 % interval: 5 % and four binomial errors."""
    return 0.05 * draws + 4 * (0.05 * 0.95 * draws) ** 0.5


@pytest.mark.parametrize("repeats", [2, 3, 6, 10, 20])
@pytest.mark.parametrize("scatter", [0.0, 0.3])
def test_the_intervals_of_reproductions_hold(repeats: int, scatter: float) -> None:
    """The mean of repeats: normal, and lognormal with a mean of 1."""
    draws, missed = 1000, 0
    random = Random(repeats)  # noqa: S311
    for _ in range(draws):
        values: list[float | None] = [
            exp(random.gauss(-scatter * scatter / 2, scatter)) if scatter else random.gauss(1, 1)
            for _ in range(repeats)
        ]
        found = outcome.repeated("x", {}, values)
        assert found.low is not None
        assert found.high is not None
        missed += not found.low <= 1 <= found.high
    assert missed <= _limit(draws)


@pytest.mark.parametrize("repeats", [3, 6, 10])
@pytest.mark.parametrize("paired", [True, False])
def test_the_gaps_of_orderings_hold(repeats: int, paired: bool) -> None:  # noqa: FBT001
    """Left minus right: repeat by repeat, or as two independent means."""
    draws, missed = 1000, 0
    random = Random(10 + repeats)  # noqa: S311
    claim = Claim("", Term("a", {}), ">", Term("b", {}), 0.0, "", "", "")
    for _ in range(draws):
        common = [random.gauss(0, 1) for _ in range(repeats)]
        left, right = (
            outcome.repeated(name, {}, [at + x + random.gauss(0, 0.5) for x in common])
            for name, at in (("a", 5.0), ("b", 4.0))
        )
        if not paired:
            right = outcome.repeated("b", {}, [random.gauss(4, 1) for _ in range(repeats)])
            left = replace(left, each=None)
        one, two = left.value or 0.0, right.value or 0.0
        low, high = verdict._gap(claim, [left, right], one, two)  # noqa: SLF001
        assert low is not None
        assert high is not None
        missed += not low <= 1 <= high
    assert missed <= _limit(draws)


def test_a_converted_trace_keeps_that_its_order_was_drawn(
    counted: Path, run: Program, tmp_path: Path
) -> None:
    assert run("trace", "convert", counted, "--to", "bits").code == 0
    for link in airtcp.stats(tmp_path / "bits")["links"]:
        assert not link["order_known"]
        assert link["mu"] is None


def test_no_chain_is_compared_for_a_drawn_order(
    counted: Path, run: Program, tmp_path: Path
) -> None:
    result = airtcp.compare(counted, tcp="sack,reno", replications=2)
    for subject in result.json["subjects"]:
        assert "gilbert-elliott" not in [case["channel"] for case in subject["cases"]]
        assert any("mu is not known" in note for note in subject["notes"])
    page = tmp_path / "models.html"
    said = " ".join(
        run("trace", "models", counted, "--replicas", "1", "--details", "--html", page).out.split()
    )
    assert "On 2 links the order of losses was not measured" in said
    # The page has all findings of the terminal.
    document = airtcp.models(counted, replicas=1)
    notes = notes_words.models_notes(document["links"])
    assert len(notes) > 1
    shown = " ".join(page.read_text().split())
    for note in notes:
        assert escape(note).replace("&#x27;", "&#39;") in shown


def test_a_mean_that_rare_replicas_make_has_no_interval(tmp_path: Path) -> None:
    """Nearly every slot delivers: a set of 20 replicas often has none with many losses."""
    path = airtcp.synth(tmp_path / "a.txt", prr=0.995, mu=0.9, packets=2000, seed=1)
    tcp: Any = airtcp.study(path, compare=False, remedies=False).json["links"][0]["tcp"]
    assert tcp["independent"]["packets_per_second"]["mean"] > 95
    for estimate in (
        tcp["independent"]["packets_per_second"],
        tcp["difference"]["independent"]["packets_per_second"],
        tcp["difference"]["independent"]["percent"],
    ):
        assert estimate["ci_low"] is None
        assert estimate["ci_high"] is None


def test_no_loss_seen_is_no_proof(run: Program, tmp_path: Path) -> None:
    """A lossy link has an interval beside its 0; a link without a loss model has none."""
    scenario = tmp_path / "rare.toml"
    scenario.write_text(
        'duration = "2 s"\nreplications = 3\n[[links]]\nfrom = "a"\nto = "b"\nrate = "1 Mb/s"\n'
        'delay = "1 ms"\nloss = { model = "bernoulli", probability = 1e-9 }\n'
        '[[links]]\nfrom = "b"\nto = "c"\nrate = "2 Mb/s"\ndelay = "1 ms"\n'
        '[[flows]]\nfrom = "a"\nto = "c"\ntransport = "udp"\n'
        'app = { kind = "constant-rate", rate = "100 kb/s" }\n'
    )
    page = tmp_path / "page.html"
    done = run("run", scenario, "--html", page, "--json")
    assert done.code == 0, done.err
    links = {link["name"]: link["loss_rate"] for link in json.loads(done.out)["summary"]["links"]}
    assert links["a-b"]["mean"] == links["a-b"]["ci_low"] == 0
    assert 0 < links["a-b"]["ci_high"] < 0.1
    assert links["b-c"] == {"mean": 0, "ci_low": 0, "ci_high": 0}
    high = words.number(100 * links["a-b"]["ci_high"])
    shown = run("run", scenario, "--details").out
    rows = [line for line in shown.splitlines() if line.lstrip().startswith(("a-b ", "b-c "))]
    # Both directions of each link.
    assert [f"0 [0, {high}]" in row for row in rows] == [True, False, False, False]
    assert high in page.read_text()
