//! The HE MU PPDUs of an access point: an A-MPDU for each of several stations, and the BlockAcks that answer.
//!
//! ```text
//! T_max     min(longest PPDU, transmission opportunity - SIFS - HE TB PPDUs with BlockAcks)
//! user      MPDUs parked for the station, then packets from its queue, up to the bytes of T_max, the window and the
//!           maximum length of an A-MPDU
//! PPDU      as long as the longest user needs; the others are padded
//! ```
//! If the bytes of T_max do not suffice for an MPDU of each user, fewer stations get larger resource units.
//! Each A-MPDU carries a trigger for its station. A station that decodes at least one of its MPDUs answers SIFS after
//! the PPDU with a BlockAck in an HE TB PPDU, all of them at once. The MPDUs of a station without BlockAck have failed.
//! The back-off has succeeded if any BlockAck came.
//!
//! Source: IEEE 802.11ax-2021 clauses 26.5.1 (DL MU operation), 26.4.4 (acknowledgement in HE TB PPDUs).

use airtcp_packet::PacketId;
use airtcp_units::{Nanos, Narrow, Span};

use super::state::{Stage, User};
use super::times::{MuTimes, answer_modes, in_units, widest};
use crate::mac::aggregation::{Aggregation, places};
use crate::mac::exchange::{Completion, Exchange};
use crate::mac::originator::distance;
use crate::mac::{Class, Frame, Joining, Kind, Mpdu, Part, Rules, Station};
use crate::node::NodeId;
use crate::phy::{GuardInterval, Mode, MuFormat, MuPpdu, equal_rus};
use crate::rate::RateControl;

impl Station {
    /// Prepares an HE MU PPDU for the first of these receivers, with the MPDUs that are parked for them. False if the
    /// time does not suffice for an MPDU, whatever the number of receivers.
    pub(in crate::mac) fn plan_downlink(
        &mut self,
        now: Nanos,
        receivers: &[NodeId],
        rules: &Rules,
    ) -> bool {
        let category = self.active;
        let most = self.multi_user.access_point().map_or(0, |mu| mu.rules.max_stations as usize);
        let mut count = receivers.len().min(most);
        for to in receivers.iter().take(count) {
            self.begin_series_towards(now, category, *to);
        }
        while count > 0 {
            let single =
                |to: &NodeId| self.rates.control.pick(&self.attempt_towards(now, category, *to));
            let chosen: Vec<Mode> = receivers.iter().take(count).map(single).collect();
            let all: Vec<Mode> = chosen.iter().map(|mode| self.within_access(*mode)).collect();
            let (ru, served) = equal_rus(widest(&all), count);
            let modes = in_units(all.get(..served).unwrap_or(&all), ru, GuardInterval::Ns800);
            let longest = self.longest_downlink(now, &modes, rules);
            let ppdu = longest.and_then(|time| MuPpdu::longest(MuFormat::Mu, &modes, time));
            let users = || receivers.iter().zip(&modes);
            let fits = |ppdu: &MuPpdu| users().all(|(to, m)| self.needs(*to) <= ppdu.bytes(*m));
            if let Some(ppdu) = ppdu.filter(fits) {
                let modes: Vec<(NodeId, Mode, Mode)> =
                    users().zip(&chosen).map(|((to, mode), own)| (*to, *mode, *own)).collect();
                let mut users = Vec::with_capacity(modes.len());
                for (to, mode, own) in modes {
                    let single = self.begin_ppdu(now, category, to, mode);
                    let user = self.user(to, mode, ppdu.bytes(mode), single);
                    users.push(User { chosen: own, ..user });
                }
                if let Some(mu) = self.multi_user.access_point_mut() {
                    mu.users = users;
                    mu.stage = Stage::Filling;
                }
                return true;
            }
            // Fewer stations have larger resource units.
            count = served.min(count) - 1;
        }
        false
    }

    /// Bytes of the A-MPDU with the next MPDU alone for a receiver.
    fn needs(&self, to: NodeId) -> u32 {
        let parked =
            self.multi_user.access_point().and_then(|mu| mu.lanes.get(self.active, to)?.front());
        let bytes = parked.map_or(super::times::USUAL_BYTES, |mpdu| mpdu.bytes);
        Aggregation::with_last(0, bytes)
    }

    /// Begins a PPDU for a receiver: a session whose window could have fallen behind begins anew. True if the PPDU is to
    /// carry a single MPDU.
    fn begin_ppdu(&mut self, now: Nanos, category: usize, to: NodeId, mode: Mode) -> bool {
        let next = self.attempt_towards(now, category, to);
        let first = self.mu_window_start(to);
        let Some(originator) = &mut self.originator else { return false };
        let window = originator.rules.window(mode);
        let agreement = originator.agreement(to, category);
        agreement.renew(first);
        agreement.window = window;
        self.rates.control.is_single(&next)
    }

