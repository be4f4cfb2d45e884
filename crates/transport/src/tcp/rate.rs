//! Delivery-rate samples, draft-cheng-iccrg-delivery-rate-estimation-02 section 3, now section
//! 4.1 of draft-ietf-ccwg-bbr-06.
//!
//! At departure, every segment records how much has been delivered and lost, and how much is in
//! flight including itself (the draft's `P.delivered`, `P.lost`, `P.tx_in_flight`). At its
//! acknowledgement, the sender computes how much was delivered and lost since. The interval is the
//! longer of the send phase and the ACK phase, so that ACK compression does not inflate the rate.
//!
//! Without SACK a duplicate counts as one delivered segment, as section 4.1.3.5.1 suggests and
//! Linux does. The ACK that covers it later does not count it again. Otherwise all data that
//! arrived while a hole was open would count as delivered when the hole closes. Bytes and
//! nanoseconds.

use airtcp_units::{LowBits, Nanos, Narrow, Span};

use airtcp_congestion::{Lost, RateSample};

/// State recorded with a segment at departure. 32 bytes, so that a segment of the scoreboard fills
/// one cache line of 64.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Snapshot {
    delivered: u64,
    delivered_at: Nanos,
    first_sent_at: Nanos,
    /// Low half of the bytes judged lost so far; within the life of a segment the difference is
    /// below 2^32.
    lost: u32,
    /// Data in the network with the segment, at most 2^31 - 1 (windows are at most 2^30), and
    /// in the top bit whether the sender had run out of data.
    flight: u32,
}

const APP_LIMITED: u32 = 1 << 31;

impl Snapshot {
    const fn app_limited(self) -> bool {
        self.flight & APP_LIMITED != 0
    }

    const fn tx_in_flight(self) -> u64 {
        (self.flight & !APP_LIMITED) as u64
    }

    fn lost_since(self, total: u64) -> u64 {
        u64::from(u32::low_bits(total).wrapping_sub(self.lost))
    }

    /// The law's report when the segment, of `bytes` from `start`, is judged lost as the latest of
    /// `total` lost bytes. The sender adds the delivered bytes.
    pub(crate) fn lost(self, start: u64, bytes: u64, total: u64) -> Lost {
        Lost {
            start,
            bytes,
            tx_in_flight: self.tx_in_flight(),
            lost: self.lost_since(total),
            app_limited: self.app_limited(),
            total_delivered: 0,
        }
    }
}

/// The connection's state of the estimation.
#[derive(Debug, Clone, Default)]
pub(crate) struct RateSampler {
    delivered: u64,
    delivered_at: Nanos,
    first_sent_at: Nanos,
    /// The connection counts as application-limited until more than this is delivered; 0 if it does
    /// not (`C.app_limited`).
    app_limited_until: u64,
    /// Without SACK: bytes that duplicates counted as delivered and no ACK has covered yet.
    counted: u64,
    pending: Option<Pending>,
}

#[derive(Debug, Clone, Copy)]
struct Pending {
    prior: Snapshot,
    send_elapsed: Span,
    sent_at: Nanos,
}

impl RateSampler {
    pub(crate) const fn delivered(&self) -> u64 {
        self.delivered
    }

    /// True while samples are limited by the application rather than by the path.
    pub(crate) const fn is_app_limited(&self) -> bool {
        self.app_limited_until != 0 && self.app_limited_until >= self.delivered
    }

    /// A segment of `bytes` leaves while `pipe` bytes are in the network and `lost` bytes were
    /// judged lost so far.
    #[inline]
    pub(crate) fn on_sent(&mut self, now: Nanos, bytes: u64, pipe: u64, lost: u64) -> Snapshot {
        if pipe == 0 {
            self.first_sent_at = now;
            self.delivered_at = now;
        }
        Snapshot {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            lost: u32::low_bits(lost),
            flight: u32::narrow((pipe + bytes).min(u64::from(APP_LIMITED - 1)))
                | if self.is_app_limited() { APP_LIMITED } else { 0 },
        }
    }

    /// There is nothing to send although the window has room; `pipe` bytes are in the network.
    pub(crate) fn on_app_limited(&mut self, pipe: u64) {
        self.app_limited_until = (self.delivered + pipe).max(1);
    }

    /// A segment of `bytes`, sent at `sent_at`, was delivered.
    #[inline]
    pub(crate) fn on_delivered(&mut self, now: Nanos, bytes: u64, sent_at: Nanos, at: Snapshot) {
        let before = bytes.min(self.counted);
        self.counted -= before;
        self.delivered += bytes - before;
        self.delivered_at = now;
        // The sample belongs to the segment sent last.
        let newest =
            self.pending.is_none_or(|p| (p.prior.delivered, p.sent_at) <= (at.delivered, sent_at));
        if newest {
            let send_elapsed = sent_at.since(at.first_sent_at);
            self.pending = Some(Pending { prior: at, send_elapsed, sent_at });
            self.first_sent_at = sent_at;
        }
    }

    /// A duplicate shows that some segment of `mss` bytes arrived. `outstanding` bytes are not
    /// acknowledged, and at least one segment of them is missing.
    pub(crate) fn on_duplicate(&mut self, now: Nanos, mss: u64, outstanding: u64) {
        if self.counted + 2 * mss <= outstanding {
            self.counted += mss;
            self.delivered += mss;
            self.delivered_at = now;
        }
    }

