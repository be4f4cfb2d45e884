//! Triggered transmissions at a station: reports of its queue, responses to trigger frames, and MU EDCA.
//!
//! The rules are at the head of `mu_uplink.rs`.

use airtcp_units::{Nanos, Narrow, Span};

use super::times::{TbGrant, USUAL_BYTES};
use crate::mac::aggregation::{Aggregation, BLOCK_ACK_BYTES, LONG_BITMAP};
use crate::mac::exchange::{Due, Exchange};
use crate::mac::originator::{Room, distance};
use crate::mac::{Class, Frame, Kind, Mpdu, Rules, Station};
use crate::node::NodeId;
use crate::phy::Mode;
use crate::rate::{Attempt, RateControl};

impl Station {
    /// Takes the bytes in an A-MPDU of the packets in the station's queue.
    pub(crate) fn set_queued(&mut self, category: usize, bytes: u64) {
        if let Some(queued) =
            self.multi_user.triggered_mut().and_then(|mu| mu.queued.get_mut(category))
        {
            *queued = bytes;
        }
    }

    /// True if the station reports its queue to the access point.
    pub(crate) const fn reports(&self) -> bool {
        self.multi_user.is_triggered()
    }

    /// The report in a data frame that carries the first `on_air` MPDUs of a category.
    pub(in crate::mac) fn queue_report(
        &self,
        category: usize,
        on_air: usize,
        mode: Mode,
    ) -> Option<u64> {
        let mu = self.multi_user.triggered()?;
        let rules = self.originator.as_ref()?.rules;
        let held = self.subframes(category, usize::MAX).skip(on_air);
        let held: u64 = held.map(|mpdu| u64::from(rules.stride(mpdu.bytes, mode))).sum();
        Some(held + mu.queued.get(category).copied().unwrap_or_default())
    }

    /// The mode of the data that the station would send now in a category.
    pub(crate) fn mode_if_triggered(&mut self, now: Nanos, category: usize) -> Option<Mode> {
        let to = self.multi_user.triggered()?.access_point;
        let head = self.contenders.get(category)?.mpdu.as_ref();
        let next = if head.is_some_and(|head| !head.is_bar()) {
            self.next_attempt(now, category)?
        } else {
            Attempt { now, to, category: u8::narrow(category), bytes: USUAL_BYTES, number: 0 }
        };
        Some(self.rates.control.pick(&next))
    }

    /// Takes the mode of a grant for the head. A PPDU for which rate control would by now choose another mode is no
    /// sample.
    fn take_granted_mode(&mut self, now: Nanos, grant: &TbGrant) {
        let TbGrant { category, chosen, .. } = *grant;
        if self.contenders[category].mpdu.as_ref().is_none_or(Mpdu::is_bar) {
            return;
        }
        let Some(next) = self.next_attempt(now, category) else { return };
        let changed = self.rates.control.pick(&next) != chosen;
        if let Some(lane) = self.originator.as_mut().and_then(|o| o.lanes.get_mut(category)) {
            lane.series.single &= !changed;
        }
        if let Some(widths) = &mut self.widths {
            widths.forget_chosen();
        }
        if let Some(head) = &mut self.contenders[category].mpdu {
            head.mode = chosen;
        }
    }

    /// Keeps the end of a reservation of another cell, which prevents responses to triggers.
    pub(in crate::mac) fn keep_nav_of_others(&mut self, until: Nanos, from: NodeId) {
        if let Some(mu) = self.multi_user.triggered_mut().filter(|mu| !mu.cell.contains(&from.0)) {
            mu.nav_of_others = mu.nav_of_others.max(until);
        }
    }

    /// Ends the reservation of another cell, if it is the one that the station has just dropped.
    pub(in crate::mac) fn reset_nav_of_others(&mut self, now: Nanos) {
        let by = self.view.nav_by.0;
        if let Some(mu) = self.multi_user.triggered_mut().filter(|mu| !mu.cell.contains(&by)) {
            mu.nav_of_others = mu.nav_of_others.min(now);
        }
    }

