//! Receptions of multi-user PPDUs.
//!
//! ```text
//! HE MU PPDU      a station decodes the MPDUs in its resource unit, each as in `aggregate`, at the SINR of the whole
//!                 frame: the power of the access point and the noise are spread evenly over the tones
//! HE TB PPDUs     the access point receives all of a group at once, each in its resource unit, into which the whole
//!                 power of its sender goes; members of a group do not disturb one another
//! ```
//! Other stations decode the preamble, of a group that of its strongest member, and set their NAV by its TXOP field. A
//! station whose part of a PPDU is lost does the same.

use airtcp_probe::air::AirFrame;
use airtcp_probe::{PoolCx, Probe};
use airtcp_units::{Nanos, Narrow, Span};

use super::on_air::UserFate;
use crate::cell::fate::{Fate, Loss};
use crate::cell::judging::Judging;
use crate::cell::medium::Medium;
use crate::cell::radio::Reception;
use crate::cell::transmission::Transmission;
use crate::mac::{Frame, Kind, SignalQuality, places};
use crate::node::NodeId;

impl Medium {
    /// Records the stations of an HE MU PPDU that starts.
    pub(in crate::cell) fn start_multi_user(&mut self, frame: &Frame) {
        if frame.kind != Kind::MultiUser {
            return;
        }
        let users = self.stations[frame.from.index()].mu_users();
        let users = users.iter().map(|user| user.station);
        self.books.on_multi_user(frame, users.clone());
        self.air.multi_user.start(frame.from, users);
    }

    /// Records the stations that a Multi-STA BlockAck which ends now acknowledges.
    pub(in crate::cell) fn note_acknowledged(&mut self, frame: &Frame) {
        if frame.kind == Kind::MultiBlockAck {
            let users = self.stations[frame.from.index()].mu_users().iter();
            self.ending.acknowledge(users.filter(|u| u.answered).map(|u| u.station));
            // Its exchange ends, too.
            self.outbox.ready_again(frame.from);
        }
    }

    /// Handles the end of a frame at a radio that was receiving it: the MPDUs are decoded each by itself, or the preamble
    /// alone is.
    pub(in crate::cell) fn receive_parts<P: Probe>(
        &mut self,
        now: Nanos,
        reception: &Reception,
        i: usize,
        sent: &Transmission,
        observed: Option<&AirFrame>,
        cx: &mut PoolCx<'_, P>,
    ) {
        if reception.is_preamble_only {
            self.receive_preamble(now, reception, i, sent, observed, cx);
        } else if sent.frame.multi_user.is_some() {
            self.receive_multi_user(now, reception, i, sent, observed, cx);
        } else {
            self.receive_aggregate(now, reception, i, sent, observed, cx);
        }
    }

    /// Handles a trigger frame or a Multi-STA BlockAck that a station decoded.
    pub(in crate::cell) fn hear_control<P: Probe>(
        &mut self,
        now: Nanos,
        i: usize,
        sent: &Transmission,
        how: SignalQuality,
        cx: &mut PoolCx<'_, P>,
    ) {
        let (frame, station) = (&sent.frame, NodeId(u32::narrow(i)));
        let rules = &self.cells.of(i).rules;
        let sender = &self.stations[frame.from.index()];
        if frame.kind == Kind::Trigger {
            if let Some(grant) = sender.grant_of(station) {
                let own = Frame { duration: Span::ZERO, ..*frame };
                self.stations[i].on_rx_preamble(now, &own, how, rules);
                self.stations[i].on_trigger(now, grant, rules);
                self.settle(now, i, cx);
                return;
            }
        } else if self.ending.is_acknowledged(station)
            && self.stations[i].on_multi_block_ack(now, rules)
        {
            self.outbox.ready_again(station);
            self.settle(now, i, cx);
            return;
        }
        self.stations[i].on_rx_preamble(now, frame, how, rules);
        self.settle(now, i, cx);
    }

    /// Takes the report in a frame that its receiver `i` decoded.
    pub(in crate::cell) fn take_report_at(&mut self, now: Nanos, i: usize, frame: &Frame) {
        if frame.report.is_some() && frame.to.index() == i {
            self.take_report(now, frame);
        }
    }

