//! Decimal numbers of tables in billionths, which are exact.

use airtcp_units::Saturate;

pub(in crate::reader::layouts) const BILLION: i128 = 1_000_000_000;

/// A decimal number in billionths, exact; a number with an exponent has the precision of a float.
pub(super) fn number(cell: &str) -> Option<i128> {
    let (negative, digits) = match cell.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, cell.strip_prefix('+').unwrap_or(cell)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if plain(whole) && plain(fraction) && whole.len() + fraction.len() > 0 && whole.len() <= 24 {
        let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let part = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
        let part = part.fold(0, |sum, digit| 10 * sum + i128::from(digit - b'0'));
        let value = whole * BILLION + part;
        return Some(if negative { -value } else { value });
    }
    let value: f64 = cell.parse().ok()?;
    (value.is_finite() && value.abs() < 1e24).then_some(i128::saturate(value * 1e9))
}
