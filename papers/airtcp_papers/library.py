"""The library of papers: finding and reading its files.

The library is the folder `papers/` of the project. It holds a folder for each publication, with
a `paper.toml` and one file for each table or figure, and beside them `ensembles/` (sets of
links) and `scenarios/`. An installed package carries a copy; `AIRTCP_PAPERS` or `--papers`
names another.
"""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from airtcp_papers import paper as papers
from airtcp_papers.form import did_you_mean, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp_papers.paper import Figure, Paper

ENSEMBLES: Final = "ensembles"
SCENARIOS: Final = "scenarios"
PLACE: Final = "AIRTCP_PAPERS"


def default_root() -> Path:
    """Return the folder of papers: that of `AIRTCP_PAPERS`, else the one beside these modules."""
    said = os.environ.get(PLACE)
    installed = Path(__file__).parent / "library"
    return Path(said) if said else installed if installed.is_dir() else Path(__file__).parents[1]


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises:
        PaperError: If it cannot be read, or is not TOML; the message names file and line.
    """
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        refuse(f"{path}: {error.strerror}; expected a TOML file")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        refuse(f"{path}: not TOML: {error}")


@dataclass(frozen=True)
class Library:
    """A folder of papers."""

    root: Path

    @cached_property
    def files(self) -> dict[str, Path]:
        """The files of tables and figures by id, in the order of the publications."""
        if not self.root.is_dir():
            message = f"{self.root}: no such folder; expected the folder of paper files"
            refuse(f"{message} (--papers, or the environment variable {PLACE})")
        homes = [home for home in self.root.iterdir() if (home / "paper.toml").is_file()]
        found = [file for home in homes for file in home.glob("*.toml") if file.stem != "paper"]
        return {papers.id_of(file): file for file in sorted(found, key=_natural)}

    def choose(self, wanted: Sequence[str]) -> list[str]:
        """Return the ids that equal or begin with the given names; all without names.

        Raises: PaperError: If a name matches nothing.
        """
        if not self.files:
            refuse(
                f"{self.root}: no paper in this folder; expected folders with a paper.toml and"
                " a file for each table or figure"
            )
        if not wanted:
            return list(self.files)
        chosen: set[str] = set()
        for name in wanted:
            exact = [id_ for id_ in self.files if id_.lower() == name.lower()]
            found = exact or [id_ for id_ in self.files if id_.lower().startswith(name.lower())]
            if not name or not found:
                known = sorted({id_.split(".")[0] for id_ in self.files})
                near = did_you_mean(name, list(self.files)).split(" (accepted")[0]
                message = f'no table or figure is called "{name}"{near}'
                refuse(f"{message} (papers: {', '.join(known)}; --list names all)")
            chosen.update(found)
        return [id_ for id_ in self.files if id_ in chosen]

    def unchecked(self, id_: str) -> Figure:
        """Read a table or figure; its driver has not checked the parameters yet.

        Raises: PaperError: If its file is invalid.
        """
        path = self.files[id_]
        return papers.figure(read_toml(path), path, self.paper(path.parent.name))

    def paper(self, name: str) -> Paper:
        """Read the `paper.toml` of a publication."""
        path = self.root / name / "paper.toml"
        return papers.paper(read_toml(path), path)

    def scenario(self, name: str) -> Path:
        """Return the path of a scenario, which is named relative to the library."""
        return self.root / name

    def ensemble(self, name: str) -> Path:
        """Return the path of the description of a set of links."""
        return self.root / ENSEMBLES / f"{name}.toml"

    @property
    def ensembles(self) -> list[str]:
        """Names of the sets of links."""
        return sorted(file.stem for file in (self.root / ENSEMBLES).glob("*.toml"))

    @property
    def scenarios(self) -> list[str]:
        """Paths of the scenarios, relative to the library."""
        return sorted(
            str(file.relative_to(self.root)) for file in (self.root / SCENARIOS).glob("*.toml")
        )


def _natural(path: Path) -> tuple[str, list[tuple[int, int, str]]]:
    """Sort figure 2 before figure 10, and 7.9 before 7.10."""
    parts = re.findall(r"\d+|[^\d]+", path.stem)
    key = [(0, int(p), "") if p[0].isdigit() else (1, 0, p) for p in parts]
    return path.parent.name, key
