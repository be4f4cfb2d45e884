"""Criteria of `airtcp evaluate` for known laws, beside what is known of them, and the verdicts that must sort them."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import polars as pl

import airtcp
from airtcp.questions.evaluate import scenes
from airtcp.questions.evaluate.call import scenario_files
from airtcp.questions.evaluate.criteria import every
from airtcp.questions.evaluate.criterion import STANDARD, Plan
from airtcp.questions.evaluate.law import read_law

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The criteria that a known row needs, by law.
NEEDED: Final = {
    "reno": "E3,E5,E10,E12,E22",
    "cubic": "E3,E4,E5,E6,E10,E12,E22",
    "bbr1": "E3,E4,E5,E12,E15,E19",
    "vegas": "E3,E12,E15,E17",
    "bbr": "E5,E12",
    "westwood+": "E22",
}
#: Verdicts that sort known cases: law, criterion, verdict, and the row that decides.
SORTED: Final = (
    ("bbr1", "E4", "wrong", "sustained loss in buffers below 1.5 BDP"),
    ("bbr1", "E12", "wrong", "leaves CUBIC next to nothing in short buffers"),
    ("bbr", "E12", "attention", "takes more than CUBIC does"),
    ("vegas", "E12", "attention", "is starved by loss-based laws"),
    ("vegas", "E15", "attention", "takes waiting in a cell for congestion"),
    ("vegas", "E17", "attention", "takes jitter for congestion"),
    ("reno", "E22", "attention", "long paths with losses"),
    ("cubic", "E12", "attention", "takes more than Reno from 4 BDP on"),
)
MBPS: Final = 20.0


@cache
def _evaluated(law: str) -> dict[str, Any]:
    document = airtcp.evaluate(law, only=NEEDED[law]).json
    return {one["id"]: one for one in document["criteria"]}


def _check(law: str, criterion: str, name: str, quantity: str | None = None) -> dict[str, Any]:
    checks = _evaluated(law)[criterion]["checks"]
    return next(c for c in checks if c["name"] == name and quantity in {None, c["quantity"]})


def _value(*asked: str) -> float:
    return _check(*asked)["value"]


@cache
def _utilisation(law: str, bdp: float) -> float:
    path = scenes.link(MBPS, 100, scenes.queue(MBPS, 100, bdp))
    table = scenes.alone(read_law(law).tcp(), path, seconds=300, warmup=60)
    rows = airtcp.run(table, replications=2).links.rows()
    found = [row["utilisation"] for row in rows if row["name"] == scenes.LINK]
    return sum(found) / len(found)


def _rtt_ratio(law: str, bdp: float) -> float:
    """Return the goodput at 20 ms over that at 80 ms."""
    name = f"e10-20-and-80-ms-{bdp:g}-bdp.toml"
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, name)
        place.write_text(scenario_files(law, "E10")[name], encoding="utf-8")
        flows = airtcp.run(place).flows.rows()
    totals = {
        key: sum(r["goodput_bps"] for r in flows if r["name"] == key) for key in ("law", "other")
    }
    return totals["law"] / totals["other"]


def _filled(b: float) -> float:
    """Return the utilisation of a sawtooth that is halved at (1 + b) BDP."""
    return min(1.0, 0.75 * (1 + b) ** 2 / (1 + b + b * b))


def _known() -> list[dict[str, Any]]:
    """Return the known rows: what, source, what is expected, and what comes out here."""
    rows: list[dict[str, Any]] = []

    def add(what: str, source: str, expected: str, least: float, most: float, here: float) -> None:
        rows.append(
            {
                "known": what,
                "source": source,
                "expected": expected,
                "here": float(f"{here:.4g}"),
                "agrees": least <= here <= most,
            }
        )

    for b in (0.25, 0.5, 1.0):
        want = _filled(b)
        add(
            f"Reno alone, utilisation with {b:g} BDP",
            "closed form: sawtooth of window and queue",
            f"{want:.3f}",
            want - 0.015,
            want + 0.015,
            _utilisation("reno", b),
        )
    for b, least in ((0.25, 0.97), (0.5, 0.99)):
        text = f"at least {least:g}"
        add(
            f"CUBIC alone, utilisation with {b:g} BDP",
            "keeps 0.7 of the window (RFC 9438)",
            text,
            least,
            1.0,
            _utilisation("cubic", b),
        )
    for percent in (0.1, 0.5, 1, 2):
        want = (1.5 / (percent / 100)) ** 0.5 * 1448 * 8 / 0.04 / (MBPS * 1e6 * scenes.PAYLOAD)
        # Timeouts, which the formula leaves out, lower it the more the smaller the window is.
        add(
            f"Reno, share of the link at {percent:g} % loss",
            "Mathis et al. 1997, without timeouts",
            f"{0.75 * want:.2g} to {1.1 * want:.2g}",
            0.75 * want,
            1.1 * want,
            _value("reno", "E5", f"loss {percent:g} %"),
        )
    reno = (1.5 / 0.001) ** 0.5 * 1448 * 8 / 0.6
    add(
        "Reno at 600 ms and 0.1 % loss (Mb/s)",
        "Mathis et al. 1997",
        f"{reno / 1e6:.2g} \N{PLUS-MINUS SIGN} 30 %",
        0.7 * reno / 1e6,
        1.3 * reno / 1e6,
        _value("reno", "E22", "600 ms, 0.1 % lost") / 1e6,
    )
    cubic = 1.054 * (0.6 / 0.001) ** 0.75 * 1448 * 8 / 0.6
    add(
        "CUBIC at 600 ms and 0.1 % loss (Mb/s)",
        "average window of RFC 9438",
        f"{cubic / 1e6:.2g} \N{PLUS-MINUS SIGN} 30 %",
        0.7 * cubic / 1e6,
        1.3 * cubic / 1e6,
        _value("cubic", "E22", "600 ms, 0.1 % lost") / 1e6,
    )
    return rows + _published()


def _published() -> list[dict[str, Any]]:
    found: list[tuple[str, str, str, float, float, float]] = [
        (
            "BBRv1, share of the link at 5 % loss",
            "Cardwell et al. 2017",
            "at least 0.9",
            0.9,
            1.0,
            _value("bbr1", "E5", "loss 5 %"),
        ),
        (
            "BBRv3, share at 5 % loss over that at 0.5 %",
            "draft-ietf-ccwg-bbr: backs off above 2 %",
            "at most 0.5",
            0.0,
            0.5,
            _value("bbr", "E5", "loss 5 %") / _value("bbr", "E5", "loss 0.5 %"),
        ),
        (
            "16 flows of BBRv1 with 0.5 BDP, sent again (%)",
            "RFC 9743 5.1.3",
            "sustained: 5 or more",
            5.0,
            100.0,
            100 * _value("bbr1", "E4", "16 flows, 0.5 BDP"),
        ),
        (
            "16 flows of CUBIC with 0.5 BDP, sent again (%)",
            "keeps 0.7 of the window",
            "at most 1",
            0.0,
            1.0,
            100 * _value("cubic", "E4", "16 flows, 0.5 BDP"),
        ),
        *(
            (
                f"BBRv1 beside CUBIC, its share with {b:g} BDP",
                source,
                text,
                least,
                most,
                _value("bbr1", "E12", f"beside cubic, {b:g} BDP", "own share"),
            )
            for b, source, text, least, most in (
                (0.5, "Hock et al. 2017", "at least 0.8", 0.8, 1.0),
                (8, "Ware et al. 2019", "about 0.4", 0.3, 0.5),
            )
        ),
        *(
            (
                f"CUBIC beside Reno, its share with {b:g} BDP",
                "RFC 9438: Reno's share in small BDPs, more in large ones",
                text,
                least,
                most,
                _value("cubic", "E12", f"beside reno, {b:g} BDP", "own share"),
            )
            for b, text, least, most in (
                (0.5, "about 0.5", 0.4, 0.6),
                (8, "more than 0.7", 0.7, 1.0),
            )
        ),
        *(
            (
                f"Vegas beside Reno, its share with {b:g} BDP",
                "Mo et al. 1999: starves",
                "at most 0.2",
                0.0,
                0.2,
                _value("vegas", "E12", f"beside reno, {b:g} BDP", "own share"),
            )
            for b in (1, 4)
        ),
        (
            "Reno, goodput at 20 ms over 80 ms with 0.5 BDP",
            "Lakshman and Madhow 1997: 4 to 16 without a queue",
            "2 to 16",
            2.0,
            16.0,
            _rtt_ratio("reno", 0.5),
        ),
        (
            "CUBIC, goodput at 20 ms over 80 ms with 0.5 BDP",
            "RFC 9438: less than Reno's",
            "1 to 6",
            1.0,
            6.0,
            _rtt_ratio("cubic", 0.5),
        ),
        (
            "BBRv1, goodput at 20 ms over 80 ms with 4 BDP",
            "Hock et al. 2017: favours long round trips",
            "less than 1",
            0.0,
            1.0,
            _rtt_ratio("bbr1", 4),
        ),
    ]
    keys = ("known", "source", "expected")
    return [
        dict(zip(keys, one[:3], strict=True))
        | {"here": float(f"{one[5]:.4g}"), "agrees": one[3] <= one[5] <= one[4]}
        for one in (*found, *_delays())
    ]


def _delays() -> list[tuple[str, str, str, float, float, float]]:
    cell = "20 Mb/s, 40 ms, 4 BDP"
    ping = 1e3 * _value("cubic", "E6", "FQ-CoDel") - 40
    codel = 1e3 * _value("cubic", "E6", "CoDel") - 40
    ratio = _check("bbr1", "E15", "802.11ac, 3 downloads", "goodput")
    return [
        *(
            (
                f"{law}, p95 of a queue of 4 BDP over its length",
                "loss-based laws fill it, the others do not",
                text,
                least,
                most,
                _value(law, "E3", cell),
            )
            for law, text, least, most in (
                ("reno", "at least 0.9", 0.9, 1.0),
                ("cubic", "at least 0.9", 0.9, 1.0),
                ("bbr1", "at most 0.4", 0.0, 0.4),
                ("vegas", "at most 0.1", 0.0, 0.1),
            )
        ),
        (
            "Wait of a ping beside CUBIC, FQ-CoDel (ms)",
            "RFC 8290: isolates",
            "at most 2",
            0.0,
            2.0,
            ping,
        ),
        (
            "Wait of a ping beside CUBIC, CoDel (ms)",
            "RFC 8289: target of 5 ms",
            "4 to 8",
            4.0,
            8.0,
            codel,
        ),
        (
            "BBRv1 over CUBIC, 802.11ac, 3 downloads",
            "PLoS ONE 18(12) e0295576: near or below",
            "0.6 to 1.05",
            0.6,
            1.05,
            ratio["value"] / ratio["baselines"]["cubic"]["value"],
        ),
        (
            "BBRv1 with ACKs at 0.3 Mb/s (Mb/s)",
            "closed form: 721 ACKs/s for two segments each",
            "16.7 \N{PLUS-MINUS SIGN} 1",
            15.7,
            17.7,
            _value("bbr1", "E19", "ACKs at 0.3 Mb/s") / 1e6,
        ),
        (
            "Westwood+ at 600 ms, share of the link",
            "its authors: fills a clean link",
            "at least 0.9",
            0.9,
            1.0,
            _value("westwood+", "E22", "600 ms") / (MBPS * 1e6 * scenes.PAYLOAD),
        ),
    ]


def measure(*_inputs: str) -> dict[str, pl.DataFrame]:
    """Evaluate the laws, and hold the values beside what is known."""
    verdicts = [
        {
            "law": law,
            "criterion": name,
            "known": why,
            "expected": verdict,
            "here": _evaluated(law)[name]["verdict"],
            "row": _evaluated(law)[name]["check"],
            "agrees": _evaluated(law)[name]["verdict"] == verdict,
        }
        for law, name, verdict, why in SORTED
    ]
    return {
        "evaluation.csv": pl.DataFrame(_known()),
        "evaluation-verdicts.csv": pl.DataFrame(verdicts),
    }


def known(data: Mapping[str, pl.DataFrame]) -> str:
    """Lay out the known values."""
    lines = ["| known | source | expected | here | agrees |", "|---|---|---|---|---|"]
    for row in data["evaluation.csv"].to_dicts():
        agrees = "yes" if row["agrees"] else "**no**"
        lines.append(
            f"| {row['known']} | {row['source']} | {row['expected']} | {row['here']:.3g} |"
            f" {agrees} |"
        )
    return "\n".join(lines)


def verdicts(data: Mapping[str, pl.DataFrame]) -> str:
    """Lay out the verdicts."""
    lines = [
        "| law | criterion | known | expected | here | decided by |",
        "|---|---|---|---|---|---|",
    ]
    for row in data["evaluation-verdicts.csv"].to_dicts():
        here = row["here"] if row["agrees"] else f"**{row['here']}**"
        lines.append(
            f"| {row['law']} | {row['criterion']} | {row['known']} | {row['expected']} | {here} |"
            f" {row['row']} |"
        )
    return "\n".join(lines)


def criteria(_data: Mapping[str, pl.DataFrame]) -> str:
    """Lay out all criteria with their quantities and bounds, from the program."""
    law, others = read_law("bbr1"), [read_law(name) for name in ("cubic", "reno", "bbr")]
    plan = Plan(law, STANDARD, others, others[:2])
    lines = ["| | criterion | source | quantities and bounds |", "|---|---|---|---|"]
    for one in every():
        bounds: dict[str, dict[str, None]] = {}
        for check in [] if one.checks is None else one.checks(plan):
            bounds.setdefault(check.bound.words, {})[check.quantity] = None
        said = [f"{', '.join(names)}: {words}" for words, names in bounds.items()]
        said += [f"*{one.missing}*"] if one.missing else []
        lines.append(f"| {one.id} | {one.title} | {one.source} | {'; '.join(said)} |")
    return "\n".join(lines)
