//! Correlated losses as Linux's netem draws them (`tc qdisc add ... netem loss P CORRELATION`).
//!
//! `get_crandom` and `loss_event` of `net/sched/sch_netem.c`, in fixed point of 32 bits, with `u` uniform:
//!
//! ```text
//! x = rho x' + (1 - rho) u          x' of the packet before
//! lost if x <= p
//! ```
//!
//! A mean of uniform numbers is not uniform, so the share of losses is not `p`, and bursts are short: see
//! `docs/models/loss-models.md`. The model is for comparisons with netem; [`gilbert-elliott`](super::GilbertElliott)
//! has the loss and the burst length that one asks for. Without correlation, the losses are independent with `p`.
//!
//! `tc` converts a probability to `rint(p (2^32 - 1))`. The state begins at a random number. Draws depend on the
//! packet's number on the link, and the state steps once per packet, with or without pauses.

use airtcp_probe::ConfigError;
use airtcp_random::Keyed;
use airtcp_units::{LowBits, Narrow, Probability, Saturate};

use super::{Build, Frame, LossModel, Model};

/// Correlated losses of netem.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetemCorrelatedConfig {
    /// Probability that netem is given, for instance "10 %". With a correlation the share of losses is another one.
    pub probability: Probability,
    /// Correlation that netem is given, for instance "25 %": the weight of the last random number.
    pub correlation: Probability,
}

/// Correlated losses of netem.
#[derive(Debug, Clone)]
pub struct NetemCorrelated {
    probability: u32,
    rho: u32,
    last: u32,
    draws: Keyed,
}

/// A share of 1 as `tc` passes it to the kernel.
fn fixed_point(share: Probability) -> u32 {
    let scaled = share.get() * f64::from(u32::MAX);
    u32::narrow(u64::saturate(scaled.round_ties_even()))
}

impl NetemCorrelated {
    /// `get_crandom`.
    fn draw(&mut self, ordinal: u64) -> u32 {
        let value = u32::narrow(self.draws.bits(ordinal) >> 32);
        if self.rho == 0 {
            return value;
        }
        let rho = u64::from(self.rho) + 1;
        let mixed = u64::from(value) * ((1 << 32) - rho) + u64::from(self.last) * rho;
        self.last = u32::narrow(mixed >> 32);
        self.last
    }
}

impl LossModel for NetemCorrelated {
    fn loses(&mut self, frame: &Frame) -> bool {
        let drawn = self.draw(frame.ordinal);
        self.probability > 0 && self.probability >= drawn
    }

    /// Known only without correlation.
    fn mean_loss(&self) -> Option<f64> {
        match (self.probability, self.rho) {
            (0, _) => Some(0.0),
            (u32::MAX, _) => Some(1.0),
            (p, 0) => Some(f64::from(p) / f64::from(u32::MAX)),
            _ => None,
        }
    }

    fn is_independent_of_traffic(&self) -> bool {
        self.rho == 0
    }
}

impl Model for NetemCorrelated {
    type Config = NetemCorrelatedConfig;

    fn build(config: &NetemCorrelatedConfig, build: &Build<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            probability: fixed_point(config.probability),
            rho: fixed_point(config.correlation),
            last: u32::low_bits(build.seed.number(&build.label("state"))),
            draws: build.seed.keyed(&build.label("frame")),
        })
    }

    #[cfg(test)]
    fn samples() -> Vec<NetemCorrelatedConfig> {
        [(0.0, 0.5), (0.1, 0.0), (0.25, 0.5), (0.4, 0.9), (0.5, 1.0), (1.0, 0.25)]
            .map(|(p, rho)| NetemCorrelatedConfig {
                probability: Probability::clamped(p),
                correlation: Probability::clamped(rho),
            })
            .into()
    }
}

#[cfg(test)]
mod tests {
    use airtcp_random::Seed;
    use airtcp_units::Nanos;
    use proptest::prelude::*;

    use super::*;
    use crate::LossConfig;
    use crate::loss::conformance::{build, frame};

