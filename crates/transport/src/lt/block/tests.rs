//! Worked examples of the arithmetic of blocks.

use super::*;
use crate::lt::config::Deviation;
use proptest::prelude::*;

const NOTHING: u64 = 1 << 40;

fn expecting(estimate: f64) -> Protection {
    Protection { estimate, variance: None, deviations: 1.0 }
}

fn config() -> LtConfig {
    LtConfig::default()
}

/// The rule by hand: multiples of 200 that leave ten segments, between 200 and 1460.
#[test]
fn segments_follow_the_window() {
    for (window, segment) in [
        (0, 200),
        (1_999, 200),
        (2_000, 200),
        (3_999, 200),
        (4_000, 400),
        (4_380, 400),
        (13_999, 1200),
        (14_000, 1400),
        (15_999, 1400),
        (16_000, 1460),
        (1 << 30, 1460),
    ] {
        assert_eq!(target_segment(window, 1460, &config()), segment, "{window}");
        assert!(window < 2_000 || window / u64::from(segment) >= 10, "{window}");
    }
    assert_eq!(target_segment(1 << 30, 536, &config()), 536, "the peer accepts less");
}

/// The columns of S2 Table I, which follow this rule: N = 20, and 10 to 50 % lost.
#[test]
fn parity_of_table_1_of_s2() {
    let of = |p| parity(20, &expecting(p), &config());
    assert_eq!([0.1, 0.2, 0.3, 0.4, 0.5].map(of), [3, 6, 8, 10, 12]);
    assert_eq!([0.0, 0.004, 1.0].map(of), [0, 0, 19], "none without losses, never all");
}

/// R = P + ceil(X / (1 - E - s)): with E = 0.5 and N = 100, s = 0.05.
#[test]
fn repairs_by_hand() {
    let half = expecting(0.5);
    assert_eq!(repairs(100, 55, 9, &half), 75, "55 + 9 / 0.45");
    assert_eq!(repairs(100, 0, 9, &half), 20);
    assert_eq!(repairs(100, 90, 9, &half), 100, "the window's size is the bound");
    assert_eq!(repairs(10, 0, 3, &expecting(0.0)), 3);
    assert_eq!(repairs(10, 0, 1, &expecting(0.99)), 10, "a share of 0.05 at least");
}

#[test]
fn blocks_of_a_window() {
    // 100 kB in segments of 1460 B: 68, without losses all data.
    let p = plan(100_000, 1460, NOTHING, &expecting(0.0), &config());
    assert_eq!((p.data, p.parity, p.symbol, p.padding), (68, 0, 1444, 0));
    assert_eq!(p.bytes, 68 * 1444);
    // 10 % of 68 and a deviation of 2.47 segments: 9.27.
    let p = plan(100_000, 1460, NOTHING, &expecting(0.1), &config());
    assert_eq!((p.data, p.parity), (59, 9));
    // More than 200: two equal blocks.
    let p = plan(292_000 + 1460, 1460, NOTHING, &expecting(0.0), &config());
    assert_eq!(p.data, 101, "201 in two blocks");
    // The segment shrinks by a step to make room for parity, and at least one parity segment is
    // sent: 0.01 and 0.031 of 10 is 0.41; with 11 of 1260 B 0.44.
    let p = plan(14_600, 1460, NOTHING, &expecting(0.01), &config());
    assert_eq!((p.segment, p.data, p.parity), (1260, 10, 1));
}

#[test]
fn less_data_than_a_window() {
    let p = plan(100_000, 1460, 1, &expecting(0.0), &config());
    assert_eq!((p.data, p.parity, p.symbol, p.padding, p.bytes), (1, 0, 2, 1, 1));
    // 5000 B in four segments of 1250 instead of three of 1444 and one of 668.
    let p = plan(100_000, 1460, 5000, &expecting(0.0), &config());
    assert_eq!((p.data, p.symbol, p.padding), (4, 1250, 0));
    let p = plan(100_000, 1460, 5001, &expecting(0.3), &config());
    assert_eq!((p.data, p.symbol, p.padding), (4, 1252, 7));
    // The smallest n with n - P(n) of at least 4: P(8) = 4.
    assert_eq!((parity(7, &expecting(0.3), &config()), p.parity), (3, 3));
}

