"""The data of the charts of an evaluation, from its document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from airtcp.words.sentences import number

if TYPE_CHECKING:
    from airtcp.questions.evaluate.document import CheckResult, EvaluateDocument

Rows = list[dict[str, Any]]
_RIVALS: Final = "E12"


def checks_of(document: EvaluateDocument, name: str) -> list[CheckResult]:
    """Return the checks of a criterion."""
    none: list[CheckResult] = []
    return next((one["checks"] for one in document["criteria"] if one["id"] == name), none)


def grid(document: EvaluateDocument, name: str) -> Rows:
    """Return the cells of the grid of rates and round-trip times in a criterion.

    Args: document: The document. name: The criterion.
    """
    first = document["yardsticks"][0]
    return [
        {
            "rate": check["at"]["rate_bps"] / 1e6,
            "rtt": check["at"]["rtt_s"] * 1e3,
            "buffer": check["at"]["buffer_bdp"],
            "x": f"{check['at']['rtt_s'] * 1e3:g}",
            "y": f"{check['at']['rate_bps'] / 1e6:g}",
            "order": check["at"]["rate_bps"],
            "value": check["value"] * check["scale"],
            "other": check["baselines"][first]["value"] * check["scale"],
            "label": number(check["value"] * check["scale"], 2),
            "verdict": check["verdict"],
        }
        for check in checks_of(document, name)
        if "rate_bps" in check["at"]
    ]


def buffers(rows: Rows) -> list[float]:
    """Return the buffers of the grid."""
    return sorted({row["buffer"] for row in rows})


def shares(document: EvaluateDocument) -> dict[str, Rows]:
    """Return the share of the law, and of the yardsticks in its place, by rival over the buffer."""
    rivals = document["options"]["against"]
    found: dict[str, Rows] = {name: [] for name in rivals}
    for check in checks_of(document, _RIVALS):
        if check["quantity"] != "own share":
            continue
        name = rivals[int(check["at"]["rival"])]
        values = {document["law"]["label"]: check, **check["baselines"]}
        found[name] += [
            {
                "buffer": check["at"]["buffer_bdp"],
                "who": who,
                "share": value["value"],
                "low": value["low"],
                "high": value["high"],
                "rival": name,
            }
            for who, value in values.items()
        ]
    return {name: rows for name, rows in found.items() if rows}


def losses(document: EvaluateDocument) -> Rows:
    """Return the share of a lossy link that the law and the yardsticks get, by loss rate."""
    return [
        {"loss": 100 * check["at"]["loss_rate"], "who": who, "share": value["value"]}
        for check in checks_of(document, "E5")
        if "loss_rate" in check["at"]
        for who, value in {document["law"]["label"]: check, **check["baselines"]}.items()
    ]


def over_time(document: EvaluateDocument) -> dict[str, Rows]:
    """Return window and round-trip time over time by path."""
    found: dict[str, Rows] = {}
    for row in document["series"]:
        rtt = row["rtt_s"]
        found.setdefault(row["path"], []).append(
            {
                "who": row["law"],
                "t": row["t_s"],
                "cwnd": row["cwnd_bytes"] / 1e3,
                "rtt": None if rtt is None else rtt * 1e3,
            }
        )
    return found


def cells(document: EvaluateDocument) -> Rows:
    """Return the goodput of the law in each Wi-Fi cell, over that of the first yardstick."""
    first = document["yardsticks"][0]
    found: Rows = []
    for check in checks_of(document, "E15"):
        other = check["baselines"][first]["value"]
        if check["quantity"] == "goodput" and other:
            low, high = check["low"], check["high"]
            found.append(
                {
                    "cell": check["name"],
                    "ratio": check["value"] / other,
                    "low": None if low is None else low / other,
                    "high": None if high is None else high / other,
                    "goodput": check["value"] / 1e6,
                    "other": other / 1e6,
                    "verdict": check["verdict"],
                }
            )
    return found
