//! What rate control learns of the PPDUs of BlockAck sessions: one result for each.
//!
//! ```text
//! answer          MPDUs sent and acknowledged; the next PPDU is a first attempt
//! no answer       MPDUs sent, none acknowledged; the next PPDU is one more attempt
//! no CTS          no MPDU sent; the next PPDU is the same attempt
//! ```
//! After as many failed PPDUs in a row as a single frame has attempts (`attempts_long` for a failure after RTS), the
//! next PPDU is a first attempt, as after a frame that was given up. A BlockAckReq and its answer say nothing about
//! the scheme of the data, and change nothing here.

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

    /// The next attempt of the head of a category, of which rate control knows then. `None` without a head.
    pub(super) fn next_attempt(&mut self, now: Nanos, category: usize) -> Option<Attempt> {
        let head = self.contenders.get(category)?.mpdu.as_ref()?;
        let alone = attempt(now, u8::narrow(category), head);
        if !self.is_in_session(head) {
            return Some(alone);
        }
        let Some(series) = self.series(category) else { return Some(alone) };
        let is_new = !std::mem::replace(&mut series.begun, true);
        let next = Attempt { number: series.unanswered, ..alone };
        if is_new {
            self.rates.control.on_packet(&next);
        }
        let single = self.rates.control.is_single(&next);
        if let Some(series) = self.series(category) {
            series.single = single;
        }
        Some(next)
    }

    /// Reports the end of a PPDU with data, and the numbers of its MPDUs: those sent and those acknowledged. `limit`
    /// failed ones in a row end the series.
    pub(super) fn report(
        &mut self,
        now: Nanos,
        category: usize,
        head: &Mpdu,
        ending: Ending,
        (mpdus, acknowledged): (u32, u32),
        limit: u32,
    ) {
        let Some(series) = self.series(category) else { return };
        let number = series.number();
        let given_up = series.end(ending == Ending::Acknowledged, limit);
        let attempt = Attempt { number, ..attempt(now, u8::narrow(category), head) };
        let mode = head.mode;
        self.tell_rate(&Outcome { attempt, mode, ending, given_up, mpdus, acknowledged });
    }

    /// Reports an RTS without CTS; `exhausted`: the last of the attempts of the RTS, which ends the series.
    pub(super) fn report_no_cts(
        &mut self,
        now: Nanos,
        category: usize,
        head: &Mpdu,
        exhausted: bool,
    ) {
        let Some(series) = self.series(category) else { return };
        let number = series.number();
        if exhausted {
            *series = Series::default();
        }
        let attempt = Attempt { number, ..attempt(now, u8::narrow(category), head) };
        let (mode, ending, given_up) = (head.mode, Ending::NoCts, exhausted);
        let (mpdus, acknowledged) = (0, 0);
        self.tell_rate(&Outcome { attempt, mode, ending, given_up, mpdus, acknowledged });
    }
}
