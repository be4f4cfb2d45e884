//! Turns received sequence numbers into outcomes: missing numbers are losses.
//!
//! Duplicates and reordering within [`WINDOW`] numbers are tolerated and counted. Counters of 16
//! and 32 bits may wrap, smaller ones if their name identifies them. A jump beyond the caller's
//! limit, or a fall that is no wrap, is an error and never an allocation. Packets before the first
//! number and after the last are unknown.
//!
//! Numbers that step by more than 1 do not count packets, but bytes of TCP or ticks. Their step is
//! detected (see [`Steps`]), because every skipped number would count as a loss.

use std::collections::BTreeMap;

use airtcp_units::{Narrow, Outcomes};

use super::notes::counted;

/// How far behind the newest number a late one may be.
pub(super) const WINDOW: u64 = 1000;
/// Largest number, so that no sum can overflow.
const MAX: u64 = 1 << 62;
/// Sizes at which counters wrap.
const WRAPS: [u64; 2] = [1 << 16, 1 << 32];

/// Why a number was refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// `gap` numbers were skipped.
    Jump { previous: u64, gap: u64 },
    /// The number is far below the one before.
    Fall { previous: u64 },
    /// The number is too large for a packet counter.
    Huge,
    /// The numbers step by this.
    Stride(u64),
}

impl Fault {
    /// What was found at `number`, and what is accepted.
    pub(super) fn said(&self, number: u64, max_gap: u64) -> (String, String) {
        match self {
            Self::Huge => (format!("sequence number {number}"), "at most 2^62".to_owned()),
            Self::Jump { previous, gap } => (
                format!("sequence number {number}, {gap} past {previous}"),
                format!("a gap of at most {max_gap} (option max_gap)"),
            ),
            Self::Fall { previous } => (
                format!("sequence number {number} after {previous}"),
                format!("at most {WINDOW} below the highest so far"),
            ),
            Self::Stride(stride) => (
                format!("numbers {stride} apart"),
                format!("packets numbered one by one; {}", no_packets(*stride)),
            ),
        }
    }
}

/// The explanation of numbers that step by more than 1.
pub(super) fn no_packets(stride: u64) -> String {
    let like = if stride >= 100 {
        "such numbers count bytes, as TCP's do"
    } else {
        "such numbers count something else than packets, or only some packets were logged"
    };
    format!("{like}, and which packets were lost cannot be told from them")
}

/// Steps examined to find a stride.
const STEPS: u64 = 4096;

/// The first [`STEPS`] distances between numbers.
#[derive(Debug, Clone, Default)]
struct Steps {
    seen: u64,
    /// Greatest common divisor of all of them.
    divisor: u64,
    counts: BTreeMap<u64, u64>,
}

impl Steps {
    fn note(&mut self, step: u64) {
        if self.seen < STEPS {
            self.seen += 1;
            self.divisor = gcd(self.divisor, step);
            *self.counts.entry(step).or_default() += 1;
        }
    }

