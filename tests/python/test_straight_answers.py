"""Results name guesses about a trace; other files than traces are refused by name."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.questions.compare import quantities
from airtcp.words import notes
from airtcp.words.sentences import Finding
from page_parts import parts_of, unpacked

if TYPE_CHECKING:
    from conftest import Program

LOGS = Path(__file__).parents[2] / "crates/trace/tests/logs"
ASSUMED = "slot 10 ms assumed"

SENT = "seq,sent_time_s,recv_time_s\n" + "".join(
    f"{i},{i * 0.005:.3f},{'' if i % 10 == 3 else f'{i * 0.005 + 0.03:.3f}'}\n" for i in range(400)
)
EPOCH = "timestamp,received\n" + "".join(
    f"{1_700_000_000 + i * 0.005:.3f},{int(i % 10 != 3)}\n" for i in range(400)
)
LOSSY = "1111110111" * 40


def test_a_senders_log_is_no_perfect_link(tmp_path: Path) -> None:
    path = tmp_path / "sent.csv"
    path.write_text(SENT)
    readings = (
        airtcp.stats(path),
        airtcp.stats(path, column="recv_time_s", kind="arrival"),
    )
    for document in readings:
        (link,) = document["links"]
        assert (link["packets"], link["received"], link["interval_s"]) == (400, 360, 0.005)
        assert '"recv_time_s" taken as arrivals' in link["notes"][0]


def test_what_was_taken_for_what_is_shown(run: Program, tmp_path: Path) -> None:
    path = tmp_path / "sent.csv"
    path.write_text(SENT)
    taken = 'column "recv_time_s" taken as arrivals, a blank = lost (40 of 400 rows)'
    for command in (
        ("study", path, "--replicas", "2"),
        ("trace", "stats", path),
        ("trace", "models", path, "--replicas", "1"),
    ):
        ended = run(*command, "--details")
        assert ended.code == 0, ended.err
        assert taken in ended.out
    # A command without a table prints it with its other notes.
    ended = run("trace", "convert", path, "--to", tmp_path / "b.txt")
    assert ended.code == 0, ended.err
    assert f"note: {taken}" in ended.err
    assert "1 trace written to" in ended.err


def test_one_of_something_is_one() -> None:
    said: list[str] = []
    for number in (1, 2):
        for over in ("replications", "stretches"):
            case: Any = {"replications": number, "over": over}
            said.append(quantities.repeats(case))
    assert said == ["1 replication", "1 stretch", "2 replications", "2 stretches"]


def _compared(first: str | None, goodput: float) -> Any:
    """A case of which `compare.best_choices` sees the verdict and what was delivered."""
    outcomes = [{"variant": name, "goodput_bps": {"mean": goodput}} for name in ("reno", "cubic")]
    return {
        "outcomes": outcomes,
        "verdict": {"first": first, "not_distinguishable": [], "worse": [], "not_ranked": []},
    }


def test_epoch_time_stamps_give_the_slot(tmp_path: Path) -> None:
    (tmp_path / "epoch.csv").write_text(EPOCH)
    (tmp_path / "bits.txt").write_text(LOSSY)
    rates: dict[str, float] = {}
    for name in ("epoch.csv", "bits.txt"):
        (link,) = airtcp.study(tmp_path / name, replicas=1, compare=False).json["links"]
        rates[name] = link["tcp"]["empirical"]["packets_per_second"]
        assert link["tcp"]["slot_assumed"] == (name == "bits.txt")
    # The same losses at 5 ms and at an assumed 10 ms.
    (again,) = airtcp.study(tmp_path / "bits.txt", replicas=1, compare=False, interval="5 ms").json[
        "links"
    ]
    assert not again["tcp"]["slot_assumed"]
    assert again["tcp"]["empirical"]["packets_per_second"] == pytest.approx(2 * rates["bits.txt"])


def test_an_assumed_slot_stands_beside_every_rate(run: Program, tmp_path: Path) -> None:
    (tmp_path / "bits.txt").write_text(LOSSY)
    ended = run("study", "bits.txt", "--replicas", "2", "--html", "page.html")
    assert ended.code == 0, ended.err
    assert "rates assume 10 ms" in ended.out
    answer = airtcp.study(tmp_path / "bits.txt", replicas=2).answer()
    assert answer is not None
    found = [part for part in answer.details if isinstance(part, Finding)]
    rates = [f for f in found if "packets/s" in f.headline + f.text]
    assert rates
    assert all(ASSUMED in finding.headline + finding.text for finding in rates), rates
    known = run("study", "bits.txt", "--replicas", "2", "--interval", "10 ms")
    assert "assume" not in known.out
    assert ASSUMED in run("compare", "bits.txt", "--tcp", "sack,cubic").out
    assert ASSUMED in run("trace", "models", "bits.txt", "--replicas", "1", "--details").out


def test_notes_of_many_links_are_gathered(run: Program, tmp_path: Path) -> None:
    rows = "".join(
        f"t,{a},{b},11,-50,0.{a + 5},{100 + a}\n" for a in range(3) for b in range(3) if a != b
    )
    head = '{"interframe_duration": 100, "location": "here"}\n'
    columns = "datetime,src,dst,channel,mean_rssi,pdr,tx_count\n"
    (tmp_path / "site.k7").write_text(head + columns + rows)
    for command in (("study", "site.k7", "--replicas", "2"), ("trace", "stats", "site.k7")):
        ended = run(*command)
        assert ended.code == 0, ended.err
        assert "drawn at random" in ended.out or "without their order" in ended.out
        ended = run(*command, "--details")
        notes = [line for line in ended.out.splitlines() if line.startswith("Note.")]
        drawn = [line for line in notes if "drawn at random" in line]
        assert len(drawn) == 1
        assert "all 6 links" in drawn[0]


def test_logs_are_read_as_they_are(run: Program) -> None:
    ended = run("trace", "stats", LOGS / "ping-D-O.txt", "--json")
    (link,) = json.loads(ended.out)["links"]
    assert (link["packets"], link["received"]) == (60, 50)
    ended = run("trace", "stats", LOGS / "iperf3-server-json.txt", "--details")
    assert "drawn at random" in ended.out


def test_numbers_of_bytes_are_refused(run: Program, tmp_path: Path) -> None:
    path = tmp_path / "tcp.csv"
    path.write_text("seq\n" + "".join(f"{1 + 1448 * i}\n" for i in range(100)))
    for extra in ((), ("--column", "seq", "--kind", "sequence")):
        ended = run("study", path, *extra)
        assert ended.code == 2
        assert "1448 apart" in ended.err
        assert "count bytes" in ended.err


BINARIES = {
    "x.pcap": (b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00" + bytes(16), "a pcap packet capture"),
    "x.pcapng": (b"\x0a\x0d\x0d\x0a\x1c\x00\x00\x00" + bytes(20), "a pcapng packet capture"),
    "x.zip": (b"PK\x03\x04\x14\x00\x00\x00" + bytes(22), "a zip archive"),
    "x.xlsx": (b"PK\x03\x04\x14\x00\x06\x00" + bytes(22) + b"[Content_Types].xml", "Office"),
    "x.png": (b"\x89PNG\r\n\x1a\n" + bytes(20), "a PNG picture"),
    "x.parquet": (b"PAR1\x15\x00" + bytes(20), "a Parquet file"),
}


@pytest.mark.parametrize("name", BINARIES)
def test_every_command_names_what_it_refuses(run: Program, tmp_path: Path, name: str) -> None:
    data, what = BINARIES[name]
    (tmp_path / name).write_bytes(data)
    commands = (
        ("run", name),
        ("study", name),
        ("compare", name, "--tcp", "sack,cubic"),
        ("trace", "stats", name),
        ("trace", "convert", name, "--to", "y.txt"),
        ("trace", "models", name),
    )
    if name.endswith("parquet"):
        commands = commands[:-1]
    for command in commands:
        ended = run(*command)
        assert ended.code == 2, (command, ended)
        assert name in ended.err
        assert what in ended.err, (command, ended.err)
        assert len(ended.err.splitlines()) == 1


def test_axes_and_tables_of_a_page_say_that_the_slot_is_assumed(
    run: Program, tmp_path: Path
) -> None:
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text(LOSSY)
    plain = run("study", "one.txt", "two.txt", "--replicas", "2", "--html", "page.html")
    assert plain.code == 0, plain.err
    page = (tmp_path / "page.html").read_text("utf-8")
    titles = set(re.findall(r'"title":"([^"]*(?:packets|[kM]b)/s[^"]*)"', page))
    assert titles
    assert all(ASSUMED in title for title in titles), titles
    (links,) = parts_of(page).payload["items"]["packed"]
    assert all(f"packets/s ({ASSUMED})" in link["heads"] for link in unpacked(links))
    known = run(
        "study", "one.txt", "--interval", "10 ms", "--replicas", "2", "--html", "known.html"
    )
    assert known.code == 0, known.err
    assert ASSUMED not in (tmp_path / "known.html").read_text("utf-8")


TEXTS = {
    "ping.log": (LOGS / "ping-D-O.txt", "layout ping"),
    "iperf.json": (LOGS / "iperf3-server-json.txt", "layout iperf"),
    "bits.txt": (None, "layout bits"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_run_says_what_a_log_is_and_who_reads_it(run: Program, tmp_path: Path, name: str) -> None:
    source, what = TEXTS[name]
    (tmp_path / name).write_text(LOSSY if source is None else source.read_text("utf-8"))
    ended = run("run", name)
    assert ended.code == 2
    assert f"{name}: this is a trace of a link ({what}), not a scenario" in ended.err
    assert "airtcp study" in ended.err
    assert len(ended.err.splitlines()) == 1
    (tmp_path / "broken.toml").write_text("seed = \n")
    assert "not valid TOML" in run("run", "broken.toml").err


def test_a_few_rows_of_rates_are_no_outcomes(run: Program, tmp_path: Path) -> None:
    (tmp_path / "rates.txt").write_text("0 5\n1 7\n")
    ended = run("study", "rates.txt")
    assert ended.code == 2
    assert "--rate-unit" in ended.err
    assert run("study", "rates.txt", "--rate-unit", "Mb/s").code == 0


def test_lines_that_are_skipped_are_counted(run: Program, tmp_path: Path) -> None:
    text = (LOGS / "ping-D-O.txt").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "ping.txt").write_text("".join([*text[:9], "into the kitchen\n", *text[9:]]))
    ended = run("trace", "stats", "ping.txt", "--details")
    assert "1 line skipped that airtcp does not read in the output of ping" in " ".join(
        ended.out.split()
    )
    assert "skipped" not in run("trace", "stats", LOGS / "ping-D-O.txt", "--details").out


@pytest.mark.parametrize(
    ("one", "many"),
    [
        (
            "1 number has no row and is taken for lost",
            "3 numbers have no row and are taken for lost",
        ),
        (
            "1 reply overtook another and was put in its place",
            "2 replies overtook others and were put in their place",
        ),
        ("1 time stamp goes backwards", "12 time stamps go backwards"),
        ("1 row holds -1, which is taken for lost", "4 rows hold -1, which is taken for lost"),
    ],
)
def test_singular_and_plural_are_one_kind_of_note(one: str, many: str) -> None:
    links = [{"name": "a", "notes": [one]}, {"name": "b", "notes": [many]}]
    assert notes.notes(links) == [f"{one} (a; likewise 1 more of 2 links)"]
    links[1]["notes"] = [many.replace("taken", "held").replace("place", "row").replace("back", "x")]
    assert len(notes.notes(links)) == 2


def test_synth_says_what_came_out_and_when_a_trace_is_too_short(
    run: Program, tmp_path: Path
) -> None:
    asked = ("--prr", "0.5", "--mu", "0.999")
    short = run("trace", "synth", tmp_path / "a.txt", *asked, "--packets", "1000")
    assert short.code == 0
    bits = (tmp_path / "a.txt").read_text().replace("\n", "")
    bits = "".join(c for c in bits if c in "01")
    (link,) = airtcp.stats(tmp_path / "a.txt")["links"]
    longest = max(map(len, re.findall("0*", bits)))
    assert f"PRR {link['prr']:g} (asked: 0.5), longest loss run {longest}" in plain(short.err)
    assert "1000 packets are too few for PRR 0.5 at mu 0.999" in plain(short.err)
    assert "a run of losses lasts 2000 packets on average" in plain(short.err)
    # 2000 packets of losses and 2000 received: 100 of each.
    assert "A trace of 400000 packets holds 100 runs of each" in plain(short.err)
    long = run("trace", "synth", tmp_path / "b.txt", *asked, "--packets", "400000")
    assert "too few" not in long.err
    (link,) = airtcp.stats(tmp_path / "b.txt")["links"]
    assert abs(link["prr"] - 0.5) < 0.12

    told = run("trace", "synth", tmp_path / "c.txt", *asked, "--packets", "1000", "--json")
    document = json.loads(told.out)
    assert document["schema"] == "airtcp.synth/1"
    assert document["asked"] == {"prr": 0.5, "mu": 0.999}
    assert (document["packets"], document["seed"]) == (1000, 1)
    assert document["prr"] == document["received"] / 1000 == bits.count("1") / 1000
    assert document["longest_loss_run"] == longest
    assert document["expected"]["packets_needed"] == 400_000
    assert document["is_too_short"] is True
    assert "too few" in document["note"]

    said: list[str] = []
    airtcp.synth(tmp_path / "d.txt", prr=0.5, mu=0.999, packets=1000, warn=said.append)
    airtcp.synth(tmp_path / "e.txt", prr=0.5, mu=0.5, packets=1000, warn=said.append)
    assert len(said) == 1
    assert said[0] == document["note"]


def plain(text: str) -> str:
    """Return text without the blanks between digits."""
    return re.sub(r"(?<=\d)\u202f(?=\d)", "", text)


def test_an_interval_of_nothing_is_refused(run: Program, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(LOSSY)
    for command in (
        ("trace", "stats", tmp_path / "a.txt", "--interval", "1e-30 s"),
        ("study", tmp_path / "a.txt", "--interval", "1e-30 s"),
        ("trace", "convert", tmp_path / "a.txt", "--to", tmp_path / "b", "--interval", "0 s"),
        ("trace", "synth", tmp_path / "b", "--prr", "0.5", "--interval", "1e-30 s"),
    ):
        ended = run(*command)
        assert ended.code == 2, command
        assert "interval" in ended.err
        assert "a time from 1 ns to 1000 h" in ended.err
    assert not (tmp_path / "b").exists()


def test_a_senders_log_sorted_by_receive_time_is_asked_about(run: Program, tmp_path: Path) -> None:
    rows = [(0.01 * i + 1e-6 * (i * 7919 % 997), i % 10 == 3) for i in range(1000)]
    came = [f"{sent:.6f},{sent + 0.03:.6f}" for sent, lost in rows if not lost]
    gone = [f"{sent:.6f}," for sent, lost in rows if lost]
    path = tmp_path / "sorted.csv"
    path.write_text("\n".join(["send_time,recv_time", *came, *gone, ""]))
    asked = run("trace", "stats", path)
    assert asked.code == 2
    assert 'earlier in column "send_time" than the row before: sort the rows by it' in asked.err
    path.write_text("\n".join(["send_time,recv_time", *sorted([*came, *gone]), ""]))
    (link,) = airtcp.stats(path)["links"]
    assert (link["packets"], link["received"]) == (1000, 900)
    assert link["longest_loss_burst"] == 1


def test_a_file_with_an_impossible_interval_is_named_and_the_others_go_on(
    run: Program, tmp_path: Path
) -> None:
    for name, interval in (("slow.txt", "2h"), ("ok.txt", "10ms"), ("fast.txt", "500ns")):
        (tmp_path / name).write_text(f"# airtcp: interval={interval}\n{'1101' * 500}\n")
    both = [tmp_path / "slow.txt", tmp_path / "ok.txt", tmp_path / "fast.txt"]
    result = airtcp.study(both, replicas=2, compare=False, remedies=False)
    assert [link["name"] for link in result.json["links"]] == ["ok"]
    skipped = {Path(each["path"]).name: each["reason"] for each in result.json["skipped"]}
    assert set(skipped) == {"slow.txt", "fast.txt"}
    assert "interval= in the comment at its top is 7200 s" in skipped["slow.txt"]
    assert "--slot" in skipped["slow.txt"]
    for command in (("study",), ("compare", "--no-synthetic")):
        ended = run(*command, *both, "--quiet", "--details")
        assert ended.code == 0, ended.err
        assert "slow.txt" in ended.out
        alone = run(*command, both[0], "--quiet")
        assert alone.code == 2
        assert "slow.txt: interval= in the comment at its top is 7200 s" in alone.err
    given = airtcp.study(both, slot="10 ms", replicas=2, compare=False, remedies=False)
    assert len(given) == 3


def test_a_wait_longer_than_the_round_trip_that_holds_it_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "slow.down"
    path.write_text("".join(f"{60 * (i + 1)}\n" for i in range(1000)))
    result = airtcp.compare(path, tcp="sack,vegas", layout="mahimahi", remedies=False)
    subject = result.json["subjects"][0]
    waits = {o["variant"]: o["queue_delay_s"]["mean"] for o in subject["cases"][0]["outcomes"]}
    trips = {o["variant"]: o["rtt_mean_s"]["mean"] for o in subject["cases"][0]["outcomes"]}
    assert (waits["sack"] or 0.0) > (trips["sack"] or 0.0), "the link must show it"
    [note] = [n for n in subject["notes"] if n.startswith("The mean wait in the queue is longer")]
    assert "they count different packets" in note
    assert note in html.unescape(result.page())
    # If it is shorter, as with Vegas, no explanation is needed.
    quick = airtcp.compare(path, tcp="vegas", layout="mahimahi", remedies=False)
    assert not any("count different" in n for n in quick.json["subjects"][0]["notes"])


@pytest.mark.parametrize("command", [("trace", "stats"), ("study", "-q")])
def test_names_do_nothing_to_a_terminal_as_json_either(
    tmp_path: Path, run: Program, command: tuple[str, ...]
) -> None:
    name = "a\x9b31m\x7f.txt"
    (tmp_path / name).write_text("1101" * 50)
    done = run(*command, tmp_path / name, "--json")
    assert not done.code, done.err
    assert not re.search("[\x7f-\x9f]", done.out)
    assert name in json.loads(done.out)["links"][0]["source"]["path"]
