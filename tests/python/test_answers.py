"""Answers: the grammar, and the same words in terminal, page, notebook and document."""

from __future__ import annotations

import html
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

import airtcp
from airtcp.questions.run import answer as answer_run
from airtcp.words.answer import Answer, answered_text
from airtcp.words.grammar import numbers
from airtcp.words.grid import Column, Grid
from browser import wait_for
from grammar import LINES, problems

if TYPE_CHECKING:
    from airtcp import RunResult
    from browser import Browser

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = ("lossy-link", "dumbbell", "udp-mix", "four-hops", "wifi-up-down", "wifi-exposed")
WIDTH = 100


def _names(document: Any) -> list[str]:
    found: list[str] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            if isinstance(value.get("name"), str):
                found.append(value["name"])
            for part in value.values():
                walk(part)
        elif isinstance(value, list):
            for part in value:
                walk(part)

    walk(document["summary"])
    return found


@pytest.fixture(scope="module", params=SCENARIOS)
def result(request: pytest.FixtureRequest) -> RunResult:
    return airtcp.run(ROOT / "scenarios" / f"{request.param}.toml", replications=3, why="auto")


def _file(result: RunResult) -> str:
    answer = result.answer()
    assert answer is not None
    found = re.search(r"airtcp compare (\S+)", answer.next or "")
    return found[1] if found else "-"


def _printed(result: RunResult, *, width: str | None = None, details: bool = False) -> str:
    """Print the answer of a result as the program does into a pipe."""
    code = (
        "import sys, json; from airtcp.cli import show;"
        "from airtcp.questions.run import answer as answer_run;"
        "document = json.load(sys.stdin); file = document['__file'];"
        f"show.put_answer(answer_run.answer(document, file), details={details})"
    )
    document = {**result.json, "__file": _file(result)}
    environment = {**os.environ, "PYTHONUTF8": "1", "TERM": "dumb"}
    environment.pop("COLUMNS", None)
    if width is not None:
        environment["COLUMNS"] = width
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(document),
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        cwd=ROOT,
    )
    return done.stdout


def test_the_grammar(result: RunResult) -> None:
    """Each sentence is one, with two numbers at most."""
    answer = result.answer()
    assert answer is not None
    assert problems(answer, _names(result.json)) == []


def test_an_answer_takes_a_screen(result: RunResult) -> None:
    lines = _printed(result).splitlines()
    assert len(lines) <= LINES
    # The command stays on one line, so that it can be pasted.
    assert max(len(line.rstrip()) for line in lines if "airtcp compare" not in line) <= WIDTH


@pytest.mark.parametrize("width", ["60", "100", "200"])
def test_the_width_asked_for(result: RunResult, width: str) -> None:
    for line in _printed(result, width=width).splitlines():
        assert "airtcp compare" in line or len(line.rstrip()) <= int(width)


def test_a_pipe_loses_no_column(result: RunResult) -> None:
    answer = result.answer()
    assert answer is not None
    assert answer.table is not None
    out = _printed(result, width="50")
    for column in answer.table.columns:
        for word in column.heading.split():
            assert word in out


def test_the_same_words_everywhere(result: RunResult) -> None:
    answer = result.answer()
    assert answer is not None
    printed = " ".join(_printed(result).split())
    page = html.unescape(result.page().split("<body>")[1])
    notebook = html.unescape(result._repr_html_())
    for sentence in answer.sentences:
        for place in (printed, page, notebook):
            # A pipe groups no digits.
            assert sentence.replace("\u202f", "") in place.replace("\u202f", "")
    assert result.json["answer"] == answer.document()
    assert json.loads(result.text)["answer"] == answer.document()
    assert list(result.json)[:2] == ["schema", "answer"]


def test_the_schema_has_the_answer(result: RunResult) -> None:
    jsonschema.validate(json.loads(result.text), airtcp.schema("run"))


def test_equal_documents_give_equal_answers(result: RunResult) -> None:
    document = json.loads(result.text)
    assert answer_run.answer(document) == answer_run.answer(json.loads(result.text))


def test_details_say_everything(result: RunResult) -> None:
    """Every finding and warning of a run is said behind --details."""
    from airtcp.questions.run import findings as run_words

    out = " ".join(_printed(result, details=True, width="5000").split())
    for finding in run_words.findings(result.json):
        assert finding.headline.split(":")[0].split(" (channel")[0] in out
        text = finding.text.replace("compare SCENARIO", f"compare {_file(result)}")
        assert text.replace("\u202f", "") in out


