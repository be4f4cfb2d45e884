//! Capacity of a link over time: instants at which a number of bytes may leave, or a rate that changes
//! in steps. Both repeat.

use crate::{Narrow, Saturate};
use std::sync::Arc;

use crate::time::{Nanos, Span};

/// A byte in units of `rate x time`: b/s times ns.
const BYTE: u128 = 8_000_000_000;

/// A link's capacity over time. It repeats with `period`.
///
/// *Opportunities* are the entries of mahimahi's link traces: at each instant up to `bytes` leave, of one
/// packet or of several, and unused bytes are lost. *Rates* are steps of a bandwidth series: within a
/// step, bits leave evenly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capacity {
    shape: Shape,
    period: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Shape {
    Opportunities {
        /// Instants in nanoseconds since the start, in order, up to the period.
        at: Vec<u64>,
        /// Bytes that each opportunity carries.
        bytes: u64,
    },
    Rates {
        /// Start of each step, rising from 0.
        from: Vec<u64>,
        /// Rate of each step.
        bps: Vec<u64>,
        /// `rate x time` summed before each step.
        before: Vec<u128>,
        /// `rate x time` summed over a period.
        total: u128,
    },
}

impl Capacity {
    /// Instants at which up to `bytes` leave. The last one is the period, as in mahimahi. `None` if the
    /// list is empty or not in order, or if the last instant is 0.
    pub fn opportunities(at: Vec<Span>, bytes: u64) -> Option<Self> {
        let period = at.last()?.0;
        if period == 0 || bytes == 0 || !at.is_sorted() {
            return None;
        }
        let at = at.into_iter().map(|span| span.0).collect();
        Some(Self { shape: Shape::Opportunities { at, bytes }, period })
    }

    /// Steps of a rate in bits per second. Each lasts until the next one, the last one until `period`.
    /// `None` if the first is not at the start, if times do not rise, or if nothing ever leaves.
    pub fn rates(steps: &[(Span, u64)], period: Span) -> Option<Self> {
        let (mut from, mut bps, mut before) = (Vec::new(), Vec::new(), Vec::new());
        let mut total = 0_u128;
        let ends = steps.iter().skip(1).map(|step| step.0).chain([period]);
        for (&(start, rate), end) in steps.iter().zip(ends) {
            if end <= start {
                return None;
            }
            from.push(start.0);
            bps.push(rate);
            before.push(total);
            total += u128::from(rate) * u128::from(end.0 - start.0);
        }
        if from.first() != Some(&0) || total == 0 {
            return None;
        }
        Some(Self { shape: Shape::Rates { from, bps, before, total }, period: period.0 })
    }

    /// `factor` times the capacity: of the bytes of each opportunity, rounded to a byte, or of each rate, rounded to
    /// 1 b/s. `None` if nothing is left.
    pub fn scaled(&self, factor: f64) -> Option<Self> {
        let times = |value: u64| u64::saturate((value as f64 * factor).round());
        match &self.shape {
            Shape::Opportunities { at, bytes } => {
                let at = at.iter().map(|at| Span(*at)).collect();
                Self::opportunities(at, times(*bytes))
            }
            Shape::Rates { from, bps, .. } => {
                let steps = from.iter().zip(bps).map(|(from, bps)| (Span(*from), times(*bps)));
                Self::rates(&steps.collect::<Vec<_>>(), Span(self.period))
            }
        }
    }

    /// Time after which the capacity repeats.
    pub const fn period(&self) -> Span {
        Span(self.period)
    }

    /// Bytes that one opportunity carries; `None` for rates.
    pub const fn opportunity_bytes(&self) -> Option<u64> {
        match &self.shape {
            Shape::Opportunities { bytes, .. } => Some(*bytes),
            Shape::Rates { .. } => None,
        }
    }

    /// Number of opportunities, or of steps of the rate, in a period.
    pub fn entries(&self) -> usize {
        match &self.shape {
            Shape::Opportunities { at, .. } => at.len(),
            Shape::Rates { from, .. } => from.len(),
        }
    }

    /// Mean over the period in bits per second.
    pub fn mean_bps(&self) -> f64 {
        self.bits_until_of_period(self.period) / Span(self.period).as_secs_f64()
    }

    /// Bits that can leave after `from`, until `until` included.
    pub fn bits_between(&self, from: Nanos, until: Nanos) -> f64 {
        (self.bits_until(until.0) - self.bits_until(from.0)).max(0.0)
    }

