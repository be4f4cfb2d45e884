"""Reproduced experiments: rows, tables, the command, and the page."""

from __future__ import annotations

import json
from math import isclose
from typing import TYPE_CHECKING

from typer.testing import CliRunner

import airtcp_papers
from airtcp.cli.commands import app
from airtcp_papers import call
from airtcp_papers import charts as charts_papers
from airtcp_papers.result import PapersResult
from browser import wait_for
from example_paper import changed

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from browser import Browser
    from conftest import Program


def test_end_to_end(papers: Path) -> None:
    result = airtcp_papers.reproduce("T1", papers=papers, cache=False, seed=3)
    first, second, third = result.rows
    assert [row["verdict"] for row in result.rows] == [
        "within tolerance",
        "not reproduced",
        "ordering holds",
    ]
    assert first["here"] is not None
    assert first["ratio"] is not None
    assert isclose(first["ratio"], first["here"] / 9)
    assert second["reason"].endswith("losses cost")
    assert third["right"] == first["here"]
    # On a slower link the first row would not be met: it depends on what was chosen.
    assert first["depends_on"] == ["queue"]
    assert [s["verdict"] for s in first["sensitivity"]] == ["not reproduced"]
    assert first["sensitivity"][0]["here"] != first["here"]
    assert second["depends_on"] == []
    assert result.verdicts == {
        "within tolerance": 1,
        "not reproduced": 1,
        "ordering holds": 1,
    }


def test_the_same_seed_gives_the_same_rows(papers: Path) -> None:
    one, other = (
        airtcp_papers.reproduce(
            papers=papers, cache=False, seed=5, workers=w, sensitivity=False
        ).text
        for w in (1, 2)
    )
    assert one == other
    changed_seed = airtcp_papers.reproduce(
        papers=papers, cache=False, seed=6, sensitivity=False
    ).text
    assert changed_seed != one


def test_json_of_the_command(run: Program, papers: Path) -> None:
    ended = run("reproduce", "T1", "--papers", papers, "--json", "--no-cache")
    assert ended.code == 0
    rows = json.loads(ended.out)
    assert isinstance(rows, list)
    for row in rows:
        assert {"id", "metric", "published", "here", "unit", "verdict", "reason"} <= set(row)
        assert row["id"] == "T1.fig1"
    assert not (papers.parent / "report.html").exists()


def test_the_table(run: Program, papers: Path) -> None:
    ended = run("reproduce", "--papers", papers, "--no-cache", "--out", "all", "--details")
    assert ended.code == 0
    assert "goodput[loss=0.05]" in ended.out
    assert "within tolerance *" in ended.out
    assert "T1.fig1 not reproduced. goodput[loss=0.05]:" in ended.out
    assert "Losses cost." in ended.out
    assert "depends on what the publication leaves open" in ended.out
    counts = "Published: 3 rows, 2 met (0 within an interval, 1 within a tolerance, 1 ordering)"
    assert f"{counts}, 1 not reproduced (1 with a cause that no" in ended.out
    assert "Own statements" not in ended.out
    written = papers.parent / "all"
    assert {path.name for path in written.iterdir()} == {
        "reproduce.json",
        "rows.parquet",
        "report.html",
        ".airtcp.json",
    }


def test_the_list(run: Program, papers: Path) -> None:
    ended = run("reproduce", "--list", "--papers", papers)
    assert "T1.fig1" in ended.out
    assert "Goodput over loss" in ended.out
    rows = json.loads(run("reproduce", "--list", "--json").out)
    ids = {row["id"] for row in rows}
    assert {"S0.fig2", "S1.fig13", "S1.fig3", "S1.fig20", "S3.fig2.2"} <= ids
    figures = {f"S1.fig{n}" for n in range(1, 21) if n != 5}
    assert figures <= ids


def test_measured_data_are_skipped_without_a_folder() -> None:
    result = airtcp_papers.reproduce("S1.fig1", cache=False, runs=1, data="/nonexistent")
    rows = {(row["at"]["set"], row["kind"]): row for row in result.rows}
    skipped = rows["orbit-noise", "value"]
    assert skipped["verdict"] == "skipped"
    assert "AIRTCP_DATA" in skipped["reason"]
    made = rows["mirage-ch26", "ordering"]
    assert made["verdict"] == "ordering holds"


def test_a_published_experiment_for_real() -> None:
    result = airtcp_papers.reproduce(["S1.fig2", "S1.sec6.2"], cache=False)
    # Three draws do not determine the third digit of a probability.
    told = {"within interval", "within tolerance", "undecided"}
    assert {row["verdict"] for row in result.rows} <= told
    assert sum(row["verdict"] == "undecided" for row in result.rows) <= 1
    assert len(result.rows) == 9


