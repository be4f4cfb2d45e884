"""Links for fits, read from the results of studies, with their metrics.

A fit needs each link's PRR, mu, TCP throughput over the trace and packets per second of the link
layer (1 over the slot). A study's JSON document and its table of links (Parquet) have them. Any
other number of a link can be a further metric or a condition, except the results of TCP, which the
fit predicts.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

from airtcp import _core
from airtcp.data.plain import printable
from airtcp.files.destinations import PlaceError, content
from airtcp.files.folder import check_digest
from airtcp.questions.fit.conditions import Link, number_of, wanted
from airtcp.questions.fit.parquet_links import LONGEST_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

STUDY: Final = "airtcp.study/1"
_LONGEST: Final = 1 << 30
_LOOK: Final = 256
_SLOTS_S: Final = (1e-9, 1e6)
_ROUNDED: Final = 1e-6
_TABLE: Final = {"name", "prr", "mu", "slot_s", "tcp_packets_per_second"}


def is_result(path: str) -> bool:
    """Return whether a path is a study's result and not a trace.

    A result ends in `.parquet`, is a JSON document of a study, or is a folder with one.
    """
    place = _document(path)
    if place.suffix == ".parquet":
        return True
    if place.suffix != ".json" or not place.is_file():
        return False
    with place.open("rb") as file:
        return STUDY.encode() in file.read(_LOOK)


def _document(path: str) -> Path:
    """Return the file of a result; for a folder, the document in it."""
    place = Path(path)
    return place / "study.json" if place.is_dir() else place


def _refuse(message: str) -> NoReturn:
    raise _core.TraceError(message)


def read_result(path: str) -> list[Link]:
    """Read the links of a study's result.

    Args:
        path: A study's JSON document, its table of links (`links.parquet`), or the folder with
            them.

    Raises:
        TraceError: If the file is not what it should be.
    """
    place = _document(path)
    try:
        check_digest(place)
        rows = _parquet(place) if place.suffix == ".parquet" else _json(place)
    except PlaceError as error:
        _refuse(str(error))
    except OSError as error:
        _refuse(f"{place}: {error.strerror or error}")
    for number, row in enumerate(rows, start=1):
        _check(place, number, row)
    return rows


def _json(place: Path) -> list[Link]:
    if place.stat().st_size > _LONGEST:
        _refuse(f"{place}: longer than {_LONGEST} bytes")
    try:
        document: Any = json.loads(place.read_bytes())
    except (ValueError, RecursionError) as error:
        _refuse(f"{place}: not JSON: {error}")
    links = _within(document, "links")
    if _within(document, "schema") != STUDY or not isinstance(links, list):
        _refuse(f"{place}: expected a study's result ({STUDY}) with links")
    return [link_of(link) for link in cast("list[Any]", links)]


def capacities(path: str) -> list[str]:
    """Name the links of varying capacity in a study's JSON document; a table has none."""
    place = _document(path)
    if place.suffix == ".parquet":
        return []
    try:
        found = _within(json.loads(place.read_bytes()), "capacities")
    except (OSError, ValueError, RecursionError):
        return []
    links = cast("list[Any]", found) if isinstance(found, list) else []
    return [str(_within(link, "name")) for link in links]


def link_of(link: Any) -> Link:
    """Select the keys of a link that fits may need."""
    if not isinstance(link, dict):
        return {}
    found = cast("Link", link)
    flat = {key: value for key, value in found.items() if key != "tcp"}
    flat["slot_s"] = _within(found.get("tcp"), "slot_s")
    flat["slot_assumed"] = _within(found.get("tcp"), "slot_assumed")
    empirical = _within(found.get("tcp"), "empirical")
    flat["tcp_packets_per_second"] = _within(empirical, "packets_per_second")
    return flat


def _within(value: Any, key: str) -> Any:
    return cast("dict[str, Any]", value).get(key) if isinstance(value, dict) else None


def _parquet(place: Path) -> list[Link]:
    """Read a table of links in a process of its own: a damaged file can end the library's."""
    place.open("rb").close()
    done = subprocess.run(  # noqa: S603 - our own module, on the user's file
        [sys.executable, "-m", "airtcp.questions.fit.parquet_links", str(place)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        check=False,
    )
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        _refuse(_damaged(place))
    if problem := found.get("problem"):
        _refuse(f"{place}: {problem}")
    missing = sorted(_TABLE - set(found["columns"]))
    if missing:
        _refuse(
            f"{place}: expected a study's table of links; there is no column {', '.join(missing)}"
        )
    return found["rows"]


def _damaged(place: Path) -> str:
    try:
        whole = content(place, 4) == b"PAR1"
    except OSError:
        whole = False
    if whole:
        return f"{place}: damaged Parquet file (cut short or altered); write it again"
    return f"{place}: not Parquet; expected a study's table of links"


def _check(place: Path, number: int, row: Link) -> None:
    for key in ("prr", "slot_s", "tcp_packets_per_second"):
        if number_of(row.get(key)) is None:
            _refuse(f"{place}: link {number} has no {key}; expected a study's result")
    if not 0 <= row["prr"] <= 1:
        _refuse(
            f"{place}: link {number} has a prr of {row['prr']}; expected a share from 0 to 1, not"
            " percent"
        )
    if not _SLOTS_S[0] <= row["slot_s"] <= _SLOTS_S[1]:
        _refuse(
            f"{place}: link {number} has a slot of {row['slot_s']} s; expected {_SLOTS_S[0]:g} to"
            f" {_SLOTS_S[1]:g}"
        )
    most = 1 / row["slot_s"]
    if not 0 <= row["tcp_packets_per_second"] <= most * (1 + _ROUNDED):
        _refuse(
            f"{place}: link {number} has {row['tcp_packets_per_second']:g} TCP packets/s; expected"
            f" 0 to {most:g}, one a slot"
        )
    mu = number_of(row.get("mu"))
    if row.get("mu") is not None and (mu is None or not -1 <= mu <= 1):
        _refuse(f"{place}: link {number} has no mu from -1 to 1; expected a study's result")
    # Names may hold surrogates, which cannot be written as text.
    row["name"] = printable(str(row.get("name", "")))[:LONGEST_NAME]


def samples(links: Sequence[Link], names: Iterable[str]) -> list[dict[str, Any]]:
    """Write links as the fits read them.

    Args:
        links: The links.
        names: Further metrics; `log(NAME)` is the logarithm of the metric NAME.
    """
    plain = {re.sub(r"^log\((.*)\)$", r"\1", name) for name in names}
    values = {name: wanted(links, name, "--metric") for name in sorted(plain)}
    return [
        {
            "name": str(link.get("name", "")),
            "prr": link["prr"],
            "mu": link.get("mu"),
            "packets_per_second": link["tcp_packets_per_second"],
            "link_packets_per_second": 1.0 / link["slot_s"],
            "metrics": {name: found[i] for name, found in values.items()},
        }
        for i, link in enumerate(links)
    ]
