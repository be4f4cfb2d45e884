"""Sweeps: points, keys, storage, refusals, and that other programs read the results."""

from __future__ import annotations

import hashlib
import json
import math
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import duckdb
import polars as pl
import pytest

import airtcp
from airtcp.data.extension import mean_interval
from airtcp.files.destinations import PlaceError
from airtcp.questions.sweep.plan import Plan
from airtcp.questions.sweep.store import Store
from airtcp.questions.sweep.sweep_file import read
from airtcp.questions.sweep.until import excess, needed
from conftest import ENVIRONMENT
from examples import SCENARIOS

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Program

LINK: dict[str, Any] = {
    "duration": "1 s",
    "links": [
        {
            "from": "a",
            "to": "b",
            "rate": "10 Mb/s",
            "delay": "20 ms",
            "loss": {"model": "bernoulli", "probability": 0.01},
        }
    ],
    "flows": [{"from": "a", "to": "b"}],
}
LOSS = "links[0].loss.probability"


def asked(**more: Any) -> dict[str, Any]:
    """A sweep of four points."""
    vary = {"links[0].delay": ["5 ms", "20 ms"], LOSS: [0.001, "2 %"]}
    return {"scenario": LINK, "replications": 3, "vary": vary} | more


def rows(result: airtcp.SweepResult) -> list[dict[str, Any]]:
    found = result.points.rows()
    return sorted(found, key=lambda row: (row["key"], row["kind"], row["name"]))


def run(given: dict[str, Any], out: Path, **more: Any) -> airtcp.SweepResult:
    return airtcp.sweep(given, out=out, **({"workers": 1, "report": False} | more))


def test_a_point_has_the_numbers_of_a_run(tmp_path: Path) -> None:
    result = run(asked(seed=7), tmp_path / "out")
    assert len({row["key"] for row in rows(result)}) == 4
    (flow,) = (
        row
        for row in rows(result)
        if row["kind"] == "flow" and row[LOSS] == 0.02 and row["links[0].delay_s"] == 0.005
    )
    alone = airtcp.run(
        "scenario",
        text=json_toml(LINK),
        seed=7,
        replications=3,
        overrides={LOSS: "2 %", "links[0].delay": "5 ms"},
    )
    summary = alone.json["summary"]["flows"][0]["goodput_bps"]
    assert flow["goodput_bps"] == summary["mean"]
    assert flow["goodput_bps_ci_low"] == summary["ci_low"]
    assert flow["goodput_bps_ci_high"] == summary["ci_high"]
    assert flow["replications"] == 3


def json_toml(table: dict[str, Any]) -> str:
    from airtcp.inputs.toml_text import inline

    return "\n".join(f"{key} = {inline(value)}" for key, value in table.items())


def test_numbers_do_not_depend_on_workers_order_or_other_points(tmp_path: Path) -> None:
    one = rows(run(asked(), tmp_path / "one", workers=1))
    two = rows(run(asked(), tmp_path / "two", workers=2))
    turned = {LOSS: ["2 %", 0.001, 0.005], "links[0].delay": ["20 ms", "5 ms"]}
    other = rows(run(asked(vary=turned), tmp_path / "three"))
    keys = {row["key"] for row in one}
    assert one == two
    names = list(one[0])
    assert [{n: row[n] for n in names} for row in other if row["key"] in keys] == one


def test_an_extended_sweep_runs_new_points_only(tmp_path: Path) -> None:
    out = tmp_path / "out"
    before = rows(run(asked(), out))
    more = {"links[0].delay": ["5 ms", "20 ms", "40 ms"], LOSS: [0.001, "2 %"]}
    wider = run(asked(vary=more), out)
    assert wider.json["points"]["run"] == 2
    assert [row for row in rows(wider) if row["links[0].delay_s"] != 0.04] == before
    # Another key, with the value that the scenario has and one more: half of the points are known.
    third = run(asked(vary=more | {"links[0].rate": ["10 Mb/s", "20 Mb/s"]}), out)
    assert third.json["points"] == {
        "number": 12,
        "distinct": 12,
        "finished": 12,
        "run": 6,
        "failed": 0,
        "wide": None,
        "zero": None,
    }
    assert {row["links[0].rate_bps"] for row in rows(third)} == {1e7, 2e7}
    # The smaller sweep again: the other points leave the dataset, but not the folder.
    back = run(asked(), out)
    assert back.json["points"]["run"] == 0
    assert rows(back) == before
    assert run(asked(vary=more), out).json["points"]["run"] == 0


