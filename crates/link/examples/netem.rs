//! Shares of losses and lengths of bursts of `netem-correlated`, as CSV: `netem PACKETS`.

#![allow(clippy::print_stdout, reason = "the program prints its result")]

use airtcp_link::{Frame, Loss, LossConfig, LossModel, NetemCorrelatedConfig};
use airtcp_packet::{EndpointId, Side};
use airtcp_random::Seed;
use airtcp_units::{Nanos, Probability};

/// In percent.
const PROBABILITIES: [f64; 7] = [0.3, 1.0, 5.0, 10.0, 20.0, 30.0, 50.0];
const CORRELATIONS: [f64; 4] = [0.0, 25.0, 50.0, 75.0];

/// Numbers of losses and of bursts among packets.
fn count(model: &mut Loss, packets: u64) -> (u64, u64) {
    let to = EndpointId::new(0, Side::Server);
    let (mut lost, mut bursts, mut before) = (0, 0, false);
    for ordinal in 0..packets {
        let frame = Frame { now: Nanos(ordinal), ordinal, bytes: 1500, payload: 1460, to };
        let now = model.loses(&frame);
        lost += u64::from(now);
        bursts += u64::from(now && !before);
        before = now;
    }
    (lost, bursts)
}

fn main() {
    let packets = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    println!("probability,correlation,packets,lost,bursts");
    for correlation in CORRELATIONS {
        for probability in PROBABILITIES {
            let config = LossConfig::NetemCorrelated(NetemCorrelatedConfig {
                probability: Probability::clamped(probability / 100.0),
                correlation: Probability::clamped(correlation / 100.0),
            });
            let load = |path: &str| Err(format!("no trace {path}"));
            let Ok(mut model) = Loss::new(&config, Seed::new(1), "netem", None, &load) else {
                continue;
            };
            let (lost, bursts) = count(&mut model, packets);
            println!("{probability},{correlation},{packets},{lost},{bursts}");
        }
    }
}
