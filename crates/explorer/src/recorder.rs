//! What a run records for the page: windows, round-trip times and queues, and per flow the bytes delivered,
//! timeouts and fast retransmits over time. The memory of a flow is bounded whatever the run.

use airtcp_packet::EndpointId;
use airtcp_probe::{Event, EventSource, Probe, Series, SeriesOptions};
use airtcp_scenario::Resolved;
use airtcp_units::{Nanos, Narrow, Span};

/// Most rows of a series: about one for each pixel of a chart. \[choice\]
const ROWS: usize = 1000;

/// Intervals over which goodput is measured. \[choice\]
pub(crate) const INTERVALS: u64 = 120;

/// Most timeouts, and most fast retransmits, that are recorded of a flow. \[choice\]
const MAX_MARKS: usize = 2000;

/// The recorders of a run.
pub(crate) type Recorder = (Series, Progress);

/// The recorders for a plan.
pub(crate) fn recorder(plan: &Resolved) -> Recorder {
    let options = SeriesOptions {
        // One event for each frame and radio doubles the time of a cell.
        stations: false,
        blocks: false,
        max_rows: ROWS,
        ..SeriesOptions::default()
    };
    let interval = Span((plan.scenario.duration.0 / INTERVALS).max(1));
    let progress = Progress {
        interval,
        flows: vec![Vec::new(); plan.flows.len()],
        timeouts: vec![Vec::new(); plan.flows.len()],
        fast_retransmits: vec![Vec::new(); plan.flows.len()],
    };
    (Series::new(options), progress)
}

/// Bytes delivered to applications, and what senders did about losses, over time.
#[derive(Debug)]
pub(crate) struct Progress {
    /// Length of an interval.
    pub(crate) interval: Span,
    /// For each flow the bytes delivered in each interval, in both directions; intervals after the last
    /// delivery are absent.
    pub(crate) flows: Vec<Vec<u64>>,
    /// For each flow the times at which the retransmission timer expired.
    pub(crate) timeouts: Vec<Vec<Nanos>>,
    /// For each flow the times of its recoveries without a timeout.
    pub(crate) fast_retransmits: Vec<Vec<Nanos>>,
}

impl Progress {
    fn delivered(&mut self, now: Nanos, end: EndpointId, bytes: u64) {
        let Some(flow) = self.flows.get_mut(end.flow() as usize) else { return };
        let interval = now.since(Nanos::ZERO).0 / self.interval.0;
        let interval = usize::narrow(interval.min(INTERVALS - 1));
        if flow.len() <= interval {
            flow.resize(interval + 1, 0);
        }
        flow[interval] += bytes;
    }
}

impl Probe for Progress {
    const ON: bool = true;

    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        let EventSource::Endpoint(end) = source else { return };
        let marks = match event {
            Event::Delivered { bytes } => return self.delivered(now, end, *bytes),
            Event::Timeout { .. } => &mut self.timeouts,
            Event::FastRetransmit => &mut self.fast_retransmits,
            _ => return,
        };
        if let Some(marks) = marks.get_mut(end.flow() as usize)
            && marks.len() < MAX_MARKS
        {
            marks.push(now);
        }
    }
}
