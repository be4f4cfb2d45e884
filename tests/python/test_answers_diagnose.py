"""The answer of `diagnose`: its grammar, and the right words for documents made by hand."""

from __future__ import annotations

import copy
import functools
import json
from pathlib import Path
from typing import Any

import pytest

import airtcp
from airtcp.questions.diagnose import charts, predict, rows
from airtcp.questions.diagnose.answer import answer
from airtcp.questions.diagnose.result import DiagnoseResult
from airtcp.questions.diagnose.sections import diagnose_page
from airtcp.words.sentences import Finding
from grammar import LINES, problems

DATA = Path(__file__).resolve().parents[2] / "crates/capture/tests/data"
NAMES = ("10.77.0.1:58320", "10.77.0.2:5201", "bbr1", "802.11")


def _row(variant: str, middle: float | None, better: float = 1.0, **more: Any) -> dict[str, Any]:
    low = 0.9 * (middle or more.pop("low"))
    high = None if middle is None else 1.1 * middle
    return {
        "variant": variant, "goodput_bps": middle, "low": low, "high": high, "p_better": better,
    } | more  # fmt: skip


def _fit(value: float, **more: Any) -> dict[str, Any]:
    return {"value": value, "low": value, "high": value, **more}


def _statistic(name: str, observed: float, low: float, high: float) -> dict[str, Any]:
    return {
        "name": name, "observed": observed, "mean": (low + high) / 2, "low": low, "high": high,
        "inside": low <= observed <= high,
    }  # fmt: skip


@functools.cache
def _base() -> Any:
    """Return the document of a transfer that losses of the link limit; another TCP helps."""
    document: Any = airtcp.diagnose(DATA / "loss/receiver.pcap.gz").json
    document["observed"] |= {"place": "sender", "goodput_bps": 6.2e6, "segments": 3000}
    return document | {
        "obstacle": None, "tcp": "cubic", "tcp_told": True, "scenario": "x", "paths": ["x.pcap"],
        "limits": [
            {"cause": "link-losses", "goodput_bps": 6e6, "without_bps": 19.4e6, "ratio": 3.2}
        ],
        "predictions": [
            _row("bbr1", 18.9e6), _row("sliding", 18.2e6), _row("cubic@ll-arq:arq=selective", 12e6),
            _row("jersey", 11e6), _row("cubic", 6e6, 0.2),
        ],
        "replay": {
            "replications": 30, "reproduces": True,
            "statistics": [
                _statistic("goodput_bps", 6.2e6, 5e6, 7e6),
                _statistic("rtt_p50_s", 0.05, 0.04, 0.06),
                _statistic("link_losses", 2.0, 1.0, 3.0),
                _statistic("drop_episodes", 0.0, 0.0, 1.0),
            ],
        },
        "link": {
            "rate_bps": _fit(20e6, kind="steady", support=1.0, busy_packets=500),
            "delay_s": _fit(0.02), "queue_packets": _fit(40.0, level_drops=0),
            "link_loss": _fit(0.008), "mean_burst": 1.0, "utilisation": 0.31, "busy_share": 0.1,
            "sources": dict.fromkeys(("rate_bps", "delay_s"), "timing")
            | dict.fromkeys(("queue_packets", "link_loss"), "backlog"),
        },
        "other_link": dict.fromkeys(
            ("policer", "aqm", "shared", "return_path", "stand_stills", "application",
             "receive_window")
        ),
    }  # fmt: skip


def _with(**more: Any) -> Any:
    return copy.deepcopy(_base()) | more


def _right(document: Any) -> Any:
    said = answer(document)
    assert problems(said, [*NAMES, document["tcp"]]) == []
    assert said.table is None or len(said.table.names) + 8 <= LINES
    table = said.table
    if table is not None:
        widths = [max(map(len, [table.head, *table.names]))]
        widths += [max(map(len, [c.heading, *c.cells])) for c in table.columns]
        assert sum(widths) + 2 * len(widths) <= 100
    assert airtcp.schema("diagnose")["$defs"]["Answer"]["required"] == list(said.document())
    return said


