//! Applications, which write to and read from the two ends of a flow.

use airtcp_packet::Side;
use airtcp_random::Stream;
use airtcp_scenario::{Application, Arrivals, Periods};
use airtcp_units::{BitRate, Nanos, Span};

use super::scheduled::Scheduled;
use super::transport::Transport;
use crate::durations::Durations;

/// More bytes than any run can carry.
const ENDLESS: u64 = 1 << 60;

/// The application at one end of a flow.
pub(crate) enum App {
    /// Reads all data and closes when the peer does.
    Sink { finished: Option<Nanos> },
    /// Writes `size` bytes and closes, or writes until `stop`.
    Bulk { start: Nanos, stop: Nanos, size: Option<u64>, phase: BulkPhase },
    /// Writes messages at a constant rate while on.
    Paced(Paced),
    /// Writes messages at the times of a file.
    Scheduled(Scheduled),
    /// Sends a request, waits for the response, pauses, and repeats.
    Requester(Requester),
    /// Answers each complete request.
    Responder { request: u64, response: u64, unread: u64 },
}

/// State of a bulk application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BulkPhase {
    Waiting,
    Sending,
    Done,
    Never,
}

pub(crate) struct Paced {
    message: u64,
    /// Mean time between messages.
    gap: Span,
    arrivals: Arrivals,
    next: Nanos,
    stop: Nanos,
    opened: Option<Nanos>,
    closed: bool,
    /// Mean lengths of on- and off-periods and their distribution; `None` for a constant rate.
    periods: Option<(Span, Span, Periods)>,
    on_until: Nanos,
    stream: Stream,
}

pub(crate) struct Requester {
    request: u64,
    response: u64,
    think: Span,
    left: Option<u64>,
    next: Nanos,
    opened: Option<Nanos>,
    pending: Option<(Nanos, u64)>,
    pub(crate) done: Exchanges,
    ended: Option<Nanos>,
}

/// Exchanges completed since the start or since the last reset.
#[derive(Debug, Clone, Default)]
pub(crate) struct Exchanges {
    pub(crate) completed: u64,
    pub(crate) total_time: Span,
    pub(crate) longest: Span,
    /// How long each took; quantiles are right within 0.8 %.
    pub(crate) durations: Durations<7>,
}

impl App {
    /// The application of one side of a flow. `delay` is added to its start time.
    pub(crate) fn new(config: &Application, side: Side, delay: Span, stream: Stream) -> Self {
        if side == Side::Server {
            return match config {
                Application::RequestResponse { request, response, .. } => {
                    Self::Responder { request: request.0, response: response.0, unread: 0 }
                }
                _ => Self::Sink { finished: None },
            };
        }
        let start = config.start() + delay;
        match config {
            Application::Bulk { stop, size, .. } => {
                let stop = stop.unwrap_or(Nanos::NEVER);
                // A random delay may move the start beyond the stop: then the application never starts.
                let phase = if start < stop { BulkPhase::Waiting } else { BulkPhase::Never };
                Self::Bulk { start, stop, size: size.map(|s| s.0), phase }
            }
            Application::ConstantRate { rate, message, arrivals, stop, .. } => {
                let paced = Paced::new(*rate, message.0, start, *stop, None, stream);
                Self::Paced(Paced { arrivals: *arrivals, ..paced })
            }
            Application::OnOff { rate, message, on, off, periods, stop, .. } => {
                let periods = Some((*on, *off, *periods));
                Self::Paced(Paced::new(*rate, message.0, start, *stop, periods, stream))
            }
            Application::Trace { message, repeat, stop, schedule, .. } => match schedule {
                Some(schedule) => {
                    let times = [start, stop.unwrap_or(Nanos::NEVER)];
                    Self::Scheduled(Scheduled::new(schedule.clone(), message.0, *repeat, times))
                }
                // Resolving a scenario refuses a schedule that was not read.
                None => Self::Sink { finished: None },
            },
            Application::RequestResponse { request, response, think, count, .. } => {
                Self::Requester(Requester {
                    request: request.0,
                    response: response.0,
                    think: *think,
                    left: *count,
                    next: start,
                    opened: None,
                    pending: None,
                    done: Exchanges::default(),
                    ended: None,
                })
            }
        }
    }

