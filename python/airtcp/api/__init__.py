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
    from airtcp.api.diagnoses import diagnose
    from airtcp.api.fit import trace_fit
    from airtcp.api.info import registry, schema, version
    from airtcp.api.links import models, stats, study
    from airtcp.api.packet_captures import capture
    from airtcp.api.papers import published, reproduce
    from airtcp.api.scenarios import compare, run
    from airtcp.api.schemes import compare_schemes
    from airtcp.api.sweeps import sweep
    from airtcp.api.traces import convert, synth
    from airtcp.arguments import PathLike, Progress, TraceFormat
    from airtcp.reading import ColumnKind, Reading

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
    "ColumnKind": "airtcp.reading",
    "PathLike": "airtcp.arguments",
    "Progress": "airtcp.arguments",
    "Reading": "airtcp.reading",
    "TraceFormat": "airtcp.arguments",
    "capture": "airtcp.api.packet_captures",
    "compare": "airtcp.api.scenarios",
    "compare_schemes": "airtcp.api.schemes",
    "convert": "airtcp.api.traces",
    "diagnose": "airtcp.api.diagnoses",
    "models": "airtcp.api.links",
    "published": "airtcp.api.papers",
    "registry": "airtcp.api.info",
    "reproduce": "airtcp.api.papers",
    "run": "airtcp.api.scenarios",
    "schema": "airtcp.api.info",
    "stats": "airtcp.api.links",
    "study": "airtcp.api.links",
    "sweep": "airtcp.api.sweeps",
    "synth": "airtcp.api.traces",
    "trace_fit": "airtcp.api.fit",
    "version": "airtcp.api.info",
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
