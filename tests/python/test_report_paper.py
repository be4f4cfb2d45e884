"""Saved images and print: light colours, nothing cut off, complete legends."""

from __future__ import annotations

import base64
import random
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.charts import labels, theme
from airtcp.questions.run import charts_link
from airtcp.questions.run.rows import MAX_NAMES
from browser import Browser, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from airtcp.questions.study.result import StudyResult

FLOWS = MAX_NAMES + 2
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
A4 = 703
"""Pixels between the margins of a page of A4."""
_ALL_DRAWN = "!document.querySelector('[data-chart]:not([data-drawn])')"


@pytest.fixture(scope="module")
def cell_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("paper")
    result = airtcp.run("c.toml", text=CELL, series=True, timeline="500ms..510ms")
    return result.report(place / "report.html")


# Of a PNG: the colour of its corner, whether all of it is opaque, the colours of areas in it.
_COLOURS = """async (png) => {
  const bytes = Uint8Array.from(atob(png), (c) => c.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  const hex = (byte) => byte.toString(16).padStart(2, "0");
  const colour = (i) => "#" + hex(data[i]) + hex(data[i + 1]) + hex(data[i + 2]);
  const colours = new Set();
  let opaque = true;
  for (let i = 0; i < data.length; i += 4) {
    opaque &&= data[i + 3] === 255;
    colours.add(colour(i));
  }
  return { corner: colour(0), opaque, colours: [...colours] };
}"""
# Boxes in the print layout: what reaches beyond the paper or out of what holds it, and what of one
# figure lies on the next.
_MISPLACED = """(width) => {
  const wrong = [];
  const box = (node) => node.getBoundingClientRect();
  const say = (node, what) => wrong.push(`${node.dataset.chart ?? node.tagName}: ${what}`);
  for (const table of document.querySelectorAll("table")) {
    const [inner, outer] = [box(table), box(table.parentElement)];
    // A panel with a table of more than ten columns is printed across, between margins of 12 mm.
    const room = table.closest(".panel:has(th:nth-child(11))") ? 1031 : width;
    if (inner.right > room + 1) say(table, `ends at ${inner.right} of ${room}`);
    if (getComputedStyle(table.parentElement).overflow === "visible") continue;
    if (inner.bottom > outer.bottom + 1 || inner.right > outer.right + 1) say(table, "is cut");
  }
  let last = null;
  for (const figure of document.querySelectorAll("[data-chart]")) {
    const shown = [...figure.querySelectorAll("svg, canvas")].filter((s) => s.checkVisibility());
    if (shown.length > 1) say(figure, `${shown.length} pictures`);
    const outer = box(figure);
    for (const inner of shown.map(box)) {
      if (inner.left < outer.left || inner.right > outer.right + 1) say(figure, "too wide");
      if (inner.top < outer.top || inner.bottom > outer.bottom + 1) say(figure, "too high");
    }
    if (last && outer.top < last.bottom && outer.left < last.right) say(figure, "on the last");
    last = outer;
  }
  return wrong;
}"""


def _unscrolled(browser: Browser, path: Path, scheme: str) -> Any:
    page = browser.blank(scheme=scheme)
    page.goto(path.as_uri())
    wait_for(page, _ALL_DRAWN)
    page.evaluate("document.querySelectorAll('details.part').forEach(one => one.open = true)")
    return page


@pytest.fixture(scope="module")
def on_screen(started_browser: Any, cell_page: Path) -> Iterator[Any]:
    browser = Browser(started_browser)
    page = _unscrolled(browser, cell_page, "light")
    yield page
    page.context.close()
    assert browser.complaints == []


def test_everything_is_drawn_without_scrolling(on_screen: Any) -> None:
    assert on_screen.locator("[data-drawn]").count() > 8


def test_a_legend_names_every_line(on_screen: Any) -> None:
    page = on_screen
    shown = page.locator("[data-chart='window'] .role-legend-label text").all_text_contents()
    assert shown == [f"flow{i}" for i in range(MAX_NAMES)]
    # A note names the lines that are not drawn.
    said = page.locator("[data-chart='window'] figcaption").inner_text()
    assert f"first {MAX_NAMES} are drawn; the other 2 are in the table window_series" in said
    # No two lines look the same.
    looks = page.evaluate(
        "[...document.querySelectorAll('[data-chart=window] .role-legend-symbol path')].map("
        "p => `${p.getAttribute('stroke')} ${p.getAttribute('stroke-dasharray')}`)"
    )
    assert len(set(looks)) == MAX_NAMES
    # The legend ends within the picture.
    box, canvas = (
        page.locator(f"[data-chart='window'] {part}").bounding_box()
        for part in (".role-legend", ".canvas")
    )
    assert box["x"] + box["width"] <= canvas["x"] + canvas["width"]


