//! Data rates from modulation and coding indices.

/// Coded bits per subcarrier and stream, times 12, by index: BPSK 1/2 to 1024-QAM 5/6.
const BITS_12: [u64; 12] = [6, 12, 18, 24, 36, 48, 54, 60, 72, 80, 90, 100];

/// The rate of `subcarriers` data subcarriers in bit/s, with a symbol of so many tenths of a µs.
fn rate(index: u8, streams: u8, subcarriers: u64, symbol_tenths: u64) -> Option<u64> {
    let bits = BITS_12.get(usize::from(index))?;
    let per_symbol_12 = subcarriers * bits * u64::from(streams);
    Some(per_symbol_12 * 10_000_000 / (12 * symbol_tenths))
}

/// Rate of 802.11n (19.3.5): `index` is the MCS, streams included.
pub fn ht(index: u8, forty_mhz: bool, short_guard: bool) -> Option<u64> {
    let symbol = if short_guard { 36 } else { 40 };
    match index {
        0..=31 => rate(index % 8, index / 8 + 1, if forty_mhz { 108 } else { 52 }, symbol),
        // One stream that is sent on both halves of a channel of 40 MHz.
        32 => Some(24 * 10_000_000 / symbol),
        // Streams with unequal modulation, which hardly any device has.
        _ => None,
    }
}

/// Rate of 802.11ac (21.3.7). `width` is the channel's width in MHz.
pub fn vht(index: u8, streams: u8, width: u16, short_guard: bool) -> Option<u64> {
    let subcarriers = match width {
        20 => 52,
        40 => 108,
        80 => 234,
        160 => 468,
        _ => return None,
    };
    rate(index, streams, subcarriers, if short_guard { 36 } else { 40 })
}

/// Rate of 802.11ax (27.3.7) on so many data subcarriers. `guard` is the guard interval as radiotap
/// numbers it: 0.8, 1.6 or 3.2 µs.
pub fn he(index: u8, streams: u8, subcarriers: u64, guard: u16) -> Option<u64> {
    let symbol = match guard {
        0 => 136,
        1 => 144,
        2 => 160,
        _ => return None,
    };
    rate(index, streams, subcarriers, symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_the_standard() {
        // IEEE 802.11-2020 clauses 19.5 and 21.5, 802.11ax-2021 clause 27.5.
        assert_eq!(ht(7, false, false), Some(65_000_000));
        assert_eq!(ht(15, true, true), Some(300_000_000));
        assert_eq!(ht(32, true, false), Some(6_000_000));
        assert_eq!(ht(33, false, false), None);
        assert_eq!(vht(9, 1, 80, true), Some(433_333_333));
        assert_eq!(vht(9, 2, 160, false), Some(1_560_000_000));
        assert_eq!(vht(0, 1, 7, false), None);
        assert_eq!(he(11, 1, 234, 0), Some(143_382_352));
        assert_eq!(he(0, 1, 24, 2), Some(750_000));
        assert_eq!(he(12, 1, 234, 0), None);
    }
}
