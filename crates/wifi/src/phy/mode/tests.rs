//! Rates, names and indices of modes.

use super::*;

#[test]
fn bits_per_symbol_follow_from_modulation_and_code() {
    for mode in Mode::OFDM {
        let (k, n) = mode.code();
        let coded = 48 * u64::from(mode.modulation().bits());
        assert_eq!(mode.bits_per_symbol(), coded * u64::from(k) / u64::from(n));
        assert_eq!(mode.bits_per_symbol() * 250, u64::from(mode.kbps()));
    }
}

/// Published rates in tenths of Mb/s: HT from H3C's manual of the WX3000E (20 MHz), VHT from the LigoWave
/// wiki (two streams, whole Mb/s), the rest from ns-3's `WifiMode::GetDataRate`. ns-3 does not round the bits of
/// a symbol down: HE MCS 11 has 600.5 Mb/s over 80 MHz, and 2402.0 Mb/s with two streams over 160 MHz.
#[test]
fn published_rates() {
    let [short, long] = [GuardInterval::Ns400, GuardInterval::Ns800];
    let (w20, w40, w80, w160) = (Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160);
    for (format, mcs, streams, width, guard, tenths) in [
        (Format::Ht, 0, 1, w20, long, 65),
        (Format::Ht, 0, 1, w20, short, 72),
        (Format::Ht, 5, 1, w20, short, 578),
        (Format::Ht, 7, 1, w20, short, 722),
        (Format::Ht, 4, 2, w20, short, 867),
        (Format::Ht, 7, 2, w20, long, 1_300),
        (Format::Ht, 7, 2, w20, short, 1_444),
        (Format::Ht, 7, 4, w40, short, 6_000),
        (Format::Vht, 8, 2, w20, short, 1_733),
        (Format::Vht, 0, 2, w40, short, 300),
        (Format::Vht, 9, 2, w40, short, 4_000),
        (Format::Vht, 5, 2, w80, short, 5_200),
        (Format::Vht, 9, 2, w80, short, 8_667),
        (Format::Vht, 9, 1, w80, short, 4_333),
        (Format::Vht, 9, 4, w160, short, 34_667),
        (Format::He, 0, 1, w20, long, 86),
        (Format::He, 11, 1, w20, long, 1_434),
        (Format::He, 11, 2, w20, long, 2_868),
        (Format::He, 11, 1, w80, long, 6_004),
        (Format::He, 11, 2, w80, long, 12_010),
        (Format::He, 11, 2, w160, long, 24_019),
        (Format::He, 11, 1, w20, GuardInterval::Ns3200, 1_219),
    ] {
        let mode = Mode::mcs(format, mcs, streams, width, guard).unwrap();
        let found = (mode.kbps() + 50) / 100;
        assert_eq!(found, tenths, "{mode}");
    }
}

/// VHT lacks MCS 9 over 20 MHz except with 3 streams, and with 3 streams MCS 6 over 80 MHz and MCS 9 over
/// 160 MHz. For other combinations each encoder gets whole bits.
#[test]
fn excluded_schemes_and_encoders() {
    let guard = GuardInterval::Ns800;
    let mut lacks = Vec::new();
    for (width, streams) in Width::ALL.iter().flat_map(|w| (1..=4).map(move |s| (*w, s))) {
        for mcs in 0..10 {
            let Some(mode) = Mode::mcs(Format::Vht, mcs, streams, width, guard) else {
                lacks.push((width.mhz(), mcs, streams));
                continue;
            };
            let (k, n) = mode.code();
            let coded = mode.bits_per_symbol() * u64::from(n) / u64::from(k);
            let encoders = mode.encoders();
            assert!(mode.bits_per_symbol().is_multiple_of(encoders), "{mode}");
            assert!(coded.is_multiple_of(encoders), "{mode}");
            // 540 Mb/s for each encoder with this guard interval.
            assert!(u64::from(mode.kbps()) <= 540_000 * encoders, "{mode}");
        }
    }
    assert_eq!(lacks, [(20, 9, 1), (20, 9, 2), (20, 9, 4), (80, 6, 3), (160, 9, 3)]);
    let encoders = |format, mcs, streams, width| {
        Mode::mcs(format, mcs, streams, width, guard).unwrap().encoders()
    };
    // 6 where 5 would do for the rate.
    assert_eq!(encoders(Format::Vht, 7, 4, Width::Mhz160), 6);
    assert_eq!(encoders(Format::Vht, 9, 1, Width::Mhz80), 1);
    assert_eq!(encoders(Format::Vht, 9, 2, Width::Mhz80), 2);
    assert_eq!(encoders(Format::Ht, 4, 3, Width::Mhz40), 1);
    assert_eq!(encoders(Format::Ht, 5, 3, Width::Mhz40), 2);
    assert_eq!(encoders(Format::He, 11, 4, Width::Mhz160), 0);
}

