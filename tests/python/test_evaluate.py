"""Evaluations: how laws are named, what decides a verdict, and known laws in short runs.

The validation of all criteria by known laws is `scripts/evaluation`; a fast part of it is here.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
import grammar
from airtcp.questions.evaluate import call, charts, criteria, recorded, sharing
from airtcp.questions.evaluate.bounds import Bound
from airtcp.questions.evaluate.call import scenario_files
from airtcp.questions.evaluate.criterion import STANDARD, Check, Plan
from airtcp.questions.evaluate.judge import STOPPED, judged, yardsticks
from airtcp.questions.evaluate.law import read_law
from airtcp.questions.evaluate.outcome import Rep
from airtcp.questions.evaluate.work import Work
from airtcp.questions.evaluate.write import file_name
from airtcp.questions.scenarios import table_text
from test_laws import AIMD

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp.questions.evaluate.result import EvaluateResult

VERDICTS = {"pass", "attention", "wrong", "not evaluated"}


@cache
def known(law: str, only: str) -> EvaluateResult:
    return airtcp.evaluate(law, only=only, effort="quick")


def verdicts(law: str, only: str) -> dict[str, str]:
    found = {one["id"]: one["verdict"] for one in known(law, only).json["criteria"]}
    return {name: found[name] for name in only.split(",")}


def check(*, more: bool = False, wrong: float | None = None) -> Check:
    bound = Bound(
        "at most one more",
        "a test",
        (lambda yards: yards[0] - 1) if more else (lambda yards: yards[0] + 1),
        more_is_better=more,
        wrong=None if wrong is None else lambda _: wrong,
    )
    return Check("here", lambda _: [], lambda: 0.0, bound, "quantity")


@pytest.mark.parametrize(
    ("own", "yard", "expected", "unsure"),
    [
        ([2.0, 2.1, 2.2], [2.0, 2.0, 2.0], "pass", False),
        ([4.0, 4.1, 4.2], [2.0, 2.0, 2.0], "attention", False),
        # The mean is beyond the limit, but not its interval.
        ([9.0, 1.0, 2.0], [2.0, 2.0, 2.0], "pass", True),
        # Paired: the law follows the yardstick, and is always beyond it.
        ([9.0, 4.5, 6.4], [7.0, 2.6, 4.5], "attention", False),
        ([9.0, 9.1, 9.2], [2.0, 2.0, 2.0], "wrong", False),
        # What is wrong in itself is not if the yardstick does the same.
        ([9.0, 9.1, 9.2], [9.0, 9.0, 9.0], "pass", False),
    ],
)
def test_a_verdict_is_about_the_interval_of_the_distance(
    own: list[float], yard: list[float], expected: str, *, unsure: bool
) -> None:
    found = judged(check(wrong=8.0), own, {"cubic": yard})
    assert found is not None
    assert (found["verdict"], found["unsure"]) == (expected, unsure)


def test_more_may_be_better() -> None:
    found = judged(check(more=True), [0.5, 0.6], {"cubic": [3.0, 3.1]})
    assert found is not None
    assert found["verdict"] == "attention"
    assert found["better"] is False


def test_a_check_without_values_is_not_judged() -> None:
    assert judged(check(), None, {"cubic": [1.0]}) is None
    assert judged(check(), [1.0], {"cubic": None}) is None


def test_the_law_itself_is_no_yardstick() -> None:
    against = [read_law(name) for name in ("reno", "cubic", "bbr")]
    assert [one.label for one in yardsticks(read_law("bbr1"), against)] == ["cubic", "reno"]
    assert [one.label for one in yardsticks(read_law("cubic"), against)] == ["reno"]
    other = read_law("cubic:beta_cubic=0.5")
    assert [one.label for one in yardsticks(other, against)] == ["cubic", "reno"]


@pytest.mark.parametrize(
    ("law", "message"),
    [
        ("kubic", "no congestion control has this name"),
        ("", "no congestion control has this name"),
        ("cubic:beta", "expected KEY=VALUE"),
        ("cubic:nothing=1", "beta_cubic"),
        ("cubic:profile=rfc", "expected KEY=VALUE"),
        ("cubic:beta_cubic=much", "beta_cubic"),
    ],
)
def test_a_law_that_is_none_is_refused(law: str, message: str) -> None:
    with pytest.raises(airtcp.AirtcpError, match=message):
        airtcp.evaluate(law, only="E3", effort="quick", replications=1)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"only": "E28"}, "E0 to E27"),
        ({"against": "bbr"}, "reno or cubic"),
        ({"effort": "much"}, "quick, standard, full"),
    ],
)
def test_other_options_are_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(airtcp.AirtcpError, match=message):
        airtcp.evaluate("reno", **asked)


def test_every_criterion_stands_in_the_document() -> None:
    document = known("bbr1", "E4,E12").json
    assert [one["id"] for one in document["criteria"]] == [f"E{number}" for number in range(28)]
    for one in document["criteria"]:
        assert one["verdict"] in VERDICTS
        assert one["source"] or one["id"] == "E0"
        assert (one["value"] is None) == (one["verdict"] == "not evaluated")
        assert one["reason"] or one["verdict"] != "not evaluated"


def test_bbr1_loses_packets_in_short_buffers_and_starves_rivals() -> None:
    assert verdicts("bbr1", "E4,E12") == {"E4": "wrong", "E12": "wrong"}
    answer = known("bbr1", "E4,E12").answer()
    assert answer is not None
    assert answer.headline.startswith("bbr1 is not ready: it keeps losing packets")
    assert "starves rivals" in answer.headline


def test_vegas_is_starved() -> None:
    assert verdicts("vegas", "E12") == {"E12": "attention"}
    found = next(one for one in known("vegas", "E12").json["criteria"] if one["id"] == "E12")
    assert found["quantity"] == "own share"


def test_cubic_takes_more_than_reno_in_deep_buffers() -> None:
    result = airtcp.evaluate("cubic", only="E12", effort="quick", replications=5)
    found = next(one for one in result.json["criteria"] if one["id"] == "E12")
    assert found["verdict"] == "attention"
    beyond = {
        each["at"]["buffer_bdp"]: each["verdict"]
        for each in found["checks"]
        if each["quantity"] == "harm" and each["name"].startswith("beside reno")
    }
    assert beyond == {0.5: "pass", 1: "pass", 4: "attention"}


@pytest.mark.parametrize("law", ["bbr1", "vegas", "cubic"])
def test_the_answer_keeps_to_the_grammar(law: str) -> None:
    only = "E4,E12" if law == "bbr1" else "E12"
    answer = known(law, only).answer()
    assert answer is not None
    names = [law, *known(law, only).json["options"]["against"]]
    assert grammar.problems(answer, [*names, *(f"E{number}" for number in range(28))]) == []
    lines = str(answer).splitlines()
    assert len(lines) <= grammar.LINES
    assert max(map(len, lines)) <= 100


def test_ctrl_c_keeps_what_is_finished() -> None:
    def press(done: int, total: int, _label: str) -> None:
        if 3 * done > total:
            raise KeyboardInterrupt

    result = airtcp.evaluate(
        "vegas", only="E18,E19", effort="quick", replications=2, workers=1, progress=press
    )
    assert result.interrupted
    found = {one["id"]: one for one in result.json["criteria"]}
    assert found["E19"]["verdict"] == "not evaluated"
    assert found["E19"]["reason"] == STOPPED


def test_a_failing_scene_ends_the_evaluation() -> None:
    with pytest.raises(airtcp.ScenarioError, match="beta_cubic"):
        airtcp.evaluate("cubic:beta_cubic=7", only="E18", effort="quick", replications=1)


def test_a_law_without_keys_keeps_the_parameters_of_the_profile() -> None:
    assert read_law("reno").tcp()["congestion"] == "reno"
    assert read_law("vegas:alpha=3").tcp()["congestion"] == {"law": "vegas", "alpha": 3}


OWN = f"""import random
{AIMD}

