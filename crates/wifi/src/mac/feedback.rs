//! What rate control learns of the PPDUs of BlockAck sessions: one result for each.
//!
//! ```text
//! answer          MPDUs sent and acknowledged; the next PPDU is a first attempt
//! no answer       MPDUs sent, none acknowledged; the next PPDU is one more attempt
//! no CTS          no MPDU sent; the next PPDU is the same attempt
//! ```
//! After as many failed PPDUs in a row as a single frame has attempts, the next PPDU is a first attempt, as after
//! a frame that was given up.

use airtcp_units::{Nanos, Narrow};

use super::outcome::attempt;
use super::series::Series;
use super::{Mpdu, Station};
use crate::rate::{Attempt, Ending, Outcome, RateControl};

impl Station {
    fn series(&mut self, category: usize) -> Option<&mut Series> {
        Some(&mut self.originator.as_mut()?.lanes.get_mut(category)?.series)
    }

    /// Begins a series with a packet of which rate control knows.
    pub(super) fn begin_series(&mut self, category: usize) {
        if let Some(series) = self.series(category) {
            *series = Series { begun: true, ..Series::default() };
        }
    }

    /// The next attempt of the head of a category, of which rate control knows then.
    pub(super) fn next_attempt(&mut self, now: Nanos, category: usize, head: &Mpdu) -> Attempt {
        let alone = attempt(now, u8::narrow(category), head);
        if !self.is_in_session(head) {
            return alone;
        }
        let Some(series) = self.series(category) else { return alone };
        let is_new = !std::mem::replace(&mut series.begun, true);
        let next = Attempt { number: series.unanswered, ..alone };
        if is_new {
            self.rate.on_packet(&next);
        }
        let single = self.rate.is_single(&next);
        if let Some(series) = self.series(category) {
            series.single = single;
        }
        next
    }

    /// Reports the end of a PPDU with the numbers of its MPDUs: those sent and those acknowledged.
    pub(super) fn report(
        &mut self,
        now: Nanos,
        category: usize,
        head: &Mpdu,
        ending: Ending,
        (mpdus, acknowledged): (u32, u32),
        given_up: bool,
    ) {
        let Some(series) = self.series(category) else { return };
        let number = series.unanswered;
        if ending == Ending::Acknowledged || given_up {
            *series = Series::default();
        } else if ending == Ending::NoAck {
            series.unanswered += 1;
        }
        if mpdus == 0 && ending == Ending::Acknowledged {
            // The answer to a BlockAckReq.
            return;
        }
        let attempt = Attempt { number, ..attempt(now, u8::narrow(category), head) };
        let mode = head.mode;
        self.tell_rate(&Outcome { attempt, mode, ending, given_up, mpdus, acknowledged });
    }
}
