"""The report: self-contained, and drawn by a real browser."""

from __future__ import annotations

import html
import json
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import airtcp
from airtcp.pages.page import library
from browser import wait_for
from examples import LOSSY_LINK

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp.questions.study.result import StudyResult
    from browser import Browser

SCENARIO = f"""
title = "A <script>alert(1)</script> of a title"
duration = "5 s"
replications = 3
{LOSSY_LINK}count = 2
"""


def test_equal_studies_give_equal_pages(traces: Path) -> None:
    pages = {airtcp.study(traces / "short.txt", replicas=2).page() for _ in range(2)}
    assert len(pages) == 1


def test_the_command_of_a_study_makes_the_same_links(traces: Path) -> None:
    given = airtcp.study(
        traces / "short.txt", slot="3 ms", replicas=2, seed=7, compare=False, remedies=False
    )
    found = re.search(r"<code>(airtcp study .*?)</code>", given.page())
    assert found is not None
    command = [*shlex.split(html.unescape(found[1]))[1:], "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "airtcp", *command], check=True, capture_output=True
    )
    again = json.loads(done.stdout)
    assert again["links"] == given.json["links"]
    assert again["options"]["slot"] == "3 ms"


def test_nothing_is_fetched(study: StudyResult) -> None:
    page = study.page()
    assert "default-src 'none'" in page
    outside = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"(src|href)\s*=\s*[\"'](https?:)?//", outside)


def test_names_cannot_become_markup(tmp_path: Path) -> None:
    name = "<img src=x onerror=alert(1)>.txt"
    airtcp.synth(tmp_path / name, prr=0.5, packets=500)
    page = airtcp.study(tmp_path / name, replicas=2).page()
    # The external chart library mentions images.
    assert "<img" not in page.replace(library(), "")
    assert "</script><" not in page.split('id="payload">')[1].split("</script>")[0]


@pytest.fixture(scope="module")
def page_of_links(study: StudyResult, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return study.report(tmp_path_factory.mktemp("report") / "report.html")


def test_no_other_script_runs_in_a_page(
    browser: Browser, page_of_links: Path, tmp_path: Path
) -> None:
    text = page_of_links.read_text("utf-8")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    scripts = next(part for part in policy[1].split("; ") if part.startswith("script-src"))
    assert "unsafe" not in scripts
    added = "<script>document.title = 'added'</script><img src=x onerror=\"document.title = 1\">"
    (tmp_path / "page.html").write_text(text.replace("<main", f"{added}<main", 1), "utf-8")
    page = browser.open(tmp_path / "page.html")
    assert page.title() == re.search(r"<title>(.*?)</title>", text)[1]  # type: ignore[index]
    assert any("Content Security Policy" in one for one in browser.complaints)
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1300])
def test_a_study_draws(browser: Browser, page_of_links: Path, scheme: str, width: int) -> None:
    page = browser.open(page_of_links, scheme=scheme, width=width)
    assert page.evaluate("document.documentElement.dataset.scheme") == scheme
    # Nothing is wider than the screen, and every plot has marks.
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    drawn = page.evaluate(
        "[...document.querySelectorAll('.plot .canvas')].map(c =>"
        " c.querySelectorAll('path, canvas').length)"
    )
    assert min(drawn) > 0
    assert page.locator("#data tbody tr").count() == 6
    assert browser.complaints == []
    page.context.close()


def test_a_study_answers(browser: Browser, page_of_links: Path, study: StudyResult) -> None:
    page = browser.open(page_of_links)
    name = "document.querySelector('#link [data-name]').textContent"
    # Choosing and stepping.
    page.select_option("[data-choice]", label="perfect")
    wait_for(page, f"{name} === 'perfect'")
    assert page.locator("[data-chart='link-convergence']").is_hidden()
    assert "Packets" in page.locator("#link [data-facts]").inner_text()
    page.click("[data-step='1']")
    wait_for(page, f"{name} !== 'perfect'")
    assert page.locator("[data-chart='link-convergence']").is_visible()
    page.locator("#table tbody tr button", has_text="bursty").click()
    wait_for(page, f"{name} === 'bursty'")
    assert page.evaluate("location.hash").startswith("#link-")
    # Sorting: down is the second click.
    head = page.locator("#table th button", has_text="PRR")
    head.click()
    head.click()
    assert page.locator("#table tbody tr td").first.inner_text() == "perfect"
    # Another view, another scheme.
    page.click("[data-view='link-loss-tail']")
    wait_for(
        page, "document.querySelector('[data-chart=link-loss]').dataset.drawn === 'link-loss-tail'"
    )
    page.click("#scheme")
    assert page.evaluate("document.documentElement.dataset.scheme") == "dark"
    page.reload()
    assert page.evaluate("document.documentElement.dataset.scheme") == "dark"
    assert page.locator("#scheme").inner_text() == "Light"
    # Numbers of a plot; its part is folded in a page that is opened anew.
    page.evaluate("document.getElementById('all').open = true")
    with page.expect_download() as download:
        page.click("[data-chart='gain'] [data-save='csv']")
    text = download.value.path().read_text("utf-8")
    losing = sum(link["mu"] is not None for link in study.json["links"])
    assert len(text.splitlines()) == 1 + losing
    assert browser.complaints == []
    page.context.close()


