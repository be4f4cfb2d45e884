use airtcp_random::Seed;

use super::*;
use crate::predict::formula::square_root;

/// Slots between losses of a chain, by running it.
fn run(chain: &Chain, losses: usize, seed: u64) -> Vec<f64> {
    let mut stream = Seed::new(seed).stream("chain");
    let (mut bad, mut slots, mut out) = (false, 0.0, Vec::with_capacity(losses));
    while out.len() < losses {
        slots += 1.0;
        let lost = stream.chance(if bad { chain.loss_bad } else { chain.loss_good });
        let leaves = stream.chance(if bad { chain.g } else { chain.b });
        if leaves {
            bad = !bad;
        }
        if lost {
            out.push(slots);
            slots = 0.0;
        }
    }
    out
}

#[test]
fn even_losses_give_the_square_root_law() {
    // The closed form of the fluid model itself: intervals of one length.
    let (rtt, b, interval) = (0.1, 2.0, 7.0);
    let growth = 1.0 / (b * rtt * rtt);
    let rate = fluid(vec![interval; 2000], growth).unwrap();
    let p = 1.0 / (rate * interval);
    assert!((rate / square_root(p, rtt, b) - 1.0).abs() < 2e-3, "{rate}");
}

#[test]
fn independent_losses_give_the_law_for_poisson_losses() {
    // Loss probability 1e-4 a slot in either state: `X = sqrt(2 / (b p)) / RTT`.
    let chain = Chain { g: 0.3, b: 0.2, loss_good: 1e-4, loss_bad: 1e-4 };
    let (slot, rtt, b) = (0.001, 0.05, 1.0);
    let rate = chain.throughput(slot, rtt, b).unwrap();
    let p = 1e-4 / slot / rate;
    assert!((rate / ((2.0 / (b * p)).sqrt() / rtt) - 1.0).abs() < 1e-4);
    // In slots: intervals are geometric, c_0 = 1 - q, and no two are correlated.
    for q in [0.5, 0.1, 0.001] {
        let chain = Chain { g: 0.4, b: 0.7, loss_good: q, loss_bad: q };
        let i = chain.intervals().unwrap();
        assert!((i.rate - q).abs() < 1e-12);
        assert!((i.second_moment - (2.0 - q) / (q * q)).abs() < 1e-9 / (q * q));
        assert!((i.correlations - 1.0 / (q * q)).abs() < 1e-9 / (q * q));
    }
}

#[test]
fn a_chain_that_alternates_is_known_by_hand() {
    // One state loses everything, and states alternate: a loss every second slot.
    let chain = Chain { g: 1.0, b: 1.0, loss_good: 0.0, loss_bad: 1.0 };
    let i = chain.intervals().unwrap();
    assert!((i.rate - 0.5).abs() < 1e-12);
    assert!((i.second_moment - 4.0).abs() < 1e-12 && (i.correlations - 4.0).abs() < 1e-12);
    // alpha S (1/2 + 1): the saw-tooth between S alpha and 2 S alpha.
    assert!((chain.throughput(1.0, 1.0, 1.0).unwrap() - 3.0).abs() < 1e-12);
}

#[test]
fn agrees_with_the_fluid_model_run_over_losses_of_chains() {
    let chains = [
        Chain { g: 0.05, b: 0.01, loss_good: 0.001, loss_bad: 0.3 },
        Chain { g: 0.002, b: 0.001, loss_good: 0.0, loss_bad: 0.02 },
        Chain { g: 0.3, b: 0.1, loss_good: 0.0, loss_bad: 1.0 },
        Chain { g: 0.0005, b: 0.0005, loss_good: 0.002, loss_bad: 0.02 },
    ];
    for (seed, chain) in chains.iter().enumerate() {
        let intervals = run(chain, 200_000, seed as u64);
        let simulated = fluid(intervals, 1.0).unwrap();
        let predicted = chain.throughput(1.0, 1.0, 1.0).unwrap();
        let ratio = simulated / predicted;
        assert!((ratio - 1.0).abs() < 0.03, "{chain:?}: {ratio}");
    }
}

#[test]
fn correlated_losses_are_worth_throughput() {
    // Equal loss rate, longer and longer states: TCP gets more if losses are more clustered.
    let mut last = 0.0;
    for memory in [0.5, 0.05, 0.005, 0.0005] {
        let chain = Chain { g: memory, b: memory, loss_good: 0.001, loss_bad: 0.039 };
        let rate = chain.throughput(1.0, 1.0, 1.0).unwrap();
        assert!((chain.intervals().unwrap().rate - 0.02).abs() < 1e-12);
        assert!(rate > last, "{memory}: {rate} after {last}");
        last = rate;
    }
}

#[test]
fn bad_periods_agree_with_a_run() {
    // A direct simulation: good periods raise the rate and deliver, bad periods only take time.
    for (prr, mu, b) in [(0.5, 0.0, 1.0), (0.35, 0.9, 2.0), (0.9, 0.6, 1.0), (0.2, 0.97, 2.0)] {
        let (end, start) = ((1.0_f64 - prr) * (1.0 - mu), prr * (1.0 - mu));
        let (rtt, mut stream) = (2.0, Seed::new(5).stream("bad"));
        let growth = 1.0 / (b * rtt * rtt);
        let (mut rate, mut packets, mut slots) = (0.0_f64, 0.0, 0.0);
        for _ in 0..200_000 {
            let good = stream.geometric(end) as f64;
            packets += rate * good + growth * good * good / 2.0;
            rate = NU * (rate + growth * good);
            slots += good + stream.geometric(start) as f64;
        }
        let ratio = packets / slots / bad_periods(prr, mu, rtt, b);
        assert!((ratio - 1.0).abs() < 0.02, "{prr} {mu}: {ratio}");
    }
}

#[test]
fn edges() {
    assert_eq!(bad_periods(0.0, 0.5, 2.0, 1.0), 0.0);
    assert!(bad_periods(1.0, 0.5, 2.0, 1.0).is_infinite());
    assert!(bad_periods(0.4, 1.0, 2.0, 1.0).is_infinite());
    let chain = Chain { g: 0.1, b: 0.1, loss_good: 0.0, loss_bad: 0.0 };
    assert!(chain.intervals().is_none(), "no losses");
    assert!(Chain { loss_bad: 1.2, ..chain }.intervals().is_none());
    assert!(Chain { g: 0.0, b: 0.0, loss_bad: 0.5, ..chain }.intervals().is_none());
    assert!(Chain { g: f64::NAN, ..chain }.intervals().is_none());
    assert!(fluid([], 1.0).is_none());
}
