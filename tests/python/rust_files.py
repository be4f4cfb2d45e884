"""The dependencies between the files of a Rust crate, read from their text.

A use of a name counts for the file that defines it: re-exports are followed. Declaring a module and
re-exporting from it count as no use. Test modules are left out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A module by its path below the crate: `()` is `lib.rs`.
Module = tuple[str, ...]

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
STRING = re.compile(r'b?r#".*?"#|"(?:\\.|[^"\\])*"', re.DOTALL)
TEST_ITEM = re.compile(
    r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))? )?(?:mod|use) [^;{]*;"
)
TEST_MODULE = re.compile(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*mod \w+ \{.*?\n\}", re.DOTALL)
MODULE = re.compile(r"\bmod (\w+)\s*;")
ITEM = re.compile(
    r"\b(?:struct|enum|trait|type|const|static|fn|union|macro_rules!)\s+(?:mut )?(\w+)"
)
USE = re.compile(r"(\bpub(?:\([^)]*\))?\s+)?\buse\s+([^;]+);")
PATH = re.compile(r"\b(?:crate|super|self|\w+)(?:::\w+)+")
BRACES = re.compile(r"^([\w:]*?)(?:::)?\{(.*)\}$", re.DOTALL)
LEAF = re.compile(r"^([\w:*]+?)(?:\s+as\s+(\w+))?$")


def _branches(text: str) -> list[str]:
    """Split the content of braces at its top-level commas."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part.strip()]


def _leaves(tree: str) -> Iterator[tuple[list[str], str]]:
    """Return each path of a `use`, and the name it has in this file."""
    if braces := BRACES.match(tree.strip()):
        before = [part for part in braces.group(1).split("::") if part]
        for branch in _branches(braces.group(2)):
            for path, name in _leaves(branch):
                yield (before, before[-1]) if path == ["self"] else (before + path, name)
    elif leaf := LEAF.match(tree.strip()):
        path = [part for part in leaf.group(1).split("::") if part]
        yield path, leaf.group(2) or path[-1]


class Crate:
    """The modules of a crate, what each defines, and what each uses."""

    def __init__(self, folder: Path) -> None:
        """Read the crate's sources."""
        self.files: dict[Module, Path] = {}
        self.text: dict[Module, str] = {}
        self._load((), folder / "src" / "lib.rs", folder / "src")
        self.names: dict[Module, dict[str, tuple[str, Module]]] = defaultdict(dict)
        self.globs: dict[Module, list[Module]] = defaultdict(list)
        for module, text in self.text.items():
            self._read_names(module, text)

    def _load(self, module: Module, path: Path, inside: Path) -> None:
        text = STRING.sub('""', COMMENT.sub("", path.read_text("utf-8")))
        text = TEST_MODULE.sub("", TEST_ITEM.sub("", text))
        self.files[module], self.text[module] = path, text
        for name in MODULE.findall(text):
            for child in (inside / f"{name}.rs", inside / name / "mod.rs"):
                if child.exists():
                    self._load((*module, name), child, inside / name)

    def _read_names(self, module: Module, text: str) -> None:
        names = self.names[module]
        for name in ITEM.findall(text):
            names.setdefault(name, ("item", module))
        for name in MODULE.findall(text):
            names[name] = ("module", (*module, name))
        for _, tree in USE.findall(text):
            for path, name in _leaves(tree):
                absolute = self._absolute(path, module)
                if absolute is not None and absolute[-1] == "*":
                    self.globs[module].append(absolute[:-1])
                elif absolute is not None:
                    names.setdefault(name, ("use", absolute))

    def _absolute(self, path: list[str], module: Module) -> Module | None:
        """Return the path from the crate's root; `None` for another crate's."""
        if path[0] == "crate":
            return tuple(path[1:])
        at, rest = module, list(path)
        while rest and rest[0] in {"super", "self"}:
            at = at[:-1] if rest.pop(0) == "super" else at
        if len(rest) < len(path):
            return (*at, *rest)
        return (*module, *path) if path[0] in self.names[module] else None

    def _defining(self, path: Module, seen: frozenset[tuple[Module, str]]) -> Module | None:
        """Return the module that defines what a path from the root names."""
        at: Module = ()
        for position, name in enumerate(path):
            kind, target = self.names[at].get(name, ("", ()))
            if kind == "item":
                return target
            if kind != "module":
                # Aliases may form a loop, so each name is looked up once.
                if (at, name) in seen:
                    return None
                seen |= {(at, name)}
            if kind == "use":
                return self._defining((*target, *path[position + 1 :]), seen)
            if kind != "module":
                tries = (self._defining((*g, *path[position:]), seen) for g in self.globs[at])
                return next((found for found in tries if found is not None), at)
            at = target
        return at

    def uses(self) -> dict[Module, dict[Module, str]]:
        """Return for each module the modules that it uses, each with a path as evidence."""
        edges: dict[Module, dict[Module, str]] = defaultdict(dict)
        for module, text in self.text.items():
            body = MODULE.sub("", USE.sub("", text))
            paths = [path.split("::") for path in PATH.findall(body)]
            for exported, tree in USE.findall(text):
                for path, name in _leaves(tree):
                    # A re-export is a use only if the file itself contains the name.
                    if not exported or re.search(rf"\b{name}\b" if name != "*" else "$^", body):
                        paths.append(path)
            for path in paths:
                absolute = self._absolute([part for part in path if part != "*"], module)
                found = None if absolute is None else self._defining(absolute, frozenset())
                if found is not None and found != module and found in self.files:
                    edges[module].setdefault(found, "::".join(path))
        return edges
