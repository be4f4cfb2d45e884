//! The goodput that TCP could have at a rate without losses (S2, section III-A): the time of a segment
//! is that of four transmissions, the segment, its MAC ACK, the TCP ACK and its MAC ACK.
//!
//! `T = DIFS + B + T_data(r) + SIFS + T_ack + (DIFS + B + T_tcpack(r) + SIFS + T_ack) / d`, goodput
//! `8 MSS / T`, with the backoff `B` of 0 (S2) or of half the least contention window, and `d` segments
//! per TCP ACK. A frame has MSS + 40 bytes of TCP and IP, 8 of LLC and SNAP, 28 of MAC header and frame
//! check sequence. With short slots, the signal extension of 802.11g takes what its shorter
//! interframe spaces save, so its times are those of 802.11a.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Payload of a segment in bytes.
pub(super) const SEGMENT_BYTES: u64 = 1460;
/// TCP and IP headers, LLC and SNAP, MAC header and frame check sequence.
const HEADERS: u64 = 40 + 8 + 28;
const ACK_BYTES: u64 = 14;
/// Rates of 802.11a and 802.11g in Mbit/s.
const OFDM: [u64; 8] = [6, 9, 12, 18, 24, 36, 48, 54];
/// Rates of 802.11b in 100 kbit/s.
const DSSS: [u64; 4] = [10, 20, 55, 110];

/// The rate of a MAC ACK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AckRate {
    /// At most half the rate of the data with OFDM (S2), and the rate of the data with DSSS (S0).
    Usual,
    /// 6 Mbit/s with OFDM, 1 Mbit/s with DSSS.
    #[cfg(test)]
    Lowest,
}

/// How the expected goodput is computed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exchange {
    pub(super) ack_rate: AckRate,
    /// The mean backoff of the least contention window precedes each data frame.
    pub(super) backoff: bool,
    /// Segments per TCP ACK.
    pub(super) segments_per_ack: f64,
}

/// Times of a physical layer, in us.
struct Times {
    difs: f64,
    sifs: f64,
    backoff: f64,
    data: f64,
    tcp_ack: f64,
    mac_ack: f64,
}

/// The time of an OFDM frame at a rate in Mbit/s, in us (17.3.2.4).
fn ofdm(bytes: u64, rate: u64) -> f64 {
    (20 + 4 * (22 + 8 * bytes).div_ceil(4 * rate)) as f64
}

/// The time of a DSSS frame with long preamble at a rate in 100 kbit/s, in us.
fn dsss(bytes: u64, rate: u64) -> f64 {
    (192 + (80 * bytes).div_ceil(rate)) as f64
}

fn times(rate_bps: u64, ack_rate: AckRate) -> Option<Times> {
    let (segment, ack) = (SEGMENT_BYTES + HEADERS, HEADERS);
    if let Some(rate) = DSSS.into_iter().find(|rate| rate * 100_000 == rate_bps) {
        let ack_at = if ack_rate == AckRate::Usual { rate } else { DSSS[0] };
        return Some(Times {
            difs: 50.0,
            sifs: 10.0,
            backoff: 310.0,
            data: dsss(segment, rate),
            tcp_ack: dsss(ack, rate),
            mac_ack: dsss(ACK_BYTES, ack_at),
        });
    }
    let rate = OFDM.into_iter().find(|rate| rate * 1_000_000 == rate_bps)?;
    let half = OFDM.into_iter().rev().find(|ack| 2 * ack <= rate).unwrap_or(OFDM[0]);
    let ack_at = if ack_rate == AckRate::Usual { half } else { OFDM[0] };
    Some(Times {
        difs: 34.0,
        sifs: 16.0,
        backoff: 67.5,
        data: ofdm(segment, rate),
        tcp_ack: ofdm(ack, rate),
        mac_ack: ofdm(ACK_BYTES, ack_at),
    })
}

/// Expected goodput at a rate of 802.11a, b or g, in bit/s. `None` for other rates.
pub(super) fn goodput(rate_bps: u64, exchange: Exchange) -> Option<f64> {
    let times = times(rate_bps, exchange.ack_rate)?;
    let access = times.difs + if exchange.backoff { times.backoff } else { 0.0 };
    let end = times.sifs + times.mac_ack;
    let reverse = (access + times.tcp_ack + end) / exchange.segments_per_ack;
    let us = access + times.data + end + reverse;
    Some(8.0 * SEGMENT_BYTES as f64 / us * 1e6)
}

/// Goodput over the rates of a link, weighted by their shares of the attempts, in bit/s.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WeightedGoodput {
    /// Arithmetic mean, as in S2.
    pub arithmetic_bps: f64,
    /// Harmonic mean: the goodput of a packet after the other.
    pub harmonic_bps: f64,
    /// Arithmetic mean times one minus raw loss, as in S2.
    pub arithmetic_after_loss_bps: Option<f64>,
    /// Harmonic mean times one minus raw loss.
    pub harmonic_after_loss_bps: Option<f64>,
}

/// The goodput that TCP could have on a link with segments of 1460 bytes and an ACK for each.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectedReport {
    /// Share of the attempts at rates of 802.11a, b and g; only these are weighted.
    pub rated_share: f64,
    /// Without backoff, as in S2.
    pub no_backoff: WeightedGoodput,
    /// With the mean backoff of the least contention window.
    pub backoff: WeightedGoodput,
}

