//! Synthesisers of bursty links: each fits a model to a measured trace, from which similar links
//! are drawn.
//!
//! S1 (section 9) found that Gilbert-Elliott links of the same PRR and mu miss the rare long
//! bursts. The other models of the literature can be scored on the same trace by S1's two tests,
//! TCP's throughput and the longest burst (see `docs/models/prediction.md`).

use airtcp_units::Outcomes;

use super::chaotic::fit_chaotic_map;
use super::hidden::fit_hidden_markov;
use super::{RunLengthModel, fit_gilbert_elliott, tails};
use crate::metrics::{Bursts, RunStats, for_each_run};
use crate::synth::{Conditional, GeParams, Inhomogeneous, SemiMarkov, SynthModel};

/// Points of the conditional delivery function need this many samples to count.
const MIN_SAMPLES: u64 = 100;
/// Longest history of the conditional delivery function, packets.
const LONGEST_HISTORY: u64 = 100;
/// Window of the inhomogeneous chain, packets.
const WINDOW: usize = 1000;

/// A synthesiser.
#[derive(Debug, Clone, Copy)]
pub struct Synthesiser {
    /// Its name.
    pub name: &'static str,
    /// The statistics of the trace that it keeps.
    pub description: &'static str,
    /// Where it is from.
    pub source: &'static str,
    fit: fn(&Outcomes) -> Option<SynthModel>,
}

impl Synthesiser {
    /// The model of `trace`; `None` if the trace lacks what it needs (usually both outcomes).
    pub fn fit(&self, trace: &Outcomes) -> Option<SynthModel> {
        (self.fit)(trace)
    }
}

/// All synthesisers, the simplest first.
pub const SYNTHESISERS: &[Synthesiser] = &[
    Synthesiser {
        name: "independent",
        description: "Independent losses of the same PRR",
        source: "S1 section 3",
        fit: |trace| {
            (!trace.is_empty()).then(|| SynthModel::Independent {
                prr: trace.received() as f64 / trace.len() as f64,
            })
        },
    },
    Synthesiser {
        name: "gilbert-elliott",
        description: "Two states, the same PRR and mu",
        source: "Gilbert 1960; Elliott 1963; S1 section 5",
        fit: |trace| fit_gilbert_elliott(trace).map(|f| SynthModel::GilbertElliott(f.params)),
    },
    Synthesiser {
        name: "beta-factor",
        description: "The same conditional delivery function, hence beta, PRR and mu",
        source: "Srinivasan et al., SenSys 2008",
        fit: |trace| conditional(trace).map(SynthModel::Conditional),
    },
    Synthesiser {
        name: "inhomogeneous-markov",
        description: "Two states whose transition probabilities follow the trace's course",
        source: "Jiao, Schwiebert and Xu, LCN 2002",
        fit: |trace| inhomogeneous(trace).map(SynthModel::Inhomogeneous),
    },
    Synthesiser {
        name: "hidden-markov-2",
        description: "Two hidden states with loss in both",
        source: "Rabiner 1989",
        fit: |trace| fit_hidden_markov(trace, 2).map(|f| SynthModel::HiddenMarkov(f.0)),
    },
    Synthesiser {
        name: "hidden-markov-4",
        description: "Four hidden states",
        source: "Rabiner 1989",
        fit: |trace| fit_hidden_markov(trace, 4).map(|f| SynthModel::HiddenMarkov(f.0)),
    },
    Synthesiser {
        name: "semi-markov",
        description: "The run lengths of the trace, redrawn independently",
        source: "Semi-Markov process with empirical run lengths",
        fit: |trace| RunLengthModel::of(trace).map(SynthModel::SemiMarkov),
    },
    Synthesiser {
        name: "semi-markov-weibull",
        description: "Weibull run lengths of the same means",
        source: "Nakagawa and Osaki 1975",
        fit: |trace| tailed(trace, tails::weibull),
    },
    Synthesiser {
        name: "semi-markov-pareto",
        description: "Pareto run lengths of the same means, cut at the longest seen",
        source: "Discrete Pareto",
        fit: |trace| tailed(trace, tails::pareto),
    },
    Synthesiser {
        name: "chaotic-map",
        description: "A deterministic map with the means and the spread of the run lengths",
        source: "Koepke, Willig and Karl, INFOCOM 2003",
        fit: |trace| fit_chaotic_map(trace).map(SynthModel::ChaoticMap),
    },
];

/// The conditional delivery function of a trace. `None` without both outcomes.
fn conditional(trace: &Outcomes) -> Option<Conditional> {
    let runs = RunStats::of(trace);
    let stay = |bursts: &Bursts| -> Option<Vec<f64>> {
        if bursts.count == 0 {
            return None;
        }
        // Probability that a run of at least k continues; beyond the last well-sampled k, longer
        // runs share one geometric tail.
        let mut table = Vec::new();
        let (mut at_least, mut packets_beyond) = (bursts.count, bursts.packets);
        let mut ended = bursts.histogram.iter().peekable();
        for k in 1..=LONGEST_HISTORY {
            let here = ended.next_if(|(length, _)| *length == k).map_or(0, |(_, n)| *n);
            if at_least < MIN_SAMPLES || k == LONGEST_HISTORY || at_least == here {
                break;
            }
            table.push(1.0 - here as f64 / at_least as f64);
            packets_beyond -= at_least;
            at_least -= here;
        }
        // `at_least` runs end once each in the packets beyond k.
        let end = at_least as f64 / (packets_beyond as f64).max(at_least as f64);
        table.push(1.0 - end);
        Some(table)
    };
    let after_success = stay(&runs.success)?;
    let after_loss = stay(&runs.loss)?.into_iter().map(|stay| 1.0 - stay).collect();
    Some(Conditional { after_success, after_loss })
}

