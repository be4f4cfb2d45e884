//! The Gilbert-Elliott channel: a two-state chain, good and bad, with a loss probability in each.
//!
//! E. N. Gilbert, BSTJ 39(5), 1960; E. O. Elliott, BSTJ 42(5), 1963. In S1's notation `g` is the
//! probability of bad -> good and `b` of good -> bad from one packet to the next, `mu = 1 - g - b`;
//! from a packet reception ratio and mu, `g = PRR (1 - mu)` and `b = (1 - PRR)(1 - mu)`.
//! **Stepping.** A chain that steps only per packet stays in its bad state while a TCP sender backs
//! off, so by default the chain runs in continuous time. With rates `a` (good -> bad) and `c` (bad
//! -> good), the state sampled once per `slot` is a discrete chain with
//!
//! ```text
//! mu = exp(-(a + c) slot)     g = c/(a + c) (1 - mu)     b = a/(a + c) (1 - mu)
//! ```
//!
//! Solved for the rates: `a + c = -ln(mu)/slot`, `c = g/(g + b) (a + c)`, `a = b/(g + b) (a + c)`.
//! Packets sent once per slot then see exactly `g` and `b`; faster packets see a more persistent
//! channel, slower packets a less persistent one. This needs `0 < mu < 1`. `stepping = "slot"`
//! steps at slot boundaries, with or without traffic, and `"packet"` once per packet; both accept a
//! negative mu.
//!
//! The chain starts from its stationary distribution.

use airtcp_probe::ConfigError;
use airtcp_random::{Keyed, Seed, Stream};
use airtcp_units::{Saturate, Span, detmath};

use super::sojourn::{Alternation, Sojourns};
use super::{Build, Frame, LossModel, Model};

mod chain;
mod config;

use chain::{Chain, chain, loss_bad};
pub use config::{GilbertElliottConfig, Stepping};

#[derive(Debug, Clone)]
enum State {
    Exponential(Alternation<Exponential>),
    Geometric(Alternation<Geometric>),
    Packet { bad: bool, g: f64, b: f64, steps: Keyed },
}

/// Sojourn times of a chain in continuous time: means in nanoseconds, infinite if it never leaves.
#[derive(Debug, Clone)]
struct Exponential {
    good: f64,
    bad: f64,
}

impl Sojourns for Exponential {
    fn draw(&mut self, bad: bool, draws: &mut Stream) -> Span {
        let mean = if bad { self.bad } else { self.good };
        if mean.is_finite() {
            Span(u64::saturate(draws.exponential(mean) + 0.5))
        } else {
            Span::MAX
        }
    }
}

/// Sojourn times of a chain that steps once per slot.
#[derive(Debug, Clone)]
struct Geometric {
    g: f64,
    b: f64,
    slot: Span,
}

impl Sojourns for Geometric {
    fn draw(&mut self, bad: bool, draws: &mut Stream) -> Span {
        self.slot * draws.geometric(if bad { self.g } else { self.b })
    }
}

/// Gilbert-Elliott channel.
#[derive(Debug, Clone)]
pub struct GilbertElliott {
    state: State,
    loss_good: f64,
    loss_bad: f64,
    mean_loss: f64,
    draws: Keyed,
}

impl LossModel for GilbertElliott {
    #[inline]
    fn loses(&mut self, frame: &Frame) -> bool {
        let bad = match &mut self.state {
            State::Exponential(state) => state.at(frame.now),
            State::Geometric(state) => state.at(frame.now),
            State::Packet { bad, g, b, steps } => {
                let now = *bad;
                *bad ^= steps.unit(frame.ordinal) < if now { *g } else { *b };
                now
            }
        };
        let p = if bad { self.loss_bad } else { self.loss_good };
        // Outside 0 and 1 no draw is needed; a draw is below 1 always and never below 0.
        p >= 1.0 || (p > 0.0 && self.draws.unit(frame.ordinal) < p)
    }

    fn mean_loss(&self) -> Option<f64> {
        Some(self.mean_loss)
    }

