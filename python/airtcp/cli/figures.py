"""The option --figures: every chart of a report, as files for paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.cli.console import fail, note, refusals

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp.cli.options import FigureWidth
    from airtcp.questions.shown import Shown

_FORMATS: Final = ("svg", "pdf")


def check(folder: Path, *, force: bool) -> None:
    """Refuse before the work a folder that has figures, and a missing library.

    Args: folder: The folder of --figures. force: The value of --force.
    """
    from airtcp.charts import draw

    with refusals():
        draw.library()
    if folder.exists() and not folder.is_dir():
        fail(f"--figures {folder} is a file; expected a folder, or a name that is free")
    if force or not folder.is_dir():
        return
    there = sorted(path.name for kind in _FORMATS for path in folder.glob(f"*.{kind}"))
    if there:
        fail(f"--figures {folder} has {there[0]}; --force replaces figures of the same names")


def write(result: Shown, folder: Path, width: FigureWidth, *, quiet: bool) -> None:
    """Write the figures of a result.

    Args: result: The result. folder: The folder. width: Their width. quiet: Whether to print no
        note.
    """
    from airtcp.words.sentences import counted

    files = result.save_figures(folder, width=width.value, formats=_FORMATS)
    if not files:
        note("figures: none, because no chart has data", quiet=quiet)
        return
    note(f"figures: {folder} ({counted(len(files), 'file')})", quiet=quiet)