    /// Bits that can leave until `t` included.
    fn bits_until(&self, t: u64) -> f64 {
        let (periods, within) = (t / self.period, t % self.period);
        match &self.shape {
            Shape::Opportunities { at, bytes } => {
                let n = at.len() as u128 * u128::from(periods)
                    + at.partition_point(|a| *a <= within) as u128;
                (n * 8 * u128::from(*bytes)) as f64
            }
            Shape::Rates { total, .. } => {
                (*total * u128::from(periods) + self.sent_within(within)) as f64 / 1e9
            }
        }
    }

    /// `rate x time` summed from the start of a period until `within` of it.
    fn sent_within(&self, within: u64) -> u128 {
        let Shape::Rates { from, bps, before, .. } = &self.shape else { return 0 };
        let step = from.partition_point(|f| *f <= within).saturating_sub(1);
        before[step] + u128::from(within - from[step]) * u128::from(bps[step])
    }

    /// Mean rates of the consecutive windows of a period, in bits per second. An incomplete last window is
    /// left out, unless it is the only one.
    pub fn windows(&self, width: Span) -> Vec<f64> {
        let width = width.0.clamp(1, self.period);
        let edge = |i: u64| self.bits_until_of_period(i * width);
        let seconds = Span(width).as_secs_f64();
        (0..self.period / width).map(|i| (edge(i + 1) - edge(i)) / seconds).collect()
    }

    /// As `bits_until`, within one period: the end of the period is not the start of the next one, and
    /// bits that leave at time 0 are in the first window.
    fn bits_until_of_period(&self, t: u64) -> f64 {
        match &self.shape {
            Shape::Opportunities { .. } if t == 0 => 0.0,
            Shape::Opportunities { at, bytes } => {
                (at.partition_point(|a| *a <= t) as u128 * 8 * u128::from(*bytes)) as f64
            }
            Shape::Rates { total, .. } if t >= self.period => *total as f64 / 1e9,
            Shape::Rates { .. } => self.sent_within(t) as f64 / 1e9,
        }
    }

    /// The longest time in which nothing leaves. It may span the end of a period.
    pub fn longest_outage(&self) -> Span {
        match &self.shape {
            Shape::Opportunities { at, .. } => {
                let next = at.iter().skip(1).copied().chain([at[0] + self.period]);
                Span(at.iter().zip(next).map(|(a, b)| b - a).max().unwrap_or(0))
            }
            Shape::Rates { from, bps, .. } => {
                let ends = from.iter().skip(1).copied().chain([self.period]);
                let steps = || from.iter().zip(ends.clone()).zip(bps);
                let (mut longest, mut current) = (0, 0);
                // Two periods: an outage may span the end of the first.
                for ((start, end), bps) in steps().chain(steps()) {
                    current = if *bps == 0 { current + (end - start) } else { 0 };
                    longest = longest.max(current);
                }
                Span(longest.min(self.period))
            }
        }
    }
}

/// A transmitter over a link of varying capacity. It computes when the bytes it sends have left.
#[derive(Debug, Clone)]
pub struct CapacityClock {
    capacity: Arc<Capacity>,
    /// Position in the capacity at which the run begins.
    offset: u64,
    /// End of the last transmission, and the unused bytes of the opportunity that ended it.
    last: Nanos,
    left: u64,
    /// Number of the opportunity after that one, counted over all periods.
    next: u64,
    /// `rate x time` that rounding took off the end of the last transmission.
    remainder: u128,
}

impl CapacityClock {
    /// A transmitter that begins `offset` into the capacity.
    pub fn new(capacity: Arc<Capacity>, offset: Span) -> Self {
        let (last, left, next, remainder) = (Nanos::ZERO, 0, 0, 0);
        Self { capacity, offset: offset.0, last, left, next, remainder }
    }

    /// The capacity.
    pub const fn capacity(&self) -> &Arc<Capacity> {
        &self.capacity
    }

    /// Time that `bytes` take at the mean rate.
    pub fn mean_time_for(&self, bytes: u64) -> Span {
        Span(u64::saturate((bytes as f64 * 8e9 / self.capacity.mean_bps()).ceil()))
    }

    /// Bits that could leave after `from`, until `until` included.
    pub fn bits_between(&self, from: Nanos, until: Nanos) -> f64 {
        let shifted = |t: Nanos| Nanos(t.0.saturating_add(self.offset));
        self.capacity.bits_between(shifted(from), shifted(until))
    }

