//! Numbers of the modes that follow from the descriptions.

use super::description::Channels;
use crate::phy::{Band, Mode, Standard, Timing, TimingConfig};

/// A standard with schemes has channels in each of its bands, and no others.
#[test]
fn standards_have_the_bands_of_their_generation() {
    for standard in Standard::ALL.iter().filter(|standard| standard.has_mcs()) {
        let of = |channels: &Channels| {
            assert!(channels.widths.contains(&channels.usual) && !channels.groups.is_empty());
            channels.band
        };
        let bands: Vec<Band> = standard.format().generation().bands.iter().map(of).collect();
        assert_eq!(bands, standard.bands());
    }
}

/// Every number of every mode, as one: a new generation appends to it, and changes none of these modes.
#[test]
fn modes_keep_their_numbers() {
    let timing = Timing::new(Standard::Ax, &TimingConfig::default()).unwrap();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |number: u64| {
        for byte in number.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    };
    for mode in Mode::all() {
        add(mode.index() as u64);
        add(mode.kbps().into());
        add(mode.bits_per_symbol());
        add(mode.symbol_ns());
        add(mode.encoders());
        add(mode.data_subcarriers().into());
        add(timing.preamble(mode).0);
        add(timing.plcp_bits(mode));
        add(timing.rx_start_delay(mode).0);
        add(timing.frame(mode, 14).0);
        add(timing.frame(mode, 1_536).0);
    }
    assert_eq!((Mode::all().count(), hash), (4_632, 5_311_229_014_508_162_620));
}
