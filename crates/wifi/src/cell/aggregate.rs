//! Aggregates on the air: how the world fills them, and which of their MPDUs a receiver decodes.
//!
//! ```text
//! P(MPDU k) = product of P(bits of MPDU k and its delimiter) over intervals of constant SINR, times 1 - residual error
//! ```
//! The bits of the PSDU are spread evenly over the time after the preamble. An error in the PLCP header, an
//! overlap that the capture model does not survive, and a transmitting receiver lose all MPDUs. An interferer
//! that destroys frames destroys the MPDUs that it overlaps. If no MPDU can be lost at the SINR of the frame, no
//! work is done for single MPDUs. A station for which the aggregate is not decodes it if it decodes at
//! least one MPDU, which has the Duration field.

use airtcp_probe::air::AirFrame;
use airtcp_probe::{DropReason, PoolCx, Probe};
use airtcp_units::{Nanos, Span};

use super::clock::Clocked;
use super::fate::{Fate, Loss};
use super::judging::Judging;
use super::medium::Medium;
use super::packet::{Admitted, Filling, Offered};
use super::radio::Reception;
use super::transmission::Transmission;
use crate::mac::{Class, Joining, Kind, SignalQuality, data_bytes, places};
use crate::node::NodeId;

impl Medium {
    /// The length of a packet's frame, its class and expiry. An access point drops packets to stations that are
    /// not associated with it. Every station drops expired packets.
    pub(super) fn admit<P: Probe>(
        &mut self,
        now: Nanos,
        station: NodeId,
        offered: Offered,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<Admitted> {
        let Offered { packet, to, category, entered } = offered;
        let record = cx.pool.get(packet);
        let rules = &self.cells.of(station.index()).rules;
        let bytes = data_bytes(record.wire_len(), rules.has_qos_control());
        let class = if record.segment.len == 0 { Class::TcpAck } else { Class::Data };
        let flow = record.to.flow();
        if !self.stations[station.index()].serves(to) {
            cx.discard(now, packet, DropReason::NoRoute, station.0);
            self.books.on_refused(station);
            return None;
        }
        let expires = self.stations[station.index()].expiry(category, entered);
        if expires < now {
            cx.discard(now, packet, DropReason::Lifetime, station.0);
            self.books.on_expired(station, category);
            return None;
        }
        Some(Admitted { class, bytes, expires, flow })
    }

    /// The aggregate of number `place` of this instant, if it has room. `None` beyond the last one.
    pub fn filling(&self, place: usize) -> Option<Option<Filling>> {
        let station = self.outbox.filling(place)?;
        let sender = &self.stations[station.index()];
        if let Some((category, to)) = sender.mu_room() {
            return Some(Some(Filling { station, category, to, multi_user: true }));
        }
        let filling = |(category, to)| Filling { station, category, to, multi_user: false };
        Some(sender.room().map(filling))
    }

    /// True if the aggregate of this instant of a station has room for a packet of `wire_len` bytes.
    pub fn has_room(&self, station: NodeId, wire_len: u32) -> bool {
        let rules = &self.cells.of(station.index()).rules;
        let bytes = data_bytes(wire_len, rules.has_qos_control());
        let sender = &self.stations[station.index()];
        if sender.mu_room().is_some() {
            sender.mu_has_room_for(bytes)
        } else {
            sender.has_room_for(bytes)
        }
    }

    /// Adds a packet to the aggregate that a station is to send at this instant, after [`Self::on_timers`]
    /// and before [`Self::on_starts`]. False if the packet is for another receiver or does not fit: it then stays with the
    /// caller.
    pub fn fill<P: Probe>(
        &mut self,
        now: Nanos,
        station: NodeId,
        offered: Offered,
        cx: &mut PoolCx<'_, P>,
    ) -> bool {
        let now = self.at_call(now);
        let mut probe = Clocked::new(cx.probe, self.clock);
        let cx = &mut PoolCx::new(&mut probe, cx.pool, cx.source);
        let offered = self.in_own_time(offered);
        let Offered { packet, to, category, .. } = offered;
        let rules = &self.cells.of(station.index()).rules;
        let bytes = data_bytes(cx.pool.get(packet).wire_len(), rules.has_qos_control());
        let sender = &self.stations[station.index()];
        let multi_user = sender.mu_room();
        let (room, fits) = if multi_user.is_some() {
            (multi_user, sender.mu_has_room_for(bytes))
        } else {
            (sender.room(), sender.has_room_for(bytes))
        };
        if room != Some((category, to)) || !fits {
            return false;
        }
        let Some(Admitted { class, bytes, expires, flow }) = self.admit(now, station, offered, cx)
        else {
            return true;
        };
        let sender = &mut self.stations[station.index()];
        let rules = &self.cells.of(station.index()).rules;
        let joining = Joining { class, bytes, expires, flow };
        let sequence = if multi_user.is_some() {
            self.books.on_head(station, category, flow);
            sender.join_user(now, packet, &joining, rules)
        } else {
            self.books.on_join(flow);
            sender.join(now, packet, &joining, rules);
            sender.newest(category).map(|mpdu| mpdu.sequence)
        };
        if let Some(sequence) = sequence {
            self.books.on_numbered(station, (category, to, sequence), packet, cx.pool);
        }
        true
    }

    /// Gives the frames of this instant that waited for packets.
    #[inline(never)]
    pub(super) fn compose(&mut self, now: Nanos) {
        let mut place = 0;
        while let Some(station) = self.outbox.filling(place) {
            place += 1;
            let i = station.index();
            let rules = &self.cells.of(i).rules;
            let composed = self.stations[i].compose(now, rules);
            self.replace(now, station, composed);
            if let Some(composed) = composed.filter(|frame| frame.kind != Kind::MultiUser) {
                let category = usize::from(composed.category);
                // A BlockAckReq belongs to the flow of the frame before it.
                let flow = self.stations[i].head(category).map(|head| head.flow);
                if let Some(flow) = flow.filter(|flow| *flow != u32::MAX) {
                    self.books.on_head(station, category, flow);
                }
            }
        }
        self.outbox.filled();
    }

    /// Decides which MPDUs of an aggregate a radio decoded.
    pub(super) fn receive_aggregate<P: Probe>(
        &mut self,
        now: Nanos,
        reception: &Reception,
        i: usize,
        sent: &Transmission,
        observed: Option<&AirFrame>,
        cx: &mut PoolCx<'_, P>,
    ) {
        let addressed = sent.frame.to.index() == i;
        let mut outcomes = self.ending.lend_mpdus();
        let known = outcomes.len();
        let header = reception.survival();
        if header >= 1.0 || header > 0.0 && self.cells.draw(sent, i) < header {
            self.judge_mpdus(sent, i, addressed || observed.is_some(), &mut outcomes);
        }
        let own = outcomes.get(known..).unwrap_or_default();
        let any = own.contains(&true);
        if observed.is_some() {
            self.report_subframes_heard(now, i, own, reception, cx);
        }
        if addressed {
            outcomes.drain(..known);
            self.ending.blame(reception.interferer);
            self.take_mpdus(now, &sent.frame, &outcomes, cx);
            if any {
                self.ending.decode();
            }
        } else {
            outcomes.truncate(known);
        }
        self.ending.judge_mpdus(outcomes);
        self.notify_aggregate(now, reception, i, sent, any, cx);
    }

    /// Decides which MPDUs a station decodes, in order; without `all`, up to the first decoded one.
    fn judge_mpdus(&self, sent: &Transmission, i: usize, all: bool, outcomes: &mut Vec<bool>) {
        let bss = self.cells.of(i);
        let sender = self.cells.sending(sent);
        let Some(rules) = &sender.rules.aggregation else { return };
        let frame = &sent.frame;
        let mpdus = self.stations[frame.from.index()]
            .subframes(usize::from(frame.category), usize::from(frame.subframes))
            .map(|mpdu| mpdu.bytes);
        let clear = bss.levels.clear(sent);
        let mut by = Judging::new(sent, self.radios[i].pieces());
        if by.is_sure() && clear >= 1.0 && !bss.ambient.has_destroyers(bss.local(i)) {
            let count = if all { usize::from(frame.subframes) } else { 1 };
            outcomes.resize(outcomes.len() + count, true);
            return;
        }
        for (number, place) in (0..).zip(places(mpdus, rules, frame.mode)) {
            let survival =
                clear * by.survival(place, |sinr, bits| bss.error.success(frame.mode, sinr, bits));
            let right = (survival >= 1.0
                || survival > 0.0 && self.cells.draw_mpdu(sent, i, number) < survival)
                && !bss.ambient.destroys(bss.local(i), || by.exposure(place, bss.local(i)));
            outcomes.push(right);
            if right && !all {
                return;
            }
        }
    }

    /// Notifies a station of an aggregate of which it decoded at least one MPDU, or none.
    fn notify_aggregate<P: Probe>(
        &mut self,
        now: Nanos,
        reception: &Reception,
        i: usize,
        sent: &Transmission,
        any: bool,
        cx: &mut PoolCx<'_, P>,
    ) {
        let bss = self.cells.of(i);
        if any {
            let level = bss.ambient.level(bss.local(i), now - Span(1), now);
            let noise = level.noise * bss.band.part_in(reception.band);
            let snr = reception.power / noise;
            let sinr = reception.power / (noise + level.power + reception.interference);
            let how = SignalQuality { snr, sinr };
            self.stations[i].on_rx(now, &sent.frame, how, &bss.rules);
            self.take_report_at(now, i, &sent.frame);
        } else {
            let noticed = reception.noticed(bss.levels.preamble);
            self.stations[i].on_rx_error(now, noticed, &bss.rules);
        }
        self.settle(now, i, cx);
    }

    /// Counts the MPDUs of an aggregate at its end. A cause of loss is that of the PPDU. Returns it if no MPDU was
    /// decoded.
    #[inline(never)]
    pub(super) fn count_aggregate_end(&mut self, sent: &Transmission) -> Option<Loss> {
        let frame = &sent.frame;
        let (_, interferer) = self.ending.take();
        let loss = Fate { interferer, ..sent.fate }.loss();
        let Self { stations, books, ending, .. } = self;
        let category = usize::from(frame.category);
        let sender = &stations[frame.from.index()];
        let mpdus = sender.subframes(category, frame.subframes.into());
        let mpdus = mpdus.map(|mpdu| (mpdu, sender.riders(category, mpdu)));
        // What belongs to no MPDU counts for the flow of the first one.
        let rest = books.on_mpdus(frame, mpdus, ending.mpdus(), loss, sent.plcp + sent.bits);
        books.on_bits(sent.flow, rest, &[]);
        (!ending.mpdus().contains(&true)).then_some(loss)
    }
}
