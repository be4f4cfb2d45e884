//! Whether the numbers of a column may be receive times: these rise from packet to packet. Shares
//! and counts of packets do not rise, or by 1 at most.

use super::guess::Guess;
use super::names::{SENT, SEQUENCE, TIME, is_one_of, is_sent_time};
use super::times::{DATES, Stamp, TIMES_OF_DAY, unit_by_size};

const BILLION: i128 = 1_000_000_000;
/// Most rows in which every time must be later than the one before.
const FEW: usize = 8;
/// Fewest rows in which numbers that only rise by 0 and 1 are a count.
const MANY: usize = 20;

impl Guess<'_> {
    /// True if the numbers of a column may be receive times.
    pub(super) fn may_be_times(&self, column: usize) -> bool {
        let order = |names: &dyn Fn(&str) -> bool| {
            (0..self.columns.len())
                .find(|i| self.header && *i != column && names(&self.columns[*i]))
        };
        let order = order(&|name| is_one_of(name, SEQUENCE))
            .or_else(|| order(&|name| is_sent_time(name) || is_one_of(name, SENT)))
            .or_else(|| order(&|name| is_one_of(name, TIME)));
        let stamp = |row: &Vec<String>, at: usize| Stamp::of(row.get(at)?);
        let mut rows: Vec<(Option<i128>, Stamp)> = self
            .data
            .iter()
            .filter_map(|row| {
                let place = order.and_then(|at| stamp(row, at)).map(Stamp::value);
                // A 0 among times is a loss marker.
                Some((place, stamp(row, column).filter(|came| came.value() != 0)?))
            })
            .collect();
        rows.sort_by_key(|(place, _)| *place);
        let stamps: Vec<Stamp> = rows.into_iter().map(|(_, came)| came).collect();
        let known = unit_by_size(&stamps);
        known
            .is_some_and(|(_, told)| told.contains("1970") || [DATES, TIMES_OF_DAY].contains(&told))
            || rise(&stamps)
    }
}

/// True if times rise: each is later than the one before. With many rows, only the last ones must
/// be later than the first ones, since packets may be reordered.
fn rise(stamps: &[Stamp]) -> bool {
    let values: Vec<i128> = stamps.iter().map(|stamp| stamp.value()).collect();
    let steps = || values.windows(2).map(|pair| pair[1] - pair[0]);
    if values.len() < FEW {
        return steps().all(|step| step > 0);
    }
    let quarter = values.len() / 4;
    let (first, last) = (&values[..quarter], &values[values.len() - quarter..]);
    let counted = steps().all(|step| step == 0 || step == BILLION);
    first.iter().max() < last.iter().min() && !(counted && values.len() >= MANY)
}