def test_the_limit_is_that_of_the_replays_and_the_table_has_its_number() -> None:
    said = _right(_with(doubts=["queue"]))
    assert said.headline == (
        "Losses of the link limit the transfer: 6.2 Mb/s, and 19 without them."
    )
    assert said.help == (
        "bbr1 would get 19 Mb/s, a coded transport (sliding) 18 and retransmission on the link"
        " less."
    )
    assert said.doubt == (
        "Not known from this capture: the length of the queue (at least 40 packets); the replays"
        " agree with the capture in all 4 checks."
    )
    first, second, *_ = said.table.rows()
    assert (first["TCP"], first["goodput (Mb/s)"]) == ("this transfer", "6.2")
    assert (second["TCP"], second["goodput (Mb/s)"]) == ("bbr1", "19")
    # A law that needs marks of the path is no advice; it stands in the details.
    assert "jersey" not in said.table.names
    assert said.table.rest == "and 1 more: --details"
    assert any("jersey" in part.names for part in said.details if hasattr(part, "names"))
    assert "--scenario-out" in said.next


def test_a_rate_that_is_a_lower_bound_gives_or_more() -> None:
    document = _with(doubts=["law", "rate", "queue"], tcp_told=False)
    document["predictions"] = [_row("bbr1", None, low=15e6), _row("cubic", 6e6, 0.2)]
    said = _right(document)
    assert said.headline.endswith("6.2 Mb/s, and 19 or more without them.")
    assert said.help == "bbr1 would get 14 Mb/s or more."
    assert said.table.rows()[1]["90 % interval"] == "14 or more"
    # Two numbers in a sentence: that of the queue gives way.
    assert "the length of the queue; the replays agree" in said.doubt


@pytest.mark.parametrize(
    ("cause", "what", "cost"),
    [
        ("queue", "Overflow of the queue", "and 19 with four times the queue"),
        ("receive-window", "The receive window", "and 19 with four times the window"),
        ("link-rate", "The rate of the link", "31 % of what the link carries"),
    ],
)
def test_each_limit_has_its_cost(cause: str, what: str, cost: str) -> None:
    document = _with()
    document["limits"][0]["cause"] = cause
    assert _right(document).headline == f"{what} limits the transfer: 6.2 Mb/s, {cost}."


def test_a_varying_rate_is_not_called_the_links() -> None:
    """Other traffic may take a part; the capture cannot tell."""
    document = _with(doubts=["varying"])
    document["limits"][0]["cause"] = "link-rate"
    said = _right(document)
    assert said.headline.startswith("What the link leaves limits the transfer: 6.2 Mb/s, 31 % of")
    assert "why the rate varies" in said.doubt


def test_a_lucky_transfer_is_no_measure() -> None:
    """It got as much as replays without losses; the ratio is that of replays."""
    document = _with(doubts=["lucky", "law"])
    document["limits"][0] |= {"goodput_bps": 4.2e6, "without_bps": 6.1e6}
    said = _right(document)
    assert said.headline == (
        "Losses of the link limit the transfer: 4.2 Mb/s in replays, and 6.1 without them."
    )
    assert said.doubt == "The transfer was a lucky one: cubic will likely get 6.0 Mb/s again."


def _wide(low: float, high: float, without: float) -> Any:
    document = _with()
    document["replay"]["statistics"][0] = _statistic("goodput_bps", 6.2e6, low, high)
    document["limits"][0]["without_bps"] = without
    return document


