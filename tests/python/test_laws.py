"""Congestion controls of one's own: how they are named, what they may do, and what is refused."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import airtcp
from airtcp.laws import Ack, Congestion, Idle, Law, LawError, math, window_filter
from airtcp.laws.check import check, keys_of
from airtcp.laws.source import laws_of

ROOT = Path(__file__).parents[2]
LOSSY = ROOT / "scenarios" / "lossy-link.toml"
AIMD = '''from airtcp.laws import Ack, Congestion, Law


class Aimd(Law):
    """Adds `a` segments per round trip"""

    a: float = 1.0
    b: float = 0.5

    def avoid(self, ack: Ack) -> None:
        self.grow(self.a * self.mss * ack.acked / self.cwnd)

    def reduced(self, c: Congestion) -> float:
        return self.b * self.cwnd
'''
LINK = {
    "duration": "5 s",
    "links": [{"from": "a", "to": "b", "rate": "10 Mb/s", "delay": "20 ms"}],
    "flows": [{"from": "a", "to": "b"}],
}


class Aimd(Law):
    a: float = 1.0
    b: float = 0.5

    def avoid(self, ack: Ack) -> None:
        self.grow(self.a * self.mss * ack.acked / self.cwnd)

    def reduced(self, c: Congestion) -> float:  # noqa: ARG002
        return self.b * self.cwnd


def law_of(run: airtcp.RunResult) -> Any:
    return run.json["scenario"]["flows"][0]["tcp"]["congestion"]


def command(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "airtcp", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )


def test_a_class_and_a_file_are_the_same_law(tmp_path: Path) -> None:
    file = tmp_path / "my_law.py"
    file.write_text(AIMD, "utf-8")
    of_class = airtcp.run(LOSSY, tcp=Aimd.with_(a=2), replications=2)
    of_file = airtcp.run(LOSSY, tcp=f"{file}:Aimd:a=2", replications=2)
    alone = airtcp.run(LOSSY, tcp=f"{file}:a=2", replications=2)
    assert of_class.fingerprints == of_file.fingerprints == alone.fingerprints
    assert airtcp.run(LOSSY, tcp=Aimd, replications=2).fingerprints != of_class.fingerprints
    law = law_of(of_file)
    assert law == {
        "external": "Aimd",
        "file": str(file),
        "sha256": hashlib.sha256(AIMD.encode()).hexdigest(),
        "a": 2.0,
        "b": 0.5,
    }


def test_a_law_beside_built_in_ones(tmp_path: Path) -> None:
    file = tmp_path / "my_law.py"
    file.write_text(AIMD, "utf-8")
    found = airtcp.compare(LOSSY, tcp=[Aimd, "cubic", Aimd.with_(a=2)], replications=3)
    assert found.outcomes["variant"] == ["Aimd", "cubic", "Aimd:a=2"]
    again = airtcp.compare(LOSSY, tcp=f"{file}:Aimd,cubic,{file}:Aimd:a=2", replications=3)
    assert again.outcomes["goodput_bps"] == found.outcomes["goodput_bps"]
    tcp = again.json["subjects"][0]["tcp"][2]
    assert (tcp["law"], tcp["parameters"]["congestion"]["a"]) == ("Aimd", 2.0)
    one, two = (
        airtcp.compare(LOSSY, tcp=["cubic", Aimd], replications=3, workers=n) for n in (1, 2)
    )
    assert one.text == two.text
    shared = airtcp.compare(LOSSY, tcp="reno", share=f"{file}:Aimd", replications=2)
    assert shared.json["rival"] == "Aimd"


def test_a_scenario_names_only_a_law_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "my_law.py").write_text(AIMD, "utf-8")
    put = 'tcp = { profile = "linux", congestion = { external = "Aimd", a = 2 } }'
    text = LOSSY.read_text("utf-8").replace('tcp = "linux"', put)
    assert put in text
    (tmp_path / "own.toml").write_text(text, "utf-8")
    refused = command("run", "own.toml", "--why", "no", folder=tmp_path)
    assert refused.returncode == 2
    assert "--law FILE" in refused.stderr
    ran = command(
        "run", "own.toml", "--law", "my_law.py", "-n", "2", "--why", "no", "--json", folder=tmp_path
    )
    assert ran.returncode == 0, ran.stderr
    document = json.loads(ran.stdout)
    assert document["scenario"]["flows"][0]["tcp"]["congestion"]["a"] == 2.0
    sweep = 'of = "own.toml"\n[vary]\nseed = [1, 2]\n'
    (tmp_path / "sweep.toml").write_text(sweep, "utf-8")
    for words in (["sweep", "sweep.toml"], ["compare", "own.toml", "--tcp", "own"]):
        other = command(*words, folder=tmp_path)
        assert other.returncode == 2, other.stdout
        assert 'no law "Aimd"' in other.stderr, other.stderr


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("def avoid(self, ack):\n        self.cwnd = 1 / 0", "ZeroDivisionError"),
        ("def avoid(self, ack):\n        self.cwnd = float('nan')", "cwnd was set to NaN"),
        ("def avoid(self, ack):\n        self.cwnd = -3", "cwnd was set to -3"),
        ("def avoid(self, ack):\n        self.cwnd = float('inf')", "cwnd was set to inf"),
        ("def avoid(self, ack):\n        self.cwnd = 'x'", "expected a number"),
        ("def avoid(self, ack):\n        self.pacing_rate = 0", "pacing_rate was set to 0"),
        ("def avoid(self, ack):\n        self.cwdn += ack.acked", "cwdn"),
        ("def reduced(self, c):\n        pass", "expected the window in bytes"),
        ("def __init__(self):\n        raise ValueError('no')", "ValueError: no"),
    ],
)
def test_an_error_of_a_law_names_the_call_and_the_line(
    tmp_path: Path, body: str, said: str
) -> None:
    file = tmp_path / "bad.py"
    file.write_text(f"from airtcp.laws import Law\nclass Bad(Law):\n    {body}\n", "utf-8")
    for call in (
        lambda: airtcp.run(LOSSY, tcp=str(file), replications=3),
        lambda: airtcp.compare(LOSSY, tcp=["cubic", str(file)], replications=2),
    ):
        with pytest.raises(LawError) as raised:
            call()
        message = str(raised.value)
        assert said in message
        assert message.startswith("Bad."), message
        assert raised.value.__cause__ is not None
        if "reduced" not in body:
            assert f"{file}, line 4" in message


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("def on_akc(self, ack): pass", "did you mean on_ack?"),
        ("def avoids(self, ack): pass", "did you mean avoid?"),
        ("def avoid(self): pass", "takes (self); expected self and one argument"),
        ("def grow(self, x): pass", "hides `grow`"),
        ("a: float", "a has no default"),
        ("a: float = 'x'", "the default of its key a"),
        ("a: list = []", "the default of its key a"),
        ("needs = 3", "needs is 3"),
    ],
)
def test_a_wrong_class_is_refused_when_it_is_loaded(tmp_path: Path, body: str, said: str) -> None:
    file = tmp_path / "bad.py"
    file.write_text(f"from airtcp.laws import Law\nclass Bad(Law):\n    {body}\n", "utf-8")
    with pytest.raises(LawError, match="Bad: ") as raised:
        laws_of(str(file))
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("none.py", "No such file"),
        ("broken.py", "line 2: SyntaxError"),
        ("raises.py", "line 1: ModuleNotFoundError"),
        ("empty.py", "defines no law"),
        ("two.py", "several laws (A, B)"),
        ("two.py:C", "no law C (laws: A, B)"),
        ("two.py:A:x=1", "unknown key"),
        ("no.such.module:Aimd", "ModuleNotFoundError"),
        ("cubic_own.py", "a built-in TCP has this name"),
        ("two.py:A,two.py:B", "one TCP is put into the flows"),
    ],
)
def test_a_law_that_cannot_be_loaded_is_refused(tmp_path: Path, spec: str, said: str) -> None:
    for name, text in {
        "broken": "x = 1\nclass (\n",
        "raises": "import no_such_module\n",
        "empty": "from airtcp.laws import Law\n",
        "two": "from airtcp.laws import Law\nclass A(Law): pass\nclass B(Law): pass\n",
        "cubic_own": "from airtcp.laws import Law\nclass Cubic(Law): pass\n",
    }.items():
        (tmp_path / f"{name}.py").write_text(text, "utf-8")
    done = command("run", str(LOSSY), "--tcp", spec, folder=tmp_path)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split()), done.stderr


def test_keys_are_annotated_attributes() -> None:
    class More(Aimd):
        b = 0.7
        quick: bool = False
        note: str = "x"
        count: int = 3

    assert keys_of(More) == {"a": 1.0, "b": 0.7, "quick": False, "note": "x", "count": 3}
    check(More)
    run = airtcp.run(LINK, tcp=More.with_(quick=True, count=4, note="y"))
    assert law_of(run)["quick"] is True
    assert (law_of(run)["count"], law_of(run)["note"]) == (4, "y")
    for keys in ({"quick": 3}, {"count": 1.5}, {"a": "x"}):
        with pytest.raises(airtcp.AirtcpError):
            airtcp.run(LINK, tcp=More.with_(**keys))


def test_the_full_callbacks_see_what_the_sender_does() -> None:
    seen: set[str] = set()

    class Watch(Law):
        def start(self, params: Any) -> None:
            seen.add("start")
            assert params.mss == self.mss
            assert self.ssthresh == float("inf")

        def on_sent(self, sent: Any) -> None:
            seen.add("sent")
            assert sent.bytes <= self.mss

        def on_lost(self, lost: Any) -> None:
            seen.add("lost")
            assert lost.bytes <= self.mss

        def on_ack(self, ack: Ack) -> None:
            seen.add("ack")
            assert ack.rtt is None or 0.04 <= ack.rtt < 1
            assert ack.rate is None or ack.rate.interval > 0
            super().on_ack(ack)

        def on_congestion(self, c: Congestion) -> None:
            seen.add(c.kind)
            before = self.cwnd
            super().on_congestion(c)
            assert self.cwnd < before

        def on_idle(self, idle: Idle) -> None:
            seen.add("idle")
            assert idle.idle > 0
            super().on_idle(idle)

    app = {"kind": "on-off", "rate": "20 Mb/s", "on": "1 s", "off": "2 s"}
    flows = [{"from": "a", "to": "b", "app": app}]
    airtcp.run({**LINK, "duration": "20 s", "flows": flows}, tcp=Watch)
    assert {"start", "sent", "lost", "ack", "fast-retransmit"} <= seen


def test_random_numbers_come_from_the_seed() -> None:
    class Draws(Law):
        def avoid(self, ack: Ack) -> None:
            if self.random.chance(0.5):
                self.additive(ack)

    first, again = (airtcp.run(LOSSY, tcp=Draws, replications=2) for _ in range(2))
    assert first.fingerprints == again.fingerprints
    assert len(set(first.fingerprints)) == 2


def test_mathematics_are_those_of_the_simulator() -> None:
    assert math.cbrt(27.0) == 3.0
    assert math.pow(2.0, 10.0) == 1024.0
    assert abs(math.exp(math.log(7.0)) - 7.0) < 1e-12
    high = window_filter("max", 3)
    assert [high.add(t, v) for t, v in enumerate([5, 3, 2, 1, 4])] == [5, 5, 5, 5, 4]


def test_a_rate_and_a_state_reach_the_series() -> None:
    class Paced(Law):
        def on_ack(self, ack: Ack) -> None:
            super().on_ack(ack)
            if ack.srtt:
                self.pacing_rate = 8 * self.cwnd / ack.srtt
            self.state = "probing"

    run = airtcp.run(LINK, tcp=Paced, series=True)
    paced = run.table("flows_series") if "flows_series" in run.tables else None
    assert run.json["replications"][0]["flows"][0]["goodput_bps"] > 9e6
    assert paced is None or len(paced)
