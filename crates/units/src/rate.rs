//! Sizes in bytes, rates in bits per second, and exact serialisation time.

use crate::{Narrow, Saturate};
use std::fmt;
use std::str::FromStr;

use crate::quantity::{self, QuantityError, Unit, string_quantity};
use crate::time::Span;

const RATE_UNITS: &[Unit] = &[
    ("b/s", 1.0),
    ("bit/s", 1.0),
    ("bps", 1.0),
    ("kb/s", 1e3),
    ("kbit/s", 1e3),
    ("kbps", 1e3),
    ("Mb/s", 1e6),
    ("Mbit/s", 1e6),
    ("Mbps", 1e6),
    ("Gb/s", 1e9),
    ("Gbit/s", 1e9),
    ("Gbps", 1e9),
];

const SIZE_UNITS: &[Unit] = &[
    ("B", 1.0),
    ("byte", 1.0),
    ("bytes", 1.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
];

/// A rate in bits per second; never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitRate(u64);

/// A size in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(pub u64);

impl BitRate {
    /// A rate of `bps` bits per second; `None` for zero, at which nothing would ever leave a link.
    pub const fn new(bps: u64) -> Option<Self> {
        if bps == 0 { None } else { Some(Self(bps)) }
    }

    /// A rate of whole megabits per second.
    pub const fn from_mbps(mbps: u64) -> Self {
        assert!(mbps > 0, "a rate is positive");
        Self(mbps * 1_000_000)
    }

    /// Bits per second.
    pub const fn bps(self) -> u64 {
        self.0
    }

    /// Time to send `bytes` at this rate, rounded up to the nanosecond. For consecutive packets use
    /// [`TxClock`], which carries the fraction over.
    #[allow(clippy::cast_possible_truncation, reason = "const; times of runs fit")]
    pub const fn time_for(self, bytes: u64) -> Span {
        let bit_ns = bytes as u128 * 8 * 1_000_000_000;
        Span(bit_ns.div_ceil(self.0 as u128) as u64)
    }
}

/// Serialisation at a fixed rate. The sub-nanosecond remainder is carried over, so a million packets
/// take exactly a million times as long as one.
#[derive(Debug, Clone, Copy)]
pub struct TxClock {
    rate: BitRate,
    remainder: u64,
    /// The last length, and the time that it takes without the remainder: whole nanoseconds, and parts of one in units of
    /// 1/rate. Most packets have the length of the one before.
    last: (u64, u64, u64),
}

impl TxClock {
    /// A clock for a transmitter of this rate.
    pub const fn new(rate: BitRate) -> Self {
        Self { rate, remainder: 0, last: (0, 0, 0) }
    }

    /// The transmitter's rate.
    pub const fn rate(&self) -> BitRate {
        self.rate
    }

    /// Duration of the next transmission of `bytes`, in whole nanoseconds. The remainder is carried over.
    #[inline]
    pub fn transmit(&mut self, bytes: u64) -> Span {
        let (whole, part) = self.divide(bytes);
        let missing = self.rate.0 - part;
        if self.remainder < missing {
            self.remainder += part;
            return Span(whole);
        }
        self.remainder -= missing;
        Span(whole + 1)
    }

    /// The pace of the next `n` transmissions of `bytes` each: the durations that
    /// [`transmit`](Self::transmit) would give one by one.
    pub fn train(&mut self, bytes: u64, n: u64) -> Pace {
        let (whole, part) = self.divide(bytes);
        let pace = Pace { whole, part, of: self.rate.0, carried: self.remainder };
        self.remainder = pace.parts(n).1;
        pace
    }

    /// The time that `bytes` take: whole nanoseconds, and the rest in units of 1/rate.
    #[inline]
    fn divide(&mut self, bytes: u64) -> (u64, u64) {
        if self.last.0 != bytes {
            self.last = self.divided(bytes);
        }
        (self.last.1, self.last.2)
    }

    fn divided(&self, bytes: u64) -> (u64, u64, u64) {
        let rate = self.rate.0;
        // Any packet fits 64 bits, and that division is several times faster.
        if let Some(bit_ns) = bytes.checked_mul(8_000_000_000) {
            return (bytes, bit_ns / rate, bit_ns % rate);
        }
        let (bit_ns, rate) = (u128::from(bytes) * 8_000_000_000, u128::from(rate));
        (bytes, u64::narrow(bit_ns / rate), u64::narrow(bit_ns % rate))
    }
}

/// The pace of a train: equal units sent back to back. Each takes `whole + part/of` nanoseconds, and the
/// remainder, initially `carried/of`, is carried over. So the first n take
/// floor(n (whole + part/of) + carried/of).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    whole: u64,
    part: u64,
    of: u64,
    carried: u64,
}

impl Pace {
    /// All units at once.
    pub const AT_ONCE: Self = Self { whole: 0, part: 0, of: 1, carried: 0 };

    /// `parts` units share `span`.
    pub const fn share(span: Span, parts: u64) -> Self {
        let of = if parts == 0 { 1 } else { parts };
        Self { whole: span.0 / of, part: span.0 % of, of, carried: 0 }
    }

    /// Time that the first `n` units take.
    #[inline]
    pub const fn after(&self, n: u64) -> Span {
        Span(self.whole.saturating_mul(n).saturating_add(self.parts(n).0))
    }

