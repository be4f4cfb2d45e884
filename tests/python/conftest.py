"""Fixtures: the program as a user starts it, and input traces."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from browser import FLAGS, Browser
from example_paper import write_paper

if TYPE_CHECKING:
    from collections.abc import Iterator

    from airtcp.questions.study.result import StudyResult

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that starts the tests in the background makes them, and their programs, ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)

ENVIRONMENT = {**os.environ, "PYTHONUTF8": "1", "TERM": "dumb", "COLUMNS": "1000"}
"""Lines as wide as their text; the tests of answers ask for other widths."""


@dataclass(frozen=True)
class Ended:
    """Exit code and output of a program."""

    code: int
    out: str
    err: str


Program = Callable[..., Ended]
Interrupted = Callable[..., Ended]


@pytest.fixture(scope="session")
def program() -> list[str]:
    """The command line that starts airtcp."""
    return [sys.executable, "-m", "airtcp"]


@pytest.fixture
def run(program: list[str], tmp_path: Path) -> Program:
    """Start airtcp in a folder of its own and wait for its end."""

    def start(*arguments: str | Path, stdin: bytes = b"") -> Ended:
        done = subprocess.run(
            [*program, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            cwd=tmp_path,
            env=ENVIRONMENT,
            timeout=600,
            check=False,
        )
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    return start


def own_process(code: str, folder: Path, **more: str) -> subprocess.CompletedProcess[bytes]:
    """Run Python code in a separate process and folder; `more` is added to the environment."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=ENVIRONMENT | more,
        capture_output=True,
        check=False,
    )


def _worked(process: int, since: float) -> float:
    """Return the processor seconds of a process, or an estimate if they cannot be read.

    Without processor times, a process counts as working for a fifteenth of the elapsed time.
    """
    try:
        stat = Path(f"/proc/{process}/stat").read_text("utf-8")
    except OSError:
        return time.monotonic() - since
    user, system = stat.rpartition(")")[2].split()[11:13]
    spent = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return max(spent, (time.monotonic() - since) / 15)


def _sleeps(process: int) -> str | None:
    """Return the processor time of a process that has started and sleeps, else nothing."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    user, system = fields[11:13]
    started = int(user) + int(system) >= os.sysconf("SC_CLK_TCK") / 10
    return f"{user} {system}" if started and fields[0] == "S" else None


def _wait_for_waiting(child: subprocess.Popen[bytes]) -> None:
    """Return when a program has slept for a second, or after 9 s."""
    slept_since = begin = time.monotonic()
    before = None
    while time.monotonic() - begin < 9 and time.monotonic() - slept_since < 1:
        now = _sleeps(child.pid)
        if now is None or now != before:
            before, slept_since = now, time.monotonic()
        time.sleep(0.05)
        assert child.poll() is None, "the program ended before it could be interrupted"


@pytest.fixture
def interrupted(program: list[str], tmp_path: Path) -> Interrupted:
    """Start airtcp in a separate folder, and press Ctrl-C after some processor time.

    Seconds are of processor time: on a busy machine it would else be pressed before anything
    was done. Without a time it is pressed when the program waits.
    """

    def start(*arguments: str | Path, after: float | None) -> Ended:
        with subprocess.Popen(
            [*program, *map(str, arguments)],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
        ) as child:
            begin = time.monotonic()
            if after is None:
                _wait_for_waiting(child)
            while after is not None and _worked(child.pid, begin) < after:
                time.sleep(0.05)
                assert child.poll() is None, "the program ended before it could be interrupted"
            child.send_signal(signal.SIGINT)
            try:
                out, err = child.communicate(timeout=120)
            except subprocess.TimeoutExpired:
                child.kill()
                raise
        return Ended(child.returncode, out.decode(), err.decode())

    return start


@pytest.fixture(scope="session")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of links: bursty, independent, perfect, dead, short."""
    folder = tmp_path_factory.mktemp("traces")
    airtcp.synth(folder / "bursty.txt", prr=0.55, mu=0.7, packets=20_000, seed=1)
    airtcp.synth(folder / "independent.csv", prr=0.5, packets=12_000, seed=2, fmt="csv")
    airtcp.synth(folder / "good.txt.gz", prr=0.85, mu=0.4, packets=12_000, seed=3)
    airtcp.synth(folder / "short.txt", prr=0.5, mu=0.3, packets=300, seed=4)
    (folder / "perfect.txt").write_text("1" * 2000 + "\n")
    (folder / "dead.txt").write_text("0" * 2000 + "\n")
    (folder / "notes.txt").write_text("these are the traces of Tuesday\n")
    return folder


@pytest.fixture(scope="session")
def study(traces: Path) -> StudyResult:
    """A study of those links."""
    return airtcp.study(traces, replicas=4, seed=7)


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """A folder of papers with one figure."""
    return write_paper(tmp_path / "papers")


@pytest.fixture(scope="session")
def tshark() -> str:
    """Path of tshark; skip the test if it is missing."""
    found = shutil.which("tshark")
    if found is None:
        pytest.skip("no tshark on this machine: install the package tshark")
    return found


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of a Chromium; skip the test if it is missing."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    pytest.skip("no Chromium on this machine: install the package chromium")


@pytest.fixture(scope="module")
def started_browser(chromium: str) -> Iterator[Any]:
    """A browser for the tests of a file."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def browser(started_browser: Any) -> Browser:
    """The browser without recorded errors."""
    return Browser(started_browser)
