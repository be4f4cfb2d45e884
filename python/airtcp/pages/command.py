"""The command on a page that reproduces its result."""

from __future__ import annotations

import shlex
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp.data.metrics import schema
from airtcp.inputs.arguments import COMPARED
from airtcp.inputs.reading import options as reading_options
from airtcp.words.names import path_argument

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from airtcp.data.documents import StudyDocument

_PATHS: Final = 20
"""Most paths in the command."""
_ARGUMENTS: Final = {"class": "link_class", "metric": "metrics"}
"""Arguments whose names differ from those of their options."""


def command(
    *words: str,
    paths: Iterable[str],
    options: Iterable[tuple[str, Any]],
    read: Mapping[str, str] | None = None,
    python: Mapping[str, Any] | None = None,
) -> str:
    """Write a command for a shell, or the call in Python where a setting is not an option.

    Args: words: The command and its subcommand. paths: Its inputs; each is named once, and an
        ellipsis replaces those beyond `_PATHS`. options: Name and value of its options. None leaves
        one out, True means a flag, and an option is repeated for each value of a list. read: The
        options of reading, from the document. python: Arguments that only the function has. If
        there are any, the call is written.

    >>> command("study", paths=["a.txt", "a.txt"], options=[("seed", 1), ("no-compare", True)])
    'airtcp study a.txt --seed 1 --no-compare'
    """
    named = list(dict.fromkeys(paths))
    asked = [(name, value) for name, value in options if value is not None]
    said = read or {}
    reading = [(o.flag[2:], said[o.name]) for o in reading_options() if o.name in said]
    if python:
        return _call("_".join(words), named, [*asked, *reading], python)
    tail: list[str] = []
    for name, value in (*asked, *reading):
        for one in cast("list[Any]", value) if isinstance(value, list) else [value]:
            tail += [f"--{name}"] if one is True else [f"--{name}", str(one)]
    rest = ["..."] if len(named) > _PATHS else []
    parts = [
        shlex.join(["airtcp", *words, *map(path_argument, named[:_PATHS])]),
        *rest,
        shlex.join(tail),
    ]
    return " ".join(part for part in parts if part)


def _call(
    function: str,
    paths: list[str],
    options: Iterable[tuple[str, Any]],
    python: Mapping[str, Any],
) -> str:
    """Write a call of a function.

    >>> _call("trace_fit", ["a.txt"], [("class", ["good"]), ("no-compare", True)], {"forms": {}})
    "airtcp.trace_fit(['a.txt'], link_class=['good'], compare=False, forms={})"
    """
    arguments: dict[str, Any] = {}
    for name, value in options:
        key = name.removeprefix("no-")
        key = _ARGUMENTS.get(key, key.replace("-", "_"))
        arguments[key] = value if key == name or value is not True else False
    said = [f"{name}={value!r}" for name, value in (arguments | dict(python)).items()]
    return f"airtcp.{function}({', '.join([repr(paths), *said])})"


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
    default = _study_defaults()
    named = {name: asked.get(name, default[name]) for name in ("analyse", "remedies")}
    if not asked.get("remedy_links"):
        del named["remedies"]
    return command(
        "study",
        paths=[link["source"]["path"] for links in studied for link in links],
        options=[("seed", document["seed"]), *options],
        read=asked.get("read"),
        python={name: value for name, value in named.items() if value != default[name]},
    )


@cache
def _study_defaults() -> dict[str, Any]:
    """Return the default of each setting of a study."""
    settings = schema("study")["$defs"]["StudyOptions"]["properties"]
    return {name: of["default"] for name, of in settings.items() if "default" in of}