#[test]
fn narrower_modes_keep_their_index() {
    let vht = |mcs, streams, width| {
        Mode::mcs(Format::Vht, mcs, streams, width, GuardInterval::Ns400).unwrap()
    };
    let wide = vht(9, 1, Width::Mhz80);
    assert_eq!(wide.within(Width::Mhz160), wide);
    assert_eq!(wide.within(Width::Mhz40), vht(9, 1, Width::Mhz40));
    // MCS 9 does not exist over 20 MHz.
    assert_eq!(wide.within(Width::Mhz20), vht(8, 1, Width::Mhz20));
    assert_eq!(Mode::OFDM[3].within(Width::Mhz20), Mode::OFDM[3]);
}

/// A mode has the parts that it was made of, and no two combinations share an index.
#[test]
fn modes_are_their_parts() {
    let mut seen = std::collections::BTreeSet::new();
    for format in [Format::Ht, Format::Vht, Format::He] {
        for (width, streams) in Width::ALL.iter().flat_map(|w| (1..=4).map(move |s| (*w, s))) {
            for (guard, index) in
                format.generation().guards.iter().flat_map(|g| (0..12).map(move |i| (*g, i)))
            {
                let Some(mode) = Mode::mcs(format, index, streams, width, guard) else {
                    continue;
                };
                let parts = (mode.format(), mode.mcs_index(), mode.streams(), mode.width());
                assert_eq!(parts, (format, Some(index), streams, width));
                assert_eq!(mode.guard(), Some(guard));
                assert!(seen.insert(mode.index()) && mode.is_mcs() && mode.is_ofdm());
            }
        }
    }
    let single = Mode::all().filter(|mode| mode.index() < OLD + BLOCKS * BLOCK);
    assert_eq!(single.count(), Mode::OLD + seen.len());
    // HT: 8 schemes. VHT: 10 less three at 20 MHz, one at 80 and one at 160. HE: 12.
    assert_eq!(seen.len(), 8 * 4 * 2 * 2 + (10 * 4 * 4 - 5) * 2 + 12 * 4 * 4 * 3);
}

/// A resource unit changes the unit and the rate, nothing else, and no two modes share an index.
#[test]
fn resource_units() {
    let mut seen = std::collections::BTreeSet::new();
    for mode in Mode::all().filter(|m| m.format() == Format::He && m.ru().is_none()) {
        assert_eq!(mode.with_coding(Coding::Bcc), None);
        for ru in RuSize::ALL {
            let Some(unit) = mode.in_ru(ru) else {
                assert_eq!(ru.count(mode.width()), 0);
                continue;
            };
            let parts = |m: Mode| (m.mcs_index(), m.streams(), m.width(), m.guard());
            assert_eq!((parts(unit), unit.ru()), (parts(mode), Some(ru)));
            assert_eq!(unit.without_ru(), mode);
            assert_eq!(unit.in_ru(RuSize::Tones26), mode.in_ru(RuSize::Tones26));
            assert!(seen.insert(unit.index()));
            for guard in Format::He.generation().guards {
                let other = unit.with_guard(*guard).unwrap();
                assert_eq!((other.guard(), other.ru()), (Some(*guard), Some(ru)));
            }
            let whole = ru == RuSize::whole(mode.width());
            assert_eq!(unit.kbps() == mode.kbps(), whole, "{unit}");
            assert_eq!(unit.bandwidth_hz() < mode.bandwidth_hz(), !whole, "{unit}");
        }
    }
    assert_eq!(seen.len(), RU_BLOCKS * BLOCK);
    assert_eq!(Mode::all().filter(|mode| mode.ru().is_some()).count(), seen.len());
    assert_eq!(Mode::OFDM[0].in_ru(RuSize::Tones26), None);
    let guard = GuardInterval::Ns800;
    let mode = Mode::mcs(Format::He, 7, 1, Width::Mhz20, guard).unwrap();
    let name = mode.in_ru(RuSize::Tones52).unwrap().to_string();
    assert_eq!(name, "17.6 Mb/s (HE MCS 7, 1 stream, 52-tone RU of 20 MHz)");
}

