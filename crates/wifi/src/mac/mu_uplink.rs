//! Triggered transmissions of stations, at the access point and at the stations.
//!
//! ```text
//! report    bytes in an A-MPDU of the packets that the station will still hold after a data frame, in that frame
//! T         min(longest PPDU, what the largest report needs, transmission opportunity - the other frames)
//! trigger   -> SIFS -> HE TB PPDUs of T -> SIFS -> Multi-STA BlockAck
//! response  if no exchange is under way, the radio receives nothing, and no NAV of another cell runs
//! ```
//! A station sends MPDUs of the category that the trigger names. It does not contend for a triggered transmission, and
//! its back-off stays as it is. The access point acknowledges the stations of which it decoded at least one MPDU. After
//! that a station has the MU EDCA parameters until the timer ends; with AIFSN 0 it does not contend. New parameters hold
//! from the next busy period.
//!
//! A report is exact (a choice; the queue size in QoS control has steps of 256 bytes and leaves out headers). The
//! access point forgets the report of a station that did not answer three triggers in a row.
//!
//! Source: IEEE 802.11ax-2021 clauses 26.5.2 (UL MU operation), 26.5.2.5 (carrier sense), 26.2.7 (MU EDCA).

use std::ops::Range;

use airtcp_units::{Nanos, Narrow, Span};

use super::aggregation::{Aggregation, BLOCK_ACK_BYTES, LONG_BITMAP};
use super::exchange::{Due, Exchange};
use super::mu_access::{MAX_UNANSWERED, Stage, USUAL_BYTES, User};
use super::mu_air::{MuTimes, TbGrant, in_units, multi_block_ack_bytes, trigger_bytes, widest};
use super::mu_schedule::Candidate;
use super::originator::{Room, distance};
use super::{Class, Contender, Frame, Kind, MuEdcaConfig, NodeId, Rules, Station};
use crate::phy::{GuardInterval, Mode, TbPpdu, equal_rus};
use crate::rate::{Attempt, RateControl};

/// Multi-user operation of a station.
#[derive(Debug)]
pub(crate) struct MuStation {
    access_point: NodeId,
    /// Stations of its cell.
    cell: Range<u32>,
    /// By category, the bytes in an A-MPDU of the packets in its queue.
    queued: Vec<u64>,
    /// What the trigger allows, while it waits for the start and the answer.
    grant: Option<TbGrant>,
    edca: Option<MuEdcaConfig>,
    /// By category, the usual inter-frame space and windows.
    usual: Vec<(Span, u32, u32)>,
    /// By category, the end of the MU EDCA timer.
    until: Vec<Nanos>,
}

impl MuStation {
    pub(crate) fn new(
        access_point: NodeId,
        cell: Range<u32>,
        edca: Option<MuEdcaConfig>,
        contenders: &[Contender],
    ) -> Self {
        let usual = contenders.iter().map(|c| (c.ifs, c.cw_min, c.cw_max)).collect();
        Self {
            access_point,
            cell,
            queued: vec![0; contenders.len()],
            grant: None,
            edca,
            usual,
            until: vec![Nanos::ZERO; contenders.len()],
        }
    }
}

