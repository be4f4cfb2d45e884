"""The explorer: a web page that runs the simulator, with the numbers of the command line."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.pages import explorer
from explorer_page import (
    BUILT,
    CELL,
    LINK,
    REMEDY,
    bare,
    done,
    fragment,
    opened,
    until,
    without_answer,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path

    from browser import Browser


def _document(page: Any) -> str:
    return page.evaluate("explorer.result.document")


def _without_ends(value: Any, ends: list[float]) -> Any:
    """Return a document without the ends of its intervals, which go to `ends`."""
    if isinstance(value, dict):
        ends += [v for k, v in value.items() if k in ("ci_low", "ci_high") and v is not None]
        rest = {k: v for k, v in value.items() if k not in ("ci_low", "ci_high")}
        return {key: _without_ends(part, ends) for key, part in rest.items()}
    if isinstance(value, list):
        return [_without_ends(part, ends) for part in value]
    return value


def _assert_same(shown: Any, expected: Any) -> None:
    """Every value is equal; ends of intervals are, but for the platform's logarithm."""
    ours: list[float] = []
    theirs: list[float] = []
    assert _without_ends(shown, ours) == _without_ends(expected, theirs)
    assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12)


@BUILT
def test_a_queue_keeps_its_other_parameters(browser: Browser) -> None:
    red = 'queue = { kind = "red", min = 5, max = 15, limit = 60, max_p = 0.02 }'
    page = opened(browser, fragment(REMEDY.replace('queue = { kind = "red", ecn = true }', red)))
    number = page.locator("#queue")
    number.fill("80")
    number.dispatch_event("change")
    text = ""
    for _ in range(200):
        text = page.locator("#toml").input_value()
        if "limit = 80" in text:
            break
        page.wait_for_timeout(50)
    assert "min = 5, max = 15, limit = 80, max_p = 0.02" in text
    assert not browser.complaints


@BUILT
@pytest.mark.parametrize("text", [LINK, CELL, REMEDY], ids=["link", "cell", "remedy"])
def test_same_numbers_as_the_command_line(browser: Browser, text: str) -> None:
    page = opened(browser, fragment(text))
    shown = _document(page)
    expected = airtcp.run("scenario.toml", text=text)
    _assert_same(json.loads(shown), bare(expected.json))
    if len(expected.json["replications"]) == 1:
        assert shown == without_answer(expected.text)
    goodput = expected.json["summary"]["total_goodput_bps"]["mean"] / 1e6
    cell = page.locator("#numbers tr").first.locator("td").first.text_content()
    assert abs(float(cell) - goodput) < 0.01 * goodput
    command = page.locator("#command").text_content()
    assert command == f"airtcp run scenario.toml --seed {expected.json['seed']}"
    assert not browser.complaints


@BUILT
def test_controls_change_the_run(browser: Browser) -> None:
    page = opened(browser, fragment(LINK))
    before = json.loads(_document(page))
    page.locator("#hold").click()
    page.locator("#rate").fill("2")
    page.locator("#rate").press("Enter")
    until(page, "explorer.s.written.links[0].forward.rate === '2 Mb/s'")
    after = json.loads(_document(done(page)))
    rows = page.locator("#numbers tr").first
    assert after["summary"]["total_goodput_bps"] != before["summary"]["total_goodput_bps"]
    assert after["summary"]["total_goodput_bps"]["mean"] < 2e6
    assert "%" in rows.locator("td").last.text_content()
    # The text that the page shows gives the numbers that the page shows.
    text = page.locator("#toml").input_value()
    assert 'rate = "2 Mb/s"' in text
    assert bare(airtcp.run("x.toml", text=text).json) == after
    page.locator("#law").select_option("westwood")
    until(page, "explorer.s.written.flows[0].tcp.congestion.law === 'westwood'")
    page.locator("#protocol").select_option("ll-harq")
    until(page, "explorer.s.written.links[0].forward.protocol?.kind === 'll-harq'")
    page.locator("[data-control=burst] input[type=range]").fill("0")
    until(page, "explorer.s.written.links[0].forward.loss.model === 'bernoulli'")
    done(page)
    text = page.locator("#toml").input_value()
    assert bare(airtcp.run("x.toml", text=text).json) == json.loads(_document(page))
    page.locator("#restore").click()
    until(page, "explorer.s.written.links[0].forward.rate === '10 Mb/s'")
    assert json.loads(_document(done(page))) == before
    assert not browser.complaints


@BUILT
def test_controls_keep_what_was_just_written(browser: Browser) -> None:
    page = opened(browser, fragment(LINK))
    page.evaluate(
        """() => {
          const area = document.getElementById("toml"), law = document.getElementById("law");
          area.value = `title = "Mine"\n${area.value}`;
          area.dispatchEvent(new Event("input"));
          law.value = "westwood";
          law.dispatchEvent(new Event("change"));
          area.value = `# Ours\n${area.value}`;
          area.dispatchEvent(new Event("input"));
          const slider = document.querySelector("[data-control=rate] input[type=range]");
          slider.value = 0;
          slider.dispatchEvent(new Event("input"));
        }"""
    )
    until(page, "explorer.s.written.links[0].forward.rate === '100 kb/s'")
    text = done(page).locator("#toml").input_value()
    assert text.startswith('# Ours\ntitle = "Mine"\n')
    assert 'rate = "100 kb/s"' in text
    assert "westwood" in text
    assert bare(airtcp.run("x.toml", text=text).json) == json.loads(_document(page))
    assert not browser.complaints