    fn is_independent_of_traffic(&self) -> bool {
        !matches!(self.state, State::Packet { .. })
    }
}

impl Model for GilbertElliott {
    type Config = GilbertElliottConfig;

    fn build(c: &GilbertElliottConfig, build: &Build<'_>) -> Result<Self, ConfigError> {
        let chain = chain(c)?;
        let (loss_good, loss_bad) = (c.loss_good.get(), loss_bad(c));
        let share = chain.bad_share();
        let mut draws = build.seed.stream(&build.label("state"));
        let bad = draws.chance(share);
        let state = match c.stepping {
            Stepping::Packet => packet_state(chain, bad, build.seed, &build.label("step"))?,
            Stepping::Slot => slot_state(chain, bad, draws, slot(c, build)?)?,
            Stepping::Time => time_state(chain, bad, draws, c, build)?,
        };
        Ok(Self {
            state,
            loss_good,
            loss_bad,
            mean_loss: share * loss_bad + (1.0 - share) * loss_good,
            draws: build.seed.keyed(&build.label("frame")),
        })
    }

    #[cfg(test)]
    fn samples() -> Vec<GilbertElliottConfig> {
        tests::samples()
    }
}

fn slot(c: &GilbertElliottConfig, build: &Build<'_>) -> Result<Span, ConfigError> {
    build.slot(c.slot, "g, b, mu and mean_burst need the time between packets")
}

fn discrete(chain: Chain, stepping: &str) -> Result<(f64, f64, f64), ConfigError> {
    match chain {
        Chain::Discrete { g, b, mu } => Ok((g, b, mu)),
        Chain::Continuous { .. } => Err(ConfigError::new(
            "stepping",
            format!(
                "\"{stepping}\" needs g and b, prr and mu, or mean_loss and mean_burst; mean_good \
                 and mean_bad describe a chain that steps in time"
            ),
        )),
    }
}

fn packet_state(chain: Chain, bad: bool, seed: Seed, label: &str) -> Result<State, ConfigError> {
    let (g, b, _) = discrete(chain, "packet")?;
    Ok(State::Packet { bad, g, b, steps: seed.keyed(label) })
}

fn slot_state(
    chain: Chain,
    bad: bool,
    mut draws: Stream,
    slot: Span,
) -> Result<State, ConfigError> {
    let (g, b, _) = discrete(chain, "slot")?;
    let mut stays = Geometric { g, b, slot };
    // Geometric sojourns are memoryless: the rest of the first is distributed like a whole one.
    let first = stays.draw(bad, &mut draws);
    Ok(State::Geometric(Alternation::new(stays, draws, bad, first)))
}

fn time_state(
    chain: Chain,
    bad: bool,
    mut draws: Stream,
    c: &GilbertElliottConfig,
    build: &Build<'_>,
) -> Result<State, ConfigError> {
    let mut stays = match chain {
        Chain::Continuous { good, bad } => Exponential { good, bad },
        Chain::Discrete { g, b, mu } => {
            if mu <= 0.0 {
                return Err(ConfigError::new(
                    "mu",
                    format!(
                        "mu = 1 - g - b is {mu}, but a chain in continuous time always has mu = \
                         exp(-(a + c) slot) above 0; use stepping = \"slot\" or \"packet\""
                    ),
                ));
            }
            let rate = -detmath::ln(mu) / slot(c, build)?.0 as f64;
            Exponential { good: (g + b) / (b * rate), bad: (g + b) / (g * rate) }
        }
    };
    if stays.good.min(stays.bad) < 1e3 {
        let shorter = stays.good.min(stays.bad);
        return Err(ConfigError::new(
            "stepping",
            format!(
                "the chain would stay in a state for {shorter:.0} ns on average, which is too \
                 short to follow in time: it is at least 1 us"
            ),
        ));
    }
    // Exponential sojourns are memoryless.
    let first = stays.draw(bad, &mut draws);
    Ok(State::Exponential(Alternation::new(stays, draws, bad, first)))
}

#[cfg(test)]
mod tests;
