//! Time stamps of tables: numbers of any unit, exact to its billionth, and the dates of `dates.rs`.
//!
//! If no name gives the unit, it follows from the size of numbers that count from 1970, or from
//! fractions; otherwise it is unknown. A note names the unit.

use airtcp_units::Span;

use super::dates::{date, time_of_day};
use super::decimal::{BILLION, number};

/// A number of units, a date or a time of day, in billionths (of a unit, of a second).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::reader::layouts) enum Stamp {
    Number(i128),
    /// Since 1970.
    Date(i128),
    /// Since midnight.
    TimeOfDay(i128),
}

/// 2001 to 2100 in seconds since 1970.
const EPOCH: std::ops::Range<i128> = 1_000_000_000..4_102_444_800;
/// Greatest interval between packets with which a unit found by size is accepted.
const LONGEST: Span = Span::from_secs(60);

/// Descriptions of cells that are not numbers.
pub(super) const DATES: &str = "dates";
pub(super) const TIMES_OF_DAY: &str = "times of day";

impl Stamp {
    /// The time in a cell.
    pub(in crate::reader::layouts) fn of(cell: &str) -> Option<Self> {
        number(cell)
            .map(Self::Number)
            .or_else(|| date(cell).map(Self::Date))
            .or_else(|| time_of_day(cell).map(Self::TimeOfDay))
    }

    /// The number, in billionths.
    pub(in crate::reader::layouts) const fn value(self) -> i128 {
        match self {
            Self::Number(n) | Self::Date(n) | Self::TimeOfDay(n) => n,
        }
    }
}

/// A number of seconds in billionths, for other logs with time stamps.
pub(in crate::reader::layouts) fn seconds(cell: &str) -> Option<i128> {
    match Stamp::of(cell)? {
        Stamp::Number(value) => Some(value),
        Stamp::Date(_) | Stamp::TimeOfDay(_) => None,
    }
}

/// The unit of numbers without a unit in their name, and its reason in words.
pub(in crate::reader::layouts) fn unit_by_size(stamps: &[Stamp]) -> Option<(Span, &'static str)> {
    let second = Span::from_secs(1);
    if stamps.len() < 2 {
        return None;
    }
    if stamps.iter().all(|stamp| matches!(stamp, Stamp::Date(_))) {
        return Some((second, DATES));
    }
    if stamps.iter().all(|stamp| matches!(stamp, Stamp::TimeOfDay(_))) {
        return Some((second, TIMES_OF_DAY));
    }
    if stamps.iter().any(|stamp| !matches!(stamp, Stamp::Number(_))) {
        return None;
    }
    let values: Vec<i128> = stamps.iter().map(|stamp| stamp.value()).collect();
    let gap = typical_gap(&values);
    if let Some((unit, words)) = since_1970(stamps) {
        // With many packets in one unit there is no gap to examine.
        let gap = gap.unwrap_or(0) * i128::from(unit.0) / BILLION;
        return (gap <= i128::from(LONGEST.0)).then_some((unit, words));
    }
    // 0.000, 0.005, 0.010: in milliseconds these would be 200,000 packets a second.
    let fractions = BILLION / 100_000..BILLION;
    gap.is_some_and(|gap| fractions.contains(&gap))
        .then_some((second, "seconds, by their fractions"))
}

/// The unit in which all numbers count from 1970, and its reason in words.
pub(in crate::reader::layouts) fn since_1970(stamps: &[Stamp]) -> Option<(Span, &'static str)> {
    let units = [
        (1, Span::from_secs(1), "seconds since 1970, by their size"),
        (1000, Span::from_millis(1), "milliseconds since 1970, by their size"),
        (1_000_000, Span::from_micros(1), "microseconds since 1970, by their size"),
        (1_000_000_000, Span(1), "nanoseconds since 1970, by their size"),
    ];
    let fits =
        |scale: i128| stamps.iter().all(|stamp| EPOCH.contains(&(stamp.value() / BILLION / scale)));
    let found = units.into_iter().find(|(scale, ..)| !stamps.is_empty() && fits(*scale));
    found.map(|(_, unit, words)| (unit, words))
}

/// Median distance between different neighbours.
pub(super) fn typical_gap(values: &[i128]) -> Option<i128> {
    let mut gaps: Vec<i128> =
        values.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 0).collect();
    gaps.sort_unstable();
    gaps.get(gaps.len() / 2).copied()
}

/// True if times of this unit are after the year 3000, so that the unit in the column's name is
/// wrong.
pub(in crate::reader::layouts) fn beyond_reason(stamps: &[Stamp], unit: Span) -> bool {
    const YEAR_3000: i128 = 32_503_680_000;
    stamps.iter().any(|stamp| {
        matches!(stamp, Stamp::Number(n) if n / BILLION * i128::from(unit.0) > YEAR_3000 * BILLION)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamps(cells: &[&str]) -> Vec<Stamp> {
        cells.iter().map(|cell| Stamp::of(cell).unwrap()).collect()
    }

    #[test]
    fn numbers_are_exact() {
        assert_eq!(Stamp::of("1700000000.005"), Some(Stamp::Number(1_700_000_000_005_000_000)));
        assert_eq!(Stamp::of("-.5"), Some(Stamp::Number(-500_000_000)));
        assert_eq!(Stamp::of("1e3"), Some(Stamp::Number(1_000_000_000_000)));
        for cell in ["", "nan", "inf", "x", ".", "12:00", "1e300"] {
            assert_eq!(Stamp::of(cell), None, "{cell}");
        }
    }

    #[test]
    fn units_by_size() {
        let unit = |cells: &[&str]| unit_by_size(&stamps(cells)).map(|(unit, _)| unit);
        assert_eq!(unit(&["1700000000.000", "1700000000.005"]), Some(Span::from_secs(1)));
        assert_eq!(unit(&["1700000000000", "1700000000005"]), Some(Span::from_millis(1)));
        assert_eq!(unit(&["1700000000000000", "1700000000005000"]), Some(Span::from_micros(1)));
        assert_eq!(unit(&["1700000000000000000", "1700000000005000000"]), Some(Span(1)));
        assert_eq!(unit(&["0.000", "0.005", "0.010"]), Some(Span::from_secs(1)));
        // 5000 s apart, if they were seconds: rather microseconds of an uptime.
        assert_eq!(unit(&["1700000000", "1700005000"]), None);
        assert_eq!(unit(&["0", "20", "41"]), None);
        assert!(beyond_reason(&stamps(&["1700000000000"]), Span::from_secs(1)));
        assert!(!beyond_reason(&stamps(&["1700000000000"]), Span::from_millis(1)));
    }
}
