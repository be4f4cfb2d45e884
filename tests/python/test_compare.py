"""`airtcp compare`: end to end, its document, its page, and its errors."""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING, Any

import jsonschema
import polars as pl
import pytest

import airtcp
from airtcp.cli.compare import link_keys
from airtcp.questions.compare import answer_tcp, quantities, slot_limits
from airtcp.questions.compare import findings as compare
from airtcp.questions.compare import verdict as verdict_words
from airtcp.words import sentences as words

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Ended, Interrupted, Program

LOSSY = """
title = "A <b>lossy</b> link"
duration = "5 s"
replications = 4
[[links]]
name = "air"
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "20 ms"
loss = { model = "bernoulli", probability = 0.01 }
[[flows]]
from = "a"
to = "b"
tcp = "linux"
"""


@pytest.fixture
def lossy(tmp_path: Path) -> Path:
    path = tmp_path / "lossy.toml"
    path.write_text(LOSSY, "utf-8")
    return path


@pytest.fixture
def bursty(tmp_path: Path) -> Path:
    return airtcp.synth(tmp_path / "bursty.txt", prr=0.9, mu=0.5, packets=20_000, seed=5)


def _ended(ended: Ended, code: int = 0) -> str:
    assert ended.code == code, ended.err
    assert "Traceback" not in ended.err
    return ended.out


def test_a_scenario_in_the_terminal(run: Program, lossy: Path) -> None:
    out = _ended(run("compare", lossy.name, "--tcp", "tahoe,sack", "--tcp", "newreno"))
    rows = [
        line.split()[0] for line in out.splitlines() if re.match(r" (tahoe|sack|newreno) ", line)
    ]
    # By goodput; the details have the order of the options.
    assert sorted(rows) == ["newreno", "sack", "tahoe"]
    assert "vs tahoe" not in out
    out = _ended(run("compare", lossy.name, "--tcp", "tahoe,sack,newreno", "--details"))
    after = out.split("vs tahoe")[1]
    assert re.findall(r"^ (tahoe|sack|newreno) ", after, re.MULTILINE)[:3] == [
        "tahoe",
        "sack",
        "newreno",
    ]
    assert "reference" in out
    assert "Seed 1" in out
    assert "report" not in out


def test_every_format(run: Program, lossy: Path, tmp_path: Path) -> None:
    arguments = ["compare", lossy.name, "--tcp", "newreno,sack", "-q"]
    document = json.loads(_ended(run(*arguments, "--json", "--out", "all")))
    jsonschema.validate(document, airtcp.schema("compare"))
    assert document["schema"] == "airtcp.compare/1"
    home = tmp_path / "all"
    assert json.loads((home / "compare.json").read_text("utf-8")) == document
    outcomes = pl.read_parquet(home / "outcomes.parquet")
    assert outcomes["variant"].to_list() == ["newreno", "sack"]
    assert pl.read_parquet(home / "runs.parquet").height == 8
    assert pl.read_parquet(home / "windows.parquet").height > 20
    assert (home / "report.html").stat().st_size > 100_000
    csv = _ended(run(*arguments, "--format", "csv")).splitlines()
    assert len(csv) == 3
    assert "goodput_bps_ci_low" in csv[0]
    lines = [json.loads(x) for x in _ended(run(*arguments, "--format", "jsonl")).splitlines()]
    assert [line["variant"] for line in lines] == ["newreno", "sack"]


