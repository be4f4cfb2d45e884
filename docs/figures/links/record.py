#!/usr/bin/env -S python3 -u
"""Records the kernel's TCP over the links of `links.py`: captures, link logs, goodputs.

record.py FOLDER [--runs N] [--jobs N] [--seed N] [--only KIND,...] [--small | --new]

A folder for each link: `settings.json`; `cubic-1.pcap.gz`, the capture of the first CUBIC run; `cubic-1.csv.gz`,
what the link did to each of its packets; and LAW-N.json, the goodput of each run. `index.json` sums
them up. Runs that are there are kept. A run in which the link was late is repeated (`LATE`).
Needs root, a C compiler, iperf3, tcpdump, iproute2 and /dev/net/tun. Everything runs in namespaces of its own.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Final

from links import Link, links, new, small

HERE: Final = Path(__file__).resolve().parent
LAWS: Final = ("cubic", "bbr", "reno")
LATE: Final = {True: (0.01, 20.0), False: (0.02, 60.0)}
"""Most of the packets that may be over 1 ms late, and most ms: with a capture, without [choice]."""
TRIES: Final = 6
STRICT: Final = 3
"""Last tries of a captured run that are judged as runs without a capture [choice]."""
BUSY_MBPS: Final = 220.0
"""Sum of the rates that run at once; a faster link runs alone [choice]."""
ALONE_MBPS: Final = 150.0
LONG_S: Final = 30.0
LONG_RUNS: Final = 2
"""Runs of each law over a link with transfers of `LONG_S` or more."""
SLACK: Final = 1e-6
PORT: Final = 5201
SYSCTL: Final = {
    "net.ipv4.tcp_no_metrics_save": "1",
    "net.ipv4.tcp_ecn": "0",
    "net.ipv4.tcp_rmem": "4096 131072 6291456",
    "net.ipv4.tcp_wmem": "4096 16384 4194304",
}


class RunError(RuntimeError):
    """A run that measures the machine, or did not end."""


def flags(options: dict[str, Any]) -> list[str]:
    """Turn the options of a link into those of `link.c`."""
    made: list[str] = []
    for name, value in options.items():
        if value is True:
            made += [f"--{name}"]
        elif name == "steps":
            made += ["--steps", ",".join(f"{at}:{rate}" for at, rate in value)]
        else:
            values = value if isinstance(value, list) else [value]
            made += [f"--{name}", ",".join(map(str, values))]
    return made


class Transfer:
    """One run of one law over one link, in two namespaces."""

    def __init__(
        self, link: Link, law: str, run: int, place: Path, slot: int, program: Path
    ) -> None:
        self.link, self.law, self.run, self.place, self.program = link, law, run, place, program
        self.ends = [f"airtcp-{os.getpid()}-{slot}{end}" for end in "ab"]
        self.stem = place / f"{law}-{run}"
        self.captured = law == "cubic" and run == 1
        self.strict = True
        self.started: list[subprocess.Popen[str]] = []

    def _start(self, *command: str, end: int | None = None, **more: Any) -> subprocess.Popen[str]:
        inside = [] if end is None else ["ip", "netns", "exec", self.ends[end]]
        process = subprocess.Popen(  # noqa: S603
            [*inside, *command], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more
        )
        self.started.append(process)
        return process

    def _namespaces(self) -> None:
        for end, name in enumerate(self.ends):
            subprocess.run(["ip", "netns", "add", name], check=True)
            settings = SYSCTL | {key: str(value) for key, value in self.link.sysctl.items()}
            if end and self.link.receive_buffer_bytes:
                size = self.link.receive_buffer_bytes
                settings["net.ipv4.tcp_rmem"] = f"4096 {size} {size}"
            pairs = [f"{key}={value}" for key, value in settings.items()]
            subprocess.run(["ip", "netns", "exec", name, "sysctl", "-qw", *pairs], check=True)

    def _link(self) -> subprocess.Popen[str]:
        seed = 1000 * self.run + 10 * LAWS.index(self.law) + 1
        more: list[str] = []
        if self.captured:
            more += ["--log", f"{self.stem}.csv", "--port", str(PORT)]
            more += ["--middle", f"{self.stem}.pcap"] if self.link.capture == "middle" else []
        ends = ["--a", self.ends[0], "--b", self.ends[1]]
        process = self._start(
            str(self.program), *ends, "--seed", str(seed), *flags(self.link.options), *more
        )
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            raise RunError(f"{self.link.name}: link: {process.communicate()[1]}")
        return process

    def _capture(self) -> subprocess.Popen[str]:
        end = 1 if self.link.capture == "receiver" else 0
        tcpdump = [
            "chrt",
            "-r",
            "40",
            "tcpdump",
            "-Z",
            "root",
            "-i",
            "tun0",
            "-s",
            "100",
            "-B",
            "16384",
        ]
        process = self._start(*tcpdump, "-w", f"{self.stem}.pcap", f"tcp port {PORT}", end=end)
        assert process.stderr is not None
        while "listening" not in (line := process.stderr.readline()):
            if not line:
                raise RunError("tcpdump did not start")
        return process

    def _iperf(self, law: str, port: int, seconds: float) -> subprocess.Popen[str]:
        self._start("nice", "-n", "-20", "iperf3", "-s", "-1", "-p", str(port), end=1)
        time.sleep(0.5)
        client = [
            "nice",
            "-n",
            "-20",
            "iperf3",
            "-c",
            "10.77.0.2",
            "-p",
            str(port),
            "-C",
            law,
            "-J",
        ]
        client += ["-t", f"{seconds:g}"]
        if port == PORT:
            client += ["-P", str(self.link.streams)]
            if self.link.application_mbps:
                client += ["-b", f"{self.link.application_mbps}M"]
        return self._start(*client, end=0)

    def _stop(self) -> None:
        for process in self.started:
            if process.poll() is None:
                process.terminate()
            try:
                process.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
        for name in self.ends:
            subprocess.run(["ip", "netns", "del", name], check=False, stderr=subprocess.DEVNULL)

    def make(self) -> dict[str, Any]:
        """Run the transfer; return what it got and how late the link was."""
        try:
            self._namespaces()
            link = self._link()
            capture = self._capture() if self.captured and self.link.capture != "middle" else None
            beside = None
            if self.link.beside:
                beside = self._iperf(self.link.beside, PORT + 1, self.link.seconds + 3)
            client = self._iperf(self.law, PORT, self.link.seconds)
            out, _ = client.communicate(timeout=self.link.seconds + 60)
            time.sleep(0.3)
            return self._read(json.loads(out), link, capture, beside)
        except (subprocess.TimeoutExpired, ValueError) as error:
            raise RunError(f"{self.stem.name}: {error}") from error
        finally:
            self._stop()

    def _read(
        self,
        report: dict[str, Any],
        link: subprocess.Popen[str],
        capture: subprocess.Popen[str] | None,
        beside: subprocess.Popen[str] | None,
    ) -> dict[str, Any]:
        if "sum_received" not in report.get("end", {}):
            raise RunError(f"{self.stem.name}: iperf3: {report.get('error')}")
        if beside is not None:
            beside.terminate()
        if capture is not None:
            capture.terminate()
            if not re.search(r"^0 packets dropped by kernel", capture.communicate()[1], re.M):
                raise RunError(f"{self.stem.name}: tcpdump dropped packets")
        link.terminate()
        late = json.loads(link.communicate()[0].strip().splitlines()[-1])
        share, most = LATE[self.captured and self.strict]
        if late["late_1ms_share"] > share or late["late_most_ms"] > most:
            raise RunError(f"{self.stem.name}: late: {late}")
        if self.captured:
            for end in ("pcap", "csv"):
                _pack(Path(f"{self.stem}.{end}"))
        received, sent = report["end"]["sum_received"], report["end"]["sum_sent"]
        return {
            "law": self.law,
            "run": self.run,
            "goodput_bps": received["bits_per_second"],
            "seconds": received["seconds"],
            "retransmissions": sent["retransmits"],
            "kernel": platform.release().split("-")[0],
            **late,
        }


def _pack(path: Path) -> None:
    with path.open("rb") as plain, gzip.GzipFile(f"{path}.gz", "wb", mtime=0) as packed:
        shutil.copyfileobj(plain, packed)
    path.unlink()


def _write(path: Path, content: Any) -> None:
    """Write a file at once, so that a reader never sees a part of it."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    part.rename(path)