def test_replays_that_agree_with_anything_make_no_claim() -> None:
    """With losses they get 2 to 9 Mb/s: 8 without losses shows nothing, and 19 does."""
    said = _right(_wide(2e6, 9e6, 8e6))
    assert said.headline == (
        "What limits the transfer cannot be told: replays with cubic get 2.0 to 9.0 Mb/s, and"
        " without losses no more than that."
    )
    assert said.help == "A longer transfer would tell."
    assert said.table.rows()[0][""] == "too wide to tell"
    assert said.doubt == "The goodput of replays varies too much for a check."
    shown = _right(_wide(2e6, 9e6, 19e6))
    assert shown.headline.startswith("Losses of the link limit the transfer")
    assert "agree" not in shown.doubt
    assert _right(_wide(4e6, 9e6, 8e6)).headline.startswith("Losses of the link limit")
    # Packets that waited show the rate of the link, whatever the replays get.
    rate = _wide(2e6, 9e6, 8e6)
    rate["limits"][0]["cause"] = "link-rate"
    assert _right(rate).headline.startswith("The rate of the link limits the transfer")


def test_a_usual_tcp_is_named_before_an_equal_one() -> None:
    document = _with(predictions=[_row("bic", 14e6), _row("cubic", 13.9e6), _row("reno", 6e6, 0.2)])
    document |= {"tcp": "reno"}
    assert _right(document).help == "cubic would get 14 Mb/s."
    document["predictions"][1] |= {"goodput_bps": 9e6, "low": 8e6, "high": 10e6}
    assert _right(document).help == "bic would get 14 Mb/s."


def test_what_the_own_tcp_gets_again_is_no_gain() -> None:
    """An unlucky transfer: the same TCP gets more the next time."""
    rows = [_row("bic", 11e6), _row("cubic", 10.5e6)]
    document = _with(predictions=rows)
    assert _right(document).help == "No other TCP surely gets more than cubic would get again."
    document["predictions"] = [_row("bbr1", 19e6), *rows]
    assert _right(document).help == "bbr1 would get 19 Mb/s."


@pytest.mark.parametrize("obstacle", ["short", "place", "application", "no-rtt"])
def test_a_closed_window_needs_no_replay(obstacle: str) -> None:
    application = {"share": 0.03, "rate_bps": 9e6, "message_bytes": 1e5, "kind": "varies"}
    document = _blocked(obstacle, application=application)
    shares = dict.fromkeys(document["observed"]["limited_by"], 0.0) | {"receive_window": 0.91}
    document["observed"] |= {"place": "receiver", "zero_windows": 1, "limited_by": shares}
    said = _right(document)
    assert said.headline == (
        "The receive window limits the transfer: its sender waited for it 91 % of the time."
    )
    assert "closed its window 1 time" in said.help
    document["observed"]["closed_to_end_s"] = 20.0
    assert _right(document).help == (
        "The window of its receiver never opened again in the last 20 s: its application no longer"
        " reads."
    )
    document["observed"]["closed_to_end_s"] = None
    # Without an announcement, only the sender's side shows that its window was full.
    document["observed"]["zero_windows"] = 0
    assert "receive window" not in _right(document).headline
    document["observed"]["place"] = "sender"
    assert _right(document).help == "A larger receive buffer would help."


def test_nothing_single_limits() -> None:
    said = _right(_with(limits=[]))
    assert said.headline == (
        "Nothing single limits the transfer: 6.2 Mb/s, and no removal raises it by a tenth."
    )


def test_no_help_is_claimed_without_certainty() -> None:
    """A median above the transfer is no gain: 95 % of the draws must be."""
    document = _with()
    for row in document["predictions"]:
        row["p_better"] = 0.94
    assert _right(document).help == "No TCP and no remedy surely gets more than this transfer got."
    document["predictions"][0] |= {"goodput_bps": None, "high": None}
    assert "cannot be told, because the link may be faster" in _right(document).help


@pytest.mark.parametrize("doubt", ["sharing", "batches", "no-sack"])
def test_what_would_tell_is_said_where_others_are_not_predicted(doubt: str) -> None:
    """However much better a prediction looks, it is not named."""
    said = _right(_with(doubts=[doubt]))
    assert said.help.startswith("Whether another TCP helps cannot be told, because ")
    assert "would tell" in said.help


