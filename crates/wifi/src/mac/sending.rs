//! Frame exchanges: frames that follow one another after SIFS.
//!
//! ```text
//! access -> [RTS -> SIFS -> CTS -> SIFS ->] DATA -> SIFS -> ACK -> back-off
//! ```
//! The frame before the data is in `protection.rs`, the receiver's answer in `answer.rs`, and the end
//! of an exchange in `outcome.rs`. Source: IEEE 802.11-2012 clauses 9.3.2.6 (CTS), 9.3.2.8 (ACK),
//! 9.19.2.4 (transmission opportunities).

use airtcp_units::{Nanos, Narrow, Span};

use super::exchange::{Due, Exchange};
use super::{Class, Frame, Grant, Kind, Mpdu, Rules, Station};
use crate::node::NodeId;
use crate::phy::{Mode, RIFS, Timing};
use crate::rate::RateControl;

impl Station {
    /// The first frame of an exchange: RTS, CTS-to-self, or data.
    pub(super) fn begin_exchange(&mut self, now: Nanos, rules: &Rules) -> Option<Frame> {
        let mpdu = self.choose_mode(now)?;
        self.record_first_attempt(now);
        if let Some(hooks) = &mut self.hooks {
            hooks.on_begin(mpdu.to);
        }
        if self.is_in_session(&mpdu) {
            return self.prepare(now, &mpdu, rules);
        }
        self.preceding_frame(&mpdu.alone(), rules).or_else(|| self.data(rules))
    }

    /// Records the start of the packet's first attempt.
    pub(super) fn record_first_attempt(&mut self, now: Nanos) {
        if let Some(mpdu) = self.contenders[self.active].mpdu.as_mut() {
            mpdu.first_attempt = mpdu.first_attempt.min(now);
        }
    }

    /// The frame at the head of the active category, with the rate of its next attempt.
    pub(super) fn choose_mode(&mut self, now: Nanos) -> Option<Mpdu> {
        let head = self.contenders[self.active].mpdu.as_ref()?;
        if !head.class.is_management() && !head.is_bar() {
            let next = self.next_attempt(now, self.active)?;
            let chosen = self.rates.control.pick(&next);
            let widths = self.widths.as_mut();
            let mode = widths.map_or(chosen, |widths| widths.narrowed(chosen));
            self.contenders[self.active].mpdu.as_mut()?.mode = mode;
        }
        self.contenders[self.active].mpdu
    }

    /// The frame that was due SIFS after the previous one.
    pub(super) fn send_due(&mut self, now: Nanos, due: Due, rules: &Rules) -> Option<Frame> {
        match due {
            Due::Answer(frame) => Some(frame),
            Due::DataAfterCts => self.data(rules),
            Due::Fragment => self.next_fragment(now, rules),
            Due::Triggered => self.begin_triggered(now, rules),
            Due::Unacknowledged => {
                self.complete(now, false, rules);
                None
            }
            Due::NextInTxop => {
                if self.expire(now, self.active) {
                    self.due = Some((now, Due::NextInTxop));
                    return None;
                }
                let next = self.choose_mode(now);
                let (to, left) = self.burst;
                if left > 0 && next.is_some_and(|mpdu| mpdu.to == to) {
                    self.burst.1 -= 1;
                    self.record_first_attempt(now);
                    return self.data(rules);
                }
                self.burst.1 = 0;
                let allowed = |mpdu: &Mpdu| {
                    self.hooks.as_ref().is_none_or(|hooks| hooks.allows(self.active, mpdu))
                };
                if next.map(|mpdu| mpdu.alone()).is_some_and(|mpdu| {
                    now + self.exchange_time(&mpdu, rules) <= self.txop_end && allowed(&mpdu)
                }) {
                    return self.begin_exchange(now, rules);
                }
                self.contenders[self.active].draw(now, &mut self.random);
                self.exchange = Exchange::None;
                None
            }
        }
    }

    /// Duration of the exchange of a data frame.
    pub(super) fn exchange_time(&self, mpdu: &Mpdu, rules: &Rules) -> Span {
        self.preceding_time(mpdu, rules) + self.data_time(mpdu, rules)
    }

    /// True if the receiver of a frame of the active category sends no MAC ACK.
    fn is_unacknowledged(&self, mpdu: &Mpdu) -> bool {
        self.hooks.as_ref().is_some_and(|hooks| hooks.is_unacknowledged(self.active, mpdu))
    }

