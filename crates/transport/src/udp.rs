//! UDP, RFC 768: a sender that numbers its datagrams and a receiver that counts by number.
//!
//! The numbers represent those of an application (RTP, iperf) in the payload. Leaves out: ports,
//! checksums. Sizes in bytes of payload.

use airtcp_packet::{Kind, Segment};
use airtcp_probe::{Cx, Event, Machine, Probe};
use airtcp_units::{LowBits, Nanos};
use serde::Serialize;

/// Counters of a [`UdpSender`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct UdpSenderStats {
    /// Datagrams sent.
    pub datagrams_sent: u64,
    /// Payload sent.
    pub bytes_sent: u64,
}

/// Counters of a [`UdpReceiver`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct UdpReceiverStats {
    /// Datagrams received, without duplicates.
    pub datagrams_received: u64,
    /// Payload received, without duplicates.
    pub bytes_received: u64,
    /// Datagrams received more than once.
    pub duplicates: u64,
    /// Datagrams that arrived after one with a higher number.
    pub reordered: u64,
    /// One past the highest number seen.
    pub expected: u64,
}

impl UdpReceiverStats {
    /// Datagrams below the highest number that have not arrived (yet).
    pub const fn lost(&self) -> u64 {
        self.expected.saturating_sub(self.datagrams_received)
    }
}

/// Sends datagrams on the application's request.
#[derive(Debug, Clone, Default)]
pub struct UdpSender {
    queued: u64,
    len: u16,
    stats: UdpSenderStats,
}

impl UdpSender {
    /// A sender of datagrams with `len` bytes of payload.
    pub const fn new(len: u16) -> Self {
        let stats = UdpSenderStats { datagrams_sent: 0, bytes_sent: 0 };
        Self { queued: 0, len, stats }
    }

    /// The application sends `datagrams` more; they leave with the next polls.
    pub const fn send(&mut self, datagrams: u64) {
        self.queued = self.queued.saturating_add(datagrams);
    }

    /// The application sends a datagram of `len` bytes. Datagrams that still wait get this length too: poll them
    /// first.
    pub const fn send_one(&mut self, len: u16) {
        self.len = len;
        self.send(1);
    }

    /// Counters.
    pub const fn stats(&self) -> &UdpSenderStats {
        &self.stats
    }
}

impl Machine for UdpSender {
    type In = Segment;
    type Out = Segment;

    /// A sender ignores arrivals.
    fn handle<P: Probe>(&mut self, _: Nanos, _: Segment, _: &mut Cx<'_, P>) {}

    fn on_timer<P: Probe>(&mut self, _: Nanos, _: &mut Cx<'_, P>) {}

    fn next_timer(&self) -> Nanos {
        Nanos::NEVER
    }

    fn poll<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) -> Option<Segment> {
        self.queued = self.queued.checked_sub(1)?;
        let segment = Segment::datagram(u32::low_bits(self.stats.datagrams_sent), self.len);
        self.stats.datagrams_sent += 1;
        self.stats.bytes_sent += u64::from(self.len);
        cx.record(now, || Event::SegmentSent { segment, retransmission: false });
        Some(segment)
    }
}

/// Number of recent datagrams in which duplicates are recognised.
const MEMORY: u64 = 1024;

/// Receives datagrams and counts them.
#[derive(Debug, Clone)]
pub struct UdpReceiver {
    /// One bit for each of the last [`MEMORY`] numbers, at its number modulo `MEMORY`.
    seen: [u64; (MEMORY / 64) as usize],
    stats: UdpReceiverStats,
}

impl Default for UdpReceiver {
    fn default() -> Self {
        Self::new()
    }
}

impl UdpReceiver {
    /// A receiver without arrivals.
    pub const fn new() -> Self {
        let stats = UdpReceiverStats {
            datagrams_received: 0,
            bytes_received: 0,
            duplicates: 0,
            reordered: 0,
            expected: 0,
        };
        Self { seen: [0; (MEMORY / 64) as usize], stats }
    }