@pytest.mark.parametrize(("width", "height"), [(1400, 900), (400, 800)])
def test_the_first_screen_of_a_study_has_its_answer(
    browser: Browser, page_of_links: Path, width: int, height: int
) -> None:
    page = browser.blank(width=width)
    page.set_viewport_size({"width": width, "height": height})
    page.goto(page_of_links.as_uri())
    page.locator("header [data-chart='answer'][data-drawn='answer']").wait_for(state="attached")
    for part in ("h1", "header [data-chart='answer'] .canvas"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= height
    # A link chosen in the table is shown: its part unfolds and is drawn.
    assert not page.evaluate("document.getElementById('link').open")
    page.locator("#data tbody tr button", has_text="bursty").click()
    wait_for(page, "document.querySelector('#link [data-name]').textContent === 'bursty'")
    assert page.evaluate("document.getElementById('link').open")
    drawn = "document.querySelector('[data-chart=link-time]').dataset.drawn === 'link-time'"
    wait_for(page, drawn)
    # Of a part that is folded again, nothing is drawn in no width.
    page.evaluate("document.getElementById('link').open = false")
    page.locator("#data tbody tr button", has_text="short").click()
    wait_for(page, "document.querySelector('#link [data-name]').textContent === 'short'")
    wait_for(page, "document.querySelector('[data-chart=link-time] svg').clientWidth > 200")
    assert browser.complaints == []
    page.context.close()


def test_one_link_and_constant_links_draw(browser: Browser, traces: Path, tmp_path: Path) -> None:
    for name in ("bursty.txt", "perfect.txt", "dead.txt"):
        result = airtcp.study(traces / name, replicas=2)
        page = browser.open(result.report(tmp_path / f"{name}.html"))
        assert page.locator("h1").inner_text() == json.loads(result.text)["answer"]["headline"]
        subject = page.locator(".subject").text_content() or ""
        assert subject.endswith(name.removesuffix(".txt"))
        # The chart beside the answer.
        assert page.locator("header [data-chart='link-tcp'][data-drawn='link-tcp']").count() == 1
        page.context.close()
    assert browser.complaints == []


def test_a_run_draws(browser: Browser, tmp_path: Path) -> None:
    result = airtcp.run("s.toml", text=SCENARIO, series=True)
    page = browser.open(result.report(tmp_path / "run.html"), width=360)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    document = json.loads(result.text)
    assert page.locator("h1").inner_text() == document["answer"]["headline"]
    assert document["scenario"]["title"] in (page.locator(".subject").text_content() or "")
    assert browser.complaints == []
    page.context.close()


CELL = """
title = "Two cells"
duration = "2 s"
replications = 2
[[cells]]
name = "<i>near</i>"
layout = { kind = "star", stations = 5 }
mac.rts_threshold = "0 B"
[[cells]]
access_point = "ap2"
prefix = "far"
layout = { kind = "positions", stations = [[30, 0]] }
[[flows]]
count = 5
from = "sta*"
to = "ap"
[[flows]]
name = "down"
from = "ap2"
to = "far0"
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1300])
def test_cells_draw(browser: Browser, tmp_path: Path, scheme: str, width: int) -> None:
    (tmp_path / "c.toml").write_text(CELL, "utf-8")
    result = airtcp.run(tmp_path / "c.toml")
    page = browser.open(result.report(tmp_path / "r.html"), scheme=scheme, width=width)
    # Goodput and limits of the flows, four charts of each cell, queue delays, service times.
    assert page.locator("[data-drawn]").count() == 12
    assert page.locator("[data-drawn='empty']").count() <= 1
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("main i").count() == 0
    assert browser.complaints == []
    page.context.close()


@pytest.mark.parametrize("width", [360, 1300])
def test_a_comparison_draws(browser: Browser, traces: Path, tmp_path: Path, width: int) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO, "utf-8")
    subjects = [tmp_path / "s.toml", traces / "bursty.txt", traces / "dead.txt"]
    several = airtcp.compare(subjects, tcp="newreno,sack,tahoe", replications=3)
    shared = airtcp.compare(tmp_path / "s.toml", tcp="newreno,sack", share="newreno")
    single = airtcp.compare(tmp_path / "s.toml", tcp="own", replications=1)
    for i, (result, figures) in enumerate([(several, 11), (shared, 6), (single, 4)]):
        page = browser.open(result.report(tmp_path / f"{i}.html"), width=width)
        assert page.locator("[data-drawn]").count() == figures
        # The chart of the headline stands beside it.
        assert page.locator(".answer [data-chart='answer']").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert "<script>alert" not in page.locator("main").inner_html()
        page.context.close()
    assert browser.complaints == []


def test_the_table_holds_back_what_may_be_chance(browser: Browser, tmp_path: Path) -> None:
    airtcp.synth(tmp_path / "steady.txt", prr=0.9, packets=20_000, seed=1)
    airtcp.synth(tmp_path / "bursty.txt", prr=0.6, mu=0.95, packets=20_000, seed=1)
    result = airtcp.study([tmp_path / "steady.txt", tmp_path / "bursty.txt"])
    page = browser.open(result.report(tmp_path / "report.html"))
    rows = dict(zip(("bursty", "steady"), page.locator("#data tbody tr").all(), strict=True))
    assert rows["steady"].locator("td.faint").inner_text().startswith("~")
    assert rows["bursty"].locator("td.faint").count() == 0
    # The gain is on the screen without scrolling sideways.
    box = page.locator("#data th", has_text="against").bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 1300
    assert browser.complaints == []
    page.context.close()
