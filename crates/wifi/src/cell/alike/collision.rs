//! Frames that begin at one instant on a silent air, as in a collision.
//!
//! A station that shares the view hears them all, locks on to the strongest, and is busy until the last one
//! ends. What it decodes does not matter before: its state at any time follows from the powers of the frames
//! and their ends. [`Collision::at`] goes through these as [`Radio`] does, step by step and in the same order, so
//! that even the rounding is the same.
//!
//! [`Radio`]: crate::cell::radio::Radio

use airtcp_units::Nanos;

use crate::cell::levels::Levels;
use crate::cell::occupied::Occupied;
use crate::cell::radio::{Judge, Reception, Signal, share};
use crate::cell::transmission::Transmission;
use crate::phy::error::HOPELESS_BITS;

/// The frames, in the order in which radios hear them.
#[derive(Debug, Default)]
pub(super) struct Collision {
    frames: Vec<Colliding>,
}

#[derive(Debug)]
struct Colliding {
    place: u32,
    sent: Transmission,
    is_over: bool,
    /// SINR below which an overlap of some length destroys it.
    hopeless: f64,
}

/// What a station that hears a collision has received so far.
#[derive(Debug)]
pub(super) struct Hearing {
    /// The reception of the frame that it locked on to.
    pub(super) reception: Reception,
    /// That frame, once it is over.
    pub(super) over: Option<Transmission>,
}

impl Collision {
    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.frames.clear();
    }

    pub(super) fn push(&mut self, place: u32, sent: Transmission, hopeless: f64) {
        self.frames.push(Colliding { place, sent, is_over: false, hopeless });
    }

    /// The frames that end at `now` are over. True if none is left.
    pub(super) fn end(&mut self, now: Nanos) -> bool {
        for frame in &mut self.frames {
            frame.is_over |= frame.sent.ends <= now;
        }
        self.frames.iter().all(|frame| frame.is_over)
    }

    /// Signals at a station now; `power` gives the power of a frame there.
    pub(super) fn signals(
        &self,
        power: impl Fn(&Transmission) -> f64,
    ) -> impl Iterator<Item = Signal> {
        let left = self.frames.iter().filter(|frame| !frame.is_over);
        left.map(move |Colliding { place, sent, .. }| {
            let power = power(sent);
            let (since, band) = (sent.started, sent.band);
            let (readable, received, group) = (true, false, None);
            Signal { place: *place, power, band, since, readable, received, group }
        })
    }

    /// The frame that a station locks on to, with its power.
    fn strongest(&self, power: impl Fn(&Transmission) -> f64) -> Option<(&Colliding, f64)> {
        let heard = self.frames.iter().map(|frame| (frame, power(&frame.sent)));
        heard.reduce(|a, b| if b.1 > a.1 { b } else { a })
    }

    /// True if a station certainly fails to decode the frame that it locks on to, over this noise: the other
    /// frames together are too strong, and overlap enough of its bits.
    pub(super) fn is_lost(
        &self,
        power: impl Fn(&Transmission) -> f64,
        levels: &Levels,
        (noise, band): (f64, Occupied),
    ) -> bool {
        let Some((own, own_power)) = self.strongest(&power) else { return false };
        let sent = &own.sent;
        let (mut others, mut until) = (0.0, sent.ends);
        for frame in self.frames.iter().filter(|frame| frame.place != own.place) {
            others += power(&frame.sent) * frame.sent.band.part_in(sent.band);
            until = until.min(frame.sent.ends);
        }
        if !levels.exceeds(own_power, others, levels.factors.survive) {
            return true;
        }
        let (part, whole) = (until.since(sent.body).0, sent.ends.since(sent.body).0);
        until > sent.body
            && own_power < own.hopeless * (noise * band.part_in(sent.band) + others)
            && share(part, whole, sent.bits) >= HOPELESS_BITS
    }

    /// What a station has received so far.
    pub(super) fn at(
        &self,
        power: impl Fn(&Transmission) -> f64,
        levels: &Levels,
        by: &Judge<'_>,
    ) -> Option<Hearing> {
        let (own, own_power) = self.strongest(&power)?;
        let others = |after: Nanos| -> f64 {
            let left =
                |f: &&Colliding| f.place != own.place && !(f.is_over && f.sent.ends <= after);
            let part = |frame: &Colliding| frame.sent.band.part_in(own.sent.band);
            self.frames.iter().filter(left).map(|frame| power(&frame.sent) * part(frame)).sum()
        };
        let since = own.sent.started;
        let mut reception = Reception::new(since, own.place, own_power, &own.sent);
        reception.interference = others(since);
        reception.destroyed =
            !levels.exceeds(own_power, reception.interference, levels.factors.survive);
        let mut last = since;
        loop {
            let over = self.frames.iter().filter(|frame| frame.is_over);
            let ends = over.map(|frame| frame.sent.ends).filter(|ends| *ends > last).min();
            let Some(ends) = ends else { return Some(Hearing { reception, over: None }) };
            reception.judge(ends, by, &mut Vec::new());
            if own.is_over && ends == own.sent.ends {
                return Some(Hearing { reception, over: Some(own.sent) });
            }
            reception.interference = others(ends);
            last = ends;
        }
    }
}
