//! A radio: the signals at its position, and the frame in reception.
//!
//! ```text
//! SINR = power of the frame / (noise + sum of all other powers) in its band, constant between changes
//! P(frame) = product over header and body, over intervals of constant SINR
//! ```
//! The header (preamble and PLCP header) is sent at the lowest rate of its kind; the body's bits
//! are spread evenly over what follows.

mod group;
mod secondary;

use airtcp_units::{Nanos, Narrow};

use crate::cell::ambient::{Ambient, Level};
use crate::cell::bss::Bss;
use crate::cell::levels::Levels;
use crate::cell::occupied::Occupied;
use crate::cell::transmission::Transmission;
use crate::node::NodeId;
use crate::phy::Mode;
use crate::phy::error::ErrorModel;

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

/// A frame being received.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reception {
    pub(crate) place: u32,
    pub(crate) power: f64,
    pub(crate) band: Occupied,
    pub(crate) mode: Mode,
    pub(crate) started: Nanos,
    /// End of preamble and PLCP header.
    pub(crate) body: Nanos,
    ends: Nanos,
    /// Bits of the body.
    bits: u64,
    /// Probability that all bits up to `until` are correct.
    survival: f64,
    until: Nanos,
    /// Sum of other powers in its band since `until`.
    pub(crate) interference: f64,
    /// Noise and other powers in mW, integrated over the header's time in ns. Intervals in which
    /// the frame's bits were certain to survive are left out.
    disturbance: f64,
    /// True if an overlap has destroyed it, whatever the SINR.
    pub(crate) destroyed: bool,
    /// Power of the strongest interferer so far that was stronger than the noise.
    pub(crate) interferer: Option<f64>,
    /// True if each MPDU of the body is judged by itself.
    is_aggregate: bool,
    /// True if the radio decodes the preamble with HE-SIG-A, but not the body.
    pub(crate) is_preamble_only: bool,
}

/// An interval of constant SINR, in which bits of an aggregate can be lost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) from: Nanos,
    pub(crate) until: Nanos,
    pub(crate) sinr: f64,
}

/// A member of a group of HE TB PPDUs in reception.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) reception: Reception,
    pub(crate) pieces: Vec<Piece>,
}

/// Inputs to judge a reception.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Judge<'a> {
    pub(crate) error: &'a ErrorModel,
    pub(crate) ambient: &'a Ambient,
    /// The band of the noise.
    pub(crate) band: Occupied,
    /// The radio's station, by its number in its cell.
    pub(crate) station: usize,
}

impl<'a> Judge<'a> {
    /// Inputs for station `i`, numbered on the medium, of a cell.
    pub(crate) fn of(bss: &'a Bss, i: usize) -> Self {
        let Bss { error, ambient, band, .. } = bss;
        Self { error, ambient, band: *band, station: bss.local(i) }
    }
}

/// A radio.
#[derive(Debug, Default)]
pub(crate) struct Radio {
    pub(crate) sending: bool,
    pub(crate) signals: Vec<Signal>,
    pub(crate) reception: Option<Reception>,
    /// True if the station has been notified that the medium is busy.
    pub(crate) busy: bool,
    /// By secondary channel, since when it has been idle; never while it is busy.
    pub(crate) secondary_idle: [Nanos; 3],
    /// Of an aggregate in reception, the intervals in which bits can be lost.
    pub(crate) pieces: Vec<Piece>,
    /// Of an access point, the HE TB PPDUs in reception; empty while another frame is.
    pub(crate) group: Vec<Member>,
}