def test_what_holds_no_papers_is_refused(run: Program, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ended = run("reproduce", "--papers", "empty")
    assert ended.code == 2
    assert "empty: no paper in this folder" in ended.err
    assert run("reproduce", "").code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]


def test_axes_have_titles_and_plain_numbers(papers: Path) -> None:
    changed(papers, 'name = "loss"\n', 'name = "loss"\ntitle = "packets lost"\n')
    changed(papers, "runs = 2", 'runs = 2\nx_scale = "log"')
    changed(papers, "values = [0.0, 0.05]", "values = [0.01, 0.05]")
    text = (papers / "T1" / "fig-1.toml").read_text()
    text = text.replace("loss = 0.0 }", "loss = 0.01 }").replace("[loss=0]", "[loss=0.01]")
    (papers / "T1" / "fig-1.toml").write_text(text)
    result = airtcp_papers.reproduce("T1", papers=papers, cache=False, sensitivity=False)
    plot = result.figures[0].outcome.plots[0]
    assert plot.x.title == "packets lost"
    drawn = json.dumps(charts_papers.chart(plot, []))
    assert "datum.value < 1 ? format(datum.value, '~r')" in drawn
    assert '"labelLimit": 400' not in drawn  # one curve needs no key


def test_the_verdict_is_not_cut_off(browser: Browser, papers: Path, tmp_path: Path) -> None:
    wide = "mean goodput of the flow in megabits per second at this loss"
    changed(papers, 'name = "goodput"', f'name = "{wide}"')
    text = (papers / "T1" / "fig-1.toml").read_text()
    text = text.replace("goodput[", f"{wide}[").replace('metric = "goodput"', f'metric = "{wide}"')
    text = text.replace('plot = "goodput"\nx = 0\ny = 9\n', "")
    (papers / "T1" / "fig-1.toml").write_text(text)
    page_path = airtcp_papers.reproduce("T1", papers=papers, cache=False).report(
        tmp_path / "page.html"
    )
    page = browser.open(page_path)
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    boxes = "[...document.querySelectorAll('.plots + .answers > .scroll')]"
    widths = page.evaluate(f"{boxes}.map((box) => [box.scrollWidth, box.clientWidth])")
    assert widths
    assert all(given for _, given in widths)
    assert all(needed <= given for needed, given in widths), widths


def test_the_page_draws(browser: Browser, papers: Path, tmp_path: Path) -> None:
    result = airtcp_papers.reproduce(papers=papers, cache=False)
    page_path = result.report(tmp_path / "page.html")
    for width in (360, 1300):
        page = browser.open(page_path, width=width)
        # The chart of the answer, one plot of the driver, one of published and measured values.
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        wait_for(page, "document.querySelectorAll('[data-chart] svg.marks').length === 3")
        text = page.locator("main").inner_text()
        assert "not reproduced" in text
        assert "depends on queue" in text
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.complaints == []
    assert "<script>alert" not in result.page().split('id="payload"')[0]


def test_printing_leaves_no_chart_blank(browser: Browser, papers: Path, tmp_path: Path) -> None:
    page_path = airtcp_papers.reproduce(papers=papers, cache=False).report(tmp_path / "page.html")
    # No chart is near the view when the page is printed.
    text = page_path.read_text("utf-8").replace("<main", '<div style="height: 9000px"></div><main')
    page_path.write_text(text, "utf-8")
    drawn = "document.querySelectorAll('[data-chart][data-drawn]').length"
    inked = (
        "[...document.querySelectorAll('.on-paper')].map(p => p.querySelectorAll('path').length)"
    )
    page = browser.blank()
    page.goto(page_path.as_uri())
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    counts = page.evaluate(inked)
    assert len(counts) == 3
    assert min(counts) > 0
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.querySelectorAll('.on-paper').length") == 0
    # Without a scroll, too, every chart is drawn in the end.
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    wait_for(page, f"{drawn} === 3")


def test_a_stop_before_the_first_figure_writes_nothing(
    papers: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stopped = PapersResult([], seed=1, interrupted=True)
    monkeypatch.setattr(call, "reproduce", lambda *_, **__: stopped)
    ended = CliRunner().invoke(
        app, ["reproduce", "--papers", str(papers), "--out", str(tmp_path / "all"), "--json"]
    )
    assert ended.exit_code == 130
    assert json.loads(ended.stdout) == []
    assert not (tmp_path / "all").exists()


def test_rows_in_other_formats(run: Program, papers: Path) -> None:
    asked = ("reproduce", "--papers", papers, "--no-cache", "--format")
    rows = run(*asked, "csv").out.splitlines()
    assert rows[0].startswith("id,kind,measure,published")
    assert len(rows) == 4
    lines = run(*asked, "jsonl").out.splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["T1.fig1"] * 3
