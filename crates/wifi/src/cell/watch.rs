//! Events of a cell for probes: frames, receptions, back-off and NAV.
//!
//! Nothing here runs unless a probe asks for it. Back-off is computed lazily (its state is known
//! only when it stops), so each phase compares what the stations wait for before and after it.

use airtcp_packet::Pool;
use airtcp_probe::air::{AirBlockAck, AirEvent, AirFrame, AirMcs};
use airtcp_probe::{Event, FrameLoss, PoolCx, Probe};
use airtcp_units::{Nanos, Narrow, Span, detmath};

use super::fate::Fate;
use super::medium::Medium;
use super::radio::Reception;
use super::transmission::Transmission;
use crate::mac::{AccessState, Category, Class, Countdown, Frame, Kind, Mpdu, distance};
use crate::node::NodeId;
use crate::phy::{GuardInterval, Mode, RuSize};

impl Medium {
    /// True if a probe observes; then records what stations wait for.
    pub(super) fn watch<P: Probe>(&mut self, now: Nanos, cx: &PoolCx<'_, P>) -> bool {
        if !(P::ON && cx.probe.wants_air(now)) {
            return false;
        }
        self.leave_all();
        let Self { watched, stations, cells, .. } = self;
        let states = stations.iter().enumerate();
        let rules = |i: usize| &cells.of(i).rules;
        watched.begin(states.map(|(i, station)| station.access_state(now, rules(i))));
        true
    }

    fn access_state(&self, now: Nanos, station: usize) -> AccessState {
        self.stations[station].access_state(now, &self.cells.of(station).rules)
    }

