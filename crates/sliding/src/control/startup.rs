//! The startup: how the window grows until a queue shows, or until the arrivals stop growing.
//!
//! The first packets leave in two trains, so that a burst of losses rarely takes all. The spacing of a train's
//! answers shows the rate of the bottleneck, and the window rises to half of what that rate carries. Then the window
//! grows by what arrived, up to a loss of one half twice per round trip, and at most to three times what passed the
//! bottleneck in a round. It ends where arrivals stop growing, or where more is lost than the path may lose.

use std::collections::VecDeque;

use airtcp_units::{Nanos, Span};

use super::round_trips::RECENT;

/// Number of packets from which the first window is two trains, and time between these: a share of the
/// round-trip time.
const TWO_TRAINS: u16 = 6;
pub(super) const BETWEEN_TRAINS: u64 = 4;
/// Number of answers of a train that show a rate, and the growth that each allows.
const TRAIN_ARRIVALS: u64 = 3;
const MAX_JUMP: f64 = 8.0;
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
    /// The latest train: its first answer, and the number of answers.
    train: Train,
    /// Number of answers of both.
    answers: u64,
    /// A train showed the rate of the link.
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

/// The answers of a train: its place, the first answer and the packet that it names, and their number.
#[derive(Debug, Clone, Copy, Default)]
struct Train {
    place: u64,
    from: (Nanos, u64),
    answers: u64,
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
            train: Train::default(),
            answers: 0,
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

    /// Number of packets of a train.
    fn length(&self) -> u64 {
        u64::from(if self.first < TWO_TRAINS { self.first } else { self.first.div_ceil(2) })
    }

    /// True if packet `number` and the next belong to a train.
    #[inline]
    pub(super) fn is_train(&self, number: u64) -> bool {
        number + 1 < u64::from(self.first) && !self.ends_train(number)
    }

    /// True if packet `number` is the last of the first of two trains.
    #[inline]
    pub(super) fn ends_train(&self, number: u64) -> bool {
        number + 1 == self.length() && number + 1 < u64::from(self.first)
    }

    /// True if there are samples beyond those of the train, which is its own queue.
    pub(super) fn is_past_train(&self, samples: usize) -> bool {
        samples >= usize::from(self.first) + RECENT
    }

    /// `resolved` packets were resolved, of which `arrived` arrived.
    pub(super) fn on_feedback(&mut self, now: Nanos, resolved: u64, arrived: u64) {
        self.resolved += resolved as f64;
        self.total += arrived + resolved.saturating_sub(arrived).min(arrived);
        self.acks.push_back((now, self.total));
        if self.acks.len() > TRAIN {
            self.acks.pop_front();
        }
    }

    /// Packet `greatest` was answered. The rate that its train shows in packets per second and the number of answers so
    /// far, if these are enough.
    pub(super) fn on_answer(&mut self, now: Nanos, greatest: u64) -> Option<(f64, f64)> {
        let place = greatest / self.length();
        if greatest >= u64::from(self.first) {
            return None;
        }
        if self.train.answers == 0 || self.train.place != place {
            self.train = Train { place, from: (now, greatest), answers: 0 };
        }
        self.train.answers += 1;
        self.answers += 1;
        let (since, number) = self.train.from;
        let time = now.since(since).as_secs_f64();
        // The last packets of a train may be lost, so each answer beyond the third shows the rate.
        if self.train.answers < TRAIN_ARRIVALS || time <= 0.0 {
            return None;
        }
        self.trained = true;
        Some(((greatest - number) as f64 / time, self.answers as f64))
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