    /// Bits of the last transmission that have not left by `now`.
    pub fn bits_left(&self, now: Nanos) -> f64 {
        if now >= self.last {
            return 0.0;
        }
        let used = match &self.capacity.shape {
            // Count only used opportunities: others may come at the same instant.
            Shape::Opportunities { at, bytes } => {
                let used = self.next.saturating_sub(self.first_after(at, now));
                (used * bytes * 8) as f64
            }
            Shape::Rates { .. } => self.bits_between(now, self.last),
        };
        used - (self.left * 8) as f64
    }

    /// Number of the first opportunity after `now`, counted over all periods.
    fn first_after(&self, at: &[u64], now: Nanos) -> u64 {
        let (t, period) = (now.0.saturating_add(self.offset), self.capacity.period);
        let within = at.partition_point(|a| *a <= t % period) as u64;
        (t / period).saturating_mul(at.len() as u64).saturating_add(within)
    }

    /// Time that `bytes` take from `start`: until the opportunity that takes the last of them, or until
    /// the rate has carried them. The unused bytes of the previous transmission's opportunity serve
    /// only a transmission that starts at that instant.
    pub fn transmit(&mut self, start: Nanos, bytes: u64) -> Span {
        let capacity = self.capacity.clone();
        let end = match &capacity.shape {
            Shape::Opportunities { at, bytes: of } => {
                self.by_opportunities((at, *of, capacity.period), start, bytes)
            }
            Shape::Rates { from, bps, before, total } => {
                let t = start.0.saturating_add(self.offset);
                let periods = u128::from(t / capacity.period);
                let sent = periods * total + capacity.sent_within(t % capacity.period);
                let target = sent + u128::from(bytes) * BYTE + self.remainder;
                // The earliest instant: bytes that leave at the end of a step do not wait for the next one.
                let (mut periods, mut within) = (target / total, target % total);
                if within == 0 {
                    (periods, within) = (periods.saturating_sub(1), *total);
                }
                let step = before.partition_point(|b| *b < within).saturating_sub(1);
                let (rest, bps) = (within - before[step], u128::from(bps[step].max(1)));
                self.remainder = rest % bps;
                let end =
                    periods * u128::from(capacity.period) + u128::from(from[step]) + rest / bps;
                Nanos(u64::try_from(end).unwrap_or(u64::MAX).saturating_sub(self.offset))
            }
        };
        self.last = end.max(start);
        self.last.since(start)
    }

    fn by_opportunities(
        &mut self,
        (at, of, period): (&[u64], u64, u64),
        start: Nanos,
        bytes: u64,
    ) -> Nanos {
        let n = at.len() as u64;
        if start != self.last || self.next == 0 {
            // Bytes that become ready at the instant of an opportunity miss it.
            self.next = self.first_after(at, start);
            self.left = 0;
        }
        if bytes <= self.left {
            self.left -= bytes;
            return start;
        }
        let more = (bytes - self.left).div_ceil(of);
        self.left = self.left + more * of - bytes;
        self.next = self.next.saturating_add(more);
        let last = self.next - 1;
        let end = (last / n).saturating_mul(period).saturating_add(at[usize::narrow(last % n)]);
        Nanos(end.saturating_sub(self.offset))
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "what is compared is whole numbers")]
mod tests {
    use super::*;
    use crate::rate::{BitRate, TxClock};
    use proptest::prelude::*;

    fn ms(times: &[u64]) -> Vec<Span> {
        times.iter().map(|t| Span::from_millis(*t)).collect()
    }

    fn clock(capacity: Option<Capacity>) -> CapacityClock {
        CapacityClock::new(Arc::new(capacity.unwrap()), Span::ZERO)
    }

    fn at(t: u64) -> Nanos {
        Nanos::ZERO + Span::from_millis(t)
    }

    #[test]
    fn packets_use_consecutive_opportunities() {
        // Two at 3 ms, one at 7 ms, then from 10 ms on again.
        let mut clock = clock(Capacity::opportunities(ms(&[3, 3, 7, 10]), 1504));
        let mut now = at(1);
        let mut ends = Vec::new();
        for bytes in [1000, 1000, 1008, 500, 1004, 1504] {
            now += clock.transmit(now, bytes);
            ends.push(now);
        }
        // 3008 bytes at 3 ms, then 1504 at 7 ms, then at 10 ms.
        assert_eq!(ends, [3, 3, 3, 7, 7, 10].map(at));
        // The unused bytes at 10 ms + 3 ms are lost to later packets.
        assert_eq!(now + clock.transmit(now, 40), at(13));
        assert_eq!(at(14) + clock.transmit(at(14), 1504), at(17));
        // A packet that comes at the instant of an opportunity misses it.
        assert_eq!(at(20) + clock.transmit(at(20), 1504), at(23));
    }

