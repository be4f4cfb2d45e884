//! Confidence intervals by the moving-block bootstrap (Künsch 1989), for data whose neighbours
//! are correlated.
//!
//! Blocks of adjacent packets are drawn with replacement until the trace's length is reached, and
//! the statistic is computed again; the interval is between percentiles of many such repeats.
//! Blocks wrap around the end of the trace (Politis and Romano's circular variant), so every
//! packet is drawn equally often, but the pair that joins end to start is not counted.
//!
//! Choices: blocks of 1000 packets (S1's traces have 1e5); a trace shorter than 20 blocks uses a
//! twentieth of its length, at least one packet; a trace longer than 10,000 blocks uses longer
//! ones, so that the time stays bounded. Blocks begin at multiples of an eighth of their length.
//! For a trace of equal outcomes every repeat is the same and the interval would have no width;
//! the exact binomial bound (Clopper-Pearson, independent packets) stands in for it.

use airtcp_random::Stream;
use airtcp_units::{Outcomes, detmath};

use super::counts::{Pairs, ratio, received_within};

/// Most blocks a repeat may draw.
const MAX_BLOCKS: usize = 10_000;
/// Fewest blocks worth drawing.
const MIN_BLOCKS: usize = 20;
/// Block starts per block length.
const STARTS_PER_BLOCK: usize = 8;

/// Percentile intervals, `[low, high]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intervals {
    /// For the packet reception ratio; `None` for an empty trace.
    pub prr: Option<[f64; 2]>,
    /// For `mu`; `None` where `mu` itself, or that of half of the repeats, is undefined.
    pub mu: Option<[f64; 2]>,
    /// The block length used, packets.
    pub block: usize,
}

/// The block length for a trace of `n` packets when `preferred` is asked for.
pub fn block_length(n: usize, preferred: usize) -> usize {
    preferred.min(n / MIN_BLOCKS).max(n.div_ceil(MAX_BLOCKS)).max(1)
}

/// What one block holds.
#[derive(Clone, Copy, Default)]
struct Block {
    received: u32,
    pairs: [u32; 4],
}

/// Intervals that cover `confidence` (such as 0.95), from `repeats` resamples.
pub fn intervals(
    trace: &Outcomes,
    preferred_block: usize,
    repeats: usize,
    confidence: f64,
    stream: &mut Stream,
) -> Intervals {
    let n = trace.len();
    let block = block_length(n, preferred_block);
    let mut out = Intervals { prr: None, mu: None, block };
    if n == 0 || repeats == 0 {
        return out;
    }
    let tail = (1.0 - confidence.clamp(0.0, 1.0)) / 2.0;
    let received = trace.received();
    if received == 0 || received == n {
        // P(no loss in n) = tail at PRR = tail^(1/n), and the mirror of it.
        let edge = detmath::pow(tail, 1.0 / n as f64);
        out.prr = Some(if received == n { [edge, 1.0] } else { [0.0, 1.0 - edge] });
        return out;
    }
    let table = blocks(trace, block);
    let draws = n.div_ceil(block);
    let packets = (draws * block) as f64;
    let (mut prr, mut mu) = (Vec::with_capacity(repeats), Vec::with_capacity(repeats));
    for _ in 0..repeats {
        let mut received = 0u64;
        let mut sums = [0u64; 4];
        for _ in 0..draws {
            // Multiply-shift without rejection: the bias is below 2^-40 for any table we build.
            let at = (u128::from(stream.next_u64()) * table.len() as u128) >> 64;
            let drawn = table[at as usize];
            received += u64::from(drawn.received);
            for (sum, n) in sums.iter_mut().zip(drawn.pairs) {
                *sum += u64::from(n);
            }
        }
        prr.push(received as f64 / packets);
        let [n00, n01, n10, n11] = sums;
        if let (Some(g), Some(b)) = (ratio(n01, n00 + n01), ratio(n10, n10 + n11)) {
            mu.push(1.0 - g - b);
        }
    }
    out.prr = Some(percentiles(&mut prr, tail));
    if Pairs::of(trace).mu().is_some() && mu.len() * 2 > repeats {
        out.mu = Some(percentiles(&mut mu, tail));
    }
    out
}

