//! The timers of a connection. `connection/expiry.rs` handles their expiry.

use std::fmt;

use airtcp_units::Nanos;

/// A timer, in the order in which timers due at the same instant are handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timer {
    /// RACK waits for reordered segments (RFC 8985 section 6.2). Before the retransmission timer,
    /// which it restarts.
    Reordering,
    /// Tail loss probe (RFC 8985 section 7.2). Never runs while [`Timer::Reordering`] does.
    LossProbe,
    /// Retransmission of SYN, data or FIN (RFC 6298).
    Retransmit,
    /// Zero-window probe, and the override of silly-window avoidance (RFC 9293 section 3.8.6).
    Persist,
    /// Delayed acknowledgement (RFC 5681 section 4.2).
    Ack,
    /// End of TIME-WAIT (RFC 9293 section 3.4.2).
    TimeWait,
    /// Pacing, or the wait at a window of one segment under ECN: the next data may leave.
    Send,
}

impl Timer {
    pub(crate) const ALL: [Self; 7] = [
        Self::Reordering,
        Self::LossProbe,
        Self::Retransmit,
        Self::Persist,
        Self::Ack,
        Self::TimeWait,
        Self::Send,
    ];
}

/// Deadlines; [`Nanos::NEVER`] for a timer that does not run.
#[derive(Clone)]
pub(crate) struct Timers {
    at: [Nanos; Timer::ALL.len()],
    /// No timer is due before. A timer that is stopped or moved later does not raise it: [`settle`](Self::settle) does.
    bound: Nanos,
}

impl fmt::Debug for Timers {
    /// Without the bound, which depends on how often it was settled, so that tests can compare connections.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Timers").field(&self.at).finish()
    }
}

impl Timers {
    pub(crate) const fn new() -> Self {
        Self { at: [Nanos::NEVER; Timer::ALL.len()], bound: Nanos::NEVER }
    }

    #[inline]
    pub(crate) const fn get(&self, timer: Timer) -> Nanos {
        self.at[timer as usize]
    }

    #[inline]
    pub(crate) const fn set(&mut self, timer: Timer, at: Nanos) {
        self.at[timer as usize] = at;
        if at.0 < self.bound.0 {
            self.bound = at;
        }
    }

    #[inline]
    pub(crate) const fn stop(&mut self, timer: Timer) {
        self.set(timer, Nanos::NEVER);
    }

    #[inline]
    pub(crate) fn is_running(&self, timer: Timer) -> bool {
        self.get(timer) != Nanos::NEVER
    }

    /// Stops the timer if it is due. Returns whether it was due.
    pub(crate) fn expired(&mut self, timer: Timer, now: Nanos) -> bool {
        let due = self.get(timer) <= now && self.is_running(timer);
        if due {
            self.stop(timer);
        }
        due
    }

    pub(crate) fn stop_all(&mut self) {
        *self = Self::new();
    }

    #[inline]
    pub(crate) fn next(&self) -> Nanos {
        self.at.iter().fold(Nanos::NEVER, |a, b| a.min(*b))
    }

    /// A time before which no timer is due.
    #[inline]
    pub(crate) const fn bound(&self) -> Nanos {
        self.bound
    }

    /// Makes the bound the time of the next timer.
    pub(crate) fn settle(&mut self) {
        self.bound = self.next();
    }
}
