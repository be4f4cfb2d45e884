//! Minstrel-HT against numbers worked by hand.
#![allow(clippy::float_cmp, reason = "the numbers are exact")]

use airtcp_random::Seed;

use super::super::{RateContext, conformance::PEER};
use super::*;
use crate::phy::error::ErrorModel;
use crate::phy::{PhySetup, SetupKeys, Standard, Timing, TimingConfig, Width};

const MS: u64 = 1_000_000;

/// 802.11ac over 20 MHz with two streams and the short guard interval: nine schemes with each number of streams.
fn minstrel_ht() -> MinstrelHt {
    let keys = SetupKeys { width: Some(Width::Mhz20), streams: Some(2), ..SetupKeys::default() };
    let setup = PhySetup::new(Standard::Ac, &keys).unwrap();
    let timing = Timing::new(Standard::Ac, &TimingConfig::default()).unwrap();
    let error = ErrorModel::default();
    let ladder = crate::rate::Ladder::new(&setup.modes(false)).unwrap();
    let context = RateContext { timing: &timing, error: &error, seed: Seed::new(1), label: "rate" };
    MinstrelHt::build(&MinstrelHtConfig::default(), &ControlInputs { ladder, start: None, context })
        .unwrap()
}

fn attempt(now: u64, number: u32) -> Attempt {
    Attempt { now: Nanos(now), to: PEER, category: 0, bytes: 1_526, number }
}

fn tell(control: &mut MinstrelHt, now: u64, scheme: usize, mpdus: u32, acknowledged: u32) {
    let mode = control.schemes.mode(scheme);
    let ending = if acknowledged > 0 { Ending::Acknowledged } else { Ending::NoAck };
    let (attempt, given_up) = (attempt(now, 0), acknowledged == 0);
    control.on_result(&Outcome { attempt, mode, ending, given_up, mpdus, acknowledged });
}

/// A PPDU of a retry chain that goes on.
fn lose(control: &mut MinstrelHt, now: u64, scheme: usize, mpdus: u32) {
    let (attempt, mode, ending) = (attempt(now, 0), control.schemes.mode(scheme), Ending::NoAck);
    let (given_up, acknowledged) = (false, 0);
    control.on_result(&Outcome { attempt, mode, ending, given_up, mpdus, acknowledged });
}

fn state(control: &MinstrelHt) -> &State {
    control.peers.get(PEER)
}

/// 153 600 bits in symbols of 3.6 us, for 16 packets: 26 bits a symbol with MCS 0, 312 with MCS 8, twice as many
/// with two streams.
#[test]
fn groups_and_times() {
    let control = minstrel_ht();
    let schemes = &control.schemes;
    let groups: Vec<_> = schemes.groups.iter().map(|g| (g.schemes.clone(), g.streams)).collect();
    assert_eq!(groups, [(0..9, 1), (9..18, 2)]);
    let symbols = [5_908.0, 493.0, 2_954.0, 247.0];
    for (scheme, symbols) in [0, 8, 9, 17].into_iter().zip(symbols) {
        assert_eq!(schemes.time(scheme), symbols * 3_600.0 / 16.0);
    }
    // 96 us for each PPDU.
    assert_eq!(schemes.time_with_overhead(8, 1.0), 493.0 * 225.0 + 96_000.0);
    assert_eq!(schemes.time_with_overhead(8, 32.0), 493.0 * 225.0 + 3_000.0);
    // 32 MPDUs take 3.646 ms, with 67.5 us of back-off: the third try would end after 6 ms. One MPDU takes 207 us:
    // seven tries end after 1449 + 67.5 + 139.5 + 283.5 + 571.5 + 1147.5 + 2299.5 + 4603.5 us, six after 5.75 ms.
    assert_eq!([schemes.tries(8, 0.5, 32.0), schemes.tries(8, 0.5, 1.0)], [2, 6]);
    assert_eq!(schemes.tries(8, 0.19, 1.0), 2);
}

/// Averages of 1, 0.5 and 0 by the filter; unused schemes take the greatest average of faster ones.
#[test]
fn averages_of_three_periods() {
    let mut control = minstrel_ht();
    tell(&mut control, 10 * MS, 4, 20, 20);
    tell(&mut control, 60 * MS, 8, 10, 3);
    let p = |control: &MinstrelHt, scheme: usize| state(control).stats[scheme].probability();
    assert_eq!(
        [p(&control, 4), p(&control, 8), p(&control, 6), p(&control, 0)],
        [1.0, 0.3, 0.3, 1.0]
    );
    assert_eq!([p(&control, 9), p(&control, 17)], [0.0, 0.0]);
    // 0.9 at MCS 4 over 739 x 225 ns and 0.3 at MCS 8: MCS 4, and MCS 3 with P = 1 of a period in which it was not
    // used.
    assert_eq!(state(&control).choice.best[..2], [4, 3]);
    assert_eq!(state(&control).choice.surest, 4);
    let length = 0.75 + 0.25 * 15.0;
    assert_eq!(state(&control).length, length);
    tell(&mut control, 120 * MS, 4, 10, 5);
    let second = 0.2865 * 0.5 + 1.2874 - 0.5739;
    assert!((p(&control, 4) - second).abs() < 1e-12, "{}", p(&control, 4));
    tell(&mut control, 180 * MS, 4, 40, 0);
    let third = 0.2865 / 4096.0 + 1.2874 * second - 0.5739;
    assert!((p(&control, 4) - third).abs() < 1e-12, "{}", p(&control, 4));
    // The filter has a gain of 1: a constant ratio is its limit.
    for period in 4..100 {
        tell(&mut control, period * 60 * MS, 4, 10, 7);
    }
    assert!((p(&control, 4) - 0.7).abs() < 1e-6, "{}", p(&control, 4));
}

