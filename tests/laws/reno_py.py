"""Reno as `crates/congestion/src/reno.rs` has it: the same operations in the same order."""

from airtcp.laws import Ack, Congestion, Law, Params, Promises


class RenoPy(Law):
    """Reno in Python"""

    growth: str = "per-ack"
    promises = Promises(bounded_by_window=False)

    def start(self, params: Params) -> None:
        self.credit = 0
        self.linux = params.rules == "linux"

    def avoid(self, ack: Ack) -> None:
        mss, cwnd = self.mss, int(self.cwnd)
        if self.growth == "bytes":
            self.credit += (ack.delivered if self.linux else ack.acked) * mss
            if self.credit >= cwnd * mss:
                self.credit -= cwnd * mss
                self.cwnd = cwnd + mss
        else:
            self.credit += mss * mss
            self.cwnd = cwnd + self.credit // cwnd
            self.credit %= cwnd

    def reduced(self, c: Congestion) -> float:
        whole = c.kind == "ecn" or self.params.half_of_cwnd
        base = int(self.cwnd) if whole else c.flight
        self.credit = 0
        unit = self.mss if self.linux else 1
        return base // unit // 2 * unit