    #[test]
    fn bits_left_count_only_used_opportunities() {
        // Two opportunities at 3 ms: the first packet uses one, the next one both.
        let capacity = || Capacity::opportunities(ms(&[3, 3, 7, 10]), 1504);
        for (bytes, bits) in [(1500, 12_000.0), (2000, 16_000.0)] {
            let mut clock = clock(capacity());
            clock.transmit(at(1), bytes);
            assert_eq!((clock.bits_left(at(2)), clock.bits_left(at(3))), (bits, 0.0));
        }
    }

    #[test]
    fn an_offset_begins_later() {
        let capacity = Arc::new(Capacity::opportunities(ms(&[3, 3, 7, 10]), 1504).unwrap());
        let mut clock = CapacityClock::new(capacity, Span::from_millis(5));
        assert_eq!(clock.transmit(Nanos::ZERO, 1504), Span::from_millis(2));
        assert_eq!(clock.transmit(at(3), 1504), Span::from_millis(2));
        assert_eq!(clock.bits_between(Nanos::ZERO, at(10)).round(), 4.0 * 1504.0 * 8.0);
    }

    #[test]
    fn steps_with_an_outage() {
        let s = Span::from_secs;
        let steps = [(s(0), 8_000_000), (s(1), 0), (s(4), 800_000)];
        let capacity = Capacity::rates(&steps, s(5)).unwrap();
        assert_eq!(capacity.longest_outage(), s(3));
        assert_eq!(capacity.mean_bps(), 8_800_000.0 / 5.0);
        assert_eq!(capacity.windows(s(1)), [8e6, 0.0, 0.0, 0.0, 8e5]);
        let mut clock = clock(Some(capacity));
        // A megabyte fills the first second exactly, and does not wait for the end of the outage.
        assert_eq!(clock.transmit(Nanos::ZERO, 1_000_000), s(1));
        assert_eq!(clock.transmit(at(1000), 100_000), s(4));
        // 500 kB until 6 s, and 100 kB more from 9 s to 10 s.
        assert_eq!(clock.transmit(at(5500), 600_000), Span::from_millis(4500));
    }

    #[test]
    fn outages_and_windows_of_opportunities() {
        let capacity = Capacity::opportunities(ms(&[0, 500, 1500, 1500, 4000]), 1500).unwrap();
        assert_eq!(capacity.longest_outage(), Span::from_millis(2500));
        assert_eq!(capacity.windows(Span::from_secs(1)), [24_000.0, 24_000.0, 0.0, 12_000.0]);
        assert_eq!(capacity.mean_bps(), 5.0 * 12_000.0 / 4.0);
        assert_eq!((capacity.entries(), capacity.opportunity_bytes()), (5, Some(1500)));
    }

    #[test]
    fn refuses_zero_capacity() {
        assert_eq!(Capacity::opportunities(ms(&[]), 1504), None);
        assert_eq!(Capacity::opportunities(ms(&[0, 0]), 1504), None);
        assert_eq!(Capacity::opportunities(ms(&[2, 1]), 1504), None);
        let s = Span::from_secs;
        assert_eq!(Capacity::rates(&[(s(0), 0)], s(1)), None);
        assert_eq!(Capacity::rates(&[(s(1), 5)], s(2)), None);
        assert_eq!(Capacity::rates(&[(s(0), 5), (s(1), 5)], s(1)), None);
        assert_eq!(Capacity::rates(&[], s(1)), None);
    }

