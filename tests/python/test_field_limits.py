"""`run` names what limits the flows, where the limits are known (tests/field).

The causes of tests/field/right.csv were fixed before anything ran. The first change of each
scenario that ships is held against a run of the whole time.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import pytest

from examples import DOCS

sys.path.insert(0, str(DOCS / "figures"))
declared: Any = importlib.import_module("declared")
field_limits: Any = importlib.import_module("field_limits")
CASES: list[dict[str, str]] = field_limits.cases()
SHIPPED: list[str] = declared.read()["limits-shipped"].parameters["scenarios"]
COSTLY = {"wifi-starved-uploads", "wifi-up-down", "wifi-star"}
"""Scenarios that take more than five processor seconds: their changes run once."""


@pytest.mark.parametrize("case", CASES, ids=[case["file"] for case in CASES])
def test_the_known_limits_are_named(case: dict[str, str]) -> None:
    limits = field_limits.explained(field_limits.FIELD / case["file"])["limits"]
    named = [(limit["cause"], limit["where"], limit["flows"]) for limit in limits]
    # A repaired miss fails here: then its cause leaves right.csv.
    assert field_limits.is_right(case, limits) == (not case["miss"]), named


def test_nine_of_ten_are_right() -> None:
    files = {f"{path.parent.name}/{path.name}" for path in field_limits.FIELD.glob("*/*.toml")}
    assert {case["file"] for case in CASES} == files
    assert sum(bool(case["miss"]) for case in CASES) <= len(CASES) // 10


@pytest.mark.parametrize("name", SHIPPED)
def test_the_first_change_comes_true_over_the_whole_time(name: str) -> None:
    path = field_limits.SHIPPED / f"{name}.toml"
    limits = field_limits.explained(path)["limits"]
    assert limits, "nothing limits"
    replications = 1 if name in COSTLY else field_limits.REPLICATIONS
    before, after = field_limits.counterfactual(path, limits[0], replications)
    assert after >= field_limits.NAMED * before, limits[0]["change"]


def test_a_wrong_answer_is_found() -> None:
    limit = {"cause": "link-rate", "where": "x", "flows": ["a"], "or": [], "with": [], "after": []}
    case = {"first": "link-rate|medium", "where": "x|cell", "also": "link-rate at x for a"}
    assert field_limits.is_right(case, [limit])
    assert not field_limits.is_right(case, [])
    assert not field_limits.is_right(case, [limit | {"where": "cell"}])
    assert not field_limits.is_right(case, [limit | {"flows": ["b"]}])
    assert not field_limits.is_right(case | {"also": "queue"}, [limit])
    assert field_limits.is_right(case | {"also": "queue"}, [limit | {"or": ["queue"]}])
    assert field_limits.is_right({"first": "none", "where": "", "also": ""}, [])
