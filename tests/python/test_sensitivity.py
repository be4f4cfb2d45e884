"""Shares of variance in a sweep, against functions whose shares are known."""

from __future__ import annotations

import math
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from airtcp.questions.sweep import sensitivity
from airtcp.questions.sweep.decomposition import completed, shares
from airtcp.questions.sweep.findings import findings
from airtcp.questions.sweep.plan import Plan
from airtcp.questions.sweep.sweep_file import read
from test_sweep import LOSS, asked, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


ENDS = ("mean", "ci_low", "ci_high")


def _grid(
    levels: tuple[int, ...], of: Callable[[tuple[int, ...]], float]
) -> dict[tuple[Any, ...], float]:
    return {cells: of(cells) for cells in product(*(range(n) for n in levels))}


def test_shares_of_a_grid_are_those_of_the_function() -> None:
    """y = a x + b z + c x z over x, z = -1, 1: the shares are the squares of a, b and c."""
    points = _grid(
        (2, 2, 2),
        lambda c: 7 * (2 * c[0] - 1) + 5 * (2 * c[1] - 1) + 3 * (2 * c[0] - 1) * (2 * c[1] - 1),
    )
    found = shares(points, dict.fromkeys(points, 0.0), 1)
    assert found is not None
    whole = 49 + 25 + 9
    assert [one.mean for one in found.main] == pytest.approx([49 / whole, 25 / whole, 0.0])
    assert found.pairs[(0, 1)].mean == pytest.approx(9 / whole)
    assert found.total[0].mean == pytest.approx(58 / whole)
    assert found.higher is not None
    everything = [*found.main, *found.pairs.values(), found.higher]
    assert sum(one.mean for one in everything) == pytest.approx(1.0)
    # Without scatter between replications the shares are exact.
    assert (found.main[0].low, found.main[0].high) == pytest.approx((49 / whole, 49 / whole))


def test_a_key_beside_a_strong_one_keeps_its_share() -> None:
    """Epsilon squared counted the strong key as chance, and gave the weak one next to nothing."""
    points = _grid((5, 3), lambda c: [0.0, 9.0, 10.0, 10.5, 11.0][c[0]] + 4.0 * c[1])
    xs = [0.0, 9.0, 10.0, 10.5, 11.0]
    mean = sum(xs) / 5
    strong = sum((x - mean) ** 2 for x in xs) / 5
    weak = 16 * 2 / 3
    found = shares(points, dict.fromkeys(points, None), 1)
    assert found is not None
    assert found.main[1].mean == pytest.approx(weak / (weak + strong))
    assert found.main[1].low is None, "one replication has no interval"
    groups = sensitivity.grouped([(z, y) for (_, z), y in points.items()])
    assert sensitivity.epsilon_squared(groups) < 0.75 * found.main[1].mean


def test_intervals_hold_the_share_and_noise_is_taken_out() -> None:
    error, covered = 1.0, 0
    means: list[float] = []
    truth = 4.0 / (4.0 + 0.25)
    for seed in range(100):
        random = Random(seed)  # noqa: S311
        points = {
            cells: y + random.gauss(0, error)
            for cells, y in _grid((4, 4), lambda c: 4 * (c[0] > 1) + (c[1] > 1)).items()
        }
        found = shares(points, dict.fromkeys(points, error), seed)
        assert found is not None
        first = found.main[0]
        assert first.low is not None
        assert first.high is not None
        assert 0 <= first.low <= first.mean <= first.high <= 1
        covered += first.low <= truth <= first.high
        means.append(first.mean)
    assert covered >= 90
    assert sum(means) / 100 == pytest.approx(truth, abs=0.05)


def test_missing_points_are_filled_and_other_designs_refused() -> None:
    points = _grid((4, 4), lambda c: 3.0 * c[0] + c[1])
    del points[(1, 2)]
    full = completed(points)
    assert full is not None
    assert full[(1, 2)] == pytest.approx(5.0, abs=1e-6)
    # Two keys that move together do not show which of them matters.
    assert completed({(i, i): float(i) for i in range(8)}) is None


def _ishigami(x: float, y: float, z: float) -> float:
    return math.sin(x) + 7 * math.sin(y) ** 2 + 0.1 * z**4 * math.sin(x)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("design", ["sobol", "latin-hypercube"])
def test_the_shares_of_ishigamis_function(design: str) -> None:
    """First-order shares 0.3139, 0.4424 and 0, total 0.5576, 0.4424 and 0.2437 (Ishigami 1990)."""
    if design == "sobol":
        pytest.importorskip("SALib")
    spans = {
        name: {"key": key, "from": 0.0, "to": 1.0}
        for name, key in zip("abc", ("warmup", "duration", "links[0].delay"), strict=True)
    }
    plan = Plan(read(asked(vary=spans, design=design, points=2048)))
    known = [
        (point.cells, (_ishigami(*((2 * float(c) - 1) * math.pi for c in point.cells)), None))
        for point in plan
    ]
    found = sensitivity.of_design(plan, known, whole=True)
    assert found is not None
    for key, share in zip(found["keys"], (0.3139, 0.4424, 0.0), strict=True):
        first = key["first"]
        # Eight groups of a Latin hypercube average a part of sin^2 away.
        assert first["mean"] == pytest.approx(share, abs=0.04 if design == "sobol" else 0.08)
        assert 0 <= first["ci_low"] <= first["mean"] <= first["ci_high"] <= 1
    if design == "sobol":
        totals = [key["total"]["mean"] for key in found["keys"]]
        assert totals == pytest.approx([0.5576, 0.4424, 0.2437], abs=0.05)


def test_a_sweep_has_shares_that_add_up(tmp_path: Path) -> None:
    vary = {"links[0].delay": ["5 ms", "20 ms", "80 ms"], LOSS: [0.001, 0.005, "2 %"]}
    result = run(asked(vary=vary, replications=4), tmp_path / "out")
    for of in result.json["sensitivity"]:
        assert of["method"] == "anova"
        assert [key["column"] for key in of["keys"]] == ["links[0].delay_s", LOSS]
        (joint,) = of["interactions"]  # pyright: ignore[reportTypedDictNotRequiredAccess]
        assert joint["columns"] == ["links[0].delay_s", LOSS]
        whole = sum(key["first"]["mean"] for key in of["keys"]) + joint["share"]["mean"]
        assert whole == pytest.approx(1.0)
        for share in (*(key["first"] for key in of["keys"]), joint["share"]):
            assert 0 <= share["ci_low"] <= share["mean"] <= share["ci_high"] <= 1


def test_a_rank_needs_intervals_that_do_not_overlap(tmp_path: Path) -> None:
    vary = {"links[0].delay": ["5 ms", "20 ms", "80 ms"], LOSS: [0.001, 0.005, "2 %"]}
    document = run(asked(vary=vary), tmp_path / "out").json

    def said(*ends: tuple[float, float | None, float | None]) -> str:
        keys = [
            {"column": name, "total": None, "first": dict(zip(ENDS, of, strict=True))}
            for name, of in zip("ab", ends, strict=True)
        ]
        of = {"measure": "goodput_bps", "method": "anova", "keys": keys, "interactions": []}
        return findings(document | {"sensitivity": [of]})[-1].headline  # pyright: ignore[reportArgumentType]

    assert said((0.6, 0.5, 0.7), (0.3, 0.2, 0.4)) == "a matters most"
    assert said((0.6, 0.4, 0.8), (0.4, 0.2, 0.6)) == "Cannot tell which key matters most"
    assert said((0.6, None, None), (0.3, None, None)) == "a has the largest share"
