//! Comparison with the pseudocode of RFC 8985 section 6.2, which visits every segment. Like the
//! scoreboard, the oracle counts departures in place of times and offsets (RACK_sent_after).

use proptest::prelude::*;

use super::*;
use crate::tcp::rate::{RateSampler, Snapshot};

/// A segment with the fields of section 5.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Segment {
    start: u64,
    end: u64,
    xmit_ts: u64,
    ordinal: u64,
    retransmitted: bool,
    lost: bool,
    sacked: bool,
}

/// The connection's variables of section 5.3.
#[derive(Debug, Default)]
struct Oracle {
    segments: Vec<Segment>,
    ordinal: u64,
    sent: u64,
    rtt: u64,
    fack: u64,
    reordering_seen: bool,
    any: bool,
}

impl Oracle {
    /// One ACK delivers these segments: step 2 takes them in the order of departure, step 3 in that of sequence numbers.
    fn delivered(&mut self, now: u64, mut segments: Vec<Segment>, min_rtt: u64) {
        segments.sort_by_key(|s| s.ordinal);
        for s in &segments {
            let rtt = now - s.xmit_ts;
            if s.retransmitted && rtt < min_rtt {
                continue;
            }
            self.rtt = rtt;
            self.ordinal = self.ordinal.max(s.ordinal);
            self.any = true;
        }
        segments.sort_by_key(|s| s.end);
        for s in &segments {
            if s.end >= self.fack {
                self.fack = s.end;
            } else if !s.retransmitted {
                self.reordering_seen = true;
            }
        }
    }

    /// Marks segments SACKed, and returns those that were not.
    fn sack(&mut self, from: u64, to: u64) -> Vec<Segment> {
        let mut new = Vec::new();
        for s in self.segments.iter_mut().filter(|s| s.start >= from && s.end <= to && !s.sacked) {
            new.push(*s);
            (s.sacked, s.lost) = (true, false);
        }
        new
    }

    /// Removes segments below `una`, and returns those that were not SACKed.
    fn ack(&mut self, una: u64) -> Vec<Segment> {
        let acked = self.segments.iter().filter(|s| s.end <= una && !s.sacked).copied().collect();
        self.segments.retain(|s| s.end > una);
        acked
    }

    /// RACK_detect_loss: returns the timeout, if any.
    fn detect(&mut self, now: u64, reo_wnd: u64) -> Option<u64> {
        let mut timeout = 0;
        if !self.any {
            return None;
        }
        for s in &mut self.segments {
            if s.sacked || s.lost || s.ordinal >= self.ordinal {
                continue;
            }
            let due = s.xmit_ts + self.rtt + reo_wnd;
            if due <= now {
                s.lost = true;
            } else {
                timeout = timeout.max(due - now);
            }
        }
        (timeout > 0).then_some(timeout)
    }

    fn pipe(&self) -> u64 {
        // Lost segments are not in flight until retransmitted, which clears the mark here.
        self.segments.iter().filter(|s| !s.sacked && !s.lost).map(|s| s.end - s.start).sum()
    }
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Send(u64),
    Sack(u64, u64),
    /// An ACK of this many segments, with a SACK block beyond them.
    Ack(u64, u64, u64),
    Repair,
    Detect(u64),
    Timeout(u64),
    Wait(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        5 => (1u64..6).prop_map(Step::Send),
        5 => (0u64..30, 1u64..6).prop_map(|(a, n)| Step::Sack(a, n)),
        3 => (1u64..6, 1u64..6, 0u64..4).prop_map(|(n, a, b)| Step::Ack(n, a, b)),
        4 => Just(Step::Repair),
        5 => (0u64..40).prop_map(Step::Detect),
        1 => (0u64..40).prop_map(Step::Timeout),
        5 => (1u64..40).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, 1..120)
}

