"""Recorded results of the scenes that do not depend on the law: those of the baselines alone.

Runs are deterministic, so that a scene gives the same numbers on every machine. `recorded.json.xz`
holds them for the standard laws with the default options. A scene is found by the hash of its
scenario; another version of airtcp, another seed or a scenario that has changed finds nothing, and
runs. `scripts/baselines` writes the file, and a test repeats a sample of it.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from airtcp.data.extension import core_schema, version
from airtcp.questions.evaluate.outcome import Rep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.questions.evaluate.simulate import Task

FILE: Final = "recorded.json.xz"
_SIZE: Final = 12
"""Bytes of a key."""


def key_of(task: Task) -> str:
    """Return the key of a scene: a hash of its scenario and of the files that it reads."""
    whole = json.dumps([task.text, task.files], sort_keys=True)
    return hashlib.blake2b(whole.encode(), digest_size=_SIZE).hexdigest()


def stamp() -> str:
    """Return what the results depend on beside scenarios: the version, and its scenario format."""
    schema = json.dumps(core_schema("scenario"), sort_keys=True)
    return f"{version()} {hashlib.blake2b(schema.encode(), digest_size=_SIZE).hexdigest()}"


class Recorded:
    """Results by scene."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        """Hold the content of the file."""
        self._flows: list[str] = content["flows"]
        self._links: list[str] = content["links"]
        self._scenes: dict[str, list[Any]] = content["scenes"]

    def of(self, task: Task) -> list[Rep] | None:
        """Return what a scene gave; None if it is not known."""
        if task.series or task.fresh or task.again:
            return None
        reps = self._scenes.get(key_of(task), [])
        if len(reps) < task.replications:
            return None
        return [self._rep(one, task.duration_s) for one in reps[: task.replications]]

    def _rep(self, one: Sequence[Any], duration_s: float) -> Rep:
        fingerprint, flows, links = one
        return Rep(
            [dict(zip(self._flows, row, strict=True)) for row in flows],
            [dict(zip(self._links, row, strict=True)) for row in links],
            duration_s,
            fingerprint,
        )


@cache
def recorded(seed: int) -> Recorded | None:
    """Return the recorded results of this version for a root seed; None if there are none."""
    file = files("airtcp.questions.evaluate") / FILE
    if not file.is_file():
        return None
    content: dict[str, Any] = json.loads(lzma.decompress(file.read_bytes()))
    if (content["stamp"], content["seed"]) != (stamp(), seed):
        return None
    return Recorded(content)


def packed(
    seed: int, scenes: Mapping[str, Sequence[Rep]], flows: Sequence[str], links: Sequence[str]
) -> bytes:
    """Return the content of the file.

    Args: seed: The root seed. scenes: What scenes gave, by key. flows: The quantities of flows that
        criteria read. links: Those of links.
    """
    content = {
        "stamp": stamp(),
        "seed": seed,
        "flows": list(flows),
        "links": list(links),
        "scenes": {
            key: [
                [
                    rep.fingerprint,
                    [[row[name] for name in flows] for row in rep.flows],
                    [[row[name] for name in links] for row in rep.links],
                ]
                for rep in reps
            ]
            for key, reps in sorted(scenes.items())
        },
    }
    return lzma.compress(json.dumps(content, separators=(",", ":")).encode(), preset=9)
