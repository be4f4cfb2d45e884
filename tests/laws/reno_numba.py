"""Reno as `crates/congestion/src/reno.rs` has it, compiled by numba: the same operations."""

from airtcp.laws import Ack, Congestion, Law, Promises, compiled


@compiled
class RenoNumba(Law):
    """Reno, compiled"""

    bytes: bool = False
    _credit: int = 0
    promises = Promises(bounded_by_window=False)

    def start(self, params):
        self._credit = 0

    def avoid(self, ack: Ack) -> None:
        mss, cwnd = int(self.mss), int(self.cwnd)
        if self.bytes:
            linux = self.params.rules == "linux"
            credit = self._credit + int(ack.delivered if linux else ack.acked) * mss
            if credit >= cwnd * mss:
                credit -= cwnd * mss
                self.cwnd = cwnd + mss
        else:
            credit = self._credit + mss * mss
            self.cwnd = cwnd + credit // cwnd
            credit %= cwnd
        self._credit = credit

    def reduced(self, c: Congestion) -> float:
        whole = c.kind == "ecn" or self.params.half_of_cwnd
        base = int(self.cwnd if whole else c.flight)
        self._credit = 0
        unit = int(self.mss) if self.params.rules == "linux" else 1
        return base // unit // 2 * unit
