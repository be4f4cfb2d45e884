"""The tables of an evaluation: what needs attention, all criteria, and all checks of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from airtcp.words.grid import Column, Grid, Toned, cut, elided
from airtcp.words.sentences import ANY, Finding, begun, estimate, listed, number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from airtcp.questions.evaluate.document import (
        CheckResult,
        CriterionResult,
        EvaluateDocument,
        Value,
    )
    from airtcp.words.grid import Tone

ROWS: Final = 12
"""Criteria in the table of the answer."""
_WHERE: Final = 24
_TITLE: Final = 18
_QUANTITY: Final = 16
_TONES: Final[dict[str, Tone]] = {"wrong": "bad", "attention": "warn", "pass": "good"}
_ORDER: Final = ("wrong", "attention", "pass", "not evaluated")


def deciding(one: CriterionResult) -> CheckResult | None:
    """Return the check that decides a criterion."""
    keys = one["check"], one["quantity"]
    return next((c for c in one["checks"] if (c["name"], c["quantity"]) == keys), None)


def attention(document: EvaluateDocument) -> Grid | None:
    """Return the table of the answer: criteria that need attention; all if none does."""
    done = [one for one in document["criteria"] if one["checks"]]
    chosen = [one for one in done if one["verdict"] in {"wrong", "attention"}]
    rows = sorted(chosen or done, key=lambda one: _ORDER.index(one["verdict"]))
    grid = _grid(document, rows, short=True).first(ROWS)
    rest = len(done) - len(rows)
    verb = "1 criterion passes" if rest == 1 else f"{rest} criteria pass"
    title = f"{verb}: --details" if rest else ""
    return Grid(grid.head, grid.names, grid.columns, title, grid.more)


def _grid(document: EvaluateDocument, rows: Sequence[CriterionResult], *, short: bool) -> Grid:
    checks = [deciding(one) for one in rows]
    columns = [
        Column("quantity", [_quantity(check) for check in checks], left=True),
        Column("where", [_where(check) for check in checks], left=True, rank=1),
        Column(
            elided(document["law"]["label"], 12 if short else 40),
            [_own(check, short=short) for check in checks],
        ),
        *_baselines(document, checks),
        Column("verdict", [_verdict(one["verdict"]) for one in rows], left=True),
        Column("source", [one["source"] for one in rows], left=True, rank=3),
    ]
    names = [cut(f"{one['id']} {one['title']}", _TITLE) for one in rows]
    grid = Grid("criterion", names, columns)
    return grid.within(100) if short else grid


def _baselines(document: EvaluateDocument, checks: Sequence[CheckResult | None]) -> list[Column]:
    return [
        Column(
            elided(name, 12),
            [_baseline(check, name) for check in checks],
            rank=0 if place == 0 else 2,
        )
        for place, name in enumerate(document["yardsticks"])
    ]


def _baseline(check: CheckResult | None, name: str) -> str:
    """Write the value of a yardstick; a bound that needs none has none."""
    if check is None or name not in check["baselines"]:
        return "-"
    return number(check["baselines"][name]["value"] * check["scale"])


def _quantity(check: CheckResult | None) -> str:
    if check is None:
        return "-"
    unit = f" ({check['unit']})" if check["unit"] else ""
    return elided(check["quantity"], _QUANTITY) + unit


def _where(check: CheckResult | None) -> str:
    return "-" if check is None else elided(check["name"], _WHERE)


def _verdict(verdict: str) -> str:
    tone = _TONES.get(verdict)
    return verdict if tone is None else Toned.of(verdict, tone)


def _own(check: CheckResult | None, *, short: bool) -> str:
    return "-" if check is None else estimated(check, check["scale"], short=short)


def estimated(value: Value | CheckResult, scale: float, *, short: bool = False) -> str:
    """Write a mean with its interval."""
    found: Mapping[str, float | None] = {
        "mean": value["value"],
        "ci_low": value["low"],
        "ci_high": value["high"],
    }
    return estimate(found, scale, ANY, short=short)


def details(document: EvaluateDocument) -> tuple[Finding | Grid, ...]:
    """Return all criteria, the checks that are not plainly passed, and what was not evaluated."""
    done = [one for one in document["criteria"] if one["checks"]]
    parts: list[Finding | Grid] = []
    if done:
        parts.append(_grid(document, done, short=False))
    if notable := [
        (one, check)
        for one in done
        for check in one["checks"]
        if check["verdict"] != "pass" or check["unsure"]
    ]:
        parts.append(checks_grid(document, notable, "Rows beyond their bounds"))
    return (*parts, *left_out(document))


def left_out(document: EvaluateDocument) -> list[Finding]:
    """Say what was not evaluated, or in part, and why; criteria of one reason together."""
    reasons: dict[tuple[bool, str], list[str]] = {}
    for one in document["criteria"]:
        if one["reason"]:
            names = reasons.setdefault((bool(one["checks"]), one["reason"]), [])
            names.append(f"{one['id']} {one['title']}")
    return [
        Finding(f"{'In part' if part else 'Not evaluated'}: {listed(names)}", f"{begun(reason)}.")
        for (part, reason), names in reasons.items()
    ]


def checks_grid(
    document: EvaluateDocument,
    rows: Sequence[tuple[CriterionResult, CheckResult]],
    title: str = "",
) -> Grid:
    """Return checks with values, bounds and verdicts.

    Args: document: The document. rows: Criteria and checks. title: Title of the table.
    """
    checks = [check for _, check in rows]
    said = [f"{check['verdict']}{', not shown' if check['unsure'] else ''}" for check in checks]
    columns = [
        Column("quantity", [_quantity(check) for check in checks], left=True),
        Column("where", [check["name"] for check in checks], left=True),
        Column(document["law"]["label"], [estimated(c, c["scale"]) for c in checks]),
        *_baselines(document, checks),
        Column(
            "limit",
            ["-" if c["limit"] is None else number(c["limit"] * c["scale"]) for c in checks],
        ),
        Column("verdict", said, left=True),
    ]
    return Grid("criterion", [one["id"] for one, _ in rows], columns, title)
