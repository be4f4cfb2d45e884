//! Delivery-rate samples, draft-cheng-iccrg-delivery-rate-estimation-02 section 3.
//!
//! Every segment carries away how much had been delivered when it left; the acknowledgement
//! brings back how much was delivered since. The interval is the longer of the send and the ACK
//! phase, which keeps ACK compression from inflating the rate. Bytes and nanoseconds.

use airtcp_units::{Nanos, Span};

use crate::congestion::RateSample;

/// What a segment carries away.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Snapshot {
    delivered: u64,
    delivered_at: Nanos,
    first_sent_at: Nanos,
    app_limited: bool,
}

/// The connection's side of the estimation.
#[derive(Debug, Clone, Default)]
pub(crate) struct RateSampler {
    delivered: u64,
    delivered_at: Nanos,
    first_sent_at: Nanos,
    /// The connection counts as limited by the application until this much is delivered.
    app_limited_until: u64,
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

    /// A segment leaves; `idle` if nothing was in the network.
    pub(crate) const fn on_sent(&mut self, now: Nanos, idle: bool) -> Snapshot {
        if idle {
            self.first_sent_at = now;
            self.delivered_at = now;
        }
        Snapshot {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            app_limited: self.app_limited_until > self.delivered,
        }
    }

    /// There is nothing to send although the window has room; `pipe` bytes are in the network.
    pub(crate) fn on_app_limited(&mut self, pipe: u64) {
        self.app_limited_until = (self.delivered + pipe).max(1);
    }

    /// A segment of `bytes`, sent at `sent_at`, has arrived.
    #[inline]
    pub(crate) fn on_delivered(&mut self, now: Nanos, bytes: u64, sent_at: Nanos, at: Snapshot) {
        self.delivered += bytes;
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

    /// The sample of the ACK just processed. Intervals below the smallest round-trip time say
    /// nothing (section 3.3).
    #[inline]
    pub(crate) fn take(&mut self, min_rtt: Option<Span>) -> Option<RateSample> {
        let p = self.pending.take()?;
        let interval = p.send_elapsed.max(self.delivered_at.since(p.prior.delivered_at));
        if interval == Span::ZERO || min_rtt.is_some_and(|m| interval < m) {
            return None;
        }
        Some(RateSample {
            delivered: self.delivered - p.prior.delivered,
            interval,
            prior_delivered: p.prior.delivered,
            app_limited: p.prior.app_limited,
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
                sample = r.take(Some(Span::from_millis(20)));
            }
            if t < 30 {
                snapshots.push(r.on_sent(at(t), t == 0));
            }
        }
        let sample = sample.unwrap();
        // 1000 bytes per ms: 8 Mb/s.
        assert_eq!(sample.rate().unwrap().bps(), 8_000_000);
        assert!(!sample.app_limited);
    }

    /// Acknowledgements that come closer together than a round trip can take say nothing.
    #[test]
    fn intervals_below_the_round_trip_are_refused() {
        for (min_rtt, some) in [(Span(100), true), (Span(101), false)] {
            let mut r = RateSampler::default();
            let a = r.on_sent(Nanos(0), true);
            r.on_delivered(Nanos(100), 1000, Nanos(0), a);
            assert_eq!(r.take(Some(min_rtt)).is_some(), some);
        }
    }

    #[test]
    fn running_dry_is_remembered() {
        let mut r = RateSampler::default();
        let a = r.on_sent(Nanos(0), true);
        r.on_app_limited(1000);
        let b = r.on_sent(Nanos(10), false);
        r.on_delivered(Nanos(100), 1000, Nanos(0), a);
        assert!(!r.take(None).unwrap().app_limited);
        r.on_delivered(Nanos(110), 1000, Nanos(10), b);
        assert!(r.take(None).unwrap().app_limited);
        let c = r.on_sent(Nanos(120), false);
        r.on_delivered(Nanos(220), 1000, Nanos(120), c);
        assert!(!r.take(None).unwrap().app_limited);
    }
}
