"""Sweeps: keys that contradict each other are refused, and equal points have equal keys."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.questions.sweep.plan import Plan
from airtcp.questions.sweep.sweep_file import read
from test_sweep import LINK, LOSS, asked, json_toml, run

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Program

ONE = {"links[0].delay": ["5 ms"]}
DELAY = "links[0].delay"


def column(name: str, path: str = DELAY) -> dict[str, Any]:
    return {name: {"key": path, "values": ["5 ms"]}}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"vary": {"seed": [1]}, "seed": 0}, "seed: is also set by vary.seed: remove one"),
        (
            {"vary": {"s": {"key": "seed", "values": [1]}}, "seed": 4},
            "seed: is also set by vary.s: remove one",
        ),
        ({"vary": ONE, "set": {"seed": 2}, "seed": 2}, "seed: is also set by set.seed"),
        ({"vary": ONE | column("d")}, "vary.d: links[0].delay is also set by vary.links[0].delay"),
        ({"vary": ONE, "set": {DELAY: "5 ms"}}, "is also set by vary.links[0].delay"),
        (
            {"vary": {"d": {"key": [DELAY, DELAY], "values": ["5 ms"]}}},
            "vary.d: links[0].delay is also set by vary.d",
        ),
        ({"vary": ONE, "set": {"replications": 2}}, "replications: is also set by set.repl"),
        (
            {"vary": {"n": {"key": "replications", "values": [2]}}},
            "replications: is also set by vary.n",
        ),
        (
            {
                "vary": ONE,
                "set": {"replications": 2},
                "replications": None,
                "until": {"goodput_bps": "2 %"},
            },
            "until: replications is also set by set.replications",
        ),
        (
            {
                "kind": "compare",
                "vary": ONE,
                "set": {"options.tcp": "reno"},
                "options": {"tcp": "cubic"},
            },
            "options.tcp: is also set by set.options.tcp",
        ),
        ({"vary": column("rtt_mean")}, 'column rtt_mean_s has the same name as "rtt_mean_s"'),
        (
            {"vary": {"Timeouts_CI_low": {"key": LOSS, "values": [0.1]}}},
            'has the same name as "timeouts_ci_low"',
        ),
        ({"vary": {"KEY": {"key": LOSS, "values": [0.1]}}}, 'has the same name as "key"'),
        (
            {
                "vary": {
                    "P": {"key": LOSS, "values": [0.1]},
                    "p": {"key": "flows[0].x", "values": [1]},
                }
            },
            "vary.p: its column p has the same name as that of vary.P",
        ),
        ({"vary": ONE, "set": {"options.tcp": "reno"}}, "set.options.tcp: a run has no options"),
        (
            {"kind": "compare", "vary": ONE, "set": {"options.tpc": "reno"}},
            'set.options.tpc: "tpc" is no option of kind "compare"; did you mean "tcp"?',
        ),
        (
            {
                "scenario": None,
                "of": "t.txt",
                "replications": None,
                "vary": {"options.slot": ["1 s"]},
            }
            | {"set": {"replicas": 3}},
            "set.replicas: a study has no key replicas; expected options.NAME; did you mean",
        ),
        (
            {
                "scenario": None,
                "of": "t.txt",
                "kind": "compare",
                "vary": {"options.tcp": ["reno"]},
                "set": {DELAY: "5 ms"},
            },
            "a comparison of traces has no key links[0].delay; expected options.NAME",
        ),
    ],
)
def test_a_contradiction_is_refused_with_both_places(change: dict[str, Any], said: str) -> None:
    given = {name: value for name, value in (asked() | change).items() if value is not None}
    with pytest.raises(airtcp.AirtcpError, match=re.escape(said)):
        read(given)


def test_the_command_line_replaces_values_of_the_file() -> None:
    """As in `airtcp run`, but a varied key is no value of the file that could be replaced."""
    given = asked(vary=ONE, set={"duration": "2 s", "seed": 3, "replications": 4})
    del given["replications"]
    sweep = read(given, overrides={"duration": "3 s"}, seed=5, replications=6)
    assert sweep.fixed == (("duration", "3 s"),)
    assert (sweep.seed, sweep.rule.number) == (5, 6)
    sweep = read(asked(vary=ONE, seed=1), overrides={"seed": 8, "replications": 2})
    assert dict(sweep.fixed) == {"seed": "8", "replications": "2"}
    assert (sweep.seed, sweep.rule.number) == (None, None)
    compared = asked(kind="compare", vary=ONE, options={"tcp": "reno", "remedies": True})
    sweep = read(compared, overrides={"options.tcp": "cubic"})
    assert sweep.options == {"tcp": "cubic", "remedies": True}
    more: dict[str, Any]
    for more in ({"seed": 3}, {"overrides": {"seed": 3}}):
        with pytest.raises(airtcp.AirtcpError, match=r"also set by vary\.seed"):
            read(asked(vary={"seed": [1, 2]}), **more)


def test_options_in_set_act(tmp_path: Path) -> None:
    trace = airtcp.synth(tmp_path / "t.txt", prr=0.7, packets=2000, seed=1)
    given: dict[str, Any] = {
        "of": str(trace),
        "vary": {"options.profile": ["s1"]},
        "set": {"options.replicas": 3},
    }
    assert run(given, tmp_path / "out").points.rows()[0]["replications"] == 3
    given["set"] = {"options.tcp": "reno"}
    with pytest.raises(airtcp.AirtcpError, match=r'set\.options\.tcp: "tcp" is no option'):
        read(given)


def keys(given: dict[str, Any], **more: Any) -> list[str]:
    return [point.key for point in Plan(read(given, **more))]


def test_the_seed_in_force_changes_no_key(tmp_path: Path) -> None:
    base = keys(asked(vary=ONE))
    assert keys(asked(vary=ONE, seed=1)) == base
    assert keys(asked(vary=ONE, set={"seed": 1})) == base
    assert keys(asked(vary=ONE, scenario=LINK | {"seed": 1})) == base
    assert keys(asked(vary=ONE | {"seed": [1, 2]})) == [*base, *keys(asked(vary=ONE, seed=2))]
    trace = airtcp.synth(tmp_path / "t.txt", prr=0.7, packets=500, seed=1)
    study: dict[str, Any] = {"of": str(trace), "vary": {"options.replicas": [2]}}
    assert keys(study) == keys(study | {"seed": 1}) != keys(study | {"seed": 2})


@pytest.mark.parametrize("place", ["name", "from", "title"])
def test_names_that_look_like_quantities_differ(place: str) -> None:
    path = place if place == "title" else f"flows[0].{place}"
    both = keys(asked(vary={path: ["10 ms", "0.01 s"]}))
    assert len(set(both)) == 2
    fixed = [keys(asked(vary=ONE, set={path: text})) for text in ("10 ms", "0.01 s")]
    assert fixed[0] != fixed[1]
    (flow,) = LINK["flows"]
    own = [
        LINK | ({place: text} if place == "title" else {"flows": [flow | {place: text}]})
        for text in ("10 ms", "0.01 s")
    ]
    assert keys(asked(vary=ONE, scenario=own[0])) != keys(asked(vary=ONE, scenario=own[1]))


DEEP = "[" * 3000 + "]" * 3000


def test_deeply_nested_values_are_refused(tmp_path: Path, run_cli: Program) -> None:
    (tmp_path / "sweep.toml").write_text(f"of = {DEEP}\n")
    with pytest.raises(airtcp.AirtcpError, match=r"sweep\.toml: nested too deeply"):
        read(tmp_path / "sweep.toml")
    for file, text in (("deep", f"x = {DEEP}\n"), ("open", "duration = [\n")):
        (tmp_path / f"{file}.toml").write_text(text)
        given = {"of": str(tmp_path / f"{file}.toml"), "vary": ONE}
        with pytest.raises(airtcp.AirtcpError, match=rf"{file}\.toml"):
            run(given, tmp_path / "out")
    (tmp_path / "link.toml").write_text(json_toml(LINK))
    (tmp_path / "s.toml").write_text(f'of = "link.toml"\nvary = {{ "{DELAY}" = ["5 ms"] }}\n')
    for values in (f"duration={DEEP}", f"{'a.' * 3000}a=1"):
        ended = run_cli("sweep", "s.toml", "--set", values)
        assert ended.code == 2
        assert "Traceback" not in ended.err


def test_an_empty_scenario_is_refused_as_a_scenario(tmp_path: Path) -> None:
    (tmp_path / "empty.toml").write_text("")
    for subject in ({"of": str(tmp_path / "empty.toml")}, {"scenario": {}}):
        with pytest.raises(airtcp.AirtcpError) as caught:
            run(subject | {"vary": {"duration": ["1 s"]}}, tmp_path / "out")
        assert "traces" not in str(caught.value)
        assert not (tmp_path / "out").exists()


def test_a_position_in_foreign_digits_is_refused(tmp_path: Path) -> None:
    for digit in ("²", "\u0660"):
        with pytest.raises(airtcp.AirtcpError, match=r"vary\.links"):
            run(asked(vary={f"links.{digit}.delay": ["5 ms"]}), tmp_path / "out")


@pytest.fixture
def run_cli(request: pytest.FixtureRequest) -> Program:
    """The fixture `run` under a name that the function `run` of this file does not hide."""
    return request.getfixturevalue("run")


def test_one_failed_point_is_one_point(tmp_path: Path, run_cli: Program) -> None:
    (tmp_path / "link.toml").write_text(json_toml(LINK))
    (tmp_path / "bad.toml").write_text(
        'of = "link.toml"\nvary = { "links[0].loss" = [{ model = "trace", path = "no.txt" }] }\n'
    )
    ended = run_cli("sweep", "bad.toml", "--workers", "1")
    assert ended.code == 2
    assert "1 of 1 point failed; the same command runs it again" in ended.err


def test_an_estimate_reports_the_progress_of_planning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from airtcp.questions.sweep.run import estimate

    monkeypatch.setattr("airtcp.questions.sweep.store._PLANNED", 2)
    told: list[tuple[int, int, str]] = []
    estimate(
        read(asked()),
        tmp_path / "out",
        1,
        lambda done, total, label: told.append((done, total, label)),
    )
    assert told == [(2, 4, "planning")]
