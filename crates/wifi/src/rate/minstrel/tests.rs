//! Minstrel against tables worked by hand.

use airtcp_random::Seed;

use super::super::RateConfig;
use super::super::conformance::{PEER, Script};
use super::*;

fn minstrel(s: &Script) -> &Minstrel {
    match &s.rate {
        super::super::Rate::Minstrel(m) => m,
        _ => panic!("minstrel"),
    }
}

/// Frames of 1200 bytes: 20 + 4 ceil(9622 / N_DBPS) us; attempts that fit in 6 ms with an ACK of
/// 24, 12 or 6 Mb/s (28, 32, 44 us) and back-offs of 7.5, 15.5, 31.5 ... slots.
#[test]
fn reference_times() {
    let s = Script::new(&RateConfig::Minstrel(MinstrelConfig::default()));
    let times: Vec<u64> = minstrel(&s).times.iter().map(|(t, _)| t.0 / 1_000).collect();
    assert_eq!(times, [1624, 1092, 824, 556, 424, 288, 224, 200]);
    // 6 Mb/s: 1668, then 67.5 more each time: 1668 + 1735.5 + 1807.5 = 5211 < 6000 < + 1951.5.
    let tries: Vec<u32> = minstrel(&s).times.iter().map(|(_, n)| *n).collect();
    assert_eq!((tries[0], tries[7]), (3, 6));
}

/// The first packet and then every tenth samples, with each rate once per permutation.
#[test]
fn a_tenth_of_the_packets_look_around() {
    let mut s = Script::new(&RateConfig::Minstrel(MinstrelConfig::default()));
    let mut sampled = Vec::new();
    for packet in 0..70 {
        // Within one period: the best rate is the lowest, so that no sample is deferred.
        let step = s.packet(".").1[0];
        if packet == 0 || packet % 10 == 9 {
            sampled.push(step);
        } else {
            assert_eq!(step, 0, "packet {packet}");
        }
    }
    sampled.sort_unstable();
    assert_eq!(sampled, [0, 1, 2, 3, 4, 5, 6, 7]);
}

/// EWMA and ranking over three periods.
#[test]
fn statistics_of_three_periods() {
    let mut s = Script::new(&RateConfig::Minstrel(MinstrelConfig::default()));
    let tell = |s: &mut Script, step: usize, good: u32, bad: u32| {
        for i in 0..good + bad {
            let attempt = Attempt { now: s.now, to: PEER, category: 0, bytes: 1200, number: 0 };
            let ending = if i < good {
                super::super::Ending::Acknowledged
            } else {
                super::super::Ending::NoAck
            };
            let mode = Mode::OFDM[step];
            s.rate.on_result(&Outcome::of_frame(attempt, mode, ending, false));
        }
    };
    tell(&mut s, 0, 10, 0);
    tell(&mut s, 5, 6, 4);
    tell(&mut s, 7, 3, 7);
    s.wait(100);
    s.packet(".");
    let state = minstrel(&s).peers.get(PEER).clone();
    let p: Vec<f64> = state.rates.iter().map(RateStats::probability).collect();
    assert_eq!(p, [1.0, 0.0, 0.0, 0.0, 0.0, 0.6, 0.0, 0.3]);
    // Frames a second: 616, 0.6 * 3472 = 2083, 0.3 * 5000 = 1500.
    assert_eq!((state.best, state.second, state.surest), (5, 7, 0));
    assert_eq!(state.rates[0].tries, 2, "a sure rate gets few attempts");
    tell(&mut s, 5, 0, 10);
    tell(&mut s, 7, 10, 0);
    s.wait(100);
    s.packet(".");
    let state = minstrel(&s).peers.get(PEER).clone();
    // 0.75 * 0.6 + 0.25 * 0 and 0.75 * 0.3 + 0.25 * 1; the packet between them was at one of 0, 5.
    assert!((state.rates[7].probability() - 0.475).abs() < 1e-12);
    assert!(state.rates[5].probability() < 0.48);
    assert_eq!((state.best, state.second, state.surest), (7, 5, 0));
    s.wait(100);
    // Without a sample: best, second, surest, lowest.
    let chain = Minstrel::chain(&state, None);
    assert_eq!(chain.map(|(step, _)| step), [7, 5, 0, 0]);
    assert_eq!(chain[0].1, minstrel(&s).times[7].1);
    // A sample faster than the best comes first, a slower one second.
    assert_eq!(Minstrel::chain(&state, Some((6, false))).map(|(step, _)| step), [7, 6, 0, 0]);
    assert_eq!(Minstrel::chain(&state, Some((6, true))).map(|(step, _)| step), [6, 7, 0, 0]);
}

#[test]
fn orders_are_permutations_and_uniform() {
    let mut random = Seed::new(1).stream("order");
    let mut first = [0u32; 4];
    for _ in 0..4_000 {
        let one = permutation(4, &mut random);
        first[one[0]] += 1;
        let mut sorted = one;
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3]);
    }
    // Five standard errors of 1000 of 4000.
    assert!(first.iter().all(|n| n.abs_diff(1_000) < 137), "{first:?}");
}
