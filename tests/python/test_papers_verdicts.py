"""Verdicts: published values against measures."""

from __future__ import annotations

from math import isclose
from pathlib import Path
from typing import Any

import pytest

from airtcp_papers.outcome import Measure, Outcome, repeated
from airtcp_papers.paper import Assumption, Claim, Figure, Paper, Published, Term
from airtcp_papers.rows import counted, rows_of, said_counts
from airtcp_papers.verdict import judge, judge_claim


def said(**values: Any) -> Published:
    defaults: dict[str, Any] = {
        "term": Term("m", {"at": 1}),
        "value": None,
        "low": None,
        "high": None,
        "unit": "",
        "tolerance": None,
        "tolerance_abs": None,
        "tolerance_reason": "why",
        "says": "",
        "by_construction": "",
        "reason": "the cause",
        "plot": "",
        "x": None,
        "y": None,
    }
    return Published(**{**defaults, **values})


def found(value: float | None, low: float | None = None, high: float | None = None) -> Outcome:
    return Outcome([Measure("m", {"at": 1.0}, value, low, high, note="nothing there")])


@pytest.mark.parametrize(
    ("published", "here", "verdict"),
    [
        ({"low": 10, "high": 20}, (10.0,), "within interval"),
        ({"low": 10, "high": 20}, (20.001,), "not reproduced"),
        ({"low": 95}, (96.0,), "within interval"),
        ({"low": 95}, (94.9,), "not reproduced"),
        ({"high": 10}, (0.0,), "within interval"),
        # An interval wider than the region is undecided, wherever its mean is.
        ({"value": 10, "tolerance_abs": 1}, (10.0, 9.1, 10.9), "within tolerance"),
        ({"value": 10, "tolerance_abs": 1}, (10.0, 8.9, 11.1), "undecided"),
        ({"value": 10, "tolerance_abs": 1}, (8.5, 7.9, 9.1), "undecided"),
        ({"value": 10, "tolerance_abs": 1}, (8.5, 8.1, 8.9), "not reproduced"),
        ({"low": 10, "high": 20}, (15.0, 9.0, 21.0), "undecided"),
        ({"low": 10, "high": 20}, (11.0, 8.0, 14.0), "within interval"),
        # An interval must not reach over the only end of a region.
        ({"low": 95}, (96.0, 94.0, 98.0), "undecided"),
        ({"low": 95}, (96.0, 95.0, 97.0), "within interval"),
        ({"high": 10}, (11.0, 9.0, 13.0), "undecided"),
        ({"high": 10}, (12.0, 11.0, 13.0), "not reproduced"),
        ({"value": 10, "tolerance": 0.1}, (11.0,), "within tolerance"),
        ({"value": 10, "tolerance": 0.1}, (11.01,), "not reproduced"),
        ({"value": -10, "tolerance": 0.1}, (-9.0,), "within tolerance"),
        ({"value": 0, "tolerance": 0.5}, (0.1,), "not reproduced"),
        ({"value": 0, "tolerance_abs": 0.1}, (0.1,), "within tolerance"),
        ({"value": 1, "tolerance_abs": 0}, (1.0,), "within tolerance"),
        # A tolerance applies to the value and does not widen the interval.
        ({"value": 15, "low": 10, "high": 20, "tolerance": 0.4}, (21.0,), "within tolerance"),
        ({"value": 15, "low": 10, "high": 20, "tolerance": 0.1}, (21.5,), "not reproduced"),
        ({"value": 10, "tolerance": 0.1}, (None,), "not reproduced"),
        ({"value": 10, "tolerance": 0.1}, (float("nan"),), "not reproduced"),
    ],
)
def test_values(published: dict[str, Any], here: tuple[float | None, ...], verdict: str) -> None:
    judged = judge(said(**published), found(*here))
    assert judged.verdict == verdict
    assert judged.met == (verdict not in {"not reproduced", "undecided"})
    if not judged.met:
        assert judged.reason.endswith("the cause")


def claim(op: Any, right: Any, margin: float = 0.0) -> Claim:
    return Claim("words", Term("a"), op, right, margin, "", "", "the cause")