def test_many_flows_are_counted() -> None:
    text = (
        'duration = "2 s"\nreplications = 2\n[[links]]\nfrom = "a"\nto = "b"\n'
        'rate = "10 Mb/s"\ndelay = "5 ms"\n'
        '[[flows]]\nfrom = "a"\nto = "b"\ncount = 30\n'
    )
    answer = airtcp.run("many", text=text, why="no").answer()
    assert answer is not None
    assert answer.table is not None
    assert len(answer.table.names) == answer_run.ROWS
    assert answer.table.rest == "and 22 more: --details"
    keys = answer.table.columns[0].keys
    assert keys is not None
    assert list(keys) == sorted(keys)  # pyright: ignore[reportArgumentType]
    assert answer.headline.startswith("The flows get ")
    assert answer.help is not None
    assert "why = auto" in answer.help


def test_a_run_without_a_replication_has_no_answer() -> None:
    assert answer_run.answer({"replications": []}) is None  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("text", ['{"schema":"x/1","a":1}', '{"a":1,"b":"{"}', '{ "a": [1] }'])
def test_an_answer_leaves_the_document_as_it_is(text: str) -> None:
    said = json.loads(answered_text(text, Answer('It "is".')))
    assert said.pop("answer")["headline"] == 'It "is".'
    assert said == json.loads(text)


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("It gets 24 Mb/s instead of 9.", 2),
        ("It gets 1.5 [1.2, 1.8] of 8.", 4),
        ("flow3 of hop-2 loses 22 %.", 1),
        ("Try --set 'queue=5' with -n 8.", 1),
    ],
)
def test_numbers_of_a_sentence(sentence: str, found: int) -> None:
    assert len(numbers(sentence)) == found


def test_a_grid_counts_what_it_leaves_out() -> None:
    grid = Grid("flow", list("abc"), [Column("n", ["1", "2", "3"], keys=[1, 2, 3])], more=4)
    cut = grid.first(1)
    assert (list(cut.names), cut.more) == (["a"], 6)
    assert cut.columns[0].keys == [1]
    assert grid.first(3) is grid


@pytest.mark.parametrize(("width", "height"), [(1400, 900), (400, 800)])
def test_headline_and_chart_on_the_first_screen(
    browser: Browser, tmp_path: Path, width: int, height: int
) -> None:
    result = airtcp.run(ROOT / "scenarios" / "wifi-up-down.toml", replications=2, why="auto")
    page = browser.blank(width=width)
    page.set_viewport_size({"width": width, "height": height})
    page.goto(result.report(tmp_path / "run.html").as_uri())
    wait_for(page, "document.querySelector('.answer [data-drawn]') !== null")
    for part in ("h1", ".answer .canvas svg"):
        box = page.locator(part).first.bounding_box()
        assert box is not None
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height
    # Nothing is wider than the window, and every other section is folded.
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("details.part").count() >= 4
    assert page.locator("details.part[open]").count() == 0


def test_the_page_sorts_opens_and_prints(browser: Browser, tmp_path: Path) -> None:
    result = airtcp.run(ROOT / "scenarios" / "four-hops.toml", replications=1, why="no")
    page = browser.blank()
    page.goto(result.report(tmp_path / "run.html").as_uri())
    rows = page.locator("table.sortable tbody tr:visible")
    assert rows.count() == 10
    page.locator("#data [data-more]").click()
    assert rows.count() == len(result.json["summary"]["flows"])
    page.locator("table.sortable th button").nth(1).click()
    page.locator("table.sortable th button").nth(1).click()
    keys = [float(row.locator("td").nth(1).get_attribute("data-key") or 0) for row in rows.all()]
    assert keys == sorted(keys, reverse=True)
    page.locator("nav a[href='#method']").click()
    assert page.locator("details#method").get_attribute("open") is not None
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details.part:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details.part[open]").count() == 1


def test_cards_are_short() -> None:
    page = airtcp.run(ROOT / "scenarios" / "wifi-exposed.toml", replications=2, why="auto").page()
    cards = re.findall(r'<article class="card.*?</article>', page, re.DOTALL)
    assert cards
    for card in cards:
        shown = re.sub(r"<details>.*?</details>", "", card, flags=re.DOTALL)
        assert len(re.sub(r"<[^>]*>", " ", shown).split()) <= 30


def test_the_line_next_breaks_between_its_parts_only() -> None:
    paste = "Which TCP: airtcp compare " + 90 * "x"
    said = Answer("It is.", next=f"All: --details   Page: --html FILE   {paste}")
    assert said.next_lines(100) == ["All: --details   Page: --html FILE", paste]
    assert str(said).splitlines()[1:] == said.next_lines(100)
    assert said.next_lines(200) == [said.next]
    assert Answer("It is.").next_lines(100) == []
    # Blanks of a name, in quotes as a shell wants them, are not between parts.
    for name in ("a   b", "it's   b", '"   b', "'\"   '"):
        command = f"Which TCP: airtcp compare {shlex.quote(name)} {90 * 'x'}"
        lines = Answer("It is.", next=f"All: --details   {command}").next_lines(100)
        assert lines == ["All: --details", command], name
