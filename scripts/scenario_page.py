"""The page of the keys of a scenario, made from its schema."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from reference_pages import GENERATED, cell, code, table

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD: Final = f"""# Keys of a scenario

Every key that a scenario may have, by the table that it belongs to. `[]` marks an array of tables: a key of
`links[]` belongs to each `[[links]]`. [The guide](../guide/write-a-scenario.md) shows how to write a scenario, and the
[JSON Schema](scenario.schema.json) is for editors. Keys without a default may be left out, except those marked
*required*.

{GENERATED}
"""
_SIMPLE: Final = {"string", "integer", "number", "boolean", "null"}
_LONG: Final = 100
"""Characters of a default above which the page leaves it to the keys of its table."""
Rows = list[list[str]]


class Keys:
    """The tables of a scenario, each at the first place where it occurs."""

    def __init__(self, schema: dict[str, Any]) -> None:
        """Take a schema."""
        self._schema = schema
        self._defs: dict[str, Any] = schema["$defs"]
        self._places: dict[str, str] = {}
        self._waiting: list[tuple[str, dict[str, Any]]] = [("", schema)]
        self.paths: list[str] = []
        """The path of every key."""

    def sections(self) -> Iterator[str]:
        """Give the sections, from the top of a scenario downwards."""
        while self._waiting:
            path, of = self._waiting.pop(0)
            yield from self._section(path, of)

    def _section(self, path: str, of: dict[str, Any]) -> Iterator[str]:
        title = f"`{path}`" if path else "The scenario"
        said = "" if not path else _text(of) + "\n\n"
        yield f"\n## {title}\n\n{said}"
        if "properties" in of:
            yield self._table(path, of)
        for choice in self._tables_of(of):
            tag = _tag(choice)
            named = (
                f'`{tag[0]} = "{tag[1]}"`'
                if tag
                else f"with `{next(iter(choice['properties']), '')}`"
            )
            text = _text(choice)
            rows = self._table(path, choice, leave=tag[0] if tag else "", under=tag)
            yield f"\n### {named}\n\n{text}{chr(10) + chr(10) if text else ''}{rows}"

    def _tables_of(self, of: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Give the alternatives of a definition that are tables."""
        for choice in [*of.get("oneOf", []), *of.get("anyOf", [])]:
            found = self._found(choice)
            if "properties" in found:
                yield found
            elif "oneOf" in found or "anyOf" in found:
                yield from self._tables_of(found)

    def _found(self, of: dict[str, Any]) -> dict[str, Any]:
        return self._defs[of["$ref"].split("/")[-1]] if "$ref" in of else of

    def _table(
        self, path: str, of: dict[str, Any], leave: str = "", under: tuple[str, str] | None = None
    ) -> str:
        rows: Rows = []
        for name, key in of["properties"].items():
            if name == leave:
                self.paths.append(f"{path}.{name}")
                continue
            whole = f"{path}.{name}" if path else name
            self.paths.append(whole)
            default = "*required*" if name in of.get("required", []) else _default(key)
            rows.append([code(name), self._kind(whole, key, under), default, cell(_text(key))])
        if not rows:
            return "No other keys.\n"
        return table(["key", "value", "default", "meaning"], rows)

    def _kind(self, path: str, of: dict[str, Any], under: tuple[str, str] | None) -> str:
        """Say what a key takes, and note the tables that it leads to."""
        if "$ref" in of:
            return self._named(path, of["$ref"].split("/")[-1], under)
        choices = [*of.get("anyOf", []), *of.get("oneOf", [])]
        if choices:
            kinds = [
                self._kind(path, choice, under)
                for choice in choices
                if choice.get("type") != "null"
            ]
            return " or ".join(dict.fromkeys(kinds))
        if "const" in of:
            return code(json.dumps(of["const"]))
        if "enum" in of:
            return ", ".join(code(json.dumps(value)) for value in of["enum"])
        if of.get("type") == "array":
            return (
                f"array of {self._kind(f'{path}[]', of['items'], under)}"
                if "items" in of
                else "array"
            )
        if "properties" in of:
            self._waiting.append((path, of))
            return f"table {code(path)}"
        extra = of.get("additionalProperties")
        if isinstance(extra, dict):
            return f"table of names, each with {self._kind(f'{path}.NAME', extra, under)}"  # pyright: ignore[reportUnknownArgumentType]
        kinds = of.get("type", "any")
        return _bounded([kinds] if isinstance(kinds, str) else kinds, of)

    def _named(self, path: str, name: str, under: tuple[str, str] | None) -> str:
        of = self._defs[name]
        if of.get("examples") and of.get("type") in _SIMPLE:
            return f"text, such as {code(json.dumps(of['examples'][0]))}"
        if not ("properties" in of or any(self._tables_of(of))):
            return self._kind(path, of, under)
        if name not in self._places:
            self._places[name] = f"{path} ({under[1]})" if under else path
            self._waiting.append((path, of))
        place = self._places[name]
        plain = list(self._plain(of))
        return " or ".join(
            [
                *(f"{kind}" for kind in plain),
                f"table [{code(place.split(' (')[0])}](#{_slug(place.split(' (')[0])})",
            ]
        )

    def _plain(self, of: dict[str, Any]) -> Iterator[str]:
        """Give the alternatives of a definition that are no tables."""
        for choice in [*of.get("oneOf", []), *of.get("anyOf", [])]:
            found = self._found(choice)
            if "const" in found:
                yield code(json.dumps(found["const"]))
            elif "oneOf" in found or "anyOf" in found:
                yield from self._plain(found)
            elif "properties" not in found and found.get("type") != "null":
                yield self._kind("", found, None)


def _tag(of: dict[str, Any]) -> tuple[str, str] | None:
    for name, key in of["properties"].items():
        if "const" in key:
            return name, key["const"]
    return None


def _text(of: dict[str, Any]) -> str:
    text = " ".join(of.get("description", "").split())
    return text[:1].upper() + text[1:] + ("" if not text or text[-1] in ".:!?" else ".")


def _default(of: dict[str, Any]) -> str:
    if "default" not in of or of["default"] is None:
        return ""
    text = json.dumps(of["default"], ensure_ascii=False)
    return code(text) if len(text) <= _LONG else "those of its keys"


def _bounded(kinds: list[str], of: dict[str, Any]) -> str:
    name = " or ".join(kind for kind in kinds if kind != "null")
    low, high = of.get("minimum"), of.get("maximum")
    bounds = [f"at least {low}"] * (low is not None) + [f"at most {high}"] * (high is not None)
    return f"{name}, {' and '.join(bounds)}" if bounds else name


def _slug(path: str) -> str:
    """Return the anchor that a Git viewer gives a heading which is a path."""
    return "".join(c for c in path.lower() if c.isalnum() or c in "_-")


def scenario_page(schema: dict[str, Any]) -> str:
    """Lay out the page."""
    return _HEAD + "".join(Keys(schema).sections())
