"""`airtcp.Table` against polars, pandas and pyarrow, and against hostile texts."""

from __future__ import annotations

import io
import math
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
from arro3.core import Array, DataType
from arro3.core import Table as Arrow
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from airtcp import Table

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NAMES = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8
)
VALUES = {
    str: TEXTS,
    bool: st.booleans(),
    int: st.integers(-(1 << 63), (1 << 63) - 1),
    float: st.floats(),
}
POLARS = {str: pl.String, bool: pl.Boolean, int: pl.Int64, float: pl.Float64}


@st.composite
def columns(draw: st.DrawFn) -> tuple[dict[str, list[Any]], dict[str, type]]:
    """Draw columns of equal length, with their types."""
    types = draw(st.dictionaries(NAMES, st.sampled_from(list(VALUES)), min_size=1, max_size=4))
    rows = draw(st.integers(0, 6))
    values = {
        name: draw(st.lists(st.none() | VALUES[kind], min_size=rows, max_size=rows))
        for name, kind in types.items()
    }
    return values, types


def same(a: Any, b: Any) -> bool:
    return repr(a) == repr(b)


def frame(values: dict[str, list[Any]], types: dict[str, type]) -> pl.DataFrame:
    return pl.DataFrame(values, schema={name: POLARS[kind] for name, kind in types.items()})


@given(columns())
def test_a_table_is_what_it_was_made_of(
    drawn: tuple[dict[str, list[Any]], dict[str, type]],
) -> None:
    values, types = drawn
    table = Table.from_columns(values, types)
    assert table.columns == list(values)
    assert len(table) == len(next(iter(values.values())))
    for name, column in values.items():
        assert all(map(same, table[name], column))
        kinds = {type(value) for value in table[name]} - {type(None)}
        assert kinds <= {types[name]}
    rows = table.rows()
    assert len(rows) == len(table)
    again = Table.from_rows(rows, types)
    assert_frame_equal(again.to_polars(), table.to_polars())


@given(columns())
def test_polars_and_pyarrow_see_the_same(
    drawn: tuple[dict[str, list[Any]], dict[str, type]],
) -> None:
    values, types = drawn
    table = Table.from_columns(values, types)
    expected = frame(values, types)
    assert_frame_equal(table.to_polars(), expected)
    assert_frame_equal(pl.DataFrame(table.to_arrow()), expected)
    # And back, whatever layout the other library chose.
    for other in (expected, table.to_arrow()):
        assert_frame_equal(Table(other).to_polars(), expected)
        assert same(Table(other).to_dict(), values)


@given(columns())
@settings(max_examples=50)
def test_files_hold_the_same(drawn: tuple[dict[str, list[Any]], dict[str, type]]) -> None:
    values, types = drawn
    table, expected = Table.from_columns(values, types), frame(values, types)
    file = io.BytesIO()
    table.write_parquet(file)
    assert_frame_equal(pl.read_parquet(io.BytesIO(file.getvalue())), expected)
    found = pq.read_table(io.BytesIO(file.getvalue()))
    assert found.schema.equals(table.to_arrow().schema)
    assert table.to_csv() == expected.write_csv()


@given(st.lists(st.floats() | st.floats(1e-6, 1e-3) | st.floats(1e14, 1e18), max_size=20))
def test_numbers_of_csv_round_trip(values: list[float]) -> None:
    text = Table.from_columns({"x": values}, {"x": float}).to_csv()
    assert text == pl.DataFrame({"x": values}, schema={"x": pl.Float64}).write_csv()
    assert all(same(float(line), x) for line, x in zip(text.split("\n")[1:-1], values, strict=True))


def test_types_are_inferred_over_all_rows() -> None:
    rows: list[dict[str, Any]] = [{"a": None, "b": 1, "c": True}] * 200
    rows += [{"a": "x", "b": 1.5, "c": 2, "d": 1 << 63, "e": None}]
    table = Table.from_rows(rows)
    found = table.to_polars().schema
    assert found == {
        "a": pl.String,
        "b": pl.Float64,
        "c": pl.Int64,
        "d": pl.UInt64,
        "e": pl.Float64,
    }
    assert table["b"][0] == 1.0
    assert table["d"][:1] == [None]