    /// Time that the next unit takes; advances to the unit after it.
    #[inline]
    pub const fn step(&mut self) -> Span {
        self.carried += self.part;
        if self.carried >= self.of {
            self.carried -= self.of;
            return Span(self.whole + 1);
        }
        Span(self.whole)
    }

    /// The fractions of `n` units: whole nanoseconds, and the remainder.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "const; quotient and remainder of a divisor that fits"
    )]
    const fn parts(&self, n: u64) -> (u64, u64) {
        if let Some(parts) = self.part.checked_mul(n)
            && let Some(all) = parts.checked_add(self.carried)
        {
            return (all / self.of, all % self.of);
        }
        let all = self.part as u128 * n as u128 + self.carried as u128;
        ((all / self.of as u128) as u64, (all % self.of as u128) as u64)
    }
}

impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (unit, scale) in [("Gb/s", 1_000_000_000), ("Mb/s", 1_000_000), ("kb/s", 1_000)] {
            if self.0.is_multiple_of(scale) {
                return write!(f, "{} {unit}", self.0 / scale);
            }
        }
        write!(f, "{} b/s", self.0)
    }
}

impl FromStr for BitRate {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let bps = quantity::parse(text, "a rate", "54 Mb/s", RATE_UNITS)?;
        if (1.0..=1e15).contains(&bps) {
            Ok(Self(u64::saturate(bps + 0.5)))
        } else {
            Err(QuantityError::new(format!(
                "\"{text}\" is out of range: a rate lies between 1 b/s and 1000000 Gb/s"
            )))
        }
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} B", self.0)
    }
}

impl FromStr for Bytes {
    type Err = QuantityError;
    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let bytes = quantity::parse(text, "a size", "1500 B", SIZE_UNITS)?;
        if (0.0..=9.2e18).contains(&bytes) {
            Ok(Self(u64::saturate(bytes + 0.5)))
        } else {
            Err(QuantityError::new(format!("\"{text}\" is out of range: a size is not negative")))
        }
    }
}

string_quantity!(BitRate, "a rate", "54 Mb/s");
string_quantity!(Bytes, "a size", "1500 B");

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_rates() {
        assert_eq!("54 Mb/s".parse::<BitRate>().unwrap().bps(), 54_000_000);
        assert_eq!("5.5Mb/s".parse::<BitRate>().unwrap().to_string(), "5500 kb/s");
        assert!("-3 Mb/s".parse::<BitRate>().unwrap_err().to_string().contains("out of range"));
        assert!("0 b/s".parse::<BitRate>().is_err());
        assert_eq!("1500 B".parse::<Bytes>(), Ok(Bytes(1500)));
    }

    #[test]
    fn one_frame_at_54_mbps() {
        // 1500 B at 54 Mb/s is 222222.2 ns: three frames take 666666.6.
        let mut clock = TxClock::new(BitRate::from_mbps(54));
        let total: u64 = (0..3).map(|_| clock.transmit(1500).0).sum();
        assert_eq!(total, 666_666);
    }

    #[test]
    fn a_slot_is_shared_by_its_parts() {
        let pace = Pace::share(Span(100), 3);
        assert_eq!([0, 1, 2, 3, 4].map(|n| pace.after(n).0), [0, 33, 66, 100, 133]);
        assert_eq!(Pace::share(Span(100), 0).after(2), Span(200));
        assert_eq!(Pace::AT_ONCE.after(200), Span::ZERO);
    }

    proptest! {
        #[test]
        fn a_train_takes_as_long_as_its_transmissions(
            bps in prop_oneof![1_000u64..1_000_000_000_000, 1u64 << 49..1 << 50],
            trains in proptest::collection::vec((prop_oneof![1u64..9000, 1u64 << 31..1 << 33], 0u64..40_000), 1..4),
        ) {
            let mut each = TxClock::new(BitRate::new(bps).unwrap());
            let mut whole = each;
            for (bytes, n) in trains {
                let pace = whole.train(bytes, n);
                let (mut steps, mut total) = (pace, Span::ZERO);
                for sent in 1..=n {
                    let one = each.transmit(bytes);
                    prop_assert_eq!(steps.step(), one);
                    total += one;
                    prop_assert_eq!(pace.after(sent), total);
                }
                prop_assert_eq!(each.remainder, whole.remainder);
            }
        }

        /// Also where the lengths change, after which the clock divides anew.
        #[test]
        fn serialisation_never_drifts(
            bps in prop_oneof![1_000u64..1_000_000_000_000, u64::MAX - 9..],
            lengths in proptest::collection::vec((prop_oneof![1u64..9000, 1u64 << 31..1 << 33], 1u64..50), 1..10),
        ) {
            let mut clock = TxClock::new(BitRate::new(bps).unwrap());
            let each = lengths.iter().flat_map(|(len, n)| (0..*n).map(move |_| len));
            let total: u64 = each.clone().map(|len| clock.transmit(*len).0).sum();
            let exact = each.map(|len| u128::from(*len)).sum::<u128>() * 8_000_000_000 / u128::from(bps);
            prop_assert_eq!(u128::from(total), exact);
        }
    }
}