    proptest! {
        /// Twice the capacity is that of a list with every entry twice, at every instant.
        #[test]
        fn twice_is_every_line_twice(
            gaps in proptest::collection::vec(0u64..5, 1..40),
            sent in proptest::collection::vec((1u64..5_000, prop_oneof![Just(0), 0u64..4_000_000]), 1..200),
            offset in 0u64..50,
        ) {
            let times: Vec<u64> = gaps.iter().scan(0, |t, gap| { *t += gap; Some(*t) }).collect();
            let doubled: Vec<u64> = times.iter().flat_map(|t| [*t, *t]).collect();
            let Some(once) = Capacity::opportunities(ms(&times), 1504) else { return Ok(()) };
            let clock = |c: Option<Capacity>| CapacityClock::new(Arc::new(c.unwrap()), Span::from_millis(offset));
            let mut scaled = clock(once.scaled(2.0));
            let mut written = clock(Capacity::opportunities(ms(&doubled), 1504));
            let mut now = Nanos::ZERO;
            for (bytes, idle) in sent {
                now += Span(idle);
                let (took, other) = (scaled.transmit(now, bytes), written.transmit(now, bytes));
                prop_assert_eq!(took, other);
                prop_assert_eq!(scaled.bits_left(now), written.bits_left(now));
                prop_assert_eq!(scaled.bits_between(Nanos::ZERO, now), written.bits_between(Nanos::ZERO, now));
                now += took;
            }
        }

        /// Of rates, `scaled` is the list with each rate times the factor.
        #[test]
        fn scaled_rates(rates in proptest::collection::vec(0u64..1_000_000, 1..10), factor in 0.01f64..50.0) {
            let steps = |f: &dyn Fn(u64) -> u64| -> Vec<(Span, u64)> {
                rates.iter().zip(0..).map(|(r, i)| (Span::from_millis(i), f(*r))).collect()
            };
            let period = Span::from_millis(rates.len() as u64);
            let Some(once) = Capacity::rates(&steps(&|r| r), period) else { return Ok(()) };
            let by_hand = steps(&|r| u64::saturate((r as f64 * factor).round()));
            prop_assert_eq!(once.scaled(factor), Capacity::rates(&by_hand, period));
        }

        /// With a constant rate, `CapacityClock` equals `TxClock` to the nanosecond.
        #[test]
        fn steps_of_one_rate_are_that_rate(
            bps in 1_000u64..10_000_000_000,
            cuts in proptest::collection::btree_set(1u64..1_000_000, 0..5),
            sent in proptest::collection::vec((1u64..9000, prop_oneof![Just(0), 0u64..5_000_000]), 1..60),
        ) {
            let mut edges: Vec<u64> = [0].into_iter().chain(cuts).collect();
            let period = edges.last().copied().unwrap_or(0) + 77;
            let steps: Vec<(Span, u64)> = edges.drain(..).map(|e| (Span(e), bps)).collect();
            let mut varying = clock(Capacity::rates(&steps, Span(period)));
            let mut constant = TxClock::new(BitRate::new(bps).unwrap());
            let mut now = Nanos::ZERO;
            for (bytes, idle) in sent {
                now += Span(idle);
                let (a, b) = (varying.transmit(now, bytes), constant.transmit(bytes));
                prop_assert_eq!(a, b);
                now += a;
            }
        }

        /// A saturated transmitter uses every opportunity: the bytes sent are the bytes offered, except for
        /// the packet in transmission.
        #[test]
        fn a_saturated_transmitter_uses_every_opportunity(
            gaps in proptest::collection::vec(0u64..50, 1..40),
            lengths in proptest::collection::vec(40u64..1504, 1..200),
            offset in 0u64..1_000,
        ) {
            let times: Vec<u64> = gaps.iter().scan(0, |t, gap| { *t += gap; Some(*t) }).collect();
            let Some(capacity) = Capacity::opportunities(ms(&times), 1504) else { return Ok(()) };
            let mut clock = CapacityClock::new(Arc::new(capacity), Span::from_millis(offset));
            let (mut now, mut sent) = (Nanos::ZERO, 0);
            for length in lengths {
                now += clock.transmit(now, length);
                sent += 8 * length;
                let offered = clock.bits_between(Nanos::ZERO, now);
                let before = clock.bits_between(Nanos::ZERO, Nanos(now.0 - 1));
                prop_assert!(sent as f64 <= offered, "{sent} of {offered}");
                prop_assert!(sent as f64 > before, "{sent}, and {before} before");
            }
        }

        /// A transmission ends when the integral of the rate reaches the bytes sent.
        #[test]
        fn steps_carry_the_integral_of_the_rate(
            rates in proptest::collection::vec(prop_oneof![Just(0), 1u64..20_000_000], 1..10),
            sent in proptest::collection::vec(1u64..60_000, 1..60),
        ) {
            let step = Span::from_millis(10);
            let steps: Vec<_> = rates.iter().zip(0..).map(|(r, i)| (step * i, *r)).collect();
            let Some(capacity) = Capacity::rates(&steps, step * rates.len() as u64) else { return Ok(()) };
            let mut clock = clock(Some(capacity));
            let (mut now, mut bits) = (Nanos::ZERO, 0.0);
            for bytes in sent {
                now += clock.transmit(now, bytes);
                bits += 8.0 * bytes as f64;
                let offered = clock.bits_between(Nanos::ZERO, now);
                // A nanosecond at 20 Mb/s is 0.02 bits.
                prop_assert!((offered - bits).abs() < 0.03, "{offered} for {bits}");
            }
        }
    }
}
