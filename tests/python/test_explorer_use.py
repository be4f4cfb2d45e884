"""The explorer in use: stops, the choice of flows, marked changes, sliders."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from explorer_page import (
    BUILT,
    CELL,
    LINK,
    PAGE,
    done,
    fragment,
    opened,
    until,
    without_answer,
    write,
)

if TYPE_CHECKING:
    from browser import Browser

pytestmark = BUILT

ENDLESS = CELL.replace('"3 s"', '"100000 s"')
MANY = LINK.replace("seed = 7", "seed = 7\nreplications = 100000")
TWENTY = """
duration = "6 s"
warmup = "0 s"
[topology]
kind = "dumbbell"
pairs = 20
[topology.bottleneck]
rate = "20 Mb/s"
delay = "10 ms"
""" + "".join(
    f'[[flows]]\nname = "flow {n}"\nfrom = "s{n}"\nto = "r{n}"\ntcp = "linux"\n' for n in range(20)
)
# Student's t: 97.5 % quantile with 4 degrees of freedom.
T_4 = 2.776445


def _stale(page: Any) -> list[str]:
    return page.eval_on_selector_all("[data-stale]", "found => found.map(one => one.id)")


def _last_tick(page: Any, chart: str = "goodput") -> str:
    return page.locator(f"#figure-{chart} .tick.middle").last.text_content()


def _lines(page: Any, chart: str = "goodput") -> dict[str, str]:
    """Return the colour of each line of a chart, by name."""
    found = page.eval_on_selector_all(
        f"#figure-{chart} path.line",
        "lines => lines.map(one => [one.textContent, one.getAttribute('style')])",
    )
    return dict(found)


def _changes(page: Any) -> dict[str, tuple[str, str]]:
    """Return text and class of each change, by the name of its row."""
    return {
        name: (text, tone)
        for name, text, tone in page.eval_on_selector_all(
            "#numbers tr",
            "rows => rows.map(row => [row.cells[0].textContent, row.cells[4].textContent,"
            " row.cells[4].className])",
        )
    }


def _is_unlikely(ours: int, theirs: int) -> bool:
    """Whether a fair coin would split so few events so unequally with less than 5 %."""
    total = ours + theirs
    ways = sum(math.comb(total, k) for k in range(min(ours, theirs) + 1))
    return total >= 30 or 2 * ways < 0.05 * 2**total


@pytest.mark.parametrize("how", ["button", "escape"])
def test_a_stopped_run_without_a_result_says_so(browser: Browser, how: str) -> None:
    page = opened(browser, fragment(LINK))
    write(page, ENDLESS)
    until(page, "explorer.running?.series && explorer.running.progress > 0")
    assert len(page.workers) == 2
    if how == "button":
        page.locator("#stop").click()
    else:
        page.keyboard.press("Escape")
    done(page, "stopped")
    while len(page.workers) > 1:
        page.wait_for_timeout(20)
    assert "Nothing is finished" in page.locator("#speed").text_content()
    assert "Nothing is finished" in page.locator("#numbers").text_content()
    assert page.locator("#numbers tr").count() == 1
    assert page.locator("#hold").is_disabled()
    assert page.locator("#save-run").is_disabled()
    assert not page.locator("#stop").is_visible()
    # The charts show how far this run came, on its own axis.
    assert _stale(page) == []
    assert _last_tick(page) == "100\u202f000 s"
    reached = page.evaluate("explorer.result.series.until_s")
    assert 0 < reached < 100_000
    page.wait_for_timeout(400)
    assert page.evaluate("explorer.result.series.until_s") == reached
    write(page, LINK)
    done(page)
    expected = without_answer(airtcp.run("scenario.toml", text=LINK).text)
    assert page.evaluate("explorer.result.document") == expected
    assert not browser.complaints


def test_a_stopped_run_keeps_what_is_finished(browser: Browser) -> None:
    page = opened(browser, fragment(LINK))
    write(page, MANY)
    until(page, "explorer.running?.document")
    page.keyboard.press("Escape")
    done(page, "stopped")
    kept = json.loads(page.evaluate("explorer.result.document"))
    count = len(kept["replications"])
    assert count > 0
    assert kept["interrupted"]
    expected = airtcp.run("scenario.toml", text=MANY, replications=count).json
    assert kept["replications"] == expected["replications"]
    shown = page.locator("#numbers tr").first.locator("td").first.text_content()
    assert float(shown) == pytest.approx(
        expected["summary"]["total_goodput_bps"]["mean"] / 1e6, 0.01
    )
    assert f"{count} of 100000 replication" in page.locator("#speed").text_content()
    assert page.locator("#command").text_content() == (
        f"airtcp run scenario.toml --seed 7 --replications {count}"
    )
    page.locator("#again").click()
    until(page, "explorer.running?.progress > 0")
    assert not browser.complaints


def test_old_results_are_marked_while_a_run_computes(browser: Browser) -> None:
    page = opened(browser, fragment(LINK))
    assert _stale(page) == []
    assert _last_tick(page) == "20 s"
    numbers = page.locator("#numbers").text_content()
    # A simulator that reports only when the test says so.
    page.evaluate("Engine.run = (asked, tell) => { window.told = tell; }")
    write(page, LINK.replace('"20 s"', '"50 s"'))
    figures = [f"figure-{name}" for name in ("goodput", "window", "queue", "rtt")]
    until(page, "explorer.running")
    assert set(_stale(page)) >= {"numbers-section", *figures}
    assert page.locator("#of-run").text_content() == "Last run"
    # The old curves keep the old axis.
    assert _last_tick(page) == "20 s"
    page.evaluate(
        "told({ series: { ...explorer.result.series, until_s: 20 }, progress: 0.4, finished: 0 })"
    )
    assert _last_tick(page) == "40 s"
    assert "numbers-section" in _stale(page)
    assert not set(figures) & set(_stale(page))
    assert page.locator("#numbers").text_content() == numbers
    page.evaluate("told({ error: { message: 'no memory' } })")
    done(page, "error")
    # The curves of the run that failed are gone, and what is left is marked.
    assert "numbers-section" in _stale(page)
    assert set(figures) <= set(_stale(page))
    assert _last_tick(page) == "20 s"
    assert not browser.complaints


def test_every_flow_can_be_shown(browser: Browser) -> None:
    page = opened(browser, fragment(TWENTY))
    count = page.locator("#flow-count")
    assert count.text_content() == "6 of 20 shown"
    first = _lines(page)
    assert list(first) == [f"flow {n}" for n in range(6)]
    page.locator("#flow-choice summary").click()
    boxes = page.locator("#flow-boxes")
    boxes.get_by_label("flow 15", exact=True).check()
    until(page, "document.querySelectorAll('#figure-rtt path.line').length === 7")
    boxes.get_by_label("flow 0", exact=True).uncheck()
    assert count.text_content() == "6 of 20 shown"
    chosen = _lines(page)
    assert set(chosen) == {*(f"flow {n}" for n in range(1, 6)), "flow 15"}
    assert all(chosen[name] == first[name] for name in set(first) - {"flow 0"})
    # The curve is that of the flow: its bits are those that the result counts.
    series = page.evaluate(
        "explorer.result.series.goodput.flows.find(flow => flow.flow === 'flow 15').bps"
    )
    result = json.loads(page.evaluate("explorer.result.document"))
    bits = 8 * result["replications"][0]["flows"][15]["delivered_bytes"]
    assert sum(series) * 6 / 120 == pytest.approx(bits, 1e-6)
    # The choice stays over runs.
    before = page.evaluate("explorer.result.document")
    page.locator("#rate").fill("10")
    page.locator("#rate").press("Enter")
    until(page, "explorer.s.written.topology.bottleneck.rate === '10 Mb/s'")
    done(page)
    assert page.evaluate("explorer.result.document") != before
    assert _lines(page) == chosen
    for name in ("goodput", "window", "rtt"):
        assert "flow 15" in page.locator(f"#figure-{name} .key").text_content()
    page.locator("#flow-none").click()
    assert count.text_content() == "0 of 20 shown"
    assert _lines(page) == {}
    for n in range(18):
        boxes.get_by_label(f"flow {n}", exact=True).check()
    # Eighteen can be told apart: six colours, each solid, dashed and dotted.
    until(page, "document.querySelectorAll('#figure-goodput path.line').length === 18")
    assert boxes.get_by_label("flow 19", exact=True).is_disabled()
    assert page.locator("#flow-full").is_visible()
    styles = page.eval_on_selector_all(
        "#figure-goodput path.line",
        "all => all.map(one => one.className.baseVal + one.style.stroke)",
    )
    assert len(set(styles)) == 18
    assert not browser.complaints


def test_a_choice_is_heard_by_a_run_and_shown_of_the_held_run(browser: Browser) -> None:
    page = opened(browser, fragment(TWENTY))
    page.locator("#hold").click()
    until(page, "explorer.held.series.goodput.flows.length === 20")
    write(page, TWENTY.replace('"6 s"', '"100000 s"'))
    until(page, "explorer.running?.progress > 0")
    page.locator("#flow-choice summary").click()
    page.locator("#flow-boxes").get_by_label("flow 19", exact=True).check()
    until(page, "explorer.running.series.windows.some(end => end.flow === 'flow 19')")
    until(page, "document.querySelectorAll('#figure-goodput path.line').length === 7")
    assert page.locator("#figure-goodput path.held").count() == 7
    page.keyboard.press("Escape")
    done(page, "stopped")
    page.locator("#flow-boxes").get_by_label("flow 18", exact=True).check()
    # The worker that had its series has ended.
    page.locator("#flow-missing").wait_for()
    assert not browser.complaints


def test_a_change_is_marked_only_if_the_replications_carry_it(browser: Browser) -> None:
    page = opened(browser, fragment(LINK.replace("seed = 7", "seed = 7\nreplications = 5")))
    held = json.loads(page.evaluate("explorer.result.document"))
    page.locator("#hold").click()
    page.locator("#rtt").fill("44")
    page.locator("#rtt").press("Enter")
    until(page, "explorer.s.written.links[0].forward.delay === '22 ms'")
    done(page)
    now = json.loads(page.evaluate("explorer.result.document"))
    flow = lambda key: lambda one: one["flows"][0][key]  # noqa: E731
    rows = {
        "Goodput, all flows": (lambda one: one["total_goodput_bps"], 1),
        "Mean round-trip time": (flow("rtt_mean_s"), -1),
        "Retransmissions": (flow("retransmissions"), -1),
        "Timeouts": (flow("timeouts"), -1),
        "Fast retransmits": (flow("fast_retransmits"), -1),
    }
    tones = set()
    changes = _changes(page)
    for name, (of, better) in rows.items():
        pairs = zip(now["replications"], held["replications"], strict=True)
        differences = [of(ours) - of(theirs) for ours, theirs in pairs]
        mean = sum(differences) / 5
        variance = sum((one - mean) ** 2 for one in differences) / 4
        is_carried = abs(mean) > T_4 * math.sqrt(variance / 5)
        if isinstance(differences[0], int):
            is_carried &= _is_unlikely(*(sum(map(of, run["replications"])) for run in (now, held)))
        expected = ("good" if mean * better > 0 else "bad") if is_carried else ""
        text, tone = changes[name]
        assert tone == expected, name
        assert text.startswith("~") == (not is_carried and mean != 0), name
        tones.add(tone)
    assert {"", "bad"} <= tones
    assert "paired over 5 replications" in page.locator("#legend").text_content()
    # With one replication, no change is more than chance.
    page.locator("#replications").fill("1")
    page.locator("#replications").press("Enter")
    until(page, "explorer.s.written.replications === 1")
    done(page)
    assert {tone for _, tone in _changes(page).values()} == {""}
    assert "%" in _changes(page)["Mean round-trip time"][0]
    assert "With one replication, no change is marked" in page.locator("#legend").text_content()
    assert not browser.complaints


def test_sliders_reach_the_values_of_a_scenario(browser: Browser) -> None:
    wide = LINK.replace('"10 Mb/s"', '"25 Gb/s"\nqueue = { kind = "drop-tail", packets = 60000 }')
    wide = wide.replace('"20 ms"', '"1700 ms"').replace("mean_loss = 0.01", "mean_loss = 0.625")
    page = opened(browser, fragment(wide.replace('"20 s"', '"2 s"')))
    values = {"loss": "62.5", "rtt": "3400", "rate": "25000", "queue": "60000", "burst": "20"}

    def shown() -> dict[str, str]:
        return {
            name: page.locator(f"[data-control={name}] input[type=range]")
            .get_attribute("aria-valuetext")
            .split()[0]
            for name in values
        }

    assert shown() == values
    assert {name: page.locator(f"#{name}").input_value() for name in values} == values
    rate = page.locator("[data-control=rate] input[type=range]")
    assert 0 < float(rate.input_value()) < float(rate.get_attribute("max"))
    rate.fill("0")
    until(page, "explorer.s.written.links[0].forward.rate === '100 kb/s'")
    done(page)
    # The value that the scenario had stays in reach.
    page.locator("#rtt").focus()
    assert rate.get_attribute("max") == rate.evaluate(
        "(one) => String(Stops.of({ min: 0.1, max: 1000, step: 0.01 }, [25000, 0.1]).length - 1)"
    )
    # A value below the usual range, too.
    write(page, wide.replace("25 Gb/s", "9600 b/s").replace('"20 s"', '"2 s"'))
    until(page, "explorer.s.written.links[0].forward.rate === '9600 b/s'")
    done(page)
    assert shown()["rate"] == page.locator("#rate").input_value() == "0.0096"
    assert not browser.complaints


def test_every_slider_shows_the_value_of_a_shipped_scenario(browser: Browser) -> None:
    page = opened(browser)
    wrong = page.evaluate(
        """async () => {
          const found = [], shipped = JSON.parse(Engine.kept("scenarios"));
          let tried = 0;
          for (const [name, text] of Object.entries(shipped)) {
            const s = await Engine.ask({ do: "describe", text, name });
            Object.assign(s, { link: 0, registry: explorer.registry });
            for (const c of Controls.groups(s).flatMap((group) => group.of)) {
              if (c.kind !== "range") continue;
              const given = c.get(s);
              if (given === null || given === undefined) continue;
              const value = Number(Units.plain(given)), stops = Stops.of(c, [value]);
              const rising = stops.every((stop, i) => i === 0 || stop > stops[i - 1]);
              const at = stops[Stops.place(stops, value)];
              if (at !== value || !rising) found.push([name, c.id, value]);
              tried += 1;
            }
          }
          return tried < 50 ? [["only", tried]] : found;
        }"""
    )
    assert wrong == []


def test_a_key_moves_a_slider_by_a_step(browser: Browser) -> None:
    page = opened(browser, fragment(LINK))
    slider = page.locator("[data-control=rate] input[type=range]")
    number = page.locator("#rate")

    def press(key: str, expected: str) -> None:
        page.keyboard.press(key)
        assert number.input_value() == expected
        rate = "Units.bps(explorer.s.written.links[0].forward.rate)"
        until(page, f"Math.abs({rate} / 1e6 - {expected}) < 1e-9")
        done(page)
        assert number.input_value() == expected

    slider.focus()
    press("ArrowRight", "11")
    press("ArrowUp", "12")
    press("ArrowLeft", "11")
    press("PageUp", "21")
    press("PageDown", "11")
    press("PageDown", "9.1")
    press("ArrowDown", "9")
    press("End", "1000")
    press("ArrowDown", "990")
    press("Home", "0.1")
    press("ArrowRight", "0.11")
    number.focus()
    press("ArrowUp", "0.12")
    press("PageUp", "0.22")
    number.fill("12.34")
    press("ArrowDown", "12")
    loss = page.locator("[data-control=loss] input[type=range]")
    loss.focus()
    page.keyboard.press("ArrowUp")
    until(page, "explorer.s.written.links[0].forward.loss.mean_loss === 0.011")
    page.keyboard.press("PageDown")
    until(page, "explorer.s.written.links[0].forward.loss.mean_loss === 0.0091")
    done(page)
    assert not browser.complaints


@pytest.mark.parametrize("width", [1400, 400])
def test_the_page_is_as_wide_as_the_window(browser: Browser, width: int) -> None:
    page = browser.blank(scheme="dark", width=width)
    text = TWENTY.replace('"6 s"', '"6 s"\nreplications = 2')
    page.goto(f"{PAGE.as_uri()}{fragment(text)}")
    done(page)
    page.locator("#hold").click()
    page.locator("#flow-choice summary").click()
    page.locator("#rate").fill("10")
    page.locator("#rate").press("Enter")
    until(page, "explorer.s.written.topology.bottleneck.rate === '10 Mb/s'")
    done(page)
    assert page.locator("#numbers td.good, #numbers td.bad").count() > 0
    assert page.evaluate("document.documentElement.scrollWidth") == width
    # The last column of the numbers is in sight.
    right = page.evaluate(
        "Math.max(...[...document.querySelectorAll('#numbers td')]"
        ".map(one => one.getBoundingClientRect().right))"
    )
    assert right <= width
    assert not browser.complaints
