//! What a station does with a frame that comes in: the answer to one of its own, the answer it owes, and
//! the time that others have reserved.
//!
//! Source: IEEE 802.11-2012 clauses 9.3.2.4 (NAV), 9.3.2.6 (CTS), 9.3.2.8 (ACK), 9.3.2.10
//! (duplicates).

use airtcp_units::{Nanos, Span};

use super::exchange::{Due, Exchange};
use super::sending::acknowledged;
use super::{CATEGORIES, Class, Frame, Grant, Heard, Kind, NodeId, Rules, Station};
use crate::phy::{ACK_BYTES, CTS_BYTES, Mode};
use crate::rate::RateControl;

impl Station {
    /// A frame has been received without error; true if it carries a packet for this station
    /// that it has not had before.
    pub(crate) fn on_rx(&mut self, now: Nanos, frame: &Frame, how: Heard, rules: &Rules) -> bool {
        self.view.eifs = Span::ZERO;
        self.rate.on_rx(now, frame.from, how.snr);
        if frame.kind == Kind::Beacon {
            self.on_beacon(now, frame.from, rules);
        }
        if let Exchange::Awaiting { answer, heard, .. } = self.exchange {
            let answered = frame.to == self.id && frame.kind == answer;
            if answered && answer == Kind::Ack {
                self.succeed(now, rules);
                return false;
            }
            if answered {
                self.exchange = Exchange::Sending;
                self.due = Some((now + rules.timing.sifs, Due::Cleared));
                if let Some(grant) = frame.grant {
                    self.granted(now, frame.from, grant.mode);
                }
                return false;
            }
            // Clause 9.3.2.8: any other frame in its place is a failure, and is then processed.
            if heard <= now || frame.to == self.id {
                self.fail(now, rules);
            }
        }
        if frame.to == self.id {
            return self.on_rx_own(now, frame, how, rules);
        }
        if frame.duration > Span::ZERO {
            self.set_nav(now, frame, rules);
        }
        frame.to == NodeId::BROADCAST && frame.kind == Kind::Data
    }

    /// The receiver has chosen the rate (RBAR), and with it how many frames may follow (OAR).
    fn granted(&mut self, now: Nanos, to: NodeId, mode: Mode) {
        self.rate.on_grant(to, mode);
        if let Some(mpdu) = self.choose(now) {
            self.burst = (to, self.rate.burst(mpdu.mode).saturating_sub(1));
        }
    }

    fn on_rx_own(&mut self, now: Nanos, frame: &Frame, how: Heard, rules: &Rules) -> bool {
        if self.due.is_some() {
            // It is about to send: what came in beside another frame is not answered.
            return false;
        }
        let timing = &rules.timing;
        let (kind, bytes) = match frame.kind {
            Kind::Data | Kind::Management => (Kind::Ack, ACK_BYTES),
            // Clause 9.3.2.6: not while the medium is reserved by others.
            Kind::Rts if self.view.nav <= now && self.exchange == Exchange::None => {
                (Kind::Cts, CTS_BYTES)
            }
            _ => return false,
        };
        let mode = timing.answer_mode(frame.mode);
        let mut duration = frame.duration.saturating_sub(timing.sifs + timing.frame(mode, bytes));
        let grant = frame.grant.and_then(|asked| {
            let mode = self.rate.grant(how.sinr, asked.bytes)?;
            duration = timing.sifs + acknowledged(mode, asked.bytes, rules);
            Some(Grant { mode, ..asked })
        });
        let answer = Frame {
            kind,
            class: if kind == Kind::Ack { Class::Ack } else { Class::Cts },
            from: self.id,
            to: frame.from,
            mode,
            bytes,
            duration,
            category: frame.category,
            sequence: 0,
            fragment: 0,
            more_fragments: false,
            retry: false,
            grant,
        };
        self.due = Some((now + timing.sifs, Due::Answer(answer)));
        let sequences = match frame.kind {
            Kind::Data => usize::from(frame.category),
            Kind::Management => CATEGORIES,
            _ => return false,
        };
        let new = self.completes(frame, sequences);
        if frame.kind == Kind::Management && new {
            self.on_management(now, frame, rules);
        }
        new && frame.kind == Kind::Data
    }

    /// Others have reserved the medium (clause 9.3.2.4).
    fn set_nav(&mut self, now: Nanos, frame: &Frame, rules: &Rules) {
        let until = now + frame.duration;
        if until <= self.view.nav {
            // An RTS reserves for the rate granted last; the data shows what was granted now.
            let corrected = frame.kind == Kind::Data && self.nav_by == frame.from;
            if corrected && self.rate.rts_mode().is_some() {
                self.view.nav = until;
            }
            return;
        }
        self.nav_by = frame.from;
        self.view.nav = until;
        let timing = &rules.timing;
        self.nav_reset = Nanos::NEVER;
        if frame.kind == Kind::Rts {
            let wait = timing.sifs + timing.sifs + timing.cts(frame.mode);
            let wait = wait + timing.rx_start_delay(frame.mode) + timing.slot + timing.slot;
            self.nav_reset = now + wait;
        }
    }

    /// A frame the radio was receiving could not be decoded, or was lost to a stronger one.
    pub(crate) fn on_rx_error(&mut self, now: Nanos, rules: &Rules) {
        self.view.eifs = rules.eifs_extra();
        if let Exchange::Awaiting { heard, .. } = self.exchange
            && heard <= now
        {
            self.fail(now, rules);
        }
    }
}
