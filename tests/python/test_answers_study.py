"""The answers of `study`, `trace stats`, `trace models`, `trace fit` and `list`."""

from __future__ import annotations

import copy
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.cli import families
from airtcp.data.extension import registry
from airtcp.questions.compare import effects, helps_over_links
from airtcp.questions.fit.answer import answer as fit_answer
from airtcp.questions.study import answer as study_answer
from airtcp.questions.study import (
    answer_capacity,
    answer_helps,
    answer_link,
    charts,
)
from airtcp.questions.study import rows as study_rows
from airtcp.questions.study.findings_link import SETTLED, standing
from airtcp.questions.trace import answer as trace_answer
from airtcp.questions.trace import answer_models
from grammar import problems

if TYPE_CHECKING:
    from airtcp.words.answer import Answer

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "python" / "airtcp" / "demo"
ONE, MANY = 25, 30
"""Most lines of an answer on one thing, and on many."""
WIDTH = 100


@pytest.fixture(scope="module")
def demo() -> Any:
    return airtcp.study(sorted(map(str, DEMO.glob("*.gz")))).json


@pytest.fixture
def links(demo: Any) -> dict[str, Any]:
    """The links of the demo by name, without `synthetic-`; each test may change them."""
    found = copy.deepcopy(demo["links"])
    return {link["name"].removeprefix("synthetic-"): link for link in found}


