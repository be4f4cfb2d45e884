"""The answer of a reproduction: the grammar, and the right words for rows made by hand."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any

import pytest

import airtcp_papers
from airtcp_papers import answer as papers_answer
from airtcp_papers import tables
from airtcp_papers.charts import diagonal, overview
from grammar import LINES, problems

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Program


def row(verdict: str = "within tolerance", **changes: Any) -> Any:
    base = {
        "id": "T1.fig1",
        "kind": "value",
        "metric": "goodput",
        "at": {"loss": 0.05},
        "words": "",
        "published": 9.0,
        "published_interval": None,
        "here": 8.8,
        "here_interval": None,
        "right": None,
        "repeats": None,
        "ratio": 0.98,
        "unit": "Mb/s",
        "verdict": verdict,
        "reason": "8.80 is beyond 2 %",
        "cause": "",
        "shown_by": [],
        "tried": "",
        "by_construction": "",
        "own": "",
        "derived": [],
        "depends_on": [],
        "sensitivity": [],
    }
    return base | changes


def said(*rows: Any, interrupted: bool = False) -> list[str]:
    answer = papers_answer.answer(rows, interrupted=interrupted)
    assert problems(answer, papers_answer.names(rows)) == []
    return answer.sentences


MISS = "not reproduced"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], ["No row is finished."]),
        ([row()], ["The published row is met."]),
        ([row(), row()], ["All 2 published rows are met."]),
        ([row("skipped")], ["No row can be judged: its data are not here."]),
        ([row(own="ours")], ["The own statement is met."]),
        (
            # Own statements do not count as published.
            [row(), row(MISS, own="ours")],
            ["The published row is met."],
        ),
        (
            [row(), row("skipped")],
            [
                "The published row is met.",
                "1 row is skipped: AIRTCP_DATA names no folder with its data.",
            ],
        ),
        (
            [row("undecided"), row("undecided", id="T1.fig2"), row("undecided", id="T1.fig2")],
            [
                "None of 3 published rows is met.",
                "Cannot tell for 3 rows, T1.fig2 most of all: more --runs may.",
            ],
        ),
        (
            # Without a cause the fact stands for it.
            [row(), row(MISS)],
            [
                "1 of 2 published rows are met.",
                "T1.fig1 misses goodput[loss=0.05]: 8.80 is beyond 2 %.",
            ],
        ),
        (
            [row(), row(MISS, cause="losses cost. They always do", reason="x; losses cost")],
            ["1 of 2 published rows are met.", "T1.fig1 misses goodput[loss=0.05]: losses cost."],
        ),
        (
            # Rows of one figure with different causes: no cause stands for both.
            [row(), row(MISS, cause="losses cost"), row(MISS, cause="delay costs")],
            ["1 of 3 published rows are met.", "T1.fig1 misses 2 rows; --details has why."],
        ),
        (
            [row(MISS, cause="a"), *(row(MISS, id="T1.fig2", cause="b") for _ in range(2))],
            [
                "None of 3 published rows is met.",
                "T1.fig2 misses 2 rows, the most of all figures: b.",
            ],
        ),
        (
            [row(MISS, reason="1 of 2 of 3 of 4"), row()],
            [
                "1 of 2 published rows are met.",
                "T1.fig1 misses goodput[loss=0.05]; no cause is known.",
            ],
        ),
        (
            [row(depends_on=["queue"]), row(by_construction="made")],
            [
                "All 2 published rows are met.",
                "1 row is judged by a value that the publication leaves open.",
            ],
        ),
    ],
)
def test_the_words(rows: list[Any], expected: list[str]) -> None:
    assert said(*rows) == expected


def test_a_stop_is_said() -> None:
    assert said(row(), interrupted=True)[-1].startswith("Stopped before the end")


def test_the_misses_stand_first_and_the_rest_is_counted() -> None:
    many = [row(id=f"T1.fig{i}") for i in range(300)]
    rows = [*many, row("skipped", id="T2"), row("undecided", id="T3"), row(MISS, id="T4")]
    rows += [row(MISS, id="T5"), row(MISS, id="T5"), row(MISS, id="T6", own="ours")]
    grid = papers_answer.answer(rows, interrupted=False).table
    assert grid is not None
    assert list(grid.names[:6]) == ["T5", "T5", "T4", "T6", "T3", "T1.fig0"]
    assert grid.more == len(rows) - tables.ROWS
    assert tables.by_verdict(rows)[-1]["id"] == "T2"


def test_command_page_and_notebook_say_it(run: Program, papers: Path) -> None:
    asked = ("reproduce", "--papers", papers, "--html", "page.html", "-q")
    ended = run(*asked)
    assert ended.code == 0, ended.err
    lines = ended.out.splitlines()
    assert lines[0] == "2 of 3 published rows are met."
    assert len(lines) <= LINES
    assert max(len(line.rstrip()) for line in lines) <= 100
    assert lines[-1] == "All: --details   Page: --html FILE"
    result = airtcp_papers.reproduce(papers=papers)
    answer = result.answer()
    assert answer is not None
    page = html.unescape((papers.parent / "page.html").read_text("utf-8"))
    for sentence in answer.sentences:
        assert sentence in page
        assert sentence in html.unescape(result._repr_html_())
    # The chart of the answer stands on the first screen, and the misses have names there.
    assert page.index('data-chart="overview"') < page.index('id="details"')
    # The document stays a list of rows.
    assert [row["id"] for row in json.loads(result.text)] == [row["id"] for row in result.rows]


def test_names_that_are_odd_or_long(papers: Path) -> None:
    odd = row(MISS, metric="<b>" + "x" * 200, at={"a": "\u202e'[2]"})
    answer = papers_answer.answer([odd], interrupted=False)
    assert problems(answer, papers_answer.names([odd])) == []
    assert papers.is_dir()


@pytest.mark.parametrize(
    "values", [[(1.0, 2.0), (1000.0, 900.0)], [(0.0, 3.0), (-2.0, 500.0)], [(0, 0)]]
)
def test_the_chart_takes_any_values(values: list[tuple[float, float]]) -> None:
    rows = [
        {"name": "a", "published": x, "here": y, "verdict": "met", "label": ""} for x, y in values
    ]
    assert overview(rows)["layer"]
    ends = diagonal(rows)
    assert all(point["x"] == point["y"] for point in ends)
