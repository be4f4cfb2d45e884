//! Comparison with the literal definitions of RFC 6675 section 4, octet by octet.

use proptest::prelude::*;

use airtcp_units::Span;

use super::*;

const MSS: u64 = 4;
const DUP_THRESH: u64 = 3;

/// The scoreboard in the RFC's words: one flag per octet.
#[derive(Debug, Default)]
struct Oracle {
    sacked: Vec<bool>,
    /// True if IsLost was ever true for the octet. The flag stays if a later SACK joins two SACKed
    /// sequences into one, after which IsLost itself could be false (only with small segments).
    lost: Vec<bool>,
    una: u64,
    nxt: u64,
    high_rxt: u64,
}

impl Oracle {
    fn update_lost(&mut self) {
        for seq in self.una..self.nxt {
            self.lost[seq as usize] |= self.meets_is_lost(seq);
        }
    }

    fn is_lost(&self, seq: u64) -> bool {
        self.lost[seq as usize]
    }

    /// IsLost: "either DupThresh discontiguous SACKed sequences have arrived above SeqNum or more than
    /// (DupThresh - 1) * SMSS bytes with sequence numbers greater than SeqNum have been SACKed"
    fn meets_is_lost(&self, seq: u64) -> bool {
        let (mut runs, mut bytes, mut inside) = (0, 0, false);
        for s in seq + 1..self.nxt {
            let sacked = self.sacked[s as usize];
            bytes += u64::from(sacked);
            runs += u64::from(sacked && !inside);
            inside = sacked;
        }
        runs >= DUP_THRESH || bytes > (DUP_THRESH - 1) * MSS
    }

    /// SetPipe: steps (a) and (b) for every octet not SACKed.
    fn pipe(&self) -> u64 {
        (self.una..self.nxt)
            .filter(|&s| !self.sacked[s as usize])
            .map(|s| u64::from(!self.is_lost(s)) + u64::from(s < self.high_rxt))
            .sum()
    }

    fn highest_sacked(&self) -> u64 {
        (self.una..self.nxt).rev().find(|&s| self.sacked[s as usize]).map_or(0, |s| s + 1)
    }

    /// NextSeg rule 1 (`lost`) or 3.
    fn rule(&self, lost: bool) -> Option<u64> {
        (self.una.max(self.high_rxt)..self.highest_sacked())
            .find(|&s| !self.sacked[s as usize] && (!lost || self.is_lost(s)))
    }
}

#[derive(Debug, Clone)]
enum Step {
    Send(u32),
    Sack(u8, u8),
    Ack(u8),
    Repair,
    RepairHole,
    Rescue,
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (1u32..=MSS as u32).prop_map(Step::Send),
        4 => (any::<u8>(), 0u8..6).prop_map(|(a, b)| Step::Sack(a, b)),
        1 => any::<u8>().prop_map(Step::Ack),
        3 => Just(Step::Repair),
        1 => Just(Step::RepairHole),
        1 => Just(Step::Rescue),
        1 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 1..120)
}

fn check(board: &Scoreboard, oracle: &Oracle) -> Result<(), TestCaseError> {
    prop_assert_eq!(board.pipe(), oracle.pipe(), "pipe");
    for s in &board.segments {
        for octet in s.start..s.end() {
            prop_assert_eq!(s.sacked, oracle.sacked[octet as usize]);
            if !s.sacked {
                prop_assert_eq!(s.lost, oracle.is_lost(octet), "IsLost({})", octet);
            }
        }
    }
    let start = |at: Option<usize>| at.and_then(|at| board.get(at)).map(|s| s.start);
    prop_assert_eq!(start(board.next_lost()), oracle.rule(true), "rule 1");
    let hole =
        board.next_hole().filter(|&at| Some(board.segments[at].start) < board.highest_sacked());
    prop_assert_eq!(start(hole), oracle.rule(false), "rule 3");
    let last = (oracle.una..oracle.nxt).rev().find(|&s| !oracle.sacked[s as usize]);
    let rescue = board.last_hole().and_then(|at| board.get(at)).map(|s| s.end() - 1);
    prop_assert_eq!(rescue, last, "rule 4 includes the highest outstanding octet");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_the_rfc(steps in steps()) {
        let mut board = Scoreboard::new(DUP_THRESH as u32, MSS as u32);
        let mut rate = RateSampler::default();
        let mut oracle = Oracle { sacked: vec![false; 1000], lost: vec![false; 1000], una: 1, nxt: 1, high_rxt: 1 };
        for (i, step) in steps.into_iter().enumerate() {
            let now = Nanos(i as u64);
            let edges: Vec<u64> =
                board.segments.iter().map(|s| s.start).chain([oracle.nxt]).collect();
            let snapshot = Snapshot::default();
            match step {
                Step::Send(len) => {
                    board.push(SentSegment::new(oracle.nxt, len, false, now, snapshot));
                    oracle.nxt += u64::from(len);
                }
                Step::Sack(at, len) => {
                    let from = at as usize % edges.len();
                    let to = (from + len as usize).min(edges.len() - 1);
                    // The first segment is the first one that the receiver lacks.
                    let (start, end) = (edges[from.max(1).min(to)], edges[to]);
                    let known = (start..end).all(|s| oracle.sacked[s as usize]);
                    let (new_sack, _) = board.sack(start, end, now, &mut rate);
                    prop_assert_eq!(new_sack, !known);
                    oracle.sacked[start as usize..end as usize].fill(true);
                }
                Step::Ack(at) => {
                    // An ACK in the middle of a segment, moved past SACKed data.
                    let span = oracle.nxt - oracle.una;
                    let mut ack = oracle.una + u64::from(at) % (span + 1);
                    while ack < oracle.nxt && oracle.sacked[ack as usize] {
                        ack += 1;
                    }
                    board.ack(ack, now, &mut rate);
                    oracle.una = ack;
                    oracle.high_rxt = oracle.high_rxt.max(ack);
                }
                Step::Repair | Step::RepairHole => {
                    let lost = matches!(step, Step::Repair);
                    let at = if lost { board.next_lost() } else { board.next_hole() };
                    let at = at.filter(|&at| Some(board.segments[at].start) < board.highest_sacked());
                    if let Some(at) = at {
                        oracle.high_rxt = board.segments[at].end();
                        board.retransmit(at, now, snapshot, true, false);
                    }
                }
                Step::Rescue => {
                    if let Some(at) = board.last_hole() {
                        board.retransmit(at, now, snapshot, false, false);
                    }
                }
                Step::Restart => {
                    board.restart_repairs();
                    oracle.high_rxt = oracle.una;
                }
            }
            oracle.update_lost();
            check(&board, &oracle)?;
        }
    }
}

