"""The advisory check of dependencies never passes for dependencies that it did not check."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "advisories"


def ended(folder: Path, audit: str | None, pip: str | None, *arguments: str) -> tuple[int, str]:
    """Run the script in a copy of the project with these tools only."""
    bin_ = folder / "bin"
    (folder / "scripts").mkdir()
    bin_.mkdir()
    shutil.copy(SCRIPT, folder / "scripts")
    for name in ("bash", "dirname", "grep", "tail"):
        (bin_ / name).symlink_to(shutil.which(name) or "")
    for name, text in (
        ("cargo", audit),
        ("cargo-audit", audit),
        ("pip-audit", pip),
        ("python3", "echo site-packages"),
    ):
        if text is not None:
            (bin_ / name).write_text(f"#!{shutil.which('bash')}\n{text}\n")
            (bin_ / name).chmod(0o755)
    done = subprocess.run(
        [folder / "scripts" / "advisories", *arguments],
        env={"PATH": str(bin_)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("audit", "pip", "code", "said"),
    [
        ("exit 0", "exit 0", 0, "no advisory applies"),
        (None, None, 3, "NOT CHECKED for advisories: Rust crates"),
        ("exit 0", None, 3, "NOT CHECKED for advisories: Python packages"),
        ("echo 'error: 1 vulnerability found!'; exit 1", "exit 0", 1, "ADVISORIES APPLY"),
        ("echo 'error: no network'; exit 1", "exit 0", 3, "no network"),
        (
            "exit 0",
            'echo "Found 2 known vulnerabilities"; exit 1',
            1,
            "Python packages: ADVISORIES APPLY",
        ),
        # pip-audit ends with 0 and "No known vulnerabilities found" here, too.
        (
            "exit 0",
            'echo "numpy  Dependency not found on PyPI and could not be audited: numpy (2.0)"',
            3,
            "packages missing from the database that was asked: 1",
        ),
    ],
)
def test_what_was_not_checked_is_said(
    tmp_path: Path, audit: str | None, pip: str | None, code: int, said: str
) -> None:
    found, text = ended(tmp_path, audit, pip)
    assert found == code, text
    assert said in text


def test_what_was_not_checked_fails_where_it_is_required(tmp_path: Path) -> None:
    assert ended(tmp_path, None, None, "--require")[0] == 1