const LEN: u64 = 10;

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_the_rfc(steps in steps(), min_rtt in 0u64..30) {
        let mut board = Scoreboard::new(u32::MAX, LEN as u32);
        board.enable_rack(Span(1));
        let mut rate = RateSampler::default();
        let mut oracle = Oracle::default();
        let (mut now, mut nxt, mut una) = (1u64, 0u64, 0u64);
        for step in steps {
            board.rack_before_ack(Some(Span(min_rtt)), None);
            match step {
                Step::Wait(n) => now += n,
                Step::Send(n) => for _ in 0..n {
                    let (start, end) = (nxt, nxt + LEN);
                    board.push(SentSegment::new(start, LEN as u32, false, Nanos(now), Snapshot::default()));
                    oracle.sent += 1;
                    oracle.segments.push(Segment {
                        start, end, xmit_ts: now, ordinal: oracle.sent,
                        retransmitted: false, lost: false, sacked: false,
                    });
                    nxt = end;
                },
                Step::Sack(a, n) => {
                    let (from, to) = (una + LEN * a, (una + LEN * (a + n)).min(nxt));
                    if from >= to {
                        continue;
                    }
                    board.sack(from, to, Nanos(now), &mut rate);
                    let new = oracle.sack(from, to);
                    oracle.delivered(now, new, min_rtt);
                }
                Step::Ack(n, gap, sacked) => {
                    una = (una + LEN * n).min(nxt);
                    let (from, to) = (una + LEN * gap, (una + LEN * (gap + sacked)).min(nxt));
                    let mut new = Vec::new();
                    if from < to {
                        board.sack(from, to, Nanos(now), &mut rate);
                        new = oracle.sack(from, to);
                    }
                    board.ack(una, Nanos(now), &mut rate);
                    new.extend(oracle.ack(una));
                    oracle.delivered(now, new, min_rtt);
                }
                Step::Repair => {
                    let due = oracle.segments.iter().position(|s| s.lost);
                    prop_assert_eq!(board.next_due(), due);
                    if let Some(at) = due {
                        board.retransmit(at, Nanos(now), Snapshot::default(), true, false);
                        let s = &mut oracle.segments[at];
                        (s.xmit_ts, s.retransmitted, s.lost) = (now, true, false);
                        oracle.sent += 1;
                        s.ordinal = oracle.sent;
                    }
                }
                Step::Detect(window) => {
                    let found = board.rack_detect(Nanos(now), Span(window));
                    let timeout = oracle.detect(now, window);
                    prop_assert_eq!(found.deadline.map(|d| d.0 - now), timeout);
                }
                Step::Timeout(window) => {
                    let kept = board.time_out(Nanos(now), true, Span(window));
                    let reneged = oracle.segments.first().is_some_and(|s| s.sacked);
                    prop_assert_eq!(kept, !reneged);
                    let (rtt, any) = (oracle.rtt, oracle.any);
                    for (i, s) in oracle.segments.iter_mut().enumerate() {
                        if reneged {
                            (s.sacked, s.lost) = (false, true);
                        } else if !s.sacked && (i == 0 || (any && s.xmit_ts + rtt + window <= now)) {
                            s.lost = true;
                        }
                    }
                    if reneged {
                        // A segment SACKed once counts as delivered and gives no new information.
                        return Ok(());
                    }
                }
            }
            prop_assert_eq!(board.pipe(), oracle.pipe());
            prop_assert_eq!(board.reordering_seen(), oracle.reordering_seen);
            prop_assert_eq!(board.segments_sacked(), oracle.segments.iter().filter(|s| s.sacked).count());
            prop_assert_eq!(board.segments_due(), oracle.segments.iter().filter(|s| s.lost).count());
            // The list holds the segments neither SACKed nor lost, in the order of departure.
            let rack = board.rack.as_ref().unwrap();
            let (mut listed, mut next) = (Vec::new(), rack.oldest());
            while let Some(number) = next {
                let at = (number - board.first) as usize;
                listed.push((oracle.segments[at].ordinal, at));
                next = rack.is_overtaken(number).unwrap().1;
            }
            prop_assert!(listed.windows(2).all(|w| w[0].0 < w[1].0));
            let mut members: Vec<usize> = listed.iter().map(|l| l.1).collect();
            members.sort_unstable();
            let expected: Vec<usize> = oracle.segments.iter().enumerate()
                .filter(|(_, s)| !s.sacked && !s.lost).map(|(i, _)| i).collect();
            prop_assert_eq!(members, expected);
        }
    }
}

/// An echoed timestamp older than the retransmission shows that the original arrived.
#[test]
fn an_echo_identifies_the_copy() {
    for (echo, counts) in [(Some(6), true), (Some(5), false), (None, true)] {
        let (mut board, mut rate) = (Scoreboard::new(u32::MAX, 10), RateSampler::default());
        board.enable_rack(Span(100));
        board.push(SentSegment::new(0, 10, false, Nanos(0), Snapshot::default()));
        board.retransmit(0, Nanos(500), Snapshot::default(), true, false);
        // The clock showed 6 at that time.
        board.rack_before_ack(Some(Span(1)), echo);
        board.ack(10, Nanos(900), &mut rate);
        assert_eq!(board.take_rack_advanced(), counts, "{echo:?}");
    }
}

/// Nothing was lost after all: the list is again in the order of departure.
#[test]
fn undoing_losses_restores_the_order() {
    let mut board = Scoreboard::new(u32::MAX, 10);
    board.enable_rack(Span(100));
    for i in 0..4 {
        board.push(SentSegment::new(10 * i, 10, false, Nanos(i), Snapshot::default()));
    }
    board.retransmit(1, Nanos(50), Snapshot::default(), true, false);
    board.lose_all(true);
    assert_eq!((board.segments_due(), board.pipe()), (4, 0));
    board.undo_losses();
    assert_eq!((board.segments_due(), board.pipe(), board.next_due()), (0, 40, None));
    let rack = board.rack.as_ref().unwrap();
    let mut order: Vec<u64> = rack.oldest().into_iter().collect();
    while let Some(next) = order.last().and_then(|n| rack.is_overtaken(*n)?.1) {
        order.push(next);
    }
    assert_eq!(order, [0, 2, 3, 1]);
}