    /// Reports back-offs that have stopped, and NAVs that have changed.
    pub(super) fn report_access_states<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) {
        for (i, before) in self.watched.access_states().iter().enumerate() {
            let after = self.access_state(now, i);
            if before.idle && !after.idle {
                for down in before.countdowns.iter().flatten() {
                    report_backoff(now, u32::narrow(i), down, cx);
                }
            }
            if before.nav != after.nav {
                let reserved = AirEvent::Reserved { station: u32::narrow(i), until: after.nav };
                cx.record(now, || Event::Air(reserved));
            }
        }
    }

    /// Reports the finished back-off after the previous packet of a category, before a new packet
    /// resets it.
    pub(super) fn report_finished_backoff<P: Probe>(
        &self,
        now: Nanos,
        station: NodeId,
        category: usize,
        cx: &mut PoolCx<'_, P>,
    ) {
        if P::ON && cx.probe.wants_air(now) {
            let state = self.access_state(now, station.index());
            if let Some(down) = state.countdowns[category].filter(|down| down.over) {
                report_backoff(now, station.0, &down, cx);
            }
        }
    }

    /// A transmission for probes, if one observes. Call before its packet leaves the head.
    pub(super) fn observed<P: Probe>(
        &mut self,
        now: Nanos,
        sent: &Transmission,
        cx: &PoolCx<'_, P>,
    ) -> Option<AirFrame> {
        (P::ON && cx.probe.wants_air(now)).then(|| {
            let frame = self.describe(sent, cx.pool);
            if sent.frame.kind == Kind::MultiUser {
                self.describe_users(sent, &frame, cx.pool);
            } else if sent.frame.is_judged_by_mpdu() {
                self.describe_subframes(sent, &frame, cx.pool);
            }
            frame
        })
    }

    /// Describes the MPDUs of an aggregate.
    fn describe_subframes(&mut self, sent: &Transmission, ppdu: &AirFrame, pool: &Pool) {
        let frame = &sent.frame;
        let Some(rules) = &self.cells.of(frame.from.index()).rules.aggregation else {
            return;
        };
        let mpdus = self.stations[frame.from.index()]
            .subframes(usize::from(frame.category), usize::from(frame.subframes.max(1)));
        let mpdus: Vec<Mpdu> = mpdus.copied().collect();
        self.watched.forget_mpdus();
        self.watched.describe_mpdus(sent, ppdu, &mpdus, rules, pool);
    }

    /// Describes the MPDUs of an HE MU PPDU, station by station.
    fn describe_users(&mut self, sent: &Transmission, ppdu: &AirFrame, pool: &Pool) {
        let from = sent.frame.from;
        let Some(rules) = &self.cells.of(from.index()).rules.aggregation else {
            return;
        };
        let sender = &self.stations[from.index()];
        self.watched.forget_mpdus();
        for user in sender.mu_users() {
            let mpdus: Vec<Mpdu> = sender.mu_subframes(user).copied().collect();
            let part = sent.part(user.mode);
            let own = AirFrame {
                to: Some(user.station.0),
                rate: user.mode.rate(),
                mcs: mcs(user.mode, false),
                ..*ppdu
            };
            self.watched.describe_mpdus(&part, &own, &mpdus, rules, pool);
        }
    }

    /// Reports at a station the MPDUs of an HE MU PPDU for it.
    pub(super) fn report_user_heard<P: Probe>(
        &self,
        now: Nanos,
        station: usize,
        decoded: &[bool],
        reception: &Reception,
        cx: &mut PoolCx<'_, P>,
    ) {
        for (number, frame) in self.watched.mpdus_for(u32::narrow(station)) {
            let decoded = decoded.get(number) == Some(&true);
            self.report_heard(now, station, frame, reception, decoded, cx);
        }
    }

    /// Reports the end and the results of an HE MU PPDU.
    fn report_users_sent<P: Probe>(&self, now: Nanos, sent: &Transmission, cx: &mut PoolCx<'_, P>) {
        for user in self.air.multi_user.users(sent.frame.from) {
            for (number, frame) in self.watched.mpdus_for(user.station) {
                let lost = user.outcomes.get(number) != Some(&true);
                report_sent(now, frame, lost.then(|| user.fate.loss()), cx);
            }
        }
    }

    /// Reports the MPDUs of an aggregate at a radio; `decoded` is empty if it decoded none.
    pub(super) fn report_subframes_heard<P: Probe>(
        &self,
        now: Nanos,
        station: usize,
        decoded: &[bool],
        reception: &Reception,
        cx: &mut PoolCx<'_, P>,
    ) {
        for (number, frame) in self.watched.mpdus().iter().enumerate() {
            let decoded = decoded.get(number) == Some(&true);
            self.report_heard(now, station, frame, reception, decoded, cx);
        }
    }

    /// Reports the end and the results of an aggregate.
    pub(super) fn report_subframes_sent<P: Probe>(
        &self,
        now: Nanos,
        sent: &Transmission,
        cx: &mut PoolCx<'_, P>,
    ) {
        if sent.frame.kind == Kind::MultiUser {
            self.report_users_sent(now, sent, cx);
            return;
        }
        let loss = Fate { interferer: self.ending.blamed(), ..sent.fate }.loss();
        for (number, frame) in self.watched.mpdus().iter().enumerate() {
            let lost = self.ending.mpdus().get(number) != Some(&true);
            report_sent(now, frame, lost.then_some(loss), cx);
        }
    }

    /// What a BlockAck acknowledges: the MPDUs of its receiver that the sender of the BlockAck has.
    fn acknowledged(&self, frame: &Frame) -> Option<AirBlockAck> {
        let asks = frame.kind == Kind::BlockAckReq;
        if frame.kind != Kind::BlockAck && !asks {
            return None;
        }
        let originator = if asks { frame.from } else { frame.to };
        let sender = self.stations.get(originator.index())?;
        let user = sender.mu_users().iter().find(|user| user.station == frame.from);
        let user = user.filter(|_| frame.multi_user.is_some() && !asks);
        let usual = sender.subframes(usize::from(frame.category), usize::MAX);
        let mpdus = usual.filter(|_| user.is_none());
        let mpdus = mpdus.chain(user.into_iter().flat_map(|user| sender.mu_subframes(user)));
        let mut block = AirBlockAck { asks, start: frame.sequence, bitmap: [0; 4] };
        let mut first = None;
        for mpdu in mpdus.filter(|mpdu| mpdu.class != Class::BlockAckReq) {
            let start = *first.get_or_insert(mpdu.sequence);
            let ahead = usize::from(distance(start, mpdu.sequence));
            if mpdu.packet.is_none()
                && let Some(word) = block.bitmap.get_mut(ahead / 64)
            {
                *word |= 1 << (ahead % 64);
            }
        }
        block.start = first.unwrap_or(frame.sequence);
        if asks {
            block = AirBlockAck { asks, start: frame.sequence, bitmap: [0; 4] };
        }
        Some(block)
    }

    fn describe(&mut self, sent: &Transmission, pool: &Pool) -> AirFrame {
        let frame = &sent.frame;
        let block_ack = self.acknowledged(frame);
        let rules = &self.cells.of(frame.from.index()).rules;
        // Under DCF, frames with QoS control are best effort.
        let category = if rules.qos() { frame.category } else { Category::BestEffort as u8 };
        let category = rules.has_qos_control().then_some(category);
        let carries = matches!(frame.kind, Kind::Data | Kind::Beacon | Kind::Management);
        let head = self.stations[frame.from.index()].head(usize::from(frame.category));
        let mpdu = head.filter(|mpdu| carries && mpdu.sequence == frame.sequence);
        let packet = mpdu.as_ref().and_then(|mpdu| mpdu.packet).map(|id| pool.get(id));
        AirFrame {
            from: frame.from.0,
            to: (frame.to != NodeId::BROADCAST).then_some(frame.to.0),
            class: frame.class,
            rate: frame.mode.rate(),
            ofdm: frame.mode.is_ofdm(),
            bytes: frame.mpdu_bytes(),
            category: category.filter(|_| !frame.class.is_management()),
            sequence: frame.sequence,
            fragment: frame.fragment,
            more_fragments: frame.more_fragments,
            retry: frame.retry,
            no_ack: frame.no_ack,
            attempt: mpdu.as_ref().map_or(0, |mpdu| mpdu.transmissions),
            duration: frame.duration,
            started: sent.started,
            body: sent.body,
            ended: sent.ends,
            content: packet.map(|packet| (packet.to, packet.segment)),
            aggregate: None,
            block_ack,
            mcs: mcs(frame.mode, frame.is_triggered()),
        }
    }

    /// Reports the result of a frame at a radio.
    pub(super) fn report_heard<P: Probe>(
        &self,
        now: Nanos,
        station: usize,
        frame: &AirFrame,
        reception: &Reception,
        decoded: bool,
        cx: &mut PoolCx<'_, P>,
    ) {
        let bss = self.cells.of(station);
        let level = bss.ambient.level(bss.local(station), now - Span(1), now);
        let heard = AirEvent::Heard {
            station: u32::narrow(station),
            frame: *frame,
            signal_dbm: dbm(reception.power),
            noise_dbm: dbm(level.noise * bss.band.part_in(reception.band) + level.power),
            decoded,
        };
        cx.record(now, || Event::Air(heard));
    }
}