@pytest.fixture(scope="module")
def rates(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A study of two links of varying capacity: one with an outage, one that is steady."""
    folder = tmp_path_factory.mktemp("rates")
    for name, gaps in (("varying", range(0, 60_000, 3)), ("steady", range(0, 60_000, 3))):
        times = [t for t in gaps if name == "steady" or (t // 4000) % 2 == 0]
        (folder / f"{name}.up").write_text("".join(f"{t}\n" for t in times if t))
    return airtcp.study(sorted(map(str, folder.glob("*.up"))), layout="mahimahi").json


def _printed(*words: str) -> list[str]:
    environment = {**os.environ, "PYTHONUTF8": "1", "TERM": "dumb"}
    environment.pop("COLUMNS", None)
    done = subprocess.run(
        [sys.executable, "-m", "airtcp", *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment,
        cwd=ROOT,
        check=True,
    )
    return done.stdout.rstrip("\n").split("\n")


def _names(document: Any) -> list[str]:
    return [link["name"] for link in (*document["links"], *document["capacities"])]


def _study(document: Any, **changes: Any) -> Answer:
    changed: Any = {**document, **changes}
    found = study_answer.answer(changed)
    assert found is not None
    assert problems(found, _names(changed)) == []
    return found


def _only(demo: Any, *links: Any) -> Any:
    return {**demo, "links": list(links)}


@pytest.mark.parametrize(
    ("words", "most"),
    [
        (("study", "demo"), MANY),
        (("study", str(DEMO / "synthetic-bursty-60.txt.gz")), ONE),
        (("study", str(DEMO / "synthetic-too-short.txt.gz")), ONE),
        (("study", str(DEMO / "synthetic-good.txt.gz"), "--no-compare"), ONE),
        (("trace", "stats", "demo"), MANY),
        (("trace", "stats", str(DEMO / "synthetic-good.txt.gz")), ONE),
        (("trace", "models", "demo", "--replicas", "2"), MANY),
        (("trace", "fit", "demo"), MANY),
        (("list",), MANY),
    ],
)
def test_an_answer_fits_a_screen(words: tuple[str, ...], most: int) -> None:
    lines = _printed(*words)
    assert len(lines) <= most, "\n".join(lines)
    # Only the last line, with a command to paste, may be longer.
    assert max(map(len, lines[:-1])) <= WIDTH, "\n".join(lines)


def test_the_answer_of_the_demo(demo: Any) -> None:
    found = _study(demo)
    assert found.headline == (
        "9 of 11 links are bad for TCP, which gets less than half of what arrives there: worst"
        " synthetic-independent-35 (low PRR), synthetic-independent-60 (timeouts) and"
        " synthetic-bursty-35 (low PRR)."
    )
    assert found.also == (
        "Bursts of losses leave TCP 7.7 times as much as independent losses of equal PRR"
        " (median of 8 links)."
    )
    assert found.help == (
        "Retransmission on the link (ll-arq) would help most on 5 links: 7.0 times the"
        " goodput of sack (median), for more bytes on the link."
    )
    assert found.doubt is not None
    assert "synthetic-too-short (300 packets)" in found.doubt
    assert found.table is not None
    assert len(found.table.names) == 12
    # The worst stand first, and a trace too short to tell stands last.
    assert found.table.names[:2] == ["synthetic-independent-35", "synthetic-independent-60"]
    assert found.table.names[-1] == "synthetic-too-short"
    assert demo["answer"] == {**found.document(), "next": demo["answer"]["next"]}


def test_the_links_that_are_bad_for_tcp(links: dict[str, Any], demo: Any) -> None:
    fine = _study(_only(demo, links["good"], links["slow-fading"]))
    assert fine.headline == (
        "None of 2 links is bad for TCP: it gets 57 % or more of what arrives."
    )
    # Independent losses of equal PRR leave most: the bursts are the reason.
    bursts = links["good"]
    bursts["tcp"]["empirical"]["packets_per_second"] = 30.0
    bursts["tcp"]["independent"]["packets_per_second"]["mean"] = 80.0
    said = _study(_only(demo, bursts, links["bursty-60"], links["slow-fading"])).headline
    assert said == (
        "2 of 3 links are bad for TCP, which gets less than half of what arrives there:"
        " synthetic-bursty-60 (low PRR) and synthetic-good (losses in bursts)."
    )
    # Of an order that was drawn the bursts are no reason.
    bursts["order_known"] = False
    assert "in bursts" not in _study(_only(demo, bursts, links["slow-fading"])).headline
    # Of a good PRR, the PRR is no reason; what TCP does after losses is one.
    waits = links["independent-90"]
    assert waits["class"] == "very good"
    assert _study(_only(demo, waits, links["slow-fading"])).headline.endswith("(timeouts).")
    run = waits["tcp"]["empirical"]
    run["timeouts"], run["fast_retransmits"] = 10, 123
    assert _study(_only(demo, waits, links["slow-fading"])).headline.endswith("90 (losses).")
    # A trace too short to tell is counted only if no other is there.
    alone = _study(_only(demo, links["too-short"], links["good"] | {"order_known": True}))
    assert alone.headline.startswith("1 of 1 link is bad for TCP")
    short = _study(_only(demo, *_copies(links["too-short"], 2))).headline
    assert short.startswith("2 of 2 links are bad for TCP")


def test_links_without_a_packet_and_ties(links: dict[str, Any], demo: Any) -> None:
    """Wrong before: links over which nothing arrives had no word, and any of a tie was "worst"."""
    dead = _copies(links["independent-35"] | {"received": 0, "prr": 0.0, "mu": None}, 4)
    found = _study(_only(demo, links["bursty-60"], links["slow-fading"], *dead))
    assert found.headline == (
        "1 link is bad for TCP, which gets less than half of what arrives there:"
        " synthetic-bursty-60 (low PRR); over 4 more nothing arrives."
    )
    found = _study(_only(demo, links["too-short"], links["bursty-60"], *dead[:1]))
    assert found.table is not None
    assert found.table.title.startswith("3 links, 1 too short to count")
    assert _study(_only(demo, links["slow-fading"], *dead)).headline == (
        "No link is bad for TCP: it gets 57 % or more of what arrives; over 4 more nothing arrives."
    )
    assert _study(_only(demo, *dead)).headline == "Nothing arrives over any of 4 links."
    ties = _copies(links["independent-35"], 9)
    for link in ties:
        link["tcp"]["empirical"]["packets_per_second"] = 0.0
    found = _study(_only(demo, links["bursty-60"], links["slow-fading"], *ties))
    assert found.headline == (
        "10 of 11 links are bad for TCP, which gets less than half of what arrives there."
    )
    assert found.table is not None
    assert found.table.names == ["synthetic-bursty-60", "synthetic-slow-fading"]
    assert "TCP delivers nothing over 9, which are left out" in found.table.title
    assert found.table.more == 9


def test_no_command_is_advised_that_cannot_tell(links: dict[str, Any], demo: Any) -> None:
    many = _copies(links["too-short"], 3)
    for link in many:
        link["remedies"] = None
    found = _study(_only(demo, *many))
    assert found.help == (
        "No trace is long enough to tell what would help: the longest has 300 packets."
    )
    for paths, said in ((many, False), ([*many, links["good"]], True)):
        next_line = str(getattr(study_answer.answer(_only(demo, *paths), "traces"), "next", ""))
        assert ("Which TCP: airtcp compare traces" in next_line) is said


def test_one_link(links: dict[str, Any], demo: Any) -> None:
    found = _study(_only(demo, links["bursty-60"]))
    assert found.headline == (
        "TCP gets 0.91 packets/s over this link, 6.1 times as much as over independent losses of"
        " equal PRR."
    )
    assert found.help == (
        "Retransmission on the link (ll-arq) would multiply the goodput of sack by 52, for more"
        " bytes on the link."
    )
    assert found.table is not None
    assert found.table.names[0] == "sack@ll-arq:arq=selective"
    assert found.table.rows()[0]["verdict"] == "remedy: helps most"
    assert found.table.more == 4
    rows = {row[found.table.head]: row for row in found.table.rows()}
    # The numbers of the sentences stand in the table.
    assert rows["sack@ll-arq:arq=selective"]["against sack"] == "52\N{MULTIPLICATION SIGN}"
    assert "sack" in rows
    assert rows["TCP, whole trace"]["goodput (packets/s)"] == "0.908"
    assert rows["TCP, whole trace"]["verdict"] == "6.1\N{MULTIPLICATION SIGN} independent"
    # The table has one row for plain TCP, which is the same in both comparisons.
    whole = answer_link.choices(
        links["bursty-60"]["compared"], links["bursty-60"]["remedies"], "", 99
    )
    assert whole is not None
    assert sorted(whole.names).count("sack") == 1


def test_a_difference_within_chance_has_no_direction(links: dict[str, Any], demo: Any) -> None:
    found = _study(_only(demo, links["independent-60"]))
    assert "within what links of independent losses and equal PRR give" in found.headline
    assert "more" not in found.headline
    several = _study(_only(demo, links["independent-60"], links["independent-90"]))
    assert several.also == (
        "On none of 2 links is TCP shown to get more or less than over independent losses."
    )
    assert several.table is not None
    assert all(row["against independent"].startswith("~") for row in several.table.rows())


def _copies(link: Any, number: int) -> list[Any]:
    return [{**copy.deepcopy(link), "name": f"copy-{i}"} for i in range(number)]


def test_as_many_as_chance_gives_are_no_effect(links: dict[str, Any], demo: Any) -> None:
    lucky = links["good"]
    lucky["tcp"]["difference"]["independent"]["prediction"] = [0.5, 12.0]
    others = _copies(links["independent-60"], 39)
    few = _study(_only(demo, lucky, *others))
    assert few.also == (
        "TCP differs from independent losses on 1 of 40 links: chance may give as many."
    )
    # Three links of forty are no more than chance may give; eight are.
    three = _study(_only(demo, *_copies(lucky, 3), *others[:37]))
    assert "chance may give as many" in str(three.also)
    eight = _study(_only(demo, *_copies(lucky, 8), *others[:32]))
    assert str(eight.also).startswith("Bursts of losses leave TCP")
    # One of three that lies far outside what independent losses give is no chance.
    far = _study(_only(demo, links["bursty-60"], *others[:2]))
    assert str(far.also).startswith("Bursts of losses leave TCP 6.1 times as much")
    close = _study(_only(demo, lucky, *others[:2]))
    assert "chance may give as many" in str(close.also)


def test_short_traces_carry_no_ratio(links: dict[str, Any], demo: Any) -> None:
    short = links["bursty-60"] | {"packets": 300, "converged": False}
    found = _study(_only(demo, *_copies(short, 88)))
    assert found.also == (
        "TCP gets more than over independent losses on 88 links, up to about 4 of them by chance;"
        " their traces are too short to tell by how much."
    )
    assert (
        found.doubt == "No trace is long enough for a ratio: about 10\u202f000 packets would tell."
    )
    assert found.table is not None
    assert {row["against independent"] for row in found.table.rows()} == {"more"}
    alone = _study(_only(demo, short))
    assert "packets/s over this link, more than over independent losses" in alone.headline
    assert alone.doubt == (
        "The trace of 300 packets is too short for a ratio: about 10\u202f000 packets would tell."
    )
    assert alone.table is not None
    rows = {row[alone.table.head]: row["verdict"] for row in alone.table.rows()}
    assert rows["TCP, whole trace"] == "above independent"
    assert not [part for part in alone.details if "6.1" in getattr(part, "headline", "")]
    # Those that differ are short, and another that does not differ is long.
    same = copy.deepcopy(links["independent-60"])
    mixed = _study(_only(demo, *_copies(short, 20), same))
    assert mixed.doubt == (
        "No trace that differs is long enough for a ratio: about 10\u202f000 packets would tell."
    )
    # A long trace that is not stationary still has its ratio.
    long = links["bursty-60"] | {"converged": False}
    assert "6.1 times as much" in str(_study(_only(demo, *_copies(long, 88))).also)


def _chains(packets: int, links: int, received_stays: float, lost_stays: float) -> dict[str, Any]:
    """Draw traces of a two-state chain."""
    draw = random.Random(7)  # noqa: S311 - links, not keys
    traces: dict[str, list[int]] = {}
    for link in range(links):
        received, trace = True, list[int]()
        for _ in range(packets):
            received = received == (draw.random() < (received_stays if received else lost_stays))
            trace.append(int(received))
        traces[f"link{link}"] = trace
    return traces


def test_short_traces_of_bursts_have_a_side_and_no_ratio() -> None:
    found = airtcp.study(_chains(300, 88, 0.95, 0.92), seed=1, compare=False).answer()
    assert found is not None
    assert str(found.also).startswith("TCP gets more than over independent losses on ")
    assert str(found.also).endswith("; their traces are too short to tell by how much.")


def test_a_ratio_of_short_traces_would_be_chance() -> None:
    """PRR 0.6, mu 0.9: those that differ at 300 packets have about twice the ratio of long ones."""

    def ratio(packets: int, links: int) -> float:
        traces = _chains(packets, links, 0.96, 0.94)
        found = airtcp.study(traces, seed=3, compare=False, remedies=False).json["links"]
        ratios = [
            1 + percent["mean"] / 100
            for link in found
            if standing(link, "independent") != 0
            and (percent := link["tcp"]["difference"]["independent"]["percent"]) is not None
        ]
        assert len(ratios) > links / 8
        return median(ratios)

    long = ratio(100_000, 20)
    assert ratio(300, 300) > 1.5 * long
    assert ratio(SETTLED, 60) == pytest.approx(long, rel=0.4)


def test_a_trace_within_chance_or_without_independent_rate_has_words(
    links: dict[str, Any], demo: Any
) -> None:
    def said(link: Any) -> str:
        grid = _study(_only(demo, link)).table
        assert grid is not None
        rows = {row[grid.head]: row["verdict"] for row in grid.rows()}
        return rows["TCP, whole trace"]

    assert said(links["independent-60"]) == "within chance"
    alone = copy.deepcopy(links["bursty-60"])
    alone["tcp"]["difference"]["independent"]["percent"] = None
    alone["tcp"]["independent"]["packets_per_second"]["mean"] = 0.0
    assert said(alone) == "above independent"
    less = copy.deepcopy(links["bursty-60"])
    less["tcp"]["difference"]["independent"]["percent"]["mean"] = -40.0
    less["tcp"]["difference"]["independent"]["packets_per_second"]["mean"] = -1.0
    assert said(less) == "40 % below independent"


def test_short_traces_of_independent_losses_claim_no_effect() -> None:
    draw = random.Random(4)  # noqa: S311 - links, not keys
    said = []
    for seed in range(60):
        traces = {
            f"{i}": [int(draw.random() < prr) for _ in range(300)]
            for i, prr in enumerate((0.3, 0.5, 0.7, 0.9, 0.97) * 2)
        }
        links = airtcp.study(traces, compare=False, remedies=False, seed=seed + 1).json["links"]
        said.append(study_answer.order_of_losses(links))
    # None has a ratio, and no more claim an effect than the level of 5 % allows.
    assert not [one for one in said if "times as much" in one or "leave" in one]
    assert sum("too short" in one for one in said) <= 6


def test_bursts_are_named_only_if_each_link_has_them(links: dict[str, Any], demo: Any) -> None:
    undecided = links["bursty-60"]
    undecided["mu_ci"] = [-0.3, 0.95]
    found = _study(_only(demo, undecided, links["long-bursts-60"]))
    assert str(found.also).startswith("The order of losses leaves TCP")


def test_links_on_both_sides(links: dict[str, Any], demo: Any) -> None:
    slower = _copies(links["bursty-60"], 3)
    for link in slower:
        difference = link["tcp"]["difference"]["independent"]
        difference["packets_per_second"]["mean"] = -0.5
        difference["percent"]["mean"] = -60.0
        difference["prediction"] = [-2.0, -0.4]
    found = _study(_only(demo, *slower, *_copies(links["long-bursts-60"], 4)))
    assert found.also == (
        "The order of losses matters: TCP gets more than over independent losses of equal PRR on 4"
        " links, and less on 3."
    )
    less = _study(_only(demo, *slower))
    assert "60 % less than independent losses" in str(less.also)
    alone = _study(_only(demo, slower[0]))
    assert "60 % less than over independent losses" in alone.headline


def test_nothing_lost_and_nothing_received(demo: Any) -> None:
    fine = airtcp.study({"fine": [1] * 2000}, replicas=2).json
    found = _study(fine)
    assert found.headline == "TCP gets 100 packets/s over this link: no packet was lost."
    assert found.help is None
    dead = airtcp.study({"dead": [0] * 2000}, replicas=2).json
    found = _study(dead)
    assert found.headline == "Nothing arrives over this link: every packet was lost."
    assert found.help is None
    both = _study(_only(fine, *fine["links"], *dead["links"]))
    assert both.also == "TCP gets 0 to 100 packets/s over these links."
    none = _study(_only(fine, *_copies(dead["links"][0], 2)))
    assert none.also == "TCP delivers nothing over any of 2 links."
    assert study_answer.answer(_only(demo)) is None


def test_tcp_that_delivers_nothing(links: dict[str, Any], demo: Any) -> None:
    found = _study(_only(demo, links["too-short"]))
    assert found.headline == (
        "TCP delivers nothing over this link, although 67 % of the packets arrive."
    )
    assert found.help is not None
    assert found.help.startswith("Cannot tell what would help: one stretch")


def test_a_drawn_order_is_said(links: dict[str, Any], demo: Any) -> None:
    drawn = links["bursty-60"]
    drawn["order_known"] = False
    found = _study(_only(demo, drawn))
    assert "for an order of losses that was drawn at random" in found.headline
    assert found.doubt is not None
    assert "without their order" in found.doubt
    found = _study(_only(demo, drawn, links["long-bursts-60"]))
    assert "1 link" in str(found.also)
    assert found.doubt is not None
    assert "drawn at random" in found.doubt


def test_no_remedy_is_said_to_help_without_a_test(links: dict[str, Any]) -> None:
    # A coded transport gets hundreds of times as much there, but rare stretches make the mean.
    untested = links["bursty-35"]["remedies"]
    assert untested["verdict"]["first"] in {"sliding", "lt-tcp"}
    assert helps_over_links.cell(untested) == "not testable"
    said = answer_helps.one(untested, None)
    assert said == (
        "Cannot tell whether a remedy helps: too few packets arrive, or too few are lost for a"
        " test."
    )
    assert helps_over_links.sentence([untested]) == said.replace("helps", "helps on any link", 1)
    once: Any = {**links["bursty-60"]["remedies"], "replications": 1}
    assert (answer_helps.one(once, None) or "").startswith("Cannot tell what would help")


def test_the_sentence_on_remedies_counts_the_column(links: dict[str, Any]) -> None:
    """Wrong before: it counted each link on which a remedy helps, and the column only the best."""
    tried = [links[name]["remedies"] for name in ("bursty-60", "bursty-90", "good")]
    huge = copy.deepcopy(tried[0])
    for outcome in huge["outcomes"]:
        if outcome["variant"] == "lt-tcp":
            outcome["difference"]["percent"]["mean"] = 1e6
        elif outcome["difference"] is not None:
            outcome["difference"]["standing"] = "undecided"
    every = [*tried, huge]
    cells = [helps_over_links.cell(each) for each in every]
    assert [cell.split()[0] for cell in cells] == ["ll-arq", "ll-arq", "sliding", "lt-tcp"]
    # LT-TCP helps on all four and has the largest gain, but is the best on one link only.
    said = helps_over_links.sentence(every) or ""
    assert said.startswith("Retransmission on the link (ll-arq) would help most on 2 links: ")
    late = copy.deepcopy(tried)
    for each in late:
        for outcome in each["outcomes"]:
            if outcome["difference"] is not None:
                outcome["delivery_p95_difference"] = {**outcome["difference"], "standing": "more"}
    assert "but delivers later" in (helps_over_links.sentence(late) or "")
    assert "but deliver later" in (answer_helps.one(late[0], None) or "")


def test_a_tcp_that_gets_nearly_as_much_comes_before_a_remedy(links: dict[str, Any]) -> None:
    """Wrong before: a new transport was advised where another TCP gets nearly the same."""
    link = links["slow-fading"]
    tried, case = copy.deepcopy(link["remedies"]), copy.deepcopy(link["compared"])
    best = helps_over_links.cell(tried).split()[0]
    rates = {o["variant"]: o["goodput_bps"]["mean"] for o in tried["outcomes"]}
    plain = next(o for o in tried["outcomes"] if o["variant"] == "sack")["goodput_bps"]
    plain.update({"ci_low": 0.99 * plain["mean"], "ci_high": 1.01 * plain["mean"]})

    def said(share: float, half: float) -> str:
        for outcome in case["outcomes"]:
            if outcome["variant"] == "cubic":
                mean = share * rates[best]
                ends = {"ci_low": mean * (1 - half), "ci_high": mean * (1 + half)}
                outcome["goodput_bps"] = {"mean": mean, **ends}
            elif outcome["variant"] != "sack":
                outcome["goodput_bps"] = {"mean": 1.0, "ci_low": 1.0, "ci_high": 1.0}
        return answer_helps.one(tried, case) or ""

    assert said(0.98, 0.01).startswith("Another TCP is nearly enough: cubic gets ")
    assert effects.spoken(best, "sack") in said(0.98, 0.01)
    # Not nearly as much, and as much by a mean that chance may have given.
    named = effects.spoken(best, "sack").removeprefix("a ")
    assert said(0.7, 0.01).startswith(f"A {named} would raise the goodput of sack")
    assert said(0.98, 0.9).startswith(f"A {named} would raise the goodput of sack")


def test_what_would_tell_is_a_number_of_packets(links: dict[str, Any]) -> None:
    tried = copy.deepcopy(links["good"]["remedies"])
    for outcome in tried["outcomes"]:
        if outcome["difference"] is not None:
            outcome["difference"]["standing"] = "undecided"
            outcome["difference"]["absolute"]["ci_low"] = -1e6
    tried["verdict"]["needed"] = 27
    assert answer_helps.one(tried, None, 30_000) == (
        "Cannot tell whether a remedy helps: a trace of about 81\u202f000 packets may."
    )
    # Of a part of the trace the stretches have another length.
    tried["notes"] = ["Over the first 1000 s"]
    assert (answer_helps.one(tried, None, 30_000) or "").endswith(": a longer trace may.")


def test_what_was_not_tried_is_said(links: dict[str, Any], demo: Any) -> None:
    for link in links.values():
        link["remedies"] = None
    found = _study(_only(demo, *links.values()))
    assert found.help == "What would help was not tried over so many links: --remedies."
    options = {**demo["options"], "remedy_links": 0}
    assert _study(_only(demo, *links.values()), options=options).help is None


def test_what_a_study_lacks_is_its_doubt(demo: Any, rates: Any) -> None:
    assert _study(demo, interrupted=True).doubt == ("The study was stopped: 12 links are finished.")
    skipped = [{"path": "a", "reason": "no trace"}, {"path": "b", "reason": "no trace"}]
    assert _study(demo, skipped=skipped).doubt == "2 files were not read (no trace): --details."
    both = _study(demo, capacities=rates["capacities"])
    assert both.doubt == "2 links of varying capacity are apart: --details."


def test_hundreds_of_links_with_odd_and_long_names(links: dict[str, Any], demo: Any) -> None:
    many = _copies(links["bursty-60"], 150) + _copies(links["independent-60"], 150)
    for number, link in enumerate(many):
        link["name"] = f"{number} [b]x[/b] {'n' * 200}"
    found = _study(_only(demo, *many))
    assert found.table is not None
    assert len(found.table.names) == study_answer.ROWS
    assert found.table.rest == "and 288 more: --details"
    assert max(map(len, found.table.names)) <= 28
    assert all(row["of what arrives"] == "0.30 %" for row in found.table.rows())


def test_capacities(rates: Any) -> None:
    found = _study(rates)
    assert "delivery time" in found.headline
    assert found.table is not None
    assert found.table.names[0] == "varying.up"
    steady = next(link for link in rates["capacities"] if link["name"] == "steady.up")
    alone = answer_capacity.answer([steady])
    assert "almost steady capacity" in alone.headline
    bare: Any = {**steady, "compared": None, "remedies": None}
    alone = answer_capacity.answer([bare])
    assert alone.headline == "This link carries 4.0 Mb/s on average, with almost steady capacity."
    assert alone.help is None
    assert alone.table is not None
    assert problems(alone, ["steady.up"]) == []


def test_a_remedy_against_delay_has_its_price(rates: Any) -> None:
    link = next(link for link in rates["capacities"] if link["name"] == "varying.up")
    tried = copy.deepcopy(link["remedies"])
    tried["verdict"]["worse"] = []
    for outcome in tried["outcomes"]:
        difference = outcome["delivery_p95_difference"]
        if difference is not None:
            difference["standing"] = "undecided"
    said = answer_helps.one(tried, link["compared"])
    assert said is None or "Cannot tell" in said
    best = next(o for o in tried["outcomes"] if o["variant"] == "cubic@codel")
    plain = next(o for o in tried["outcomes"] if o["variant"] == "cubic")
    plain["delivery_p95_s"]["mean"], best["delivery_p95_s"]["mean"] = 2.0, 0.25
    best["delivery_p95_difference"] = {
        "absolute": {"mean": -1.75, "ci_low": -2.0, "ci_high": -1.5},
        "percent": {"mean": -87.5, "ci_low": -90.0, "ci_high": -80.0},
        "standing": "less",
    }
    best["difference"]["standing"] = "less"
    best["difference"]["percent"]["mean"] = -12.0
    assert answer_helps.one(tried, None) == (
        "CoDel in the queue of the link would cut it to 250 ms, for 12 % less goodput."
    )
    # Not shown to cost goodput: no price.
    best["difference"]["standing"] = "undecided"
    assert answer_helps.one(tried, None) == "CoDel in the queue of the link would cut it to 250 ms."
    assert helps_over_links.sentence([tried, tried]) == (
        "CoDel in the queue of the link would help most on each of 2 links: it shortens the"
        " delivery time by 88 % (median)."
    )


def test_the_chart_beside_the_answer_has_a_point_a_link(demo: Any) -> None:
    rows = study_rows.over_prr(demo["links"])
    # TCP delivers nothing over one of the twelve.
    assert len(rows["links"]) == 11
    best = next(row for row in rows["links"] if row["name"] == "synthetic-long-bursts-60")
    assert best["tcp"] == pytest.approx(5.31, rel=0.01)
    assert best["differs"] == "differs from independent losses"
    chance = next(row for row in rows["links"] if row["name"] == "synthetic-independent-60")
    assert chance["differs"] == "within chance"
    # The curve follows PRR, and has the mean over independent links of each link's PRR.
    prrs = [row["prr"] for row in rows["curve"]]
    assert prrs == sorted(prrs)
    assert all(row["independent"] > 0 for row in rows["curve"])
    spec = charts.over_prr(12)
    names = {layer["data"]["name"] for layer in spec["layer"]}
    assert names == set(rows)
    # A link without an order of losses is no point of the curve.
    drawn: Any = [{**link, "order_known": False, "mu": None} for link in demo["links"]]
    assert study_rows.over_prr(drawn)["curve"] == []


def test_stats() -> None:
    document = airtcp.stats(sorted(map(str, DEMO.glob("*.gz"))))
    found = trace_answer.answer(document)
    assert found is not None
    assert problems(found, _names(document)) == []
    assert found.headline == "Losses come in bursts on 9 of 12 links."
    assert document["answer"]["headline"] == found.headline
    assert found.help == (
        "2 traces are too short for the size of mu: about 430\u202f000 packets (median) would tell."
    )
    # The table names the links that the sentence counts, and marks the short traces.
    assert found.table is not None
    losses = [row["losses"] for row in found.table.rows()]
    assert losses.count("in bursts") == 9
    assert sum(row["mu"].startswith("~ ") for row in found.table.rows()) == 2
    prrs = [float(row["PRR"]) for row in found.table.rows()] if found.table else []
    assert prrs == sorted(prrs)


@pytest.mark.parametrize(
    ("trace", "headline"),
    [
        ([1] * 50, "Everything arrives: none of 50 packets was lost."),
        ([0] * 50, "Nothing arrives over this link: every packet was lost."),
        (
            [1, 0] * 500,
            "Losses keep farther apart than independent ones: 50 % of the packets arrive, and the",
        ),
        ([1, 1, 0, 1], "Cannot tell whether losses come in bursts: 75 % of the packets arrive"),
    ],
)
def test_stats_of_one_link(trace: list[int], headline: str) -> None:
    document = airtcp.stats({"one": trace})
    found = trace_answer.answer(document)
    assert found is not None
    assert found.headline.startswith(headline)
    assert problems(found) == []


def test_stats_name_no_file_that_was_not_given() -> None:
    assert "/" not in (airtcp.stats({"a": [1, 0] * 50})["answer"]["next"] or "")
    path = str(DEMO / "synthetic-good.txt.gz")
    assert f"airtcp study {path}" in airtcp.stats(path)["answer"]["next"]


def _models(errors: dict[str, list[float]]) -> dict[str, Any]:
    """Make a document of models whose errors on each link are given."""
    links = [
        {
            "name": f"link-{i}",
            "slot_s": 0.01,
            "order_known": True,
            "notes": [],
            "empirical": {"packets_per_second": 10.0},
            "scores": [
                {"synthesiser": name, "packets_per_second": {"mean": 10.0 + 100 * found[i]}}
                for name, found in errors.items()
            ],
        }
        for i in range(len(next(iter(errors.values()))))
    ]
    overall = [
        {
            "synthesiser": name,
            "description": name,
            "links": len(found),
            "mean_normalised_error": sum(found) / len(found),
            "median_absolute_throughput_error": None,
            "within_ten_percent": 0.5,
            "mean_absolute_burst_log_ratio": 0.1,
        }
        for name, found in errors.items()
    ]
    head: dict[str, Any] = {"interrupted": False, "skipped": [], "replicas": 2}
    return {**head, "links": links, "overall": overall}


def test_a_model_is_closest_only_if_every_link_shows_it() -> None:
    clear = _models({"a": [0.01, 0.02, 0.01, 0.02], "independent": [0.11, 0.12, 0.12, 0.13]})
    found = answer_models.answer(clear)
    assert found is not None
    assert found.headline.startswith("a imitates TCP most closely: its error is 1.5 %")
    assert found.help is None
    # One link makes the mean: the least error is no ranking.
    lucky = _models({"a": [0.01, 0.02, 0.01, 0.02], "independent": [0.01, 0.01, 0.01, 0.9]})
    found = answer_models.answer(lucky)
    assert found is not None
    assert found.headline.startswith("Which model imitates TCP best is open: a has the least")
    assert found.help == "No model is shown to be worse than it: more links would tell."
    assert problems(found) == []
    one = answer_models.answer(_models({"a": [0.01], "b": [0.5]}))
    assert one is not None
    assert one.headline.startswith("Which model imitates TCP best is open")
    assert one.help == "So few links do not rank models: score more links together."
    assert answer_models.answer({**clear, "overall": [], "links": []}) is None


def test_a_model_of_other_links_is_not_ranked() -> None:
    document = _models({"a": [0.1, 0.2, 0.1], "b": [0.3, 0.3, 0.2]})
    document["overall"].append(
        {**document["overall"][0], "synthesiser": "easy", "links": 1, "mean_normalised_error": 0.0}
    )
    found = answer_models.answer(document)
    assert found is not None
    assert "a has the least" in found.headline or found.headline.startswith("a imitates")
    assert found.doubt == "1 model does not apply to every link, and is not ranked."
    assert found.table is not None
    assert found.table.names[-1] == "easy"


def test_fit() -> None:
    document: Any = airtcp.trace_fit(sorted(map(str, DEMO.glob("*.gz")))).json
    found = fit_answer(document)
    assert found is not None
    assert problems(found, [fit["name"] for fit in document["fits"]]) == []
    assert found.headline == (
        "The form inverse-root predicts TCP's throughput over links outside its fit with a mean"
        " error of 8.7 %; the formula padhye, without a fit, is not shown to be worse (9.3 %)."
    )
    assert found.help == "Knowing mu beside PRR is not shown to help: more links would tell."
    assert document["answer"]["headline"] == found.headline
    # A formula that is off by far on every link is worse.
    worse = copy.deepcopy(document)
    for formula in worse["formulas"]:
        formula["estimates"] = [60.0 + x["packets_per_second"] for x in worse["links"]]
    found = fit_answer(worse)
    assert found is not None
    assert "has a larger one" in found.headline
    nothing: Any = {
        **document,
        "fits": [{**fit, "leave_one_out_error": None} for fit in document["fits"]],
    }
    found = fit_answer(nothing)
    assert found is not None
    assert found.headline.startswith("No form can be fitted to 12 links")
    empty: Any = {**document, "links": []}
    assert fit_answer(empty) is None


def test_every_family_of_names_is_described() -> None:
    entries = registry()
    assert {entry["family"] for entry in entries} == set(families.WHAT)
    found = families.overview(entries)
    assert problems(found) == []
    assert found.table is not None
    assert all(names for names in found.table.columns[2].cells)


def test_a_family_has_its_sources() -> None:
    lines = _printed("list", "code")
    assert any("RFC 6330" in line for line in lines)
    assert not any("congestion" in line for line in lines)
    assert json.loads("\n".join(_printed("list", "--json"))) == registry()


@pytest.mark.parametrize("command", [("study", "--replicas", "2"), ("trace", "stats")])
def test_no_command_reads_standard_input_again(
    program: list[str], command: tuple[str, ...]
) -> None:
    done = subprocess.run(
        [*program, *command, "-"], input=b"1101" * 500, capture_output=True, check=True
    )
    assert done.stdout.rstrip().endswith((b"All: --details", b"Page: --html FILE"))
