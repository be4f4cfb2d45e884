"""What the documentation's figures and experiments are: one declaration each, `NAME.toml`.

The form is checked like that of the published entries (`airtcp_papers.form`). An experiment here has no
published value to be judged by and draws freely, so it has a function in place of a driver.
What it depends on is its function's file, the files that this one imports, its parameters and its inputs.
The program itself is not part of it: what moves a number is named in the changelog, and cheap
experiments are run again by a test.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import polars as pl
import style

from airtcp_papers import cache, pages
from airtcp_papers.form import Key, check, refuse
from airtcp_papers.library import read_toml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
RECORD: Final = "made.json"
CHEAP_S: Final = 5.0
"""Processor seconds up to which a test runs an experiment again [choice]."""


def _installed(package: str) -> bool:
    tool = shutil.which("pkg-config")
    return (
        tool is not None and not subprocess.run([tool, "--exists", package], check=False).returncode
    )


NEEDS: Final = {
    "data": lambda: Path(os.environ.get("AIRTCP_DATA") or "/nonexistent").is_dir(),
    "cargo": lambda: shutil.which("cargo") is not None,
    "ns2": lambda: shutil.which("ns") is not None,
    "ns3": lambda: _installed("ns3-internet"),
    "root": lambda: os.geteuid() == 0,
}
FORM: Final = {
    "title": Key("text", "what it is called", required=True),
    "measures": Key("text", "what it measures, and over what", required=True),
    "run": Key(
        "text",
        "a function, `module:name`, that gives the outputs; or a program, which runs only if it is named",
        required=True,
    ),
    "parameters": Key("open", "arguments of the function", default={}),
    "inputs": Key(
        "texts",
        "files and folders besides the function's own; the function is given the CSV files",
        default=[],
    ),
    "outputs": Key("texts", "files that it makes", required=True),
    "tables": Key("open", "functions that lay out tables of pages, by name", default={}),
    "needs": Key("texts", "what must be installed", accepted=tuple(NEEDS), default=[]),
    "cpu_s": Key("number", "processor seconds that it takes", required=True),
}


@dataclass(frozen=True)
class Experiment:
    """An experiment, as declared."""

    name: str
    title: str
    measures: str
    run: str
    parameters: Mapping[str, Any]
    inputs: Sequence[str]
    outputs: Sequence[str]
    tables: Mapping[str, str]
    needs: Sequence[str]
    cpu_s: float

    @property
    def by_hand(self) -> bool:
        """Whether it is a program, which runs only if it is named."""
        return ":" not in self.run

    @property
    def lacks(self) -> list[str]:
        """What it needs and is not here."""
        return [need for need in self.needs if not NEEDS[need]()]

    def depends(self) -> str:
        """Hash all that it depends on."""
        files = [HERE / self.run] if self.by_hand else _sources(HERE / f"{self._module}.py")
        files += [HERE / name for name in self.inputs]
        parts = [self.run, dict(self.parameters)]
        parts += [[os.path.relpath(file, ROOT), cache.digest(file)] for file in files]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    @property
    def _module(self) -> str:
        return self.run.split(":")[0].replace(".", "/")

    def make(self) -> dict[str, str]:
        """Run it; give the outputs by name.

        Raises:
            PaperError: If it does not make what it declares.
        """
        if self.by_hand:
            subprocess.run([HERE / self.run], check=True)
            return {name: (HERE / name).read_text("utf-8") for name in self.outputs}
        numbers = _numbers(self.inputs)
        made = _function(self.run)(*([numbers] if numbers else []), **self.parameters)
        if set(made) != set(self.outputs):
            refuse(
                f"{self.name}.toml: it makes {', '.join(made)}; expected {', '.join(self.outputs)}"
            )
        return {name: style.text(content) for name, content in made.items()}

    def table(self, name: str) -> str:
        """Lay out a table of a page from the numbers that are kept."""
        return _function(self.tables[name])(_numbers([*self.outputs, *self.inputs]))


def read() -> dict[str, Experiment]:
    """Read every declaration.

    Raises:
        PaperError: If one does not keep to the form.
    """
    return {
        path.stem: Experiment(path.stem, **check(FORM, read_toml(path), path.name))
        for path in sorted(HERE.glob("*.toml"))
    }


def table(asked: str, every: Mapping[str, Experiment]) -> str:
    """Return what stands in a block of a page, `<!-- results: NAME TABLE -->`."""
    name, _, which = asked.partition(" ")
    if name not in every or which not in every[name].tables:
        refuse(f'block "{asked}": no experiment of docs/figures makes such a table')
    return every[name].table(which)


def filled(page: str, every: Mapping[str, Experiment]) -> str:
    """Return a page with its tables made from the numbers that are kept."""
    return pages.filled(page, lambda asked: table(asked, every))


def kept() -> dict[str, dict[str, Any]]:
    """Return what each experiment depended on when it ran, and the hashes of its outputs."""
    return json.loads((HERE / RECORD).read_text("utf-8"))


def keep(experiment: Experiment, made: Mapping[str, str], depends: str) -> None:
    """Write the outputs of an experiment, and what it depended on when it began."""
    for name, text in made.items():
        (HERE / name).write_text(text, "utf-8")
    record = kept() | {
        experiment.name: {
            "depends": depends,
            "outputs": {name: cache.digest(HERE / name) for name in experiment.outputs},
        }
    }
    (HERE / RECORD).write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", "utf-8")


def state(experiment: Experiment, record: Mapping[str, Any]) -> str:
    """Say why an experiment is stale; nothing if it is not."""
    before = record.get(experiment.name)
    if before is None:
        return "never made"
    for name in experiment.outputs:
        if not (HERE / name).is_file():
            return f"{name} is missing"
        if before["outputs"].get(name) != cache.digest(HERE / name):
            return f"{name} was changed by hand"
    return "" if before["depends"] == experiment.depends() else "what it depends on has changed"


def _numbers(names: Sequence[str]) -> dict[str, pl.DataFrame]:
    return {
        name: pl.read_csv(HERE / name, infer_schema_length=None)
        for name in names
        if name.endswith(".csv") and not name.startswith("..")
    }


def _function(named: str) -> Any:
    module, _, name = named.partition(":")
    if str(HERE) not in sys.path:
        sys.path.insert(0, str(HERE))
    return getattr(importlib.import_module(module), name)


def _sources(path: Path) -> list[Path]:
    """A script and the scripts that it imports, directly or not."""
    found, waiting = set[Path](), [path]
    while waiting:
        path = waiting.pop()
        found.add(path)
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            beside = [HERE / f"{name.replace('.', '/')}.py" for name in names]
            waiting += [one for one in beside if one.is_file() and one not in found]
    return sorted(found)
