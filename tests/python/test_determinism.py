"""Same seed, same bits: across processes, numbers of workers, and builds."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from examples import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Program

RUST_TEST = ROOT / "crates" / "sim" / "tests" / "engine" / "determinism.rs"


def pinned() -> tuple[str, str]:
    """The scenario and the fingerprint of the debug build's test."""
    text = RUST_TEST.read_text()
    scenario = re.search(r'const LOSSY: &str = r#"(.*?)"#;', text, re.DOTALL)
    fingerprint = re.search(r'const PINNED: &str = "([0-9a-f]+)";', text)
    assert scenario
    assert fingerprint
    return scenario.group(1), fingerprint.group(1)


def fingerprints(run: Program, path: Path, workers: int) -> list[str]:
    """The fingerprints of all replications, from a separate process."""
    ended = run("run", str(path), "--json", "--workers", str(workers))
    assert ended.code == 0, ended.err
    return [r["fingerprint"] for r in json.loads(ended.out)["replications"]]


def test_processes_workers_and_builds_agree(run: Program, tmp_path: Path) -> None:
    """The extension is a release build; the pinned value comes from a debug build."""
    scenario, fingerprint = pinned()
    path = tmp_path / "lossy.toml"
    path.write_text(scenario)
    one = fingerprints(run, path, 1)
    assert one == fingerprints(run, path, 2)
    assert one[0] == fingerprint
    assert len(set(one)) == len(one)


def test_a_study_does_not_depend_on_workers(run: Program) -> None:
    """Two processes, with one and two workers: the same document except the workers."""
    documents = []
    for workers in ("1", "2"):
        ended = run("study", str(ROOT / "demo" / "synthetic-too-short.txt.gz"),
                    "--json", "--workers", workers)  # fmt: skip
        assert ended.code == 0, ended.err
        document = json.loads(ended.out)
        document["options"].pop("workers")
        documents.append(document)
    assert documents[0] == documents[1]