def test_an_application_that_sets_the_pace_hides_other_limits() -> None:
    document = _with()
    document["other_link"]["application"] = {
        "share": 0.49, "rate_bps": 6.2e6, "message_bytes": 1e5, "kind": "steady",
    }  # fmt: skip
    said = _right(document)
    assert said.headline == (
        "The application limits the transfer: 6.2 Mb/s, and it had nothing to send for 49 % of the"
        " time."
    )
    # One that writes more than the transfer got does not limit it.
    document["other_link"]["application"]["rate_bps"] = 9e6
    assert _right(document).headline.startswith("Losses of the link limit the transfer")


def _blocked(obstacle: str, **other: Any) -> Any:
    document = _with(obstacle=obstacle, predictions=[], limits=[], doubts=[])
    document["other_link"] |= other
    return document


@pytest.mark.parametrize(
    ("obstacle", "why", "helps"),
    [
        ("place", "because the capture was not taken at its sender.", "at the sender would tell"),
        ("no-rtt", "because no ACK shows the round-trip time of the path.", "--rtt"),
        ("idle", "for most of the time the sender has nothing to send.", "would tell"),
        ("no-sack", "because it repaired losses without SACK.", "would tell"),
        ("short", "is too short for a diagnosis: 3000 data segments; it needs 50.", "longer"),
    ],
)
def test_an_obstacle_is_said_with_what_would_tell(obstacle: str, why: str, helps: str) -> None:
    said = _right(_blocked(obstacle))
    assert said.headline.replace("\N{NARROW NO-BREAK SPACE}", "").endswith(why)
    assert ("cannot be told" in said.headline) == (obstacle not in {"idle", "short"})
    assert helps in said.help
    assert said.table.names == ["10.77.0.1:58320 -> 10.77.0.2:5201"]
    assert said.next.endswith("airtcp capture x.pcap")


def test_other_links_are_said_with_their_measure() -> None:
    policer = {"rate_bps": 8e6, "burst_bytes": 15e3, "drops": 76, "most_goodput_bps": 7.7e6}
    said = _right(_blocked("policer", policer=policer))
    assert said.headline == (
        "A policer limits the transfer: 6.2 Mb/s, and no TCP gets more than 7.7."
    )
    assert said.help is None
    back = {"wait_s": 0.012, "excess_s": 0.015, "share": 0.8}
    assert _right(_blocked("return-path", return_path=back)).headline == (
        "ACKs wait on their way back: 12 of the 15 ms by which round trips exceed the least one."
    )
    shared = {
        "drops": 10, "wait_spread": 0.01, "backlog_spread": 0.4, "alone": 0, "waited_alone": 0
    }  # fmt: skip
    assert "a capture of all traffic would tell" in _right(_blocked("shared", shared=shared)).help
    behind = shared | {"wait_spread": None, "backlog_spread": None, "alone": 9, "waited_alone": 6}
    said = _right(_blocked("shared", shared=behind))
    assert said.headline.startswith("Other traffic shares the queue")
    why = next(part.text for part in said.details if isinstance(part, Finding))
    assert why.startswith(
        "6 of 9 packets that found no other one of this transfer in the queue waited all the same."
    )
    application = {"share": 0.3, "rate_bps": 9e6, "message_bytes": 1e5, "kind": "varies"}
    assert _right(_blocked("application", application=application)).headline == (
        "The application limits the transfer at times: 6.2 Mb/s, and it had nothing to send for"
        " 30 % of the time."
    )


