"""What run advises is tried first: its price stands beside it, and starving flows are named."""

from __future__ import annotations

from typing import Any

import pytest

import airtcp
from airtcp.questions.run import limit_help, prices, remedies, starved, trials
from airtcp.questions.run.answer import answer
from examples import SCENARIOS
from grammar import problems


def _row(name: str, before: float, after: float, rtt: tuple[float, float] = (0.1, 0.1)) -> Any:
    rates = {"goodput_bps": 1e6 * before, "with_bps": 1e6 * after}
    return {"flow": name, **rates, "rtt_s": rtt[0], "rtt_with_s": rtt[1]}


def _trial(*rows: Any, change: str = "x=1", slowest: tuple[float, float] = (0.01, 2.0)) -> Any:
    return {
        "change": [change],
        "replications": 3,
        "measured_s": 5.0,
        "slowest_bps": 1e6 * slowest[0],
        "slowest_with_bps": 1e6 * slowest[1],
        "flows": rows,
    }


def test_a_price_is_what_the_others_lose_or_how_much_longer_the_round_trip_is() -> None:
    takes = _trial(_row("phone", 34, 178), _row("a", 300, 39), _row("b", 190, 21))
    assert prices.said(takes, ["phone"]) == "the others get 60 Mb/s instead of 490"
    assert prices.is_loss(takes, ["phone"])
    # What a fair share takes from others is a price, but no loss of all together.
    fair = _trial(_row("slow", 1, 20), _row("a", 30, 15))
    assert prices.said(fair, ["slow"]) == "a gets 15 Mb/s instead of 30"
    assert not prices.is_loss(fair, ["slow"])
    longer = _trial(_row("a", 1, 2, (0.1, 0.4)), _row("b", 1, 2, (0.2, 0.8)))
    assert prices.said(longer, ["a", "b"]) == "the mean RTT rises from 150 to 600 ms"
    # A fifth less, or a few milliseconds, is none; nor is a flow that has no round-trip time.
    small = _trial(_row("a", 1, 2, (0.001, 0.004)), _row("b", 10, 9, (0.1, 0.1)))
    assert prices.said(small, ["a"]) == ""
    datagrams = _row("b", 1, 1) | {"rtt_s": None, "rtt_with_s": None}
    assert prices.said(_trial(_row("a", 1, 2), datagrams), ["a"]) == ""


def test_the_best_queue_is_that_of_the_slowest_flow_unless_it_waits_longer() -> None:
    place = "cells[0].access_point_queue={{ kind = {} }}"
    rows = [_row("up", 6, 5), _row("down", 0.01, 2)]
    filters = _trial(*rows, change=place.format('"ack-filter"'), slowest=(0.01, 1.7))
    slow = [_row("up", 6, 5, (0.1, 0.9)), _row("down", 0.01, 2, (0.1, 0.9))]
    longer = _trial(*slow, change=place.format('"drop-tail"'), slowest=(0.01, 2.2))
    flow = {"transport": "tcp"}
    of: Any = {"scenario": {"flows": [{}, {}]}, "replications": [{"flows": [flow, flow]}]}
    document: Any = of | {"trials": [longer, filters]}
    assert remedies.of_starving(document, ["down"]).startswith(
        "An ACK filter at the access point gives the slowest flow 1.7 Mb/s: --set 'cells[0]."
    )
    # A call whose application sends little is not among the flows of a trial.
    call = {"app": {"kind": "request-response"}}
    document["scenario"] = {"flows": [{}, call]}
    assert "the slowest flow that always has data 1.7" in remedies.of_starving(document, ["down"])
    # Nothing that hardly helps is proposed, and nothing that was not tried.
    hardly: Any = of | {"trials": [filters | {"slowest_bps": 1.6e6}]}
    assert remedies.of_starving(hardly, ["down"]) == ""
    assert remedies.of_starving({"trials": []}, ["down"]) == ""  # pyright: ignore[reportArgumentType]


def _run(name: str) -> Any:
    result = airtcp.run(SCENARIOS / f"{name}.toml", replications=4, why="auto")
    return result.json


@pytest.fixture(scope="module")
def voice() -> Any:
    return _run("wifi-voice")


def test_an_advice_is_a_run_of_the_same_seeds(voice: Any) -> None:
    trial = voice["trials"][0]
    sets = dict(item.split("=", 1) for item in trial["change"])
    # It takes no longer than the search, and is compared with the same time of the run.
    first = voice["replications"][0]
    warmup = first["duration_s"] - first["measured_s"]
    assert trial["measured_s"] == min(voice["why"]["measured_s"], first["measured_s"])
    sets["duration"] = f"{warmup + trial['measured_s']} s"
    again = airtcp.run(
        SCENARIOS / "wifi-voice.toml", replications=trial["replications"], overrides=sets
    ).json
    for row, flow in zip(trial["flows"], again["summary"]["flows"], strict=True):
        assert row["flow"] == flow["name"]
        assert row["with_bps"] == pytest.approx(flow["goodput_bps"]["mean"])
    assert "trials" not in again, "without the question there is no answer"