    /// The application of a flow that never starts.
    pub(crate) const fn never() -> Self {
        Self::Bulk { start: Nanos::NEVER, stop: Nanos::NEVER, size: None, phase: BulkPhase::Never }
    }

    /// When it opened its flow; `None` if it has not, or if the peer opens the flow.
    pub(crate) const fn started(&self) -> Option<Nanos> {
        match self {
            Self::Bulk { start, phase, .. } => match phase {
                BulkPhase::Waiting | BulkPhase::Never => None,
                BulkPhase::Sending | BulkPhase::Done => Some(*start),
            },
            Self::Paced(p) => p.opened,
            Self::Scheduled(s) => s.opened(),
            Self::Requester(r) => r.opened,
            Self::Sink { .. } | Self::Responder { .. } => None,
        }
    }

    /// When all data of the peer were delivered; `None` if they were not.
    pub(crate) const fn finished(&self) -> Option<Nanos> {
        match self {
            Self::Sink { finished } => *finished,
            _ => None,
        }
    }

    /// When it finished by itself: after its last exchange, or at its stop.
    pub(crate) const fn ended(&self) -> Option<Nanos> {
        match self {
            Self::Requester(r) => r.ended,
            Self::Paced(p) if p.closed && p.opened.is_some() => Some(p.stop),
            Self::Scheduled(s) => s.closed(),
            _ => None,
        }
    }

    /// Resets the counts of completed exchanges.
    pub(crate) fn forget_exchanges(&mut self) {
        if let Self::Requester(r) = self {
            r.done = Exchanges::default();
        }
    }

    /// Time of its next timer.
    #[inline]
    pub(crate) fn next_timer(&self) -> Nanos {
        match self {
            Self::Sink { .. } | Self::Responder { .. } => Nanos::NEVER,
            Self::Bulk { start, stop, phase, .. } => match phase {
                BulkPhase::Waiting => *start,
                BulkPhase::Sending => *stop,
                BulkPhase::Done | BulkPhase::Never => Nanos::NEVER,
            },
            Self::Paced(p) => p.next_timer(),
            Self::Scheduled(s) => s.next_timer(),
            Self::Requester(r) => {
                if r.pending.is_some() || r.left == Some(0) {
                    Nanos::NEVER
                } else {
                    r.next
                }
            }
        }
    }

    /// False if only its timer sets its next timer.
    #[inline]
    pub(crate) const fn sets_timer_on_progress(&self) -> bool {
        matches!(self, Self::Requester(_))
    }

    /// True if it reacts to nothing but the end of the peer's data, and has no timer.
    #[inline]
    pub(crate) const fn only_reads(&self) -> bool {
        matches!(self, Self::Sink { .. })
    }

    /// Handles its timer.
    pub(crate) fn on_timer(&mut self, now: Nanos, transport: &mut Transport) {
        match self {
            Self::Sink { .. } | Self::Responder { .. } => {}
            Self::Bulk { stop, size, phase, .. } => match phase {
                BulkPhase::Waiting => {
                    transport.open(now);
                    *phase = BulkPhase::Sending;
                    match size {
                        Some(size) => {
                            transport.write(now, *size);
                            transport.close(now);
                            *phase = BulkPhase::Done;
                        }
                        None if *stop == Nanos::NEVER => transport.write(now, ENDLESS),
                        None => transport.top_up(now),
                    }
                }
                BulkPhase::Sending if now >= *stop => {
                    transport.close(now);
                    *phase = BulkPhase::Done;
                }
                BulkPhase::Sending | BulkPhase::Done | BulkPhase::Never => {}
            },
            Self::Paced(p) => p.on_timer(now, transport),
            Self::Scheduled(s) => s.on_timer(now, transport),
            Self::Requester(r) => r.ask(now, transport),
        }
    }

    /// Reads newly delivered data and reacts.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once an event, by one caller")]
    pub(crate) fn on_progress(&mut self, now: Nanos, transport: &mut Transport) {
        match self {
            Self::Sink { finished } => {
                if finished.is_none() && transport.peer_closed() {
                    self.react(now, transport);
                }
            }
            Self::Bulk { stop: Nanos::NEVER, .. } | Self::Paced(_) | Self::Scheduled(_) => {}
            Self::Bulk { .. } | Self::Requester(_) | Self::Responder { .. } => {
                self.react(now, transport);
            }
        }
    }

