"""Files of papers: their form, errors, sets of links, and all shipped files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import airtcp
import airtcp_papers
from airtcp_papers import drivers, ensembles
from airtcp_papers.drivers.variants import variants
from airtcp_papers.form import PaperError
from airtcp_papers.library import Library, default_root
from airtcp_papers.paper import Term, term
from airtcp_papers.schema import paper_schema
from example_paper import changed

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Program


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
        airtcp_papers.published(papers=changed(papers, old, new))
    message = str(refused.value)
    assert said in message
    assert str(papers) in message
    assert "Traceback" not in message


def test_a_measure_that_the_driver_does_not_take(papers: Path) -> None:
    changed(papers, "at = { loss = 0.0 }", "at = { loss = 0.3 }")
    with pytest.raises(PaperError, match=r"measures no goodput\[loss=0.3\].*goodput\[loss=0.05\]"):
        airtcp_papers.reproduce(papers=papers, cache=False, sensitivity=False)


def test_what_is_no_toml(papers: Path) -> None:
    with pytest.raises(PaperError, match=r"fig-1.toml: not TOML: .*line"):
        airtcp_papers.published(papers=changed(papers, 'kind = "figure"', "kind = figure"))


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


def test_impossible_sets(papers: Path) -> None:
    path = papers / "ensembles" / "mine.toml"
    path.write_text('label = "m"\nkind = "generated"\nwords = "w"\nslot = "1 ms"\n')
    with pytest.raises(PaperError, match='the key "packets" is missing'):
        ensembles.read_set(Library(papers), "mine")
    path.write_text('label = "m"\nkind = "generated"\nwords = "w"\nslot = "1 ms"\npackets = 9\n')
    with pytest.raises(PaperError, match="there are no links in it"):
        ensembles.read_set(Library(papers), "mine")


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
            (link,) = airtcp.stats(path)["links"]
            # The group of intermediate links comes first; links wander over long cycles.
            within += 0.15 <= link["prr"] <= 0.65
            assert link["b"] > 0.025
        assert within >= 18


def test_every_paper_file_is_sound() -> None:
    figures = airtcp_papers.published()
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


def test_variants_that_are_judged_are_measured() -> None:
    """A row of a driver of variants names measures and values of its axes, all of them."""
    for figure in airtcp_papers.published():
        if figure.driver not in {"captures", "cells", "links"}:
            continue
        known = [at for at, _ in variants(figure.parameters)]
        measures = set(figure.parameters["measure"])
        said = [one.term for one in figure.published]
        for claim in figure.claims:
            said += [claim.left, *([claim.right] if isinstance(claim.right, Term) else [])]
        for one in said:
            assert one.at in known, f"{figure.id}: {one}"
            plain = one.metric.removeprefix("least ").removeprefix("greatest ")
            assert plain in measures, f"{figure.id}: {one}"


def test_s0_has_both_columns_of_its_tables() -> None:
    """Tables II to VI: three measures of each variant, under SACK and under LT-TCP."""
    library = Library(default_root())
    for table, columns in ((2, 2), (3, 2), (4, 3), (5, 3), (6, 3)):
        published = drivers.read_figure(library, f"S0.table{table}").published
        for protocol in ("SACK", "LT-TCP"):
            rows = [one for one in published if one.term.at["protocol"] == protocol]
            assert len(rows) == 3 * columns, (table, protocol)


def test_what_settings_were_derived_from_exists() -> None:
    library = Library(default_root())
    known = {"text", *library.files}
    for id_ in library.choose([]):
        figure = drivers.read_figure(library, id_)
        for assumption in (*figure.paper.assumptions.values(), *figure.assumptions):
            assert bool(assumption.derived_from) == (assumption.status == "derived")
            for source in assumption.derived_from:
                assert source.split(" ")[0] in known, (id_, assumption.name, source)


DERIVED = {
    "S0": {"LT-TCP parity", "LT-TCP response", "LT-TCP segments", "LT-TCP window", "attempts 3",
           "attempts 7", "window 100 s"},
    "S0.table2": {"attempts", "fractions", "length", "overlap", "round trip"},
    "S0.table3": {"attempts", "fractions", "length", "overlap", "round trip"},
    "S1": {"back-off"},
    "S2": {"RFEC", "first estimate", "rounding", "segment"},
    "S2.fig4": {"level", "rate control"},
    "S3": {"carrier sense", "EIFS", "initial threshold", "noise", "rules"},
}  # fmt: skip
"""Settings that were chosen so that a published result comes out, by paper or figure."""


@pytest.mark.parametrize("place", DERIVED)
def test_a_setting_that_was_derived_stays_marked(place: str) -> None:
    library = Library(default_root())
    figure = drivers.read_figure(
        library, place if "." in place else next(iter(library.choose([place])))
    )
    known = figure.assumptions if "." in place else figure.paper.assumptions.values()
    marked = {assumption.name for assumption in known if assumption.derived_from}
    assert marked >= DERIVED[place]


def test_own_statements_are_told_from_published_ones(papers: Path) -> None:
    def own(text: str) -> list[bool]:
        changed(papers, 'says = "losses cost throughput"', text)
        figure = drivers.read_figure(Library(papers), "T1.fig1")
        changed(papers, text, 'says = "losses cost throughput"')
        return [bool(claim.own) for claim in figure.claims]

    assert own('says = "so they say"') == [False]
    assert own('reason = "of no weight"') == [True]
    assert own('says = "so they say"\nown = "the number is ours"') == [True]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("value = 9\n", "interval = [8, 10]\n", "has no value to be of"),
        ('tolerance = 0.2\ntolerance_reason = "a test"\n', "", "nobody could say what meets"),
        ('op = "<"\n', 'op = "~"\n', ""),
        ('op = "<"\nright = "goodput[loss=0]"\nmargin = 0.1', 'op = "~"\nright = 1', "needs more"),
        ('status = "choice"', 'status = "derived"', '"derived_from" is missing'),
        ('status = "choice"', 'status = "choice"\nderived_from = ["text"]', "the status is choice"),
    ],
)
def test_verdicts_that_nobody_could_give_are_refused(
    papers: Path, old: str, new: str, message: str
) -> None:
    changed(papers, old, new)
    if not message:
        assert drivers.read_figure(Library(papers), "T1.fig1").claims[0].op == "~"
        return
    with pytest.raises(PaperError, match=message):
        drivers.read_figure(Library(papers), "T1.fig1")