    /// Handles the end of an HE MU PPDU at a radio that was receiving it.
    fn receive_multi_user<P: Probe>(
        &mut self,
        now: Nanos,
        reception: &Reception,
        i: usize,
        sent: &Transmission,
        observed: Option<&AirFrame>,
        cx: &mut PoolCx<'_, P>,
    ) {
        let from = sent.frame.from;
        let header = reception.survival();
        let preamble = header >= 1.0 || header > 0.0 && self.cells.draw(sent, i) < header;
        let user = self.stations[from.index()].mu_users().iter().find(|u| u.station.index() == i);
        let Some(user) = user.copied() else {
            self.hear_preamble(now, reception, i, sent, preamble, true);
            self.settle(now, i, cx);
            return;
        };
        let mut outcomes = Vec::new();
        if preamble {
            let lengths: Vec<u32> =
                self.stations[from.index()].mu_subframes(&user).map(|mpdu| mpdu.bytes).collect();
            let part = sent.part(user.mode);
            let pieces = self.radios[i].pieces();
            outcomes = self.judge_part(&part, pieces, i, &lengths);
        }
        for (number, right) in outcomes.iter().enumerate() {
            if *right {
                self.take_user_mpdu(now, &sent.frame, i, number, cx);
            }
        }
        if observed.is_some() {
            self.report_user_heard(now, i, &outcomes, reception, cx);
        }
        let any = outcomes.contains(&true);
        self.air.multi_user.judge(from, i, outcomes, reception.interferer);
        self.hear_preamble(now, reception, i, sent, preamble, any);
        if any {
            let rules = &self.cells.of(i).rules;
            let answer =
                self.stations[from.index()].mu_answer(NodeId(u32::narrow(i)), &sent.frame, rules);
            if let Some(answer) = answer {
                self.stations[i].answer_group(now, answer, rules);
            }
        }
        self.settle(now, i, cx);
    }

    /// Decides which MPDUs of these lengths a radio decodes in a part of a PPDU.
    fn judge_part(
        &self,
        part: &Transmission,
        pieces: &[crate::cell::radio::Piece],
        i: usize,
        lengths: &[u32],
    ) -> Vec<bool> {
        let bss = self.cells.of(i);
        let sender = self.cells.of(part.frame.from.index());
        let Some(rules) = &sender.rules.aggregation else { return Vec::new() };
        // Data frames alone have a residual error.
        let clear = bss
            .levels
            .clear(&Transmission { frame: Frame { kind: Kind::Data, ..part.frame }, ..*part });
        let mode = part.frame.mode;
        let mut by = Judging::new(part, pieces);
        let mut outcomes = Vec::with_capacity(lengths.len());
        for (number, place) in (0..).zip(places(lengths.iter().copied(), rules, mode)) {
            let survival =
                clear * by.survival(place, |sinr, bits| bss.error.success(mode, sinr, bits));
            let right = (survival >= 1.0
                || survival > 0.0 && self.cells.draw_mpdu(part, i, number) < survival)
                && !bss.ambient.destroys(bss.local(i), || by.exposure(place, bss.local(i)));
            outcomes.push(right);
        }
        outcomes
    }

    /// Moves the packet of an MPDU of an HE MU PPDU to the reorder buffer of its receiver.
    fn take_user_mpdu<P: Probe>(
        &mut self,
        now: Nanos,
        frame: &Frame,
        i: usize,
        number: usize,
        cx: &mut PoolCx<'_, P>,
    ) {
        let to = NodeId(u32::narrow(i));
        let sender = &mut self.stations[frame.from.index()];
        let start = sender.mu_window_start(to);
        let Some(mpdu) = sender.mu_subframe(to, number) else { return };
        let own = Frame { to, sequence: start, ..*frame };
        if mpdu.is_bar() {
            self.move_window(&own);
            return;
        }
        let place = (usize::from(frame.category), to, mpdu.sequence);
        let (bytes, has_riders) = (mpdu.part.bytes_of_all(), mpdu.riders > 0);
        if let Some(packet) = mpdu.packet.take() {
            self.keep_in_order(now, &own, (packet, bytes), (place, has_riders), cx);
        }
    }

    /// Counts the MPDUs of an HE MU PPDU at its end.
    pub(in crate::cell) fn count_multi_user_end(&mut self, sent: &Transmission) -> Option<Loss> {
        let from = sent.frame.from;
        let users = self.air.multi_user.end(from)?;
        let Self { stations, books, .. } = self;
        let sender = &stations[from.index()];
        let category = usize::from(sent.frame.category);
        books.on_multi_user_end(from);
        let mut rest = sent.plcp + sent.bits;
        let mut decoded = false;
        for (user, UserFate { fate, outcomes, .. }) in sender.mu_users().iter().zip(&users) {
            let frame = Frame { kind: Kind::Data, mode: user.mode, ..sent.frame };
            books.on_user(&frame, user.on_air);
            decoded |= outcomes.iter().take(user.on_air).any(|right| *right);
            let mpdus = sender.mu_subframes(user);
            let mpdus = mpdus.map(|mpdu| (mpdu, sender.riders(category, mpdu)));
            rest = books.on_mpdus(&frame, mpdus, outcomes, fate.loss(), rest);
        }
        books.on_bits(sent.flow, rest, &[]);
        (!decoded).then_some(Loss::Noise)
    }

