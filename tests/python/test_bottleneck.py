"""The bottleneck of simulated links by their captures, beside the counters of the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.questions.capture.call import logged
from airtcp.questions.diagnose.points import bulk_of, chosen
from airtcp.questions.diagnose.unknowable import BATCH

if TYPE_CHECKING:
    from pathlib import Path

LINK = """
duration = "8 s"
[[links]]
name = "link"
from = "a"
to = "b"
rate = "{rate} Mb/s"
delay = "20 ms"
queue = {queue}
{loss}
[[flows]]
from = "a"
to = "b"
tcp = {{ profile = "linux", congestion = "{law}"{tcp} }}
{app}
"""
DROP_TAIL = '{ kind = "drop-tail", packets = 40 }'


BESIDE = """
duration = "10 s"
[[links]]
name = "side"
from = "c"
to = "a"
rate = "100 Mb/s"
delay = "1 ms"
queue = {{ kind = "drop-tail", packets = 1000 }}
[[links]]
name = "link"
from = "a"
to = "b"
rate = "{rate} Mb/s"
delay = "{delay} ms"
queue = {{ kind = "drop-tail", packets = {packets} }}
[[flows]]
from = "a"
to = "b"
tcp = {{ profile = "linux", congestion = "cubic" }}
[[flows]]
from = "c"
to = "b"
tcp = {{ profile = "linux", congestion = "{law}" }}
"""


def _loss(probability: float) -> str:
    return f'loss = {{ model = "bernoulli", probability = {probability} }}'


def _made(folder: Path, seed: int = 1, **keys: Any) -> tuple[dict[str, Any], dict[str, int]]:
    """Simulate a transfer: its bottleneck as the capture shows it, and what dropped packets."""
    place = folder / "made.pcapng"
    usual = {"rate": 10, "queue": DROP_TAIL, "loss": "", "law": "cubic", "tcp": "", "app": ""}
    text = LINK.format(**{**usual, **keys})
    done = airtcp.run("made", text=text, seed=seed, replications=1, pcap=place)
    read = logged(place)
    number = chosen(read.json)
    found = read.bottleneck(number, bulk_of(read.json["connections"][number])["from"])
    assert found is not None
    return found, done.json["replications"][0]["links"][0]["drops"]


def _origins(found: dict[str, Any]) -> dict[str, int]:
    lost = [each["origin"] for each in found["lost_packets"]]
    return {origin: lost.count(origin) for origin in ("queue", "link", "unknown")}


@pytest.mark.parametrize("law", ["cubic", "reno", "bbr1"])
def test_rate_queue_and_origins_are_those_of_the_link(tmp_path: Path, law: str) -> None:
    """The rate is within 0.5 %, the queue within one packet, and losses have their origin."""
    wrong = total = 0
    for seed in range(1, 6):
        found, drops = _made(tmp_path, seed, law=law, loss=_loss(0.002))
        assert found["rate"]["value_bps"] == pytest.approx(1e7, rel=0.005)
        origins = _origins(found)
        if drops["queue_full"] >= 8:
            assert found["queue"]["packets"] in {40, 41}
            wrong += origins["unknown"]
        # Fewer drops show no level: the origin of losses in a long queue is then unknown.
        wrong += max(origins["queue"] - drops["queue_full"], 0)
        wrong += max(origins["link"] - drops["loss"], 0)
        total += drops["queue_full"] + drops["loss"]
    assert wrong <= 0.05 * total


def test_random_losses_make_no_queue_and_no_other_link(tmp_path: Path) -> None:
    """Of 20 links that only lose packets, one at most has a level or is another link."""
    wrong = 0
    for seed in range(1, 21):
        queue = '{ kind = "drop-tail", packets = 4000 }'
        found, drops = _made(tmp_path, seed, loss=_loss(0.005), queue=queue)
        assert drops["queue_full"] == 0
        tests = ("policer", "aqm", "shared", "stand_stills")
        spoke = [test for test in tests if found[test] and found[test]["found"]]
        wrong += found["queue"] is not None or bool(spoke)
        assert found["application"] is None
    assert wrong <= 1


@pytest.mark.parametrize("law", ["cubic", "bbr1"])
def test_traffic_of_another_host_in_the_queue_is_seen(tmp_path: Path, law: str) -> None:
    """The drops of a transfer show that a transfer of another host fills the queue, too."""
    place = tmp_path / "made.pcapng"
    for seed in range(1, 7):
        keys = {"rate": 10 + 2 * seed, "delay": 8 + 3 * seed, "packets": 20 + 8 * seed}
        text = BESIDE.format(law=law, **keys)
        airtcp.run("made", text=text, seed=seed, replications=1, pcap=place)
        read = logged(place)
        # The transfer with CUBIC; the other host's may have more bytes.
        senders = [bulk_of(connection)["from"] for connection in read.json["connections"]]
        (number,) = [i for i, sender in enumerate(senders) if sender.startswith("10.0.0.1:")]
        found = read.bottleneck(number, senders[number])
        assert found is not None
        assert found["connections"] == 1
        assert found["shared"]["drops"] >= 8
        assert found["shared"]["found"]


@pytest.mark.parametrize("law", ["cubic", "reno", "bbr1"])
@pytest.mark.parametrize("packets", [5, 10])
def test_a_short_queue_is_not_shared(tmp_path: Path, law: str, packets: int) -> None:
    """A backlog that varies by the packet in transmission does not vary."""
    queue = f'{{ kind = "drop-tail", packets = {packets} }}'
    for rate in (5, 20):
        found, drops = _made(tmp_path, law=law, rate=rate, queue=queue)
        assert drops["queue_full"] >= 5
        assert found["shared"] is None or not found["shared"]["found"], rate
        assert found["rate"]["value_bps"] == pytest.approx(rate * 1e6, rel=0.005)


def test_a_transfer_alone_shares_no_queue(tmp_path: Path) -> None:
    """Of 12 queues that one transfer fills, none is shared, and none serves batches."""
    for seed in range(1, 13):
        law = ("cubic", "reno", "bbr1")[seed % 3]
        found, _ = _made(tmp_path, seed, law=law)
        assert found["shared"] is None or not found["shared"]["found"]
        assert found["batch_packets"] < BATCH


def test_codel_has_no_length_and_is_named(tmp_path: Path) -> None:
    """No drop-tail level under CoDel; with 8 drops or more most are named, by the rule."""
    named = many = 0
    for seed in range(1, 13):
        found, drops = _made(tmp_path, seed, queue='{ kind = "codel", limit = 1000 }', law="reno")
        assert found["queue"] is None
        aqm: Any = found["aqm"]
        is_named = aqm is not None and aqm["found"]
        if is_named:
            # CoDel dropped what found a queue, and the link lost nothing.
            assert found["link_losses"] == 0
            assert found["aqm"]["codel"]["found"]
            assert 0 < found["link_exposed"] < found["transmissions"]
        if drops["queue_early"] >= 8:
            many += 1
            named += is_named
    assert named >= 0.8 * many


@pytest.mark.parametrize(
    "queue",
    [
        '{ kind = "pie" }',
        '{ kind = "red", min = 8, max = 30, max_p = 0.1, limit = 120 }',
    ],
)
def test_another_discipline_is_not_called_codel(tmp_path: Path, queue: str) -> None:
    """PIE and RED leave long waits without a drop, or drop sooner."""
    for seed in range(1, 9):
        found, _ = _made(tmp_path, seed, queue=queue, law=("cubic", "reno")[seed % 2])
        assert found["aqm"] is None or not found["aqm"]["codel"]["found"]


def test_bursts_over_a_drop_tail_queue_are_no_discipline(tmp_path: Path) -> None:
    """A burst is one event: its packets found the same backlog for one reason."""
    wrong = 0
    for seed in range(1, 17):
        loss = (
            'loss = { model = "gilbert-elliott", mean_loss = 0.02, mean_burst = 8, slot = "1 ms" }'
        )
        queue = '{ kind = "drop-tail", packets = 300 }'
        law = ("cubic", "reno", "bbr1")[seed % 3]
        found, _ = _made(tmp_path, seed, loss=loss, queue=queue, rate=10 + seed, law=law)
        assert found["aqm"] is None or not found["aqm"]["codel"]["found"]
        wrong += found["aqm"] is not None and found["aqm"]["found"]
        assert not (found["shared"] and found["shared"]["found"])
    assert wrong <= 1


DOWNLOADS = """
duration = "8 s"
[[links]]
name = "link"
from = "router"
to = "client"
rate = "{rate} Mb/s"
delay = "3 ms"
queue = {{ kind = "drop-tail", packets = {packets} }}
"""
DOWNLOAD = """
[[links]]
from = "server{n}"
to = "router"
rate = "1000 Mb/s"
delay = "{delay} ms"
queue = {{ kind = "drop-tail", packets = 10000 }}
[[flows]]
from = "server{n}"
to = "client"
tcp = {{ profile = "linux", congestion = "{law}" }}
"""


def _download(folder: Path, seed: int, number: int) -> dict[str, Any]:
    """The bottleneck as the first of some downloads behind a router shows it."""
    text = DOWNLOADS.format(rate=8 + 2 * seed, packets=40 + 5 * seed)
    for n in range(number):
        law = ("cubic", "reno", "cubic", "bbr1", "reno")[n]
        text += DOWNLOAD.format(n=n, delay=8 + 7 * n + seed, law=law)
    place = folder / "made.pcapng"
    airtcp.run("made", text=text, seed=seed, replications=1, pcap=place)
    read = logged(place)
    clients = [each["client"] for each in read.json["connections"]]
    one = next(at for at, client in enumerate(clients) if client.startswith("10.0.0.1:"))
    found = read.bottleneck(one, clients[one])
    assert found is not None
    return found


def test_one_of_five_downloads_shares_the_queue(tmp_path: Path) -> None:
    """Its packets wait for those of others; without the others, the same path is its own."""
    found = [_download(tmp_path, seed, 5) for seed in range(1, 9)]
    assert sum(each["shared"]["found"] for each in found) >= 7
    # What dropped them is not told: the link loses nothing here.
    named = [each for each in found if each["shared"]["found"]]
    assert all(lost["origin"] == "unknown" for each in named for lost in each["lost_packets"])
    assert not any(each["aqm"] and each["aqm"]["found"] for each in named)
    alone = [_download(tmp_path, seed, 1) for seed in range(1, 9)]
    assert not any(each["shared"] and each["shared"]["found"] for each in alone)


def test_a_capture_without_sack_shows_the_same_link(tmp_path: Path) -> None:
    """Without SACK, the virtual queue gives the rate within 0.5 % and the level within 1."""
    tcp = ', sack = false, recovery = "newreno"'
    with_sack, _ = _made(tmp_path)
    without, _ = _made(tmp_path, tcp=tcp)
    assert not without["has_sack"]
    for found in (with_sack, without):
        assert found["rate"]["value_bps"] == pytest.approx(1e7, rel=0.005)
        assert abs(found["queue"]["packets"] - 40.5) <= 1.5


def test_an_application_has_its_rate(tmp_path: Path) -> None:
    """6 Mb/s in blocks of 64 kB over 40 Mb/s, within 1 %."""
    app = 'app = { kind = "constant-rate", rate = "6 Mb/s", message = "65536 B" }'
    found, _ = _made(tmp_path, rate=40, app=app, law="bbr1", loss=_loss(0.01))
    assert found["application"]["is_steady"]
    assert found["application"]["rate_bps"] == pytest.approx(6e6, rel=0.01)


def test_a_paced_transfer_that_never_queues_shows_no_rate(tmp_path: Path) -> None:
    """Packets 40 ms apart say nothing but a lower bound."""
    app = 'app = { kind = "constant-rate", rate = "0.2 Mb/s", message = "1000 B" }'
    found, _ = _made(tmp_path, app=app)
    assert found["rate"]["kind"] == "none"
    assert found["rate"]["value_bps"] < 1e6


def test_the_table_of_transmissions_counts_what_was_sent(tmp_path: Path) -> None:
    """Each copy is a row, with the losses of the run."""
    place = tmp_path / "made.pcapng"
    _, drops = _made(tmp_path, loss=_loss(0.01))
    table = airtcp.capture(place, series=True).table("transmissions").to_polars()
    lost = table["lost"].sum()
    sent = drops["loss"] + drops["queue_full"]
    assert sent - 8 <= lost <= sent
    assert max(table["backlog_packets"].to_list()) <= 41
    assert set(table["fate"].unique()) <= {"delivered", "lost", "needless", "unknown"}
