"""Counts of events: few events do not show their scatter."""

from __future__ import annotations

from math import exp
from types import SimpleNamespace
from typing import Any

import pytest

from airtcp.data.extension import mean_interval
from airtcp_papers.drivers import cells, links
from airtcp_papers.drivers.cell_run import CellRun
from airtcp_papers.drivers.gain import _pooled  # pyright: ignore[reportPrivateUsage]
from airtcp_papers.drivers.links import ProtocolRun
from airtcp_papers.drivers.variants import measured
from airtcp_papers.outcome import Outcome, repeated
from airtcp_papers.paper import Claim, Published, Term
from airtcp_papers.verdict import judge, judge_claim

ONES = [1.0] * 6


def _published(value: float, allowed: float) -> Published:
    return Published(
        Term("n"), value, None, None, "", None, allowed, "", "", "", "", "", None, None
    )


def _claim(op: str, right: float | Term) -> Claim:
    return Claim("", Term("n"), op, right, 0.0, "", "", "")  # pyright: ignore[reportArgumentType]


def test_no_event_is_no_proof_of_none() -> None:
    none = repeated("n", {}, [0.0] * 6, weights=ONES)
    assert none.low == 0.0
    assert none.high == pytest.approx(3.6889 / 6, abs=1e-4)
    outcome = Outcome([none])
    # Published 0.5, give or take 0.1: the mean here is 0, and 0.5 is not ruled out.
    assert judge(_published(0.5, 0.1), outcome).verdict == "undecided"
    assert judge(_published(3.0, 0.1), outcome).verdict == "not reproduced"
    # Published 0, give or take 0.1 or 0.5: six runs tell the one and not the other.
    assert judge(_published(0.0, 0.1), outcome).verdict == "undecided"
    assert judge(_published(0.0, 0.5), outcome).verdict == "within tolerance"


def test_an_ordering_of_few_events_takes_their_interval() -> None:
    outcome = Outcome([repeated("n", {}, [0.0] * 6, weights=ONES)])
    assert judge_claim(_claim("<", 0.5), outcome).verdict == "undecided"
    assert judge_claim(_claim("<", 0.7), outcome).verdict == "ordering holds"
    other = repeated("m", {}, [1.0, 0.0, 0.0, 1.0, 0.0, 1.0], weights=ONES)
    both = Outcome([*outcome.measures, other])
    assert judge_claim(_claim("<", Term("m")), both).verdict == "undecided"
    many = Outcome([*outcome.measures, repeated("m", {}, [9.0, 8.0] * 3, weights=ONES)])
    assert judge_claim(_claim("<", Term("m")), many).verdict == "ordering holds"


def test_intervals_of_few_events_are_exact_and_many_are_students() -> None:
    for events in (1, 4, 29):
        # Two equal values: Student's interval has no width, the exact one is left.
        ends = mean_interval([events / 2] * 2, [1.0] * 2)
        assert ends is not None
        low, high = (2 * end for end in ends)
        below = sum(exp(-high) * high**k / _factorial(k) for k in range(events + 1))
        above = 1 - sum(exp(-low) * low**k / _factorial(k) for k in range(events))
        assert below == pytest.approx(0.025, abs=1e-6)
        assert above == pytest.approx(0.025, abs=1e-6)
    few = repeated("n", {}, [0.0, 0.0, 1.0, 0.0, 0.0], weights=[1.0] * 5)
    assert few.low == pytest.approx(0.0)
    assert few.high == pytest.approx(5.5716 / 5, abs=1e-4)
    many = [40.0, 44.0, 39.0]
    assert repeated("n", {}, many, weights=[1.0] * 3).high == repeated("n", {}, many).high


def _factorial(n: int) -> float:
    return 1.0 if n < 2 else n * _factorial(n - 1)


def test_intervals_of_counts_survive_being_kept_and_cut() -> None:
    outcome = Outcome([repeated("n", {}, [0.0] * 6, weights=ONES)])
    again = Outcome.from_json(outcome.to_json())
    assert again.measures == outcome.measures
    assert again.first(3).measures[0].high == pytest.approx(3.6889 / 3, abs=1e-4)


def test_drivers_know_their_counts() -> None:
    flow = {"timeouts": 0, "fast_retransmits": 0}
    frames = {"data": {"sent": 500, "lost": {"noise": 0}}}
    run = CellRun({"flows": [flow], "cells": [{"stations": [{"frames": frames}]}]}, {})
    for name, high in (("timeouts", 3.6889 / 4), ("data error", 100 * 3.6889 / 2000)):
        found = measured(name, {}, [run] * 4, cells.MEASURES, cells.EVENTS)
        assert found.high == pytest.approx(high, rel=1e-4), name
    link = {"delivered_packets": 1000, "loss_rate": 0.0}
    protocol = ProtocolRun({"links": [link], "flows": [flow]}, {"link": 0, "hops": 1})
    found = measured("residual loss", {}, [protocol] * 2, links.MEASURES, links.EVENTS)
    assert found.high == pytest.approx(100 * 3.6889 / 2000, rel=1e-4)


def _link(tcp: float) -> Any:
    return SimpleNamespace(mu=0.5, tcp=tcp, independent=[1.0])


def test_a_median_over_draws_has_an_interval() -> None:
    draws = [[_link(tcp), _link(tcp + 1)] for tcp in (1.0, 2.0, 5.0, 9.0)]
    value, low, high = _pooled(draws, 0.3)
    assert value is not None
    assert low is not None
    assert high is not None
    assert low < value < high
    assert _pooled(draws[:1], 0.3)[1:] == (None, None)
