//! Radio headers by link type: radiotap, PPI, Prism, AVS, or none.

use crate::bytes::{be32, be64, byte, le16, le32, le64};
use crate::radio::{Ampdu, Phy, Radio};
use crate::{link_type, radiotap, rate};

/// First word of an AVS header, without its version.
const AVS_MAGIC: u32 = 0x8021_1000;

/// The radio header of a packet, and the 802.11 frame behind it. `None` if the header is malformed or
/// cut off, or if a header for any radio precedes another link than 802.11.
pub fn read(link: u16, data: &[u8]) -> Option<(Radio, &[u8])> {
    let (radio, length) = match link {
        link_type::IEEE802_11 => (Radio::default(), 0),
        link_type::RADIOTAP => {
            let packet = radiotap::Packet::new_checked(data)?;
            (radiotap::Repr::parse(&packet).radio(), packet.header_len())
        }
        link_type::PPI => ppi(data)?,
        link_type::AVS => avs(data)?,
        // Drivers that write AVS headers announce them as Prism headers.
        link_type::PRISM => avs(data).or_else(|| prism(data))?,
        _ => return None,
    };
    Some((radio, data.get(length..)?))
}

/// Per-packet information (CACE Technologies, PPI header format 1.0.10).
fn ppi(data: &[u8]) -> Option<(Radio, usize)> {
    const COMMON: u16 = 2;
    const MAC_EXTENSION: u16 = 3;
    const MAC_PHY_EXTENSION: u16 = 4;
    let length = usize::from(le16(data, 2)?);
    let link = le32(data, 4)?;
    if byte(data, 0)? != 0 || length < 8 || link != u32::from(link_type::IEEE802_11) {
        return None;
    }
    let header = data.get(..length)?;
    let aligned = byte(data, 1)? & 1 != 0;
    let mut radio = Radio::default();
    let mut at = 8;
    while let (Some(kind), Some(size)) = (le16(header, at), le16(header, at + 2)) {
        let size = usize::from(size);
        let Some(value) = header.get(at + 4..at + 4 + size) else { break };
        // A field that is shorter than its kind keeps what it holds.
        let _ = match kind {
            COMMON => ppi_common(&mut radio, value),
            MAC_EXTENSION => ppi_aggregate(&mut radio, value),
            MAC_PHY_EXTENSION => ppi_phy(&mut radio, value),
            _ => None,
        };
        at += 4 + if aligned { size.next_multiple_of(4) } else { size };
    }
    Some((radio, length))
}

fn ppi_common(radio: &mut Radio, value: &[u8]) -> Option<()> {
    let flags = le16(value, 8)?;
    let tsft = le64(value, 0)?;
    // The timer counts milliseconds if the flag says so.
    radio.counts_ms = flags & 0x02 != 0;
    radio.tsft_us = Some(tsft).filter(|us| *us != 0 && !radio.counts_ms);
    radio.has_fcs = flags & 0x01 != 0;
    radio.bad_fcs = flags & 0x04 != 0;
    let rate = u32::from(le16(value, 10)?);
    if radio.rate_bps.is_none() {
        radio.set_legacy_rate(rate);
    }
    radio.frequency_mhz = le16(value, 12).filter(|mhz| *mhz > 0);
    let dbm = |at| byte(value, at).map(|b| i8::from_ne_bytes([b])).filter(|dbm| *dbm < 0);
    radio.signal_dbm = dbm(18);
    radio.noise_dbm = dbm(19).filter(|dbm| *dbm != i8::MIN);
    Some(())
}

/// The extension of 802.11n for the MAC.
fn ppi_aggregate(radio: &mut Radio, value: &[u8]) -> Option<()> {
    let (flags, reference) = (le32(value, 0)?, le32(value, 4)?);
    if flags & 0x10 != 0 {
        radio.ampdu = Some(Ampdu { reference });
    }
    Some(())
}

/// The extension of 802.11n for MAC and physical layer.
fn ppi_phy(radio: &mut Radio, value: &[u8]) -> Option<()> {
    ppi_aggregate(radio, value)?;
    let (flags, index) = (le32(value, 0)?, byte(value, 9)?);
    // 255 stands for a frame that was not sent with 802.11n.
    if let Some(rate) = rate::ht(index, flags & 0x02 != 0, flags & 0x04 != 0) {
        radio.phy = Phy::Ht;
        radio.rate_bps = Some(rate);
    }
    Some(())
}