def test_flows_that_starve_are_named_with_what_helps_all(voice: Any) -> None:
    said = answer(voice)
    assert said is not None
    assert said.headline.startswith("The three downloads are slow because of the queue of ap: ")
    assert said.headline.endswith("; call starves too.")
    assert starved.stalled_flows(voice) == ["call"]
    assert str(said.help).startswith("An ACK filter at the access point gives the slowest flow ")
    assert "packets = 800" not in str(said.help)
    names = [flow["name"] for flow in voice["summary"]["flows"]]
    # How many a direction has belongs to its name.
    assert problems(said, [*names, "3 downloads"]) == []
    assert said.table is not None
    assert said.table.rows()[0]["limited by"] == "timeouts"
    # The longer queue is what the search found. Its price is known: it is a multiple of the wait.
    found = [limit for limit in voice["limits"] if limit["cause"] == "queue"]
    longer = prices.of_change(voice, limit_help.tried(found[0]))
    assert longer is not None
    assert prices.delays_all(longer)


def test_a_flow_that_has_little_to_send_does_not_starve() -> None:
    fair = {"cells[0].access_point_queue": '{ kind = "fq-codel" }'}
    document = airtcp.run(
        SCENARIOS / "wifi-voice.toml", replications=4, why="auto", overrides=fair
    ).json
    assert starved.stalled_flows(document) == []
    # The full medium comes after the flows that starve on it.
    said = answer(document)
    assert said is not None
    assert said.headline.startswith("The three downloads starve: 0.10 Mb/s each, and the other ")
    assert str(said.help).startswith("An ACK filter at the access point gives ")
    details = [getattr(part, "headline", "") for part in said.details]
    assert any(line.startswith("The medium of cell is full") for line in details)


def test_all_flows_of_a_direction_that_starves_are_named() -> None:
    document = _run("wifi-up-down")
    said = answer(document, "wifi-up-down.toml")
    assert said is not None
    assert said.headline.startswith("The four downloads are slow because of the queue of ap: ")
    # One that does not starve is not one of them.
    slow = [f"down{i}" for i in range(1, 4)]
    assert starved.with_siblings(document, slow) == ["down0", *slow]
    for run in document["replications"]:
        run["flows"][4]["delivered_bytes"] *= 500
    high = document["summary"]["flows"][4]["goodput_bps"]
    high |= {key: 500 * high[key] for key in ("mean", "ci_low", "ci_high")}
    assert starved.with_siblings(document, slow) == slow


def test_a_command_names_the_file() -> None:
    text = limit_help.REMEDIES + " or " + limit_help.SCHEMES
    from airtcp.words.sentences import Finding

    [said] = limit_help.with_file([Finding("x", text)], ("'a b.toml'", " --set seed=2"))
    assert said.text == (
        "`airtcp compare 'a b.toml' --remedies usual --set seed=2` or"
        " `airtcp compare 'a b.toml' --schemes all --set seed=2`"
    )


def test_an_advice_that_costs_the_others_more_than_it_gives_is_none() -> None:
    change = ['cells[0].stations[0]={ name = "phone" }']
    document: Any = {
        "limits": [],
        "why": {"slow_flows": [], "verdict": "limited"},
        "scenario": {"cells": [{"streams": 2, "stations": [{"name": "phone", "streams": 1}]}]},
        "summary": {"flows": [{"name": name} for name in ("phone", "a")]},
        "replications": [],
    }
    limit: Any = {"cause": "slow-station", "where": "phone", "change": change, "of": "flows"}
    limit |= {"flows": ["phone"]}
    untried = limit_help.advice(document | {"trials": []}, limit)
    assert untried == (
        "phone has one spatial stream, and the cell two: give it a faster radio"
        """ (tried: --set 'cells[0].stations[0]={ name = "phone" }')."""
    )
    bad = _trial(_row("phone", 34, 178), _row("a", 500, 84)) | {"change": change}
    assert limit_help.advice(document | {"trials": [bad]}, limit) == (
        "phone has one spatial stream, and the cell two, but a faster radio would cost others more"
        f" than it gives: a gets 84 Mb/s instead of 500 (tried: --set '{change[0]}')."
    )
    good = _trial(_row("phone", 34, 178), _row("a", 500, 490)) | {"change": change}
    assert limit_help.advice(document | {"trials": [good]}, limit) == untried


def test_a_search_that_was_not_asked_tries_nothing() -> None:
    assert trials.proposals({"replications": []}) == []  # pyright: ignore[reportArgumentType]
    asked: Any = {"replications": [{}], "interrupted": False, "why": {"verdict": "not-asked"}}
    assert trials.proposals(asked) == []
