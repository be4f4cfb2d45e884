"""A law of one's own that fails, or does not return, takes no result of the others along."""

from __future__ import annotations

import json
import re
import signal
import time
from typing import TYPE_CHECKING, Any, Final

import pytest

import airtcp
from airtcp.laws import LawError
from airtcp.questions.compare import sound
from airtcp.words.sentences import Finding
from test_laws_c import ENDLESS, written
from test_laws_processes import LINK, faulty, program

if TYPE_CHECKING:
    from pathlib import Path

SEEN: Final = '''from pathlib import Path

from airtcp.laws import Ack, Law, Params


class Sound(Law):
    def start(self, params: Params) -> None:
        with Path("{seen}").open("a") as file:
            file.write(".")


class Divides(Law):
    """Adds a segment per `a` round trips"""

    a: float = 0.0

    def avoid(self, ack: Ack) -> None:
        self.grow(self.mss * ack.acked / self.cwnd / self.a)
'''


@pytest.fixture
def laws(tmp_path: Path) -> str:
    file = tmp_path / "mine.py"
    file.write_text(SEEN.format(seen=tmp_path / "seen"), "utf-8")
    return str(file)


def compared(tcp: list[str], **more: Any) -> airtcp.CompareResult:
    return airtcp.compare("link", text=LINK, tcp=tcp, replications=3, **more)


def kept(tcp: list[str], **more: Any) -> tuple[airtcp.CompareResult, str]:
    with pytest.raises(LawError) as error:
        compared(tcp, **more)
    assert error.value.result is not None
    return error.value.result, str(error.value)


def failed(found: airtcp.CompareResult) -> list[Any]:
    return [*found.json.get("failed", [])]


@pytest.mark.parametrize("workers", [1, 2])
def test_the_others_are_compared_without_a_law_that_fails(
    workers: int, laws: str, tmp_path: Path
) -> None:
    others = ["cubic", f"{laws}:Sound"]
    found, said = kept([*others, f"{laws}:Divides"], workers=workers)
    assert re.fullmatch(r"Divides\.avoid at .*, flow bulk, .*division.*mine\.py, line \d+\)", said)
    assert found.json["variants"] == ["cubic", "Sound"]
    assert failed(found) == [{"variant": "Divides", "reason": said}]
    seen = tmp_path / "seen"
    starts = len(seen.read_text("utf-8"))
    alone = compared(others, workers=workers)
    if workers == 1:
        # What was finished does not run again; each call makes the law twice to look at it.
        assert starts < 1.5 * (len(seen.read_text("utf-8")) - starts)
    assert found.json["subjects"] == alone.json["subjects"]
    shown = str(found.answer())
    assert re.search(r"^ Divides +failed", shown, re.MULTILINE)
    assert "Divides failed and has no numbers: Divides.avoid at" in shown
    answer = found.answer()
    assert answer is not None
    assert Finding("Divides failed", said) in answer.details


def test_of_one_law_only_the_keys_fail_that_fail(laws: str) -> None:
    found, said = kept([f"{laws}:Divides:a={a}" for a in (0, 1, 2)], reference=None, workers=1)
    assert found.json["variants"] == ["Divides:a=1", "Divides:a=2"]
    assert [one["variant"] for one in failed(found)] == ["Divides:a=0"]
    assert said == failed(found)[0]["reason"]


def test_if_each_fails_there_is_no_result(laws: str) -> None:
    with pytest.raises(LawError, match=r"Divides\.avoid") as error:
        compared([f"{laws}:Divides", f"{laws}:Divides:a=0.0:recovery=newreno"])
    assert error.value.result is None


def test_the_command_prints_and_writes_the_others(laws: str, tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(LINK, "utf-8")
    words = ["compare", "link.toml", "--tcp", f"cubic,reno,{laws}:Divides", "-n", "2"]
    with program(tmp_path, *words, "--out", "out", "--quiet") as ended:
        out, said = ended.communicate(timeout=120)
    assert ended.returncode == 2
    assert re.fullmatch(r"error: Divides\.avoid at .*; the other TCPs are compared\n", said)
    assert re.search(r"^ Divides +failed", out, re.MULTILINE)
    document = json.loads((tmp_path / "out" / "compare.json").read_text("utf-8"))
    assert [one["variant"] for one in document["failed"]] == ["Divides"]
    assert document["variants"] == ["cubic", "reno"]
    with program(tmp_path, *words, "--json") as ended:
        printed = json.loads(ended.communicate(timeout=120)[0])
    assert printed["subjects"] == document["subjects"]


@pytest.mark.parametrize(
    ("avoid", "said"),
    [
        ("s->cwnd = NAN;", r"Mine\.avoid at .*cwnd was set to NaN"),
        (ENDLESS, r"Mine\.avoid at .*: it has not returned for 0\.7 s; .*\(.*mine\.so\)"),
        ("(void)s; __builtin_trap();", r"a process that ran a law has ended by signal \d+; "),
    ],
)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_compiled_law_ends_no_other(avoid: str, said: str, workers: int, tmp_path: Path) -> None:
    law = written(tmp_path, avoid=avoid)
    found, error = kept(["cubic", law, "reno"], workers=workers, law_timeout="700 ms")
    assert re.match(said, error)
    assert [one["variant"] for one in failed(found)] == ["Mine"]
    assert found.json["subjects"] == compared(["cubic", "reno"]).json["subjects"]


def test_ctrl_c_keeps_the_others_of_a_law_that_does_not_return(tmp_path: Path) -> None:
    law = written(tmp_path, avoid=ENDLESS)
    (tmp_path / "link.toml").write_text(LINK, "utf-8")
    words = ["compare", "link.toml", "--tcp", f"cubic,reno,{law}", "-n", "2", "--json"]
    with program(tmp_path, *words, "--workers", "3") as running:
        time.sleep(6)
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=60)
    assert running.returncode == 130
    found = json.loads(out)
    assert found["interrupted"]
    assert found["failed"] == [{"variant": "Mine", "reason": sound.UNFINISHED}]
    assert found["variants"] == ["cubic", "reno"]
    assert found["subjects"][0]["cases"][0]["replications"] == 2


