"""Fits of throughput: over traces, over results of studies, and refusals."""

from __future__ import annotations

import json
import math
import random
import re
from typing import TYPE_CHECKING, Any

import jsonschema
import polars as pl
import pytest

import airtcp
from airtcp import _core
from airtcp.questions.fit import answer as fit_answer
from airtcp.questions.fit import findings as fit_words
from airtcp.questions.fit import links as fit_links
from browser import wait_for
from page_parts import data_of, parts_of

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp import FitResult
    from browser import Browser
    from conftest import Program

FORMS = ["linear", "quadratic", "inverse-root", "combined", "second-order", "15-term"]
FORMULAS = ["mathis", "square-root", "padhye", "padhye-approximate", "tfrc", "altman"]


@pytest.fixture(scope="module")
def links(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Bursty links of every PRR, and a perfect one."""
    folder = tmp_path_factory.mktemp("links")
    draw = random.Random(5)  # noqa: S311
    for i in range(24):
        prr, mu = draw.uniform(0.2, 0.95), draw.uniform(0.0, 0.9)
        airtcp.synth(folder / f"{i:02}.txt", prr=prr, mu=mu, packets=8000, interval="10 ms", seed=i)
    (folder / "perfect.txt").write_text("1" * 2000 + "\n")
    return folder


@pytest.fixture(scope="module")
def studied(links: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a study of them."""
    folder = tmp_path_factory.mktemp("studied")
    airtcp.study(links, replicas=1).write(folder, report=False)
    return folder


@pytest.fixture(scope="module")
def result(links: Path) -> FitResult:
    return airtcp.trace_fit(links, metrics="log(longest_success_burst)")


def _samples(n: int, **same: float) -> list[dict[str, Any]]:
    draw = random.Random(n)  # noqa: S311
    return [
        {
            "name": f"link-{i}",
            "prr": draw.uniform(0.2, 0.6),
            "mu": draw.uniform(0, 0.9),
            "packets_per_second": draw.uniform(1, 30),
            "link_packets_per_second": 100,
        }
        | same
        for i in range(n)
    ]


def _fit(samples: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
    return json.loads(_core.fit_throughput(json.dumps({"links": samples, "options": options})))


def test_everything_is_there(result: FitResult) -> None:
    document = result.json
    assert document["schema"] == "airtcp.fit/1"
    jsonschema.validate(json.loads(result.text), airtcp.schema("fit"))
    names = [fit["name"] for fit in document["fits"]]
    metric = "log(longest_success_burst)"
    added = [f"{form} {metric}" for form in ("prr &", "prr & mu +", "prr & mu &", "15-term +")]
    assert names == FORMS + added
    assert [formula["name"] for formula in document["formulas"]] == FORMULAS
    # The perfect link has no mu and is left out of all.
    assert document["left_out"] == [{"name": "perfect", "reason": "mu is not defined"}]
    assert len(result) == document["considered"] - 1 == 24
    assert all(fit["problem"] is None for fit in document["fits"])
    assert result.tables == ["fits", "coefficients", "estimates", "links"]
    assert result.fits.to_polars().height == len(names) + len(FORMULAS)
    assert repr(result) == "FitResult(24 links, 10 of 10 forms)"
    with pytest.raises(KeyError, match="estimates"):
        result.table("nothing")


def test_errors_are_recomputed_from_the_estimates(result: FitResult) -> None:
    rate = {link["name"]: link["link_packets_per_second"] for link in result.json["links"]}
    for name in result.table("fits").to_polars()["name"]:
        rows = result.table("estimates").to_polars().filter(pl.col("name") == name).to_dicts()
        found = result.fits.to_polars().row(by_predicate=pl.col("name") == name, named=True)
        assert len(rows) == found["links"] == 24

        def mean(key: str, rows: list[dict[str, Any]] = rows) -> float:
            return math.fsum(
                abs(row[key] - row["packets_per_second"]) / rate[row["link"]] for row in rows
            ) / len(rows)

        assert mean("estimate") == pytest.approx(found["error"], rel=1e-9)
        if found["kind"] == "fit":
            assert mean("leave_one_out_estimate") == pytest.approx(
                found["leave_one_out_error"], rel=1e-9
            )
            k, n, error = found["coefficients"], found["links"], found["error"]
            bic = (k + 1) * math.log(n) + 2 * n * (math.log(2 * error) + 1)
            assert found["bic"] == pytest.approx(bic)


def test_no_line_is_better_than_the_one_found(result: FitResult) -> None:
    """A line through two of the links is an optimum of least absolute deviations."""
    points = [
        (link["prr"], link["packets_per_second"] / link["link_packets_per_second"])
        for link in result.json["links"]
    ]

    def off(slope: float, level: float) -> float:
        return math.fsum(abs(slope * x + level - y) for x, y in points) / len(points)

    least = math.inf
    for i, (x, y) in enumerate(points):
        for other_x, other_y in points[:i]:
            slope = (other_y - y) / (other_x - x)
            least = min(least, off(slope, y - slope * x))
    linear = result.json["fits"][0]
    assert linear["error"] == pytest.approx(least, rel=1e-9)
    assert linear["coefficients"] is not None
    assert off(*linear["coefficients"]) == pytest.approx(least, rel=1e-9)


def test_results_of_studies_serve_as_well(links: Path, studied: Path, result: FitResult) -> None:
    metric = "log(longest_success_burst)"
    for source in (studied, studied / "study.json", studied / "links.parquet"):
        again = airtcp.trace_fit(source, metrics=metric)
        assert again.json["fits"] == result.json["fits"]
        assert again.json["formulas"] == result.json["formulas"]
    # Traces and results together, and several results.
    both = airtcp.trace_fit([studied / "study.json", links / "00.txt"])
    assert len(both) == 25


def test_choosing_links(studied: Path) -> None:
    document = airtcp.trace_fit(studied, where=["0.2<=prr<=0.6", "mu>0.1"]).json
    assert document["links"]
    assert all(0.2 <= link["prr"] <= 0.6 for link in document["links"])
    assert all((link["mu"] or 0) > 0.1 for link in document["links"])
    by_class = airtcp.trace_fit(studied, link_class=["intermediate", "good"]).json
    assert all(0.2 <= link["prr"] < 0.9 for link in by_class["links"])
    assert by_class["considered"] == 25
    with pytest.raises(airtcp.AirtcpError, match="none of 25 links meets"):
        airtcp.trace_fit(studied, where="prr<0.01")
    with pytest.raises(airtcp.AirtcpError, match=r"--class .bad.: accepted is very poor"):
        airtcp.trace_fit(studied, link_class="bad")


@pytest.mark.parametrize(
    "condition", ["", "prr", "prr>", ">0.5", "0.1<prr<mu", "prr>0.1>0.2", "1<2", "a b>1", "prr>nu"]
)
def test_conditions_that_cannot_be_read(studied: Path, condition: str) -> None:
    with pytest.raises(airtcp.AirtcpError, match="--where"):
        airtcp.trace_fit(studied, where=condition)


def test_metrics(studied: Path) -> None:
    document = airtcp.trace_fit(studied, metrics=["beta", "loss_bursts.mean"]).json
    assert set(document["links"][0]["metrics"]) == {"beta", "loss_bursts.mean"}
    for name, why in [
        ("nothing", r"no such number of a link \(there are: .*beta.*loss_bursts.mean"),
        ("tcp_packets_per_second", "this is what TCP did"),
        ("class", "no such number"),
        ("prr", "not taken yet"),
    ]:
        with pytest.raises(airtcp.AirtcpError, match=why):
            airtcp.trace_fit(studied, metrics=name)
    own = airtcp.trace_fit(studied, metrics="beta", forms={"mine": ["prr", "1/sqrt(1-prr)*beta"]})
    assert [fit["terms"] for fit in own.json["fits"]] == [["prr", "1/sqrt(1-prr)*beta", "1"]]
    with pytest.raises(airtcp.AirtcpError, match=r'form "mine": "prr\^3" is no term'):
        airtcp.trace_fit(studied, forms={"mine": ["prr^3"]})


def test_too_few_links(studied: Path) -> None:
    few = _fit(_samples(5))
    kinds = {fit["name"]: (fit["problem"] or {}).get("kind") for fit in few["fits"]}
    assert kinds == dict.fromkeys(FORMS[:4]) | dict.fromkeys(FORMS[4:], "too-few-links")
    assert "what can be fitted: linear, quadratic, inverse-root, combined" in few["shortfall"]
    assert _fit(_samples(2))["shortfall"].endswith("nothing can be fitted")
    with pytest.raises(airtcp.AirtcpError, match="no link to fit"):
        _fit([])
    said = [f.text for f in airtcp.trace_fit(studied, where="prr>0.85").findings]
    assert any("need" in text and "links or more; there are" in text for text in said)


def test_singular_designs() -> None:
    same = _fit(_samples(30, prr=0.4))
    linear = same["fits"][0]
    assert linear["problem_text"] == "all 30 links have the same prr"
    assert linear["coefficients"] is None
    no_memory = {fit["name"]: fit["problem_text"] for fit in _fit(_samples(30, mu=0.0))["fits"]}
    assert no_memory["combined"] is None
    assert no_memory["second-order"] == "all 30 links have the same mu"


def test_damaged_results(tmp_path: Path, studied: Path) -> None:
    (tmp_path / "cut.json").write_bytes((studied / "study.json").read_bytes()[:4000])
    document = json.loads((studied / "study.json").read_text("utf-8"))
    document["links"][2]["tcp"] = None
    (tmp_path / "less.json").write_text(json.dumps(document), encoding="utf-8")
    (tmp_path / "odd.json").write_text(json.dumps({"schema": "airtcp.study/1", "links": 3}))
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and no more")
    pl.DataFrame({"name": ["a"]}).write_parquet(tmp_path / "other.parquet")
    for name, why in [
        ("cut.json", "not JSON"),
        ("less.json", "link 3 has no slot_s"),
        ("odd.json", "expected a study's result"),
        ("bad.parquet", "damaged Parquet file"),
        ("other.parquet", "there is no column mu, prr"),
        ("none.parquet", "No such file"),
    ]:
        with pytest.raises(airtcp.TraceError, match=why):
            airtcp.trace_fit(tmp_path / name)
    assert not fit_links.is_result(str(tmp_path / "none.json"))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"prr": 10**400}, "link 1 has no prr"),
        ({"mu": 10**400}, "link 1 has no mu from -1 to 1"),
        ({"mu": math.nan}, "link 1 has no mu from -1 to 1"),
        ({"mu": "much"}, "link 1 has no mu from -1 to 1"),
        ({"slot_s": 5e-324}, "link 1 has a slot of 5e-324 s; expected 1e-09 to 1e"),
        ({"slot_s": 1e308}, "link 1 has a slot of 1e.308 s; expected 1e-09 to 1e"),
        ({"tcp_packets_per_second": 1e308}, "link 1 has 1e.308 TCP packets/s; expected 0 to"),
    ],
)
def test_results_with_impossible_numbers(
    tmp_path: Path, studied: Path, change: dict[str, Any], why: str
) -> None:
    document = json.loads((studied / "study.json").read_text("utf-8"))
    link = document["links"][0]
    for key, value in change.items():
        if key == "slot_s":
            link["tcp"][key] = value
        elif key == "tcp_packets_per_second":
            link["tcp"]["empirical"]["packets_per_second"] = value
        else:
            link[key] = value
    (tmp_path / "study.json").write_text(json.dumps(document))
    with pytest.raises(airtcp.TraceError, match=why):
        airtcp.trace_fit(tmp_path / "study.json", where="mu>-2")


