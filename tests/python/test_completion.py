"""What the shell completes, through the protocol of its scripts, and the manual pages."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import airtcp
from airtcp.cli import complete

MANUALS = Path(__file__).parents[2] / "airtcp.data" / "data" / "share" / "man" / "man1"
HEAVY = {"polars", "altair", "jinja2", "vl_convert", "rich", "numpy"}


def bash(line: str, *flags: str) -> subprocess.CompletedProcess[str]:
    """Ask for the completion of the last word as bash does."""
    return subprocess.run(
        [sys.executable, *flags, "-m", "airtcp"],
        env={
            **os.environ,
            "_AIRTCP_COMPLETE": "complete_bash",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(line.split(" ")) - 1),
        },
        capture_output=True,
        text=True,
        check=True,
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("airtcp compare a.toml --tcp cu", ["cubic-2008", "cubic"]),
        ("airtcp compare a.toml --tcp bbr,hyb", ["bbr,hybla"]),
        ("airtcp compare a.toml --schemes base,ft", ["base,ftca"]),
        ("airtcp list c", ["congestion", "code"]),
        ("airtcp schema c", ["compare", "capture"]),
        ("airtcp study x --layout tu", ["tum-tsch"]),
        ("airtcp study x --format p", ["parquet"]),
        ("airtcp reproduce S1.fig1", [f"S1.fig{n}" for n in (1, *range(10, 20))]),
        # Files are left to the shell.
        ("airtcp run sce", []),
        ("airtcp study dem", []),
    ],
)
def test_bash_completes_values(line: str, expected: list[str]) -> None:
    ended = bash(line)
    assert ended.stdout.split() == expected
    assert ended.stderr == ""


def test_a_completion_loads_no_heavy_library() -> None:
    ended = bash("airtcp compare a.toml --tcp cu", "-v")
    loaded = set(re.findall(r"^import '(\S+)' #", ended.stderr, re.MULTILINE))
    assert "airtcp.cli.complete" in loaded
    assert loaded & HEAVY == set()


def test_zsh_shows_the_meaning_of_a_value_and_leaves_files_to_the_shell() -> None:
    def zsh(line: str) -> str:
        asked = {"_AIRTCP_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": line}
        return subprocess.run(
            [sys.executable, "-m", "airtcp"],
            env={**os.environ, **asked},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    assert zsh("airtcp run sce") == "_files"
    assert '"cubic":"A cubic function of the time' in zsh("airtcp compare a --tcp c")


def test_every_name_that_is_completed_is_accepted(tmp_path: Path) -> None:
    trace = airtcp.synth(tmp_path / "a.txt", prr=0.9, packets=300, seed=1)
    behind = {"rate": "10 Mb/s", "delay": "10 ms", "queue": {"kind": "drop-tail", "packets": 10}}
    tcps = [name for name, _ in complete.tcps("") if name != "own"]
    result = airtcp.compare(
        trace, tcp=tcps, remedies=False, as_link=behind, synthetic=False, replications=1
    )
    assert len(result.json["variants"]) == len(tcps)
    for remedy, _ in complete.remedies(""):
        airtcp.compare(
            trace, tcp="sack", remedies=remedy, as_link=behind, synthetic=False, replications=1
        )
    cell = """
        duration = "20 ms"
        [[cells]]
        layout = { kind = "star", stations = 1, radius_m = 5 }
        [[flows]]
        from = "sta*"
        to = "ap"
    """
    for name, _ in complete.schemes(""):
        try:
            airtcp.compare_schemes("cell", text=cell, schemes=name, replications=1)
        except airtcp.AirtcpError as error:
            # Not every scheme can act in every cell, but every name is known.
            assert "unknown" not in str(error), name  # noqa: PT017 - most raise nothing
            assert "no scheme" not in str(error), name  # noqa: PT017 - as above
    for name, _ in complete.profile(""):
        airtcp.study(trace, profile=name, replicas=1, compare=False, remedies=False)


def test_every_command_has_a_manual_page() -> None:
    pages = {path.stem for path in MANUALS.glob("*.1")}
    assert {"airtcp", "airtcp-study", "airtcp-trace", "airtcp-trace-synth"} <= pages
    text = (MANUALS / "airtcp-compare.1").read_text()
    assert "\\-\\-schemes NAME[,NAME]..." in text
    assert f"airtcp {airtcp.__version__}" in text


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="there is no mandoc")
def test_manual_pages_are_valid() -> None:
    ended = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "warning", *sorted(MANUALS.glob("*.1"))],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )
    # The pages have no date, because equal sources give equal pages.
    assert [x for x in ended.stdout.splitlines() if "missing date" not in x] == []
