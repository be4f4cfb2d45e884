"""Laws in Python on several processes: equal results, errors, time limits, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

import pytest

import airtcp
from airtcp.inputs.workers import environment
from airtcp.laws import Ack, Law, LawError, crew
from airtcp.questions.compare.call_cell import compare_schemes
from test_laws import AIMD

LINK: Final = """duration = "4 s"
replications = 6
[[links]]
name = "air"
from = "a"
to = "b"
rate = "5 Mb/s"
delay = "20 ms"
loss = { model = "bernoulli", probability = 0.01 }
[[flows]]
name = "bulk"
from = "a"
to = "b"
"""
CELL: Final = """duration = "500 ms"
[[cells]]
layout = { kind = "star", stations = 2, radius_m = 5 }
[[flows]]
count = 2
from = "sta*"
to = "ap"
tcp = { congestion = { external = "Aimd" } }
"""


@pytest.fixture
def law(tmp_path: Path) -> str:
    file = tmp_path / "aimd.py"
    file.write_text(AIMD, "utf-8")
    return str(file)


class Others(crew.Crew):
    """A crew whose other processes do every job, the last one first."""

    seen: int = 0

    def begin(self, jobs: list[int]) -> None:
        super().begin(jobs[::-1])

    def take(self) -> int | None:
        return None

    def wait(self) -> list[tuple[int, str | None]]:
        found = super().wait()
        Others.seen += len(found)
        return found


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let other processes begin at once."""
    monkeypatch.setattr(crew, "_PATIENCE_S", 0.0)


