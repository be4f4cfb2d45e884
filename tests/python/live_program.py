"""The program `airtcp-live`, for tests that run it."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]


@cache
def live() -> str | None:
    """Return a copy of the newest built program: a build beside the tests may replace it."""
    folders = [Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))]
    built = [f / p / "airtcp-live" for f in folders for p in ("debug", "checked", "release")]
    found = sorted((one for one in built if one.is_file()), key=lambda one: one.stat().st_mtime)
    if not found:
        return shutil.which("airtcp-live")
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    # Other users can run it.
    Path(folder).chmod(0o755)
    return str(shutil.copy2(found[-1], folder))
