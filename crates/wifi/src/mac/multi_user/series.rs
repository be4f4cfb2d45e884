//! What rate control learns of HE MU PPDUs: one series of attempts for each receiver and category.
//!
//! ```text
//! first PPDU after an answer    rate control learns of a packet, and chooses the mode and whether an MPDU goes alone
//! answer or not                 rate control learns how many MPDUs were sent and acknowledged
//! ```
//! A new head of the category joins the series of its receiver, whose MPDUs may wait for another attempt. The order is that
//! of single-user PPDUs (`feedback.rs`).

use airtcp_units::{Nanos, Narrow};

use super::state::User;
use super::times::USUAL_BYTES;
use crate::mac::series::Series;
use crate::mac::{Rules, Station};
use crate::node::NodeId;
use crate::rate::{Attempt, Ending, Outcome, RateControl};

impl Station {
    /// The next attempt of a category towards a receiver, for rate control.
    pub(in crate::mac) fn attempt_towards(
        &self,
        now: Nanos,
        category: usize,
        to: NodeId,
    ) -> Attempt {
        let parked =
            self.multi_user.access_point().and_then(|mu| mu.lanes.get(category, to)?.front());
        let bytes = parked.filter(|mpdu| !mpdu.is_bar()).map_or(USUAL_BYTES, |mpdu| mpdu.bytes);
        let series = self.multi_user.access_point().map(|mu| mu.lanes.series(category, to));
        let number = series.map_or(0, Series::number);
        Attempt { now, to, category: u8::narrow(category), bytes, number }
    }

    /// Begins the series towards a receiver, unless one goes on: rate control learns of a new packet before it is asked
    /// for a mode.
    pub(in crate::mac) fn begin_series_towards(&mut self, now: Nanos, category: usize, to: NodeId) {
        let next = self.attempt_towards(now, category, to);
        let Some(mu) = self.multi_user.access_point_mut() else { return };
        if mu.lanes.series_mut(category, to).begins() {
            self.rates.control.on_packet(&next);
        }
    }

    /// The first attempt of a new head whose receiver has a series of its own (HE MU PPDUs). `None` for other receivers.
    pub(in crate::mac) fn join_series(
        &mut self,
        now: Nanos,
        category: usize,
        to: NodeId,
    ) -> Option<Attempt> {
        self.multi_user.access_point().filter(|mu| mu.rules.downlink && mu.is_capable(to))?;
        self.begin_series_towards(now, category, to);
        let series = self.multi_user.access_point()?.lanes.series(category, to);
        self.originator.as_mut()?.lanes.get_mut(category)?.series = series;
        Some(self.attempt_towards(now, category, to))
    }

    /// Tells rate control of a user's PPDU with numbers of MPDUs: those sent and those acknowledged.
    pub(in crate::mac) fn tell_of_user(
        &mut self,
        user: &User,
        attempt: Attempt,
        (mpdus, acknowledged): (u32, u32),
        rules: &Rules,
    ) {
        let Some(mu) = self.multi_user.access_point_mut().filter(|_| mpdus > 0) else { return };
        let series = mu.lanes.series_mut(usize::from(attempt.category), user.station);
        let given_up = series.end(user.answered, rules.mac.attempts);
        let ending = if user.answered { Ending::Acknowledged } else { Ending::NoAck };
        let mode = user.chosen;
        self.rates.control.on_result(&Outcome {
            attempt,
            mode,
            ending,
            given_up,
            mpdus,
            acknowledged,
        });
    }
}
