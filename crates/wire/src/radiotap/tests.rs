//! Headers worked out by hand, those of the reference parser, round trips and any bytes.

use proptest::prelude::*;

use super::*;
use crate::radio::{Ampdu, Phy};

/// Header with these presence words and data.
fn header(words: &[u32], data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(4 + 4 * words.len() + data.len()).unwrap();
    let mut bytes = vec![0, 0];
    bytes.extend(length.to_le_bytes());
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend(data);
    bytes
}

fn read(data: &[u8]) -> Option<(Radio, usize)> {
    let packet = Packet::new_checked(data)?;
    Some((Repr::parse(&packet).radio(), packet.header_len()))
}

#[test]
fn aligned_fields() {
    // Flags, rate, channel, signal, antenna, A-MPDU: the channel is aligned to 2, the A-MPDU to 4.
    let words = [1 << 1 | 1 << 2 | 1 << 3 | 1 << 5 | 1 << 11 | 1 << 20];
    let data = [0x50, 22, 0x6c, 9, 0xa0, 0, 0xc4, 1, 7, 0, 0, 0, 0, 0, 0, 0];
    let (radio, length) = read(&header(&words, &data)).unwrap();
    assert_eq!(length, 24);
    assert_eq!(radio.rate_bps, Some(11_000_000));
    assert_eq!((radio.has_fcs, radio.bad_fcs, radio.phy), (true, true, Phy::Dsss));
    assert_eq!((radio.frequency_mhz, radio.signal_dbm), (Some(2412), Some(-60)));
    assert_eq!((radio.antenna, radio.ampdu), (Some(1), Some(Ampdu { reference: 7 })));
}

#[test]
fn repeated_fields_keep_the_first_value() {
    let words = [1 << 5 | 1 << 29 | 1 << 31, 1 << 5 | 1 << 11];
    let (radio, _) = read(&header(&words, &[0xc4, 0xb0, 1])).unwrap();
    assert_eq!((radio.signal_dbm, radio.antenna), (Some(-60), Some(1)));
}

#[test]
fn damaged_headers() {
    let whole = header(&[1 << 0 | 1 << 5], &[0; 9]);
    for cut in 0..whole.len() {
        assert_eq!(read(&whole[..cut]), None, "{cut}");
    }
    // Presence words without an end.
    assert_eq!(read(&header(&[u32::MAX; 3], &[])).unwrap().0, Radio::default());
    // An unknown field ends the walk; what precedes it is kept.
    let (radio, _) = read(&header(&[1 << 5 | 1 << 28], &[0xc4])).unwrap();
    assert_eq!(radio.signal_dbm, Some(-60));
}

#[test]
fn indices_of_later_standards() {
    let (radio, _) = read(&header(&[1 << 19], &[0x07, 0x05, 15])).unwrap();
    assert_eq!(radio.rate_bps, Some(300_000_000));
    let vht = [0xff, 0x01, 0x04, 4, 0x91, 0, 0, 0, 0, 0, 0, 0];
    let (radio, _) = read(&header(&[1 << 21], &vht)).unwrap();
    assert_eq!(radio.rate_bps, Some(433_333_333));
    let he = [0x20, 0x40, 0, 0, 0, 0x0b, 0, 0, 0x02, 0, 0x02, 0];
    let (radio, _) = read(&header(&[1 << 23], &he)).unwrap();
    assert_eq!(radio.rate_bps, Some(1_200_980_392));
}

/// A modulation is read as the rate that the tables of the standard have for it (802.11-2020 clauses 19.5 and 21.5,
/// 802.11ax-2021 clause 27.5).
#[test]
fn modulations_have_the_rates_of_the_standard() {
    let modulation = |format, index, streams, width_mhz, guard_ns| Modulation {
        format,
        index,
        streams,
        width_mhz,
        guard_ns,
        ldpc: true,
        ru_tones: None,
    };
    let unit = |tones| Modulation {
        ru_tones: Some(tones),
        ..modulation(Format::HeTrigger, 11, 1, 80, 1600)
    };
    let cases = [
        (modulation(Format::Ht, 7, 1, 20, 800), 65_000_000),
        (modulation(Format::Ht, 7, 2, 40, 400), 300_000_000),
        (modulation(Format::Vht, 9, 2, 80, 400), 866_666_666),
        (modulation(Format::Vht, 8, 1, 20, 800), 78_000_000),
        (modulation(Format::Vht, 9, 2, 160, 800), 1_560_000_000),
        (modulation(Format::He, 11, 2, 80, 800), 1_200_980_392),
        (modulation(Format::HeMu, 0, 1, 20, 3200), 7_312_500),
        (unit(26), 13_888_888),
        (unit(996), 567_129_629),
    ];
    for (modulation, rate) in cases {
        let mut repr = Repr::default();
        repr.set_modulation(&modulation);
        let mut out = Vec::new();
        repr.emit(&mut out);
        let radio = read(&out).unwrap().0;
        assert_eq!(radio.rate_bps, Some(rate), "{modulation:?}");
        assert_eq!(radio.streams, modulation.streams);
        let symbol = match modulation.format {
            Format::Ht | Format::Vht => 3_200,
            _ => 12_800,
        };
        assert_eq!(radio.symbol_ns, symbol + u32::from(modulation.guard_ns));
    }
}

