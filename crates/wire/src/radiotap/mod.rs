//! Radiotap headers (radiotap.org): a chain of words says which fields follow, in which namespace.

use crate::bytes::{byte, le16, le32, le64};
use crate::radio::{Ampdu, Phy, Place, Radio};
use crate::rate;

/// Alignment and length of the fields of the radiotap namespace, by their bits.
const FIELDS: [(usize, usize); 28] = [
    (8, 8),  // TSFT
    (1, 1),  // flags
    (1, 1),  // rate
    (2, 4),  // channel
    (2, 2),  // FHSS
    (1, 1),  // signal in dBm
    (1, 1),  // noise in dBm
    (2, 2),  // lock quality
    (2, 2),  // attenuation
    (2, 2),  // attenuation in dB
    (1, 1),  // power in dBm
    (1, 1),  // antenna
    (1, 1),  // signal in dB
    (1, 1),  // noise in dB
    (2, 2),  // flags of reception
    (2, 2),  // flags of transmission
    (1, 1),  // RTS retries
    (1, 1),  // data retries
    (4, 8),  // extended channel
    (1, 3),  // MCS
    (4, 8),  // A-MPDU status
    (2, 12), // VHT
    (8, 12), // timestamp
    (2, 12), // HE
    (2, 12), // HE multi-user
    (2, 6),  // HE other user
    (1, 1),  // PSDU without length
    (2, 4),  // L-SIG
];
/// Bits that every presence word has.
const RADIOTAP_NAMESPACE: u32 = 29;
const VENDOR_NAMESPACE: u32 = 30;
const ANOTHER_WORD: u32 = 31;
/// Most presence words of a header that is believed.
const MAX_WORDS: usize = 64;

