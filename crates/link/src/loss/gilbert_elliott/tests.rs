//! Compares the chain with its closed forms, for every `stepping`.

use airtcp_units::{Nanos, Probability};

use super::chain::from_prr_and_mu;
use super::*;
use crate::LossConfig;
use crate::loss::conformance::{build, build_err, frame};

fn p(x: f64) -> Option<Probability> {
    Probability::new(x)
}

pub(super) fn samples() -> Vec<GilbertElliottConfig> {
    let ms = Span::from_millis;
    let base = GilbertElliottConfig { slot: Some(ms(10)), ..GilbertElliottConfig::default() };
    vec![
        GilbertElliottConfig { g: p(0.3), b: p(0.05), ..base.clone() },
        GilbertElliottConfig {
            prr: p(0.5),
            mu: Some(0.8),
            stepping: Stepping::Slot,
            ..base.clone()
        },
        GilbertElliottConfig {
            mean_loss: p(0.2),
            mean_burst: Some(4.0),
            stepping: Stepping::Packet,
            ..base.clone()
        },
        GilbertElliottConfig {
            mean_good: Some(ms(40)),
            mean_bad: Some(ms(8)),
            loss_good: Probability::clamped(0.01),
            loss_bad: p(0.6),
            ..base.clone()
        },
        GilbertElliottConfig { mean_loss: p(0.1), mean_bad: Some(ms(20)), ..base.clone() },
        GilbertElliottConfig { g: p(1.0), b: p(0.0), stepping: Stepping::Slot, ..base.clone() },
        GilbertElliottConfig { g: p(0.0), b: p(0.5), stepping: Stepping::Packet, ..base },
    ]
}

fn channel(config: GilbertElliottConfig, seed: u64) -> crate::Loss {
    build(&LossConfig::GilbertElliott(config), seed)
}

const SLOT: Span = Span::from_millis(10);

/// Transition frequencies good -> bad and bad -> good, loss rate and mean loss burst of a channel
/// sampled `n` times, `gap` apart.
fn measure(mut channel: crate::Loss, gap: Span, n: u64) -> [f64; 4] {
    let lost: Vec<bool> = (0..n).map(|i| channel.loses(&frame(Nanos::ZERO + gap * i, i))).collect();
    let count =
        |a: bool, b: bool| lost.windows(2).filter(|w| w[0] == a && w[1] == b).count() as f64;
    let losses = lost.iter().filter(|l| **l).count() as f64;
    let bursts = count(false, true) + f64::from(u8::from(lost[0]));
    [
        count(false, true) / (count(false, true) + count(false, false)),
        count(true, false) / (count(true, false) + count(true, true)),
        losses / n as f64,
        losses / bursts,
    ]
}

/// Compares a channel sampled every `gap` with a chain with transition probabilities `g` and `b`.
fn expect_chain(channel: crate::Loss, gap: Span, g: f64, b: f64) {
    let n = 400_000u64;
    let [to_bad, to_good, loss, burst] = measure(channel, gap, n);
    let share = b / (g + b);
    let mu = 1.0 - g - b;
    let nf = n as f64;
    // Five standard errors each. Transitions out of a state are independent trials; the share of a
    // chain has the variance p (1 - p) (1 + mu)/(1 - mu) / n; a geometric length has (1 - g)/g^2.
    let se = |p: f64, trials: f64| 5.0 * (p * (1.0 - p) / trials).sqrt();
    assert!((to_bad - b).abs() <= se(b, nf * (1.0 - share)), "b: {to_bad} {b}");
    assert!((to_good - g).abs() <= se(g, nf * share), "g: {to_good} {g}");
    let spread = share * (1.0 - share) * (1.0 + mu) / (1.0 - mu);
    assert!((loss - share).abs() <= 5.0 * (spread / nf).sqrt(), "loss: {loss} {share}");
    let bursts = nf * share * g;
    assert!(
        (burst - 1.0 / g).abs() <= 5.0 * ((1.0 - g) / (g * g) / bursts).sqrt() + 1e-9,
        "{burst}"
    );
}

#[test]
fn every_stepping_reproduces_g_and_b() {
    for (g, b) in [(0.3, 0.05), (0.02, 0.01), (0.5, 0.4)] {
        for stepping in [Stepping::Time, Stepping::Slot, Stepping::Packet] {
            let config = GilbertElliottConfig {
                stepping,
                g: p(g),
                b: p(b),
                slot: Some(SLOT),
                ..GilbertElliottConfig::default()
            };
            expect_chain(channel(config, 5), SLOT, g, b);
        }
    }
}

