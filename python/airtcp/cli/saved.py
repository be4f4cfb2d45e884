"""`airtcp RESULT`: shows the answer of a saved result, a JSON document or a folder of --out."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from airtcp import _core
from airtcp.cli.console import fail
from airtcp.cli.show import put_answer
from airtcp.data.plain import printable
from airtcp.files.destinations import PlaceError, content
from airtcp.files.folder import check_digest
from airtcp.words.answer import Answer
from airtcp.words.names import shell_paths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.inputs.file_kinds import Kind

_LONGEST: Final = 1 << 30
_ANSWERS: Final = {
    "study": "study.answer",
    "run": "run.answer",
    "compare": "compare.answer",
    "schemes": "compare.answer_cell",
    "diagnose": "diagnose.answer",
    "fit": "fit.answer",
    "trace": "trace.answer",
    "models": "trace.answer_models",
    "emulate": "emulate.answer",
    "evaluate": "evaluate.answer",
    "measure": "measure.answer",
}
"""Files of questions whose answer follows from the document alone."""
_DEEPER: Final = {"trace fit": "Fit TCP to its links"}
"""What the commands that read results are for."""


def show_saved(given: Sequence[str], kind: Kind) -> None:
    """Print what a saved result answers.

    Args:
        given: The arguments, the first of them the result.
        kind: What it is.
    """
    path, *rest = given
    name = printable(path)
    details = rest == ["--details"]
    others = f"; {kind.readers(path)}" if kind.commands else ""
    if rest and not details:
        fail(f"{name}: this is {kind.name}, which is shown alone or with --details{others}")
    place = Path(path) / f"{kind.document}.json" if Path(path).is_dir() else Path(path)
    try:
        check_digest(place)
        document: Any = json.loads(content(place, _LONGEST))
        found = _answer(kind.document, document)
    except PlaceError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{name}: {error.strerror or error}")
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError):
        # Whatever a changed document may lack.
        fail(f"{name}: this is {kind.name}, but damaged: make it again{others}")
    if found is None:
        fail(f"{name}: this is {kind.name}, which has no answer: nothing was finished{others}")
    put_answer(_replaced(found, kind, path), details=details)


def _answer(kind: str, document: Any) -> Answer | None:
    """Return the answer with its table; of another version or question, its sentences."""
    said = document.get("answer")
    if document["airtcp_version"] == _core.version() and kind in _ANSWERS:
        return import_module(f"airtcp.questions.{_ANSWERS[kind]}").answer(document)
    if said is None:
        return None
    headline, *others = (said[key] for key in ("headline", "help", "doubt"))
    if not isinstance(headline, str) or {type(one) for one in others} - {str, type(None)}:
        raise TypeError
    return Answer(headline, *others)


def _replaced(answer: Answer, kind: Kind, path: str) -> Answer:
    """Say what goes deeper from a saved result, in place of what does so from the command."""
    parts = ["All: --details"] if answer.details else []
    parts += [f"{_DEEPER[one]}: airtcp {one} {shell_paths([path])}" for one in kind.commands]
    return replace(answer, next="   ".join(parts) or None)
