//! The sending end: the allowed rate and the departure of packets (RFC 5348 sections 4 and 8.2).
//!
//! Rates in bytes of payload per second, as doubles; times exact.

use airtcp_packet::{Kind, Segment};
use airtcp_probe::{Cx, Event, Machine, Probe};
use airtcp_units::{Nanos, Span, Spent, Wait, Waits};
use serde::Serialize;

use super::config::TfrcConfig;
use super::equation::throughput;
use super::limits::ReceiveRates;
use super::packet::{self, Report, micros};
use airtcp_probe::RttStats;

/// First nofeedback timeout (section 4.2).
const FIRST_TIMEOUT: Span = Span::from_secs(2);
/// Weight of the old value in the average square root of the round-trip time (section 4.5).
const ROOT_WEIGHT: f64 = 0.9;

/// Counters of a [`TfrcSender`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct TfrcSenderStats {
    /// Packets sent.
    pub packets_sent: u64,
    /// Payload sent.
    pub bytes_sent: u64,
    /// Reports received.
    pub reports: u64,
    /// Expirations of the nofeedback timer.
    pub timeouts: u64,
    /// Round trips.
    #[serde(flatten)]
    pub rtt: RttStats,
}

/// Sends at the rate of the equation.
#[derive(Debug, Clone)]
pub struct TfrcSender {
    config: TfrcConfig,
    size: u16,
    /// Packets that the application has written and that have not left.
    queued: u64,
    next: u64,
    /// Allowed rate `X` and the last rate of the equation, in bytes per second.
    rate: f64,
    equation: f64,
    rates: ReceiveRates,
    rtt: Option<f64>,
    root: f64,
    last_sample: f64,
    loss_event_rate: f64,
    /// Time at which the rate was last doubled (`tld`).
    doubled: Nanos,
    last_sent: Option<Nanos>,
    no_feedback: Nanos,
    /// Nothing was sent since the nofeedback timer was set.
    idle: bool,
    /// Section 8.2.1: times at which the sender was not limited by its data, and the bounds of
    /// the interval that the next report covers.
    not_limited: [Nanos; 2],
    covered: (Nanos, Nanos),
    /// The application writes no more.
    closed: bool,
    waits: Waits,
    stats: TfrcSenderStats,
}

impl TfrcSender {
    /// A sender of packets with `size` bytes of payload.
    pub fn new(config: &TfrcConfig, size: u16) -> Self {
        let size = size.max(1);
        Self {
            config: *config,
            size,
            queued: 0,
            next: 0,
            // Section 4.2: one packet per second before the first report.
            rate: f64::from(size),
            equation: f64::INFINITY,
            rates: ReceiveRates::new(),
            rtt: None,
            root: 0.0,
            last_sample: 0.0,
            loss_event_rate: 0.0,
            doubled: Nanos::ZERO,
            last_sent: None,
            no_feedback: Nanos::NEVER,
            idle: true,
            not_limited: [Nanos::ZERO; 2],
            covered: (Nanos::ZERO, Nanos::ZERO),
            closed: false,
            waits: Waits::default(),
            stats: TfrcSenderStats::default(),
        }
    }

    /// The application writes `packets` more.
    pub const fn send(&mut self, packets: u64) {
        self.queued = self.queued.saturating_add(packets);
    }

    /// The application withdraws the packets that have not left, and writes no more.
    pub const fn stop(&mut self) {
        self.queued = 0;
        self.close();
    }

    /// The application writes no more.
    pub const fn close(&mut self) {
        self.closed = true;
    }

    /// Time that the sender has waited in each state until `now`, at least the time of the last call. The
    /// wait for the next packet is one after a loss from the first reported loss event on; before it, the
    /// rate grows.
    pub const fn waited(&self, now: Nanos) -> Spent {
        self.waits.until(now)
    }

    /// Nothing is queued.
    const fn wait_for_data(&mut self, now: Nanos) {
        if self.closed {
            self.waits.close(now);
        } else {
            self.waits.set(now, Wait::Application);
        }
    }

    /// The rate delays the next packet.
    fn wait_for_rate(&mut self, now: Nanos) {
        let lost = self.loss_event_rate > 0.0;
        self.waits.set(now, if lost { Wait::WindowAfterLoss } else { Wait::WindowGrowth });
        self.note_not_limited(now);
    }

