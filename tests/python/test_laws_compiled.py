"""Laws that numba compiles: the gate of those in Python, and what has no translation."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import airtcp
from airtcp.inputs.workers import environment
from airtcp.laws import LawError
from airtcp.laws.layout import structures
from test_laws import LINK, LOSSY
from test_laws_gate import PATHS, SCENARIOS, equal_in, equal_over

ROOT = Path(__file__).parents[2]
RENO = str(ROOT / "tests" / "laws" / "reno_numba.py")
LAWS = {
    "reno:growth=per-ack": RENO,
    "reno:growth=bytes": f"{RENO}:bytes=1",
    "cubic": str(ROOT / "tests" / "laws" / "cubic_numba.py"),
}
needs_numba = pytest.mark.skipif(
    find_spec("numba") is None,
    reason="the extra compiled is not installed",
)


@needs_numba
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_equal_fingerprints(scenario: Path) -> None:
    equal_in(scenario, LAWS)


@needs_numba
@pytest.mark.parametrize("profile", ["rfc", "linux"])
@pytest.mark.parametrize("path", PATHS)
def test_equal_fingerprints_by_either_rules(path: str, profile: str) -> None:
    equal_over(path, profile, LAWS)


@needs_numba
def test_the_result_does_not_depend_on_threads() -> None:
    runs = [airtcp.run(LOSSY, tcp=LAWS["cubic"], workers=n, replications=6) for n in (1, 2, 7)]
    assert runs[0].text == runs[1].text == runs[2].text
    law = runs[0].json["scenario"]["flows"][0]["tcp"]["congestion"]
    assert (law["external"], law["c"], len(law["sha256"])) == ("CubicNumba", 0.4, 64)


@needs_numba
def test_a_compiled_law_and_one_in_python_run_together(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(
        SOURCE.format(deco="", body="self.grow(self.mss * ack.acked / self.cwnd)"), "utf-8"
    )
    tcp = [f"{file}:Mine", RENO, "cubic"]
    one, two = (airtcp.compare(LOSSY, tcp=tcp, replications=4, workers=n) for n in (1, 2))
    assert one.text == two.text


SOURCE = """from airtcp.laws import Ack, Congestion, Law, compiled


{deco}
class Mine(Law):
    a: float = 1.0
    _kept: float = 0.0

    def avoid(self, ack: Ack) -> None:
        {body}
"""
BODIES = {
    "self.other = 1.0": (
        "Mine.avoid, line 10: self.other is no memory; annotate it in the class with an "
        "underscore, as in _other: float = 0.0"
    ),
    "self.state = 'fast'": "Mine.avoid, line 10: self.state is no memory",
    "self.limit(3)": "Mine.avoid, line 10: a compiled law has no self.limit",
    "rtt = ack.rtt; rtt is None": "`is` is known only as in `ack.rtt is None`",
    "ack.acked = 1": "Mine.avoid, line 10: a sample cannot be changed",
    "self.cwnd = ack.kind_of": "numba cannot compile it",
    "x = self.params.rules": "compare rules with text",
}


@needs_numba
@pytest.mark.parametrize("body", BODIES)
def test_what_has_no_translation_is_named(body: str, tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(SOURCE.format(deco="@compiled", body=body), "utf-8")
    with pytest.raises(LawError) as error:
        airtcp.run("link", text="", tcp=str(file))
    assert BODIES[body] in str(error.value)
    assert "\n" not in str(error.value)


@needs_numba
def test_a_value_that_may_not_be_set_stops_the_run(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    body = "self.cwnd = self._kept / self._kept"
    file.write_text(SOURCE.format(deco="@compiled", body=body), "utf-8")
    with pytest.raises(LawError, match=r"^Mine\.avoid at \d+\.\d+ s, flow \w+, ACK \d+: .*cwnd"):
        airtcp.run(LINK | {"duration": "20 s"}, tcp=str(file))


def test_without_numba_a_line_says_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "numba.py").write_text("raise ImportError('none')\n", "utf-8")
    words = [sys.executable, "-m", "airtcp", "run", str(LOSSY), "--tcp", RENO]
    done = subprocess.run(
        words,
        env=environment() | {"PYTHONPATH": f"{tmp_path}:{environment()['PYTHONPATH']}"},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert 'laws.compiled needs numba: pip install "airtcp[compiled]"' in done.stderr


def test_the_header_has_the_structures_that_are_read_from_it() -> None:
    from airtcp import _core

    found = structures(_core.law_header())
    assert list(found) == [
        f"airtcp_{name}" for name in ("state", "ack", "congestion", "sent", "lost", "idle")
    ]
    assert ("key", "f8", 16) in found["airtcp_state"]
    assert ("host", "u8", 0) in found["airtcp_state"]
    assert found["airtcp_congestion"][0] == ("size", "u4", 0)
