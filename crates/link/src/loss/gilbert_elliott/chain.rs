//! Derives a Gilbert-Elliott chain from its scenario table.
//!
//! Five pairs of keys describe a chain. This file converts the given pair into transition
//! probabilities or mean sojourn times, and rejects impossible chains.

use airtcp_probe::ConfigError;
use airtcp_units::{Probability, Span};

use super::config::GilbertElliottConfig;
use crate::loss::at_least_a_microsecond;

/// A chain before a stepping is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Chain {
    /// Transition probabilities from one slot or packet to the next.
    Discrete { g: f64, b: f64, mu: f64 },
    /// Mean sojourn times, in nanoseconds.
    Continuous { good: f64, bad: f64 },
}

impl Chain {
    /// Share of the time in the bad state.
    pub(super) fn bad_share(self) -> f64 {
        match self {
            Self::Discrete { g, b, .. } => b / (g + b),
            Self::Continuous { good, bad } => bad / (good + bad),
        }
    }
}

pub(super) fn loss_bad(c: &GilbertElliottConfig) -> f64 {
    c.loss_bad.map_or(1.0, Probability::get)
}

/// Reads the chain from the pair of keys given.
pub(super) fn chain(c: &GilbertElliottConfig) -> Result<Chain, ConfigError> {
    let given = [
        ("g", c.g.is_some()),
        ("b", c.b.is_some()),
        ("prr", c.prr.is_some()),
        ("mu", c.mu.is_some()),
        ("mean_loss", c.mean_loss.is_some()),
        ("mean_burst", c.mean_burst.is_some()),
        ("mean_good", c.mean_good.is_some()),
        ("mean_bad", c.mean_bad.is_some()),
    ];
    let given: Vec<&str> = given.iter().filter(|(_, is)| *is).map(|(key, _)| *key).collect();
    let chain = match (given.as_slice(), c) {
        (["g", "b"], GilbertElliottConfig { g: Some(g), b: Some(b), .. }) => {
            from_transitions(g.get(), b.get())?
        }
        (["prr", "mu"], GilbertElliottConfig { prr: Some(prr), mu: Some(mu), .. }) => {
            from_prr_and_mu(bad_share(c, "prr", 1.0 - prr.get())?, *mu)?
        }
        (
            ["mean_loss", "mean_burst"],
            GilbertElliottConfig { mean_loss: Some(loss), mean_burst: Some(burst), .. },
        ) => from_loss_and_burst(bad_share(c, "mean_loss", loss.get())?, *burst)?,
        (
            ["mean_good", "mean_bad"],
            GilbertElliottConfig { mean_good: Some(good), mean_bad: Some(bad), .. },
        ) => Chain::Continuous {
            good: at_least_a_microsecond("mean_good", *good)?.0 as f64,
            bad: at_least_a_microsecond("mean_bad", *bad)?.0 as f64,
        },
        (
            ["mean_loss", "mean_bad"],
            GilbertElliottConfig { mean_loss: Some(loss), mean_bad: Some(bad), .. },
        ) => from_loss_and_stay(bad_share(c, "mean_loss", loss.get())?, *bad)?,
        _ => {
            let found = if given.is_empty() { "none of them".to_owned() } else { given.join(", ") };
            return Err(ConfigError::new(
                "",
                format!(
                    "the chain is given by g and b, by prr and mu, by mean_loss and mean_burst, \
                     by mean_good and mean_bad, or by mean_loss and mean_bad; found {found}"
                ),
            ));
        }
    };
    Ok(chain)
}

/// Share of the time in the bad state for a mean loss of `mean`.
fn bad_share(c: &GilbertElliottConfig, key: &'static str, mean: f64) -> Result<f64, ConfigError> {
    let (good, bad) = (c.loss_good.get(), loss_bad(c));
    if bad <= good {
        return Err(ConfigError::new(
            "loss_bad",
            format!("the loss of the bad state, {bad}, is not above that of the good one, {good}"),
        ));
    }
    if !(good..=bad).contains(&mean) {
        return Err(ConfigError::new(
            key,
            format!(
                "a mean loss of {mean} cannot be: it lies between the loss of the good state, \
                 {good}, and that of the bad one, {bad}"
            ),
        ));
    }
    Ok((mean - good) / (bad - good))
}

fn from_transitions(g: f64, b: f64) -> Result<Chain, ConfigError> {
    if g + b == 0.0 {
        return Err(ConfigError::new(
            "g",
            "with g and b both 0 the chain never changes its state and has no long run; \
             at least one of them is above 0",
        ));
    }
    Ok(Chain::Discrete { g, b, mu: 1.0 - g - b })
}

fn from_loss_and_stay(share: f64, bad: Span) -> Result<Chain, ConfigError> {
    let bad = at_least_a_microsecond("mean_bad", bad)?.0 as f64;
    if share >= 1.0 {
        return Err(ConfigError::new(
            "mean_loss",
            "a mean loss equal to that of the bad state leaves no time for the good one",
        ));
    }
    Ok(Chain::Continuous { good: bad * (1.0 - share) / share, bad })
}

/// S1: `b = (1 - PRR)(1 - mu)`, `g = PRR (1 - mu)`, for `share = 1 - PRR`.
pub(super) fn from_prr_and_mu(share: f64, mu: f64) -> Result<Chain, ConfigError> {
    let (good, bad) = (1.0 - share, share);
    // g <= 1 and b <= 1, solved for mu; a division by 0 gives no limit.
    let lowest = f64::max(-(good / bad), -(bad / good)).max(-1.0);
    // Tolerates one rounding error beside the exact limit.
    if !(mu >= lowest - 1e-12 && mu < 1.0) {
        return Err(ConfigError::new(
            "mu",
            format!(
                "{mu} is outside its range: for a chain that is good {good} of the time, mu lies \
                 between {lowest:.6} (included) and 1 (excluded), or g = {good} (1 - mu) and b = \
                 {bad} (1 - mu) are no probabilities"
            ),
        ));
    }
    let (g, b) = ((good * (1.0 - mu)).min(1.0), (bad * (1.0 - mu)).min(1.0));
    Ok(Chain::Discrete { g, b, mu })
}

/// `g = 1/burst`; `b` follows from the balance `b (1 - share) = g share`.
fn from_loss_and_burst(share: f64, burst: f64) -> Result<Chain, ConfigError> {
    if !(burst >= 1.0 && burst.is_finite()) {
        return Err(ConfigError::new(
            "mean_burst",
            format!("{burst} is not a mean burst length: bursts have at least 1 packet"),
        ));
    }
    let g = 1.0 / burst;
    let b = g * share / (1.0 - share);
    if b > 1.0 {
        let least = share / (1.0 - share);
        return Err(ConfigError::new(
            "mean_burst",
            format!(
                "with the bad state taking {share} of the time, bursts of {burst} packets would \
                 have to follow each other without a good packet between; the mean burst is at \
                 least {least:.6}"
            ),
        ));
    }
    Ok(Chain::Discrete { g, b, mu: 1.0 - g - b })
}