def test_a_table_of_links_is_read_within_bounds(tmp_path: Path, studied: Path) -> None:
    table = pl.read_parquet(studied / "links.parquet")
    table.with_columns(mu=pl.lit(b"\xff"), more=pl.lit([1.0])).write_parquet(tmp_path / "a.parquet")
    (row, *_) = fit_links.read_result(str(tmp_path / "a.parquet"))
    assert row.get("mu") is None
    assert "more" not in row
    # A few hundred kilobytes that expand to thirty million links.
    long = table.select(pl.repeat(pl.first("prr"), 30_000_000).alias("prr"))
    long.write_parquet(tmp_path / "long.parquet")
    assert (tmp_path / "long.parquet").stat().st_size < 2_000_000
    with pytest.raises(airtcp.TraceError, match="more than 100000 links; expected 100000 or fewer"):
        airtcp.trace_fit(tmp_path / "long.parquet")


def test_findings_agree_with_the_errors(result: FitResult) -> None:
    document = result.json
    best = fit_words.best(document)
    assert best is not None
    errors = [fit["leave_one_out_error"] for fit in document["fits"]]
    assert best["leave_one_out_error"] == min(e for e in errors if e is not None)
    before, after = (fit_words.best(document, [name]) for name in ("combined", "second-order"))
    assert before is not None
    assert after is not None
    change = fit_words.improvement(document, before, after)
    assert change is not None
    gain = (before["leave_one_out_error"] or 0) - (after["leave_one_out_error"] or 0)
    assert change[0] == pytest.approx(gain)
    assert fit_words.improvement(document, before, before) == (0.0, 0.0)
    assert result.findings[0].headline.startswith(f"The form {best['name']} predicts TCP's ")


