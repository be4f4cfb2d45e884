"""The command line, from the outside."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import polars as pl
import pytest

from examples import LOSSY_LINK

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Program

LINK_KEYS = {
    "name",
    "packets",
    "prr",
    "prr_ci",
    "class",
    "g",
    "b",
    "mu",
    "beta",
    "longest_success_burst",
    "longest_loss_burst",
    "converged",
    "tcp",
}
ESTIMATE = {"mean", "ci_low", "ci_high"}
SCENARIO = f'duration = "5 s"\nreplications = 3\n{LOSSY_LINK}'


def test_version_and_help(run: Program) -> None:
    import airtcp

    assert run("--version").out == f"airtcp {airtcp.__version__}\n"
    for command in ("study", "run", "trace", "list", "schema"):
        assert command in run("--help").out
        assert run(command, "--help").code == 0


def test_help_loads_nothing_heavy() -> None:
    script = (
        "import sys, airtcp.cli\n"
        "sys.argv = ['airtcp', '--help']\n"
        "airtcp.cli.os._exit = sys.exit\n"
        "try: airtcp.cli.main()\n"
        "except SystemExit: pass\n"
        "heavy = {'polars', 'altair', 'jinja2', 'vl_convert', 'airtcp._core', 'numpy'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


def test_study_prints_a_table_and_writes_the_report_on_request(
    run: Program, traces: Path, tmp_path: Path
) -> None:
    ended = run("study", traces / "bursty.txt", "--replicas", "3", "--seed", "11", "--details")
    assert ended.code == 0, ended.err
    # Nothing is written unasked.
    assert not (tmp_path / "report.html").exists()
    html = ("--html", "report.html")
    ended = run(
        "study", traces / "bursty.txt", "--replicas", "3", "--seed", "11", "--details", *html
    )
    assert ended.code == 0, ended.err
    opened = run("study", traces / "bursty.txt", "--open")
    assert opened.code == 2
    assert "--html FILE" in opened.err
    assert "bursty" in ended.out
    assert "intermediate" in ended.out
    assert "mu = " in ended.out
    assert "seed 11" in ended.out
    assert "\x1b" not in ended.out + ended.err
    assert "report: report.html" in ended.err
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    # A second run replaces it, because airtcp wrote it.
    assert run("study", traces / "bursty.txt", "--replicas", "2", *html).code == 0


def test_a_report_that_is_not_ours_is_left_alone(
    run: Program, traces: Path, tmp_path: Path
) -> None:
    (tmp_path / "report.html").write_text("<p>of the quarter</p>")
    ended = run("study", traces / "bursty.txt", "--replicas", "2", "--html", "report.html")
    assert ended.code == 2
    assert "report.html" in ended.err
    assert (tmp_path / "report.html").read_text() == "<p>of the quarter</p>"
    assert run("study", traces / "bursty.txt", "--replicas", "2").code == 0


def test_study_json(run: Program, traces: Path, tmp_path: Path) -> None:
    ended = run("study", traces, "--replicas", "3", "--json")
    assert ended.code == 0, ended.err
    document = json.loads(ended.out)
    assert document["schema"] == "airtcp.study/1"
    assert document["seed"] == 1
    assert [file["path"].endswith("notes.txt") for file in document["skipped"]] == [True]
    assert len(document["links"]) == 6
    for link in document["links"]:
        assert set(link) >= LINK_KEYS
        assert set(link["tcp"]["independent"]["packets_per_second"]) == ESTIMATE
        assert isinstance(link["tcp"]["empirical"]["packets_per_second"], float)
    by_name = {link["name"]: link for link in document["links"]}
    assert by_name["perfect"]["class"] == "perfect"
    assert by_name["perfect"]["mu"] is None
    assert by_name["perfect"]["tcp"]["gilbert_elliott"] is None
    assert by_name["dead"]["prr"] == 0
    assert set(by_name["bursty"]["tcp"]["gilbert_elliott"]["packets_per_second"]) == ESTIMATE
    assert not by_name["short"]["converged"]
    # No file was requested.
    assert list(tmp_path.iterdir()) == []


def test_study_json_follows_its_schema(run: Program, traces: Path) -> None:
    import jsonschema

    document = json.loads(run("study", traces, "--replicas", "2", "--json").out)
    jsonschema.validate(document, json.loads(run("schema", "study").out))


def test_same_seed_same_bytes_with_any_number_of_workers(run: Program, traces: Path) -> None:
    texts = [
        run("study", traces / "bursty.txt", "--replicas", "4", "--json", "--workers", workers).out
        for workers in ("1", "2")
    ]
    one, two = (json.loads(text) for text in texts)
    for document in (one, two):
        document["options"].pop("workers", None)
    assert one == two


def test_formats(run: Program, traces: Path) -> None:
    common = ("study", traces / "bursty.txt", traces / "short.txt", "--replicas", "2")
    rows = list(csv.DictReader(io.StringIO(run(*common, "--format", "csv").out)))
    assert [row["name"] for row in rows] == ["bursty", "short"]
    lines = run(*common, "--format", "jsonl").out.splitlines()
    assert [json.loads(line)["name"] for line in lines] == ["bursty", "short"]


def test_parquet_on_standard_output(program: list[str], traces: Path, tmp_path: Path) -> None:
    command = [*program, "study", str(traces / "bursty.txt"), "--replicas", "2"]
    done = subprocess.run(
        [*command, "--format", "parquet"], capture_output=True, cwd=tmp_path, check=True
    )
    assert pl.read_parquet(done.stdout)["name"].to_list() == ["bursty"]


def test_out_holds_everything(run: Program, traces: Path, tmp_path: Path) -> None:
    ended = run("study", traces / "bursty.txt", "--replicas", "2", "--out", "results")
    assert ended.code == 0, ended.err
    folder = tmp_path / "results"
    names = {path.name for path in folder.iterdir()}
    assert {"study.json", "report.html", "links.parquet", "cwnd.parquet"} <= names
    # The list of the result's files; no unfinished files.
    assert [name for name in names if name.startswith(".")] == [".airtcp.json"]
    assert json.loads((folder / "study.json").read_text("utf-8"))["schema"] == "airtcp.study/1"
    assert pl.read_parquet(folder / "links.parquet").height == 1
    assert not (tmp_path / "report.html").exists()


def test_standard_input(run: Program) -> None:
    ended = run("study", "-", "--replicas", "2", "--json", stdin=b"10110101" * 200)
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["links"][0]["packets"] == 1600


def test_quiet_says_nothing_beside_the_result(run: Program, traces: Path) -> None:
    ended = run("study", traces / "bursty.txt", "--replicas", "2", "--quiet")
    assert ended.err == ""


def test_run(run: Program, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO)
    ended = run("run", "s.toml", "--json")
    assert ended.code == 0, ended.err
    document = json.loads(ended.out)
    assert document["schema"] == "airtcp.run/1"
    assert len(document["replications"]) == 3
    first = document["replications"][0]
    assert {"flows", "links", "conservation", "fingerprint"} <= set(first)
    assert first["conservation"]["ok"]
    flow = document["summary"]["flows"][0]
    assert set(flow["goodput_bps"]) == ESTIMATE
    assert "srtt_s" in flow
    table = run("run", "s.toml", "--details")
    assert "goodput (Mb/s)" in table.out
    assert "seed 1" in table.out


def test_run_options(run: Program, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO)
    ended = run(
        *("run", "s.toml", "--seed", "9", "-n", "2", "--set", "links[0].rate=1 Mb/s"),
        *("--series", "--pcap", "a.pcapng", "--out", "results", "--json"),
    )
    assert ended.code == 0, ended.err
    document = json.loads(ended.out)
    assert document["seed"] == 9
    assert len(document["replications"]) == 2
    assert document["summary"]["total_goodput_bps"]["mean"] < 1e6
    assert (tmp_path / "a.pcapng").read_bytes()[:4] == b"\x0a\x0d\x0d\x0a"
    names = {path.name for path in (tmp_path / "results").iterdir()}
    assert {"run.json", "report.html", "flows.parquet", "window_series.parquet"} <= names


def test_run_follows_its_schema(run: Program, tmp_path: Path) -> None:
    import jsonschema

    (tmp_path / "s.toml").write_text(SCENARIO)
    document = json.loads(run("run", "s.toml", "--json").out)
    jsonschema.validate(document, json.loads(run("schema", "run").out))


def test_run_from_standard_input(run: Program) -> None:
    ended = run("run", "-", "--json", stdin=SCENARIO.encode())
    assert ended.code == 0, ended.err


def test_trace_commands(run: Program, tmp_path: Path) -> None:
    made = run("trace", "synth", "a.txt", "--prr", "0.4", "--mu", "0.5", "--packets", "5000")
    assert made.code == 0, made.err
    stats = json.loads(run("trace", "stats", "a.txt", "--json").out)
    assert stats["schema"] == "airtcp.trace/1"
    assert stats["links"][0]["packets"] == 5000
    assert "intermediate" in run("trace", "stats", "a.txt", "--details").out
    assert run("trace", "convert", "a.txt", "--to", "b.csv", "--format", "csv").code == 0
    assert run("trace", "convert", "a.txt", "--to", "by-name.csv").code == 0
    assert (tmp_path / "by-name.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    again = json.loads(run("trace", "stats", "b.csv", "--json").out)
    assert again["links"][0]["mu"] == stats["links"][0]["mu"]
    rows = list(csv.DictReader(io.StringIO(run("trace", "stats", "a.txt", "--format", "csv").out)))
    assert rows[0]["packets"] == "5000"
    assert (tmp_path / "b.csv").exists()


def test_list_and_schema(run: Program) -> None:
    entries = json.loads(run("list", "--json").out)
    families = {entry["family"] for entry in entries}
    assert {"loss", "queue", "congestion", "recovery", "tcp-profile", "layout"} <= families
    assert "red" in run("list", "queue").out
    assert run("list", "queues").out == run("list", "queue").out
    for kind in ("scenario", "study", "run", "trace"):
        assert "properties" in json.loads(run("schema", kind).out)


@pytest.mark.parametrize("command", [["study", "bursty.txt"], ["list"], ["schema"]])
def test_a_closed_pipe_is_no_error(program: list[str], traces: Path, command: list[str]) -> None:
    arguments = [*program, *command]
    if command[0] == "study":
        arguments += ["--json", "--replicas", "2"]
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=traces
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        child.wait(timeout=300)
        assert b"Traceback" not in child.stderr.read()


def test_chance_does_not_look_like_a_finding(run: Program) -> None:
    assert run("trace", "synth", "steady.txt", "--prr", "0.9", "--packets", "20000").code == 0
    ended = run("study", "steady.txt", "--details")
    assert "within what links of independent losses and equal PRR give" in ended.out
    row = next(line for line in ended.out.splitlines() if line.strip().startswith("steady"))
    assert "~" in row
    assert row.rstrip()[-1] != "]"
    assert "not significant" in ended.out
    assert "No significant difference" in ended.out


def test_a_reader_that_has_seen_enough_is_no_failure(program: list[str], traces: Path) -> None:
    command = [*program, "study", str(traces), "--replicas", "2", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.close()
        assert started.stderr.read() == b""
    assert started.returncode == 0