def test_a_key_changes_with_the_content_only(tmp_path: Path) -> None:
    def key(given: dict[str, Any]) -> str:
        return Plan(read(given)).point(0).key

    base = key(asked())
    assert key(asked(title="other words")) == base
    assert key(asked(vary={LOSS: ["0.1 %"], "links[0].delay": ["5000 us"]})) == base
    assert key(asked(seed=2)) != base
    assert key(asked(replications=4)) != base
    assert key(asked(measure=["goodput_bps"])) != base
    assert key(asked(set={"duration": "2 s"})) != base
    # A file that the scenario names belongs to the content.
    trace = tmp_path / "link.txt"
    trace.write_text("1" * 500 + "0" * 20)
    loss = {"model": "trace", "path": str(trace), "slot": "10 ms"}
    replayed = asked(vary={"links[0].loss": [loss]})
    first = key(replayed)
    trace.write_text("1" * 400 + "0" * 120)
    assert key(replayed) != first


def test_equal_points_run_once(tmp_path: Path) -> None:
    given = asked(vary={"links[0].delay": ["5 ms", "0.005 s", "5000 us"]})
    points = run(given, tmp_path / "out").json["points"]
    assert (points["number"], points["distinct"], points["run"]) == (3, 1, 1)


def test_designs_have_their_points() -> None:
    zipped = Plan(read(asked(design="list")))
    assert [point.cells for point in zipped] == [(0.005, 0.001), (0.02, 0.02)]
    span = {"from": "1 ms", "to": "100 ms", "scale": "log"}
    steps = Plan(read(asked(vary={"links[0].delay": span | {"steps": 3}})))
    assert [point.cells[0] for point in steps] == [0.001, 0.01, 0.1]
    cube = Plan(
        read(
            asked(
                vary={"links[0].delay": span, LOSS: ["0.1 %", "1 %"]},
                design="latin-hypercube",
                points=20,
            )
        )
    )
    logs = sorted(math.log(point.cells[0] / 0.001) / math.log(100) for point in cube)
    # Each twentieth of the range has one point, and each level ten.
    assert [math.floor(20 * share) for share in logs] == list(range(20))
    assert Counter(point.cells[1] for point in cube) == {0.001: 10, 0.01: 10}


@pytest.mark.filterwarnings("ignore")
def test_sobol_indices_find_the_key_that_matters(tmp_path: Path) -> None:
    pytest.importorskip("SALib")
    vary = {
        "rate": {"key": "links[0].rate", "from": "1 Mb/s", "to": "4 Mb/s"},
        "queue": {"key": "links[0].queue.packets", "from": 200, "to": 220},
    }
    # Without losses, the rate decides the goodput.
    (link,) = LINK["links"]
    queue = {"kind": "drop-tail", "packets": 200}
    clean = LINK | {
        "links": [{k: link[k] for k in ("from", "to", "rate", "delay")} | {"queue": queue}]
    }
    given = asked(scenario=clean, vary=vary, design="sobol", points=16, replications=1)
    result = run(given, tmp_path / "out")
    assert result.json["points"]["number"] == 16 * (2 + 2)
    (goodput,) = (one for one in result.json["sensitivity"] if one["measure"] == "goodput_bps")
    assert goodput["method"] == "sobol"
    rate, queue = goodput["keys"]
    assert rate["first"]["mean"] > 0.8
    assert abs(queue["total"]["mean"]) < 0.1
    # More base samples keep the first ones.
    more = {point.key for point in Plan(read(given | {"points": 32}))}
    assert {point.key for point in Plan(read(given))} <= more


