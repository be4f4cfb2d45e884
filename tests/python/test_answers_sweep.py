"""The answer of a sweep: the grammar, and the right words for points made by hand."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

import airtcp
from airtcp.questions.sweep.answer import answer, name_of, ranked
from airtcp.questions.sweep.leading import Leading, direction, lead, with_unit
from airtcp.questions.sweep.measures import KINDS
from airtcp.questions.sweep.rows import Axis
from grammar import LINES, problems
from test_sweep import LOSS, asked, run

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from conftest import Program

DELAY = Axis("links[0].delay_s", "links[0].delay (ms)", 1e3, numeric=True)
LAW = Axis("flows[0].tcp.congestion", "flows[0].tcp.congestion", 1.0, numeric=False)
SEED = Axis("seed", "seed", 1.0, numeric=True)
GOODPUT = "total_goodput_bps"


def share(mean: float, low: float | None, high: float | None) -> dict[str, float | None]:
    return {"mean": mean, "ci_low": low, "ci_high": high}


def weighed(*shares: tuple[str, float, float | None, float | None], **more: Any) -> dict[str, Any]:
    keys = [{"column": column, "first": share(*of), "total": share(*of)} for column, *of in shares]
    return {"measure": GOODPUT, "method": "anova", "keys": keys, "interactions": []} | more


def document(
    axes: Sequence[Axis], finished: int, measures: Sequence[str] = (GOODPUT,), **changes: Any
) -> Any:
    vary = [
        {"name": axis.column, "keys": [axis.column], "column": axis.column, "values": []}
        for axis in axes
    ]
    points = {"number": finished, "distinct": finished, "finished": finished, "run": finished}
    points |= {"failed": 0, "wide": None, "zero": None} | changes.pop("points", {})
    sweep = {"kind": "run", "vary": vary, "measure": [*measures], "design": "grid"}
    sweep |= {"replications": 5, "until": None, "max_replications": None}
    base = {"sweep": sweep | changes.pop("sweep", {}), "points": points, "sensitivity": []}
    return base | {"failures": [], "running": False, "interrupted": False} | changes


def points(
    axes: Sequence[Axis], *values: tuple[Any, ...], measure: str = GOODPUT, runs: int = 5
) -> list[dict[str, Any]]:
    """Rows of points: the values of the keys, then mean and half width in Mb/s."""
    rows: list[dict[str, Any]] = []
    for number, (*at, mean, half) in enumerate(values):
        row = {axis.column: value for axis, value in zip(axes, at, strict=True)}
        row |= {"key": f"{number:08x}", "kind": "run", "name": "", "replications": runs}
        ends = (None, None) if half is None else ((mean - half) * 1e6, (mean + half) * 1e6)
        row |= {measure: mean * 1e6, f"{measure}_ci_low": ends[0], f"{measure}_ci_high": ends[1]}
        rows.append(row)
    return rows


def leading(given: Any, axes: Sequence[Axis], rows: list[dict[str, Any]]) -> Leading | None:
    def read(_: Sequence[str], keys: Collection[str] | None) -> Iterator[dict[str, Any]]:
        return (row for row in rows if keys is None or row["key"] in keys)

    return lead(given["sweep"], axes, read)


def said(given: Any, axes: Sequence[Axis], rows: list[dict[str, Any]]) -> list[str]:
    found = leading(given, axes, rows)
    made = answer(given, found)
    names = [] if found is None else [name_of(found, one) for one in found.reached]
    names += [name.rpartition(" ")[2] for name in names]
    if found is not None:
        names += [with_unit(a, v) for one in found.reached for a, v in zip(found.axes, one.at)]  # noqa: B905
    assert problems(made, [name for name in names if name]) == []
    if made.table is not None:
        for column in made.table.columns:
            assert len(column.cells) == len(made.table.names)
    return made.sentences


def test_the_best_point_is_named_if_no_other_reaches_it() -> None:
    rows = points([DELAY], (0.005, 9.0, 0.2), (0.02, 4.0, 0.2), (0.08, 1.0, 0.2))
    assert said(document([DELAY], 3), [DELAY], rows) == [
        "Best is delay 5 ms, with a total goodput of 9.0 Mb/s, and no other reaches it."
    ]


def test_intervals_that_overlap_name_no_best_point() -> None:
    """Wrong before: the largest mean alone would name 5 ms."""
    rows = points([DELAY], (0.005, 9.0, 0.6), (0.02, 8.5, 0.2), (0.08, 1.0, 0.2))
    headline, *_ = said(document([DELAY], 3), [DELAY], rows)
    assert headline.startswith("Cannot tell which of 2 points is best")
    assert "more replications (-n) may" in headline


def test_without_intervals_chance_may_have_chosen() -> None:
    rows = points([DELAY], (0.005, 9.0, None), (0.02, 4.0, None), runs=1)
    assert said(document([DELAY], 2), [DELAY], rows) == [
        "The largest total goodput is 9.0 Mb/s, with delay 5 ms.",
        "Cannot tell whether that is chance: more replications (-n) would.",
    ]


def test_less_is_better_for_delays() -> None:
    given = document([DELAY], 2, ["rtt_mean_s"])
    rows = points([DELAY], (0.005, 1e-8, 1e-9), (0.02, 4e-8, 1e-9), measure="rtt_mean_s")
    assert said(given, [DELAY], rows)[0].startswith("Best is delay 5 ms, with an RTT of")


def test_neither_more_nor_less_is_better() -> None:
    given = document([DELAY], 2, ["utilisation"])
    apart = points([DELAY], (0.005, 9e-7, 1e-8), (0.02, 4e-7, 1e-8), measure="utilisation")
    assert said(given, [DELAY], apart) == ["Busy is 40 to 90 % over the points."]
    near = points([DELAY], (0.005, 9e-7, 3e-7), (0.02, 7e-7, 3e-7), measure="utilisation")
    assert said(given, [DELAY], near)[0].startswith("Cannot tell whether the points differ")


def test_the_measures_by_default_have_a_direction() -> None:
    known = {key: direction(key) for about in KINDS.values() for key in about.measures}
    assert {key for key, of in known.items() if of > 0} == {
        *("total_goodput_bps", "goodput_bps", "jain_index", "packets_per_second"),
        *("gain_percent", "difference_percent"),
    }
    assert {key for key, of in known.items() if not of} == {"utilisation", "prr", "mu"}


BOTH = [DELAY, LAW]
GRID = [
    (d, law, mean, 0.2)
    for d, of in ((0.005, (9.0, 8.0)), (0.02, (6.0, 5.0)), (0.08, (2.0, 1.0)))
    for law, mean in zip(("bbr", "cubic"), of, strict=True)
]


def test_the_key_that_matters_most_and_what_it_changes() -> None:
    of = weighed((DELAY.column, 0.8, 0.7, 0.9), (LAW.column, 0.1, 0.05, 0.2))
    given = document(BOTH, 6, sensitivity=[of])
    assert said(given, BOTH, points(BOTH, *GRID)) == [
        "At delay 80 ms bbr gets 2.0 Mb/s, cubic 1.0.",
        (
            "The delay of the first link matters most: total goodput is 8.5 Mb/s on average "
            "with the lowest delay, and 1.5 with the highest."
        ),
    ]
    # Without a choice the best point is named.
    fast = [(d, mean, half) for d, law, mean, half in GRID if law == "bbr"]
    given = document([DELAY], 3, sensitivity=[of])
    assert said(given, [DELAY], points([DELAY], *fast))[-1] == (
        "Best is delay 5 ms, with a total goodput of 9.0 Mb/s, and no other reaches it."
    )


def test_a_choice_is_answered_by_where_each_is_best() -> None:
    """Wrong before: `Cannot tell which of 4 points is best` hid where the TCPs differ."""
    rows = points(
        BOTH,
        *((0.005, law, 9.6, 0.2) for law in ("bbr", "cubic", "reno")),
        *((0.05, law, mean, 0.3) for law, mean in (("bbr", 8.3), ("cubic", 1.42), ("reno", 1.38))),
    )
    given = document(BOTH, 6)
    assert said(given, BOTH, rows) == [
        "At delay 50 ms bbr gets 8.3 Mb/s, cubic and reno 1.4.",
        "bbr is best at 1 of 2 combinations of the other keys; elsewhere none is shown to be.",
    ]
    table = answer(given, leading(given, BOTH, rows)).table
    assert table is not None
    assert [column.head for column in table.columns] == ["bbr", "cubic", "reno", "best"]
    assert table.columns[-1].cells == ["bbr", "cannot tell"]
    # Intervals that overlap show no difference, however large the means.
    wide = points(BOTH, *((0.05, law, mean, 4.0) for law, mean in (("bbr", 8.3), ("cubic", 1.4))))
    assert said(document(BOTH, 2), BOTH, wide)[0].startswith("Cannot tell which of 2 points")


def test_shares_that_overlap_name_no_key() -> None:
    of = weighed((DELAY.column, 0.5, 0.3, 0.7), (LAW.column, 0.4, 0.2, 0.6))
    given = document(BOTH, 6, sensitivity=[of])
    headline, helps = said(given, BOTH, points(BOTH, *GRID))
    assert headline.startswith("At delay 80 ms bbr gets")
    assert helps == "bbr is best at all 3 combinations of the other keys."
    noisy = [(d, law, mean, 9.0) for d, law, mean, _ in GRID]
    _, helps = said(given, BOTH, points(BOTH, *noisy))
    assert helps.startswith("Cannot tell which of delay and congestion control matters most")


def test_a_key_that_matters_with_others_only_is_not_named() -> None:
    """Wrong before: a share alone would name neither, or the larger of two noises."""
    of = weighed((DELAY.column, 0.12, 0.1, 0.14), (LAW.column, 0.02, 0.0, 0.04))
    of["interactions"] = [{"columns": [DELAY.column, LAW.column], "share": share(0.8, 0.7, 0.9)}]
    assert ranked(of) == ("", [DELAY.column, LAW.column])  # pyright: ignore[reportArgumentType]
    given = document(BOTH, 6, sensitivity=[of])
    assert "No key matters alone: delay and congestion control matter together." in said(
        given, BOTH, points(BOTH, *GRID)
    )


PROBABILITY = Axis("links[0].loss.probability", "links[0].loss.probability", 1.0, numeric=True)


def test_the_key_that_comes_next() -> None:
    """Wrong before: `Cannot tell which of 2 points is best`, and no word on the loss rate."""
    axes = [DELAY, PROBABILITY]
    grid = points(
        axes,
        *((d, p, m, 1.0) for d, p, m in ((0.005, 0.01, 9.0), (0.005, 0.02, 8.0))),
        *((d, p, m, 1.0) for d, p, m in ((0.08, 0.01, 4.0), (0.08, 0.02, 2.0))),
    )
    of = weighed((DELAY.column, 0.7, 0.6, 0.8), (PROBABILITY.column, 0.2, 0.15, 0.25))
    _, helps = said(document(axes, 4, sensitivity=[of]), axes, grid)
    assert helps.startswith("The loss rate of the first link comes next: total goodput is 6.5 Mb/s")
    # A share below a tenth is not worth a sentence.
    of = weighed((DELAY.column, 0.9, 0.85, 0.95), (PROBABILITY.column, 0.05, 0.0, 0.1))
    _, helps = said(document(axes, 4, sensitivity=[of]), axes, grid)
    assert helps.startswith("Cannot tell which of 2 points is best")
    # Nothing comes after keys that matter only together.
    of = weighed((DELAY.column, 0.2, 0.15, 0.25), (PROBABILITY.column, 0.15, 0.1, 0.2))
    of["interactions"] = [
        {"columns": [DELAY.column, PROBABILITY.column], "share": share(0.6, 0.5, 0.7)}
    ]
    headline, helps = said(document(axes, 4, sensitivity=[of]), axes, grid)
    assert headline.startswith("No key matters alone")
    assert helps.startswith("Cannot tell which of 2 points is best")


def test_a_total_share_that_reaches_the_first_names_no_key() -> None:
    of = weighed((DELAY.column, 0.3, 0.28, 0.32), (LAW.column, 0.2, 0.18, 0.22))
    of["keys"][1]["total"] = share(0.6, 0.5, 0.7)
    assert ranked(of) == (DELAY.column, [LAW.column])  # pyright: ignore[reportArgumentType]


def test_the_best_seed_is_no_answer() -> None:
    """Wrong before: a seed is a draw, and the best of them no advice."""
    axes = [SEED, DELAY]
    rows = points(
        axes,
        *((seed, 0.005, 8.0 + seed / 10, 0.01) for seed in range(5)),
        *((seed, 0.08, 2.0 + seed / 10, 0.01) for seed in range(5)),
    )
    of = weighed(("seed", 0.6, 0.5, 0.7), (DELAY.column, 0.3, 0.2, 0.4))
    given = document(axes, 10, sensitivity=[of])
    assert said(given, axes, rows) == [
        "Best is delay 5 ms, with a total goodput of 8.2 Mb/s, and no other reaches it.",
        "Cannot tell which key matters most: chance (the seed) changes total goodput as much.",
        "Means and intervals are over 5 seeds.",
    ]
    only = points([SEED], *((seed, 8.0 + seed, 0.01) for seed in range(5)))
    headline, *_ = said(document([SEED], 5), [SEED], only)
    assert headline == "Over 5 seeds, total goodput is 10 Mb/s on average."


def test_nothing_differs_and_nothing_gets_through() -> None:
    rows = points([DELAY], (0.005, 0.0, 0.0), (0.08, 0.0, 0.0))
    assert said(document([DELAY], 2), [DELAY], rows) == [
        "No key changes total goodput: 0 Mb/s at all 2 points."
    ]


def test_what_is_missing_is_said() -> None:
    rows = points([DELAY], (0.005, 9.0, 0.2), (0.02, 4.0, 0.2))
    stopped = document([DELAY], 2, points={"distinct": 9}, interrupted=True)
    headline, doubt = said(stopped, [DELAY], rows)
    assert headline.startswith("Best so far is delay 5 ms")
    assert doubt == "7 of 9 points are not finished: the same command goes on."
    running = document([DELAY], 2, points={"distinct": 9}, running=True)
    assert said(running, [DELAY], rows)[-1] == "7 of 9 points are still to run."
    failure = {"key": "x", "values": {}, "message": "links[0].mtu: is 600 B"}
    failed = document([DELAY], 2, points={"distinct": 3}, failures=[failure])
    assert said(failed, [DELAY], rows)[-1] == (
        "1 of 3 points failed and may be better: the same command runs it again."
    )


def test_nothing_finished() -> None:
    assert said(document([DELAY], 0, points={"distinct": 3}), [DELAY], [])[0] == (
        "No point is finished."
    )
    failure = {"key": "x", "values": {}, "message": "the link is not there"}
    given = document([DELAY], 0, points={"distinct": 2}, failures=[failure, failure])
    assert said(given, [DELAY], [])[:2] == [
        "All 2 points failed.",
        "The first: the link is not there.",
    ]


def test_hundreds_of_points_stay_a_screen() -> None:
    rows = points([DELAY], *((i / 1e3, 900.0 - i, 0.1) for i in range(800)))
    given = document([DELAY], 800)
    made = answer(given, leading(given, [DELAY], rows))
    assert made.table is not None
    assert len(made.table.names) == 10
    assert made.table.more == 790


def test_many_points_keep_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points that cannot be best are forgotten, whatever their order; the answer is the same."""
    from airtcp.questions.sweep import leading as of

    values = [((i * 37 % 500) / 1e3, float(500 - i * 37 % 500), 3.2) for i in range(500)]
    given, rows = document([DELAY], 500), points([DELAY], *values)
    whole = answer(given, leading(given, [DELAY], rows))
    monkeypatch.setattr(of, "_MOST", 40)
    monkeypatch.setattr(of, "ROWS", 20)
    assert answer(given, leading(given, [DELAY], rows)).sentences == whole.sentences


