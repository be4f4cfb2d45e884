"""The public functions, for the command line and for notebooks.

Options are keyword arguments with the command line's names and defaults. Quantities with a unit
are text ("10 ms", "54 Mb/s"). `progress` is called repeatedly with the amount done, the total and a
label. Ctrl-C stops a long call, which then returns what is finished.
"""

from __future__ import annotations

# Each command uses one or two of these modules, and loading all of them takes longer than a short
# run: they are loaded when they are first used.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from airtcp.inputs.arguments import PathLike, Progress, TraceFormat
    from airtcp.inputs.reading import ColumnKind, Reading
    from airtcp.papers.call import published, reproduce
    from airtcp.questions.capture.call import capture
    from airtcp.questions.compare.call_cell import compare_schemes
    from airtcp.questions.diagnose.call import diagnose
    from airtcp.questions.fit.call import trace_fit
    from airtcp.questions.info import registry, schema, version
    from airtcp.questions.scenarios import compare, run
    from airtcp.questions.study.call import models, stats, study
    from airtcp.questions.sweep.call import sweep
    from airtcp.questions.trace.call import convert, synth

__all__ = [
    "ColumnKind",
    "PathLike",
    "Progress",
    "Reading",
    "TraceFormat",
    "capture",
    "compare",
    "compare_schemes",
    "convert",
    "diagnose",
    "models",
    "published",
    "registry",
    "reproduce",
    "run",
    "schema",
    "stats",
    "study",
    "sweep",
    "synth",
    "trace_fit",
    "version",
]

_HOME = {
    "ColumnKind": "airtcp.inputs.reading",
    "PathLike": "airtcp.inputs.arguments",
    "Progress": "airtcp.inputs.arguments",
    "Reading": "airtcp.inputs.reading",
    "TraceFormat": "airtcp.inputs.arguments",
    "capture": "airtcp.questions.capture.call",
    "compare": "airtcp.questions.scenarios",
    "compare_schemes": "airtcp.questions.compare.call_cell",
    "convert": "airtcp.questions.trace.call",
    "diagnose": "airtcp.questions.diagnose.call",
    "models": "airtcp.questions.study.call",
    "published": "airtcp.papers.call",
    "registry": "airtcp.questions.info",
    "reproduce": "airtcp.papers.call",
    "run": "airtcp.questions.scenarios",
    "schema": "airtcp.questions.info",
    "stats": "airtcp.questions.study.call",
    "study": "airtcp.questions.study.call",
    "sweep": "airtcp.questions.sweep.call",
    "synth": "airtcp.questions.trace.call",
    "trace_fit": "airtcp.questions.fit.call",
    "version": "airtcp.questions.info",
}
"""The module of each name. No module has the name of a function, which would hide the function."""


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in _HOME:
        message = f"module 'airtcp.api' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
