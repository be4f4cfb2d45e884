"""The project's description of itself says the same in every file."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import airtcp

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKSPACE = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
CRATES = sorted(ROOT.glob("crates/*/Cargo.toml"))


def cited() -> dict[str, str]:
    """The plain entries of CITATION.cff by key."""
    lines = (ROOT / "CITATION.cff").read_text().splitlines()
    found = (re.fullmatch(r"([a-z-]+): (\S.*)", line) for line in lines)
    return {entry[1]: entry[2].strip('"') for entry in found if entry}


def test_one_version() -> None:
    assert cited()["version"] == WORKSPACE["version"] == airtcp.__version__
    assert PROJECT["dynamic"] == ["version"]


def test_one_address() -> None:
    urls = PROJECT["urls"]
    assert {urls["Homepage"], urls["Source"], WORKSPACE["repository"]} == {
        cited()["repository-code"]
    }
    assert urls["Documentation"] == cited()["url"]
    assert all(url.startswith(urls["Source"]) for url in (urls["Changelog"], urls["Issues"]))
    assert f"{urls['Source']}/security/advisories/new" in (ROOT / "SECURITY.md").read_text()


def test_a_citation_has_what_the_format_requires() -> None:
    said = cited()
    assert said["cff-version"] == "1.2.0"
    assert said["message"]
    assert said["title"].startswith("airtcp")
    text = (ROOT / "CITATION.cff").read_text()
    assert f'  - name: "{PROJECT["authors"][0]["name"]}"' in text
    assert PROJECT["license"] == WORKSPACE["license"]
    assert re.findall(r"^  - (MIT|Apache-2\.0)$", text, re.MULTILINE) == PROJECT["license"].split(
        " OR "
    )


def test_licences_are_files() -> None:
    assert all((ROOT / name).is_file() for name in PROJECT["license-files"])


@pytest.mark.parametrize("path", CRATES, ids=lambda path: path.parent.name)
def test_a_crate_takes_the_metadata_of_the_workspace(path: Path) -> None:
    package = tomllib.loads(path.read_text())["package"]
    for key in ("version", "license", "authors", "repository"):
        assert package[key] == {"workspace": True}, key


def test_no_crate_is_compiled_twice_for_its_features() -> None:
    """Set-up builds airtcp-live in the profile of the tests, which else takes minutes more."""

    def features(*selection: str) -> set[str]:
        words = [
            "cargo",
            "tree",
            "--locked",
            "--offline",
            "--prefix",
            "none",
            "--format",
            "{p} {f}",
        ]
        done = subprocess.run(
            [*words, *selection], cwd=ROOT, capture_output=True, text=True, check=True
        )
        return {line.removesuffix(" (*)") for line in done.stdout.splitlines()}

    program = features("--package", "airtcp-live", "--edges", "normal,build")
    tests = features("--workspace", "--exclude", "airtcp-py", "--edges", "normal,build,dev")
    assert sorted(program - tests) == []
