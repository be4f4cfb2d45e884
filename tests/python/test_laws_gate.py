"""Reno and CUBIC written on the base of laws of one's own are those that are built in.

Every scenario of the project has equal fingerprints with both: the base, its samples and its
helpers mean what the built-in laws mean by them. A third of the scenarios runs by itself, and
all of them with `AIRTCP_ALL_SCENARIOS=1`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.laws.source import laws_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from airtcp.laws.given import Tcp

ROOT = Path(__file__).parents[2]
RENO = laws_of(str(ROOT / "tests" / "laws" / "reno_py.py"))[0]
CUBIC = laws_of(str(ROOT / "tests" / "laws" / "cubic_py.py"))[0]
EVERY = 1 if os.environ.get("AIRTCP_ALL_SCENARIOS") else 3
SCENARIOS = sorted((ROOT / "scenarios").glob("*.toml"))[::EVERY]
PAIRS: dict[str, Tcp] = {
    "reno:growth=per-ack": RENO,
    "reno:growth=bytes": RENO.with_(growth="bytes"),
    "cubic": CUBIC,
}


def equal_in(scenario: Path, laws: Mapping[str, Tcp]) -> None:
    """Compare laws with the built-in ones of their keys, if a flow of the scenario is of TCP."""
    for built_in, law in laws.items():
        try:
            expected = airtcp.run(scenario, tcp=built_in, replications=1)
        except airtcp.ScenarioError as error:
            assert "no flow is of TCP" in str(error)  # noqa: PT017 - the scenario has none
            return
        found = airtcp.run(scenario, tcp=law, replications=1)
        assert found.fingerprints == expected.fingerprints, law


@pytest.mark.parametrize("built_in", PAIRS)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_equal_fingerprints(scenario: Path, built_in: str) -> None:
    equal_in(scenario, {built_in: PAIRS[built_in]})


PATHS = {
    "loss": {"loss": {"model": "bernoulli", "probability": "2 %"}},
    "mark": {"queue": {"kind": "red", "ecn": True}},
    "reorder": {"reordering": {"probability": 0.02, "extra": "30 ms"}},
    "long": {"delay": "300 ms", "rate": "20 Mb/s"},
}
"""Links with what the scenarios have little of."""


def equal_over(path: str, profile: str, laws: Mapping[str, Tcp]) -> None:
    """Compare laws with the built-in ones of their keys, with two flows over one of the links."""
    link = {"from": "a", "to": "b", "rate": "5 Mb/s", "delay": "20 ms", **PATHS[path]}
    app = {"kind": "on-off", "rate": "20 Mb/s", "on": "2 s", "off": "1500 ms"}
    tcp = {"profile": profile, "ecn": path == "mark"}
    flows = [
        {"from": "a", "to": "b", "tcp": tcp},
        {"from": "a", "to": "b", "tcp": {**tcp, "slow_start": "hystart++"}, "app": app},
    ]
    scenario: dict[str, Any] = {"duration": "30 s", "links": [link], "flows": flows}
    for built_in, law in laws.items():
        expected = airtcp.run(scenario, tcp=built_in, replications=2)
        found = airtcp.run(scenario, tcp=law, replications=2)
        assert found.fingerprints == expected.fingerprints, law


@pytest.mark.parametrize("built_in", PAIRS)
@pytest.mark.parametrize("profile", ["rfc", "linux"])
@pytest.mark.parametrize("path", PATHS)
def test_equal_fingerprints_by_either_rules(path: str, profile: str, built_in: str) -> None:
    equal_over(path, profile, {built_in: PAIRS[built_in]})
