//! Losses of one direction of the path, from its own random stream.

use airtcp_random::Stream;
use airtcp_units::{Nanos, Span};

/// The loss process.
#[derive(Debug, Clone, Copy)]
pub enum Loss {
    /// Each packet is lost with this probability.
    Independent(f64),
    /// Everything during exponential times of this mean; the first number is the share of lost
    /// time.
    Bursts(f64, Span),
    /// Everything between two times.
    Blackout(Nanos, Nanos),
    /// Each packet with this probability until a time, nothing afterwards.
    Until(f64, Nanos),
}

/// One direction with its losses.
#[derive(Debug)]
pub struct Channel {
    loss: Loss,
    draws: Stream,
    bad: bool,
    until: Nanos,
}

impl Channel {
    pub fn new(loss: Loss, mut draws: Stream) -> Self {
        let bad = matches!(loss, Loss::Bursts(p, _) if draws.chance(p));
        Self { loss, draws, bad, until: Nanos::ZERO }
    }

    pub fn takes(&mut self, now: Nanos) -> bool {
        match self.loss {
            Loss::Independent(p) => self.draws.chance(p),
            Loss::Blackout(from, to) => from <= now && now < to,
            Loss::Until(p, to) => now < to && self.draws.chance(p),
            Loss::Bursts(p, bad) => {
                if p <= 0.0 {
                    return false;
                }
                let mean = |is_bad: bool| {
                    let bad = bad.as_secs_f64();
                    if is_bad { bad } else { bad * (1.0 - p) / p }
                };
                while self.until <= now {
                    // The first period needs no special treatment: exponential times have no
                    // memory.
                    self.bad = if self.until == Nanos::ZERO { self.bad } else { !self.bad };
                    let stay = self.draws.exponential(mean(self.bad));
                    self.until += Span::from_secs_f64(stay).max(Span(1));
                }
                self.bad
            }
        }
    }
}
