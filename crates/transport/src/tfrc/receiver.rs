//! The receiving end: loss events, the receive rate, and reports (RFC 5348 sections 5 and 6).
//!
//! A report leaves once per round trip while data arrives, and at once at a new loss event. Times
//! are of the receiver's clock; every packet carries the sender's round-trip time.

use std::collections::VecDeque;

use airtcp_packet::{Ecn, Kind, Segment, Seq};
use airtcp_probe::{Cx, Event, LossCause, Machine, Probe};
use airtcp_units::{Nanos, Span};
use serde::Serialize;

use super::config::TfrcConfig;
use super::equation::loss_event_rate;
use super::gaps::{Arrival, Gap, Gaps};
use super::history::{Loss, LossHistory};
use super::packet::{DATA_HEADER, Report, micros};
use crate::lda::TpLda;
use crate::udp::UdpReceiver;

/// Number of arrivals kept for the receive rate; with more, the window of a round trip is
/// shortened.
const ARRIVALS: usize = 1 << 16;
/// Maximum number of loss events from one gap: only the last eight intervals count.
const EVENTS_PER_GAP: usize = 64;

/// Counters of a [`TfrcReceiver`] beside those of its datagrams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct TfrcReceiverStats {
    /// Loss events.
    pub loss_events: u64,
    /// Packets judged lost.
    pub lost: u64,
    /// Of these, classified as corruption and not counted as congestion.
    pub corruption: u64,
    /// Reports sent.
    pub reports: u64,
}

/// Receives TFRC's data and reports.
#[derive(Debug, Clone)]
pub struct TfrcReceiver {
    datagrams: UdpReceiver,
    gaps: Gaps,
    history: LossHistory,
    lda: Option<TpLda>,
    /// Arrival times and payloads of about the last round trip, and their sum.
    arrivals: VecDeque<(Nanos, u32)>,
    sum: u64,
    /// The largest receive rate reported, for the first loss interval.
    best_rate: f64,
    segment: f64,
    rtt: Span,
    /// Timestamp and arrival of the last data packet.
    last: Option<(u32, Nanos)>,
    last_report: Nanos,
    /// Data arrived since the last report.
    fresh: bool,
    due: Option<Nanos>,
    report_now: bool,
    stats: TfrcReceiverStats,
}

impl TfrcReceiver {
    /// A receiver without arrivals.
    pub fn new(config: &TfrcConfig) -> Self {
        Self {
            datagrams: UdpReceiver::new(),
            gaps: Gaps::default(),
            history: LossHistory::new(config.history_discounting),
            lda: config.loss_differentiation.map(TpLda::new),
            arrivals: VecDeque::new(),
            sum: 0,
            best_rate: 0.0,
            segment: f64::from(config.segment),
            rtt: Span::ZERO,
            last: None,
            last_report: Nanos::ZERO,
            fresh: false,
            due: None,
            report_now: false,
            stats: TfrcReceiverStats::default(),
        }
    }

    /// Counters of the datagrams that arrived.
    pub const fn datagrams(&self) -> &UdpReceiver {
        &self.datagrams
    }

    /// Counters.
    pub const fn stats(&self) -> &TfrcReceiverStats {
        &self.stats
    }

    /// The loss event rate now.
    pub fn loss_event_rate(&self) -> f64 {
        self.history.rate(self.gaps.next())
    }

    /// The loss classifier, which takes reports of beacons and frames.
    pub const fn differentiation(&mut self) -> Option<&mut TpLda> {
        self.lda.as_mut()
    }

    /// Receive rate in bytes per second over the last round trip (section 6.2), or since the last
    /// report if that is longer.
    fn receive_rate(&mut self, now: Nanos) -> f64 {
        let span = self.rtt.max(Span(1));
        while self.arrivals.front().is_some_and(|&(at, _)| now.since(at) >= span) {
            if let Some((_, bytes)) = self.arrivals.pop_front() {
                self.sum -= u64::from(bytes);
            }
        }
        if self.rtt == Span::ZERO { 0.0 } else { self.sum as f64 / span.as_secs_f64() }
    }

    fn on_gap<P: Probe>(&mut self, now: Nanos, gap: &Gap, cx: &mut Cx<'_, P>) -> bool {
        let packets = gap.end - gap.start;
        self.stats.lost += packets;
        let cause = self.lda.as_mut().map_or(LossCause::Overflow, |lda| {
            lda.classify(now, [gap.before.trip_us, gap.after.trip_us])
        });
        if self.lda.is_some() {
            cx.record(now, || Event::LossJudged { number: gap.start, packets, cause });
        }
        if cause == LossCause::Corruption {
            self.stats.corruption += packets;
            return false;
        }
        let mut any = false;
        let mut next = Some(gap.start);
        for _ in 0..EVENTS_PER_GAP {
            let Some(number) = next else { break };
            any |= self.on_loss(now, number, gap.time_of(number));
            next = self.history.event_ends(self.rtt).and_then(|end| gap.first_at(end));
            if next.is_some_and(|n| n <= number) {
                break;
            }
        }
        any
    }