    /// Handles the end of a member of a group of HE TB PPDUs at the access point that was receiving it.
    pub(in crate::cell) fn receive_member<P: Probe>(
        &mut self,
        now: Nanos,
        (reception, pieces): (&Reception, &[crate::cell::radio::Piece]),
        i: usize,
        sent: &Transmission,
        observed: Option<&AirFrame>,
        cx: &mut PoolCx<'_, P>,
    ) {
        let from = sent.frame.from;
        if sent.frame.kind == Kind::BlockAck {
            let right = self.decodes(reception, sent, i);
            if let Some(frame) = observed {
                self.report_heard(now, i, frame, reception, right, cx);
            }
            if right {
                self.books.on_decoded(&sent.frame);
                self.ending.decode();
                self.hear_member(now, reception, i, from);
            } else {
                self.ending.blame(reception.interferer);
            }
            return;
        }
        let header = reception.survival();
        let count = usize::from(sent.frame.subframes.max(1));
        let category = usize::from(sent.frame.category);
        let mut outcomes = Vec::new();
        if header >= 1.0 || header > 0.0 && self.cells.draw(sent, i) < header {
            let mpdus = self.stations[from.index()].subframes(category, count);
            let lengths: Vec<u32> = mpdus.map(|mpdu| mpdu.bytes).collect();
            outcomes = self.judge_part(sent, pieces, i, &lengths);
        }
        if observed.is_some() {
            self.report_subframes_heard(now, i, &outcomes, reception, cx);
        }
        self.ending.blame(reception.interferer);
        if outcomes.contains(&true) {
            self.ending.decode();
            self.hear_member(now, reception, i, from);
            self.take_report(now, &sent.frame);
        }
        if sent.frame.kind == Kind::BlockAckReq {
            if outcomes.contains(&true) {
                self.move_window(&sent.frame);
            }
        } else {
            self.take_mpdus(now, &sent.frame, &outcomes, cx);
        }
        self.ending.judge_mpdus(outcomes);
    }

    /// Notifies an access point of a member of a group that it decoded. Rate control learns the SNR that the sender's
    /// power would have over the whole band.
    fn hear_member(&mut self, now: Nanos, reception: &Reception, i: usize, from: NodeId) {
        let bss = self.cells.of(i);
        let level = bss.ambient.level(bss.local(i), now - Span(1), now);
        let snr = reception.power / level.noise;
        self.stations[i].on_user_answer(now, from, (bss.band.hz(), snr));
    }

    /// Counts the MPDUs of an HE TB PPDU at its end.
    pub(in crate::cell) fn count_member_end(&mut self, sent: &Transmission) -> Option<Loss> {
        let frame = &sent.frame;
        let (decoded, interferer) = self.ending.take();
        let loss = Fate { interferer, ..sent.fate }.loss();
        let category = usize::from(frame.category);
        let Self { stations, books, ending, .. } = self;
        if frame.kind == Kind::BlockAck {
            books.on_bits(sent.flow, sent.plcp + sent.bits, &[]);
            if !decoded {
                books.on_lost(frame, loss);
            }
            return (!decoded).then_some(loss);
        }
        books.on_multi_user_end(frame.from);
        let count = usize::from(frame.subframes.max(1));
        if frame.kind == Kind::Data {
            books.on_user(frame, count);
        }
        let sender = &stations[frame.from.index()];
        let mpdus = sender.subframes(category, count);
        let mpdus = mpdus.map(|mpdu| (mpdu, sender.riders(category, mpdu)));
        let rest = books.on_mpdus(frame, mpdus, ending.mpdus(), loss, sent.plcp + sent.bits);
        books.on_bits(sent.flow, rest, &[]);
        (!decoded).then_some(loss)
    }

    /// Takes the report of a station in a data frame that its access point decoded.
    pub(in crate::cell) fn take_report(&mut self, now: Nanos, frame: &Frame) {
        let Some(bytes) = frame.report else { return };
        let i = frame.to.index();
        let Some(station) = self.stations.get_mut(i) else { return };
        let rules = &self.cells.of(i).rules;
        station.on_report(now, frame.from, (usize::from(frame.category), bytes), rules);
    }

    /// Notifies the access points whose groups of HE TB PPDUs have ended.
    pub(in crate::cell) fn end_groups<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) {
        while let Some(i) = self.ending.take_group() {
            let station = i as usize;
            let rules = &self.cells.of(station).rules;
            self.stations[station].on_group_end(now, rules);
            self.settle(now, station, cx);
            self.outbox.ready_again(NodeId(i));
        }
    }
}
