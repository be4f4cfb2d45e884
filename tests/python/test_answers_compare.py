"""The answer of a comparison of TCPs and remedies: the right words for each case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import airtcp
from airtcp.charts import draw
from airtcp.cli import show
from airtcp.questions.compare import answer_many, answer_remedies, charts_answer
from airtcp.questions.compare.answer import answer
from airtcp.questions.compare.answer_tcp import sharing, told
from examples import SCENARIOS
from grammar import LINES, problems
from made_cases import (
    case,
    compared,
    difference,
    document,
    estimate,
    outcome,
    remedies,
    subject,
)

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp.words.answer import Answer

_MANY = 30
"""Lines of an answer on many links."""


def _printed(
    said: Answer | None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    lines: int = LINES,
    names: tuple[str, ...] = (),
) -> str:
    """Print an answer at 100 columns, and check its grammar."""
    assert said is not None
    assert problems(said, names) == []
    monkeypatch.setenv("COLUMNS", "100")
    show.put_answer(said, details=False)
    out = capsys.readouterr().out
    assert len(out.splitlines()) <= lines, out
    # The last line can be pasted, however long.
    assert max(map(len, out.splitlines()[:-1])) <= 100, out
    return out


BBR, WESTWOOD, CUBIC = outcome("bbr", 8.14), outcome("westwood+", 4.3), outcome("cubic", 1.59)
THREE = [BBR, WESTWOOD, CUBIC]


def test_the_first_gets_most_if_comparisons_show_it() -> None:
    worse = [compared("westwood+", "bbr"), compared("cubic", "westwood+")]
    said = told(case(THREE, "bbr", worse=worse))
    assert said.headline == (
        "Of the TCPs tried, bbr gets most: 8.1 Mb/s, and the next, westwood+, 4.3."
    )
    assert (said.tells, said.doubt) == (None, None)


def test_the_first_does_not_get_most_if_a_rival_is_behind_in_delay_only() -> None:
    worse = [compared("westwood+", "bbr", worse="delay"), compared("cubic", "westwood+")]
    headline = told(case(THREE, "bbr", worse=worse)).headline
    assert "most" not in headline
    assert headline == (
        "bbr is the best choice here, at 8.1 Mb/s: each other TCP delivers later or gets less."
    )


def test_a_tcp_that_is_not_ranked_may_get_more() -> None:
    made = case(
        [*THREE, outcome("jersey", 9.3)],
        "bbr",
        worse=[compared("westwood+", "bbr"), compared("cubic", "bbr")],
        not_ranked=[{"variant": "jersey", "reason": "unmet", "lacks": ["queue"]}],
    )
    assert told(made).headline == (
        "Of the TCPs tried that fit this path, bbr gets most: 8.1 Mb/s, and the next, westwood+,"
        " 4.3."
    )
    left = [{"variant": name, "reason": "delivers-nothing"} for name in ("westwood+", "cubic")]
    only = case(THREE, "bbr", not_ranked=left)
    assert told(only).headline == "Only bbr can be ranked here: it gets 8.1 Mb/s."


def test_the_table_says_why_a_tcp_is_not_ranked() -> None:
    """In short in its row; in full as the doubt, if nothing more serious is in doubt."""
    why = (
        'it needs ECN and a queue of kind "jersey"; tcp.ecn is off, and the path has no such queue'
    )
    jersey = {"variant": "jersey", "reason": "unmet", "lacks": ["ecn", "queue"], "queue": "jersey"}
    dead = {"variant": "reno", "reason": "delivers-nothing"}
    worse = [compared("westwood+", "bbr"), compared("cubic", "bbr")]
    outcomes = [*THREE, outcome("jersey", 9.3), outcome("reno", 0.0)]
    left = [jersey, dead]
    said = answer(document(subject(case(outcomes, "bbr", worse=worse, not_ranked=left))))
    assert said is not None
    assert said.doubt == f"jersey is not ranked: {why} (1 more: --details)."
    assert said.table is not None
    places = {row["TCP"]: row["verdict"] for row in said.table.rows()}
    assert places["jersey"] == "not ranked: no ECN"
    assert places["reno"] == "not ranked: delivers nothing"
    # jersey gets most, but a reader takes the first row.
    assert [row["TCP"] for row in said.table.rows()][::3] == ["bbr", "jersey"]
    both = [{"variant": "jersey", "reason": "unmet", "lacks": ["ecn"]}]
    both.append(both[0] | {"variant": "reno"})
    said = answer(document(subject(case(outcomes, "bbr", worse=worse, not_ranked=both))))
    assert said is not None
    assert said.doubt == "jersey and reno are not ranked: they need ECN, and tcp.ecn is off."


def test_the_table_has_a_column_of_what_others_get() -> None:
    """Where a verdict weighs how flows share, its quantity stands beside goodput."""
    two = [outcome("sack", 1.6, jain_index=estimate(0.95)), outcome("cubic", 1.5)]
    made = case(two, "sack", worse=[compared("cubic", "sack", worse="share")])
    assert "fairness" not in _heads(made)
    made["verdict"]["measures"].append(
        made["verdict"]["measures"][0]
        | {"criterion": "share", "quantity": "jain_index", "relative": False}
    )
    assert _heads(made)[:2] == ["goodput (Mb/s)", "fairness"]


def _heads(made: Any) -> list[str]:
    said = answer(document(subject(made)))
    assert said is not None
    assert said.table is not None
    return [column.heading for column in said.table.columns]


def test_rates_that_hardly_differ_have_more_digits() -> None:
    two = [outcome("sack", 1.64), outcome("cubic", 1.59)]
    headline = told(case(two, "sack", worse=[compared("cubic", "sack")])).headline
    assert headline == "sack gets most here: 1.64 Mb/s, and cubic 1.59."


def test_a_trade_names_what_is_shown_and_no_more() -> None:
    slow = outcome("bbr", 8.14, delivery_p95_s=estimate(0.2))
    quick = outcome("vegas", 2.5, delivery_p95_s=estimate(0.1))
    made = case([slow, quick], "bbr", alternatives=[compared("vegas", "bbr", better="delay")])
    said = told(made)
    assert said.headline == (
        "No TCP is best in everything: bbr gets 8.1 Mb/s, and vegas gets less (2.5) but delivers"
        " sooner."
    )
    # What is shown is not called insignificant.
    assert said.doubt is None
    unproven = case([slow, quick], "bbr", worse=[compared("vegas", "bbr")])
    assert told(unproven).doubt == (
        "On average vegas delivers sooner (100 ms instead of 200), but not significantly: more"
        " replications may tell."
    )


def test_as_good_and_cannot_tell_are_two_things() -> None:
    two = [outcome("sack", 9.4), outcome("cubic", 9.4)]
    even: dict[str, Any] = {"not_distinguishable": ["cubic"], "equivalent": ["cubic"]}
    assert told(case(two, "sack", **even)).headline == (
        "No TCP is better than another here: sack and cubic get about 9.4 Mb/s."
    )
    behind = told(case([*two, BBR], "sack", **even, worse=[compared("bbr", "sack")])).headline
    assert behind.startswith("sack and cubic are equally good here, at about 9.4 Mb/s")
    open_ones: dict[str, Any] = {"not_distinguishable": ["cubic"], "needed": 34}
    said = told(case(two, "sack", **open_ones))
    assert said.headline == (
        "Cannot tell which of sack and cubic is best: sack has the highest mean, 9.4 Mb/s."
    )
    assert said.tells == "More replications of sack and cubic alone (-n 20) may tell."
    over_a_trace = case(two, "sack", **open_ones) | {"over": "stretches"}
    assert told(over_a_trace).tells == "A longer trace may tell."
    few = told(case(two, "sack", runs=2, not_distinguishable=["cubic"]))
    assert few.tells == "More replications of sack and cubic alone (-n 8) may tell."


@pytest.mark.parametrize(
    ("outcomes", "headline"),
    [
        ([BBR], "bbr gets 8.1 Mb/s in one run."),
        (THREE, "Nothing is ranked: in one run bbr got most, 8.1 Mb/s."),
        (
            [outcome("sack", 9.41), outcome("cubic", 9.42)],
            "Nothing is ranked: in one run cubic and sack got 9.4 Mb/s each.",
        ),
        ([outcome("sack", 0.0), outcome("cubic", 0.0)], "No TCP delivers anything."),
        ([outcome("sack", 0.0)], "sack delivers nothing."),
    ],
)
def test_one_run_ranks_nothing(outcomes: list[Any], headline: str) -> None:
    assert told(case(outcomes, None, runs=1)).headline == headline


@pytest.mark.parametrize(
    ("shares", "runs", "said"),
    [
        (
            {"bbr": (0.8, 0.1), "vegas": (0.1, 0.05)},
            5,
            "bbr takes more than half (80 %), and vegas",
        ),
        ({"bbr": (0.8, 0.4), "vegas": (0.4, 0.3)}, 5, "no TCP is shown to take more or less"),
        ({"bbr": (0.52, 0.05), "sack": (0.49, 0.05)}, 5, "each TCP takes about half."),
        ({"bbr": (0.8, None)}, 1, "bbr got 80 % of what both got, in one run."),
        ({"vegas": (0.1, 0.05)}, 5, "vegas takes less than half (10 %)."),
    ],
)
def test_sharing(shares: dict[str, Any], runs: int, said: str) -> None:
    outcomes = [outcome(n, 5.0, share=estimate(*share)) for n, share in shares.items()]
    found = sharing(case(outcomes, None, runs=runs), "cubic")
    assert found is not None
    assert found.startswith(f"Beside a flow of cubic, {said}")
    assert sharing(case(THREE, "bbr"), "cubic") is None


def _plain(lost: float = 0.01) -> dict[str, Any]:
    return outcome("sack", 1.64, residual_loss=estimate(lost))


def _remedy(name: str, mbps: float, percent: float, half: float = 5.0, **more: Any) -> Any:
    standing = "more" if percent - half > 0 else "undecided"
    return outcome(name, mbps, difference=difference(standing, percent, half), **more)


def test_a_remedy_is_held_against_the_best_tcp() -> None:
    tcps = case([*THREE, outcome("sack", 1.64)], "bbr", worse=[compared("sack", "bbr")])
    sliding, link = _remedy("sliding", 9.29, 466), _remedy("sack@ll-arq:arq=selective", 8.33, 407)
    made = remedies([_plain(), sliding, link], "sliding")
    assert answer_remedies.helps(tcps, made) == (
        "A coded transport (sliding) would get 9.3 Mb/s, and sack over retransmission on the link"
        " 8.3."
    )
    # Intervals that overlap show nothing; a lower one is less.
    wide = remedies([_plain(), sliding | {"goodput_bps": estimate(8.3e6, 5e5)}], "sliding")
    assert "would get 8.3 Mb/s: not shown to be more than bbr gets." in str(
        answer_remedies.helps(tcps, wide)
    )
    low = remedies([_plain(), _remedy("sliding", 4.0, 144)], "sliding")
    assert "4.0 Mb/s: less than bbr gets." in str(answer_remedies.helps(tcps, low))
    later = _remedy("sliding", 9.29, 466, delivery_p95_difference=difference("more"))
    assert "and deliver later" in str(
        answer_remedies.helps(tcps, remedies([_plain(), later], "sliding"))
    )


def test_no_remedy_is_said_to_help_without_proof() -> None:
    tcps = case(THREE, "bbr")
    weak = _remedy("sliding", 1.7, 4.0, 9.0)
    open_still = remedies([_plain(), weak], "sack", not_distinguishable=["sliding"], needed=40)
    assert answer_remedies.helps(tcps, open_still) == (
        "Cannot tell whether a remedy helps: more replications of sliding alone (-n 20) may."
    )
    lossless = remedies([_plain(0.0), weak], "sack", not_distinguishable=["sliding"])
    assert answer_remedies.helps(tcps, lossless) == (
        "Remedies against losses have nothing to repair: the link loses nothing."
    )
    little = remedies([_plain(), _remedy("sliding", 1.65, 0.5, 0.2)], "sack")
    assert answer_remedies.helps(tcps, little) == "No remedy tried raises the goodput of sack."
    untested = outcome("sliding", 2.0, None, difference=difference("undecided", 20.0, None))
    assert "was not tested" in str(
        answer_remedies.helps(tcps, remedies([_plain(), untested], "sack"))
    )
    assert answer_remedies.helps(tcps, remedies([_plain(), weak], None, runs=1)) is None
    dead = remedies([outcome("sack", 0.0), outcome("sliding", 0.0)], None)
    assert answer_remedies.helps(tcps, dead) == "No remedy helps: nothing arrives with any of them."


def test_remedies_over_a_part_of_a_trace_stand_apart() -> None:
    tcps = case([*THREE, outcome("sack", 1.5)], "bbr")
    made = remedies([_plain(), _remedy("sliding", 9.29, 466)], "sliding")
    assert not answer_remedies.beside(tcps, made)
    assert answer_remedies.helps(tcps, made) == (
        "A coded transport (sliding) would multiply the goodput of sack by 5.7."
    )
    said = answer(document(subject(tcps, made)))
    assert said is not None
    assert said.table is not None
    assert "sliding" not in said.table.names


def test_a_gain_that_all_together_do_not_show_is_no_help() -> None:
    # By its own interval the remedy gains 20 %; corrected for two remedies it may gain nothing.
    gains, other = _remedy("sliding", 1.97, 20.0, 19.0), _remedy("lt-tcp", 1.0, -40.0)
    made = remedies([_plain(), gains, other], "sack", not_distinguishable=["sliding"], needed=20)
    tcps = case([outcome("sack", 1.64)], "sack")
    said = answer(document(subject(tcps, made)))
    assert said is not None
    assert said.help == (
        "Cannot tell whether a remedy helps: more replications of sliding alone (-n 20) may."
    )
    assert str(said.next).startswith("To tell: --remedies sliding -n 20   All: ")
    assert said.table is not None
    assert {*said.table.columns[-1].cells} == {"not shown to help", "without a remedy"}
    assert answer_many.sentences([subject(tcps, made)] * 3)[1] == (
        "Cannot tell whether a remedy helps on any link: longer traces may."
    )


def test_a_shorter_wait_has_its_price() -> None:
    plain = outcome("cubic", 5.0, delivery_p95_s=estimate(4.95))
    codel = outcome(
        "cubic@codel",
        4.6,
        delivery_p95_s=estimate(0.314),
        difference=difference("less", -8.0),
        delivery_p95_difference={
            "standing": "less",
            "absolute": estimate(-4.6, 0.1),
            "percent": None,
        },
    )
    made = remedies([plain, codel], "cubic@codel", aim="delay")
    assert answer_remedies.helps(case(THREE, "bbr"), made) == (
        "CoDel in the queue of the link would deliver within 314 ms instead of 5.0 s, for less"
        " goodput."
    )


def test_the_table_keeps_what_sentences_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = f"own@{'ll-arq:' * 30}="
    many = [outcome(f"reno:beta={i}", 2.0 + 0.01 * i) for i in range(300)]
    best = outcome("vegas", 1.0)
    made = case(
        [*many, best, outcome(odd, 0.5)],
        "reno:beta=299",
        alternatives=[compared("vegas", "reno:beta=299", better="delay")],
    )
    said = answer(document(subject(made, title="A" * 200)))
    out = _printed(said, capsys, monkeypatch, names=("reno:beta=299",))
    assert " vegas " in out
    assert "and 292 more: --details" in out


def test_doubt_names_the_most_serious_first() -> None:
    made = case(THREE, "bbr", worse=[compared("westwood+", "bbr"), compared("cubic", "bbr")])

    def doubt(one: Any, **more: Any) -> str | None:
        said = answer(document(one, **more))
        assert said is not None
        return said.doubt

    assert doubt(subject(made)) is None
    assert doubt(subject(made, slot_assumed=True, slot_s=0.01)) == (
        "Rates and times rest on an assumed slot of 10 ms: --slot gives another."
    )
    drawn = "The file does not give the order of losses, and airtcp drew it"
    assert "it was drawn" in str(doubt(subject(made, notes=[drawn], slot_assumed=True)))
    skipped = [{"path": "/a/b/slow.txt", "reason": "no"}]
    assert str(doubt(subject(made), skipped=skipped)).startswith(
        "1 file was not read (slow.txt: no)"
    )
    assert "was stopped" in str(doubt(subject(made), skipped=skipped, interrupted=True))
    two = case(THREE, "bbr", runs=2, worse=made["verdict"]["worse"])
    assert doubt(subject(two)) == "Rests on 2 replications: -n 8 runs more."
    assert answer(document()) is None


def test_a_tcp_that_is_good_on_all_links() -> None:
    """Wrong would be: a TCP that no link ranks, or one that is ranked where it is good only."""
    worse = [compared("westwood+", "bbr")]
    both = case(THREE, "bbr", not_distinguishable=["cubic"], worse=worse)
    other = case(THREE, "cubic", worse=[compared("bbr", "cubic"), compared("westwood+", "cubic")])
    dead = {"variant": "cubic", "reason": "delivers-nothing"}
    unranked = case(THREE, "bbr", worse=worse, not_ranked=[dead])
    assert answer_many.headline([both, other], "link") == (
        "Over 2 links, cubic is never shown to be worse than the best TCP."
    )
    said = "Each TCP is shown to be worse than the best one on some of 3 links; "
    assert answer_many.headline([both, other, unranked], "link") == (
        f"{said}bbr and cubic on the fewest, 1 each."
    )
    alike = case(THREE, "bbr", not_distinguishable=["cubic", "westwood+"])
    alike["verdict"]["equivalent"] = ["cubic", "westwood+"]
    assert answer_many.headline([alike, alike], "link") == (
        "No TCP is better than another on any of these links."
    )
    lone = [
        {"variant": name, "reason": "unmet", "lacks": ["ecn"]} for name in ("cubic", "westwood+")
    ]
    assert answer_many.headline([case(THREE, "bbr", not_ranked=lone)] * 2, "link") == (
        "bbr is the best TCP on each of these links."
    )


def test_many_links_are_counted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clear = case(THREE, "bbr", worse=[compared("westwood+", "bbr")])
    open_still = case(THREE, "bbr", not_distinguishable=["cubic"])
    helped = remedies([_plain(), _remedy("sliding", 9.29, 466)], "sliding")
    links = [subject(clear, helped, name=f"a{i}") for i in range(200)]
    headline, helps = answer_many.sentences([*links, subject(open_still, name="open")])
    assert headline == ("Over 201 scenarios, bbr is never shown to be worse than the best TCP.")
    assert helps is not None
    assert helps.startswith(
        "A coded transport (sliding) would help most on each of 200 links: 5.7 times the"
    )
    every = case(THREE, "bbr", not_distinguishable=["cubic", "westwood+"])
    assert answer_many.sentences([subject(every)] * 2)[0] == (
        "On none of these scenarios do the runs tell which TCP is best."
    )
    assert answer_many.tells([subject(every), subject(clear)]) == (
        "On 1 scenario several TCPs may be the best: more replications (-n 20) may tell."
    )
    dead = subject(case([outcome("sack", 0.0), outcome("bbr", 0.0)], None))
    assert answer_many.sentences([dead, dead]) == (
        "No TCP delivers anything on any of these scenarios.",
        None,
    )
    mixed = answer_many.sentences([subject(clear), subject(clear), dead])[0]
    assert mixed == (
        "Over 2 scenarios, bbr is never shown to be worse than the best TCP; no TCP is ranked on 1"
        " more."
    )
    lone = [subject(case([outcome("sack", mbps)], "sack")) for mbps in (2.0, 9.0)]
    assert answer_many.sentences(lone)[0] == "sack gets 2.0 to 9.0 Mb/s over these scenarios."
    said = answer(document(*links, subject(open_still, name="open"), dead))
    out = _printed(said, capsys, monkeypatch, _MANY)
    assert out.index("nothing delivered") < out.index("a0")


def test_a_real_comparison_is_said_in_the_grammar(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    short: dict[str, Any] = {"duration": "12 s", "warmup": "1 s"}
    link = SCENARIOS / "lossy-link.toml"
    results = [
        airtcp.compare(link, replications=3, overrides=short),
        airtcp.compare(link, tcp="cubic,bbr", replications=2, overrides=short, share="cubic"),
        airtcp.compare(airtcp.synth(tmp_path / "t.txt", prr=0.8, mu=0.4, packets=5000, seed=1)),
    ]
    for result in results:
        said = result.answer()
        out = _printed(said, capsys, monkeypatch)
        assert result.json["answer"]["headline"] in " ".join(out.split())  # pyright: ignore[reportTypedDictNotRequiredAccess]
        drawn = charts_answer.chart(result.json)
        assert drawn is not None
        assert draw.svg_of(*drawn, "column").startswith("<svg")
    assert charts_answer.chart(document(subject(case([outcome("sack", 0.0)], None)))) is None
