"""Published experiments: the form of the files, the verdicts, the cache, and what comes out."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
from math import isclose
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

import airtcp
from airtcp import api
from airtcp.cli import app
from airtcp.papers import cache as kept
from airtcp.papers import drivers, ensembles
from airtcp.papers.context import Context, LinkRun, StoppedError
from airtcp.papers.form import PaperError
from airtcp.papers.library import Library, default_root
from airtcp.papers.outcome import Measure, Outcome, repeated
from airtcp.papers.paper import Claim, Published, Term, term
from airtcp.papers.result import PapersResult
from airtcp.papers.schema import paper_schema
from airtcp.papers.verdict import judge, judge_claim
from airtcp.report import charts_papers
from examples import LOSSY_LINK

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Program

PAPER = """
id = "T1"
title = "A paper"
authors = "Somebody"
"""
SCENARIO = f'duration = "3 s"\n{LOSSY_LINK}'
FIGURE = """
id = "T1.fig1"
title = "Goodput over loss"
kind = "figure"
measures = "goodput"
source = { item = "Figure 1", section = "2" }

[experiment]
driver = "sweep"
scenario = "scenarios/link.toml"
runs = 2

[[experiment.sweep]]
name = "loss"
path = "links[0].loss.probability"
values = [0.0, 0.05]

[[experiment.measure]]
name = "goodput"
of = "goodput_bps"
scale = 1e-6
unit = "Mb/s"

[[published]]
metric = "goodput"
at = { loss = 0.0 }
value = 9
unit = "Mb/s"
tolerance = 0.2
tolerance_reason = "a test"
plot = "goodput"
x = 0
y = 9

[[published]]
metric = "goodput"
at = { loss = 0.05 }
value = 9
unit = "Mb/s"
reason = "losses cost"

[[claim]]
words = "loss costs"
left = "goodput[loss=0.05]"
op = "<"
right = "goodput[loss=0]"
margin = 0.1

