"""Python types from the JSON Schemas of documents, for `python/airtcp/data/documents.py`."""

from __future__ import annotations

import textwrap
from typing import Any

HEAD = '''"""Shapes of the JSON documents that airtcp writes: study, run, compare and schemes.

The documents come from the extension module; nothing here computes. Keys carry their unit
(`_s`, `_bps`, `_packets`); a value that does not exist for a link is null, never a magic number.
This file is generated from the schemas: `make generated` writes it.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict
'''
ROOTS = {
    "run": "RunDocument",
    "study": "StudyDocument",
    "compare": "CompareDocument",
    "schemes": "SchemesDocument",
}
# Python names of the records of each schema, in the order of the file. Other records are plain
# dictionaries: flows, links and stations of runs are open sets of metrics.
NAMES = {
    "compare": {
        "Answer": "AnswerDocument",
        "Estimate": "Estimate",
        "TraceSource": "Source",
        "Skipped": "Skipped",
        "FailedTcp": "FailedTcp",
        "Difference": "PairedDifference",
        "Outcome": "Outcome",
        "Criterion": "Criterion",
        "Measure": "Measure",
        "Compared": "Compared",
        "NotRanked": "NotRanked",
        "Verdict": "Verdict",
        "Ranking": "Ranking",
        "CompareRun": "CompareRun",
        "Window": "VariantWindow",
        "Case": "CompareCase",
        "VariantTcp": "VariantTcp",
        "Remedies": "Remedies",
        "Subject": "CompareSubject",
    },
    "run": {"Answer": "AnswerDocument", "Estimate": "Estimate"},
    "schemes": {
        "Answer": "AnswerDocument",
        "Estimate": "Estimate",
        "Difference": "PairedDifference",
        "NotRanked": "NotRanked",
        "Ranking": "Ranking",
        "Aspect": "SchemeAspect",
        "Lag": "SchemeLag",
        "Question": "SchemeQuestion",
        "TradeOff": "SchemeTradeOff",
        "StationChanges": "StationChanges",
        "SchemesVerdict": "SchemesVerdict",
        "SchemeVariant": "SchemeVariant",
        "SchemeOutcome": "SchemeOutcome",
        "SchemeStation": "SchemeStation",
        "SchemeRun": "SchemeRun",
        "SchemesSubject": "SchemesSubject",
    },
    "study": {
        "Answer": "AnswerDocument",
        "Bursts": "Bursts",
        "Convergence": "Convergence",
        "CpdfPoint": "Conditional",
        "PrrOverTime": "ReceptionOverTime",
        "Cwnd": "Window",
        "TcpOutcome": "Empirical",
        "Ensemble": "Ensemble",
        "Difference": "Difference",
        "Differences": "Differences",
        "TcpStudy": "LinkTcp",
        "StartEffect": "StartEffect",
        "LinkStudy": "Link",
        "CapacityOverTime": "CapacityOverTime",
        "CapacityStudy": "CapacityLink",
    },
}
# Records that the study's schema shares with the comparison's; one has another name there.
SHARED = {**NAMES["compare"], "Difference2": "PairedDifference"}
PLAIN = {"string": "str", "number": "float", "integer": "int", "boolean": "bool", "null": "None"}
WIDTH = 96


class Types:
    """The types of one schema."""

    def __init__(self, kind: str, schema: dict[str, Any]) -> None:
        self.kind = kind
        self.schema = schema
        own = NAMES[kind]
        self.names = {**SHARED, **own} if kind == "study" else own

    def of(self, schema: dict[str, Any] | bool) -> str:
        """Name the type of a value."""
        if isinstance(schema, bool):
            return "Any"
        if "$ref" in schema:
            name = schema["$ref"].removeprefix("#/$defs/")
            return self.names.get(name) or self.of(self.schema["$defs"][name])
        if "const" in schema:
            return f"Literal[{schema['const']!r}]".replace("'", '"')
        if choices := schema.get("oneOf") or schema.get("anyOf"):
            return self._either([self.of(choice) for choice in choices])
        if "enum" in schema:
            return self._either([f'Literal["{value}"]' for value in schema["enum"]])
        kinds = schema.get("type", "object")
        if isinstance(kinds, list):
            return self._either([self.of({**schema, "type": kind}) for kind in kinds])
        if kinds == "array":
            if "prefixItems" in schema:
                return f"tuple[{', '.join(map(self.of, schema['prefixItems']))}]"
            if schema.get("maxItems") is not None and schema.get("maxItems") == schema.get(
                "minItems"
            ):
                return f"tuple[{', '.join([self.of(schema['items'])] * schema['maxItems'])}]"
            return f"list[{self.of(schema.get('items', True))}]"
        if kinds == "object":
            values = schema.get("additionalProperties")
            known = isinstance(values, dict) and not schema.get("properties")
            return f"dict[str, {self.of(values) if known else 'Any'}]"
        return PLAIN[kinds]

    @staticmethod
    def _either(types: list[str]) -> str:
        words = [name[8:-1] for name in types if name.startswith("Literal[")]
        others = [name for name in dict.fromkeys(types) if not name.startswith("Literal[")]
        return " | ".join(([f"Literal[{', '.join(words)}]"] if words else []) + others)

    def record(self, name: str, schema: dict[str, Any]) -> str:
        """Write the type of a record; an enumeration becomes an alias."""
        meaning = schema.get("description", "")
        if "properties" not in schema:
            return f"\n{name} = {self.of(schema)}\n{_doc(meaning, '')}"
        required = set(schema.get("required", ()))
        fields = {
            key: (of if key in required else f"NotRequired[{of}]")
            for key, value in schema["properties"].items()
            for of in [self.of(value)]
        }
        word = fields.pop("class", None)
        above = ""
        base = "TypedDict"
        if word is not None:
            # `class` is a keyword.
            base = f"_{name}Class"
            above = f'\n{base} = TypedDict("{base}", {{"class": {word}}})\n'
        lines = [f"    {key}: {of}" for key, of in fields.items()]
        body = "\n".join(lines)
        return f"{above}\n\nclass {name}({base}):\n{_doc(meaning, '    ')}\n{body}\n"


def _doc(text: str, indent: str) -> str:
    """Write a docstring: the first sentence, then the rest."""
    text = " ".join(text.split()) or "What airtcp writes."
    first, dot, rest = text.partition(". ")
    lines = textwrap.wrap(first + (dot.strip() or ""), WIDTH - len(indent))
    whole = "\n".join(indent + line for line in lines).lstrip()
    more = "\n".join(indent + line for line in textwrap.wrap(rest, WIDTH - len(indent)))
    if not more and len(lines) == 1 and len(whole) + len(indent) + 6 <= WIDTH + 4:
        return f'{indent}"""{whole}"""\n'
    return f'{indent}"""{whole}\n' + (f"\n{more}\n" if more else "") + f'{indent}"""\n'


def documents(schemas: dict[str, dict[str, Any]]) -> str:
    """Write the file.

    Args:
        schemas: The schemas by kind of document.
    """
    parts: list[str] = [HEAD]
    seen: set[str] = set()
    for kind in ("compare", "study", "run", "schemes"):
        types = Types(kind, schemas[kind])
        for of, name in NAMES[kind].items():
            if name not in seen:
                parts.append(types.record(name, schemas[kind]["$defs"][of]))
                seen.add(name)
        parts.append(types.record(ROOTS[kind], schemas[kind]))
    return "".join(parts)
