"""`capture` on rare but legal captures, of which each count is known (tests/captures).

`value` in right.csv is a field of the sender at a port, a field of the only link of 802.11, or a
word of a warning.
"""

from __future__ import annotations

import csv
import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

import airtcp

CAPTURES = Path(__file__).resolve().parents[1] / "captures"
sys.path.insert(0, str(CAPTURES))
make: Any = importlib.import_module("make")
with (CAPTURES / "right.csv").open(encoding="utf-8") as lines:
    RIGHT = list(csv.DictReader(lines))
FILES = list(dict.fromkeys(row["file"] for row in RIGHT))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("captures")
    make.write(found)
    return found


def value(document: dict[str, Any], asked: str) -> Any:
    place, _, field = asked.partition(" ")
    if place == "link":
        (found,) = document["links"]
    else:
        senders = [d for c in document["connections"] for d in c["directions"]]
        (found,) = [d for d in senders if d["from"].endswith(f":{place}")]
    for name in field.split("."):
        found = found[name]
    return found


def is_right(document: dict[str, Any], row: dict[str, str]) -> bool:
    if row["value"] == "warning":
        warnings = [line for file in document["files"] for line in file["warnings"]]
        return any(row["right"] in line for line in warnings)
    try:
        found = value(document, row["value"])
    except ValueError:
        return False
    return found == pytest.approx(float(row["right"]), abs=1e-4)


@pytest.mark.parametrize("file", FILES)
def test_the_known_counts_are_found(file: str, folder: Path) -> None:
    (path,) = folder.glob(f"{file}.pcap*")
    document = airtcp.capture(path).json
    rows = [row for row in RIGHT if row["file"] == file]
    wrong = [row for row in rows if not is_right(document, row)]
    assert not wrong, document


def test_every_capture_has_right_values(folder: Path) -> None:
    assert {path.stem for path in folder.iterdir()} == set(FILES)
