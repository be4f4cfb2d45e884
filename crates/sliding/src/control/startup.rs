//! The startup: how the window grows until a queue shows, or until the arrivals stop growing.
//!
//! The first packets leave at once, as a train. The spacing of their answers shows the rate of the
//! bottleneck, and the window rises to half of what that rate carries. Then the window grows by what
//! arrived, up to a loss of one half twice per round trip, and at most to three times what passed the
//! bottleneck in a round. It ends where arrivals stop growing, or where more is lost than the path may lose.

use std::collections::VecDeque;

use airtcp_units::{Nanos, Span};

use super::round_trips::RECENT;

/// Share of the first window that shows a rate if it arrives, and the growth that it allows.
const TRAIN_ARRIVALS: f64 = 0.35;
const MAX_JUMP: f64 = 8.0;
/// Share of the train after whose answers it does: its last packets may be lost, and would show a round later.
const TRAIN_KNOWN: f64 = 0.6;
/// Number of answers that show the rate at the end of the startup.
const TRAIN: usize = 24;
/// Minimum number of packets by which growth is judged.
const EPOCH: f64 = 16.0;
/// Maximum window as a multiple of what passes the bottleneck in a round trip.
pub(super) const STARTUP_OVER_ARRIVALS: f64 = 3.0;
/// Rounds without growth that end the startup (BBR, section 4.3.1.2), and the growth factor.
const FULL_ROUNDS: u32 = 3;
const FULL_GROWTH: f64 = 1.25;

/// The arrivals of the startup.
#[derive(Debug)]
pub(super) struct Startup {
    /// Number of packets of the first window.
    first: u16,
    /// Times and numbers of packets of the latest feedback.
    acks: VecDeque<(Nanos, u64)>,
    total: u64,
    jumped: bool,
    /// The first train showed the rate of the link.
    trained: bool,
    /// Mean round-trip time of the last round.
    pub(super) before: Span,
    /// Most arrivals in a round trip so far, and the number of parts since then.
    full: (f64, u32),
    /// Packets that arrived in this part, and that passed the bottleneck; and its beginning.
    part: (f64, f64),
    part_since: Nanos,
    /// Packets resolved in this part.
    resolved: f64,
}

/// What a round of the startup leads to.
pub(super) enum After {
    /// At most this window.
    Window(f64),
    /// The end, with this window; and whether it is an overflow.
    End(f64, bool),
}

impl Startup {
    pub(super) fn new(first: u16) -> Self {
        Self {
            first,
            acks: VecDeque::new(),
            total: 0,
            jumped: false,
            trained: false,
            before: Span::ZERO,
            full: (0.0, 0),
            part: (0.0, 0.0),
            part_since: Nanos::ZERO,
            resolved: 0.0,
        }
    }

    pub(super) const fn trained(&self) -> bool {
        self.trained
    }

    /// True if packet `number` and the next belong to the train.
    #[inline]
    pub(super) fn is_train(&self, number: u64) -> bool {
        number + 1 < u64::from(self.first)
    }

    /// True if there are samples beyond those of the train, which is its own queue.
    pub(super) fn is_past_train(&self, samples: usize) -> bool {
        samples >= usize::from(self.first) + RECENT
    }

    /// `resolved` packets were resolved, of which `arrived` arrived. Once, after the train, the rate
    /// that it showed and the number that arrived, if these are enough.
    pub(super) fn on_feedback(
        &mut self,
        now: Nanos,
        resolved: u64,
        arrived: u64,
    ) -> Option<(f64, f64)> {
        self.resolved += resolved as f64;
        self.total += arrived + resolved.saturating_sub(arrived).min(arrived);
        self.acks.push_back((now, self.total));
        let mut train = None;
        if self.total as f64 >= TRAIN_KNOWN * f64::from(self.first) && !self.jumped {
            self.jumped = true;
            let answers = self.acks.len() as f64;
            if answers >= TRAIN_ARRIVALS * f64::from(self.first) {
                train = self.rate().map(|rate| (rate, answers));
            }
            self.trained = train.is_some();
        }
        if self.acks.len() > TRAIN {
            self.acks.pop_front();
        }
        train
    }

    /// The window that a train with this rate and number of answers allows: half of what the link carries.
    pub(super) fn jump((rate, answers): (f64, f64), base: Span) -> f64 {
        (rate * base.as_secs_f64() / 2.0).min(MAX_JUMP * answers)
    }

    /// Packets per second in the latest answers; lost ones count up to the number that arrived.
    pub(super) fn rate(&self) -> Option<f64> {
        let (first, last) = (self.acks.front()?, self.acks.back()?);
        let time = last.0.since(first.0).as_secs_f64();
        (time > 0.0).then(|| (last.1 - first.1) as f64 / time)
    }

    /// A round with this number of arrivals, at this loss rate of the path, and the most that it may be.
    pub(super) fn on_round(
        &mut self,
        now: Nanos,
        arrived: f64,
        (loss, most): (f64, f64),
        srtt: Span,
        window: f64,
    ) -> After {
        let passed = arrived / (1.0 - loss);
        let window = window.min((STARTUP_OVER_ARRIVALS * passed).max(1.0));
        self.part.0 += arrived;
        self.part.1 += passed;
        if self.part.1 < EPOCH {
            return After::Window(window);
        }
        let time = now.since(self.part_since).as_secs_f64().max(1e-6);
        let arrived = self.part.0 / time * srtt.as_secs_f64();
        let overflows = 1.0 - self.part.0 / self.resolved.max(1.0) > most;
        self.part = (0.0, 0.0);
        self.resolved = 0.0;
        self.part_since = now;
        let (best, parts) = self.full;
        if arrived >= best * FULL_GROWTH && !overflows {
            self.full = (best.max(arrived), 0);
        } else if parts + 1 >= FULL_ROUNDS || overflows {
            return After::End(arrived.clamp(1.0, (window / 2.0).max(1.0)), overflows);
        } else {
            self.full.1 = parts + 1;
        }
        After::Window(window)
    }
}