/// Reports the end and the result of a transmission.
pub(super) fn report_sent<P: Probe>(
    now: Nanos,
    frame: &AirFrame,
    loss: Option<FrameLoss>,
    cx: &mut PoolCx<'_, P>,
) {
    cx.record(now, || Event::Air(AirEvent::Sent { frame: *frame, loss }));
}

fn report_backoff<P: Probe>(now: Nanos, station: u32, down: &Countdown, cx: &mut PoolCx<'_, P>) {
    let Countdown { category, from, until, slots, left, .. } = *down;
    let stopped = AirEvent::BackedOff { station, category, from, until, slots, left };
    cx.record(now, || Event::Air(stopped));
}

/// The modulation and coding scheme of a mode of HT, VHT or HE; `triggered` for an HE TB PPDU.
fn mcs(mode: Mode, triggered: bool) -> Option<AirMcs> {
    let names = mode.format().generation().air?;
    let format = match mode.ru() {
        None => names.single,
        Some(_) if triggered => names.triggered,
        Some(_) => names.multi_user,
    };
    Some(AirMcs {
        format,
        index: mode.mcs_index()?,
        streams: mode.streams(),
        width_mhz: mode.width_mhz(),
        guard_ns: u16::narrow(mode.guard().map_or(800, GuardInterval::ns)),
        ldpc: mode.encoders() == 0,
        ru_tones: mode.ru().map(RuSize::tones),
    })
}

/// A power in mW as dBm.
fn dbm(milliwatts: f64) -> f64 {
    10.0 * detmath::log10(milliwatts)
}
