#!/usr/bin/env python3
"""Diagnoses each capture of `record.py`, and holds the document against the truth: `scored.csv`, `runs.csv`.

score.py FOLDER [--build NAME] [--half train] [--only KIND,...] [--jobs N] [--kept]

`--build` names the rows, so that two builds stand side by side; rows of other builds stay. Documents are kept in
FOLDER/LINK/diagnosis-BUILD.json, and made only if they are missing. `tables.py` makes the tables. The
capture is all that `airtcp diagnose` gets: not the law, not the rate, not the round-trip time.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import polars as pl
from truth import Loss, Truth, capture_start_s

HERE: Final = Path(__file__).resolve().parent
LAWS: Final = {"cubic": "cubic", "bbr": "bbr1", "reno": "reno"}
"""Kernel's law, and the variant of airtcp that is it."""
ALONE: Final = ("no-sack", "sharing", "batches")
"""Doubts with which only the captured transfer's own law is predicted."""
BEFORE_S: Final = 1e-3
SAME: Final = 0.05
"""Largest difference of the capture's goodput and iperf3's that comes from the time alone [choice]."""
EPOCH_S: Final = 1e9
"""A time that is larger counts from 1970, else from the start of the capture."""
AFTER_S: Final = 20e-3
"""How much earlier, or later, than in the capture a packet may come to the link [choice]."""


def diagnosed(folder: Path, build: str) -> dict[str, Any]:
    """Diagnose the capture of a link, or read the document of an earlier time; with `processor_s`."""
    kept = folder / f"diagnosis-{build}.json"
    if kept.is_file():
        return json.loads(kept.read_text("utf-8"))
    capture = folder / "cubic-1.pcap.gz"
    command = [sys.executable, "-m", "airtcp", "diagnose", str(capture), "--json", "-q"]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([*command, "--workers", "1"], stdout=out, stderr=err)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            raise RuntimeError(f"{capture}: {err.read().decode()[-400:]}")
        document = json.loads(out.read())
    document["processor_s"] = used.ru_utime + used.ru_stime
    kept.write_text(json.dumps(document) + "\n", "utf-8")
    return document


