//! The congestion window over time, thinned to what a plot can show.

use airtcp_packet::Side;
use airtcp_probe::{Event, EventSource, Probe};
use airtcp_units::{Nanos, Span};

use crate::Cwnd;

/// Points kept at most.
const POINTS: usize = 500;

/// Records the sender's window, at most once in each of [`POINTS`] equal parts of the run. Of
/// each part the smallest window is kept, so that no collapse is lost between points.
pub(crate) struct CwndProbe {
    mss: f64,
    part: u64,
    series: Cwnd,
    current: Option<(u64, f64)>,
}

impl CwndProbe {
    pub(crate) fn new(mss: u64, slot: Span, slots: usize) -> Self {
        let part = (slot.0 * slots as u64 / POINTS as u64).max(1);
        Self { mss: mss as f64, part, series: Cwnd::default(), current: None }
    }

    pub(crate) fn finish(mut self) -> Cwnd {
        self.flush();
        self.series
    }

    fn flush(&mut self) {
        if let Some((part, cwnd)) = self.current.take() {
            self.series.t_s.push(Nanos(part * self.part).as_secs_f64());
            self.series.cwnd_packets.push(cwnd);
        }
    }
}

impl Probe for CwndProbe {
    const ON: bool = true;
    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        let (EventSource::Endpoint(id), Event::Window { cwnd, .. }) = (source, event) else {
            return;
        };
        if id.side() != Side::Client {
            return;
        }
        let (part, packets) = (now.0 / self.part, *cwnd as f64 / self.mss);
        match &mut self.current {
            Some((p, least)) if *p == part => *least = least.min(packets),
            _ => {
                self.flush();
                self.current = Some((part, packets));
            }
        }
    }
}