    /// The sample of the ACK just processed, when `lost` bytes were judged lost in total. Intervals
    /// below the smallest round-trip time give no sample (section 3.3).
    #[inline]
    pub(crate) fn take(&mut self, min_rtt: Option<Span>, lost: u64) -> Option<RateSample> {
        let p = self.pending.take()?;
        let interval = p.send_elapsed.max(self.delivered_at.since(p.prior.delivered_at));
        if interval == Span::ZERO || min_rtt.is_some_and(|m| interval < m) {
            return None;
        }
        Some(RateSample {
            delivered: self.delivered - p.prior.delivered,
            interval,
            prior_delivered: p.prior.delivered,
            app_limited: p.prior.app_limited(),
            tx_in_flight: p.prior.tx_in_flight(),
            lost: p.prior.lost_since(lost),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten segments paced at 1 ms, delivered after 20 ms: the rate is one segment per ms.
    #[test]
    fn a_paced_train_shows_its_rate() {
        let mut r = RateSampler::default();
        let at = |ms: u64| Nanos(ms * 1_000_000);
        let sent: Vec<_> = (0..30).map(|i| (at(i), i)).collect();
        let mut snapshots = Vec::new();
        let mut sample = None;
        for t in 0..50 {
            if t >= 20 && t - 20 < 30 {
                let (sent_at, i) = sent[(t - 20) as usize];
                r.on_delivered(at(t), 1000, sent_at, snapshots[i as usize]);
                sample = r.take(Some(Span::from_millis(20)), 0);
            }
            if t < 30 {
                snapshots.push(r.on_sent(at(t), 1000, t.min(20) * 1000, 0));
            }
        }
        let sample = sample.unwrap();
        // 1000 bytes per ms: 8 Mb/s.
        assert_eq!(sample.rate().unwrap().bps(), 8_000_000);
        assert!(!sample.app_limited);
    }

    /// Acknowledgements closer together than the minimum round-trip time give no sample.
    #[test]
    fn intervals_below_the_round_trip_are_refused() {
        for (min_rtt, some) in [(Span(100), true), (Span(101), false)] {
            let mut r = RateSampler::default();
            let a = r.on_sent(Nanos(0), 1000, 0, 0);
            r.on_delivered(Nanos(100), 1000, Nanos(0), a);
            assert_eq!(r.take(Some(min_rtt), 0).is_some(), some);
        }
    }

    #[test]
    fn running_dry_is_remembered() {
        let mut r = RateSampler::default();
        let a = r.on_sent(Nanos(0), 1000, 0, 0);
        r.on_app_limited(1000);
        let b = r.on_sent(Nanos(10), 1000, 1000, 0);
        r.on_delivered(Nanos(100), 1000, Nanos(0), a);
        assert!(!r.take(None, 0).unwrap().app_limited);
        r.on_delivered(Nanos(110), 1000, Nanos(10), b);
        assert!(r.take(None, 0).unwrap().app_limited);
        let c = r.on_sent(Nanos(120), 1000, 1000, 0);
        r.on_delivered(Nanos(220), 1000, Nanos(120), c);
        assert!(!r.take(None, 0).unwrap().app_limited);
    }

    /// The draft's `tx_in_flight` and `lost`, also across a wrap of the loss counter.
    #[test]
    fn what_was_in_flight_and_lost_comes_back() {
        for base in [0, u64::from(u32::MAX) - 500, 1 << 40] {
            let mut r = RateSampler::default();
            let a = r.on_sent(Nanos(0), 1000, 0, base);
            let b = r.on_sent(Nanos(10), 700, 1000, base);
            r.on_app_limited(1700);
            let c = r.on_sent(Nanos(20), 1000, 1700, base + 300);
            assert_eq!((a.tx_in_flight(), b.tx_in_flight(), c.tx_in_flight()), (1000, 1700, 2700));
            r.on_delivered(Nanos(100), 700, Nanos(10), b);
            let s = r.take(None, base + 1000).unwrap();
            assert_eq!((s.tx_in_flight, s.lost, s.app_limited), (1700, 1000, false));
            let lost = c.lost(1700, 1000, base + 2000);
            let expected = Lost {
                start: 1700,
                bytes: 1000,
                tx_in_flight: 2700,
                lost: 1700,
                app_limited: true,
                total_delivered: 0,
            };
            assert_eq!(lost, expected);
        }
        let mut r = RateSampler::default();
        let huge = r.on_sent(Nanos(0), 1000, 1 << 40, 0);
        assert_eq!((huge.tx_in_flight(), huge.app_limited()), ((1 << 31) - 1, false));
        assert_eq!(size_of::<Snapshot>(), 32);
    }

    /// Eleven segments without SACK, the first of which is lost: ten duplicates a millisecond
    /// apart, then an ACK of all. Nothing counts twice, and segments sent meanwhile record the
    /// delivered bytes.
    #[test]
    fn duplicates_count_once() {
        let at = |ms: u64| Nanos(ms * 1_000_000);
        let mut r = RateSampler::default();
        let sent: Vec<_> = (0..11).map(|i| (at(i), r.on_sent(at(i), 1000, i * 1000, 0))).collect();
        for i in 1..=10 {
            r.on_duplicate(at(100 + i), 1000, 11_000);
        }
        assert_eq!((r.delivered(), r.take(None, 0).is_none()), (10_000, true));
        // At most the outstanding bytes less the hole.
        r.on_duplicate(at(111), 1000, 11_000);
        assert_eq!(r.delivered(), 10_000);
        let new = r.on_sent(at(112), 1000, 11_000, 0);
        for (sent_at, snapshot) in sent {
            r.on_delivered(at(200), 1000, sent_at, snapshot);
        }
        assert_eq!(r.delivered(), 11_000);
        r.take(None, 0);
        // One segment since 110 ms, not eleven.
        r.on_delivered(at(210), 1000, at(112), new);
        let sample = r.take(None, 0).unwrap();
        // By the send phase: the hole, delivered last before it, left at 0.
        assert_eq!((sample.delivered, sample.interval), (2000, Span::from_millis(112)));
    }
}
