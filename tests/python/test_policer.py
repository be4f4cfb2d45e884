"""Captures of runs over a policer: the diagnosis names it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import airtcp

if TYPE_CHECKING:
    from pathlib import Path

RATE_MBPS = 8
LINK = """
duration = "20 s"
[[links]]
name = "link"
from = "a"
to = "b"
rate = "100 Mb/s"
delay = "15 ms"
{link}
[[flows]]
from = "a"
to = "b"
tcp = {{ profile = "linux", congestion = "cubic" }}
"""
POLICER = f'policer = {{{{ rate = "{RATE_MBPS} Mb/s", burst = "{{burst}} B" }}}}'
SHAPER = f'queue = {{ kind = "tbf", rate = "{RATE_MBPS} Mb/s", burst = "3000 B", packets = 40 }}'


def _diagnosed(link: str, place: Path) -> Any:
    airtcp.run("made", text=LINK.format(link=link), seed=1, replications=1, pcap=place)
    return airtcp.diagnose(place, seed=1).json


@pytest.mark.parametrize("burst", [15_000, 60_000])
def test_the_policer_is_named(burst: int, tmp_path: Path) -> None:
    found = _diagnosed(POLICER.format(burst=burst), tmp_path / "policed.pcapng")
    policer = found["other_link"]["policer"]
    # A small bucket makes timeouts, whose pauses are a part of the rate that is seen.
    assert policer["rate_bps"] == pytest.approx(
        RATE_MBPS * 1e6, rel=0.05 if burst == 15_000 else 0.03
    )
    assert policer["burst_bytes"] == pytest.approx(burst, rel=0.1, abs=3000)
    assert found["predictions"] == []


def test_a_shaper_is_a_link_of_its_rate(tmp_path: Path) -> None:
    found = _diagnosed(SHAPER, tmp_path / "shaped.pcapng")
    assert found["other_link"]["policer"] is None
    rate = found["link"]["rate_bps"]
    assert rate["value"] == pytest.approx(RATE_MBPS * 1e6, rel=0.03)
