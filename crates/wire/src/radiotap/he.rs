//! The HE field, of 802.11ax (radiotap.org/fields/HE): six words, data 1 to 6.

use super::modulation::{Format, Modulation};
use crate::bytes::le16;
use crate::radio::{Phy, Radio};
use crate::rate;

/// Bits of data 1: what is known. Data MCS, dual carrier modulation, coding, STBC, bandwidth or resource unit.
const MCS: u16 = 0x0020;
const DUAL_CARRIER: u16 = 0x0040;
const CODING: u16 = 0x0080;
const STBC: u16 = 0x0200;
const BANDWIDTH: u16 = 0x4000;
/// Format, in the lowest two bits of data 1.
const MULTI_USER: u16 = 2;
const TRIGGER_BASED: u16 = 3;
/// Bit of data 2: the guard interval is known.
const GUARD: u16 = 0x0002;
/// Bits of data 3.
const IS_DUAL_CARRIER: u16 = 0x1000;
const LDPC: u16 = 0x2000;
/// Data subcarriers of 802.11ax: of channels of 20 to 160 MHz, then of resource units of 26 to 1992
/// tones.
const SUBCARRIERS: [u64; 11] = [234, 468, 980, 1960, 24, 48, 102, 234, 468, 980, 1960];

/// Modulation and coding of a frame of 802.11ax: the six words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct He(pub [u16; 6]);

impl He {
    /// The field for a modulation.
    pub(super) fn of(modulation: &Modulation) -> Self {
        let format = match modulation.format {
            Format::HeMu => MULTI_USER,
            Format::HeTrigger => TRIGGER_BASED,
            _ => 0,
        };
        let coding = if modulation.ldpc { LDPC } else { 0 };
        let width = match (modulation.ru_tones, modulation.width_mhz) {
            (None, 20) => 0,
            (None, 40) => 1,
            (None, 80) => 2,
            (None, _) => 3,
            (Some(26), _) => 4,
            (Some(52), _) => 5,
            (Some(106), _) => 6,
            (Some(242), _) => 7,
            (Some(484), _) => 8,
            (Some(996), _) => 9,
            (Some(_), _) => 10,
        };
        let guard = match modulation.guard_ns {
            800 => 0,
            1600 => 1,
            _ => 2,
        };
        Self([
            MCS | DUAL_CARRIER | CODING | STBC | BANDWIDTH | format,
            GUARD,
            u16::from(modulation.index & 0x0f) << 8 | coding,
            0,
            width | guard << 4,
            u16::from(modulation.streams),
        ])
    }

    pub(super) fn parse(value: &[u8]) -> Option<Self> {
        let mut words = [0; 6];
        for (place, word) in words.iter_mut().enumerate() {
            *word = le16(value, 2 * place)?;
        }
        Some(Self(words))
    }

    pub(super) fn bytes(self) -> [u8; 12] {
        let mut bytes = [0; 12];
        for (to, word) in bytes.chunks_exact_mut(2).zip(self.0) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// Sets what it says of a frame.
    pub(super) fn describe(self, radio: &mut Radio) {
        let [known, _, data3, _, data5, data6] = self.0;
        radio.phy = Phy::He;
        let index = (data3 >> 8 & 0x0f) as u8;
        let streams = ((data6 & 0x0f) as u8).max(1);
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
        radio.rate_bps = match (known & MCS != 0 && known & BANDWIDTH != 0, subcarriers) {
            (true, Some(n)) => rate::he(index, streams, *n, data5 >> 4 & 0x03)
                // Dual carrier modulation halves the rate.
                .map(|rate| if data3 & IS_DUAL_CARRIER != 0 { rate / 2 } else { rate }),
            _ => None,
        };
    }
}