def test_declared_columns_exist_without_rows() -> None:
    table = Table.from_rows([], {"name": str, "prr": float, "packets": int, "converged": bool})
    assert len(table) == 0
    assert table.columns == ["name", "prr", "packets", "converged"]
    assert table.to_polars().dtypes == [pl.String, pl.Float64, pl.Int64, pl.Boolean]
    assert table.to_csv() == "name,prr,packets,converged\n"
    assert list(table.to_pandas().columns) == table.columns
    assert Table.from_rows([]).columns == []
    assert Table.from_rows([]).rows() == []


@pytest.mark.parametrize(
    ("rows", "types", "message"),
    [
        ([{"a": 1}, {"a": "x"}], None, 'column "a" holds int and str'),
        ([{"a": [1]}], None, 'column "a" holds list; expected text'),
        ([{"a": "x"}], {"a": float}, 'column "a" is declared as float and holds str'),
        ([{"a": 1.5}], {"a": int}, 'column "a" is declared as int and holds float'),
        ([{"a": None}], {"a": list}, 'column "a" is declared as list; expected str'),
    ],
)
def test_types_that_do_not_fit(
    rows: list[dict[str, Any]], types: dict[str, type] | None, message: str
) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        Table.from_rows(rows, types)


def test_numbers_of_other_libraries() -> None:
    np = pytest.importorskip("numpy")
    table = Table.from_columns({"a": [np.int32(1)], "b": [np.float32(0.5)], "c": [np.bool_(1)]})
    assert table.rows() == [{"a": 1, "b": 0.5, "c": True}]
    assert [type(value) for value in table.rows()[0].values()] == [int, float, bool]


def test_columns_of_unequal_length() -> None:
    with pytest.raises(ValueError, match='"a" has 1, "b" has 2'):
        Table.from_columns({"a": [1], "b": [1, 2]})


def test_names_that_arrow_cannot_pass_on() -> None:
    for make in (
        lambda: Table.from_rows([{"a\0": 1}]),
        lambda: Table(Arrow.from_arrays([Array([1], DataType.int64())], names=["a\0"])),
    ):
        with pytest.raises(ValueError, match="must not hold a NUL"):
            make()


