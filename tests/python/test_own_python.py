"""Own programs and notebooks: frames of every result, arrays as values, pickles, progress."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import airtcp
from airtcp.inputs import progress

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Program

LINK: dict[str, Any] = {
    "duration": "2 s",
    "links": [
        {
            "from": "a",
            "to": "b",
            "rate": "5 Mb/s",
            "delay": "20 ms",
            "loss": {"model": "bernoulli", "probability": 0.01},
        }
    ],
    "flows": [{"from": "a", "to": "b"}],
}
LOSS = "links[0].loss.probability"


def swept(out: Path, values: Any, **more: Any) -> airtcp.SweepResult:
    return airtcp.sweep({"scenario": LINK, "vary": {LOSS: values}}, out=out, workers=1, **more)


def test_every_result_gives_frames(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    run, sweep = airtcp.run(LINK), swept(tmp_path / "out", [0.01, 0.02])
    assert list(run.to_pandas("summary").columns) == run.summary.columns
    assert sweep.to_pandas().shape == (len(sweep.points), len(sweep.points.columns))
    evaluated = airtcp.evaluate("vegas", only="E3", effort="quick", replications=1)
    assert len(evaluated.to_pandas()) == 28
    assert evaluated.to_polars("checks").height == len(evaluated.table("checks"))
    with pytest.raises(KeyError, match=r"no table \"point\" \(there are points\)"):
        sweep.to_pandas("point")


def test_arrays_and_ranges_are_values(tmp_path: Path) -> None:
    lists = swept(tmp_path / "list", [0.01, 0.02, 0.03])
    array = swept(tmp_path / "array", np.array([0.01, 0.02, 0.03]))
    assert array.points.to_dict() == lists.points.to_dict()
    seeds = airtcp.sweep({"scenario": LINK, "vary": {"seed": range(1, 4)}}, out=tmp_path / "seed")
    assert sorted({*seeds.points["seed"]}) == [1, 2, 3]


def test_tables_are_pickled_and_results_say_what_is(tmp_path: Path) -> None:
    run = airtcp.run(LINK)
    again = pickle.loads(pickle.dumps(run.flows))  # noqa: S301 - made here
    assert again.to_dict() == run.flows.to_dict()
    assert pickle.loads(pickle.dumps(run.json)) == run.json  # noqa: S301 - made here
    assert copy.copy(run).text == run.text
    with pytest.raises(TypeError, match=r"RunResult is not pickled: pickle its `json`"):
        pickle.dumps(run)
    with pytest.raises(TypeError, match=r"its points stay in .*out"):
        pickle.dumps(swept(tmp_path / "out", [0.01]))


def test_a_sweep_shows_its_progress_in_a_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(progress, "_screen", lambda: shown.append)
    swept(tmp_path / "out", [0.01, 0.02])
    assert any(text.startswith("<progress") for text in shown)
    assert not shown[-1]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            {"vary": {LOSS: {"from": 0.01, "to": 0.1}}},
            "sweep: vary.links[0].loss.probability.steps: missing; expected a whole number",
        ),
        (
            {"vary": {LOSS: [0.1], "seed": [1, 2]}, "design": "list"},
            'sweep: vary: links[0].loss.probability has 1, seed has 2; design = "list" needs',
        ),
        (
            {"vary": {LOSS: [0.1]}, "kind": "compare", "options": {"replications": 3}},
            "sweep: options.replications: it stands at the top of the file: replications = ...",
        ),
        (
            {"vary": {"seed": [*range(4000)], LOSS: [*np.linspace(0, 0.1, 4000)]}},
            "sweep: vary: a grid of 4000 x 4000 points; expected at most 10000000 in all: give",
        ),
    ],
)
def test_what_a_sweep_lacks_is_said(source: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(airtcp.AirtcpError) as refused:
        airtcp.sweep({"scenario": LINK} | source, out=tmp_path / "out")
    assert str(refused.value).startswith(said)


def test_a_scenario_in_the_wrong_place_is_named(tmp_path: Path) -> None:
    with pytest.raises(airtcp.AirtcpError, match="a scenario itself stands under `scenario`"):
        airtcp.sweep({"of": LINK, "vary": {LOSS: [0.1]}}, out=tmp_path / "out")
    with pytest.raises(airtcp.ScenarioError, match="this is the text of one; give it as text="):
        airtcp.run('duration = "2 s"\n[[links]]\n')
    with pytest.raises(TypeError, match="tcp has 3, of type int; expected the name of a TCP"):
        airtcp.compare(LINK, tcp=3)  # pyright: ignore[reportArgumentType]


def test_the_folder_of_a_sweep_shows_its_answer_again(tmp_path: Path, run: Program) -> None:
    result = swept(tmp_path / "out", [0.01, 0.2])
    answer = result.answer()
    assert answer is not None
    ended = run("out")
    assert ended.code == 0
    assert " ".join(ended.out.split()).startswith(answer.headline)
    assert "this is the folder of a sweep" in run("run", "out").err


def test_points_of_another_sweep_in_the_folder_are_kept_and_said(
    tmp_path: Path, run: Program
) -> None:
    (tmp_path / "link.toml").write_text(
        'duration = "1 s"\n[[links]]\nfrom = "a"\nto = "b"\nrate = "5 Mb/s"\ndelay = "9 ms"\n'
        '[[flows]]\nfrom = "a"\nto = "b"\n',
        "utf-8",
    )
    for name, values in (("one", "[1, 2]"), ("two", "[2, 3]")):
        text = f'of = "link.toml"\n[vary]\nseed = {values}\n'
        (tmp_path / f"{name}.toml").write_text(text, "utf-8")
    assert "kept in" not in run("sweep", "one.toml", "--out", "out").err
    assert "kept in out/unused: 1 point that this sweep has not" in (
        run("sweep", "two.toml", "--out", "out").err
    )
