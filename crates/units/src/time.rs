//! Simulated time: [`Nanos`] since the start of a run, and [`Span`], a length of time.
//!
//! 64 bits of nanoseconds hold 584 years. Arithmetic saturates instead of wrapping, so that
//! [`Nanos::NEVER`] plus anything is still never.

use crate::Saturate;
use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub};
use std::str::FromStr;

use crate::quantity::{self, QuantityError, Unit, string_quantity};

const UNITS: &[Unit] =
    &[("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9), ("h", 3600e9)];

/// An instant, in nanoseconds since the start of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Nanos(pub u64);

/// A length of time in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(pub u64);

impl Nanos {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// A time that never comes: the next timer of an idle machine.
    pub const NEVER: Self = Self(u64::MAX);

    /// Time passed since `earlier`; zero if `earlier` is later.
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// Seconds since the start, for output only.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// An instant given in seconds, rounded to the nanosecond.
    pub fn from_secs_f64(secs: f64) -> Self {
        Self(Span::from_secs_f64(secs).0)
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// Longer than any run.
    pub const MAX: Self = Self(u64::MAX);

    /// A span of whole microseconds.
    pub const fn from_micros(us: u64) -> Self {
        Self(us * 1_000)
    }

    /// A span of whole milliseconds.
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms * 1_000_000)
    }

    /// A span of whole seconds.
    pub const fn from_secs(s: u64) -> Self {
        Self(s * 1_000_000_000)
    }

    /// A span in seconds, rounded to the nanosecond; negative and NaN become zero.
    pub fn from_secs_f64(secs: f64) -> Self {
        Self(u64::saturate(secs * 1e9 + 0.5))
    }

    /// Seconds, for output and for rate computations.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The span times a non-negative factor, saturating.
    pub fn mul_f64(self, factor: f64) -> Self {
        Self(u64::saturate(self.0 as f64 * factor))
    }

    /// `self - other`, or zero.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add<Span> for Nanos {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Nanos {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub<Span> for Nanos {
    type Output = Self;
    fn sub(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.0))
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Span {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.saturating_sub(other)
    }
}

impl Mul<u64> for Span {
    type Output = Self;
    fn mul(self, n: u64) -> Self {
        Self(self.0.saturating_mul(n))
    }
}

impl Div<u64> for Span {
    type Output = Self;
    fn div(self, n: u64) -> Self {
        Self(self.0 / n)
    }
}

/// Writes the largest unit that gives a whole number, so that text and value round-trip.
fn write_nanos(f: &mut fmt::Formatter<'_>, ns: u64) -> fmt::Result {
    if ns == 0 {
        return f.write_str("0 s");
    }
    for (unit, scale) in [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)] {
        if ns.is_multiple_of(scale) {
            return write!(f, "{} {unit}", ns / scale);
        }
    }
    write!(f, "{ns} ns")
}

fn parse_nanos(text: &str, what: &str, example: &str) -> Result<u64, QuantityError> {
    let ns = quantity::parse(text, what, example, UNITS)?;
    if !(0.0..=1.8e19).contains(&ns) {
        return Err(QuantityError::new(format!(
            "\"{text}\" is out of range: {what} lies between 0 s and 584 years"
        )));
    }
    Ok(u64::saturate(ns + 0.5))
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_nanos(f, self.0)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_nanos(f, self.0)
    }
}

impl FromStr for Nanos {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        parse_nanos(text, "an instant", "2 s").map(Self)
    }
}

impl FromStr for Span {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        parse_nanos(text, "a time", "9 us").map(Self)
    }
}

string_quantity!(Nanos, "an instant since the start of the run", "2 s");
string_quantity!(Span, "a length of time", "9 us");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_units() {
        assert_eq!("9 us".parse::<Span>(), Ok(Span(9_000)));
        assert_eq!("1.5ms".parse::<Span>(), Ok(Span(1_500_000)));
        assert_eq!("2e-3 s".parse::<Span>(), Ok(Span(2_000_000)));
        assert_eq!(Span(1_500_000).to_string(), "1500 us");
        assert_eq!(Span::from_secs(3).to_string(), "3 s");
    }

    #[test]
    fn errors_say_what_is_accepted() {
        let e = "9".parse::<Span>().unwrap_err().to_string();
        assert!(e.contains("unit") && e.contains("9 us"), "{e}");
        let e = "9 parsec".parse::<Span>().unwrap_err().to_string();
        assert!(e.contains("parsec") && e.contains("ms"), "{e}");
        assert!("-1 s".parse::<Span>().is_err());
        assert!("soon".parse::<Span>().is_err());
    }

    #[test]
    fn never_stays_never() {
        assert_eq!(Nanos::NEVER + Span::from_secs(1), Nanos::NEVER);
        assert_eq!(Nanos(3).since(Nanos(5)), Span::ZERO);
    }
}
