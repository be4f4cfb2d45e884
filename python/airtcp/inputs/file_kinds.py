"""What a file is, by its content, and which commands and functions read it.

A command that refuses a file says so if the file belongs to another command, and `airtcp FILE`
runs the command that the file belongs to. Nothing is guessed: a file of no known kind has none.
"""

from __future__ import annotations

import gzip
import io
import lzma
import re
import tomllib
from dataclasses import dataclass
from functools import wraps
from inspect import unwrap
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar, cast

from airtcp import _core
from airtcp.data.plain import printable
from airtcp.files import folder
from airtcp.files.destinations import content
from airtcp.files.folder import SWEEP_MARK
from airtcp.inputs.arguments import links_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_P = ParamSpec("_P")
_R = TypeVar("_R")
_LOOKED_AT: Final = 1 << 16
_LONGEST_TOML: Final = 4 << 20
_PCAPNG: Final = bytes.fromhex("0a0d0d0a")
_CAPTURES: Final = {
    _PCAPNG,
    *(bytes.fromhex(magic) for magic in ("d4c3b2a1", "a1b2c3d4", "4d3cb2a1", "a1b23c4d")),
    *(bytes.fromhex(magic) for magic in ("34cdb2a1", "a1b2cd34")),
}
_SCENARIO: Final = {"links", "cells", "flows", "topology"}
_SWEEP: Final = {"of", "vary", "points", "design"}
_KEYS: Final = re.compile(r"^\s*(?:[\w\"'.-]+\s*=|\[\[?[\w.\"]+\]\]?\s*$)", re.MULTILINE)
"""A line of TOML: a key, or the head of a table."""
_SCHEMA: Final = re.compile(r'"schema"\s*:\s*"airtcp\.([a-z]+)/\d+"')


@dataclass(frozen=True)
class Kind:
    """A kind of file."""

    name: str
    """With its article, such as `a scenario`."""
    commands: tuple[str, ...]
    """Commands that read it, the usual ones first."""
    hint: str = ""
    """What else there is to do with it."""
    options: tuple[str, ...] = ()
    """Commands with an option that read it as well."""
    document: str = ""
    """The name of its document, if it is a result of airtcp."""

    def readers(self, path: str | Path, *, python: bool = False) -> str:
        """Say which commands read a file of this kind, or which functions.

        Args:
            path: The file.
            python: Whether functions are asked for.
        """
        name = printable(str(path))
        if python:
            calls = [f"airtcp.{FUNCTIONS[one]}({name!r})" for one in self.commands]
        else:
            calls = [f"'airtcp {one} {name}'" for one in self.commands]
        *first, last = calls[:_SAID]
        read = f"{', '.join(first)} and {last}" if first else last
        return f"{read} {'reads' if len(calls) == 1 else 'read'} it"


SCENARIO: Final = Kind(
    "a scenario",
    ("run", "compare"),
    "a sweep file names it with 'of'",
    options=("compare --schemes", "ftca gain", "emulate", "replay"),
)
SWEEP: Final = Kind("a sweep file", ("sweep",))
CAPTURE: Final = Kind("a packet capture", ("capture", "diagnose"))
TRACE: Final = Kind(
    "a trace of a link",
    ("study", "compare", "trace stats", "trace convert", "trace models", "trace fit"),
)
STUDY: Final = Kind("the result of 'airtcp study'", ("trace fit",), document="study")
PAGE: Final = Kind("a page of airtcp", (), "a browser opens it")
_TRACES: Final = "traces of links"
_CELL: Final = "a scenario (TOML) with 802.11 cells"
READS: Final = {
    "run": "a scenario (TOML)",
    "compare": "a scenario (TOML) or a trace of a link",
    "compare --schemes": _CELL,
    "ftca gain": _CELL,
    "emulate": "a scenario (TOML)",
    "replay": "a scenario (TOML)",
    "study": _TRACES,
    "trace stats": _TRACES,
    "trace convert": _TRACES,
    "trace models": _TRACES,
    "trace fit": f"{_TRACES}, or the result of a study",
    "capture": "packet captures",
    "diagnose": "packet captures",
    "sweep": "a sweep file (TOML)",
}
"""What each command reads."""
FUNCTIONS: Final = {
    "run": "run",
    "compare": "compare",
    "compare --schemes": "compare_schemes",
    "study": "study",
    "trace stats": "stats",
    "trace convert": "convert",
    "trace models": "models",
    "trace fit": "trace_fit",
    "capture": "capture",
    "diagnose": "diagnose",
    "sweep": "sweep",
}
"""The function of each command."""
_SAID: Final = 3
"""Most commands of a kind that a message names."""
_MADE_BY: Final = {
    "schemes": "compare --schemes",
    "fit": "trace fit",
    "models": "trace models",
    "trace": "trace stats",
    "paper": "reproduce",
}
"""Commands by the names of their documents, where these differ."""


