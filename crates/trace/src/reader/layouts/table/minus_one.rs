//! The meaning of -1 among receive times and delays: a lost packet, unless other times are
//! negative, too, because the clocks of sender and receiver differ.

use super::names::{Arrival, arrival};
use super::times::Stamp;

/// Most values of -1 for each other negative time if -1 is a time.
const SHARE: u64 = 2;

/// True if -1 marks lost packets in a column of these `cells`: no or few other values are negative,
/// and no cell is blank.
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