def test_the_document_of_traces(bursty: Path) -> None:
    result = airtcp.compare(bursty, tcp="newreno,sack", replications=5)
    jsonschema.validate(result.json, airtcp.schema("compare"))
    [subject] = result.json["subjects"]
    assert [case["channel"] for case in subject["cases"]] == [
        "trace",
        "independent",
        "gilbert-elliott",
    ]
    trace = subject["cases"][0]
    assert trace["over"] == "stretches"
    assert trace["replications"] == 5
    # A quantity has one name, in the tables and in the document.
    for name in ("runs", "outcomes"):
        columns = set(result.table(name).to_polars().columns)
        assert {"variant", "goodput_bps"} <= columns & trace[name][0].keys()
    assert {*trace["runs"][0]} | {"subject", "channel"} == {*result.runs.to_polars().columns}
    # Means of the runs are the means of the outcomes, and differences are paired.
    runs = (
        result.runs.to_polars()
        .filter(channel="trace")
        .pivot(on="variant", index="replication", values="goodput_bps")
    )
    gain = (runs["sack"] - runs["newreno"]).mean()
    difference = trace["outcomes"][1]["difference"]
    assert difference is not None
    assert difference["absolute"]["mean"] == pytest.approx(gain)
    assert trace["outcomes"][0]["difference"] is None
    only = airtcp.compare(bursty, tcp="newreno", synthetic=False).json["subjects"][0]
    assert [case["channel"] for case in only["cases"]] == ["trace"]


def test_rare_replications_decide_nothing(tmp_path: Path) -> None:
    """If nearly every slot delivers, rare links determine the mean: no interval, no rank."""
    trace = airtcp.synth(tmp_path / "a.txt", prr=0.99, mu=0.9, packets=2000, seed=1)
    document = airtcp.compare(trace, tcp="sack,cubic", remedies=False).json
    subject = document["subjects"][0]
    assert sum("rare replications make" in note for note in subject["notes"]) == 1
    for case in subject["cases"][1:]:
        for outcome in case["outcomes"]:
            assert outcome["goodput_bps"]["mean"] > 0
            assert outcome["goodput_bps"]["ci_low"] is None
            difference = outcome["difference"]
            assert difference is None or difference["absolute"]["ci_high"] is None
        assert not case["ranking"]["worse"]
    # A longer one of the same kind has intervals.
    longer = airtcp.synth(tmp_path / "b.txt", prr=0.9, mu=0.9, packets=20_000, seed=1)
    case = airtcp.compare(longer, tcp="sack,cubic", remedies=False).json["subjects"][0]["cases"][1]
    assert all(outcome["goodput_bps"]["ci_low"] is not None for outcome in case["outcomes"])


def test_seed_and_workers(lossy: Path) -> None:
    def texts(**options: Any) -> list[Any]:
        result = airtcp.compare(lossy, tcp=["newreno", "sack"], replications=3, **options)
        return [case["runs"] for s in result.json["subjects"] for case in s["cases"]]

    assert texts(workers=1) == texts(workers=2) == texts(seed=1)
    assert texts(seed=2) != texts(seed=1)


def test_a_trace_behind_a_link(run: Program, bursty: Path) -> None:
    link = "rate=2 Mb/s, delay=10 ms, queue=20"
    out = _ended(
        run("compare", bursty.name, "--as-link", link, "--tcp", "newreno,sack", "--json", "-q")
    )
    document = json.loads(out)
    jsonschema.validate(document, airtcp.schema("compare"))
    [subject] = document["subjects"]
    assert subject["kind"] == "trace-as-link"
    forward = subject["scenario"]["links"][0]["forward"]
    assert (forward["rate"], forward["queue"]["packets"]) == ("2 Mb/s", 20)
    assert subject["cases"][0]["outcomes"][0]["queue_delay_s"]["mean"] >= 0
    assert link_keys("default") == {}
    assert link_keys("queue=red") == {"queue": {"kind": "red"}}


def test_sharing(run: Program, lossy: Path) -> None:
    out = _ended(run("compare", lossy.name, "--tcp", "newreno,sack", "--share", "newreno"))
    assert "newreno gets" in out
    assert out.startswith("Beside a flow of newreno, ")
    result = airtcp.compare(lossy, tcp="newreno,sack", share="newreno")
    for outcome in result.json["subjects"][0]["cases"][0]["outcomes"]:
        share = outcome["share"]
        assert share is not None
        assert share["mean"] is not None
        assert 0 < share["mean"] < 1


