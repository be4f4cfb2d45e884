"""The cache keeps results by content and uses them only for equal inputs."""

from __future__ import annotations

import gzip
import json
import os
import tracemalloc
import zlib
from typing import TYPE_CHECKING, Any

import pytest

import airtcp_papers
from airtcp_papers import cache as kept
from airtcp_papers.context import Context, StoppedError
from airtcp_papers.library import Library
from example_paper import FIGURE, SCENARIO, changed

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp_papers.link_run import LinkRun


def outcomes(cache: Path) -> list[Path]:
    """Cached outcomes of figures, without the work that figures share."""
    found: list[Path] = []
    for path in sorted(cache.glob("*.json.gz")):
        answer = json.loads(gzip.decompress(path.read_bytes()))["answer"]
        if isinstance(answer, dict) and "measures" in answer:
            found.append(path)
    return found


def test_answers_are_kept_by_content(papers: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"

    def goodput() -> float | None:
        result = airtcp_papers.reproduce(papers=papers, cache=cache, sensitivity=False)
        return result.rows[0]["here"]

    true = goodput()
    (first,) = outcomes(cache)
    answer = json.loads(gzip.decompress(first.read_bytes()))["answer"]
    answer["measures"][0]["value"] = 123.0
    kept.Cache(cache).put(first.name.removesuffix(".json.gz"), answer)
    assert goodput() == 123.0
    # A change to the comparison only keeps the key.
    changed(papers, "tolerance = 0.2", "tolerance = 0.3")
    assert goodput() == 123.0
    # Another parameter, scenario or seed changes the key.
    scenario = papers / "scenarios" / "link.toml"
    scenario.write_text(SCENARIO + "# changed\n")
    assert goodput() == true
    changed(papers, "runs = 2", "runs = 3")
    assert goodput() not in (123.0, None)
    assert len(outcomes(cache)) == 3
    scenario.write_text(SCENARIO)
    changed(papers, "runs = 3", "runs = 2")
    assert goodput() == 123.0
    # A damaged result is not used.
    for answer in cache.glob("*.json.gz"):
        answer.write_bytes(b"damaged")
    assert goodput() == true


SET = """
label = "small"
kind = "generated"
words = "a test"
slot = "1 ms"
packets = 3000
[[group]]
links = 3
prr = [0.4, 0.6]
[[group]]
links = 2
prr = [0.9, 0.95]
models = false
"""


def links_of(papers: Path, cache: Path | None, seed: int = 1, **asked: Any) -> list[LinkRun]:
    context = Context(Library(papers), seed=seed, cache=kept.Cache(cache))
    try:
        return context.links("small", replicas=2, **asked)
    finally:
        context.close()


def test_links_are_kept_by_content(
    papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (papers / "ensembles" / "small.toml").write_text(SET)
    cache = tmp_path / "cache"
    made = links_of(papers, cache, extremes=True)
    assert made == links_of(papers, None, extremes=True)
    assert [link.models for link in made] == [True] * 3 + [False] * 2
    assert len(list(cache.glob("*.json.gz"))) == 2

    def nobody(*_: Any) -> Any:
        raise AssertionError

    with monkeypatch.context() as patched:
        patched.setattr("airtcp._core.study", nobody)
        patched.setattr("airtcp._core.trace_synth", nobody)
        assert links_of(papers, cache, extremes=True) == made
        # Every input of links changes the key.
        for other in (
            {"seed": 2},
            {"repeat": 1},
            {"tcp": {"ack_every": 1}},
            {"change": {"shape": "chain"}},
        ):
            with pytest.raises(AssertionError):
                links_of(papers, cache, **other)
        (papers / "ensembles" / "small.toml").write_text(SET.replace("3000", "4000"))
        with pytest.raises(AssertionError):
            links_of(papers, cache)


def test_a_stopped_study_is_not_kept(
    papers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (papers / "ensembles" / "small.toml").write_text(SET)

    class Half:
        interrupted = True

    monkeypatch.setattr("airtcp._core.study", lambda *_: Half())
    with pytest.raises(StoppedError):
        links_of(papers, tmp_path / "cache")
    assert not list((tmp_path / "cache").glob("*"))


def test_the_cache_is_bounded(tmp_path: Path) -> None:
    cache = kept.Cache(tmp_path)
    for i in range(4):
        cache.put(str(i), [i] * 1000)
        os.utime(tmp_path / f"{i}.json.gz", (i, i))
    (tmp_path / "mine.txt").write_text("not an answer")
    size = sum((tmp_path / f"{i}.json.gz").stat().st_size for i in (0, 3))
    # A recently used result is kept, however old it is.
    assert cache.get("0") == [0] * 1000
    cache.trim(size)
    assert {path.name for path in tmp_path.iterdir()} == {"0.json.gz", "3.json.gz", "mine.txt"}


def _bomb() -> bytes:
    """A valid result except for its size: a few kilobytes that unpack to 32 MB."""
    packer = zlib.compressobj(9, wbits=31)
    packed = [packer.compress(b'{"hash":"x","answer":[')]
    packed += [packer.compress(b" " * (1 << 20)) for _ in range(32)]
    return b"".join([*packed, packer.compress(b"]}"), packer.flush()])


def _spoil(path: Path, how: str) -> None:
    whole = path.read_bytes()
    path.unlink()
    other = {
        "empty": b"",
        "truncated": whole[:-9],
        "header alone": whole[:10],
        "one byte changed": whole[:20] + bytes([whole[20] ^ 0xFF]) + whole[21:],
        "not packed": gzip.decompress(whole),
        "something after it": whole + b"x",
        "another shape": gzip.compress(b"[1, 2]"),
        "another content": gzip.compress(gzip.decompress(whole).replace(b"2.5", b"3.5")),
        "not JSON": gzip.compress(b"\xff{"),
        "deep": gzip.compress(b"[" * 100_000),
        "a long number": gzip.compress(b'{"hash":"x","answer":' + b"1" * 5000 + b"}"),
        "bomb": _bomb(),
    }
    if how in other:
        path.write_bytes(other[how])
    elif how == "folder":
        path.mkdir()
    elif how == "pipe":
        os.mkfifo(path)
    elif how == "link to itself":
        path.symlink_to(path)
    else:
        path.write_bytes(whole)
        path.chmod(0)


@pytest.mark.parametrize(
    "how",
    [
        "empty",
        "truncated",
        "header alone",
        "one byte changed",
        "not packed",
        "something after it",
        "another shape",
        "another content",
        "not JSON",
        "deep",
        "a long number",
        "bomb",
        "folder",
        "pipe",
        "link to itself",
        "no permission",
    ],
)
def test_a_damaged_answer_is_a_missing_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(kept, "_MOST_OF_ONE", 1 << 20, raising=False)
    cache = kept.Cache(tmp_path)
    answer = {"a": [1, 2.5, None]}
    cache.put("k", answer)
    assert cache.get("k") == answer
    _spoil(tmp_path / "k.json.gz", how)
    if how == "no permission" and os.access(tmp_path / "k.json.gz", os.R_OK):
        pytest.skip("this user may read everything")
    tracemalloc.start()
    try:
        assert cache.get("k") is None
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # A bomb is unpacked to the bound and no further.
    assert most < 8 << 20
    # The result is computed and kept again; if it cannot be kept, there is no error.
    cache.put("k", answer)
    if how not in {"folder", "pipe"}:
        assert cache.get("k") == answer
    cache.trim(0)


def test_the_program_of_an_answer_is_all_that_drivers_use() -> None:
    sources = kept.sources()
    names = {path.name for path in sources}
    assert {"scenarios.py", "documents.py", "result.py", "context.py", "sweep.py"} <= names
    assert not names & {"page.py", "console.py", "charts.py", "findings_air.py"}
    rooms = [path for path in kept.folders() if path.name != "__pycache__"]
    assert len(rooms) > 3 * len(kept.SOURCES)
    for room in rooms:
        assert room in {path.parent for path in sources}, room


def test_ctrl_c_keeps_what_is_finished(papers: Path, tmp_path: Path) -> None:
    for i in range(2, 9):
        text = FIGURE.replace("T1.fig1", f"T1.fig{i}").replace("runs = 2", f"runs = {10 * i}")
        (papers / "T1" / f"fig-{i}.toml").write_text(text)
    cache = tmp_path / "cache"

    def stop(done: int, _total: int, _label: str) -> None:
        if done >= 3:
            raise KeyboardInterrupt

    result = airtcp_papers.reproduce(papers=papers, cache=cache, progress=stop)
    assert result.interrupted
    assert len(result.figures) < 8
    assert all(figure.rows for figure in result.figures)
    assert 3 <= len(outcomes(cache)) < 16
    whole = airtcp_papers.reproduce(papers=papers, cache=cache)
    assert not whole.interrupted
    assert len(whole.figures) == 8
    assert len(outcomes(cache)) == 16