def test_saved_pictures_are_light_and_opaque(browser: Browser, cell_page: Path) -> None:
    page = _unscrolled(browser, cell_page, "dark")
    with page.expect_download() as download:
        page.click("[data-chart='goodput'] [data-save='svg']")
    picture = download.value.path().read_text("utf-8")
    assert f'fill="{theme.LIGHT["@surface"]}"' in picture.split("<g", 1)[0]
    used_in_dark_only = set(theme.DARK.values()) - set(theme.LIGHT.values())
    assert not [colour for colour in used_in_dark_only if colour in picture]
    with page.expect_download() as download:
        page.click("[data-chart='goodput'] [data-save='png']")
    pixels = browser.blank().evaluate(
        _COLOURS, base64.b64encode(download.value.path().read_bytes()).decode()
    )
    assert pixels["corner"] == theme.LIGHT["@surface"]
    assert pixels["opaque"]
    assert theme.LIGHT["@trace"] in pixels["colours"]
    assert not used_in_dark_only & set(pixels["colours"])
    # The charts on the screen stay dark.
    assert theme.DARK["@trace"] in page.locator("[data-chart='goodput'] svg").inner_html()
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_has_every_figure_and_whole_tables(
    browser: Browser, cell_page: Path, study: StudyResult, tmp_path: Path, scheme: str
) -> None:
    for path in (cell_page, study.report(tmp_path / "study.html")):
        page = browser.blank(scheme=scheme, width=A4)
        page.goto(path.as_uri())
        # At once: nothing was scrolled to, and little can have been drawn.
        wait_for(page, "document.documentElement.dataset.ready !== undefined")
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        blank = page.evaluate(
            "[...document.querySelectorAll('[data-chart]')].filter(f => !f.querySelector("
            "'.on-paper path') && !f.hidden).map(f => f.dataset.chart)"
        )
        assert blank == []
        assert page.evaluate(_MISPLACED, A4) == []
        inked = page.evaluate("getComputedStyle(document.querySelector('h1')).color")
        assert inked == "rgb(27, 36, 48)"
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        assert page.locator(".on-paper").count() == 0
        page.context.close()
    assert browser.complaints == []


def test_bars_stand_under_their_caption(on_screen: Any) -> None:
    # Beside a taller figure, a chart is aligned at the top.
    gaps = on_screen.evaluate(
        "[...document.querySelectorAll('[data-chart]')].map(f => [f.dataset.chart, "
        "f.querySelector('.canvas').getBoundingClientRect().top"
        " - f.querySelector('figcaption').getBoundingClientRect().bottom])"
    )
    assert not [gap for gap in gaps if not 0 <= gap[1] <= 16]


def test_a_wide_table_scrolls_in_sight(on_screen: Any) -> None:
    wide = on_screen.evaluate(
        """[...document.querySelectorAll(".scroll")].filter(s => s.scrollWidth > s.clientWidth + 1)
        .map(s => {
          const name = s.querySelector("tbody td");
          const before = name.getBoundingClientRect().left;
          s.scrollLeft = 1000;
          const { overflowX, scrollbarWidth } = getComputedStyle(s);
          return [s.clientHeight < innerHeight, overflowX, scrollbarWidth, s.scrollLeft > 0,
            name.getBoundingClientRect().left - before];
        })"""
    )
    # The bar is in the window, is drawn, moves the table, and the names stay where they are.
    assert wide == [[True, "auto", "auto", True, 0]]


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


def test_a_picture_of_the_page_has_its_charts(browser: Browser, cell_page: Path) -> None:
    """A screenshot tool captures a page after loading, without scrolling."""
    page = browser.blank(width=1300)
    page.goto(cell_page.as_uri(), wait_until="load")
    drawn, figures = (
        page.evaluate(f"document.querySelectorAll('[data-chart]{more}').length")
        for more in (" svg, [data-chart] canvas", "")
    )
    assert drawn >= min(figures, 6), (drawn, figures)
    page.context.close()


def test_names_of_the_trade_off_lie_in_the_picture_and_apart() -> None:
    height = float(charts_link.TRADE_OFF_HEIGHT)
    points = [
        {"name": "the slowest way of all", "latency": 600.0, "goodput": 3.0},
        {"name": "the fastest way of all", "latency": 90.0, "goodput": 6.0},
        {"name": "nearly as fast as that", "latency": 100.0, "goodput": 5.9},
        {"name": "nothing", "latency": 2.0, "goodput": 0.01},
    ]
    found = labels.cornered(points, "latency", "goodput", height)
    sides = {point["name"]: point["corner"] for point in found}
    # To the left of a point at the right edge, below one at the top, above one at the bottom.
    assert sides["the slowest way of all"].endswith("w")
    assert sides["the fastest way of all"] == "se"
    assert sides["nothing"] == "ne"
    assert sides["nearly as fast as that"] != sides["the fastest way of all"]
    # The chart draws a name only at the place in its row.
    layers = charts_link.trade_off()["layer"]
    texts = [layer for layer in layers if layer["mark"]["type"] == "text"]
    drawn = {
        layer["transform"][0]["filter"]: (layer["mark"]["align"], layer["mark"]["dy"] < 0)
        for layer in texts
    }
    assert drawn == {
        "datum.corner === 'ne'": ("left", True),
        "datum.corner === 'se'": ("left", False),
        "datum.corner === 'nw'": ("right", True),
        "datum.corner === 'sw'": ("right", False),
    }
