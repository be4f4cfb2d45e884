//! Performance of LL-ARQ and LL-HARQ under independent losses, in closed form.
//!
//! `p` is the loss probability of a unit. The link is saturated; goodput is a share of its rate.

use airtcp_units::detmath;

/// Probabilities of 0 to `n` losses among `n` units: Bin(n, p).
pub fn binomial(n: u16, p: f64) -> Vec<f64> {
    let mut all = vec![1.0];
    for _ in 0..n {
        let mut next = vec![0.0; all.len() + 1];
        for (k, mass) in all.iter().enumerate() {
            if let Some(stays) = next.get_mut(k) {
                *stays += mass * (1.0 - p);
            }
            if let Some(lost) = next.get_mut(k + 1) {
                *lost += mass * p;
            }
        }
        all = next;
    }
    all
}

fn power(base: f64, n: u16) -> f64 {
    detmath::pow(base, f64::from(n))
}

/// LL-ARQ with an accumulating receiver: P(a frame of `units` units is incomplete after `attempts`
/// transmissions), `1 - (1 - p^a)^units`.
pub fn arq_undelivered(units: u16, p: f64, attempts: u16) -> f64 {
    // 1 - (1 - x)^n without cancellation for small x: x times a sum of powers.
    let x = power(p, attempts);
    (0..units).map(|k| x * power(1.0 - x, k)).sum()
}

/// LL-ARQ: mean transmissions of a frame, the sum of [`arq_undelivered`] over 0 to
/// `attempts - 1` of them.
pub fn arq_rounds(units: u16, p: f64, attempts: u16) -> f64 {
    (0..attempts).map(|a| arq_undelivered(units, p, a)).sum()
}

/// LL-ARQ: goodput as a share of the link's rate if each attempt sends all fragments.
pub fn arq_whole_share(units: u16, p: f64, attempts: u16) -> f64 {
    (1.0 - arq_undelivered(units, p, attempts)) / arq_rounds(units, p, attempts)
}

/// LL-ARQ: goodput as a share of the link's rate if retransmissions send only missing fragments. A
/// fragment is sent `(1 - p^a)/(1 - p)` times on average.
pub fn arq_selective_share(units: u16, p: f64, attempts: u16) -> f64 {
    let sent = if p < 1.0 { (1.0 - power(p, attempts)) / (1.0 - p) } else { f64::from(attempts) };
    (1.0 - arq_undelivered(units, p, attempts)) / sent
}

/// Expected outcome of an LL-HARQ block of `units` units, `parity` of them PFEC. `demand` gives the RFEC
/// units sent for a number of missing units. Counts are units per frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HarqBlock {
    /// P(the first transmission decodes the block).
    pub decoded_at_once: f64,
    /// P(neither the first transmission nor the repair decodes the block).
    pub residual: f64,
    /// PFEC units that arrive unneeded, `E[(P - L)+]`.
    pub pfec_wasted: f64,
    /// RFEC units sent.
    pub rfec: f64,
    /// RFEC units that arrive unneeded.
    pub rfec_wasted: f64,
    /// Goodput as a share of the link's rate.
    pub goodput_share: f64,
}

/// Computes [`HarqBlock`].
pub fn harq_block(units: u16, parity: u16, p: f64, demand: impl Fn(u16) -> u16) -> HarqBlock {
    let mut block = HarqBlock::default();
    for (lost, mass) in (0u16..).zip(binomial(units, p)) {
        let Some(need) = lost.checked_sub(parity).filter(|x| *x > 0) else {
            block.decoded_at_once += mass;
            block.pfec_wasted += mass * f64::from(parity - lost);
            continue;
        };
        let sent = demand(need);
        block.rfec += mass * f64::from(sent);
        for (lost, share) in (0u16..).zip(binomial(sent, p)) {
            let arrived = sent - lost;
            if arrived < need {
                block.residual += mass * share;
            } else {
                block.rfec_wasted += mass * share * f64::from(arrived - need);
            }
        }
    }
    let data = f64::from(units - parity);
    block.goodput_share = data * (1.0 - block.residual) / (f64::from(units) + block.rfec);
    block
}
