//! Whether ACKs clock a sender: whether segments leave because an ACK came.
//!
//! A sender that its window holds back sends soon after each ACK, as many segments as it allows, back to back. A sender
//! that paces sends at any time between two ACKs, its segments apart from each other. How soon is soon depends on the
//! host: it may take milliseconds to answer. So the time is a share of that between ACKs, and never below a millisecond,
//! which a host may always take. Where ACKs come closer together than that, a capture cannot tell pacing from ACKs.

/// Segments, and ACKs, over which is smoothed.
const SMOOTHING: f64 = 32.0;
/// The first segment after an ACK leaves because of it within this share of the time between two ACKs. Segments at any
/// time between ACKs are below it as often.
const SOON: f64 = 0.2;
/// The next one leaves because of the same ACK within this share of it.
const TOGETHER: f64 = 0.1;
/// The least time for either, in nanoseconds.
const LEAST_NS: f64 = 1e6;
/// A time between two ACKs counts as at most so many times the mean: the application paused.
const LONGEST: f64 = 4.0;
/// Share of segments that ACKs clock, below which the sender paces, or a host answers later than others.
const PACED: f64 = 0.25;

/// The ACK clock of a sender.
#[derive(Debug, Clone, Default)]
pub(super) struct AckClock {
    acked_ns: Option<u64>,
    /// Smoothed time between ACKs.
    between_ns: Option<f64>,
    /// Time of the last segment since the last ACK, and whether it left because of that.
    sent: Option<(u64, bool)>,
    /// Smoothed share of the segments that ACKs clock.
    clocked: Option<f64>,
}

impl AckClock {
    /// An ACK reached the sender.
    pub(super) fn on_ack(&mut self, now: u64) {
        if let Some(last) = self.acked_ns {
            let between = now.saturating_sub(last) as f64;
            let mean = self.between_ns.unwrap_or(between);
            let between = between.min(LONGEST * mean.max(LEAST_NS));
            self.between_ns = Some(mean + (between - mean) / SMOOTHING);
        }
        self.acked_ns = Some(now);
        self.sent = None;
    }

    /// A segment left, `since_ack_ns` after the last ACK reached the sender.
    pub(super) fn on_data(&mut self, now: u64, since_ack_ns: u64) {
        let within = |ns: u64, share: f64| {
            ns as f64 <= (share * self.between_ns.unwrap_or(0.0)).max(LEAST_NS)
        };
        let is_clocked = match self.sent {
            Some((before, clocked)) => {
                clocked && within(now.saturating_sub(before), TOGETHER) || within(since_ack_ns, 0.0)
            }
            None => within(since_ack_ns, SOON),
        };
        self.sent = Some((now, is_clocked));
        let clocked = f64::from(u8::from(is_clocked));
        let smoothed = self.clocked.unwrap_or(clocked);
        self.clocked = Some(smoothed + (clocked - smoothed) / SMOOTHING);
    }

    /// True if most segments leave at other times than those of ACKs.
    pub(super) fn is_slow(&self) -> bool {
        self.clocked.is_some_and(|share| share < PACED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ACK every `between` microseconds, after which segments leave at `at` microseconds.
    fn run(between: u64, at: impl Fn(u64) -> Vec<u64>) -> AckClock {
        let mut clock = AckClock::default();
        for turn in 0..500 {
            let acked = turn * between;
            clock.on_ack(acked * 1000);
            for later in at(turn) {
                clock.on_data((acked + later) * 1000, later * 1000);
            }
        }
        clock
    }

    /// A host of the 1990s on 10 Mb/s Ethernet: it answers after 3.3 ms, with three segments 1.4 ms apart, and has an ACK
    /// every 26 ms.
    #[test]
    fn a_slow_host_does_not_pace() {
        assert!(!run(26_000, |turn| vec![3100 + turn % 7 * 100, 4800, 6200]).is_slow());
        // One that answers in a third of the time between ACKs cannot be told from one that paces.
        assert!(run(9_000, |_| vec![3100, 4600]).is_slow());
    }

    #[test]
    fn a_fast_host_does_not_pace() {
        assert!(!run(26_000, |_| vec![20, 32, 44]).is_slow());
        assert!(!run(240, |_| vec![20, 32]).is_slow());
    }

    /// Two segments for each ACK, half of its time apart, at every place between two ACKs.
    #[test]
    fn even_segments_are_paced_wherever_they_stand() {
        for offset in 0..20 {
            let clock = run(20_000, |_| {
                let first = offset * 500;
                vec![first, first + 10_000]
            });
            // Right after an ACK, every second segment seems to leave because of it.
            assert_eq!(clock.is_slow(), offset * 500 > 4_000, "{offset}");
        }
        let drifting = run(20_000, |turn| vec![turn * 37 % 10_000, turn * 37 % 10_000 + 10_000]);
        assert!(drifting.clocked.unwrap() < 0.5);
    }

    /// A pause of the application is no time between ACKs: for the segments after it 20 ms would be soon.
    #[test]
    fn a_pause_does_not_make_a_host_slow() {
        let mut clock = run(20_000, |_| vec![9000]);
        assert!(clock.is_slow());
        clock.on_ack(60_000_000_000);
        assert!(clock.between_ns.unwrap() < 25e6, "{clock:?}");
    }
}
