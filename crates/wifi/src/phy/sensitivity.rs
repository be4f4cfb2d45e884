//! Minimum sensitivity of receivers, which the standard requires.
//!
//! ```text
//! sensitivity = table + 10 log10(width / 20 MHz)      3 dB for each doubling of the width; of resource units
//!                                                     their bandwidth
//! ```
//! The level at which one frame in ten is lost: of 1000 bytes in OFDM, of 4096 bytes in HT, VHT and HE. It
//! does not depend on the number of streams.
//!
//! Source: IEEE 802.11-2012 table 18-14 (OFDM); IEEE 802.11-2020 tables 19-23 (HT) and 21-25 (VHT);
//! 802.11ax-2021 table 27-51 (HE).

use airtcp_units::detmath;

use super::Mode;

/// Minimum sensitivity of the OFDM rates, in dBm.
const OFDM: [f64; 8] = [-82.0, -81.0, -79.0, -77.0, -74.0, -70.0, -66.0, -65.0];
/// Minimum sensitivity of the schemes of HT, VHT and HE over 20 MHz, in dBm.
const SCHEMES: [f64; 12] =
    [-82.0, -79.0, -77.0, -74.0, -70.0, -66.0, -65.0, -64.0, -59.0, -57.0, -54.0, -52.0];

impl Mode {
    /// The standard's minimum sensitivity in dBm; `None` for DSSS and CCK.
    pub fn sensitivity_dbm(self) -> Option<f64> {
        let wider = 10.0 * detmath::log10(self.bandwidth_hz() / 20e6);
        Some(self.sensitivity_20_mhz_dbm()? + wider)
    }

    /// The minimum sensitivity in dBm of the same modulation and code over 20 MHz.
    pub(crate) fn sensitivity_20_mhz_dbm(self) -> Option<f64> {
        if let Some(index) = self.mcs_index() {
            return SCHEMES.get(usize::from(index)).copied();
        }
        let place = self.index().checked_sub(Self::OFDM[0].index())?;
        OFDM.get(place).copied()
    }
}

#[cfg(test)]
mod tests {
    use crate::phy::{Format, GuardInterval, Mode, Width};

    #[test]
    fn each_doubling_of_the_width_costs_three_db() {
        let of = |mcs, width| {
            let mode = Mode::mcs(Format::Vht, mcs, 2, width, GuardInterval::Ns400).unwrap();
            mode.sensitivity_dbm().unwrap()
        };
        // Table 21-25, rounded to 1 dB there.
        for (mcs, width, table) in [
            (0, Width::Mhz20, -82.0),
            (0, Width::Mhz160, -73.0),
            (7, Width::Mhz40, -61.0),
            (8, Width::Mhz80, -53.0),
            (9, Width::Mhz80, -51.0),
        ] {
            assert!((of(mcs, width) - table).abs() < 0.1, "{mcs} {width}");
        }
        assert_eq!(Mode::OFDM[7].sensitivity_dbm(), Some(-65.0));
        assert_eq!(Mode::DSSS[0].sensitivity_dbm(), None);
    }
}