impl Radio {
    /// True if nothing is on the air for it.
    pub(crate) const fn is_quiet(&self) -> bool {
        let receives = self.reception.is_some() || !self.group.is_empty();
        !self.sending && !self.busy && self.signals.is_empty() && !receives
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
        if let [lone] = self.signals.as_slice() {
            return Some(*lone).filter(|s| s.began(now));
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

    /// Begins to receive a frame.
    pub(crate) fn lock(&mut self, now: Nanos, signal: Signal, sent: &Transmission) {
        let interference = self.others(signal.place, signal.band);
        self.mark_received(signal.place, true);
        self.pieces.clear();
        let reception = Reception::new(now, signal.place, signal.power, sent);
        let band = signal.band;
        self.reception = Some(Reception { band, interference, ..reception });
    }

    /// Records whether the radio has begun to receive a signal.
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

impl Reception {
    /// A frame whose reception begins at `now` without other signals.
    pub(crate) const fn new(now: Nanos, place: u32, power: f64, sent: &Transmission) -> Self {
        Self {
            place,
            power,
            band: sent.band,
            mode: sent.frame.mode,
            started: sent.started,
            body: sent.body,
            ends: sent.ends,
            bits: sent.bits,
            survival: 1.0,
            until: now,
            interference: 0.0,
            disturbance: 0.0,
            destroyed: false,
            interferer: None,
            is_aggregate: sent.frame.is_judged_by_mpdu(),
            is_preamble_only: false,
        }
    }

    /// Judges it up to `now`.
    #[inline]
    pub(crate) fn judge(&mut self, now: Nanos, by: &Judge<'_>, pieces: &mut Vec<Piece>) {
        // Shortcut: most frames meet no overlap and are far above the noise.
        if let Some(noise) = by.ambient.quiet(by.station)
            && self
                .is_error_free(by.error, self.power / (self.noise(noise, by) + self.interference))
        {
            self.until = now;
        } else {
            self.advance(now, by, pieces);
        }
    }

    /// Probability that the whole frame is correct, once judged to its end; of an aggregate, preamble and PLCP
    /// header.
    pub(crate) fn survival(&self) -> f64 {
        if self.destroyed { 0.0 } else { self.survival }
    }

    /// True if the mean SINR of preamble and header was at least `ratio`, once judged to the end.
    pub(crate) fn noticed(&self, ratio: f64) -> bool {
        let length = self.body.since(self.started).0 as f64;
        self.power * length >= ratio * self.disturbance
    }

    /// Destroys a frame to which the radio had locked on, when a frame that begins at the same instant
    /// drowns its preamble. The radio does not notice the frame.
    pub(crate) const fn drown(&mut self) {
        self.destroyed = true;
        self.disturbance = f64::INFINITY;
    }

    /// True after [`drown`](Self::drown).
    const fn is_drowned(&self) -> bool {
        self.disturbance.is_infinite()
    }

    #[inline(never)]
    fn advance(&mut self, now: Nanos, by: &Judge<'_>, pieces: &mut Vec<Piece>) {
        let mut from = self.until;
        self.until = now;
        while from < now && !self.destroyed && self.survival > 0.0 {
            let level = by.ambient.level(by.station, from, now);
            let noise = self.noise(level.noise, by);
            let others = noise + level.power + self.interference;
            let sinr = self.power / others;
            if from < self.body {
                self.disturbance += others * level.until.min(self.body).since(from).0 as f64;
            }
            self.stretch(from, level.until, by.error, sinr);
            if self.is_aggregate && level.until > self.body {
                pieces.push(Piece { from: from.max(self.body), until: level.until, sinr });
            }
            if level.power > noise.max(self.interferer.unwrap_or(0.0)) {
                self.interferer = Some(level.power);
            }
            from = level.until;
        }
    }

    /// The part of the noise that falls into its band.
    #[inline]
    fn noise(&self, noise: f64, by: &Judge<'_>) -> f64 {
        noise * by.band.part_in(self.band)
    }

    /// True if no part of the frame can be lost at an SINR.
    #[inline]
    fn is_error_free(&self, error: &ErrorModel, sinr: f64) -> bool {
        is_error_free(error, sinr, self.mode, self.bits)
    }

    /// Judges an interval of constant SINR.
    fn stretch(&mut self, from: Nanos, now: Nanos, error: &ErrorModel, sinr: f64) {
        let body = self.body;
        if from < body {
            let (lowest, bits) = header(self.mode);
            let part = share(body.min(now).since(from).0, body.since(self.started).0, bits);
            self.survival *= error.success(lowest, sinr, part);
        }
        if now > body && !self.is_aggregate && !self.is_preamble_only {
            let part = share(now.since(from.max(body)).0, self.ends.since(body).0, self.bits);
            self.survival *= error.success(self.mode, sinr, part);
        }
    }
}

/// True if no part of a frame with a body of `body` bits can be lost at an SINR.
#[inline]
pub(crate) fn is_error_free(error: &ErrorModel, sinr: f64, mode: Mode, body: u64) -> bool {
    let (lowest, bits) = header(mode);
    error.is_error_free(lowest, sinr, bits) && error.is_error_free(mode, sinr, body)
}

/// The mode of a frame's PLCP header, and its bits.
fn header(mode: Mode) -> (Mode, u64) {
    if mode.is_ofdm() { (Mode::OFDM[0], 24) } else { (Mode::DSSS[0], 48) }
}

/// Bits in the time `part` of an interval of length `whole` with `bits` bits, rounded up.
pub(crate) fn share(part: u64, whole: u64, bits: u64) -> u64 {
    if part >= whole {
        return bits;
    }
    u64::narrow((u128::from(part) * u128::from(bits)).div_ceil(u128::from(whole)))
}