class Hidden(Aimd):
    'Draws its own random numbers'

    def avoid(self, ack: Ack) -> None:
        self.grow(random.random() * self.mss * ack.acked / self.cwnd)
"""


def test_a_law_of_ones_own_is_evaluated(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(OWN, encoding="utf-8")
    asked: dict[str, Any] = {"only": "E0,E18", "effort": "quick", "replications": 2}
    result = airtcp.evaluate(f"{file}:Aimd:b=0.7", **asked)
    found = {one["id"]: one["verdict"] for one in result.json["criteria"]}
    assert (found["E0"], found["E18"]) == ("pass", "pass")
    law = result.json["law"]
    assert law["tcp"]["congestion"] == {"external": "Aimd", "b": 0.7}
    assert law["sha256"] == hashlib.sha256(OWN.encode()).hexdigest()
    assert f"airtcp evaluate {file}:Aimd:b=0.7" in result.page()
    saved = scenario_files(f"{file}:Aimd:b=0.7", "E18", effort="quick")
    (tmp_path / "saved.toml").write_text(next(iter(saved.values())), encoding="utf-8")
    assert airtcp.run(tmp_path / "saved.toml", law=str(file), replications=1).flows["name"]


def test_a_law_that_draws_its_own_random_numbers_is_found(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(OWN, encoding="utf-8")
    result = airtcp.evaluate(f"{file}:Hidden", only="E0", effort="quick", replications=1)
    assert result.json["criteria"][0]["verdict"] == "wrong"
    answer = result.answer()
    assert answer is not None
    assert "gives another result in another process" in answer.headline


def test_a_law_that_keeps_state_outside_its_objects_is_found(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    body = "Aimd.a += 0.01; self.grow(Aimd.a"
    file.write_text(AIMD.replace("self.grow(self.a", body), encoding="utf-8")
    for workers in (1, 2):
        result = airtcp.evaluate(
            str(file), only="E0", effort="quick", replications=1, workers=workers
        )
        assert result.json["criteria"][0]["verdict"] == "wrong"


def test_time_to_equal_shares() -> None:
    """Two flows over a link: the newcomer's share rises by 5 % a second from 0."""
    rows = [
        {
            "flow": flow,
            "side": "server",
            "t_s": at / 10,
            "interval_s": 0.1,
            "goodput_bps": 1e6 * (share if flow == "other" else 1 - share),
        }
        for at in range(800)
        for share in [min(max((at / 10 - 20) * 0.05, 0.0), 0.5)]
        for flow in ("law", "other")
    ]
    rep = Rep([], [], 80.0, "", {"delivered_series": rows})
    # The mean share of a second reaches 45 % when the share at its middle does: after 9.05 s.
    assert sharing.time_to_equal(rep, 20.0) == pytest.approx(9.6, abs=0.11)
    alone = [row | {"goodput_bps": row["goodput_bps"] * (row["flow"] == "law")} for row in rows]
    assert sharing.time_to_equal(Rep([], [], 80.0, "", {"delivered_series": alone}), 20.0) == 60.0