def predictions(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what the document predicts for each variant, if it may be relied on."""
    if "predictions" in document:
        return {one["variant"]: one for one in document["predictions"]}
    answers = document.get("answers")
    if not answers or not answers["trusted"]:
        return {}
    found: dict[str, dict[str, Any]] = {}
    for one in answers["tcps"]["cases"][0]["outcomes"]:
        mean = one["goodput_bps"]
        change = one["difference"]
        better = 0.5
        if change is not None and change["standing"] == "more" and change["percent"]["mean"] >= 3:
            better = 1.0
        ends = {"low": mean["ci_low"], "high": mean["ci_high"]}
        found[one["variant"]] = {"goodput_bps": mean["mean"], "p_better": better, **ends}
    return found


def origins(document: dict[str, Any], truth: Truth, start_s: float) -> dict[str, int | None]:
    """Compare each loss with the log: right, wrong, not decided, unseen, and those that are none."""
    names = ("right", "wrong", "unknown", "unseen", "false")
    if truth.settings["capture"] != "sender" or "lost_packets" not in document:
        return {f"loss_{name}": None for name in names}
    counts = dict.fromkeys(names, 0)
    waiting = list(truth.losses)
    for one in sorted(document["lost_packets"], key=lambda one: one["time_s"]):
        after_s = 0.0 if one["time_s"] > EPOCH_S else start_s
        loss = _same(waiting, after_s + one["time_s"])
        if loss is None:
            counts["false"] += 1
        elif one["origin"] == "unknown":
            counts["unknown"] += 1
        else:
            counts["right" if one["origin"] == loss.origin else "wrong"] += 1
    counts["unseen"] = len(waiting)
    return {f"loss_{name}": count for name, count in counts.items()}


def _same(waiting: list[Loss], at_s: float) -> Loss | None:
    """Take the first loss that came to the link when a packet of the capture did."""
    for number, loss in enumerate(waiting):
        if loss.time_s > at_s + AFTER_S:
            return None
        if loss.time_s >= at_s - BEFORE_S:
            return waiting.pop(number)
    return None


def row(folder: Path, build: str) -> dict[str, Any]:
    """Score one link."""
    truth = Truth(folder)
    document = diagnosed(folder, build)
    link, told = document["link"] or {}, predictions(document)
    alone = [name for name in ALONE if name in document.get("doubts", [])]
    found: dict[str, Any] = {
        "build": build,
        "link": truth.settings["name"],
        "kind": truth.kind,
        "half": truth.settings["half"],
        "processor_s": document.get("processor_s"),
        "answered": bool(told) and not alone,
        "obstacle": document.get("obstacle") or (alone[0] if alone else None),
        "rate_true_bps": truth.rate_bps,
        "rate_kind": (link.get("rate_bps") or {}).get("kind"),
        "level_true_packets": truth.level_packets,
        "longest_packets": truth.longest_packets,
        "queue_true_packets": truth.queue_packets,
        "link_loss_true": truth.link_loss,
    }
    for key in ("rate_bps", "queue_packets", "link_loss"):
        ends = link.get(key) or {}
        found |= {
            f"{key}": ends.get("value"),
            f"{key}_low": ends.get("low"),
            f"{key}_high": ends.get("high"),
        }
    found |= origins(document, truth, capture_start_s(folder / "cubic-1.pcap.gz"))
    observed = document["observed"]["goodput_bps"] if document["observed"] else None
    same = observed / truth.goodputs_bps["cubic"][0] if observed else 1.0
    if (
        abs(same - 1) > SAME
    ):  # without SACK, data that arrived out of order is not the application's yet
        same = 1.0
    found |= {"observed_bps": observed, "same": same}
    for law, variant in LAWS.items():
        one = told.get(variant) or dict.fromkeys(("goodput_bps", "low", "high", "p_better"))
        found |= {f"{law}_{key}": one[key] for key in ("goodput_bps", "low", "high", "p_better")}
        runs = truth.goodputs_bps[law][1 if law == "cubic" else 0 :]
        found[f"{law}_kernel_bps"] = same * statistics.median(runs) if runs else None
        found[f"{law}_runs"] = len(runs)
        found[f"{law}_inside"] = sum(_inside(same * run, one) for run in runs) if told else None
    return found


def _inside(run_bps: float, one: dict[str, Any]) -> bool:
    return (one["low"] or 0) <= run_bps <= (math.inf if one["high"] is None else one["high"])


def runs(folders: list[Path]) -> list[dict[str, Any]]:
    """Every run of the kernel."""
    found: list[dict[str, Any]] = []
    for folder in folders:
        truth = Truth(folder)
        for law in LAWS:
            for path in sorted(folder.glob(f"{law}-[0-9]*.json")):
                one = json.loads(path.read_text("utf-8"))
                start = {key: truth.settings[key] for key in ("name", "kind", "half")}
                found.append(start | one)
    return found


def main() -> None:
    """Score."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--build", default="now")
    parser.add_argument("--half", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kept", action="store_true", help="only links whose document is there")
    parser.add_argument("--out", type=Path, default=HERE)
    asked = parser.parse_args()
    folders = sorted(path.parent for path in asked.folder.glob("*/cubic-1.json"))
    made_runs = runs(folders)
    here = {run["name"] for run in made_runs}
    others = [run for run in _read(asked.out / "runs.csv") if run["name"] not in here]
    _write(sorted([*others, *made_runs], key=lambda run: run["name"]), asked.out / "runs.csv")
    kinds = set(filter(None, asked.only.split(",")))
    chosen = [
        folder
        for folder in folders
        if (not kinds or Truth(folder).kind in kinds)
        and (not asked.half or Truth(folder).settings["half"] == asked.half)
        and (not asked.kept or (folder / f"diagnosis-{asked.build}.json").is_file())
    ]
    place = asked.out / "scored.csv"
    scored = _read(place)
    with ThreadPoolExecutor(asked.jobs) as pool:
        made = list(pool.map(lambda folder: _row(folder, asked.build), chosen))
    new = [one for one in made if one is not None]
    names = {(one["build"], one["link"]) for one in new}
    kept = [one for one in scored if (one["build"], one["link"]) not in names]
    _write(sorted([*kept, *new], key=lambda one: (one["build"], one["link"])), place)


def _row(folder: Path, build: str) -> dict[str, Any] | None:
    try:
        return row(folder, build)
    except (RuntimeError, KeyError, ValueError) as error:
        print(f"{folder.name}: {type(error).__name__}: {error}", file=sys.stderr)
        return None


def _read(place: Path) -> list[dict[str, Any]]:
    return pl.read_csv(place, infer_schema_length=None).to_dicts() if place.is_file() else []


def _write(rows: list[dict[str, Any]], place: Path) -> None:
    frame = pl.DataFrame(rows, infer_schema_length=None)
    frame.with_columns(pl.col(pl.Float64).round_sig_figs(6)).write_csv(place)


if __name__ == "__main__":
    main()
