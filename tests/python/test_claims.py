"""Findings agree with the numbers and with each other."""

from __future__ import annotations

from typing import Any

import airtcp
from airtcp.questions.compare import findings as compare
from airtcp.questions.compare import findings_remedies as remedies_words
from airtcp.questions.compare import verdict as verdict_words
from test_compare import a_case

LINK = """
duration = "20 s"
replications = 3
[[links]]
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "20 ms"
{more}
[[flows]]
from = "a"
to = "b"
"""


def _against(means: dict[str, float], percents: dict[str, Any], verdict: dict[str, Any]) -> str:
    """Return the finding on goodputs, each given by its mean and interval in percent."""
    case = a_case(means, verdict)
    for outcome in case["outcomes"]:
        if outcome["variant"] in percents:
            low, mean, high = percents[outcome["variant"]]
            percent = {"mean": mean, "ci_low": low, "ci_high": high}
            side = "more" if low > 0 else "less" if high < 0 else "undecided"
            outcome["difference"] = {"absolute": percent, "percent": percent, "standing": side}
    found = compare.against(case, next(iter(means)))
    assert found is not None
    return found.text


def test_a_difference_of_nothing_is_neither_higher_nor_lower() -> None:
    means = {"a": 2e6, "b": 2.0001e6, "c": 1.9999e6, "d": 4e6}
    percents = {
        "b": (0.004, 0.005, 0.006),
        "c": (-0.006, -0.005, -0.004),
        "d": (90.0, 100.0, 110.0),
    }
    said = _against(means, percents, {"first": "d"})
    assert said == "Higher: d +100 % [+90, +110]. Less than 0.05 % apart: b and c."


def test_remedies_that_change_nothing_are_not_higher() -> None:
    text = LINK.format(more='loss = { model = "bernoulli", probability = 1e-9 }')
    remedies = airtcp.compare("s.toml", text=text, tcp="sack", remedies=["lt-tcp", "cubic"])
    found = remedies.json["subjects"][0]["remedies"]
    assert found is not None
    said = remedies_words.conclusion(found).text
    assert "0 % [0, 0]" not in said
    assert "Less than 0.05 % apart: cubic" in said


def test_a_difference_that_the_verdict_leaves_open_is_said_to_be_one() -> None:
    means = {"a": 2e6, "b": 2.1e6, "c": 1e6}
    percents = {"b": (1.0, 5.0, 9.0), "c": (-60.0, -50.0, -40.0)}
    said = _against(means, percents, {"first": "b", "not_distinguishable": ["a"]})
    assert "Higher: b +5.0 % [+1.0, +9.0]. Lower: c" in said
    assert "Each interval holds by itself; b differs by less than the threshold, or not" in said
    # If the verdict separates them, nothing is left open.
    behind = {"variant": "a", "than": "b", "better": [], "worse": ["goodput"]}
    assert "holds by itself" not in _against(means, percents, {"first": "b", "worse": [behind]})


def test_what_is_better_in_the_mean_is_not_better_in_nothing() -> None:
    behind = {"variant": "b", "than": "a", "better": [], "worse": ["goodput"]}
    case = a_case({"a": 3e6, "b": 2e6}, {"first": "a", "worse": [behind]}, resent=0.29)
    assert (
        "Better on average, but not significantly by at least the threshold: b"
        in verdict_words.conclusion(case).text
    )
    [worse] = verdict_words.further_findings(case)
    assert worse.headline == "Worse, and in no criterion significantly better"