#[test]
fn a_negative_mu_alternates() {
    for stepping in [Stepping::Slot, Stepping::Packet] {
        let config = GilbertElliottConfig {
            stepping,
            g: p(0.9),
            b: p(0.8),
            slot: Some(SLOT),
            ..GilbertElliottConfig::default()
        };
        expect_chain(channel(config, 5), SLOT, 0.9, 0.8);
    }
}

#[test]
fn in_time_the_memory_is_exponential() {
    // Sampled every 3.5 slots, or every fifth of one, the chain's mu is mu^3.5 or mu^0.2.
    let (g, b) = (0.2f64, 0.1f64);
    let config = GilbertElliottConfig {
        g: p(g),
        b: p(b),
        slot: Some(SLOT),
        ..GilbertElliottConfig::default()
    };
    for (gap, slots) in [(Span::from_millis(35), 3.5), (Span::from_millis(2), 0.2)] {
        let step = (1.0 - detmath::pow(1.0 - g - b, slots)) / (g + b);
        expect_chain(channel(config.clone(), 9), gap, g * step, b * step);
    }
}

#[test]
fn a_paused_sender_returns_to_another_channel() {
    // The reason for `stepping = "time"` as the default: after a long pause the state is stationary again,
    // while a chain that steps by packet keeps its state.
    let config = |stepping| GilbertElliottConfig {
        stepping,
        g: p(0.01),
        b: p(0.01),
        slot: Some(SLOT),
        ..GilbertElliottConfig::default()
    };
    let returns_bad = |stepping| {
        let (mut bad_again, mut bad) = (0, 0);
        for seed in 0..2000 {
            let mut channel = channel(config(stepping), seed);
            if channel.loses(&frame(Nanos::ZERO, 0)) {
                bad += 1;
                let later = Nanos::ZERO + Span::from_secs(60);
                bad_again += u32::from(channel.loses(&frame(later, 1)));
            }
        }
        f64::from(bad_again) / f64::from(bad)
    };
    assert!((returns_bad(Stepping::Time) - 0.5).abs() < 5.0 * 0.5 / 31.0);
    assert!(returns_bad(Stepping::Packet) > 0.95);
}

#[test]
fn prr_and_mu_give_the_published_pairs() {
    // S1: P(11) = 0.064 at PRR 0.1 and 0.864 at PRR 0.9, both with mu = 0.6.
    for (prr, both) in [(0.1, 0.064), (0.9, 0.864)] {
        let Chain::Discrete { b, g, mu } = from_prr_and_mu(1.0 - prr, 0.6).unwrap() else {
            panic!("a discrete chain")
        };
        assert!((prr * (1.0 - b) - both).abs() < 1e-12);
        assert!((1.0 - g - b - mu).abs() < 1e-12);
    }
}

#[test]
fn the_five_ways_agree() {
    // PRR 0.75, mu 0.6: g = 0.3, b = 0.1, bursts of 10/3.
    let chain = |config: GilbertElliottConfig| chain(&config).unwrap();
    let d = GilbertElliottConfig::default;
    let ways = [
        chain(GilbertElliottConfig { g: p(0.3), b: p(0.1), ..d() }),
        chain(GilbertElliottConfig { prr: p(0.75), mu: Some(0.6), ..d() }),
        chain(GilbertElliottConfig { mean_loss: p(0.25), mean_burst: Some(10.0 / 3.0), ..d() }),
    ];
    for way in ways {
        let Chain::Discrete { g, b, mu } = way else { panic!("{way:?}") };
        assert!((g - 0.3).abs() < 1e-12 && (b - 0.1).abs() < 1e-12 && (mu - 0.6).abs() < 1e-12);
    }
    let ms = |x| Some(Span::from_millis(x));
    let direct = chain(GilbertElliottConfig { mean_good: ms(60), mean_bad: ms(20), ..d() });
    let by_loss = chain(GilbertElliottConfig { mean_loss: p(0.25), mean_bad: ms(20), ..d() });
    assert_eq!(direct, by_loss);
    // If half of the packets in the bad state are lost, a mean of 1/8 needs the same chain.
    let half =
        GilbertElliottConfig { mean_loss: p(0.125), mean_bad: ms(20), loss_bad: p(0.5), ..d() };
    assert_eq!(chain(half), direct);
}

