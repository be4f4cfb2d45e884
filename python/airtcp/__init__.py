"""airtcp: a workbench for TCP over wireless links.

`study` reads the delivery trace of a link. It reports what kind of link it is, what TCP delivers
over it, and how that differs from links of the same packet reception ratio.

    >>> import airtcp
    >>> path = airtcp.synth("bursty.txt", prr=0.5, mu=0.6, packets=20_000, seed=3)
    >>> result = airtcp.study(path, replicas=5, seed=1)
    >>> link = result.json["links"][0]
    >>> link["class"], link["converged"]
    ('intermediate', True)
    >>> print(result.links.select(["packets", "class"]))
    Table: 1 row, 2 columns
    packets  class
      20000  intermediate

`run` simulates scenarios, `compare` compares TCPs, and `compare_schemes` compares the schemes of an
802.11 cell. Modules are loaded when they are first used,
so that importing the package, and the help of the command line, are fast.
"""

from __future__ import annotations

# The program has no handling of Ctrl-C yet when this module is loaded: nothing is imported here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from airtcp._core import AirtcpError, LawError, ScenarioError, TraceError
    from airtcp.data.extension import registry, version
    from airtcp.data.table import Table
    from airtcp.questions.capture.call import capture
    from airtcp.questions.capture.result import CaptureResult
    from airtcp.questions.compare.call import compare
    from airtcp.questions.compare.call_cell import compare_schemes
    from airtcp.questions.compare.result import CompareResult, SchemesResult
    from airtcp.questions.diagnose.call import diagnose
    from airtcp.questions.diagnose.result import DiagnoseResult
    from airtcp.questions.evaluate.call import evaluate
    from airtcp.questions.evaluate.result import EvaluateResult
    from airtcp.questions.fit.call import trace_fit
    from airtcp.questions.fit.result import FitResult
    from airtcp.questions.run.call import run
    from airtcp.questions.run.result import RunResult
    from airtcp.questions.schemas import schema
    from airtcp.questions.study.call import study
    from airtcp.questions.study.result import StudyResult
    from airtcp.questions.sweep.call import sweep
    from airtcp.questions.sweep.result import SweepResult
    from airtcp.questions.trace.call import convert, synth
    from airtcp.questions.trace.call_stats import models, stats

    __version__: str

__all__ = [
    "AirtcpError",
    "CaptureResult",
    "CompareResult",
    "DiagnoseResult",
    "EvaluateResult",
    "FitResult",
    "LawError",
    "RunResult",
    "ScenarioError",
    "SchemesResult",
    "StudyResult",
    "SweepResult",
    "Table",
    "TraceError",
    "__version__",
    "capture",
    "compare",
    "compare_schemes",
    "convert",
    "diagnose",
    "evaluate",
    "models",
    "registry",
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
    "AirtcpError": "airtcp._core",
    "LawError": "airtcp._core",
    "ScenarioError": "airtcp._core",
    "TraceError": "airtcp._core",
    "CaptureResult": "airtcp.questions.capture.result",
    "CompareResult": "airtcp.questions.compare.result",
    "DiagnoseResult": "airtcp.questions.diagnose.result",
    "EvaluateResult": "airtcp.questions.evaluate.result",
    "FitResult": "airtcp.questions.fit.result",
    "RunResult": "airtcp.questions.run.result",
    "SchemesResult": "airtcp.questions.compare.result",
    "StudyResult": "airtcp.questions.study.result",
    "SweepResult": "airtcp.questions.sweep.result",
    "Table": "airtcp.data.table",
    "capture": "airtcp.questions.capture.call",
    "compare": "airtcp.questions.compare.call",
    "compare_schemes": "airtcp.questions.compare.call_cell",
    "convert": "airtcp.questions.trace.call",
    "diagnose": "airtcp.questions.diagnose.call",
    "evaluate": "airtcp.questions.evaluate.call",
    "models": "airtcp.questions.trace.call_stats",
    "registry": "airtcp.data.extension",
    "run": "airtcp.questions.run.call",
    "schema": "airtcp.questions.schemas",
    "stats": "airtcp.questions.trace.call_stats",
    "study": "airtcp.questions.study.call",
    "sweep": "airtcp.questions.sweep.call",
    "synth": "airtcp.questions.trace.call",
    "trace_fit": "airtcp.questions.fit.call",
    "version": "airtcp.data.extension",
}
"""The module of each name. No module has the name of a function, which would hide the function."""


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "__version__":
        return import_module("airtcp._core").version()
    if name not in __all__:
        message = f"module 'airtcp' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