def kind_of(path: str | Path) -> Kind | None:
    """Return the kind of a file or folder; none if it is not known or cannot be read."""
    place = Path(path)
    try:
        if place.is_dir():
            return _folder(place)
        start = _unpacked(content(place, _LOOKED_AT))
        if start[:4] in _CAPTURES:
            form = "pcapng" if start[:4] == _PCAPNG else "pcap"
            return Kind(f"a {form} packet capture", CAPTURE.commands)
        if start[:4] == b"PAR1":
            return None
        text = start.decode("utf-8", "replace").lstrip("\ufeff")
        if found := _json(text) or _page(text):
            return found
        # A scenario with a slip looks like a table.
        return _toml(place) if _KEYS.search(text) else _trace(place, start)
    except (OSError, ValueError, EOFError, lzma.LZMAError):
        return None


def _unpacked(start: bytes) -> bytes:
    """Return the beginning of a compressed file as it was before."""
    openers: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"\xfd7": lzma.open}
    opener = openers.get(start[:2])
    if opener is None:
        return start
    with opener(io.BytesIO(start)) as file:
        found = b""
        try:
            while len(found) < _LOOKED_AT and (piece := file.read1(4096)):
                found += piece
        except EOFError:
            # Only the beginning was read.
            pass
        return found


def _folder(place: Path) -> Kind | None:
    if (place / SWEEP_MARK).exists():
        hint = "'airtcp sweep' of its sweep file goes on with it"
        document = "sweep" if (place / "sweep.json").is_file() else ""
        return Kind("the folder of a sweep", (), hint, document=document)
    documents = [name for name in folder.held(place).files if name.endswith(".json")]
    if documents:
        return _result(documents[0].removesuffix(".json"))
    files = sorted(each for each in place.iterdir() if each.is_file() and each.name[0] != ".")
    if files and all(file.suffix == ".toml" for file in files) and _toml(files[0]) == SCENARIO:
        hint = f"'airtcp run' and 'airtcp compare' read its files, such as {files[0]}"
        return Kind("a folder of scenarios", (), hint)
    return None


def _result(document: str) -> Kind:
    if document == "study":
        return STUDY
    made = _MADE_BY.get(document, document)
    hint = "'airtcp' with it shows its answer"
    return Kind(f"the result of 'airtcp {made}'", (), hint, document=document)


def _toml(place: Path) -> Kind | None:
    try:
        data = content(place, _LONGEST_TOML)
        if len(data) >= _LONGEST_TOML:
            return None
        text = data.decode("utf-8")
        _core.parsable(text, printable(str(place)))
        found = tomllib.loads(text)
    except (ValueError, RecursionError, _core.AirtcpError):
        return None
    if _SWEEP & found.keys() and not _SCENARIO & found.keys():
        return SWEEP
    return SCENARIO if _SCENARIO & found.keys() else None


def _json(text: str) -> Kind | None:
    if not text.lstrip().startswith("{"):
        return None
    found = _SCHEMA.search(text[:512])
    return _result(found[1]) if found else None


def _page(text: str) -> Kind | None:
    return PAGE if '<meta name="generator" content="airtcp ' in text[:4096] else None


def _trace(place: Path, start: bytes) -> Kind | None:
    found = _core.text_kind(printable(str(place)), start)
    return Kind(found[0], TRACE.commands) if found is not None and found[1] else None


def belongs_elsewhere(
    paths: Iterable[str | Path], command: str, *, python: bool = False
) -> str | None:
    """Say which file belongs to another command, and to which; none if no file does.

    Args:
        paths: The files that the command was given.
        command: The command.
        python: Whether its function was called: the message then names functions.
    """
    for path in paths:
        # The links of the package are no files of the folder where the command runs.
        kind = kind_of(links_of(path)[0])
        if kind is None or command in (*kind.commands, *kind.options):
            continue
        called = f"airtcp.{FUNCTIONS[command]}" if python else f"airtcp {command}"
        said = f"this is {kind.name}, and {called} reads {READS[command]}"
        then = [kind.readers(path, python=python)] if kind.commands else []
        then += [kind.hint] if kind.hint else []
        return "; ".join([f"{printable(str(path))}: {said}", *then])
    return None


def reads(command: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Let a function that refuses a file say what the file is, and which function reads it.

    Args:
        command: The command of the function, whose first argument is a file or several.
    """

    def decorated(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @wraps(function)
        def explained(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            try:
                return function(*args, **kwargs)
            except _core.AirtcpError as error:
                named = unwrap(function).__code__.co_varnames[0]
                paths = _paths(args[0] if args else kwargs.get(named))
                text = kwargs.get("text") is not None
                said = None if text else belongs_elsewhere(paths, command, python=True)
                if said is None:
                    raise
                raise type(error)(said) from error

        return explained

    return decorated


def _paths(given: object) -> list[str | Path]:
    """Return the paths of an argument that may also be a table or an array."""
    several = cast("list[object]", given) if isinstance(given, list | tuple) else [given]
    return [Path(cast("str", one)) for one in several if isinstance(one, str | PathLike)]


def command_for(path: str | Path) -> str | None:
    """Return the usual command of a file; none if there is none.

    A file of no known kind may be a table whose columns have to be named: `study` asks.
    """
    kind = kind_of(path)
    if kind is None:
        return TRACE.commands[0]
    return kind.commands[0] if kind.commands else None