    /// Handles a trigger frame that addresses the station: it sends SIFS later, if it has MPDUs.
    pub(crate) fn on_trigger(&mut self, now: Nanos, grant: TbGrant, rules: &Rules) {
        self.view.eifs = Span::ZERO;
        let Some(mu) = self.multi_user.triggered_mut() else { return };
        let head = self.contenders.get(grant.category).and_then(|c| c.mpdu.as_ref());
        let ready = head.is_some_and(|mpdu| mpdu.to == mu.access_point);
        if self.exchange != Exchange::None || self.due.is_some() || !ready || !self.may_send() {
            return;
        }
        if let Some(mu) = self.multi_user.triggered_mut() {
            mu.grant = Some(grant);
            self.due = Some((now + rules.timing.sifs, Due::Triggered));
        }
    }

    /// Prepares the triggered transmission of this instant, if the medium permits it. Returns a frame in its place,
    /// which [`Self::compose_triggered`] replaces.
    pub(in crate::mac) fn begin_triggered(&mut self, now: Nanos, rules: &Rules) -> Option<Frame> {
        let mu = self.multi_user.triggered_mut()?;
        let grant = mu.grant?;
        let reserved = self.view.nav > now && mu.nav_of_others > now;
        let permitted = self.view.silent_from != Nanos::NEVER && !reserved;
        if !permitted || self.expire(now, grant.category) {
            if let Some(mu) = self.multi_user.triggered_mut() {
                mu.grant = None;
            }
            return None;
        }
        self.active = grant.category;
        self.exchange = Exchange::Sending;
        self.txop_end = now;
        self.take_granted_mode(now, &grant);
        self.record_first_attempt(now);
        self.expire_waiting(now, grant.category);
        self.renew_session(grant.category);
        self.reserve_triggered(&grant, rules);
        Some(Frame::control(
            Kind::Rts,
            self.id,
            NodeId::BROADCAST,
            rules.timing.lowest(),
            Span::ZERO,
            0,
        ))
    }

    /// Begins a new session with the receiver of the head where its window could have fallen behind.
    fn renew_session(&mut self, category: usize) {
        let Some(head) = self.contenders[category].mpdu else { return };
        let first = if head.is_bar() { self.window_start(head.to) } else { head.sequence };
        let Some(originator) = &mut self.originator else { return };
        let window = originator.rules.window(head.mode);
        let agreement = originator.agreement(head.to, category);
        agreement.renew(first);
        if !head.is_bar() {
            agreement.window = window;
        }
    }

    /// Chooses the MPDUs that fit into a triggered PPDU, and the room for others.
    fn reserve_triggered(&mut self, grant: &TbGrant, all_rules: &Rules) {
        let TbGrant { category, mode, .. } = *grant;
        let Some(head) = self.contenders[category].mpdu else { return };
        let narrows = self.widths.is_some();
        let Some(originator) = &mut self.originator else { return };
        let alone = originator.longest_alone(head.to, head.mode, narrows, all_rules);
        let rules = originator.rules;
        let (window, bytes) = (rules.window(mode), rules.most_bytes(mode).min(grant.bytes));
        let lane = &mut originator.lanes[category];
        let window = if lane.series.single { 1 } else { window };
        let all = 1 + lane.waiting.len();
        let mut before = 0;
        lane.on_air = 0;
        for mpdu in std::iter::once(&head).chain(&lane.waiting) {
            let in_window = head.is_bar() || distance(head.sequence, mpdu.sequence) < window;
            if !in_window || Aggregation::with_last(before, mpdu.bytes) > bytes {
                break;
            }
            before += rules.stride(mpdu.bytes, mode);
            lane.on_air += 1;
            if head.is_bar() {
                break;
            }
        }
        let span = distance(head.sequence, originator.upcoming(head.to, category));
        let complete = head.is_bar() || originator.lanes[category].on_air < all;
        let mpdus = if complete { 0 } else { usize::from(window.saturating_sub(span)) };
        // No packet joins an MPDU that waits (A-MSDU).
        let (open, several) = (0, false);
        let to = head.to;
        originator.room =
            Some(Room { category, to, mode, before, bytes, mpdus, open, alone, several });
    }

    /// True while a triggered transmission is being prepared or waits for its answer.
    pub(in crate::mac) fn is_triggered(&self) -> bool {
        self.multi_user.triggered().is_some_and(|mu| mu.grant.is_some())
    }