    /// Counters.
    pub const fn stats(&self) -> &UdpReceiverStats {
        &self.stats
    }

    fn bit(number: u64) -> (usize, u64) {
        let at = number % MEMORY;
        ((at / 64) as usize, 1 << (at % 64))
    }

    /// Notes number `n`; true if it is new. A number older than the memory counts as new if at
    /// least one datagram is missing, since it is far more likely late than duplicated.
    fn note(&mut self, n: u64) -> bool {
        let expected = self.stats.expected;
        if n >= expected {
            // Clears the bits that the window moves over, at most all of them.
            for skipped in expected.max(n.saturating_sub(MEMORY - 1))..=n {
                let (word, bit) = Self::bit(skipped);
                self.seen[word] &= !bit;
            }
            self.stats.expected = n + 1;
        } else if expected - n > MEMORY {
            return self.stats.lost() > 0;
        }
        let (word, bit) = Self::bit(n);
        let new = self.seen[word] & bit == 0;
        self.seen[word] |= bit;
        new
    }
}

impl Machine for UdpReceiver {
    type In = Segment;
    type Out = Segment;

    fn handle<P: Probe>(&mut self, now: Nanos, segment: Segment, cx: &mut Cx<'_, P>) {
        if segment.kind != Kind::Udp {
            return;
        }
        cx.record(now, || Event::SegmentReceived { segment });
        let origin = airtcp_packet::Seq(0);
        let Some(n) = segment.seq.unwrap_near(origin, self.stats.expected) else { return };
        let late = n < self.stats.expected;
        if !self.note(n) {
            self.stats.duplicates += 1;
            return;
        }
        let bytes = u64::from(segment.len);
        self.stats.datagrams_received += 1;
        self.stats.bytes_received += bytes;
        self.stats.reordered += u64::from(late);
        cx.record(now, || Event::Delivered { bytes });
    }

    fn on_timer<P: Probe>(&mut self, _: Nanos, _: &mut Cx<'_, P>) {}

    fn next_timer(&self) -> Nanos {
        Nanos::NEVER
    }

    fn poll<P: Probe>(&mut self, _: Nanos, _: &mut Cx<'_, P>) -> Option<Segment> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtcp_packet::{EndpointId, Side};
    use airtcp_probe::{EventSource, NoProbe};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn with_cx<R>(f: impl FnOnce(&mut Cx<'_, NoProbe>) -> R) -> R {
        let mut probe = NoProbe;
        let source = EventSource::Endpoint(EndpointId::new(0, Side::Server));
        f(&mut Cx::new(&mut probe, source))
    }

    #[test]
    fn sends_what_was_asked_for() {
        with_cx(|cx| {
            let mut sender = UdpSender::new(100);
            sender.send(3);
            let seqs: Vec<u32> =
                std::iter::from_fn(|| sender.poll(Nanos::ZERO, cx)).map(|s| s.seq.0).collect();
            assert_eq!(seqs, [0, 1, 2]);
            assert_eq!(sender.stats().bytes_sent, 300);
        });
    }

    proptest! {
        /// Compares the receiver with a set, for any order within its memory.
        #[test]
        fn counts_as_a_set_does(steps in prop::collection::vec((0u64..40, 0u64..800), 1..200)) {
            with_cx(|cx| {
                let mut receiver = UdpReceiver::new();
                let (mut seen, mut high, mut duplicates) = (BTreeSet::new(), 0u64, 0u64);
                for (ahead, back) in steps {
                    let n = (high + ahead).saturating_sub(back);
                    let segment = Segment::datagram(n as u32, 10);
                    receiver.handle(Nanos::ZERO, segment, cx);
                    high = high.max(n + 1);
                    duplicates += u64::from(!seen.insert(n));
                }
                let stats = receiver.stats();
                prop_assert_eq!(stats.datagrams_received, seen.len() as u64);
                prop_assert_eq!(stats.duplicates, duplicates);
                prop_assert_eq!(stats.expected, high);
                prop_assert_eq!(stats.lost(), high - seen.len() as u64);
                Ok(())
            })?;
        }
    }
}
