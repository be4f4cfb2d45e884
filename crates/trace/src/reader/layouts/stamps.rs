//! Time stamps in tables and logs: numbers of any unit, exact to its billionth, and the dates of `stamps/dates.rs`.
//!
//! If neither the name nor the user gives the unit, it follows from the size of numbers that count
//! from 1970; otherwise it is unknown. A note names the unit.

mod dates;
mod decimal;

use airtcp_units::Span;

pub(super) use dates::DAY;
use dates::{date, time_of_day};
pub(super) use decimal::BILLION;
use decimal::number;

/// A number of units, a date or a time of day, in billionths (of a unit, of a second).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stamp {
    Number(i128),
    /// Since 1970.
    Date(i128),
    /// Since midnight.
    TimeOfDay(i128),
}

/// 2001 to 2100 in seconds since 1970.
const EPOCH: std::ops::Range<i128> = 1_000_000_000..4_102_444_800;
/// Greatest interval between packets with which a name's unit is doubted.
const LONGEST: Span = Span::from_secs(60);

impl Stamp {
    /// The time in a cell.
    pub(super) fn of(cell: &str) -> Option<Self> {
        number(cell)
            .map(Self::Number)
            .or_else(|| date(cell).map(Self::Date))
            .or_else(|| time_of_day(cell).map(Self::TimeOfDay))
    }

    pub(super) const fn is_number(self) -> bool {
        matches!(self, Self::Number(_))
    }

    /// The number, in billionths.
    pub(super) const fn value(self) -> i128 {
        match self {
            Self::Number(n) | Self::Date(n) | Self::TimeOfDay(n) => n,
        }
    }
}

/// A number of seconds in billionths, for other logs with time stamps.
pub(super) fn seconds(cell: &str) -> Option<i128> {
    match Stamp::of(cell)? {
        Stamp::Number(value) => Some(value),
        Stamp::Date(_) | Stamp::TimeOfDay(_) => None,
    }
}

/// The unit of dates, of times of day, and of numbers that count from 1970, and its reason in words.
pub(super) fn unit_by_form(stamps: &[Stamp]) -> Option<(Span, &'static str)> {
    let second = Span::from_secs(1);
    let all = |test: fn(&Stamp) -> bool| !stamps.is_empty() && stamps.iter().all(test);
    match () {
        () if all(|stamp| matches!(stamp, Stamp::Date(_))) => Some((second, "dates")),
        () if all(|stamp| matches!(stamp, Stamp::TimeOfDay(_))) => Some((second, "times of day")),
        () => since_1970(stamps),
    }
}

/// The unit in which all numbers count from 1970, and its reason in words.
pub(super) fn since_1970(stamps: &[Stamp]) -> Option<(Span, &'static str)> {
    let units = [
        (1, Span::from_secs(1), "seconds since 1970, by their size"),
        (1000, Span::from_millis(1), "milliseconds since 1970, by their size"),
        (1_000_000, Span::from_micros(1), "microseconds since 1970, by their size"),
        (1_000_000_000, Span(1), "nanoseconds since 1970, by their size"),
    ];
    let fits = |scale: i128| {
        let in_range = |n: &i128| EPOCH.contains(&(n / BILLION / scale));
        stamps.iter().all(|stamp| matches!(stamp, Stamp::Number(n) if in_range(n)))
    };
    let found = units.into_iter().find(|(scale, ..)| !stamps.is_empty() && fits(*scale));
    found.map(|(_, unit, words)| (unit, words))
}

/// What the numbers look like, if not like times in the `unit` of their column's name: times after
/// the year 3000, or times since 1970 in a larger unit, by their size and their distance.
pub(super) fn contradiction(stamps: &[Stamp], unit: Span) -> Option<String> {
    const YEAR_3000: i128 = 32_503_680_000;
    let scale = i128::from(unit.0);
    let is_late = |n: i128| n / BILLION * scale > YEAR_3000 * BILLION;
    if stamps.iter().any(|stamp| matches!(stamp, Stamp::Number(n) if is_late(*n))) {
        return Some("times beyond the year 3000".to_owned());
    }
    let (larger, told) = since_1970(stamps).filter(|(other, _)| *other > unit)?;
    let values = stamps.windows(2).map(|pair| pair[1].value() - pair[0].value());
    let mut gaps: Vec<i128> = values.filter(|gap| *gap > 0).collect();
    gaps.sort_unstable();
    // A clock that has run for half an hour may show 1,700,000,000 us.
    let gap = gaps.get(gaps.len() / 2).copied().unwrap_or(0) * i128::from(larger.0) / BILLION;
    (gap <= i128::from(LONGEST.0)).then(|| told.replace(", by their size", ""))
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
        let unit = |cells: &[&str]| unit_by_form(&stamps(cells)).map(|(unit, _)| unit);
        assert_eq!(unit(&["1700000000.000", "1700000000.005"]), Some(Span::from_secs(1)));
        assert_eq!(unit(&["1700000000000", "1700000000005"]), Some(Span::from_millis(1)));
        assert_eq!(unit(&["1700000000000000", "1700000000005000"]), Some(Span::from_micros(1)));
        assert_eq!(unit(&["1700000000000000000", "1700000000005000000"]), Some(Span(1)));
        assert_eq!(unit(&["0.000", "0.005", "0.010"]), None);
        assert_eq!(unit(&["0", "20", "41"]), None);
    }

    #[test]
    fn numbers_may_contradict_the_unit_of_their_name() {
        let says = |cells: &[&str], unit| contradiction(&stamps(cells), unit);
        let ms = Span::from_millis(1);
        assert!(says(&["1700000000000"], Span::from_secs(1)).unwrap().contains("year 3000"));
        assert_eq!(says(&["1700000000000"], ms), None);
        let seconds = Some("seconds since 1970".to_owned());
        assert_eq!(says(&["1700000000", "1700000020"], ms), seconds);
        // Half an hour after the start, 20 ms apart.
        assert_eq!(says(&["1700000000", "1700020000"], Span::from_micros(1)), None);
    }
}
