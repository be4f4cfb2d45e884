"""A simulated run, and what the analysis of its captures says of it.

The run writes the captures that an experimenter would take: tcpdump at the TCP senders, and a radio
in monitor mode at a station of the cell. `airtcp.capture` analyses them without knowing the run,
whose own counters are the truth.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from airtcp_papers.form import did_you_mean, refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_RUN = ("duration_s", "measured_s", "flows", "cells")
"""The parts of a run that are kept."""


def captured(
    scenario: Path,
    overrides: Mapping[str, Any],
    *,
    seed: int,
    radio: str | None = None,
    tell: Callable[[int, int, str], object] | None = None,
) -> dict[str, Any]:
    """Simulate a scenario once, and analyse its captures.

    Args: scenario: The scenario. overrides: Values in place of the scenario's, by path. seed: The
        seed. radio: The station of the first cell whose radio captures; by default none. tell:
        Called with done, total and a label.

    Returns: `run`, the counters of the run; `host`, the direction with most data of the capture at
        the senders, with its `retransmission_rows`, or nothing without a connection; `air`, the
        links of 802.11 by transmitter, without a radio empty.
    """
    # The simulator's results import heavy libraries, so they are loaded when first used.
    from airtcp.questions.capture import call as packet_captures
    from airtcp.questions.run import call

    with TemporaryDirectory(prefix="airtcp-", ignore_cleanup_errors=True) as home:
        host, air = Path(home) / "host.pcapng", Path(home) / "air"
        result = call.run(
            scenario,
            seed=seed,
            replications=1,
            overrides=overrides,
            pcap=host,
            radiotap=None if radio is None else air,
            workers=1,
            progress=tell,
        )
        (run,) = result.json["replications"]
        seen = packet_captures.capture(host, events=True, progress=tell).json
        links: dict[str, Any] = {}
        if radio is not None:
            path = _radio(air, radio, scenario)
            links = _links(packet_captures.capture(path, progress=tell).json)
    return {
        "run": {key: run[key] for key in _RUN},
        "host": _largest(seen),
        "air": links,
    }


def _radio(folder: Path, name: str, scenario: Path) -> Path:
    """Return the capture of a radio.

    Raises: PaperError: If the scenario has no such station.
    """
    path = folder / f"{name}.pcapng"
    if not path.is_file():
        known = sorted(one.stem for one in folder.glob("*.pcapng"))
        message = f'{scenario}: radio "{name}" is no station of its cells'
        refuse(message + did_you_mean(name, known))
    return path


def _largest(document: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the direction with most data of all connections, and its retransmissions."""
    every = [
        (place, one)
        for place, connection in enumerate(document["connections"])
        for one in connection["directions"]
    ]
    if not every:
        return None
    place, largest = max(every, key=lambda one: one[1]["payload_bytes"])
    rows = document["retransmissions"]
    own = [r for r in rows if (r["connection"], r["from"]) == (place, largest["from"])]
    return largest | {"retransmission_rows": own}


def _links(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the link with most attempts of each transmitter."""
    found: dict[str, Any] = {}
    for link in document["links"]:
        found.setdefault(link["transmitter"], link)
    return found
