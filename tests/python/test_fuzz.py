"""Damaged files are refused or read, and nothing else: results that are read again, and captures.

Each test mutates good files, the same way every time. `AIRTCP_FUZZ_RUNS` sets the number of inputs
(`make fuzz` uses many more than a test).
"""

from __future__ import annotations

import os
import random
import re
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.files import folder
from airtcp.questions.fit.links import read_result
from airtcp.questions.sweep.chunks import read_chunk
from airtcp_papers.cache import Cache
from examples import LOSSY_LINK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

WORDS = [
    *(b"null", b"[]", b"{}", b"-1", b"1e999", b"NaN", b'""', b"9" * 400, b"\xff\xfe", b"\x00"),
    *(b"PAR1", b'"links"', b'"schema"', b"[" * 2000, b"\n", b"\xff\xff\xff\xff"),
]
ONE_LINE = re.compile(r"[^\n]+")


def mutated(whole: bytes, draws: random.Random) -> bytes:
    """Return a file with up to four changes."""
    made = bytearray(whole)
    for _ in range(draws.randint(1, 4)):
        at = draws.randint(0, len(made))
        end = min(at + draws.randint(1, 64), len(made))
        change = draws.randrange(5)
        if change == 0 and at < len(made):
            made[at] ^= 1 << draws.randrange(8)
        elif change == 1:
            del made[at:end]
        elif change == 2:
            made[at:at] = made[at:end] * draws.randint(1, 20)
        elif change == 3:
            del made[at:]
        else:
            made[at:at] = draws.choice(WORDS)
    return bytes(made)


def inputs(whole: bytes, seconds_of_work: int) -> Iterator[bytes]:
    """Yield mutated files: so many, or a share of `AIRTCP_FUZZ_RUNS`."""
    asked = os.environ.get("AIRTCP_FUZZ_RUNS")
    number = seconds_of_work if asked is None else int(asked) * seconds_of_work // 3000
    draws = random.Random(39)  # noqa: S311 - the same inputs every time
    for _ in range(max(number, 1)):
        yield mutated(whole, draws)


def refused_or(call: Callable[[], Any]) -> Any:
    """Return what a call gives, or None if it refuses in one line."""
    said = "one line"
    try:
        return call()
    except airtcp.AirtcpError as error:
        said = str(error)
    assert ONE_LINE.fullmatch(said), said
    return None


@pytest.fixture(scope="module")
def study_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("study")
    airtcp.synth(place / "a.txt", prr=0.9, packets=500)
    airtcp.study(place / "a.txt", replicas=1).write(place / "r", report=False)
    return place / "r"


def test_chunks_of_a_sweep(tmp_path: Path) -> None:
    given = {
        "scenario": {"duration": "100 ms", "links": [{"from": "a", "to": "b", "rate": "1 Mb/s"}]},
        "replications": 1,
        "vary": {"links[0].delay": ["1 ms", "2 ms"]},
    }
    airtcp.sweep(given, out=tmp_path / "s", report=False, workers=1)
    (chunk,) = tmp_path.glob("s/points/*.parquet")
    whole = chunk.read_bytes()
    for made in inputs(whole, 300):
        chunk.write_bytes(made)
        read = refused_or(lambda: read_chunk(chunk))
        assert (read is None) == (made != whole)


@pytest.mark.parametrize(("name", "number"), [("study.json", 300), ("links.parquet", 20)])
def test_results_of_a_study(study_files: Path, tmp_path: Path, name: str, number: int) -> None:
    """Each table is read in a process of its own, which takes long."""
    place = tmp_path / name
    for made in inputs((study_files / name).read_bytes(), number):
        place.write_bytes(made)
        links = refused_or(lambda: read_result(str(place)))
        assert links is None or all(isinstance(link["name"], str) for link in links)


def test_lists_of_files(study_files: Path, tmp_path: Path) -> None:
    for made in inputs((study_files / folder.LIST).read_bytes(), 300):
        (tmp_path / folder.LIST).write_bytes(made)
        assert folder.held(tmp_path).files == []


def test_kept_results(tmp_path: Path) -> None:
    kept = Cache(tmp_path)
    answer = {"a": [1, 2.5, None], "b": "x" * 50}
    kept.put("k", answer)
    place = tmp_path / "k.json.gz"
    for made in inputs(place.read_bytes(), 1000):
        place.write_bytes(made)
        assert kept.get("k") in (None, answer)


@pytest.mark.parametrize("cell", [False, True])
def test_answers_of_captures(tmp_path: Path, *, cell: bool) -> None:
    scenario = tmp_path / "a.toml"
    air = (
        '[[cells]]\nlayout = { kind = "star", stations = 1, radius_m = 9 }\nresidual_error = 0.2\n'
    )
    flow = '[[flows]]\nfrom = "sta0"\nto = "ap"\napp = { kind = "bulk", size = "40 kB" }\n'
    scenario.write_text(
        f'duration = "1 s"\n{air}{flow}' if cell else f'duration = "1 s"\n{LOSSY_LINK}'
    )
    option = {"radiotap": tmp_path / "air"} if cell else {"pcap": tmp_path / "a.pcapng"}
    airtcp.run(scenario, replications=1, why="no", **option)
    (place, *_) = sorted(tmp_path.rglob("*.pcapng"))
    whole = place.read_bytes()[:60_000]
    for number, made in enumerate(inputs(whole, 25)):
        place.write_bytes(made)
        found = refused_or(lambda: airtcp.capture(place, events=True))
        if found is not None:
            assert found.text
            assert "</html>" in found.page()
        if number % 8 == 0 and not cell:
            diagnosed = refused_or(lambda: airtcp.diagnose(place, replications=2))
            assert diagnosed is None or "</html>" in diagnosed.page()
