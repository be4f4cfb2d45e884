"""Traces as arrays, and scenarios as tables, give what files with the same content give."""

from __future__ import annotations

import array
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # pyright: ignore[reportMissingTypeStubs]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import airtcp
from airtcp.inputs import arrays

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KINDS: dict[str, Callable[[list[int]], Any]] = {
    "list": list,
    "tuple": tuple,
    "bytes": bytes,
    "truth": lambda x: [bool(v) for v in x],
    "floats": lambda x: [float(v) for v in x],
    "array.array": lambda x: array.array("h", x),
    "numpy uint8": lambda x: np.array(x, dtype=np.uint8),
    "numpy bool": lambda x: np.array(x, dtype=bool),
    "numpy int64": np.array,
    "numpy big-endian": lambda x: np.array(x, dtype=">i4"),
    "numpy strided": lambda x: np.repeat(np.array(x, dtype=np.uint8), 2)[::2],
    "polars": pl.Series,
    "pandas": pd.Series,
    "pyarrow": pa.array,
    "pyarrow chunks": lambda x: pa.chunked_array([x[:3], x[3:]]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_array(kind: str) -> None:
    outcomes = [1, 0, 0, 1, 1, 1, 0, 1]
    made = KINDS[kind](outcomes)
    assert arrays.is_trace(made)
    assert arrays.text_of(made) == b"10011101"


@given(st.lists(st.integers(0, 1), min_size=1, max_size=50), st.sampled_from(sorted(KINDS)))
@settings(max_examples=60, deadline=None)
def test_an_array_becomes_its_text(outcomes: list[int], kind: str) -> None:
    text = arrays.text_of(KINDS[kind](outcomes))
    assert text.decode() == "".join(map(str, outcomes))


def without_path(document: dict[str, Any]) -> dict[str, Any]:
    # What goes deeper names the file.
    document["answer"] = document["answer"] | {"next": None}
    for link in document["links"]:
        link["source"] = None
    return document


def test_results_are_those_of_the_file(tmp_path: Path) -> None:
    path = airtcp.synth(tmp_path / "up.txt", prr=0.6, mu=0.5, packets=3000, seed=4)
    outcomes = [int(digit) for digit in path.read_text() if digit in "01"]
    assert len(outcomes) == 3000
    path.write_text("".join(map(str, outcomes)))
    of_file = airtcp.study(path, replicas=2, remedies=False)
    of_array = airtcp.study({"up": np.array(outcomes)}, replicas=2, remedies=False)
    assert without_path(dict(of_array.json)) == without_path(dict(of_file.json))
    assert without_path(airtcp.stats(pl.Series("up", outcomes))) == without_path(airtcp.stats(path))
    fit = airtcp.trace_fit({f"l{i}": outcomes[i * 500 :] for i in range(3)})
    assert len(fit) == 3
    compared = airtcp.compare(outcomes, tcp="sack,newreno", synthetic=False, replications=2)
    assert compared.json["subjects"][0]["name"] == "trace"
    assert airtcp.models(outcomes, replicas=1)["links"][0]["name"] == "trace"


@pytest.mark.parametrize(
    ("trace", "said"),
    [
        ([1, 0, 2], "position 2 (counted from 0) has 2; expected 0 or 1"),
        (np.array([1, 0, 7], dtype=np.uint8), "position 2 (counted from 0) has 7"),
        ([1.0, float("nan")], "position 1 (counted from 0) has nan"),
        (pl.Series([1, None]), "position 1 (counted from 0) has no value"),
        (pa.array([True, None]), "position 1 (counted from 0) has no value"),
        ([1, "0"], "position 1 (counted from 0) has '0'"),
        (np.zeros((2, 3)), "has the shape 2 x 3; expected one dimension"),
        ([[0, 1], [1, 0]], "position 0 has [0, 1], a sequence"),
        (pl.DataFrame({"a": [1]}), "is a table; expected one of its columns"),
        (np.array([]), "is empty"),
        (b"", "is empty"),
        (b"0101", "position 0 (counted from 0) has 48"),
    ],
)
def test_an_error_names_position_and_value(trace: Any, said: str) -> None:
    with pytest.raises(airtcp.TraceError, match=re.escape(said)):
        airtcp.stats({"up": trace})


@pytest.mark.parametrize("name", ["../up", "", ".hidden", "a/b", "x" * 300, 3])
def test_a_name_that_no_link_can_have(name: Any) -> None:
    with pytest.raises(airtcp.TraceError, match="cannot be the name of a link"):
        airtcp.stats({name: [1, 0]})


def test_signed_bytes_and_long_names() -> None:
    with pytest.raises(airtcp.TraceError, match=r"position 1 \(counted from 0\) has -1"):
        airtcp.stats(np.array([1, -1], dtype=np.int8))
    for name in ("é" * 150, "\ud800"):
        assert airtcp.stats(pl.Series("up", [1, 0]).to_pandas().rename(name))["links"]
    with pytest.raises(airtcp.TraceError, match="cannot be the name of a link"):
        airtcp.stats({"é" * 150: [1, 0]})


@pytest.mark.parametrize(
    ("links", "said"),
    [
        ((x for x in [1, 0]), "links: is of type generator; expected paths"),
        (range(2), "links: is of type range; expected paths"),
        (["a.txt", 1], "links: position 1 has 1; expected paths"),
    ],
)
def test_links_that_are_neither_paths_nor_outcomes(links: Any, said: str) -> None:
    with pytest.raises(airtcp.TraceError, match=said):
        airtcp.stats(links)


def test_no_value_and_text_beside_a_table_are_refused() -> None:
    with pytest.raises(airtcp.ScenarioError, match=r"links\[0\].delay is None: leave the key out"):
        airtcp.run({"links": [{"delay": None}]})
    with pytest.raises(TypeError, match=r"links\[0\]: .*key"):
        airtcp.run({"links": [{3: 1}]})
    for call in (airtcp.run, airtcp.compare, airtcp.compare_schemes):
        with pytest.raises(TypeError, match="there are a table and text"):
            call({"flows": []}, text="")


def test_paths_stay_paths(tmp_path: Path) -> None:
    path = airtcp.synth(tmp_path / "a.txt", prr=0.5, packets=200)
    for links in (path, str(path), [path], (str(path),)):
        assert airtcp.stats(links)["links"][0]["name"] == "a"


def test_arrays_are_converted(tmp_path: Path) -> None:
    made = airtcp.convert({"a": [1, 0, 1], "b": b"\x00\x01"}, tmp_path / "links")
    assert [path.read_text().split("\n")[-2] for path in made] == ["101", "01"]
    (one,) = airtcp.convert([1, 0], tmp_path / "one.csv")
    assert one.read_text().count("\n") >= 2


def test_a_scenario_as_a_table_runs_as_its_file(tmp_path: Path) -> None:
    from test_start import SCENARIO

    table: dict[str, Any] = {
        "duration": "1 s",
        "links": ({"from": "a", "to": "b", "rate": "10 Mb/s", "delay": "10 ms"},),
        "flows": [{"from": "a", "to": "b"}],
    }
    path = tmp_path / "tiny.toml"
    path.write_text(SCENARIO)
    assert airtcp.run(table).fingerprints == airtcp.run(path).fingerprints
    compared = airtcp.compare(table, tcp="sack,cubic", replications=2)
    assert compared.json["subjects"][0]["kind"] == "scenario"
    with pytest.raises(TypeError, match="delay is of type"):
        airtcp.run({"links": [{"delay": object()}]})
