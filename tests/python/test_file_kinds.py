"""A file that a command does not read: the refusal says what it is, and which command reads it."""

from __future__ import annotations

import gzip
import json
import shlex
import shutil
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.inputs.file_kinds import READS, belongs_elsewhere, command_for, kind_of
from examples import LOSSY_LINK

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Program

SWEEP = 'of = "sc.toml"\nvary = { "links[0].delay" = ["1 ms", "2 ms"] }\n'
GIVEN = {
    "sc.toml": ("run", "compare", "compare --schemes", "ftca gain", "emulate", "replay"),
    "sw.toml": ("sweep",),
    "tr.txt": ("study", "compare", "trace stats", "trace fit", "trace models", "trace convert"),
    "tr.txt.gz": ("study", "compare", "trace stats", "trace fit", "trace models", "trace convert"),
    "ca.pcapng": ("capture", "diagnose"),
    "study/study.json": ("trace fit",),
    "study": ("trace fit",),
    "run": (),
    "page.html": (),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("kinds")
    (place / "sc.toml").write_text(f'duration = "1 s"\n{LOSSY_LINK}')
    (place / "sw.toml").write_text(SWEEP)
    airtcp.synth(place / "tr.txt", prr=0.9, packets=500)
    (place / "tr.txt.gz").write_bytes(gzip.compress((place / "tr.txt").read_bytes()))
    result = airtcp.run(place / "sc.toml", replications=1, why="no", pcap=place / "ca.pcapng")
    result.write(place / "run", report=False)
    result.report(place / "page.html")
    airtcp.study(place / "tr.txt", replicas=1).write(place / "study", report=False)
    return place


@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.parametrize("command", READS)
def test_each_file_and_each_command(files: Path, name: str, command: str) -> None:
    said = belongs_elsewhere([files / name], command)
    if command in GIVEN[name]:
        assert said is None
        return
    assert said is not None
    assert f"{name}: this is " in said
    for other in GIVEN[name][:1]:
        assert f"'airtcp {other} " in said


def test_the_program_says_so(run: Program, files: Path) -> None:
    for command, name, reader in (
        ("study", "sc.toml", "airtcp run"),
        ("sweep", "sc.toml", "airtcp run"),
        ("run", "tr.txt", "airtcp study"),
        ("run", "sw.toml", "airtcp sweep"),
        ("diagnose", "tr.txt", "airtcp study"),
        ("capture", "sc.toml", "airtcp run"),
        ("run", "ca.pcapng", "airtcp capture"),
    ):
        ended = run(command, files / name)
        assert ended.code == 2
        assert "this is " in ended.err
        assert reader in ended.err, (command, name, ended.err)


def test_links_of_the_package_are_known_in_any_folder(run: Program, tmp_path: Path) -> None:
    """Wrong before: `study` read demo/..., and `diagnose` said that there is no such file."""
    assert not (tmp_path / "demo").exists()
    ended = run("diagnose", "demo/synthetic-good.txt.gz")
    assert ended.code == 2
    assert "this is a trace of a link" in ended.err
    assert "'airtcp study demo/synthetic-good.txt.gz'" in ended.err


def test_a_refusal_has_the_whole_command(run: Program, tmp_path: Path) -> None:
    rows = "".join(f"{second} {20.5 + second % 7}\n" for second in range(60))
    (tmp_path / "rates of a link.txt").write_text(rows)
    ended = run("study", "rates of a link.txt")
    assert ended.code == 2
    command = "airtcp study 'rates of a link.txt' --rate-unit \"Mb/s\""
    assert ended.err.rstrip().endswith(f"; for rates in Mb/s: {command}")
    assert run(*shlex.split(command)[1:]).code == 0


def test_a_file_alone_runs_its_command(run: Program, files: Path) -> None:
    for name, command in (("sc.toml", "run"), ("tr.txt", "study"), ("ca.pcapng", "capture")):
        alone = run(files / name, "--json")
        assert alone.code == 0, alone.err
        assert f"airtcp {command} " in alone.err
        assert f'"schema":"airtcp.{command}/' in alone.out.replace(": ", ":")
    ended = run(files / "page.html")
    assert ended.code == 2
    assert "a browser opens it" in ended.err


def test_a_saved_result_shows_its_answer(run: Program, files: Path) -> None:
    """It is not run again, and nothing is fitted."""
    for result in ("study", "study/study.json"):
        # Sentences and table are those of the study itself; what goes deeper differs.
        for more in ([], ["--details"]):
            asked = run("study", files / "tr.txt", "--replicas", "1", *more).out
            shown = run(files / result, *more)
            said, _, deeper = shown.out.partition("All: --details")
            assert said == asked.partition("All: --details")[0]
            assert said.startswith("TCP gets ")
            assert f"airtcp trace fit {files / result}" in deeper
    shown = run(files / "run")
    assert shown.code == 0, shown.err
    headline = json.loads((files / "run" / "run.json").read_text("utf-8"))["answer"]["headline"]
    assert headline in " ".join(shown.out.split())
    refused = run(files / "study", "--json")
    assert refused.code == 2
    assert "shown alone or with --details" in refused.err
    assert "airtcp trace fit" in refused.err


@pytest.mark.parametrize(
    "text",
    [
        '{"schema":"airtcp.study/1"',
        '{"schema":"airtcp.study/1","airtcp_version":"%s"}',
        '{"schema":"airtcp.study/1","airtcp_version":"%s","links":[3],"capacities":[]}',
        '{"schema":"airtcp.study/1","airtcp_version":"0","answer":{"headline":3}}',
        '{"schema":"airtcp.study/1","airtcp_version":"0","answer":[]}',
        '{"schema":"airtcp.capture/1","airtcp_version":"%s"}',
    ],
)
def test_a_damaged_result_is_refused(run: Program, tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text.replace("%s", airtcp.version()))
    ended = run(tmp_path / "a.json")
    assert ended.code == 2
    assert "this is the result of 'airtcp " in ended.err
    assert "Traceback" not in ended.err


def test_the_answer_of_another_version_is_its_sentences(run: Program, tmp_path: Path) -> None:
    answer = {"headline": "It is so.", "help": None, "doubt": "Perhaps.", "next": "x"}
    document = {"schema": "airtcp.study/1", "airtcp_version": "0.0.1", "answer": answer}
    (tmp_path / "a.json").write_text(json.dumps(document, separators=(",", ":")))
    ended = run(tmp_path / "a.json")
    assert (ended.code, ended.out.splitlines()[:2]) == (0, ["It is so.", "Perhaps."])


@pytest.mark.parametrize(
    ("function", "name", "reader"),
    [
        ("study", "sc.toml", "airtcp.run("),
        ("stats", "sc.toml", "airtcp.run("),
        ("models", "ca.pcapng", "airtcp.capture("),
        ("trace_fit", "sc.toml", "airtcp.run("),
        ("run", "tr.txt", "airtcp.study("),
        ("compare", "ca.pcapng", "airtcp.capture("),
        ("compare_schemes", "tr.txt", "airtcp.study("),
        ("capture", "sc.toml", "airtcp.run("),
        ("diagnose", "tr.txt", "airtcp.study("),
        ("study", "study/study.json", "airtcp.trace_fit("),
    ],
)
def test_a_function_says_so(files: Path, function: str, name: str, reader: str) -> None:
    with pytest.raises(airtcp.AirtcpError) as refused:
        getattr(airtcp, function)(files / name)
    said = str(refused.value)
    assert f"{name}: this is " in said
    assert f"airtcp.{function} reads " in said
    assert reader in said


def test_functions_with_places_say_so(files: Path, tmp_path: Path) -> None:
    with pytest.raises(airtcp.AirtcpError, match=r"airtcp\.sweep reads a sweep file"):
        airtcp.sweep(files / "sc.toml", out=tmp_path / "out")
    with pytest.raises(airtcp.TraceError, match=r"airtcp\.convert reads traces"):
        airtcp.convert([files / "sc.toml"], tmp_path / "out.txt")
    with pytest.raises(airtcp.ScenarioError, match=r"airtcp\.run reads a scenario"):
        airtcp.run(scenario=files / "tr.txt")


def test_other_refusals_of_a_function_stay(files: Path) -> None:
    with pytest.raises(airtcp.AirtcpError) as refused:
        airtcp.study(files / "tr.txt", replicas=0)
    assert "this is " not in str(refused.value)
    # The text of a scenario is given; its name is none of a file to read.
    with pytest.raises(airtcp.ScenarioError) as refused:
        airtcp.run(files / "tr.txt", text="duration = 3")
    assert "this is " not in str(refused.value)


def test_other_files_have_no_kind(tmp_path: Path) -> None:
    for name, content in (
        ("a.toml", b"[project]\nname = 'x'\n"),
        ("a.txt", b"hello\nworld\n"),
        ("a.json", b'{"schema": "other/1"}'),
        ("a.gz", b"\x1f\x8b\x08\x00"),
        ("empty", b""),
        ("cut.toml", b"[[links]]\nfrom = "),
    ):
        (tmp_path / name).write_bytes(content)
        assert kind_of(tmp_path / name) is None, name
        # It may be a table whose columns have to be named.
        assert command_for(tmp_path / name) == "study"
    assert kind_of(tmp_path / "missing") is None
    assert kind_of(tmp_path) is None


def test_an_element_of_a_list_has_its_number_in_brackets(run: Program, files: Path) -> None:
    ended = run("run", files / "sc.toml", "--set", "links.0.rate=5 Mb/s")
    assert ended.code == 2
    assert "links[0].rate" in ended.err
    # The name of the list begins with the key.
    cell = '[[cells]]\nlayout = { kind = "star", stations = 1, radius_m = 5 }\nstations = [{}]\n'
    (files / "cell.toml").write_text(cell)
    ended = run("run", files / "cell.toml", "--set", "cells[0].stations.s=1")
    assert ended.code == 2
    assert "as in cells[0].stations[0].s" in ended.err
    ended = run("run", files / "sc.toml", "--set", "links.rate=5 Mb/s")
    assert ended.code == 2
    assert "links[0].rate" in ended.err


def test_a_folder_of_scenarios_names_who_reads_its_files(run: Program, files: Path) -> None:
    held = files / "held"
    (held / "sweeps").mkdir(parents=True)
    (held / ".hidden").write_text("")
    shutil.copy(files / "sc.toml", held)
    ended = run("study", held)
    assert ended.code == 2
    assert "this is a folder of scenarios" in ended.err
    assert "'airtcp run' and 'airtcp compare' read its files" in ended.err
    # Among other files scenarios do not say what the folder is; nor do other tables.
    (held / "z.md").write_text("words")
    assert kind_of(held) is None
    (held / "z.md").unlink()
    (held / "a.toml").write_text("[project]\nname = 'x'\n")
    assert kind_of(held) is None


def test_run_takes_one_scenario(files: Path) -> None:
    one: Any = [files / "sc.toml"]
    with pytest.raises(TypeError, match=r"^scenario is of list: airtcp\.run reads one"):
        airtcp.run(one)
