"""The Python API: its tables, and its stub."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa
import pytest

import airtcp
import airtcp_papers
from airtcp import _core
from examples import LOSSY_LINK

if TYPE_CHECKING:
    from collections.abc import Callable

    from airtcp.questions.study.result import StudyResult


def test_every_table_goes_round(study: StudyResult) -> None:
    for name in study.tables:
        core = study.arrow(name)
        arrow = study.to_arrow(name)
        frame = study.table(name).to_polars()
        assert core.column_names == arrow.column_names == frame.columns
        assert len(core) == arrow.num_rows == frame.height
        assert pl.DataFrame(arrow).equals(frame)
        assert pa.table(frame).num_rows == len(core)


def test_nulls_stay_nulls(study: StudyResult) -> None:
    row = study.links.to_polars().filter(pl.col("name") == "perfect")
    assert row["mu"].to_list() == [None]
    assert row["packets"].to_list() == [2000]
    assert study.links.to_polars().schema["packets"] == pl.UInt64
    assert study.links.to_polars().schema["prr"] == pl.Float64
    assert study.links.to_polars().schema["converged"] == pl.Boolean


def test_pandas(study: StudyResult) -> None:
    pandas = pytest.importorskip("pandas")
    frame = study.to_pandas("loss_bursts")
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["link", "length", "count"]


def test_tables_agree_with_the_document(study: StudyResult) -> None:
    document = study.json
    assert study.links.to_polars()["name"].to_list() == [link["name"] for link in document["links"]]
    assert study.links.to_polars()["prr"].to_list() == [link["prr"] for link in document["links"]]
    bursts = study.table("loss_bursts").to_polars().filter(pl.col("link") == "bursty")
    link = next(link for link in document["links"] if link["name"] == "bursty")
    lost = (bursts["length"] * bursts["count"]).sum()
    assert lost == link["packets"] - link["received"] == link["loss_bursts"]["packets"]
    replicas = study.table("replicas").to_polars().filter(pl.col("link") == "bursty")
    assert replicas.group_by("model").len()["len"].to_list() == [4, 4]


def test_the_table_of_links_has_every_quantity(study: StudyResult) -> None:
    row = study.table("links").to_polars().row(0, named=True)
    link = study.json["links"][0]
    plain = {k: v for k, v in link.items() if isinstance(v, bool | int | float | str)}
    assert len(plain) > 10
    assert plain == {key: row[key] for key in plain}
    assert [row["prr_ci_low"], row["prr_ci_high"]] == link["prr_ci"]
    estimate = link["tcp"]["independent"]["packets_per_second"]
    ends = ("independent_packets_per_second_ci_low", "independent_packets_per_second_ci_high")
    assert [row[key] for key in ends] == [estimate["ci_low"], estimate["ci_high"]]


def test_the_same_seed_gives_the_same_text(traces: Path) -> None:
    path = traces / "short.txt"
    one = airtcp.study(path, replicas=3, seed=5)
    assert one.text == airtcp.study(path, replicas=3, seed=5).text
    assert one.text != airtcp.study(path, replicas=3, seed=6).text


def test_unknown_tables_are_named(study: StudyResult) -> None:
    with pytest.raises(KeyError, match="links"):
        study.table("linkz")


def test_exceptions_form_a_tree(tmp_path: Path) -> None:
    assert issubclass(airtcp.TraceError, airtcp.AirtcpError)
    assert issubclass(airtcp.ScenarioError, airtcp.AirtcpError)
    with pytest.raises(airtcp.TraceError, match=r"none\.txt"):
        airtcp.study(tmp_path / "none.txt")
    with pytest.raises(airtcp.ScenarioError, match=r"none\.toml"):
        airtcp.run(tmp_path / "none.toml")
    with pytest.raises(airtcp.AirtcpError, match="replicas"):
        airtcp.study(tmp_path / "none.txt", replicas=0)


def test_a_run_uses_traces_beside_its_scenario(tmp_path: Path) -> None:
    airtcp.synth(tmp_path / "link.txt", prr=0.8, mu=0.3, packets=5000)
    scenario = tmp_path / "s.toml"
    scenario.write_text(
        'duration = "5 s"\n[[links]]\nfrom = "a"\nto = "b"\nslot = "10 ms"\n'
        'loss = { model = "trace", path = "link.txt", slot = "10 ms" }\n'
        '[[flows]]\nfrom = "a"\nto = "b"\n'
    )
    result = airtcp.run(scenario, series=True)
    assert result.links.to_polars()["loss_rate"].max() == pytest.approx(0.2, abs=0.15)
    series = result.table("window_series").to_polars().filter(pl.col("side") == "client")
    assert series["t_s"].is_sorted()
    assert series["cwnd_bytes"].min() > 0  # pyright: ignore[reportOptionalOperand]


def test_runs_are_reproducible() -> None:
    text = (
        '[[links]]\nfrom = "a"\nto = "b"\nrate = "5 Mb/s"\ndelay = "5 ms"\n'
        'loss = { model = "bernoulli", probability = 0.02 }\n'
    )
    flows = '[[flows]]\nfrom = "a"\nto = "b"\n'

    def go(workers: int) -> list[str]:
        overrides = {"duration": "3 s"}
        return airtcp.run(
            "s", text=text + flows, replications=4, workers=workers, overrides=overrides
        ).fingerprints

    assert go(1) == go(2)
    assert len(set(go(1))) == 4


def test_the_stub_names_what_is_there() -> None:
    stub = ast.parse(Path(_core.__file__).with_name("_core.pyi").read_text("utf-8"))
    declared: dict[str, set[str]] = {}
    for node in stub.body:
        if isinstance(node, ast.ClassDef):
            # A protocol describes what Python gives; the extension has nothing of its name.
            if any(ast.unparse(base) == "Protocol" for base in node.bases):
                continue
            methods = [n.name for n in node.body if isinstance(n, ast.FunctionDef)]
            fields = [ast.unparse(n.target) for n in node.body if isinstance(n, ast.AnnAssign)]
            declared[node.name] = {n for n in (*methods, *fields) if not n.startswith("__")}
        elif isinstance(node, ast.FunctionDef):
            declared[node.name] = {a.arg for a in node.args.args}
    present = {name for name in dir(_core) if not name.startswith("__")}
    assert set(declared) == present
    for name, parts in declared.items():
        thing = getattr(_core, name)
        if isinstance(thing, type):
            own = {n for n in vars(thing) if not n.startswith("__")}
            assert own == parts, name
        else:
            assert set(inspect.signature(thing).parameters) == parts, name


@pytest.mark.parametrize(
    "call", [airtcp.study, airtcp.stats, airtcp.models, airtcp.compare, airtcp.trace_fit]
)
def test_keywords_that_say_nothing_are_refused(call: Callable[..., object], traces: Path) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'intervall'"):
        call(traces, intervall="10ms")


def test_convert_refuses_them_too(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'intervall'"):
        airtcp.convert(tmp_path / "none", tmp_path / "made.csv", intervall="10ms")  # pyright: ignore[reportCallIssue]


class Scalar:
    """A number like those of numpy."""

    shape = ()

    def __init__(self, value: float) -> None:
        self._value = value

    def item(self) -> float:
        return self._value


def test_options_of_any_type(traces: Path, tmp_path: Path, papers: Path) -> None:
    lossy = f'duration = "1 s"\n{LOSSY_LINK}'
    made: Any = Scalar(3)
    one = airtcp.run("a", text=lossy, replications=made, overrides={"seed": Scalar(7)})
    assert len(one.fingerprints) == 3
    assert one.json["seed"] == 7
    nothing: Any = object()
    for call, error, why in (
        (lambda: airtcp.run("a", text=lossy, seed=nothing), TypeError, "seed is of type object"),
        (lambda: airtcp.run("a", text=lossy, overrides={"seed": [nothing]}), TypeError, "seed is"),
        (
            lambda: airtcp.run("a", text=lossy, overrides={"links[0].rate": float("nan")}),
            ValueError,
            "rate is nan; expected a finite number",
        ),
        (lambda: airtcp.stats(traces, seed=nothing), TypeError, "seed is of type object"),
        (lambda: airtcp.study(traces, replicas=nothing), TypeError, "replicas is of type object"),
        (lambda: airtcp.compare(traces, tcp=[nothing]), TypeError, "tcp has <object"),
        (lambda: airtcp.compare(traces, overrides=nothing), TypeError, "object"),
        (lambda: airtcp.trace_fit(traces, where=[nothing]), TypeError, "where has <object"),
        (lambda: airtcp_papers.published([nothing]), TypeError, "ids has <object"),
        (
            lambda: airtcp_papers.reproduce(papers=papers, runs=0),
            ValueError,
            "runs is 0; expected 1 to",
        ),
        (
            lambda: airtcp_papers.reproduce(papers=papers, runs=nothing),
            TypeError,
            "runs is <object",
        ),
        (
            lambda: airtcp.synth(tmp_path / "a.txt", packets=9, prr=10**400),
            airtcp.TraceError,
            "expected a number",
        ),
    ):
        with pytest.raises(error, match=why):
            call()


@pytest.mark.parametrize("name", ["\N{GRINNING FACE}", "caf\xe9", "\x7f\x01\t", '"\\', "\u2028"])
def test_text_within_an_override_arrives_as_it_is(name: str) -> None:
    lossy = f'duration = "1 s"\n{LOSSY_LINK}'
    flows = [{"from": "a", "to": "b", "name": name}]
    given = airtcp.run("a", text=lossy, replications=1, overrides={"flows": flows})
    assert given.json["replications"][0]["flows"][0]["name"] == name


def test_half_of_a_character_within_an_override_is_refused() -> None:
    lossy = f'duration = "1 s"\n{LOSSY_LINK}'
    flows = [{"from": "a", "to": "b", "name": "\ud83d"}]
    with pytest.raises(airtcp.AirtcpError):
        airtcp.run("a", text=lossy, overrides={"flows": flows})
