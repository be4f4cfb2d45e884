//! Frame error rates from a table, measured in a laboratory or computed by a link simulator.
//!
//! Each rate has a curve of the frame error rate (PER) over the SNR in dB, for frames of one length. It
//! is linear between its points and constant outside. For other lengths
//!
//! ```text
//! success = (1 - PER)^(bits / (8 reference))
//! ```
//!
//! which assumes that errors spread evenly over the frame. OFDM rates and schemes without a curve follow NIST's
//! law, DSSS and CCK rates their formulas. A curve of schemes of HT, VHT and HE is over the SNR of one stream, or with
//! `streams` over that of the frame. Source: own.

use airtcp_probe::ConfigError;
use airtcp_units::{BitRate, Bytes, detmath};

use super::rows::{BySchemes, Row, RowKeys};
use super::{BitLaw, Model, Nist};
use crate::phy::{Mode, Width};

/// The table of measured curves.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PerTableConfig {
    /// Frame length of the error rates, for instance "1000 B".
    pub reference: Bytes,
    /// One curve per rate or scheme.
    pub curves: Vec<PerCurve>,
}

/// The frame error rates of one rate, or of schemes of 802.11n, ac and ax.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PerCurve {
    /// The rate of 802.11a, b or g, for instance "54 Mb/s".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<BitRate>,
    /// In place of `rate`: index of the modulation and coding scheme of 802.11n, ac and ax, 0 to 11 for each number of
    /// streams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcs: Option<u8>,
    /// Number of streams of the scheme. The SNR is then that of the frame. Default: any number; the SNR is then that of
    /// one stream, as with the other models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<u8>,
    /// Width of the scheme. Default: any width.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<Width>,
    /// SNR of the points in dB, rising.
    pub snr_db: Vec<f64>,
    /// Frame error rate at each point, from 0 to 1, not rising.
    pub per: Vec<f64>,
}

/// Frame error rates by rate and SNR.
#[derive(Debug, Clone)]
pub struct PerTable {
    reference_bits: f64,
    /// Points of each rate: SNR in dB, and PER; empty without a curve.
    curves: [Vec<(f64, f64)>; Mode::OLD],
    /// Points of schemes of HT, VHT and HE.
    schemes: BySchemes<Vec<(f64, f64)>>,
}

fn check(curve: &PerCurve, rate: Row) -> Result<(), ConfigError> {
    let refuse = |key, text: String| Err(ConfigError::new(key, text));
    let (snr, per) = (&curve.snr_db, &curve.per);
    if snr.is_empty() || snr.len() != per.len() {
        let text = format!(
            "has {} values for {} of snr_db at {rate}: accepted is one for each, at least one",
            per.len(),
            snr.len()
        );
        return refuse("per", text);
    }
    if !snr.iter().all(|x| x.is_finite()) || !snr.windows(2).all(|w| w[0] < w[1]) {
        return refuse("snr_db", format!("is out of order at {rate}: expected rising numbers"));
    }
    if let Some(p) = per.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        return refuse("per", format!("is {p} at {rate}: expected 0 to 1"));
    }
    if per.windows(2).any(|w| w[0] < w[1]) {
        return refuse("per", format!("rises at {rate}: expected rates that do not rise"));
    }
    Ok(())
}

impl BitLaw for PerTable {
    fn ln_bit_success(&self, mode: Mode, sinr: f64) -> f64 {
        let curve = self.curves.get(mode.index()).or_else(|| self.schemes.get(mode));
        let curve = curve.map_or(&[][..], Vec::as_slice);
        let (Some(first), Some(last)) = (curve.first(), curve.last()) else {
            return Nist.ln_bit_success(mode, sinr);
        };
        let snr = 10.0 * detmath::log10(sinr);
        let after = curve.partition_point(|(at, _)| *at <= snr);
        let per = if after == 0 {
            first.1
        } else if let Some((x1, y1)) = curve.get(after) {
            let (x0, y0) = curve[after - 1];
            y0 + (y1 - y0) * (snr - x0) / (x1 - x0)
        } else {
            last.1
        };
        detmath::ln_1p(-per) / self.reference_bits
    }

    fn is_of_frame(&self, mode: Mode) -> bool {
        self.schemes.names_streams(mode)
    }

    fn lacks(&self, mode: Mode) -> bool {
        mode.is_mcs() && self.schemes.get(mode).is_none()
    }
}

impl Model for PerTable {
    type Config = PerTableConfig;

    fn build(config: &PerTableConfig) -> Result<Self, ConfigError> {
        if !(1..=65_535).contains(&config.reference.0) {
            let text = format!("is {}: expected 1 B to 65535 B", config.reference);
            return Err(ConfigError::new("reference", text));
        }
        let mut curves = [const { Vec::new() }; Mode::OLD];
        let mut schemes = BySchemes::new();
        for (number, curve) in config.curves.iter().enumerate() {
            let here = |e: ConfigError| e.in_table(format!("curves[{number}]"));
            let PerCurve { rate, mcs, streams, width, snr_db, per } = curve;
            let keys = RowKeys { rate: *rate, mcs: *mcs, streams: *streams, width: *width };
            let row = keys.row().map_err(here)?;
            check(curve, row).map_err(here)?;
            let points: Vec<_> = snr_db.iter().copied().zip(per.iter().copied()).collect();
            let is_first = match row {
                Row::Rate(mode) => std::mem::replace(&mut curves[mode.index()], points).is_empty(),
                Row::Schemes(of) => schemes.add(of, points),
            };
            if !is_first {
                let text = format!("is the second for {row}: accepted is one per rate");
                return Err(here(ConfigError::new("", text)));
            }
        }
        Ok(Self { reference_bits: 8.0 * config.reference.0 as f64, curves, schemes })
    }

    #[cfg(test)]
    fn samples() -> Vec<PerTableConfig> {
        let curve = |snr_db: &[f64], per: &[f64]| PerCurve {
            rate: Some(BitRate::from_mbps(54)),
            mcs: None,
            streams: None,
            width: None,
            snr_db: snr_db.into(),
            per: per.into(),
        };
        let of_mcs = |mcs, streams| {
            let rate = curve(&[20.0, 25.0], &[1.0, 0.01]);
            PerCurve { rate: None, mcs: Some(mcs), streams, ..rate }
        };
        let reference = Bytes(1000);
        vec![
            PerTableConfig { reference, curves: Vec::new() },
            PerTableConfig {
                reference,
                curves: vec![curve(&[20.0, 22.0, 25.0], &[1.0, 0.5, 0.0])],
            },
            PerTableConfig { reference, curves: vec![curve(&[20.0], &[0.1])] },
            PerTableConfig { reference, curves: vec![of_mcs(7, None), of_mcs(9, Some(2))] },
        ]
    }
}
