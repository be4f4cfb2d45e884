"""Figures for paper, and what results show in a notebook."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from html import escape
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
import airtcp_papers
import page_parts
from airtcp.charts import draw
from airtcp.cli import figures
from airtcp.cli.options import FigureWidth
from airtcp.questions import shown
from airtcp_papers.result import PapersResult
from test_start import SCENARIO

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp.questions.shown import Shown
    from browser import Browser
    from conftest import Program

CELL: dict[str, Any] = {
    "duration": "600 ms",
    "cells": [{"layout": {"kind": "star", "stations": 2, "radius_m": 5}}],
    "flows": [{"count": 2, "from": "sta*", "to": "ap"}],
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Shown]:
    """A small result of each kind."""
    folder = tmp_path_factory.mktemp("results")
    traces = {
        f"{prr}": airtcp.synth(folder / f"{prr}.txt", prr=prr, mu=0.6, packets=4000, seed=2)
        for prr in (0.3, 0.5, 0.7)
    }
    links = list(traces.values())
    scenario = folder / "tiny.toml"
    scenario.write_text(SCENARIO + 'tcp = { profile = "linux", congestion = "cubic" }\n')
    lossy = {"links[0].loss": {"model": "bernoulli", "probability": 0.02}, "duration": "5 s"}
    run = airtcp.run(
        scenario, series=True, replications=2, overrides=lossy, pcap=folder / "a.pcapng"
    )
    return {
        "study": airtcp.study(links, replicas=2, compare=False, remedies=False),
        "run": run,
        "cell": airtcp.run(CELL, series=True, timeline="100 ms..110 ms", replications=2),
        "compare": airtcp.compare(scenario, tcp="sack,cubic", replications=2, overrides=lossy),
        "schemes": airtcp.compare_schemes(CELL, schemes="rts", replications=2),
        "capture": airtcp.capture(folder / "a.pcapng", events=True, series=True),
        "diagnose": airtcp.diagnose(folder / "a.pcapng", replications=5),
        "fit": airtcp.trace_fit(links),
        "evaluate": airtcp.evaluate("vegas", only="E3", effort="quick", replications=2),
        "reproduce": airtcp_papers.reproduce("S1.fig2", runs=1, sensitivity=False, cache=False),
        "sweep": airtcp.sweep(
            {
                "of": str(scenario),
                "set": {"duration": "2 s"},
                "replications": 2,
                "vary": {
                    "links[0].delay": ["5 ms", "20 ms", "80 ms"],
                    "links[0].loss": [
                        {"model": "bernoulli", "probability": p} for p in (0.005, 0.01, 0.03)
                    ],
                },
            },
            out=folder / "sweep",
            report=False,
        ),
    }


KINDS = (
    "study",
    "run",
    "cell",
    "compare",
    "schemes",
    "capture",
    "diagnose",
    "fit",
    "evaluate",
    "reproduce",
    "sweep",
)


def test_every_kind_of_result_is_here(results: dict[str, Shown]) -> None:
    public = {getattr(airtcp, name) for name in airtcp.__all__ if name.endswith("Result")}
    assert {type(result) for result in results.values()} == public | {PapersResult}
    assert set(results) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_shows_the_data_of_the_page(
    browser: Browser, tmp_path: Path, results: dict[str, Shown], kind: str
) -> None:
    path = results[kind].report(tmp_path / "page.html")
    page = browser.open(path)
    drawn = page.evaluate(
        "() => JSON.stringify(Object.fromEntries([...Page.figures]"
        ".map(([name, figure]) => [name, figure.data()])))"
    )
    of_page = {
        name: rows
        for name, rows in json.loads(drawn).items()
        if "empty" not in rows and any(rows.values())
    }
    parts = page_parts.parts_of(path.read_text("utf-8"))
    places = {plot.name for plot in parts.plots}
    figures = results[kind]._charts()  # noqa: SLF001
    ours = {name: rows for name, (_, _, _, rows) in figures.items() if name in places}
    assert ours.keys() == of_page.keys()
    for name, found in of_page.items():
        assert near(ours[name], found), name
    assert browser.complaints == []


def near(one: Any, other: Any) -> bool:
    """Whether two documents are equal up to the rounding of numbers."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(near(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(near, one, other))
    if isinstance(one, float | int) and isinstance(other, float | int):
        return one == pytest.approx(other, rel=1e-9, abs=1e-12)
    return one == other


