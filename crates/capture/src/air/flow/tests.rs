use super::*;

fn at(us: u64) -> Instant {
    let host_ns = 1_000_000_000 + us * 1000;
    Instant { host_ns, tsft_us: Some(us), ..Instant::default() }
}

fn attempt(sequence: u16, retry: bool, us: u64) -> Attempt {
    Attempt {
        sequence,
        retry,
        at: at(us),
        rate: 54_000_000,
        preamble_ns: 20_000,
        airtime_ns: 248_000,
        ampdu: None,
        signal_dbm: None,
    }
}

fn aggregated(sequence: u16, retry: bool, us: u64, ampdu: u32) -> Attempt {
    Attempt { ampdu: Some(ampdu), ..attempt(sequence, retry, us) }
}

/// Number of packets with one, two, ... attempts.
fn chains(tally: &Tally) -> Vec<(u16, u64)> {
    tally.chains.iter().map(|(attempts, chain)| (*attempts, chain.packets)).collect()
}

#[test]
fn retries_wrap_and_the_limit_of_a_second() {
    let (mut flow, mut tally) = (Flow::new(true), Tally::default());
    flow.on_attempt(&attempt(4095, false, 0), &mut tally);
    flow.on_attempt(&attempt(4095, true, 500), &mut tally);
    let number = flow.on_attempt(&attempt(0, false, 1000), &mut tally);
    flow.on_ack(number, &at(1264), 8000, &mut tally);
    // The same number without retry bit, and with it after more than a second: new packets.
    flow.on_attempt(&attempt(0, false, 2000), &mut tally);
    flow.on_attempt(&attempt(0, true, 1_100_000), &mut tally);
    // A number far away.
    flow.on_attempt(&attempt(2000, false, 1_100_500), &mut tally);
    flow.finish(&at(9_000_000), &mut tally);
    assert_eq!(tally.packets, 5);
    // A retry without its first attempt shows two.
    assert_eq!(chains(&tally), [(1, 3), (2, 2)]);
    let counts = (tally.gaps, tally.with_retry, tally.began_with_retry);
    assert_eq!(counts, (0, 2, 1));
    // From 20 µs before the timestamp of the first attempt to the end of the acknowledgement.
    assert!((tally.latency_ns.mean_ns().unwrap() - 292_000.0).abs() < 1.0);
    assert_eq!(tally.intervals_ns.mean_ns(), Some(500_000.0));
}

#[test]
fn gaps_and_acknowledgements_without_data() {
    let (mut flow, mut tally) = (Flow::new(true), Tally::default());
    flow.on_attempt(&attempt(1, false, 0), &mut tally);
    flow.on_ack_without_data(&mut tally);
    // The next number follows: the acknowledged attempt was a retry of packet 1.
    flow.on_attempt(&attempt(2, false, 1000), &mut tally);
    flow.on_ack_without_data(&mut tally);
    // A number is skipped: the acknowledged attempt was its.
    flow.on_attempt(&attempt(4, false, 2000), &mut tally);
    flow.finish(&at(9_000_000), &mut tally);
    assert_eq!((tally.gaps, tally.acks_without_data), (1, 2));
    assert_eq!(tally.total().unanswered, 2);
    // Counters that several receivers share show no gaps.
    let (mut flow, mut tally) = (Flow::new(false), Tally::default());
    flow.on_attempt(&attempt(1, false, 0), &mut tally);
    flow.on_attempt(&attempt(4, false, 2000), &mut tally);
    flow.finish(&at(9_000_000), &mut tally);
    assert_eq!(tally.gaps, 0);
}

#[test]
fn the_end_of_the_capture_hides_the_last_fate() {
    let (mut flow, mut tally) = (Flow::new(true), Tally::default());
    flow.on_attempt(&attempt(1, false, 0), &mut tally);
    flow.on_attempt(&attempt(2, false, 1000), &mut tally);
    flow.finish(&at(2000), &mut tally);
    let total = tally.total();
    assert_eq!((total.attempts, total.unanswered, total.undecided), (2, 1, 1));
}

