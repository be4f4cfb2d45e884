//! CSV, TSV and blank-separated tables: one packet per row.
//!
//! A column holds outcomes (0/1, true/false, received/lost, ...), or receive times or delays (a
//! blank is a loss), or the sequence numbers of the received packets (gaps are losses).
//! `table/guess.rs` decides which, from the header's names, the options, or the first rows, and
//! `table/watch.rs` refuses ambiguous tables. A column of time stamps gives the interval, as the
//! median gap over the first 65,536 rows. Columns named `link`, `src`, `dst`, `tx`, `rx`, ... split
//! the rows into links. If numbers repeat, `table/split.rs` finds the column that separates links.

mod by_number;
mod by_time;
mod columns;
mod dates;
mod decimal;
mod delay;
mod delimiter;
mod finish;
mod group;
mod guess;
mod markers;
mod midnights;
mod minus_one;
mod names;
mod negative_delays;
mod put_in_order;
mod read;
mod rising;
mod rows;
mod same_names;
mod short;
mod sorted;
mod split;
mod spread;
mod times;
mod timing;
mod unused;
mod watch;

pub(super) use names::unit_of;
pub(super) use negative_delays::negative_delays_note;
pub(super) use read::{DESCRIPTION, TAG, detect, is_certain, read};
pub(super) use times::{Stamp, beyond_reason, seconds, since_1970, unit_by_size};