/// g and b over time. `None` without both outcomes.
fn inhomogeneous(trace: &Outcomes) -> Option<Inhomogeneous> {
    if trace.received() == 0 || trace.received() == trace.len() {
        return None;
    }
    let whole = fit_gilbert_elliott(trace)?.params;
    let mut course = Vec::new();
    let mut at = 0;
    while at < trace.len() {
        let end = trace.len().min(at + WINDOW);
        let window = trace.slice(at..end);
        let (mut runs, mut packets) = ([0u64; 2], [0u64; 2]);
        for_each_run(&window, |received, length| {
            runs[usize::from(received)] += 1;
            packets[usize::from(received)] += length;
        });
        // A run that continues beyond the window does not end in it.
        if let (Some(last), Some(next)) = (trace.get(end - 1), trace.get(end))
            && last == next
        {
            runs[usize::from(last)] -= 1;
        }
        let leave = |i: usize, otherwise: f64| match packets[i] {
            0 => otherwise,
            n => runs[i] as f64 / n as f64,
        };
        course.push(GeParams { g: leave(0, whole.g), b: leave(1, whole.b) });
        at = end;
    }
    Some(Inhomogeneous { window: WINDOW as u64, course })
}

/// Semi-Markov runs with lengths fitted by `law`.
fn tailed(
    trace: &Outcomes,
    law: fn(&Bursts) -> Option<crate::synth::RunLengths>,
) -> Option<SynthModel> {
    let runs = RunStats::of(trace);
    let (success, loss) = (law(&runs.success)?, law(&runs.loss)?);
    Some(SynthModel::SemiMarkov(SemiMarkov { success, loss }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{Pairs, beta, cpdf};
    use airtcp_random::Seed;

    fn bursty() -> Outcomes {
        let model = SemiMarkov::rare_long_bursts(0.45, 0.6, 0.004, 300.0).unwrap();
        SynthModel::SemiMarkov(model).generate(60_000, &mut Seed::new(9).stream("link")).unwrap()
    }

    /// Every synthesiser keeps the reception ratio it promises.
    #[test]
    fn reception_ratios_are_kept() {
        let trace = bursty();
        let prr = |t: &Outcomes| t.received() as f64 / t.len() as f64;
        for s in SYNTHESISERS {
            let model = s.fit(&trace).unwrap();
            let mean = (0..8)
                .map(|i| prr(&model.generate(60_000, &mut Seed::new(i).stream("x")).unwrap()))
                .sum::<f64>()
                / 8.0;
            let band = if s.name == "chaotic-map" { 0.08 } else { 0.03 };
            assert!((mean - prr(&trace)).abs() < band, "{}: {mean} for {}", s.name, prr(&trace));
        }
    }

    #[test]
    fn the_conditional_model_keeps_beta_and_mu() {
        let trace = bursty();
        let model = SYNTHESISERS[2].fit(&trace).unwrap();
        let drawn = model.generate(200_000, &mut Seed::new(1).stream("x")).unwrap();
        let of = |t: &Outcomes| {
            let prr = t.received() as f64 / t.len() as f64;
            let points = cpdf(&RunStats::of(t), 100, 1);
            (beta(&points, prr, 100).unwrap(), Pairs::of(t).mu().unwrap())
        };
        let ((beta_a, mu_a), (beta_b, mu_b)) = (of(&trace), of(&drawn));
        assert!((beta_a - beta_b).abs() < 0.05, "{beta_a} {beta_b}");
        assert!((mu_a - mu_b).abs() < 0.01, "{mu_a} {mu_b}");
    }

    #[test]
    fn an_inhomogeneous_link_keeps_its_course() {
        // Good for 20000 packets, bad for 20000.
        let half = |prr: f64, seed| {
            let chain = GeParams::from_prr_mu(prr, 0.5).unwrap();
            SynthModel::GilbertElliott(chain).generate(20_000, &mut Seed::new(seed).stream("h"))
        };
        let trace: Outcomes =
            half(0.9, 1).unwrap().iter().chain(half(0.2, 2).unwrap().iter()).collect();
        let model = SYNTHESISERS[3].fit(&trace).unwrap();
        let drawn = model.generate(40_000, &mut Seed::new(3).stream("x")).unwrap();
        let prr = |t: Outcomes| t.received() as f64 / t.len() as f64;
        assert!((prr(drawn.slice(0..20_000)) - 0.9).abs() < 0.03);
        assert!((prr(drawn.slice(20_000..40_000)) - 0.2).abs() < 0.03);
    }

    #[test]
    fn links_without_both_outcomes() {
        for trace in [[true; 50], [false; 50]] {
            let trace: Outcomes = trace.into_iter().collect();
            for s in SYNTHESISERS {
                assert_eq!(s.fit(&trace).is_some(), s.name == "independent", "{}", s.name);
            }
        }
    }
}