/// LDPC changes the code and the index, nothing else.
#[test]
fn codes_of_ht_and_vht() {
    let mut seen = std::collections::BTreeSet::new();
    let first = OLD + CODED_BLOCKS * BLOCK;
    for mode in Mode::all().filter(|mode| mode.is_mcs() && mode.index() < first) {
        let ldpc = mode.with_coding(Coding::Ldpc).unwrap();
        let parts = |m: Mode| (m.format(), m.mcs_index(), m.streams(), m.width(), m.guard());
        assert_eq!((parts(ldpc), ldpc.kbps()), (parts(mode), mode.kbps()));
        assert_eq!((mode.coding(), ldpc.coding()), (Some(Coding::Bcc), Some(Coding::Ldpc)));
        assert_eq!(ldpc.with_coding(Coding::Bcc), Some(mode));
        assert_eq!(ldpc.with_guard(GuardInterval::Ns800).unwrap().coding(), ldpc.coding());
        assert!(seen.insert(ldpc.index()) && ldpc.index() >= LDPC);
    }
    assert_eq!(Mode::all().filter(|mode| mode.index() >= LDPC).count(), seen.len());
    assert_eq!(Mode::OFDM[7].coding(), None);
}

/// Rates of resource units, against ns-3.37. ns-3 does not round the bits of a symbol down.
#[test]
fn rates_of_resource_units() {
    let mut compared = 0;
    for row in include_str!("../../../tests/data/ns3-ru.csv").lines() {
        let Some(numbers) = row.strip_prefix("rate,") else { continue };
        let numbers: Vec<u64> = numbers.split(',').map(|n| n.parse().unwrap()).collect();
        let [tones, mcs, streams, guard, theirs] = numbers[..] else { panic!("{row}") };
        let ru = RuSize::ALL.into_iter().find(|r| u64::from(r.tones()) == tones).unwrap();
        let guards = Format::He.generation().guards;
        let guard = *guards.iter().find(|g| u64::from(g.ns()) == guard).unwrap();
        let [mcs, streams] = [mcs, streams].map(|n| u8::try_from(n).unwrap());
        let whole = Mode::mcs(Format::He, mcs, streams, Width::Mhz160, guard).unwrap();
        let ours = whole.in_ru(ru).unwrap();
        // One bit of a symbol, and rounding to kb/s.
        let below = theirs as f64 - 1e3 * f64::from(ours.kbps());
        let most = 1e9 / ours.symbol_ns() as f64 + 1e3;
        assert!((-1.0..most).contains(&below), "{row}: {ours}");
        compared += 1;
    }
    assert_eq!(compared, 7 * 6 * 2 * 3);
    let published = |mcs, ru, guard| {
        let mode = Mode::mcs(Format::He, mcs, 1, Width::Mhz20, guard).unwrap();
        (mode.in_ru(ru).unwrap().kbps() + 50) / 100
    };
    let [short, long] = [GuardInterval::Ns800, GuardInterval::Ns3200];
    // Published in tenths of Mb/s.
    assert_eq!(published(0, RuSize::Tones26, short), 9);
    assert_eq!(published(11, RuSize::Tones26, short), 147);
    assert_eq!(published(11, RuSize::Tones52, short), 294);
    assert_eq!(published(11, RuSize::Tones106, short), 625);
    assert_eq!(published(11, RuSize::Tones106, long), 531);
}
