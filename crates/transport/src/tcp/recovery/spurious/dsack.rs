//! Detection by DSACKs, RFC 3708 section 3, as Linux does it.
//!
//! If DSACKs (RFC 2883) report every retransmission of a recovery, none was needed. A segment
//! retransmitted several times must be reported as often. A report of a segment that the recovery
//! has not retransmitted is a copy made by the network, and does not count. If a segment has more
//! reports than retransmissions, the network copies these very segments, and the detector ignores
//! this recovery.
//!
//! One case stays ambiguous: a needed retransmission that the network delivered twice. [choice] A
//! report counts for the retransmissions that it covers completely. If reports are lost, the
//! recovery stands. Offsets in bytes.

/// A retransmitted segment, and the number of its retransmissions that were not yet reported.
#[derive(Debug, Clone, Copy)]
struct Copies {
    start: u64,
    end: u64,
    open: u32,
}

/// The retransmissions of a recovery.
#[derive(Debug, Clone, Default)]
pub(super) struct Reports {
    /// In order, not overlapping.
    segments: Vec<Copies>,
    /// Number of retransmissions not reported.
    open: u64,
    /// The reports cannot be trusted.
    void: bool,
}

impl Reports {
    /// The segment `start..end` is sent again.
    pub(super) fn on_sent(&mut self, start: u64, end: u64) {
        let at = self.segments.partition_point(|s| s.end <= start);
        self.open += 1;
        match self.segments.get_mut(at) {
            Some(s) if (s.start, s.end) == (start, end) => s.open += 1,
            // Segment boundaries differ from before: a report cannot be assigned to a copy.
            Some(s) if s.start < end => self.void = true,
            _ if start == end => self.void = true,
            _ => self.segments.insert(at, Copies { start, end, open: 1 }),
        }
    }

    /// A DSACK reports `start..end`.
    pub(super) fn on_report(&mut self, start: u64, end: u64) {
        let from = self.segments.partition_point(|s| s.start < start);
        for segment in self.segments.iter_mut().skip(from).take_while(|s| s.end <= end) {
            if segment.open == 0 {
                self.void = true;
                return;
            }
            segment.open -= 1;
            self.open -= 1;
        }
    }

    /// True if every retransmission was reported.
    pub(super) fn all_reported(&self) -> bool {
        self.open == 0 && !self.void && !self.segments.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(segments: &[(u64, u64)]) -> Reports {
        let mut r = Reports::default();
        for &(start, end) in segments {
            r.on_sent(start, end);
        }
        r
    }

    #[test]
    fn all_of_them_have_to_be_reported() {
        assert!(!Reports::default().all_reported(), "nothing sent, nothing in vain");
        let mut r = sent(&[(1, 11), (21, 31)]);
        r.on_report(1, 11);
        assert!(!r.all_reported());
        r.on_report(11, 21);
        assert!(!r.all_reported(), "the network's copy of something else");
        r.on_report(21, 31);
        assert!(r.all_reported());
    }

    #[test]
    fn twice_sent_twice_reported() {
        let mut r = sent(&[(1, 11), (1, 11)]);
        r.on_report(1, 11);
        assert!(!r.all_reported());
        r.on_report(1, 11);
        assert!(r.all_reported());
        r.on_report(1, 11);
        assert!(!r.all_reported(), "RFC 3708: the network makes copies");
    }

    #[test]
    fn parts_do_not_count_and_wholes_do() {
        let mut r = sent(&[(1, 11), (11, 21)]);
        r.on_report(1, 5);
        r.on_report(5, 21);
        assert!(!r.all_reported());
        r.on_report(1, 21);
        assert!(!r.all_reported(), "the second was reported twice");
        let mut r = sent(&[(1, 11), (11, 21)]);
        r.on_report(1, 21);
        assert!(r.all_reported(), "two in one report");
        let mut r = sent(&[(1, 11), (5, 11)]);
        r.on_report(1, 11);
        r.on_report(5, 11);
        assert!(!r.all_reported(), "cut differently");
    }
}