    /// The step, if it is not 1. Over a link with independent losses 1 is the most frequent step at
    /// any PRR, and 7 consecutive steps have a common factor once in hundreds of files.
    fn stride(&self) -> Option<u64> {
        if self.divisor > 1 && (self.seen >= 7 || (self.seen >= 2 && self.divisor >= 100)) {
            return Some(self.divisor);
        }
        let (step, count) = self.counts.iter().max_by_key(|(_, count)| **count)?;
        let single = self.counts.get(&1).copied().unwrap_or(0);
        (self.seen >= 20 && *step > 1 && 2 * count >= self.seen && 20 * single <= self.seen)
            .then_some(*step)
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Collects numbers in order of arrival.
#[derive(Debug, Clone, Default)]
pub(super) struct Recorder {
    outcomes: Outcomes,
    /// First number seen, and the one expected next, both unwrapped.
    first: Option<u64>,
    next: u64,
    /// Offset of the wraps so far, and the size of the last wrap.
    epoch: u64,
    wrap: u64,
    /// Size at which a counter of fewer than 16 bits wraps.
    counter: Option<u64>,
    steps: Steps,
    /// True once the steps have been examined.
    judged: bool,
    /// Numbers never received.
    missing: u64,
    duplicates: u64,
    late: u64,
    before_first: u64,
    wraps: u64,
}

impl Recorder {
    /// Sets the size at which the counter wraps.
    pub(super) const fn wrap_at(&mut self, size: Option<u64>) {
        self.counter = size;
    }

    /// Takes the number `raw`, with gaps up to `max_gap`. Returns the packets added to the record:
    /// 0 for a duplicate or late packet, 1 for the next one, more after a gap.
    pub(super) fn take(&mut self, raw: u64, max_gap: u64) -> Result<u64, Fault> {
        let moved = self.take_outcome(raw, true, max_gap)?;
        if self.steps.seen == STEPS && !self.judged {
            // Tests before false gaps fill the memory.
            self.judged = true;
            if let Some(stride) = self.stride() {
                return Err(Fault::Stride(stride));
            }
        }
        Ok(moved)
    }

    /// The same for a packet whose outcome is given.
    pub(super) fn take_outcome(
        &mut self,
        raw: u64,
        received: bool,
        max_gap: u64,
    ) -> Result<u64, Fault> {
        if raw > MAX {
            return Err(Fault::Huge);
        }
        let Some(first) = self.first else {
            self.first = Some(raw);
            self.next = raw.saturating_add(1);
            self.outcomes.push(received);
            return Ok(1);
        };
        let number = self.unwrapped(raw);
        if number >= self.next {
            let gap = number - self.next;
            if gap > max_gap {
                return Err(Fault::Jump { previous: self.next - 1, gap });
            }
            self.outcomes.push_run(false, usize::narrow(gap));
            self.outcomes.push(received);
            self.missing += gap;
            self.steps.note(gap + 1);
            self.next = number.saturating_add(1);
            return Ok(gap + 1);
        }
        if self.next - number > WINDOW {
            return Err(Fault::Fall { previous: self.next - 1 });
        }
        if number < first {
            self.before_first += 1;
            return Ok(0);
        }
        let at = usize::narrow(number - first);
        if self.outcomes.get(at) == Some(true) || !received {
            self.duplicates += 1;
        } else {
            self.late += 1;
            self.missing = self.missing.saturating_sub(1);
            self.outcomes.set(at, true);
        }
        Ok(0)
    }

    /// The step of the numbers, if it is not 1.
    pub(super) fn stride(&self) -> Option<u64> {
        self.steps.stride()
    }

    /// Numbers between the first and the last that were never received.
    pub(super) const fn missing(&self) -> u64 {
        self.missing
    }

    /// Numbers not above all before them.
    pub(super) const fn disorder(&self) -> u64 {
        self.duplicates + self.late + self.before_first
    }

    /// Duplicate numbers.
    pub(super) const fn duplicates(&self) -> u64 {
        self.duplicates
    }

    /// Packets received after one with a higher number.
    pub(super) const fn late(&self) -> u64 {
        self.late
    }

    /// `raw` with the wraps before it added.
    fn unwrapped(&mut self, raw: u64) -> u64 {
        let number = raw.saturating_add(self.epoch);
        if let Some(size) = self.counter.filter(|size| raw < *size) {
            return self.unwrapped_below(number, size);
        }
        if number.saturating_add(WINDOW) < self.next {
            // Far behind: the counter has wrapped, if the result is close ahead.
            for size in WRAPS {
                let wrapped = number.saturating_add(size);
                if raw < size && wrapped >= self.next && wrapped - self.next <= WINDOW {
                    self.epoch += size;
                    self.wrap = size;
                    self.wraps += 1;
                    return wrapped;
                }
            }
        } else if self.wrap > 0
            && number > self.next + WINDOW
            && number - self.wrap < self.next
            && self.next - (number - self.wrap) <= WINDOW
        {
            // Far ahead just after a wrap: a late number from before the wrap.
            return number - self.wrap;
        }
        number
    }

    /// The same for a small counter: the round in which the number is nearest to the expected one,
    /// with more room for losses than for late packets.
    fn unwrapped_below(&mut self, number: u64, size: u64) -> u64 {
        let late = size / 4;
        if number + late < self.next {
            self.epoch += size;
            self.wraps += 1;
            return number + size;
        }
        let before = number.checked_sub(size).filter(|before| self.next <= before + late);
        before.unwrap_or(number)
    }

    /// The record and the notes on it.
    pub(super) fn finish(self) -> (Outcomes, Vec<String>) {
        let mut notes = vec![
            "losses are gaps in the received sequence numbers; packets before the first and after \
             the last received one are not known"
                .to_owned(),
        ];
        for (count, what) in [
            (
                self.duplicates,
                ("duplicate sequence number ignored", "duplicate sequence numbers ignored"),
            ),
            (
                self.late,
                (
                    "packet arrived late and was put in its place",
                    "packets arrived late and were put in their place",
                ),
            ),
            (
                self.before_first,
                ("number below the first one ignored", "numbers below the first one ignored"),
            ),
            (self.wraps, ("wrap of the sequence counter", "wraps of the sequence counter")),
        ] {
            if count > 0 {
                notes.push(counted(count, what));
            }
        }
        (self.outcomes, notes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(numbers: &[u64]) -> (String, Vec<String>) {
        let mut recorder = Recorder::default();
        for &n in numbers {
            recorder.take(n, 1000).unwrap();
        }
        let (outcomes, notes) = recorder.finish();
        (outcomes.iter().map(|b| if b { '1' } else { '0' }).collect(), notes)
    }

    #[test]
    fn gaps_duplicates_and_reordering() {
        assert_eq!(bits(&[5, 6, 8, 11]).0, "1101001");
        let (text, notes) = bits(&[1, 2, 5, 3, 5, 2, 6]);
        assert_eq!(text, "111011");
        assert!(notes.iter().any(|n| n.starts_with("2 duplicate")), "{notes:?}");
        assert!(notes.iter().any(|n| n.starts_with("1 packet arrived late")), "{notes:?}");
        let (text, notes) = bits(&[10, 9, 11]);
        assert_eq!(text, "11");
        assert!(notes.iter().any(|n| n.starts_with("1 number below")), "{notes:?}");
    }

    #[test]
    fn counters_wrap() {
        let (text, notes) = bits(&[65_533, 65_535, 1, 0, 65_534, 2]);
        assert_eq!(text, "111111");
        assert!(notes.iter().any(|n| n.starts_with("1 wrap ")), "{notes:?}");
        assert_eq!(bits(&[4_294_967_295, 0]).0, "11");
    }

    #[test]
    fn strides_are_found() {
        let stride = |numbers: &[u64]| {
            let mut recorder = Recorder::default();
            for n in numbers {
                recorder.take(*n, 1_000_000).unwrap();
            }
            recorder.stride()
        };
        let bytes: Vec<u64> = (0..50).map(|i| 1 + 1448 * i).collect();
        assert_eq!(stride(&bytes), Some(1448));
        assert_eq!(stride(&bytes[..3]), Some(1448));
        // A short segment now and then, losses and a retransmission.
        let mut ragged: Vec<u64> = (0..60).map(|i| 1 + 1448 * i + 37 * (i / 20)).collect();
        ragged.retain(|n| n % 7 != 0);
        ragged.push(ragged[ragged.len() - 1] + 1);
        assert_eq!(stride(&ragged), Some(1448));
        assert_eq!(stride(&(0..20).map(|i| 10 * i).collect::<Vec<_>>()), Some(10));
        // Real losses: every second packet in places.
        assert_eq!(stride(&[0, 2, 4, 6, 7, 8, 10, 12, 13]), None);
        assert_eq!(stride(&[5, 6, 8]), None);
        assert_eq!(stride(&[5]), None);
    }

    #[test]
    fn a_stride_is_refused_before_it_fills_the_memory() {
        let mut recorder = Recorder::default();
        let fault = (0..).map(|i| recorder.take(1448 * i, 1_000_000)).find_map(Result::err);
        assert_eq!(fault, Some(Fault::Stride(1448)));
        assert!(recorder.outcomes.len() < 6_000_000);
    }

    #[test]
    fn absurd_numbers_are_refused() {
        let mut recorder = Recorder::default();
        recorder.take(3, 1000).unwrap();
        assert_eq!(recorder.take(5000, 1000), Err(Fault::Jump { previous: 3, gap: 4996 }));
        assert_eq!(recorder.take(u64::MAX, 1000), Err(Fault::Huge));
        assert!(matches!(recorder.take(MAX, 1000), Err(Fault::Jump { .. })));
        recorder.take(1000, 1000).unwrap();
        recorder.take(2000, 1000).unwrap();
        assert_eq!(recorder.take(10, 1000), Err(Fault::Fall { previous: 2000 }));
    }
}