    /// Payload of a packet in bytes.
    pub const fn size(&self) -> u16 {
        self.size
    }

    /// Counters.
    pub const fn stats(&self) -> &TfrcSenderStats {
        &self.stats
    }

    /// The allowed rate in bytes of payload per second.
    pub const fn allowed_rate(&self) -> f64 {
        self.rate
    }

    /// The loss event rate last reported.
    pub const fn loss_event_rate(&self) -> f64 {
        self.loss_event_rate
    }

    /// The average round-trip time; `None` before the first sample.
    pub fn rtt(&self) -> Option<Span> {
        self.rtt.map(Span::from_secs_f64)
    }

    fn s(&self) -> f64 {
        f64::from(self.size)
    }

    fn least(&self) -> f64 {
        self.s() / self.config.longest_gap.as_secs_f64()
    }

    /// `W_init / R` (section 4.2, RFC 3390's window).
    fn initial_rate(&self, rtt: f64) -> f64 {
        (4.0 * self.s()).min((2.0 * self.s()).max(4380.0)) / rtt
    }

    /// `max(4R, 2s/X)` (sections 4.3 step 7 and 4.4).
    fn timeout(&self) -> Span {
        let rtt = self.rtt.unwrap_or(0.0);
        Span::from_secs_f64((4.0 * rtt).max(2.0 * self.s() / self.rate))
    }

    /// Time between packets, damped if so configured (section 4.5).
    fn gap(&self) -> Span {
        let mut rate = self.rate;
        if self.config.oscillation_damping && self.last_sample > 0.0 {
            rate = (rate * self.root / self.last_sample.sqrt()).max(self.least());
        }
        Span::from_secs_f64(self.s() / rate).max(Span(1))
    }

    fn next_send(&self) -> Nanos {
        match (self.queued, self.last_sent) {
            (0, _) => Nanos::NEVER,
            (_, None) => Nanos::ZERO,
            (_, Some(last)) => last + self.gap(),
        }
    }

    /// Section 4.3, steps 4 and 5, for a receive rate reported at `now`.
    fn on_report(&mut self, now: Nanos, report: &Report, limited_by_data: bool) {
        let rtt = self.rtt.unwrap_or(0.0);
        let span = Span::from_secs_f64(rtt);
        let worse = report.loss_event_rate > self.loss_event_rate;
        self.loss_event_rate = report.loss_event_rate;
        let limit = if !limited_by_data {
            self.rates.update(now, report.receive_rate, span);
            2.0 * self.rates.max()
        } else if worse {
            self.rates.halve();
            self.rates.maximize(now, 0.85 * report.receive_rate);
            self.rates.max()
        } else {
            self.rates.maximize(now, report.receive_rate);
            2.0 * self.rates.max()
        };
        self.adjust(now, limit);
    }

    /// Step 5: the rate of the equation or of slow start, within the limit.
    fn adjust(&mut self, now: Nanos, limit: f64) {
        let rtt = self.rtt.unwrap_or(0.0);
        if self.loss_event_rate > 0.0 {
            self.equation = throughput(self.s(), rtt, 4.0 * rtt, self.loss_event_rate, 1.0);
            self.rate = self.equation.min(limit).max(self.least());
        } else if now.since(self.doubled).as_secs_f64() >= rtt {
            self.rate = (2.0 * self.rate).min(limit).max(self.initial_rate(rtt));
            self.doubled = now;
        }
    }

    /// The nofeedback timer expired (section 4.4).
    fn on_no_feedback(&mut self, now: Nanos) {
        self.stats.timeouts += 1;
        let received = self.rates.max();
        let halved = (self.rate / 2.0).max(self.least());
        match self.rtt {
            None if !self.idle => self.rate = halved,
            None => {}
            Some(rtt) => {
                let recover = self.initial_rate(rtt);
                let p = self.loss_event_rate;
                let slow = if p > 0.0 { received < recover } else { self.rate < 2.0 * recover };
                if slow && self.idle {
                    // Idle at a rate not above the initial one: no reduction.
                } else if p <= 0.0 {
                    self.rate = halved;
                } else if self.equation > 2.0 * received {
                    self.limit(now, received);
                } else {
                    self.limit(now, self.equation / 2.0);
                }
            }
        }
        self.no_feedback = now + self.timeout();
        self.idle = true;
    }