/// Counts of every block, by its start.
fn blocks(trace: &Outcomes, block: usize) -> Vec<Block> {
    let n = trace.len();
    let step = (block / STARTS_PER_BLOCK).max(1);
    (0..n)
        .step_by(step)
        .map(|start| {
            // A pair belongs to the block that holds its first packet.
            let end = start + block;
            let mut pairs = Pairs::within(trace, start..(end + 1).min(n));
            let mut received = received_within(trace, start..end.min(n));
            if end > n {
                pairs += Pairs::within(trace, 0..end - n + 1);
                received += received_within(trace, 0..end - n);
            }
            Block {
                received: received as u32,
                pairs: [pairs.n00, pairs.n01, pairs.n10, pairs.n11].map(|x| x as u32),
            }
        })
        .collect()
}

/// The `tail` and `1 - tail` quantiles (nearest rank).
fn percentiles(values: &mut [f64], tail: f64) -> [f64; 2] {
    values.sort_by(f64::total_cmp);
    let last = (values.len() - 1) as f64;
    [tail, 1.0 - tail].map(|q| values[(q * last + 0.5) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::{GeParams, SynthModel};
    use airtcp_random::Seed;

    #[test]
    fn block_rule() {
        assert_eq!(block_length(100_000, 1000), 1000);
        assert_eq!(block_length(20_000, 1000), 1000);
        assert_eq!(block_length(300, 1000), 15);
        assert_eq!(block_length(3, 1000), 1);
        assert_eq!(block_length(0, 1000), 1);
        assert_eq!(block_length(1_000_000_000, 1000), 100_000);
    }

    #[test]
    fn every_packet_and_pair_is_drawn_equally_often() {
        let trace: Outcomes = (0..240).map(|i| i % 7 < 3 || i % 11 == 0).collect();
        let table = blocks(&trace, 16);
        let received: u64 = table.iter().map(|b| u64::from(b.received)).sum();
        // Step 2, length 16: each packet lies in eight blocks.
        assert_eq!(received, 8 * trace.received() as u64);
        let pairs: u64 = table.iter().flat_map(|b| b.pairs).map(u64::from).sum();
        assert_eq!(pairs, 8 * 239);
    }

    #[test]
    fn equal_outcomes_get_the_exact_binomial_bound() {
        let perfect: Outcomes = [true; 300].into_iter().collect();
        let got = intervals(&perfect, 1000, 100, 0.95, &mut Seed::new(1).stream("t"));
        let [low, high] = got.prr.unwrap();
        // 0.025^(1/300) = 0.98778.
        assert!((low - 0.987_78).abs() < 1e-5 && high == 1.0, "{low} {high}");
        assert_eq!(got.mu, None);
        let dead: Outcomes = [false; 300].into_iter().collect();
        let got = intervals(&dead, 1000, 100, 0.95, &mut Seed::new(1).stream("t"));
        assert!((got.prr.unwrap()[1] - (1.0 - low)).abs() < 1e-12);
    }

    #[test]
    fn intervals_cover_the_truth_about_as_often_as_they_say() {
        // 200 chains of 40,000 packets. Percentile block intervals cover somewhat less than 95 %
        // with 40 blocks; below 85 % (five binomial errors under 0.93) something is wrong, and
        // all 200 would mean they are far too wide (probability 0.95^200 = 4e-5).
        let truth = GeParams::from_prr_mu(0.6, 0.7).unwrap();
        let model = SynthModel::GilbertElliott(truth);
        let mut covered = [0; 2];
        for i in 0..200 {
            let seed = Seed::new(i);
            let trace = model.generate(40_000, &mut seed.stream("trace")).unwrap();
            let got = intervals(&trace, 1000, 400, 0.95, &mut seed.stream("bootstrap"));
            for (hit, (interval, value)) in covered.iter_mut().zip([(got.prr, 0.6), (got.mu, 0.7)])
            {
                let [low, high] = interval.unwrap();
                *hit += i32::from(low <= value && value <= high);
            }
        }
        assert!(covered.iter().all(|hit| (170..200).contains(hit)), "{covered:?}");
    }
}