def test_names_with_odd_characters_and_long_values() -> None:
    odd = Axis("fl\u202eow <b>", "fl\u202eow <b>", 1.0, numeric=False)
    rows = points([odd], ("x" * 200, 9.0, 0.1), ("'; rm", 1.0, 0.1))
    headline, *_ = said(document([odd], 2), [odd], rows)
    assert headline.startswith("Best is the first row of the table")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    place = tmp_path_factory.mktemp("sweeps")
    grid = {"links[0].delay": ["5 ms", "20 ms", "80 ms"], LOSS: [0.001, 0.005, "2 %"]}
    tcps = {"kind": "compare", "options": {"tcp": "reno,cubic"}}
    return [
        run(asked(vary=grid), place / "grid"),
        run(asked(vary=grid, **tcps), place / "compare"),
        run(asked(vary={"seed": [1, 2, 3, 4]}), place / "seeds"),
    ]


def test_the_same_words_everywhere(results: list[Any]) -> None:
    for result in results:
        made = result.answer()
        written = json.loads((result.folder / "sweep.json").read_text("utf-8"))
        assert written["answer"] == json.loads(result.text)["answer"] == made.document()
        assert list(written)[:2] == ["schema", "answer"]
        jsonschema.validate(written, airtcp.schema("sweep"))
        page = html.unescape(result.page().split("<body>")[1])
        notebook = html.unescape(result._repr_html_())
        for sentence in made.sentences:
            assert sentence in page
            assert sentence in notebook


