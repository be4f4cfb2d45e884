"""CUBIC as `crates/congestion/src/cubic.rs` has it, compiled by numba: the same operations.

Times are whole nanoseconds, windows whole bytes or segments, as there. A number without a value is
NaN, a time below 0.
"""

from math import isnan, nan

from airtcp.laws import Ack, Congestion, Idle, Law, Params, compiled
from airtcp.laws.math import cbrt

SECOND = 1_000_000_000
MS = 1_000_000


def ns(seconds):
    return int(seconds * 1e9 + 0.5)


def rounded(value):
    """Round halves up, as Rust does."""
    return int(value) + (1 if value - int(value) >= 0.5 else 0)


@compiled
class CubicNumba(Law):
    """CUBIC, compiled"""

    c: float = 0.4
    beta_cubic: float = 0.7
    fast_convergence: bool = True
    reno_friendly: bool = True
    hystart: bool = True
    _w_max: float = nan
    _cwnd_prior: float = nan
    _w_est: float = 0.0
    _k: float = 0.0
    _origin: float = 0.0
    _start: int = -1
    _saved: bool = False
    _saved_w_max: float = nan
    _saved_cwnd_prior: float = nan
    _saved_w_est: float = 0.0
    _saved_k: float = 0.0
    _saved_origin: float = 0.0
    _saved_start: int = -1
    _last: int = 0
    # By the rules of Linux.
    _top: int = 0
    _acked: int = 0
    _w_tcp: int = 0
    _count: int = 0
    _found_w: int = 0
    _found_at: int = 0
    _d_min: int = -1
    _credit: int = 0
    _found: bool = False
    _round_end: int = 0
    _round_start: int = 0
    _last_ack: int = 0
    _least: int = -1
    _samples: int = 0

    def start(self, params: Params) -> None:
        self._last = ns(self.now)

    def _rise(self, t):
        d = t / 1e9 - self._k
        return self.c * d * d * d

    def _curve(self, start, target):
        self._k = cbrt((target - start) / self.c) if target > start else 0.0
        self._origin = max(target, start)

    def _window(self):
        return max(int(self.cwnd) // int(self.mss), 1)

    def _loss_base(self, c: Congestion):
        cwnd = int(self.cwnd)
        return cwnd if self.params.half_of_cwnd else min(int(c.flight), cwnd)

    def on_ack(self, ack: Ack) -> None:
        if self.params.rules == "linux":
            self._linux_ack(ack)
        elif ack.acked != 0 and not ack.in_fast_recovery and not self.slow_start(ack):
            if not ack.cwnd_limited:
                self._skip_time()
                return
            self._last = ns(self.now)
            if not ack.ece:
                self._grow_by(ack)

    def _grow_by(self, ack: Ack) -> None:
        now, mss, beta = ns(self.now), int(self.mss), self.beta_cubic
        cwnd = self.cwnd / mss
        if self._start < 0:
            if isnan(self._w_max):
                self._w_max = cwnd
            if isnan(self._cwnd_prior):
                self._cwnd_prior = cwnd
            self._start = now
            self._curve(cwnd, self._w_max)
            self._w_est = cwnd
        t = now - self._start
        alpha = 1.0 if self._w_est >= self._cwnd_prior else 3.0 * (1.0 - beta) / (1.0 + beta)
        self._w_est += alpha * (ack.acked / mss) / cwnd
        if self.reno_friendly and self._rise(t) + self._origin < self._w_est:
            self.cwnd = max(int(self.cwnd), int(self._w_est * mss))
        else:
            srtt = 0 if ack.srtt is None else ns(ack.srtt)
            target = self._rise(t + srtt) + self._origin
            target = min(max(target, cwnd), 1.5 * cwnd)
            self.grow((target - cwnd) / cwnd * ack.acked)

    def _skip_time(self) -> None:
        now = ns(self.now)
        if self._start >= 0:
            self._start += now - self._last
        self._last = now

    def _save(self) -> None:
        self._saved = True
        self._saved_w_max = self._w_max
        self._saved_cwnd_prior = self._cwnd_prior
        self._saved_w_est = self._w_est
        self._saved_k = self._k
        self._saved_origin = self._origin
        self._saved_start = self._start

    def on_congestion(self, c: Congestion) -> None:
        if self.params.rules == "linux":
            self.reduce(c, self._linux_reduced(c))
            return
        if c.kind == "ecn":
            self._saved = False
        elif c.kind != "persistent" or not self._saved:
            self._save()
        beta = self.beta_cubic
        cwnd = self.cwnd / self.mss
        self._start = -1
        if c.kind == "persistent":
            self._w_max = nan
        elif c.kind == "rto":
            self._w_max = nan
            self._cwnd_prior = cwnd
        else:
            early = not isnan(self._w_max) and cwnd < self._w_max
            shorter = early and self.fast_convergence
            self._w_max = cwnd * (1.0 + beta) / 2.0 if shorter else cwnd
            self._cwnd_prior = cwnd
        self.reduce(c, rounded(self._loss_base(c) * beta))
        if c.kind == "ecn":
            self.ssthresh = max(self.ssthresh, 2 * self.mss)

    def on_spurious(self) -> None:
        if self.params.rules == "linux":
            super().on_spurious()
            return
        had = self._saved
        self._saved = False
        if not had:
            return
        if isnan(self._cwnd_prior) or self.cwnd / self.mss <= max(self._cwnd_prior, 2.0):
            super().on_spurious()
            self._w_max = self._saved_w_max
            self._cwnd_prior = self._saved_cwnd_prior
            self._w_est = self._saved_w_est
            self._k = self._saved_k
            self._origin = self._saved_origin
            self._start = self._saved_start

    def on_idle(self, idle: Idle) -> None:
        if self.params.rules == "linux":
            if self._start >= 0:
                self._start = min(self._start + ns(idle.idle), ns(self.now))
            super().on_idle(idle)
            return
        self._skip_time()
        if super().on_idle(idle):
            self._saved = False
            self._start = -1

    def _forget_round(self, end, now) -> None:
        self._found = False
        self._round_end = end
        self._round_start = now
        self._last_ack = now
        self._least = -1
        self._samples = 0

    def _reset(self) -> None:
        self._top = 0
        self._start = -1
        self._d_min = -1
        self._credit = 0
        self._forget_round(0, 0)

    def _linux_ack(self, ack: Ack) -> None:
        now, mss = ns(self.now), int(self.mss)
        if ack.rtt is not None:
            self._on_rtt(now, ns(ack.rtt), ack)
        if ack.acked == 0 or self.recovering(ack) or self.slow_start(ack):
            return
        if ack.cwnd_limited and not ack.ece:
            acked = (int(min(ack.acked, max(ack.delivered, self.mss))) + mss - 1) // mss
            count = self._counted(now, acked)
            grown, credit = 0, self._credit
            if credit >= count:
                credit, grown = 0, 1
            credit += acked
            grown += credit // count
            self._credit = credit % count
            self.cwnd += grown * mss

    def _on_rtt(self, now, rtt, ack: Ack) -> None:
        if self._start >= 0 and now - self._start < SECOND:
            return
        d_min = rtt if self._d_min < 0 else min(self._d_min, rtt)
        self._d_min = d_min
        if not self.hystart or self._found or self.cwnd >= self.ssthresh:
            return
        in_time = 0 if ack.srtt is None else 4 * 65_536 * ns(ack.srtt) // (2 * int(self.cwnd))
        train = (d_min + min(in_time, MS)) // 2
        if ack.acked_up_to > self._round_end:
            self._forget_round(int(ack.sent_up_to), now)
        if self._window() < 16:
            return
        if now - self._last_ack <= 2 * MS:
            self._last_ack = now
            self._found = now - self._round_start > train
        self._least = rtt if self._least < 0 else min(self._least, rtt)
        if self._samples < 8:
            self._samples += 1
        elif self._least > d_min + min(max(d_min // 8, 4 * MS), 16 * MS):
            self._found = True
        if self._found:
            self.ssthresh = self.cwnd

    def _counted(self, now, acked):
        cwnd = self._window()
        if self._start < 0:
            self._start = now
            self._curve(float(cwnd), float(self._top))
            self._acked = 0
            self._w_tcp = cwnd
            self._count = 0
            self._found_w = 0
            self._found_at = now
        self._acked += acked
        if self._found_w == cwnd and now - self._found_at <= SECOND // 32:
            return self._count
        self._found_w = cwnd
        self._found_at = now
        waited = max(self._d_min, 0)
        distance = float(int(self._rise(now - self._start + waited)))
        target = int(min(max(self._origin + distance, 0.0), float(1 << 40)))
        count = cwnd // (target - cwnd) if target > cwnd else 100 * cwnd
        if self._top == 0:
            count = min(count, 20)
        if self.reno_friendly:
            beta = rounded(self.beta_cubic * 1024)
            eighths = 8 * (1024 + beta) // 3 // max(1024 - beta, 1)
            per_segment = max((cwnd * eighths) >> 3, 1)
            grown = max(self._acked - 1, 0) // per_segment
            self._acked -= grown * per_segment
            self._w_tcp += grown
            if self._w_tcp > cwnd:
                count = min(count, cwnd // (self._w_tcp - cwnd))
        count = max(count, 2)
        self._count = count
        return count

    def _linux_reduced(self, c: Congestion):
        cwnd = self._window()
        beta = rounded(self.beta_cubic * 1024)
        self._start = -1
        early = cwnd < self._top and self.fast_convergence
        self._top = cwnd * (1024 + beta) // 2048 if early else cwnd
        if c.kind in {"rto", "persistent"}:
            self._reset()
        base = max(self._loss_base(c) // int(self.mss), 1)
        return max(base * beta // 1024, 2) * int(self.mss)
