"""`airtcp compare --schemes`: the command, its documents and tables, findings, and refusals."""

from __future__ import annotations

import copy
import html
import json
import shlex
from typing import TYPE_CHECKING, Any

import jsonschema
import polars as pl
import pytest

import airtcp
from airtcp.questions.compare import cell_values as scheme_values
from airtcp.questions.compare import charts_cell as charts_schemes
from airtcp.questions.compare import findings_cell as schemes

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp.data.documents import Estimate, PairedDifference, SchemesSubject
    from browser import Browser
    from conftest import Ended, Interrupted, Program

CELL = """
title = "Three uploads"
duration = "1 s"
replications = 3
[[cells]]
layout = { kind = "star", stations = 3, radius_m = 5 }
[[flows]]
count = 3
from = "sta*"
to = "ap"
tcp = "linux"
"""


def _ended(ended: Ended) -> str:
    assert ended.code == 0, ended.err
    return ended.out


@pytest.fixture
def cell(tmp_path: Path) -> Path:
    """A scenario with a short cell."""
    path = tmp_path / "cell.toml"
    path.write_text(CELL)
    return path


def test_the_terminal(run: Program, cell: Path) -> None:
    command = ("compare", cell.name, "--schemes", "ftca+rts", "--schemes", "edca,codel")
    assert "Against base" not in _ended(run(*command))
    out = _ended(run(*command, "--details"))
    for part in (
        "Three uploads (3 replications, 1.00 s each)",
        "Against base",
        "vs base",
        'ftca+rts sets cells[0].schemes = [{ scheme = "ftca" }], cells[0].mac.access = "edca"',
        'cells[0].mac.rts_threshold = "100 B".',
        'codel sets cells[0].queue = { kind = "codel", limit = 100 }.',
        "while the reference has DCF: ftca+rts, edca.",
        "Seed 1",
    ):
        assert part in " ".join(out.split()), part


def test_every_format(run: Program, cell: Path, tmp_path: Path) -> None:
    arguments = ["compare", cell.name, "--schemes", "edca,ftca", "-q"]
    document = json.loads(_ended(run(*arguments, "--json", "--out", "all")))
    jsonschema.validate(document, airtcp.schema("schemes"))
    assert document["schema"] == "airtcp.schemes/1"
    home = tmp_path / "all"
    assert json.loads((home / "schemes.json").read_text("utf-8")) == document
    outcomes = pl.read_parquet(home / "outcomes.parquet")
    assert outcomes["variant"].to_list() == ["base", "edca", "ftca"]
    assert {"jain_index_ci_low", "ack_error", "slowest_flow_bps_ci_high"} <= set(outcomes.columns)
    assert pl.read_parquet(home / "runs.parquet").height == 9
    assert pl.read_parquet(home / "stations.parquet").height == 3 * 4
    rankings = pl.read_parquet(home / "rankings.parquet")
    assert rankings.filter(aspect="fairness")["place"].to_list() == [1, 2, 3]
    sets = pl.read_parquet(home / "variants.parquet")
    assert 'cells[0].mac.access = "edca"' in sets.filter(variant="ftca")["sets"].to_list()
    # The command of the page makes the same document.
    page = (home / "report.html").read_text("utf-8")
    assert "airtcp compare cell.toml --schemes edca,ftca --reference base --seed 1" in page
    csv = _ended(run(*arguments, "--format", "csv")).splitlines()
    assert len(csv) == 4
    assert "total_goodput_bps_ci_low" in csv[0]
    lines = [json.loads(x) for x in _ended(run(*arguments, "--format", "jsonl")).splitlines()]
    assert [line["variant"] for line in lines] == ["base", "edca", "ftca"]
    # A second result takes the place of the first only if it answers the same.
    assert run("compare", cell.name, "--schemes", "rts", "-q", "--out", "all").code != 0
    _ended(run("compare", cell.name, "--schemes", "rts", "-q", "--out", "all", "--force"))


