//! A frame in reception.
//!
//! ```text
//! SINR = power of the frame / (noise + sum of all other powers) in its band, constant between changes
//! P(frame) = product over header and body, over intervals of constant SINR
//! ```
//! The header (preamble and PLCP header) is sent at the lowest rate of its kind; the body's bits
//! are spread evenly over what follows.

use airtcp_units::{Nanos, Narrow};

use crate::cell::ambient::Ambient;
use crate::cell::bss::Bss;
use crate::cell::occupied::Occupied;
use crate::cell::transmission::Transmission;
use crate::phy::Mode;
use crate::phy::error::ErrorModel;

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

impl Reception {
    /// A frame whose reception begins at `now` without other signals.
    #[inline]
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
    #[inline]
    pub(crate) fn survival(&self) -> f64 {
        if self.destroyed { 0.0 } else { self.survival }
    }

    /// True if the mean SINR of preamble and header was at least `ratio`, once judged to the end.
    #[inline]
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
    pub(super) const fn is_drowned(&self) -> bool {
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
