"""CUBIC as `crates/congestion/src/cubic.rs` has it: the same operations in the same order.

Times are whole nanoseconds, windows whole bytes or segments, as there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from airtcp.laws import Ack, Congestion, Idle, Law, Params
from airtcp.laws.math import cbrt

SECOND = 1_000_000_000
MS = 1_000_000


def ns(seconds: float) -> int:
    return round(seconds * 1e9)


def rounded(value: float) -> int:
    """Round halves up, as Rust does; Python rounds them to even."""
    return int(value) + (value - int(value) >= 0.5)


class Curve:
    def __init__(self, c: float, start: float, target: float) -> None:
        self.c = c
        self.k = cbrt((target - start) / c) if target > start else 0.0
        self.origin = max(target, start)

    def rise(self, t: int) -> float:
        d = t / 1e9 - self.k
        return self.c * d * d * d

    def at(self, t: int) -> float:
        return self.rise(t) + self.origin


@dataclass
class Growth:
    w_max: float | None = None
    cwnd_prior: float | None = None
    epoch: tuple[int, Curve, float] | None = None


class CubicPy(Law):
    """CUBIC in Python"""

    c: float = 0.4
    beta_cubic: float = 0.7
    fast_convergence: bool = True
    reno_friendly: bool = True
    hystart: bool = True

    def start(self, params: Params) -> None:
        self.linux = Linux(self) if params.rules == "linux" else None
        self.growth = Growth()
        self.prior: Growth | None = None
        self.last = ns(self.now)

    @property
    def segments(self) -> float:
        return self.cwnd / self.mss

    def loss_base(self, c: Congestion) -> int:
        cwnd = int(self.cwnd)
        return cwnd if self.params.half_of_cwnd else min(c.flight, cwnd)

    def on_ack(self, ack: Ack) -> None:
        if self.linux is not None:
            self.linux.on_ack(ack)
        elif ack.acked and not ack.in_fast_recovery and not self.slow_start(ack):
            if not ack.cwnd_limited:
                self.skip_time()
                return
            self.last = ns(self.now)
            if not ack.ece:
                self.grow_by(ack)

    def grow_by(self, ack: Ack) -> None:
        now, cwnd, mss, beta = ns(self.now), self.segments, self.mss, self.beta_cubic
        if self.growth.epoch is None:
            if self.growth.w_max is None:
                self.growth.w_max = cwnd
            if self.growth.cwnd_prior is None:
                self.growth.cwnd_prior = cwnd
            self.growth.epoch = (now, Curve(self.c, cwnd, self.growth.w_max), cwnd)
        start, curve, w_est = self.growth.epoch
        t, prior = now - start, self.growth.cwnd_prior
        past = prior is not None and w_est >= prior
        alpha = 1.0 if past else 3.0 * (1.0 - beta) / (1.0 + beta)
        w_est += alpha * (ack.acked / mss) / cwnd
        if self.reno_friendly and curve.at(t) < w_est:
            self.cwnd = max(self.cwnd, int(w_est * mss))
        else:
            target = curve.at(t + ns(ack.srtt or 0.0))
            target = min(max(target, cwnd), 1.5 * cwnd)
            self.grow((target - cwnd) / cwnd * ack.acked)
        self.growth.epoch = (start, curve, w_est)

    def skip_time(self) -> None:
        now = ns(self.now)
        if self.growth.epoch is not None:
            start, curve, w_est = self.growth.epoch
            self.growth.epoch = (start + now - self.last, curve, w_est)
        self.last = now

    def on_congestion(self, c: Congestion) -> None:
        if self.linux is not None:
            self.reduce(c, self.linux.reduced(c))
            return
        if c.kind == "ecn":
            self.prior = None
        elif c.kind != "persistent" or self.prior is None:
            self.prior = replace(self.growth)
        beta, cwnd = self.beta_cubic, self.segments
        self.growth.epoch = None
        if c.kind == "persistent":
            self.growth.w_max = None
        elif c.kind == "rto":
            self.growth = Growth(None, cwnd)
        else:
            w_max = self.growth.w_max
            early = w_max is not None and cwnd < w_max
            w_max = cwnd * (1.0 + beta) / 2.0 if early and self.fast_convergence else cwnd
            self.growth = Growth(w_max, cwnd)
        self.reduce(c, rounded(self.loss_base(c) * beta))
        if c.kind == "ecn":
            self.ssthresh = max(self.ssthresh, 2 * self.mss)

    def on_spurious(self) -> None:
        if self.linux is not None:
            super().on_spurious()
            return
        before, self.prior = self.prior, None
        if before is None:
            return
        prior = self.growth.cwnd_prior
        if prior is None or self.segments <= max(prior, 2.0):
            super().on_spurious()
            self.growth = before

    def on_idle(self, idle: Idle) -> None:
        if self.linux is not None:
            self.linux.on_idle(idle)
            super().on_idle(idle)
            return
        self.skip_time()
        if super().on_idle(idle):
            self.prior = None
            self.growth.epoch = None


@dataclass
class Epoch:
    start: int
    curve: Curve
    w_tcp: int
    found: tuple[int, int]
    acked: int = 0
    count: int = 0


class Linux:
    """The rules of `crates/congestion/src/cubic/linux.rs`."""

    def __init__(self, law: CubicPy) -> None:
        self.law = law
        self.reset()

    def reset(self) -> None:
        self.w_max = 0
        self.epoch: Epoch | None = None
        self.d_min: int | None = None
        self.credit = 0
        self.forget_round(0, 0)

    def forget_round(self, end: int, now: int) -> None:
        self.found, self.round_end, self.round_start, self.last_ack = False, end, now, now
        self.least: int | None = None
        self.samples = 0

    @property
    def window(self) -> int:
        return max(int(self.law.cwnd) // self.law.mss, 1)

    def on_ack(self, ack: Ack) -> None:
        law, now = self.law, ns(self.law.now)
        if ack.rtt is not None:
            self.on_rtt(now, ns(ack.rtt), ack)
        if not ack.acked or law.recovering(ack) or law.slow_start(ack):
            return
        if ack.cwnd_limited and not ack.ece:
            acked = -(-min(ack.acked, max(ack.delivered, law.mss)) // law.mss)
            count = self.counted(now, acked)
            grown = 0
            if self.credit >= count:
                self.credit, grown = 0, 1
            self.credit += acked
            grown += self.credit // count
            self.credit %= count
            law.cwnd += grown * law.mss

    def on_rtt(self, now: int, rtt: int, ack: Ack) -> None:
        law = self.law
        if self.epoch is not None and now - self.epoch.start < SECOND:
            return
        self.d_min = d_min = rtt if self.d_min is None else min(self.d_min, rtt)
        if not law.hystart or self.found or law.cwnd >= law.ssthresh:
            return
        in_time = 0 if ack.srtt is None else 4 * 65_536 * ns(ack.srtt) // (2 * int(law.cwnd))
        train = (d_min + min(in_time, MS)) // 2
        if ack.acked_up_to > self.round_end:
            self.forget_round(ack.sent_up_to, now)
        if self.window < 16:
            return
        if now - self.last_ack <= 2 * MS:
            self.last_ack = now
            self.found = now - self.round_start > train
        self.least = rtt if self.least is None else min(self.least, rtt)
        if self.samples < 8:
            self.samples += 1
        else:
            rise = min(max(d_min // 8, 4 * MS), 16 * MS)
            self.found = self.found or self.least > d_min + rise
        if self.found:
            law.ssthresh = law.cwnd

    def counted(self, now: int, acked: int) -> int:
        law, cwnd = self.law, self.window
        if self.epoch is None:
            curve = Curve(law.c, float(cwnd), float(self.w_max))
            self.epoch = Epoch(now, curve, cwnd, (0, now))
        e = self.epoch
        e.acked += acked
        if e.found[0] == cwnd and now - e.found[1] <= SECOND // 32:
            return e.count
        e.found = (cwnd, now)
        distance = float(int(e.curve.rise(now - e.start + (self.d_min or 0))))
        target = int(min(max(e.curve.origin + distance, 0.0), float(1 << 40)))
        e.count = cwnd // (target - cwnd) if target > cwnd else 100 * cwnd
        if self.w_max == 0:
            e.count = min(e.count, 20)
        if law.reno_friendly:
            beta = rounded(law.beta_cubic * 1024)
            eighths = 8 * (1024 + beta) // 3 // max(1024 - beta, 1)
            per_segment = max((cwnd * eighths) >> 3, 1)
            grown = max(e.acked - 1, 0) // per_segment
            e.acked -= grown * per_segment
            e.w_tcp += grown
            if e.w_tcp > cwnd:
                e.count = min(e.count, cwnd // (e.w_tcp - cwnd))
        e.count = max(e.count, 2)
        return e.count

    def reduced(self, c: Congestion) -> int:
        law, cwnd = self.law, self.window
        beta = rounded(law.beta_cubic * 1024)
        self.epoch = None
        early = cwnd < self.w_max and law.fast_convergence
        self.w_max = cwnd * (1024 + beta) // 2048 if early else cwnd
        if c.kind in {"rto", "persistent"}:
            self.reset()
        base = max(law.loss_base(c) // law.mss, 1)
        return max(base * beta // 1024, 2) * law.mss

    def on_idle(self, idle: Idle) -> None:
        if self.epoch is not None:
            self.epoch.start = min(self.epoch.start + ns(idle.idle), ns(self.law.now))
