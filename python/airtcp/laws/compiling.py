"""Laws in Python, compiled to machine code by numba.

`@compiled` on a class of laws translates its methods: attributes of `self` and of the samples are
fields of the structures of `airtcp_law.h`, and methods of the base become calls of its functions.
Such a law runs as one in C: in threads, without the interpreter.

All numbers are doubles. Attributes with an annotation whose names begin with an underscore are the
law's memory; each connection begins with their defaults. Keys are numbers and flags.
"""

from __future__ import annotations

import ctypes
import inspect
import re
from functools import cache
from importlib import import_module
from math import inf, nan
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

from airtcp import _core
from airtcp._core import LawError, Library
from airtcp.laws.base import Law
from airtcp.laws.check import METHODS, check, keys_of
from airtcp.laws.layout import structures
from airtcp.laws.translate import SAMPLES, Memory, translated

if TYPE_CHECKING:
    from collections.abc import Callable

_L = TypeVar("_L", bound=type[Law])
_HOST: Final = {
    "slow_start": (ctypes.c_int, 2),
    "may_grow": (ctypes.c_int, 2),
    "recovering": (ctypes.c_int, 2),
    "additive": (None, 2),
    "spurious": (ctypes.c_int, 1),
    "idle": (ctypes.c_int, 2),
    "random": (ctypes.c_double, 1),
}
"""Functions that a law may call: what they return, and the number of pointers that they take."""
_MATHS: Final = {"cbrt": 1, "exp": 1, "log": 1, "pow": 2}
_KEYS: Final = 16
_MEMORY: Final = 64
_MISSING: Final = 'laws.compiled needs numba: pip install "airtcp[compiled]"'
_kept: list[Any] = []
"""Machine code that laws use: it stays as long as the process."""


def compiled(law: _L) -> _L:
    """Compile a law; the class stays what it is, and runs as machine code.

    Args:
        law: The class.

    Raises:
        LawError: If numba is missing, or a method has something that has no translation.
    """
    check(law)
    for name in ("limit_cwnd", "raise_ssthresh"):
        if name in vars(law):
            _refuse(law, f"a compiled law has no {name}")
    numba = _numba()
    keys, memory = _keys(law), _memory(law)
    types = _types(numba, list(keys), list(memory))
    bodies = _bodies(law, numba, memory)
    addresses: dict[str, int] = {}
    for name in METHODS:
        if name not in bodies and name != "start":
            continue
        made = _entry(numba, name, bodies.get(name), types, memory)
        addresses[name] = made.address
        _kept.append(made)
    text = " ".join(f"{name}={value!r}" for name, value in keys.items())
    about = (inspect.getdoc(law) or "").partition("\n")[0] if "__doc__" in vars(law) else ""
    made = Library.compiled(law.__name__, about, text, _flags(law), addresses)
    type.__setattr__(law, "_library", made)
    return law


def library_of(law: type[Law]) -> Library | None:
    """Return the machine code of a class; `None` if it is not compiled."""
    return vars(law).get("_library")


def _numba() -> Any:
    try:
        return _with_maths(import_module("numba"))
    except ImportError:
        raise LawError(_MISSING) from None


def _keys(law: type[Law]) -> dict[str, float]:
    """Return the keys with their defaults."""
    found: dict[str, float] = {}
    for name, value in keys_of(law).items():
        if isinstance(value, str):
            _refuse(law, f"its key {name} is text; a compiled law has numbers and flags")
        found[name] = float(value)
    if len(found) > _KEYS:
        _refuse(law, f"it has {len(found)} keys; expected at most {_KEYS}")
    return found


def _memory(law: type[Law]) -> dict[str, Memory]:
    """Return the attributes that are the law's memory."""
    found: dict[str, Memory] = {}
    for part in reversed(law.__mro__):
        if part is Law or not issubclass(part, Law):
            continue
        for name, kind in inspect.get_annotations(part).items():
            if not name.startswith("_") or "ClassVar" in str(kind):
                continue
            value = vars(part).get(name)
            if not isinstance(value, (bool, int, float)):
                _refuse(law, f"its {name} is {value!r}; expected a number or a flag at the start")
            word = kind if isinstance(kind, str) else getattr(kind, "__name__", "")
            found[name] = Memory(float(value), word if word in {"int", "bool"} else "float")
    if len(found) > _MEMORY:
        _refuse(law, f"it has {len(found)} numbers of memory; expected at most {_MEMORY}")
    return found


def _flags(law: type[Law]) -> int:
    unbounded = "bounded_by_window: false" in repr(law.promises)
    given = (law.governs_recovery, law.follows_model, law.needs == "ecn", unbounded)
    return sum(1 << bit for bit, flag in enumerate(given) if flag)


def _types(numba: Any, keys: list[str], memory: list[str]) -> dict[str, Any]:
    """Return the structures as types of numba, with the names of keys and memory."""
    numpy: Any = import_module("numpy")
    found: dict[str, Any] = {}
    for name, fields in structures(_core.law_header()).items():
        flat: list[Any] = []
        for field, kind, count in fields:
            names = {"key": keys, "user": memory}.get(field, []) if count else [field]
            flat += [(one, kind) for one in names]
            if count > len(names):
                flat.append((f"rest_of_{field}", kind, (count - len(names),)))
        found[name] = numba.from_dtype(numpy.dtype(flat, align=True))
    return found


