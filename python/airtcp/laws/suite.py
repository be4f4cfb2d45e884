"""The conformance suite of the built-in laws on a law of one's own.

A law that breaks a rule gets the shortest case that shows it, as a unit test: it fails with the law
as it is, and passes once the rule is kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from airtcp import _core

if TYPE_CHECKING:
    from collections.abc import Sequence

CASES: Final = 256
CALLS: Final = 200
"""Cases, and most calls of each."""

_HOLDS: Final[tuple[tuple[str, str], ...]] = (
    (r"grew without being limited", "law.cwnd <= before"),
    (r"reacted again", "law.cwnd >= before"),
    (r"grew on congestion", "law.cwnd <= max(before, 2 * law.mss)"),
    (r"the threshold changed from (\d+)", "law.ssthresh == {0}"),
    (r"a threshold above the window", "law.ssthresh <= max(before, 2 * law.mss)"),
    (r"a window of \d+ after a timeout or restart, not (\d+)", "law.cwnd == {0}"),
    (r"no reaction to a loss", "law.cwnd < before"),
    (r"the window was not restored", "law.cwnd >= before"),
    (r"the threshold was not restored", "law.ssthresh >= threshold"),
    (r"the threshold was not raised", "law.ssthresh >= raised"),
    (r"grew while idle", "law.cwnd <= before"),
    (r"not limited", "law.cwnd <= max(limit, law.mss)"),
    (r"\d+ is below (\d+)", "law.cwnd >= {0}"),
    (r"above the bound", "law.cwnd <= law.params.max_cwnd"),
    (r"\d+ bytes of window", "law.cwnd <= 2**53"),
    (r"a threshold of \d+, below a segment", "law.ssthresh >= law.mss"),
)
"""What holds if a rule is kept, by the rule in words."""
_GROWTH: Final = "ACKs without a loss"


@dataclass(frozen=True)
class Broken:
    """A rule that a law breaks, and the statements of a test that shows it."""

    rule: str
    statements: tuple[str, ...]

    def test(self, name: str, module: str, keys: Sequence[str] = ()) -> str:
        """Write the unit test.

        Args:
            name: The class of the law.
            module: The module that it is imported from.
            keys: Keys that differ from their defaults, as in `a=2`.
        """
        body = self._body(name, keys)
        text = "\n".join(body)
        names = ["Ack", "Congestion", "Idle", "Lost", "Params", "Rate", "Sent"]
        used = [each for each in names if re.search(rf"\b{each}\(", text)]
        return "\n".join(
            [
                f"from airtcp.laws import {', '.join([*used, 'begun'])}",
                f"from {module} import {name}",
                "",
                "",
                f"def test_{name.lower()}() -> None:",
                *(f"    {line}" for line in body),
                "",
            ]
        )

    def _body(self, name: str, keys: Sequence[str]) -> list[str]:
        params = self.statements[0].removeprefix("law.begin(")[:-1]
        first = f"law = begun({', '.join([name, params, *keys])})"
        if _GROWTH in self.rule:
            sample = "Ack(law.mss, rtt=0.01, srtt=0.01, min_rtt=0.01)"
            loop = ["for _ in range(3000):", f"    law.on_ack({sample})"]
            return [first, "before = law.cwnd", *loop, f"assert law.cwnd > before  # {self.rule}"]
        lines = list(self.statements[2:])
        holds = self._holds()
        at = self._before(lines)
        saved = [
            f"{word} = law.{of}" for word, of in (("before", "cwnd"), ("threshold", "ssthresh"))
        ]
        lines[at:at] = [line for line in saved if re.search(rf"\b{line.split()[0]}\b", holds)]
        last = re.search(r"\((\d+)\)", lines[-1])
        number = "" if last is None else last[1]
        lines += [f"{word} = {number}" for word in ("limit", "raised") if word in holds]
        return [first, *lines, f"assert {holds}, {self.rule!r}"]

    def _holds(self) -> str:
        for rule, holds in _HOLDS:
            found = re.match(rule, self.rule)
            if found is not None:
                return holds.format(*found.groups())
        return "False"

    def _before(self, lines: Sequence[str]) -> int:
        """Return the place of the last call that the rule is about."""
        calls = [n for n, line in enumerate(lines) if not line.startswith("law.at(")]
        last = calls[-1] if calls else 0
        if "restored" in self.rule:
            began = (
                n for n in calls if "law.on_congestion(" in lines[n] and '"pers' not in lines[n]
            )
            last = max(began, default=last)
        # The losses of an episode are reported before it.
        return last - 1 if last and lines[last - 1].startswith("law.on_lost(") else last


def broken(
    laws: _core.Laws, *, cases: int = CASES, calls: int = CALLS, seed: int = 1
) -> Broken | None:
    """Return a rule that the first of the laws breaks; `None` if it keeps all.

    Args:
        laws: The law, with the defaults of its keys.
        cases: Number of random cases.
        calls: Most calls of a case.
        seed: Seed of the cases; equal seeds make equal cases.

    Raises:
        LawError: If the law fails.
    """
    found = _core.check_law(laws, cases, calls, seed)
    return None if found is None else Broken(found[0], tuple(found[1]))