    /// The triggered PPDU of this instant; `None` if no MPDU fits.
    pub(in crate::mac) fn compose_triggered(&mut self, rules: &Rules) -> Option<Frame> {
        let grant = self.multi_user.triggered()?.grant?;
        let TbGrant { category, mode, .. } = grant;
        let on_air = self.originator.as_ref()?.lanes[category].on_air;
        let head = self.contenders[category].mpdu?;
        if on_air == 0 {
            return None;
        }
        let report = self.queue_report(category, on_air, mode);
        let sequence = if head.is_bar() { self.window_start(head.to) } else { head.sequence };
        for number in 0..on_air {
            if let Some(mpdu) = self.subframe(category, number) {
                mpdu.transmissions += 1;
                mpdu.all_transmissions += 1;
            }
        }
        let lengths = self.subframes(category, on_air).map(|mpdu| mpdu.bytes);
        let last = crate::mac::places(lengths, rules.aggregation.as_ref()?, mode).last();
        let usual =
            Frame::control(Kind::Data, self.id, head.to, mode, grant.after, u8::narrow(category));
        let (kind, class) = if head.is_bar() {
            (Kind::BlockAckReq, Class::BlockAckReq)
        } else {
            (Kind::Data, head.class)
        };
        Some(Frame {
            kind,
            class,
            fragment: if head.block_ack > BLOCK_ACK_BYTES { LONG_BITMAP } else { 0 },
            bytes: last.map_or(0, |(_, end)| end),
            sequence,
            subframes: if on_air > 1 { u16::narrow(on_air) } else { 0 },
            retry: head.transmissions > 0,
            multi_user: Some(grant.times),
            report,
            ..usual
        })
    }

    /// Gives up a triggered transmission that has nothing to send.
    pub(in crate::mac) fn cancel_triggered(&mut self) {
        if let Some(mu) = self.multi_user.triggered_mut() {
            mu.grant = None;
        }
        self.exchange = Exchange::None;
    }

    /// Handles the Multi-STA BlockAck that acknowledges the station's triggered PPDU. False if it waits for none.
    pub(crate) fn on_multi_block_ack(&mut self, now: Nanos, rules: &Rules) -> bool {
        let waits = matches!(self.exchange, Exchange::Awaiting { answer: Kind::MultiBlockAck, .. });
        if !waits {
            return false;
        }
        self.view.eifs = Span::ZERO;
        self.exchange = Exchange::None;
        let category = self.active;
        if let Some(mu) = self.multi_user.triggered_mut() {
            mu.grant = None;
        }
        self.settle_triggered(now, category, true, rules);
        self.start_mu_edca(now, category, rules);
        true
    }

    /// Ends a triggered transmission without answer: its MPDUs count a failed attempt, the back-off stays.
    pub(in crate::mac) fn lose_triggered(&mut self, now: Nanos, rules: &Rules) {
        self.exchange = Exchange::None;
        if let Some(mu) = self.multi_user.triggered_mut() {
            mu.grant = None;
        }
        self.settle_triggered(now, self.active, false, rules);
    }

    /// Takes the MU EDCA parameters for the time of the timer.
    fn start_mu_edca(&mut self, now: Nanos, category: usize, rules: &Rules) {
        let Some(mu) = self.multi_user.triggered_mut() else { return };
        let Some(edca) = mu.edca else { return };
        let until = now + edca.timer;
        mu.until[category] = until;
        let contender = &mut self.contenders[category];
        if edca.aifsn == 0 {
            contender.bar(until);
            return;
        }
        contender.ifs = rules.timing.aifs(edca.aifsn);
        contender.cw_min = edca.cw_min;
        contender.cw_max = edca.cw_max;
        contender.cw = contender.cw.clamp(edca.cw_min, edca.cw_max);
    }

    /// Returns to the usual parameters where the MU EDCA timer has ended. Call when the medium becomes busy or
    /// idle.
    pub(in crate::mac) fn end_mu_edca(&mut self, now: Nanos) {
        let Some(mu) = self.multi_user.triggered_mut() else { return };
        if mu.edca.is_none() {
            return;
        }
        for (category, until) in mu.until.iter_mut().enumerate() {
            if *until == Nanos::ZERO || *until > now {
                continue;
            }
            *until = Nanos::ZERO;
            let contender = &mut self.contenders[category];
            let (ifs, cw_min, cw_max) = mu.usual[category];
            (contender.ifs, contender.cw_min, contender.cw_max) = (ifs, cw_min, cw_max);
            contender.cw = contender.cw.clamp(cw_min, cw_max);
        }
    }
}
