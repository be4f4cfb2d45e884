//! Durations by hand, and against ns-3.

use super::*;
use crate::phy::{Format, RuSize};

fn mode(mcs: u8, streams: u8, width: Width, guard: GuardInterval, ru: RuSize) -> Mode {
    Mode::mcs(Format::He, mcs, streams, width, guard).unwrap().in_ru(ru).unwrap()
}

fn short(mcs: u8, ru: RuSize, width: Width) -> Mode {
    mode(mcs, 1, width, GuardInterval::Ns800, ru)
}

/// By hand. 20 MHz, four users in 52 tones at MCS 7 (240 bits in a symbol): HE-SIG-B has 18 + 2 x 52 = 122 bits in
/// one symbol of 208. 1500 B are 12016 bits in 51 symbols. The preamble takes 36 + 4 + 7.2 us.
#[test]
fn four_users() {
    let user = (short(7, RuSize::Tones52, Width::Mhz20), 1_500);
    let ppdu = MuPpdu::new(MuFormat::Mu, &[user; 4]).unwrap();
    assert_eq!((ppdu.preamble(), ppdu.symbols()), (Span(47_200), 51));
    assert_eq!(ppdu.duration(), Span(47_200 + 51 * 13_600));
    // One user at MCS 0 (24 bits): 122 bits of HE-SIG-B in five symbols of 26, and 501 data symbols.
    let slow = (short(0, RuSize::Tones52, Width::Mhz20), 1_500);
    let ppdu = MuPpdu::new(MuFormat::Mu, &[user, user, slow, user]).unwrap();
    assert_eq!((ppdu.preamble(), ppdu.symbols()), (Span(36_000 + 20_000 + 7_200), 501));
    // A user with two streams: two HE-LTFs for all.
    let two = mode(7, 2, Width::Mhz20, GuardInterval::Ns800, RuSize::Tones52);
    let ppdu = MuPpdu::new(MuFormat::Mu, &[user, user, (two, 1_500), user]).unwrap();
    assert_eq!((ppdu.preamble(), ppdu.symbols()), (Span(40_000 + 2 * 7_200), 51));
}

/// By hand. 80 MHz, eight users in 106 tones at MCS 2 (153 bits in a symbol): four users in each content channel,
/// 27 + 2 x 52 = 131 bits in two symbols of 78. 7 users: 27 + 104 again; 9 users: 27 + 104 + 31 = 162 in three.
#[test]
fn signalling_field() {
    let user = (short(2, RuSize::Tones106, Width::Mhz80), 100);
    let preamble = |n| MuPpdu::new(MuFormat::Mu, &vec![user; n]).unwrap().preamble();
    assert_eq!(preamble(8), Span(36_000 + 8_000 + 7_200));
    assert_eq!(preamble(7), preamble(8));
    assert_eq!(preamble(9), Span(36_000 + 12_000 + 7_200));
    // 160 MHz: 43 + 37 users in a content channel, 18 x 52 + 31 = 967 bits: 1010 bits in 39 symbols of 26.
    let user = (short(0, RuSize::Tones26, Width::Mhz160), 100);
    assert_eq!(
        MuPpdu::new(MuFormat::Mu, &[user; 74]).unwrap().preamble(),
        Span(36_000 + 156_000 + 7_200)
    );
}

/// By hand. HE TB PPDU in 52 tones of 20 MHz at MCS 7, 1600 ns: 40 + 8 us, 51 symbols of 14.4 us, of which 240 x 51 -
/// 16 bits, 1528 B, are for the PSDU. It lasts 782.4 us: L_LENGTH is 3 x 191 - 5.
#[test]
fn triggered() {
    let user = mode(7, 1, Width::Mhz20, GuardInterval::Ns1600, RuSize::Tones52);
    let ppdu = MuPpdu::new(MuFormat::Tb, &[(user, 1_500)]).unwrap();
    assert_eq!((ppdu.preamble(), ppdu.symbols()), (Span(48_000), 51));
    assert_eq!(ppdu.duration(), Span(48_000 + 51 * 14_400));
    assert_eq!((ppdu.bytes(user), ppdu.l_length()), (1_528, 568));
    assert_eq!(MuPpdu::of_length(&[user], 568), Some(ppdu));
    assert_eq!(MuPpdu::longest(MuFormat::Tb, &[user], ppdu.duration()), Some(ppdu));
    let less = MuPpdu::longest(MuFormat::Tb, &[user], Span(ppdu.duration().0 - 1)).unwrap();
    assert_eq!(less.symbols(), 50);
    // An HE TB PPDU has no guard interval of 800 ns.
    assert_eq!(
        MuPpdu::new(MuFormat::Tb, &[(short(7, RuSize::Tones52, Width::Mhz20), 1_500)]),
        None
    );
}

/// The mode alone has the times of an HE TB PPDU of one user.
#[test]
fn a_mode_in_a_unit_is_triggered() {
    for mode in Mode::all().filter(|m| m.guard() == Some(GuardInterval::Ns3200)).step_by(17) {
        if mode.ru().is_some() {
            let ppdu = MuPpdu::new(MuFormat::Tb, &[(mode, 777)]).unwrap();
            assert_eq!(ppdu.duration(), crate::phy::airtime::mcs_frame(mode, 777), "{mode}");
        }
    }
}

