//! What each station did on the air, in counts.

use airtcp_units::{Nanos, Span};

use super::fate::Loss;
use crate::mac::{Class, Finished, Frame};

const CLASSES: usize = Class::ALL.len();

/// What became of the frames of one class that a station sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClassCounts {
    /// Frames sent.
    pub sent: u64,
    /// Time they took on the air, in ns.
    pub airtime_ns: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Decoded by the station they were for.
    pub decoded: u64,
    /// Lost because that station was sending.
    pub transmitter_side: u64,
    /// Lost to an overlap at that station, by the class of the strongest frame beside it.
    pub collided: [u64; CLASSES],
    /// Lost because that station went over to a stronger frame.
    pub captured: u64,
    /// Lost to an interferer.
    pub interferer: u64,
    /// Lost with no other frame involved.
    pub noise: u64,
}

/// What a station did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StationStats {
    /// By class, in the order of [`Class::ALL`].
    pub classes: [ClassCounts; CLASSES],
    /// Packets whose frame was acknowledged.
    pub acknowledged: u64,
    /// Packets given up after the last attempt, whether the other end has them or not.
    pub given_up: u64,
    /// Of these, the ones the other end does not have.
    pub dropped: u64,
    /// Packets dropped because the station they were for is not associated.
    pub refused: u64,
    /// Sum of the times from reaching the head of the queue to the end of the exchange, in ns.
    pub service_ns: u64,
    /// Data frames sent for packets that were acknowledged.
    pub attempts: u64,
}

impl StationStats {
    /// Counts of a class.
    pub const fn class(&self, class: Class) -> &ClassCounts {
        &self.classes[class as usize]
    }

    pub(crate) fn on_sent(&mut self, frame: &Frame, length: Span) {
        let class = &mut self.classes[frame.class as usize];
        class.sent += 1;
        class.airtime_ns += length.0;
        class.bytes += u64::from(frame.bytes);
    }

    pub(crate) const fn on_decoded(&mut self, frame: &Frame) {
        self.classes[frame.class as usize].decoded += 1;
    }

    pub(crate) const fn on_lost(&mut self, frame: &Frame, loss: Loss) {
        let class = &mut self.classes[frame.class as usize];
        match loss {
            Loss::TransmitterSide => class.transmitter_side += 1,
            Loss::Collision(other) => class.collided[other as usize] += 1,
            Loss::Captured(_) => class.captured += 1,
            Loss::Interferer => class.interferer += 1,
            Loss::Noise => class.noise += 1,
        }
    }

    pub(crate) fn on_finished(&mut self, done: &Finished, now: Nanos) {
        self.service_ns += now.since(done.mpdu.since).0;
        if done.acknowledged {
            self.acknowledged += 1;
            self.attempts += u64::from(done.mpdu.sent);
        } else {
            self.given_up += 1;
        }
    }
}
