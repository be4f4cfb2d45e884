"""Numbers and findings in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from airtcp.charts.parts import thin
from airtcp.data.metrics import record
from airtcp.data.plain import printable_values
from airtcp.pages.sent import packed
from airtcp.questions.study import findings as study_words
from airtcp.questions.study import findings_link as link_words
from airtcp.questions.trace import findings as trace_words
from airtcp.words import sentences as words
from page_parts import unpacked

if TYPE_CHECKING:
    from airtcp.questions.study.result import StudyResult


def _value(text: str) -> float:
    return float(text.replace("\N{NARROW NO-BREAK SPACE}", "").replace("\N{MINUS SIGN}", "-"))


@given(st.floats(-1e9, 1e9), st.integers(2, 6))
def test_numbers_are_right_to_their_digits(value: float, digits: int) -> None:
    text = words.number(value, digits)
    assert "e" not in text
    error = max(0.51 * 10 ** -(digits + 1), abs(value) * 0.51 * 10 ** (1 - digits))
    assert math.isclose(_value(text), value, abs_tol=error)


@given(st.floats(-1e6, 1e6))
def test_signs_are_kept(value: float) -> None:
    shown = _value(words.signed(value))
    assert shown == 0 or (shown > 0) == (value > 0)


@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.floats(0, 1e4)), max_size=400),
    st.integers(2, 60),
)
def test_thinning_keeps_extremes_and_order(points: list[tuple[int, float]], keep: int) -> None:
    points.sort(key=lambda p: p[0])
    kept = thin([p[0] for p in points], [p[1] for p in points], keep)
    times = [t for t, _ in kept]
    assert times == sorted(times)
    assert len(kept) <= max(keep + 2, 4)
    if points:
        highest = max(v for _, v in points)
        assert math.isclose(max(v for _, v in kept), highest, rel_tol=1e-4, abs_tol=1e-9)


@given(st.recursive(st.none() | st.integers() | st.text(), st.lists))
def test_packing_is_lossless_and_deterministic(value: object) -> None:
    many = [value, "x" * 4000]
    assert packed(many) == packed(many)
    assert isinstance(packed(many), str)
    assert unpacked(packed(many)) == printable_values(many)
    assert packed("few") == "few"


def test_findings_say_the_direction(study: StudyResult) -> None:
    by_name = {link["name"]: link for link in study.json["links"]}
    assert trace_words.memory(by_name["bursty"]) == "bursty"
    assert trace_words.memory(by_name["perfect"]) == "constant"
    headlines = [f.headline for f in link_words.link_findings(by_name["short"])]
    assert "Too short for mu" in headlines
    assert all((f.text or f.headline).endswith(".") for f in study.findings)


def test_the_widest_spread_is_found() -> None:
    def link(name: str, prr: float, rate: float) -> dict[str, object]:
        empirical = {"packets_per_second": rate, "delivered_packets": 1000}
        tcp = {"empirical": empirical}
        return {"name": name, "prr": prr, "order_known": name != "f", "tcp": tcp}

    links = [
        link("a", 0.33, 2.0),
        link("b", 0.345, 7.0),
        link("c", 0.45, 1.0),
        link("d", 0.75, 90.0),
        link("e", 0.25, 1.9),
        # Its order of losses was drawn, so that its throughput is no property of the link.
        link("f", 0.34, 700.0),
    ]
    spread = study_words.widest_spread(links)  # pyright: ignore[reportArgumentType]
    assert spread is not None
    assert (spread.low_name, spread.high_name) == ("a", "b")
    assert spread.ratio == 3.5
    assert study_words.widest_spread(links[2:4]) is None  # pyright: ignore[reportArgumentType]


def test_an_interval_ends_where_the_quantity_does() -> None:
    flow, link = record("run", "FlowResult"), record("run", "LinkResult")
    snr = record("run", "StationResult")["snr_db"]
    few = {"mean": 0.00867, "ci_low": -0.0153, "ci_high": 0.0326}
    assert words.estimate(few, 100.0, flow["retransmission_ratio"].limits) == "0.867 [0, 3.26]"
    many = {"mean": 0.951, "ci_low": 0.926, "ci_high": 1.013}
    assert words.estimate(many, 100.0, link["utilisation"].limits) == "95.1 [92.6, 100]"
    # Amounts have no upper end, levels none at all.
    assert words.estimate(many, 1.0, flow["timeouts"].limits) == "0.951 [0.926, 1.01]"
    level = {"mean": 1.0, "ci_low": -3.0, "ci_high": 5.0}
    assert words.estimate(level, 1.0, snr.limits) == "1.00 [\N{MINUS SIGN}3.00, 5.00]"
    # A half width that would leave the range is not written.
    assert words.estimate(few, 100.0, words.SHARE, short=True) == "0.867 [0, 3.3]"
    even = {"mean": 0.5, "ci_low": 0.4, "ci_high": 0.6}
    assert words.estimate(even, 100.0, words.SHARE, short=True) == "50.0 \N{PLUS-MINUS SIGN}10.0"


@given(st.floats(-1, 2), st.floats(0, 2), st.floats(0, 2))
def test_no_limit_shuts_the_mean_out(mean: float, below: float, above: float) -> None:
    value = {"mean": mean, "ci_low": mean - below, "ci_high": mean + above}
    low, high = words.bounded(value, words.SHARE)
    assert low is not None
    assert high is not None
    assert value["ci_low"] <= low <= mean <= high <= value["ci_high"]
    if 0 <= mean <= 1:
        assert 0 <= low <= high <= 1


def _one(gain: float, prediction: tuple[float, float]) -> dict[str, object]:
    estimate = {"mean": gain, "ci_low": gain - 1.0, "ci_high": gain + 1.0}
    difference = {
        "packets_per_second": estimate,
        "percent": estimate,
        "prediction": prediction,
        "beyond_chance": prediction[0] > 0 or prediction[1] < 0,
    }
    tcp = {
        "empirical": {"packets_per_second": 20.0},
        "independent": {"packets_per_second": {"mean": 20.0 - gain / 10}},
        "difference": {"independent": difference, "gilbert_elliott": None},
    }
    length = {"packets": 100_000, "converged": True}
    return {"mu": 0.5, "mu_ci": (0.4, 0.6), "order_known": True, "tcp": tcp, **length}


def test_what_may_be_chance_is_no_headline() -> None:
    found = link_words.against_independent(_one(-37.0, (-9.0, 5.0)))  # pyright: ignore[reportArgumentType]
    assert found.tone == "plain"
    assert "37" not in found.headline + found.text
    # Independent links lie where the trace is, less the difference: 20 - 5 to 20 + 9.
    assert "95 % of them between 15.0 and 29.0" in found.text


def test_more_than_chance_is_said_as_a_factor() -> None:
    found = link_words.against_independent(_one(446.0, (3.0, 40.0)))  # pyright: ignore[reportArgumentType]
    assert found.tone == "good"
    assert "5.5\N{MULTIPLICATION SIGN}" in found.headline
    # No link delivers less than nothing.
    assert "between 0 and 17.0" in found.text
    less = link_words.against_independent(_one(-77.0, (-40.0, -3.0)))  # pyright: ignore[reportArgumentType]
    assert (less.tone, "−77 %" in less.headline) == ("bad", True)


def test_a_link_that_changes_has_enough_losses() -> None:
    link: Any = {
        "mu": 0.0148,
        "mu_ci": (-0.351, 0.379),
        "order_known": True,
        "convergence": {"nonstationarity_ratio": 34.7, "chunk": 5749},
    }
    said = link_words.burstiness(link).text
    assert "the link changes over time (chunks of 5\N{NARROW NO-BREAK SPACE}749 packets" in said
    assert "too few" not in said
    link["convergence"]["nonstationarity_ratio"] = 1.1
    assert "too few runs of losses to decide" in link_words.burstiness(link).text
