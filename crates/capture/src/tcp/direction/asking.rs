//! Probes of the window, keep-alives, and data of a SYN: what is sent before the other end asks for it.

use super::{Direction, KEEP_ALIVE_NS, range_of};
use crate::dissect::Segment;
use crate::tcp::probes::{Probe, Stand};
use crate::tcp::sent::Range;

impl Direction {
    /// Takes a probe of the window or a keep-alive.
    pub(super) fn take_probe(&mut self, segment: &Segment, start: u64) -> bool {
        let stand = Stand { una: self.una, next: self.next, ended: self.fin.is_some() };
        let (recent, data_ns) = (&self.recent, self.data_ns);
        // After a short silence, it is a segment of one byte that was sent again, or an ACK that it overtook.
        let is_alone = || {
            let own = |range: &Range| range.start == start && range.end == start + 1;
            let soon = segment.time_ns.saturating_sub(data_ns) < KEEP_ALIVE_NS;
            recent.holding(start).is_some_and(own) && soon
        };
        match self.closed.take(segment, start, stand, is_alone) {
            None => return false,
            Some(Probe::Window) => self.counters.window_probes += 1,
            Some(Probe::KeepAlive) => self.counters.keep_alives += 1,
        }
        true
    }

    /// Takes over the byte of a probe of the window if what follows it shows that it was accepted.
    pub(super) fn accept_probe(&mut self, end: u64) {
        let Some((start, sent_ns)) = self.closed.accepted(self.next, end) else { return };
        self.counters.unique_bytes += 1;
        self.counters.payload_bytes += 1;
        // It may have been probed several times: no round-trip time.
        let segment = Segment { time_ns: sent_ns, ..Segment::default() };
        self.sent.push(Range { copies: 1, ..range_of(&segment, start, start + 1, false) });
        self.next = start + 1;
    }

    /// The other end takes none or only a part of the data of a SYN (RFC 7413 section 3): what it did not take
    /// is not in flight, and is sent with the data that follow.
    pub(super) fn refuse_early_data(&mut self, ack: u64) {
        let untouched = self.counters.data_segments == 1 && self.counters.syn_retransmissions == 0;
        let is_new = ack >= self.origin.max(self.una) && ack < self.next;
        if self.opened[0] && untouched && is_new {
            // A FIN has a number and no byte.
            let refused = (self.next - ack).min(self.counters.unique_bytes);
            self.counters.unique_bytes -= refused;
            self.counters.early_refused_bytes += refused;
            self.sent.forget_from(ack);
            self.next = ack;
        }
    }
}
