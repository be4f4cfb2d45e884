//! CSV, TSV and blank-separated tables: one packet a row.
//!
//! A column holds outcomes (0/1, true/false, received/lost, ...), or receive times or delays (a
//! blank is a loss), or the sequence numbers of the packets that came (gaps are losses).
//! `table/guess.rs` decides which, from the header's names, the options, or the first rows, and
//! `table/watch.rs` refuses what is not certain. A column of time stamps gives the interval, as the
//! median gap over the first 65,536 rows. Columns named `link`, `src`, `dst`, `tx`, `rx`, ... split
//! the rows into links. Where numbers repeat, `table/split.rs` finds the column that does.

mod columns;
mod dates;
mod decimal;
mod delay;
mod delimiter;
mod early;
mod finish;
mod group;
mod guess;
mod markers;
mod midnights;
mod minus;
mod moments;
mod names;
mod places;
mod read;
mod rising;
mod rows;
mod settle;
mod short;
mod sorted;
mod split;
mod spread;
mod times;
mod timing;
mod twins;
mod unread;
mod watch;

pub(super) use early::said as early_said;
pub(super) use names::unit_of;
pub(super) use read::{DESCRIPTION, TAG, detect, is_certain, read};
pub(super) use times::{Stamp, beyond_reason, seconds, since_1970, unit_by_size};
