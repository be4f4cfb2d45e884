"""The answer of `capture`: its grammar, and the right words for captures made by hand."""

from __future__ import annotations

import copy
import functools
import importlib
import json
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.questions.capture import charts_answer, rows_answer, tables
from airtcp.questions.capture import rows as capture_rows
from airtcp.questions.capture.answer import HEAD, answer
from airtcp.words.sentences import Finding
from grammar import LINES, problems

if TYPE_CHECKING:
    from collections.abc import Callable

    from airtcp.words.answer import Answer
    from conftest import Program

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "crates/capture/tests/data"
INPUTS = (
    *[[path] for path in sorted(DATA.glob("*/*.pcap.gz"))],
    *[sorted(DATA.glob(f"{name}/*.pcap.gz")) for name in ("loss", "freeze", "bbr")],
    *[sorted(DATA.glob(f"{name}/*.pcap.gz")) for name in ("joined-lossy", "joined-stall")],
)
sys.path.insert(0, str(ROOT / "tests" / "captures"))
make: Any = importlib.import_module("make")


def _names(document: dict[str, Any]) -> list[str]:
    """Names in sentences: ends, stations, files, and the standard."""
    found = [d["from"] for c in document["connections"] for d in c["directions"]]
    found += [name for c in document["connections"] for name in (c["client"], c["server"])]
    found += [link[end] for link in document["links"] for end in ("transmitter", "receiver")]
    found += [Path(file["path"]).name for file in document["files"]]
    return [*found, *map(tables.file_name, found), "802.11"]


