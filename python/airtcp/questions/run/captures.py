"""Captures of a run: written during the run, and renamed when it is finished."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.files import atomic_write, destinations
from airtcp.files import folder as folders
from airtcp.inputs.arguments import native

if TYPE_CHECKING:
    from airtcp import _core
    from airtcp.inputs.arguments import PathLike
    from airtcp.questions.run.result import RunResult

_TOLD = {"pcap": "the capture", "radiotap": "the captures"}


@dataclass(frozen=True)
class Captures:
    """The requested captures of a run."""

    pcap: PathLike | None
    radiotap: PathLike | None
    purpose: folders.Purpose | None
    force: bool = True

    def stage(self, files: atomic_write.Staged) -> dict[str, Any]:
        """Return the options with the places to write to."""
        options: dict[str, Any] = {}
        if self.pcap is not None:
            path = Path(self.pcap)
            if destinations.in_place(path):
                options["pcap"] = native(files.file(path))
            else:
                options["pcap"] = native(self._part(files, path))
        if self.radiotap is not None:
            part = files.folder(Path(self.radiotap)) / "radiotap"
            part.mkdir()
            options["radiotap"] = native(part)
        return options

    def _part(self, files: atomic_write.Staged, path: Path) -> Path:
        part = files.folder(path.parent, wanted=path) / "pcap"
        part.mkdir(exist_ok=True)
        return part / path.name

    def _taken(self, files: atomic_write.Staged, folder: Path) -> str | None:
        """Return why the folder may no longer be written to, if another run wrote there."""
        files.hold(folder)
        if self.purpose is None:
            return None
        try:
            folders.check(
                folder, self.purpose, force=self.force, option="--radiotap", pattern="*.pcapng"
            )
        except destinations.PlaceError as error:
            return str(error).partition("; ")[0]
        return None

    def placed(
        self, files: atomic_write.Staged, result: RunResult, core: _core.RunResult
    ) -> RunResult:
        """Rename the captures to their final names, and list these in the result.

        A capture that could not be written is left out. A capture of a stopped run gets another
        name, so that nobody takes it for a complete one.
        """
        lost = dict(core.lost)
        for option, place in (("pcap", self.pcap), ("radiotap", self.radiotap)):
            if place is None:
                continue
            if option in lost:
                why = f"{_TOLD[option]} {place} could not be written: {lost[option]}"
                result.unwritten.append(f"{why}; the results do not depend on it")
                continue
            path = Path(place)
            if not core.recorded and not destinations.in_place(path):
                path = atomic_write.free(path)
            elif option == "radiotap" and (taken := self._taken(files, path)) is not None:
                path = atomic_write.free(path, "kept")
                result.unwritten.append(f"{taken}; the captures of this run are kept in {path}")
            if option == "radiotap":
                part = files.folder(Path(place)) / "radiotap"
                folders.replace(files, path, self.purpose or folders.Purpose(), part=part)
            elif not destinations.in_place(path):
                files.place(self._part(files, Path(place)), path)
            result.captures.append(str(path))
        return result
