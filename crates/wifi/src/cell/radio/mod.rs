//! A radio: the signals at its position, and the frames in reception.

mod group;
mod reception;
mod secondary;

use std::collections::VecDeque;

use airtcp_units::Nanos;

use crate::cell::ambient::Level;
use crate::cell::levels::Levels;
use crate::cell::occupied::Occupied;
use crate::cell::transmission::Transmission;
use crate::node::NodeId;

pub(crate) use reception::{Judge, Member, Piece, Reception, is_error_free, share};

/// A signal at a radio, with its received power.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signal {
    /// Index of the transmission on the medium.
    pub(crate) place: u32,
    pub(crate) power: f64,
    /// The band over which its power is spread, as far as it is in the radio's.
    pub(crate) band: Occupied,
    /// Start of the transmission.
    pub(crate) since: Nanos,
    /// True if the radio can lock on to it: on its primary channel, in a known modulation.
    pub(crate) readable: bool,
    /// True once the radio has begun to receive it.
    pub(crate) received: bool,
    /// Of an HE TB PPDU, the access point whose trigger it answers.
    pub(crate) group: Option<NodeId>,
}

impl Signal {
    /// True if the radio can decode it and it began at `now`.
    fn began(&self, now: Nanos) -> bool {
        self.since == now && self.readable
    }
}

/// A radio.
#[derive(Debug, Default)]
pub(crate) struct Radio {
    sending: bool,
    /// In the order in which they began. Of frames that end together, the first ones end first.
    signals: VecDeque<Signal>,
    reception: Option<Reception>,
    /// True if the station has been notified that the medium is busy.
    busy: bool,
    /// By secondary channel, since when it has been idle; never while it is busy.
    secondary_idle: [Nanos; 3],
    /// Of an aggregate in reception, the intervals in which bits can be lost.
    pieces: Vec<Piece>,
    /// Of an access point, the HE TB PPDUs in reception; empty while another frame is.
    group: Vec<Member>,
}

/// What it does, and what its station knows.
impl Radio {
    /// The station begins to transmit, and loses what it was receiving.
    #[inline]
    pub(crate) fn start_sending(&mut self) {
        self.sending = true;
        self.reception = None;
        self.group.clear();
        self.busy = true;
    }

    /// The station's transmission ends.
    #[inline]
    pub(crate) const fn end_sending(&mut self) {
        self.sending = false;
    }

    /// True while the station transmits.
    #[inline]
    pub(crate) const fn is_sending(&self) -> bool {
        self.sending
    }

    /// True if the station has been notified that the medium is busy.
    #[inline]
    pub(crate) const fn is_busy(&self) -> bool {
        self.busy
    }

    /// The medium is busy or idle. True if the station has not been notified yet.
    #[inline]
    pub(crate) const fn becomes(&mut self, busy: bool) -> bool {
        let changes = self.busy != busy;
        self.busy = busy;
        changes
    }

    /// True if nothing is on the air for it.
    #[inline]
    pub(crate) fn is_quiet(&self) -> bool {
        let receives = self.reception.is_some() || !self.group.is_empty();
        !self.sending && !self.busy && self.signals.is_empty() && !receives
    }
}

/// Signals.
impl Radio {
    /// A signal begins.
    #[inline]
    pub(crate) fn hear(&mut self, signal: Signal) {
        self.signals.push_back(signal);
    }

    /// True if no signal has begun at `now` yet.
    #[inline]
    pub(crate) fn is_first(&self, now: Nanos) -> bool {
        self.signals.back().is_none_or(|s| s.since != now)
    }

    /// The signal of the transmission at a place ends. True if there was one.
    #[inline]
    pub(crate) fn unhear(&mut self, place: u32) -> bool {
        let at = self.signals.iter().position(|s| s.place == place);
        if let Some(at) = at {
            self.signals.remove(at);
        }
        at.is_some()
    }