    /// A packet was lost or marked; returns whether that began an event.
    fn on_loss(&mut self, now: Nanos, number: u64, at: Nanos) -> bool {
        let loss = self.history.on_loss(number, at, self.rtt);
        match loss {
            Loss::Same => return false,
            Loss::New => {}
            Loss::First => {
                // Section 6.3.1: the interval for which the equation gives the receive rate.
                let rtt = self.rtt.as_secs_f64();
                let rate = self.receive_rate(now).max(self.best_rate);
                let seed = if rtt <= 0.0 {
                    1.0
                } else {
                    let target = if rate > 0.0 { rate } else { self.segment / (2.0 * rtt) };
                    1.0 / loss_event_rate(self.segment, rtt, target)
                };
                self.history.seed(seed);
            }
        }
        self.stats.loss_events += 1;
        true
    }

    fn report(&mut self, now: Nanos) -> Option<Segment> {
        let (echo_us, at) = self.last?;
        let receive_rate = self.receive_rate(now);
        self.best_rate = self.best_rate.max(receive_rate);
        self.report_now = false;
        self.fresh = false;
        self.last_report = now;
        self.due = (self.rtt > Span::ZERO).then(|| now + self.rtt);
        self.stats.reports += 1;
        let delay_us = micros(now).wrapping_sub(micros(at));
        let loss_event_rate = self.loss_event_rate();
        Some(Report { echo_us, delay_us, receive_rate, loss_event_rate }.to_segment())
    }
}

impl Machine for TfrcReceiver {
    type In = Segment;
    type Out = Segment;

    fn handle<P: Probe>(&mut self, now: Nanos, segment: Segment, cx: &mut Cx<'_, P>) {
        if segment.kind != Kind::Udp || segment.len < DATA_HEADER {
            return;
        }
        let Some(number) = segment.seq.unwrap_near(Seq(0), self.gaps.next()) else { return };
        let mut payload = segment;
        payload.len -= DATA_HEADER;
        let bytes = u32::from(payload.len);
        self.datagrams.handle(now, payload, cx);
        let first = self.last.is_none();
        self.rtt = Span::from_micros(u64::from(segment.timestamps.1));
        self.segment = f64::from(bytes.max(1));
        if self.arrivals.len() == ARRIVALS
            && let Some((_, old)) = self.arrivals.pop_front()
        {
            self.sum -= u64::from(old);
        }
        self.arrivals.push_back((now, bytes));
        self.sum += u64::from(bytes);
        self.last = Some((segment.timestamps.0, now));
        self.fresh = true;
        let trip_us = micros(now).wrapping_sub(segment.timestamps.0);
        if let Some(lda) = &mut self.lda {
            lda.on_trip(now, trip_us);
        }
        let mut lost: arrayvec::ArrayVec<Gap, 9> = arrayvec::ArrayVec::new();
        self.gaps.on_arrival(Arrival { number, at: now, trip_us }, |gap| {
            // There are never more gaps than the list of open ones holds.
            let _ = lost.try_push(gap);
        });
        let mut event = false;
        for gap in &lost {
            let began = self.on_gap(now, gap, cx);
            if began {
                event = true;
            }
        }
        if segment.ecn == Ecn::Ce && self.on_loss(now, number, now) {
            event = true;
        }
        // Section 6.1: at once for the first packet, without a round-trip time, at a new event, or
        // if a report is overdue because no data arrived.
        if first || event || self.rtt == Span::ZERO || self.due.is_none_or(|due| due <= now) {
            self.report_now = true;
        }
    }

    fn on_timer<P: Probe>(&mut self, now: Nanos, _: &mut Cx<'_, P>) {
        if self.fresh && self.due.is_some_and(|due| due <= now) {
            self.report_now = true;
        }
    }

    fn next_timer(&self) -> Nanos {
        // Without data since the last report, the next packet triggers the report.
        match self.due {
            Some(due) if self.fresh => due,
            _ => Nanos::NEVER,
        }
    }

    fn poll<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) -> Option<Segment> {
        if !self.report_now {
            return None;
        }
        let segment = self.report(now)?;
        cx.record(now, || Event::SegmentSent { segment, retransmission: false });
        Some(segment)
    }
}
