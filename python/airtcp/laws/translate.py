"""A method of a law in terms of the structures of the C interface.

`self` and the samples become arrays of one structure, whose fields have the names of the
attributes: `self.cwnd` is `self[0].cwnd`. What a sample has as `None` is NaN in its structure, a
kind of episode is a number, and flags are bits.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn

from airtcp._core import LawError

if TYPE_CHECKING:
    from types import CodeType, FunctionType

SAMPLES: Final = {
    "start": "params",
    "avoid": "ack",
    "on_ack": "ack",
    "reduced": "congestion",
    "on_congestion": "congestion",
    "on_lost": "lost",
    "on_sent": "sent",
    "on_idle": "idle",
}
"""What each method gets beside the law, by the name of its structure in the header."""
_OF_TYPE: Final = {sample.capitalize(): sample for sample in SAMPLES.values()}
"""The same by the name of the class."""
_KINDS: Final = {"fast-retransmit": 0, "rto": 1, "ecn": 2, "persistent": 3}
_FLAGS: Final = {
    ("ack", "cwnd_limited"): ("flags", 1),
    ("ack", "in_fast_recovery"): ("flags", 2),
    ("ack", "ends_recovery"): ("flags", 4),
    ("ack", "in_recovery"): ("flags", 8),
    ("ack", "ece"): ("flags", 16),
    ("rate", "app_limited"): ("flags", 32),
    ("idle", "restart"): ("flags", 1),
    ("idle", "app_limited"): ("flags", 2),
    ("congestion", "restart"): ("restart", 1),
    ("lost", "app_limited"): ("app_limited", 1),
    ("sent", "retransmission"): ("retransmission", 1),
    ("params", "half_of_cwnd"): ("options", 2),
    ("params", "paced"): ("options", 4),
}
_RULES: Final = {"linux": 1, "documents": 0}
_SET: Final = {"cwnd", "ssthresh", "pacing_rate", "bandwidth", "send_quantum"}
_HOST: Final = {"slow_start", "may_grow", "recovering", "grow", "additive", "reduce"}
_FLAGGED: Final = {"slow_start", "may_grow", "recovering", "spurious", "idle"}
"""Functions of the base that return a flag."""
_BASE: Final = {"on_spurious": "spurious", "on_idle": "idle"}
_ABSENT: Final = {"state", "bounded"}


@dataclass(frozen=True)
class Memory:
    """A number that a law keeps."""

    value: float
    """Its value at the start."""
    kind: str
    """`float`, `int` or `bool`."""


def translated(
    law: str, name: str, method: FunctionType, memory: dict[str, Memory], own: set[str]
) -> CodeType:
    """Translate a method into a function of arrays of one structure.

    Args:
        law: The class, for messages.
        name: The method.
        method: Its function.
        memory: The law's memory.
        own: All methods of the class.

    Raises:
        LawError: If something has no translation.
    """
    try:
        lines, first = inspect.getsourcelines(method)
    except OSError:
        message = f"{law}.{name}: its text is not known; write the class to a file"
        raise LawError(message) from None
    tree = ast.parse(textwrap.dedent("".join(lines)))
    ast.increment_lineno(tree, first - 1)
    function = tree.body[0]
    if not isinstance(function, ast.FunctionDef):
        message = f"{law}.{name}: expected a method"
        raise LawError(message)
    arguments = [one.arg for one in function.args.args]
    roles = {arguments[0]: "self"} if arguments else {}
    for one in arguments[1:]:
        kind = method.__annotations__.get(one, "")
        word = kind if isinstance(kind, str) else getattr(kind, "__name__", "")
        roles[one] = _OF_TYPE.get(word, SAMPLES.get(name, "") if len(arguments) == 2 else "")  # noqa: PLR2004 - self and one more
    function.name, function.returns, function.decorator_list = f"_own_{name}", None, []
    for one in function.args.args:
        one.annotation = None
    changed = ast.fix_missing_locations(
        _Translator(f"{law}.{name}", roles, memory, own).visit(tree)
    )
    return compile(changed, inspect.getfile(method), "exec")


class _Translator(ast.NodeTransformer):
    """Rewrites the attributes and calls of a method."""

    def __init__(
        self, place: str, roles: dict[str, str], memory: dict[str, Memory], own: set[str]
    ) -> None:
        self._place, self._roles, self._memory, self._own = place, roles, memory, own

    def _refuse(self, node: ast.AST, why: str) -> NoReturn:
        line = getattr(node, "lineno", 0)
        message = f"{self._place}, line {line}: {why}"
        raise LawError(message)

    def _sample(self, node: ast.expr) -> tuple[str, str, str] | None:
        """Return variable, role and attribute if the node is one of a structure."""
        if not isinstance(node, ast.Attribute):
            return None
        at = node.value
        if isinstance(at, ast.Name) and self._roles.get(at.id):
            return at.id, self._roles[at.id], node.attr
        inner = self._sample(at)
        if inner is None:
            return None
        variable, role, attribute = inner
        if (role, attribute) == ("ack", "rate"):
            return variable, "rate", node.attr
        if (role, attribute) == ("self", "params"):
            return variable, "params", node.attr
        return None

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        found = self._sample(node)
        if found is None:
            return ast.Attribute(self.visit(node.value), node.attr, node.ctx)
        variable, role, name = found
        if role == "self" and name in _ABSENT:
            self._refuse(node, f"a compiled law has no {name}")
        if (role, name) in _FLAGS:
            field, bit = _FLAGS[role, name]
            return _expression(f"({variable}[0].{field} & {bit}) != 0")
        if (role, name) in {("congestion", "kind"), ("params", "rules")}:
            self._refuse(node, f"compare {name} with text, as in c.kind == 'rto'")
        if (role, name) in {("ack", "rate"), ("self", "params"), ("self", "random")}:
            self._refuse(node, f"use an attribute or method of {name}")
        if role == "rate":
            name = f"rate_{name}"
        read = _expression(f"{variable}[0].{name}")
        kind = self._memory[name].kind if role == "self" and name in self._memory else "float"
        if kind == "int":
            return _call("int", read)
        return _expression(f"{variable}[0].{name} != 0.0") if kind == "bool" else read

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        value = self.visit(node.value)
        if any(isinstance(target, (ast.Tuple, ast.List)) for target in node.targets):
            return self._several(node, value)
        stores = [self._target(target) for target in node.targets]
        kinds = [kind for _, kind in stores if kind is not None]
        if kinds:
            value = _stored(value, kinds[0])
        return ast.copy_location(ast.Assign([target for target, _ in stores], value), node)

    def _several(self, node: ast.Assign, value: ast.expr) -> ast.stmt:
        for target in ast.walk(ast.Tuple(list(node.targets), ast.Store())):
            if isinstance(target, ast.Attribute) and self._sample(target):
                self._refuse(node, "assign one attribute at a time")
        return ast.copy_location(ast.Assign(node.targets, value), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        target, kind = self._target(node.target)
        if kind is None:
            return ast.copy_location(
                ast.AugAssign(node.target, node.op, self.visit(node.value)), node
            )
        load = ast.parse(ast.unparse(node.target), mode="eval").body
        whole = ast.BinOp(self.visit(load), node.op, self.visit(node.value))
        return ast.copy_location(ast.Assign([target], _stored(whole, kind)), node)

    def _target(self, node: ast.expr) -> tuple[ast.expr, str | None]:
        """Return what is assigned to, and the kind of its number if it is a field of the state."""
        found = self._sample(node)
        if found is None:
            return node, None
        variable, role, name = found
        if role != "self":
            self._refuse(node, "a sample cannot be changed")
        if name not in _SET and name not in self._memory:
            self._refuse(
                node,
                f"self.{name} is no memory; annotate it in the class with an underscore, as in "
                f"_{name.lstrip('_')}: float = 0.0",
            )
        kind = self._memory[name].kind if name in self._memory else "float"
        return _expression(f"{variable}[0].{name}", store=True), kind

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        found = self._sample(node.left)
        if any(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops):
            return self._absence(node, found)
        if found is not None and found[1:] == ("congestion", "kind"):
            others = [self._numbers(one, _KINDS) for one in node.comparators]
            return ast.Compare(_expression(f"int({found[0]}[0].kind)"), node.ops, others)
        if found is not None and found[1:] == ("params", "rules"):
            others = [self._numbers(one, _RULES) for one in node.comparators]
            return ast.Compare(_expression(f"int({found[0]}[0].options) & 1"), node.ops, others)
        self.generic_visit(node)
        return node

    def _absence(self, node: ast.Compare, found: tuple[str, str, str] | None) -> ast.expr:
        """Translate `ack.rtt is None`."""
        is_none = isinstance(node.comparators[0], ast.Constant) and (
            node.comparators[0].value is None
        )
        if found is None or len(node.ops) > 1 or not is_none:
            self._refuse(node, "`is` is known only as in `ack.rtt is None`")
        variable, role, name = found
        field = "rate_delivered" if (role, name) == ("ack", "rate") else name
        text = f"_isnan({variable}[0].{field})"
        return _expression(text if isinstance(node.ops[0], ast.Is) else f"not {text}")

    def _numbers(self, node: ast.expr, known: dict[str, int]) -> ast.expr:
        if isinstance(node, ast.Constant) and node.value in known:
            return ast.Constant(known[str(node.value)])
        if isinstance(node, (ast.Set, ast.Tuple, ast.List)):
            return ast.Tuple([self._numbers(one, known) for one in node.elts], ast.Load())
        return self._refuse(node, f"expected one of {', '.join(known)}")

    def visit_Call(self, node: ast.Call) -> ast.expr:
        function, arguments = node.func, [self._argument(one) for one in node.args]
        if not isinstance(function, ast.Attribute):
            return ast.Call(function, arguments, node.keywords)
        state = next(name for name, role in self._roles.items() if role == "self")
        text = ast.unparse(function.value)
        if text == "super()" and function.attr in _BASE:
            return _flag(_host(_BASE[function.attr], state, arguments), _BASE[function.attr])
        if text == f"{state}.random" and function.attr == "random":
            return _host("random", state, [])
        if text != state:
            return ast.Call(self.visit(function), arguments, node.keywords)
        if function.attr in self._own:
            own = [self._own_argument(one) for one in node.args]
            return ast.Call(_expression(f"_own_{function.attr}"), [_expression(state), *own], [])
        if function.attr not in _HOST:
            self._refuse(node, f"a compiled law has no self.{function.attr}")
        if function.attr in {"grow", "reduce"}:
            arguments[-1] = _call("float", arguments[-1])
        return _flag(_host(function.attr, state, arguments), function.attr)

    def _argument(self, node: ast.expr) -> ast.expr:
        """Return an argument; a sample goes to functions of the base by its address."""
        if isinstance(node, ast.Name) and self._roles.get(node.id):
            return _expression(f"{node.id}.ctypes")
        return self.visit(node)

    def _own_argument(self, node: ast.expr) -> ast.expr:
        return node if isinstance(node, ast.Name) else self.visit(node)


def _host(name: str, state: str, arguments: list[ast.expr]) -> ast.expr:
    return ast.Call(_expression(f"_host_{name}"), [_expression(f"{state}.ctypes"), *arguments], [])


def _flag(call: ast.expr, name: str) -> ast.expr:
    if name not in _FLAGGED:
        return call
    return ast.Compare(call, [ast.NotEq()], [ast.Constant(0)])


def _stored(value: ast.expr, kind: str) -> ast.expr:
    """Return a value as the double that the structure has."""
    if kind == "bool":
        return ast.IfExp(value, ast.Constant(1.0), ast.Constant(0.0))
    return _call("float", value)


def _call(name: str, value: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), [value], [])


def _expression(text: str, *, store: bool = False) -> ast.expr:
    found = ast.parse(text, mode="eval").body
    if store and isinstance(found, ast.Attribute):
        found.ctx = ast.Store()
    return found
