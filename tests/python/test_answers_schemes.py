"""The answer of a comparison of schemes: the right words for each verdict, in its grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.charts import draw
from airtcp.cli import show
from airtcp.questions.compare import charts_answer
from airtcp.questions.compare.answer_cell import answer
from airtcp.words.grid import Column, Grid
from examples import SCENARIOS
from grammar import LINES, problems
from made_cases import UNKNOWN, difference, estimate

if TYPE_CHECKING:
    from airtcp.words.answer import Answer

_KEYS = (
    *("access_point_queue_delay_s", "access_point_service_s", "ack_error", "airtime_jain_index"),
    *("data_error", "exchange_mean_s", "exchange_p50_s", "exchange_p95_s", "exchange_p99_s"),
    *("jain_index_down", "jain_index_up", "max_difference_bps", "residual_loss"),
    *("station_queue_delay_s", "station_service_s"),
)
_QUESTIONS = (
    ("goodput", "total_goodput_bps", 0.03, True),
    ("fairness", "jain_index", 0.02, False),
    ("slowest-flow", "slowest_flow_bps", 0.05, True),
)


def _outcome(name: str, total: float, jain: float, slowest: float, **standing: str) -> Any:
    means = {
        "total_goodput_bps": 1e6 * total,
        "jain_index": jain,
        "slowest_flow_bps": 1e6 * slowest,
    }
    differences = {
        quantity: difference(standing.get(aspect.replace("-", "_"), "undecided"), 0.0)
        for aspect, quantity, _, _ in _QUESTIONS
    }
    made: dict[str, Any] = dict.fromkeys(_KEYS, UNKNOWN)
    made |= {key: estimate(mean) for key, mean in means.items()}
    return made | {"variant": name, "differences": {} if name == "base" else differences}


def _station(variant: str, name: str) -> Any:
    return {
        "airtime_difference": None,
        "airtime_share": estimate(0.1),
        "cell": "cell",
        "goodput_bps": estimate(1e6),
        "goodput_difference": difference("less", -20.0),
        "is_access_point": False,
        "station": name,
        "variant": variant,
    }


def _subject(outcomes: list[Any], *, runs: int = 8, **more: Any) -> Any:
    """A scenario: `better`, `worse` and `undecided` have names by what is asked for."""
    names = [o["variant"] for o in outcomes]
    sides = {side: more.pop(side, {}) for side in ("better", "worse", "undecided")}
    needed, loses = more.pop("needed", None), more.pop("loses", None)
    questions = [
        {
            "aspect": aspect,
            "quantity": quantity,
            "matters": matters,
            "relative": relative,
            "more_is_better": True,
            "ranking": {"order": names, "not_distinguishable": [], "worse": []},
            "lags": [{"variant": name, "behind": estimate(0.0)} for name in names[1:]],
            "equivalent": [],
            "needed": needed,
        }
        | {side: by.get(aspect.replace("-", "_"), []) for side, by in sides.items()}
        for aspect, quantity, matters, relative in _QUESTIONS
    ]
    made: dict[str, Any] = {
        "duration_s": 20.0,
        "flows": [],
        "name": "cell.toml",
        "notes": [],
        "outcomes": outcomes,
        "replications": runs,
        "runs": [],
        "scenario": {},
        "seed": 1,
        "stations": [_station(name, loses) for name in names[1:] if loses],
        "title": None,
        "variants": [{"variant": name, "sets": []} for name in names],
        "verdict": {
            "not_ranked": [],
            "questions": questions,
            "replications": runs,
            "stations": [
                {"variant": name, "gain": [], "lose": [loses]} for name in names[1:] if loses
            ],
            "trade_offs": [],
        },
    }
    return made | more


def _said(*subjects: Any, **more: Any) -> Answer:
    found = answer(
        {
            "schema": "airtcp.schemes/1",
            "airtcp_version": "0",
            "interrupted": False,
            "options": {},
            "reference": "base",
            "seed": 1,
            "subjects": list(subjects),
        }
        | more  # pyright: ignore[reportArgumentType]
    )
    assert found is not None
    assert problems(found) == []
    return found


BASE = _outcome("base", 12.4, 0.717, 0.054)
FILTER = _outcome("ack-filter", 13.6, 0.999, 2.14)
FTCA = _outcome("ftca", 9.98, 0.999, 1.6)
HELPS = {"goodput": ["ack-filter"], "fairness": ["ack-filter"], "slowest_flow": ["ack-filter"]}


def test_what_helps_is_said_with_its_gain() -> None:
    said = _said(_subject([BASE, FILTER], better=HELPS))
    assert said.headline == (
        "ack-filter helps this cell: it gives the slowest flow 2.1 Mb/s instead of 0.054."
    )
    assert said.help == (
        "ack-filter also raises the total goodput from 12.4 to 13.6 Mb/s, and no station is shown"
        " to get less."
    )
    assert said.table is not None
    assert said.table.names == ["ack-filter", "base"]


def test_whom_it_costs_is_said() -> None:
    said = _said(_subject([BASE, FILTER], better=HELPS, loses="sta3"))
    assert str(said.help).endswith(" from 12.4 to 13.6 Mb/s, but sta3 gets less.")
    one = _said(_subject([BASE, FILTER], better={"slowest_flow": ["ack-filter"]}, loses="sta3"))
    assert one.help == "Its price: sta3 gets less."


def test_a_gain_with_a_price_does_not_help() -> None:
    better, worse = {"slowest_flow": ["ftca"]}, {"goodput": ["ftca"]}
    said = _said(_subject([BASE, FTCA], better=better, worse=worse))
    assert said.headline == (
        "No scheme helps this cell without a price: ftca gives the slowest flow 1.6 Mb/s instead"
        " of 0.054, but costs the total goodput."
    )
    # A price that only its own interval shows is a price that may be.
    doubtful = _outcome("ftca", 9.98, 0.999, 1.6, goodput="less")
    doubtful["differences"]["total_goodput_bps"]["absolute"] = estimate(-2.4e6, 1e5)
    said = _said(_subject([BASE, doubtful], better=better))
    assert said.headline.endswith("but may cost the total goodput.")
    # Others may help without one.
    said = _said(
        _subject(
            [BASE, FTCA, FILTER],
            better=better,
            worse=worse,
            undecided={"fairness": ["ack-filter"]},
            needed=30,
        )
    )
    assert said.headline.startswith(
        "Cannot tell whether a scheme helps without a price: ftca gives"
    )
    assert said.doubt == (
        "Whether ack-filter helps is open: more replications of it alone may tell."
    )


def test_the_best_candidate_without_a_price_comes_before_a_trade() -> None:
    open_ones = {"slowest_flow": ["rts"], "goodput": ["rts"]}
    price = _outcome("power-classes", 14.7, 0.501, 0.0094, goodput="more")
    trade = {"better": {"goodput": ["power-classes"]}, "worse": {"fairness": ["power-classes"]}}
    hidden = _outcome("base", 11.2, 0.946, 4.5)

    def said(cost: str = "undecided", gain: float = 1.9e6) -> Answer:
        rts = _outcome("rts", 13.2, 0.999, 6.4, slowest_flow="more", fairness=cost)
        for quantity, size in (("slowest_flow_bps", gain), ("jain_index", -0.1)):
            rts["differences"][quantity]["absolute"] = estimate(size)
        outcomes = [hidden, price, rts]
        return _said(_subject(outcomes, undecided=open_ones, needed=20, **trade))

    found = said()
    assert found.headline == (
        "rts may help this cell without a price: it gives the slowest flow 6.4 Mb/s instead of 4.5."
    )
    assert found.help == (
        "power-classes raises the total goodput from 11.2 to 14.7 Mb/s, but costs fairness."
    )
    assert str(found.doubt).startswith(
        "Among all schemes together, the gain of rts is not significant: more replications of rts "
    )
    assert str(found.next).startswith("To tell: --schemes base,rts -n ")
    assert found.table is not None
    assert found.table.names[0] == "rts"
    # A cost by its own interval is a price, and a gain that is too small to matter is none.
    assert said(cost="less").headline.startswith("Cannot tell whether a scheme helps without a")
    assert said(gain=1e4).headline.startswith("Cannot tell whether a scheme helps without a price")


def test_nothing_helps_or_it_is_not_known() -> None:
    assert _said(_subject([BASE, FTCA])).headline == (
        "No scheme helps this cell: keep it as it is."
    )
    open_ones = {"goodput": ["ftca"]}
    said = _said(_subject([BASE, FTCA], undecided=open_ones, runs=2))
    assert said.headline == (
        "Cannot tell whether a scheme helps this cell: ftca may gain, but none is shown to."
    )
    assert said.help == "More replications of ftca alone (-n 8) may tell."
    assert str(said.next).startswith("To tell: --schemes base,ftca -n 8   All: ")
    one = _said(_subject([BASE, FTCA], runs=1))
    assert one.headline == "One replication gives no verdict."
    assert one.table is not None
    assert "verdict" not in [column.heading for column in one.table.columns]
    alone = _said(_subject([BASE]))
    assert alone.headline == "Only base ran: no scheme can act in this cell."
    assert "2 replications" in str(_said(_subject([BASE, FILTER], better=HELPS, runs=2)).doubt)
    assert "stopped" in str(_said(_subject([BASE, FILTER], better=HELPS), interrupted=True).doubt)


def test_a_long_table_keeps_what_helps_and_the_cell_as_it_is() -> None:
    others = [_outcome(f"pie:target={i} ms", 12.0, 0.7, 0.05) for i in range(200)]
    said = _said(_subject([*others, BASE, FILTER, FTCA], better=HELPS, worse={"goodput": ["ftca"]}))
    assert said.table is not None
    assert said.table.names[:2] == ["ack-filter", "base"]
    assert len(said.table.names) == 9
    assert said.table.more == 194


@pytest.mark.parametrize("name", ["ftca", "ftca@access-point:category=voice"])
def test_the_quantities_that_decide_have_columns(name: str) -> None:
    """A long verdict takes no column in which schemes differ: the verdict is shortened."""
    scheme = _outcome(name, 9.98, 0.999, 1.6)
    better = {"fairness": [name]}
    worse = {"goodput": [name], "slowest_flow": [name]}
    said = _said(_subject([BASE, scheme], better=better, worse=worse))
    assert said.table is not None
    heads = [column.heading for column in said.table.columns]
    assert {"fairness", "slowest flow (Mb/s)"} <= set(heads)
    assert heads[-1] == "verdict"
    assert said.table.width <= 100
    # A quantity in which no scheme differs may go.
    narrow = Grid("scheme", ["x" * 99], [Column("a", ["1"], rank=3), Column("b", ["2"])])
    assert [column.head for column in narrow.within().columns] == ["b"]


def test_several_scenarios_are_counted() -> None:
    helped = _subject([BASE, FILTER], better=HELPS)
    none = _subject([BASE, FTCA])
    said = _said(helped, helped, none)
    assert said.headline == "ack-filter helps 2 of 3 scenarios, more than any other."
    assert _said(helped, helped).headline == "ack-filter helps each of these scenarios."
    assert _said(none, none).headline == (
        "No scheme is shown to help any of these scenarios without a price."
    )
    open_still = _subject([BASE, FTCA], undecided={"goodput": ["ftca"]}, needed=20)
    assert _said(helped, open_still).help == (
        "On 1 scenario the runs do not tell: fewer schemes, and more replications, may."
    )


def test_a_real_comparison_is_said_in_the_grammar(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    short: dict[str, Any] = {"duration": "4 s", "warmup": "1 s"}
    star = SCENARIOS / "wifi-star.toml"
    monkeypatch.setenv("COLUMNS", "100")
    for scenarios in ([star], [star, SCENARIOS / "wifi-voice.toml"]):
        result = airtcp.compare_schemes(scenarios, schemes="all", replications=3, overrides=short)
        said = result.answer()
        assert said is not None
        assert problems(said) == []
        show.put_answer(said, details=False)
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) <= LINES
        # The last line can be pasted, however long.
        assert max(map(len, lines[:-1])) <= 100
        show.put_answer(said, details=True)
        out = capsys.readouterr().out
        assert "Against base" in out
        assert 'ftca sets cells[0].schemes = [{ scheme = "ftca" }]' in " ".join(out.split())
        drawn = charts_answer.chart_cell(result.json)
        if len(scenarios) == 1:
            assert drawn is not None
            assert draw.svg_of(*drawn, "column").startswith("<svg")


def test_the_chart_of_several_cells_has_those_that_are_helped() -> None:
    helped = _subject([BASE, FILTER], better=HELPS)
    made: Any = {"reference": "base", "subjects": [helped, _subject([BASE, FTCA])]}
    drawn = charts_answer.chart_cell(made)
    assert drawn is not None
    [row] = drawn[1]["cells"]
    assert (row["goodput"], row["then_goodput"], row["then_slowest"]) == (12.4, 13.6, 2.14)