@pytest.mark.parametrize(
    ("tcp", "guessed", "helps"),
    [
        ("cubic", "cubic", "That the sender uses cubic is a guess: --tcp names its congestion"),
        ("bbr", "", "What Linux calls bbr is BBRv1: --tcp bbr1 may reproduce it."),
        ("reno", "", None),
    ],
)
def test_replays_that_differ_name_the_statistic(tcp: str, guessed: str, helps: str | None) -> None:
    document = _blocked("check") | {"tcp": tcp, "tcp_told": not guessed}
    document["replay"]["statistics"][1] = _statistic("rtt_p50_s", 0.09, 0.04, 0.06)
    said = _right(document)
    assert said.headline == (
        f"What limits the transfer cannot be told: no replay with {tcp} reproduces it, as the"
        " median RTT is 90.0 ms, and 60.0 or less in replays."
    )
    assert said.help is None if helps is None else said.help.startswith(helps)
    assert [row[""] for row in said.table.rows()] == ["agrees", "differs", "agrees", "agrees"]


def test_laws_that_were_tried_are_named() -> None:
    document = _blocked("check") | {"tcp": "bbr1", "tcp_told": False}
    document["tcp_checked"] = [{"tcp": law, "agrees": False} for law in ("bbr1", "cubic", "reno")]
    document["replay"]["statistics"][1] = _statistic("rtt_p50_s", 0.09, 0.04, 0.06)
    said = _right(document)
    assert said.headline == (
        "What limits the transfer cannot be told: no replay with bbr1, cubic or reno reproduces"
        " it; with bbr1, the median RTT is 90.0 ms, and 60.0 or less in replays."
    )
    assert "which --tcp names" in said.help
    # The law that agrees is assumed, and the others are said.
    document = _with(doubts=["law"], tcp_told=False, tcp="cubic")
    document["tcp_checked"] = [{"tcp": "bbr1", "agrees": False}, {"tcp": "cubic", "agrees": True}]
    assert "(cubic, as replays with bbr1 differ; --tcp)" in _right(document).doubt
    document["tcp_checked"][1:1] = [{"tcp": "reno", "agrees": True}]
    assert "(cubic assumed, and reno agrees, too; --tcp)" in _right(document).doubt


def test_losses_are_not_the_links_if_others_may_share_the_queue() -> None:
    said = _right(_with(doubts=["rate", "sharing"]))
    assert said.headline == (
        "Losses limit the transfer, of the link or of a queue that others fill: 6.2 Mb/s, and 19"
        " or more without them."
    )
    never = _with(doubts=[])
    never["link"]["rate_bps"]["kind"] = "none"
    assert _right(never).headline.startswith("Losses limit the transfer, of the link or of")


@pytest.mark.parametrize(
    ("is_codel", "said"), [(True, "managed by CoDel: 9 of 10 drops"), (False, "by which rule")]
)
def test_a_discipline_is_named_by_its_drops_only(*, is_codel: bool, said: str) -> None:
    rule = {"due": 9, "not_due": 1, "above_s": 2.0, "overdue_s": 0.1, "found": is_codel}
    document = _with(doubts=[] if is_codel else ["discipline"])
    document["other_link"]["aqm"] = {"losses": 10, "codel": rule}
    answer = _right(document)
    assert any(said in part.text for part in answer.details if isinstance(part, Finding))
    assert ("by which rule the queue drops early" in answer.doubt) is not is_codel


def test_few_draws_and_a_stop_are_doubts() -> None:
    said = _right(_with(replications=5))
    assert said.doubt == "Rests on 5 drawn links: -n 60 draws more."
    stopped = _right(_with(interrupted=True, predictions=[], limits=[]))
    assert stopped.headline == "Nothing was predicted: the diagnosis was stopped."
    assert stopped.doubt == "The diagnosis was stopped: only the finished steps are here."
    nothing = _with(interrupted=True, observed=None, predictions=[], link=None, other_link=None)
    assert _right(nothing).headline == (
        "Nothing was diagnosed: the analysis of the capture was stopped."
    )


