"""Findings of `run` on short queues, UDP flows and hidden stations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import airtcp
from airtcp.questions.run import datagrams, groups
from airtcp.questions.run import findings as run

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp.questions.run.result import RunResult

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
    short = ran(tmp_path, LINK.format(packets=3), why="auto")
    [queue] = [text for headline, text in said(short).items() if "queue of air" in headline]
    assert "Try a longer queue: --set 'links[0].reverse.queue=" in queue
    longer = ran(tmp_path, LINK.format(packets=24))
    assert 'links[0].queue={ kind = "drop-tail", packets = 24 }' in queue
    before, after = (r.json["summary"]["total_goodput_bps"]["mean"] for r in (short, longer))
    assert before is not None
    assert after is not None
    assert after > 1.1 * before
    # A queue that is long enough is not named.
    enough = " ".join(said(ran(tmp_path, LINK.format(packets=100), why="auto")))
    assert "The link air is full" in enough
    assert "queue" not in enough


def test_udp_that_crowds_tcp_out_is_named(tmp_path: Path) -> None:
    result = ran(tmp_path, LINK.format(packets=100) + UDP, why="auto")
    found = said(result)
    assert any(text.startswith("The traffic of flow1 limits flow0: ") for text in found)
    assert "flow1 loses" in found["UDP loses datagrams"]
    tcp, udp = datagrams.shown(result.json)
    assert "timeouts" not in udp
    assert "datagram_loss" not in tcp
    # 12 Mb/s in messages of 1200 bytes are 12.28 Mb/s of packets, into 10 Mb/s.
    assert abs(udp["datagram_loss"]["mean"] - (1 - 10 / 12.28)) < 0.02


def test_hidden_stations_are_advised_to_reserve_the_medium(tmp_path: Path) -> None:
    option = "--set 'cells[0].mac.rts_threshold=0 B'"
    found = said(ran(tmp_path, HIDDEN, why="auto"))
    assert any(headline.startswith("Hidden stations of cell") for headline in found)
    assert " ".join(found.values()).count(option) == 1
    reserve = {"cells[0].mac.rts_threshold": "0 B"}
    reserved = said(ran(tmp_path, HIDDEN, overrides=reserve, why="auto"))
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
    star = 'layout = { kind = "positions", stations = [[600, 0]] }'
    text = text.replace('hops = "chain"\n', "").replace("sta2", "sta0")
    text = text.replace(text.splitlines()[2], star)
    found = " ".join(said(ran(tmp_path, text)).values())
    # Beyond the range of interference as well, there is no signal at all.
    assert "sta0 is out of range: it is 600 m from the access point" in found
