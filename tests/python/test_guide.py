"""What the guide shows works as it is written there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import airtcp
from conftest import ENVIRONMENT
from examples import DOCS, SCENARIOS

if TYPE_CHECKING:
    from pathlib import Path

# The two programs of the recipes that are not airtcp: they read what the recipes pipe into them.
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
# The command itself; a run as short as a test can be.
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
