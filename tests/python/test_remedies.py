"""Remedies against losses: in `compare`, in `study`, in findings, on the pages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import polars as pl
import pytest

import airtcp
from airtcp.questions.compare import delay, effects
from airtcp.questions.compare import findings as compare
from airtcp.questions.compare import findings_remedies as remedies
from airtcp.questions.compare import rows as compare_rows
from airtcp.questions.compare import sections_remedies as page

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp.data.documents import Remedies
    from conftest import Ended, Program


@pytest.fixture(scope="module")
def lossy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A link that loses a fifth of its packets, one by one."""
    folder = tmp_path_factory.mktemp("lossy")
    return airtcp.synth(folder / "lossy.txt", prr=0.8, packets=10_000, seed=5)


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A link that loses nothing."""
    path = tmp_path_factory.mktemp("clean") / "clean.txt"
    path.write_text("1" * 10_000 + "\n")
    return path


def _ended(ended: Ended, code: int = 0) -> str:
    assert ended.code == code, ended.err
    assert "Traceback" not in ended.err
    return ended.out


def _remedies(path: Path, names: str = "usual", **options: Any) -> Remedies:
    result = airtcp.compare(path, tcp="sack", remedies=names, synthetic=False, **options)
    jsonschema.validate(result.json, airtcp.schema("compare"))
    found = result.json["subjects"][0]["remedies"]
    assert found is not None
    return found


def _mean(value: Any) -> float:
    assert value["mean"] is not None
    return value["mean"]


def test_a_lossy_link_is_helped_and_it_is_said(lossy: Path) -> None:
    found = _remedies(lossy)
    names = [outcome["variant"] for outcome in found["outcomes"]]
    assert names == [
        "sack",
        "sack@ll-arq:arq=selective",
        "sack@ll-harq",
        "lt-tcp",
        "lt-tcp@ll-harq",
        "sliding",
    ]
    by_name = dict(zip(names, found["outcomes"], strict=True))
    coded = by_name["lt-tcp"]["difference"]
    assert coded is not None
    assert coded["standing"] == "more"
    # Several times as much: SACK starves at a fifth lost.
    assert _mean(coded["percent"]) > 500
    said = remedies.conclusion(found)
    verdict = found["verdict"]
    first = verdict["first"]
    assert first in names[1:]
    assert said.headline.startswith(f"Best remedy: {first}")
    assert said.tone == "good"
    # The remedy is named in words, with what it gives and what it costs.
    spoken = effects.named(first)
    assert said.text.startswith(f"{spoken[0].upper()}{spoken[1:]} multiplies goodput by ")
    assert "delivery time (95 %)" in said.text
    assert "bytes on the link per byte delivered" in said.text
    assert [m["quantity"] for m in verdict["measures"]][2] == "bytes_per_byte"
    costs = remedies.cost(found)
    assert costs is not None
    assert f"lt-tcp {_mean(by_name['lt-tcp']['bytes_per_byte']):.2f}" in costs.text
    assert "sack@ll-arq:arq=selective 0 %" in costs.text


def test_a_clean_link_is_not_and_it_is_said(clean: Path, run: Program) -> None:
    found = _remedies(clean)
    said = remedies.conclusion(found)
    assert said.headline == "No remedy raises goodput"
    assert "the link loses nothing" in said.text
    assert "Identical: sack@ll-arq:arq=selective." in said.text
    assert "Shorter delivery times: sliding." in said.text
    assert not [o for o in found["outcomes"] if (o["difference"] or {}).get("standing") == "more"]
    # A short queue is not a gain in goodput.
    delivery = remedies.delivery(found)
    assert delivery is not None
    assert delivery.headline == "Shortest delivery time: sliding"
    quiet = ("--no-compare", "-q", "--details")
    out = _ended(run("study", clean, "--replicas", "2", *quiet))
    assert "No remedy raises goodput. " in out
    assert "Remedies against losses" in out


def test_in_the_terminal(run: Program, lossy: Path) -> None:
    out = _ended(run("compare", lossy, "--no-synthetic", "-q", "--details"))
    before, after = out.split("\nRemedies against losses\n")
    assert " newreno " in before
    for name in ("sack@ll-harq", "lt-tcp", "lt-tcp@ll-harq", "sliding"):
        assert f"\n {name} " in after
    assert "Best remedy: " in after
    assert "best remedy" in before
    assert "One packet a slot, behind a queue" in after
    # With named TCPs there are no remedies unless requested.
    for options in (["--tcp", "sack"], ["--remedies", "none"]):
        out = _ended(run("compare", lossy, *options, "-q", "--details"))
        assert "Remedies against" not in out
        assert "TCP or remedy" not in out
    named = _ended(run("compare", lossy, "--tcp", "sack", "--remedies", "ll-arq,lt-tcp", "-q"))
    assert "\n sack@ll-arq " in named
    assert "sliding" not in named


def test_a_study_says_it_everywhere(run: Program, lossy: Path, tmp_path: Path) -> None:
    arguments = ["study", str(lossy), "--replicas", "2", "--no-compare", "-q"]
    document = json.loads(_ended(run(*arguments, "--json", "--out", "all")))
    jsonschema.validate(document, airtcp.schema("study"))
    [link] = document["links"]
    assert link["remedies"]["reference"] == "sack"
    assert link["remedies"]["runs"] == []
    table = pl.read_parquet(tmp_path / "all" / "remedies.parquet")
    assert table["variant"].to_list() == [o["variant"] for o in link["remedies"]["outcomes"]]
    assert table["bytes_per_byte"].null_count() == 0
    html = (tmp_path / "all" / "report.html").read_text("utf-8")
    assert "Remedies for this link" in html
    assert "Goodput and delivery time" in html
    out = _ended(run(*arguments, "--details"))
    assert "Best remedy: " in out
    without = _ended(run(*arguments, "--no-remedies", "--json"))
    assert json.loads(without)["links"][0]["remedies"] is None


def test_of_several_links(lossy: Path, clean: Path, run: Program) -> None:
    result = airtcp.study([lossy, clean], replicas=2, compare=False, remedies="lt-tcp")
    [said] = [f for f in result.findings if f.headline == "Remedies for these links"]
    named = "a coded transport (LT-TCP) on 1 ("
    assert f"Significantly higher goodput (of 2 links): {named}" in said.text
    assert said.text.endswith("On 1 no remedy raises goodput significantly.")
    drawn = page.helped(result.json["links"])
    assert drawn is not None
    assert [row[1] for row in drawn["several"]["rows"]] == [
        "Best remedy: lt-tcp",
        "No remedy raises goodput",
    ]
    command = ("compare", lossy, clean, "--tcp", "sack", "--remedies", "lt-tcp", "-q")
    assert "A coded transport (LT-TCP) would help on 1 link, " in _ended(run(*command))
    out = _ended(run(*command, "--details"))
    assert out.count("Remedies against losses") == 2


def test_the_page_of_a_comparison(lossy: Path, run: Program, tmp_path: Path) -> None:
    _ended(run("compare", lossy, "--no-synthetic", "--html", "page.html", "-q"))
    html = (tmp_path / "page.html").read_text("utf-8")
    assert "Remedies against losses" in html
    assert "remedies-trade-0" in html
    # The command on the page brings the same numbers back.
    assert "--remedies sack,sack@ll-arq:arq=selective,sack@ll-harq,lt-tcp" in html


def test_seed_and_workers(lossy: Path) -> None:
    one = _remedies(lossy, "lt-tcp,sliding,ll-harq", workers=1)
    assert one == _remedies(lossy, "lt-tcp,sliding,ll-harq", workers=2)
    assert one["runs"]


def test_behind_a_link_and_in_a_scenario(lossy: Path) -> None:
    link = {"rate": "2 Mb/s", "delay": "10 ms"}
    found = _remedies(lossy, "sliding,ll-arq:arq=selective", as_link=link)
    assert found["replications"] == 5
    assert all(o["packets_per_second"] is None for o in found["outcomes"])
    assert remedies.conclusion(found).tone == "good"
    assert " Mb/s with sack alone." in remedies.conclusion(found).text
    assert found["notes"][0].startswith(
        "Packets, and units of a link protocol, that are sent within"
    )


@pytest.mark.parametrize(
    ("names", "part"),
    [
        ("lt-tpc", 'did you mean "lt-tcp"'),
        ("lt-tcp:granulaton=5", "granulation"),
        ("ll-arq:attempts=0", "1 (no retransmission)"),
        ("sliding:coding=on", "coding"),
    ],
)
def test_bad_names(run: Program, lossy: Path, names: str, part: str) -> None:
    ended = run("compare", lossy, "--remedies", names)
    _ended(ended, 2)
    assert part in ended.err


def made_remedies(*percents: tuple[str, float, str], verdict: dict[str, Any] | None = None) -> Any:
    """Make remedies of given differences to a plain TCP."""

    def estimate(mean: float | None, half: float = 5) -> dict[str, float | None]:
        if mean is None:
            return {"mean": None, "ci_low": None, "ci_high": None}
        return {"mean": mean, "ci_low": mean - half, "ci_high": mean + half}

    def paired(mean: float, half: float, side: str | None) -> Any:
        return side and {"absolute": estimate(mean, half), "percent": None, "standing": side}

    rows = [("sack", 0.0, None), *percents]
    outcomes = [
        {
            "variant": name,
            "goodput_bps": estimate(1e6 * (1 + percent / 100)),
            "packets_per_second": None,
            "difference": side
            and {
                "absolute": estimate(1e4 * percent),
                "percent": estimate(percent),
                "standing": side,
            },
            "delivery_p95_s": estimate(0.05, 0.001),
            "delivery_p95_difference": paired(0.012, 0.002, side and "more"),
            "residual_loss": estimate(None),
            "bytes_per_byte": estimate(1.1 if side else 1.0, 0.01),
            "waste_difference": paired(0.1, 0.01, side and "more"),
        }
        for name, percent, side in rows
    ]
    order = sorted(rows, key=lambda row: -row[1])
    empty: dict[str, Any] = {
        "first": "sack",
        "not_distinguishable": [],
        "alternatives": [],
        "worse": [],
        "not_ranked": [],
    }
    measures = [
        {"criterion": "goodput", "quantity": "goodput_bps", "matters": 0.03},
        {"criterion": "delay", "quantity": "delivery_p95_s"},
        {"criterion": "waste", "quantity": "bytes_per_byte"},
    ]
    return {
        "reference": "sack",
        "notes": [],
        "replications": 10,
        "over": "replications",
        "outcomes": outcomes,
        "ranking": {"order": [row[0] for row in order], "not_distinguishable": [], "worse": []},
        "verdict": {**empty, "measures": measures, "replications": 10, **(verdict or {})},
    }


def test_what_is_not_significant_is_no_help() -> None:
    made = made_remedies(("lt-tcp", 3.0, "undecided"), ("sliding", -4.0, "less"))
    said = remedies.conclusion(made)
    assert said.headline == "Cannot tell (10 replications): whether a remedy raises goodput"
    assert "No significant difference: lt-tcp +3.0 % [" in said.text
    assert "Lower: sliding \N{MINUS SIGN}4.0 % [" in said.text
    assert remedies.others(made) is None
    made["verdict"]["needed"] = 34
    said = remedies.conclusion(made)
    assert said.headline.startswith("Cannot tell (10 replications; -n 34): whether")
    # An interval that excludes a gain that matters shows that nothing helps.
    worse = made_remedies(("sliding", -9.0, "less"))
    assert remedies.conclusion(worse).headline == "No remedy raises goodput"
    # A gain below the threshold is named as such.
    made = made_remedies(("lt-tcp", 2.0, "more"), verdict={"not_distinguishable": ["lt-tcp"]})
    assert "Higher by less than the threshold: lt-tcp" in remedies.conclusion(made).text
    made["replications"] = 1
    assert remedies.conclusion(made).headline == "The best remedy is undecided"


def test_a_remedy_is_named_in_words_with_its_price() -> None:
    name = "sack@ll-arq:arq=selective"
    behind: Any = {"variant": "sliding", "than": name, "better": [], "worse": ["goodput"]}
    made = made_remedies(
        (name, 38.0, "more"), ("sliding", 20.0, "more"), verdict={"first": name, "worse": [behind]}
    )
    said = remedies.conclusion(made)
    assert said.headline == f"Best remedy: {name}"
    assert said.text.startswith(
        "Retransmission on the link (LL-ARQ, arq=selective) raises goodput by 38.0 %"
        " [33.0, 43.0], adds 12.0 ms [10.0, 14.0] to the delivery time (95 %) and raises bytes on"
        " the link per byte delivered from 1.00 to 1.10."
    )
    other = remedies.others(made)
    assert other is not None
    assert "sliding is worse in goodput (1.20 Mb/s, " in other.text


def test_a_large_gain_is_not_too_little_to_count() -> None:
    # Its own interval excludes zero, the verdict's corrected interval does not.
    made = made_remedies(
        ("lt-tcp", 297.0, "more"),
        ("sliding", 2.0, "more"),
        verdict={"not_distinguishable": ["lt-tcp"]},
    )
    said = remedies.conclusion(made)
    assert said.headline == "Cannot tell (10 replications): whether a remedy raises goodput"
    assert "Higher, each by its own 95 % interval: lt-tcp 4.0\N{MULTIPLICATION SIGN}" in said.text
    assert (
        "When all 2 remedies are tested at once in goodput, delay and overhead, which widens the"
        " intervals, no remedy ranks above sack." in said.text
    )
    assert "Higher by less than the threshold: sliding +2.0 % [" in said.text
    made["verdict"].update({"first": "lt-tcp", "not_distinguishable": ["sack"]})
    said = remedies.conclusion(made)
    assert "lt-tcp ranks first, but is not shown to raise goodput." in said.text


def test_what_has_no_interval_is_not_tested() -> None:
    made = made_remedies(("lt-tcp", 13_000.0, "undecided"))
    difference = made["outcomes"][1]["difference"]
    for kind in ("absolute", "percent"):
        difference[kind] |= {"ci_low": None, "ci_high": None}
    said = remedies.conclusion(made)
    assert "Not tested (rare replications make the mean): lt-tcp 131 Mb/s." in said.text
    assert "No significant difference" not in said.text
    # The heading claims no more than the text, and no table has a ratio.
    assert said.headline == "Whether a remedy raises goodput was not tested"
    assert "\N{MULTIPLICATION SIGN}" not in said.text
    assert compare.against_reference(made["outcomes"][1]) == "not tested"
    made["channel"] = "trace"
    row = compare_rows.mean_row(made, _drawn(made["outcomes"][1]))
    assert (row["gain"], row["mean"]) == (None, 131.0)
    several = remedies.several([("a", made), ("b", made)])
    assert several.headline == said.headline


def _drawn(outcome: Any) -> Any:
    """Return an outcome every key that a picture draws."""
    keys = ("rtt_mean_s", "rtt_p95_s", "share", "rival_goodput_bps")
    return {**dict.fromkeys(keys), **outcome}


def test_remedies_that_help_no_link_are_named() -> None:
    made = made_remedies(("lt-tcp", 38.0, "more"), ("sliding", -4.0, "less"))
    said = remedies.several([("a", made), ("b", made)]).text
    assert "No significant gain on any link: sliding." in said


def test_a_remedy_is_not_both_as_good_and_better_on_none() -> None:
    made = made_remedies(("lt-tcp", 380.0, "more"), ("sliding", 370.0, "undecided"))
    made["verdict"].update({"first": "lt-tcp", "not_distinguishable": ["sliding"]})
    said = remedies.conclusion(made)
    assert said.headline == "lt-tcp helps"
    assert "Cannot tell (10 replications) whether it is better than sliding." in said.text
    made["verdict"]["equivalent"] = ["sliding"]
    assert remedies.conclusion(made).headline == "Best remedy: lt-tcp or sliding"
    said = remedies.several([("a", made)]).text
    assert "best or as good within the threshold: lt-tcp 1." in said
    assert "No significant gain on any link: sliding." in said
    # One link has no median; for several it is over those on which the remedy helps.
    assert "(LT-TCP) on 1 (4.8\N{MULTIPLICATION SIGN})" in said
    twice = remedies.several([("a", made), ("b", made)]).text
    assert "on 2 (median 4.8\N{MULTIPLICATION SIGN})" in twice


def test_a_shorter_mean_is_said_though_it_is_not_shown() -> None:
    made = made_remedies(("sliding", -4.0, "less"), ("cubic", -4.0, "less"))
    made["verdict"]["measures"][1]["matters"] = 0.1
    plain, sliding, _ = made["outcomes"]
    plain["delivery_p95_s"]["mean"] = 5.63
    sliding["delivery_p95_s"]["mean"] = 0.24
    for outcome in made["outcomes"][1:]:
        outcome["delivery_p95_difference"]["standing"] = "undecided"
    made["outcomes"][2]["delivery_p95_s"]["mean"] = 5.6
    said = delay.conclusion(made)
    assert said.headline == "No remedy is shown to shorten the delivery time"
    assert "The means are shorter with sliding 240 ms, but not significantly over" in said.text
    sliding["delivery_p95_s"]["mean"] = 5.7
    assert "no remedy shortens it by at least the threshold" in delay.conclusion(made).text


def test_the_best_against_the_wait_may_not_be_the_shortest() -> None:
    made = made_remedies(("sliding", -8.0, "less"), ("codel", -20.0, "less"))
    made["verdict"]["measures"][1]["matters"] = 0.1
    for outcome, (time, gain) in zip(
        made["outcomes"], ((0.6, 0.0), (0.4, -0.2), (0.2, -0.4)), strict=True
    ):
        outcome["delivery_p95_s"]["mean"] = time
        if outcome["delivery_p95_difference"]:
            ends = {"mean": gain, "ci_low": gain - 0.01, "ci_high": gain + 0.01}
            outcome["delivery_p95_difference"] |= {"absolute": ends, "standing": "less"}
    said = delay.conclusion(made)
    assert said.headline == (
        "Against queueing delay: sliding for goodput, codel for the shortest delay"
    )
    assert "codel the shortest mean delivery time (200 ms)" in said.text
    made["outcomes"][2]["delivery_p95_s"]["mean"] = 0.45
    assert delay.conclusion(made).headline == "Best remedy against queueing delay: sliding"
    assert "Not the better choice on any link" not in delay.several([("one", made)]).text
    made["outcomes"][2]["delivery_p95_difference"]["standing"] = "more"
    assert "Not the better choice on any link: codel." in delay.several([("one", made)]).text