def test_a_capture_without_tcp_says_what_would_tell() -> None:
    document = _with(observed=None, predictions=[], limits=[], link=None, obstacle="no-data")
    document["replay"] = document["other_link"] = None
    document["files"] = [{"packets": 34, "air_frames": 0, "warnings": []}]
    said = _right(document)
    assert said.headline == (
        "No transfer to diagnose: 34 packets, but no connection of TCP with data."
    )
    assert said.table is None
    document["files"][0]["air_frames"] = 20
    assert "20 frames of 802.11 without readable data of TCP" in _right(document).headline


def test_names_of_any_length_stay_in_the_width() -> None:
    document = _with(paths=[f"{'x' * 200} (1).pcap"])
    name = "[2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff]:50000"
    document["observed"] |= {"sender": name, "receiver": name}
    said = _right(document)
    assert len(said.table.title) <= 100
    blocked = _right(document | {"obstacle": "place", "predictions": []})
    assert blocked.next.endswith(" (1).pcap'")


@pytest.mark.parametrize("path", sorted(DATA.glob("*/*.pcap.gz")), ids=lambda p: p.parent.name)
def test_every_labelled_capture_has_an_answer(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The document, the answer and the text agree."""
    monkeypatch.setattr(predict, "laws", lambda: ["reno", "cubic", "bbr1"])
    monkeypatch.setattr(predict, "_TRANSPORTS", ())
    result: Any = airtcp.diagnose(path, replications=5)
    document: Any = result.json
    seen = document["observed"]
    names = () if seen is None else (seen["sender"], seen["receiver"])
    assert problems(result.answer(), [*NAMES, *names]) == []
    assert document["answer"] == result.answer().document()
    assert json.loads(result.text) == document
    assert list(document)[:2] == ["schema", "answer"]


def test_the_charts_have_the_numbers_of_the_answer() -> None:
    """A dot for each TCP, and the transfer as a line; below it the packets that were lost."""
    document = _with(
        lost_packets=[
            {"time_s": 100.5, "origin": "link", "backlog_packets": 3},
            {"time_s": 101.0, "origin": "queue", "backlog_packets": 40},
        ]
    )
    data = rows.predictions(document)
    assert [row["variant"] for row in data["predictions"]][:2] == ["bbr1", "sliding"]
    assert data["observed"] == [{"goodput": pytest.approx(6.2)}]
    spec = charts.predictions([row["variant"] for row in data["predictions"]])
    assert {layer["data"]["name"] for layer in spec["layer"]} == set(data)
    assert [row["time"] for row in rows.backlog(document)["lost"]] == [0.0, 0.5]
    nothing = _with(predictions=[], lost_packets=[])
    assert rows.predictions(nothing) == rows.backlog(nothing) == {}


def test_the_page_lists_every_tcp_and_its_charts_are_the_figures() -> None:
    """The table below the answer has all rows; a diagnosis without charts has a page too."""
    lost = [{"time_s": 100.5, "origin": "link", "backlog_packets": 3}]
    result: Any = DiagnoseResult(_with(lost_packets=lost))
    assert result.plots == ["predictions", "backlog"]
    assert result.figure("backlog").name == "backlog"
    variants = [row["variant"] for row in result.json["predictions"]]
    whole = diagnose_page(result.json, result.answer()).whole
    assert whole is not None
    assert whole.names == ["this transfer", *variants]
    only: Any = DiagnoseResult(_with(predictions=[], lost_packets=lost))
    assert only.plots == ["backlog"]
    assert diagnose_page(only.json, only.answer()).chart == "backlog"
    nothing: Any = DiagnoseResult(_with(predictions=[], lost_packets=[]))
    assert nothing.plots == []
    assert "<html" in nothing.page()


def test_the_result_shows_the_answer() -> None:
    result: Any = DiagnoseResult(_with())
    assert result.answer().headline.startswith("Losses of the link limit the transfer")
    assert "Losses of the link limit" in result._repr_html_()
