"""What pages and terminals of studies say of a comparison: the sentences of its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airtcp.questions.compare import (
    answer_many,
    answer_remedies,
    answer_tcp,
    quantities,
    verdict,
)
from airtcp.words.sentences import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from airtcp.data.documents import CompareCase, CompareSubject, Remedies

best, goodput = quantities.best, quantities.goodput


def look_alikes(subject: CompareSubject) -> list[Finding]:
    """Say which TCP is best over the synthetic links of a trace."""
    return [
        Finding(f"Over {quantities.CHANNELS[case['channel']]}", answer_tcp.told(case).headline)
        for case in subject["cases"][1:]
        if case["replications"] > 1
    ]


def not_ranked(case: CompareCase) -> list[Finding]:
    """Say why TCPs or remedies are not ranked."""
    left = [f"{entry['variant']}: {entry['why']}" for entry in case["verdict"]["not_ranked"]]
    return [Finding("Not ranked", f"{'; '.join(left)}.")] if left else []


def best_choice(case: CompareCase, *, ordered: bool = True, notes: Sequence[str] = ()) -> Finding:
    """State the best choice for a link, for its study.

    Args:
        case: The case.
        ordered: Whether the order of losses is that of the file.
        notes: The notes of the link, which tell whether its repetitions are one run.
    """
    told = answer_tcp.told(case)
    more = [told.tells, told.doubt]
    more.append(None if ordered else "The order of losses was drawn.")
    if verdict.one_run(notes):
        more.append("The repetitions are one run, counted several times: they show no spread.")
    return Finding(told.headline.removesuffix("."), " ".join(said for said in more if said))


def best_choices(subjects: Sequence[tuple[str, CompareCase]]) -> Finding:
    """State on how many links each TCP is the best choice.

    Args:
        subjects: Name and case of each link.
    """
    return Finding(
        "The best TCP for these links", answer_many.headline([case for _, case in subjects], "link")
    )


def remedy(remedies: Remedies) -> Finding:
    """State what would help on a link, for its study."""
    said = answer_remedies.helps(None, remedies)
    return Finding((said or "The best remedy is undecided: it ran once").removesuffix("."), "")


def remedies_over(tried: Sequence[Remedies]) -> Finding:
    """State on how many links which remedy helps."""
    return Finding("Remedies for these links", answer_many.helps(tried) or "")
