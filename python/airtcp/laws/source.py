"""Where a law comes from: a file, a module, or the running program."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from airtcp._core import LawError, Library
from airtcp.data.plain import printable
from airtcp.laws.base import Law
from airtcp.laws.check import check, keys_of
from airtcp.laws.compiling import library_of

if TYPE_CHECKING:
    from types import ModuleType

    from airtcp.laws.base import KeyValue

_FILE: Final = re.compile(
    r"(?P<source>.+?\.(?:py|so|dylib))(?::(?P<law>[A-Za-z_]\w*)(?!\w*=))?(?P<rest>:.*)?"
)
_MODULE: Final = re.compile(
    r"(?P<source>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):(?P<law>[A-Za-z_]\w*)(?!\w*=)(?P<rest>:.*)?"
)
_LONGEST: Final = 4 << 20
LOADED: Final = "airtcp_law_"
"""How the names of modules begin that were loaded from a file."""


@dataclass(frozen=True)
class Spec:
    """A law as a command names it: `my_law.py:Aimd:a=2`."""

    source: str
    """A file or a module."""
    law: str | None
    """The class; `None` for the only one of a file."""
    rest: str
    """The keys, with the colon before them."""


@dataclass(frozen=True)
class Found:
    """A law that can run."""

    label: str
    law: type[Law] | Library
    file: str
    sha256: str
    keys: dict[str, KeyValue]
    made_of: type[Law] | None = None
    """The class; `None` for a shared library."""

    @property
    def is_python(self) -> bool:
        """Whether the interpreter runs it."""
        return isinstance(self.law, type)

    @property
    def is_library(self) -> bool:
        """Whether it is in a shared library."""
        return not self.is_python and self.made_of is None

    def is_same(self, other: Found) -> bool:
        """Return whether both are one law, which may be loaded twice."""
        if self.law is other.law:
            return True
        if (self.label, self.sha256) != (other.label, other.sha256):
            return False
        names = [law.law.__qualname__ for law in (self, other) if isinstance(law.law, type)]
        return len(set(names)) < 2 and not any("<locals>" in name for name in names)  # noqa: PLR2004 - both


def spec_of(text: str) -> Spec | None:
    """Read a law's name as a command has it; `None` if the text is no such name.

    >>> spec_of("my_law.py:Aimd:a=2")
    Spec(source='my_law.py', law='Aimd', rest=':a=2')
    >>> spec_of("my_law.py:a=2"), spec_of("laws.mine:Aimd").law, spec_of("cubic:beta_cubic=0.5")
    (Spec(source='my_law.py', law=None, rest=':a=2'), 'Aimd', None)
    """
    found = _FILE.fullmatch(text) or _MODULE.fullmatch(text)
    if found is None:
        return None
    return Spec(found["source"], found["law"], found["rest"] or "")


def found_in(source: str, name: str | None = None) -> list[Found]:
    """Load the laws of a file, a module or a shared library.

    Args:
        source: The file or module. Its code runs.
        name: The only law wanted; by default all of them.

    Raises:
        LawError: If it cannot be loaded, or has no such law.
    """
    if not source.endswith((".so", ".dylib")):
        return [of_class(law) for law in laws_of(source, name)]
    path = Path(source)
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        _refuse(source, f"{error.strerror}; expected a shared library with a law")
    library = Library(str(path))
    if name not in {None, library.name}:
        _refuse(source, f"it has no law {name}; its law is {library.name}")
    return [Found(library.name, library, printable(source), digest, dict(library.keys))]


def of_class(law: type[Law]) -> Found:
    """Return a class of laws with its source and keys.

    Args:
        law: The class.

    Raises:
        LawError: If it cannot be a law.
    """
    check(law)
    keys = keys_of(law)
    library = library_of(law)
    if library is None:
        return Found(law.__name__, law, *origin(law), keys, law)
    # A compiled law has numbers only.
    numbers: dict[str, KeyValue] = {name: float(value) for name, value in keys.items()}
    return Found(law.__name__, library, *origin(law), numbers, law)


def laws_of(source: str, name: str | None = None) -> list[type[Law]]:
    """Load the laws of a file or module.

    Args:
        source: The file or module. Its code runs.
        name: The only class wanted; by default all that it defines.

    Raises:
        LawError: If it cannot be loaded, or has no such law.
    """
    module = _from_file(Path(source)) if source.endswith(".py") else _from_module(source)
    own = [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Law)
        and value.__module__ == module.__name__
    ]
    known = [law for law in own if not law.__name__.startswith("_")]
    if name is not None:
        wanted = getattr(module, name, None)
        if not (isinstance(wanted, type) and issubclass(wanted, Law)):
            names = ", ".join(law.__name__ for law in known) or "none"
            _refuse(source, f"it has no law {name} (laws: {names})")
        known = [wanted]
    if not known:
        _refuse(source, "it defines no law, a class on airtcp.laws.Law")
    for law in known:
        check(law)
    return known


def _from_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:
        message = f"{name}: cannot be loaded: {_said(error, None)}"
        raise LawError(message) from error


def _from_file(path: Path) -> ModuleType:
    """Run a file as a module of its own, which stays loaded while its content is the same."""
    try:
        with path.open("rb") as file:
            code = file.read(_LONGEST + 1)
    except OSError as error:
        _refuse(str(path), f"{error.strerror}; expected a file in Python with a law")
    if len(code) > _LONGEST:
        _refuse(str(path), f"longer than {_LONGEST} bytes; expected a file in Python with a law")
    digest = hashlib.sha256(str(path.resolve()).encode() + b"\0" + code).hexdigest()
    name = f"{LOADED}{digest[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_loader(name, loader=None, origin=str(path))
    if spec is None:
        _refuse(str(path), "cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    module.__file__ = str(path)
    folder = str(path.resolve().parent)
    sys.modules[name] = module
    sys.path.insert(0, folder)
    try:
        exec(compile(code, str(path), "exec"), vars(module))  # noqa: S102 - the user's own law
    except Exception as error:
        del sys.modules[name]
        message = f"{printable(str(path))}: cannot be loaded: {_said(error, str(path))}"
        raise LawError(message) from error
    finally:
        sys.path.remove(folder)
    return module


def _said(error: Exception, path: str | None) -> str:
    """Return an error with the line of the file in which it arose."""
    frames = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
    line = error.lineno if isinstance(error, SyntaxError) else (frames or [None])[-1]
    where = "" if line is None else f"line {line}: "
    if isinstance(error, LawError):
        return str(error)
    text = error.msg if isinstance(error, SyntaxError) else error
    return f"{where}{type(error).__name__}: {text}"


def origin(law: type[Law]) -> tuple[str, str]:
    """Return the file of a law, and the hash of its source.

    Args:
        law: The class. One of a notebook has no file, and the hash is that of its text.
    """
    module = sys.modules.get(law.__module__)
    file = getattr(module, "__file__", None)
    if file is not None and Path(file).is_file():
        return printable(str(file)), hashlib.sha256(Path(file).read_bytes()).hexdigest()
    try:
        text = inspect.getsource(law)
    except (OSError, TypeError):
        codes = [
            value.__code__.co_code + repr(value.__code__.co_consts).encode()
            for value in vars(law).values()
            if inspect.isfunction(value)
        ]
        return law.__module__, hashlib.sha256(b"\0".join(codes)).hexdigest()
    return law.__module__, hashlib.sha256(text.encode()).hexdigest()


def _refuse(source: str, why: str) -> NoReturn:
    message = f"{printable(source)}: {why}"
    raise LawError(message)
