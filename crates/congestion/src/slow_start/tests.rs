//! RFC 9406 section 4.2 step by step, with hand-made rounds.

use super::*;
use airtcp_units::Narrow;

const MSS: u64 = 1000;

/// A sender in slow start, driven round by round.
struct Path {
    slow_start: SlowStart,
    cwnd: u64,
    acked: u64,
    sent: u64,
    /// End of the data sent when the round began, before the ACK that began it released more.
    round_end: u64,
    left: bool,
}

impl Path {
    fn new(kind: SlowStartKind, paced: bool) -> Self {
        let params = LawParams { mss: u32::narrow(MSS), slow_start: kind, ..LawParams::default() };
        let slow_start = SlowStart::new(&params, paced);
        Self {
            slow_start,
            cwnd: 10 * MSS,
            acked: 0,
            sent: 10 * MSS,
            round_end: 10 * MSS,
            left: false,
        }
    }

    fn ack(&mut self, bytes: u64, rtt: Option<Span>) {
        self.acked += bytes;
        let sample = AckSample {
            acked: bytes,
            acked_up_to: self.acked,
            sent_up_to: self.sent,
            rtt,
            cwnd_limited: true,
            ..AckSample::default()
        };
        let step = self.slow_start.on_ack(&sample);
        self.cwnd += step.grow;
        if self.acked >= self.round_end {
            self.round_end = self.sent;
        }
        self.sent = self.acked + self.cwnd;
        if step.leave {
            self.left = true;
        }
    }

    /// A round of one ACK per segment, all with this round-trip time; returns the acknowledged
    /// bytes and the growth.
    fn round(&mut self, rtt_us: u64) -> (u64, u64) {
        let (cwnd, start, end) = (self.cwnd, self.acked, self.round_end);
        while self.acked < end {
            self.ack(MSS.min(end - self.acked), Some(Span::from_micros(rtt_us)));
        }
        (end - start, self.cwnd - cwnd)
    }
}

#[test]
fn standard_takes_at_most_the_limit_per_ack() {
    let mut p = Path::new(SlowStartKind::Standard, false);
    p.ack(5 * MSS, None);
    assert_eq!(p.cwnd, 11 * MSS);
    p.ack(300, None);
    assert_eq!(p.cwnd, 11 * MSS + 300);
    let mut p = Path::new(SlowStartKind::Standard, false);
    assert_eq!(p.round(50_000), (10 * MSS, 10 * MSS), "doubles");
}

#[test]
fn hystart_takes_eight_segments_per_ack_or_everything_when_paced() {
    for (paced, grown) in [(false, 8), (true, 20)] {
        let mut p = Path::new(SlowStartKind::HyStartPlusPlus, paced);
        p.ack(20 * MSS, None);
        assert_eq!(p.cwnd, (10 + grown) * MSS);
    }
}

/// `RttThresh` for last minima of 10, 32, 80 and 400 ms: 4, 4, 10 and 16 ms.
#[test]
fn the_threshold_is_an_eighth_between_4_and_16_ms() {
    for (last, rise) in [(10_000, 4000), (32_000, 4000), (80_000, 10_000), (400_000, 16_000)] {
        for (delta, css) in [(rise - 1, false), (rise, true)] {
            let mut p = Path::new(SlowStartKind::HyStartPlusPlus, false);
            p.round(last);
            p.round(last + delta);
            assert_eq!(p.slow_start.is_conservative(), css, "{last} us + {delta} us");
        }
    }
}

#[test]
fn conservative_growth_is_a_quarter_and_ends_after_five_rounds() {
    let mut p = Path::new(SlowStartKind::HyStartPlusPlus, false);
    assert_eq!(p.round(50_000), (10 * MSS, 10 * MSS));
    // The eighth sample of this round of 18 segments begins the conservative phase: eight ACKs
    // give a segment each, the others a quarter.
    assert_eq!(p.round(60_000), (18 * MSS, 8 * MSS + 10 * MSS / 4));
    assert!(p.slow_start.is_conservative());
    for round in 2..=5 {
        assert!(!p.left, "before round {round}");
        let (acked, grown) = p.round(60_000);
        assert_eq!(grown, acked / 4, "round {round}");
    }
    assert!(p.left, "after five rounds, the first of them partial");
    assert!(!p.slow_start.is_conservative());
    // Later slow starts are standard.
    let (acked, grown) = p.round(200_000);
    assert_eq!(acked, grown);
}

