"""What would help a link against its losses: in `compare`, in `study`, in words, on the pages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import polars as pl
import pytest

import airtcp
from airtcp import words_remedies
from airtcp.report import remedies as page

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp.documents import Remedies
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
    said = words_remedies.goodput(found)
    assert said.headline.endswith("would help most")
    assert said.tone == "good"
    assert f"lt-tcp {words_remedies.gain(coded['percent'])}" in said.text  # pyright: ignore[reportArgumentType]
    assert "Within chance" not in said.text
    assert "Less:" not in said.text
    costs = words_remedies.cost(found)
    assert costs is not None
    assert f"lt-tcp {_mean(by_name['lt-tcp']['bytes_per_byte']):.2f}" in costs.text
    assert "sack@ll-arq:arq=selective 0 %" in costs.text


def test_a_clean_link_is_not_and_it_is_said(clean: Path, run: Program) -> None:
    found = _remedies(clean)
    said = words_remedies.goodput(found)
    assert said.headline == "Nothing would help"
    assert "nothing is lost on it" in said.text
    assert "The same: sack@ll-arq:arq=selective." in said.text
    assert not [o for o in found["outcomes"] if (o["difference"] or {}).get("standing") == "more"]
    # A short queue is another thing than goodput.
    delivery = words_remedies.delivery(found)
    assert delivery is not None
    assert delivery.headline == "Sooner: sliding"
    out = _ended(run("study", clean, "--replicas", "2", "--no-report", "--no-compare", "-q"))
    assert "- Nothing would help: " in out
    assert "What would help against losses" in out


def test_in_the_terminal(run: Program, lossy: Path) -> None:
    out = _ended(run("compare", lossy, "--no-synthetic", "-q"))
    before, after = out.split("What would help against losses")
    assert " newreno " in before
    assert "lt-tcp" not in before
    for name in ("sack@ll-harq", "lt-tcp", "lt-tcp@ll-harq", "sliding"):
        assert f"\n {name} " in after
    assert "would help most: " in after
    assert "One packet a slot, behind a queue" in after
    # Who names the TCPs has these alone, unless remedies are asked for.
    assert "What would help" not in _ended(run("compare", lossy, "--tcp", "sack", "-q"))
    assert "What would help" not in _ended(run("compare", lossy, "--remedies", "none", "-q"))
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
    assert "What would help this link" in html
    assert "Goodput and delivery time" in html
    out = _ended(run(*arguments, "--no-report"))
    assert "would help most: " in out
    without = _ended(run(*arguments, "--no-report", "--no-remedies", "--json"))
    assert json.loads(without)["links"][0]["remedies"] is None


def test_of_several_links(lossy: Path, clean: Path, run: Program) -> None:
    result = airtcp.study([lossy, clean], replicas=2, compare=False, remedies="lt-tcp")
    [said] = [f for f in result.findings if f.headline == "What would help these links"]
    assert "Of 2 links, each gets more than plain TCP on: lt-tcp 1 (typically " in said.text
    assert said.text.endswith("On 1 nothing is shown to help.")
    drawn = page.helped(result.json["links"])
    assert drawn is not None
    assert [row[1] for row in drawn["several"]["rows"]] == [
        "lt-tcp would help most",
        "Nothing would help",
    ]
    out = _ended(run("compare", lossy, clean, "--tcp", "sack", "--remedies", "lt-tcp", "-q"))
    assert out.count("What would help against losses") == 2


def test_the_page_of_a_comparison(lossy: Path, run: Program, tmp_path: Path) -> None:
    _ended(run("compare", lossy, "--no-synthetic", "--html", "page.html", "-q"))
    html = (tmp_path / "page.html").read_text("utf-8")
    assert "What would help against losses" in html
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
    assert words_remedies.goodput(found).tone == "good"
    assert "Mb/s with" in words_remedies.goodput(found).text
    assert found["notes"][0].startswith("Packets, and units of a link protocol, that leave within")


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


def _made(*percents: tuple[str, float, str]) -> Remedies:
    """Make remedies of given differences to a plain TCP."""

    def estimate(mean: float | None) -> dict[str, float | None]:
        if mean is None:
            return {"mean": None, "ci_low": None, "ci_high": None}
        return {"mean": mean, "ci_low": mean - 5, "ci_high": mean + 5}

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
            "delivery_p95_s": estimate(None),
            "delivery_p95_difference": None,
            "residual_loss": estimate(None),
            "bytes_per_byte": estimate(None),
        }
        for name, percent, side in rows
    ]
    order = sorted(rows, key=lambda row: -row[1])
    made: Any = {
        "reference": "sack",
        "replications": 10,
        "outcomes": outcomes,
        "ranking": {"order": [row[0] for row in order], "as_good": [], "behind": []},
    }
    return made


def test_what_is_within_chance_is_no_help() -> None:
    made = _made(("lt-tcp", 3.0, "undecided"), ("sliding", -4.0, "less"))
    said = words_remedies.goodput(made)
    assert said.headline == "Nothing would help"
    assert "Within chance: lt-tcp +3.0 % [" in said.text
    assert "Less: sliding \N{MINUS SIGN}4.0 % [" in said.text
    assert words_remedies.delivery(made) is None
    assert words_remedies.cost(made) is None
    made = _made(("lt-tcp", 30.0, "more"), ("sliding", 40.0, "more"))
    made["ranking"]["as_good"] = ["lt-tcp"]
    said = words_remedies.goodput(made)
    assert said.headline == "sliding and lt-tcp would help most"
    assert "lt-tcp may get as much as sliding" in said.text
    made["replications"] = 1
    assert words_remedies.goodput(made).headline == "What would help is not certain"
