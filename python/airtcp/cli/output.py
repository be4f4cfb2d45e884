"""The output options of every command that makes a result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from airtcp.cli import options as opt
from airtcp.cli.expand import Command, expanded, option
from airtcp.cli.options import Format

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from airtcp.cli.places import Places
    from airtcp.data.table import Table
    from airtcp.questions.result_files import Written

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Output:
    """The requested output of a command."""

    out: Path | None = None
    as_json: bool = False
    form: Format = Format.TABLE
    html: Path | None = None
    show: bool = False
    force: bool = False
    quiet: bool = False
    details: bool = False
    """Whether to print everything, and not only the answer."""
    figures: Path | None = None
    """The folder for figures."""
    figure_width: opt.FigureWidth = opt.FigureWidth.COLUMN
    asked: dict[str, Any] = field(default_factory=dict[str, Any])
    """All arguments of the command."""

    @property
    def format(self) -> Format:
        """The format of the printed result."""
        return Format.JSON if self.as_json else self.form

    def wanted(self) -> dict[str, object]:
        """The options by name that ask for a result, with their values."""
        return {
            "--json": self.as_json,
            "--format": self.form is not Format.TABLE,
            "--details": self.details,
            "--html": self.html,
            "--out": self.out,
            "--figures": self.figures,
            "--open": self.show,
        }

    def places(self, inputs: Iterable[str | Path], **captures: Path | None) -> Places:
        """Decide the places of the result, as `places.decide` does.

        Args: inputs: The inputs of the command. captures: As for `places.decide`.
        """
        from airtcp.cli import figures, places

        if self.show and self.html is None and self.out is None:
            places.refuse_open()
        if self.figures is not None:
            figures.check(self.figures, force=self.force)
        return places.decide(
            self.asked,
            out=self.out,
            html=self.html,
            force=self.force,
            inputs=inputs,
            **captures,
        )

    def finish(
        self,
        result: Written,
        where: Places,
        *,
        rows: Callable[[], tuple[Table, Sequence[Any]]],
        stopped: str | None,
        finished: int,
        failed: str | None = None,
        rest: Callable[[], None] | None = None,
    ) -> None:
        """Write and print the result, as `write.finish` does, and write its figures.

        `rest` prints what follows the answer with `--details`.
        """
        from airtcp.cli import figures, show, write

        folder = self.figures

        def drawn() -> None:
            if folder is not None:
                figures.write(result, folder, self.figure_width, quiet=self.quiet)

        write.finish(
            result,
            where,
            self.format,
            table=lambda: show.put_result(
                result.shown().answer() if finished else None, rest, details=self.details
            ),
            text=result.put_text,
            rows=rows,
            drawn=drawn,
            show=self.show,
            quiet=self.quiet,
            stopped=stopped,
            finished=finished,
            failed=failed,
        )


def kept(call: Callable[[], _Result]) -> tuple[_Result, str | None]:
    """Make a call; if a law fails, return what is finished with its error."""
    from airtcp._core import LawError

    try:
        return call(), None
    except LawError as error:
        if error.result is None:
            raise
        return error.result, str(error)


STANDARD: Final = Output()
_OPTIONS: Final = (
    option("out", opt.Out),
    option("as_json", opt.Json, default=False),
    option("form", opt.TableFormat, Format.TABLE),
    option("details", opt.Details, default=False),
    option("html", opt.Html),
    option("figures", opt.Figures),
    option("figure_width", opt.Wide, opt.FigureWidth.COLUMN),
    option("show", opt.Open, default=False),
    option("force", opt.Force, default=False),
    option("quiet", opt.Quiet, default=False),
)


def writes_report_on_request(command: Command) -> Command:
    """Replace the argument `output` of a command by the output options.

    The command writes a report only with --html or --out.
    """
    return expanded(command, "output", _OPTIONS, _gathered)


def _gathered(values: dict[str, Any], asked: dict[str, Any]) -> Output:
    return Output(**values, asked=asked)