    /// The maximum duration of an HE MU PPDU with users of these modes; `None` if the transmission opportunity has no
    /// time for it.
    fn longest_downlink(&self, now: Nanos, modes: &[Mode], rules: &Rules) -> Option<Span> {
        let longest = rules.aggregation?.max_time;
        let extension = rules.timing.extension();
        let limit = self.contenders[self.active].txop;
        if limit == Span::ZERO {
            return Some(longest.saturating_sub(extension));
        }
        let answers = answers(modes, rules)?;
        let rest = rules.timing.sifs + answers.time + extension;
        let left = Span(self.txop_end.0.saturating_sub(now.0)).saturating_sub(rest);
        Some(longest.min(left))
    }

    /// A user with its parked MPDUs, as far as they fit into `fits` bytes and the window.
    fn user(&self, to: NodeId, mode: Mode, fits: u32, single: bool) -> User {
        let category = self.active;
        let none = User::new(to, mode);
        let Some((mu, originator)) = self.multi_user.access_point().zip(self.originator.as_ref())
        else {
            return none;
        };
        let rules = originator.rules;
        let window = if single { 1 } else { rules.window(mode) };
        let most = rules.most_bytes(mode).min(fits);
        let mut user = User { most, ..none };
        let empty = std::collections::VecDeque::new();
        let lane = mu.lanes.get(category, to).unwrap_or(&empty);
        let Some(first) = lane.front() else {
            return User { room: usize::from(window), ..user };
        };
        if first.is_bar() {
            return User { before: rules.stride(first.bytes, mode), on_air: 1, ..user };
        }
        for mpdu in lane {
            let in_window = distance(first.sequence, mpdu.sequence) < window;
            if !in_window || Aggregation::with_last(user.before, mpdu.bytes) > most {
                return user;
            }
            user.before += rules.stride(mpdu.bytes, mode);
            user.on_air += 1;
        }
        let span = distance(first.sequence, originator.upcoming(to, category));
        user.room = usize::from(window.saturating_sub(span));
        user
    }

    /// The next user of the HE MU PPDU of this instant with room.
    fn filled_user(&self) -> Option<&User> {
        let mu = self.multi_user.access_point().filter(|mu| mu.stage == Stage::Filling)?;
        mu.users.iter().find(|user| user.room > 0)
    }

    /// The receiver of the next packet of the HE MU PPDU of this instant.
    pub(crate) fn mu_room(&self) -> Option<(usize, NodeId)> {
        self.filled_user().map(|user| (self.active, user.station))
    }

    /// True if the next user has room for an MPDU of `bytes`.
    pub(crate) fn mu_has_room_for(&self, bytes: u32) -> bool {
        let fits = |user: &User| Aggregation::with_last(user.before, bytes) <= user.most;
        self.filled_user().is_some_and(fits)
    }

    /// Nothing more joins the A-MPDU of the next user.
    pub(crate) fn close_mu_room(&mut self) {
        let Some(mu) = self.multi_user.access_point_mut().filter(|mu| mu.stage == Stage::Filling)
        else {
            return;
        };
        if let Some(user) = mu.users.iter_mut().find(|user| user.room > 0) {
            user.room = 0;
        }
    }

    /// Adds a packet to the A-MPDU of the next user. Returns its sequence number.
    pub(crate) fn join_user(
        &mut self,
        now: Nanos,
        packet: PacketId,
        new: &Joining,
        rules: &Rules,
    ) -> Option<u16> {
        let category = self.active;
        let (mu, originator) = self.multi_user.access_point_mut().zip(self.originator.as_mut())?;
        let user = mu.users.iter_mut().find(|user| user.room > 0)?;
        let sequence = originator.number(user.station, category);
        let part = Part::whole(new.bytes, rules);
        let mpdu = Mpdu {
            packet: Some(packet),
            expires: new.expires,
            flow: new.flow,
            ..Mpdu::new(now, user.station, new.class, part, sequence, user.mode.without_ru())
        };
        user.before += originator.rules.stride(new.bytes, user.mode);
        user.room -= 1;
        user.on_air += 1;
        mu.lanes.of(category, user.station).push_back(mpdu);
        Some(sequence)
    }