/// The chain has the best three schemes and the surest one, which has fewer streams if possible.
#[test]
fn stages_of_the_chain() {
    let mut control = minstrel_ht();
    for (scheme, acknowledged) in [(17, 50), (16, 90), (15, 95), (8, 96), (7, 99)] {
        tell(&mut control, 10 * MS, scheme, 100, acknowledged);
    }
    tell(&mut control, 60 * MS, 14, 100, 100);
    // Probability times bits a symbol: 312, 468, 421 and 374 with two streams; 281 and 234 with one.
    let choice = &state(&control).choice;
    assert_eq!(choice.best, [16, 15, 14, 17]);
    assert_eq!(choice.surest, 8);
    let stages = state(&control).stages;
    assert_eq!(stages.map(|(scheme, _)| scheme), [16, 15, 14, 8]);
    let mode = |control: &MinstrelHt, number: u32| {
        let mode = control.pick(&attempt(0, number));
        control.schemes.place(mode).unwrap()
    };
    // Without a sample.
    assert_eq!(
        [0, stages[0].1, stages[1].1, stages[2].1, 99].map(|n| mode(&control, n)),
        [16, 15, 14, 8, 8]
    );
    // A sample takes the first place, alone in its PPDU, and the chain goes on with the second stage.
    control.on_packet(&attempt(60 * MS, 0));
    assert!(control.is_single(&attempt(60 * MS, 0)) && control.is_single(&attempt(60 * MS, 1)));
    assert!(mode(&control, 0) == 17 && mode(&control, 1) == 15);
    // Not before 20 ms have passed.
    control.on_packet(&attempt(79 * MS, 0));
    assert_eq!(mode(&control, 0), 16);
    assert!(!control.is_single(&attempt(79 * MS, 0)));
}

/// Increases are the next faster scheme of each group, jumps are faster than those in use, slow ones between.
#[test]
fn samples_by_kind() {
    let mut control = minstrel_ht();
    let (mut now, mut sampled) = (0, [0_u32; 18]);
    for _ in 0..600 {
        // MCS 4 of one stream carries everything, faster schemes nothing.
        for _ in 0..10 {
            now += 2 * MS;
            control.on_packet(&attempt(now, 0));
            let scheme = control.schemes.place(control.pick(&attempt(now, 0))).unwrap();
            let single = control.is_single(&attempt(now, 0));
            sampled[scheme] += u32::from(single);
            let mpdus = if single { 1 } else { 20 };
            let carries = control.schemes.time(scheme) >= control.schemes.time(4);
            tell(&mut control, now, scheme, mpdus, if carries { mpdus } else { 0 });
        }
    }
    // In 12 s there are at most three samples for each 50 ms.
    let all: u32 = sampled.iter().sum();
    assert!((450..=720).contains(&all), "{sampled:?}");
    // The next faster schemes: MCS 5 with one stream, MCS 3 with two (108 against 156 bits a symbol is faster).
    assert!(sampled[5] > 50 && sampled[12] > 50, "{sampled:?}");
    // Each faster scheme is met by jumps.
    assert!((5..9).chain(12..18).all(|scheme| sampled[scheme] > 5), "{sampled:?}");
    assert_eq!(state(&control).choice.best[0], 4);
}

/// More than 30 MPDUs of which less than a quarter arrive: the best scheme of the lower group follows at once.
#[test]
fn sudden_death_of_streams() {
    let mut control = minstrel_ht();
    tell(&mut control, 10 * MS, 8, 50, 50);
    tell(&mut control, 60 * MS, 17, 50, 50);
    assert_eq!(state(&control).choice.best[0], 17);
    tell(&mut control, 61 * MS, 17, 30, 0);
    assert_eq!(state(&control).choice.best[0], 17);
    tell(&mut control, 62 * MS, 17, 1, 0);
    assert_eq!((state(&control).choice.best[0], state(&control).stages[0].0), (8, 8));
}

/// A driver reports a PPDU with all its attempts: 50 MPDUs lost in a collision and then received are a half. Four
/// attempts of which the last arrives are a quarter; with a fifth it is less, and the lower group follows.
#[test]
fn a_collision_is_no_sudden_death() {
    for (lost, best) in [(1, 17), (3, 17), (4, 8)] {
        let mut control = minstrel_ht();
        tell(&mut control, 10 * MS, 8, 50, 50);
        tell(&mut control, 60 * MS, 17, 50, 50);
        for _ in 0..lost {
            lose(&mut control, 61 * MS, 17, 50);
            assert_eq!(state(&control).choice.best[0], 17, "the chain goes on");
        }
        tell(&mut control, 62 * MS, 17, 50, 50);
        assert_eq!(state(&control).choice.best[0], best, "{lost}");
    }
}
