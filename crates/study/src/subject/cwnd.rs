//! The congestion window over time, thinned to what a plot can show.

use airtcp_packet::Side;
use airtcp_probe::{Event, EventSource, Probe};
use airtcp_units::{Nanos, Span};

use crate::Cwnd;

/// Most points of a window that a study keeps.
const POINTS: u64 = 500;

/// Keeps the smallest window of each of several equal parts of a run, so that no collapse is lost
/// between points.
#[derive(Debug)]
pub(crate) struct ThinnedCwnd {
    mss: f64,
    part: u64,
    kept: Cwnd,
    current: Option<(u64, f64)>,
}

impl ThinnedCwnd {
    /// Keeps at most `points` values of a run of `duration`.
    pub(crate) fn new(mss: u16, duration: Span, points: u64) -> Self {
        let part = (duration.0 / points).max(1);
        Self { mss: f64::from(mss), part, kept: Cwnd::default(), current: None }
    }

    pub(crate) fn add(&mut self, now: Nanos, cwnd: u64) {
        let (part, packets) = (now.0 / self.part, cwnd as f64 / self.mss);
        match &mut self.current {
            Some((p, least)) if *p == part => *least = least.min(packets),
            _ => {
                self.flush();
                self.current = Some((part, packets));
            }
        }
    }

    pub(crate) fn finish(mut self) -> Cwnd {
        self.flush();
        self.kept
    }

    fn flush(&mut self) {
        if let Some((part, packets)) = self.current.take() {
            self.kept.t_s.push(Nanos(part * self.part).as_secs_f64());
            self.kept.cwnd_packets.push(packets);
        }
    }
}

/// Records the congestion window of the client's sender.
pub(crate) struct CwndProbe(ThinnedCwnd);

impl CwndProbe {
    pub(crate) fn new(mss: u16, duration: Span) -> Self {
        Self(ThinnedCwnd::new(mss, duration, POINTS))
    }

    pub(crate) fn finish(self) -> Cwnd {
        self.0.finish()
    }
}

impl Probe for CwndProbe {
    const ON: bool = true;
    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        if let (EventSource::Endpoint(id), Event::Window { cwnd, .. }) = (source, event)
            && id.side() == Side::Client
        {
            self.0.add(now, *cwnd);
        }
    }
}
