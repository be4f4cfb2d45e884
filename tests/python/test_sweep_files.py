"""Sweeps: files that the scenario names, and the keys of points that depend on them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

import airtcp
from airtcp.files.folder import SWEEP_MARK
from airtcp.questions.sweep.named_files import FILE_KEYS
from airtcp.questions.sweep.plan import Plan
from airtcp.questions.sweep.sweep_file import read
from test_sweep import LINK, asked, json_toml, rows, run

if TYPE_CHECKING:
    from collections.abc import Iterator

TRACE: dict[str, Any] = {"model": "trace", "path": "t.txt", "slot": "10 ms"}


def replayed(loss: dict[str, Any] | None = None) -> dict[str, Any]:
    (link,) = LINK["links"]
    return LINK | {"links": [link | {"loss": TRACE if loss is None else loss}]}


def write_trace(folder: Path, prr: float) -> None:
    folder.mkdir(exist_ok=True)
    airtcp.synth(folder / "t.txt", prr=prr, packets=2000, seed=1, force=True)


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a sweep, whose scenario is in another folder, each with another trace."""
    write_trace(tmp_path / "scenarios", 0.6)
    write_trace(tmp_path / "sweeps", 0.95)
    (tmp_path / "scenarios" / "link.toml").write_text(json_toml(replayed()))
    (tmp_path / "sweeps" / "sweep.toml").write_text(
        'of = "../scenarios/link.toml"\nreplications = 2\n[vary]\n"links[0].delay" = ["5 ms"]\n'
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_files_are_those_beside_the_scenario(folders: Path) -> None:
    file = folders / "sweeps" / "sweep.toml"
    result = airtcp.sweep(file, out=folders / "out", workers=1, report=False)
    (flow,) = (row for row in rows(result) if row["kind"] == "flow")
    scenario = folders / "scenarios" / "link.toml"
    alone = airtcp.run(scenario, replications=2, overrides={"links[0].delay": "5 ms"})
    assert flow["goodput_bps"] == alone.json["summary"]["flows"][0]["goodput_bps"]["mean"]


@pytest.mark.parametrize("kind", ["run", "compare"])
def test_a_changed_file_beside_the_scenario_makes_the_point_run_again(
    kind: str, folders: Path
) -> None:
    options = {"options": {"tcp": "reno"}} if kind == "compare" else {}
    given = {
        "of": "scenarios/link.toml",
        "kind": kind,
        "replications": 2,
        "vary": {"links[0].delay": ["5 ms"]},
    } | options
    first = rows(run(given, folders / "out"))
    write_trace(folders / "sweeps", 0.5)
    assert run(given, folders / "out").json["points"]["run"] == 0
    write_trace(folders / "scenarios", 0.9)
    again = run(given, folders / "out")
    assert again.json["points"]["run"] == 1
    assert [row["goodput_bps"] for row in rows(again)] != [row["goodput_bps"] for row in first]


def test_a_comparison_finds_a_scenario_with_an_absolute_path(folders: Path) -> None:
    given = {
        "of": str(folders / "scenarios" / "link.toml"),
        "kind": "compare",
        "replications": 2,
        "vary": {"options.tcp": ["reno"]},
    }
    (row,) = rows(run(given, folders / "out"))
    alone = airtcp.compare(given["of"], tcp="reno", replications=2, remedies=False)
    assert row["goodput_bps"] == alone.outcomes["goodput_bps"][0]


def key(given: Any, **more: Any) -> str:
    return Plan(read(given, **more)).point(0).key


@pytest.mark.parametrize("place", ["set", "overrides", "vary", "scenario"])
def test_a_file_in_a_table_of_values_is_in_the_key(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = '{ model = "trace", path = "t.txt", slot = "10 ms" }'
    given, more = asked(vary={"links[0].delay": ["5 ms"]}), {}
    if place == "set":
        given["set"] = {"links[0].loss": TRACE}
    elif place == "overrides":
        more = {"overrides": {"links[0].loss": text}}
    elif place == "vary":
        given["vary"] = {"links[0].loss": [text]}
    else:
        given["scenario"] = replayed()
    write_trace(tmp_path, 0.6)
    before = key(given, **more)
    assert key(given, **more) == before
    write_trace(tmp_path, 0.9)
    assert key(given, **more) != before


def test_the_key_does_not_depend_on_how_the_file_is_named(
    folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folders / "sweeps" / "sweep.toml"
    keys = {key(file), key(Path("sweeps/sweep.toml")), key(Path("scenarios/../sweeps/sweep.toml"))}
    monkeypatch.chdir(folders / "sweeps")
    assert keys == {key(Path("sweep.toml"))}


def test_the_key_depends_on_named_files_only(folders: Path) -> None:
    given = asked(
        scenario=replayed() | {"title": "notes"}, vary={"links[0].delay": ["5 ms"]}, title="notes"
    )
    given["scenario"]["flows"] = [{"from": "a", "to": "b", "name": "notes"}]
    write_trace(folders, 0.8)
    notes = folders / "notes"
    notes.write_text("one")
    (folders / "a").write_text("one")
    before = key(given)
    notes.write_text("two")
    (folders / "a").write_text("two")
    assert key(given) == before


def test_the_key_of_a_study_does_not_depend_on_results(folders: Path) -> None:
    given = {"of": ".", "kind": "study", "vary": {"options.replicas": [2]}}
    before = key(given)
    (folders / "out" / "points").mkdir(parents=True)
    (folders / "out" / SWEEP_MARK).write_text("")
    (folders / "out" / "points" / "000001.parquet").write_text("results")
    assert key(given) == before
    write_trace(folders / "sweeps", 0.7)
    assert key(given) != before


@pytest.mark.parametrize("pattern", ["{folder}/sweeps/*.txt", "sweeps/*.txt", "{folder}/**/t.*"])
def test_the_key_of_a_study_depends_on_files_of_a_pattern(folders: Path, pattern: str) -> None:
    given = {"of": [pattern.format(folder=folders)], "kind": "study"}
    given |= {"vary": {"options.replicas": [2]}}
    before = key(given)
    write_trace(folders / "sweeps", 0.8)
    assert key(given) != before


def test_the_keys_of_files_are_those_of_the_schema() -> None:
    """Every free text of a scenario whose description speaks of a file has a known key."""
    words = ("The file", "File of", "of the file", "Delivery trace")

    def free_text(of: dict[str, Any]) -> bool:
        return of.get("type") in ("string", ["string", "null"]) and "enum" not in of

    def named(part: Any) -> Iterator[str]:
        if isinstance(part, list):
            for one in cast("list[Any]", part):
                yield from named(one)
        if isinstance(part, dict):
            table = cast("dict[str, Any]", part)
            for name, of in cast("dict[str, Any]", table.get("properties", {})).items():
                if free_text(of) and any(word in of.get("description", "") for word in words):
                    yield name
            for one in table.values():
                yield from named(one)

    assert set(named(airtcp.schema("scenario"))) == FILE_KEYS


def test_a_foreign_number_in_the_name_of_a_chunk_is_no_number(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(asked(), out)
    (chunk,) = (out / "points").glob("*.parquet")
    digest = chunk.stem.partition("-")[2]
    chunk.rename(chunk.with_name(f"²³-{digest}.parquet"))
    assert run(asked(), out).json["points"]["run"] == 0
