"""The command that makes a page's result again, as the page prints it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp.arguments import COMPARED
from airtcp.reading import options as reading_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from airtcp.documents import StudyDocument

_PATHS: Final = 20
"""Paths that are named: a line, not a list."""


def command(
    *words: str,
    paths: Iterable[str],
    options: Iterable[tuple[str, Any]],
    read: Mapping[str, str] | None = None,
) -> str:
    """Write a command for a shell.

    Args:
        words: The command and its subcommand.
        paths: What it reads; each is named once, and beyond `_PATHS` an ellipsis stands for them.
        options: Name and value of its options. None leaves one out, True stands for a flag, and
            an option is given anew for each value of a list.
        read: How traces were read, as a document has it.

    >>> command("study", paths=["a.txt", "a.txt"], options=[("seed", 1), ("no-compare", True)])
    'airtcp study a.txt --seed 1 --no-compare'
    """
    named = list(dict.fromkeys(_path(path) for path in paths))
    said = read or {}
    reading = [(option.flag[2:], said.get(option.name)) for option in reading_options()]
    tail: list[str] = []
    for name, value in (*options, *reading):
        values = cast("list[Any]", value) if isinstance(value, list) else [value]
        for one in values:
            if one is True:
                tail.append(f"--{name}")
            elif one is not None:
                tail += [f"--{name}", str(one)]
    rest = ["..."] if len(named) > _PATHS else []
    parts = [shlex.join(["airtcp", *words, *named[:_PATHS]]), *rest, shlex.join(tail)]
    return " ".join(part for part in parts if part)


def _path(path: str) -> str:
    """Give a path that is not taken for an option."""
    return f"./{path}" if path.startswith("-") and path != "-" else path


def study_command(document: StudyDocument) -> str:
    """Write the command of a study."""
    asked = document["options"]
    studied = [document["links"], document["capacities"]]
    options = [(name, asked.get(name)) for name in ("profile", "replicas", "slot")]
    for name, most in (("compare", "compare_links"), ("remedies", "remedy_links")):
        if not asked.get(most):
            options.append((f"no-{name}", True))
        elif any(len(links) > COMPARED for links in studied):
            options.append((name, True))
    return command(
        "study",
        paths=[link["source"]["path"] for links in studied for link in links],
        options=[("seed", document["seed"]), *options],
        read=asked.get("read"),
    )