impl Station {
    /// Prepares a trigger frame for stations with reports. False if the transmission opportunity has no time for the
    /// exchange.
    pub(super) fn plan_uplink(
        &mut self,
        now: Nanos,
        uplink: &[(NodeId, Mode)],
        rules: &Rules,
    ) -> bool {
        let category = self.active;
        let uplink: Vec<(NodeId, Mode)> =
            uplink.iter().map(|(s, mode)| (*s, self.within_access(*mode))).collect();
        let Some(mu) = &self.mu_access else { return false };
        let candidate =
            |(station, mode): &(NodeId, Mode)| Candidate { station: *station, kbps: mode.kbps() };
        let mut order: Vec<Candidate> = uplink.iter().map(candidate).collect();
        mu.up.sort(&mut order);
        order.truncate(mu.rules.max_stations as usize);
        let single = |order: &[Candidate]| -> Vec<Mode> {
            let of = |c: &Candidate| uplink.iter().find(|(s, _)| *s == c.station).map(|(_, m)| *m);
            order.iter().filter_map(of).collect()
        };
        let reports: Vec<u32> = order
            .iter()
            .map(|c| u32::narrow(mu.report(c.station, category).min(u64::from(u32::MAX))))
            .collect();
        let all = single(&order);
        let mut count = all.len();
        let (served, control, answer, needs, ppdu) = loop {
            if count == 0 {
                return false;
            }
            let (ru, served) = equal_rus(widest(&all[..count]), count);
            let modes = in_units(&all[..served], ru, GuardInterval::Ns1600);
            let needs: Vec<(Mode, u32)> = modes.iter().copied().zip(reports.clone()).collect();
            let window = rules.aggregation.map_or(64, |aggregation| aggregation.window(modes[0]));
            let control = rules.timing.answer_mode(slowest(&modes));
            let answer = rules.timing.frame(control, multi_block_ack_bytes(served, window));
            let ppdu = self.uplink_ppdu(now, &needs, (control, answer), rules);
            // One MPDU of usual length for each.
            let usual = Aggregation::with_last(0, USUAL_BYTES);
            let fits = |ppdu: &TbPpdu| needs.iter().all(|(m, b)| ppdu.bytes(*m) >= usual.min(*b));
            if let Some(ppdu) = ppdu.filter(fits) {
                break (served, control, answer, needs, ppdu);
            }
            // Fewer stations have larger resource units.
            count = served - 1;
        };
        let modes: Vec<Mode> = needs.iter().map(|(mode, _)| *mode).collect();
        let stations: Vec<NodeId> = order.iter().map(|candidate| candidate.station).collect();
        let times = MuTimes::triggered(&ppdu, rules.timing.extension());
        let after = rules.timing.sifs + answer;
        let grant =
            |mode: &Mode| TbGrant { mode: *mode, category, times, bytes: ppdu.bytes(*mode), after };
        let user = |(station, (mode, bytes)): (&NodeId, &(Mode, u32))| User {
            station: *station,
            mode: *mode,
            chosen: *mode,
            before: 0,
            most: 0,
            room: 0,
            on_air: 0,
            bytes: *bytes,
            answered: false,
        };
        let Some(mu) = &mut self.mu_access else { return false };
        mu.grants = modes.iter().map(grant).collect();
        mu.users = stations.iter().zip(&needs).map(user).collect();
        mu.stage = Stage::Triggering;
        let reserve = rules.timing.sifs + times.time + after;
        let trigger = Frame::control(
            Kind::Trigger,
            self.id,
            NodeId::BROADCAST,
            control,
            reserve,
            u8::narrow(category),
        );
        mu.plain = Some(Frame { bytes: trigger_bytes(served), ..trigger });
        self.end_uplink_turn(category);
        true
    }

    /// The HE TB PPDUs for needs of bytes; `None` if the transmission opportunity has no time for them.
    fn uplink_ppdu(
        &self,
        now: Nanos,
        needs: &[(Mode, u32)],
        (control, answer): (Mode, Span),
        rules: &Rules,
    ) -> Option<TbPpdu> {
        let modes: Vec<Mode> = needs.iter().map(|(mode, _)| *mode).collect();
        let extension = rules.timing.extension();
        let mut longest = rules.aggregation?.max_time.saturating_sub(extension);
        if self.contenders[self.active].txop > Span::ZERO {
            let sifs = rules.timing.sifs;
            let trigger = rules.timing.frame(control, trigger_bytes(needs.len()));
            let rest = trigger + sifs + extension + sifs + answer;
            let left = Span(self.txop_end.0.saturating_sub(now.0)).saturating_sub(rest);
            longest = longest.min(left);
        }
        let most = TbPpdu::longest(&modes, longest)?;
        let fits: Vec<(Mode, u32)> =
            needs.iter().map(|(mode, bytes)| (*mode, (*bytes).min(most.bytes(*mode)))).collect();
        TbPpdu::new(&fits).filter(|ppdu| ppdu.duration() <= most.duration()).or(Some(most))
    }

    /// Begins to wait for the triggered PPDUs or their BlockAcks, after a trigger frame or an HE MU PPDU.
    pub(super) fn await_group(&mut self, now: Nanos, answer: Kind, rules: &Rules) {
        // The answers are HE frames, which are noticed later than the usual answers.
        let until = now + rules.timing.group_timeout();
        self.exchange = Exchange::Awaiting { answer, until, heard: Nanos::NEVER };
    }