    fn config(probability: f64, correlation: f64) -> LossConfig {
        let [probability, correlation] = [probability, correlation].map(Probability::clamped);
        LossConfig::NetemCorrelated(NetemCorrelatedConfig { probability, correlation })
    }

    /// Share of losses, and probability of a loss after a loss.
    fn shares(probability: f64, correlation: f64, packets: u64) -> (f64, f64) {
        let mut model = build(&config(probability, correlation), 7);
        let (mut lost, mut pairs, mut before) = (0u64, 0u64, false);
        for n in 0..packets {
            let now = model.loses(&frame(Nanos(n), n));
            lost += u64::from(now);
            pairs += u64::from(now && before);
            before = now;
        }
        (lost as f64 / packets as f64, pairs as f64 / lost as f64)
    }

    /// With rho = 1/2, x is the sum of u_k / 2^(k+1), and its distribution function is that of Fabius (1966), which
    /// is known at 2^-n: F(1/2) = 1/2, F(1/4) = 5/72, F(1/8) = 1/288, F(1/16) = 143/2073600.
    #[test]
    fn a_correlation_of_half_has_the_shares_of_fabius() {
        let packets = 4_000_000;
        for (p, expected) in
            [(0.5, 0.5), (0.25, 5.0 / 72.0), (0.125, 1.0 / 288.0), (0.0625, 143.0 / 2_073_600.0)]
        {
            let (share, _) = shares(p, 0.5, packets);
            // Five standard errors; correlation widens them by at most sqrt((1 + 1/2) / (1 - 1/2)).
            let error = (3.0 * expected * (1.0 - expected) / packets as f64).sqrt();
            assert!((share - expected).abs() < 5.0 * error, "{p}: {share} {expected}");
        }
    }

    /// `(p - rho x) / (1 - rho)` lies between p and p / (1 - rho) after a loss, whose x is between 0 and p.
    #[test]
    fn a_loss_follows_a_loss_with_little_more_than_p() {
        for (p, rho) in [(0.1, 0.25), (0.1, 0.5), (0.3, 0.25), (0.3, 0.5), (0.2, 0.75)] {
            let (_, again) = shares(p, rho, 4_000_000);
            assert!(again > 0.97 * p && again < 1.03 * p / (1.0 - rho), "{p} {rho}: {again}");
        }
    }

    #[test]
    fn without_correlation_losses_are_independent() {
        let (share, again) = shares(0.2, 0.0, 1_000_000);
        assert!((share - 0.2).abs() < 0.002 && (again - 0.2).abs() < 0.005, "{share} {again}");
    }

    #[test]
    fn percentages_are_those_of_tc() {
        let of = |p: f64| fixed_point(Probability::clamped(p));
        // 10 % of 2^32 - 1 is 429496729.5, and `rint` rounds to even.
        assert_eq!([of(0.0), of(0.1), of(0.5), of(1.0)], [0, 429_496_730, 2_147_483_648, u32::MAX]);
    }

    proptest! {
        /// Another implementation, in whole numbers without shifts, from the draws and the initial state.
        #[test]
        fn it_is_the_recursion_of_the_kernel(p in 0.0f64..=1.0, rho in 0.0f64..=1.0, seed: u64) {
            let mut model = build(&config(p, rho), seed);
            let seed = Seed::new(seed);
            let draws = seed.keyed("link/0/loss/frame");
            let units = |share: f64| i128::from(u64::saturate((share * 4_294_967_295.0 + 0.5).floor()));
            let (all, weight) = (1i128 << 32, units(rho) + 1);
            let mut x = i128::from(seed.number("link/0/loss/state")) % all;
            for n in 0..200 {
                let u = i128::from(draws.bits(n)) / all;
                x = if weight == 1 { u } else { u + (weight * (x - u)).div_euclid(all) };
                let expected = units(p) > 0 && x <= units(p);
                prop_assert_eq!(model.loses(&frame(Nanos(n), n)), expected);
            }
        }
    }
}
