"""All criteria in their order, E0 to E27: each file of them has its list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp.questions.evaluate import (
    alone,
    basics,
    cells,
    latency,
    managed,
    paths,
    rivals,
    senders,
    sharing,
)

if TYPE_CHECKING:
    from airtcp.questions.evaluate.criterion import Criterion


def every() -> list[Criterion]:
    """Return all criteria."""
    rooms = (alone, basics, cells, latency, managed, paths, rivals, senders, sharing)
    found = [one for room in rooms for one in room.EVERY]
    return sorted(found, key=lambda one: int(one.id[1:]))
