"""Folders of results: which files of a folder airtcp wrote, and for which command.

A hidden list names the files and their command. Repeating the command replaces its whole result;
another command is refused, so that no folder holds parts of two results.
"""

from __future__ import annotations

import hashlib
import json
import re
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from airtcp.files.destinations import PlaceError, check_folder, content, in_place, refuse

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp.files.atomic_write import Staged

LIST: Final = ".airtcp.json"
SWEEP_MARK: Final = ".airtcp-sweep"
"""The file that makes a folder that of a sweep; its lock belongs to the running sweep."""
_SCHEMA: Final = "airtcp.out/1"
_DOCUMENTS: Final = (
    "study",
    "run",
    "compare",
    "schemes",
    "fit",
    "models",
    "reproduce",
    "capture",
    "diagnose",
)
_LONGEST: Final = 1 << 20
_OURS: Final = re.compile(
    r"[^/]+\.(parquet|pcapng)|report\.html|(" + "|".join(_DOCUMENTS) + r")\.json"
)
"""Names of result files. A list with other names was altered: those files are not airtcp's."""


def is_a_result(name: str) -> bool:
    """Return whether a name could be that of a result file or of a list."""
    return name == LIST or _OURS.fullmatch(name) is not None


@dataclass(frozen=True)
class Purpose:
    """The purpose of a result."""

    key: str = ""
    """Equal only for the same command and inputs."""
    said: str = ""
    """The command, for messages."""


@dataclass(frozen=True)
class Held:
    """The result in a folder."""

    files: list[str] = field(default_factory=list[str])
    purpose: Purpose = field(default_factory=Purpose)

    @property
    def any(self) -> bool:
        """True if there is a result."""
        return bool(self.files)


def held(folder: Path) -> Held:
    """Return the result in a folder. A folder without a list is recognised by its document."""
    try:
        found: Any = json.loads(content(folder / LIST, _LONGEST))
        if found["schema"] == _SCHEMA:
            sizes: Any = found.get("sizes")
            names = [name for name in found["files"] if _is_ours(folder, name, sizes)]
            purpose = Purpose(str(found["purpose"]), str(found["command"]))
            return Held(cast("list[str]", names), purpose)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    return Held([f"{kind}.json" for kind in _DOCUMENTS if (folder / f"{kind}.json").is_file()])


def _is_ours(folder: Path, name: Any, sizes: Any) -> bool:
    """Return whether a file of the list is still as airtcp wrote it: file and list may be altered.

    A name that leads out of the folder is not valid. Older lists have no sizes.
    """
    if not isinstance(name, str) or not _OURS.fullmatch(name):
        return False
    try:
        found = (folder / name).lstat()
    except (OSError, ValueError):
        return False
    if not stat.S_ISREG(found.st_mode):
        return False
    if sizes is None:
        return True
    return isinstance(sizes, dict) and cast("dict[str, Any]", sizes).get(name) == found.st_size


def check_digest(path: Path) -> None:
    """Refuse a result file whose bytes are not those that airtcp wrote.

    A file without a list beside it, or that the list does not name, was not written into a folder.

    Args: path: The file.

    Raises:
        PlaceError: If the digest in the folder's list is another.
        OSError: If the file cannot be read.
    """
    try:
        said = json.loads(content(path.parent / LIST, _LONGEST))["sha256"][path.name]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return
    if said != _digest(path):
        refuse(
            f"{path}: its bytes are not those that airtcp wrote ({LIST} has their digest): write "
            "the result again; if the change is meant, move the file to another folder"
        )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check(folder: Path, purpose: Purpose, *, force: bool, option: str, pattern: str) -> None:
    """Refuse a folder that holds anything but an earlier result for the same purpose.

    Args: folder: The folder to write to. purpose: The purpose of the new result. force: Whether
        existing files may be replaced. option: The option that named the folder, for messages.
        pattern: Names of other new files, such as `*.parquet`: existing files of such names that
        are not in the folder's list are not airtcp's.

    Raises:
        PlaceError: If the folder must not be written to.
    """
    if in_place(folder):
        refuse(
            f"{option} {folder}: this is not a folder; expected a folder, or a name that is free"
        )
    try:
        check_folder(folder)
    except PlaceError as error:
        refuse(f"{option} {error}")
    if force:
        return
    there = held(folder)
    other = there.purpose.said or "another command"
    if there.any and (not there.purpose.key or there.purpose.key != purpose.key):
        refuse(
            f"{option} {folder}: this folder holds the result of {other}; "
            "give another folder, or --force to replace that result"
        )
    for path in sorted(folder.glob(pattern)):
        if path.name not in there.files:
            refuse(
                f"{option} {folder}: {path.name} exists already and belongs to no result of "
                "airtcp; give another folder, or --force to replace what has the name of a new file"
            )


def replace(files: Staged, folder: Path, purpose: Purpose, part: Path | None = None) -> None:
    """Replace the result in a folder by everything in `part`.

    Args: files: With the new files. folder: The folder. purpose: Their purpose. part: The folder
        with the new files; by default the hidden folder of `folder`.
    """
    part = part or files.folder(folder)
    names = sorted(path.name for path in part.iterdir())
    for name in held(folder).files:
        if name not in names:
            files.remove(folder / name)
    listed = {
        "schema": _SCHEMA,
        "command": purpose.said,
        "purpose": purpose.key,
        "files": names,
        "sizes": {path.name: path.stat().st_size for path in sorted(part.iterdir())},
        "sha256": {path.name: _digest(path) for path in sorted(part.iterdir())},
    }
    (part / LIST).write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    for path in sorted(part.iterdir()):
        files.place(path, folder / path.name)