def test_overrides_text_and_keys() -> None:
    result = airtcp.compare(
        "x.toml",
        text=LOSSY,
        tcp=["own", "newreno:initial_window=3"],
        overrides={"links[0].rate": "1 Mb/s"},
    )
    [subject] = result.json["subjects"]
    assert subject["scenario"] is not None
    assert subject["scenario"]["links"][0]["forward"]["rate"] == "1 Mb/s"
    assert [entry["parameters"]["initial_window"] for entry in subject["tcp"]] == [10, 3]
    assert result.outcomes.to_polars()["goodput_bps"].max() < 1e6  # pyright: ignore[reportOperatorIssue]


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--tcp", "newrno"], ['"newrno"', 'did you mean "newreno"']),
        (["--tcp", "sack,sack"], ["stands twice"]),
        (["--tcp", ","], ["0 variants"]),
        (["--tcp", "newreno:groth=bytes"], ['"groth"', '"growth"']),
        (["--tcp", "newreno:mss=7"], ["mss: 7", "48 to"]),
        (["--reference", "tahoe", "--tcp", "sack"], ["not among the variants"]),
        (["--flow", "flow1"], ['"flow0"']),
        (["--profile", "linus"], ['"linux"']),
        (["--share", "cubik"], ['"cubik"']),
        (["--set", "links[0].rat=1 Mb/s"], ["rat"]),
        (["--set", "links[0].rate"], ["PATH=VALUE"]),
        (["--as-link", "speed=1"], ["rate=, delay= and queue="]),
        (["--as-link", "default"], ["a scenario has its own links"]),
    ],
)
def test_bad_input(run: Program, lossy: Path, arguments: list[str], parts: list[str]) -> None:
    ended = run("compare", lossy.name, *arguments)
    _ended(ended, 2)
    for part in parts:
        assert part in ended.err, ended.err
    assert ended.err.startswith("error: ")
    assert ended.out == ""


def test_bad_files(run: Program, lossy: Path, tmp_path: Path) -> None:
    assert "expected a scenario" in run("compare", "none.toml").err
    assert run("compare", "none.txt").code == 2
    lossy.write_text(LOSSY.replace("10 Mb/s", "10 Mbs"), "utf-8")
    assert "lossy.toml:" in run("compare", lossy.name).err
    (tmp_path / "words.txt").write_text("these are words\n", "utf-8")
    assert run("compare", "words.txt").code == 2
    airtcp.synth(tmp_path / "a.txt", prr=0.5, packets=2000)
    assert "share" in run("compare", "a.txt", "--share", "newreno").err
    unknown = run("compare", "a.txt", "--as-link", "queue=fifo")
    assert unknown.code == 2
    assert "fifo" in unknown.err
    assert "drop-tail" in unknown.err


def test_ctrl_c_keeps_whole_replications(interrupted: Interrupted, tmp_path: Path) -> None:
    text = LOSSY.replace("5 s", "300 s").replace("0.01", "0.0001")
    (tmp_path / "long.toml").write_text(text, "utf-8")
    arguments = ["compare", "long.toml", "--tcp", "newreno,sack", "-n", "2000", "--json"]
    ended = interrupted(*arguments, after=5)
    assert ended.code == 130, ended.err
    assert "Traceback" not in ended.err
    document = json.loads(ended.out)
    assert document["interrupted"]
    for subject in document["subjects"]:
        case = subject["cases"][0]
        assert 0 < case["replications"] < 2000
        assert len(case["runs"]) == 2 * case["replications"]


