//! A frame that is alone on the air, from its start to its end.
//!
//! All stations but its sender hear it, and no radio needs to remember it: what each station receives follows
//! at its end from one power. Which stations fail to decode a data frame by a residual error is drawn only if
//! it has an effect. After the answer, which all decode, it has none.

use airtcp_probe::{PoolCx, Probe};
use airtcp_units::{Nanos, Span};

use crate::cell::medium::Medium;
use crate::cell::radio::{Judge, Reception, is_error_free};
use crate::cell::transmission::Transmission;
use crate::mac::{Frame, FrameStart, View};
use crate::node::NodeId;

/// How stations decode a frame that was alone on the air.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decoding {
    /// All decode it.
    Sure,
    /// Only residual errors may prevent it.
    ButResidual,
    /// It depends on the SNR.
    Unsure,
}

impl Medium {
    /// True if the frame that begins now is alone on the air of a medium that qualifies.
    #[inline]
    pub(crate) fn begins_alone(&self) -> bool {
        self.alike.qualifies() && self.air.starting().len() == 1 && self.air.is_silent()
    }

    /// Starts a transmission on a silent air: the medium becomes busy at all other stations.
    #[inline(never)]
    pub(crate) fn begin_alone(&mut self, now: Nanos) {
        let Some(frame) = self.air.take_last() else { return };
        let place = self.start(now, &frame);
        self.deafen(now, frame.from);
        let rules = &self.cells.first().rules;
        self.alike.on_busy(now, rules);
        self.alike.alone = Some(place);
        let Some(&Transmission { ends, .. }) = self.air.at(place) else { return };
        let start = FrameStart { since: now, ends, mode: frame.mode };
        for k in 0..self.alike.apart.len() {
            let station = self.alike.apart[k];
            if station != frame.from.0 {
                let i = station as usize;
                let rules = &self.cells.first().rules;
                self.stations[i].on_rx_start(now, &start, rules);
                self.stations[i].on_busy(now, rules);
                self.radios[i].becomes(true);
                self.refresh(station);
            }
        }
    }

    /// True if the frame that ends is alone on the air.
    #[inline]
    pub(crate) const fn ends_alone(&self) -> bool {
        self.alike.alone.is_some()
    }

    /// Ends the frame that was alone on the air: stations for which it matters receive it by themselves, the
    /// others decode it, and the medium becomes idle.
    #[inline(never)]
    pub(crate) fn end_alone<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) {
        let Some(place) = self.alike.alone else { return };
        let Some(sent) = self.air.at(place).copied() else { return };
        let from = sent.frame.from;
        self.cells.first_mut().on_end(now);
        self.stations[from.index()].on_tx_end(now, &sent.frame, &self.cells.first().rules);
        self.settle(now, from.index(), cx);
        self.leave_if_shared(sent.frame.to);
        let decoding = self.decoding(&sent);
        self.forget_undecided(now, &sent.frame, decoding);
        if decoding == Decoding::Unsure {
            self.leave_all_shared();
        }
        for k in 0..self.alike.apart.len() {
            let station = NodeId(self.alike.apart[k]);
            if let Some(power) = self.reach.power(from, station) {
                let i = station.index();
                let mut reception = Reception::new(sent.started, place, power, &sent);
                let by = Judge::of(self.cells.first(), i);
                self.radios[i].receive_alone(now, &mut reception, &by);
                self.receive(now, &reception, i, &sent, None, cx);
            }
        }
        self.apply_ack_oracle(now, &sent, cx);
        self.count_end(&sent);
        self.ending.forget_mpdus();
        let before = self.alike.view;
        self.alike.on_idle(now, &sent.frame, &self.cells.first().rules);
        self.air.end(place);
        self.air.all_ended();
        self.alike.alone = None;
        self.radios[from.index()].end_sending();
        for k in 0..self.alike.apart.len() {
            let station = self.alike.apart[k];
            let i = station as usize;
            self.radios[i].becomes(false);
            self.stations[i].on_idle(now);
            self.refresh(station);
        }
        if decoding == Decoding::ButResidual {
            let rules = &self.cells.first().rules;
            let failed = View { eifs: rules.eifs_extra(), ..before };
            self.alike.undecided = Some((sent, failed));
            let answer = now + rules.timing.sifs;
            let receiver = self.stations.get(sent.frame.to.index());
            if !receiver.is_some_and(|station| station.answers_at(answer)) {
                self.decide_undecided();
            }
        }
    }

    /// How the stations that share the view decode a frame that was alone on the air.
    fn decoding(&self, sent: &Transmission) -> Decoding {
        let bss = self.cells.first();
        let power = self.alike.least_power[sent.frame.from.index()];
        let sure = bss.ambient.quiet(0).is_some_and(|noise| {
            let noise = noise * bss.band.part_in(sent.band);
            is_error_free(&bss.error, power / noise, sent.frame.mode, sent.bits)
        });
        match (sure, bss.levels.clear(sent) >= 1.0) {
            (true, true) => Decoding::Sure,
            (true, false) => Decoding::ButResidual,
            (false, _) => Decoding::Unsure,
        }
    }

    /// Forgets which stations failed to decode the frame before this one, which ends now, if that makes no
    /// difference any more.
    fn forget_undecided(&mut self, now: Nanos, frame: &Frame, decoding: Decoding) {
        let Self { alike, cells, .. } = self;
        let Some((_, failed)) = &alike.undecided else { return };
        let nav = |mut view: View| {
            if frame.duration > Span::ZERO {
                view.reserve(now, frame, false, &cells.first().rules);
            }
            view.nav.max(now)
        };
        if decoding == Decoding::Sure && nav(*failed) == nav(alike.view) {
            alike.undecided = None;
        } else {
            self.decide_undecided();
        }
    }

    /// Frames begin now: unless it is the answer to the last one, before which no slot has passed, it matters
    /// which stations failed to decode that one.
    pub(crate) fn decide_before(&mut self, now: Nanos) {
        if self.alike.undecided.is_some() {
            let answer = self.alike.view.idle_from + self.cells.first().rules.timing.sifs;
            if self.air.starting().len() != 1 || now > answer {
                self.decide_undecided();
            }
        }
    }

    /// Lets the stations leave that failed to decode the last frame.
    pub(crate) fn decide_undecided(&mut self) {
        let Some((sent, _)) = self.alike.undecided else { return };
        for station in 0..self.stations.len() {
            if self.alike.shares[station] && self.failed(&sent, station) {
                self.leave(station);
            }
        }
        self.alike.undecided = None;
    }

    /// True if a station that shares the view failed to decode a frame without errors by noise, or all MPDUs
    /// of an aggregate: the draws of `receive`.
    pub(super) fn failed(&self, sent: &Transmission, station: usize) -> bool {
        let clear = self.cells.first().levels.clear(sent);
        if sent.frame.subframes > 1 {
            let mut mpdus = 0..u64::from(sent.frame.subframes);
            return mpdus.all(|number| self.cells.draw_mpdu(sent, station, number) >= clear);
        }
        self.cells.draw(sent, station) >= clear
    }
}