    /// Reacts to the end of the data or to those of an exchange, or goes on writing until the stop. Apart, so that what most
    /// flows do is short.
    #[inline(never)]
    fn react(&mut self, now: Nanos, transport: &mut Transport) {
        match self {
            Self::Requester(r) => r.on_progress(now, transport),
            Self::Responder { request, response, unread } => {
                *unread += transport.take_delivered();
                while *unread >= *request {
                    *unread -= *request;
                    transport.write(now, *response);
                }
                if transport.peer_closed() {
                    transport.close(now);
                }
            }
            Self::Sink { finished } => {
                *finished = Some(now);
                transport.close(now);
            }
            Self::Bulk { stop, phase: BulkPhase::Sending, .. } if *stop != Nanos::NEVER => {
                transport.top_up(now);
            }
            Self::Bulk { .. } | Self::Paced(_) | Self::Scheduled(_) => {}
        }
    }
}

impl Paced {
    fn new(
        rate: BitRate,
        message: u64,
        start: Nanos,
        stop: Option<Nanos>,
        periods: Option<(Span, Span, Periods)>,
        stream: Stream,
    ) -> Self {
        Self {
            message,
            gap: rate.time_for(message),
            arrivals: Arrivals::Equal,
            next: start,
            stop: stop.unwrap_or(Nanos::NEVER),
            opened: None,
            closed: false,
            periods,
            on_until: if periods.is_some() { Nanos::ZERO } else { Nanos::NEVER },
            stream,
        }
    }

    fn next_timer(&self) -> Nanos {
        if self.closed { Nanos::NEVER } else { self.next.min(self.stop) }
    }

    fn on_timer(&mut self, now: Nanos, transport: &mut Transport) {
        if now >= self.stop {
            self.closed = true;
            transport.close(now);
            return;
        }
        if self.opened.is_none() {
            self.opened = Some(now);
            transport.open(now);
            self.on_until = self.period(true).map_or(Nanos::NEVER, |on| now + on);
        } else if now >= self.on_until {
            // The off-period after `on_until` is over: a new on-period begins.
            self.on_until = self.period(true).map_or(Nanos::NEVER, |on| now + on);
        }
        transport.write(now, self.message);
        self.next = now + self.time_to_next();
        if self.next >= self.on_until {
            self.next = self.on_until + self.period(false).unwrap_or(Span::ZERO);
        }
    }

    /// Time from one message to the next.
    fn time_to_next(&mut self) -> Span {
        match self.arrivals {
            Arrivals::Equal => self.gap,
            Arrivals::Poisson => {
                Span::from_secs_f64(self.stream.exponential(self.gap.as_secs_f64())).max(Span(1))
            }
        }
    }

    /// Draws the length of an on- or off-period; `None` for a source that is always on.
    fn period(&mut self, on: bool) -> Option<Span> {
        let (mean_on, mean_off, distribution) = self.periods?;
        let mean = if on { mean_on } else { mean_off };
        let length = match distribution {
            Periods::Fixed => return Some(mean),
            Periods::Exponential => self.stream.exponential(mean.as_secs_f64()),
            // The mean of a Pareto distribution of shape 1.5 is three times its scale.
            Periods::Pareto => self.stream.pareto(mean.as_secs_f64() / 3.0, 1.5),
        };
        Some(Span::from_secs_f64(length).max(Span(1)))
    }
}

impl Requester {
    fn ask(&mut self, now: Nanos, transport: &mut Transport) {
        if self.pending.is_some() || self.left == Some(0) {
            return;
        }
        if self.opened.is_none() {
            self.opened = Some(now);
            transport.open(now);
        }
        transport.write(now, self.request);
        self.pending = Some((now, self.response));
    }

    fn on_progress(&mut self, now: Nanos, transport: &mut Transport) {
        let Some((asked, missing)) = &mut self.pending else { return };
        *missing = missing.saturating_sub(transport.take_delivered());
        if *missing > 0 {
            return;
        }
        let took = now.since(*asked);
        self.pending = None;
        self.done.completed += 1;
        self.done.total_time += took;
        self.done.longest = self.done.longest.max(took);
        self.done.durations.add(took);
        self.next = now + self.think;
        if let Some(left) = &mut self.left {
            *left -= 1;
            if *left == 0 {
                self.ended = Some(now);
                transport.close(now);
            }
        }
    }
}
