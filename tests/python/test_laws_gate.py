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


@pytest.mark.parametrize("built_in", PAIRS)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_equal_fingerprints(scenario: Path, built_in: str) -> None:
    try:
        expected = airtcp.run(scenario, tcp=built_in, replications=1)
    except airtcp.ScenarioError as error:
        assert "no flow is of TCP" in str(error)  # noqa: PT017 - the scenario has none
        return
    assert airtcp.run(scenario, tcp=PAIRS[built_in], replications=1).fingerprints == (
        expected.fingerprints
    )


PATHS = {
    "loss": {"loss": {"model": "bernoulli", "probability": "2 %"}},
    "mark": {"queue": {"kind": "red", "ecn": True}},
    "reorder": {"reordering": {"probability": 0.02, "extra": "30 ms"}},
    "long": {"delay": "300 ms", "rate": "20 Mb/s"},
}
"""Links with what the scenarios have little of."""


def over(path: str, profile: str) -> dict[str, Any]:
    """Return a scenario of two flows over one of the links."""
    link = {"from": "a", "to": "b", "rate": "5 Mb/s", "delay": "20 ms", **PATHS[path]}
    app = {"kind": "on-off", "rate": "20 Mb/s", "on": "2 s", "off": "1500 ms"}
    tcp = {"profile": profile, "ecn": path == "mark"}
    flows = [
        {"from": "a", "to": "b", "tcp": tcp},
        {"from": "a", "to": "b", "tcp": {**tcp, "slow_start": "hystart++"}, "app": app},
    ]
    return {"duration": "30 s", "links": [link], "flows": flows}


@pytest.mark.parametrize("built_in", PAIRS)
@pytest.mark.parametrize("profile", ["rfc", "linux"])
@pytest.mark.parametrize("path", PATHS)
def test_equal_fingerprints_by_either_rules(path: str, profile: str, built_in: str) -> None:
    scenario = over(path, profile)
    expected = airtcp.run(scenario, tcp=built_in, replications=2)
    found = airtcp.run(scenario, tcp=PAIRS[built_in], replications=2)
    assert found.fingerprints == expected.fingerprints
