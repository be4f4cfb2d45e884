"""Traces that are given as arrays, series or lists instead of files.

A trace is a sequence of outcomes in the order of transmission: 1 or True for a packet that arrived,
0 or False for a lost one. Accepted are lists, tuples, bytes, every object with the buffer protocol
(array.array, numpy), and every column of a data frame (polars, pandas, pyarrow, arro3). A table
from names to traces names its links.

The extension reads files only. `given` therefore writes the traces to a temporary folder, which it
removes after the call. No library of arrays is imported.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias, cast

from airtcp import _core
from airtcp.inputs.arguments import PathLike, links_of

if TYPE_CHECKING:
    from collections.abc import Generator

Trace: TypeAlias = Any
"""A sequence of 0 and 1, or of truth values."""
Links: TypeAlias = "PathLike | Iterable[PathLike] | Trace | Mapping[str, Trace]"

_ACCEPTED: Final = "expected 0 or 1, or False or True, for each packet"
_TO_TEXT: Final = bytes.maketrans(b"\x00\x01", b"01")
_LISTS: Final = ("tolist", "to_list", "to_pylist")
_BYTES: Final = frozenset("?B")
_LONGEST_NAME: Final = 200
_UNSAFE: Final = re.compile(r"[/\\\x00]|^\.|^$")


def is_trace(value: Any) -> bool:
    r"""Return whether a value is one trace, and neither a path nor several paths.

    >>> is_trace([0, 1]), is_trace(b"\x00\x01"), is_trace("a.txt"), is_trace(["a.txt"])
    (True, True, False, False)
    """
    if isinstance(value, (str, os.PathLike, Mapping)):
        return False
    if isinstance(value, (list, tuple)):
        items = cast("list[Any]", value)
        return bool(items) and not isinstance(items[0], (str, os.PathLike, Mapping))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return True
    column = any(hasattr(value, name) for name in (*_LISTS, "__arrow_c_array__", "columns"))
    return column or _view(value) is not None


def has_traces(links: Links) -> bool:
    """Return whether links are given as traces, not as paths.

    >>> has_traces({"a": [0, 1]}), has_traces(["a.txt"])
    (True, False)
    """
    return isinstance(links, Mapping) or is_trace(links)


@contextmanager
def given(links: Links) -> Generator[list[str]]:
    """Give the paths of links, and write traces among them to files that last for the context.

    Args:
        links: Paths, one trace, or a table from names to traces.

    Raises:
        TraceError: If a trace has a value that is no outcome; the message names link, position and
            value. If a name cannot be that of a link.
    """
    if isinstance(links, Mapping):
        named = {_name(name): trace for name, trace in cast("Mapping[Any, Any]", links).items()}
        if not named:
            _refuse("links", "there is no trace; expected a table from names to traces")
    elif is_trace(links):
        own = getattr(links, "name", None)
        safe = isinstance(own, str) and not _UNSAFE.search(own) and _size(own) <= _LONGEST_NAME
        named = {own if safe and isinstance(own, str) else "trace": links}
    else:
        _check_paths(links)
        yield links_of(cast("PathLike | Iterable[PathLike]", links))
        return
    texts = {name: text_of(trace, name) for name, trace in named.items()}
    with tempfile.TemporaryDirectory(prefix="airtcp-") as folder:
        paths = [Path(folder) / f"{name}.txt" for name in texts]
        for path, text in zip(paths, texts.values(), strict=True):
            path.write_bytes(text)
        yield [str(path) for path in paths]


def _check_paths(links: Any) -> None:
    """Refuse what gives its values once, and lists of paths and outcomes."""
    expected = "expected paths, a list of outcomes, or a table from names to traces"
    if isinstance(links, (Iterator, range)):
        kind = type(cast("object", links)).__name__
        _refuse("links", f"is of type {kind}; {expected}")
    if isinstance(links, (list, tuple)):
        for at, value in enumerate(cast("list[Any]", links)):
            if not isinstance(value, (str, os.PathLike)):
                _refuse("links", f"position {at} has {_shown(value)}; {expected}")


def text_of(trace: Trace, name: str = "trace") -> bytes:
    """Return a trace as text of 0 and 1.

    >>> text_of([1, 0, True, 0.0])
    b'1010'

    Raises:
        TraceError: As for `given`.
    """
    if isinstance(trace, (str, os.PathLike)):
        _refuse(name, f"found the path {os.fspath(trace)!r}; {_ACCEPTED}, or give paths as a list")
    if hasattr(trace, "columns"):
        _refuse(name, "is a table; expected one of its columns")
    shape = getattr(trace, "shape", None)
    if isinstance(shape, tuple) and len(cast("tuple[int, ...]", shape)) != 1:
        size = " x ".join(map(str, cast("tuple[int, ...]", shape))) or "a single value"
        _refuse(name, f"has the shape {size}; expected one dimension: give each column by itself")
    packed = _packed(trace)
    if packed is None:
        values = _values(trace, name)
        packed = bytes(_outcome(value, at, name) for at, value in enumerate(values))
    elif wrong := packed.translate(None, b"\x00\x01"):
        _outcome(wrong[0], packed.index(wrong[0]), name)
    if not packed:
        _refuse(name, f"is empty; {_ACCEPTED}")
    return packed.translate(_TO_TEXT)


def _view(trace: Any) -> memoryview | None:
    try:
        return memoryview(trace)
    except (TypeError, ValueError, BufferError):
        return None


def _packed(trace: Any) -> bytes | None:
    """Return the bytes of a buffer with one byte for each outcome."""
    view = _view(trace)
    if view is None or view.ndim != 1 or view.format not in _BYTES:
        return None
    return view.tobytes()


def _values(trace: Any, name: str) -> Iterable[Any]:
    for method in _LISTS:
        if hasattr(trace, method):
            return getattr(trace, method)()
    if not isinstance(trace, Iterable):
        _refuse(name, f"is of type {type(trace).__name__}; expected a sequence: {_ACCEPTED}")
    return cast("Iterable[Any]", trace)


def _outcome(value: Any, at: int, name: str) -> int:
    plain = value.as_py() if hasattr(value, "as_py") else value
    if hasattr(plain, "__len__") and not isinstance(plain, str):
        _refuse(
            name,
            f"position {at} has {_shown(plain)}, a sequence; expected one dimension. Give several"
            " traces as a table from names to traces",
        )
    known: Any = None
    if not isinstance(plain, str):
        with suppress(TypeError, ValueError):
            known = 1 if plain == 1 else 0 if plain == 0 else None
    if known is None:
        _refuse(name, f"position {at} (counted from 0) has {_shown(plain)}; {_ACCEPTED}")
    return known


def _shown(value: Any) -> str:
    from airtcp.data.plain import printable

    text = "no value" if value is None else repr(value)
    return printable(text[:40])


def _size(name: str) -> int:
    """Return the bytes of a name; more than allowed if a file cannot have it."""
    try:
        return len(os.fsencode(name))
    except UnicodeEncodeError:
        return _LONGEST_NAME + 1


def _name(name: Any) -> str:
    if not isinstance(name, str) or _UNSAFE.search(name) or _size(name) > _LONGEST_NAME:
        message = (
            f"{_shown(name)} cannot be the name of a link; expected text without slashes that does"
            f" not begin with a dot, of up to {_LONGEST_NAME} bytes"
        )
        raise _core.TraceError(message)
    return name


def _refuse(name: str, what: str) -> NoReturn:
    message = f"{name}: {what}"
    raise _core.TraceError(message)
