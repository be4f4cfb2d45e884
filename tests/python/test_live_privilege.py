"""`airtcp-live` gives up the privilege of root, or of its file, once it is set up.

The kernel says what a process has: `/proc/PID/status`. COMMAND keeps what the user has.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from live_program import live
from test_capture_live import lacking as lacking_capture
from test_emulate import LINK, NOBODY, children, lacking, until
from test_emulate_control import airtcp_with_live
from test_measure import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

NET_ADMIN: Final = 1 << 12
NET_BIND: Final = 1 << 10
EFFECTIVE: Final = "CapEff"
PERMITTED: Final = "CapPrm"

pytestmark = pytest.mark.skipif(
    live() is None or os.geteuid() != 0, reason="needs airtcp-live and root"
)
needs_namespaces = pytest.mark.skipif(lacking() is not None, reason=lacking() or "")


def privilege(process: int | str) -> dict[str, int]:
    """Return the capabilities of a process, and whether it can get new ones."""
    text = Path(f"/proc/{process}/status").read_text("utf-8")
    lines = dict(
        line.split(":\t") for line in text.splitlines() if line.startswith(("Cap", "NoNew"))
    )
    return {key: int(value, 16) for key, value in lines.items()}


def gave_up(process: int, kept: int = 0) -> bool:
    """Return whether no privilege comes to be in effect, and no more than this permitted."""
    if not until(lambda: bool(privilege(process)["NoNewPrivs"])):
        return False
    found = privilege(process)
    return found[EFFECTIVE] == 0 and found[PERMITTED] & ~kept == 0 == found["CapInh"]


@contextmanager
def started(*words: str | Path, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program that ends with the block."""
    none = subprocess.DEVNULL
    with subprocess.Popen(
        list(map(str, words)), stdin=none, **{"stdout": none, "stderr": none, **options}
    ) as one:
        try:
            yield one
        finally:
            one.send_signal(signal.SIGINT)
            try:
                one.wait(timeout=20)
            finally:
                one.kill()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder where every user can read and write."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


@needs_namespaces
@pytest.mark.parametrize("wrap", [[], NOBODY], ids=["root", "another user"])
def test_emulate_gives_up_what_command_keeps(folder: Path, wrap: list[str]) -> None:
    if (why := lacking(*wrap)) is not None:
        pytest.skip(why)
    scenario = Path(shutil.copy(LINK, folder))
    scenario.chmod(0o644)
    said = folder / "said"
    script = f"cat /proc/self/status > {said}.new; mv {said}.new {said}; sleep 20"
    words = [*wrap, live() or "", "emulate", scenario, "--", "sh", "-c", script]
    with started(*words) as tool:
        assert gave_up(tool.pid, NET_ADMIN)
        assert until(said.exists)
        lines = dict(line.split(":\t", 1) for line in said.read_text("utf-8").splitlines())
        assert int(lines[EFFECTIVE], 16) & NET_ADMIN
        assert lines["NoNewPrivs"] == "0"


@needs_namespaces
def test_what_a_run_changed_is_undone_without_its_privilege(folder: Path) -> None:
    """Names of namespaces and the pipe go, also after `kill -9`; the folder is another user's."""
    os.chown(folder, 65534, 65534)
    folder.chmod(0o755)
    control, document = folder / "control", folder / "run.json"
    names = [Path("/run/netns") / f"gone-{node}" for node in ("sender", "receiver")]
    options = ["--ns-name", "gone-", "--control", control, "--json", document]
    for number in (signal.SIGINT, signal.SIGKILL):
        with started(live() or "", "emulate", LINK, *options, "--", "sleep", "20") as tool:
            assert gave_up(tool.pid, NET_ADMIN)
            assert control.exists()
            assert all(name.exists() for name in names)
            tool.send_signal(number)
            tool.wait(timeout=20)
            assert until(lambda: not any(one.exists() for one in (*names, control)))
        if number is signal.SIGINT:
            assert '"ended":"interrupted"' in document.read_text("utf-8")


LEFT: Final = "left0"
RIGHT: Final = "right0"


@pytest.fixture
def inside() -> Iterator[list[str]]:
    """Words that begin a command in a namespace with a veth pair."""
    if (why := lacking_capture()) is not None:
        pytest.skip(why)
    name, ip = f"prv-{os.getpid()}", shutil.which("ip") or "ip"
    subprocess.run([ip, "netns", "add", name], check=True)
    try:
        at = [ip, "-n", name]
        make = [*at, "link", "add", LEFT, "type", "veth", "peer", "name", RIGHT]
        subprocess.run(make, check=True)
        for device in (LEFT, RIGHT):
            subprocess.run([*at, "link", "set", device, "up"], check=True)
        yield [ip, "netns", "exec", name]
    finally:
        subprocess.run([ip, "netns", "del", name], check=False)


def test_between_gives_up_everything(inside: list[str]) -> None:
    words = [live() or "", "emulate", LINK, "--between", LEFT, RIGHT, "--for", "20"]
    with started(*inside, *words) as tool:
        assert gave_up(tool.pid)


def test_the_recorder_gives_up_what_its_file_has(inside: list[str], folder: Path) -> None:
    with started(*inside, live() or "", "record", LEFT) as tool:
        assert gave_up(tool.pid)
    setcap = shutil.which("setcap", path="/usr/sbin:/sbin:/usr/bin")
    if setcap is None:
        pytest.skip("needs setcap for a program with file capabilities")
    program = Path(shutil.copy2(live() or "", folder))
    if subprocess.run([setcap, "cap_net_raw+ep", program], check=False).returncode:
        pytest.skip("this file system has no file capabilities")
    with started(*inside, *NOBODY, program, "record", LEFT) as tool:
        assert gave_up(tool.pid)
        assert tool.poll() is None, "it captures"


def test_capture_records_without_privilege(inside: list[str]) -> None:
    words = [*inside, *airtcp_with_live(), "capture", "-i", LEFT, "--json"]
    with started(*words) as tool:
        assert until(lambda: bool(children(tool.pid)))
        (child,) = children(tool.pid)
        # Before it becomes the recorder, the child is Python.
        assert until(lambda: b"record" in Path(f"/proc/{child}/cmdline").read_bytes())
        assert gave_up(child)


def test_both_ends_of_measure_give_up_everything(tmp_path: Path) -> None:
    secret, program = tmp_path / "secret", live() or ""
    subprocess.run([program, "measure", "--new-secret", secret], check=True)
    place = f"127.0.0.1:{free_port()}"
    serve = [program, "measure", "--serve", "--listen", place, "--secret", secret]
    with started(*serve) as server:
        assert gave_up(server.pid, NET_BIND)
        with started(program, "measure", place, "--secret", secret) as client:
            assert gave_up(client.pid)
