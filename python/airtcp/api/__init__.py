"""The public functions, for the command line and for notebooks.

Options are keyword arguments with the command line's names and defaults. Quantities with a unit
are text ("10 ms", "54 Mb/s"). `progress` is called repeatedly with the amount done, the total and a
label. Ctrl-C stops a long call, which then returns what is finished.
"""

from __future__ import annotations

from airtcp.api.diagnose import diagnose
from airtcp.api.fit import trace_fit
from airtcp.api.info import registry, schema, version
from airtcp.api.links import models, stats, study
from airtcp.api.packet_captures import capture
from airtcp.api.papers import published, reproduce
from airtcp.api.scenarios import compare, run
from airtcp.api.schemes import compare_schemes
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
    "synth",
    "trace_fit",
    "version",
]