fn board_of(n: u64) -> (Scoreboard, RateSampler) {
    let mut board = Scoreboard::new(3, MSS as u32);
    for i in 0..n {
        let start = 1 + i * MSS;
        board.push(SentSegment::new(start, MSS as u32, false, Nanos(i), Snapshot::default()));
    }
    (board, RateSampler::default())
}

#[test]
fn a_timeout_loses_unsacked_segments() {
    let (mut board, mut rate) = board_of(10);
    board.sack(9, 17, Nanos(1), &mut rate);
    board.lose_all(true);
    assert_eq!((board.pipe(), board.next_lost()), (0, Some(0)));
    board.retransmit(0, Nanos(2), Snapshot::default(), true, true);
    board.retransmit(1, Nanos(2), Snapshot::default(), true, true);
    // The third and fourth segments were SACKed and are skipped.
    assert_eq!((board.pipe(), board.next_lost()), (8, Some(4)));

    let (mut board, mut rate) = board_of(10);
    board.sack(9, 17, Nanos(1), &mut rate);
    board.lose_all(false);
    board.retransmit(0, Nanos(2), Snapshot::default(), true, true);
    board.retransmit(1, Nanos(2), Snapshot::default(), true, true);
    assert_eq!(board.next_lost(), Some(2), "SACK information was discarded");
}

/// RFC 2018 section 8: a receiver may discard SACKed data (renege). If the first outstanding segment
/// is SACKed at a timeout, the receiver has reneged.
#[test]
fn reneging_is_detected_at_the_timeout() {
    let (mut board, mut rate) = board_of(4);
    board.sack(5, 9, Nanos(1), &mut rate);
    board.ack(5, Nanos(2), &mut rate);
    assert!(!board.time_out(Nanos(0), true, Span::ZERO));
    assert_eq!(board.next_lost(), Some(0));
}

#[test]
fn a_partly_covered_segment_is_not_sacked() {
    let (mut board, mut rate) = board_of(4);
    let (new_sack, _) = board.sack(6, 14, Nanos(1), &mut rate);
    assert!(new_sack);
    // 5..9 and 13..17 are covered only partly; 9..13 completely.
    let sacked: Vec<bool> = board.segments.iter().map(|s| s.sacked).collect();
    assert_eq!(sacked, [false, false, true, false]);
    assert_eq!(board.pipe(), 12);
    assert_eq!(board.sack(6, 8, Nanos(1), &mut rate), (false, None));
}

/// If the sender discards its SACK information, the data is outstanding again, but the data counts as
/// delivered only once.
#[test]
fn discarded_sacks_are_not_delivered_twice() {
    let (mut board, mut rate) = (Scoreboard::new(u32::MAX, MSS as u32), RateSampler::default());
    for start in [0, 4, 8, 12] {
        board.push(SentSegment::new(start, 4, false, Nanos(start), Snapshot::default()));
    }
    assert_eq!(board.sack(4, 16, Nanos(100), &mut rate), (true, Some((Nanos(4), Nanos(12)))));
    assert_eq!((board.pipe(), board.sacked(), rate.delivered()), (4, 12, 12));
    assert!(!board.is_first_lost(), "nothing is inferred without a threshold");
    board.forget_sacks();
    assert_eq!((board.pipe(), board.sacked(), board.highest_sacked()), (16, 0, None));
    // A repeated SACK is new information again, but gives no sample and no delivery.
    assert_eq!(board.sack(4, 8, Nanos(110), &mut rate), (true, None));
    assert_eq!((board.pipe(), rate.delivered()), (12, 12));
    let acked = board.ack(16, Nanos(120), &mut rate);
    assert_eq!((acked.oldest, acked.newest), (Some(Nanos(0)), Some(Nanos(0))));
    assert_eq!((board.pipe(), board.sacked(), rate.delivered()), (0, 0, 16));
}

/// One cache line, since a long path's scoreboard is read often.
#[test]
fn a_segment_fills_a_cache_line() {
    assert_eq!(size_of::<SentSegment>(), 64);
}
