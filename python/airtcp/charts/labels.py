"""Places the names of points on a map without overlaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FONT: Final = 11
"""Size of a name, in px."""
_WIDE: Final = 0.62
"""Width of a character relative to the font size, for the wider fonts of browsers."""
_POINT: Final = 7.0
"""Half the side of the square that a point covers, in px."""
_GAP: Final = 2.0
_WAYS: Final = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1))
"""Directions in which a name can lie from its point; y grows upwards."""


class _Box(NamedTuple):
    x: float
    y: float
    half_width: float
    half_height: float

    def meets(self, other: _Box) -> bool:
        return (
            abs(self.x - other.x) < self.half_width + other.half_width
            and abs(self.y - other.y) < self.half_height + other.half_height
        )


def placed(points: Sequence[Mapping[str, Any]], metre: float) -> list[dict[str, Any]]:
    """Place the names of points; names without room are left out.

    If possible, a name lies away from the first point, which is in the middle of a cell.

    Args: points: Their `name`, and `x` and `y` in metres; the first is the access point. metre:
        Pixels per metre.

    Returns:
        Names with the coordinates of their middles, in metres.

    >>> placed([{"name": "ap", "x": 0, "y": 0}], 10.0)
    [{'name': 'ap', 'x': 0.0, 'y': 1.56}]
    """
    dots = [_Box(p["x"] * metre, p["y"] * metre, _POINT, _POINT) for p in points]
    taken = list(dots)
    found: list[dict[str, Any]] = []
    for point, dot in zip(points, dots, strict=True):
        for box in _candidates(str(point["name"]), dot, dots[0]):
            if not any(box.meets(other) for other in taken):
                taken.append(box)
                x, y = round(box.x / metre, 6), round(box.y / metre, 6)
                found.append({"name": point["name"], "x": x, "y": y})
                break
    return found


CORNERS: Final = {"ne": (1, 1), "se": (1, -1), "nw": (-1, 1), "sw": (-1, -1)}
"""Corners of a point for its name, in the order of preference; y grows upwards."""
ASIDE: Final = (14, 10)
"""Pixels from the middle of a point to the near end and the middle of a name at a corner."""
_NARROW: Final = 420.0
"""Width for names in pixels: the space between the axes on a narrow page."""


def cornered(
    points: Sequence[Mapping[str, Any]], x: str, y: str, height: float
) -> list[dict[str, Any]]:
    """Choose the corner of each point at which its name is in the chart and overlaps no other.

    Args: points: Their `name` and coordinates, on axes that begin at zero. x: The field of the
        horizontal coordinate. y: The field of the vertical coordinate. height: Height of the chart
        in pixels.

    Returns: The points with `corner`: a key of `CORNERS`, or empty without room for the name.

    >>> [p["corner"] for p in cornered([{"name": "a", "x": 1, "y": 1}], "x", "y", 300.0)]
    ['sw']
    """
    across, up = (max((float(p[key]) for p in points), default=0.0) or 1.0 for key in (x, y))
    dots = [
        _Box(float(p[x]) / across * _NARROW, float(p[y]) / up * height, _POINT, _POINT)
        for p in points
    ]
    taken = list(dots)
    found: list[dict[str, Any]] = []
    for point, dot in zip(points, dots, strict=True):
        half_width, half_height = _WIDE * FONT * len(str(point["name"])) / 2, 0.6 * FONT
        corner = ""
        for name, (dx, dy) in CORNERS.items():
            middle = dot.x + dx * (ASIDE[0] + half_width), dot.y + dy * ASIDE[1]
            box = _Box(*middle, half_width, half_height)
            inside = (
                half_width <= box.x <= _NARROW - half_width
                and half_height <= box.y <= height - half_height
            )
            if inside and not any(box.meets(other) for other in taken):
                taken.append(box)
                corner = name
                break
        found.append({**point, "corner": corner})
    return found


def _candidates(name: str, dot: _Box, middle: _Box) -> Iterator[_Box]:
    half_width, half_height = _WIDE * FONT * len(name) / 2, 0.6 * FONT
    outward = dot.x - middle.x, dot.y - middle.y
    # `sorted` keeps the order of directions that are equally far outward.
    for dx, dy in sorted(_WAYS, key=lambda way: -_along(way, outward)):
        yield _Box(
            dot.x + dx * (_POINT + half_width + _GAP),
            dot.y + dy * (_POINT + half_height + _GAP),
            half_width,
            half_height,
        )


def _along(way: tuple[int, int], outward: tuple[float, float]) -> float:
    length = (way[0] ** 2 + way[1] ** 2) ** 0.5
    return (way[0] * outward[0] + way[1] * outward[1]) / length