@pytest.fixture
def backwards(eager: None, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001 - before this
    """Let other processes do everything, in the reverse order."""
    Others.seen = 0
    monkeypatch.setattr(crew, "Crew", Others)


def ran(law: str, workers: int, **more: Any) -> airtcp.RunResult:
    return airtcp.run("link", text=LINK, tcp=f"{law}:a=2", workers=workers, why="yes", **more)


@pytest.mark.usefixtures("eager")
def test_a_run_does_not_depend_on_processes(law: str) -> None:
    one = ran(law, 1)
    for workers in (2, 7):
        assert ran(law, workers).text == one.text


def test_a_run_does_not_depend_on_the_order(
    law: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    one = ran(law, 1, series=True, pcap=tmp_path / "one.pcapng")
    request.getfixturevalue("backwards")
    other = ran(law, 3, series=True, pcap=tmp_path / "other.pcapng")
    # The variants that find the limit are further lists of jobs.
    assert Others.seen > 5
    assert other.text == one.text
    for name in ("window_series", "delivered_series"):
        assert other.table(name).to_dict() == one.table(name).to_dict()
    assert (tmp_path / "one.pcapng").read_bytes() == (tmp_path / "other.pcapng").read_bytes()


def test_a_comparison_does_not_depend_on_processes(
    law: str, request: pytest.FixtureRequest
) -> None:
    def made(workers: int) -> str:
        return airtcp.compare(
            "link",
            text=LINK,
            tcp=[f"{law}:a=2", "cubic", law],
            remedies="ll-arq",
            replications=4,
            workers=workers,
        ).text

    one = made(1)
    request.getfixturevalue("eager")
    assert made(2) == one
    assert made(7) == one
    request.getfixturevalue("backwards")
    assert made(2) == one
    assert Others.seen > 10


def test_schemes_do_not_depend_on_processes(law: str, request: pytest.FixtureRequest) -> None:
    def made(workers: int) -> str:
        return compare_schemes(
            "cell", text=CELL, schemes="rts,ack-1", replications=3, law=law, workers=workers
        ).text

    one = made(1)
    request.getfixturevalue("backwards")
    assert made(2) == one
    assert Others.seen == 9


def test_an_evaluation_does_not_depend_on_processes(law: str) -> None:
    def made(workers: int) -> str:
        return airtcp.evaluate(
            law, only="E0,E11,E23", effort="quick", replications=2, workers=workers
        ).text

    one = made(1)
    assert made(2) == one
    assert made(7) == one


@pytest.mark.usefixtures("eager")
def test_a_class_that_no_process_can_load_runs_here() -> None:
    class Local(Law):
        def avoid(self, ack: Ack) -> None:
            self.grow(self.mss * ack.acked / self.cwnd)

    alone = airtcp.run("link", text=LINK, tcp=Local, workers=1)
    with pytest.warns(UserWarning, match=r"^Local is defined .*write it to a file"):
        shared = airtcp.run("link", text=LINK, tcp=Local, workers=2)
    assert shared.text == alone.text


@pytest.mark.usefixtures("backwards")
def test_a_law_that_has_changed_is_refused(law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    grown = Others._grown  # noqa: SLF001 - what starts them

    def changed(self: Others) -> Any:
        Path(law).write_text(AIMD + "\n", "utf-8")
        return grown(self)

    monkeypatch.setattr(Others, "_grown", changed)
    with pytest.raises(LawError, match=r"aimd\.py: it has changed since the call began"):
        ran(law, 2)


FAULTS: Final = {
    "exception": (
        "avoid",
        "1 / 0",
        (
            r"Faulty\.avoid at \d+\.\d+ s, flow bulk, ACK \d+: ZeroDivisionError: .*"
            r"\(.*faulty\.py, line 6\)$"
        ),
    ),
    "value": (
        "avoid",
        "self.cwnd = float('nan')",
        r"Faulty\.avoid at \d+\.\d+ s, flow bulk, ACK \d+: ValueError: .*cwnd.*line 6\)$",
    ),
    "endless": (
        "avoid",
        "\n        while True: pass",
        (
            r"Faulty\.avoid at \d+\.\d+ s, flow bulk, ACK \d+: LawTimeout: its replication has "
            r"taken 0\.3 s of processor time; --law-timeout allows more \(.*faulty\.py, line 7\)$"
        ),
    ),
    "returned": (
        "reduced",
        "return 'half'",
        r"Faulty\.reduced at \d+\.\d+ s, flow bulk, ACK \d+: TypeError: .*returned 'half'",
    ),
}
LOADED: Final = {
    "signature": ("def avoid(self) -> None: ...", r"Faulty: its avoid takes \(self\)"),
    "method": ("def on_akc(self, ack: Ack) -> None: ...", "did you mean on_ack?"),
    "key": ("a: float = 'x'", "the default of its key a is 'x'"),
}


def faulty(folder: Path, method: str, body: str) -> str:
    argument = "ack: Ack" if method == "avoid" else "c: Congestion"
    file = folder / "faulty.py"
    file.write_text(
        "from airtcp.laws import Ack, Congestion, Law\n\n\nclass Faulty(Law):\n"
        f"    def {method}(self, {argument}):\n        {body}\n",
        "utf-8",
    )
    return str(file)


def asked(call: str, law: str, folder: Path, workers: int) -> None:
    """Make a call whose law fails."""
    more: dict[str, Any] = {"workers": workers, "law_timeout": "300 ms"}
    if call == "run":
        airtcp.run("link", text=LINK, tcp=law, **more)
    elif call == "compare":
        airtcp.compare("link", text=LINK, tcp=["cubic", law], replications=3, **more)
    elif call == "evaluate":
        airtcp.evaluate(law, only="E23", effort="quick", replications=1, **more)
    else:
        text = LINK + 'tcp = { congestion = { external = "Faulty" } }\n'
        (folder / "link.toml").write_text(text, "utf-8")
        vary = {"links[0].rate": ["4 Mb/s", "5 Mb/s"]}
        source = {"of": str(folder / "link.toml"), "vary": vary, "replications": 2}
        found = airtcp.sweep(source, out=folder / f"out-{workers}", law=law, **more)
        if found.failures:
            raise LawError(found.failures[0]["message"])


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("call", ["run", "compare", "evaluate", "sweep"])
@pytest.mark.parametrize("fault", FAULTS)
def test_errors_are_the_same_everywhere(
    fault: str, call: str, workers: int, tmp_path: Path
) -> None:
    method, body, said = FAULTS[fault]
    law = faulty(tmp_path, method, body)
    if call == "evaluate":
        said = said.replace("flow bulk", "flow law")
    with pytest.raises(LawError, match=said):
        asked(call, law, tmp_path, workers)


@pytest.mark.parametrize("call", ["run", "compare", "evaluate", "sweep"])
@pytest.mark.parametrize("fault", LOADED)
def test_what_is_no_law_is_refused_when_it_is_loaded(fault: str, call: str, tmp_path: Path) -> None:
    body, said = LOADED[fault]
    file = tmp_path / "faulty.py"
    file.write_text(
        f"from airtcp.laws import Ack, Law\n\n\nclass Faulty(Law):\n    {body}\n", "utf-8"
    )
    with pytest.raises(LawError) as error:
        asked(call, str(file), tmp_path, 2)
    assert said.replace("\\", "") in str(error.value)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_window_out_of_bounds_is_bounded_and_counted(workers: int, tmp_path: Path) -> None:
    law = faulty(tmp_path, "avoid", "self.cwnd = 1.0; assert self.bounded > 0")
    result = airtcp.run("link", text=LINK, tcp=law, workers=workers)
    assert result.json["replications"][0]["flows"][0]["goodput_bps"] > 0


def test_a_process_that_dies_is_named(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue("backwards")
    law = faulty(tmp_path, "avoid", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    with pytest.raises(LawError, match=r"a process that ran a law has ended by signal 9"):
        airtcp.run("link", text=LINK, tcp=law, workers=2)


def program(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "airtcp", *words],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_command_ends_an_endless_loop(tmp_path: Path) -> None:
    faulty(tmp_path, "avoid", "\n        while True: pass")
    (tmp_path / "link.toml").write_text(LINK, "utf-8")
    words = ["run", "link.toml", "--tcp", "faulty.py", "--law-timeout", "500ms", "--quiet"]
    with program(tmp_path, *words) as ended:
        said = ended.communicate(timeout=120)[1].strip()
    assert ended.returncode == 2
    assert "\n" not in said
    assert "Faulty.avoid" in said
    assert "flow bulk" in said
    assert "--law-timeout allows more" in said
    with program(tmp_path, *words[:-2], "2 parsecs") as ended:
        said = ended.communicate(timeout=120)[1]
    assert ended.returncode == 2
    assert "law-timeout 2 parsecs: expected a number above 0 with a unit" in said


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_keeps_finished_replications(workers: str, law: str, tmp_path: Path) -> None:
    (tmp_path / "link.toml").write_text(LINK, "utf-8")
    words = ["run", "link.toml", "--tcp", law, "--workers", workers, "--json", "--why", "no"]
    # Far more than any machine finishes in that time.
    words += ["-n", "5000", "--set", "duration=100 s"]
    with program(tmp_path, *words) as running:
        time.sleep(6)
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=120)
    assert running.returncode == 130
    found = json.loads(out)
    assert found["interrupted"]
    assert 0 < len(found["replications"]) < 5000
    assert found["replications"][0]["replication"] == 0


FRAIL = """from airtcp.laws import Ack, Law, Params


class Frail(Law):
    def start(self, params: Params) -> None:
        self.breaks = self.random.chance(0.2)

    def avoid(self, ack: Ack) -> None:
        self.grow(self.mss * ack.acked / self.cwnd / (0 if self.breaks else 1))
"""


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("workers", [1, 2])
def test_a_law_that_fails_leaves_what_is_finished(workers: int, tmp_path: Path) -> None:
    (tmp_path / "frail.py").write_text(FRAIL, "utf-8")
    law = str(tmp_path / "frail.py")
    more: dict[str, Any] = {"replications": 40, "workers": workers}
    with pytest.raises(LawError, match=r"Frail\.avoid at .*: ZeroDivisionError") as error:
        airtcp.run("link", text=LINK, tcp=law, **more)
    kept = error.value.result
    assert kept is not None
    assert kept.interrupted
    assert kept.json["failed"]["reason"] == str(error.value)
    failed, done = kept.json["failed"]["replication"], kept.json["replications"]
    numbers = [one["replication"] for one in done]
    assert numbers
    assert failed not in numbers
    if workers == 1:
        assert numbers == [*range(failed)]
        whole = airtcp.run("link", text=LINK, tcp=law, replications=failed, workers=1)
        assert whole.fingerprints == kept.fingerprints
    assert f"The law failed in replication {failed}: only " in str(kept.answer())


def test_the_command_keeps_what_is_finished_when_a_law_fails(tmp_path: Path) -> None:
    (tmp_path / "frail.py").write_text(FRAIL, "utf-8")
    (tmp_path / "link.toml").write_text(LINK, "utf-8")
    words = ["run", "link.toml", "--tcp", "frail.py", "-n", "40", "--workers", "1"]
    with program(tmp_path, *words, "--json") as ended:
        out, said = ended.communicate(timeout=120)
    assert ended.returncode == 2
    found = json.loads(out)
    number = len(found["replications"])
    assert found["failed"]["replication"] == number > 0
    assert said.startswith("error: Frail.avoid at ")
    assert said.endswith(f"; {number} replications were finished\n")
    with program(tmp_path, *words, "--out", "out") as ended:
        out, _ = ended.communicate(timeout=120)
    assert ended.returncode == 2
    assert f"The law failed in replication {number}" in out
    assert json.loads((tmp_path / "out" / "run.json").read_text("utf-8"))["failed"]


def test_ctrl_c_ends_an_endless_loop(tmp_path: Path) -> None:
    faulty(tmp_path, "avoid", "\n        while True: pass")
    (tmp_path / "link.toml").write_text(LINK, "utf-8")
    with program(tmp_path, "run", "link.toml", "--tcp", "faulty.py", "--quiet") as running:
        time.sleep(5)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
    assert running.returncode == 130


def test_no_process_is_left(law: str, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue("backwards")
    pools: list[Any] = []
    started = crew.Pool

    def kept(*args: Any, **keys: Any) -> Any:
        pools.append(started(*args, **keys))
        return pools[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crew, "Pool", kept)
        ran(law, 3)
    assert pools
    for pid in (pid for pool in pools for pid in pool.processes):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