/// A field of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field<'a> {
    /// A field of the radiotap namespace, by its bit.
    Radiotap(usize, &'a [u8]),
    /// All fields of a vendor: its identifier with the number of the namespace.
    Vendor([u8; 4], &'a [u8]),
}

/// Walks the fields of a header until the end or the first field of unknown length. False if the header
/// is malformed; the fields before the malformed place have been visited.
fn walk<'a>(header: &'a [u8], mut visit: impl FnMut(Field<'a>)) -> bool {
    let mut words = 0;
    loop {
        let Some(word) = le32(header, 4 + 4 * words) else { return false };
        words += 1;
        if word >> ANOTHER_WORD & 1 == 0 {
            break;
        }
        if words == MAX_WORDS {
            return false;
        }
    }
    let mut at = 4 + 4 * words;
    let mut in_vendor = false;
    for number in 0..words {
        let Some(word) = le32(header, 4 + 4 * number) else { return false };
        let present = |bit: u32| word >> bit & 1 == 1;
        // The data of a vendor's fields lie together behind the header of its namespace.
        if !in_vendor {
            let base = (0..RADIOTAP_NAMESPACE).filter(|bit| present(*bit));
            for bit in base {
                let bit = bit as usize;
                // Without its length, nothing behind an unknown field can be found.
                let Some((align, length)) = FIELDS.get(bit).copied() else { return true };
                at = at.next_multiple_of(align);
                let Some(data) = header.get(at..at + length) else { return false };
                visit(Field::Radiotap(bit, data));
                at += length;
            }
        }
        if present(RADIOTAP_NAMESPACE) {
            in_vendor = false;
        }
        if present(VENDOR_NAMESPACE) {
            in_vendor = true;
            at = at.next_multiple_of(2);
            let Some(length) = le16(header, at + 4).map(usize::from) else { return false };
            let Some(data) = header.get(at + 6..at + 6 + length) else { return false };
            let id = [header[at], header[at + 1], header[at + 2], header[at + 3]];
            visit(Field::Vendor(id, data));
            at += 6 + length;
        }
    }
    true
}

/// The header of a packet and its length, or `None` if it is malformed from the beginning. A header
/// whose fields are malformed later on keeps those before.
pub fn read(data: &[u8]) -> Option<(Radio, usize)> {
    let length = usize::from(le16(data, 2)?);
    if byte(data, 0)? != 0 || length < 8 {
        return None;
    }
    let header = data.get(..length)?;
    let mut radio = Radio::default();
    // The first value of a repeated field is that of all antennas together.
    let mut seen = 0u32;
    walk(header, |field| match field {
        Field::Radiotap(bit, value) if seen >> bit & 1 == 0 => {
            seen |= 1 << bit;
            take(&mut radio, bit, value);
        }
        _ => {}
    });
    Some((radio, length))
}

/// Takes the value of a field. The slice has the field's length.
fn take(radio: &mut Radio, bit: usize, value: &[u8]) -> Option<()> {
    match bit {
        0 => {
            radio.tsft_us = le64(value, 0);
            radio.place = Place::Mpdu;
            radio.counts_ms = false;
        }
        1 => {
            let flags = byte(value, 0)?;
            radio.short_preamble = flags & 0x02 != 0;
            radio.has_fcs = flags & 0x10 != 0;
            radio.padded = flags & 0x20 != 0;
            radio.bad_fcs = flags & 0x40 != 0;
        }
        2 => radio.set_legacy_rate(u32::from(byte(value, 0)?)),
        3 => radio.frequency_mhz = le16(value, 0).filter(|mhz| *mhz > 0),
        5 => radio.signal_dbm = dbm(value),
        6 => radio.noise_dbm = dbm(value),
        11 => radio.antenna = byte(value, 0),
        19 => mcs(radio, value)?,
        20 => radio.ampdu = Some(Ampdu { reference: le32(value, 0)? }),
        21 => vht(radio, value)?,
        22 if radio.tsft_us.is_none() => timestamp(radio, value)?,
        23 => he(radio, value)?,
        _ => {}
    }
    Some(())
}

fn dbm(value: &[u8]) -> Option<i8> {
    byte(value, 0).map(|b| i8::from_ne_bytes([b]))
}

/// The timestamp field, for radios without TSFT: unit and place are in its eleventh byte.
fn timestamp(radio: &mut Radio, value: &[u8]) -> Option<()> {
    let (stamp, what) = (le64(value, 0)?, byte(value, 10)?);
    match what & 0x0f {
        0 => radio.counts_ms = true,
        1 => radio.tsft_us = Some(stamp),
        3 => radio.tsft_us = Some(stamp / 1000),
        _ => {}
    }
    radio.place = match what >> 4 {
        1 => Place::Start,
        2 | 3 => Place::End,
        _ => Place::Mpdu,
    };
    Some(())
}

fn mcs(radio: &mut Radio, value: &[u8]) -> Option<()> {
    let (known, flags, index) = (byte(value, 0)?, byte(value, 1)?, byte(value, 2)?);
    if known & 0x02 != 0 {
        let forty_mhz = known & 0x01 != 0 && flags & 0x03 == 1;
        let short_guard = known & 0x04 != 0 && flags & 0x04 != 0;
        radio.phy = Phy::Ht;
        radio.rate_bps = rate::ht(index, forty_mhz, short_guard);
        radio.symbol_ns = if short_guard { 3_600 } else { 4_000 };
        radio.streams = if index < 32 { index / 8 + 1 } else { 1 };
    }
    Some(())
}

fn vht(radio: &mut Radio, value: &[u8]) -> Option<()> {
    let (flags, bandwidth, first) = (byte(value, 2)?, byte(value, 3)?, byte(value, 4)?);
    let width = match bandwidth {
        1 | 5 | 6 | 14..=17 => 40,
        4 | 12 | 13 => 80,
        11 => 160,
        _ => 20,
    };
    radio.phy = Phy::Vht;
    radio.symbol_ns = if flags & 0x04 != 0 { 3_600 } else { 4_000 };
    radio.streams = first & 0x0f;
    radio.rate_bps = match first & 0x0f {
        0 => None,
        streams => rate::vht(first >> 4, streams, width, flags & 0x04 != 0),
    };
    Some(())
}

/// Data subcarriers of 802.11ax: of channels of 20 to 160 MHz, then of resource units of 26 to 1992
/// tones.
const SUBCARRIERS: [u64; 11] = [234, 468, 980, 1960, 24, 48, 102, 234, 468, 980, 1960];

fn he(radio: &mut Radio, value: &[u8]) -> Option<()> {
    let known = le16(value, 0)?;
    let (data3, data5, data6) = (le16(value, 4)?, le16(value, 8)?, le16(value, 10)?);
    radio.phy = Phy::He;
    let index = u8::try_from(data3 >> 8 & 0x0f).ok()?;
    let streams = u8::try_from(data6 & 0x0f).ok()?.max(1);
    let subcarriers = SUBCARRIERS.get(usize::from(data5 & 0x0f));
    // Guard intervals of 0.8, 1.6 and 3.2 µs, behind symbols of 12.8 µs and training symbols of 3.2, 6.4
    // and 12.8 µs.
    let guard_ns = [800, 1_600, 3_200].get(usize::from(data5 >> 4 & 0x03)).copied();
    let training_ns = [0, 3_200, 6_400, 12_800][usize::from(data5 >> 6 & 0x03)];
    radio.streams = streams;
    if let Some(guard_ns) = guard_ns {
        radio.symbol_ns = 12_800 + guard_ns;
        radio.training_ns = if training_ns > 0 { training_ns + guard_ns } else { 0 };
    }
    // The bits that say that the index, and the bandwidth, are known.
    radio.rate_bps = match (known & 0x0020 != 0 && known & 0x4000 != 0, subcarriers) {
        (true, Some(n)) => rate::he(index, streams, *n, data5 >> 4 & 0x03)
            // Dual carrier modulation halves the rate.
            .map(|rate| if data3 & 0x1000 != 0 { rate / 2 } else { rate }),
        _ => None,
    };
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Header with these presence words and data.
    fn header(words: &[u32], data: &[u8]) -> Vec<u8> {
        let length = u16::try_from(4 + 4 * words.len() + data.len()).unwrap();
        let mut bytes = vec![0, 0];
        bytes.extend(length.to_le_bytes());
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        bytes.extend(data);
        bytes
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
            let length = usize::from(le16(&data, 2).unwrap());
            let mut found = Vec::new();
            let whole = walk(&data[..length], |field| {
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
}