[[assumption]]
name = "queue"
status = "choice"
parameter = "set"
value = {}
alternatives = [{ "links[0].rate" = "1 Mb/s" }]
why = "the paper does not say <script>alert(1)</script>"
"""


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """A folder of papers with one figure."""
    home = tmp_path / "papers"
    for folder in ("T1", "ensembles", "scenarios"):
        (home / folder).mkdir(parents=True)
    (home / "T1" / "paper.toml").write_text(PAPER)
    (home / "T1" / "fig-1.toml").write_text(FIGURE)
    (home / "scenarios" / "link.toml").write_text(SCENARIO)
    return home


def changed(papers: Path, old: str, new: str) -> Path:
    path = papers / "T1" / "fig-1.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return papers


# ---- the form of the files ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("scenarios/link.toml", "scenarios/lnk.toml", "scenarios/lnk.toml does not exist"),
        ("scenarios/link.toml", "scenarios/lnk.toml", 'did you mean "scenarios/link.toml"'),
        ('driver = "sweep"', 'driver = "swep"', 'did you mean "sweep"'),
        ('driver = "sweep"', "", 'experiment: the key "driver" is missing'),
        ("runs = 2", "rns = 2", 'experiment.rns: unknown key "rns"; did you mean "runs"'),
        ("runs = 2", 'runs = "two"', 'experiment.runs is "two"; expected a whole number'),
        ("measures =", "mesures =", 'mesures: unknown key "mesures"; did you mean "measures"'),
        ('kind = "figure"', 'kind = "plot"', 'kind: unknown value "plot"'),
        ('id = "T1.fig1"', 'id = "T1.fig2"', 'a file of this name and folder is "T1.fig1"'),
        ('metric = "goodput"', 'metrc = "goodput"', 'published[0].metrc: unknown key "metrc"'),
        ("value = 9", 'value = "9"', 'published[0].value is "9"; expected a number'),
        ("value = 9\n", "", 'published[0]: neither "value" nor an interval'),
        ("value = 9", "value = nan", "published[0].value is nan; expected a number"),
        ("tolerance = 0.2", "tolerance = inf", "tolerance is inf; expected a number"),
        ("value = 9", "interval = [9, 8]", "expected an interval [low, high]"),
        ("value = 9", "value = 9\nat_least = 8\nci_low = 7", "expected one interval"),
        ('tolerance_reason = "a test"', "", 'a tolerance needs "tolerance_reason"'),
        ("tolerance = 0.2", "tolerance = -1", "tolerance is negative"),
        ("x = 0\ny = 9", "", "a point on a plot needs plot, and x or y or both"),
        ('op = "<"', 'op = "=="', 'claim[0].op: unknown value "=="'),
        ('left = "goodput[loss=0.05]"', 'left = "goodput[loss"', "is no measure"),
        ('status = "choice"', 'status = "guess"', "accepted: choice, derived"),
        ('parameter = "set"', 'parameter = "sett"', 'has no parameter "sett"; did you mean "set"'),
        ("[[assumption]]", 'assumptions = ["x"]\n[[assumption]]', "claim[0].assumptions: unknown"),
        ("scale = 1e-6", "scale = [1]", "experiment.measure[0].scale is [1]; expected a number"),
    ],
)
def test_refusals(papers: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(PaperError) as refused:
        api.published(papers=changed(papers, old, new))
    message = str(refused.value)
    assert said in message
    assert str(papers) in message
    assert "Traceback" not in message


def test_a_measure_that_the_driver_does_not_take(papers: Path) -> None:
    changed(papers, "at = { loss = 0.0 }", "at = { loss = 0.3 }")
    with pytest.raises(PaperError, match=r"measures no goodput\[loss=0.3\].*goodput\[loss=0.05\]"):
        api.reproduce(papers=papers, cache=False, sensitivity=False)


def test_what_is_no_toml(papers: Path) -> None:
    with pytest.raises(PaperError, match=r"fig-1.toml: not TOML: .*line"):
        api.published(papers=changed(papers, 'kind = "figure"', "kind = figure"))


def test_a_refusal_ends_with_code_2(run: Program, papers: Path) -> None:
    changed(papers, "scenarios/link.toml", "scenarios/gone.toml")
    ended = run("reproduce", "--papers", papers, "--no-report")
    assert ended.code == 2
    assert "error:" in ended.err
    assert "scenarios/gone.toml does not exist" in ended.err
    assert "put the file there" in ended.err
    ended = run("reproduce", "S1.fgi13", "--no-report")
    assert ended.code == 2
    assert "did you mean" in ended.err
    assert "S1.fig13" in ended.err
    assert run("reproduce", "--papers", papers / "nowhere").code == 2


def test_ids_are_prefixes() -> None:
    library = Library(default_root())
    assert library.choose(["S1.fig1"]) == ["S1.fig1"]
    assert set(library.choose(["s1.fig1"])) == {"S1.fig1"}
    tens = library.choose(["S1.fig13", "S3"])
    assert tens[0] == "S1.fig13"
    assert all(id_.startswith(("S1.fig13", "S3")) for id_ in tens)
    # In the order of the publication, not of the alphabet.
    order = library.choose(["S1.fig"])
    assert order.index("S1.fig2") < order.index("S1.fig10")


def test_terms() -> None:
    assert term("error[set=roofnet, loss=0.05]") == Term("error", {"set": "roofnet", "loss": 0.05})
    assert str(term("half at[rtt_ms=10]")) == "half at[rtt_ms=10]"
    for bad in ("", "a[b]", "a[b=]", "a]b["):
        with pytest.raises(ValueError, match="is no"):
            term(bad)


# ---- verdicts -----------------------------------------------------------------------------


def said(**values: Any) -> Published:
    defaults: dict[str, Any] = {
        "term": Term("m", {"at": 1}),
        "value": None,
        "low": None,
        "high": None,
        "unit": "",
        "tolerance": None,
        "tolerance_abs": None,
        "tolerance_reason": "why",
        "says": "",
        "by_construction": "",
        "reason": "the cause",
        "plot": "",
        "x": None,
        "y": None,
    }
    return Published(**{**defaults, **values})


def found(value: float | None, low: float | None = None, high: float | None = None) -> Outcome:
    return Outcome([Measure("m", {"at": 1.0}, value, low, high, note="nothing there")])


@pytest.mark.parametrize(
    ("published", "here", "verdict"),
    [
        ({"low": 10, "high": 20}, (10.0,), "within interval"),
        ({"low": 10, "high": 20}, (20.001,), "not reproduced"),
        ({"low": 95}, (96.0,), "within interval"),
        ({"low": 95}, (94.9,), "not reproduced"),
        ({"high": 10}, (0.0,), "within interval"),
        # Our interval holds what was published, and is narrow enough to say something.
        ({"value": 10}, (9.0, 8.9, 10.1), "within interval"),
        ({"value": 10}, (9.0, 5.0, 13.0), "not reproduced"),
        ({"value": 10, "tolerance": 0.1}, (11.0,), "within tolerance"),
        ({"value": 10, "tolerance": 0.1}, (11.01,), "not reproduced"),
        ({"value": -10, "tolerance": 0.1}, (-9.0,), "within tolerance"),
        ({"value": 0, "tolerance": 0.5}, (0.1,), "not reproduced"),
        ({"value": 0, "tolerance_abs": 0.1}, (0.1,), "within tolerance"),
        ({"value": 1, "tolerance_abs": 0}, (1.0,), "within tolerance"),
        # A tolerance reaches out from the ends of an interval, too.
        ({"low": 10, "high": 20, "tolerance": 0.1}, (21.5,), "within tolerance"),
        ({"low": 10, "high": 20, "tolerance_abs": 1}, (8.9,), "not reproduced"),
        ({"value": 10}, (10.0,), "not reproduced"),
        ({"value": 10, "tolerance": 0.1}, (None,), "not reproduced"),
        ({"value": 10, "tolerance": 0.1}, (float("nan"),), "not reproduced"),
    ],
)
def test_values(published: dict[str, Any], here: tuple[float | None, ...], verdict: str) -> None:
    judged = judge(said(**published), found(*here))
    assert judged.verdict == verdict
    assert judged.met == (verdict != "not reproduced")
    if not judged.met:
        assert judged.reason.endswith("the cause")


def test_a_value_without_tolerance_needs_an_interval_to_be_met() -> None:
    assert judge(said(value=10.0), found(10.0, 9.9, 10.1)).verdict == "within interval"


def claim(op: Any, right: Any, margin: float = 0.0) -> Claim:
    return Claim("words", Term("a"), op, right, margin, "", "", "the cause")


@pytest.mark.parametrize(
    ("op", "right", "margin", "holds"),
    [
        (">", 4.0, 0.0, True),
        (">", 5.0, 0.0, False),
        (">=", 5.0, 0.0, True),
        ("<", 5.0, 0.0, False),
        ("<=", 5.0, 0.0, True),
        (">", 4.0, 0.2, True),
        (">", 4.0, 0.25, False),
        (">=", 4.0, 0.25, True),
        ("<", 10.0, 0.5, False),
        ("<=", 4.6, -0.1, True),
        ("<=", 4.5, -0.1, False),
        (">", -6.0, 0.1, True),
        (">", Term("b"), 0.0, True),
        ("<", Term("b"), 0.0, False),
    ],
)
def test_orderings(op: str, right: Any, margin: float, *, holds: bool) -> None:
    outcome = Outcome([Measure("a", {}, 5.0), Measure("b", {}, 3.0)])
    judged = judge_claim(claim(op, right, margin), outcome)
    assert judged.verdict == ("ordering holds" if holds else "not reproduced")
    assert ("the cause" in judged.reason) != holds


def test_an_ordering_says_in_how_many_repeats_it_holds() -> None:
    outcome = Outcome(
        [repeated("a", {}, [5.0, 1.0, 6.0, None]), repeated("b", {}, [3.0, 2.0, 4.0, 1.0])]
    )
    judged = judge_claim(claim(">", Term("b")), outcome)
    assert judged.verdict == "ordering holds"
    assert judged.repeats == (2, 3)
    assert judged.reason == "4.00 > 2.50; in 2 of 3 repeats"
    assert judge_claim(claim(">", 0.5), outcome).repeats == (3, 3)
    assert judge_claim(claim(">", 4.5), outcome).repeats == (2, 3)
    single = Outcome([Measure("a", {}, 5.0), Measure("b", {}, 3.0)])
    assert judge_claim(claim(">", Term("b")), single).repeats is None
    assert Outcome.from_json(outcome.to_json()) == outcome


def test_missing_sides_and_missing_data() -> None:
    outcome = Outcome([Measure("a", {}, 5.0), Measure("b", {}, None, note="nothing there")])
    judged = judge_claim(claim(">", Term("b")), outcome)
    assert judged.verdict == "not reproduced"
    assert "b was not measured: nothing there" in judged.reason
    with pytest.raises(KeyError):
        judge_claim(claim(">", Term("c")), outcome)
    skipped = Outcome(skipped=[({"set": "far"}, "data not present")])
    one = said(term=Term("m", {"set": "far", "fit": "x"}), value=1.0)
    assert judge(one, skipped).verdict == "skipped"
    far = Claim("", Term("a", {"set": "far"}), "<", 1.0, 0.0, "", "", "")
    assert judge_claim(far, skipped).reason == "data not present"


def test_intervals_of_repeats() -> None:
    measure = repeated("m", {}, [1.0, 2.0, 3.0])
    # Student's t with 2 degrees of freedom, a standard deviation of 1.
    assert measure.low is not None
    assert isclose(measure.low, 2 - 4.303 / 3**0.5)
    assert repeated("m", {}, [1.0, None]).low is None
    assert repeated("m", {}, []).value is None


# ---- what comes out -----------------------------------------------------------------------


def test_end_to_end(papers: Path) -> None:
    result = api.reproduce("T1", papers=papers, cache=False, seed=3)
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
        api.reproduce(papers=papers, cache=False, seed=5, workers=w, sensitivity=False).text
        for w in (1, 2)
    )
    assert one == other
    changed_seed = api.reproduce(papers=papers, cache=False, seed=6, sensitivity=False).text
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
    ended = run("reproduce", "--papers", papers, "--no-cache", "--out", "all")
    assert ended.code == 0
    assert "goodput[loss=0.05]" in ended.out
    assert "within tolerance *" in ended.out
    assert "T1.fig1 not reproduced: goodput[loss=0.05]:" in ended.out
    assert "Losses cost." in ended.out
    assert "depends on what the publication leaves open" in ended.out
    assert "3 rows: 1 within tolerance, 1 not reproduced, 1 ordering holds" in ended.out
    written = papers.parent / "all"
    assert {path.name for path in written.iterdir()} == {
        "reproduce.json",
        "rows.parquet",
        "report.html",
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
    result = api.reproduce("S1.fig1", cache=False, runs=1, data="/nonexistent")
    rows = {(row["at"]["set"], row["kind"]): row for row in result.rows}
    skipped = rows["orbit-noise", "value"]
    assert skipped["verdict"] == "skipped"
    assert "AIRTCP_DATA" in skipped["reason"]
    made = rows["mirage-ch26", "ordering"]
    assert made["verdict"] == "ordering holds"


def test_a_published_experiment_for_real() -> None:
    result = api.reproduce(["S1.fig2", "S1.sec6.2"], cache=False)
    assert all(row["verdict"] in {"within interval", "within tolerance"} for row in result.rows)
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
    result = api.reproduce("T1", papers=papers, cache=False, sensitivity=False)
    plot = result.figures[0].outcome.plots[0]
    assert plot.x.title == "packets lost"
    drawn = json.dumps(charts_papers.chart(plot, []))
    assert "datum.value < 1 ? format(datum.value, '~r')" in drawn
    assert '"labelLimit": 400' not in drawn  # one curve needs no key


def test_the_verdict_is_not_cut_off(papers: Path, chromium: str, tmp_path: Path) -> None:
    wide = "mean goodput of the flow in megabits per second at this loss"
    changed(papers, 'name = "goodput"', f'name = "{wide}"')
    text = (papers / "T1" / "fig-1.toml").read_text()
    text = text.replace("goodput[", f"{wide}[").replace('metric = "goodput"', f'metric = "{wide}"')
    text = text.replace('plot = "goodput"\nx = 0\ny = 9\n', "")
    (papers / "T1" / "fig-1.toml").write_text(text)
    page = tmp_path / "page.html"
    api.reproduce("T1", papers=papers, cache=False).report(page)
    probe = """<script>addEventListener("load", () => {
      for (const box of document.querySelectorAll(".paper > .panel > .scroll"))
        document.title = `${box.scrollWidth} of ${box.clientWidth}`;
    });</script></body>"""
    page.write_text(page.read_text("utf-8").replace("</body>", probe), "utf-8")
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1300,2000"]
    done = subprocess.run(
        [*command, "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    said = re.search(r"<title>(\d+) of (\d+)</title>", done.stdout)
    assert said is not None, done.stderr
    assert int(said[1]) <= int(said[2])


# ---- the cache ----------------------------------------------------------------------------


def outcomes(cache: Path) -> list[Path]:
    """What came out of figures; beside it lies what figures share."""
    found: list[Path] = []
    for path in sorted(cache.glob("*.json.gz")):
        answer = json.loads(gzip.decompress(path.read_bytes()))
        if isinstance(answer, dict) and "measures" in answer:
            found.append(path)
    return found


def test_answers_are_kept_by_content(papers: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"

    def goodput() -> float | None:
        result = api.reproduce(papers=papers, cache=cache, sensitivity=False)
        return result.rows[0]["here"]

    true = goodput()
    (first,) = outcomes(cache)
    answer = json.loads(gzip.decompress(first.read_bytes()))
    answer["measures"][0]["value"] = 123.0
    first.write_bytes(gzip.compress(json.dumps(answer).encode()))
    assert goodput() == 123.0
    # What is only about the comparison asks the same question.
    changed(papers, "tolerance = 0.2", "tolerance = 0.3")
    assert goodput() == 123.0
    # Another parameter, another scenario, another seed: other questions.
    scenario = papers / "scenarios" / "link.toml"
    scenario.write_text(SCENARIO + "# changed\n")
    assert goodput() == true
    changed(papers, "runs = 2", "runs = 3")
    assert goodput() not in (123.0, None)
    assert len(outcomes(cache)) == 3
    scenario.write_text(SCENARIO)
    changed(papers, "runs = 3", "runs = 2")
    assert goodput() == 123.0
    # A damaged answer is none.
    for answer in cache.glob("*.json.gz"):
        answer.write_bytes(b"damaged")
    assert goodput() == true


SET = """
label = "small"
kind = "generated"
words = "a test"
slot = "1 ms"
packets = 3000
[[group]]
links = 3
prr = [0.4, 0.6]
[[group]]
links = 2
prr = [0.9, 0.95]
models = false
"""


def links_of(papers: Path, cache: Path | None, seed: int = 1, **asked: Any) -> list[LinkRun]:
    context = Context(Library(papers), seed=seed, cache=kept.Cache(cache))
    try:
        return context.links("small", replicas=2, **asked)
    finally:
        context.close()


def test_links_are_kept_by_content(
    papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (papers / "ensembles" / "small.toml").write_text(SET)
    cache = tmp_path / "cache"
    made = links_of(papers, cache, extremes=True)
    assert made == links_of(papers, None, extremes=True)
    assert [link.models for link in made] == [True] * 3 + [False] * 2
    assert len(list(cache.glob("*.json.gz"))) == 2

    def nobody(*_: Any) -> Any:
        raise AssertionError

    with monkeypatch.context() as patched:
        patched.setattr("airtcp._core.study", nobody)
        patched.setattr("airtcp._core.trace_synth", nobody)
        assert links_of(papers, cache, extremes=True) == made
        # Everything that links depend on asks another question.
        for other in (
            {"seed": 2},
            {"repeat": 1},
            {"tcp": {"ack_every": 1}},
            {"change": {"shape": "chain"}},
        ):
            with pytest.raises(AssertionError):
                links_of(papers, cache, **other)
        (papers / "ensembles" / "small.toml").write_text(SET.replace("3000", "4000"))
        with pytest.raises(AssertionError):
            links_of(papers, cache)


def test_a_stopped_study_is_not_kept(
    papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (papers / "ensembles" / "small.toml").write_text(SET)

    class Half:
        interrupted = True

    monkeypatch.setattr("airtcp._core.study", lambda *_: Half())
    with pytest.raises(StoppedError):
        links_of(papers, tmp_path / "cache")
    assert not list((tmp_path / "cache").glob("*"))


def test_the_cache_is_bounded(tmp_path: Path) -> None:
    cache = kept.Cache(tmp_path)
    for i in range(4):
        cache.put(str(i), [i] * 1000)
        os.utime(tmp_path / f"{i}.json.gz", (i, i))
    (tmp_path / "mine.txt").write_text("not an answer")
    size = (tmp_path / "0.json.gz").stat().st_size
    # What is used is kept, however old it is.
    assert cache.get("0") == [0] * 1000
    cache.trim(2 * size)
    assert {path.name for path in tmp_path.iterdir()} == {"0.json.gz", "3.json.gz", "mine.txt"}


def test_the_program_of_an_answer_is_all_that_drivers_use() -> None:
    names = {path.name for path in kept.sources()}
    assert {"scenarios.py", "documents.py", "results.py", "context.py", "sweep.py"} <= names
    assert not names & {"page.py", "console.py"}


def test_ctrl_c_keeps_what_is_finished(papers: Path, tmp_path: Path) -> None:
    for i in range(2, 9):
        text = FIGURE.replace("T1.fig1", f"T1.fig{i}").replace("runs = 2", f"runs = {10 * i}")
        (papers / "T1" / f"fig-{i}.toml").write_text(text)
    cache = tmp_path / "cache"

    def stop(done: int, _total: int, _label: str) -> None:
        if done >= 3:
            raise KeyboardInterrupt

    result = api.reproduce(papers=papers, cache=cache, progress=stop)
    assert result.interrupted
    assert len(result.figures) < 8
    assert all(figure.rows for figure in result.figures)
    assert 3 <= len(outcomes(cache)) < 16
    whole = api.reproduce(papers=papers, cache=cache)
    assert not whole.interrupted
    assert len(whole.figures) == 8
    assert len(outcomes(cache)) == 16


# ---- links --------------------------------------------------------------------------------


def test_generated_links_are_what_they_are_asked_to_be(tmp_path: Path) -> None:
    library = Library(default_root())
    for shape in ensembles.SHAPES:
        links = ensembles.changed(ensembles.read_set(library, "mirage-ch26"), {"shape": shape})
        made = list(ensembles.recipes(links, 1, 0))
        assert made == list(ensembles.recipes(links, 1, 0))
        assert made != list(ensembles.recipes(links, 1, 1))
        assert len(made) == 216
        within = 0
        for recipe in made[:20]:
            path = airtcp.synth(
                tmp_path / f"{shape}-{recipe.name}.txt",
                model=recipe.model,
                packets=200_000,
                seed=recipe.seed,
            )
            (link,) = airtcp.stats(path, analyse={"bootstrap_repeats": 0})["links"]
            # The group of intermediate links comes first; links wander over long cycles.
            within += 0.15 <= link["prr"] <= 0.65
            assert link["b"] > 0.025
        assert within >= 18


def test_impossible_sets(papers: Path) -> None:
    path = papers / "ensembles" / "mine.toml"
    path.write_text('label = "m"\nkind = "generated"\nwords = "w"\nslot = "1 ms"\n')
    with pytest.raises(PaperError, match='the key "packets" is missing'):
        ensembles.read_set(Library(papers), "mine")
    path.write_text('label = "m"\nkind = "generated"\nwords = "w"\nslot = "1 ms"\npackets = 9\n')
    with pytest.raises(PaperError, match="there are no links in it"):
        ensembles.read_set(Library(papers), "mine")


# ---- everything that ships ----------------------------------------------------------------


def test_every_paper_file_is_sound() -> None:
    figures = api.published()
    assert len(figures) >= 22
    for figure in figures:
        for said in figure.published:
            assert said.tolerance_reason or said.low is not None or said.high is not None
        for assumption in figure.assumptions:
            assert assumption.alternatives


def test_every_driver_is_documented() -> None:
    for name in drivers.DRIVERS:
        made = drivers.driver(name)
        assert made.name == name
        assert made.description
        assert all(key.meaning for key in made.parameters.values())


def test_the_schema_of_the_reference_is_current(request: pytest.FixtureRequest) -> None:
    path = request.config.rootpath / "docs" / "reference" / "paper.schema.json"
    assert json.loads(path.read_text("utf-8")) == paper_schema()


def test_paper_files_keep_to_the_schema() -> None:
    import tomllib

    import jsonschema

    validator = jsonschema.Draft202012Validator(paper_schema())
    for path in Library(default_root()).files.values():
        validator.validate(tomllib.loads(path.read_text("utf-8")))


# ---- the page -----------------------------------------------------------------------------


def test_the_page_draws(chromium: str, papers: Path, tmp_path: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    result = api.reproduce(papers=papers, cache=False)
    page_path = result.report(tmp_path / "page.html")
    complaints: list[str] = []
    with playwright.sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for width in (360, 1300):
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.on("console", lambda m: complaints.append(m.text))
            page.on("pageerror", lambda e: complaints.append(str(e)))
            page.goto(page_path.as_uri())
            for top in range(0, page.evaluate("document.documentElement.scrollHeight"), 400):
                page.evaluate(f"window.scrollTo({{top: {top}, behavior: 'instant'}})")
                page.wait_for_timeout(30)
            page.wait_for_function(
                "[...document.querySelectorAll('[data-chart]')].every(n => n.dataset.drawn)"
            )
            # One plot of the driver, one of what was published and what came out.
            assert page.locator("[data-chart] svg").count() == 2
            text = page.locator("main").inner_text()
            assert "not reproduced" in text
            assert "depends on queue" in text
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        browser.close()
    assert complaints == []
    assert "<script>alert" not in result.page().split('id="payload"')[0]


def test_printing_leaves_no_chart_blank(chromium: str, papers: Path, tmp_path: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    page_path = api.reproduce(papers=papers, cache=False).report(tmp_path / "page.html")
    # So that no chart is near.
    text = page_path.read_text("utf-8").replace("<main", '<div style="height: 9000px"></div><main')
    page_path.write_text(text, "utf-8")
    drawn = "document.querySelectorAll('[data-chart][data-drawn]').length"
    with playwright.sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1300, "height": 900})
        page.goto(page_path.as_uri())
        page.wait_for_timeout(300)
        assert page.evaluate(drawn) == 0
        page.pdf()
        assert page.evaluate(drawn) == 2
        browser.close()


def test_a_stop_before_the_first_figure_writes_nothing(
    papers: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stopped = PapersResult([], seed=1, interrupted=True)
    monkeypatch.setattr(api, "reproduce", lambda *_, **__: stopped)
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
