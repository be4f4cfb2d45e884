"""Shared inputs of tests: the folder of scenarios, and a lossy link."""

from __future__ import annotations

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
SCENARIOS: Final = ROOT / "scenarios"
DOCS: Final = ROOT / "docs"

LOSSY_LINK: Final = """[[links]]
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "10 ms"
loss = { model = "bernoulli", probability = 0.01 }
[[flows]]
from = "a"
to = "b"
"""
"""The links and flows of a scenario, without its duration; keys of the flow may follow."""
