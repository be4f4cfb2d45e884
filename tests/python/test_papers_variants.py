"""Variants of a figure: how often each is run, and what several entries ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from airtcp.questions.run import call
from airtcp_papers.context import Context
from airtcp_papers.drivers.variants import Run, repeats_of, runs_of, variants
from airtcp_papers.form import PaperError
from airtcp_papers.library import Library

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = """
duration = "2 s"
[[links]]
from = "a"
to = "b"
rate = "1 Mb/s"
delay = "10 ms"
loss = { model = "bernoulli", probability = 0.05 }
[[flows]]
from = "a"
to = "b"
"""


@pytest.fixture
def library(tmp_path: Path) -> Library:
    (tmp_path / "one.toml").write_text(SCENARIO)
    return Library(tmp_path)


def test_fewer_replications_are_the_first_of_more(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    run = call.run

    def counted(*args: Any, **options: Any) -> Any:
        made.append(options["replications"])
        return run(*args, **options)

    monkeypatch.setattr(call, "run", counted)
    context = Context(library, workers=2)
    three = context.replications("one.toml", runs=3)
    assert context.replications("one.toml", runs=2) == three[:2]
    assert made == [3]
    other = Context(library, workers=1)
    assert other.replications("one.toml", runs=2) == three[:2]
    assert [one["replication"] for one in three] == [0, 1, 2]
    for one in (context, other):
        one.close()


def test_variants_side_by_side_have_the_runs_that_are_said_of_them(library: Library) -> None:
    context = Context(library, workers=2)
    parameters: dict[str, Any] = {
        "scenario": "one.toml",
        "set": {},
        "runs": 1,
        "more": [{"at": {"loss": 20}, "runs": 2}],
    }
    every = [({"loss": n}, {"links[0].loss.probability": n / 100}) for n in (0, 10, 20)]
    found = runs_of(context, parameters, every, Run)
    assert [len(runs) for runs in found] == [1, 1, 2]
    # In the requested order, whichever finished first.
    lost = [runs[0].document["links"][0]["loss_rate"] for runs in found]
    assert lost[0] == 0
    assert lost == sorted(lost)
    single = Context(library, runs=1)
    assert runs_of(single, parameters, every, Run)[2] == found[2][:1]
    for one in (context, single):
        one.close()


def test_more_runs_are_of_variants_that_there_are() -> None:
    axis = [{"name": "loss", "values": {"10": {}, "20": {}}}]
    more = [{"at": {"loss": 10.0}, "runs": 4}]
    assert len(list(variants({"axis": axis, "more": more}))) == 2
    with pytest.raises(PaperError, match=r"no variant is at .*30"):
        list(variants({"axis": axis, "more": [*more, {"at": {"loss": 30}, "runs": 4}]}))
    with pytest.raises(PaperError, match="not more than 4"):
        repeats_of({"runs": 4, "more": more}, {"loss": 10})
