//! Own instants of the driver's calls, and times of the run for its events (see `clock`).

use airtcp_units::{Nanos, Span};

use super::medium::Medium;

impl Medium {
    /// Own instant of an event that the driver calls at `now`.
    #[inline]
    pub(super) fn at_event(&mut self, now: Nanos) -> Nanos {
        if self.clock.is_run() { now } else { self.advance(now) }
    }

    /// Own instant of another call at `now`. Calls that follow an event have its instant.
    #[inline]
    pub(super) fn at_call(&mut self, now: Nanos) -> Nanos {
        if self.clock.is_run() {
            now
        } else if now > self.moment.run {
            self.advance(now)
        } else {
            self.moment.own
        }
    }

    /// Own instant of a query at `now`, which changes nothing.
    pub(super) fn at_query(&self, now: Nanos) -> Nanos {
        if self.clock.is_run() { now } else { self.clock.own(now).max(self.moment.own) }
    }

    /// Moves to `now`, but not beyond the next own event. Frames that were decided on start at the instant of the
    /// decision.
    #[inline(never)]
    fn advance(&mut self, now: Nanos) -> Nanos {
        if !self.is_starting() {
            let next = self.own_end().min(self.own_timer());
            self.moment.own = self.moment.own.max(self.clock.own(now).min(next));
        }
        self.moment.run = now;
        self.moment.own
    }

    /// Times of the run of the next end and the next timer, in the order of their own instants and after the frames
    /// that start now.
    #[inline(never)]
    pub(super) fn next_events(&mut self) -> [Nanos; 2] {
        let own = [self.own_end(), self.own_timer()];
        let first = self.moment.run + Span(u64::from(self.is_starting()));
        let [end, timer] = own.map(|at| self.clock.run(at).max(first));
        // The driver takes the end first.
        let late = own[0] > own[1] && end == timer && end != Nanos::NEVER;
        [if late { end + Span(1) } else { end }, timer]
    }
}
