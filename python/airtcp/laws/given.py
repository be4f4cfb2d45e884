"""The laws of one's own that a call names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from airtcp._core import AirtcpError, LawError
from airtcp.data.extension import registry
from airtcp.inputs.workers import cores
from airtcp.laws import elsewhere
from airtcp.laws.base import BoundLaw, Law
from airtcp.laws.crew import crew
from airtcp.laws.elsewhere import core_of
from airtcp.laws.limit import STANDARD, seconds_of
from airtcp.laws.source import Found, found_in, of_class, spec_of

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from airtcp import _core
    from airtcp.laws.crew import Crew

Tcp: TypeAlias = "str | type[Law] | BoundLaw"
"""A TCP as a caller names it."""


class OwnLaws:
    """The laws that a call names."""

    def __init__(self, files: str | Iterable[str] = (), *, timeout: str = STANDARD) -> None:
        """Load the laws that scenarios may name.

        Args: files: Files, modules, or `FILE:CLASS`. timeout: Processor time that a replication may
            take, with a unit.
        """
        self.seconds = seconds_of(timeout)
        """Processor time that a replication may take."""
        self.all: list[Found] = []
        """The laws, in the order in which they are named."""
        self.sources: list[str] = []
        """Files and modules, as `--law` takes them."""
        for file in [files] if isinstance(files, str) else files:
            spec = spec_of(file)
            if spec is None or spec.rest:
                message = f"{file}: expected a file in Python, such as my_law.py or my_law.py:Aimd"
                raise LawError(message)
            for law in found_in(spec.source, spec.law):
                self._add(law)
            self._from(file)

    def names(self, given: Tcp | Iterable[Tcp]) -> list[str]:
        """Return TCPs as the extension reads them, and load the laws that they name.

        Args:
            given: One or several; a text may have several, separated by commas.

        Raises:
            LawError: If a law cannot be loaded.
            TypeError: If one is neither text nor a law.
        """
        if not isinstance(given, (str, type, BoundLaw, Iterable)):  # pyright: ignore[reportUnnecessaryIsInstance] - from anyone
            raise _no_tcp(given)
        several = [given] if isinstance(given, (str, type, BoundLaw)) else list(given)
        names: list[str] = []
        for one in several:
            if isinstance(one, str):
                parts = [part.strip() for part in one.split(",")]
                names += [self._name(part) for part in parts if part]
            elif isinstance(one, BoundLaw):
                names.append(":".join([self._class(one.law), *one.texts]))
            elif isinstance(one, type) and issubclass(one, Law):  # pyright: ignore[reportUnnecessaryIsInstance] - from anyone
                names.append(self._class(one))
            else:
                raise _no_tcp(one)
        return names

    def _name(self, text: str) -> str:
        front, sign, behind = text.partition("@")
        spec = spec_of(front)
        if spec is None or spec.source.lower() in _taken():
            return text
        found = found_in(spec.source, spec.law)
        if len(found) > 1:
            names = ", ".join(law.label for law in found)
            message = (
                f"{spec.source}: it has several laws ({names}); name one, as in "
                f"{spec.source}:{found[0].label}"
            )
            raise LawError(message)
        self._from(spec.source)
        return self._add(found[0]) + spec.rest + sign + behind

    def _class(self, law: type[Law]) -> str:
        found = of_class(law)
        if found.file.endswith(".py"):
            self._from(found.file)
        return self._add(found)

    def _from(self, source: str) -> None:
        if source not in self.sources:
            self.sources.append(source)

    def _add(self, found: Found) -> str:
        label = found.label
        if label.lower() in _taken():
            message = f"{label}: a built-in TCP has this name; rename your law"
            raise LawError(message)
        if not any(law.is_same(found) for law in self.all):
            self.all.append(found)
        return label

    def __bool__(self) -> bool:
        """Return whether the call names any."""
        return bool(self.all)

    @property
    def hashes(self) -> list[str]:
        """The hash of the source of each."""
        return [law.sha256 for law in self.all]

    @property
    def core(self) -> _core.Laws | None:
        """The laws as the extension takes them."""
        return core_of(self.all, self.seconds)

    @property
    def are_python(self) -> bool:
        """Whether the interpreter runs one of them."""
        return any(law.is_python for law in self.all)

    @property
    def are_libraries(self) -> bool:
        """Whether each is in a shared library, which another process loads at once."""
        return bool(self.all) and all(law.is_library for law in self.all)

    def for_others(self) -> dict[str, Any]:
        """Return what other processes need to load the laws, as JSON types.

        Raises:
            LawError: If they cannot load one.
        """
        specs = elsewhere.specs(self.all)
        if isinstance(specs, str):
            message = f"{specs}: no file that other processes can load; write it to one"
            raise LawError(message)
        return elsewhere.job(specs, self.seconds)

    def threads(self, asked: int | None) -> int | None:
        """Return the number of threads: laws in Python run in one, and use processes."""
        return 1 if self.are_python else asked

    def sharing(
        self, call: str, args: list[Any], asked: int | None, *, apart: bool = False
    ) -> AbstractContextManager[Crew | None]:
        """Let other processes share the jobs of a call if a law is in Python.

        Args: call: Its name in the extension. args: Its arguments before those of laws. asked: The
            number of workers that the caller asks for. apart: Whether compiled laws run in other
            processes only: one that does not return, or breaks its process, then ends no other.
        """
        apart = apart and any(not law.is_python for law in self.all)
        workers = (asked or cores()) if self.are_python or apart else 1
        return crew(call, args, self.all, self.seconds, workers, apart=apart)


def _no_tcp(given: object) -> TypeError:
    message = (
        f"tcp has {given!r}, of type {type(given).__name__}; expected the name of a TCP, "
        "or a class on airtcp.laws.Law"
    )
    return TypeError(message)


def is_file_of_law(name: str) -> bool:
    """Return whether the name of a TCP is that of a file or module with a law.

    >>> is_file_of_law("my_law.py:a=2"), is_file_of_law("Aimd:a=2"), is_file_of_law("cubic")
    (True, False, False)
    """
    spec = spec_of(name.partition("@")[0])
    return spec is not None and spec.source.lower() not in _taken()


def _taken() -> set[str]:
    """Return the names of built-in TCPs."""
    families = ("congestion", "recovery")
    return {"own", "lt-tcp", "sliding"} | {e["name"] for f in families for e in registry(f)}


def own_laws(
    files: str | Iterable[str], tcp: Tcp | None, timeout: str = STANDARD
) -> tuple[OwnLaws, str | None]:
    """Return the laws that a call names, and its only TCP as the extension reads it.

    Args:
        files: Files with laws that scenarios may name.
        tcp: The TCP, if there is one.
        timeout: Processor time that a replication may take, with a unit.

    Raises:
        LawError: If a law cannot be loaded.
        AirtcpError: If there are several TCPs.
    """
    laws = OwnLaws(files, timeout=timeout)
    names = [] if tcp is None else laws.names(tcp)
    if len(names) > 1:
        message = f"tcp: one TCP is put into the flows, and there are {', '.join(names)}"
        raise AirtcpError(message)
    return laws, names[0] if names else None