def test_command_line(run: Program, studied: Path, tmp_path: Path) -> None:
    chosen = ["trace", "fit", studied, "--where", "prr>0.2"]
    table = run(*chosen, "-q")
    assert table.code == 0, table.err
    for name in FORMS + FORMULAS:
        assert name in table.out
    document = json.loads(run(*chosen, "--json", "-q").out)
    assert document["options"]["where"] == ["prr>0.2"]
    assert document["options"]["formulas"]["rtt_slots"] == 2
    slower = json.loads(run(*chosen, "--json", "-q", "--rtt-slots", "4").out)
    assert slower["formulas"][0]["estimates"] != document["formulas"][0]["estimates"]
    rows = pl.read_csv(run(*chosen, "--format", "csv", "-q").out.encode())
    assert rows["name"].to_list() == FORMS + FORMULAS
    lines = run(*chosen, "--format", "jsonl", "-q").out.splitlines()
    assert [json.loads(line)["name"] for line in lines] == FORMS + FORMULAS
    done = run(*chosen, "--out", "here")
    assert done.code == 0
    assert "results: here (5 files)" in done.err
    files = sorted(path.name for path in (tmp_path / "here").iterdir())
    tables = ["coefficients.parquet", "estimates.parquet", "fits.parquet", "links.parquet"]
    assert files == sorted([*tables, "fit.json", "report.html", ".airtcp.json"])
    assert json.loads((tmp_path / "here" / "fit.json").read_text("utf-8")) == document