fn repr() -> impl Strategy<Value = Repr> {
    use prop::option::of;
    let channel = any::<[u16; 2]>().prop_map(|[mhz, flags]| Channel { frequency_mhz: mhz, flags });
    let plain = (of(any::<u64>()), of(any::<u8>()), of(any::<u8>()), of(channel));
    let dbm = || of(any::<i8>());
    let antenna = (dbm(), dbm(), dbm(), of(any::<u8>()));
    let ht = any::<[u8; 3]>().prop_map(|[known, flags, index]| Ht { known, flags, index });
    let ampdu =
        (any::<u32>(), any::<u16>(), any::<u8>()).prop_map(|(reference, flags, delimiter_crc)| {
            AmpduStatus { reference, flags, delimiter_crc }
        });
    let vht = (any::<[u16; 2]>(), any::<[u8; 4]>(), any::<[u8; 4]>()).prop_map(
        |([known, partial_aid], users, [flags, bandwidth, coding, group])| Vht {
            known,
            flags,
            bandwidth,
            users,
            coding,
            group,
            partial_aid,
        },
    );
    let timestamp = (any::<u64>(), any::<u16>(), any::<[u8; 2]>()).prop_map(
        |(stamp, accuracy, [unit_and_place, flags])| Timestamp {
            stamp,
            accuracy,
            unit_and_place,
            flags,
        },
    );
    let he = any::<[u16; 6]>().prop_map(He);
    let generations = (of(ht), of(ampdu), of(vht), of(timestamp), of(he));
    (plain, antenna, generations).prop_map(|(plain, antenna, generations)| Repr {
        tsft_us: plain.0,
        flags: plain.1,
        rate: plain.2,
        channel: plain.3,
        signal_dbm: antenna.0,
        noise_dbm: antenna.1,
        power_dbm: antenna.2,
        antenna: antenna.3,
        ht: generations.0,
        ampdu: generations.1,
        vht: generations.2,
        timestamp: generations.3,
        he: generations.4,
    })
}

proptest! {
    #[test]
    fn round_trip(repr in repr(), before in 0..5usize) {
        let mut out = vec![9; before];
        repr.emit(&mut out);
        prop_assert_eq!(out.len(), before + repr.buffer_len());
        out.extend([1, 2, 3]);
        let packet = Packet::new_checked(&out[before..]).unwrap();
        prop_assert_eq!(packet.frame(), &[1, 2, 3]);
        let whole = packet.fields(|_| {});
        prop_assert!(whole);
        prop_assert_eq!(Repr::parse(&packet), repr);
        let _ = repr.radio();
    }

    /// Any presence words and any data; the length is often right, so that the walk begins.
    #[test]
    fn any_bytes(
        words in prop::collection::vec(any::<u32>(), 0..6),
        data in prop::collection::vec(any::<u8>(), 0..90),
        length in prop::option::of(any::<u16>()),
    ) {
        let mut bytes = header(&words, &data);
        if let Some(length) = length {
            bytes[2..4].copy_from_slice(&length.to_le_bytes());
        }
        if let Some(packet) = Packet::new_checked(&bytes) {
            let _ = Repr::parse(&packet).radio();
        }
        let _ = Packet::new_checked(&data).map(|packet| Repr::parse(&packet).radio());
    }
}

/// The vectors of the reference parser, in `AIRTCP_DATA`.
#[test]
#[allow(clippy::print_stdout, reason = "a skipped test has to say so")]
fn vectors_of_the_reference_parser() {
    let Some(root) = std::env::var_os("AIRTCP_DATA") else {
        println!("skipped: AIRTCP_DATA is not set, the radiotap vectors are not read");
        return;
    };
    let root = std::path::Path::new(&root).join("radiotap-vectors");
    for name in ["0", "0fcs", "0v0", "0v0-2", "0v0-4", "1", "malformed-vendor"] {
        let data = std::fs::read(root.join(format!("{name}.bin"))).unwrap();
        let expected = std::fs::read_to_string(root.join(format!("{name}.out"))).unwrap();
        let mut found = Vec::new();
        let whole = Packet::new_checked(&data).unwrap().fields(|field| {
            found.extend(printed(field));
        });
        if !whole {
            found.push("malformed radiotap data".to_owned());
        }
        // The headers of old OpenBSD have the frame check sequence in place of these flags, which
        // the header cannot show and airtcp does not use.
        if name == "0fcs" {
            found.retain(|line| !line.starts_with("RX flags"));
        }
        // The reference parser prints a vendor's data only where it is told the field's length.
        let (vendor, expected): (Vec<String>, Vec<String>) = expected
            .lines()
            .map(|line| line.trim().to_owned())
            .filter(|line| !line.starts_with("FCS in header"))
            .partition(|line| line.contains('|'));
        let (found_vendor, found): (Vec<String>, Vec<String>) =
            found.into_iter().partition(|line| line.contains('|'));
        assert_eq!(found, expected, "{name}");
        assert!(found_vendor.len() >= vendor.len(), "{name}");
        for (found, expected) in found_vendor.iter().zip(&vendor) {
            let data = |line: &str| line.rsplit(": ").next().unwrap().to_owned();
            assert_eq!(data(found), data(expected), "{name}");
        }
    }
}

/// A field as the reference parser prints it.
fn printed(field: Field<'_>) -> Option<String> {
    Some(match field {
        Field::Radiotap(0, value) => format!("TSFT: {}", le64(value, 0)?),
        Field::Radiotap(1, value) => format!("flags: {:02x}", value[0]),
        Field::Radiotap(2, value) => format!("rate: {:.6}", f64::from(value[0]) / 2.0),
        Field::Radiotap(14, value) => format!("RX flags: {:04x}", le16(value, 0)?),
        Field::Radiotap(..) => return None,
        Field::Vendor(_, value) => {
            let bytes: Vec<String> = value.iter().map(|b| format!("{b:02x}")).collect();
            format!("vendor|: {}", bytes.join("/"))
        }
    })
}
