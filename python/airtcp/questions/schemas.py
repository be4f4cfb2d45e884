"""JSON Schemas of all documents.

The extension has those of the documents that it makes. The others follow from the types of
documents made in Python. A part that a Python document takes
over from one of them is annotated with `Part` and gets that schema's definition.
"""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from airtcp.data.document_part import Part
from airtcp.data.extension import core_schema
from airtcp.words.answer import MEANINGS

PYTHON_KINDS: Final = ("diagnose", "emulate", "evaluate", "fit", "measure", "sweep", "sweep-file")
"""Documents whose types stand in Python, and the sweep file, which is read there."""
_PLAIN: Final = {
    str: "string",
    float: "number",
    int: "integer",
    bool: "boolean",
    type(None): "null",
}
_REFERENCE: Final = "#/$defs/"


def with_answer(kind: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Add the key `answer` to the schema of a result; the sentences are made in Python.

    >>> with_answer("run", {"properties": {"schema": {}}})["properties"]["answer"]
    {'$ref': '#/$defs/Answer'}
    """
    if kind in _NO_RESULTS:
        return schema
    fields: dict[str, Any] = {
        key: {"type": ["string", "null"], "description": meaning}
        for key, meaning in MEANINGS.items()
    }
    fields["headline"]["type"] = "string"
    definition: dict[str, Any] = {
        "description": "The answer in words: what a person reads first.",
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }
    return {
        **schema,
        "properties": {**schema["properties"], "answer": {"$ref": f"{_REFERENCE}Answer"}},
        "$defs": dict(sorted({**schema.get("$defs", {}), "Answer": definition}.items())),
    }


def with_trials(schema: dict[str, Any]) -> dict[str, Any]:
    """Add the key `trials` to the schema of a run; Python runs what its answer may advise."""
    from airtcp.questions.run.document import Trial

    schemas = _Schemas()
    schemas.definitions["Trial"] = schemas.record(Trial)
    meaning = "What changes that the answer may advise do to each flow; absent if none was tried."
    trials: dict[str, Any] = {"type": "array", "items": {"$ref": f"{_REFERENCE}Trial"}}
    return {
        **schema,
        "properties": {**schema["properties"], "trials": trials | {"description": meaning}},
        "$defs": dict(sorted({**schema["$defs"], **schemas.definitions}.items())),
    }


_NO_RESULTS: Final = frozenset({"scenario", "sweep-file"})
"""Documents without an answer: files that airtcp reads."""


class _Schemas:
    """Collects the definitions that a schema refers to."""

    def __init__(self) -> None:
        self.definitions: dict[str, Any] = {}
        self._other = cache(core_schema)

    def record(self, of: type) -> dict[str, Any]:
        """Return the schema of a record: its fields, all of them required."""
        hints = get_type_hints(of, include_extras=True)
        meanings = _texts(of.__module__)[of.__name__]
        fields = {key: self._of(hint) for key, hint in hints.items()}
        for key, meaning in meanings.items():
            fields[key] = {**fields[key], "description": meaning}
        return {
            "description": _sentence(of.__doc__ or ""),
            "type": "object",
            "properties": fields,
            "required": list(hints),
            "additionalProperties": False,
        }

    def _of(self, hint: Any) -> dict[str, Any]:
        if is_typeddict(hint):
            name = hint.__name__
            if name not in self.definitions:
                self.definitions[name] = {}
                self.definitions[name] = self.record(hint)
            return {"$ref": _REFERENCE + name}
        if hint is Any:
            return {}
        arguments = get_args(hint)
        return self._with(get_origin(hint), arguments) if arguments else {"type": _PLAIN[hint]}

    def _with(self, origin: Any, arguments: tuple[Any, ...]) -> dict[str, Any]:
        """Return the schema of a type with arguments, such as `list[int]`."""
        if origin is Annotated:
            return self._part(next(each for each in arguments if isinstance(each, Part)))
        if origin is Literal:
            return {"type": "string", "enum": list(arguments)}
        if origin is list:
            return {"type": "array", "items": self._of(arguments[0])}
        if origin is dict:
            return {"type": "object", "additionalProperties": self._of(arguments[1])}
        return self._either([self._of(each) for each in arguments])

    @staticmethod
    def _either(choices: list[dict[str, Any]]) -> dict[str, Any]:
        if all(set(choice) == {"type"} for choice in choices):
            return {"type": [choice["type"] for choice in choices]}
        return {"anyOf": choices}

    def _part(self, part: Part) -> dict[str, Any]:
        """Take over a definition of another document with all that it refers to."""
        name = f"{part.kind}.{part.name}"
        if name not in self.definitions:
            self.definitions[name] = {}
            taken = self._other(part.kind)["$defs"][part.name]
            self.definitions[name] = self._renamed(part.kind, taken)
        return {"$ref": _REFERENCE + name}

    def _renamed(self, kind: str, schema: Any) -> Any:
        if isinstance(schema, list):
            return [self._renamed(kind, item) for item in cast("list[Any]", schema)]
        if not isinstance(schema, dict):
            return schema
        keys = cast("dict[str, Any]", schema)
        found = {key: self._renamed(kind, value) for key, value in keys.items()}
        if "$ref" in found:
            found |= self._part(Part(kind, found["$ref"].removeprefix(_REFERENCE)))
        return found


@cache
def _texts(module: str) -> dict[str, dict[str, str]]:
    """Return the text below each field, by class, from the source of a module.

    Fields of a base class of the same module count as well.
    """
    source = Path(str(sys.modules[module].__file__)).read_text("utf-8")
    found: dict[str, dict[str, str]] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            own: dict[str, str] = {}
            for base in node.bases:
                own |= found.get(base.id, {}) if isinstance(base, ast.Name) else {}
            found[node.name] = own
            for field, text in zip(node.body, node.body[1:], strict=False):
                if (
                    isinstance(field, ast.AnnAssign)
                    and isinstance(field.target, ast.Name)
                    and isinstance(text, ast.Expr)
                    and isinstance(text.value, ast.Constant)
                ):
                    own[field.target.id] = _sentence(str(text.value.value))
    return found


def _sentence(text: str) -> str:
    return " ".join(text.split())


def _document_schema(kind: str) -> dict[str, Any]:
    """Return the schema of a document that is made in Python."""
    from airtcp.questions.diagnose.document import DiagnoseDocument
    from airtcp.questions.emulate.document import EmulateDocument
    from airtcp.questions.evaluate.document import EvaluateDocument
    from airtcp.questions.fit.document import FitDocument
    from airtcp.questions.measure.document import MeasureDocument
    from airtcp.questions.sweep.document import SweepDocument
    from airtcp.questions.sweep.file_keys import file_schema

    if kind == "sweep-file":
        return file_schema()
    roots: dict[str, type] = {
        "diagnose": DiagnoseDocument,
        "emulate": EmulateDocument,
        "evaluate": EvaluateDocument,
        "fit": FitDocument,
        "measure": MeasureDocument,
        "sweep": SweepDocument,
    }
    schemas = _Schemas()
    whole = schemas.record(roots[kind])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": roots[kind].__name__,
        **whole,
        "$defs": dict(sorted(schemas.definitions.items())),
    }


def schema(
    kind: Literal[
        "scenario",
        "study",
        "run",
        "trace",
        "compare",
        "schemes",
        "capture",
        "diagnose",
        "emulate",
        "evaluate",
        "fit",
        "measure",
        "sweep",
        "sweep-file",
    ] = "scenario",
) -> dict[str, Any]:
    """Return the JSON Schema of a document.

    Args:
        kind: The document; `scenario` and `sweep-file` are files that airtcp reads.

    Examples:
        >>> "links" in schema("study")["properties"]
        True
    """
    if kind in PYTHON_KINDS:
        return with_answer(kind, _document_schema(kind))
    found = with_answer(kind, core_schema(kind))
    return with_trials(found) if kind == "run" else found
