//! A test path with a fixed round-trip time at any load: ACKs come evenly, one window of them per
//! round trip, and the test decides when losses occur.

use airtcp_units::{Nanos, Narrow, Saturate, Span};

use super::{AckSample, Congestion, CongestionControl, CongestionKind, LawParams, SlowStartKind};

/// Payload of a segment in bytes.
pub(super) const MSS: u64 = 1000;

pub(super) struct Fluid<L> {
    pub(super) law: L,
    pub(super) rtt: Span,
    /// Time in seconds; the ACKs' fractions of a round trip add up in it.
    pub(super) time: f64,
    pub(super) acked: u64,
    /// The ACKs report that the window was the limit.
    pub(super) limited: bool,
}

impl<L: CongestionControl> Fluid<L> {
    /// In congestion avoidance with a window of `segments`.
    pub(super) fn new(mut law: L, segments: u64, rtt: Span) -> Self {
        let params = LawParams {
            mss: u32::narrow(MSS),
            initial_window: segments * MSS,
            initial_ssthresh: segments * MSS,
            slow_start: SlowStartKind::Standard,
            ..LawParams::default()
        };
        law.start(Nanos::ZERO, &params);
        Self { law, rtt, time: 0.0, acked: 0, limited: true }
    }

    pub(super) fn now(&self) -> Nanos {
        Nanos::from_secs_f64(self.time)
    }

    pub(super) fn window(&self) -> f64 {
        self.law.cwnd() as f64 / MSS as f64
    }

    /// An ACK of `segments`, after the fraction of a round trip that they take.
    pub(super) fn ack(&mut self, segments: u64) {
        self.time += self.rtt.as_secs_f64() * segments as f64 / self.window();
        self.acked += segments;
        let (bytes, outstanding) = (segments * MSS, self.law.cwnd());
        let sample = AckSample {
            acked: bytes,
            delivered: bytes,
            acked_up_to: self.acked * MSS,
            sent_up_to: self.acked * MSS + outstanding,
            rtt: Some(self.rtt),
            srtt: Some(self.rtt),
            min_rtt: Some(self.rtt),
            cwnd_limited: self.limited,
            ..AckSample::default()
        };
        self.law.on_ack(self.now(), &sample);
    }

    /// Single ACKs until `seconds` from the start.
    pub(super) fn run_to(&mut self, seconds: f64) {
        while self.time < seconds {
            self.ack(1);
        }
    }

    pub(super) fn congestion(&mut self, kind: CongestionKind) {
        let flight = self.law.cwnd();
        self.law.on_congestion(self.now(), &Congestion { kind, flight, restart: false });
    }

    /// A loss now and after every `every` segments; returns the time average of the window in each
    /// interval between losses.
    pub(super) fn periodic_losses(&mut self, every: u64, intervals: usize) -> Vec<f64> {
        let mut averages = Vec::with_capacity(intervals);
        for _ in 0..intervals {
            self.congestion(CongestionKind::FastRetransmit);
            let begin = self.time;
            let mut left = every;
            while left > 0 {
                // In large windows, one ACK covers several segments.
                let n = u64::saturate((self.window() / 200.0).max(1.0)).min(left);
                self.ack(n);
                left -= n;
            }
            // Segments sent per round trip.
            averages.push(every as f64 * self.rtt.as_secs_f64() / (self.time - begin));
        }
        averages
    }
}

/// Two flows of one law with these round-trip times share a path that carries `capacity` segments
/// per second without a queue. Whenever their sum exceeds the capacity, both lose. Returns the
/// ratio of their throughputs in the second half of `seconds`.
pub(super) fn synchronised<L: CongestionControl>(
    new: impl Fn() -> L,
    rtts: [Span; 2],
    capacity: f64,
    seconds: f64,
) -> f64 {
    let mut paths = rtts.map(|rtt| Fluid::new(new(), 100, rtt));
    let rate = |p: &Fluid<L>| p.window() / p.rtt.as_secs_f64();
    let mut half = None;
    while paths[0].time < seconds {
        let first = usize::from(paths[1].time < paths[0].time);
        let n = u64::saturate((paths[first].window() / 100.0).max(1.0));
        paths[first].ack(n);
        if rate(&paths[0]) + rate(&paths[1]) > capacity {
            for path in &mut paths {
                path.congestion(CongestionKind::FastRetransmit);
            }
        }
        if half.is_none() && paths[0].time > seconds / 2.0 {
            half = Some([paths[0].acked, paths[1].acked]);
        }
    }
    let [a, b] = half.unwrap_or_default();
    (paths[0].acked - a) as f64 / (paths[1].acked - b) as f64
}

/// A law with losses that are undone at once behaves like a copy without these losses.
pub(super) fn undone_at_once_leaves_no_trace<L: CongestionControl>(new: impl Fn() -> L) {
    let windows = |undone: &[CongestionKind]| {
        let mut path = Fluid::new(new(), 100, Span::from_millis(50));
        path.run_to(1.0);
        path.congestion(CongestionKind::FastRetransmit);
        path.run_to(2.0);
        for kind in undone {
            path.congestion(*kind);
        }
        if !undone.is_empty() {
            path.law.on_spurious(path.now());
        }
        let mut windows = vec![path.law.ssthresh()];
        for _ in 0..5000 {
            path.ack(1);
            windows.push(path.law.cwnd());
        }
        windows
    };
    let reference = windows(&[]);
    for undone in [
        &[CongestionKind::FastRetransmit][..],
        &[CongestionKind::Rto],
        &[CongestionKind::Rto, CongestionKind::Persistent],
    ] {
        // The carried fraction of a byte is lost.
        let off = windows(undone).iter().zip(&reference).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(off <= Some(1), "{undone:?}: off by {off:?} bytes");
    }
}
