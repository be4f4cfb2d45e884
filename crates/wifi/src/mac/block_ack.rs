//! The end of the exchange of an aggregate: what the BlockAck acknowledges, or what its absence costs.
//!
//! ```text
//! BlockAck        MPDUs that the receiver has are finished; the others of the PPDU count a failed attempt
//! no BlockAck     all MPDUs of the PPDU count a failed attempt, and the window doubles
//! no CTS          all MPDUs of the PPDU count a failed attempt without data
//! ```
//! An MPDU at its limit of attempts is given up, and the others stay in order, or wait for the next turn of their
//! receiver (`repeats.rs`). A BlockAck with holes is a
//! success for the back-off. `attempts` failed PPDUs in a row, or `attempts_long` of those after RTS, reset the
//! window, as the retry limits of a single frame do (QSRC, QLRC); the answer to a BlockAckReq does not end such a
//! row. The bitmap of a BlockAck holds all that the receiver has of the window, also MPDUs whose
//! BlockAck was lost; here the receiver marks them at the sender when it decodes them ([`Mpdu::packet`]).
//!
//! Source: IEEE 802.11-2020 clauses 10.23.2.12 (retransmission, retry counts), 10.25.6.7 (originator).

use airtcp_units::{Nanos, Narrow};

use super::exchange::Completion;
use super::{Mpdu, Rules, Station};
use crate::node::NodeId;
use crate::rate::Ending;

impl Station {
    /// Handles the answer to the PPDU of the active category. False if its head is not of a session.
    pub(super) fn acknowledge(&mut self, now: Nanos, rules: &Rules) -> bool {
        let category = self.active;
        let Some(head) = self.contenders[category].mpdu else { return false };
        if !self.is_in_session(&head) {
            return false;
        }
        let Some(lane) = self.originator.as_mut().and_then(|o| o.lanes.get_mut(category)) else {
            return false;
        };
        let on_air = if head.is_bar() { 0 } else { lane.on_air.max(1) };
        let alone = on_air == 1;
        if on_air > 0 {
            (lane.failures, lane.failures_long) = (0, 0);
        }
        let ppdu = self.ppdu().unwrap_or(head);
        let long = rules.wants_rts(ppdu.bytes);
        let Some(lane) = self.originator.as_mut().and_then(|o| o.lanes.get_mut(category)) else {
            return false;
        };
        let mut first = (!head.is_bar()).then_some(head);
        let all = usize::from(first.is_some()) + lane.waiting.len();
        self.contenders[category].mpdu = None;
        self.rates.heard_from(head.to);
        let (mut lost, mut acknowledged, mut newest) = (false, 0, None);
        for number in 0..all {
            let Some(mut mpdu) = first.take().or_else(|| self.pop_waiting(category)) else { break };
            let sent = number < on_air;
            mpdu.mode = if sent { head.mode } else { mpdu.mode };
            if sent && (mpdu.packet.is_none() || alone) {
                acknowledged += 1;
                newest = Some(mpdu.sequence);
            }
            if mpdu.packet.is_none() || sent && alone {
                self.finish(category, mpdu, Completion::Acknowledged);
            } else if !sent {
                self.keep(category, mpdu);
            } else {
                lost |= self.count_attempt(category, mpdu, long, rules);
            }
        }
        let counts = (u32::narrow(on_air), acknowledged);
        if on_air > 0 {
            self.report(now, category, &head, Ending::Acknowledged, counts, rules.mac.attempts);
        }
        let pending = self.confirm(category, head.to, newest);
        self.advance_lane(category);
        if pending || self.asks(lost, false) {
            self.ask(now, category, head.to, rules);
        }
        self.park_for_turn(category);
        true
    }

    /// Records what an answer says of the receiver's window: it has the MPDU `newest`, or without one it has
    /// taken the start that a BlockAckReq named. True if a BlockAckReq is still to be answered.
    fn confirm(&mut self, category: usize, to: NodeId, newest: Option<u16>) -> bool {
        let start = self.window_start(to);
        let Some(originator) = &mut self.originator else { return false };
        let agreement = originator.agreement(to, category);
        agreement.confirm(newest.unwrap_or(start));
        std::mem::take(&mut agreement.bar_pending) && newest.is_some()
    }

