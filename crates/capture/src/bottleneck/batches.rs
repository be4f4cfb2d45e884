//! Packets that the bottleneck serves at once, as the aggregates of 802.11 are.
//!
//! While packets wait, the arrivals of a link that serves one after the other are a packet time apart. In a batch they
//! are much closer. Delayed ACKs report two packets at once, so a batch of two says nothing.

use airtcp_units::Saturate as _;

use super::rate::Rate;
use super::slopes::runs;
use super::transmissions::Transmissions;

/// Part of the packet time within which packets were served at once [choice].
const CLOSE: f64 = 0.25;

/// The median number of packets of a batch, over the packets that waited; 0 if none did.
pub(super) fn median(sent: &Transmissions, early: &[u64], rate: &Rate, packet_bytes: f64) -> u64 {
    let packet_bits = 8.0 * packet_bytes;
    let close_s = CLOSE * packet_bits / rate.value_bps.max(1.0);
    let mut batches: Vec<u64> = Vec::new();
    for run in runs(sent, early, 1) {
        let mut bits = 0.0;
        for pair in run.points.windows(2) {
            let (more, seconds) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
            if seconds > close_s * more / packet_bits && bits > 0.0 {
                batches.push(u64::saturate((bits / packet_bits).round()));
                bits = 0.0;
            }
            bits += more;
        }
        batches.push(u64::saturate((bits / packet_bits).round()));
    }
    batches.sort_unstable();
    let all: u64 = batches.iter().sum();
    let mut below = 0;
    batches
        .into_iter()
        .find(|batch| {
            below += batch;
            2 * below >= all
        })
        .unwrap_or(0)
}
