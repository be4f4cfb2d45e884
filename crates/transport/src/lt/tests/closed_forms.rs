//! Blocks under independent losses, against the binomial distribution.

use airtcp_packet::Ecn;
use airtcp_units::Nanos;

use crate::lt::config::{Delivery, LtConfig};
use crate::lt::estimate::Protection;
use crate::lt::receiver::LtReceiver;
use crate::lt::stats::LtStats;
use crate::lt::wire::Data;
use crate::lt::{block, tests::mixed};
use crate::tcp::TcpConfig;

/// P(L = l): l of n are lost, each with probability p.
fn binomial(n: u16, p: f64) -> Vec<f64> {
    let mut row = vec![1.0];
    for _ in 0..n {
        let mut next = vec![0.0; row.len() + 1];
        for (l, weight) in row.iter().enumerate() {
            next[l] += weight * (1.0 - p);
            next[l + 1] += weight * p;
        }
        row = next;
    }
    row
}

/// One round: a block decodes if and only if at most P of its N symbols are lost, and (P - L)+
/// symbols are wasted.
#[test]
fn decoding_and_waste_in_one_round() {
    const BLOCKS: u64 = 20_000;
    for (n, p) in [(20u16, 0.1), (20, 0.3), (20, 0.5), (100, 0.2), (10, 0.05)] {
        let protection = Protection { estimate: p, variance: None, deviations: 1.0 };
        let parity = block::parity(n, &protection, &LtConfig::default()).max(1);
        let k = n - parity;
        let (mut decoded, mut stats) = (0, LtStats::default());
        let mut x = 0;
        for _ in 0..BLOCKS {
            let mut receiver = LtReceiver::new(Delivery::Block, &TcpConfig::default());
            let mut bytes = 0;
            for index in 0..n {
                x += 1;
                if (mixed(x, 77) >> 11) as f64 / ((1u64 << 53) as f64) < p {
                    continue;
                }
                let data = Data {
                    number: u32::from(index),
                    block: 0,
                    index: index as u8,
                    k: k as u8,
                    padding: 0,
                    last: false,
                    reactive: false,
                    len: 1000,
                };
                bytes += receiver.on_data(Nanos::ZERO, &data, Ecn::NotEct, &mut stats);
            }
            assert!(bytes == 0 || bytes == 1000 * u64::from(k));
            decoded += u64::from(bytes > 0);
        }
        let losses = binomial(n, p);
        let expected: f64 = losses[..=usize::from(parity)].iter().sum();
        let share = decoded as f64 / BLOCKS as f64;
        let error = (expected * (1.0 - expected) / BLOCKS as f64).sqrt();
        assert!((share - expected).abs() < 4.0 * error, "{n}, {p}: {share} for {expected}");
        assert_eq!(stats.blocks_decoded, decoded);
        let unneeded = |l: usize| f64::from(parity) - l as f64;
        let waste: f64 = (0..=usize::from(parity)).map(|l| losses[l] * unneeded(l)).sum();
        let found = stats.wasted_proactive.symbols as f64 / BLOCKS as f64;
        assert!((found / waste - 1.0).abs() < 0.05, "{n}, {p}: {found} for {waste}");
        assert_eq!(stats.wasted_reactive.symbols + stats.wasted_data.symbols, 0);
    }
}
