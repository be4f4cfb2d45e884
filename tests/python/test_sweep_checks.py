"""Sweeps: mistakes are reported once, before a worker starts; schemas of file and document."""

from __future__ import annotations

import copy
import json
import re
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

import airtcp
from airtcp.questions.sweep.plan import Plan
from airtcp.questions.sweep.sweep_file import read
from test_sweep import LINK, LOSS, asked, json_toml, run

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Program

ONE = {"links[0].delay": ["5 ms"]}


def refused(given: dict[str, Any], out: Path) -> str:
    """Run a sweep that is refused before anything is written."""
    with pytest.raises(airtcp.AirtcpError) as caught:
        run(given, out)
    assert not out.exists(), "the folder was made before the mistake was found"
    return str(caught.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"vary": {"links[0].dealy": ["5 ms", "9 ms"]}}, 'did you mean "delay"?'),
        ({"vary": {"links[3].delay": ["5 ms"]}}, "there is no element 3 (found 1)"),
        ({"vary": ONE | {"flows[0].tcp": ["reno", "linx"]}}, "flows[0].tcp"),
        ({"vary": {"links[0].delay": ["5 ms", "5 parsec"]}}, "parsec"),
        ({"vary": {"d": {"key": "links[0].delay", "values": ["5 ms", "9 kB"]}}}, "9 kB"),
        ({"vary": ONE, "set": {"warmpu": "1 s"}}, 'did you mean "warmup"?'),
        ({"vary": {"flows[0].to": ["c", "d"]}}, "c"),
        (
            {
                "vary": {"links[0].dealy": {"from": "1 ms", "to": "9 ms"}},
                "design": "latin-hypercube",
                "points": 9,
            },
            'did you mean "delay"?',
        ),
    ],
)
def test_a_mistake_is_reported_once_with_file_and_key(
    change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    message = refused(asked(**change), tmp_path / "out")
    assert message.startswith("sweep: ")
    assert said in message
    (key,) = (key for key in [*change["vary"], "warmpu"] if key in message)
    assert f"{'set' if key == 'warmpu' else 'vary'}.{key}" in message


def test_the_command_names_the_sweep_file_and_its_key(tmp_path: Path, run_cli: Program) -> None:
    (tmp_path / "link.toml").write_text(json_toml(LINK))
    (tmp_path / "bad.toml").write_text('of = "link.toml"\nvary = { "links[0].rat" = ["1 Mb/s"] }\n')
    for more in ((), ("--dry-run",)):
        ended = run_cli("sweep", "bad.toml", *more)
        assert ended.code == 2
        assert "bad.toml: vary.links[0].rat: links[0].rat=1 Mb/s: unknown key" in ended.err
        assert 'did you mean "rate"?' in ended.err
        assert not (tmp_path / "bad.sweep").exists()


@pytest.fixture
def run_cli(request: pytest.FixtureRequest) -> Program:
    """The fixture `run` under a name that the function `run` of this file does not hide."""
    return request.getfixturevalue("run")


GOOD: list[dict[str, Any]] = [
    {},
    {"title": "t", "seed": 0, "design": "list"},
    {"vary": {"d": {"key": ["links[0].delay"], "from": "1 ms", "to": "9 ms", "steps": 3}}},
    {"vary": {"d": {"key": "links[0].delay", "values": ["1 ms"]}}},
    {"design": "sobol", "points": 8, "vary": {LOSS: {"from": 0, "to": 0.1, "scale": "linear"}}},
    {"replications": None, "until": {"goodput_bps": "2 %"}, "min_replications": 5},
    {"until": {}},
    {"kind": "compare", "options": {"tcp": "reno,cubic"}, "measure": ["difference_percent"]},
    {"scenario": None, "of": "link.toml", "set": {"duration": "2 s"}},
]
BAD: list[dict[str, Any]] = [
    {"vari": {}},
    {"vary": {}},
    {"vary": None},
    {"vary": {LOSS: 3}},
    {"vary": {LOSS: []}},
    {"vary": {LOSS: {"from": 1}}},
    {"vary": {LOSS: {"form": 1, "to": 2}}},
    {"vary": {LOSS: {"values": [1], "from": 1}}},
    {"vary": {LOSS: {"from": 0, "to": 1, "steps": 1}}},
    {"vary": {LOSS: {"from": 0, "to": 1, "steps": 3, "scale": "cubic"}}},
    {"vary": {"d": {"key": [], "values": [1]}}},
    {"design": "grit"},
    {"design": "sobol"},
    {"points": 3},
    {"points": 0, "design": "latin-hypercube"},
    {"kind": "runn"},
    {"of": "link.toml"},
    {"scenario": None},
    {"seed": -1},
    {"seed": 1.5},
    {"replications": 0},
    {"until": {"goodput_bps": "2 %"}},
    {"min_replications": 5},
    {"options": {"tpc": "cubic"}, "kind": "compare"},
    {"measure": []},
    {"measure": ["goodput"]},
    {"title": 3},
    {"set": 3},
]


def changed(change: dict[str, Any]) -> dict[str, Any]:
    given = copy.deepcopy(asked()) | change
    return {key: value for key, value in given.items() if value is not None}


@pytest.mark.parametrize("change", GOOD)
def test_the_schema_accepts_what_the_reader_accepts(
    change: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.toml").write_text(json_toml(LINK))
    given = changed(change)
    read(given)
    jsonschema.validate(given, airtcp.schema("sweep-file"))


@pytest.mark.parametrize("change", BAD)
def test_the_schema_refuses_what_the_reader_refuses(
    change: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.toml").write_text(json_toml(LINK))
    given = changed(change)
    with pytest.raises(airtcp.AirtcpError):
        Plan(read(given))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(given, airtcp.schema("sweep-file"))


def test_documents_have_the_schema(tmp_path: Path) -> None:
    until = asked(until={"goodput_bps": "20 %"}, max_replications=12)
    del until["replications"]
    span = {LOSS: {"from": "0.1 %", "to": "2 %", "scale": "log"}}
    cube = asked(vary=span, design="latin-hypercube", points=9, seed=4)
    failing = asked(vary={"flows[0].tcp.mss": [1460, 400], "links[0].mtu": ["1500 B", "600 B"]})
    for number, given in enumerate((until, cube, failing)):
        result = run(given, tmp_path / str(number))
        written = json.loads((tmp_path / str(number) / "sweep.json").read_text("utf-8"))
        assert written == result.json
        jsonschema.validate(written, airtcp.schema("sweep"))
        assert not written["running"]


@pytest.mark.parametrize(
    ("change", "seed"),
    [
        ({}, 1),
        ({"seed": 9}, 9),
        ({"scenario": LINK | {"seed": 5}}, 5),
        ({"scenario": LINK | {"seed": 5}, "set": {"seed": 6}}, 6),
        ({"set": {"seed": "0x10"}}, 16),
        ({"vary": {"seed": [1, 2]}}, None),
    ],
)
def test_the_document_has_the_seed_that_was_used(
    change: dict[str, Any], seed: int | None, tmp_path: Path
) -> None:
    given = asked(**({"vary": ONE, "measure": ["goodput_bps"]} | change))
    result = run(given, tmp_path / "out")
    assert result.json["seed"] == seed
    if seed is not None:
        text = json_toml(given["scenario"])
        alone = airtcp.run(
            "s", text=text, seed=seed, replications=3, overrides={"links[0].delay": "5 ms"}
        )
        (flow,) = (row for row in result.points.rows() if row["kind"] == "flow")
        assert flow["goodput_bps"] == alone.json["summary"]["flows"][0]["goodput_bps"]["mean"]


def test_guide_and_schema_list_the_same_keys() -> None:
    from examples import DOCS

    guide = (DOCS / "guide" / "sweep.md").read_text("utf-8")
    table = guide.partition("| key | meaning |\n|---|---|\n")[2].partition("\n\n")[0]
    heads = [row.split("|")[1] for row in table.splitlines()]
    listed = {name for head in heads for name in re.findall(r"`(\w+)`", head)}
    assert listed | {"scenario"} == set(airtcp.schema("sweep-file")["properties"])