@cache
def _host() -> dict[str, Any]:
    """Return the functions that a law may call, as numba calls them."""
    at, pointer = _core.law_functions(), ctypes.c_void_p
    found: dict[str, Any] = {
        name: ctypes.CFUNCTYPE(result, *[pointer] * count)(at[name])
        for name, (result, count) in _HOST.items()
    }
    found["grow"] = ctypes.CFUNCTYPE(None, pointer, ctypes.c_double)(at["grow"])
    found["reduce"] = ctypes.CFUNCTYPE(None, pointer, pointer, ctypes.c_double)(at["reduce"])
    return found


@cache
def _with_maths(numba: Any) -> Any:
    """Let numba call the functions of `airtcp.laws.math`."""
    extending: Any = import_module("numba.extending")
    at = _core.law_functions()
    for name, count in _MATHS.items():
        number = ctypes.c_double
        call = ctypes.CFUNCTYPE(number, *[number] * count)(at[name])
        extending.overload(getattr(_core, name))(_one(call) if count == 1 else _two(call))
    return numba


def _one(call: Any) -> Callable[[Any], Any]:
    def body(x: Any) -> Any:
        return call(float(x))

    def typed(x: Any) -> Any:  # noqa: ARG001 - numba looks at the names
        return body

    return typed


def _two(call: Any) -> Callable[[Any, Any], Any]:
    def body(x: Any, y: Any) -> Any:
        return call(float(x), float(y))

    def typed(x: Any, y: Any) -> Any:  # noqa: ARG001 - numba looks at the names
        return body

    return typed


def _bodies(law: type[Law], numba: Any, memory: dict[str, Memory]) -> dict[str, Any]:
    """Return the methods of a class as functions of arrays of one structure."""
    own: dict[str, Any] = {}
    for part in reversed(law.__mro__):
        if part is not Law and issubclass(part, Law):
            own |= {name: one for name, one in vars(part).items() if inspect.isfunction(one)}
    shared: dict[str, Any] = {f"_host_{name}": call for name, call in _host().items()}
    shared["_isnan"] = import_module("math").isnan
    made: dict[str, Any] = {}
    for name, function in own.items():
        space = dict(function.__globals__) | shared
        code = translated(law.__name__, name, function, memory, set(own))
        exec(code, space)  # noqa: S102 - the user's own law
        made[name] = (numba.njit(error_model="numpy")(space[f"_own_{name}"]), space)
    for _, space in made.values():
        space.update({f"_own_{name}": body for name, (body, _) in made.items()})
        for key, value in list(space.items()):
            if inspect.isfunction(value) and value.__module__ != "airtcp.laws.math":
                space[key] = numba.njit(error_model="numpy")(value)
    return {name: body for name, (body, _) in made.items()}


def _entry(
    numba: Any, name: str, body: Any, types: dict[str, Any], memory: dict[str, Memory]
) -> Any:
    """Compile the function of a table that calls a method."""
    carray, pointer = numba.carray, numba.types.CPointer
    state = pointer(types["airtcp_state"])
    if name == "start":
        lines = [f"    s[0].{key} = {one.value!r}" for key, one in memory.items()]
        lines += [] if body is None else ["    body(s, s)"]
        text = "def entry(p):\n    s = carray(p, (1,))\n" + "\n".join(lines) + "\n"
        signature = numba.void(state)
    elif name == "on_spurious":
        text = "def entry(p):\n    body(carray(p, (1,)))\n"
        signature = numba.void(state)
    else:
        back = "return float(body(s, a))" if name == "reduced" else "body(s, a)"
        text = f"def entry(p, q):\n    s = carray(p, (1,))\n    a = carray(q, (1,))\n    {back}\n"
        result = numba.float64 if name == "reduced" else numba.void
        signature = result(state, pointer(types[f"airtcp_{SAMPLES[name]}"]))
    space: dict[str, Any] = {"carray": carray, "body": body, "inf": inf, "nan": nan}
    exec(text, space)  # noqa: S102 - the text above
    try:
        return numba.cfunc(signature, error_model="numpy")(space["entry"])
    except Exception as error:
        message = f"{name}: numba cannot compile it: {_said(error)}"
        raise LawError(message) from error


def _said(error: Exception) -> str:
    """Return the reason in a message of numba, with the innermost line of the law."""
    lines = [line.strip() for line in str(error).splitlines()]
    reasons = [line for line in lines if line and not line.startswith("Failed in")]
    places = re.findall(r", line (\d+):", str(error))
    where = f"line {places[0]}: " if places else ""
    return where + (reasons[0] if reasons else type(error).__name__)


def _refuse(law: type[Law], why: str) -> NoReturn:
    message = f"{law.__name__}: {why}"
    raise LawError(message)
