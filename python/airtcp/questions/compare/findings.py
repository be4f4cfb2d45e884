"""What stands behind the answer of a comparison: TCPs that are not ranked, and synthetic links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp.questions.compare import answer_remedies, answer_tcp, quantities, unranked
from airtcp.words.sentences import Finding

if TYPE_CHECKING:
    from airtcp.data.documents import CompareCase, CompareSubject, Remedies


def look_alikes(subject: CompareSubject) -> list[Finding]:
    """Say which TCP is best over the synthetic links of a trace."""
    return [
        Finding(f"Over {quantities.CHANNELS[case['channel']]}", answer_tcp.told(case).headline)
        for case in subject["cases"][1:]
        if case["replications"] > 1
    ]


def not_ranked(case: CompareCase) -> list[Finding]:
    """Say why TCPs or remedies are not ranked."""
    return unranked.findings(case["verdict"]["not_ranked"])


def remedy(remedies: Remedies) -> Finding:
    """State what would help on a link, for its study."""
    said = answer_remedies.helps(None, remedies)
    return Finding((said or "The best remedy is undecided: it ran once").removesuffix("."), "")