def _lines(said: Answer) -> int:
    text = sum(-(-len(sentence) // 100) for sentence in said.sentences)
    if said.table is None:
        return text + 1
    heads = max(column.head.count("\n") for column in said.table.columns)
    # A blank line above and below, the headings, a line, the rows, and what is left out.
    return text + heads + len(said.table.names) + 6


def _width(said: Answer) -> int:
    if said.table is None:
        return 0
    grid = said.table
    widths = [max(map(len, [grid.head, *grid.names]))]
    widths += [max(map(len, [*c.head.split("\n"), *c.cells])) for c in grid.columns]
    return sum(widths) + 2 * len(widths)


def _right(said: Answer, document: dict[str, Any]) -> None:
    assert problems(said, _names(document)) == []
    assert _lines(said) <= LINES
    assert _width(said) <= 100
    assert said.next is not None
    assert "\n" not in said.next


@pytest.mark.parametrize("paths", INPUTS, ids=lambda paths: "-".join(p.parent.name for p in paths))
def test_every_capture_has_an_answer_of_the_grammar(paths: list[Path]) -> None:
    result = airtcp.capture(paths)
    _right(result.answer(), result.json)
    assert json.loads(result.text) == result.json
    assert result.json["answer"] == result.answer().document()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("captures")
    make.write(found)
    return found


def test_rare_captures_have_an_answer_of_the_grammar(folder: Path) -> None:
    for path in sorted(folder.iterdir()):
        result = airtcp.capture(path)
        _right(result.answer(), result.json)


@functools.cache
def _loss() -> dict[str, Any]:
    return airtcp.capture(DATA / "loss/sender.pcap.gz").head


def _changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """Return the document of a capture with another largest direction."""
    document = copy.deepcopy(_loss())
    change(max(document["connections"][0]["directions"], key=lambda d: d["unique_bytes"]))
    return document


def _said(document: dict[str, Any], files: tuple[str, ...] = ("x.pcap",)) -> Answer:
    return answer(document, len(document["connections"]), files)


def test_the_largest_connection_comes_first() -> None:
    said = _said(_loss())
    assert said.headline == (
        "One of 2 connections carries nearly all bytes:"
        " 10.77.0.1:58320 -> 10.77.0.2:5201, at 1.03 Mb/s."
    )
    assert said.help == (
        "5.7 % of its segments were sent again, mostly in fast recovery,"
        " none shown to be needless: airtcp diagnose tells what that costs."
    )
    assert said.doubt is None
    assert said.next is not None
    assert said.next.endswith("airtcp diagnose x.pcap")
    assert said.table is not None
    # The headline's number is the table's.
    assert said.table.rows()[0]["Mb/s"] == "1.03"
    assert said.table.rows()[0]["sent again"] == "5.7 %"


def test_one_connection_needs_no_comparison() -> None:
    document = copy.deepcopy(_loss())
    del document["connections"][1:]
    assert _said(document).headline == "10.77.0.1:58320 -> 10.77.0.2:5201 got 1.03 Mb/s."


def test_a_burst_has_no_rate() -> None:
    """Four segments in 0.3 ms: 97 Mb/s is what a link does with a burst, not what TCP gets."""
    document = copy.deepcopy(_loss())
    del document["connections"][1:]
    (direction,) = [d for d in document["connections"][0]["directions"] if d["data_segments"]]
    direction |= {"data_segments": 4, "retransmitted_segments": 1, "unique_bytes": 4104}
    direction |= {"goodput_bps": 97.4e6, "spurious_retransmissions": 0}
    direction["retransmissions"] = dict.fromkeys(direction["retransmissions"], 0) | {"fast": 1}
    said = _said(document)
    assert said.headline == "10.77.0.1:58320 -> 10.77.0.2:5201 got 4.10 kB."
    assert said.help == (
        "1 of its 4 segments was sent again, in fast recovery, not shown to be needless."
    )
    assert said.table is not None
    assert said.table.rows()[0]["Mb/s"] == ""


def test_one_direction_was_sent_and_nothing_shows_that_it_arrived() -> None:
    document = copy.deepcopy(_loss())
    del document["connections"][1:]
    for direction in document["connections"][0]["directions"]:
        if not direction["data_segments"]:
            direction["packets"] = 0
    assert " sent 1.03 Mb/s." in _said(document).headline


def test_half_of_the_bytes_are_not_nearly_all() -> None:
    """A second connection of the same size: neither has nearly all, nor most."""
    document = copy.deepcopy(_loss())
    document["connections"][1] = copy.deepcopy(document["connections"][0])
    document["connections"].append(copy.deepcopy(document["connections"][0]))
    assert _said(document).headline.startswith("The largest of 3 connections, 10.77.0.1:58320")


def test_connections_that_are_not_known_may_have_bytes_too() -> None:
    """Of many connections only the largest are read; the others may be as large as the last."""
    document = copy.deepcopy(_loss())
    large, small = document["connections"]
    document["connections"] = [large, *[small] * (HEAD - 1)]
    assert "most bytes" in answer(document, HEAD, ()).headline
    said = answer(document, 100_000, ())
    assert "bytes:" not in said.headline
    assert said.table is not None
    assert said.table.more == 100_000 - tables.ROWS


@pytest.mark.parametrize(
    ("direction", "text"),
    [
        ({"retransmitted_segments": 0}, "Nothing of it was sent again, and its sender mostly"),
        ({"spurious_retransmissions": 3}, "mostly in fast recovery, 3 of them needlessly"),
        (
            {"retransmissions": {"fast": 7, "timeout": 6, "unknown": 6}},
            "were sent again, for several causes, none shown to be needless",
        ),
        ({"data_segments": 40}, "none shown to be needless."),
    ],
)
def test_what_was_sent_again_is_said(direction: dict[str, Any], text: str) -> None:
    said = _said(_changed(lambda found: found.update(direction)))
    assert text in (said.help or "")


def test_without_goodput_the_size_is_said() -> None:
    """One segment has no rate, and no data has no size."""
    one = _said(_changed(lambda found: found.update(goodput_bps=None, unique_bytes=31_300)))
    assert one.headline.endswith("with 31.3 kB.")
    none = copy.deepcopy(_loss())
    for connection in none["connections"]:
        for direction in connection["directions"]:
            direction |= {"goodput_bps": None, "unique_bytes": 0, "data_segments": 0}
            direction["retransmitted_segments"] = 0
    assert _said(none).headline.endswith("got nothing.")


def test_away_from_its_sender_the_cost_cannot_be_told() -> None:
    """At the receiver, copies that were lost do not come: a share may be too low."""
    result = airtcp.capture(DATA / "loss/receiver.pcap.gz")
    said = result.answer()
    assert said.doubt == (
        "It was captured at its receiver, which does not show all copies sent, the round-trip time,"
        " or what its sender waited for."
    )
    assert said.table is not None
    assert not {"RTT p50 (ms)", "sender waits mostly for"} & set(said.table.rows()[0])
    assert said.next is not None
    assert "diagnose" not in said.next
    assert "airtcp diagnose tells" not in (said.help or "")


def _received(**of_direction: Any) -> dict[str, Any]:
    """Return the document of one transfer, captured at its receiver."""
    document = _changed(lambda found: found.update(of_direction))
    del document["connections"][1:]
    connection = document["connections"][0]
    sender = max(connection["directions"], key=lambda d: d["unique_bytes"])["from"]
    connection["vantage"] = "server" if connection["client"] == sender else "client"
    return document


def test_the_waits_of_a_sender_are_not_said_at_the_receiver() -> None:
    """There, data is acknowledged at once, as if the sender had nothing to send."""
    waits = {"application": 0.99, "receive_window": 0.01}
    nothing = {"retransmitted_segments": 0, "limited_by": waits, "out_of_order": 0}
    assert _said(_received(**nothing)).help == "No segment of it was seen twice."
    at_sender = _said(_changed(lambda found: found.update(nothing)))
    assert at_sender.help == (
        "Nothing of it was sent again, and its sender mostly waited for the application."
    )
    late = _said(_received(**nothing | {"out_of_order": 34, "data_segments": 1037}))
    assert (late.help or "").replace("\N{NARROW NO-BREAK SPACE}", "") == (
        "34 of its 1037 segments came out of order, and none was seen twice."
    )


def test_a_window_that_never_opened_again_is_said_with_its_time() -> None:
    last = {"zero_windows": 3, "window_probes": 2, "closed_to_end_s": 12.34}
    said = _said(_received(**last)).help
    assert said == (
        "The window of its receiver never opened again in the last 12 s: its application no longer"
        " reads."
    )
    # A window that closes for the time of a round trip is none that stays closed.
    for seconds in (None, 0.3):
        assert "never" not in (_said(_received(**last | {"closed_to_end_s": seconds})).help or "")


def test_a_closed_window_is_said_wherever_it_was_captured() -> None:
    """The receiver announces it; without an announcement a full window is the sender's view."""
    closed: dict[str, Any] = {"retransmitted_segments": 0, "zero_windows": 1, "out_of_order": 0}
    closed["limited_by"] = {"application": 0.01, "receive_window": 0.99}
    document = _received(**closed)
    assert "mostly waited for the receive window." in (_said(document).help or "")
    sender = max(document["connections"][0]["directions"], key=lambda d: d["unique_bytes"])
    sender["receive_window"] = sender["receive_window"] | {"max_bytes": 0}
    assert "the receive window, which never opens." in (_said(document).help or "")
    assert "receive window" not in (_said(_received(**closed | {"zero_windows": 0})).help or "")


@pytest.mark.parametrize(
    ("unanswered", "refused", "silent", "first"),
    [
        (9, 0, 9, "9 of 11 connections were not answered."),
        (999_998, 0, 999_998, "999998 of 1000000 connections were not answered."),
        (0, 1, 1, "1 of 3 connections was refused."),
        (2, 3, 8, "5 of 10 connections were not answered or refused."),
    ],
)
def test_connections_that_failed_come_first(
    unanswered: int, refused: int, silent: int, first: str
) -> None:
    kinds = {"opened": 0, "refused": refused, "unanswered": unanswered, "other": 0}
    document = _loss() | {"without_data": silent, "without_data_by": kinds}
    said = _said(document)
    assert said.headline.replace("\N{NARROW NO-BREAK SPACE}", "") == first
    assert (said.help or "").startswith("One of 2 connections with data carries nearly all bytes")
    _right(said, document)


def test_a_few_that_failed_are_the_doubt_and_one_direction_shows_none() -> None:
    kinds = {"opened": 98, "refused": 0, "unanswered": 1, "other": 0}
    document: dict[str, Any] = copy.deepcopy(_loss())
    document |= {"without_data": 99, "without_data_by": kinds}
    said = _said(document)
    assert said.headline.startswith("One of 2 connections with data")
    assert said.doubt == "1 of 101 connections was not answered."
    for connection in document["connections"]:
        min(connection["directions"], key=lambda d: d["packets"])["packets"] = 0
    assert "not answered" not in " ".join(_said(document).sentences)


@pytest.mark.parametrize(
    ("change", "doubt"),
    [
        (
            {"interrupted": True},
            "The analysis was stopped: the numbers are those of what was read.",
        ),
        ({"omitted": 5}, "5 connections with the fewest bytes are left out."),
        ({"evicted": 1}, "1 connection ended early to bound the memory."),
    ],
)
def test_the_doubt_names_what_is_missing(change: dict[str, Any], doubt: str) -> None:
    assert _said(_loss() | change).doubt == doubt


def test_segments_that_the_capture_lacks_are_a_doubt() -> None:
    said = _said(_changed(lambda found: found.update(capture_losses=1)))
    assert said.doubt == (
        "The capture lacks 1 segment of it that was acknowledged: its bytes and rate are too low."
    )


def test_a_note_with_many_numbers_is_counted() -> None:
    """A note is said if it is one short sentence; with others, these are counted."""
    document = copy.deepcopy(_loss())
    document["files"][0]["warnings"] = ["34 of 68 packets are in X, Y 1, Z 2", "first. Second"]
    assert _said(document).doubt == "First; 1 more: --details."
    document["files"][0]["warnings"] = ["34 of 68 packets are in X, Y 1, Z 2"]
    assert _said(document).doubt == "The files have 1 note: --details."


def test_long_and_odd_names_stay_in_the_width() -> None:
    name = "2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff"
    document = copy.deepcopy(_loss())
    for connection in document["connections"]:
        connection |= {"client": f"[{name}]:50000", "server": f"[{name}]:443"}
        for direction, end in zip(connection["directions"], ("client", "server"), strict=True):
            direction["from"] = connection[end]
    said = _said(document, (f"{'x' * 200}.pcap", "-b c.pcap"))
    assert _width(said) <= 100
    assert said.next is not None
    assert said.next.endswith("'./-b c.pcap'")
    assert answer(document, 2, ("-",)).next == "All: --details   Page: --html FILE"


def test_hundreds_of_connections_are_counted() -> None:
    document = copy.deepcopy(_loss())
    document["connections"] = [document["connections"][0]] * 627
    said = _said(document)
    assert said.table is not None
    assert said.table.rest == "and 619 more: --details"
    _right(said, document)


def _empty(**more: Any) -> dict[str, Any]:
    kinds = {"opened": 0, "refused": 0, "unanswered": 0, "other": 0}
    file: dict[str, Any] = {
        "path": "x.pcap", "link_type": "ethernet", "packets": 34, "tcp_segments": 0,
        "air_frames": 0, "warnings": [],
    }  # fmt: skip
    base = {
        "files": [file | more.pop("file", {})], "connections": [], "links": [], "without_data": 0,
        "without_data_by": kinds | more.pop("kinds", {}), "evicted": 0, "omitted": 0,
        "interrupted": False, "airtcp_version": "0",
    }  # fmt: skip
    return base | more


@pytest.mark.parametrize(
    ("document", "headline"),
    [
        (_empty(), "No TCP in 34 packets."),
        (_empty(file={"packets": 0}), "The capture has no packets."),
        (
            _empty(without_data=3, kinds={"refused": 2, "other": 1}),
            "None of 3 connections has data, and most of them were refused.",
        ),
        (
            _empty(without_data=4, kinds={"refused": 2, "other": 2}),
            "None of 4 connections has data.",
        ),
        (
            _empty(without_data=1, kinds={"unanswered": 1}),
            "The only connection has no data, and it was not answered.",
        ),
        (
            _empty(
                file={
                    "air_frames": 20,
                    "warnings": ["no link of 802.11: no frame has data (beacons 20). Capture it"],
                }
            ),
            "No link of 802.11 in 20 frames: no frame has data.",
        ),
    ],
)
def test_a_capture_without_data_says_so(document: dict[str, Any], headline: str) -> None:
    said = _said(document)
    assert said.headline == headline
    assert said.table is None
    _right(said, document)


def test_a_capture_of_the_air_is_about_its_busiest_link() -> None:
    result = airtcp.capture(DATA / "air-single/monitor.pcap.gz")
    said, table = result.answer(), result.answer().table
    assert table is not None
    first = table.rows()[0]
    which = "loses" if len(result["links"]) == 1 else "takes the most airtime: it loses"
    assert said.headline == (
        f"{first['802.11 link']} {which} {first['attempts lost']} of its attempts and no packet"
        " after retries."
    )
    assert {"airtime", "rate (Mb/s)"} <= set(first)


@functools.cache
def _air() -> dict[str, Any]:
    return airtcp.capture(DATA / "air-given-up/monitor.pcap.gz").head


def _idle_air(**of_other: Any) -> dict[str, Any]:
    """Return a nearly idle medium: the busiest link loses little, two others lose half."""
    document = copy.deepcopy(_air())
    first = document["links"][0] | {"raw_loss": 0.05, "attempts": 1000}
    lossy = {"raw_loss": 0.6, "attempts": 500, "mean_attempts": 2.4, "residual_loss": 0.0}
    lossy |= {"bytes": 1000}
    worst, other = (first | lossy | {"transmitter": name} for name in ("worst", "other"))
    document["links"] = [first, worst | {"attempts": 600}, other | of_other]
    document["air"]["duration_s"] = 1e4
    return document


def test_on_an_idle_medium_the_link_that_loses_most_comes_first() -> None:
    said = _said(_idle_air())
    assert said.headline.startswith("worst -> ")
    assert "loses the most attempts: 60 % of its attempts and no packet" in said.headline
    assert said.help == (
        "1 other link loses 30 % of the attempts or more, and their stations sent these frames"
        " again, so that the losses are real."
    )
    # Without repetitions, the sniffer may have missed the ACKs.
    missed = _said(_idle_air(mean_attempts=1.0))
    assert missed.help == "1 other link loses 30 % of the attempts or more."
    busy = _idle_air()
    busy["air"]["duration_s"] = 1e-3
    assert "takes the most airtime" in _said(busy).headline


def test_links_whose_losses_do_not_show_are_counted_only() -> None:
    """A link without MAC ACKs is no link without losses, however busy."""
    document = copy.deepcopy(_air())
    blind = copy.deepcopy(document["links"][0])
    blind |= {"transmitter": "blind", "attempts": 10**6, "raw_loss": None, "residual_loss": None}
    document["links"].insert(0, blind)
    said = _said(document)
    assert "takes the most airtime of the links that show their losses: it loses" in said.headline
    assert said.table is not None
    assert not any("blind" in name for name in said.table.names)
    assert said.table.more >= 1
    document["links"] = [blind]
    alone = _said(document)
    assert alone.headline.replace("\N{NARROW NO-BREAK SPACE}", "") == (
        "The losses of 1 link of 802.11 cannot be told from 1000000 attempts to send."
    )


def test_the_busiest_link_takes_the_most_airtime() -> None:
    """Few large frames at a low rate outweigh many small ones; without rates, attempts count."""
    document = copy.deepcopy(_air())
    link = next(link for link in document["links"] if link["raw_loss"] is not None)

    def other(name: str, attempts: int, size: int, rate: int) -> dict[str, Any]:
        rates = [link["rates"][0] | {"rate_bps": rate, "attempts": attempts}]
        return copy.deepcopy(link) | {
            "transmitter": name, "attempts": attempts, "bytes": attempts * size, "rates": rates,
            "ampdu_attempts": 0, "raw_loss": 0.5,
        }  # fmt: skip

    slow, fast = other("slow", 1000, 1500, 1_000_000), other("fast", 5000, 100, 54_000_000)
    document["links"] = [fast, slow]
    said = _said(document)
    assert said.headline.startswith("slow -> ")
    assert "takes the most airtime: it loses" in said.headline
    assert said.table is not None
    assert said.table.sort is None
    # Equal rates and many more frames: the preambles alone outweigh it.
    document["links"] = [other("few", 100, 100, 54_000_000), fast]
    assert _said(document).headline.startswith("fast -> ")
    document["links"] = [fast, slow | {"rates": []}]
    said = _said(document)
    assert said.headline.startswith("fast -> ")
    assert "has the most attempts: it loses" in said.headline
    assert said.table is not None
    assert said.table.sort == "attempts"


def test_an_unknown_airtime_is_no_idle_station() -> None:
    """Frames without a rate have no airtime, which is not 0 %."""
    document = copy.deepcopy(_air())
    for link in document["links"]:
        link["rates"] = []
    table = tables.links(document)
    assert "airtime" not in [column.heading for column in table.columns]


def test_without_mac_acks_no_loss_is_doubtful() -> None:
    document = copy.deepcopy(_air())
    note = "no MAC ACK was captured: only frames that were sent again count as lost"
    document["files"][0]["warnings"] = [note]
    document["links"][0] |= {"raw_loss": 0.0, "residual_loss": 0.0}
    said = _said(document)
    attempts = document["links"][0]["attempts"]
    assert said.headline.endswith(f"loses none of its {attempts} attempts.")
    assert said.doubt == f"N{note[1:]}."


def test_the_busiest_link_has_the_most_airtime_in_the_table() -> None:
    """One that sends to two receivers: its own airtime would rank both of its links alike."""
    document = copy.deepcopy(_air())
    shares = tables.links(document, whole=True).columns[0].keys
    assert shares is not None
    known = [share for share in shares if isinstance(share, float)]
    assert known == sorted(known, reverse=True)
    assert sum(known) <= sum(s["airtime_share"] for s in document["air"]["stations"]) * 1.1


def test_a_part_that_is_encrypted_does_not_hide_all() -> None:
    document = copy.deepcopy(_air())
    document["connections"] = []
    frames = document["air"]["frames"] | {"data": 10, "null_data": 0, "protected": 2}
    document["air"]["frames"] = frames
    assert _said(document).help == (
        "20 % of the data frames are encrypted, and the others carry no TCP: --decrypt-with FILE"
        " reads the encrypted."
    )
    frames["protected"] = 10
    said = _said(document).help
    assert said is not None
    assert said.startswith("TCP is not visible, because the data is encrypted")


def test_what_the_sniffer_missed_is_said() -> None:
    document = copy.deepcopy(_air())
    del document["links"][1:]
    document["links"][0]["sniffer"] = {"attempt_miss_share": 0.13}
    assert (_said(document).doubt or "").startswith("The sniffer missed 13 % of the attempts")
    document["links"][0]["attempts"] = 3
    assert _said(document).doubt == "It rests on 3 attempts."


def test_several_points_say_where_data_was_lost() -> None:
    said = airtcp.capture(sorted(DATA.glob("loss/*.pcap.gz"))).answer()
    assert said.headline == (
        "5.7 % of the segments of 10.77.0.1:58320 -> 10.77.0.2:5201, which carries nearly all"
        " bytes, were lost between sender.pcap.gz and receiver.pcap.gz."
    )
    assert (said.help or "").startswith("All its 19 retransmissions were needed:")


def test_needless_retransmissions_are_not_called_needed() -> None:
    """Only both ends show it: without the receiver's verdict, none is given."""
    document = copy.deepcopy(airtcp.capture(sorted(DATA.glob("loss/*.pcap.gz"))).head)
    most = max((d for p in document["between"] for d in p["directions"]), key=lambda d: d["sent"])
    most["spurious"] = 4
    assert (_said(document).help or "").startswith("4 of its 19 retransmissions were needless")
    most["spurious"] = None
    assert (_said(document).help or "").startswith("Only a capture at the receiver shows")
    most |= {"lost": 0, "retransmissions": 0, "spurious": 0}
    said = _said(document)
    assert said.headline.startswith("None of the segments of 10.77.0.1:58320")
    assert said.help == "Nothing of it was sent again."


def test_the_joined_air_names_the_cause_of_most_timeouts() -> None:
    paths = sorted(DATA.glob("joined-stall/*.pcap.gz"))
    said = airtcp.capture(paths).answer()
    assert said.headline.startswith("Packets of host.pcap.gz waited 1.68 ms for the air (median)")
    assert said.help == "Both timeouts came because the TCP ACK was late or lost."
    document = copy.deepcopy(airtcp.capture(paths).head)
    for host in document["joined"]["hosts"]:
        host |= {"links": [], "clock": None}
    assert _said(document).headline == (
        "No packet of host.pcap.gz was found on the air: the captures do not fit."
    )


def test_the_answer_reads_the_beginning_only(tmp_path: Path) -> None:
    """The text of a large document is written as it is, behind an answer from its beginning.

    With its list of retransmissions it has the same answer.
    """
    sys.path.insert(0, str(ROOT / "benches"))
    bench: Any = importlib.import_module("capture_file")
    path = tmp_path / "many.pcap"
    bench.transfers(path, 40_000, flows=300)
    plain, listed = airtcp.capture(path), airtcp.capture(path, events=True)
    taken: list[int | None] = []
    core: Any = vars(listed)["_core"]

    class Watched:
        """Notes how many connections were asked for."""

        counts = core.counts

        def write_json(self, write: Callable[[str], object], most: int | None = None) -> None:
            taken.append(most)
            core.write_json(write, most)

    vars(listed)["_core"] = Watched()
    pieces: list[str] = []
    listed.put_text(pieces.append)
    document = json.loads("".join(pieces))
    assert taken == [HEAD, None]
    assert len(document["retransmissions"]) > 100
    assert document["answer"] == plain.json["answer"]
    assert document["answer"]["headline"].startswith("The largest of 300 connections, ")


def test_a_hostile_file_name_cannot_reach_the_terminal(run: Program, tmp_path: Path) -> None:
    path = tmp_path / "a\x1b[31m$(b) c.pcap"
    path.write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 96, 1))
    ended = run("capture", path, "--details")
    assert ended.code == 0, ended.err
    assert "\x1b[31m" not in ended.out
    assert ended.out.startswith("The capture has no packets.")


