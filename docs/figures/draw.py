"""Draws the validation figures of the documentation, with the numbers beside them.

    .venv/bin/python docs/figures/draw.py [NAME...]

Every figure is an experiment made with the Python API, or, where packets have to be followed one by
one, by an example program that is built for it; the same version gives the same figures.
"""

from __future__ import annotations

import sys
import time

import channels
import convergence
import ensembles
import goodput
import harq
import prediction
import queues
import radio
import remedies
import settled
import sharing
import tolerant
import windows

FIGURES = {
    "goodput-10mbps": goodput.ten,
    "goodput-unlimited": goodput.unlimited,
    "longest-burst": channels.longest_burst,
    "gilbert-elliott": channels.asked_and_achieved,
    "convergence": convergence.draw,
    "burst-gain": ensembles.gain,
    "rare-long-bursts": ensembles.rare_long_bursts,
    "frame-errors": radio.frame_errors,
    "red-average": queues.red_average,
    "red-ecn": queues.red_ecn,
    "recoveries": windows.recoveries,
    "prediction": prediction.errors,
    "settled": settled.count,
    "lt-tcp-losses": tolerant.draw,
    "remedies": remedies.compare,
    "sharing": sharing.draw,
    "link-protocols": harq.hidden,
    "harq-parts": harq.parts,
}


def main(names: list[str]) -> None:
    """Draw the figures named, or all."""
    unknown = [name for name in names if name not in FIGURES]
    if unknown:
        message = f"no figure {unknown[0]!r}; there are {', '.join(FIGURES)}"
        raise SystemExit(message)
    for name in names or FIGURES:
        began = time.monotonic()
        FIGURES[name]()
        sys.stderr.write(f"{name}: {time.monotonic() - began:.1f} s\n")


if __name__ == "__main__":
    main(sys.argv[1:])
