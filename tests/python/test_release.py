"""What a release is made of: its notes, and the demo links in the package."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from shutil import copy

import pytest

import airtcp
from airtcp.inputs.arguments import links_of

ROOT = Path(__file__).resolve().parents[2]


def _notes(version: str, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, root / "scripts" / "release-notes", version],
        capture_output=True,
        text=True,
        check=False,
    )


def test_notes_are_the_section_of_the_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    done = _notes("0.1.0")
    assert done.returncode == 0
    assert done.stdout.strip() == text.partition("## 0.1.0")[2].partition("\n")[2].strip()
    assert "\n## " not in done.stdout
    assert _notes("v0.1.0").stdout == done.stdout


@pytest.mark.parametrize("version", ["0.1", "v9.9.9", ""])
def test_a_version_without_notes(version: str) -> None:
    done = _notes(version)
    assert done.returncode == 1
    assert "no notes of version" in done.stderr


def test_a_tag_cannot_publish_another_version(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    copy(ROOT / "scripts" / "release-notes", tmp_path / "scripts")
    (tmp_path / "CHANGELOG.md").write_text("## 1.1.0\n\nNew.\n\n## 1.0.0\n\nOld.\n")
    (tmp_path / "Cargo.toml").write_text('[workspace.package]\nversion = "1.1.0"\n')
    assert _notes("v1.1.0", tmp_path).stdout == "New.\n"
    refused = _notes("v1.0.0", tmp_path)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == "version v1.0.0 is not that of Cargo.toml, 1.1.0\n"


def test_workflows_name_the_commit_of_each_action() -> None:
    """A tag can be moved to another commit."""
    files = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    used = [line for file in files for line in file.read_text("utf-8").splitlines()]
    used = [line for line in used if "uses:" in line]
    assert used
    for line in used:
        assert re.search(r"uses: [\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+$", line), line


def test_the_demo_is_there_in_an_empty_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (folder,) = links_of("demo")
    assert {path.name for path in (ROOT / "demo").glob("*.gz")} <= {
        path.name for path in Path(folder).iterdir()
    }
    found = airtcp.stats("demo/synthetic-too-short.txt.gz")
    assert found["links"][0]["packets"] == 300
    # The user's own files come first, and other names stay as they are.
    (tmp_path / "demo").mkdir()
    assert links_of(["demo", "demo/x.txt", "other"]) == ["demo", "demo/x.txt", "other"]
