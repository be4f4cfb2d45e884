"""Designs: which values the points of a sweep have.

A design gives the values of point `i` without those of the points before it, so that a large sweep
needs no list of its points. A grid and a list are exact. A Latin hypercube divides each axis into
as many equal parts as there are points and uses each part once (McKay, Beckman and Conover 1979).
The parts are permuted by hashes, which are the same on every machine. Sobol points are those that
SALib expects for first-order and total indices: N (D + 2) points for D axes (Saltelli et al. 2010).
"""

from __future__ import annotations

import hashlib
import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

from airtcp import _core
from airtcp.questions.sweep.errors import refuse
from airtcp.questions.sweep.file_keys import MOST_POINTS

if TYPE_CHECKING:
    from airtcp.questions.sweep.sweep_file import Sweep


class Points:
    """The values of every point of a sweep."""

    def __init__(self, sweep: Sweep) -> None:
        """Check that the design is possible.

        Raises:
            AirtcpError: If a list has values of different number, or Sobol points are impossible.
        """
        self._sweep = sweep
        axes = sweep.axes
        if sweep.design == "list":
            lengths = {axis.name: len(axis.values) for axis in axes}
            if len(set(lengths.values())) > 1:
                said = ", ".join(f"{name} has {number}" for name, number in lengths.items())
                said += '; design = "list" needs equally many values of each key'
                refuse(f"{sweep.name}: vary", said)
            self.number = len(axes[0].values)
        elif sweep.design == "grid":
            self.number = math.prod(len(axis.values) for axis in axes)
            if self.number > MOST_POINTS:
                lengths = " x ".join(str(len(axis.values)) for axis in axes)
                said = f"a grid of {lengths} points; expected at most {MOST_POINTS} in all"
                more = 'give fewer steps, or design = "latin-hypercube" with points = 1000'
                refuse(f"{sweep.name}: vary", f"{said}: {more}")
        elif sweep.design == "latin-hypercube":
            self.number = sweep.points or 0
        else:
            self.number = len(self._sobol)

    def __len__(self) -> int:
        """Return the number of points."""
        return self.number

    def values(self, index: int) -> list[Any]:
        """Return the value of each axis at a point."""
        sweep = self._sweep
        if sweep.design == "list":
            return [axis.values[index] for axis in sweep.axes]
        if sweep.design == "grid":
            found: list[Any] = []
            for axis in reversed(sweep.axes):
                index, place = divmod(index, len(axis.values))
                found.append(axis.values[place])
            return found[::-1]
        shares = self._hypercube if sweep.design == "latin-hypercube" else self._sobol
        return [axis.sampled(share) for axis, share in zip(sweep.axes, shares[index], strict=True)]

    @cached_property
    def _hypercube(self) -> list[tuple[float, ...]]:
        number, seed = self.number, self._sweep.seed or 1
        columns: list[list[float]] = []
        for place in range(len(self._sweep.axes)):
            draws = [_draw(seed, place, i) for i in range(number)]
            parts = [0] * number
            for part, i in enumerate(sorted(range(number), key=lambda i: draws[i])):
                parts[i] = part
            columns.append(
                [(parts[i] + _share(_draw(seed, ~place, i))) / number for i in range(number)]
            )
        return list(zip(*columns, strict=True))

    @cached_property
    def _sobol(self) -> list[tuple[float, ...]]:
        sweep = self._sweep
        base = sweep.points or 1
        if base & (base - 1):
            below = 1 << (base.bit_length() - 1)
            place = f"{sweep.name}: points"
            refuse(place, f"is {base}; Sobol points need a power of 2: {below} or {2 * below}")
        try:
            from SALib.sample import sobol  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]
        except ImportError:
            message = 'design = "sobol" needs SALib: pip install "airtcp[sensitivity]"'
            raise _core.AirtcpError(message) from None
        problem = problem_of(sweep)
        sample: Any = sobol.sample  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        rows: Any = sample(problem, base, calc_second_order=False, seed=sweep.seed or 1)
        return [tuple(float(share) for share in row) for row in rows]


def problem_of(sweep: Sweep) -> dict[str, Any]:
    """Return the axes as SALib describes them: shares of each range."""
    names = [axis.column for axis in sweep.axes]
    return {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}


def _draw(seed: int, place: int, index: int) -> bytes:
    """Return the hash that stands for a draw."""
    return hashlib.blake2b(f"{seed} {place} {index}".encode(), digest_size=8).digest()


def _share(draw: bytes) -> float:
    return int.from_bytes(draw, "big") / 2.0**64