def test_recorded_results_are_those_of_a_run() -> None:
    """A sample of the baselines, a different one of each group, is run again."""
    known = recorded.recorded(1)
    assert known is not None, "run scripts/baselines: the version or the format has changed"
    plan = Plan(
        read_law("vegas"), STANDARD, [read_law("reno"), read_law("bbr")], [read_law("cubic")]
    )
    work = Work(1)
    for criterion in criteria.every():
        for check in criterion.made(plan):
            for scene in check.scenes(plan.yardsticks[0]):
                work.ask(scene, 1)
    tasks = [task for task in work.tasks.values() if known.of(task) is not None]
    assert len(tasks) > 100
    short = sorted(tasks, key=lambda task: (task.duration_s, recorded.key_of(task)))[:100:8]
    for task in short:
        before = known.of(task)
        assert before is not None
        ran = Work(1)
        ran.tasks = {("one", 1): task}
        ran.run(2, None)
        (after,) = ran.done["one", 1]
        assert after.fingerprint == before[0].fingerprint
        for kept, row in zip(
            [*before[0].flows, *before[0].links], [*after.flows, *after.links], strict=True
        ):
            assert kept == {name: row[name] for name in kept}


def test_recorded_results_change_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {"only": "E3,E12,E14", "effort": "quick", "replications": 2}
    taken = airtcp.evaluate("vegas", **asked).json
    monkeypatch.setattr(call, "recorded", lambda _seed: None)
    ran = airtcp.evaluate("vegas", **asked).json
    assert taken["recorded"] > ran["recorded"] == 0
    assert taken["criteria"] == ran["criteria"]
    # Another seed finds nothing.
    monkeypatch.undo()
    assert recorded.recorded(2) is None


def test_equal_inputs_give_equal_text() -> None:
    texts = {
        airtcp.evaluate("vegas", only="E3", effort="quick", replications=2, workers=n).text
        for n in (1, 2, 3)
    }
    assert len(texts) == 1


def test_a_heat_map_orders_round_trips_and_has_a_scale_of_zeros() -> None:
    rows = [{"x": x, "rtt": float(x), "y": "1", "value": 0.0} for x in ("100", "10", "40")]
    encoding = charts.heat("sent again (%)", rows, share=False)["layer"][0]["encoding"]
    assert encoding["x"]["sort"] == {"field": "rtt", "order": "ascending"}
    assert encoding["color"]["scale"]["domain"] == [0, 1.0]


def test_the_page_shows_what_was_run(tmp_path: Path) -> None:
    result = known("bbr1", "E4,E12")
    assert "share-0" in result.plots
    page = result.page()
    assert "airtcp evaluate bbr1" in page
    assert "Not asked for" in page
    written = result.write(tmp_path / "out")
    names = {path.name for path in written}
    assert {"evaluate.json", "criteria.parquet", "checks.parquet", "report.html"} <= names
    assert json.loads((tmp_path / "out" / "evaluate.json").read_text("utf-8")) == result.json


def test_saved_scenarios_give_the_same_numbers(tmp_path: Path) -> None:
    files = scenario_files("bbr1", "E4", effort="quick")
    name = "e4-16-flows-0.5-bdp.toml"
    assert name in files
    (tmp_path / name).write_text(files[name], encoding="utf-8")
    flows = airtcp.run(tmp_path / name).flows.rows()
    checks = next(
        one["checks"] for one in known("bbr1", "E4,E12").json["criteria"] if one["id"] == "E4"
    )
    value = next(each["value"] for each in checks if each["name"] == "16 flows, 0.5 BDP")
    shares: list[float] = []
    for number in range(3):
        own = [row for row in flows if row["replication"] == number]
        sent = sum(row["segments_sent"] for row in own)
        shares.append(sum(row["retransmissions"] for row in own) / sent)
    assert sum(shares) / 3 == pytest.approx(value, rel=1e-12)


def test_names_of_scenarios_are_different() -> None:
    law = read_law("reno")
    others = [read_law("cubic"), read_law("bbr")]
    plan = Plan(law, STANDARD, others, others[:1])
    for one in criteria.every():
        named: dict[str, str] = {}
        for scene in (s for c in (one.checks or (lambda _: []))(plan) for s in c.scenes(law)):
            text = table_text(scene.scenario)
            assert named.setdefault(file_name(scene.name), text) == text, (one.id, scene.name)
