"""`airtcp law check`: a faulty law is found, and its fault is printed as a test that fails."""

from __future__ import annotations

import shutil
import subprocess
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from airtcp.laws import Ack, Congestion, Law, LawError, Params, begun
from airtcp.laws.given import OwnLaws
from airtcp.laws.skeleton import bpf
from airtcp.laws.source import laws_of
from airtcp.laws.suite import Broken, broken
from test_laws import AIMD, Aimd, command

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]


class NoReaction(Law):
    def reduced(self, c: Congestion) -> float:  # noqa: ARG002
        return self.cwnd


class GrowsOnEcho(Law):
    def on_ack(self, ack: Ack) -> None:
        if ack.acked and ack.cwnd_limited and not self.recovering(ack) and ack.ece:
            self.cwnd += self.mss
        super().on_ack(ack)


class NoUndo(Law):
    def on_spurious(self) -> None:
        pass


class KeepsAtTimeout(Law):
    def on_congestion(self, c: Congestion) -> None:
        before = self.cwnd
        super().on_congestion(c)
        if c.kind == "rto":
            self.cwnd = max(before / 2, 2 * self.mss)


class GrowsUnasked(Law):
    def on_ack(self, ack: Ack) -> None:
        if ack.acked and not self.recovering(ack) and not ack.ece:
            self.cwnd += self.mss


class NeverGrows(Law):
    def on_ack(self, ack: Ack) -> None:
        pass


class Remembers(Law):
    seen = 0

    def avoid(self, ack: Ack) -> None:
        Remembers.seen += 1
        if Remembers.seen % 3:
            self.additive(ack)


def checked(law: type[Law]) -> Broken | None:
    laws = OwnLaws()
    laws.names(law)
    assert laws.core is not None
    return broken(laws.core)


def shown(found: Broken, law: type[Law]) -> Callable[[], None]:
    """Return the printed test as a function."""
    text = found.test(law.__name__, "the_law", [])
    module = types.ModuleType("the_law")
    setattr(module, law.__name__, law)
    sys.modules["the_law"] = module
    names: dict[str, Callable[[], None]] = {}
    exec(compile(text, "printed", "exec"), names)  # noqa: S102 - what the command prints
    return names[f"test_{law.__name__.lower()}"]


@pytest.mark.parametrize(
    ("law", "rule"),
    [
        (NoReaction, "no reaction to a loss"),
        (GrowsOnEcho, "or on an echo"),
        (NoUndo, "not restored"),
        (KeepsAtTimeout, "after a timeout"),
        (GrowsUnasked, "without being limited"),
        (NeverGrows, "ACKs without a loss"),
    ],
)
def test_a_faulty_law_is_found(law: type[Law], rule: str) -> None:
    found = checked(law)
    assert found is not None
    assert rule in found.rule
    # The shortest case is short.
    assert len(found.statements) <= 8
    with pytest.raises(AssertionError):
        shown(found, law)()


def test_the_printed_test_passes_with_a_sound_law() -> None:
    for law in (NoReaction, GrowsOnEcho, NoUndo, KeepsAtTimeout, GrowsUnasked, NeverGrows):
        found = checked(law)
        assert found is not None
        sound = type(law.__name__, (Aimd,), {})
        shown(found, sound)()


def test_a_law_with_hidden_state_is_found() -> None:
    found = checked(Remembers)
    assert found is not None
    assert "the second time" in found.rule


def test_sound_laws_keep_all_rules() -> None:
    files = sorted((ROOT / "tests" / "laws").glob("*.py"))
    assert len(files) >= 2
    for law in [Aimd, *(law for file in files for law in laws_of(str(file)))]:
        assert checked(law) is None, law


def test_an_error_in_the_suite_is_that_of_the_law() -> None:
    class Fails(Law):
        def reduced(self, c: Congestion) -> float:
            raise ArithmeticError(c.kind)

    with pytest.raises(LawError, match=r"Fails\.reduced"):
        checked(Fails)


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "my_law.py").write_text(AIMD, "utf-8")
    done = command("law", "check", "my_law.py:a=2", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Aimd:a=2 keeps the rules of every law: 256 random cases")
    bad = AIMD.replace("self.b * self.cwnd", "self.cwnd")
    (tmp_path / "bad.py").write_text(bad, "utf-8")
    done = command("law", "check", "bad.py:b=0.7", folder=tmp_path)
    assert done.returncode == 1
    rule, _, test = done.stdout.partition("\n\nThe shortest case found, as a test:\n\n")
    assert rule == "Aimd:b=0.7 breaks a rule: no reaction to a loss."
    (tmp_path / "test_printed.py").write_text(test, "utf-8")
    printed = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_printed.py"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert printed.returncode == 1, printed.stdout
    assert "no reaction to a loss" in printed.stdout
    for law in ("none.py", "cubic", "bad.py:Other"):
        assert command("law", "check", law, folder=tmp_path).returncode == 2, law


@pytest.mark.parametrize(
    "growth", ["random.random()", "time.time() % 1", "0.1 * len(SEEN.append(1) or SEEN)"]
)
def test_numbers_from_elsewhere_are_found(tmp_path: Path, growth: str) -> None:
    text = AIMD.replace("self.a * self.mss", f"{growth} * self.mss")
    (tmp_path / "my_law.py").write_text(f"import random\nimport time\n\nSEEN = []\n{text}", "utf-8")
    done = command("law", "check", "my_law.py", folder=tmp_path)
    assert done.returncode == 1, done.stdout
    assert "the second time" in done.stdout or "fresh process" in done.stdout


def test_a_law_is_tested_without_a_run() -> None:
    law = begun(Aimd, Params(mss=1000, initial_window=10_000, initial_ssthresh=5000), a=2.0)
    law.on_ack(Ack(1000))
    assert law.cwnd == 10_200
    law.on_congestion(Congestion("fast-retransmit", 10_000))
    assert (law.cwnd, law.ssthresh) == (5100, 5100)


STUB = """
typedef unsigned char __u8; typedef unsigned int __u32; typedef unsigned long long __u64;
typedef _Bool bool;
#define SEC(x)
#define __ksym
#define BPF_PROG(name, ...) name(__VA_ARGS__)
enum tcp_ca_event { CA_EVENT_TX_START };
struct sock { int x; }; struct rate_sample { int x; };
struct tcp_sock { __u32 snd_cwnd, snd_ssthresh; };
struct tcp_congestion_ops { void *init, *cong_avoid, *ssthresh, *cong_control, *set_state,
  *undo_cwnd, *cwnd_event; char name[16]; };
"""


@pytest.mark.parametrize("law", [Aimd, GrowsOnEcho, KeepsAtTimeout, NoUndo])
def test_the_frame_for_a_kernel_is_c(tmp_path: Path, law: type[Law]) -> None:
    text = bpf(law)
    assert "tp->snd_cwnd" in text
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    (tmp_path / "vmlinux.h").write_text(STUB, "utf-8")
    (tmp_path / "bpf").mkdir()
    for name in ("bpf_helpers", "bpf_tracing"):
        (tmp_path / "bpf" / f"{name}.h").write_text("", "utf-8")
    (tmp_path / "law.c").write_text(text, "utf-8")
    done = subprocess.run(
        [compiler, "-fsyntax-only", "-Wall", "-Wno-unused", "-I", str(tmp_path), "law.c"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "error" not in done.stderr


def test_what_a_kernel_has_no_hook_for_is_named() -> None:
    class Sends(Law):
        def on_sent(self, sent: object) -> None:
            pass

    assert "on_sent has no place in a kernel" in bpf(Sends)