def test_duckdb_and_polars_read_while_the_sweep_runs(tmp_path: Path) -> None:
    out = tmp_path / "out"
    delays = [f"{i} ms" for i in range(1, 41)]
    seen: list[tuple[int, int, int]] = []

    def look(done: int, _total: int, _label: str) -> None:
        pattern = f"{out}/points/**/*.parquet"
        if not list(out.glob("points/*.parquet")):
            return
        query = "select count(*), count(distinct (key, kind, name)) from read_parquet(?)"
        found = duckdb.execute(query, [pattern]).fetchone()
        assert found is not None
        assert pl.scan_parquet(pattern).select(pl.len()).collect().item() == found[0]
        seen.append((done, *found))

    long = {"duration": "10 s"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("airtcp.questions.sweep.store._FIRST_S", 0.01)
        given = asked(vary={"links[0].delay": delays}, set=long, replications=4)
        run(given, out, workers=2, progress=look)
    assert seen, "the sweep ended before a chunk was written"
    assert all(number == distinct for _, number, distinct in seen)


def test_comparisons_and_studies_are_swept_too(tmp_path: Path) -> None:
    compared = run(
        asked(
            kind="compare",
            options={"tcp": "reno,cubic"},
            vary={"links[0].delay": ["5 ms", "50 ms"]},
        ),
        tmp_path / "compared",
    )
    assert {(row["kind"], row["name"]) for row in rows(compared)} == {
        ("variant", "reno"),
        ("variant", "cubic"),
    }
    trace = airtcp.synth(tmp_path / "link.txt", prr=0.7, mu=0.5, packets=3000, seed=1)
    studied = run(
        {
            "of": str(trace),
            "options": {"replicas": 2},
            "vary": {"options.profile": ["s1", "linux"]},
        },
        tmp_path / "studied",
    )
    assert {row["options.profile"] for row in rows(studied)} == {"s1", "linux"}
    prr = {row["prr"] for row in rows(studied)}
    assert prr == {airtcp.stats(trace)["links"][0]["prr"]}


def test_a_point_that_the_scenario_refuses_is_a_failure(tmp_path: Path, run_cli: Program) -> None:
    # A segment of 1460 bytes does not fit into 600 bytes.
    given = asked(vary={"flows[0].tcp.mss": [400, 1460], "links[0].mtu": ["600 B", "1500 B"]})
    result = run(given, tmp_path / "out")
    assert result.json["points"]["finished"] == 3
    (failure,) = result.failures
    assert failure["values"] == {"flows[0].tcp.mss": "1460", "links[0].mtu": "600 B"}
    assert "mtu" in failure["message"]
    # The next call runs it again.
    assert run(given, tmp_path / "out").json["points"] | {"run": 0} == result.json["points"] | {
        "run": 0
    }
    (tmp_path / "bad.toml").write_text(
        'of = "link.toml"\n[vary]\n"flows[0].tcp.mss" = [400, 1460]\n'
        '"links[0].mtu" = ["600 B", "1500 B"]\n'
    )
    (tmp_path / "link.toml").write_text(json_toml(LINK))
    ended = run_cli("sweep", "bad.toml", "--workers", "1", "-n", "2")
    assert ended.code == 2
    assert "failed: flows[0].tcp.mss=1460, links[0].mtu=600 B: " in ended.err
    assert "1 of 4 points failed; the same command runs it again" in ended.err


@pytest.fixture
def run_cli(request: pytest.FixtureRequest) -> Program:
    """The fixture `run` under a name that the function `run` of this file does not hide."""
    return request.getfixturevalue("run")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"vari": {}}, 'vari: unknown key; did you mean "vary"?'),
        ({"design": "grit"}, 'did you mean "grid"?'),
        ({"vary": {}}, "vary: expected a table of keys"),
        ({"vary": {"a": 3}}, "vary.a: found 3; expected a list, or a range"),
        ({"vary": {"a": {"from": "1 ms", "to": "2 Mb/s", "steps": 2}}}, "have different units"),
        (
            {"vary": {"a": {"from": 1, "to": 2}}},
            "vary.a.steps: missing; expected a whole number",
        ),
        ({"vary": {"a": {"from": 2, "to": 1, "steps": 2}}}, "vary.a.to: is 1; expected more than"),
        (
            {"vary": {"a": {"from": 0, "to": 1, "steps": 2, "scale": "log"}}},
            "more than 0 with a log",
        ),
        ({"vary": {"a": {"form": 0}}}, 'vary.a.form: unknown key; did you mean "from"?'),
        ({"vary": {"name": [1]}}, '"name" is a column of the results'),
        ({"design": "list", "vary": {"a": [1], "b": [1, 2]}}, "a has 1, b has 2"),
        ({"design": "latin-hypercube"}, "points: missing"),
        ({"points": 5}, "points: a grid has the points of [vary]"),
        ({"measure": ["goodput"]}, 'did you mean "goodput_bps"?'),
        ({"until": {"goodput_bps": "2 %"}}, "either `replications` or [until]"),
        ({"replications": 0}, "replications: found 0; expected a whole number from 1"),
        ({"min_replications": 5}, "stands beside [until]"),
        ({"options": {"tcp": "cubic"}}, "options: a run has no options"),
        ({"of": "x.toml"}, "expected one of"),
        ({"kind": "compare", "options": {"tpc": "cubic"}}, 'did you mean "tcp"?'),
    ],
)
def test_a_wrong_key_is_refused_with_its_place(change: dict[str, Any], said: str) -> None:
    with pytest.raises(airtcp.AirtcpError, match=re.escape(said)):
        Plan(read(asked(**change)))


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("important")
    with pytest.raises(PlaceError, match=r"holds thesis.tex and is not the folder of a sweep"):
        run(asked(), tmp_path)
    sweep = read(asked())
    store = Store(tmp_path / "out", Plan(sweep))
    try:
        with pytest.raises(PlaceError, match="another sweep runs in this folder"):
            run(asked(), tmp_path / "out")
    finally:
        store.close()


