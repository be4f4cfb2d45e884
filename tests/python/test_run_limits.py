"""Findings of `run` on short queues, UDP flows and hidden stations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import airtcp
from airtcp.findings import datagrams, groups, run

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp.results import RunResult

LINK = """
duration = "10 s"
replications = 3
[[links]]
name = "air"
from = "a"
to = "b"
rate = "10 Mb/s"
delay = "20 ms"
queue = {{ kind = "drop-tail", packets = {packets} }}
[[flows]]
from = "a"
to = "b"
tcp = "linux"
"""
UDP = """
[[flows]]
from = "a"
to = "b"
transport = "udp"
app = { kind = "constant-rate", rate = "12 Mb/s", message = "1200 B" }
"""
LOSES_ALL = 'loss = { model = "bernoulli", probability = 1.0 }\n'
HIDDEN = """
duration = "4 s"
warmup = "1 s"
replications = 3
[[cells]]
standard = "802.11g"
rate = "24 Mb/s"
layout = { kind = "positions", stations = [[-55, 0], [55, 0]], access_point = [0, 0] }
propagation.path_loss = { model = "log-distance", exponent = 3.0, reference_loss_db = 40 }
[[flows]]
from = "sta0"
to = "ap"
[[flows]]
from = "sta1"
to = "ap"
"""


def ran(folder: Path, text: str, **options: object) -> RunResult:
    path = folder / "scenario.toml"
    path.write_text(text)
    return airtcp.run(path, **options)  # pyright: ignore[reportArgumentType]


def said(result: RunResult) -> dict[str, str]:
    return {found.headline: found.text for found in run.findings(result.json)}


def test_a_short_queue_is_named_and_what_is_advised_helps(tmp_path: Path) -> None:
    found = said(ran(tmp_path, LINK.format(packets=3)))
    text = found["The queue of air limits the flows"]
    assert "No link is full, and losses do not limit the flows" not in found
    path, _, value = text.split("--set '")[1].split("'")[0].partition("=")
    longer = ran(tmp_path, LINK.format(packets=3), overrides={path: value})
    assert "air is the bottleneck" in said(longer)


def test_a_long_queue_is_not_advised_to_grow(tmp_path: Path) -> None:
    both = LINK.format(packets=100) + '[[flows]]\nfrom = "b"\nto = "a"\ntcp = "linux"\n'
    text = said(ran(tmp_path, both))["The queue of air limits the flows"]
    assert "Try" not in text


def test_udp_that_crowds_tcp_out_is_named(tmp_path: Path) -> None:
    result = ran(tmp_path, LINK.format(packets=100) + UDP)
    found = said(result)
    assert "flow1 sent 12.0 Mb/s" in found["UDP leaves little to flow0"]
    assert "flow1 loses" in found["UDP loses datagrams"]
    tcp, udp = datagrams.shown(result.json)
    assert "timeouts" not in udp
    assert "datagram_loss" not in tcp
    # 12 Mb/s in messages of 1200 bytes are 12.28 Mb/s of packets, into 10 Mb/s.
    assert abs(udp["datagram_loss"]["mean"] - (1 - 10 / 12.28)) < 0.02


def test_hidden_stations_are_advised_to_reserve_the_medium(tmp_path: Path) -> None:
    found = said(ran(tmp_path, HIDDEN))
    assert "Hidden stations collide" in found
    option = "--set 'cells[0].mac.rts_threshold=0 B'"
    assert " ".join(found.values()).count(option) == 1
    assert "rate_control" not in " ".join(found.values())
    reserved = said(ran(tmp_path, HIDDEN, overrides={"cells[0].mac.rts_threshold": "0 B"}))
    assert "Hidden stations collide" not in reserved
    assert option not in " ".join(reserved.values())


def test_the_total_says_over_which_time_it_is(tmp_path: Path) -> None:
    whole = ran(tmp_path, LINK.format(packets=100))
    assert groups.over(whole.json) == ""
    part = ran(tmp_path, LINK.format(packets=100) + 'app = { kind = "bulk", size = "1 MB" }\n')
    assert "measured time" in groups.over(part.json)


def test_who_is_out_of_range_is_told_so(tmp_path: Path) -> None:
    text = HIDDEN.replace("[-55, 0], [55, 0]", "[5, 0], [400, 0]")
    found = said(ran(tmp_path, text))
    assert "sta1 is out of range" in found["Nothing got through: flow1"]
    assert "rate_control" not in " ".join(found.values())


def test_beyond_a_range_no_rate_is_advised(tmp_path: Path) -> None:
    text = (
        'duration = "3 s"\n[[cells]]\nhops = "chain"\n'
        'layout = { kind = "line", stations = 3, spacing_m = 300 }\n'
        'propagation.path_loss = { model = "ranges" }\n'
        '[[flows]]\nfrom = "sta2"\nto = "ap"\n'
    )
    found = " ".join(said(ran(tmp_path, text)).values())
    assert "sta2 is out of range: it is 300 m from the previous node of the chain" in found
    assert "up to 250 m" in found
    assert "rate_control" not in found
    star = 'layout = { kind = "positions", stations = [[600, 0]] }'
    text = text.replace('hops = "chain"\n', "").replace("sta2", "sta0")
    text = text.replace(text.splitlines()[2], star)
    found = " ".join(said(ran(tmp_path, text)).values())
    # Beyond the range of interference as well, there is no signal at all.
    assert "sta0 is out of range: it is 600 m from the access point" in found


def test_a_link_that_loses_all_needs_no_remedy(tmp_path: Path) -> None:
    text = LINK.format(packets=100).replace("[[flows]]", LOSES_ALL + "[[flows]]")
    found = said(ran(tmp_path, text))
    assert "It loses all of its packets." in found["Losses of air stop the flows"]
    assert "Try" not in " ".join(found.values())


def test_nothing_is_said_of_losses_where_flows_end(tmp_path: Path) -> None:
    text = LINK.format(packets=100) + 'app = { kind = "bulk", size = "1 MB" }\n'
    found = said(ran(tmp_path, text))
    assert "what limits a flow while it sends is not judged" in found["No link is full"]


def test_losses_and_drops_share_the_reductions(tmp_path: Path) -> None:
    loss = 'loss = { model = "bernoulli", probability = 0.002 }\n'
    text = LINK.format(packets=10).replace("[[flows]]", loss + "[[flows]]")
    found = said(ran(tmp_path, text))
    named = found.get("Losses of air limit the flows") or found["The queue of air limits the flows"]
    assert "packets lost and" in named or "lost ones a flow" in named
