//! Frame exchanges: what follows what, one short inter-frame space apart.
//!
//! ```text
//! access -> [RTS -> SIFS -> CTS -> SIFS ->] DATA -> SIFS -> ACK -> back-off
//! ```
//! What goes before the data is in `protection.rs`, what the other end does in `answer.rs`, and how an
//! exchange ends in `outcome.rs`. Source: IEEE 802.11-2012 clauses 9.3.2.6 (CTS), 9.3.2.8 (ACK),
//! 9.19.2.4 (transmission opportunities).

use airtcp_units::{Nanos, Narrow, Span};

use super::exchange::{Due, Exchange};
use super::outcome::attempt;
use super::{Class, Frame, Grant, Kind, Mpdu, NodeId, Rules, Station};
use crate::phy::{Mode, RTS_BYTES};
use crate::rate::RateControl;

impl Station {
    /// The first frame of an exchange: RTS, CTS to itself, or data.
    pub(super) fn begin(&mut self, now: Nanos, rules: &Rules) -> Option<Frame> {
        let mpdu = self.choose(now)?;
        self.note_begun(now);
        self.opening(&mpdu, rules).or_else(|| self.data(rules))
    }

    /// The attempt that begins is the packet's first unless there was one before.
    fn note_begun(&mut self, now: Nanos) {
        if let Some(mpdu) = self.contenders[self.active].mpdu.as_mut() {
            mpdu.begun = mpdu.begun.min(now);
        }
    }

    /// The frame at the head of the active category, with the rate of its next attempt.
    pub(super) fn choose(&mut self, now: Nanos) -> Option<Mpdu> {
        let category = u8::narrow(self.active);
        let mpdu = self.contenders[self.active].mpdu.as_mut()?;
        if !mpdu.class.is_management() {
            mpdu.mode = self.rate.pick(&attempt(now, category, mpdu));
        }
        Some(*mpdu)
    }

    /// What was due is sent now.
    pub(super) fn send_due(&mut self, now: Nanos, due: Due, rules: &Rules) -> Option<Frame> {
        match due {
            Due::Answer(frame) => Some(frame),
            Due::Cleared => self.data(rules),
            Due::Fragment => self.next_fragment(now, rules),
            Due::Further => {
                if self.expire(now, self.active) {
                    self.due = Some((now, Due::Further));
                    return None;
                }
                let next = self.choose(now);
                let (to, left) = self.burst;
                if left > 0 && next.is_some_and(|mpdu| mpdu.to == to) {
                    self.burst.1 -= 1;
                    self.note_begun(now);
                    return self.data(rules);
                }
                self.burst.1 = 0;
                if next.is_some_and(|mpdu| now + self.length(&mpdu, rules) <= self.txop_end) {
                    return self.begin(now, rules);
                }
                self.contenders[self.active].draw(now, &mut self.random);
                self.exchange = Exchange::None;
                None
            }
        }
    }

    /// How long the exchange of a frame takes.
    fn length(&self, mpdu: &Mpdu, rules: &Rules) -> Span {
        self.opening_length(mpdu, rules) + Self::data_length(mpdu, rules)
    }

    /// Time of a frame, and of its ACK if it has one.
    pub(super) fn data_length(mpdu: &Mpdu, rules: &Rules) -> Span {
        if mpdu.to == NodeId::BROADCAST {
            return rules.timing.frame(mpdu.mode, mpdu.bytes);
        }
        acknowledged(mpdu.mode, mpdu.bytes, rules)
    }

    /// The mode that an RTS goes by instead of its data's, after a packet all of whose RTS stayed
    /// unanswered. No rate control counts a missing CTS: an RTS that went by the data's mode for good
    /// would keep a link silent whose SNR has fallen below it.
    pub(super) fn fallback_mode(&self, to: NodeId) -> Option<Mode> {
        self.slowest.filter(|_| self.unanswered.contains(&to))
    }

    /// Mode of a frame's RTS if the rate control has one; else it is that of the answers to the data.
    pub(super) fn own_rts_mode(&self) -> Option<Mode> {
        self.rate.rts_mode()
    }

    pub(super) fn rts(&self, mpdu: &Mpdu, mode: Mode, rules: &Rules) -> Frame {
        let timing = &rules.timing;
        let sifs = timing.sifs;
        let data = acknowledged(mpdu.mode, mpdu.bytes, rules);
        let asks = self.rate.rts_mode().is_some();
        Frame {
            kind: Kind::Rts,
            class: Class::Rts,
            from: self.id,
            to: mpdu.to,
            mode,
            bytes: RTS_BYTES,
            duration: sifs + timing.cts(mode) + sifs + data,
            category: u8::narrow(self.active),
            sequence: 0,
            fragment: 0,
            more_fragments: false,
            // The bit is of data and management frames; in control frames it is 0 (clause 8.2.4.1.6).
            retry: false,
            grant: asks.then_some(Grant { mode: mpdu.mode, bytes: mpdu.bytes }),
        }
    }

    pub(super) fn data(&mut self, rules: &Rules) -> Option<Frame> {
        let timing = &rules.timing;
        let further = self.reserves_further(self.contenders[self.active].mpdu.as_ref()?, rules);
        let mpdu = self.contenders[self.active].mpdu.as_mut()?;
        let retry = mpdu.tries > 0;
        mpdu.tries += 1;
        mpdu.sent += 1;
        let unicast = mpdu.to != NodeId::BROADCAST;
        let duration = timing.sifs + timing.ack(mpdu.mode) + further;
        Some(Frame {
            kind: match mpdu.class {
                Class::Beacon => Kind::Beacon,
                class if class.is_management() => Kind::Management,
                _ => Kind::Data,
            },
            class: mpdu.class,
            from: self.id,
            to: mpdu.to,
            mode: mpdu.mode,
            bytes: mpdu.bytes,
            duration: if unicast { duration } else { Span::ZERO },
            category: u8::narrow(self.active),
            sequence: mpdu.sequence,
            fragment: mpdu.part.number,
            more_fragments: mpdu.part.has_next(),
            retry,
            grant: None,
        })
    }

    /// A frame of its own has ended.
    pub(crate) fn on_tx_end(&mut self, now: Nanos, frame: &Frame, rules: &Rules) {
        let answer = match frame.kind {
            Kind::Cts if frame.to == self.id => {
                self.due = Some((now + rules.timing.sifs, Due::Cleared));
                return;
            }
            Kind::Ack | Kind::Cts => return,
            Kind::Rts => Kind::Cts,
            Kind::Data | Kind::Beacon if frame.to == NodeId::BROADCAST => {
                self.succeed(now, rules);
                return;
            }
            Kind::Data | Kind::Beacon | Kind::Management => Kind::Ack,
        };
        let until = now + rules.timing.ack_timeout(frame.mode);
        self.exchange = Exchange::Awaiting { answer, until, heard: Nanos::NEVER };
    }
}

/// Time of a data frame and its ACK.
pub(super) fn acknowledged(mode: Mode, bytes: u32, rules: &Rules) -> Span {
    let timing = &rules.timing;
    timing.frame(mode, bytes) + timing.sifs + timing.ack(mode)
}