def a_case(
    means: dict[str, float], verdict: dict[str, Any], *, resent: float = 0.01, count: int = 10
) -> Any:
    """Make a case of these goodputs; the first variant retransmits `resent` of its segments."""

    def outcome(name: str, share: float) -> dict[str, Any]:
        def estimate(mean: float) -> dict[str, float]:
            return {"mean": mean, "ci_low": mean, "ci_high": mean}

        return {
            "variant": name,
            "goodput_bps": estimate(means[name]),
            "packets_per_second": None,
            "difference": None,
            "delivery_p95_s": estimate(0.05),
            "retransmission_ratio": estimate(share),
            "rtt_mean_s": estimate(0.04),
            "share": None,
        }

    measures = [
        {"criterion": criterion, "quantity": quantity, "more_is_better": more} | threshold
        for criterion, quantity, more, threshold in (
            ("goodput", "goodput_bps", True, {"matters": 0.03, "relative": True}),
            ("delay", "delivery_p95_s", False, {"matters": 0.1, "relative": True}),
            ("waste", "retransmission_ratio", False, {"matters": 0.01, "relative": False}),
        )
    ]
    empty: dict[str, Any] = {
        "first": None,
        "not_distinguishable": [],
        "alternatives": [],
        "worse": [],
        "not_ranked": [],
    }
    return {
        "channel": "scenario",
        "over": "replications",
        "replications": count,
        "outcomes": [outcome(name, resent if i == 0 else 0.01) for i, name in enumerate(means)],
        "ranking": {"order": sorted(means, key=lambda name: -means[name])},
        "verdict": {**empty, "measures": measures, "replications": count, **verdict},
    }


def test_terminal_page_and_document_have_one_verdict(
    run: Program, lossy: Path, tmp_path: Path
) -> None:
    tcp = "sack,jersey:ecn=true,cubic"
    arguments = ["compare", lossy.name, "--tcp", tcp, "-q", "--out", "all", "--details"]
    out = " ".join(_ended(run(*arguments)).split())
    document = json.loads((tmp_path / "all" / "compare.json").read_text("utf-8"))
    case = document["subjects"][0]["cases"][0]
    verdict = case["verdict"]
    assert [entry["variant"] for entry in verdict["not_ranked"]] == ["jersey:ecn=true"]
    assert verdict["first"] in {"sack", "cubic"}
    page = html.unescape((tmp_path / "all" / "report.html").read_text("utf-8"))
    for text in (out, page):
        assert document["answer"]["headline"] in text
        assert 'it needs a queue of kind "jersey", and the path has none' in text
    assert out.startswith(document["answer"]["headline"])
    places = pl.read_parquet(tmp_path / "all" / "outcomes.parquet")["verdict"].to_list()
    assert places[1] == "not-ranked"
    assert "first" in places


def test_a_bare_law_is_the_law_alone(lossy: Path) -> None:
    result = airtcp.compare(lossy, tcp="cubic,reno,sack,reno-nosack", replications=2)
    [subject] = result.json["subjects"]
    assert [entry["recovery"] for entry in subject["tcp"]] == ["sack", "sack", "sack", "reno"]
    goodputs = [outcome["goodput_bps"] for outcome in subject["cases"][0]["outcomes"]]
    assert goodputs[1] == goodputs[2] != goodputs[3]
    assert any('reno-nosack with "reno"' in note for note in subject["notes"])
    alone = airtcp.compare(lossy, tcp="cubic,reno", replications=2).json["subjects"][0]
    assert not any("loss recovery" in note for note in alone["notes"])


def test_a_study_says_which_tcp_suits(run: Program, bursty: Path, tmp_path: Path) -> None:
    other = airtcp.synth(tmp_path / "other.txt", prr=0.8, packets=10_000, seed=2)
    out = _ended(run("study", bursty.name, "--replicas", "2", "--details"))
    assert "vs newreno" in out
    out = _ended(run("study", bursty.name, other.name, "--replicas", "2", "--details"))
    assert "best choice" in out
    assert "The best TCP for these links" in out
    out = _ended(run("study", bursty.name, "--replicas", "2", "--no-compare", "--details"))
    assert "vs newreno" not in out
    result = airtcp.study([bursty, other], replicas=2)
    jsonschema.validate(result.json, airtcp.schema("study"))
    case = result.json["links"][0].get("compared")
    assert case is not None
    assert case["outcomes"][0]["variant"] == "newreno"
    assert 'id="choice"' in result.page()
    without = airtcp.study(bursty, replicas=2, compare=False)
    assert without.json["links"][0].get("compared") is None
    assert 'id="choice"' not in without.page()