def test_a_run_keeps_the_replications_before_a_call_that_does_not_return(tmp_path: Path) -> None:
    law = written(tmp_path, avoid=f"if (s->seed % 7 == 0) {{ {ENDLESS} }} s->cwnd += 1;")
    (tmp_path / "link.toml").write_text(LINK, "utf-8")
    words = ["run", "link.toml", "--tcp", law, "-n", "40", "--why", "no", "--workers", "1"]
    with program(tmp_path, *words, "--json", "--law-timeout", "700ms") as ended:
        out, said = ended.communicate(timeout=120)
    assert ended.returncode == 2
    found = json.loads(out)
    number = len(found["replications"])
    assert found["failed"]["replication"] == number > 0
    assert found["failed"]["reason"] in said
    with program(tmp_path, *words, "--json") as running:
        time.sleep(5)
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=60)
    assert running.returncode == 130
    assert len(json.loads(out)["replications"]) == number


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_keeps_the_others_of_an_endless_loop_in_python(workers: str, tmp_path: Path) -> None:
    faulty(tmp_path, "avoid", "\n        while True: pass")
    (tmp_path / "link.toml").write_text(LINK, "utf-8")
    words = ["compare", "link.toml", "--tcp", "cubic,reno,faulty.py", "-n", "2", "--json"]
    with program(tmp_path, *words, "--workers", workers) as running:
        time.sleep(6)
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=60)
    assert running.returncode == 130
    found = json.loads(out)
    assert found["variants"] == ["cubic", "reno"]
    assert found["failed"] == [{"variant": "Faulty", "reason": sound.UNFINISHED}]


PART: Final = '''from airtcp.laws import Ack, Law


class Part(Law):
    """Fails on long paths"""

    def avoid(self, ack: Ack) -> None:
        if (ack.min_rtt or 0) > 0.25:
            raise RuntimeError("too long")
        self.grow(self.mss * ack.acked / self.cwnd)
'''
LONG: Final = "E3,E22,E23"
"""A criterion with short paths, and two with long ones."""


def verdicts(found: airtcp.EvaluateResult) -> dict[str, str]:
    asked = found.json["options"]["only"]
    return {one["id"]: one["verdict"] for one in found.json["criteria"] if one["id"] in asked}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_criterion_in_which_a_law_fails_is_not_evaluated(workers: int, tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text(PART, "utf-8")
    law = str(tmp_path / "part.py")
    with pytest.raises(LawError, match=r"^Part\.avoid at .*too long \(.*line 9\)$") as error:
        airtcp.evaluate(law, only=LONG, effort="quick", replications=2, workers=workers)
    found = error.value.result
    assert isinstance(found, airtcp.EvaluateResult)
    own = verdicts(found)
    assert own.pop("E3") != "not evaluated"
    assert {*own.values()} == {"not evaluated"}
    reasons = {one["id"]: one["reason"] for one in found.json["criteria"]}
    assert reasons["E22"] == f"a law failed: {error.value}"
    alone = airtcp.evaluate(law, only="E3", effort="quick", replications=2)
    assert found.json["criteria"][3] == alone.json["criteria"][3]
    said = str(found.answer())
    assert said.startswith("Part cannot be evaluated in E22 and E23: a law failed.\nPart.avoid at ")


def test_the_command_prints_the_other_criteria(tmp_path: Path) -> None:
    law = written(tmp_path, avoid=f"if (a->min_rtt > 0.25) {{ {ENDLESS} }} s->cwnd += 1;")
    words = ["evaluate", law, "--quick", "--only", LONG, "-n", "1", "--law-timeout", "500ms"]
    with program(tmp_path, *words, "--out", "out", "--workers", "1") as ended:
        out, said = ended.communicate(timeout=120)
    assert ended.returncode == 2
    assert re.search(r"error: Mine\.avoid at .*has not returned for 0\.5 s; .*\d criteri", said)
    assert " E3 " in out
    document = json.loads((tmp_path / "out" / "evaluate.json").read_text("utf-8"))
    reasons = [one["reason"] for one in document["criteria"] if one["id"] in {"E22", "E23"}]
    # After a law that does not return, nothing else begins.
    assert any(reason.startswith("a law failed: Mine.avoid") for reason in reasons)
    assert document["criteria"][3]["verdict"] != "not evaluated"


def test_ctrl_c_keeps_the_criteria_that_are_finished(tmp_path: Path) -> None:
    law = written(tmp_path, avoid=f"if (a->min_rtt > 0.25) {{ {ENDLESS} }} s->cwnd += 1;")
    words = ["evaluate", law, "--quick", "--only", LONG, "-n", "1", "--json", "--workers", "1"]
    with program(tmp_path, *words) as running:
        time.sleep(6)
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=60)
    assert running.returncode == 130
    found = json.loads(out)
    assert found["interrupted"]
    assert found["criteria"][3]["verdict"] != "not evaluated"
    assert found["criteria"][22]["reason"] == "stopped before its scenarios had run"
