"""Pages on papers: blocks agree with the kept results, and these with the present inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import airtcp_papers
from airtcp_papers import costs, page_checks, pages, record
from airtcp_papers.drivers import read_figure
from airtcp_papers.form import PaperError
from airtcp_papers.library import Library, default_root
from example_paper import changed

if TYPE_CHECKING:
    from pathlib import Path


def _kept(papers: Path, folder: Path, cpu_s: float | None = None) -> Library:
    library = Library(papers)
    result = airtcp_papers.reproduce("T1", papers=papers, cache=False, sensitivity=False)
    record.keep(folder, result.figures, library, seed=1, cpu_s=cpu_s)
    return Library(papers)


def test_pages_and_results_are_of_today(request: pytest.FixtureRequest) -> None:
    home = request.config.rootpath / "docs" / "papers"
    library = Library(default_root())
    results = sorted((home / "results").glob("*.json"))
    assert results
    for path in results:
        assert record.stale(home / "results", library, path.stem) == [], "scripts/papers run"
        page = (home / f"{path.stem}.md").read_text("utf-8")
        assert any(asked.startswith("counts") for asked in pages.blocks(page))
        made = pages.written(page, record.read(home / "results", path.stem), home)
        assert made == page, f"{path.stem}: run scripts/papers"


def test_numbers_of_pages_are_results_or_inputs(request: pytest.FixtureRequest) -> None:
    home = request.config.rootpath / "docs" / "papers"
    library = Library(default_root())
    for path in sorted((home / "results").glob("*.json")):
        page = (home / f"{path.stem}.md").read_text("utf-8")
        assert page_checks.of_page(page, library, path.stem) == []


def test_a_number_without_a_source_is_found(papers: Path) -> None:
    changed(papers, 'reason = "losses cost"', 'reason = "here 7.31"')
    page = "Here 7.31, published 9, of 3 runs; <!-- = T1.fig1 x .1 -->8.1<!-- . --> and 812."
    found = page_checks.of_page(page, Library(papers), "T1")
    assert found == ["7.31 in its text", "812 in its text", "7.31 in a reason of T1.fig1"]


def test_values_files_and_costs_stand_in_pages(papers: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    _kept(papers, folder, cpu_s=90.0)
    records = record.read(folder, "T1")
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    page = "<!-- = T1.fig1 goodput loss=0 .1 -->old<!-- . --> Mb/s\n"
    page += "".join(f"<!-- results: {ask} -->\n<!-- end of results -->\n" for ask in (
        "csv x.csv", "cost T1"
    ))  # fmt: skip
    made = pages.written(page, records, tmp_path)
    value = next(m["value"] for m in records["T1.fig1"]["measures"] if m["at"] == {"loss": 0.0})
    assert made.startswith(f"<!-- = T1.fig1 goodput loss=0 .1 -->{value:.1f}<!-- . --> Mb/s\n")
    assert "| a | b |\n|---|---|\n| 1 | 2 |" in made
    assert "1.5 minutes of processor time" in made
    assert pages.written(made, records, tmp_path) == made
    for wrong in ("T1.fig1 goodput loss=7", "T1.fig9 goodput", "T1.fig1 nothing loss=0"):
        with pytest.raises(PaperError, match="T1"):
            pages.written(f"<!-- = {wrong} -->x<!-- . -->", records)


def test_costs_are_told_beforehand(papers: Path) -> None:
    assert costs.estimates(Library(papers), ["T1"], sensitivity=False) == {}
    costs.keep(papers, {"T1.fig1": 60.0})
    library = Library(papers)
    assert costs.estimates(library, ["T1"], sensitivity=False) == {"T1": 60.0}
    # One alternative of its one assumption, and half of the runs.
    assert costs.estimates(library, ["T1"], sensitivity=True) == {"T1": 120.0}
    assert costs.estimates(library, ["T1"], sensitivity=False, runs=1) == {"T1": 30.0}
    # A figure with another measure of the same runs adds nothing; one with other runs does.
    first = (papers / "T1" / "fig-1.toml").read_text()
    for number, runs, whole in (("2", "runs = 2", 90.0), ("3", "runs = 4", 150.0)):
        other = first.replace("T1.fig1", f"T1.fig{number}").replace("runs = 2", runs)
        (papers / "T1" / f"fig-{number}.toml").write_text(other)
        costs.keep(papers, {"T1.fig1": 60.0, "T1.fig2": 90.0, "T1.fig3": 60.0})
        found = costs.estimates(Library(papers), ["T1"], sensitivity=False)
        assert found == {"T1": whole}
        assert costs.estimates(Library(papers), ["T1.fig2"], sensitivity=False) == {"T1": 90.0}
    assert costs.said({}) == ""
    (papers / costs.FILE).write_text("{not JSON")
    assert costs.known(papers) == {}


def test_every_figure_has_a_processor_time(
    request: pytest.FixtureRequest, papers: Path, tmp_path: Path
) -> None:
    folder = request.config.rootpath / "docs" / "papers" / "results"
    library = Library(default_root())
    spent: dict[str, float] = {}
    for paper in ("S0", "S1", "S2", "S3", "S4"):
        records = record.read(folder, paper)
        assert record.untimed(records) == [], "scripts/papers run"
        spent |= {id_: kept["cpu_s"] for id_, kept in records.items()}
    assert costs.known(library.root) == spent
    assert set(spent) == set(library.choose([]))
    # A figure that was not measured is named; one that takes no time is not.
    _kept(papers, tmp_path, cpu_s=None)
    assert record.untimed(record.read(tmp_path, "T1")) == ["T1.fig1"]
    _kept(papers, tmp_path, cpu_s=0.0)
    assert record.untimed(record.read(tmp_path, "T1")) == []


def test_what_takes_seconds_still_comes_out_as_kept(request: pytest.FixtureRequest) -> None:
    folder = request.config.rootpath / "docs" / "papers" / "results"
    cheap = {"S1": ["S1.fig2", "S1.sec6.2"]}
    for paper, ids in cheap.items():
        records = record.read(folder, paper)
        for one in airtcp_papers.reproduce(ids, cache=False, sensitivity=False).figures:
            kept = [row["here"] for row in records[one.figure.id]["rows"]]
            assert kept == [pytest.approx(row["here"], rel=1e-5) for row in one.rows]


def _other(text: str) -> str:
    """Change a value of a file."""
    for old, new in (("runs = 2", "runs = 3"), ("Somebody", "Another"), ('"3 s"', '"4 s"')):
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("name", ["T1/fig-1.toml", "T1/paper.toml", "scenarios/link.toml"])
def test_a_changed_input_makes_results_stale(papers: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "results"
    library = _kept(papers, folder)
    assert record.stale(folder, library, "T1") == []
    path = papers / name
    path.write_text(_other(path.read_text()))
    assert record.stale(folder, Library(papers), "T1") == ["T1.fig1"]


def test_experiments_that_show_causes_are_there(request: pytest.FixtureRequest) -> None:
    library = Library(default_root())
    ids = library.choose([])
    for id_ in ids:
        figure = read_figure(library, id_)
        known = {*ids, *(one.name for one in figure.assumptions)}
        for one in (*figure.published, *figure.claims):
            for name in one.shown_by:
                program = request.config.rootpath / name
                command = name.split(" --")[0].removeprefix("airtcp reproduce ")
                assert name in known or command in ids or program.is_file(), (id_, name)


def test_other_words_for_a_cause_need_no_new_run(papers: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    _kept(papers, folder)
    changed(papers, 'reason = "losses cost"', 'reason = "losses"\nshown_by = ["queue"]')
    library = Library(papers)
    assert record.stale(folder, library, "T1") == []
    rows = record.reword(folder, library, "T1")["T1.fig1"]["rows"]
    assert [(row["cause"], row["shown_by"]) for row in rows if row["cause"]] == [
        ("losses", ["queue"])
    ]


def test_alternatives_stand_in_pages(papers: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    _kept(papers, folder)
    result = airtcp_papers.reproduce("T1", papers=papers, cache=False)
    record.keep_alternatives(folder, result.figures, 2)
    records = record.read(folder, "T1")
    page = "<!-- results: alternatives T1 queue 'T1.fig1 goodput[loss=0]' -->\nx\n"
    page += "<!-- end of results -->\n"
    assert pages.shows_alternatives(page)
    head, _, met, line = pages.written(page, records).splitlines()[1:5]
    assert head == "|  | published | taken | links[0].rate = 1 Mb/s |"
    changes = [row for one in result.figures for row in one.rows if row["sensitivity"]]
    assert met.startswith(f"| rows met, of the {len(changes)} rows that it changes |  |")
    assert line.startswith("| T1.fig1 goodput[loss=0.0] | 9.00 Mb/s | ")
    with pytest.raises(PaperError, match="scripts/papers run T1"):
        pages.written(page.replace("queue", "nothing"), records)
    with pytest.raises(PaperError, match="has no row"):
        pages.written(page.replace("loss=0", "loss=7"), records)


def test_blocks_are_made_from_results(papers: Path, tmp_path: Path) -> None:
    changed(papers, 'reason = "losses cost"', 'reason = "losses | cost"')
    folder = tmp_path / "results"
    _kept(papers, folder)
    records = record.read(folder, "T1")
    before = "Hand.\n<!-- results: {} -->\nold\n<!-- end of results -->\nMore.\n"

    def block(asked: str) -> list[str]:
        page = pages.written(before.format(asked), records)
        assert page.startswith("Hand.\n")
        assert page.endswith("\nMore.\n")
        assert pages.written(page, records) == page
        return page.splitlines()[2:-2]

    assert block("counts T1")[0].startswith("Published: 3 rows, 2 met")
    assert block("own T1") == ["None."]
    missed = block("missed T1")
    assert len(missed) == 3
    assert "losses \\| cost" in missed[2]
    at = block("rows T1 loss=0.05")
    assert ["within" in line or "holds" in line for line in at[2:]] == [False, True]
    table = block('table T1.fig1 "goodput" cols=loss digits=1')
    assert table[0] == "|  | 0.0 | 0.05 |"
    # Published values are in brackets.
    assert table[2].startswith("| goodput (Mb/s) | ")
    assert table[2].count("(9)") == 2
    assert block("table T1.fig9 goodput") == [
        "No results of T1.fig9 are kept: `scripts/papers run T1.fig9` makes them."
    ]
    for asked in (
        "table T1.fig1 nothing",
        "count T1",
        "missed T2",
        "rows T1 loss=7",
    ):
        with pytest.raises(PaperError, match=r"T\d|loss=7"):
            block(asked)
