"""Saves the scenarios of criteria, each as a file that `airtcp run` takes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from airtcp.questions import scenarios

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from airtcp.questions.evaluate.criterion import Criterion, Plan

_NAME: Final = re.compile(r"[^a-z0-9.]+")


def files_of(criteria: Iterable[Criterion], plan: Plan, seed: int) -> dict[str, str]:
    """Return the scenarios of criteria, and the files that they read: texts by name.

    Args: criteria: The criteria. plan: What an evaluation runs. seed: Its root seed.
    """
    found: dict[str, str] = {}
    for criterion in criteria:
        for check, scene in (
            (c, scene) for c in criterion.made(plan) for scene in c.scenes(plan.law)
        ):
            table = {
                "title": f"{criterion.id} {criterion.title}: {scene.name}",
                "seed": seed,
                "replications": check.replications(plan.effort.replications),
                **scene.scenario,
            }
            found[f"{criterion.id.lower()}-{file_name(scene.name)}.toml"] = (
                scenarios.table_text(table) + "\n"
            )
            found |= scene.files
    return found


def file_name(name: str) -> str:
    """Return the name of a scene as that of a file.

    >>> file_name("20 Mb/s, 40 ms, 0.5 BDP")
    '20-mb-s-40-ms-0.5-bdp'
    """
    return _NAME.sub("-", name.lower()).strip("-")


def without(criteria: Sequence[Criterion]) -> list[str]:
    """Return the criteria that have no scenarios."""
    return [one.id for one in criteria if one.checks is None]