/// The header of the linux-wlan-ng driver: items of 12 bytes behind message code, length and device.
fn prism(data: &[u8]) -> Option<(Radio, usize)> {
    // The writer's byte order is unknown: of both readings one is a plausible length.
    let (little, big) = (le32(data, 4)?, be32(data, 4)?);
    let is_little = little < big;
    let length = usize::try_from(little.min(big)).ok()?;
    if !(24..=512).contains(&length) || data.len() < length {
        return None;
    }
    let header = data.get(..length)?;
    let word = |at| if is_little { le32(header, at) } else { be32(header, at) };
    let half = |at: usize| word(at).map(|w| if is_little { w & 0xffff } else { w >> 16 });
    let mut radio = Radio::default();
    let mut at = 24;
    while let (Some(id), Some(status), Some(value)) = (word(at), half(at + 4), word(at + 8)) {
        at += 12;
        // A status other than zero stands for an item without value.
        if status != 0 {
            continue;
        }
        let number = if id & 0xffff == 0x0044 { id >> 16 } else { id >> 12 & 0x0f };
        let dbm = i8::try_from(i32::from_ne_bytes(value.to_ne_bytes())).ok().filter(|d| *d < 0);
        match number {
            2 => radio.tsft_us = Some(u64::from(value)).filter(|us| *us != 0),
            6 => radio.signal_dbm = dbm,
            7 => radio.noise_dbm = dbm,
            8 => radio.set_legacy_rate(value.min(1000)),
            _ => {}
        }
    }
    Some((radio, length))
}

/// The header of AbsoluteValue Systems, versions 1 and 2, in network byte order.
fn avs(data: &[u8]) -> Option<(Radio, usize)> {
    let magic = be32(data, 0)?;
    let length = usize::try_from(be32(data, 4)?).ok()?;
    if magic & 0xffff_f000 != AVS_MAGIC || !(64..=512).contains(&length) {
        return None;
    }
    let header = data.get(..length)?;
    let mut radio = Radio {
        tsft_us: be64(header, 8).filter(|us| *us != 0),
        antenna: be32(header, 36).and_then(|n| u8::try_from(n).ok()),
        short_preamble: be32(header, 56) == Some(1),
        ..Radio::default()
    };
    // The rate counts 100 kbit/s; older drivers count 500 kbit/s.
    let rate = be32(header, 32)?.min(1_000_000);
    radio.set_legacy_rate(if rate.is_multiple_of(5) { rate / 5 } else { rate });
    // Signal and noise are in dBm if the type of the indication is 2.
    if be32(header, 44) == Some(2) {
        let dbm = |at| {
            let value = be32(header, at)?;
            i8::try_from(i32::from_ne_bytes(value.to_ne_bytes())).ok()
        };
        radio.signal_dbm = dbm(48);
        radio.noise_dbm = dbm(52);
    }
    Some((radio, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_every_kind() {
        let mut ppi = vec![0, 0, 32, 0, 105, 0, 0, 0, 2, 0, 20, 0];
        ppi.extend(77u64.to_le_bytes());
        ppi.extend([5, 0, 108, 0, 0x6c, 9, 0, 0, 0, 0, 0xc4, 0xa1, 0xd4]);
        let (radio, frame) = read(link_type::PPI, &ppi).unwrap();
        assert_eq!(frame, [0xd4]);
        assert_eq!((radio.tsft_us, radio.rate_bps), (Some(77), Some(54_000_000)));
        assert_eq!((radio.has_fcs, radio.bad_fcs), (true, true));
        assert_eq!((radio.signal_dbm, radio.noise_dbm), (Some(-60), Some(-95)));

        let mut prism = vec![0x44, 0, 0, 0, 48, 0, 0, 0];
        prism.extend([0; 16]);
        prism.extend([0x44, 0, 6, 0, 0, 0, 4, 0, 0xc4, 0xff, 0xff, 0xff]);
        prism.extend([0x44, 0, 8, 0, 0, 0, 4, 0, 22, 0, 0, 0, 0x80]);
        let (radio, frame) = read(link_type::PRISM, &prism).unwrap();
        assert_eq!((radio.signal_dbm, radio.rate_bps), (Some(-60), Some(11_000_000)));
        assert_eq!(frame, [0x80]);

        let mut avs = vec![0x80, 0x21, 0x10, 0x01, 0, 0, 0, 64];
        avs.extend(5u64.to_be_bytes());
        avs.extend([0; 16]);
        for word in [110u32, 0, 0, 2] {
            avs.extend(word.to_be_bytes());
        }
        avs.extend((-60i32).to_be_bytes());
        avs.extend((-95i32).to_be_bytes());
        avs.extend([0; 8]);
        for link in [link_type::AVS, link_type::PRISM] {
            let (radio, frame) = read(link, &avs).unwrap();
            assert!(frame.is_empty());
            assert_eq!((radio.tsft_us, radio.rate_bps), (Some(5), Some(11_000_000)));
            assert_eq!((radio.signal_dbm, radio.noise_dbm), (Some(-60), Some(-95)));
        }
        assert_eq!(read(link_type::IEEE802_11, &[1, 2]), Some((Radio::default(), &[1u8, 2][..])));
        assert_eq!(read(link_type::ETHERNET, &[1, 2]), None);
    }

    #[test]
    fn headers_that_are_cut_off() {
        for link in [link_type::PPI, link_type::PRISM, link_type::AVS, link_type::RADIOTAP] {
            for length in 0..24 {
                assert_eq!(read(link, &vec![0; length]), None, "{link}, {length} bytes");
            }
        }
    }
}