def test_differences_are_paired() -> None:
    """Means of the runs are the means of the outcomes, and differences are those of the pairs."""
    result = airtcp.compare_schemes("cell", text=CELL, schemes="rts", seed=3)
    [subject] = result.json["subjects"]
    runs = (
        result.table("runs")
        .to_polars()
        .pivot(on="variant", index="replication", values="total_goodput_bps")
    )
    each = runs["rts"] - runs["base"]
    base, rts = subject["outcomes"]
    assert base["differences"] == {}
    absolute = rts["differences"]["total_goodput_bps"]["absolute"]
    assert absolute["mean"] == pytest.approx(each.mean())
    spread = each.std() / 3**0.5  # pyright: ignore[reportOperatorIssue, reportOptionalOperand]
    # Student's t with two degrees of freedom, 97.5 %.
    assert absolute["ci_high"] - absolute["mean"] == pytest.approx(4.30265 * spread, rel=1e-5)
    assert base["total_goodput_bps"]["mean"] == pytest.approx(runs["base"].mean())
    flows = result.table("differences").to_polars().filter(quantity="jain_index")
    assert flows["variant"].to_list() == ["rts"]


def test_ctrl_c_keeps_whole_replications(interrupted: Interrupted, tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text(CELL.replace("1 s", "10 s"), "utf-8")
    arguments = ["compare", "long.toml", "--schemes", "edca,rts", "-n", "2000", "--json"]
    ended = interrupted(*arguments, after=10)
    assert ended.code == 130, ended.err
    assert "Traceback" not in ended.err
    document = json.loads(ended.out)
    assert document["interrupted"]
    for subject in document["subjects"]:
        assert 0 < subject["replications"] < 2000
        assert len(subject["runs"]) == 3 * subject["replications"]


def test_a_run_of_a_cell_names_the_command(run: Program, cell: Path) -> None:
    options = ["-n", "2", "--set", "duration=500 ms"]
    out = _ended(run("run", cell.name, *options, "--html", "run.html", "--details"))
    said = out.strip().splitlines()[-1]
    command = "airtcp compare cell.toml --schemes all --set 'duration=500 ms'"
    assert said.endswith(f"   Help: {command}")
    page = html.unescape((cell.parent / "run.html").read_text("utf-8"))
    assert command in page
    # It works as it stands.
    out = _ended(run(*shlex.split(command)[1:], "-n", "1"))
    assert "Three uploads" in out
    # There is no file to name on standard input, and no cell in a scenario of links.
    assert "--schemes" not in _ended(run("run", "-", *options, stdin=cell.read_bytes()))
    wire = '[[links]]\nfrom = "a"\nto = "b"\nrate = "1 Mb/s"\n[[flows]]\nfrom = "a"\nto = "b"\n'
    (cell.parent / "wire.toml").write_text(wire)
    assert "--schemes" not in _ended(run("run", "wire.toml", *options))


def test_names_beside_points_do_not_overlap() -> None:
    def row(name: str, goodput: float, jain: float | None) -> dict[str, Any]:
        ends = {
            f"{key}_{end}": value
            for key, value in (("goodput", goodput), ("jain", jain))
            for end in ("low", "high")
        }
        return {"variant": name, "goodput": goodput, "jain": jain, **ends}

    apart = [row("base", 1.0, 0.2), row("ftca", 5.0, 0.9), row("silent", 3.0, None)]
    assert charts_schemes.places(apart) == ["above right", "above left", None]
    # At one point there is room for a name on each side at most; the legend has the others.
    crowd = [
        row("base", 0.0, 0.0),
        row("ftca", 9.0, 1.0),
        *(row(f"x{i}", 5.0, 0.5) for i in range(9)),
    ]
    found = [place for place in charts_schemes.places(crowd)[2:] if place is not None]
    assert 1 <= len(found) <= 4
    assert len(set(found)) == len(found)


def test_the_page_draws(browser: Browser, tmp_path: Path) -> None:
    result = airtcp.compare_schemes("cell", text=CELL, schemes="ftca,codel")
    page = browser.open(result.report(tmp_path / "r.html"), width=360)
    assert page.locator("[data-drawn]").count() == 3
    assert page.locator(".answer [data-chart='answer']").count() == 1
    assert browser.complaints == []


def test_seed_and_workers() -> None:
    def runs(**options: Any) -> list[Any]:
        result = airtcp.compare_schemes("cell", text=CELL, schemes="edca", **options)
        return [run for subject in result.json["subjects"] for run in subject["runs"]]

    assert runs(workers=1) == runs(workers=2) == runs(seed=1)
    assert runs(seed=2) != runs(seed=1)


def test_exchanges_have_percentiles() -> None:
    small = CELL + (
        '[[flows]]\nname = "small"\nfrom = "sta0"\nto = "ap"\n'
        'app = { kind = "request-response", request = "100 B", response = "100 B", '
        'think = "10 ms" }\n'
    )
    result = airtcp.compare_schemes("cell", text=small, schemes="ftca", replications=2)
    [subject] = result.json["subjects"]
    assert [q["aspect"] for q in subject["verdict"]["questions"]][-1] == "latency"
    assert "small" not in subject["flows"]
    for run in subject["runs"]:
        assert 0 < run["exchange_p50_s"] <= run["exchange_p95_s"] <= run["exchange_p99_s"]
    single = airtcp.run("cell", text=small, replications=2).flows.to_polars().filter(name="small")
    assert (single["exchange_p99_s"] <= single["exchange_max_s"]).all()
    assert (single["exchange_p50_s"] <= single["exchange_p99_s"]).all()


def test_one_replication_has_no_interval(run: Program, cell: Path) -> None:
    command = ("compare", cell.name, "--schemes", "rts", "-n", "1")
    assert _ended(run(*command)).startswith("One replication gives no verdict.")
    out = _ended(run(*command, "--details"))
    assert "[" not in out.split("Against base")[1].split("sets")[0]
    document = airtcp.compare_schemes(cell, schemes="rts", replications=1).json
    for outcome in document["subjects"][0]["outcomes"]:
        assert outcome["total_goodput_bps"]["ci_low"] is None


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--schemes", "ftac"], ['"ftac"', 'did you mean "ftca"']),
        (
            ["--schemes", "ftca:exclusiv=true"],
            ['"exclusiv"; did you mean "exclusive"? (accepted: at'],
        ),
        (["--schemes", "ftca:exclusive=maybe"], ['exclusive: expected true or false, not "maybe"']),
        (["--schemes", "tap:acks=1000"], ['"tap:acks=1000": acks: is 1000: expected 1 to 64']),
        (["--schemes", ","], ["none is named"]),
        (["--schemes", "ftca+same-category"], ["cannot act here", "leave one of them out"]),
        (["--schemes", "rts", "--reference", "nothing"], ['"nothing"', "accepted: all"]),
        (["--schemes", "rts", "--tcp", "reno"], ["--schemes and --tcp"]),
        (["--schemes", "rts", "--remedies", "usual"], ["--schemes and --remedies"]),
        (["--schemes", "rts", "--share", "reno"], ["--schemes and --share"]),
        (["--schemes", "rts", "--flow", "flow0"], ["--schemes and --flow"]),
        (["--schemes", "rts", "--no-synthetic"], ["--schemes and --no-synthetic"]),
        (["--schemes", "rts", "--interval", "1 ms"], ["--schemes and --interval"]),
        (["--schemes", "rts", "--set", "cells[0].rat=1"], ["rat"]),
    ],
)
def test_refusals(run: Program, cell: Path, arguments: list[str], parts: list[str]) -> None:
    ended = run("compare", cell.name, *arguments)
    assert ended.code == 2
    assert ended.out == ""
    assert len(ended.err.strip().splitlines()) == 1
    assert all(part in ended.err for part in parts), ended.err