    /// Signals that the radio does not receive become mere energy if `ignored`.
    pub(crate) fn ignore_signals(&mut self, ignored: impl Fn(&Signal) -> bool) {
        let received = self.reception.map(|reception| reception.place);
        for signal in &mut self.signals {
            if Some(signal.place) != received && ignored(signal) {
                signal.readable = false;
            }
        }
    }

    /// The signals, to look at in a test.
    #[cfg(test)]
    pub(crate) const fn signals(&self) -> &VecDeque<Signal> {
        &self.signals
    }

    /// Sum of the powers in a band of all transmissions except one and its group.
    pub(crate) fn others(&self, place: u32, band: Occupied) -> f64 {
        let group = self.group_of(place);
        let disturbs = |s: &&Signal| s.place != place && (group.is_none() || s.group != group);
        self.signals.iter().filter(disturbs).map(|s| s.power * s.band.part_in(band)).sum()
    }

    /// The group of a transmission.
    fn group_of(&self, place: u32) -> Option<NodeId> {
        self.signals.iter().find(|s| s.place == place).and_then(|s| s.group)
    }

    /// True if a frame past the detection time is in reception or above the carrier sense
    /// threshold (with `unreceived_frames = "energy"`, only one that the radio has begun to receive), or if the sum of all powers in the primary channel and of `interferers` reaches the energy
    /// detection threshold.
    pub(crate) fn is_loud(
        &self,
        now: Nanos,
        levels: &Levels,
        interferers: f64,
        primary: Option<Occupied>,
    ) -> bool {
        let noticed = |since: Nanos| levels.detection_time <= now.since(since);
        let by_energy = levels.unreceived_by_energy;
        let receives = |r: Reception| noticed(r.started) && !(by_energy && r.is_drowned());
        if self.reception.is_some_and(receives) || !self.group.is_empty() {
            return true;
        }
        let (top, sum) = self.signals.iter().fold((0.0, 0.0), |(top, sum), s| {
            let sensed = s.readable && noticed(s.since) && (s.received || !by_energy);
            let energy = s.power * primary.map_or(1.0, |primary| s.band.part_in(primary));
            (if sensed { s.power.max(top) } else { top }, sum + energy)
        });
        top >= levels.carrier_sense || sum + interferers >= levels.energy_detect
    }

    /// The strongest decodable signal that began just now; other signals are only interference. Of
    /// two equally strong signals the first in order; neither will be decoded.
    #[inline]
    pub(crate) fn strongest_new(&self, now: Nanos) -> Option<Signal> {
        if self.signals.len() == 1 {
            return self.signals.front().copied().filter(|s| s.began(now));
        }
        let new = self.signals.iter().filter(|s| s.began(now)).copied();
        new.reduce(|a, b| if b.power > a.power { b } else { a })
    }

    /// True if the radio locks on to `new`, instead of the frame in reception.
    #[inline]
    pub(crate) fn locks(&self, now: Nanos, new: &Signal, levels: &Levels) -> bool {
        let factors = &levels.factors;
        let audible = new.power >= levels.sensitivity;
        if !self.group.is_empty() {
            return false;
        }
        if let Some(current) = &self.reception {
            let in_time = !factors.in_preamble_only || now < current.body;
            let takes_over = in_time && new.power >= current.power * factors.take_over;
            // Of two frames that begin at the same instant the stronger is received.
            let at_once = current.started == now && new.power > current.power;
            return audible && new.place != current.place && (takes_over || at_once);
        }
        let earlier = self.signals.iter().filter(|s| !s.began(now));
        let earlier = earlier.map(|s| s.power * s.band.part_in(new.band)).sum();
        audible && levels.exceeds(new.power, earlier, factors.late)
    }

    /// True if the radio does not detect the preamble of the strongest new frame, because the SINR
    /// is too low (`sensing.preamble_detection_sinr_db`).
    pub(crate) fn misses(
        &self,
        now: Nanos,
        (level, band): (Level, Occupied),
        levels: &Levels,
    ) -> bool {
        self.strongest_new(now).is_some_and(|new| {
            let noise = level.noise * band.part_in(new.band);
            let others = noise + level.power + self.others(new.place, new.band);
            new.power >= levels.sensitivity && new.power < others * levels.detection
        })
    }
}