def test_refusals_of_the_command_line(run: Program, studied: Path) -> None:
    for arguments, why in [
        ((studied, "--where", "prr=>1"), "expected a metric and numbers"),
        ((studied, "--rtt-slots", "nan"), "rtt_slots is nan: expected a number above 0"),
        ((studied, "--rtt-slots", "0"), "rtt_slots is 0: accepted is more than 0"),
        (("nothing.txt",), "nothing.txt"),
        ((studied, "--metric", "tcp_timeouts"), "this is what TCP did"),
    ]:
        ended = run("trace", "fit", *arguments)
        assert ended.code == 2
        assert ended.err.startswith("error: ")
        assert why in ended.err
        assert "Traceback" not in ended.err


def test_the_page_is_complete(result: FitResult, tmp_path: Path) -> None:
    page = result.page()
    assert "default-src 'none'" in page
    payload = json.loads(page.split('id="payload">')[1].split("</script>")[0])
    # A chart for each form and formula; the fits also have the view of left-out links.
    data = data_of(payload)
    assert len(data) == 10 + len(FORMULAS)
    assert len(payload["charts"]) == 2 * 10 + len(FORMULAS)
    assert {len(of["points"]) for of in data.values()} == {24}
    # The answer takes the first screen, beside the form that it names.
    parts = parts_of(page)
    assert parts.title == fit_answer.headline(result.json)
    first = re.search(r'<figure class="first plot" data-chart="([^"]*)"', page)
    assert first is not None
    beside = next(plot for plot in parts.plots if plot.name == first[1])
    assert f"The form {beside.heading} " in parts.title
    assert result.report(tmp_path / "page.html").read_text("utf-8") == page


def test_the_page_draws(result: FitResult, browser: Browser, tmp_path: Path) -> None:
    page = browser.open(result.report(tmp_path / "page.html"), width=380)
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    page.click("[data-view='fit-4-out']")
    wait_for(page, "document.querySelector('[data-chart=fit-4]').dataset.drawn === 'fit-4-out'")
    assert browser.complaints == []


