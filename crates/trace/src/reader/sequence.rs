//! From the sequence numbers a receiver saw to outcomes: what is missing was lost.
//!
//! Duplicates and reordering within [`WINDOW`] numbers are tolerated and counted; counters of 16
//! and 32 bits may wrap. A jump beyond the caller's limit, or a fall that is no wrap, is an error
//! and never an allocation. What came before the first number and after the last is unknown.

use airtcp_units::Outcomes;

/// How far behind the newest number a late one may be.
pub(super) const WINDOW: u64 = 1000;
/// Larger numbers are refused, so that no sum can overflow.
const MAX: u64 = 1 << 62;
/// Where counters wrap.
const WRAPS: [u64; 2] = [1 << 16, 1 << 32];

/// Why a number was refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// So many numbers were skipped.
    Jump { previous: u64, gap: u64 },
    /// It is far below the one before.
    Fall { previous: u64 },
    /// No counter of packets gets there.
    Huge,
}

/// Collects numbers in order of arrival.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    outcomes: Outcomes,
    /// First number seen, and the one expected next, both unwrapped.
    first: Option<u64>,
    next: u64,
    /// Added to a number because of wraps so far, and the size of the last wrap.
    epoch: u64,
    wrap: u64,
    duplicates: u64,
    late: u64,
    before_first: u64,
    wraps: u64,
}

impl Recorder {
    /// Takes the number `raw`, believing gaps up to `max_gap`. Gives back how far the record
    /// moved: 0 for a duplicate or late packet, 1 for the next one, more after a gap.
    pub(super) fn take(&mut self, raw: u64, max_gap: u64) -> Result<u64, Fault> {
        if raw > MAX {
            return Err(Fault::Huge);
        }
        let Some(first) = self.first else {
            self.first = Some(raw);
            self.next = raw.saturating_add(1);
            self.outcomes.push(true);
            return Ok(1);
        };
        let number = self.unwrapped(raw);
        if number >= self.next {
            let gap = number - self.next;
            if gap > max_gap {
                return Err(Fault::Jump { previous: self.next - 1, gap });
            }
            self.outcomes.push_run(false, gap as usize);
            self.outcomes.push(true);
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
        let at = (number - first) as usize;
        if self.outcomes.get(at) == Some(true) {
            self.duplicates += 1;
        } else {
            self.late += 1;
            self.outcomes.set(at, true);
        }
        Ok(0)
    }

    /// `raw` with the wraps before it added.
    fn unwrapped(&mut self, raw: u64) -> u64 {
        let number = raw.saturating_add(self.epoch);
        if number.saturating_add(WINDOW) < self.next {
            // Far behind: the counter's next round, if that lands close ahead.
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
            // Far ahead just after a wrap: a late one from the round before.
            return number - self.wrap;
        }
        number
    }

    /// The record and what to say about it.
    pub(super) fn finish(self) -> (Outcomes, Vec<String>) {
        let mut notes = vec![
            "losses are gaps in the received sequence numbers; packets before the first and after \
             the last received one are not known"
                .to_owned(),
        ];
        for (count, what) in [
            (self.duplicates, "duplicate sequence numbers ignored"),
            (self.late, "packets arrived late and were put in their place"),
            (self.before_first, "numbers below the first one ignored"),
            (self.wraps, "wraps of the sequence counter"),
        ] {
            if count > 0 {
                notes.push(format!("{count} {what}"));
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
        assert!(notes.iter().any(|n| n.starts_with("1 packets arrived late")), "{notes:?}");
        let (text, notes) = bits(&[10, 9, 11]);
        assert_eq!(text, "11");
        assert!(notes.iter().any(|n| n.starts_with("1 numbers below")), "{notes:?}");
    }

    #[test]
    fn counters_wrap() {
        let (text, notes) = bits(&[65_533, 65_535, 1, 0, 65_534, 2]);
        assert_eq!(text, "111111");
        assert!(notes.iter().any(|n| n.starts_with("1 wraps")), "{notes:?}");
        assert_eq!(bits(&[4_294_967_295, 0]).0, "11");
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
