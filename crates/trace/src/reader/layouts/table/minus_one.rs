//! What -1 means among receive times and delays: a lost packet, unless the clocks of sender and receiver
//! differ and other times are negative, too.

use super::names::{Arrival, arrival};
use super::times::Stamp;

/// Of negative times, -1 may be one of so many for each other that is believed to be a time.
const SHARE: u64 = 2;

/// True if -1 marks lost packets in a column of these `cells`: no other is negative, or so few are that the
/// many -1 are marks; a blank marks lost packets by itself.
pub(super) fn is_lost(cells: impl Iterator<Item = String>) -> bool {
    let (mut marks, mut blanks, mut negative) = (0u64, 0u64, 0u64);
    for cell in cells {
        match arrival(&cell) {
            Arrival::MinusOne => marks += 1,
            Arrival::Blank => blanks += 1,
            Arrival::Came if Stamp::of(&cell).is_some_and(|stamp| stamp.value() < 0) => {
                negative += 1;
            }
            Arrival::Came | Arrival::Unclear => {}
        }
    }
    negative == 0 || (blanks == 0 && marks > SHARE * negative)
}
