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
//! A report counts MPDUs with their headers and delimiters, and two bytes of padding for each packet in the queue (a
//! choice; the queue size in QoS control has steps of 256 bytes and leaves out headers). Which reports the access point
//! forgets is in `mu_reports.rs`.
//!
//! Source: IEEE 802.11ax-2021 clauses 26.5.2 (UL MU operation), 26.5.2.5 (carrier sense), 26.2.7 (MU EDCA).

use airtcp_units::{Nanos, Narrow, Span};

use super::schedule::Candidate;
use super::state::{Stage, User};
use super::times::{
    MuTimes, TbGrant, USUAL_BYTES, in_units, multi_block_ack_bytes, trigger_bytes, widest,
};
use crate::mac::aggregation::Aggregation;
use crate::mac::exchange::{Due, Exchange};
use crate::mac::{Frame, Kind, Rules, Station};
use crate::node::NodeId;
use crate::phy::{GuardInterval, Mode, MuFormat, MuPpdu, equal_rus};

/// The exchange that a trigger frame is to begin.
struct UplinkPlan {
    /// Mode of the trigger frame, and time of the Multi-STA BlockAck in the same mode.
    control: (Mode, Span),
    /// Of each station, in the order of service: mode in its resource unit and bytes that it reported.
    needs: Vec<(Mode, u32)>,
    ppdu: MuPpdu,
}

impl Station {
    /// Prepares a trigger frame for stations with reports. False if the transmission opportunity has no time for the
    /// exchange.
    pub(in crate::mac) fn plan_uplink(
        &mut self,
        now: Nanos,
        uplink: &[(NodeId, Mode)],
        rules: &Rules,
    ) -> bool {
        let category = self.active;
        let Some(mu) = self.multi_user.access_point() else { return false };
        let candidate =
            |(station, mode): &(NodeId, Mode)| Candidate { station: *station, kbps: mode.kbps() };
        let mut order: Vec<Candidate> = uplink.iter().map(candidate).collect();
        mu.up.sort(&mut order);
        order.truncate(mu.rules.max_stations as usize);
        let wanted = |c: &Candidate| {
            let (_, mode) = uplink.iter().find(|(station, _)| *station == c.station)?;
            let bytes = mu.reports.get(c.station, category).min(u64::from(u32::MAX));
            Some((self.within_access(*mode), u32::narrow(bytes)))
        };
        let wanted: Vec<(Mode, u32)> = order.iter().filter_map(wanted).collect();
        let Some(plan) = self.fit_uplink(now, &wanted, rules) else { return false };
        let UplinkPlan { control: (control, answer), needs, ppdu } = plan;
        let times = MuTimes::new(&ppdu, rules.timing.extension());
        let after = rules.timing.sifs + answer;
        let chosen = |c: &Candidate| uplink.iter().find(|(station, _)| *station == c.station);
        let grant = |(c, (mode, _)): (&Candidate, &(Mode, u32))| TbGrant {
            mode: *mode,
            chosen: chosen(c).map_or(*mode, |(_, chosen)| *chosen),
            category,
            times,
            bytes: ppdu.bytes(*mode),
            after,
        };
        let user = |(c, (mode, bytes)): (&Candidate, &(Mode, u32))| User {
            bytes: *bytes,
            ..User::new(c.station, *mode)
        };
        let reserve = rules.timing.sifs + times.time + after;
        let (from, to) = (self.id, NodeId::BROADCAST);
        let trigger =
            Frame::control(Kind::Trigger, from, to, control, reserve, u8::narrow(category));
        let Some(mu) = self.multi_user.access_point_mut() else { return false };
        mu.grants = order.iter().zip(&needs).map(grant).collect();
        mu.users = order.iter().zip(&needs).map(user).collect();
        mu.stage = Stage::Triggering;
        mu.plain = Some(Frame { bytes: trigger_bytes(needs.len()), ..trigger });
        self.end_uplink_turn(category);
        true
    }

