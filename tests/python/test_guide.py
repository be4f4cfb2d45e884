"""The commands and outputs of the guide work as written."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

import airtcp
from conftest import ENVIRONMENT
from examples import DOCS, ROOT, SCENARIOS

if TYPE_CHECKING:
    from pathlib import Path

# The two other programs of the recipes read their input from a pipe.
DUCKDB = """
import csv, re, sys
query = sys.argv[2]
names = [n for part in re.findall(r"(?:select|where|order by) (.*?)(?= from| order| desc|$)", query)
         for n in part.split(", ")]
rows = list(csv.DictReader(sys.stdin))
print(len(rows), [row[name] != "" for row in rows[:1] for name in names])
"""
JQ = """
import json, sys
text, at = sys.stdin.read(), 0
while text[at:].strip():
    document, end = json.JSONDecoder().raw_decode(text[at:].lstrip())
    at = len(text) - len(text[at:].lstrip()) + end
    for key in sys.argv[1].strip(".").split("."):
        document = document[key]
    print(json.dumps(document))
"""
# The command itself, with a short run.
AIRTCP = """
import sys
from airtcp.cli import main
if sys.argv[1] == "run":
    sys.argv += ["-n", "2", "--set", "duration=5 s"]
main()
"""


def test_the_recipes_of_the_guide_run_as_written(tmp_path: Path, program: list[str]) -> None:
    page = (DOCS / "guide" / "cli.md").read_text("utf-8")
    recipes = page.split("## Recipes")[1].split("```")[1]
    for name, code in (("duckdb", DUCKDB), ("jq", JQ), ("airtcp", AIRTCP)):
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!{program[0]}\n{code}")
        path.chmod(0o755)
    (tmp_path / "scenarios").symlink_to(SCENARIOS)
    (tmp_path / "traces").mkdir()
    for name, seed in (("a", 1), ("b", 2)):
        airtcp.synth(tmp_path / "traces" / f"{name}.txt", prr=0.8, mu=0.4, packets=2000, seed=seed)
    done = subprocess.run(
        [shutil.which("bash") or "bash", "-euo", "pipefail", "-c", recipes],
        cwd=tmp_path,
        env=ENVIRONMENT | {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    table, *goodputs = done.stdout.splitlines()
    assert table == "2 [True, True, True, True, True, True]"
    assert (tmp_path / "bursty.txt.gz").is_file()
    # Goodput falls with loss, as the recipe says.
    means = [json.loads(line)["mean"] for line in goodputs]
    assert len(means) == 3
    assert means == sorted(means, reverse=True)


# By page and command: the output that the page shows, and the page's scenario.
SHOWN = {
    (path.name, command): (output, re.search(r"```toml\n(title = .*?)```", page, re.DOTALL))
    for path in [DOCS / "tutorial.md", *sorted((DOCS / "guide").glob("*.md"))]
    for page in [path.read_text("utf-8")]
    for command, output in re.findall(r"```\nairtcp (.+)\n```\n\n```\n((?:.+\n|\n)*?)```", page)
}


def on_a_terminal(command: list[str], folder: Path) -> str:
    """Run a command whose standard output is a terminal of 80 columns."""
    ours, theirs = os.openpty()
    parts: list[bytes] = []
    with subprocess.Popen(
        command,
        cwd=folder,
        env=ENVIRONMENT | {"COLUMNS": "80"},
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    ):
        os.close(theirs)
        # A terminal whose other end is closed is an error on Linux.
        with suppress(OSError):
            while part := os.read(ours, 1 << 16):
                parts.append(part)
    os.close(ours)
    text = b"".join(parts).decode().replace("\r\n", "\n").replace("\N{NARROW NO-BREAK SPACE}", " ")
    return re.sub(r" +$", "", re.sub(r"\x1b\[[0-9;]*[a-zA-Z]", "", text), flags=re.MULTILINE)


def test_the_guide_shows_commands_with_their_output() -> None:
    assert len(SHOWN) >= 16
    assert len([page for page, _ in SHOWN if page == "tutorial.md"]) >= 6


@pytest.mark.parametrize("shown", SHOWN, ids=" ".join)
def test_the_guide_shows_what_a_command_prints(
    tmp_path: Path, program: list[str], shown: tuple[str, str]
) -> None:
    (output, scenario), command = SHOWN[shown], shown[1]
    for folder in ("scenarios", "demo", "crates"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    if "my-link.txt" in command:
        made = re.findall(
            r"^airtcp (trace synth my-link.+)$", (DOCS / shown[0]).read_text("utf-8"), re.MULTILINE
        )
        subprocess.run([*program, *shlex.split(made[0])], cwd=tmp_path, env=ENVIRONMENT, check=True)
    if scenario is not None:
        (tmp_path / "lossy.toml").write_text(scenario[1])
    if "my_law.py" in command:
        page = (DOCS / "guide" / shown[0]).read_text("utf-8")
        law = re.search(r"whole file `my_law.py`:\n\n```python\n(.*?)```", page, re.DOTALL)
        assert law is not None
        (tmp_path / "my_law.py").write_text(law[1], "utf-8")
        link = re.search(r"this is `link.toml`.*?```toml\n(.*?)```", page, re.DOTALL)
        assert link
        (tmp_path / "link.toml").write_text(link[1], "utf-8")
    printed = on_a_terminal([*program, *shlex.split(command)], tmp_path)
    at = 0
    for part in re.split(r"^\.\.\.\n", output, flags=re.MULTILINE):
        assert part.strip("\n") in printed[at:]
        at = printed.index(part.strip("\n"), at) + len(part.strip("\n"))
