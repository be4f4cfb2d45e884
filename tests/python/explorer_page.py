"""The explorer in a browser, for its tests."""

from __future__ import annotations

import base64
import re
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from browser import PATIENCE_MS

if TYPE_CHECKING:
    from browser import Browser

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "out" / "explorer" / "index.html"
BUILT = pytest.mark.skipif(not PAGE.exists(), reason="`make explorer` has not built the page")

LINK = """
duration = "20 s"
seed = 7
[[links]]
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "20 ms"
loss = { model = "gilbert-elliott", mean_loss = 0.01, mean_burst = 20, slot = "1.2 ms" }
[[flows]]
from = "a"
to = "b"
tcp = { profile = "linux", congestion = "cubic" }
"""
CELL = """
duration = "3 s"
warmup = "500 ms"
replications = 2
[[cells]]
layout = { kind = "star", stations = 6, radius_m = 5 }
rate_control = { control = "minstrel" }
mac = { access = "edca" }
schemes = [{ scheme = "ftca" }]
[[flows]]
count = 6
from = "sta*"
to = "ap"
tcp = "linux"
"""
REMEDY = """
duration = "10 s"
replications = 3
[topology]
kind = "dumbbell"
pairs = 2
[topology.bottleneck]
rate = "5 Mb/s"
delay = "10 ms"
queue = { kind = "red", ecn = true }
loss = { model = "bernoulli", probability = 0.1 }
protocol = { kind = "ll-harq" }
[[flows]]
from = "s0"
to = "r0"
transport = "lt-tcp"
[[flows]]
from = "s1"
to = "r1"
transport = "sliding"
"""


def opened(browser: Browser, fragment: str = "") -> Any:
    page = browser.blank()
    page.goto(f"{PAGE.as_uri()}{fragment}")
    return done(page)


def done(page: Any, state: str = "done") -> Any:
    page.locator(f"body[data-state={state}]").wait_for()
    return page


def until(page: Any, condition: str) -> None:
    """Wait for a condition; the page's policy refuses the browser's own waiting for one."""
    end = time.monotonic() + PATIENCE_MS / 1000
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        page.wait_for_timeout(20)


def write(page: Any, text: str) -> None:
    """Write a scenario into the page, which begins to run it before this returns."""
    page.evaluate(
        "text => { const area = document.getElementById('toml'); area.value = text;"
        " area.dispatchEvent(new Event('input')); }",
        text,
    )


def fragment(text: str) -> str:
    packed = base64.urlsafe_b64encode(zlib.compress(text.encode())).decode().rstrip("=")
    return f"#s={packed}"


def without_answer(text: str) -> str:
    """Return a document without its answer, which Python makes; the page has the numbers alone."""
    return re.sub(r'"answer":\{[^{}]*\},', "", text, count=1)


def bare(document: Any) -> Any:
    """Return the same document as a value."""
    return {key: value for key, value in document.items() if key != "answer"}
