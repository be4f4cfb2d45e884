"""The chart library in the package: what it is, and that pages need nothing else for it."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from airtcp.pages import page

ROOT = Path(__file__).resolve().parents[2]
VEGA = ROOT / "python" / "airtcp" / "pages" / "vega"


def test_the_bundle_is_what_vl_convert_makes() -> None:
    pytest.importorskip("vl_convert")
    done = subprocess.run([sys.executable, "scripts/vega", "--check"], cwd=ROOT, check=False)
    assert done.returncode == 0


def test_licences_and_versions_stand_beside_the_bundle() -> None:
    versions = json.loads((VEGA / "versions.json").read_text("utf-8"))
    texts = (VEGA / "LICENSES.txt").read_text("utf-8")
    for package in ("vega", "vega-lite", "vega-embed"):
        assert f"\n{package} {versions[package]}" in texts
    assert texts.count("Interactive Data Lab") >= 3
    assert len((VEGA / "vega.min.js.gz").read_bytes()) < 400_000


def test_the_library_cannot_end_its_script() -> None:
    bundle = page.library()
    assert "</script" not in bundle
    assert "<!--" not in bundle
    assert "airtcpVega" in bundle
    plain = gzip.decompress((VEGA / "vega.min.js.gz").read_bytes()).decode()
    assert len(bundle) >= len(plain)
