//! The time that a frame takes, from what its radio header says.

use airtcp_wire::radio::{Phy, Radio};

/// The time that a frame takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::struct_field_names, reason = "names end in their unit")]
pub(super) struct Airtime {
    /// Preamble and header of the physical layer, in ns.
    pub(super) preamble_ns: u64,
    /// The frame itself, in ns.
    pub(super) body_ns: u64,
    /// The longest extension behind it, in ns: that of 802.11ax (27.3.13).
    pub(super) extension_ns: u64,
}

impl Airtime {
    /// The whole frame, in ns.
    pub(super) const fn all_ns(self) -> u64 {
        self.preamble_ns + self.body_ns
    }
}

/// Training symbols of so many spatial streams (19.3.9.4.6, 21.3.8.3.5).
const fn trainings(streams: u8) -> u64 {
    match streams {
        0 | 1 => 1,
        2 => 2,
        3 | 4 => 4,
        5 | 6 => 6,
        _ => 8,
    }
}

/// Length of the preamble in ns: of the mixed format of 802.11n (19.3.7), and of 802.11ac (21.3.4) and
/// 802.11ax for one user (27.3.4).
fn preamble_ns(radio: &Radio, rate: u64) -> u64 {
    const HT_VHT_TRAINING_NS: u64 = 4_000;
    /// Two times 3.2 µs with a guard interval of 0.8 µs.
    const HE_TRAINING_NS: u64 = 7_200;
    let more = trainings(radio.streams) - 1;
    match radio.phy {
        Phy::Dsss if radio.short_preamble && rate > 1_000_000 => 96_000,
        Phy::Dsss => 192_000,
        Phy::Unknown | Phy::Ofdm => 20_000,
        Phy::Ht => 36_000 + more * HT_VHT_TRAINING_NS,
        Phy::Vht => 40_000 + more * HT_VHT_TRAINING_NS,
        Phy::He => {
            let training_ns = match radio.training_ns {
                0 => HE_TRAINING_NS,
                ns => u64::from(ns),
            };
            36_000 + (more + 1) * training_ns
        }
    }
}

/// The time that a frame of so many bytes takes; `None` without a rate.
pub(super) fn airtime(radio: &Radio, bytes: usize) -> Option<Airtime> {
    const LONGEST_EXTENSION_NS: u64 = 16_000;
    let rate = radio.rate_bps.filter(|rate| *rate > 0)?;
    let bits = 8 * bytes as u64;
    let symbol_ns = match radio.phy {
        Phy::Ofdm => 4_000,
        // The symbols of an A-MPDU are not those of one of its frames.
        Phy::Ht | Phy::Vht | Phy::He if radio.ampdu.is_none() => u64::from(radio.symbol_ns),
        _ => 0,
    };
    let body_ns = if symbol_ns > 0 {
        // 16 bits of service and 6 of tail (17.3.2.4).
        let per_symbol = (u128::from(rate) * u128::from(symbol_ns) / 1_000_000_000).max(1);
        u128::from(bits + 22).div_ceil(per_symbol) * u128::from(symbol_ns)
    } else {
        u128::from(bits) * 1_000_000_000 / u128::from(rate)
    };
    Some(Airtime {
        preamble_ns: preamble_ns(radio, rate),
        body_ns: body_ns.try_into().unwrap_or(u64::MAX / 4),
        extension_ns: if radio.phy == Phy::He { LONGEST_EXTENSION_NS } else { 0 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use airtcp_wire::rate::he;

    /// By hand: 802.11ax-2021 clause 27.3.4, 802.11-2020 clauses 19.3 and 21.3.
    #[test]
    fn preambles_and_symbols() {
        let radio = |phy, rate, symbol_ns, streams, training_ns| Radio {
            phy,
            rate_bps: Some(rate),
            symbol_ns,
            streams,
            training_ns,
            ..Radio::default()
        };
        // HE MCS 3 in 20 MHz: 468 bits in 13.6 µs; 882 bytes take 16 symbols.
        let he = radio(Phy::He, he(3, 1, 234, 0).unwrap(), 13_600, 1, 7_200);
        let found = airtime(&he, 882).unwrap();
        assert_eq!((found.preamble_ns, found.body_ns), (43_200, 217_600));
        // Four streams with long training symbols: 36 + 4 times 16 µs.
        let he = radio(Phy::He, 100_000_000, 16_000, 4, 16_000);
        assert_eq!(airtime(&he, 100).unwrap().preamble_ns, 100_000);
        // HT of two streams, 130 Mbit/s: 520 bits a symbol, 1500 bytes take 24 symbols.
        let ht = radio(Phy::Ht, 130_000_000, 4_000, 2, 0);
        let found = airtime(&ht, 1500).unwrap();
        assert_eq!((found.preamble_ns, found.body_ns), (40_000, 96_000));
        assert_eq!(airtime(&radio(Phy::Vht, 1, 0, 3, 0), 0).unwrap().preamble_ns, 52_000);
    }

    #[test]
    fn airtime_of_frames() {
        let mut radio = Radio::default();
        assert_eq!(airtime(&radio, 14), None);
        radio.set_legacy_rate(48);
        // An ACK at 24 Mbit/s takes 28 µs, a frame of 1536 bytes at 54 Mbit/s takes 248 µs.
        assert_eq!(airtime(&radio, 14).unwrap().all_ns(), 28_000);
        radio.set_legacy_rate(108);
        assert_eq!(airtime(&radio, 1536).unwrap().all_ns(), 248_000);
        // An ACK at 1 Mbit/s: 192 µs and 112 µs.
        radio.set_legacy_rate(2);
        assert_eq!(airtime(&radio, 14).unwrap().all_ns(), 304_000);
    }
}