    /// What a trigger frame allows a station.
    pub(crate) fn grant_of(&self, station: NodeId) -> Option<TbGrant> {
        let mu = self.mu_access.as_ref()?;
        let place = mu.users.iter().position(|user| user.station == station)?;
        mu.grants.get(place).copied()
    }

    /// Handles the end of the group of HE TB PPDUs that the access point waited for.
    pub(crate) fn on_group_end(&mut self, now: Nanos, rules: &Rules) {
        let Exchange::Awaiting { answer, .. } = self.exchange else { return };
        let Some(mu) = &mut self.mu_access else { return };
        let answered = mu.users.iter().filter(|user| user.answered).count();
        match answer {
            Kind::MultiUser => self.finish_downlink(now, rules),
            Kind::Trigger if answered > 0 => {
                self.view.eifs = Span::ZERO;
                let answer = self.multi_block_ack(answered, rules);
                self.exchange = Exchange::Sending;
                self.due = answer.map(|frame| (now + rules.timing.sifs, Due::Answer(frame)));
            }
            Kind::Trigger => self.finish_uplink(now, rules),
            _ => {}
        }
    }

    /// The Multi-STA BlockAck for the stations of the trigger frame that answered.
    fn multi_block_ack(&self, stations: usize, rules: &Rules) -> Option<Frame> {
        let mu = self.mu_access.as_ref()?;
        let modes: Vec<Mode> = mu.users.iter().map(|user| user.mode).collect();
        let mode = rules.timing.answer_mode(slowest(&modes));
        let window = rules.aggregation?.window(*modes.first()?);
        let category = u8::narrow(self.active);
        let (from, to) = (self.id, NodeId::BROADCAST);
        let usual = Frame::control(Kind::MultiBlockAck, from, to, mode, Span::ZERO, category);
        Some(Frame { bytes: multi_block_ack_bytes(stations, window), ..usual })
    }

    /// Ends an uplink exchange, after the Multi-STA BlockAck or without answers.
    pub(super) fn finish_uplink(&mut self, now: Nanos, rules: &Rules) {
        let category = self.active;
        self.exchange = Exchange::None;
        let Some(mu) = &mut self.mu_access else { return };
        mu.stage = Stage::None;
        mu.grants.clear();
        let users = std::mem::take(&mut mu.users);
        for user in &users {
            let Some(count) = mu.unanswered.get_mut(user.station.index()) else { continue };
            *count = if user.answered { 0 } else { *count + 1 };
            if *count >= MAX_UNANSWERED {
                *count = 0;
                mu.set_report(user.station, category, 0);
            }
        }
        let served = users.iter().map(|u| (u.station, if u.answered { u.bytes } else { 0 }));
        mu.up.on_served(served);
        let answered = users.iter().any(|user| user.answered);
        self.end_access(now, category, answered, rules);
    }

    /// Takes the bytes in an A-MPDU of the packets in the station's queue.
    pub(crate) fn set_queued(&mut self, category: usize, bytes: u64) {
        if let Some(queued) = self.mu_station.as_mut().and_then(|mu| mu.queued.get_mut(category)) {
            *queued = bytes;
        }
    }

    /// True if the station reports its queue to the access point.
    pub(crate) const fn reports(&self) -> bool {
        self.mu_station.is_some()
    }

    /// The report in a data frame that carries the first `on_air` MPDUs of a category.
    pub(super) fn queue_report(&self, category: usize, on_air: usize, mode: Mode) -> Option<u64> {
        let mu = self.mu_station.as_ref()?;
        let rules = self.originator.as_ref()?.rules;
        let held = self.subframes(category, usize::MAX).skip(on_air);
        let held: u64 = held.map(|mpdu| u64::from(rules.stride(mpdu.bytes, mode))).sum();
        Some(held + mu.queued.get(category).copied().unwrap_or_default())
    }

    /// The mode of the data that the station would send now in a category.
    pub(crate) fn mode_if_triggered(&self, now: Nanos, category: usize) -> Option<Mode> {
        let to = self.mu_station.as_ref()?.access_point;
        let head = self.contenders.get(category)?.mpdu.as_ref();
        let (bytes, number) =
            head.map_or((USUAL_BYTES, 0), |mpdu| (mpdu.bytes, mpdu.transmissions));
        let category = u8::narrow(category);
        Some(self.rate.pick(&Attempt { now, to, category, bytes, number }))
    }