    /// Handles a missing answer (`tried`), or an internal collision, of a category. False if its head is not of
    /// a session.
    pub(super) fn lose(
        &mut self,
        now: Nanos,
        category: usize,
        data_sent: bool,
        tried: bool,
        rules: &Rules,
    ) -> bool {
        let Some(head) = self.contenders[category].mpdu else { return false };
        if !self.is_in_session(&head) {
            return false;
        }
        let ppdu = self.ppdu().filter(|_| tried).unwrap_or(head);
        let Some(lane) = self.originator.as_mut().and_then(|o| o.lanes.get_mut(category)) else {
            return false;
        };
        let on_air = if tried { lane.on_air.max(1) } else { 1 };
        let long = data_sent && rules.wants_rts(ppdu.bytes);
        let (failures, limit) = if long {
            (&mut lane.failures_long, rules.mac.attempts_long)
        } else {
            (&mut lane.failures, rules.mac.attempts)
        };
        *failures += 1;
        let exhausted = *failures >= limit;
        if exhausted {
            (lane.failures, lane.failures_long) = (0, 0);
        }
        let mut first = Some(head);
        let all = 1 + lane.waiting.len();
        self.contenders[category].mpdu = None;
        let mut lost = false;
        for number in 0..all {
            let Some(mut mpdu) = first.take().or_else(|| self.pop_waiting(category)) else { break };
            if number >= on_air {
                self.keep(category, mpdu);
                continue;
            }
            mpdu.mode = head.mode;
            lost |= self.count_attempt(category, mpdu, long, rules);
        }
        self.advance_lane(category);
        if tried && !data_sent {
            if lost {
                self.rates.rts_failed(head.to);
            }
            self.report_no_cts(now, category, &head, exhausted);
        } else if tried && !head.is_bar() {
            let counts = (u32::narrow(on_air), 0);
            self.report(now, category, &head, Ending::NoAck, counts, limit);
        }
        self.back_off_after_failure(now, category, exhausted, rules);
        if self.asks(lost, data_sent && !head.is_bar()) {
            self.ask(now, category, head.to, rules);
        }
        if tried {
            self.park_for_turn(category);
        }
        self.next_management(now, rules);
        true
    }

    /// Ends a triggered transmission of a category: MPDUs that the access point has are finished, and the others count a
    /// failed attempt. The back-off does not change.
    pub(super) fn settle_triggered(
        &mut self,
        now: Nanos,
        category: usize,
        acknowledged: bool,
        rules: &Rules,
    ) {
        let Some(head) = self.contenders[category].mpdu.take() else { return };
        let Some(lane) = self.originator.as_mut().and_then(|o| o.lanes.get_mut(category)) else {
            return;
        };
        let on_air = lane.on_air.max(1);
        let mut first = Some(head);
        let all = 1 + lane.waiting.len();
        let (mut lost, mut count, mut newest) = (false, 0, None);
        for number in 0..all {
            let Some(mut mpdu) = first.take().or_else(|| self.pop_waiting(category)) else { break };
            if number >= on_air {
                self.keep(category, mpdu);
                continue;
            }
            mpdu.mode = head.mode;
            if !(acknowledged && (mpdu.packet.is_none() || mpdu.is_bar())) {
                lost |= self.count_attempt(category, mpdu, false, rules);
            } else if !mpdu.is_bar() {
                (count, newest) = (count + 1, Some(mpdu.sequence));
                self.finish(category, mpdu, Completion::Acknowledged);
            }
        }
        if !head.is_bar() {
            let ending = if acknowledged { Ending::Acknowledged } else { Ending::NoAck };
            let counts = (u32::narrow(on_air), count);
            self.report(now, category, &head, ending, counts, rules.mac.attempts);
        }
        let pending = acknowledged && self.confirm(category, head.to, newest);
        self.advance_lane(category);
        if pending || self.asks(lost, !acknowledged && !head.is_bar()) {
            self.ask(now, category, head.to, rules);
        }
        self.next_management(now, rules);
    }

    /// Counts a failed attempt of an MPDU that has left its lane, and keeps or gives up the MPDU. True if it
    /// is given up.
    fn count_attempt(
        &mut self,
        category: usize,
        mut mpdu: Mpdu,
        long: bool,
        rules: &Rules,
    ) -> bool {
        let limit = self.fails_for_good(&mut mpdu, long, rules);
        if !limit {
            self.keep(category, mpdu);
        } else if !mpdu.is_bar() {
            self.finish(category, mpdu, Completion::GivenUp);
        } else if let Some(originator) = &mut self.originator {
            originator.agreement(mpdu.to, category).bar_pending = true;
        }
        limit && !mpdu.is_bar()
    }

    /// The first MPDU behind the head. Those that [`Self::keep`] keeps come behind all others.
    #[inline]
    fn pop_waiting(&mut self, category: usize) -> Option<Mpdu> {
        self.originator.as_mut()?.lanes.get_mut(category)?.waiting.pop_front()
    }

    fn keep(&mut self, category: usize, mpdu: Mpdu) {
        if let Some(lane) = self.originator.as_mut().and_then(|o| o.lanes.get_mut(category)) {
            lane.waiting.push_back(mpdu);
        }
    }
}