def test_the_chart_marks_what_was_sent_again() -> None:
    """Each retransmission is a mark on the line of data in flight."""
    result = airtcp.capture(DATA / "loss/sender.pcap.gz", series=True)
    series = {name: capture_rows.by_direction(table) for name, table in result.series().items()}
    data = rows_answer.flight(result.head, series)
    assert set(data) == {charts_answer.NAME, "marks"}
    assert len(data["marks"]) == 19
    heights = {point["kb"] for point in data[charts_answer.NAME]}
    assert {mark["kb"] for mark in data["marks"]} <= heights
    shown = {mark["what"] for mark in data["marks"]}
    spec = charts_answer.flight(sorted(shown))
    assert {layer["data"]["name"] for layer in spec["layer"]} == set(data)
    assert rows_answer.flight(result.head, {}) == {}


@pytest.mark.parametrize("opened", [True, False])
@pytest.mark.parametrize("heard", [True, False])
def test_without_acks_no_cause_is_named(tmp_path: Path, *, opened: bool, heard: bool) -> None:
    """Segments are sent again at growing distances; a cause is named only if ACKs came."""
    found = make.Connection((53_000, 443), (5, 6))
    if opened:
        found.opened(0, 0.02)
    for place in range(10):
        found.send(0.1 + place * 1e-4, "client", 1 + place * 1400, 1, length=1400)
        if heard and place < 3:
            found.send(0.12 + place * 1e-4, "server", 1, 1 + (place + 1) * 1400)
    for number in range(5):
        found.send(0.5 + 0.3 * 2**number, "client", 1 + 3 * 1400, 1, length=1400)
    make.write_pcap(tmp_path / "a.pcap", found.packets)
    said = airtcp.capture(tmp_path / "a.pcap").answer()
    assert said is not None
    assert said.help is not None
    assert ("by timeout" in said.help) == heard
    assert ("without ACKs the capture does not show why" in said.help) != heard
    assert (said.doubt is not None and "no ACK of its data" in said.doubt) == (opened and not heard)
    details = " ".join(
        f"{part.headline} {part.text}" for part in said.details if isinstance(part, Finding)
    )
    assert ("because" in details) == heard
    assert said.table is not None
    timeouts = next(c for c in said.table.columns if c.head == "timeouts")
    assert (timeouts.cells == [""]) != heard