/// PPDUs of all users hold what they are made for, and what they hold fits: with mixed users, where the extra symbol
/// is common.
#[test]
fn what_fits_is_exact() {
    let guard = GuardInterval::Ns1600;
    for (first, second) in [(0, 0), (0, 7), (5, 11), (2, 9)] {
        let modes = [
            mode(first, 1, Width::Mhz40, guard, RuSize::Tones106),
            mode(second, 2, Width::Mhz40, guard, RuSize::Tones242),
        ];
        let mut before = 0;
        for bytes in (20..4_000).step_by(37) {
            let users = [(modes[0], bytes), (modes[1], 2 * bytes)];
            let tb = MuPpdu::new(MuFormat::Tb, &users).unwrap();
            assert!(tb.bytes(modes[0]) >= bytes && tb.bytes(modes[1]) >= 2 * bytes);
            let mu = MuPpdu::new(MuFormat::Mu, &users).unwrap();
            assert!(
                mu.symbols() >= before && (mu.symbols()..=mu.symbols() + 1).contains(&tb.symbols())
            );
            before = mu.symbols();
            let full = modes.map(|mode| (mode, mu.bytes(mode)));
            assert_eq!(MuPpdu::new(MuFormat::Mu, &full).unwrap().symbols(), mu.symbols());
            let over = [full[0], (modes[1], full[1].1 + 1)];
            assert!(MuPpdu::new(MuFormat::Mu, &over).unwrap().symbols() > mu.symbols());
        }
    }
}

#[test]
fn users_of_different_ppdus_are_refused() {
    let user = |width, guard| (mode(0, 1, width, guard, RuSize::Tones26), 100);
    let one = user(Width::Mhz20, GuardInterval::Ns1600);
    assert_eq!(MuPpdu::new(MuFormat::Mu, &[]), None);
    assert_eq!(MuPpdu::new(MuFormat::Mu, &[one, user(Width::Mhz40, GuardInterval::Ns1600)]), None);
    assert_eq!(MuPpdu::new(MuFormat::Tb, &[one, user(Width::Mhz20, GuardInterval::Ns3200)]), None);
    assert_eq!(MuPpdu::new(MuFormat::Mu, &[one, (one.0.without_ru(), 100)]), None);
    assert_eq!(MuPpdu::longest(MuFormat::Tb, &[one.0], Span(48_000 + 14_399)), None);
}

/// Preambles of HE MU PPDUs in which all RUs are in use, and durations and L_LENGTH of HE TB PPDUs, against ns-3.37.
/// ns-3 leaves out the users of the 26-tone RUs in the middle of each 80 MHz, and writes the field of a user of 484
/// and more tones into both content channels (of 2 x 996 tones twice). It codes with BCC: its bodies have 6 tail
/// bits.
#[test]
fn times_of_ns3() {
    let guard = GuardInterval::Ns1600;
    let mut compared = [0; 2];
    for row in include_str!("../../../tests/data/ns3-ru.csv").lines() {
        let Some((kind, numbers)) = row.split_once(',').filter(|(k, _)| matches!(*k, "mu" | "tb"))
        else {
            continue;
        };
        let numbers: Vec<u64> = numbers.split(',').map(|n| n.parse().unwrap()).collect();
        let ru = |tones| RuSize::ALL.into_iter().find(|r| u64::from(r.tones()) == tones).unwrap();
        if kind == "mu" {
            let [mhz, tones, users, mcs, theirs] = numbers[..] else { panic!("{row}") };
            let width = Width::ALL.into_iter().find(|w| u64::from(w.mhz()) == mhz).unwrap();
            let user = mode(u8::try_from(mcs).unwrap(), 1, width, guard, ru(tones));
            let users = usize::try_from(users).unwrap();
            let counted = match (tones, mhz) {
                (26, 80 | 160) => users - usize::try_from(mhz / 80).unwrap(),
                (1_992, _) => 4,
                (484.., _) if users > 1 => 2 * users,
                _ => users,
            };
            let ours = MuPpdu::empty(MuFormat::Mu, &vec![user; counted]).unwrap().preamble();
            assert_eq!(ours, Span(theirs), "{row}");
            compared[0] += 1;
            continue;
        }
        let [tones, mcs, bytes, theirs, length] = numbers[..] else { panic!("{row}") };
        let user = mode(u8::try_from(mcs).unwrap(), 1, Width::Mhz20, guard, ru(tones));
        let bits = 8 * bytes + 16 + 6;
        let symbols = bits.div_ceil(user.bits_per_symbol());
        let ppdu = MuPpdu { symbols, ..MuPpdu::empty(MuFormat::Tb, &[user]).unwrap() };
        assert_eq!((ppdu.duration(), u64::from(ppdu.l_length())), (Span(theirs), length), "{row}");
        compared[1] += 1;
    }
    assert_eq!(compared, [66, 24]);
}
