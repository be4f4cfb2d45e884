//! Alternation between two states, drawn forward in time from the channel's own random stream.
//!
//! The state at an instant depends on the draws and the instant alone, not on earlier
//! queries. Queries must not go back in time.

use airtcp_random::Stream;
use airtcp_units::{Nanos, Span};

/// Distribution of sojourn times.
pub(crate) trait Sojourns {
    /// A complete sojourn in the state, at least 1 ns.
    fn draw(&mut self, state: bool, draws: &mut Stream) -> Span;
}

/// Current state of a two-state channel.
#[derive(Debug, Clone)]
pub(crate) struct Alternation<S> {
    sojourns: S,
    draws: Stream,
    state: bool,
    until: Nanos,
}

impl<S: Sojourns> Alternation<S> {
    /// Starts at time zero in `state`, with `remaining` of the sojourn left. The caller draws both
    /// from the stationary distribution.
    pub(crate) fn new(sojourns: S, draws: Stream, state: bool, remaining: Span) -> Self {
        Self { sojourns, draws, state, until: Nanos::ZERO + remaining }
    }

    /// When the current state ends.
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
