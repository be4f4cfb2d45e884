//! DCF+: a data frame in return for a data frame, which the MAC ACK reserves the medium for.
//!
//! The frames, the choices and the source are at the head of `hooks.rs`.

use airtcp_units::{Nanos, Narrow};

use super::exchange::{Due, Exchange};
use super::sending::data_and_ack_time;
use super::{Contender, Frame, Grant, Kind, Rules, Station};

impl Station {
    /// Turns the ACK to a data frame into one that reserves the medium for a packet to its sender,
    /// if the station has such a packet.
    pub(super) fn reserve_reverse(
        &self,
        now: Nanos,
        frame: &Frame,
        answer: &mut Frame,
        rules: &Rules,
    ) {
        let Some(hooks) = &self.hooks else { return };
        // A frame that was itself reserved for carries a grant, and gets a plain ACK.
        let wanted = hooks.seams.reverse_data
            && self.exchange == Exchange::None
            && frame.kind == Kind::Data
            && !frame.more_fragments
            && frame.grant.is_none();
        if !wanted {
            return;
        }
        let fits = |c: &Contender| {
            c.mpdu.is_some_and(|m| {
                m.to == frame.from
                    && !m.class.is_management()
                    && !m.part.has_next()
                    && m.expires >= now
            })
        };
        let Some(category) = self.contenders.iter().rposition(fits) else { return };
        let Some(mpdu) = self.contenders[category].mpdu.map(|mpdu| mpdu.alone()) else { return };
        let timing = &rules.timing;
        let data = data_and_ack_time(mpdu.mode, mpdu.bytes, rules);
        answer.duration = timing.sifs + timing.cts(answer.mode) + timing.sifs + data;
        answer.grant = Some(Grant { mode: mpdu.mode, bytes: mpdu.bytes });
        answer.category = u8::narrow(category);
    }

    /// Waits for the CTS after an ACK with a reservation.
    pub(super) fn await_reverse_cts(&mut self, now: Nanos, ack: &Frame, rules: &Rules) {
        let Some(hooks) = self.hooks.as_mut().filter(|_| ack.grant.is_some()) else { return };
        hooks.reversing = true;
        self.active = usize::from(ack.category);
        self.record_first_attempt(now);
        let until = now + rules.timing.ack_timeout(ack.mode);
        self.exchange = Exchange::Awaiting { answer: Kind::Cts, until, heard: Nanos::NEVER };
    }

    /// Answers the reservation in an ACK with a CTS.
    pub(super) fn grant_reverse(&mut self, now: Nanos, ack: &Frame, rules: &Rules) {
        if ack.grant.is_none() || self.due.is_some() {
            return;
        }
        let timing = &rules.timing;
        let mode = timing.answer_mode(ack.mode);
        let spent = timing.sifs + timing.cts(ack.mode);
        let duration = ack.duration.saturating_sub(spent);
        let cts = Frame::control(Kind::Cts, self.id, ack.from, mode, duration, ack.category);
        self.due = Some((now + timing.sifs, Due::Answer(cts)));
    }

    /// True if the failure of the current exchange is that of a reservation: the CTS did not come.
    pub(super) fn reverse_unanswered(&mut self) -> bool {
        let waits = matches!(self.exchange, Exchange::Awaiting { answer: Kind::Cts, .. });
        match &mut self.hooks {
            Some(hooks) if hooks.reversing && waits => {
                hooks.reversing = false;
                true
            }
            _ => false,
        }
    }

    /// True if the data frame to send is one that an ACK has reserved for.
    pub(super) fn is_reverse(&self) -> bool {
        self.hooks.as_ref().is_some_and(|hooks| hooks.reversing)
    }
}
