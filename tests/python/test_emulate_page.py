"""`airtcp emulate --html`: the page of an emulated run, and the document that it is made of."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

import airtcp
from airtcp.cli.emulated import asked
from airtcp.questions.emulate.result import EmulateResult
from test_emulate import CELL, LINK, needs_namespaces
from test_emulate_control import airtcp_with_live, exchange

if TYPE_CHECKING:
    from pathlib import Path


def emulate(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run `airtcp emulate`."""
    command = [*airtcp_with_live(), "emulate", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture(scope="module")
def cell(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A second of datagrams through a cell with simulated stations, with its page."""
    folder = tmp_path_factory.mktemp("page")
    document, page = folder / "run.json", folder / "run.html"
    options = ("--json", document, "--html", page)
    done = emulate(CELL, *options, *exchange(folder, 50))
    assert done.returncode in {0, 3}, done.stderr
    assert f"report: {page}\n" in done.stderr
    return {**json.loads(document.read_text("utf-8")), "page": page.read_text("utf-8")}


@needs_namespaces
def test_the_document_has_its_schema_and_adds_up(cell: dict[str, Any]) -> None:
    document = {key: value for key, value in cell.items() if key != "page"}
    jsonschema.validate(document, airtcp.schema("emulate"))
    packets = document["packets"]
    assert sum(row["packets"] for row in document["flows"]) == (
        packets["delivered"] + packets["dropped"]
    )
    assert sum(row["dropped"] for row in document["series"]) == packets["dropped"]
    for number, port in enumerate(document["ports"]):
        bits = sum(row["rate_bps"][number] * row["duration_s"] for row in document["series"])
        assert bits == pytest.approx(8 * port["bytes"], abs=1)
    udp = [row for row in document["flows"] if row["protocol"] == "udp"]
    assert len(udp) == 2
    assert {row["node"] for row in udp} == {"ap", "console"}
    assert all(84 * 40 <= row["bytes"] <= 84 * 50 for row in udp)
    assert udp[0]["source"] == udp[1]["destination"]
    # Four stations upload, stream, play and download.
    assert max(row["airtime_share"][0] for row in document["series"]) > 0.05
    assert all(0 <= row["airtime_share"][0] <= 1 for row in document["series"])


@needs_namespaces
def test_the_page_has_the_answer_and_its_parts(cell: dict[str, Any]) -> None:
    document = {key: value for key, value in cell.items() if key != "page"}
    result = EmulateResult(document)
    answer = result.answer()
    assert answer is not None
    assert answer.headline.startswith("The path carried 0.0")
    assert ("the run is valid" in answer.headline) == document["valid"]
    for part in (answer.headline, "Throughput", "Lateness", "udp 10.77.0.", "Airtime"):
        assert part in cell["page"], part
    assert result.page() == cell["page"]
    assert len(result.table("series")) == len(document["series"])


@needs_namespaces
def test_the_exit_status_is_that_of_the_command(tmp_path: Path) -> None:
    page = tmp_path / "run.html"
    done = emulate(LINK, "--html", page, "-q", "--", "sh", "-c", "echo said; exit 7")
    assert done.stdout == "said\n"
    assert done.returncode in {7, 3}
    assert page.is_file()
    page.write_text("mine", "utf-8")
    other = emulate(LINK, "--html", page, "--", "true")
    assert other.returncode == 2
    assert "--force" in other.stderr
    assert page.read_text("utf-8") == "mine"
    refused = emulate(
        LINK, "--html", tmp_path / "other.html", "--set", "links[0].x=1", "--", "true"
    )
    assert refused.returncode == 2
    assert not (tmp_path / "other.html").exists()


@needs_namespaces
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_and_its_page_is_written(tmp_path: Path, number: int) -> None:
    page = tmp_path / "run.html"
    command = [*airtcp_with_live(), "emulate", str(LINK), "--for", "60", "--html", str(page)]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as running:
        assert running.stderr is not None
        assert "nsenter" in running.stderr.readline()
        # A terminal sends Ctrl-C to all processes in the foreground.
        if number == signal.SIGINT:
            os.killpg(running.pid, number)
        else:
            running.send_signal(number)
        said = running.stderr.read()
    assert running.returncode in {0, 3}, said
    assert "; the run is " in page.read_text("utf-8")


@needs_namespaces
def test_a_killed_command_leaves_no_run(tmp_path: Path) -> None:
    command = [*airtcp_with_live(), "emulate", str(LINK), "--for", "60", "--html"]
    with subprocess.Popen(
        [*command, str(tmp_path / "run.html")], stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stderr is not None
        assert "nsenter" in running.stderr.readline()
        running.kill()
        # The pipe closes when the last process that holds it has ended.
        begin = time.monotonic()
        running.stderr.read()
    assert time.monotonic() - begin < 20


def test_options_of_the_page_end_where_the_command_begins() -> None:
    read = asked(["a.toml", "--html=p.html", "-q", "--force", "--json", "j", "--", "x", "--html"])
    assert (str(read.html), str(read.json), read.force, read.quiet) == ("p.html", "j", True, True)
    assert read.rest == ["a.toml", "-q", "--", "x", "--html"]
