//! The timers of a connection: an enum and an array of deadlines.

use airtcp_units::Nanos;

/// One timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timer {
    /// Retransmission of SYN, data or FIN (RFC 6298).
    Retransmit,
    /// Zero-window probe, and the override of silly-window avoidance (RFC 9293 section 3.8.6).
    Persist,
    /// Delayed acknowledgement.
    Ack,
    /// End of TIME-WAIT.
    TimeWait,
    /// Pacing, or the wait at a window of one segment under ECN: the next data may leave.
    Send,
    /// RACK's reordering timer or TLP's probe timer (RFC 8985 sections 6.2, 7.2), never both.
    Loss,
}

/// Deadlines; [`Nanos::NEVER`] for a timer that does not run.
#[derive(Debug, Clone)]
pub(crate) struct Timers([Nanos; 6]);

impl Timers {
    pub(crate) const fn new() -> Self {
        Self([Nanos::NEVER; 6])
    }

    #[inline]
    pub(crate) const fn get(&self, timer: Timer) -> Nanos {
        self.0[timer as usize]
    }

    #[inline]
    pub(crate) const fn set(&mut self, timer: Timer, at: Nanos) {
        self.0[timer as usize] = at;
    }

    #[inline]
    pub(crate) const fn stop(&mut self, timer: Timer) {
        self.set(timer, Nanos::NEVER);
    }

    #[inline]
    pub(crate) fn is_running(&self, timer: Timer) -> bool {
        self.get(timer) != Nanos::NEVER
    }

    /// Stops the timer and says whether it was due.
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

    /// The earliest deadline.
    #[inline]
    pub(crate) fn next(&self) -> Nanos {
        self.0.iter().fold(Nanos::NEVER, |a, b| a.min(*b))
    }
}
