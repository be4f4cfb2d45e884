//! A station between exchanges whose view of the medium is kept elsewhere, with the views of others (see
//! `cell/alike`).

use airtcp_units::Nanos;

use super::exchange::{Due, Exchange};
use super::{Contender, Station, View};
use crate::rate::Rate;

impl Station {
    /// The station's view at the start of an idle period, if it alone and the numbers of slots left decide
    /// what the station does next. A station with management frames has other timers.
    #[inline]
    pub(crate) fn settled_view(&self) -> Option<&View> {
        let view = &self.view;
        let settled = self.exchange == Exchange::None
            && self.due.is_none()
            && !self.has_management
            && !self.management.associates()
            && view.gave_up <= view.idle_from
            && self.contenders.iter().all(|contender| contender.is_slots_only(view.idle_from));
        settled.then_some(view)
    }

    /// Takes a view back.
    #[inline]
    pub(crate) const fn resume(&mut self, view: &View) {
        self.view = View { gave_up: self.view.gave_up, ..*view };
    }

    /// True if the station answers a frame at `at`.
    #[inline]
    pub(crate) fn answers_at(&self, at: Nanos) -> bool {
        matches!(self.due, Some((due, Due::Answer(_))) if due == at)
    }

    pub(crate) const fn rate(&self) -> &Rate {
        &self.rates.control
    }

    #[inline]
    pub(crate) fn contenders(&self) -> &[Contender] {
        &self.contenders
    }

    pub(crate) fn contenders_mut(&mut self) -> &mut [Contender] {
        &mut self.contenders
    }
}