@pytest.mark.parametrize(
    ("op", "right", "margin", "holds"),
    [
        (">", 4.0, 0.0, True),
        (">", 5.0, 0.0, False),
        (">=", 5.0, 0.0, True),
        ("<", 5.0, 0.0, False),
        ("<=", 5.0, 0.0, True),
        (">", 4.0, 0.2, True),
        (">", 4.0, 0.25, False),
        (">=", 4.0, 0.25, True),
        ("<", 10.0, 0.5, False),
        # Give or take is to both sides.
        ("~", 4.6, 0.1, True),
        ("~", 5.5, 0.1, True),
        ("~", 4.5, 0.1, False),
        ("~", 5.6, 0.1, False),
        ("<=", 4.6, -0.1, True),
        ("<=", 4.5, -0.1, False),
        (">", -6.0, 0.1, True),
        (">", Term("b"), 0.0, True),
        ("<", Term("b"), 0.0, False),
    ],
)
def test_orderings(op: str, right: Any, margin: float, *, holds: bool) -> None:
    outcome = Outcome([Measure("a", {}, 5.0), Measure("b", {}, 3.0)])
    judged = judge_claim(claim(op, right, margin), outcome)
    assert judged.verdict == ("ordering holds" if holds else "not reproduced")
    assert ("the cause" in judged.reason) != holds


def test_an_ordering_says_in_how_many_repeats_it_holds() -> None:
    outcome = Outcome([repeated("a", {}, [5.0, 1.0, 6.0]), repeated("b", {}, [3.0, 2.0, 4.0])])
    judged = judge_claim(claim(">", Term("b")), outcome)
    # In two of three repeats by 2, in one not: that may be chance.
    assert judged.verdict == "undecided"
    assert judged.repeats == (2, 3)
    assert judged.reason.startswith(
        "whether 4.00 > 3.00 is within the scatter of the runs; in 2 of"
    )
    assert judge_claim(claim(">", 0.5), outcome).repeats == (3, 3)
    assert judge_claim(claim(">", 4.5), outcome).repeats == (2, 3)
    single = Outcome([Measure("a", {}, 5.0), Measure("b", {}, 3.0)])
    assert judge_claim(claim(">", Term("b")), single).repeats is None
    assert Outcome.from_json(outcome.to_json()) == outcome


def test_the_scatter_of_the_gap_decides() -> None:
    """Sides that scatter together are compared repeat by repeat, with the margin."""
    outcome = Outcome(
        [
            repeated("a", {}, [5.0, 9.0, 7.0]),
            repeated("b", {}, [4.0, 8.1, 5.9]),
            Measure("c", {}, 6.0, 1.0, 11.0),
        ]
    )

    def verdict(op: str, right: Any, margin: float = 0.0) -> str:
        return judge_claim(claim(op, right, margin), outcome).verdict

    assert verdict(">", Term("b")) == "ordering holds"
    assert verdict("<", Term("b")) == "not reproduced"
    assert verdict(">", Term("b"), 0.15) == "undecided"
    assert verdict(">", 20.0) == "not reproduced"
    # Without repeats of both, the intervals of both count as independent.
    assert verdict(">", Term("c")) == "undecided"
    assert verdict("~", Term("b"), 0.2) == "ordering holds"
    assert verdict("~", Term("b"), 0.01) == "not reproduced"
    # Equal in every repeat: no scatter, and no ordering.
    same = Outcome([repeated("a", {}, [0.0, 0.0]), repeated("b", {}, [0.0, 0.0])])
    assert judge_claim(claim(">=", Term("b")), same).verdict == "ordering holds"
    assert judge_claim(claim(">", Term("b")), same).verdict == "not reproduced"


def test_sides_repeated_unequally_are_compared_in_the_repeats_of_both() -> None:
    outcome = Outcome([repeated("a", {}, [5.0, 1.0, 6.0]), repeated("b", {}, [3.0, 2.0])])
    assert judge_claim(claim(">", Term("b")), outcome).repeats == (1, 2)


def test_missing_sides_and_missing_data() -> None:
    outcome = Outcome([Measure("a", {}, 5.0), Measure("b", {}, None, note="nothing there")])
    judged = judge_claim(claim(">", Term("b")), outcome)
    assert judged.verdict == "not reproduced"
    assert "b was not measured: nothing there" in judged.reason
    with pytest.raises(KeyError):
        judge_claim(claim(">", Term("c")), outcome)
    skipped = Outcome(skipped=[({"set": "far"}, "data not present")])
    one = said(term=Term("m", {"set": "far", "fit": "x"}), value=1.0)
    assert judge(one, skipped).verdict == "skipped"
    far = Claim("", Term("a", {"set": "far"}), "<", 1.0, 0.0, "", "", "")
    assert judge_claim(far, skipped).reason == "data not present"