/// Receptions.
impl Radio {
    /// The frame in reception.
    #[inline]
    pub(crate) const fn reception(&self) -> Option<&Reception> {
        self.reception.as_ref()
    }

    /// Goes on with a reception that began before.
    pub(crate) const fn resume(&mut self, reception: Reception) {
        self.reception = Some(reception);
    }

    /// Stops to receive.
    pub(crate) const fn ignore(&mut self) {
        self.reception = None;
    }

    /// Takes the reception of the transmission at a place, if the radio receives it.
    #[inline]
    pub(crate) fn take_reception(&mut self, place: u32) -> Option<Reception> {
        self.reception.take_if(|r| r.place == place)
    }

    /// Receives a frame that was alone on the air, from its start to its end.
    #[inline]
    pub(crate) fn receive_alone(&mut self, now: Nanos, reception: &mut Reception, by: &Judge<'_>) {
        self.pieces.clear();
        reception.judge(now, by, &mut self.pieces);
    }

    /// Of an aggregate in reception, the intervals in which bits can be lost.
    #[inline]
    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The radio decodes no more of the frame in reception than its preamble: with HE-SIG-A, if it `knows` it.
    pub(crate) const fn receive_preamble_only(&mut self, knows: bool) {
        if let Some(reception) = &mut self.reception {
            reception.destroyed = !knows;
            reception.is_preamble_only = knows;
        }
    }

    /// An overlap destroys the frame in reception.
    pub(crate) const fn destroy(&mut self) {
        if let Some(reception) = &mut self.reception {
            reception.destroyed = true;
        }
    }

    /// Begins to receive a frame.
    #[inline]
    pub(crate) fn lock(&mut self, now: Nanos, signal: Signal, sent: &Transmission) {
        let interference = self.others(signal.place, signal.band);
        self.mark_received(signal.place, true);
        self.pieces.clear();
        let mut reception = Reception::new(now, signal.place, signal.power, sent);
        (reception.band, reception.interference) = (signal.band, interference);
        self.reception = Some(reception);
    }

    /// Records whether the radio has begun to receive a signal.
    #[inline]
    pub(crate) fn mark_received(&mut self, place: u32, received: bool) {
        if let Some(signal) = self.signals.iter_mut().find(|s| s.place == place) {
            signal.received = received;
        }
    }

    /// Judges the reception up to `now`; call before the powers change.
    #[inline]
    pub(crate) fn judge(&mut self, now: Nanos, by: &Judge<'_>) {
        if let Some(reception) = &mut self.reception {
            reception.judge(now, by, &mut self.pieces);
        }
        if !self.group.is_empty() {
            self.judge_group(now, by);
        }
    }

    /// Decides whether the frame in reception survives frames that begin now. `missed` is true if they drown the
    /// preamble of a frame that began now, too.
    pub(crate) fn overlap(&mut self, now: Nanos, missed: bool, levels: &Levels) {
        let Some(reception) = &mut self.reception else { return };
        let (power, others) = (reception.power, reception.interference);
        let drowned = missed && reception.started == now;
        if drowned {
            reception.drown();
        }
        if !levels.exceeds(power, others, levels.factors.survive) {
            reception.destroyed = true;
        }
        let place = reception.place;
        if drowned {
            self.mark_received(place, false);
        }
    }

    /// Records that the powers have changed.
    #[inline]
    pub(crate) fn update(&mut self) {
        if let Some((place, band)) = self.reception.as_ref().map(|r| (r.place, r.band)) {
            let interference = self.others(place, band);
            if let Some(reception) = &mut self.reception {
                reception.interference = interference;
            }
        }
        if !self.group.is_empty() {
            self.update_group();
        }
    }
}