    /// Duration of a data frame, with SIFS and ACK unless it has none.
    pub(super) fn data_time(&self, mpdu: &Mpdu, rules: &Rules) -> Span {
        if mpdu.to == NodeId::BROADCAST || self.is_unacknowledged(mpdu) {
            return rules.timing.frame(mpdu.mode, mpdu.bytes);
        }
        if mpdu.block_ack > 0 {
            return rules.timing.frame(mpdu.mode, mpdu.bytes) + answer_time(mpdu, rules);
        }
        data_and_ack_time(mpdu.mode, mpdu.bytes, rules)
    }

    pub(super) fn rts(&self, mpdu: &Mpdu, mode: Mode, rules: &Rules) -> Frame {
        let Timing { sifs, .. } = rules.timing;
        let data = self.data_time(mpdu, rules);
        let duration = sifs + rules.timing.cts(mode) + sifs + data;
        let category = u8::narrow(self.active);
        let asks = self.rates.control.rts_mode().is_some();
        Frame {
            grant: asks.then_some(Grant { mode: mpdu.mode, bytes: mpdu.bytes }),
            ..Frame::control(Kind::Rts, self.id, mpdu.to, mode, duration, category)
        }
    }

    pub(super) fn data(&mut self, rules: &Rules) -> Option<Frame> {
        if self.originator.is_some()
            && let Some(frame) = self.aggregate(rules)
        {
            return Some(frame);
        }
        let timing = &rules.timing;
        let reverse = self.is_reverse();
        let head = self.contenders[self.active].mpdu.as_ref()?;
        let further = self.further_reservation(head, rules);
        let no_ack = self.is_unacknowledged(head);
        let bytes = head.alone().bytes;
        let mpdu = self.contenders[self.active].mpdu.as_mut()?;
        let retry = mpdu.transmissions > 0;
        mpdu.transmissions += 1;
        mpdu.all_transmissions += 1;
        let is_answered = mpdu.to != NodeId::BROADCAST && !no_ack;
        let duration = timing.sifs + timing.ack(mpdu.mode) + further;
        let grant = reverse.then_some(Grant { mode: mpdu.mode, bytes });
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
            bytes,
            duration: if is_answered { duration } else { Span::ZERO },
            category: u8::narrow(self.active),
            sequence: mpdu.sequence,
            fragment: mpdu.part.number,
            more_fragments: mpdu.part.has_next(),
            subframes: 0,
            retry,
            no_ack,
            grant,
            multi_user: None,
            report: None,
            width: None,
        })
    }

    /// Continues the exchange at the end of the station's own frame.
    pub(crate) fn on_tx_end(&mut self, now: Nanos, frame: &Frame, rules: &Rules) {
        let answer = match frame.kind {
            Kind::Cts if frame.to == self.id => {
                self.due = Some((now + rules.timing.sifs, Due::DataAfterCts));
                return;
            }
            Kind::Ack => {
                self.await_reverse_cts(now, frame, rules);
                return;
            }
            Kind::MultiBlockAck => {
                self.finish_uplink(now, rules);
                return;
            }
            Kind::MultiUser | Kind::Trigger => {
                self.await_group(now, frame.kind, rules);
                return;
            }
            Kind::Data | Kind::BlockAckReq if frame.multi_user.is_some() => Kind::MultiBlockAck,
            Kind::Cts | Kind::BlockAck => return,
            Kind::Rts => Kind::Cts,
            Kind::BlockAckReq => Kind::BlockAck,
            Kind::Data if frame.subframes > 1 => Kind::BlockAck,
            Kind::Data if frame.no_ack => {
                self.due = Some((now + RIFS, Due::Unacknowledged));
                return;
            }
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

/// SIFS and the answer to a PPDU.
pub(super) fn answer_time(ppdu: &Mpdu, rules: &Rules) -> Span {
    let timing = &rules.timing;
    let answer = match ppdu.block_ack {
        0 => timing.ack(ppdu.mode),
        bytes => timing.frame(timing.answer_mode(ppdu.mode), bytes),
    };
    timing.sifs + answer
}

/// Duration of a data frame, SIFS and its ACK.
pub(super) fn data_and_ack_time(mode: Mode, bytes: u32, rules: &Rules) -> Span {
    let timing = &rules.timing;
    timing.frame(mode, bytes) + timing.sifs + timing.ack(mode)
}
