"""What leaves the page: saved pictures and print are light and whole, legends name every line."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.report import labels, theme

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp.results import StudyResult
    from browser import Browser

FLOWS = 20
CELL = f"""
duration = "1 s"
replications = 2
[[cells]]
layout = {{ kind = "star", stations = {FLOWS} }}
[[flows]]
count = {FLOWS}
from = "sta*"
to = "ap"
"""
_ALL_DRAWN = "!document.querySelector('[data-chart]:not([data-drawn])')"


@pytest.fixture(scope="module")
def cell_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("paper")
    result = airtcp.run("c.toml", text=CELL, series=True, timeline="500ms..510ms")
    return result.report(place / "report.html")


def _unscrolled(browser: Browser, path: Path, scheme: str) -> Any:
    page = browser.blank(scheme=scheme)
    page.goto(path.as_uri())
    page.wait_for_function(_ALL_DRAWN)
    return page


def test_everything_is_drawn_without_scrolling(browser: Browser, cell_page: Path) -> None:
    page = _unscrolled(browser, cell_page, "light")
    assert page.locator("[data-drawn]").count() > 8
    assert browser.complaints == []
    page.context.close()


def test_a_legend_names_every_line(browser: Browser, cell_page: Path) -> None:
    page = _unscrolled(browser, cell_page, "light")
    shown = page.locator("[data-chart='window'] .role-legend-label text").all_text_contents()
    assert shown == [f"flow{i}" for i in range(FLOWS)]
    # No two lines look the same.
    looks = page.evaluate(
        "[...document.querySelectorAll('[data-chart=window] .role-legend-symbol path')].map("
        "p => `${p.getAttribute('stroke')} ${p.getAttribute('stroke-dasharray')}`)"
    )
    assert len(set(looks)) == FLOWS
    # The legend ends within the picture.
    box, canvas = (
        page.locator(f"[data-chart='window'] {part}").bounding_box()
        for part in (".role-legend", ".canvas")
    )
    assert box["x"] + box["width"] <= canvas["x"] + canvas["width"]
    page.context.close()


def test_saved_pictures_are_light_and_opaque(browser: Browser, cell_page: Path) -> None:
    page = _unscrolled(browser, cell_page, "dark")
    with page.expect_download() as download:
        page.click("[data-chart='goodput'] [data-save='svg']")
    picture = download.value.path().read_text("utf-8")
    assert f'fill="{theme.LIGHT["@surface"]}"' in picture.split("<g", 1)[0]
    used_in_dark_only = set(theme.DARK.values()) - set(theme.LIGHT.values())
    assert not [colour for colour in used_in_dark_only if colour in picture]
    # What was drawn on the screen is as it was: dark.
    assert theme.DARK["@trace"] in page.locator("[data-chart='goodput'] svg").inner_html()
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_has_every_figure_and_whole_tables(
    browser: Browser, cell_page: Path, study: StudyResult, tmp_path: Path, scheme: str
) -> None:
    for path in (cell_page, study.report(tmp_path / "study.html")):
        page = browser.blank(scheme=scheme, width=718)
        page.goto(path.as_uri())
        # At once: nothing was scrolled to, and little can have been drawn.
        page.wait_for_function(
            "document.documentElement.dataset.link || !document.getElementById('link')"
        )
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        blank = page.evaluate(
            "[...document.querySelectorAll('[data-chart]')].filter(f => !f.querySelector("
            "'.on-paper path') && !f.querySelector('.empty')).map(f => f.dataset.chart)"
        )
        assert blank == []
        inked = page.evaluate("getComputedStyle(document.querySelector('h1')).color")
        assert inked == "rgb(27, 36, 48)"
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        assert page.locator(".on-paper").count() == 0
        page.context.close()
    assert browser.complaints == []


def test_names_on_a_map_lie_on_nothing() -> None:
    draw = random.Random(7)  # noqa: S311 - places of a map
    for count in (1, 2, 20, 40):
        points = [
            {"name": f"sta{i}", "x": draw.uniform(-9, 9), "y": draw.uniform(-9, 9)}
            for i in range(count)
        ]
        metre = 16.0
        found = labels.placed(points, metre)
        wide, high = (0.6 * labels.FONT * 5) / metre, labels.FONT / metre
        for i, name in enumerate(found):
            for other in found[:i]:
                apart = abs(name["x"] - other["x"]), abs(name["y"] - other["y"])
                assert apart[0] >= wide or apart[1] >= high
            for point in points:
                off = abs(name["x"] - point["x"]), abs(name["y"] - point["y"])
                assert off[0] * metre >= 5 or off[1] * metre >= 5
        assert len(found) >= 0.6 * count


def test_equal_places_do_not_hide_all_names() -> None:
    points = [{"name": f"s{i}", "x": 0.0, "y": 0.0} for i in range(4)]
    assert [name["name"] for name in labels.placed(points, 10.0)] == ["s0", "s1", "s2", "s3"]