def test_many_small_chunks_are_merged(tmp_path: Path) -> None:
    plan = Plan(read(asked(vary={"links[0].delay": [f"{i} ms" for i in range(1, 81)]})))
    store = Store(tmp_path, plan)
    row = ["flow", "flow0", [1.0] * 27]
    for point in plan:
        store.append(point, {"n": 3, "narrow": True, "rows": [row]})
        store.flush(now=True)
    store.close()
    assert len(list(tmp_path.glob("points/*.parquet"))) == 80
    again = Store(tmp_path, plan)
    again.open(plan)
    again.close()
    assert len(list(tmp_path.glob("points/*.parquet"))) == 1
    assert len(again.done) == 80


def test_a_rewrite_that_was_killed_loses_and_doubles_nothing(tmp_path: Path) -> None:
    before = rows(run(asked(), tmp_path))
    (chunk,) = tmp_path.glob("points/*.parquet")
    unused = tmp_path / "unused"
    unused.mkdir()
    # Killed after the new chunk was written, and killed after the old one was removed.
    for keep in (True, False):
        digest = chunk.stem.partition("-")[2]
        (unused / f"00000005-{digest}.parquet").write_bytes(chunk.read_bytes())
        if not keep:
            chunk.unlink()
        again = run(asked(), tmp_path)
        assert again.json["points"]["run"] == 0
        assert rows(again) == before


def test_until_stops_when_the_interval_is_narrow(tmp_path: Path) -> None:
    # In runs of a second or two, a stall that no replication shows decides the width.
    long = {"duration": "10 s"}
    given = asked(until={"goodput_bps": "5 %"}, min_replications=5, max_replications=60, set=long)
    del given["replications"]
    found = [row for row in rows(run(given, tmp_path / "out")) if row["kind"] == "flow"]
    assert len({row["replications"] for row in found}) > 1
    for row in found:
        half = (row["goodput_bps_ci_high"] - row["goodput_bps_ci_low"]) / 2
        assert row["narrow"] == (half <= 0.05 * row["goodput_bps"])
        assert row["narrow"] or row["replications"] == 60