/// The expected goodput over rates with their attempts; `None` without a rate of 802.11a, b or g.
pub(super) fn expected(rates: &[(u64, u64)], raw_loss: Option<f64>) -> Option<ExpectedReport> {
    let all: u64 = rates.iter().map(|(_, attempts)| attempts).sum();
    let weigh = |backoff| {
        let exchange = Exchange { ack_rate: AckRate::Usual, backoff, segments_per_ack: 1.0 };
        let (mut attempts, mut sum, mut times) = (0.0, 0.0, 0.0);
        for (rate, n) in rates {
            if let Some(bps) = goodput(*rate, exchange) {
                attempts += *n as f64;
                sum += *n as f64 * bps;
                times += *n as f64 / bps;
            }
        }
        if attempts <= 0.0 {
            return None;
        }
        let (arithmetic_bps, harmonic_bps) = (sum / attempts, attempts / times);
        let after = |bps: f64| raw_loss.map(|loss| bps * (1.0 - loss));
        let weighted = WeightedGoodput {
            arithmetic_bps,
            harmonic_bps,
            arithmetic_after_loss_bps: after(arithmetic_bps),
            harmonic_after_loss_bps: after(harmonic_bps),
        };
        Some((attempts / all as f64, weighted))
    };
    let ((rated_share, no_backoff), (_, backoff)) = (weigh(false)?, weigh(true)?);
    Some(ExpectedReport { rated_share, no_backoff, backoff })
}

/// Expected goodput at a rate without backoff, as in S2.
pub(super) fn at_rate(rate_bps: u64) -> Option<f64> {
    let exchange = Exchange { ack_rate: AckRate::Usual, backoff: false, segments_per_ack: 1.0 };
    goodput(rate_bps, exchange)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mbps(rate: f64, ack_rate: AckRate, backoff: bool, segments_per_ack: f64) -> f64 {
        let rate_bps = airtcp_units::Saturate::saturate(rate * 1e6);
        goodput(rate_bps, Exchange { ack_rate, backoff, segments_per_ack }).unwrap() / 1e6
    }

    #[test]
    fn the_table_of_802_11a() {
        // Without backoff, with backoff, and both with an ACK for two segments; computed by hand from
        // the formula.
        for (rate, expected) in [
            (6.0, [4.89, 4.63, 5.13, 4.91]),
            (9.0, [7.00, 6.48, 7.42, 6.97]),
            (12.0, [8.90, 8.07, 9.52, 8.79]),
            (18.0, [12.53, 10.95, 13.57, 12.14]),
            (24.0, [15.61, 13.23, 17.10, 14.89]),
            (36.0, [20.86, 16.81, 23.31, 19.39]),
            (48.0, [24.75, 19.24, 28.14, 22.62]),
            (54.0, [26.79, 20.46, 30.66, 24.22]),
        ] {
            let usual = AckRate::Usual;
            let found = [(false, 1.0), (true, 1.0), (false, 2.0), (true, 2.0)]
                .map(|(backoff, per_ack)| mbps(rate, usual, backoff, per_ack));
            for (found, expected) in found.into_iter().zip(expected) {
                assert!((found - expected).abs() < 0.0051, "{rate}: {found} for {expected}");
            }
        }
    }

    #[test]
    fn the_table_of_802_11b() {
        // MAC ACK at 1 Mbit/s; at the rate of the data; the same with backoff; with delayed ACKs too.
        for (rate, expected) in [
            (1.0, [0.834, 0.834, 0.798, 0.841]),
            (2.0, [1.545, 1.568, 1.448, 1.555]),
            (5.5, [3.378, 3.565, 2.998, 3.383]),
            (11.0, [5.109, 5.605, 4.320, 5.093]),
        ] {
            let found = [
                mbps(rate, AckRate::Lowest, false, 1.0),
                mbps(rate, AckRate::Usual, false, 1.0),
                mbps(rate, AckRate::Usual, true, 1.0),
                mbps(rate, AckRate::Usual, true, 2.0),
            ];
            for (found, expected) in found.into_iter().zip(expected) {
                assert!((found - expected).abs() < 0.00051, "{rate}: {found} for {expected}");
            }
        }
    }

    #[test]
    fn weights_of_rates() {
        // Half of the attempts each at 6 and 54 Mbit/s; a rate of 802.11n has no part.
        let rates = [(6_000_000, 50), (54_000_000, 50), (65_000_000, 100)];
        let found = expected(&rates, Some(0.5)).unwrap();
        let (slow, fast) = (at_rate(6_000_000).unwrap(), at_rate(54_000_000).unwrap());
        let weighted = found.no_backoff;
        assert!((found.rated_share - 0.5).abs() < 1e-12);
        assert!((weighted.arithmetic_bps - f64::midpoint(slow, fast)).abs() < 1.0);
        assert!((weighted.harmonic_bps - 2.0 / (1.0 / slow + 1.0 / fast)).abs() < 1.0);
        assert!(weighted.harmonic_bps < weighted.arithmetic_bps);
        let halved = weighted.arithmetic_after_loss_bps.unwrap();
        assert!((halved - weighted.arithmetic_bps / 2.0).abs() < 1.0);
        assert_eq!(expected(&[(65_000_000, 1)], None), None);
    }
}
