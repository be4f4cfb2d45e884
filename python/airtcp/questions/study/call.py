"""The function `study`: what TCP delivers over links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Unpack

from airtcp import _core
from airtcp.inputs import arrays
from airtcp.inputs.arguments import (
    COMPARED,
    as_json,
    only_given,
    remedies_of,
)
from airtcp.inputs.file_kinds import reads
from airtcp.inputs.progress import shows_progress
from airtcp.inputs.reading import how_to_read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from airtcp.inputs.arguments import Progress
    from airtcp.inputs.arrays import Links
    from airtcp.inputs.reading import Reading
    from airtcp.questions.study.result import StudyResult

_MOST_LINKS: Final = 2**32 - 1


@reads("study")
@shows_progress
def study(
    links: Links,
    *,
    profile: str | None = None,
    slot: str | None = None,
    replicas: int = 20,
    seed: int = 1,
    compare: bool | None = None,
    remedies: bool | str | Iterable[str] | None = None,
    workers: int | None = None,
    analyse: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    **reading: Unpack[Reading],
) -> StudyResult:
    """Study links: their metrics, and what TCP delivers over them and over synthetic links.

    Args:
        links: Delivery traces: files, folders or patterns ("-" is standard input); or one trace as
            a sequence of 0 and 1 (a list, bytes, an array, a series); or a table from names to such
            traces.
        profile: TCP parameters: `s1` (those of S1, with timers in proportion to the slot; the
            default) or the name of a profile (`registry("tcp-profile")`).
        slot: Duration of a slot, such as "10 ms"; by default the trace's interval, else 10 ms.
        replicas: Number of synthetic links of each kind.
        seed: Root seed. Equal seeds give equal results.
        compare: Whether to compare TCPs over each link; by default for up to 20 links.
        remedies: Whether to try remedies against losses on each link, or their names, as for
            `compare`; by default for up to 20 links.
        workers: Number of threads; by default all cores. The result does not depend on it.
        analyse: Options of the analysis, as in `options.analyse` of the document.
        progress: Called with done, total and a label.
        **reading: How to read traces: the options of `airtcp.inputs.reading.Reading`.

    Returns:
        The result. If Ctrl-C stopped the study, `interrupted` is true and the result holds the
        finished links.

    Raises:
        TraceError: If a file cannot be read as a trace.
        AirtcpError: If an option is impossible.

    Examples:
        >>> from airtcp import synth
        >>> path = synth("steady.txt", prr=0.9, packets=2000, seed=1)
        >>> study(path, replicas=2)
        StudyResult(1 link, seed 1)
        >>> study({"uplink": [1, 1, 0, 1] * 500}, replicas=2).json["links"][0]["name"]
        'uplink'
    """
    from airtcp.questions.study.result import StudyResult

    read = how_to_read(reading, of=study)
    options = {
        "read": read,
        "study": only_given(
            profile=profile,
            slot=slot,
            replicas=replicas,
            seed=seed,
            compare_links=COMPARED if compare is None else _MOST_LINKS * compare,
            remedy_links=COMPARED if remedies is None else _MOST_LINKS * (remedies is not False),
            remedies=None if remedies is None else remedies_of(remedies),
            workers=workers,
            analyse=None if analyse is None else dict(analyse),
        ),
    }
    with arrays.given(links) as paths:
        file = paths[0] if len(paths) == 1 and not arrays.has_traces(links) else None
        return StudyResult(_core.study(paths, as_json(options), progress), {"read": read}, file)