def test_intervals_of_repeats() -> None:
    measure = repeated("m", {}, [1.0, 2.0, 3.0])
    # Student's t with 2 degrees of freedom, a standard deviation of 1.
    assert measure.low is not None
    assert isclose(measure.low, 2 - 4.302653 / 3**0.5, rel_tol=1e-6)
    assert repeated("m", {}, [1.0, None]).low is None
    assert repeated("m", {}, []).value is None


def _figure(one: Published) -> Figure:
    paper = Paper("T", "", "", None, "", {}, {}, Path("paper.toml"))
    return Figure(
        "T.1", "", "table", "", "", "", "", "links", {}, (one,), (), (), paper, Path("1.toml")
    )


def test_an_alternative_of_fewer_repeats_is_compared_with_as_many() -> None:
    """A change from fewer repeats alone is not attributed to the alternative."""
    at = {"at": 1}
    outcome = Outcome([repeated("m", at, [11.2, 10.5, 10.6]), Measure("fixed", {}, 3.0)])
    assumption = Assumption("a", "choice", "set", {}, ({},), "why", ())
    figure = _figure(said(value=10, tolerance_abs=1))
    for values, noted in (([11.2], 0), ([11.2, 10.5], 0), ([10.5], 1), ([11.15], 1)):
        other = Outcome([repeated("m", at, values), Measure("fixed", {}, 3.0)])
        (row,) = rows_of(figure, outcome, [(assumption, {}, other)])
        assert row["verdict"] == "within tolerance"
        assert len(row["sensitivity"]) == noted
        # 11.2 alone would not be within the tolerance: neither is 11.15, and 10.5 is.
        assert row["depends_on"] == (["a"] if values == [10.5] else [])
    first = outcome.first(2)
    assert (outcome.repeats, first.repeats, first.first(1).repeats) == (3, 2, 1)
    assert [m.value for m in first.measures] == [10.85, 3.0]
    assert outcome.first(3).measures == outcome.measures


def test_own_statements_and_derived_settings_are_counted_apart() -> None:
    taken = Assumption("rule", "derived", "set", {}, ({},), "why", (), ("T.1 m", "T.9"))
    paper = Paper("T", "", "", None, "", {}, {"rule": taken}, Path("paper.toml"))
    values = (said(value=10, tolerance=0.1), said(term=Term("n"), value=1, tolerance_abs=1))
    claims = (
        Claim("", Term("n"), ">", 1.0, 0.0, "they say so", "", ""),
        Claim("", Term("n"), ">", 5.0, 0.0, "", "", "the cause", "nobody else says so"),
    )
    figure = Figure(
        "T.1", "", "table", "", "", "", "", "links", {}, values, claims, (), paper, Path("1.toml")
    )
    outcome = Outcome([Measure("m", {"at": 1}, 10.0), Measure("n", {}, 2.0)])
    rows = rows_of(figure, outcome, [])
    assert [row["derived"] for row in rows] == [["rule"], [], [], []]
    assert [bool(row["own"]) for row in rows] == [False, False, False, True]
    published, own = counted(rows)
    assert (published["rows"], published["met"], published["derived"]) == (3, 3, 1)
    assert (own["rows"], own["met"], own["missed"], own["unexplained"]) == (1, 0, 1, 0)
    met = "3 met (0 within an interval, 2 within a tolerance, 1 ordering)"
    assert said_counts(rows) == [
        f"Published: 3 rows, {met}. Of those met: 1 on figures that a setting was derived from.",
        "Own statements: 1 row, 0 met, 1 not reproduced (1 with a cause that no experiment shows).",
    ]


def test_misses_with_an_experiment_are_counted_apart() -> None:
    paper = Paper("T", "", "", None, "", {}, {}, Path("paper.toml"))
    shown: dict[str, Any] = {"value": 1, "tolerance": 0.1}
    values = (
        said(**shown, shown_by=("T.2",)),
        said(**shown),
        said(**shown, reason="", tried="other timers"),
        said(**shown, reason=""),
    )
    figure = Figure(
        "T.1", "", "table", "", "", "", "", "links", {}, values, (), (), paper, Path("1.toml")
    )
    rows = rows_of(figure, Outcome([Measure("m", {"at": 1}, 9.0)]), [])
    assert [row["cause"] for row in rows] == [
        "the cause",
        "the cause",
        "cause not found; tried: other timers",
        "",
    ]
    (line,) = said_counts(rows)
    assert line.endswith(
        "4 not reproduced (1 whose cause an experiment shows, 1 with a cause that no experiment "
        "shows, 2 without a cause)."
    )
