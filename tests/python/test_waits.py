"""What senders wait for, beside what the analysis of their packets finds without knowing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import airtcp

if TYPE_CHECKING:
    from pathlib import Path

LIMITS = {
    "application": ("application",),
    "receive_window": ("receive_window",),
    "pacing": ("pacing",),
    "window": ("slow_start", "congestion_window"),
    "recovery": ("recovery",),
}
"""Limits of a capture. It sees slow start only before the first loss: both windows are one here."""
WAITS = {
    "application": ("application",),
    "receive_window": ("receive_window",),
    "pacing": ("pacing",),
    "window": ("window_growth", "window_after_loss", "window_after_mark", "window_model"),
    "recovery": ("recovery", "timeout"),
}
"""The states of a sender that correspond to them; see `Wait::capture_name`."""

SCENARIO = """
duration = "30 s"

[[links]]
from = "client"
to = "server"
[links.forward]
rate = "10 Mb/s"
delay = "20 ms"
{link}
[links.reverse]
rate = "10 Mb/s"
delay = "20 ms"

[[flows]]
from = "client"
to = "server"
{flow}
"""
CASES = {
    "receive buffer": ("", 'tcp = { receive_buffer = "16 kB" }', "receive_window"),
    "application": (
        "",
        'app = { kind = "constant-rate", rate = "1 Mb/s", message = "1000 B" }',
        "application",
    ),
    "full link": (
        'queue = { kind = "drop-tail", packets = 35 }',
        'tcp = { congestion = "reno" }',
        "window",
    ),
    "marks": (
        'queue = { kind = "red", ecn = true }',
        'tcp = { congestion = "cubic", ecn = true }',
        "window",
    ),
    "losses": (
        'loss = { model = "bernoulli", probability = 0.01 }',
        'tcp = { profile = "linux", congestion = "cubic" }',
        "window",
    ),
    "pacing": (
        'queue = { kind = "drop-tail", packets = 100 }',
        'tcp = { profile = "linux", congestion = "bbr" }',
        "pacing",
    ),
    "blackout": (
        'loss = { model = "blackout", period = "100 s", duration = "5 s", phase = "10 s" }',
        "tcp = { max_window = 16 }",
        "window",
    ),
}
TOLERANCE = 0.05
"""Greatest difference of a share."""
PACED = 0.3
"""The same for a paced sender: a capture sees segments that leave apart from ACKs."""


def _shares(
    of: dict[str, float], names: dict[str, tuple[str, ...]], prefix: str
) -> dict[str, float]:
    """Return the shares of groups of names, of those that a capture shows."""
    sums = {group: sum(of[prefix + name] for name in keys) for group, keys in names.items()}
    all_of_them = sum(sums.values())
    return {group: share / all_of_them for group, share in sums.items()}


@pytest.mark.parametrize("case", CASES)
def test_a_capture_agrees_with_its_sender(case: str, tmp_path: Path) -> None:
    link, flow, expected = CASES[case]
    place = tmp_path / "run.pcapng"
    text = SCENARIO.format(link=link, flow=flow)
    result = airtcp.run("waits", text=text, seed=3, replications=1, pcap=place)
    sender = result.json["replications"][0]["flows"][0]
    ours = _shares(sender, WAITS, "waits_")
    (connection,) = airtcp.capture(place)["connections"]
    seen = _shares(connection["directions"][0]["limited_by"], LIMITS, "")
    assert max(ours, key=ours.__getitem__) == expected, ours
    assert max(seen, key=seen.__getitem__) == expected, seen
    for group, share in ours.items():
        tolerance = PACED if case == "pacing" else TOLERANCE
        assert abs(share - seen[group]) < tolerance, (group, ours, seen)


def test_a_capture_does_not_show_a_full_send_buffer(tmp_path: Path) -> None:
    place = tmp_path / "run.pcapng"
    text = SCENARIO.format(link="", flow='tcp = { send_buffer = "16 kB" }')
    result = airtcp.run("waits", text=text, seed=3, replications=1, pcap=place)
    sender = result.json["replications"][0]["flows"][0]
    assert sender["waits_most_for"] == "send_buffer"
    assert sender["waits_send_buffer"] > 0.8
    (connection,) = airtcp.capture(place)["connections"]
    limits = connection["directions"][0]["limited_by"]
    assert max(limits, key=limits.__getitem__) in {"congestion_window", "application", "pacing"}, (
        limits
    )


def test_shares_are_metrics_of_flows() -> None:
    text = SCENARIO.format(link="", flow='tcp = { congestion = "cubic" }')
    result = airtcp.run("waits", text=text, replications=2, overrides={"duration": "5 s"})
    flow = result.json["replications"][0]["flows"][0]
    keys = [key for key in flow if key.startswith("waits_") and key != "waits_most_for"]
    assert len(keys) == 12
    assert sum(flow[key] for key in keys) == pytest.approx(1.0, abs=1e-12)
    assert flow["waits_most_for"] == max(keys, key=flow.__getitem__).removeprefix("waits_")
    estimates = result.json["summary"]["flows"][0]
    means = sum(estimates[key]["mean"] for key in keys)
    assert means == pytest.approx(1.0, abs=1e-12)
    columns = result.table("flows").columns
    assert {*keys, "waits_most_for"} <= set(columns)


def test_absent_states_are_absent() -> None:
    app = '{ kind = "constant-rate", rate = "1 Mb/s", message = "1000 B" }'
    text = SCENARIO.format(link="", flow=f'transport = "udp"\napp = {app}')
    result = airtcp.run("waits", text=text, replications=1, overrides={"duration": "5 s"})
    flow = result.json["replications"][0]["flows"][0]
    waits = {key: value for key, value in flow.items() if key.startswith("waits_")}
    assert waits == {"waits_application": 1.0, "waits_most_for": "application"}