    /// The exchange for as many of the first stations as possible, which have these modes and have reported these
    /// bytes.
    fn fit_uplink(&self, now: Nanos, wanted: &[(Mode, u32)], rules: &Rules) -> Option<UplinkPlan> {
        let single: Vec<Mode> = wanted.iter().map(|(mode, _)| *mode).collect();
        // One MPDU of usual length for each.
        let usual = Aggregation::with_last(0, USUAL_BYTES);
        let mut count = wanted.len();
        while count > 0 {
            let (ru, served) = equal_rus(widest(single.get(..count)?), count);
            let modes = in_units(single.get(..served)?, ru, GuardInterval::Ns1600);
            let bytes = wanted.iter().map(|(_, bytes)| *bytes);
            let needs: Vec<(Mode, u32)> = modes.iter().copied().zip(bytes).collect();
            let window = rules.aggregation?.window(*modes.first()?);
            let control = rules.timing.answer_mode(slowest(&modes));
            let answer = rules.timing.frame(control, multi_block_ack_bytes(served, window));
            let control = (control, answer);
            let fits = |ppdu: &MuPpdu| needs.iter().all(|(m, b)| ppdu.bytes(*m) >= usual.min(*b));
            if let Some(ppdu) = self.uplink_ppdu(now, &needs, control, rules).filter(fits) {
                return Some(UplinkPlan { control, needs, ppdu });
            }
            // Fewer stations have larger resource units.
            count = served - 1;
        }
        None
    }

    /// The HE TB PPDUs for needs of bytes; `None` if the transmission opportunity has no time for them.
    fn uplink_ppdu(
        &self,
        now: Nanos,
        needs: &[(Mode, u32)],
        (control, answer): (Mode, Span),
        rules: &Rules,
    ) -> Option<MuPpdu> {
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
        let most = MuPpdu::longest(MuFormat::Tb, &modes, longest)?;
        let fits: Vec<(Mode, u32)> =
            needs.iter().map(|(mode, bytes)| (*mode, (*bytes).min(most.bytes(*mode)))).collect();
        MuPpdu::new(MuFormat::Tb, &fits)
            .filter(|ppdu| ppdu.duration() <= most.duration())
            .or(Some(most))
    }

    /// Begins to wait for the triggered PPDUs or their BlockAcks, after a trigger frame or an HE MU PPDU.
    pub(in crate::mac) fn await_group(&mut self, now: Nanos, answer: Kind, rules: &Rules) {
        // The answers are HE frames, which are noticed later than the usual answers.
        let until = now + rules.timing.group_timeout();
        self.exchange = Exchange::Awaiting { answer, until, heard: Nanos::NEVER };
    }

    /// What a trigger frame allows a station.
    pub(crate) fn grant_of(&self, station: NodeId) -> Option<TbGrant> {
        let mu = self.multi_user.access_point()?;
        let place = mu.users.iter().position(|user| user.station == station)?;
        mu.grants.get(place).copied()
    }

    /// Handles the end of the group of HE TB PPDUs that the access point waited for.
    pub(crate) fn on_group_end(&mut self, now: Nanos, rules: &Rules) {
        let Exchange::Awaiting { answer, .. } = self.exchange else { return };
        let Some(mu) = self.multi_user.access_point_mut() else { return };
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
        let mu = self.multi_user.access_point()?;
        let modes: Vec<Mode> = mu.users.iter().map(|user| user.mode).collect();
        let mode = rules.timing.answer_mode(slowest(&modes));
        let window = rules.aggregation?.window(*modes.first()?);
        let category = u8::narrow(self.active);
        let (from, to) = (self.id, NodeId::BROADCAST);
        let usual = Frame::control(Kind::MultiBlockAck, from, to, mode, Span::ZERO, category);
        Some(Frame { bytes: multi_block_ack_bytes(stations, window), ..usual })
    }

    /// Ends an uplink exchange, after the Multi-STA BlockAck or without answers.
    pub(in crate::mac) fn finish_uplink(&mut self, now: Nanos, rules: &Rules) {
        let category = self.active;
        self.exchange = Exchange::None;
        let Some(mu) = self.multi_user.access_point_mut() else { return };
        mu.stage = Stage::None;
        self.news.vacate();
        mu.grants.clear();
        let users = std::mem::take(&mut mu.users);
        let answered = users.iter().any(|user| user.answered);
        let responses: Vec<_> = users.iter().map(|user| (user.station, user.answered)).collect();
        mu.reports.on_trigger(category, &responses);
        let served = users.iter().map(|u| (u.station, if u.answered { u.bytes } else { 0 }));
        mu.up.on_served(served);
        self.end_access(now, category, answered, rules);
    }
}

/// The mode with the lowest reference rate.
fn slowest(modes: &[Mode]) -> Mode {
    let slowest = modes.iter().min_by_key(|mode| mode.reference_kbps());
    slowest.copied().unwrap_or(Mode::OFDM[0])
}