#[test]
fn a_spurious_exit_is_reverted() {
    let mut p = Path::new(SlowStartKind::HyStartPlusPlus, false);
    p.round(50_000);
    p.round(60_000);
    p.round(60_000);
    assert!(p.slow_start.is_conservative());
    // Below the baseline of 60 ms: after the eighth sample each ACK counts in full again.
    let (acked, grown) = p.round(59_000);
    assert!(!p.slow_start.is_conservative());
    assert_eq!(grown, acked - 8 * MSS + 8 * MSS / 4);
    assert!(!p.left);
    let (acked, grown) = p.round(59_000);
    assert_eq!(acked, grown);
    // The next rise of 59/8 ms counts from that round.
    p.round(59_000 + 7_375);
    assert!(p.slow_start.is_conservative());
}

#[test]
fn a_round_without_eight_samples_decides_nothing() {
    let mut p = Path::new(SlowStartKind::HyStartPlusPlus, false);
    p.round(50_000);
    let end = p.round_end;
    for _ in 0..7 {
        p.ack(MSS, Some(Span::from_millis(90)));
    }
    while p.acked < end {
        p.ack(MSS, None);
    }
    assert!(!p.slow_start.is_conservative());
    // One small sample among many large ones is the minimum of the round.
    let mut p = Path::new(SlowStartKind::HyStartPlusPlus, false);
    p.round(50_000);
    p.ack(MSS, Some(Span::from_millis(50)));
    p.round(90_000);
    assert!(!p.slow_start.is_conservative());
}

#[test]
fn jitter_below_the_threshold_is_harmless() {
    let mut p = Path::new(SlowStartKind::HyStartPlusPlus, false);
    for i in 0..8 {
        let (acked, grown) = p.round(50_000 + 6_000 * (i % 2));
        assert_eq!(acked, grown, "round {i}");
    }
}

#[test]
fn after_congestion_slow_start_is_standard() {
    let mut p = Path::new(SlowStartKind::HyStartPlusPlus, false);
    p.round(50_000);
    p.slow_start.on_congestion();
    let (acked, grown) = p.round(100_000);
    assert_eq!(acked, grown);
    assert!(!p.slow_start.is_conservative());
}

#[test]
fn without_a_full_window_rounds_are_watched_but_the_window_stays() {
    let mut p = Path::new(SlowStartKind::HyStartPlusPlus, false);
    for (end, rtt) in [(10, 50), (20, 60)] {
        for n in end - 9..=end {
            let sample = AckSample {
                acked: MSS,
                acked_up_to: n * MSS,
                sent_up_to: end.max(n) * MSS + 10 * MSS * u64::from(n == end),
                rtt: Some(Span::from_millis(rtt)),
                ..AckSample::default()
            };
            assert_eq!(p.slow_start.on_ack(&sample).grow, 0);
        }
    }
    assert!(p.slow_start.is_conservative());
}

/// A high limit counts bytes that arrive, not bytes SACKed before the hole was filled.
#[test]
fn a_filled_hole_is_no_burst() {
    let params = LawParams { mss: u32::narrow(MSS), abc_limit: 1000, ..LawParams::default() };
    let grown = |acked: u64, delivered: u64| {
        let sample = AckSample { acked, delivered, cwnd_limited: true, ..AckSample::default() };
        SlowStart::new(&params, false).on_ack(&sample).grow
    };
    assert_eq!(grown(7 * MSS, 7 * MSS), 7 * MSS, "a stretch ACK");
    assert_eq!(grown(40 * MSS, MSS), MSS, "39 of 40 were reported before");
    assert_eq!(grown(40 * MSS, 100), MSS, "as with a limit of one");
    assert_eq!(grown(100, 100), 100);
}
