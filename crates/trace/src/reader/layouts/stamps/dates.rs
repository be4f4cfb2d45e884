//! Dates and times of day in tables: RFC 3339, and the forms of spreadsheets and logs.
//!
//! `28.05.2024` has the day first, `2024/05/28` the year; in `05/28/2024` the number above 12 is
//! the day; without such a number the date is not read. Zones are offsets; without one the time is
//! UTC.

use super::decimal::{BILLION, number};

const HOUR: i128 = 3600 * BILLION;
pub(in crate::reader::layouts) const DAY: i128 = 24 * HOUR;

/// `2024-05-01T12:00:00.005Z` and the like, as billionths of a second since 1970.
pub(super) fn date(cell: &str) -> Option<i128> {
    let cell = cell.strip_suffix(['Z', 'z']).unwrap_or(cell);
    let (day, time) = cell.split_once(['T', 't', ' '])?;
    let (year, month, day) = calendar(day)?;
    let (time, offset) = match time.rfind(['+', '-']) {
        Some(at) => (&time[..at], Some(&time[at..])),
        None => (time, None),
    };
    let seconds = clock(time)?;
    let offset = match offset {
        Some(text) => {
            let sign = if text.starts_with('-') { -1 } else { 1 };
            sign * clock(&text[1..])?
        }
        None => 0,
    };
    Some(i128::from(days(year, month, day)) * DAY + seconds - offset)
}

/// `12:00:00.005` or `1:00:00 PM`, as billionths of a second since midnight. A time without seconds
/// is not read, because it may be minutes and seconds.
pub(super) fn time_of_day(cell: &str) -> Option<i128> {
    if cell.bytes().filter(|byte| *byte == b':').count() != 2 {
        return None;
    }
    clock(cell)
}

/// Year, month and day.
fn calendar(text: &str) -> Option<(i64, i64, i64)> {
    let separator = text.chars().find(|c| !c.is_ascii_digit())?;
    let parts: Vec<&str> = text.split(separator).collect();
    let &[first, second, third] = parts.as_slice() else { return None };
    let value = |part: &str| part.parse::<i64>().ok().filter(|_| part.len() <= 4);
    let (a, b, c) = (value(first)?, value(second)?, value(third)?);
    let (year, month, day) = match separator {
        '-' => (a, b, c),
        '/' if first.len() == 4 => (a, b, c),
        '.' if third.len() == 4 => (c, b, a),
        '/' if third.len() == 4 && (a > 12 || a == b) => (c, b, a),
        '/' if third.len() == 4 && b > 12 => (c, a, b),
        _ => return None,
    };
    ((0..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day))
        .then_some((year, month, day))
}

/// `12:00` or `12:00:00.005`, perhaps with AM or PM, in billionths of a second.
fn clock(text: &str) -> Option<i128> {
    let lower = text.to_ascii_lowercase();
    let (text, half) = match lower.strip_suffix("am").or_else(|| lower.strip_suffix("pm")) {
        Some(time) => (time.trim_end(), Some(lower.ends_with("pm"))),
        None => (lower.as_str(), None),
    };
    // Some logs write the fraction with a comma.
    let text = text.replace(',', ".");
    let mut parts = text.split(':');
    let mut next =
        || parts.next().map(|part| number(part).filter(|n| (0..61 * BILLION).contains(n)));
    let (hours, minutes, seconds) = (next()??, next()??, next().unwrap_or(Some(0))?);
    let hours = match half {
        Some(_) if !(BILLION..=12 * BILLION).contains(&hours) => return None,
        Some(after_noon) => hours % (12 * BILLION) + if after_noon { 12 * BILLION } else { 0 },
        None => hours,
    };
    (parts.next().is_none() && hours <= 24 * BILLION)
        .then_some(hours * 3600 + minutes * 60 + seconds)
}

/// Days from 1970-01-01 in the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Counting years from March puts the leap day at their end.
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        // RFC 3339, and known values of `date -d ... +%s`.
        for (cell, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29 12:00:00", 951_825_600),
            ("2024-05-01T12:00:00+02:00", 1_714_557_600),
            ("2024-12-31T23:59:60Z", 1_735_689_600),
            ("28.05.2024 12:00:00", 1_716_897_600),
            ("28/05/2024 12:00:00", 1_716_897_600),
            ("5/28/2024 12:00:00", 1_716_897_600),
            ("2024/05/28 12:00", 1_716_897_600),
            ("5/28/2024 12:00:00 AM", 1_716_854_400),
            ("5/28/2024 1:00:00 PM", 1_716_901_200),
        ] {
            assert_eq!(date(cell), Some(seconds * BILLION), "{cell}");
        }
        assert_eq!(date("2024-05-01T12:00:00.005Z").unwrap() % BILLION, 5_000_000);
        assert_eq!(date("2024-05-01 12:00:00,005").unwrap() % BILLION, 5_000_000);
        // No such month; the day or the month first; no such hour.
        for cell in
            ["2024-13-01T12:00:00", "05/06/2024 12:00:00", "28.05.2024 13:00:00 PM", "28.05.2024"]
        {
            assert_eq!(date(cell), None, "{cell}");
        }
    }
}
