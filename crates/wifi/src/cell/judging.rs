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

    /// Probability that all bits of the MPDU at these bytes are correct.
    pub(super) fn survival(&mut self, place: (u32, u32), success: impl Fn(f64, u64) -> f64) -> f64 {
        if self.pieces.is_empty() {
            return 1.0;
        }
        let (from, until) = self.sent.times(place);
        let bits = 8 * u64::from(place.1 - place.0);
        let mut survival = 1.0;
        for piece in self.pieces {
            let (begins, ends) = (piece.from.max(from), piece.until.min(until));
            if begins >= ends {
                continue;
            }
            let part = share(ends.since(begins).0, until.since(from).0, bits);
            survival *= match self.last {
                Some((sinr, same, known)) if (sinr, same) == (piece.sinr.to_bits(), part) => known,
                _ => {
                    let new = success(piece.sinr, part);
                    self.last = Some((piece.sinr.to_bits(), part, new));
                    new
                }
            };
        }
        survival
    }

    /// What an interferer sees of the MPDU at these bytes.
    pub(super) fn exposure(&self, place: (u32, u32), station: usize) -> Exposure {
        let (from, to) = self.sent.times(place);
        Exposure { station, from, to, payload: to.since(from) }
    }
}