def test_fits_can_be_stopped() -> None:
    told: list[tuple[int, int, str]] = []

    def tell(done: int, total: int, label: str) -> None:
        told.append((done, total, label))
        if done > total // 2:
            raise KeyboardInterrupt

    request = json.dumps({"links": _samples(40)})
    answer = json.loads(_core.fit_throughput(request, tell))
    assert answer["interrupted"]
    assert answer["shortfall"] is None
    assert answer["fits"][0]["leave_one_out_error"] is not None
    assert answer["fits"][5]["leave_one_out_note"] == "stopped before every link was left out"
    assert told
    assert {label for _, _, label in told} == {"fitting"}


def test_what_a_fit_leaves_out_or_assumes_is_said(run: Program, tmp_path: Path) -> None:
    folder = tmp_path / "links"
    folder.mkdir()
    for i in range(6):
        airtcp.synth(folder / f"{i}.txt", prr=0.3 + 0.1 * i, mu=0.4, packets=3000, seed=i)
    (folder / "lte.down").write_text("".join(f"{t}\n{t}\n" for t in range(1, 4000, 2)))
    rows = "".join(f"2020-01-01 00:{m:02}:00,1,2,11,-80,0.{m % 9 + 1},100\n" for m in range(60))
    (folder / "site.k7").write_text(
        '{"location": "here", "interframe_duration": 10}\n'
        f"datetime,src,dst,channel,mean_rssi,pdr,tx_count\n{rows}"
    )
    ended = run("trace", "fit", "links", "--out", "result", "--details")
    assert ended.code == 0, ended.err
    said = " ".join(ended.out.split())
    assert "1 left out: no losses. Links of varying capacity, such as lte" in said
    assert "Order not measured. For 1 of 7 links" in said
    assert "Slot 10 ms assumed. For 6 of 7 links" in said
    document = json.loads((tmp_path / "result" / "fit.json").read_text("utf-8"))
    assert (document["order_drawn_links"], document["slot_assumed_links"]) == (1, 6)
    assert document["capacities"] == ["lte.down"] or document["capacities"] == ["lte"]
    page = next((tmp_path / "result").glob("*.html")).read_text("utf-8")
    assert "packets/s, slot 10 ms assumed for 6 of 7 links" in page
    # A study's result gives the same without another run.
    airtcp.study(folder, replicas=1).write(tmp_path / "studied", report=False)
    again = airtcp.trace_fit(tmp_path / "studied").json
    assert (again["slot_assumed_links"], len(again["capacities"])) == (6, 1)
    with pytest.raises(airtcp.AirtcpError, match="not its losses"):
        airtcp.trace_fit(folder / "lte.down")


def test_ratios_of_another_scale_are_noticed(studied: Path, tmp_path: Path) -> None:
    document = json.loads((studied / "study.json").read_text("utf-8"))
    link = document["links"][0]
    percent = document | {"links": [link | {"prr": 97.0}]}
    (tmp_path / "study.json").write_text(json.dumps(percent))
    with pytest.raises(airtcp.AirtcpError, match="not percent"):
        airtcp.trace_fit(tmp_path / "study.json")
    many = [link | {"name": str(i), "prr": 0.0001 * i} for i in range(1, 103)]
    (tmp_path / "study.json").write_text(json.dumps(document | {"links": many}))
    found = fit_words.findings(airtcp.trace_fit(tmp_path / "study.json").json)
    assert "PRR in hundredths?" in [finding.headline for finding in found]


def test_a_table_of_hostile_links_is_refused(tmp_path: Path, studied: Path) -> None:
    table = pl.read_parquet(studied / "links.parquet")
    # A name that Arrow's C interface cannot pass on ends the process that reads it.
    table.rename({"class": "a\0b"}).write_parquet(tmp_path / "nul.parquet")
    with pytest.raises(airtcp.TraceError, match="damaged Parquet file"):
        airtcp.trace_fit(tmp_path / "nul.parquet")
    # A few kilobytes that expand to half a gigabyte of text.
    text = pl.lit("x" * (1 << 20)).alias("note")
    wide = pl.concat([table.head(1)] * 512).with_columns(text)
    wide.write_parquet(tmp_path / "wide.parquet")
    assert (tmp_path / "wide.parquet").stat().st_size < 1_000_000
    with pytest.raises(airtcp.TraceError, match="more than 256 MiB of links"):
        airtcp.trace_fit(tmp_path / "wide.parquet")
