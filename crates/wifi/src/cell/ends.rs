//! End of transmissions: each radio decodes the frame or not, and notifies its station.

use airtcp_probe::air::AirFrame;
use airtcp_probe::{PoolCx, Probe};
use airtcp_units::{Nanos, Narrow, Span};

use super::fate::{Fate, Loss};
use super::medium::Medium;
use super::radio::{Judge, Member, Reception};
use super::transmission::Transmission;
use super::watch::report_sent;
use crate::mac::{Kind, Rider, SignalQuality};
use crate::node::NodeId;

impl Medium {
    /// Ends the transmissions that end at this instant, all together.
    pub(super) fn end<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) {
        if self.ends_alone() {
            self.end_alone(now, cx);
        } else {
            self.end_together(now, cx);
        }
    }

    /// Ends transmissions, each radio by itself.
    #[inline(never)]
    fn end_together<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) {
        let mut touched = std::mem::take(&mut self.touched);
        let mut over = std::mem::take(&mut self.over);
        let hearers = self.reach.lend_hearers();
        self.cells.switch_interferers(now, false, &mut touched);
        for (place, sent) in self.air.places().filter(|(_, sent)| sent.ends <= now) {
            over.push((place, *sent));
            self.radios[sent.frame.from.index()].end_sending();
        }
        for (_, sent) in &over {
            self.leave_if_shared(sent.frame.to);
        }
        let alone = over.len() == 1 && touched.is_empty();
        for (place, sent) in &over {
            let from = sent.frame.from;
            let observed = self.observed(now, sent, cx);
            self.note_acknowledged(&sent.frame);
            let bss = self.cells.of_mut(from.index());
            bss.on_end(now);
            self.stations[from.index()].on_tx_end(now, &sent.frame, &bss.rules);
            self.settle(now, from.index(), cx);
            for &(radio, _) in &hearers[from.index()] {
                if self.alike.shares(radio) {
                    continue;
                }
                self.end_at(now, radio, (*place, sent), observed.as_ref(), cx);
                touched.push(radio);
            }
            self.apply_ack_oracle(now, sent, cx);
            // The hearers of a single frame are already in order.
            let at = if alone { touched.partition_point(|r| *r < from.0) } else { touched.len() };
            touched.insert(at, from.0);
            if observed.is_some() && sent.frame.is_judged_by_mpdu() {
                self.report_subframes_sent(now, sent, cx);
            }
            let loss = self.count_end(sent);
            if let Some(frame) = observed.as_ref().filter(|_| !sent.frame.is_judged_by_mpdu()) {
                report_sent(now, frame, loss, cx);
            }
            self.ending.forget_mpdus();
            self.air.end(*place);
        }
        self.end_groups(now, cx);
        self.collision_ends(now);
        self.air.all_ended();
        if !alone {
            touched.sort_unstable();
            touched.dedup();
        }
        for radio in touched.drain(..) {
            self.radios[radio as usize].update();
            if !self.sense(now, radio as usize) {
                self.refresh(radio);
            }
        }
        self.reach.return_hearers(hearers);
        over.clear();
        self.over = over;
        self.touched = touched;
    }

    /// Ends a transmission at a radio that may be receiving it.
    #[inline]
    fn end_at<P: Probe>(
        &mut self,
        now: Nanos,
        radio: u32,
        (place, sent): (u32, &Transmission),
        observed: Option<&AirFrame>,
        cx: &mut PoolCx<'_, P>,
    ) {
        let i = radio as usize;
        self.unhear(now, i, place);
        if let Some(Member { reception, pieces }) = self.member(radio, place) {
            self.receive_member(now, (&reception, pieces.as_slice()), i, sent, observed, cx);
        }
        if let Some(reception) = self.radios[i].take_reception(place) {
            self.receive(now, &reception, i, sent, observed, cx);
        }
    }

    /// Ends a signal at a radio, after judging the frame in reception with that signal still
    /// present.
    fn unhear(&mut self, now: Nanos, i: usize, place: u32) {
        let radio = &mut self.radios[i];
        radio.judge(now, &Judge::of(self.cells.of(i), i));
        if radio.unhear(place) {
            self.sense_secondaries(now, i);
        }
    }

    /// The member of a group in reception that is the transmission at `place`.
    fn member(&mut self, radio: u32, place: u32) -> Option<Member> {
        let member = self.radios[radio as usize].take_member(place);
        if member.is_some() {
            self.ending.end_member(radio);
        }
        member
    }

    /// Decides whether a radio that was receiving the ended transmission decoded it.
    pub(super) fn receive<P: Probe>(
        &mut self,
        now: Nanos,
        reception: &Reception,
        i: usize,
        sent: &Transmission,
        observed: Option<&AirFrame>,
        cx: &mut PoolCx<'_, P>,
    ) {
        if sent.is_judged_in_parts() || reception.is_preamble_only {
            self.receive_parts(now, reception, i, sent, observed, cx);
            return;
        }
        let bss = self.cells.of(i);
        let right = self.decodes(reception, sent, i) || self.has_ack_oracle(sent, i);
        let local = bss.local(i);
        let exposure = || sent.exposure(local, self.cells.sending(sent).rules.has_qos_control());
        let spoiled =
            right && bss.ambient.destroys(local, exposure) && !self.has_ack_oracle(sent, i);
        if let Some(frame) = observed {
            self.report_heard(now, i, frame, reception, right && !spoiled, cx);
        }
        if !right || spoiled {
            if sent.frame.to.index() == i {
                let blamed = if spoiled { Some(f64::INFINITY) } else { reception.interferer };
                self.ending.blame(blamed);
            }
            let noticed = reception.noticed(bss.levels.preamble);
            self.stations[i].on_rx_error(now, noticed, &bss.rules);
            self.settle(now, i, cx);
            return;
        }
        if sent.frame.to.index() == i {
            self.books.on_decoded(&sent.frame);
            self.ending.decode();
        }
        let level = bss.ambient.level(local, now - Span(1), now);
        let noise = level.noise * bss.band.part_in(reception.band);
        let snr = reception.power / noise;
        // Other stations ignore the SINR.
        let sinr = if sent.frame.to.index() == i {
            reception.power / (noise + level.power + reception.interference)
        } else {
            snr
        };
        let how = SignalQuality { snr, sinr };
        if matches!(sent.frame.kind, Kind::Trigger | Kind::MultiBlockAck) {
            self.hear_control(now, i, sent, how, cx);
            return;
        }
        let wanted = self.stations[i].on_rx(now, &sent.frame, how, &bss.rules);
        self.take_report_at(now, i, &sent.frame);
        self.settle(now, i, cx);
        if self.stations[i].take_newly_associated() {
            self.outbox.ready_again(NodeId(u32::narrow(i)));
        }
        if wanted && sent.frame.kind == Kind::Data && sent.frame.to.index() == i {
            let category = usize::from(sent.frame.category);
            if self.reorder.is_some() {
                self.take_mpdu(now, &sent.frame, 0, cx);
            } else {
                self.hand_over(sent.frame.from, sent.frame.to, category);
            }
        } else if sent.frame.kind == Kind::BlockAckReq && sent.frame.to.index() == i {
            self.move_window(&sent.frame);
        }
    }

    /// True if a radio decodes a transmission at its end.
    pub(super) fn decodes(&self, reception: &Reception, sent: &Transmission, i: usize) -> bool {
        let clear = self.cells.of(i).levels.clear(sent);
        let survival = reception.survival() * clear;
        survival >= 1.0 || survival > 0.0 && self.cells.draw(sent, i) < survival
    }

    /// Counts a transmission at its end, so that the lost and decoded frames of an interval are a
    /// subset of its sent frames.
    pub(super) fn count_end(&mut self, sent: &Transmission) -> Option<Loss> {
        let length = sent.ends.since(sent.started);
        let is_multi_user = sent.frame.kind == Kind::MultiUser;
        let parts = self.air.multi_user.parts(sent.frame.from, length);
        self.books.on_sent(&sent.frame, length, parts.filter(|_| is_multi_user));
        if is_multi_user {
            return self.count_multi_user_end(sent);
        }
        if sent.frame.is_triggered() {
            return self.count_member_end(sent);
        }
        if sent.frame.subframes > 1 {
            return self.count_aggregate_end(sent);
        }
        let mut behind: &[Rider] = &[];
        if sent.frame.kind == Kind::Data && self.reorder.is_some() {
            let sender = &self.stations[sent.frame.from.index()];
            let category = usize::from(sent.frame.category);
            if let Some(mpdu) = sender.subframes(category, 1).next() {
                behind = sender.riders(category, mpdu);
            }
        }
        self.books.on_bits(sent.flow, sent.plcp + sent.bits, behind);
        let (decoded, interferer) = self.ending.take();
        let fate = Fate { interferer, ..sent.fate };
        // A CTS-to-self also addresses every station.
        if decoded || sent.frame.to == NodeId::BROADCAST || sent.frame.to == sent.frame.from {
            return None;
        }
        let loss = fate.loss();
        self.books.on_lost(&sent.frame, loss);
        Some(loss)
    }
}