def _paired(mean: float, low: float | None, high: float | None) -> dict[str, Any]:
    estimate = {"mean": mean, "ci_low": low, "ci_high": high}
    return {"absolute": estimate, "percent": estimate, "standing": "undecided"}


def test_no_difference_is_below_nothing() -> None:
    case = a_case({"a": 3e6, "b": 2e6}, {})
    case["outcomes"][1]["difference"] = _paired(14.0, -461.0, 58.0)
    shown = quantities.against_reference(case["outcomes"][1])
    assert shown == "~ +14 [\N{MINUS SIGN}100, +58]"


def test_no_interval_exceeds_the_slots_of_a_second(tmp_path: Path) -> None:
    path = tmp_path / "halves.txt"
    path.write_text("10" * 500 + "1" * 1000)
    result = airtcp.compare(path, tcp="newreno,cubic", synthetic=False)
    [subject] = result.json["subjects"]
    value = subject["cases"][0]["outcomes"][0]["packets_per_second"]
    assert value["ci_high"] > 100, "the trace must show it"
    cut = slot_limits.subject(subject)
    for each in (*cut["cases"], cut["remedies"] or cut["cases"][0]):
        assert all(o["packets_per_second"]["ci_high"] <= 100.0 for o in each["outcomes"])
    shown = words.estimate(cut["cases"][0]["outcomes"][0]["packets_per_second"], 1.0)
    assert shown.endswith(", 100]")
    assert f"{shown.split(' ')[0]} [0, 100]" in result.page()
    # The document has the computed interval.
    assert value["ci_high"] > 100
    studied = airtcp.study(path, remedies=False, replicas=2)
    assert ", 100]" in studied.page()


def test_places_follow_the_verdict() -> None:
    means = {"a": 3e6, "b": 2e6, "c": 1e6, "d": 9e6}
    trade: Any = {"variant": "b", "than": "a", "better": ["waste"], "worse": ["goodput"]}
    slow: Any = {"variant": "c", "than": "b", "better": [], "worse": ["goodput", "delay"]}
    why = [{"variant": "d", "reason": "unmet", "lacks": ["queue"]}]
    made = a_case(
        means, {"first": "a", "alternatives": [trade], "worse": [slow], "not_ranked": why}
    )
    assert [verdict_words.place(made, name) for name in means] == [
        "best",
        "better in overhead; worse in goodput than a",
        "worse in goodput and delivery time than b",
        "not ranked",
    ]
    [left] = compare.not_ranked(made)
    assert left.text == "d: it needs a queue that marks with ECN, and the path has none."
    # Without a significant difference two TCPs are not yet as good, and the first is not the best.
    same: dict[str, Any] = {"first": "a", "not_distinguishable": ["b"]}
    two = {"a": 3e6, "b": 2e6}
    assert verdict_words.place(a_case(two, same), "b") == "may be as good as a"
    assert verdict_words.place(a_case(two, same), "a") == "highest mean"
    assert verdict_words.best(a_case(two, same)) == []
    alike = a_case(two, same | {"equivalent": ["b"]})
    assert verdict_words.place(alike, "b") == "as good as a"
    assert verdict_words.place(a_case(two, {}, count=1), "a") == ""


def test_what_is_not_ranked_is_not_named_best() -> None:
    why = [{"variant": "a", "reason": "unmet", "lacks": ["queue"]}]
    case = a_case({"a": 9e6, "b": 2e6}, {"first": "b", "not_ranked": why}, resent=0.29)
    assert quantities.best(case) == "b"
    assert answer_tcp.told(case).headline == "Only b can be ranked here: it gets 2.0 Mb/s."
    # Nor by a single run.
    single = a_case({"a": 9e6, "b": 2e6, "c": 1e6}, {"not_ranked": why}, count=1)
    assert "b got most" in answer_tcp.told(single).headline
