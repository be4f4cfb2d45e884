//! The probabilities of DualPI2 (RFC 9332, sections 2.1 and 2.4, figures 4 to 8).
//!
//! ```text
//! d      longest wait of a packet in either queue, 0 if both are empty; d' at the update before
//! p'     p' + alpha (d - target) + beta (d - d'), within 0..1, every `update`
//! p_C    p'^2                                        p_CL = min(k p', 1), so that p_C = (p_CL/k)^2
//! p'_L   0 up to ramp_start, 1 from ramp_start + ramp, straight in between
//! ```

use airtcp_units::{Nanos, Span};

use super::config::DualPi2Config;

/// Marks the share of packets that a probability demands, evenly (`recur` of figure 4).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Recur {
    count: f64,
}

impl Recur {
    /// True if the next packet is struck.
    pub(super) fn strikes(&mut self, likelihood: f64) -> bool {
        self.count += likelihood.min(1.0);
        let struck = self.count > 1.0;
        if struck {
            self.count -= 1.0;
        }
        struck
    }
}

/// Probability p'_L of the queue of scalable flows by its own wait (`laqm` of figure 5).
pub(super) fn native(wait: Span, config: &DualPi2Config) -> f64 {
    let above = wait.0.saturating_sub(config.ramp_start.0);
    if above >= config.ramp.0 {
        // A step is at its threshold already (line 2 of figure 5).
        return if wait >= config.ramp_start { 1.0 } else { 0.0 };
    }
    above as f64 / config.ramp.0 as f64
}

/// Probability p_Cmax from which ECN does not protect from drops: 1/k^2 (A.2).
pub(super) fn overload_from(config: &DualPi2Config) -> f64 {
    (config.coupling * config.coupling).recip().min(1.0)
}

/// The PI controller of the base probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Controller {
    /// p'
    pub(super) base: f64,
    /// The wait at the last update.
    pub(super) last: Span,
    pub(super) next: Nanos,
}

impl Controller {
    pub(super) fn new(config: &DualPi2Config) -> Self {
        Self { base: 0.0, last: Span::ZERO, next: Nanos::ZERO + config.update }
    }

    /// p_CL
    pub(super) fn coupled(&self, config: &DualPi2Config) -> f64 {
        (config.coupling * self.base).min(1.0)
    }

    /// p_C
    pub(super) const fn classic(&self) -> f64 {
        self.base * self.base
    }

    /// Updates the base probability with the longest wait.
    pub(super) fn update(&mut self, wait: Span, config: &DualPi2Config) {
        let seconds = |span: Span| span.as_secs_f64();
        let error = seconds(wait) - seconds(config.target);
        let change = seconds(wait) - seconds(self.last);
        self.base = (self.base + config.alpha * error + config.beta * change).clamp(0.0, 1.0);
        self.last = wait;
    }

    /// Makes the updates that are due by `now`; since the last call, the packet that waits longest has been one that
    /// arrived at `oldest`.
    pub(super) fn catch_up(&mut self, now: Nanos, oldest: Option<Nanos>, config: &DualPi2Config) {
        while self.next <= now {
            let before = self.base;
            let wait = |at: Nanos| oldest.map_or(Span::ZERO, |oldest| at.since(oldest));
            let last = self.last;
            self.update(wait(self.next), config);
            self.next += config.update;
            // At a bound to which all later updates lead, too: only the last one counts.
            let stays = self.base.total_cmp(&before).is_eq()
                && (oldest.is_none() && last == Span::ZERO
                    || oldest.is_some() && self.base >= 1.0 && self.last > config.target);
            let left = now.since(self.next).0 / config.update.0;
            if stays && self.next <= now && left > 0 {
                self.next += Span(left * config.update.0);
                self.last = wait(Nanos(self.next.0 - config.update.0));
            }
        }
    }
}
