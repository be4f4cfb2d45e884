"""The answer of a run: its numbers are those of its table, and what is not known is not said."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import pytest

import airtcp
from airtcp.questions.run import answer as answer_run
from airtcp.questions.run import rows_limits, rows_time, sections_cell, sizes, waiting
from airtcp.words.answer import Answer
from airtcp.words.grid import Grid
from examples import SCENARIOS
from grammar import LINES, problems

if TYPE_CHECKING:
    from airtcp.questions.run.result import RunResult
    from conftest import Program

TIMEOUTS: Final = """
duration = "20 s"
replications = 1
[[links]]
name = "air"
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "20 ms"
queue = { kind = "drop-tail", packets = 50 }
loss = { model = "bernoulli", probability = 0.04 }
[[flows]]
from = "a"
to = "b"
"""


def _mean(value: float) -> dict[str, float]:
    return {"mean": value, "ci_low": value, "ci_high": value}


def _document(goodputs: list[float], active: list[float] | None = None, **more: Any) -> Any:
    """Make the document of a run of endless flows with these goodputs, in Mb/s."""
    times = active or [10.0] * len(goodputs)
    flows = [
        {"name": f"flow{i}", "goodput_bps": _mean(1e6 * rate), "active_s": _mean(time)}
        for i, (rate, time) in enumerate(zip(goodputs, times, strict=True))
    ]
    runs = [
        {"name": f"flow{i}", "transport": "tcp", "goodput_bps": 1e6 * rate, "from": "a", "to": "b"}
        for i, rate in enumerate(goodputs)
    ]
    return {
        "summary": {"flows": flows, "links": [], "total_goodput_bps": _mean(1e6 * sum(goodputs))},
        "scenario": {"flows": [{"app": {"kind": "bulk"}} for _ in goodputs], "duration": "10 s"},
        "replications": [{"flows": runs, "measured_s": 10.0}],
    } | more


def _limit(goodput: float, without: float, spread: float = 1.0, **more: Any) -> dict[str, Any]:
    """Make a limit; its factor has an interval of `spread` times to both sides."""
    ratio = without / goodput if goodput else None
    return {
        "cause": "link-losses",
        "or": [],
        "with": [],
        "after": [],
        "where": "air",
        "flows": ["flow0"],
        "of": "sum",
        "goodput_bps": 1e6 * goodput,
        "without_bps": 1e6 * without,
        "ratio": ratio,
        "low": None if ratio is None else ratio / spread,
        "high": None if ratio is None else ratio * spread,
        "change": ["links[0].loss=none"],
        "help": [],
    } | more


@pytest.mark.parametrize(
    ("own", "measured", "without", "spread", "said"),
    [
        # The goodput is that of the run; the factor of the search has room for it.
        (1.64, 1.77, 9.5, 1.3, "1.6 Mb/s, and 9.5"),
        # The search is that sure of its factor: both rates together would say another one.
        (2.83, 2.5, 5.0, 1.0, "2.8 Mb/s, and 2.0 times that"),
        # Nothing arrives in the search, so there is no factor.
        (0.3, 0.0, 1.5, 1.0, "0.30 Mb/s, and 1.5"),
        # Nothing arrives in the run.
        (0.0, 0.1, 1.5, 1.2, "0 Mb/s, and 1.5"),
        # Less than a tenth off is no contradiction.
        (9.0, 8.7, 18.0, 1.0, "9.0 Mb/s, and 18"),
    ],
)
def test_a_limit_has_the_goodput_of_the_run(
    own: float, measured: float, without: float, spread: float, said: str
) -> None:
    limit = _limit(measured, without, spread)
    assert sizes.of_limit(_document([own]), limit).said() == said


def test_whose_goodput_a_limit_has() -> None:
    document = _document([1.0, 2.0, 4.0])
    # It raises one flow, and measures all of them together.
    together = sizes.of_limit(document, _limit(6.9, 14.0))
    assert together.goodput == pytest.approx(7e6)
    # It measures the flows that it names.
    named = sizes.of_limit(document, _limit(2.9, 6.0, flows=["flow0", "flow1"], of="flows"))
    assert named.goodput == pytest.approx(3e6)
    slowest = sizes.of_limit(document, _limit(0.8, 2.0, of=sizes.SLOWEST))
    assert slowest.goodput == pytest.approx(1e6)


def test_goodputs_at_different_times_do_not_add_up() -> None:
    document = _document([5.0, 5.0], active=[10.0, 2.0])
    limit = _limit(5.1, 9.0, flows=[], of="sum")
    # Neither the sum, 10 Mb/s, is the rate of both together, nor has the table another one.
    assert sizes.of_limit(document, limit) == sizes.Size(5.1e6, 9e6, None)


def test_the_bar_of_a_flow_is_its_goodput_of_the_table() -> None:
    document = _document([2.83], limits=[_limit(2.5, 5.0)])
    [row] = rows_limits.rows(document)
    assert (row["goodput"], row["without"]) == pytest.approx((2.83, 5.66))


def test_a_bar_has_the_goodput_of_its_flow() -> None:
    # The losses slow one flow; the search measured all of them.
    document = _document([1.0, 2.0, 4.0], limits=[_limit(6.9, 14.0)])
    *bars, together = rows_limits.rows(document)
    assert [bar["goodput"] for bar in bars] == [1.0, 2.0, 4.0]
    assert all(bar["without"] is None for bar in bars)
    assert (together["name"], together["goodput"]) == ("all together", 7.0)


@pytest.mark.parametrize("name", ["lossy-link", "dumbbell", "wifi-slow-station", "bursty-link"])
def test_the_number_of_the_headline_is_that_of_the_table(name: str) -> None:
    overrides = {"duration": "30 s"}
    result = airtcp.run(SCENARIOS / f"{name}.toml", replications=2, why="auto", overrides=overrides)
    answer = result.answer()
    assert answer is not None
    limit = result.json["limits"][0]
    flows = result.json["summary"]["flows"]
    rates = [f["goodput_bps"]["mean"] or 0.0 for f in flows if f["name"] in limit["flows"]]
    found = re.search(r"([\d.]+) Mb/s", answer.headline)
    assert found is not None
    assert float(found[1]) == pytest.approx(sum(rates) * 1e-6, rel=0.06)


def test_without_a_search_the_first_line_has_shares_of_time() -> None:
    result = airtcp.run("x", text=TIMEOUTS, why="no")
    answer = result.answer()
    assert answer is not None
    flow = result.json["summary"]["flows"][0]
    state = next(iter(waiting.shares(flow)))
    share = flow[state]["mean"]
    assert f"waits {100 * share:.0f} % of the time for " in answer.headline
    assert "limit" not in answer.headline
    assert (
        answer.help == "What limits it was not asked: why = auto takes things away, one at a time."
    )
    assert problems(answer, ["flow0"]) == []
    assert answer.table is not None
    assert answer.table.columns[-1].heading == "waits most for"


def test_senders_of_datagrams_do_not_count_as_waiting() -> None:
    document = _document([1.0, 1.0, 8.0])
    runs = document["replications"][0]["flows"]
    for flow, run in zip(document["summary"]["flows"], runs, strict=True):
        udp = flow["name"] != "flow2"
        run["transport"] = "udp" if udp else "tcp"
        flow["waits_application" if udp else "waits_recovery"] = _mean(1.0 if udp else 0.6)
    assert waiting.most(document) == "the sender waits 60 % of the time for the repair of losses"


def test_nothing_is_said_of_waits_that_are_not_known() -> None:
    assert waiting.most(_document([1.0])) is None
    assert waiting.column(_document([1.0])["summary"]["flows"]) is None


def test_a_slow_station_comes_before_the_full_medium() -> None:
    result = airtcp.run(SCENARIOS / "wifi-slow-station.toml", replications=4, why="auto")
    answer = result.answer()
    assert answer is not None
    assert answer.headline.startswith("The slow station sta3 limits the flows: ")
    assert answer.help is not None
    assert answer.help.startswith("Airtime fairness at the access point gives ")
    assert problems(answer, ["sta3", "cell"]) == []


def test_an_interval_of_other_rates_is_not_given() -> None:
    limit = _limit(1.0, 10.0, spread=2.0)
    assert "The gain is uncertain: 5.0 to 20 times." in _doubts(_document([1.0], limits=[limit]))
    # The run itself got 40 times what the search did: its factor is 5, not 200.
    slowest = _limit(0.005, 1.0, spread=2.0, of=sizes.SLOWEST)
    assert _doubts(_document([0.2], limits=[slowest])) == []


def _doubts(document: Any) -> list[str]:
    said = answer_run._uncertain(document)  # pyright: ignore[reportPrivateUsage]  # noqa: SLF001
    return [said] if said else []


def test_the_next_command_is_about_the_same_scenario() -> None:
    path = SCENARIOS / "lossy-link.toml"
    overrides = {"duration": "5 s", "links[0].rate": "20 Mb/s"}
    answer = airtcp.run(path, replications=1, overrides=overrides).answer()
    assert answer is not None
    assert answer.next is not None
    assert answer.next.endswith("--set 'duration=5 s' --set 'links[0].rate=20 Mb/s'")
    assert "over time" not in answer.next
    answer = airtcp.run(path, replications=1, overrides=overrides, series=True).answer()
    assert answer is not None
    assert answer.next is not None
    assert "over time: --html FILE, or Parquet: --out DIR" in answer.next


def test_names_of_any_kind_stand_in_an_answer() -> None:
    name = "up \N{SNOWMAN} <b>'\"" + "x" * 190
    text = TIMEOUTS.replace("[[flows]]", f"[[flows]]\nname = '''{name}'''")
    answer = airtcp.run("x", text=text, why="no", overrides={"duration": "2 s"}).answer()
    assert answer is not None
    assert answer.table is not None
    assert list(answer.table.names) == [name]
    assert problems(answer, [name]) == []


def test_an_answer_prints_as_in_the_terminal(run: Program) -> None:
    text = SCENARIOS / "lossy-link.toml"
    shown = run("run", text, "--why", "no").out
    printed = str(airtcp.run(text, why="no").answer())
    # The last line names the file, so that its breaks depend on the folder.
    said = [each.partition("All: --details")[0].split() for each in (shown, printed)]
    assert said[0] == said[1]
    long = Answer("A sentence " + "of many words " * 20, next="airtcp " + "x" * 200)
    *said, last = str(long).split("\n")
    assert max(map(len, said)) <= 100
    assert last == long.next


def test_the_details_have_every_table() -> None:
    result = airtcp.run(
        SCENARIOS / "wifi-hidden.toml", replications=2, overrides={"duration": "4 s"}
    )
    answer = result.answer()
    assert answer is not None
    heads = [part.head for part in answer.details if isinstance(part, Grid)]
    assert heads == ["flow", "station", "frames"]
    last = answer.details[-1]
    assert not isinstance(last, Grid)
    assert last.headline.startswith("2 replications of 4 s, seed ")


@pytest.fixture(scope="module")
def recorded() -> RunResult:
    return airtcp.run("x", text=TIMEOUTS, series=True)


def _series(result: RunResult) -> dict[str, dict[str, list[Any]]]:
    names = ("window_series", "rtt_series", "queue_series")
    return {name: result.table(name).to_dict() for name in names}


def test_marks_are_the_recoveries_and_timeouts_of_the_run(recorded: RunResult) -> None:
    flow = recorded.json["replications"][0]["flows"][0]
    [shown] = rows_time.flows(recorded.json, _series(recorded))
    kinds = [mark["what"] for mark in shown["marks"]]
    assert flow["timeouts"] > 0
    # A timeout during a timeout leaves the window as it is.
    assert 1 <= kinds.count(rows_time.TIMEOUT) <= flow["timeouts"]
    # A window of a few segments may fall by less than a fifth.
    cuts = kinds.count(rows_time.CUT)
    assert 0.5 * flow["fast_retransmits"] <= cuts <= flow["fast_retransmits"] + flow["timeouts"]


def test_a_window_without_losses_has_no_marks() -> None:
    calm = re.sub(r"loss = .*", "", TIMEOUTS).replace("packets = 50", "packets = 100000")
    result = airtcp.run("x", text=calm, series=True, overrides={"duration": "5 s"})
    assert result.json["replications"][0]["flows"][0]["retransmissions"] == 0
    [shown] = rows_time.flows(result.json, _series(result))
    assert shown["marks"] == []


def test_charts_over_time_are_open_when_they_were_asked_for(recorded: RunResult) -> None:
    page = recorded.page()
    assert '<details class="part" id="series" open>' in page
    names = [f"flow0-{chart}" for chart in ("window", "rtt", "queue")]
    assert [name for name in recorded.plots if name.startswith("flow0-")] == names
    # One flow has each chart once.
    assert "window" not in recorded.plots
    plain = airtcp.run("x", text=TIMEOUTS, overrides={"duration": "2 s"})
    assert 'id="series"' not in plain.page()


def test_the_first_flows_have_charts_and_all_share_one() -> None:
    text = TIMEOUTS + "count = 6\n"
    result = airtcp.run("x", text=text, series=True, overrides={"duration": "4 s"})
    plots = result.plots
    assert {"window", "rtt", "queue", "flow3-window"} <= {*plots}
    assert "flow4-window" not in plots


def test_a_page_without_tcp_names_no_command_that_helps() -> None:
    assert 'id="help"' in airtcp.run(SCENARIOS / "lossy-link.toml", replications=1, why="no").page()
    text = TIMEOUTS.replace("[[flows]]", '[[flows]]\ntransport = "udp"')
    text += 'app = { kind = "constant-rate", rate = "80 kb/s" }\n'
    alone = airtcp.run("x", text=text, why="no", overrides={"duration": "2 s"})
    assert {flow["transport"] for flow in alone.json["replications"][0]["flows"]} == {"udp"}
    assert 'id="help"' not in alone.page()


def test_a_medium_on_which_all_wait_is_drawn() -> None:
    result = airtcp.run(
        SCENARIOS / "wifi-star.toml",
        replications=1,
        why="no",
        timeline="2.5 s..2.51 s",
        overrides={"duration": "3 s"},
    )
    whole = result.timeline()
    assert whole is not None
    silent = whole._replace(frames={key: [] for key in whole.frames})
    for timeline, first in ((whole, "frames"), (silent, "waits")):
        [cell] = sections_cell.sections(result.json, timeline)
        plot = cell.plots[0]
        assert plot.name == "cell0-medium"
        name, rows = next(iter(plot.data.items()))
        assert (name, bool(rows)) == (first, True)


def test_columns_of_the_record_have_units(recorded: RunResult) -> None:
    for table in ("window_series", "rtt_series", "queue_series"):
        numbers = [c for c in recorded.table(table).columns if c not in {"flow", "side", "link"}]
        assert all(column.endswith(("_s", "_bytes", "_packets")) for column in numbers)


def test_many_flows_take_the_slowest_first_on_the_page_too() -> None:
    text = TIMEOUTS + "count = 20\n"
    document = airtcp.run("x", text=text, overrides={"duration": "2 s"}).json
    whole, first = answer_run.table(document, 2000), answer_run.table(document)
    assert whole is not None
    assert first is not None
    assert list(whole.names)[: len(first.names)] == list(first.names)
    assert len(first.names) < LINES