class Recorder:
    """Runs transfers, several at once while the sum of their rates allows it."""

    def __init__(self, folder: Path, every: list[Link], jobs: int) -> None:
        self.folder, self.every, self.jobs = folder, every, jobs
        self.free, self.load = list(range(jobs)), 0.0
        self.changed = threading.Condition()
        self.program = folder / "link"
        source = str(HERE / "link.c")
        subprocess.run(["cc", "-O2", "-o", str(self.program), source, "-lm"], check=True)

    def record(self, runs: int) -> None:
        """Record all runs that are missing: the first of each link and law first."""
        waiting = [
            (link, law, run)
            for run in range(1, runs + 1)
            for law in LAWS
            for link in sorted(self.every, key=_turn)
            if run < runs or law == "cubic" or link.half != "new"
            if not (self.folder / link.name / f"{law}-{run}.json").exists()
            and (link.seconds < LONG_S or run <= LONG_RUNS)
        ]
        threads: list[threading.Thread] = []
        for link, law, run in waiting:
            weight = min(BUSY_MBPS, _load(link))
            with self.changed:
                while not self.free or self.load + weight > BUSY_MBPS + SLACK:
                    self.changed.wait()
                slot = self.free.pop()
                self.load += weight
            thread = threading.Thread(target=self._one, args=(link, law, run, slot, weight))
            thread.start()
            threads.append(thread)
        for thread in threads:
            thread.join()

    def _one(self, link: Link, law: str, run: int, slot: int, weight: float) -> None:
        place = self.folder / link.name
        place.mkdir(exist_ok=True)
        _write(place / "settings.json", link.document())
        for number in range(TRIES):
            transfer = Transfer(link, law, run, place, slot, self.program)
            transfer.strict = number < TRIES - STRICT
            try:
                made = transfer.make()
            except RunError as error:
                print(error, file=sys.stderr)
                continue
            _write(place / f"{law}-{run}.json", made)
            break
        with self.changed:
            self.index()
            self.free.append(slot)
            self.load -= weight
            self.changed.notify()

    def index(self) -> None:
        """Write the settings and goodputs of all links."""
        found: list[dict[str, Any]] = []
        for link in self.every:
            made = [json.loads(path.read_text("utf-8")) for path in self._made(link)]
            runs = {law: [one["goodput_bps"] for one in made if one["law"] == law] for law in LAWS}
            found.append(link.document() | {"goodputs_bps": runs})
        _write(self.folder / "index.json", found)

    def _made(self, link: Link) -> list[Path]:
        place = self.folder / link.name
        return [path for law in LAWS for path in sorted(place.glob(f"{law}-[0-9]*.json"))]


def _turn(link: Link) -> tuple[float, bool, str]:
    """Long runs begin first, and those that need the machine for themselves come last."""
    return -max(link.seconds, 10), _load(link) > ALONE_MBPS, link.name[-1]


def _load(link: Link) -> float:
    rate = link.options["rate"]
    if "wifi" in link.options:
        return 40.0
    return float(link.options["shape"][0] if "shape" in link.options else rate)


def main() -> None:
    """Record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--small", action="store_true", help="the links of the tests")
    parser.add_argument("--new", action="store_true", help="links that no rule has seen")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    kinds = set(filter(None, asked.only.split(",")))
    drawn = small() if asked.small else new(asked.seed) if asked.new else links(asked.seed)
    every = [link for link in drawn if not kinds or link.kind in kinds]
    Recorder(asked.folder.resolve(), every, asked.jobs).record(asked.runs)


if __name__ == "__main__":
    main()