    /// The HE MU PPDU of this instant; `None` if no station gets anything.
    pub(in crate::mac) fn compose_downlink(&mut self, now: Nanos, rules: &Rules) -> Option<Frame> {
        let category = self.active;
        let (mu, originator) = self.multi_user.access_point_mut().zip(self.originator.as_ref())?;
        mu.users.retain(|user| user.on_air > 0);
        for user in &mut mu.users {
            let lane = mu.lanes.of(category, user.station);
            let lengths = lane.iter().take(user.on_air).map(|mpdu| mpdu.bytes);
            let last = places(lengths, &originator.rules, user.mode).last();
            user.bytes = last.map_or(0, |(_, end)| end);
            for mpdu in lane.iter_mut().take(user.on_air) {
                mpdu.transmissions += 1;
                mpdu.all_transmissions += 1;
                mpdu.first_attempt = mpdu.first_attempt.min(now);
                mpdu.mode = user.mode.without_ru();
            }
        }
        let sizes: Vec<(Mode, u32)> = mu.users.iter().map(|u| (u.mode, u.bytes)).collect();
        let ppdu = MuPpdu::new(MuFormat::Mu, &sizes)?;
        mu.down.on_served(mu.users.iter().map(|user| (user.station, user.bytes)));
        mu.stage = Stage::Downlink;
        let modes: Vec<Mode> = sizes.iter().map(|(mode, _)| *mode).collect();
        let answers = answers(&modes, rules)?;
        // Whether bits can be lost depends on the most fragile scheme and on the number of all bits.
        let fragile = modes.iter().max_by_key(|mode| mode.mcs_index())?.without_ru();
        let duration = rules.timing.sifs + answers.time;
        let category = u8::narrow(category);
        let usual = Frame::control(
            Kind::MultiUser,
            self.id,
            NodeId::BROADCAST,
            fragile,
            duration,
            category,
        );
        Some(Frame {
            class: Class::Data,
            bytes: sizes.iter().map(|(_, bytes)| bytes).sum(),
            multi_user: Some(MuTimes::new(&ppdu, rules.timing.extension())),
            ..usual
        })
    }

    /// The users of the multi-user exchange under way.
    pub(crate) fn mu_users(&self) -> &[User] {
        self.multi_user.access_point().map_or(&[], |mu| &mu.users)
    }

    /// The MPDUs of a user of the HE MU PPDU under way.
    pub(crate) fn mu_subframes(&self, user: &User) -> impl Iterator<Item = &Mpdu> {
        let lane =
            self.multi_user.access_point().and_then(|mu| mu.lanes.get(self.active, user.station));
        lane.into_iter().flatten().take(user.on_air)
    }

    /// MPDU `number` of a user of the HE MU PPDU under way.
    pub(crate) fn mu_subframe(&mut self, station: NodeId, number: usize) -> Option<&mut Mpdu> {
        let mu = self.multi_user.access_point_mut()?;
        mu.lanes.of(self.active, station).get_mut(number)
    }

    /// The first sequence number that a receiver's parked MPDUs have not finished.
    pub(crate) fn mu_window_start(&self, to: NodeId) -> u16 {
        let lane = self.multi_user.access_point().and_then(|mu| mu.lanes.get(self.active, to));
        let oldest = lane.into_iter().flatten().find(|mpdu| !mpdu.is_bar());
        let next = || self.originator.as_ref().map_or(0, |o| o.upcoming(to, self.active));
        oldest.map_or_else(next, |mpdu| mpdu.sequence)
    }

    /// The BlockAck with which a station answers the HE MU PPDU under way, as the user that it is there.
    pub(crate) fn mu_answer(&self, station: NodeId, ppdu: &Frame, rules: &Rules) -> Option<Frame> {
        let users = self.mu_users();
        let modes: Vec<Mode> = users.iter().map(|user| user.mode).collect();
        let place = users.iter().position(|user| user.station == station)?;
        let times = answers(&modes, rules)?;
        let mode = *answer_modes(&modes).get(place)?;
        let usual =
            Frame::control(Kind::BlockAck, station, self.id, mode, Span::ZERO, ppdu.category);
        let bytes = rules.block_ack_bytes(mode);
        Some(Frame { bytes, multi_user: Some(times), ..usual })
    }

    /// Records that the answer of a user arrived, with this SNR over a band of `hz`.
    pub(crate) fn on_user_answer(&mut self, now: Nanos, station: NodeId, (hz, snr): (f64, f64)) {
        self.rates.control.on_rx(now, station, Some(hz), snr);
        let users = self.multi_user.access_point_mut().into_iter().flat_map(|mu| &mut mu.users);
        if let Some(user) = users.into_iter().find(|user| user.station == station) {
            user.answered = true;
        }
    }

