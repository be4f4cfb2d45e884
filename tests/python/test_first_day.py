"""Findings agree with the numbers, and tables state their assumptions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import airtcp
from airtcp.questions.compare import findings_remedies as remedies
from airtcp.questions.compare.answer_remedies import helps
from airtcp.words import sentences as words
from airtcp_papers import costs
from examples import DOCS, SCENARIOS
from test_remedies import made_remedies
from test_run_words import FULL_QUEUE

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Program


def _plain(text: str) -> str:
    """Join the lines of a terminal."""
    return " ".join(text.split())


def test_equal_goodput_has_no_first(tmp_path: Path, run: Program) -> None:
    (tmp_path / "perfect.txt").write_text("1" * 1000)
    done = run("study", tmp_path / "perfect.txt", "-q", "--details")
    assert not done.code, done.err
    said = _plain(done.out)
    assert "Nothing is ranked: in one run " in said
    assert "has the highest goodput" not in said


def test_a_share_below_all_is_not_all() -> None:
    assert words.share(0.9969) == "99.7 %"
    assert words.share(0.99999) == "more than 99.9 %"
    assert words.share(1.0) == "100 %"
    assert words.share(0.84) == "84 %"


def test_a_cell_names_ways_and_directions(tmp_path: Path, run: Program) -> None:
    (tmp_path / "cell.toml").write_text(FULL_QUEUE)
    done = run("run", tmp_path / "cell.toml", "--html", "cell.html", "-q", "--details")
    assert not done.code, done.err
    assert "sta0 to ap" in done.out
    assert "ap to sta0" in done.out
    assert re.search(r"because of the queue of ap: [0-9.]+ Mb/s each, and", _plain(done.out))
    page = (tmp_path / "cell.html").read_text("utf-8")
    assert ">sta0 to ap</td>" in page
    assert ">direction</button></th>" in page
    assert re.search(r">downloads</td><td[^>]*>10</td>", page)


def test_the_interval_stands_in_the_terminal(tmp_path: Path, run: Program) -> None:
    rows = "".join(f"{i},{i * 0.005:.3f},{int(i % 10 != 3)}\n" for i in range(400))
    (tmp_path / "known.csv").write_text(f"seq,time_s,received\n{rows}")
    (tmp_path / "bits.txt").write_text("1111110111" * 40)
    stats = run("trace", "stats", tmp_path / "known.csv", tmp_path / "bits.txt", "--details").out
    assert re.search(r"known +400 +5\.00 ", stats), stats
    assert re.search(r"bits +400 +unknown ", stats), stats
    nothing = ("--replicas", "2", "--no-compare", "--no-remedies", "-q", "--details")
    study = run("study", tmp_path / "known.csv", tmp_path / "bits.txt", *nothing).out
    assert re.search(r"known +400 +5\.00 ", study), study
    assert re.search(r"bits +400 +10\.0 assumed ", study), study


def test_a_synthetic_trace_named_csv_is_csv(tmp_path: Path, run: Program) -> None:
    done = run("trace", "synth", tmp_path / "a.csv", "--prr", "0.9", "--packets", "50")
    assert not done.code, done.err
    assert (tmp_path / "a.csv").read_text().startswith("seq,outcome\n")
    both = run("trace", "synth", tmp_path / "b", "--prr", "0.9", "--mu", "0.1", "--burst", "2")
    assert "found mu and burst; expected one of them" in both.err


def test_a_short_time_is_not_written_as_zero() -> None:
    assert costs.said({"S1": 1.0}) == "less than 0.1 minutes of processor time"


def test_the_intervals_of_the_guide() -> None:
    """The means, the difference and their intervals that the guide to comparisons states."""
    guide = _plain((DOCS / "guide" / "compare.md").read_text("utf-8"))
    told = re.search(
        r"intervals of ±([0-9.]+) % and ±([0-9.]+) %\. "
        r"Their difference of ([0-9.]+) % has an interval of ±([0-9.]+) p",
        guide,
    )
    assert told is not None
    made = airtcp.compare(SCENARIOS / "lossy-link.toml", tcp=["newreno", "sack"], replications=20)
    newreno, sack = made.json["subjects"][0]["cases"][0]["outcomes"]

    def half(estimate: Any) -> float:
        return (estimate["ci_high"] - estimate["ci_low"]) / 2

    percent: Any = sack["difference"]["percent"] if sack["difference"] else None
    found = [
        100 * half(o["goodput_bps"]) / (o["goodput_bps"]["mean"] or 1) for o in (newreno, sack)
    ]
    found += [percent["mean"], half(percent)]
    assert [f"{value:.1f}" for value in found] == list(told.groups())


def test_what_the_system_says_has_no_number(tmp_path: Path, run: Program) -> None:
    done = run("study", tmp_path / "nowhere.csv")
    assert done.code == 2
    assert "nowhere.csv: No such file or directory; expected a file" in done.err


def test_a_remedy_without_enough_data_is_not_said_to_fail() -> None:
    made = made_remedies(("lt-tcp", 600.0, "undecided"))
    made |= {"over": "stretches", "replications": 2}
    assert remedies.unhelpful(made) == "open"
    assert str(helps(None, made)).startswith("Cannot tell whether a remedy helps")
    made = made_remedies(("lt-tcp", -60.0, "less"))
    assert helps(None, made) == "No remedy tried raises the goodput of sack."
