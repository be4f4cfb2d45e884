//! Alternation between two states in time, generated forward from the channel's own draws.
//!
//! The state at an instant depends on the draws and the instant alone, not on the instants that
//! were asked about before, as long as they do not go backwards.

use airtcp_random::Stream;
use airtcp_units::{Nanos, Span};

/// How long states last.
pub(crate) trait Sojourns {
    /// Length of a complete stay in the state, at least 1 ns.
    fn draw(&mut self, state: bool, draws: &mut Stream) -> Span;
}

/// Which of two states a channel is in.
#[derive(Debug, Clone)]
pub(crate) struct Alternation<S> {
    sojourns: S,
    draws: Stream,
    state: bool,
    until: Nanos,
}

impl<S: Sojourns> Alternation<S> {
    /// Starts at time zero in `state` with `remaining` of its stay to go, as drawn from the
    /// stationary distribution by whoever knows it.
    pub(crate) fn new(sojourns: S, draws: Stream, state: bool, remaining: Span) -> Self {
        Self { sojourns, draws, state, until: Nanos::ZERO + remaining }
    }

    /// When the state that was found last ends.
    pub(crate) const fn until(&self) -> Nanos {
        self.until
    }

    /// The state at `now`.
    #[inline]
    pub(crate) fn at(&mut self, now: Nanos) -> bool {
        while now >= self.until && self.until != Nanos::NEVER {
            self.state = !self.state;
            let stay = self.sojourns.draw(self.state, &mut self.draws);
            self.until += stay.max(Span(1));
        }
        self.state
    }
}
