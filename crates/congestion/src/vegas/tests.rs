//! Vegas, with round trips computed by hand. Segments of 1000 bytes.

use super::*;
use crate::LawState;
use airtcp_units::Narrow;

const MSS: u64 = 1000;

/// A sender that fills its window and receives an ACK for every segment.
struct Path {
    law: Vegas,
    now: Nanos,
    acked: u64,
    sent: u64,
    /// End of the round trip: the data that was sent when the previous one ended.
    end: u64,
}

impl Path {
    fn new(config: &VegasConfig, window: u64, ssthresh: u64) -> Self {
        let params = LawParams {
            mss: u32::narrow(MSS),
            initial_window: window * MSS,
            initial_ssthresh: ssthresh.saturating_mul(MSS),
            ..LawParams::default()
        };
        let mut law = Vegas::new(config);
        law.start(Nanos::ZERO, &params);
        Self { law, now: Nanos::ZERO, acked: 0, sent: window * MSS, end: window * MSS }
    }

    fn ack(&mut self, rtt: u64, change: impl Fn(&mut AckSample)) {
        self.now += Span::from_micros(1);
        self.acked += MSS;
        let mut sample = AckSample {
            acked: MSS,
            delivered: MSS,
            acked_up_to: self.acked,
            sent_up_to: self.sent,
            rtt: Some(Span::from_millis(rtt)),
            cwnd_limited: true,
            ..AckSample::default()
        };
        change(&mut sample);
        self.law.on_ack(self.now, &sample);
        if self.acked > self.end {
            self.end = self.sent;
        }
        self.sent = self.sent.max(self.acked + self.law.cwnd() / MSS * MSS);
    }

    /// The ACKs of a round trip, with these round-trip times in ms in turn; returns the window in
    /// bytes at its end.
    fn round(&mut self, rtts: &[u64], change: impl Fn(&mut AckSample)) -> u64 {
        let n = (self.end - self.acked) / MSS + 1;
        for k in 0..n {
            self.ack(rtts[usize::narrow(k) % rtts.len()], &change);
        }
        self.law.cwnd()
    }

    fn rounds(&mut self, rtts: &[u64]) -> Vec<u64> {
        rtts.iter().map(|rtt| self.round(&[*rtt], |_| {}) / MSS).collect()
    }
}

fn linux() -> VegasConfig {
    VegasConfig { set: VegasSet::Linux, ..VegasConfig::default() }
}

/// A law in avoidance, with a BaseRTT of 100 ms and the first segment acknowledged.
fn avoiding(config: &VegasConfig, window: u64) -> Path {
    let mut path = Path::new(config, window, 2);
    path.ack(1000, |_| {});
    path.law.round = Round { end: path.law.round.end, ..Round::default() };
    path.law.base = Some(Span::from_millis(100));
    path
}

#[test]
fn diff_decides_and_the_bounds_themselves_change_nothing() {
    // Window, RTT in ms, change of the window: diff = cwnd (1 - 100/RTT).
    for (cwnd, rtt, change) in [
        (20, 104, 1),  // 0.77
        (20, 110, 0),  // 1.82
        (20, 120, -1), // 3.33
        (11, 110, 0),  // 1 exactly
        (10, 110, 1),  // 0.91
        (33, 110, 0),  // 3 exactly
        (34, 110, -1), // 3.09
        (50, 100, 1),  // nothing queued
    ] {
        let mut path = avoiding(&VegasConfig::default(), cwnd);
        let now = path.round(&[rtt], |_| {});
        assert_eq!(i64::narrow(now), (i64::narrow(cwnd) + change) * 1000, "{cwnd} at {rtt} ms");
    }
    for (cwnd, rtt, change) in [(20, 110, 1), (22, 110, 0), (44, 110, 0), (45, 110, -1)] {
        let mut path = avoiding(&linux(), cwnd);
        let now = path.round(&[rtt], |_| {});
        assert_eq!(
            i64::narrow(now),
            (i64::narrow(cwnd) + change) * 1000,
            "linux: {cwnd} at {rtt} ms"
        );
    }
}

#[test]
fn once_per_round_trip() {
    let mut path = avoiding(&VegasConfig::default(), 10);
    assert_eq!(path.rounds(&[100; 5]), [11, 12, 13, 14, 15]);
    assert_eq!(path.rounds(&[150; 3]), [14, 13, 12]);
}

#[test]
fn the_smallest_sample_or_the_mean_stands_for_the_round() {
    // Smallest 104: 0.77 of 20 segments; mean 112: 2.14.
    let samples = [104, 120];
    let mut path = avoiding(&VegasConfig::default(), 20);
    assert_eq!(path.round(&samples, |_| {}), 21 * MSS);
    let mean = VegasConfig { round_rtt: RoundRtt::Mean, ..VegasConfig::default() };
    assert_eq!(avoiding(&mean, 20).round(&samples, |_| {}), 20 * MSS);
}

#[test]
fn slow_start_doubles_every_other_round_trip() {
    let mut path = Path::new(&VegasConfig::default(), 2, u64::MAX);
    // The first round trip, marked by its first ACK, has one ACK more than the window.
    assert_eq!(path.rounds(&[100; 7]), [5, 5, 10, 10, 20, 20, 40]);
    let mut path = Path::new(&linux(), 2, u64::MAX);
    // The ACK that ends a round trip releases two segments, and the first of them ends the next.
    assert_eq!(path.rounds(&[100; 4]), [5, 9, 17, 33]);
}

