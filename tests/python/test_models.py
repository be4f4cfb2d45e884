"""`airtcp trace models`: its output, its files and its page."""

from __future__ import annotations

import json
from math import isclose
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import airtcp
from airtcp.questions.trace import answer_models
from airtcp.questions.trace.sections import models_page, score_rows
from browser import wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from browser import Browser
    from conftest import Program


@pytest.fixture(scope="module")
def document(traces: Path) -> dict[str, Any]:
    paths = [traces / name for name in ("bursty.txt", "good.txt.gz", "perfect.txt", "dead.txt")]
    return airtcp.models(paths, replicas=2)


def test_rows_say_what_the_scores_say(document: dict[str, Any]) -> None:
    rows = {(row["link"], row["synthesiser"]): row for row in score_rows(document)}
    scored = 0
    for link in document["links"]:
        for score in link["scores"]:
            row = rows.get((link["name"], score["synthesiser"]))
            assert (row is None) == (score["model"] is None)
            if row is None:
                continue
            scored += 1
            assert 0 <= row["share"] <= 100
            if score["throughput_error"] is not None:
                assert isclose(
                    row["off"], row["trace_share"] * score["throughput_error"], abs_tol=1e-9
                )
            if row["factor"] is not None:
                assert isclose(row["factor"], row["burst"] / row["trace_burst"])
            assert 0 <= row["share_low"] <= row["share_high"] <= 100
    assert scored == len(rows)
    # The table has the same rows.
    for model in document["overall"]:
        off = [abs(row["off"]) for (_, name), row in rows.items() if name == model["synthesiser"]]
        assert isclose(sum(off) / len(off), 100 * model["mean_normalised_error"], abs_tol=1e-9)
    # A link that never delivers has no burst, hence no place on a logarithmic axis.
    dead = rows["dead", "independent"]
    assert (dead["trace_burst"], dead["burst"], dead["factor"]) == (None, None, None)


def test_a_page_is_written_where_it_is_asked_for(
    run: Program, traces: Path, tmp_path: Path
) -> None:
    asked = ("trace", "models", traces / "bursty.txt", "--replicas", "2")
    plain = run(*asked)
    assert plain.code == 0, plain.err
    assert "semi-markov-weibull" in plain.out
    assert list(tmp_path.iterdir()) == []
    assert run(*asked, "--html", "page.html").out == plain.out
    page = (tmp_path / "page.html").read_text("utf-8")
    whole = run(*asked, "--out", "all", "--json")
    assert {path.name for path in (tmp_path / "all").iterdir()} == {
        "models.json",
        "scores.parquet",
        "report.html",
        ".airtcp.json",
    }
    assert (tmp_path / "all" / "report.html").read_text("utf-8") == page
    document = json.loads(whole.out)
    assert models_page(document).html() == page
    scores = pl.read_parquet(tmp_path / "all" / "scores.parquet")
    assert scores["synthesiser"].to_list() == [m["synthesiser"] for m in document["overall"]]
    refused = run(*asked, "--html", "nowhere.txt/page.html", "--out", "page.html")
    assert refused.code == 2
    assert "this is a file" in refused.err


def test_findings_compare_models_of_the_same_links(document: dict[str, Any]) -> None:
    counts = {model["synthesiser"]: model["links"] for model in document["overall"]}
    # Independent losses can be made of every link, Gilbert-Elliott of those that lose in bursts.
    assert counts["independent"] > counts["gilbert-elliott"]
    most = [m for m in document["overall"] if m["links"] == counts["independent"]]
    best = min(most, key=lambda model: model["mean_normalised_error"])
    found = answer_models.answer(document)
    assert found is not None
    assert best["synthesiser"] in found.headline
    page = models_page(document).html()
    assert "compare models over the same number of links" in page


def test_nothing_finished_is_a_page_too(document: dict[str, Any]) -> None:
    page = models_page({**document, "links": [], "overall": [], "interrupted": True}).html()
    assert "Stopped before the end" in page
    assert "data-chart=" not in page


def test_the_page_draws(browser: Browser, document: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(models_page(document).html(), "utf-8")
    page = browser.open(path, width=380)
    # The answer, and the errors of all models beside it.
    found = answer_models.answer(document)
    assert found is not None
    assert page.locator("h1").inner_text() == found.headline
    assert page.locator("header [data-chart='off']").count() == 1
    # The overview, and a chart of each model.
    assert page.locator("[data-chart] svg").count() == 1 + len(document["overall"])
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    for view in ("factor", "model-1-burst"):
        page.click(f"[data-view='{view}']")
        wait_for(page, f"document.querySelector('[data-drawn={view}]')")
    assert browser.complaints == []
