//! Prints frame error rates of 1500 bytes by law, rate in kb/s and SNR in dB. See
//! `docs/figures/radio.py`.

#![allow(clippy::print_stdout, reason = "its output is what it is run for")]

use airtcp_units::Db;
use airtcp_wifi::phy::Mode;
use airtcp_wifi::phy::error::{ErrorModel, ErrorModelConfig, NistConfig, YansConfig};

const BITS: u64 = 12_000;
/// SNR in tenths of a dB.
const RANGE: std::ops::RangeInclusive<i32> = -80..=280;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let nist = ErrorModel::new(&ErrorModelConfig::Nist(NistConfig {}))?;
    let yans = ErrorModel::new(&ErrorModelConfig::Yans(YansConfig {}))?;
    println!("law,kbps,snr_db,frame_error");
    for (law, model, modes) in [
        ("nist", &nist, &Mode::OFDM[..]),
        ("yans", &yans, &Mode::OFDM[..]),
        ("dsss", &nist, &Mode::DSSS[..]),
    ] {
        for mode in modes {
            for tenths in RANGE {
                let db = f64::from(tenths) / 10.0;
                let lost = 1.0 - model.success(*mode, Db(db).linear(), BITS);
                println!("{law},{},{db},{lost}", mode.kbps());
            }
        }
    }
    Ok(())
}