#[test]
fn gamma_ends_slow_start_after_a_round_of_rest() {
    let mut path = Path::new(&VegasConfig::default(), 8, u64::MAX);
    // 17 segments, diff = 17/11 = 1.55: the round trip with growth does not count, the next one
    // does.
    assert_eq!(path.rounds(&[100]), [17]);
    assert_eq!(path.law.state(), LawState::SlowStart);
    assert_eq!(path.round(&[110], |_| {}), 17_000 - 17_000 / 8);
    assert_eq!((path.law.ssthresh(), path.law.state()), (14_875, LawState::Avoidance));
}

#[test]
fn linux_leaves_for_the_actual_rate() {
    let mut path = Path::new(&linux(), 16, u64::MAX);
    path.law.base = Some(Span::from_millis(100));
    // The window is 32 at the last ACK of the round; 32 x 10/11 + 1.
    assert_eq!(path.round(&[110], |_| {}), 32_000 * 100 / 110 + MSS);
    assert_eq!(path.law.state(), LawState::Avoidance);
}

#[test]
fn too_few_samples_grow_like_reno() {
    let config = linux();
    let mut path = avoiding(&config, 2);
    // Two samples: 1/cwnd of a segment for the ACK that ended the round.
    assert_eq!(path.round(&[100], |_| {}), 2 * MSS + MSS / 2);
    // The paper has no such rule: a whole segment.
    assert_eq!(avoiding(&VegasConfig::default(), 2).round(&[100], |_| {}), 3 * MSS);
}

#[test]
fn no_comparison_when_the_window_is_not_the_limit() {
    let mut path = avoiding(&VegasConfig::default(), 10);
    assert_eq!(path.round(&[100], |a| a.cwnd_limited = false), 10 * MSS);
    assert_eq!(path.round(&[100], |a| a.ece = true), 10 * MSS);
    assert_eq!(path.round(&[200], |a| a.cwnd_limited = false), 10 * MSS);
    // Recovery restarts the round trip: the one in which recovery ends does not count.
    let mut path = avoiding(&VegasConfig::default(), 10);
    path.ack(200, |a| a.in_fast_recovery = true);
    assert_eq!(path.law.round.end, None);
    assert_eq!(path.law.round.samples, 0);
}

#[test]
fn reactions() {
    let loss = |kind| Congestion { kind, flight: 20 * MSS, restart: false };
    let react = |config: &VegasConfig, kind| {
        let mut path = avoiding(config, 20);
        path.law.on_congestion(Nanos(1), &loss(kind));
        (path.law.cwnd() / MSS, path.law.ssthresh() / MSS)
    };
    let paper = VegasConfig::default();
    assert_eq!(react(&paper, CongestionKind::FastRetransmit), (15, 15));
    assert_eq!(react(&paper, CongestionKind::Rto), (1, 10));
    assert_eq!(react(&paper, CongestionKind::EcnCe), (10, 10));
    assert_eq!(react(&linux(), CongestionKind::FastRetransmit), (10, 10));
    let own = VegasConfig { kept_on_loss: Some(0.9), ..linux() };
    assert_eq!(react(&own, CongestionKind::FastRetransmit), (18, 18));
    // The undo.
    let mut path = avoiding(&paper, 20);
    path.law.on_congestion(Nanos(1), &loss(CongestionKind::Rto));
    path.law.on_spurious(Nanos(2));
    assert_eq!((path.law.cwnd(), path.law.ssthresh()), (20 * MSS, 2 * MSS));
}

#[test]
fn the_window_never_decreases_below_two_segments() {
    let mut path = avoiding(&VegasConfig::default(), 5);
    assert_eq!(path.rounds(&[1000; 4]), [4, 3, 3, 3], "3 (1 - 1/10) is 2.7");
    let eager = VegasConfig { alpha: Some(0), beta: Some(0), ..VegasConfig::default() };
    assert_eq!(avoiding(&eager, 4).rounds(&[1000; 4]), [3, 2, 2, 2]);
}

#[test]
fn tables() {
    let read = |text: &str| serde_json::from_str::<VegasConfig>(text);
    assert_eq!(read("{}").unwrap().thresholds(), (1, 3, 1));
    assert_eq!(read(r#"{"set": "linux"}"#).unwrap().thresholds(), (2, 4, 1));
    let own = read(r#"{"set": "linux", "beta": 6, "doubling": "every-other-round-trip"}"#).unwrap();
    assert_eq!(own.thresholds(), (2, 6, 1));
    assert!(!Vegas::new(&own).every_round && Vegas::new(&linux()).every_round);
    for (text, part) in [
        (r#"{"alpha": 4}"#, "beta: 3 is below alpha, which is 4"),
        (r#"{"kept_on_loss": 1.0}"#, "kept_on_loss: 1 is out of range"),
        (r#"{"kept_on_loss": 0.0}"#, "kept_on_loss: 0 is out of range"),
    ] {
        let message = read(text).unwrap().validate().unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
    assert!(read(r#"{"set": "1996"}"#).unwrap_err().to_string().contains("1995"));
}