    /// Ends the exchange of an HE MU PPDU: MPDUs that arrived at stations whose BlockAck came are finished, and the
    /// others count a failed attempt.
    pub(in crate::mac) fn finish_downlink(&mut self, now: Nanos, rules: &Rules) {
        let category = self.active;
        self.exchange = Exchange::None;
        let Some(mu) = self.multi_user.access_point_mut() else { return };
        mu.stage = Stage::None;
        self.news.vacate();
        let users = std::mem::take(&mut mu.users);
        for user in &users {
            self.finish_user(now, category, user, rules);
        }
        let answered = users.iter().any(|user| user.answered);
        self.end_access(now, category, answered, rules);
    }

    fn finish_user(&mut self, now: Nanos, category: usize, user: &User, rules: &Rules) {
        let to = user.station;
        let next = self.attempt_towards(now, category, to);
        let Some(mu) = self.multi_user.access_point_mut() else { return };
        let mpdus = mu.lanes.take(category, to);
        let mut kept = std::collections::VecDeque::with_capacity(mpdus.len());
        let (mut lost, mut data, mut newest, mut acknowledged) = (false, 0, None, 0);
        for (number, mut mpdu) in mpdus.into_iter().enumerate() {
            if number >= user.on_air {
                kept.push_back(mpdu);
                continue;
            }
            let is_bar = mpdu.is_bar();
            data += u32::from(!is_bar);
            if user.answered && (mpdu.packet.is_none() || is_bar) {
                if !is_bar {
                    (newest, acknowledged) = (Some(mpdu.sequence), acknowledged + 1);
                    self.finish(category, mpdu, Completion::Acknowledged);
                }
            } else if !self.fails_for_good(&mut mpdu, false, rules) {
                kept.push_back(mpdu);
            } else if is_bar {
                self.expect_bar(category, to);
            } else {
                lost = true;
                self.finish(category, mpdu, Completion::GivenUp);
            }
        }
        if let Some(mu) = self.multi_user.access_point_mut() {
            *mu.lanes.of(category, to) = kept;
        }
        self.tell_of_user(user, next, (data, acknowledged), rules);
        let pending = user.answered && self.confirm_parked(category, to, newest);
        if pending || self.asks(lost, !user.answered && data > 0) {
            self.ask_parked(now, category, to, rules);
        }
    }

    /// Records that a BlockAckReq was given up.
    fn expect_bar(&mut self, category: usize, to: NodeId) {
        if let Some(originator) = &mut self.originator {
            originator.agreement(to, category).bar_pending = true;
        }
    }

    /// Records that a receiver has the MPDU `newest`, or without one that its window has moved. True if a BlockAckReq is
    /// still to be answered.
    fn confirm_parked(&mut self, category: usize, to: NodeId, newest: Option<u16>) -> bool {
        let start = self.mu_window_start(to);
        let Some(originator) = &mut self.originator else { return false };
        let agreement = originator.agreement(to, category);
        agreement.confirm(newest.unwrap_or(start));
        std::mem::take(&mut agreement.bar_pending) && newest.is_some()
    }

    /// Ends a multi-user access: draws the back-off, after success with the smallest window.
    pub(in crate::mac) fn end_access(
        &mut self,
        now: Nanos,
        category: usize,
        success: bool,
        rules: &Rules,
    ) {
        let limit = rules.mac.attempts;
        let lane = self.originator.as_mut().and_then(|o| o.lanes.get_mut(category));
        let failures = lane.map_or(0, |lane| {
            lane.failures_long = if success { 0 } else { lane.failures_long };
            lane.failures = if success { 0 } else { lane.failures + 1 };
            lane.failures
        });
        if success {
            self.contenders[category].reset_window();
            self.contenders[category].draw(now, &mut self.random);
        } else {
            let exhausted = failures >= limit;
            if let Some(lane) = self.originator.as_mut().and_then(|o| o.lanes.get_mut(category))
                && exhausted
            {
                lane.failures = 0;
            }
            self.back_off_after_failure(now, category, exhausted, rules);
        }
        self.refresh_wants(now, rules);
        self.next_management(now, rules);
    }
}

/// Times of the HE TB PPDUs with the BlockAcks that answer data in these modes.
pub(in crate::mac) fn answers(data: &[Mode], rules: &Rules) -> Option<MuTimes> {
    let users = answer_modes(data);
    let users: Vec<(Mode, u32)> =
        users.iter().map(|mode| (*mode, rules.block_ack_bytes(*mode))).collect();
    Some(MuTimes::new(&MuPpdu::new(MuFormat::Tb, &users)?, rules.timing.extension()))
}
