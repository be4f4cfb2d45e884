//! Resource units (RUs) of 802.11ax: groups of adjacent subcarriers that multi-user PPDUs give to one user each.
//!
//! | RU, tones | N_SD | N_SD,short | in 20 MHz | 40 MHz | 80 MHz | 160 MHz |
//! |---|---|---|---|---|---|---|
//! | 26 | 24 | 6 | 9 | 18 | 37 | 74 |
//! | 52 | 48 | 12 | 4 | 8 | 16 | 32 |
//! | 106 | 102 | 24 | 2 | 4 | 8 | 16 |
//! | 242 | 234 | 60 | 1 | 2 | 4 | 8 |
//! | 484 | 468 | 120 | - | 1 | 2 | 4 |
//! | 996 | 980 | 240 | - | - | 1 | 2 |
//! | 2 x 996 | 1960 | 492 | - | - | - | 1 |
//!
//! The largest RU of a width has the subcarriers of a single-user frame. Bits per symbol and rates follow from N_SD
//! as in `mcs`.
//!
//! Source: 802.11ax-2021 clause 27.3.2 (numbers of RUs), tables 27-15 (N_SD) and 27-33 (N_SD,short). Leaves out RUs for
//! several users at once (MU-MIMO) and DCM.

use std::fmt;

use super::Width;

/// Size of a resource unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuSize {
    /// 26 tones.
    Tones26,
    /// 52 tones.
    Tones52,
    /// 106 tones.
    Tones106,
    /// 242 tones, the whole of 20 MHz.
    Tones242,
    /// 484 tones, the whole of 40 MHz.
    Tones484,
    /// 996 tones, the whole of 80 MHz.
    Tones996,
    /// Twice 996 tones, the whole of 160 MHz.
    Tones2x996,
}

impl RuSize {
    /// All sizes, the smallest first.
    pub const ALL: [Self; 7] = [
        Self::Tones26,
        Self::Tones52,
        Self::Tones106,
        Self::Tones242,
        Self::Tones484,
        Self::Tones996,
        Self::Tones2x996,
    ];

    /// Number of subcarriers, pilots included.
    pub const fn tones(self) -> u16 {
        match self {
            Self::Tones26 => 26,
            Self::Tones52 => 52,
            Self::Tones106 => 106,
            Self::Tones242 => 242,
            Self::Tones484 => 484,
            Self::Tones996 => 996,
            Self::Tones2x996 => 1_992,
        }
    }

    /// Data subcarriers, `N_SD`.
    pub const fn data_subcarriers(self) -> u32 {
        match self {
            Self::Tones26 => 24,
            Self::Tones52 => 48,
            Self::Tones106 => 102,
            Self::Tones242 => 234,
            Self::Tones484 => 468,
            Self::Tones996 => 980,
            Self::Tones2x996 => 1_960,
        }
    }

    /// Data subcarriers of a segment of the last symbol, `N_SD,short`.
    pub const fn segment(self) -> u32 {
        match self {
            Self::Tones26 => 6,
            Self::Tones52 => 12,
            Self::Tones106 => 24,
            Self::Tones242 => 60,
            Self::Tones484 => 120,
            Self::Tones996 => 240,
            Self::Tones2x996 => 492,
        }
    }

    /// The largest RU of a width.
    pub const fn whole(width: Width) -> Self {
        match width {
            Width::Mhz20 => Self::Tones242,
            Width::Mhz40 => Self::Tones484,
            Width::Mhz80 => Self::Tones996,
            Width::Mhz160 => Self::Tones2x996,
        }
    }

    /// Maximum number of RUs of this size in a width; 0 if the width has none.
    pub const fn count(self, width: Width) -> usize {
        let (in_20, in_40, in_80, in_160) = match self {
            Self::Tones26 => (9, 18, 37, 74),
            Self::Tones52 => (4, 8, 16, 32),
            Self::Tones106 => (2, 4, 8, 16),
            Self::Tones242 => (1, 2, 4, 8),
            Self::Tones484 => (0, 1, 2, 4),
            Self::Tones996 => (0, 0, 1, 2),
            Self::Tones2x996 => (0, 0, 0, 1),
        };
        match width {
            Width::Mhz20 => in_20,
            Width::Mhz40 => in_40,
            Width::Mhz80 => in_80,
            Width::Mhz160 => in_160,
        }
    }

    /// Part of the tones of a width that the RU has; 1 for the largest.
    pub fn share(self, width: Width) -> f64 {
        f64::from(self.tones()) / f64::from(Self::whole(width).tones())
    }
}

impl fmt::Display for RuSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tones2x996 => f.write_str("2x996-tone RU"),
            _ => write!(f, "{}-tone RU", self.tones()),
        }
    }
}

/// Equal RUs for as many of `stations` as possible: the size of the RUs, and their number, which is the number of
/// stations served.
///
/// The size is the smallest of which a width has at most `stations` RUs; all RUs of that size are used. The rule is
/// that of ns-3 (`HeRu::GetEqualSizedRusForStations`), without its additional RUs of 26 tones. Five stations in 40
/// MHz: four RUs of 106 tones. Without stations: the largest RU, and 0.
pub fn equal_rus(width: Width, stations: usize) -> (RuSize, usize) {
    let whole = RuSize::whole(width);
    let fits = |size: &RuSize| (1..=stations).contains(&size.count(width));
    let size = RuSize::ALL.into_iter().find(fits).unwrap_or(whole);
    (size, size.count(width).min(stations))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against ns-3.37 (`HeRu::GetNRus` and `HeRu::GetEqualSizedRusForStations`).
    #[test]
    fn numbers_of_ns3() {
        let mut compared = 0;
        for row in include_str!("../../tests/data/ns3-ru.csv").lines() {
            let Some((kind, numbers)) = row.split_once(',') else { continue };
            let Ok(numbers) = numbers.split(',').map(str::parse).collect::<Result<Vec<u64>, _>>()
            else {
                continue;
            };
            let width = |mhz: u64| Width::ALL.into_iter().find(|w| u64::from(w.mhz()) == mhz);
            let size = |tones: u64| {
                RuSize::ALL.into_iter().find(|s| u64::from(s.tones()) == tones).unwrap()
            };
            match (kind, numbers.as_slice()) {
                ("count", &[mhz, tones, count]) => {
                    let found = size(tones).count(width(mhz).unwrap());
                    assert_eq!(found as u64, count, "{row}");
                }
                ("equal", &[mhz, stations, tones, served]) => {
                    let stations = usize::try_from(stations).unwrap();
                    let (found, number) = equal_rus(width(mhz).unwrap(), stations);
                    assert_eq!((found, number as u64), (size(tones), served), "{row}");
                }
                _ => continue,
            }
            compared += 1;
        }
        assert_eq!(compared, 28 + 4 * 80);
    }

    /// RUs of one size fit into their width: their tones are no more than those of the largest RU, except for the
    /// 26-tone RUs, which also use the null tones in the middle of each 20 and 80 MHz.
    #[test]
    fn units_fit() {
        for width in Width::ALL {
            for size in RuSize::ALL.into_iter().filter(|s| s.count(width) > 0) {
                let tones = size.count(width) * usize::from(size.tones());
                let whole = usize::from(RuSize::whole(width).tones());
                assert!(tones <= whole, "{size} in {width}: {tones} of {whole}");
            }
            assert_eq!(RuSize::whole(width).count(width), 1);
            assert_eq!(equal_rus(width, 0), (RuSize::whole(width), 0));
        }
        assert_eq!(equal_rus(Width::Mhz40, 5), (RuSize::Tones106, 4));
    }
}