def test_parts_of_a_table() -> None:
    table = Table.from_columns({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    assert table.select(["b"]).rows() == [{"b": "x"}, {"b": "y"}, {"b": "z"}]
    assert table.select(["b", "a"]).columns == ["b", "a"]
    assert table.head(2)["a"] == [1, 2]
    assert len(table.head(99)) == 3
    assert len(table.head(-1)) == 0
    for ask in (lambda: table["no"], lambda: table.select(["no"])):
        with pytest.raises(KeyError, match=r"no column .*no.* \(there are a, b\)"):
            ask()


def test_names_are_text_and_differ() -> None:
    table = Table.from_columns({"a": [1], "b": [2]})
    assert list(table) == ["a", "b"]
    assert "a" in table
    assert "c" not in table
    twice = Arrow.from_arrays([Array([1], DataType.int64())] * 2, names=["a", "a"])
    for make in (lambda: Table(twice), lambda: table.select(["a", "a"])):
        with pytest.raises(ValueError, match='two columns have the name "a"'):
            make()
    with pytest.raises(ValueError, match="two columns have the name"):
        Table.from_columns({"x\udcff": [1], "x\\udcff": [2]})
    with pytest.raises(TypeError, match="column 1: the name is of type int; expected text"):
        Table.from_columns({1: [1]})  # pyright: ignore[reportArgumentType]


def test_pandas() -> None:
    values = {
        "i": [1, 2],
        "f": [0.5, math.nan],
        "s": ["x", None],
        "b": [True, False],
        "hole": [1, None],
        "flag": [True, None],
    }
    table = Table.from_columns(values)
    found = table.to_pandas()
    by_pyarrow = table.to_arrow().to_pandas()
    pd.testing.assert_frame_equal(found, by_pyarrow, check_dtype=False)
    numeric = ["i", "f", "b", "hole", "flag"]
    assert found[numeric].dtypes.equals(by_pyarrow[numeric].dtypes)


def test_pandas_needs_no_pyarrow() -> None:
    program = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from airtcp import Table\n"
        "frame = Table.from_rows([{'a': 'x', 'b': 1}]).to_pandas()\n"
        "assert frame.to_dict('list') == {'a': ['x'], 'b': [1]}\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_table_needs_no_library_of_frames() -> None:
    program = (
        "import sys, io\nimport airtcp\n"
        "table = airtcp.Table.from_rows([{'a': 'x', 'b': 1}])\n"
        "table.write_parquet(io.BytesIO()); table.write_csv(io.BytesIO()); repr(table)\n"
        "found = {'polars', 'pandas', 'pyarrow', 'numpy'} & set(sys.modules)\n"
        "assert not found, found\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_files_by_path(tmp_path: Path) -> None:
    table = Table.from_rows([{"a": "é", "b": None}])
    table.write_parquet(tmp_path / "t.parquet")
    table.write_csv(str(tmp_path / "t.csv"))
    assert Table(pq.read_table(tmp_path / "t.parquet")).rows() == table.rows()
    assert (tmp_path / "t.csv").read_text("utf-8") == "a,b\né,\n"
    with pytest.raises(FileNotFoundError):
        table.write_parquet(tmp_path / "none" / "t.parquet")


def test_names_that_are_no_text() -> None:
    # A file's name with a byte outside UTF-8 has a surrogate in Python.
    assert Table.from_rows([{"a": "x\udcff"}])["a"] == ["x\\udcff"]


HOSTILE = ["<script>alert(1)</script>", '"><img src=x>', "&amp;", "\x1b[31m", "a\u202eb", "\ud800"]


def test_html_of_hostile_texts() -> None:
    table = Table.from_rows([{f"{text}<b>": text} for text in HOSTILE])
    found = table._repr_html_()
    tags = set(re.findall(r"<\s*/?([^\s>]+)", found))
    assert tags == {"div", "table", "thead", "tbody", "tr", "th", "td", "p"}
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in found
    assert "&amp;amp;" in found
    assert all(c.isprintable() for c in found)
    assert "\x1b" not in repr(table)
    assert all(line.isprintable() for line in repr(table).split("\n"))


def test_html_is_bounded() -> None:
    table = Table.from_columns({"n": list(range(100)), "long": ["x" * 10_000] * 100})
    found = table._repr_html_()
    assert found.count("<tr>") == 61
    assert "the first 60 of 100 rows, 2 columns" in found
    assert len(found) < 30_000
    assert table.head(60)._repr_html_().count("<tr>") == 61
    assert "1 row, " in table.head(1)._repr_html_()


def test_text_is_bounded_and_aligned() -> None:
    wide = Table.from_columns({f"column_{i}": [i] * 12 for i in range(40)})
    lines = repr(wide).split("\n")
    assert lines[0] == "Table: 12 rows, 40 columns"
    assert all(len(line) <= 100 for line in lines[:-1])
    assert lines[-2] == "…"
    shown = len(lines[1].split())
    assert lines[-1].startswith(f"and {40 - shown} more columns: column_{shown}, ")
    table = Table.from_rows([{"name": "long name", "x": 1.0}, {"name": "b", "x": 123.456789}])
    assert repr(table).split("\n")[1:] == [
        "name             x",
        "long name        1",
        "b          123.457",
    ]


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_a_library_that_is_missing_says_how_to_get_it(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    table = Table.from_rows([{"a": 1}])
    with pytest.raises(ImportError, match=rf"pip install 'airtcp\[{library}\]'"):
        getattr(table, f"to_{library.removeprefix('py')}")()