/// 200 symbols of 1442 bytes and one byte more: symbols of 1444 would leave the last one 399 bytes
/// short, more than its header field can hold.
#[test]
fn the_rest_that_equal_symbols_cannot_hold_waits() {
    let few = LtConfig { block_limit: 200, ..config() };
    let p = plan(292_000, 1460, 288_401, &expecting(0.0), &few);
    assert_eq!((p.data, p.symbol, p.padding, p.bytes), (200, 1442, 0, 288_400));
    let p = plan(292_000, 1460, 288_401 + 144, &expecting(0.0), &few);
    assert_eq!((p.data, p.symbol, p.padding, p.bytes), (200, 1444, 255, 288_545));
}

#[test]
fn fixed_shares_do_not_adapt() {
    let fixed = LtConfig { proactive: Proactive::Fixed, fixed_share: 0.25, ..config() };
    for estimate in [0.0, 0.5] {
        let p = plan(100_000, 1000, NOTHING, &expecting(estimate), &fixed);
        assert_eq!((p.data, p.parity), (75, 25));
    }
    let none = LtConfig { fixed_share: 0.0, ..fixed };
    assert_eq!(plan(100_000, 1000, NOTHING, &expecting(0.5), &none).parity, 0);
}

proptest! {
    /// For any window, estimate and data, a block fits 255 symbols, holds the stated bytes, and no
    /// symbol is empty.
    #[test]
    fn blocks_are_sound(
        window in 0u64..1 << 32,
        available in 1u64..1 << 33,
        estimate in 0.0f64..=1.0,
        (least, more, step) in (18u16..1500, 0u16..3000, 1u16..500),
        (limit, granulation) in (2u16..255, 1u16..=255),
        share in 0.0f64..0.95,
        (fixed, ewma) in any::<(bool, bool)>(),
    ) {
        let config = LtConfig {
            mss_min: least,
            mss_max: least + more,
            mss_step: step,
            block_limit: limit,
            granulation,
            fixed_share: share,
            proactive: if fixed { Proactive::Fixed } else { Proactive::Adaptive },
            std: if ewma { Deviation::Ewma } else { Deviation::Binomial },
            ..LtConfig::default()
        };
        prop_assert!(config.validate().is_ok());
        let segment = target_segment(window, config.mss_max, &config);
        prop_assert!((config.mss_min..=config.mss_max).contains(&segment));
        let p = plan(window, segment, available, &expecting(estimate), &config);
        prop_assert!(p.data >= 1 && p.data + p.parity <= limit.max(2));
        prop_assert!(u64::from(p.bytes) <= available);
        prop_assert!(p.symbol + DATA_HEADER <= segment && p.symbol.is_multiple_of(2));
        prop_assert!(u16::from(p.padding) < p.symbol, "{p:?}");
        let held = u64::from(p.data) * u64::from(p.symbol) - u64::from(p.padding);
        prop_assert_eq!(held, u64::from(p.bytes));
        let missing = 1 + p.data / 3;
        let r = repairs(p.data + p.parity, p.parity, missing, &expecting(estimate));
        prop_assert!(r >= missing.min(p.data + p.parity) && r <= (p.data + p.parity).max(missing));
    }

    #[test]
    fn sets_count_and_find(indices in prop::collection::vec(0u8..255, 0..300)) {
        let set: Symbols = indices.iter().copied().collect();
        let known: std::collections::BTreeSet<u8> = indices.into_iter().collect();
        prop_assert_eq!(usize::from(set.len()), known.len());
        prop_assert_eq!(set.is_empty(), known.is_empty());
        let missing = (0..255u8).find(|i| !known.contains(i));
        prop_assert_eq!(set.first_missing(0, 255), missing);
        for k in [1, 10, 200] {
            prop_assert_eq!(recovers(k, &set), known.len() >= usize::from(k));
        }
    }
}
