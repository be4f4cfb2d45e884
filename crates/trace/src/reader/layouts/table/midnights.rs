//! Times of day over several days.

use super::dates::DAY;
use super::times::Stamp;

/// Times of day that continue after midnight. The day is known if neighbouring rows are less than
/// twelve hours apart.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Midnights {
    last: Option<i128>,
    /// Midnights passed, minus those passed backwards.
    passed: i128,
    /// The first and the last time of day met.
    span: Option<(i128, i128)>,
}

impl Midnights {
    /// The value of a stamp; a time of day counts from the midnight before the first row.
    pub(super) fn value(&mut self, stamp: Stamp) -> i128 {
        let Stamp::TimeOfDay(time) = stamp else { return stamp.value() };
        let step = time - self.last.replace(time).unwrap_or(time);
        self.passed += i128::from(step < -DAY / 2) - i128::from(step > DAY / 2);
        let value = time + self.passed * DAY;
        let (low, high) = self.span.unwrap_or((value, value));
        self.span = Some((low.min(value), high.max(value)));
        value
    }

    /// True if the times may be of several days, so that unsorted rows do not show the day.
    pub(super) fn may_be_another_day(&self) -> bool {
        self.span.is_some_and(|(low, high)| high - low > DAY / 2)
    }
}

/// The smaller difference of two times of day around midnight.
pub(super) const fn apart(later: i128, earlier: i128) -> i128 {
    (later - earlier + DAY / 2).rem_euclid(DAY) - DAY / 2
}

#[cfg(test)]
mod tests {
    use super::super::decimal::BILLION;
    use super::*;

    #[test]
    fn times_of_day_go_on_after_midnight_in_any_order() {
        let second = |cell: &str| Stamp::of(cell).unwrap();
        assert_eq!(second("00:01:02.5"), Stamp::TimeOfDay(62 * BILLION + BILLION / 2));
        assert_eq!(Stamp::of("12:00"), None);
        let mut days = Midnights::default();
        let values: Vec<i128> = ["23:59:59", "00:00:01", "23:59:58", "00:00:00"]
            .map(|cell| days.value(second(cell)) / BILLION)
            .to_vec();
        assert_eq!(values, [86_399, 86_401, 86_398, 86_400]);
        assert!(!days.may_be_another_day());
        let mut days = Midnights::default();
        for cell in ["01:00:00", "09:00:00", "17:00:00"] {
            days.value(second(cell));
        }
        assert!(days.may_be_another_day());
        assert_eq!(apart(5 * BILLION, DAY - 5 * BILLION), 10 * BILLION);
    }
}