#[test]
fn copies_from_another_interface_count_once() {
    let (mut flow, mut tally) = (Flow::new(true), Tally::default());
    flow.on_attempt(&attempt(1, false, 0), &mut tally);
    let mut copy = attempt(1, false, 40);
    copy.at.interface = 1;
    flow.on_attempt(&copy, &mut tally);
    assert_eq!((tally.copies, tally.total().attempts, tally.packets), (1, 1, 1));
}

/// A block acknowledgement from this number on.
fn block(flow: &mut Flow, tally: &mut Tally, us: u64, start: u16, bits: u64) {
    let mut body = vec![0x05, 0];
    body.extend((start << 4).to_le_bytes());
    body.extend(bits.to_le_bytes());
    flow.on_block_ack(&block_ack::Packet::new_checked(&body).unwrap(), &at(us), 8000, tally);
}

#[test]
fn block_acknowledgements() {
    let (mut flow, mut tally) = (Flow::new(true), Tally::default());
    let send = |flow: &mut Flow, numbers: &[u16], retry, us, ampdu, tally: &mut Tally| {
        for number in numbers {
            flow.on_attempt(&aggregated(*number, retry, us, ampdu), tally);
        }
    };
    // 10, 11 and 13 are captured, 12 is not; 11 did not arrive.
    send(&mut flow, &[10, 11, 13], false, 0, 1, &mut tally);
    block(&mut flow, &mut tally, 900, 10, 0b1101);
    assert_eq!((tally.total().acked, tally.gaps, tally.acks_without_data), (2, 1, 1));
    // 11 again, with 14 and 15, without an answer in the capture; then 15 again, with 16.
    send(&mut flow, &[11], true, 2000, 2, &mut tally);
    send(&mut flow, &[14, 15], false, 2000, 2, &mut tally);
    send(&mut flow, &[15], true, 4000, 3, &mut tally);
    send(&mut flow, &[16], false, 4000, 3, &mut tally);
    // 11 and 14 are sent again too, which the sniffer missed; 16 fails, and 17 is missed.
    block(&mut flow, &mut tally, 4900, 11, 0b101_1001);
    assert_eq!(tally.total().acked, 3);
    assert_eq!(tally.acks_without_data, 4);
    flow.finish(&at(9_000_000), &mut tally);
    let refused: u64 = tally.chains.values().map(|chain| chain.refused).sum();
    assert_eq!((refused, tally.total().unanswered), (1, 0));
    assert_eq!(tally.gaps, 2);
}

#[test]
fn a_block_acknowledgement_that_repeats_earlier_bits() {
    let (mut flow, mut tally) = (Flow::new(true), Tally::default());
    flow.on_attempt(&aggregated(10, false, 0, 1), &mut tally);
    flow.on_attempt(&aggregated(11, false, 2000, 2), &mut tally);
    // The answer to 10 was not captured, but nothing was sent again.
    block(&mut flow, &mut tally, 2900, 10, 0b11);
    assert_eq!((tally.total().acked, tally.acks_without_data), (2, 0));
    // A number far away is none of this flow.
    block(&mut flow, &mut tally, 3000, 2000, u64::MAX);
    assert_eq!(tally.total().acked, 2);
}

#[test]
fn memory_is_bounded() {
    let (mut flow, mut tally) = (Flow::new(true), Tally::default());
    for number in 0..10_000u16 {
        flow.on_attempt(&attempt(number % 4096, false, u64::from(number)), &mut tally);
        assert!(flow.slots.len() <= WINDOW);
    }
    for number in 0..10_000u16 {
        flow.on_attempt(&attempt(number.wrapping_mul(2897) % 4096, number % 2 == 0, 7), &mut tally);
        block(&mut flow, &mut tally, 8, number % 4096, u64::MAX);
        assert!(flow.slots.len() <= 2 * BLOCK_WINDOW + 64, "{}", flow.slots.len());
    }
    // Block acknowledgements whose data were not captured.
    for number in 0..10_000u16 {
        let us = 10 + u64::from(number);
        block(&mut flow, &mut tally, us, number.wrapping_mul(64) % 4096, u64::MAX);
        assert!(flow.slots.len() <= BLOCK_WINDOW, "{}", flow.slots.len());
    }
}
