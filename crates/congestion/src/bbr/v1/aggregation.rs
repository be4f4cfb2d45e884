//! Linux's allowance for ACK aggregation (`bbr_update_ack_aggregation`), which the draft does not
//! have.
//!
//! `extra_acked` is the number of bytes delivered in an epoch beyond bandwidth times time. An epoch
//! ends when there is no excess. The window grows by the maximum excess of the last 5 to 10 round
//! trips, at most by what the bandwidth carries in 100 ms. Bytes.

use airtcp_units::{Nanos, Span};

use super::super::volume;

/// Round trips after which the older of the two maxima expires.
const ROUNDS: u32 = 5;
/// The allowance is at most the bandwidth times this.
const MAX_ALLOWANCE_TIME: Span = Span::from_millis(100);
/// Segments after which an epoch ends.
const MAX_EPOCH_SEGMENTS: u64 = 1 << 20;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Aggregation {
    greatest: [u64; 2],
    newer: usize,
    rounds: u32,
    begin: Nanos,
    acked: u64,
}

impl Aggregation {
    /// The estimate of a connection that begins now.
    pub(super) fn new(now: Nanos) -> Self {
        Self { begin: now, ..Self::default() }
    }

    /// Another `delivered` bytes arrived, at a bandwidth of `bw` bit/s and a window of `cwnd`.
    pub(super) fn update(
        &mut self,
        (now, round_start): (Nanos, bool),
        (delivered, mss): (u64, u64),
        bw: u64,
        cwnd: u64,
    ) {
        if round_start {
            self.rounds += 1;
            if self.rounds >= ROUNDS {
                self.rounds = 0;
                self.newer = 1 - self.newer;
                self.greatest[self.newer] = 0;
            }
        }
        let mut expected = volume(1.0, bw, now.since(self.begin));
        if self.acked <= expected || (self.acked + delivered) / mss.max(1) >= MAX_EPOCH_SEGMENTS {
            (self.acked, self.begin, expected) = (0, now, 0);
        }
        self.acked += delivered;
        let extra = self.acked.saturating_sub(expected).min(cwnd);
        self.greatest[self.newer] = self.greatest[self.newer].max(extra);
    }

    /// Bytes added to the window.
    pub(super) fn allowance(&self, bw: u64) -> u64 {
        self.greatest[0].max(self.greatest[1]).min(volume(1.0, bw, MAX_ALLOWANCE_TIME))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BW: u64 = 8_000_000;

    /// ACKs of `bytes` every `every` microseconds over 8 Mb/s, a round trip each 20 ACKs.
    fn allowance(bytes: u64, every: u64, cwnd: u64) -> u64 {
        let mut a = Aggregation::new(Nanos(0));
        let mut now = Nanos(0);
        for n in 0..200_u64 {
            now += Span::from_micros(every);
            a.update((now, n % 20 == 0), (bytes, 1000), BW, cwnd);
        }
        a.allowance(BW)
    }

    #[test]
    fn the_allowance_is_the_size_of_an_ack_or_of_a_bundle() {
        // A megabyte per second: the excess is the first ACK of the epoch.
        assert_eq!(allowance(1000, 1000, 1 << 20), 1000);
        assert_eq!(allowance(20_000, 20_000, 1 << 20), 20_000);
        assert_eq!(allowance(20_000, 20_000, 5000), 5000, "not more than a window");
        // ACKs that are always faster than the bandwidth reach the bound of 100 ms.
        assert_eq!(allowance(2000, 1000, 1 << 30), 100_000);
    }

    #[test]
    fn a_bundle_is_forgotten_after_ten_round_trips() {
        let mut a = Aggregation::new(Nanos(0));
        let mut now = Nanos(0);
        a.update((now, true), (50_000, 1000), BW, 1 << 20);
        let mut kept = 0;
        while a.allowance(BW) > 1000 {
            kept += 1;
            now += Span::from_millis(100);
            a.update((now, true), (1000, 1000), BW, 1 << 20);
        }
        assert!((5..=10).contains(&kept), "{kept}");
    }
}