def covered(draw: Any, mean: float, width: float, least: int, rounds: int) -> tuple[float, float]:
    """Return the share of intervals that cover the mean, and the mean number of replications."""
    hits, numbers = 0, []
    for _ in range(rounds):
        values = [draw() for _ in range(least)]
        while True:
            interval = mean_interval(values)
            assert interval is not None
            wider = excess([("m", (statistics.fmean(values), *interval))], {"m": width})
            if wider <= 1 or len(values) >= 2000:
                break
            more = needed(len(values), wider, 2000) - len(values)
            values += [draw() for _ in range(more)]
        hits += interval[0] <= mean <= interval[1]
        numbers.append(len(values))
    return hits / rounds, statistics.fmean(numbers)


@pytest.mark.parametrize(("name", "least_share"), [("normal", 0.92), ("lognormal", 0.90)])
def test_intervals_after_stopping_cover_nearly_as_often_as_stated(
    name: str, least_share: float
) -> None:
    """docs/guide/sweep.md states the coverage; these bounds are four standard errors below it."""
    source = random.Random(5)  # noqa: S311
    sigma = 0.5

    def draw() -> float:
        normal = source.gauss(0.0, 1.0)
        return 10 + 2 * normal if name == "normal" else math.exp(sigma * normal)

    mean = 10.0 if name == "normal" else math.exp(sigma * sigma / 2)
    share, number = covered(draw, mean, 0.05, 10, 1000)
    assert number > 20, "the rule stopped at once"
    assert least_share < share < 0.97


def test_a_dry_run_counts_and_writes_nothing(tmp_path: Path, run_cli: Program) -> None:
    path = SCENARIOS / "sweeps" / "loss-and-delay.toml"
    ended = run_cli("sweep", path, "--dry-run", "--workers", "2", "--set", "duration=1 s")
    assert ended.code == 0, ended.err
    assert ended.out.startswith("15 points, 0 of them finished\none point of 10 replications took ")
    assert "15 points with 2 workers: about" in ended.out
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [b"", b"text", b"PAR1" + b"x" * 40 + b"PAR1"])
def test_a_damaged_chunk_is_named(tmp_path: Path, content: bytes) -> None:
    run(asked(), tmp_path / "out")
    points = tmp_path / "out" / "points"
    (points / "other.parquet").write_bytes(content)
    with pytest.raises(airtcp.AirtcpError, match=r"other\.parquet: not a chunk as a sweep wrote"):
        run(asked(), tmp_path / "out")
    (points / "other.parquet").unlink()
    digest = hashlib.sha256(content).hexdigest()[:16]
    (points / f"00000009-{digest}.parquet").write_bytes(content)
    with pytest.raises(airtcp.AirtcpError, match=r"\.parquet: not a chunk of a sweep"):
        run(asked(), tmp_path / "out")