@BUILT
def test_every_control_gives_a_scenario(browser: Browser) -> None:
    page = opened(browser)
    names = page.eval_on_selector_all(
        "#preset optgroup option", "options => options.map(o => o.value)"
    )
    assert len(names) >= 15
    usual = {"bursty-link", "lossy-link", "wifi-star", "wifi-up-down", "wifi-starved-uploads"}
    aggregates = {"wifi4-legacy-mix", "wifi6-home"}
    tried = sorted(
        usual | aggregates | {"dumbbell", "polling-access-point", "udp-mix", "wifi-chain"}
    )
    assert set(tried) <= set(names)
    refused = page.evaluate(
        """async (names) => {
          const found = [], shipped = JSON.parse(Engine.kept("scenarios"));
          for (const name of names) {
            const s = await Engine.ask({ do: "describe", text: shipped[name], name });
            if (s.error) { found.push([name, s.error.message]); continue; }
            Object.assign(s, { link: 0, registry: explorer.registry });
            for (const c of Controls.groups(s).flatMap((group) => group.of)) {
              const value = c.get(s);
              if (value === null || value === undefined) continue;
              const values = c.kind === "select" ? c.choices(s).map(([v]) => v)
                : c.kind === "check" ? [true, false] : [Math.min(c.max, 2 * value), value];
              for (const v of values) {
                const attempt = async (set) => {
                  const edit = { do: "edit", text: shipped[name], set };
                  const { text, error } = await Engine.ask(edit);
                  return error ?? (await Engine.ask({ do: "describe", text, name })).error;
                };
                let error = await attempt(c.set(v, s));
                if (error && c.otherwise) error = await attempt(c.otherwise(v, s));
                if (error) found.push([name, c.id, String(v), error.message]);
              }
            }
          }
          return found;
        }""",
        tried,
    )
    # Some choices contradict a key of the scenario; the page then shows the message and keeps it.
    assert [entry for entry in refused if entry[0] in usual] == []
    # These schemes do not go with A-MPDU.
    assert {tuple(entry[1:3]) for entry in refused if entry[0] in aggregates} == {
        ("scheme", "tap"),
        ("scheme", "dcf+"),
    }
    assert all(len(entry) == 4 for entry in refused), refused
    assert not browser.complaints


@BUILT
def test_errors_are_those_of_the_command_line(browser: Browser) -> None:
    page = opened(browser, fragment(LINK))
    for wrong in (LINK.replace("10 Mb/s", "10 Mbit"), LINK.replace('"b"\ntcp', '"c"\ntcp')):
        with pytest.raises(airtcp.ScenarioError) as expected:
            airtcp.run("scenario.toml", text=wrong)
        write(page, wrong)
        done(page, "error")
        assert page.locator("#problem").text_content() == str(expected.value)
    write(page, LINK)
    done(page)
    assert not page.locator("#problem").is_visible()
    assert json.loads(_document(page))["seed"] == 7
    assert not browser.complaints


@BUILT
def test_a_report_opens_its_scenario(browser: Browser, tmp_path: Path) -> None:
    result = airtcp.run("scenario.toml", text=CELL)
    report = tmp_path / "report.html"
    report.write_text(result.page(), "utf-8")
    link = re.search(r'id="explorer" href="([^"]*)"', report.read_text("utf-8"))
    assert link
    page = opened(browser, link[1][link[1].index("#") :])
    _assert_same(json.loads(_document(page)), bare(result.json))
    page = opened(browser)
    page.locator("#file").set_input_files(report)
    until(page, "explorer.s.cells.length === 1")
    _assert_same(json.loads(_document(done(page))), bare(result.json))
    page.locator("#file").set_input_files(
        {"name": "notes.html", "mimeType": "text/html", "buffer": b"<!doctype html><p>none"}
    )
    done(page, "error")
    assert "expected a report" in page.locator("#problem").text_content()
    page.locator("#file").set_input_files(
        {"name": "mine.toml", "mimeType": "", "buffer": LINK.encode()}
    )
    done(page)
    assert page.locator("#command").text_content() == "airtcp run mine.toml --seed 7"
    assert not browser.complaints


@BUILT
def test_a_new_run_cancels_the_old_one(browser: Browser) -> None:
    page = opened(browser, fragment(LINK))
    write(page, CELL.replace('"3 s"', '"100000 s"'))
    page.locator("progress").wait_for()
    until(page, "document.getElementById('progress').value > 0")
    write(page, LINK)
    until(page, "explorer.s.cells.length === 0")
    done(page)
    assert json.loads(_document(page)) == bare(airtcp.run("scenario.toml", text=LINK).json)
    assert not browser.complaints


def test_the_address_of_a_scenario() -> None:
    scenario = airtcp.run("scenario.toml", text=LINK).json["scenario"]
    address = explorer.address(scenario)
    assert address
    place, _, packed = address.partition("#s=")
    assert place == f"{explorer.site()}explorer/index.html"
    text = zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)))
    assert json.loads(text) == scenario
    assert explorer.address({"title": [str(i) for i in range(100_000)]}) is None


@pytest.mark.parametrize(
    "link",
    [
        {"loss": {"model": "trace", "path": "a.txt"}},
        {"rate": {"trace": "a.txt"}},
    ],
)
def test_a_scenario_that_names_a_file_has_no_address(link: dict[str, Any]) -> None:
    assert explorer.address({"links": [link]}) is None
    assert explorer.address({"links": [{"rate": "1 Mb/s", "trace": "a"}]}) is not None
