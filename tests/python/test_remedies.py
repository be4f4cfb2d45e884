"""Remedies against losses: in `compare`, in `study`, in findings, on the pages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import polars as pl
import pytest

import airtcp
from airtcp.questions.compare import delay, effects, quantities
from airtcp.questions.compare import findings as compare
from airtcp.questions.compare import findings_remedies as remedies
from airtcp.questions.compare import rows as compare_rows
from airtcp.questions.compare.answer_remedies import helps
from airtcp.questions.study.sections import study_page

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp.data.documents import Remedies
    from conftest import Ended, Program


@pytest.fixture(scope="module")
def lossy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A link that loses a fifth of its packets, one by one."""
    folder = tmp_path_factory.mktemp("lossy")
    return airtcp.synth(folder / "lossy.txt", prr=0.8, packets=10_000, seed=5)


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A link that loses nothing."""
    path = tmp_path_factory.mktemp("clean") / "clean.txt"
    path.write_text("1" * 10_000 + "\n")
    return path


def _ended(ended: Ended, code: int = 0) -> str:
    assert ended.code == code, ended.err
    assert "Traceback" not in ended.err
    return ended.out


def _remedies(path: Path, names: str = "usual", **options: Any) -> Remedies:
    result = airtcp.compare(path, tcp="sack", remedies=names, synthetic=False, **options)
    jsonschema.validate(result.json, airtcp.schema("compare"))
    found = result.json["subjects"][0]["remedies"]
    assert found is not None
    return found


def _mean(value: Any) -> float:
    assert value["mean"] is not None
    return value["mean"]


def test_a_lossy_link_is_helped_and_it_is_said(lossy: Path) -> None:
    found = _remedies(lossy)
    names = [outcome["variant"] for outcome in found["outcomes"]]
    assert names == [
        "sack",
        "sack@ll-arq:arq=selective",
        "sack@ll-harq",
        "lt-tcp",
        "lt-tcp@ll-harq",
        "sliding",
    ]
    by_name = dict(zip(names, found["outcomes"], strict=True))
    coded = by_name["lt-tcp"]["difference"]
    assert coded is not None
    assert coded["standing"] == "more"
    # Several times as much: SACK starves at a fifth lost.
    assert _mean(coded["percent"]) > 500
    verdict = found["verdict"]
    first = verdict["first"]
    assert first in names[1:]
    assert remedies.helpful(found) == first
    # The remedy is named in words.
    spoken = effects.spoken(first)
    assert str(helps(None, found)).startswith(f"{spoken[0].upper()}{spoken[1:]} would ")
    assert [m["quantity"] for m in verdict["measures"]][2] == "bytes_per_byte"


def test_a_clean_link_is_not_and_it_is_said(clean: Path, run: Program) -> None:
    found = _remedies(clean)
    nothing = "Remedies against losses have nothing to repair: the link loses nothing"
    assert compare.remedy(found).headline == nothing
    assert not [o for o in found["outcomes"] if (o["difference"] or {}).get("standing") == "more"]
    quiet = ("--no-compare", "-q", "--details")
    out = _ended(run("study", clean, "--replicas", "2", *quiet))
    assert f"{nothing}." in " ".join(out.split())
    assert "Remedies against losses" in out


def test_in_the_terminal(run: Program, lossy: Path) -> None:
    out = _ended(run("compare", lossy, "--no-synthetic", "-q", "--details"))
    before, after = out.split("\nRemedies against losses\n")
    assert " newreno " in before
    for name in ("sack@ll-harq", "lt-tcp", "lt-tcp@ll-harq", "sliding"):
        assert f"\n {name} " in after
    assert "best remedy" in before
    assert "One packet a slot, behind a queue" in after
    # With named TCPs there are no remedies unless requested.
    for options in (["--tcp", "sack"], ["--remedies", "none"]):
        out = _ended(run("compare", lossy, *options, "-q", "--details"))
        assert "Remedies against" not in out
        assert "TCP or remedy" not in out
    named = _ended(run("compare", lossy, "--tcp", "sack", "--remedies", "ll-arq,lt-tcp", "-q"))
    assert "\n sack@ll-arq " in named
    assert "sliding" not in named


def test_a_study_says_it_everywhere(run: Program, lossy: Path, tmp_path: Path) -> None:
    arguments = ["study", str(lossy), "--replicas", "2", "--no-compare", "-q"]
    document = json.loads(_ended(run(*arguments, "--json", "--out", "all")))
    jsonschema.validate(document, airtcp.schema("study"))
    [link] = document["links"]
    assert link["remedies"]["reference"] == "sack"
    assert link["remedies"]["runs"] == []
    table = pl.read_parquet(tmp_path / "all" / "remedies.parquet")
    assert table["variant"].to_list() == [o["variant"] for o in link["remedies"]["outcomes"]]
    assert table["bytes_per_byte"].null_count() == 0
    html = (tmp_path / "all" / "report.html").read_text("utf-8")
    assert "<h2>Remedies against losses</h2>" in html
    assert "Goodput and delivery time" in html
    out = _ended(run(*arguments, "--details"))
    assert " would multiply the goodput of sack by " in " ".join(out.split())
    without = _ended(run(*arguments, "--no-remedies", "--json"))
    assert json.loads(without)["links"][0]["remedies"] is None


def test_of_several_links(lossy: Path, clean: Path, run: Program) -> None:
    result = airtcp.study([lossy, clean], replicas=2, compare=False, remedies="lt-tcp")
    answer = result.answer()
    assert answer is not None
    said = "A coded transport (LT-TCP) would help most on 1 link: "
    assert str(answer.help).startswith(said)
    items = study_page(result.json).items
    said = {item.name: " ".join(item.notes) for item in items}
    assert "A coded transport (LT-TCP) would " in said["lossy"]
    assert "would" not in said["clean"]
    command = ("compare", lossy, clean, "--tcp", "sack", "--remedies", "lt-tcp", "-q")
    assert "A coded transport (LT-TCP) would help most on 1 link: " in _ended(run(*command))
    out = _ended(run(*command, "--details"))
    assert out.count("Remedies against losses") == 2


def test_the_page_of_a_comparison(lossy: Path, run: Program, tmp_path: Path) -> None:
    _ended(run("compare", lossy, "--no-synthetic", "--html", "page.html", "-q"))
    html = (tmp_path / "page.html").read_text("utf-8")
    assert "Remedies against losses" in html
    assert "remedies-trade-0" in html
    # The command on the page brings the same numbers back.
    assert "--remedies sack,sack@ll-arq:arq=selective,sack@ll-harq,lt-tcp" in html


def test_seed_and_workers(lossy: Path) -> None:
    one = _remedies(lossy, "lt-tcp,sliding,ll-harq", workers=1)
    assert one == _remedies(lossy, "lt-tcp,sliding,ll-harq", workers=2)
    assert one["runs"]


def test_behind_a_link_and_in_a_scenario(lossy: Path) -> None:
    link = {"rate": "2 Mb/s", "delay": "10 ms"}
    found = _remedies(lossy, "sliding,ll-arq:arq=selective", as_link=link)
    assert found["replications"] == 5
    assert all(o["packets_per_second"] is None for o in found["outcomes"])
    assert remedies.helpful(found) is not None
    assert found["notes"][0].startswith(
        "Packets, and units of a link protocol, that are sent within"
    )


@pytest.mark.parametrize(
    ("names", "part"),
    [
        ("lt-tpc", 'did you mean "lt-tcp"'),
        ("lt-tcp:granulaton=5", "granulation"),
        ("ll-arq:attempts=0", "1 (no retransmission)"),
        ("sliding:coding=on", "coding"),
    ],
)
def test_bad_names(run: Program, lossy: Path, names: str, part: str) -> None:
    ended = run("compare", lossy, "--remedies", names)
    _ended(ended, 2)
    assert part in ended.err


def made_remedies(*percents: tuple[str, float, str], verdict: dict[str, Any] | None = None) -> Any:
    """Make remedies of given differences to a plain TCP."""

    def estimate(mean: float | None, half: float = 5) -> dict[str, float | None]:
        if mean is None:
            return {"mean": None, "ci_low": None, "ci_high": None}
        return {"mean": mean, "ci_low": mean - half, "ci_high": mean + half}

    def paired(mean: float, half: float, side: str | None) -> Any:
        return side and {"absolute": estimate(mean, half), "percent": None, "standing": side}

    rows = [("sack", 0.0, None), *percents]
    outcomes = [
        {
            "variant": name,
            "goodput_bps": estimate(1e6 * (1 + percent / 100)),
            "packets_per_second": None,
            "difference": side
            and {
                "absolute": estimate(1e4 * percent),
                "percent": estimate(percent),
                "standing": side,
            },
            "delivery_p95_s": estimate(0.05, 0.001),
            "delivery_p95_difference": paired(0.012, 0.002, side and "more"),
            "residual_loss": estimate(None),
            "bytes_per_byte": estimate(1.1 if side else 1.0, 0.01),
            "waste_difference": paired(0.1, 0.01, side and "more"),
        }
        for name, percent, side in rows
    ]
    order = sorted(rows, key=lambda row: -row[1])
    empty: dict[str, Any] = {
        "first": "sack",
        "not_distinguishable": [],
        "alternatives": [],
        "worse": [],
        "not_ranked": [],
    }
    measures = [
        {"criterion": "goodput", "quantity": "goodput_bps", "matters": 0.03},
        {"criterion": "delay", "quantity": "delivery_p95_s"},
        {"criterion": "waste", "quantity": "bytes_per_byte"},
    ]
    return {
        "aim": "losses",
        "runs": [],
        "reference": "sack",
        "notes": [],
        "replications": 10,
        "over": "replications",
        "outcomes": outcomes,
        "ranking": {"order": [row[0] for row in order], "not_distinguishable": [], "worse": []},
        "verdict": {**empty, "measures": measures, "replications": 10, **(verdict or {})},
    }


def test_what_has_no_interval_is_not_tested() -> None:
    made = made_remedies(("lt-tcp", 13_000.0, "undecided"))
    difference = made["outcomes"][1]["difference"]
    for kind in ("absolute", "percent"):
        difference[kind] |= {"ci_low": None, "ci_high": None}
    assert remedies.unhelpful(made) == "untested"
    # No sentence and no table has a ratio.
    assert compare.remedy(made).headline == (
        "Whether a remedy helps was not tested: too few packets arrive, or are lost"
    )
    assert quantities.against_reference(made["outcomes"][1]) == "not tested"
    made["channel"] = "trace"
    row = compare_rows.mean_row(made, _drawn(made["outcomes"][1]))
    assert (row["gain"], row["mean"]) == (None, 131.0)


def _drawn(outcome: Any) -> Any:
    """Return an outcome every key that a picture draws."""
    keys = ("rtt_mean_s", "rtt_p95_s", "share", "rival_goodput_bps")
    return {**dict.fromkeys(keys), **outcome}


def test_what_is_not_significant_is_no_help() -> None:
    made = made_remedies(("lt-tcp", 3.0, "undecided"), ("sliding", -4.0, "less"))
    assert remedies.helpful(made) is None
    assert remedies.unhelpful(made) == "open"
    # An interval that excludes a gain that matters shows that nothing helps.
    assert remedies.unhelpful(made_remedies(("sliding", -9.0, "less"))) == "nothing"
    # A gain below the threshold is no help.
    made = made_remedies(("lt-tcp", 2.0, "more"), verdict={"not_distinguishable": ["lt-tcp"]})
    assert not remedies.raises(made, _drawn(made["outcomes"][1]))


def test_a_large_gain_is_not_too_little_to_count() -> None:
    # Its own interval excludes zero, the interval corrected for two remedies does not.
    made = made_remedies(
        ("lt-tcp", 297.0, "more"),
        ("sliding", 2.0, "more"),
        verdict={"not_distinguishable": ["lt-tcp"]},
    )
    large = made["outcomes"][1]["difference"]["absolute"]
    large.update({"ci_low": 0.02 * large["mean"], "ci_high": 1.98 * large["mean"]})
    assert remedies.helpful(made) is None
    assert remedies.unhelpful(made) == "open"
    made["verdict"].update({"first": "lt-tcp", "not_distinguishable": ["sack"]})
    assert remedies.helpful(made) is None
    # Of one remedy alone the same interval shows the gain: there is nothing to correct for.
    made["outcomes"].pop()
    assert remedies.helpful(made) == "lt-tcp"


def test_a_gain_is_shown_though_the_verdict_on_delay_and_bytes_is_open() -> None:
    """Wrong before: a verdict in three criteria hid gains that their own intervals show."""
    made = made_remedies(
        ("lt-tcp", 30.0, "more"),
        ("sliding", 28.0, "more"),
        verdict={"first": "sliding", "not_distinguishable": ["sack"]},
    )
    assert remedies.helpful(made) == "sliding"
    assert [o["variant"] for o in made["outcomes"] if remedies.raises(made, o)] == [
        "lt-tcp",
        "sliding",
    ]
    # If the verdict has plain TCP first, the remedy with the most goodput is named.
    made["verdict"]["first"] = "sack"
    assert remedies.helpful(made) == "lt-tcp"


def test_a_shorter_mean_is_said_though_it_is_not_shown() -> None:
    made = made_remedies(("sliding", -4.0, "less"), ("cubic", -4.0, "less"))
    made["verdict"]["measures"][1]["matters"] = 0.1
    plain, sliding, _ = made["outcomes"]
    plain["delivery_p95_s"]["mean"] = 5.63
    sliding["delivery_p95_s"]["mean"] = 0.24
    for outcome in made["outcomes"][1:]:
        outcome["delivery_p95_difference"]["standing"] = "undecided"
    made["outcomes"][2]["delivery_p95_s"]["mean"] = 5.6
    assert delay.unhelpful(made) == "unproven"
    sliding["delivery_p95_s"]["mean"] = 5.7
    assert delay.unhelpful(made) == "nothing"