    /// Handles a trigger frame that addresses the station: it sends SIFS later, if it has MPDUs.
    pub(crate) fn on_trigger(&mut self, now: Nanos, grant: TbGrant, rules: &Rules) {
        self.view.eifs = Span::ZERO;
        let Some(mu) = &mut self.mu_station else { return };
        let head = self.contenders.get(grant.category).and_then(|c| c.mpdu.as_ref());
        let ready = head.is_some_and(|mpdu| mpdu.to == mu.access_point);
        if self.exchange != Exchange::None || self.due.is_some() || !ready || !self.may_send() {
            return;
        }
        if let Some(mu) = &mut self.mu_station {
            mu.grant = Some(grant);
            self.due = Some((now + rules.timing.sifs, Due::Triggered));
        }
    }

    /// Prepares the triggered transmission of this instant, if the medium permits it. Returns a frame in its place,
    /// which [`Self::compose_triggered`] replaces.
    pub(super) fn begin_triggered(&mut self, now: Nanos, rules: &Rules) -> Option<Frame> {
        let mu = self.mu_station.as_mut()?;
        let grant = mu.grant?;
        let own = mu.cell.contains(&self.view.nav_by.0);
        let permitted = self.view.silent_from != Nanos::NEVER && (self.view.nav <= now || own);
        if !permitted || self.expire(now, grant.category) {
            if let Some(mu) = &mut self.mu_station {
                mu.grant = None;
            }
            return None;
        }
        self.active = grant.category;
        self.exchange = Exchange::Sending;
        self.txop_end = now;
        self.choose_mode(now);
        self.record_first_attempt(now);
        self.expire_waiting(now, grant.category);
        self.renew_session(grant.category);
        self.reserve_triggered(&grant);
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
    fn reserve_triggered(&mut self, grant: &TbGrant) {
        let TbGrant { category, mode, .. } = *grant;
        let Some(head) = self.contenders[category].mpdu else { return };
        let Some(originator) = &mut self.originator else { return };
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
        originator.room = Some(Room { category, to: head.to, mode, before, bytes, mpdus });
    }

    /// True while a triggered transmission is being prepared or waits for its answer.
    pub(super) fn is_triggered(&self) -> bool {
        self.mu_station.as_ref().is_some_and(|mu| mu.grant.is_some())
    }

    /// The triggered PPDU of this instant; `None` if no MPDU fits.
    pub(super) fn compose_triggered(&mut self, rules: &Rules) -> Option<Frame> {
        let grant = self.mu_station.as_ref()?.grant?;
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
        let last = super::places(lengths, rules.aggregation.as_ref()?, mode).last();
        let usual =
            Frame::control(Kind::Data, self.id, head.to, mode, grant.after, u8::narrow(category));
        let (kind, class) =
            if head.is_bar() { (Kind::BlockAckReq, Class::Ack) } else { (Kind::Data, head.class) };
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
    pub(super) fn cancel_triggered(&mut self) {
        if let Some(mu) = &mut self.mu_station {
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
        if let Some(mu) = &mut self.mu_station {
            mu.grant = None;
        }
        self.settle_triggered(now, category, true, rules);
        self.start_mu_edca(now, category, rules);
        true
    }

    /// Ends a triggered transmission without answer: its MPDUs count a failed attempt, the back-off stays.
    pub(super) fn lose_triggered(&mut self, now: Nanos, rules: &Rules) {
        self.exchange = Exchange::None;
        if let Some(mu) = &mut self.mu_station {
            mu.grant = None;
        }
        self.settle_triggered(now, self.active, false, rules);
    }

    /// Takes the MU EDCA parameters for the time of the timer.
    fn start_mu_edca(&mut self, now: Nanos, category: usize, rules: &Rules) {
        let Some(mu) = &mut self.mu_station else { return };
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
    pub(super) fn end_mu_edca(&mut self, now: Nanos) {
        let Some(mu) = &mut self.mu_station else { return };
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

/// The mode with the lowest reference rate.
fn slowest(modes: &[Mode]) -> Mode {
    let slowest = modes.iter().min_by_key(|mode| mode.reference_kbps());
    slowest.copied().unwrap_or(Mode::OFDM[0])
}
