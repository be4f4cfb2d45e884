"""Keys that take one thing away from a run, given by `--set`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import airtcp

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Program

CELL = """
duration = "1 s"
[[cells]]
standard = "802.11n"
layout = { kind = "star", stations = 2 }
[[flows]]
name = "up"
from = "sta0"
to = "ap"
[[flows]]
name = "call"
from = "ap"
to = "sta1"
"""
LINK = """
duration = "5 s"
[[links]]
from = "a"
to = "b"
rate = { trace = "walk.csv" }
delay = "10 ms"
"""


def goodputs(document: dict[str, Any]) -> list[float]:
    """Return the goodput of each flow in the first replication."""
    return [flow["goodput_bps"] for flow in document["replications"][0]["flows"]]


def test_set_takes_a_flow_out(run: Program, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(CELL)
    ended = run("run", "s.toml", "--json", "--set", 'without.flows=["call"]')
    assert ended.code == 0, ended.err
    document = json.loads(ended.out)
    up, call = goodputs(document)
    assert up > 1e6
    assert call == 0
    # The result has the table, and runs again bit for bit.
    assert document["scenario"]["without"] == {"flows": ["call"]}
    stations = document["replications"][0]["cells"][0]["stations"]
    assert stations[0]["airtime_received_share"] > 0.1
    refused = run("run", "s.toml", "--set", 'without.flows=["cal"]')
    assert refused.code != 0
    assert (
        'without.flows[0]: "cal" is no flow; did you mean "call"? (flows: up, call)' in refused.err
    )


def test_set_makes_the_air_faster(run: Program, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(CELL)
    one = json.loads(run("run", "s.toml", "--json").out)
    two = run("run", "s.toml", "--json", "--set", "cells[0].mac.ablation.speed=2")
    assert sum(goodputs(json.loads(two.out))) > 1.5 * sum(goodputs(one))
    refused = run("run", "s.toml", "--set", "cells[0].mac.ablation.speed=0")
    assert "--set cells[0].mac.ablation.speed=0: is 0: expected 0.1 to 10" in refused.err


def test_set_scales_a_trace_and_changes_the_default_flow(run: Program, tmp_path: Path) -> None:
    (tmp_path / "walk.csv").write_text("time_s,rate_mbps\n0,5\n1,3\n2,4\n")
    (tmp_path / "s.toml").write_text(LINK)

    def goodput(*sets: str) -> float:
        options = [part for text in sets for part in ("--set", text)]
        ended = run("run", "s.toml", "--json", *options)
        assert ended.code == 0, ended.err
        return goodputs(json.loads(ended.out))[0]

    base = goodput()
    assert goodput("links[0].rate.scale=2") / base == pytest.approx(2, rel=0.25)
    small = goodput("flows[0].tcp.receive_buffer=4 kB")
    assert small < 0.9 * base
    assert goodput("flows[0].start_spread=0 s") == base


def test_the_library_takes_the_same_keys(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(CELL)
    result = airtcp.run(tmp_path / "s.toml", overrides={"without.flows": ["call"]})
    assert result.json["replications"][0]["flows"][1]["goodput_bps"] == 0
