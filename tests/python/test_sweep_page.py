"""Sweeps: the page of a running sweep, figures for paper, and Ctrl-C at the end."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from typing import TYPE_CHECKING, Any

import pytest

from airtcp.questions.sweep import live, locks
from airtcp.questions.sweep.run import State
from page_parts import data_of, parts_of
from test_sweep import LOSS, asked, run

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp.questions.sweep.document import SweepDocument

GRID = {"links[0].delay": ["5 ms", "20 ms", "80 ms"], LOSS: [0.001, 0.005, "2 %"]}


def test_the_page_shows_how_far_a_running_sweep_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    monkeypatch.setattr(live, "_FIRST_S", 0.0)
    monkeypatch.setattr(live, "_EVERY_S", 0.0)
    monkeypatch.setattr(live, "_SHARE", 0.0)
    pages: list[str] = []
    documents: list[dict[str, Any]] = []

    def look(_done: int, _total: int, _label: str) -> None:
        if (out / "report.html").is_file():
            pages.append((out / "report.html").read_text("utf-8"))
            documents.append(json.loads((out / "sweep.json").read_text("utf-8")))

    delays = [f"{i} ms" for i in range(1, 41)]
    given = asked(vary={"links[0].delay": delays}, set={"duration": "5 s"})
    result = run(given, out, report=True, progress=look)
    parts = [parts_of(page) for page in pages]
    done: list[int] = []
    for page, part, document in zip(pages, parts, documents, strict=True):
        assert document["running"]
        assert '<meta http-equiv="refresh"' in page
        assert "The sweep is running." in page
        headline, text = part.findings[0]
        left, (finished, total) = re.findall(r"\d+", headline), re.findall(r"\d+", text)[:2]
        assert total == "40"
        assert left == [str(40 - int(finished))]
        drawn = data_of(part.payload).get("curve-total_goodput_bps", {"points": []})["points"]
        assert len(drawn) == (int(finished) if int(finished) > 1 else 0)
        done.append(int(finished))
    assert done == sorted(done)
    assert any(0 < number < 40 for number in done), "no page was written while the sweep ran"
    last = (out / "report.html").read_text("utf-8")
    assert '<meta http-equiv="refresh"' not in last
    assert parts_of(last).findings[0][0] == "The sweep is complete"
    assert not result.json["running"]
    assert last == result.page()


def test_figures_are_light_vector_files_with_whole_names(tmp_path: Path) -> None:
    result = run(asked(vary=GRID, kind="compare", options={"tcp": "reno,cubic"}), tmp_path / "out")
    assert {name.partition("-")[0] for name in result.plots} >= {"curve", "pareto", "matters"}
    files = result.save_figures(tmp_path / "figures")
    assert {path.name for path in files} == {
        f"{name}.{form}" for name in result.plots for form in ("svg", "pdf")
    }
    for path in files:
        assert path.read_bytes()[:4] in {b"<svg", b"%PDF"}, path
    svg = result.figure("curve-goodput_bps").svg()
    assert "reno, links[0].delay (ms) 80" in svg or "reno, links[0].loss.probability 0.02" in svg
    assert "…" not in svg
    with pytest.raises(KeyError, match="no figure"):
        result.figure("curve-goodput")


def test_heat_maps_are_figures_too(tmp_path: Path) -> None:
    result = run(asked(vary=GRID), tmp_path / "out")
    assert "map-total_goodput_bps" in result.plots
    svg = result.figure("map-total_goodput_bps", width="page").svg(embed_font=False)
    # Nine cells, each with its interval on a line of its own.
    assert len(re.findall(r">[±\[][^<]*</", svg)) == 9


def test_the_command_writes_figures_and_replaces_them(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    run_cli = request.getfixturevalue("run")
    (tmp_path / "s.toml").write_text(
        'replications = 2\n[vary]\n"links[0].delay" = ["5 ms", "9 ms"]\n[scenario]\n'
        'duration = "1 s"\nlinks = [{ from = "a", to = "b", rate = "1 Mb/s", delay = "5 ms" }]\n'
        'flows = [{ from = "a", to = "b" }]\n'
    )
    for _ in range(2):
        ended = run_cli("sweep", "s.toml", "--figures", "figs", "--workers", "1")
        assert ended.code == 0, ended.err
        assert "figures: figs (" in ended.err
    assert (tmp_path / "figs" / "curve-total_goodput_bps.pdf").is_file()


def test_ctrl_c_at_the_end_leaves_a_finished_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while the last document is made, twice."""
    write = State.write
    pressed: list[bool] = []

    def interrupted(state: State, outcome: Any, *, running: bool) -> SweepDocument:
        if not running:
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGINT)
                pressed.append(outcome.interrupted)
        return write(state, outcome, running=running)

    monkeypatch.setattr(State, "write", interrupted)
    result = run(asked(), tmp_path / "out")
    assert pressed == [True, True]
    document = json.loads((tmp_path / "out" / "sweep.json").read_text("utf-8"))
    assert document == result.json
    assert not document["running"]
    assert not document["interrupted"], "every point was finished before"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


class Msvcrt:
    """The part of Python's module of that name on Windows that locks use."""

    LK_NBLCK = 2

    def __init__(self, error: OSError | None) -> None:
        self.error, self.asked = error, list[tuple[int, int]]()

    def locking(self, _handle: int, mode: int, number: int) -> None:
        self.asked.append((mode, number))
        if self.error is not None:
            raise self.error


@pytest.mark.parametrize("error", [None, PermissionError(), OSError()])
def test_windows_locks_a_byte(
    error: OSError | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = Msvcrt(error)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", system)
    handle = os.open(tmp_path / "mark", os.O_RDWR | os.O_CREAT)
    try:
        assert locks.try_lock(handle) != isinstance(error, PermissionError)
    finally:
        os.close(handle)
    assert system.asked == [(2, 1)]