    /// `Update_Limits` of section 4.4.
    fn limit(&mut self, now: Nanos, timer_limit: f64) {
        let limit = timer_limit.max(self.least());
        self.rates.reset(now, limit / 2.0);
        self.adjust(now, 2.0 * self.rates.max());
    }

    /// Notes that the rate delays data: the sender is not data-limited now.
    fn note_not_limited(&mut self, now: Nanos) {
        let (newest, next) = self.covered;
        if self.not_limited[0] <= newest {
            self.not_limited[0] = now;
        } else if self.not_limited[1] <= next {
            self.not_limited[1] = now;
        }
    }

    /// Whether the sender was data-limited throughout the interval of a report, up to the packet
    /// sent at `echo` (section 8.2.1).
    fn interval_was_data_limited(&mut self, now: Nanos, echo: Nanos) -> bool {
        let (old, new) = (self.covered.0, echo);
        let inside = |t: Nanos| old < t && t <= new;
        let limited = !self.not_limited.iter().any(|&t| inside(t));
        self.covered = (new, now);
        if self.not_limited[0] <= new && self.not_limited[1] > new {
            self.not_limited[0] = self.not_limited[1];
        }
        limited
    }
}

impl Machine for TfrcSender {
    type In = Segment;
    type Out = Segment;

    fn handle<P: Probe>(&mut self, now: Nanos, segment: Segment, cx: &mut Cx<'_, P>) {
        let report = Report::from_segment(&segment).filter(|_| segment.kind == Kind::Udp);
        let Some(report) = report else { return };
        cx.record(now, || Event::SegmentReceived { segment });
        self.stats.reports += 1;
        let age = micros(now).wrapping_sub(report.echo_us);
        let sample_us = age.saturating_sub(report.delay_us).max(1);
        // An echo from the future, or of more than half the clock's range, does not belong to this
        // connection.
        if age > u32::MAX / 2 {
            return;
        }
        let sample = Span::from_micros(u64::from(sample_us));
        let echo = Nanos(now.0.saturating_sub(u64::from(age) * 1000));
        let first = self.stats.rtt.samples == 0;
        let seconds = sample.as_secs_f64();
        self.last_sample = seconds;
        let q = self.config.rtt_weight;
        let rtt = self.rtt.map_or(seconds, |r| q * r + (1.0 - q) * seconds);
        self.root = if first {
            seconds.sqrt()
        } else {
            ROOT_WEIGHT * self.root + (1.0 - ROOT_WEIGHT) * seconds.sqrt()
        };
        self.rtt = Some(rtt);
        let srtt = Span::from_secs_f64(rtt);
        self.stats.rtt.record(sample, srtt);
        let limited = self.interval_was_data_limited(now, echo);
        if first {
            // Section 4.2: the window of RFC 3390 per round trip, then as for any report.
            self.rate = self.initial_rate(rtt);
            self.doubled = now;
        }
        self.on_report(now, &report, limited);
        let rto = self.timeout();
        cx.record(now, || Event::Rtt { sample, srtt, rto });
        self.no_feedback = now + rto;
        self.idle = true;
    }

    fn on_timer<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) {
        if now >= self.no_feedback {
            self.on_no_feedback(now);
            cx.record(now, || Event::Timeout { backoff: 1 });
        }
    }

    fn next_timer(&self) -> Nanos {
        self.no_feedback.min(self.next_send())
    }

    fn poll<P: Probe>(&mut self, now: Nanos, cx: &mut Cx<'_, P>) -> Option<Segment> {
        if self.queued == 0 {
            // The first call is before the application has opened.
            if self.last_sent.is_some() {
                self.wait_for_data(now);
            }
            return None;
        }
        if now < self.next_send() {
            self.wait_for_rate(now);
            return None;
        }
        self.queued -= 1;
        let rtt = self.rtt().unwrap_or_default();
        let segment = packet::data(self.next, self.size, now, rtt, self.config.ecn);
        self.next += 1;
        self.last_sent = Some(now);
        self.idle = false;
        if self.no_feedback == Nanos::NEVER {
            self.no_feedback = now + FIRST_TIMEOUT;
        }
        self.stats.packets_sent += 1;
        self.stats.bytes_sent += u64::from(self.size);
        cx.record(now, || Event::SegmentSent { segment, retransmission: false });
        Some(segment)
    }
}
