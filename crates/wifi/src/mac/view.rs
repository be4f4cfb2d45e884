//! What a station knows of the medium: carrier sense, NAV, and what follows errors.
//!
//! Source: IEEE 802.11-2012 clauses 9.3.2.1 (carrier sense), 9.3.2.4 (NAV), 9.3.2.3.7 (EIFS).

use airtcp_units::{Nanos, Span};

use super::{Frame, Kind, Rules};
use crate::node::NodeId;

/// State of the medium at a station, shared by its categories.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    /// Start of the current idle period; never while the medium is busy.
    pub(crate) idle_from: Nanos,
    /// End of other stations' reservations.
    pub(crate) nav: Nanos,
    /// EIFS - DIFS if the last frame received could not be decoded, else 0.
    pub(crate) eifs: Span,
    /// Time of the last timeout of an answer.
    pub(crate) gave_up: Nanos,
    /// The station whose frame has set the NAV.
    pub(crate) nav_by: NodeId,
    /// Time at which a NAV set by an RTS ends unless a frame has begun.
    pub(crate) nav_reset: Nanos,
    /// Time since which the radio neither receives nor transmits; never while it does.
    pub(crate) silent_from: Nanos,
}

impl View {
    pub(crate) const fn new() -> Self {
        Self {
            idle_from: Nanos::ZERO,
            nav: Nanos::ZERO,
            eifs: Span::ZERO,
            gave_up: Nanos::ZERO,
            nav_by: NodeId::BROADCAST,
            nav_reset: Nanos::NEVER,
            silent_from: Nanos::ZERO,
        }
    }

    /// True if the medium is idle by carrier sense and by NAV.
    #[inline]
    pub(crate) fn is_idle(&self, now: Nanos) -> bool {
        self.idle_from != Nanos::NEVER && self.nav <= now
    }

    /// True if another view has the same results from now on, both at the start of an idle period. A NAV that
    /// has ended has none.
    #[inline]
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let ended = |view: &Self| view.nav <= view.idle_from;
        self.idle_from == other.idle_from
            && self.eifs == other.eifs
            && self.nav_reset == other.nav_reset
            && self.silent_from == other.silent_from
            && (ended(self) && ended(other) || self.nav == other.nav && self.nav_by == other.nav_by)
    }

    /// Sets the NAV by the Duration field of a frame for another station (clause 9.3.2.4). An RTS reserves
    /// time for the rate granted last; if the data frame `corrects` it, the data frame has the new rate.
    pub(crate) fn reserve(&mut self, now: Nanos, frame: &Frame, corrects: bool, rules: &Rules) {
        let until = now + frame.duration;
        if until <= self.nav {
            if corrects && frame.kind == Kind::Data && self.nav_by == frame.from {
                self.nav = until;
            }
            return;
        }
        self.nav_by = frame.from;
        self.nav = until;
        let timing = &rules.timing;
        self.nav_reset = Nanos::NEVER;
        if frame.kind == Kind::Rts {
            let wait = timing.sifs + timing.sifs + timing.cts(frame.mode);
            let wait = wait + timing.rx_start_delay(frame.mode) + timing.slot + timing.slot;
            self.nav_reset = now + wait;
        }
    }
}
