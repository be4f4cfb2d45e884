"""What limits the flows, in words: each form of sentence on a document made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from airtcp.questions.run import airtime, limit_words, limits


def _mean(value: float) -> dict[str, Any]:
    return {"mean": value, "ci_low": value, "ci_high": value}


def _limit(cause: str, where: str, goodput: float, without: float, **more: Any) -> dict[str, Any]:
    """Make a limit, with rates in Mb/s."""
    ratio = without / goodput if goodput else None
    made = {
        "cause": cause,
        "or": [],
        "with": [],
        "after": [],
        "where": where,
        "flows": ["flow0"],
        "of": "sum",
        "goodput_bps": 1e6 * goodput,
        "without_bps": 1e6 * without,
        "ratio": ratio,
        "low": ratio,
        "high": ratio,
        "change": [f"{cause}={where}"],
    }
    return made | more


def _document(
    found: list[dict[str, Any]],
    flows: int = 1,
    goodput: float | None = None,
    busy: float = 0.3,
    **why: Any,
) -> Any:
    """Make the document of a run of `flows` flows with a link and a cell that are this busy.

    A flow gets what its shortage says of it, or `goodput`, by default that of its first limit.
    """
    known = {one["flow"]: one["goodput_bps"] for one in why.get("slow_flows", [])}
    for limit in found[:1] if goodput is None else []:
        if len(limit["flows"]) == 1:
            known.setdefault(limit["flows"][0], limit["goodput_bps"])
    rows = [
        {"name": f"flow{i}", "goodput_bps": _mean(known.get(f"flow{i}", 1e6 * (goodput or 9.0)))}
        | {"timeouts": _mean(0), "retransmissions": _mean(0), "segments_sent": _mean(1)}
        for i in range(flows)
    ]
    runs = [
        {"name": f"flow{i}", "from": "a", "to": "b", "delivered_bytes": 1} for i in range(flows)
    ]
    link = {"name": "air", "utilisation": _mean(busy), "loss_rate": _mean(0.01)}
    verdict = "limited" if found else "nothing-single"
    return {
        "limits": found,
        "why": {
            "asked": "auto",
            "verdict": verdict,
            "measured_s": 15.0,
            "replications": 3,
            "undecided": [],
            "slow_flows": [],
        }
        | why,
        "summary": {
            "flows": rows,
            "links": [link],
            "cells": [{"name": "cell", "busy_share": _mean(busy)}],
        },
        "scenario": {"cells": [{"mac": {"rts_threshold": None}}]},
        "replications": [{"flows": runs, "measured_s": 1.0}],
    }


def _said(document: Any) -> list[str]:
    return [f"{f.headline}. {f.text}".rstrip() for f in limits.findings(document)]


def _headline(limit: dict[str, Any], **more: Any) -> str:
    return limits.findings(_document([limit], **more))[0].headline


@pytest.mark.parametrize(
    ("cause", "where", "said"),
    [
        (
            "link-losses",
            "air",
            "Losses of the link air limit the flow: 9.0 Mb/s, and 24 without them",
        ),
        ("air-losses", "c", "Losses on the air of c limit the flow: 9.0 Mb/s, and 24 without them"),
        ("queue", "air", "The queue of air limits the flow: 9.0 Mb/s, and 24 without drops"),
        (
            "queue",
            "the stations of cell",
            "The queues of the stations of cell limit the flow: 9.0 Mb/s, and 24 without drops",
        ),
        ("link-rate", "air", "The rate of air limits the flow: 9.0 Mb/s, and 24 at twice the rate"),
        (
            "return-path",
            "air (reverse)",
            "The return path air (reverse) limits the flow: 9.0 Mb/s, and 24 with a faster one",
        ),
        (
            "medium",
            "cell",
            (
                "The airtime of cell limits the flow: 9.0 Mb/s, and 24 if each frame took half the"
                " time"
            ),
        ),
        (
            "other-flows",
            "flood",
            "The traffic of flood limits the flow: 9.0 Mb/s, and 24 without it",
        ),
        (
            "receive-window",
            "b (flow0)",
            "The receive buffer of b limits the flow: 9.0 Mb/s, and 24 with a larger one",
        ),
        (
            "receive-window",
            "a (flow0, max_window)",
            "max_window of flow0 limits the flow: 9.0 Mb/s, and 24 with a larger one",
        ),
        (
            "send-buffer",
            "a (flow0) and c (flow1)",
            "The send buffers of a and c limit the flow: 9.0 Mb/s, and 24 with larger ones",
        ),
        (
            "slow-station",
            "phone",
            "The slow station phone limits the flow: 9.0 Mb/s, and 24 near the access point",
        ),
        (
            "distance",
            "phone",
            "The distance of phone limits the flow: 9.0 Mb/s, and 24 next to the access point",
        ),
        ("reordering", "air", "Reordering on air limits the flow: 9.0 Mb/s, and 24 in order"),
        (
            "hidden-stations",
            "cell",
            "Stations of cell do not hear each other: 9.0 Mb/s, and 24 if all sensed each other",
        ),
        (
            "interference",
            "cell (tv)",
            "Interference in cell (tv) limits the flow: 9.0 Mb/s, and 24 without it",
        ),
        (
            "other-cells",
            "left, right",
            (
                "Other cells on the channel (left and right) limit the flow: 9.0 Mb/s, and 24 on"
                " channels of their own"
            ),
        ),
        (
            "round-trip-time",
            "all links",
            "The round-trip time limits the flow: 9.0 Mb/s, and 24 with a quarter of the delays",
        ),
        ("application", "flow0", "The flow gets what its application asks: 9.0 Mb/s"),
    ],
)
def test_each_cause_has_a_short_sentence(cause: str, where: str, said: str) -> None:
    found = _headline(_limit(cause, where, 9, 24))
    assert found == said
    assert len(found.split()) <= 25
    assert cause in limit_words.NOUNS


def test_every_cause_of_the_document_has_words() -> None:
    from airtcp.questions.schemas import schema

    causes = {one["const"] for one in schema("run")["$defs"]["Cause"]["oneOf"]}
    assert causes == set(limit_words.CAUSES) == set(limit_words.NOUNS)


def test_a_link_or_medium_is_full_only_if_it_is_busy() -> None:
    rate, medium = _limit("link-rate", "air", 9, 18), _limit("medium", "cell", 9, 18)
    assert _headline(rate, busy=0.79).startswith("The rate of air limits the flow:")
    assert _headline(rate, busy=0.81) == "The link air is full: 9.0 Mb/s, and 18 at twice the rate"
    assert _headline(medium, busy=0.59).startswith("The airtime of cell limits the flow:")
    assert _headline(medium, busy=0.61).startswith("The medium of cell is full: 9.0 Mb/s, and 18 ")
    # Several links of one rate are not said to be full for one of them.
    assert "full" not in _headline(_limit("link-rate", "air and hop", 9, 18), busy=0.9)
    # Others keep their medium.
    some = _limit("medium", "cell", 9, 18, of="flows")
    assert "is full and limits flow0: 9.0 Mb/s" in _headline(some, busy=0.9, flows=2)


def test_what_the_numbers_are_of() -> None:
    one = _limit("link-losses", "air", 9, 24)
    assert _headline(one, flows=2).startswith(
        "Losses of the link air limit flow0: 9.0 Mb/s, and 24"
    )
    # The sum over several flows is not one flow's.
    assert "limit flow0: 9.0 Mb/s together" in _headline(one, flows=2, goodput=4.5)
    both = one | {"flows": ["flow0", "flow1"]}
    assert "limit the flows: 9.0 Mb/s together" in _headline(both, flows=2, goodput=4.5)
    assert "limit flow0 and flow1: 9.0 Mb/s together" in _headline(both, flows=3, goodput=4.5)
    slowest = one | {"of": "slowest-of-each-run", "cause": "queue", "where": "ap"}
    assert (
        _headline(slowest, flows=2)
        == "The queue of ap starves a flow in each run: 9.0 Mb/s for the slowest, and 24 without"
        " drops"
    )


def test_many_flows_are_not_listed() -> None:
    many = [f"flow{i}" for i in range(12)]
    row = _limit("link-losses", "air", 9, 24, flows=many, of="flows")
    assert "limit flow0 to flow11: " in _headline(row, flows=24)
    some = row | {"flows": ["flow0", "flow2", "flow3", "flow9"]}
    assert "limit 4 of 24 flows: " in _headline(some, flows=24)


def test_what_stands_behind_a_limit_follows_it() -> None:
    first = _limit("send-buffer", "a (flow0)", 4, 12)
    then = _limit("link-rate", "air", 12, 24, after=["send-buffer"])
    last = _limit("application", "flow0", 24, 24, after=["send-buffer", "link-rate"])
    beside = _limit("link-losses", "air", 4, 5)
    said = _said(_document([first, then, last, beside]))
    assert said[1] == "Then the rate of air limits the flow: 12 Mb/s, and 24 at twice the rate."
    assert said[2] == "Then the flow gets what its application asks: 24 Mb/s."
    assert said[3].startswith(
        "Losses of the link air limit the flow: 4.0 Mb/s, and 5.0 without them."
    )
    assert len(said) == 4


def test_limits_that_only_bind_together_share_a_sentence() -> None:
    change = ["links[0].rate=20 Mb/s", "cells[0].mac.ablation.speed=2.0"]
    line = _limit("link-rate", "air", 15, 29, change=change) | {"with": ["medium"]}
    cell = _limit("medium", "cell", 15, 29, change=change) | {"with": ["link-rate"]}
    assert _said(_document([line, cell], busy=0.9)) == [
        (
            "The rate of air and the airtime of cell together limit the flow: 15 Mb/s, and 29"
            " without both limits."
        )
    ]


def test_the_other_cure_is_named_and_a_far_station_is_one() -> None:
    losses = _limit("link-losses", "air", 7, 12) | {"or": ["queue"]}
    assert "Without drops of the queue it is lifted as well." in _said(_document([losses]))[0]
    far = _limit("slow-station", "phone", 7, 12) | {"or": ["distance"]}
    assert "as well" not in _said(_document([far]))[0]


def test_a_wide_interval_is_said_and_a_narrow_one_is_not() -> None:
    wide = _limit("air-losses", "cell", 9, 24, low=1.2, high=5.9)
    assert "The factor is 1.2 to 5.9 (95 % interval)." in _said(_document([wide]))[0]
    assert "factor" not in _said(_document([wide | {"low": 2.5, "high": 2.8}]))[0]
    open_end = wide | {"low": 20.0, "high": 4e7}
    assert "The factor is at least 20 (95 % interval)." in _said(_document([open_end]))[0]
    nothing = _limit("distance", "phone", 0, 29, low=None, high=None)
    assert ": 0 Mb/s, and 29 next to" in _said(_document([nothing]))[0]


SHORT = 'links[0].queue={{ kind = "drop-tail", packets = {} }}'
RED = 'links[0].queue={{ kind = "red", max = {} }}'


@pytest.mark.parametrize(
    ("limit", "advice"),
    [
        (
            _limit(
                "send-buffer", "a (flow0)", 4, 12, change=['flows[0].tcp.send_buffer="384000 B"']
            ),
            "Try --set 'flows[0].tcp.send_buffer=\"384000 B\"'.",
        ),
        (
            _limit("queue", "ap", 4, 12, change=['cells[0].queue={ kind = "fq-codel" }']),
            "Try --set 'cells[0].queue={ kind = \"fq-codel\" }'.",
        ),
        (
            _limit("queue", "air", 4, 12, change=[SHORT.format(10**6)], help=[SHORT.format(48)]),
            f"Try a longer queue: --set '{SHORT.format(48)}'.",
        ),
        (
            _limit("queue", "air", 4, 12, change=[RED.format(10**9)], help=[RED.format(400)]),
            f"Try a queue that drops or marks later: --set '{RED.format(400)}'.",
        ),
        (
            _limit("hidden-stations", "cell", 4, 12, help=["cells[0].mac.rts_threshold=0 B"]),
            "Try RTS before data frames: --set 'cells[0].mac.rts_threshold=0 B'.",
        ),
        (_limit("slow-station", "phone", 4, 12), "Move phone closer to the access point."),
        (
            _limit("link-losses", "air", 4, 12),
            "What helps against losses: `airtcp compare SCENARIO --remedies usual`.",
        ),
        (_limit("medium", "cell", 4, 12), ""),
    ],
)
def test_what_can_be_done_is_one_sentence(limit: dict[str, Any], advice: str) -> None:
    assert limits.findings(_document([limit]))[0].text == advice


def test_advice_that_cannot_help_is_not_given() -> None:
    document = _document([_limit("link-losses", "air", 0, 12)])
    document["summary"]["links"][0]["loss_rate"] = _mean(1.0)
    assert limits.findings(document)[0].text == ""
    # What was tried and does not help is not advised.
    document = _document([_limit("hidden-stations", "cell", 4, 12)])
    assert limits.findings(document)[0].text == ""
    document = _document([_limit("queue", "air", 4, 12, change=[SHORT.format(10**6)])])
    assert limits.findings(document)[0].text == ""
    of_cell = _limit("queue", "ap", 4, 12, change=['cells[0].queue={ kind = "drop-tail" }'])
    assert limits.findings(_document([of_cell]))[0].text == (
        "What may help: `airtcp compare SCENARIO --schemes all`."
    )
    # A fair queue is said to be one.
    fair = _limit("queue", "ap", 4, 12, change=['cells[0].queue={ kind = "fq-codel" }'])
    assert _headline(fair).endswith("and 12 with a fair queue there")


def test_the_same_advice_is_given_once() -> None:
    rows = [_limit("link-losses", name, 4, 12) for name in ("air", "hop")]
    said = limits.findings(_document(rows))
    assert "remedies" in said[0].text
    assert said[1].text == ""


def _slow(name: str, goodput: float, **more: Any) -> dict[str, Any]:
    return {
        "flow": name,
        "goodput_bps": 1e6 * goodput,
        "median_bps": 5e6,
        "short_of": None,
        "where": "",
        "without_bps": None,
        "alone_bps": None,
        "near_bps": None,
        "change": [],
    } | more


def test_a_slow_flow_is_said_to_be_short_of_what_raises_it() -> None:
    far = {"short_of": "distance", "where": "sta1", "without_bps": 29e6}
    rows = [
        _limit("medium", "cell", 9, 18),
        _limit("distance", "sta1", 1, 29, of="flows", flows=["flow1"]),
    ]
    said = _said(_document(rows, flows=2, slow_flows=[_slow("flow1", 1.0, **far)]))
    assert said[0] == (
        "flow1 is slow because of the distance of sta1: 1.0 Mb/s, and 29 next to the access"
        " point. The median flow gets 5.0 Mb/s. Move sta1 closer to the access point."
    )
    assert len(said) == 2, "the limit of this flow is not said twice"
    said = _said(_document(rows, flows=2, slow_flows=[_slow("flow1", 0.0, **far)]))
    assert said[0].startswith(
        "flow1 gets nothing because of the distance of sta1, and 29 Mb/s next to the access"
    )


def test_slow_flows_that_lack_the_same_share_a_sentence() -> None:
    queue = {"short_of": "queue", "where": "ap", "without_bps": 4e6}
    slow = [_slow("flow1", 0.1, **queue), _slow("flow2", 0.3, **queue)]
    said = _said(_document([_limit("medium", "cell", 9, 18)], flows=4, slow_flows=slow))
    assert said[0].startswith(
        "flow1 and flow2 are slow because of the queue of ap: 0.20 Mb/s each, and 4.0 without drops"
    )


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        ("slow-station", "The slow station x limits the flow"),
        ("hidden-stations", "Stations of x do not hear each other"),
        ("queue", "The queue of x limits the flow"),
        ("other-cells", "Other cells on the channel (x) limit the flow"),
    ],
)
def test_what_takes_the_time_of_the_medium_comes_before_it(cause: str, said: str) -> None:
    medium = _limit("medium", "cell", 9, 18)
    assert _said(_document([medium, _limit(cause, "x", 9, 12)]))[0].startswith(said)
    # The interval of the gain reaches below a tenth: the full medium is what is known.
    small = _limit(cause, "x", 9, 12, low=1.05)
    assert "of cell limits the flow" in _said(_document([medium, small]))[0]
    # A link that is full is full, whatever else acts.
    link = _limit("link-rate", "air", 9, 18)
    first = _said(_document([link, _limit(cause, "x", 9, 12)], busy=0.9))[0]
    assert first.startswith("The link air is full")


@pytest.mark.parametrize("cause", ["application", "other-flows"])
def test_what_uses_the_medium_is_no_fault_of_it(cause: str) -> None:
    medium = _limit("medium", "cell", 9, 18)
    assert "airtime of cell" in _said(_document([medium, _limit(cause, "x", 9, 12)]))[0]


def test_what_would_change_most_comes_first() -> None:
    medium = _limit("medium", "cell", 36, 72, flows=[])
    station = _limit("slow-station", "sta3", 36, 60, flows=[])
    starved = _slow("flow0", 0.01, short_of="queue", where="ap", without_bps=3e6)

    def first(*found: dict[str, Any], slow: Any = (), flows: int = 4) -> str:
        return _said(_document([*found], flows, slow_flows=[*slow]))[0]

    assert first(medium, station).startswith("The slow station sta3 limits the flows")
    # 300 times for one flow is more than 1.7 times for four, but less than 1.7 times for twenty.
    assert first(medium, station, slow=[starved]).startswith("flow0 is slow because of the queue")
    assert first(medium, station, slow=[starved], flows=20).startswith("The slow station")
    # Nothing at all is the most that one can lack.
    silent = _slow("flow0", 0.0, short_of="queue", where="ap", without_bps=3e6)
    assert first(medium, station, slow=[silent], flows=20).startswith("flow0 gets nothing")
    # What no removal helps does not begin the answer.
    assert first(medium, slow=[_slow("flow0", 0.01)]).startswith("The airtime of cell")
    # A limit behind another, or one that binds only together, is none of the run as it is.
    behind = station | {"after": ["medium"]}
    assert first(medium, behind).startswith("The airtime of cell")


def test_a_slow_flow_that_nothing_helps_blames_nothing() -> None:
    slow = [_slow("flow1", 0.9, alone_bps=8e6)]
    said = _said(_document([_limit("link-rate", "air", 9, 18)], flows=4, slow_flows=slow))
    assert said[1] == (
        "flow1 is slow: 0.90 Mb/s, and the median flow 5.0 Mb/s. No removal doubles its goodput."
        " Without all other flows, it would be 8.0 Mb/s."
    )
    assert "because" not in said[1]


def test_what_limits_a_slow_flow_is_not_denied_afterwards() -> None:
    slow = [_slow("flow1", 0.9)]
    medium = _limit("medium", "cell", 9, 18, flows=["flow0", "flow1"])
    said = _said(_document([medium], flows=2, slow_flows=slow))
    assert said[1].endswith("No other removal doubles its goodput.")


def test_a_station_with_keys_of_its_own_is_not_moved() -> None:
    change = ['cells[0].stations[0]={ name = "tv" }']
    document = _document([_limit("slow-station", "tv", 12, 22, change=change)])
    document["scenario"]["cells"][0]["stations"] = [{"name": "tv", "rate": "6 Mb/s", "mcs": None}]
    [said] = _said(document)
    assert said == (
        "The slow station tv limits the flow: 12 Mb/s, and 22 if it were as fast as its cell."
        " tv has a rate of 6 Mb/s of its own: move it closer, or give it a faster radio"
        f" (tried: --set '{change[0]}')."
    )


def test_a_place_gives_no_station_another_standard() -> None:
    change = ['cells[0].stations[0]={ name = "tv" }']
    document = _document([_limit("slow-station", "tv", 12, 22, change=change)])
    cell = document["scenario"]["cells"][0]
    cell["standard"] = "802.11n"
    cell["stations"] = [{"name": "tv", "standard": "802.11b"}]
    [said] = _said(document)
    assert "tv has 802.11b, and the cell 802.11n: give it a faster radio (tried: " in said
    assert "closer" not in said


def test_what_was_tried_is_the_reason() -> None:
    """Wrong before: a phone beside the access point was said to have two streams there."""
    slow = _slow("flow0", 34, short_of="distance", where="phone", without_bps=150e6)
    near, keys = 'without.distance=["phone"]', 'cells[0].stations[0]={ name = "phone" }'

    def said(*change: str, cause: str = "distance") -> str:
        limit = _limit(cause, "phone", 34, 150, of="flows", change=[*change])
        document = _document([limit], 2, slow_flows=[slow | {"short_of": cause}])
        cell = {"streams": 2, "stations": [{"name": "phone", "streams": 1}]}
        document["scenario"]["cells"] = [cell]
        return _said(document)[0]

    assert "because of the distance of phone: 34 Mb/s, and 150 next to" in said(near)
    assert "one spatial stream, and the cell two: 34 Mb/s, and 150 with two streams" in said(
        keys, cause="slow-station"
    )
    assert "150 if it were near and as fast as its cell" in said(keys, near, cause="slow-station")


FAIR = 'cells[0].access_point_queue={ kind = "airtime-fair" }'


def _shared(*with_it: float, queue: str | None = None) -> Any:
    """Make the document of a slow station beside another, with what a fair airtime gives each."""
    change = ['cells[0].stations[0]={ name = "tv" }']
    document = _document([_limit("slow-station", "tv", 6, 22, flows=[], change=change)], 2)
    cell = document["scenario"]["cells"][0] | {"stations": [{"name": "tv", "rate": "6 Mb/s"}]}
    cell["access_point_queue"] = None if queue is None else {"kind": queue}
    document["scenario"]["cells"] = [cell]
    document["summary"]["cells"][0]["stations"] = [{"name": "ap"}, {"name": "tv"}]
    document["replications"][0]["flows"][1]["to"] = "tv"
    rows = [
        {"flow": f"flow{i}", "goodput_bps": 3e6, "with_bps": 1e6 * rate}
        | {"rtt_s": None, "rtt_with_s": None}
        for i, rate in enumerate(with_it)
    ]
    document["trials"] = [{"change": [FAIR], "flows": rows}]
    return document


def test_a_fair_airtime_is_advised_if_it_raises_all_together() -> None:
    [said] = _said(_shared(12.0, 0.9))
    assert said.endswith(
        "Airtime fairness at the access point gives 13 Mb/s together, of which flow1 gets 0.90:"
        f" --set '{FAIR}'."
    )
    # What stations send among themselves, the access point does not schedule: nothing changes.
    assert "Airtime" not in _said(_shared(3.0, 3.1))[0]
    assert "a faster radio" in _said(_shared(3.0, 3.1))[0]


def test_a_fair_airtime_is_tried_where_a_station_is_slow_and_nothing_shares_it() -> None:
    document = _shared(12.0, 0.9)
    assert airtime.change(document, document["limits"][0]) == [FAIR]
    fair = _shared(12.0, 0.9, queue="airtime-fair")
    assert airtime.change(fair, fair["limits"][0]) == []
    for other in ({"cause": "distance"}, {"where": "phone"}):
        assert airtime.change(document, document["limits"][0] | other) == []


def test_pauses_are_no_application_that_gets_what_it_asks() -> None:
    change = ['flows[0].app.think="0 s"']
    pages = _limit("application", "pages", 0.5, 6.6, change=change)
    assert _said(_document([pages])) == [
        "The pauses of pages limit the flow: 0.50 Mb/s, and 6.6 without them."
    ]


def test_an_empty_list_says_why_it_is_empty() -> None:
    assert _said(_document([])) == [
        "Nothing single limits the flows. No removal raises their goodput by a tenth."
    ]
    assert _said(_document([], verdict="not-asked")) == [
        (
            "What limits the flows was not asked. --why auto takes things away, one at a time, and"
            " names what raises the goodput."
        )
    ]
    assert _said(_document([], verdict="stopped"))[0].startswith("What limits the flows is not")
    rows = [_limit("medium", "cell", 9, 18)]
    assert _said(_document(rows, verdict="stopped"))[1].startswith("The search was stopped.")


def test_cannot_tell_names_what_is_undecided_and_what_may_decide() -> None:
    def undecided(cause: str, ratio: float | None, low: float | None, high: float | None) -> Any:
        return {"cause": cause, "where": "air", "ratio": ratio, "low": low, "high": high}

    rows = [
        undecided("queue", 1.2, 0.9, 1.6),
        undecided("link-losses", 1.5, 0.5, 900.0),
        undecided("link-rate", None, None, None),
        undecided("return-path", 1.1, 0.9, 1.3),
    ]
    said = _said(_document([], verdict="cannot-tell", undecided=rows))[0]
    assert said == (
        "Cannot tell what limits the flows from 3 replications of 15.0 s. Goodput without the rate"
        " of the link (air): unknown; without losses of the link (air): 1.5 times, not"
        " significantly; without drops of the queue (air): 1.2 times [0.90, 1.6]. --why yes, which"
        " runs longer, may decide."
    )
    whole = _document([], verdict="cannot-tell", undecided=rows, asked="yes")
    assert "More replications (-n) may decide." in _said(whole)[0]


def test_the_limits_of_each_flow_are_a_column_only_if_they_differ() -> None:
    first = _limit("link-losses", "air", 4, 12, flows=["flow0"])
    other = _limit("receive-window", "b (flow1)", 4, 12, flows=["flow1", "flow0"])
    behind = _limit("medium", "cell", 12, 24, flows=["flow2"], after=["link-losses"])
    document = _document([first, other, behind], flows=3)
    dash = "\N{EN DASH}"
    assert limits.by_flow(document) == [
        "losses of the link, the receive buffer",
        "the receive buffer",
        dash,
    ]
    slow = [_slow("flow2", 0.1, short_of="distance", where="sta2")]
    assert limits.by_flow(_document([first, other], flows=3, slow_flows=slow))[2] == "the distance"
    everyone = other | {"flows": ["flow0", "flow1"]}
    assert limits.by_flow(_document([everyone], flows=2)) == []
    assert limits.by_flow(_document([], flows=2)) == []
