//! The probability that a radio decodes an MPDU of an aggregate.
//!
//! The bits of the PSDU are spread evenly over the time after the preamble. An MPDU has the bits of its delimiter
//! and its own.

use super::radio::{Piece, share};
use super::transmission::Transmission;
use crate::interference::Exposure;

/// Judges the MPDUs of an aggregate at a radio.
pub(super) struct Judging<'a> {
    sent: &'a Transmission,
    /// Intervals in which bits of the frame could be lost.
    pieces: &'a [Piece],
    /// The bits of the last SINR, the number of bits of the MPDU, and their probability of success.
    last: Option<(u64, u64, f64)>,
}

impl<'a> Judging<'a> {
    pub(super) const fn new(sent: &'a Transmission, pieces: &'a [Piece]) -> Self {
        Self { sent, pieces, last: None }
    }

    /// True if no bit can be lost.
    pub(super) const fn is_sure(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Probability that all bits of the MPDU at these bytes are correct.
    #[inline]
    pub(super) fn survival(&mut self, place: (u32, u32), success: impl Fn(f64, u64) -> f64) -> f64 {
        if self.pieces.is_empty() {
            return 1.0;
        }
        let bits = 8 * u64::from(place.1 - place.0);
        // In an interval that covers the whole PSDU lie all bits of each MPDU, and MPDUs of one length are alike.
        if let [piece] = self.pieces
            && piece.from <= self.sent.body
            && piece.until >= self.sent.ends
            && self.sent.holds(place.1)
        {
            return self.factor(piece.sinr, bits, success);
        }
        let (from, until) = self.sent.times(place);
        let mut survival = 1.0;
        for piece in self.pieces {
            let (begins, ends) = (piece.from.max(from), piece.until.min(until));
            if begins >= ends {
                continue;
            }
            let part = share(ends.since(begins).0, until.since(from).0, bits);
            survival *= self.factor(piece.sinr, part, &success);
        }
        survival
    }

    /// Probability that as many bits are correct at an SINR.
    #[inline]
    fn factor(&mut self, sinr: f64, bits: u64, success: impl Fn(f64, u64) -> f64) -> f64 {
        match self.last {
            Some((same, number, known)) if (same, number) == (sinr.to_bits(), bits) => known,
            _ => {
                let new = success(sinr, bits);
                self.last = Some((sinr.to_bits(), bits, new));
                new
            }
        }
    }

    /// What an interferer sees of the MPDU at these bytes.
    pub(super) fn exposure(&self, place: (u32, u32), station: usize) -> Exposure {
        let (from, to) = self.sent.times(place);
        Exposure { station, from, to, payload: to.since(from) }
    }
}