def test_the_chart_stands_beside_the_answer(results: list[Any]) -> None:
    page = results[0].page()
    assert page.index(f'data-chart="curve-{GOODPUT}"') < page.index('id="details"')


def test_the_command_prints_a_screen(run_cli: Program, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(
        'replications = 2\n[vary]\n"links[0].delay" = ["5 ms", "9 ms"]\n[scenario]\n'
        'duration = "1 s"\nlinks = [{ from = "a", to = "b", rate = "1 Mb/s", delay = "5 ms" }]\n'
        'flows = [{ from = "a", to = "b" }]\n'
    )
    ended = run_cli("sweep", "s.toml", "--workers", "1", "-q")
    assert ended.code == 0, ended.err
    lines = ended.out.splitlines()
    assert len(lines) <= LINES
    assert max(len(line.rstrip()) for line in lines) <= 100
    assert lines[-1] == "All: --details   Page: --html FILE"
    assert not (tmp_path / "s.sweep" / "report.html").exists()
    ended = run_cli("sweep", "s.toml", "--details", "--html", "page.html", "-q")
    assert "The sweep is complete" in ended.out
    assert "seed 1, airtcp" in ended.out
    assert (tmp_path / "page.html").is_file()
    # A file of somebody else stays.
    (tmp_path / "page.html").write_text("mine")
    ended = run_cli("sweep", "s.toml", "--html", "page.html", "-q")
    assert ended.code == 2
    assert (tmp_path / "page.html").read_text() == "mine"
    # As in other commands, --out has a page.
    assert run_cli("sweep", "s.toml", "--out", "all", "-q").code == 0
    assert (tmp_path / "all" / "report.html").is_file()


@pytest.fixture
def run_cli(request: pytest.FixtureRequest) -> Program:
    """The fixture `run` under a name that the imported function does not hide."""
    return request.getfixturevalue("run")