def test_only_cells(run: Program, tmp_path: Path) -> None:
    (tmp_path / "wire.toml").write_text(
        '[[links]]\nfrom = "a"\nto = "b"\nrate = "1 Mb/s"\n[[flows]]\nfrom = "a"\nto = "b"\n'
    )
    ended = run("compare", "wire.toml", "--schemes", "all")
    assert ended.code == 2
    assert "wire.toml" in ended.err
    assert "[[cells]]" in ended.err
    (tmp_path / "trace.txt").write_text("0101")
    assert "expected scenarios (*.toml)" in run("compare", "trace.txt", "--schemes", "all").err


def _estimate(mean: float, half: float) -> Estimate:
    return {"mean": mean, "ci_low": mean - half, "ci_high": mean + half}


def _difference(mean: float, half: float, percent: float) -> PairedDifference:
    standing = "undecided" if abs(mean) <= half else "more" if mean > 0 else "less"
    width = abs(percent * half / mean)
    return {
        "absolute": _estimate(mean, half),
        "percent": _estimate(percent, width),
        "standing": standing,
    }


@pytest.fixture(scope="module")
def measured() -> SchemesSubject:
    """A comparison whose verdict the tests of findings set themselves."""
    document = airtcp.compare_schemes("cell", text=CELL, schemes="ftca,rts").json
    return document["subjects"][0]