def test_every_changed_bit_of_a_chunk_is_found(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = run(asked(), tmp_path / "out")
    (chunk,) = tmp_path.glob("out/points/*.parquet")
    whole = chunk.read_bytes()
    for at in range(0, len(whole), max(len(whole) // 200, 1)):
        bad = bytearray(whole)
        bad[at] ^= 1 << at % 8
        chunk.write_bytes(bad)
        with pytest.raises(airtcp.AirtcpError, match=re.escape(chunk.name)):
            run(asked(), tmp_path / "out")
    chunk.write_bytes(whole)
    assert rows(run(asked(), tmp_path / "out")) == rows(before)
    # The library that reads Parquet prints a panic of its own.
    assert "panicked" not in capfd.readouterr().err


def test_what_no_sweep_can_run_is_refused_before_it_begins(tmp_path: Path) -> None:
    huge = {f"links[0].{key}": list(range(300)) for key in ("a", "b", "c")}
    with pytest.raises(airtcp.AirtcpError, match="a grid of 300 x 300 x 300 points"):
        run(asked(vary=huge), tmp_path / "out")
    sweep = "of = 'link.toml'\nvary = { 'links[0].queue' = { from = 1.0, to = inf, steps = 3 } }\n"
    (tmp_path / "link.toml").write_text(json_toml(LINK))
    (tmp_path / "endless.toml").write_text(sweep)
    with pytest.raises(airtcp.AirtcpError, match="to"):
        read(tmp_path / "endless.toml")


def test_ctrl_c_keeps_what_is_finished(tmp_path: Path, program: list[str]) -> None:
    write_long_sweep(tmp_path, 399, "1500 s")
    script = [program[0], "-c", FAST]
    command = [*script, "sweep", "long.toml", "--out", "out", "--workers", "2", "--json"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        while not list(tmp_path.glob("out/points/*.parquet")):
            time.sleep(0.05)
            assert child.poll() is None, "the sweep ended before it could be interrupted"
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=120)
    assert child.returncode == 130, err
    assert b"Traceback" not in err
    assert b"the same command goes on" in err
    document = json.loads(out)
    assert document["interrupted"]
    assert len(stored(tmp_path / "out")) == document["points"]["finished"] < 399
    assert (tmp_path / "out" / "report.html").is_file()


def write_long_sweep(folder: Path, number: int, duration: str) -> None:
    """Write a sweep of many points as `long.toml`."""
    (folder / "link.toml").write_text(json_toml(LINK))
    delays = ", ".join(f'"{i} ms"' for i in range(1, number + 1))
    (folder / "long.toml").write_text(
        f'of = "link.toml"\nset = {{ duration = "{duration}" }}\n'
        f'vary = {{ "links[0].delay" = [{delays}] }}\n'
    )


def stored(out: Path) -> set[str]:
    """The keys in a dataset, whose rows differ."""
    frame = pl.concat([pl.read_parquet(path) for path in sorted(out.glob("points/*.parquet"))])
    assert not frame.select("key", "kind", "name").is_duplicated().any()
    return set(frame["key"])


def test_the_page_has_the_results_and_no_network(tmp_path: Path, browser: Any) -> None:
    given = asked(measure=["goodput_bps", "rtt_mean_s"])
    result = run(given, tmp_path / "out", report=True)
    page = browser.open(tmp_path / "out" / "report.html")
    drawn = page.locator("[data-drawn]")
    drawn.first.wait_for()
    assert drawn.count() == 5
    assert page.get_by_text("The sweep is complete").count() == 1
    assert browser.complaints == []
    assert result.page() == (tmp_path / "out" / "report.html").read_text("utf-8")


def test_a_notebook_shows_the_answer_and_points(tmp_path: Path) -> None:
    result = run(asked(), tmp_path / "out")
    html = result._repr_html_()
    assert json.loads(result.text)["answer"]["headline"] in html
    assert "4 of 4 points" in html
    assert "<table" in html
    assert "<script" not in html


def test_a_killed_worker_is_replaced(tmp_path: Path) -> None:
    from airtcp.inputs.pool import Pool

    undisturbed = rows(run(asked(), tmp_path / "one"))
    pools: list[Pool] = []
    start = Pool.__enter__
    many = {"links[0].delay": [f"{i} ms" for i in range(1, 61)]}
    given = asked(vary=many, set={"duration": "20 s"})
    source = random.Random(3)  # noqa: S311

    def enter(pool: Pool) -> Pool:
        pools.append(pool)
        return start(pool)

    def kill(done: int, total: int, _label: str) -> None:
        if 0 < done < total - 5 and source.random() < 0.3:
            os.kill(source.choice(pools[0].processes), signal.SIGKILL)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pool, "__enter__", enter)
        killed = run(given, tmp_path / "killed", workers=2, progress=kill)
    assert killed.json["workers_lost"] > 0
    assert killed.json["points"]["finished"] == 60
    assert rows(killed) == rows(run(given, tmp_path / "calm", workers=2))
    assert undisturbed


def test_a_killed_coordinator_goes_on_with_the_same_numbers(
    tmp_path: Path, program: list[str]
) -> None:
    """Six times at a random moment; the workers of a killed coordinator end."""
    write_long_sweep(tmp_path, 120, "1500 s")
    command = [*program, "sweep", "long.toml", "--workers", "2", "-q"]
    source = random.Random(11)  # noqa: S311
    kills, counts = 0, [0]
    for _ in range(6):
        script = [program[0], "-c", FAST, *command[3:], "--out", "killed"]
        with subprocess.Popen(
            script, cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.DEVNULL
        ) as child:
            begin = len(list(tmp_path.glob("killed/points/*.parquet")))
            wait = source.choice([0.0, 0.1, 0.3])
            while child.poll() is None and not wait <= 0:
                if len(list(tmp_path.glob("killed/points/*.parquet"))) > begin:
                    time.sleep(wait)
                    break
                time.sleep(0.02)
            time.sleep(0.5 * (wait == 0))
            child.kill()
            kills += child.wait() == -signal.SIGKILL
        if list(tmp_path.glob("killed/points/*.parquet")):
            counts.append(len(stored(tmp_path / "killed")))
    assert kills >= 3
    assert counts == sorted(counts), "points were lost"
    for out in ("killed", "calm"):
        subprocess.run(
            [*command, "--out", out],
            cwd=tmp_path,
            env=ENVIRONMENT,
            check=True,
            stdout=subprocess.DEVNULL,
        )
    assert len(stored(tmp_path / "killed")) == 120
    assert table_of(tmp_path / "killed").equals(table_of(tmp_path / "calm"))


# The program, which writes a chunk at once.
FAST = """
import sys
from airtcp.questions.sweep import store
store._FIRST_S = 0.05
from airtcp.cli import main
main()
"""


def table_of(out: Path) -> pl.DataFrame:
    parts = [pl.read_parquet(path) for path in out.glob("points/*.parquet")]
    return pl.concat(parts).sort("key", "kind", "name")


DASK = """
def main():
    import os, random, signal
    import airtcp
    from airtcp.questions.sweep import cluster
    from test_sweep import asked, rows
    many = {"links[0].delay": [f"{i} ms" for i in range(1, 61)]}
    given = asked(vary=many, set={"duration": "20 s"})
    source = random.Random(2)
    pools, killed = [], []
    start = cluster.DaskPool.__enter__
    def enter(pool):
        pools.append(pool)
        return start(pool)
    cluster.DaskPool.__enter__ = enter
    def kill(done, total, label):
        if len(killed) < 3 and 0 < done < total - 10 and source.random() < 0.5:
            pids = [one.pid for one in pools[0].cluster.workers.values() if one.pid]
            alive = [pid for pid in pids if pid not in killed]
            if not alive:
                return
            pid = source.choice(alive)
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:  # it has ended by itself, and its nanny starts another
                return
            killed.append(pid)
    dask = airtcp.sweep(given, out="dask", on="dask", workers=2, report=False, progress=kill)
    local = airtcp.sweep(given, out="local", workers=2, report=False)
    assert killed
    assert dask.json["points"]["finished"] == 60, dask.json
    assert rows(dask) == rows(local)
    print("equal after", len(killed), "kills")

if __name__ == "__main__":
    main()
"""


def test_a_dask_cluster_gives_the_same_numbers_with_workers_killed(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    # Dask warns and leaves threads: it has a process of its own.
    (tmp_path / "on_dask.py").write_text(DASK)
    tests = str(SCENARIOS.parent / "tests" / "python")
    paths = os.pathsep.join([tests, *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "on_dask.py"],
        cwd=tmp_path,
        env=ENVIRONMENT | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "equal after" in done.stdout