#[test]
fn a_chain_that_loses_in_both_states() {
    let config = GilbertElliottConfig {
        g: p(0.2),
        b: p(0.1),
        loss_good: Probability::clamped(0.05),
        loss_bad: p(0.8),
        slot: Some(SLOT),
        ..GilbertElliottConfig::default()
    };
    let channel = channel(config, 3);
    let mean = channel.mean_loss().unwrap();
    assert!((mean - (0.8 + 2.0 * 0.05) / 3.0).abs() < 1e-12);
    let [.., loss, _] = measure(channel, SLOT, 400_000);
    assert!((loss - mean).abs() < 5.0 * (0.25 * 1.7 / 0.3 / 400_000.0f64).sqrt(), "{loss} {mean}");
}

#[test]
fn impossible_channels_are_refused() {
    let slot = Some(SLOT);
    let ms = |x| Some(Span::from_millis(x));
    let d = || GilbertElliottConfig { slot, ..GilbertElliottConfig::default() };
    let packet = Stepping::Packet;
    for (config, part) in [
        (d(), "found none"),
        (GilbertElliottConfig { g: p(0.1), ..d() }, "found g"),
        (GilbertElliottConfig { g: p(0.1), b: p(0.1), mu: Some(0.8), ..d() }, "found g, b, mu"),
        (GilbertElliottConfig { g: p(0.0), b: p(0.0), ..d() }, "at least one"),
        (
            GilbertElliottConfig { prr: p(0.7), mu: Some(-0.5), stepping: packet, ..d() },
            "between -0.428571",
        ),
        (GilbertElliottConfig { prr: p(0.7), mu: Some(1.0), ..d() }, "1 (excluded)"),
        (GilbertElliottConfig { prr: p(0.7), mu: Some(f64::NAN), ..d() }, "NaN is outside"),
        (GilbertElliottConfig { prr: p(0.7), mu: Some(-0.2), ..d() }, "stepping = \"slot\""),
        (GilbertElliottConfig { g: p(0.9), b: p(0.1), ..d() }, "stepping = \"slot\""),
        (GilbertElliottConfig { mean_loss: p(0.2), mean_burst: Some(0.5), ..d() }, "at least 1"),
        (GilbertElliottConfig { mean_loss: p(0.9), mean_burst: Some(2.0), ..d() }, "at least 9"),
        (
            GilbertElliottConfig { mean_loss: p(0.9), mean_bad: ms(1), loss_bad: p(0.8), ..d() },
            "between the loss of the good state",
        ),
        (GilbertElliottConfig { loss_bad: p(0.0), prr: p(0.5), mu: Some(0.5), ..d() }, "not above"),
        (
            GilbertElliottConfig { mean_loss: p(1.0), mean_bad: ms(1), ..d() },
            "no time for the good",
        ),
        (
            GilbertElliottConfig { mean_good: ms(1), mean_bad: ms(1), stepping: packet, ..d() },
            "steps in time",
        ),
        (GilbertElliottConfig { mean_good: ms(0), mean_bad: ms(1), ..d() }, "1 us or more"),
        (
            GilbertElliottConfig { g: p(0.5), b: p(0.4999), slot: Some(Span(1000)), ..d() },
            "too short to follow",
        ),
        (GilbertElliottConfig { slot: None, g: p(0.1), b: p(0.1), ..d() }, "loss.slot: missing"),
    ] {
        let message = build_err(&LossConfig::GilbertElliott(config));
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn the_limits_of_mu_are_allowed() {
    // At mu = -(1 - PRR)/PRR the chain always leaves its bad state after one step.
    let lowest = -0.3 / 0.7;
    let config = GilbertElliottConfig {
        stepping: Stepping::Packet,
        prr: p(0.7),
        mu: Some(lowest),
        ..GilbertElliottConfig::default()
    };
    let [_, to_good, ..] = measure(channel(config, 1), SLOT, 10_000);
    assert!((to_good - 1.0).abs() < 1e-12);
    // PRR 1 and PRR 0 are valid chains.
    for (prr, lost) in [(1.0, 0.0), (0.0, 1.0)] {
        let config = GilbertElliottConfig {
            prr: p(prr),
            mu: Some(0.5),
            slot: Some(SLOT),
            ..GilbertElliottConfig::default()
        };
        let [_, _, loss, _] = measure(channel(config, 1), SLOT, 1000);
        assert!((loss - lost).abs() < 1e-12);
    }
}