def _verdict(
    measured: SchemesSubject, better: dict[str, list[str]], worse: dict[str, list[str]]
) -> SchemesSubject:
    subject = copy.deepcopy(measured)
    for question in subject["verdict"]["questions"]:
        question["better"] = better.get(question["aspect"], [])
        question["worse"] = worse.get(question["aspect"], [])
        question["undecided"] = []
    subject["verdict"]["trade_offs"] = []
    subject["verdict"]["stations"] = []
    ftca = scheme_values.outcome_of(subject, "ftca")
    scheme_values.outcome_of(subject, "base")["jain_index"] = _estimate(0.9, 0.01)
    ftca["jain_index"] = _estimate(0.99, 0.001)
    ftca["differences"]["jain_index"] = _difference(0.09, 0.01, 10.0)
    ftca["differences"]["total_goodput_bps"] = _difference(-2e6, 1e5, -8.0)
    return subject


def test_all_names_what_does_not_run() -> None:
    result = airtcp.compare_schemes(
        "cell", text=CELL, replications=2, overrides={"cells[0].mac.rts_threshold": "100 B"}
    )
    [subject] = result.json["subjects"]
    ran = {variant["variant"] for variant in subject["variants"]}
    registered = {entry["name"] for entry in airtcp.registry("scheme")}
    left = {each["variant"]: each.get("error") or "" for each in subject["verdict"]["not_ranked"]}
    assert registered <= {variant.split(":")[0] for variant in ran | set(left)}
    assert "per-station:controller={}" in ran
    assert {"base", "edca", "ack-1", "codel", "fq-codel", "pie"} <= ran
    assert "already sends RTS" in left["rts"]
    said = next(f for f in result.findings if f.headline == "Not ranked")
    assert "rts: the scenario already sends RTS before these frames" in said.text
    assert "Not ranked" in result.page()


def test_what_is_worse_in_something_may_not_help(measured: SchemesSubject) -> None:
    subject = _verdict(measured, {}, {})
    goodput, fairness, *_ = subject["verdict"]["questions"]
    goodput["undecided"], fairness["undecided"] = ["rts"], ["ftca"]
    assert scheme_values.undecided(subject) == ["ftca", "rts"]
    goodput["worse"] = ["rts", "ftca"]
    assert scheme_values.undecided(subject) == []


def test_a_loss_by_its_own_interval_is_no_help(measured: SchemesSubject) -> None:
    # Goodput falls by 8 %, which the interval excludes but the verdict of many does not claim.
    subject = _verdict(measured, {"fairness": ["ftca"]}, {})
    assert schemes.helping(subject) == []
    assert schemes.doubtful(subject) == ["ftca"]
    # A loss that does not matter is none.
    ftca = scheme_values.outcome_of(subject, "ftca")
    ftca["differences"]["total_goodput_bps"] = _difference(-1e3, 1e2, -0.01)
    assert schemes.helping(subject) == ["ftca"]
    # A trade is no help.
    assert schemes.helping(_verdict(measured, {"fairness": ["ftca"]}, {"goodput": ["ftca"]})) == []


def test_stations_that_lose_are_named(measured: SchemesSubject) -> None:
    subject = _verdict(measured, {}, {})
    subject["verdict"]["stations"] = [{"variant": "ftca", "gain": ["sta0"], "lose": ["sta2"]}]
    said = next(f for f in schemes.said(subject) if "get less" in f.headline)
    assert said.text == "sta2 under ftca."
    # By its own interval only, a station loses perhaps.
    station = next(
        s for s in subject["stations"] if (s["variant"], s["station"]) == ("ftca", "sta1")
    )
    station["goodput_difference"] = _difference(-1e6, 1e5, -20.0)
    assert [s["station"] for s in scheme_values.doubtful_stations(subject, "ftca")] == ["sta1"]
