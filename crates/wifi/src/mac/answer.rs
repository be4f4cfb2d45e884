//! Received frames: answers to the station's own frames, the answers that it must send, and the NAV.
//!
//! Source: IEEE 802.11-2012 clauses 9.3.2.4 (NAV), 9.3.2.6 (CTS), 9.3.2.8 (ACK), 9.3.2.10
//! (duplicates).

use airtcp_units::{Nanos, Span};

use super::aggregation::{BLOCK_ACK_BYTES, LONG_BITMAP, bitmap_bytes};
use super::exchange::{Due, Exchange};
use super::sending::data_and_ack_time;
use super::{CATEGORIES, Frame, Grant, Kind, Rules, SignalQuality, Station};
use crate::node::NodeId;
use crate::phy::Mode;
use crate::rate::RateControl;

impl Station {
    /// Handles a frame received without error. Returns true if the frame completes a packet for this
    /// station that it has not received before.
    pub(crate) fn on_rx(
        &mut self,
        now: Nanos,
        frame: &Frame,
        how: SignalQuality,
        rules: &Rules,
    ) -> bool {
        self.view.eifs = Span::ZERO;
        if self.rates.control.learns_from_receptions() {
            self.rates.control.on_rx(now, frame.from, frame.own_hz(), how.snr);
        }
        if frame.kind == Kind::Beacon {
            self.on_beacon(now, frame.from, rules);
        }
        if let Exchange::Awaiting { answer, heard, .. } = self.exchange {
            let answered = frame.to == self.id && frame.kind == answer;
            if answered && answer != Kind::Cts {
                self.succeed(now, rules);
                self.grant_reverse(now, frame, rules);
                return false;
            }
            if answered {
                self.exchange = Exchange::Sending;
                self.due = Some((now + rules.timing.sifs, Due::DataAfterCts));
                if let Some(grant) = frame.grant {
                    self.granted(now, frame.from, grant.mode);
                }
                return false;
            }
            // Clause 9.3.2.8: any other frame in place of the answer is a failure, and is then
            // processed.
            if heard <= now || frame.to == self.id {
                self.fail(now, rules);
            }
        }
        if frame.to == self.id {
            return self.on_rx_addressed(now, frame, how, rules);
        }
        if frame.duration > Span::ZERO {
            let corrects = self.rates.control.rts_mode().is_some();
            self.view.reserve(now, frame, corrects, rules);
            self.keep_nav_of_others(now + frame.duration, frame.from);
        }
        frame.to == NodeId::BROADCAST && frame.kind == Kind::Data
    }

    /// Takes the rate that the receiver chose (RBAR) and the number of frames it allows (OAR).
    fn granted(&mut self, now: Nanos, to: NodeId, mode: Mode) {
        self.rates.control.on_grant(to, mode);
        if let Some(mpdu) = self.choose_mode(now) {
            self.burst = (to, self.rates.control.burst(mpdu.mode).saturating_sub(1));
        }
    }

    fn on_rx_addressed(
        &mut self,
        now: Nanos,
        frame: &Frame,
        how: SignalQuality,
        rules: &Rules,
    ) -> bool {
        if frame.no_ack {
            return self.numbers.completes_new_packet(frame, usize::from(frame.category));
        }
        if self.due.is_some() {
            // An answer is already due: a second frame gets none.
            return false;
        }
        let timing = &rules.timing;
        let kind = match frame.kind {
            Kind::Data if frame.subframes > 1 => Kind::BlockAck,
            Kind::BlockAckReq => Kind::BlockAck,
            Kind::Data | Kind::Management => Kind::Ack,
            // Clause 9.3.2.6: no CTS while another station has reserved the medium.
            Kind::Rts if self.view.nav <= now && self.exchange == Exchange::None => Kind::Cts,
            _ => return false,
        };
        let mode = timing.answer_mode(frame.mode);
        let mut answer =
            Frame::control(kind, self.id, frame.from, mode, Span::ZERO, frame.category);
        if kind == Kind::BlockAck {
            answer.bytes = match frame.kind {
                Kind::BlockAckReq if frame.fragment == LONG_BITMAP => bitmap_bytes(256),
                Kind::BlockAckReq => BLOCK_ACK_BYTES,
                _ => rules.block_ack_bytes(frame.mode),
            };
        }
        answer.width = frame.answer_width();
        let answer_time = timing.sifs + timing.frame(mode, answer.bytes);
        answer.duration = frame.duration.saturating_sub(answer_time);
        if frame.kind == Kind::Rts
            && let Some(asked) = frame.grant
            && let Some(mode) = self.rates.control.grant(frame.from, how.sinr, asked.bytes)
        {
            answer.duration = timing.sifs + data_and_ack_time(mode, asked.bytes, rules);
            answer.grant = Some(Grant { mode, ..asked });
        }
        self.reserve_reverse(now, frame, &mut answer, rules);
        self.due = Some((now + timing.sifs, Due::Answer(answer)));
        if self.originator.is_some() && frame.kind == Kind::Data {
            // The reorder buffer detects duplicates.
            return true;
        }
        let sequences = match frame.kind {
            Kind::Data => usize::from(frame.category),
            Kind::Management => CATEGORIES,
            _ => return false,
        };
        let new = self.numbers.completes_new_packet(frame, sequences);
        if frame.kind == Kind::Management && new {
            self.on_management(now, frame, rules);
        }
        new && frame.kind == Kind::Data
    }

    /// Handles a multi-user PPDU or a control frame for several stations, of which the station decoded the preamble.
    pub(crate) fn on_rx_preamble(
        &mut self,
        now: Nanos,
        frame: &Frame,
        how: SignalQuality,
        rules: &Rules,
    ) {
        self.view.eifs = Span::ZERO;
        if self.rates.control.learns_from_receptions() {
            self.rates.control.on_rx(now, frame.from, frame.own_hz(), how.snr);
        }
        if let Exchange::Awaiting { heard, .. } = self.exchange
            && heard <= now
        {
            self.fail(now, rules);
        }
        if frame.duration > Span::ZERO {
            self.view.reserve(now, frame, false, rules);
            self.keep_nav_of_others(now + frame.duration, frame.from);
        }
    }

    /// Answers an HE MU PPDU with a BlockAck in an HE TB PPDU.
    pub(crate) fn answer_group(&mut self, now: Nanos, answer: Frame, rules: &Rules) {
        if matches!(self.exchange, Exchange::Awaiting { .. }) {
            self.fail(now, rules);
        }
        if self.due.is_none() {
            self.due = Some((now + rules.timing.sifs, Due::Answer(answer)));
        }
    }

    /// Handles a frame that the radio received but could not decode, or lost to a stronger one.
    /// EIFS follows if the radio noticed the frame.
    pub(crate) fn on_rx_error(&mut self, now: Nanos, noticed: bool, rules: &Rules) {
        self.view.eifs = if noticed { rules.eifs_extra() } else { Span::ZERO };
        if let Exchange::Awaiting { heard, .. } = self.exchange
            && heard <= now
        {
            self.fail(now, rules);
        }
    }
}