@pytest.mark.parametrize("kind", KINDS)
def test_every_figure_is_drawn_in_the_width_of_a_column(
    results: dict[str, Shown], kind: str
) -> None:
    result = results[kind]
    assert result.plots
    for name in result.plots:
        root = ET.fromstring(result.figure(name).svg())  # noqa: S314 - our own text
        width = float(root.attrib["width"].removesuffix("mm"))
        # A map has the same scale in both directions, and a width of its own.
        assert 80 < width < 88.5 if name.endswith("-map") else width == pytest.approx(88, abs=0.5)
        sizes = {e.attrib.get("font-size", "") for e in root.iter() if e.tag.endswith("}text")}
        assert all(float(size.removesuffix("px")) >= 10 for size in sizes if size), (name, sizes)
        white = [e for e in root if e.attrib.get("fill") == "#ffffff"]
        assert white, name


def test_files_are_complete_and_repeatable(tmp_path: Path, results: dict[str, Shown]) -> None:
    result = results["run"]
    paths = result.save_figures(tmp_path, formats=("svg", "pdf", "png"))
    assert {path.stem for path in paths} == set(result.plots)
    # The library that writes PDF does not order the objects in it.
    before = {path: path.read_bytes() for path in paths if path.suffix != ".pdf"}
    result.save_figures(tmp_path, formats=("svg", "pdf", "png"))
    assert {path: path.read_bytes() for path in before} == before
    svg = before[tmp_path / "goodput.svg"].decode()
    assert "@font-face" in svg
    assert "<script" not in svg
    wide = result.figure("goodput", width="page")
    assert re.search(r'width="(1[78]\d\.\d+)mm"', wide.svg())
    assert wide.save(tmp_path / "wide.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.skipif(shutil.which("pdffonts") is None, reason="there is no pdffonts")
def test_a_pdf_embeds_its_font(tmp_path: Path, results: dict[str, Shown]) -> None:
    path = results["compare"].figure().save(tmp_path / "a.pdf")
    said = subprocess.run(["pdffonts", path], capture_output=True, text=True, check=True).stdout  # noqa: S607
    fonts = said.splitlines()[2:]
    assert fonts
    assert all("airtcpSans" in line and line.split()[-5] == "yes" for line in fonts)
    size = subprocess.run(["pdfinfo", path], capture_output=True, text=True, check=True).stdout  # noqa: S607
    width = re.search(r"Page size:\s+([0-9.]+) x", size)
    assert width is not None
    assert float(width[1]) == pytest.approx(88 * 72 / 25.4, abs=0.5)


def test_a_figure_of_another_link(results: dict[str, Shown]) -> None:
    study = results["study"]
    one, other = (study.figure("link-tcp", link=link).svg() for link in ("0.3", 2))
    assert one != other
    with pytest.raises(KeyError, match="no link 'x'"):
        study.figure("link-tcp", link="x")
    with pytest.raises(KeyError, match='no figure "nothing"'):
        study.figure("nothing")
    with pytest.raises(airtcp.AirtcpError, match="expected column or page"):
        study.figure(width="wide")  # pyright: ignore[reportArgumentType]
    with pytest.raises(airtcp.AirtcpError, match="expected svg, pdf, png"):
        study.figure().save("a.jpg")


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_shows_findings_table_and_figure(results: dict[str, Shown], kind: str) -> None:
    html = results[kind]._repr_html_()
    assert len(html) < 200_000
    assert "<script" not in html
    assert "<table" in html
    assert "data:image/svg+xml;base64," in html
    parts = page_parts.parts_of(results[kind].page())
    assert parts.title
    assert escape(parts.title)[:20] in html
    ET.fromstring(html.replace("&nbsp;", " "))  # noqa: S314 - well formed


def test_a_notebook_shows_hostile_names_as_text(tmp_path: Path) -> None:
    name = "<img src=x onerror=alert(1)>&\"'"
    trace = [1, 0, 1, 1] * 200
    study = airtcp.study({name: trace}, replicas=2, compare=False, remedies=False)
    html = study._repr_html_()
    assert "<img src=x" not in html
    assert "&lt;img src=x" in html
    svg = study.figure().svg()
    assert "<img" not in svg
    ET.fromstring(svg)  # noqa: S314 - as above
    assert study.figure().save(tmp_path / "a.svg").read_text("utf-8") == svg


def test_without_the_library_a_result_says_how_to_get_it(
    results: dict[str, Shown], monkeypatch: pytest.MonkeyPatch
) -> None:
    draw.library.cache_clear()
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(airtcp.AirtcpError, match=re.escape('pip install "airtcp[figures]"')):
        results["fit"].figure().svg()
    html = shown.Shown._repr_html_(results["fit"])
    assert "airtcp[figures]" in html
    assert "<table" in html
    draw.library.cache_clear()


def test_the_option_writes_svg_and_pdf_and_replaces_nothing(run: Program, tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(SCENARIO)
    ended = run("run", "tiny.toml", "--figures", "figures", "--figure-width", "page")
    assert ended.code == 0, ended.err
    names = sorted(path.name for path in (tmp_path / "figures").iterdir())
    assert {"goodput.pdf", "goodput.svg"} <= set(names)
    assert f"figures: figures ({len(names)} files)" in ended.err
    again = run("run", "tiny.toml", "--figures", "figures")
    assert again.code == 2
    assert "--force replaces figures" in again.err
    assert run("run", "tiny.toml", "--figures", "figures", "--force").code == 0
    assert run("run", "tiny.toml", "--figures", "tiny.toml").code == 2


def test_figures_that_cannot_be_written_lose_no_result(program: list[str], tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(SCENARIO)
    failing = """
import sys
from airtcp.questions.shown import Shown
def full(*_, **__):
    raise OSError(28, "No space left on device", "figures")
Shown.save_figures = full
from airtcp.cli import main
main()
"""
    arguments = ["run", "tiny.toml", "--figures", "figures", "--out", "out", "--json"]
    ended = subprocess.run(
        [program[0], "-c", failing, *arguments], cwd=tmp_path, capture_output=True, check=False
    )
    assert ended.returncode not in {0, 130}
    assert b"figures: the disk is full" in ended.stderr
    assert b"Traceback" not in ended.stderr
    assert json.loads(ended.stdout)["replications"]
    assert (tmp_path / "out" / "run.json").is_file()


def test_a_capture_has_figures_without_a_report(run: Program, tmp_path: Path) -> None:
    write_capture(tmp_path)
    ended = run("capture", "a.pcapng", "--figures", "figures")
    assert ended.code == 0, ended.err
    assert list((tmp_path / "figures").glob("*.svg"))


def test_a_result_without_figures_says_so(
    tmp_path: Path, results: dict[str, Shown], capsys: pytest.CaptureFixture[str]
) -> None:
    bare = airtcp.capture(write_capture(tmp_path))
    assert bare.plots == []
    with pytest.raises(KeyError, match="there is no figure: the page has no chart"):
        bare.figure()
    figures.write(bare, tmp_path / "none", FigureWidth.COLUMN, quiet=False)
    assert "figures: none, because no chart has data" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()
    with pytest.raises(airtcp.AirtcpError, match="dpi is 0; expected a number above 0"):
        results["run"].figure().png(dpi=0)


def write_capture(folder: Path) -> Path:
    (folder / "tiny.toml").write_text(SCENARIO)
    airtcp.run(folder / "tiny.toml", pcap=folder / "a.pcapng")
    return folder / "a.pcapng"


class ZMQInteractiveShell:
    """The shell of a kernel, by name."""


def test_a_notebook_shows_the_progress_and_removes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []

    class Handle:
        def update(self, text: str) -> None:
            texts.append(text)

    def display(text: str, *, display_id: bool) -> Handle:
        assert display_id
        texts.append(text)
        return Handle()

    ipython, of_display = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = ZMQInteractiveShell  # pyright: ignore[reportAttributeAccessIssue]
    of_display.HTML = str  # pyright: ignore[reportAttributeAccessIssue]
    of_display.display = display  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", of_display)
    expected = airtcp.stats([1, 0] * 500, progress=lambda *_: None)
    assert texts == []
    assert airtcp.stats([1, 0] * 500)["links"][0]["prr"] == expected["links"][0]["prr"]
    airtcp.study([1, 0, 1] * 500, replicas=3, compare=False, remedies=False)
    assert any(text.startswith("<progress") for text in texts)
    assert texts[-1] == ""
    monkeypatch.setattr(ipython, "get_ipython", lambda: None)
    texts.clear()
    airtcp.study([1, 0, 1] * 500, replicas=3, compare=False, remedies=False)
    assert texts == []


MARIMO = """
import marimo
app = marimo.App()

@app.cell
def _():
    import airtcp, json, marimo as mo
    shown = []
    class Output:
        replace = lambda value: shown.append(value and value.text)
    mo.output = Output
    airtcp.study([1, 0, 1] * 500, replicas=3, compare=False, remedies=False)
    open("shown.json", "w").write(json.dumps(shown))
    return
"""


def test_marimo_shows_the_progress_and_removes_it(tmp_path: Path) -> None:
    pytest.importorskip("marimo", reason="the extra docs is not installed")
    (tmp_path / "notebook.py").write_text(MARIMO)
    run = [sys.executable, "-m", "marimo", "export", "html", "notebook.py", "-o", "page.html"]
    subprocess.run(run, cwd=tmp_path, capture_output=True, check=True)
    shown = json.loads((tmp_path / "shown.json").read_text())
    assert shown[0].startswith("<progress")
    assert shown[-1] is None
