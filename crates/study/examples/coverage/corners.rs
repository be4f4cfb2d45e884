//! How often each interval holds a known truth, corner by corner: one definition for the sweep
//! (`examples/coverage`) and for the test (`tests/coverage.rs`).

#[path = "runs.rs"]
mod runs;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use airtcp_random::{Seed, Stream};
use airtcp_sim::Estimate;
use airtcp_sim::results::Range;
use airtcp_study::{StudyOptions, intervals, study};
use airtcp_trace::metrics;
use airtcp_trace::reader::{LinkTrace, Source};
use airtcp_trace::synth::LossyGe;
use airtcp_trace::{GeParams, SynthModel};
use airtcp_units::{Narrow, Outcomes, Span, detmath};

/// One interval under one truth.
pub(crate) struct Corner {
    /// Which interval.
    pub(crate) interval: &'static str,
    /// Under what truth.
    pub(crate) name: String,
    /// True if the method holds here; false where its assumptions do not, and the table shows what
    /// that costs.
    pub(crate) holds: bool,
    /// How much a draw costs, in draws of the cheapest.
    pub(crate) cost: u32,
    /// A draw's interval; `None` if the draw has no such interval.
    pub(crate) draw: Box<dyn Fn(u64) -> Option<Drawn>>,
}

/// The interval of a draw.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Drawn {
    /// Whether it holds the truth.
    pub(crate) covers: bool,
    /// Its width as a share of the truth (of a truth of 0, as it is); `None` if it is open.
    pub(crate) width: Option<f64>,
}

impl From<bool> for Drawn {
    fn from(covers: bool) -> Self {
        Self { covers, width: None }
    }
}

fn corner(
    interval: &'static str,
    name: String,
    cost: u32,
    draw: impl Fn(u64) -> Option<Drawn> + 'static,
) -> Corner {
    Corner { interval, name, holds: true, cost, draw: Box::new(draw) }
}

/// All corners.
pub(crate) fn corners() -> Vec<Corner> {
    let mut all = traces();
    all.extend(means());
    all.extend(runs::goodputs());
    all.extend(events());
    all.extend(comparisons());
    all.extend(runs::remedies());
    all.extend(runs::rare());
    all.extend(studies());
    all
}

fn inside([low, high]: [f64; 2], truth: f64) -> Drawn {
    let scale = if truth == 0.0 { 1.0 } else { truth.abs() };
    Drawn { covers: low <= truth && truth <= high, width: Some((high - low) / scale) }
}

fn covers(estimate: &Estimate, truth: f64) -> Option<Drawn> {
    // An end that is open excludes nothing.
    estimate.mean?;
    let (low, high) = (estimate.ci_low, estimate.ci_high);
    let ends = [low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY)];
    let found = inside(ends, truth);
    Some(Drawn { width: found.width.filter(|width| width.is_finite()), ..found })
}

/// PRR and mu of a trace, which has both outcomes in it.
fn traces() -> Vec<Corner> {
    let mut all = Vec::new();
    let chains = [
        (0.998, 0.0, 300),
        (0.99, 0.0, 300),
        (0.97, 0.0, 300),
        (0.9, 0.0, 300),
        (0.5, 0.0, 300),
        (0.99, 0.6, 300),
        (0.97, 0.9, 300),
        (0.9, 0.9, 300),
        (0.5, 0.9, 300),
        (0.5, 0.98, 300),
        (0.1, 0.6, 300),
        (0.998, 0.0, 10_000),
        (0.99, 0.9, 10_000),
        (0.9, 0.98, 10_000),
        (0.5, 0.6, 10_000),
        (0.5, -0.5, 10_000),
        (0.998, 0.0, 100_000),
        (0.998, 0.9, 100_000),
        (0.9, 0.3, 100_000),
        (0.5, 0.98, 100_000),
    ]; // (PRR, mu, packets)
    for (prr, mu, n) in chains {
        let Ok(params) = GeParams::from_prr_mu(prr, mu) else { continue };
        let name = format!("chain, PRR {prr}, mu {mu}, {n} packets");
        all.extend(trace(&name, SynthModel::GilbertElliott(params), prr, mu, n, true));
    }
    // No chains: hidden states whose mean lengths are (100, 100), (200, 20) and (5000, 2500) packets.
    for (b, g, good, bad, n, holds) in [
        (0.01, 0.01, 0.05, 0.5, 20_000, true),
        (0.005, 0.05, 0.001, 0.5, 20_000, true),
        (0.01, 0.01, 0.05, 0.5, 300, false),
        (0.0002, 0.0004, 0.02, 0.6, 100_000, false),
        (0.0002, 0.0004, 0.02, 0.6, 10_000, false),
    ] {
        let hidden = LossyGe { g, b, loss_good: good, loss_bad: bad };
        let (in_good, in_bad) = (g / (g + b), b / (g + b));
        let loss = in_good * good + in_bad * bad;
        let both = in_good * good * ((1.0 - b) * good + b * bad)
            + in_bad * bad * (g * good + (1.0 - g) * bad);
        let mu = both / loss - (loss - both) / (1.0 - loss);
        let name = format!(
            "hidden states of {:.0} and {:.0} packets that lose {good} and {bad}, {n} packets",
            1.0 / b,
            1.0 / g
        );
        all.extend(trace(&name, SynthModel::LossyGilbertElliott(hidden), 1.0 - loss, mu, n, holds));
    }
    all
}

fn trace(name: &str, model: SynthModel, prr: f64, mu: f64, n: usize, holds: bool) -> [Corner; 2] {
    let cost = u32::narrow(n / 500).max(1);
    let draw = move |model: &SynthModel, seed: u64| {
        let trace = model.generate(n, &mut Seed::new(seed).stream("coverage/trace")).ok()?;
        (trace.received() > 0 && trace.received() < n).then(|| metrics::intervals(&trace, 0.95))
    };
    let again = model.clone();
    let of_prr = corner("PRR", name.to_owned(), cost, move |seed| {
        draw(&model, seed)?.prr.map(|found| inside(found, prr))
    });
    let of_mu = corner("mu", name.to_owned(), cost, move |seed| {
        draw(&again, seed)?.mu.map(|found| inside(found, mu))
    });
    [Corner { holds, ..of_prr }, Corner { holds, ..of_mu }]
}

/// Standard normal by Box and Muller.
fn normal(stream: &mut Stream) -> f64 {
    let radius = (-2.0 * detmath::ln(stream.unit_positive())).sqrt();
    radius * detmath::cos(std::f64::consts::TAU * stream.unit_positive())
}

fn poisson(mean: f64, stream: &mut Stream) -> f64 {
    let (mut at, mut n) = (-detmath::ln(stream.unit_positive()), 0.0);
    while at < mean {
        n += 1.0;
        at -= detmath::ln(stream.unit_positive());
    }
    n
}

/// Lognormal with mean 1.
fn skewed(sigma: f64, stream: &mut Stream) -> f64 {
    detmath::exp(sigma * normal(stream) - sigma * sigma / 2.0)
}

fn list(n: u32, stream: &mut Stream, mut f: impl FnMut(&mut Stream) -> f64) -> Vec<f64> {
    (0..n).map(|_| f(stream)).collect()
}

fn means() -> Vec<Corner> {
    let mut all = Vec::new();
    for n in [2, 3, 5, 10, 20] {
        all.push(corner(
            "mean over replications",
            format!("normal, {n} replications"),
            1,
            move |seed| {
                let mut stream = Seed::new(seed).stream("coverage/mean");
                covers(&Estimate::of(list(n, &mut stream, normal)), 0.0)
            },
        ));
        for sigma in [0.3, 1.0] {
            let name =
                format!("lognormal, standard deviation of the logarithm {sigma}, {n} replications");
            all.push(corner("mean over replications", name, 1, move |seed| {
                let mut stream = Seed::new(seed).stream("coverage/skewed");
                let values = list(n, &mut stream, |s| skewed(sigma, s));
                covers(&Estimate::within(values, Range::NOT_NEGATIVE), 1.0)
            }));
        }
        // A share near 1, with a long tail away from it.
        let name = format!("share of 0.95 with a skewed rest, {n} replications");
        all.push(corner("mean over replications", name, 1, move |seed| {
            let mut stream = Seed::new(seed).stream("coverage/capped");
            let rest = |s: &mut Stream| (0.05 * skewed(0.7, s)).min(1.0);
            let values = list(n, &mut stream, |s| 1.0 - rest(s));
            covers(&Estimate::within(values, Range::SHARE), 0.95)
        }));
    }
    all
}

fn events() -> Vec<Corner> {
    let mut all = Vec::new();
    for n in [3, 10, 20] {
        for mean in [0.02, 0.1, 0.5, 2.0, 20.0] {
            let name = format!("independent events, {mean} a replication, {n} replications");
            all.push(corner("count over replications", name, 1, move |seed| {
                let mut stream = Seed::new(seed).stream("coverage/count");
                covers(&Estimate::of_counts(list(n, &mut stream, |s| poisson(mean, s))), mean)
            }));
        }
        for mean in [2.0, 20.0] {
            // Mean and scatter of a replication's rate are equal: variance mean + mean^2 / 4.
            let name = format!(
                "events whose rate scatters by half, {mean} a replication, {n} replications"
            );
            let of = corner("count over replications", name, 1, move |seed| {
                let mut stream = Seed::new(seed).stream("coverage/clustered");
                let draw = |s: &mut Stream| {
                    let rate = mean * skewed(0.47, s);
                    poisson(rate, s)
                };
                covers(&Estimate::of_counts(list(n, &mut stream, draw)), mean)
            });
            all.push(Corner { holds: n > 3, ..of });
        }
        // Few of them are lost, or few are not.
        for p in [1e-5_f64, 1e-4, 1e-3, 1e-2, 0.9999] {
            let name = format!("loss {p} of about 3000 packets a replication, {n} replications");
            let draw = move |seed: u64| -> Vec<(f64, f64)> {
                let mut stream = Seed::new(seed).stream("coverage/share");
                (0..n)
                    .map(|_| {
                        let sent = (3000.0 * skewed(0.3, &mut stream)).round();
                        let rare = poisson(p.min(1.0 - p) * sent, &mut stream).min(sent);
                        (if p > 0.5 { sent - rare } else { rare }, sent)
                    })
                    .collect()
            };
            all.push(corner("share of packets", name.clone(), 1, move |seed| {
                covers(&intervals::share(&draw(seed)), p)
            }));
            all.push(corner("share over replications", name, 1, move |seed| {
                let shares = draw(seed).into_iter().map(|(lost, sent)| (lost / sent, sent));
                covers(&Estimate::of_shares(shares), p)
            }));
        }
    }
    all
}

fn comparisons() -> Vec<Corner> {
    let mut all = Vec::new();
    for n in [3, 5, 10] {
        for (times, scatter) in [(1.0, 0.1), (5.0, 0.1), (5.0, 0.3)] {
            let pair = move |seed: u64| {
                let mut stream = Seed::new(seed).stream("coverage/pair");
                // The channel moves both; each has some of its own.
                let both = list(n, &mut stream, |s| skewed(scatter, s));
                let with = |s: &mut Stream| -> Vec<f64> {
                    both.iter().map(|x| x * skewed(scatter / 2.0, s)).collect()
                };
                let theirs = with(&mut stream);
                let ours: Vec<f64> = with(&mut stream).iter().map(|x| times * x).collect();
                intervals::difference(&ours, &theirs)
            };
            let name = format!("{times} times as much, scatter {scatter}, {n} replications");
            all.push(corner("paired difference", name.clone(), 1, move |seed| {
                covers(&pair(seed).absolute, times - 1.0)
            }));
            all.push(corner("paired difference in percent", name, 1, move |seed| {
                covers(&pair(seed).percent?, 100.0 * (times - 1.0))
            }));
        }
        let name = format!("four equal variants, {n} replications: none is called behind");
        all.push(corner("ranking", name, 1, move |seed| {
            let mut stream = Seed::new(seed).stream("coverage/ranking");
            let names = ["a", "b", "c", "d"].map(str::to_owned);
            let values: Vec<Vec<f64>> =
                names.iter().map(|_| list(n, &mut stream, normal)).collect();
            Some(
                intervals::ranking(&names, &values, &vec![false; names.len()])
                    .0
                    .worse
                    .is_empty()
                    .into(),
            )
        }));
    }
    all
}

fn link(outcomes: Outcomes) -> LinkTrace {
    LinkTrace {
        name: "link".into(),
        outcomes,
        interval: Some(Span::from_millis(10)),
        source: Source { path: PathBuf::from("link"), layout: "bits".into() },
        order_known: true,
        capacity: None,
        notes: Vec::new(),
        labels: BTreeMap::new(),
    }
}

fn studied(outcomes: Outcomes, replicas: u32, seed: u64) -> Option<airtcp_study::TcpStudy> {
    let analyse = metrics::AnalyseOptions { cpdf_max_k: 1, lags: Vec::new(), ..Default::default() };
    let options =
        StudyOptions { replicas, seed, workers: Some(1), analyse, ..StudyOptions::default() };
    let result = study(&[link(outcomes)], Vec::new(), &options, |_, _| true).ok()?;
    result.links.into_iter().next().map(|link| link.tcp)
}

/// TCP over a trace against TCP over independent links of its PRR.
fn studies() -> Vec<Corner> {
    let mut all = Vec::new();
    for prr in [0.995, 0.97, 0.9, 0.7, 0.4] {
        for (n, replicas) in [(2_000_usize, 20_u32), (2_000, 5)] {
            let draw = move |seed: u64, label: &str, prr: f64| {
                let model = SynthModel::Independent { prr };
                model.generate(n, &mut Seed::new(seed).stream(label)).ok()
            };
            let cost = u32::narrow(n) * (replicas + 1) / 2_000;
            let name = format!("independent losses, PRR {prr}, {n} packets, {replicas} replicas");
            all.push(corner("prediction of one more link", name.clone(), cost, move |seed| {
                let tcp = studied(draw(seed, "coverage/link", prr)?, replicas, seed)?;
                tcp.difference.independent.beyond_chance.map(|beyond| (!beyond).into())
            }));
            // A link that TCP gets more from: losses in bursts. Its replicas are what varies.
            let params = GeParams::from_prr_mu(prr, 0.9).ok();
            let of_gain = move |seed: u64| {
                let bursty = SynthModel::GilbertElliott(params?);
                let trace = bursty.generate(n, &mut Seed::new(1).stream("coverage/bursty")).ok()?;
                studied(trace, replicas, seed)
            };
            let truth = OnceCell::new();
            all.push(corner("gain in percent", name, cost, move |seed| {
                let truth = *truth.get_or_init(|| {
                    let mean = |seed: u64| {
                        let bursty = SynthModel::GilbertElliott(params?);
                        let trace = bursty.generate(n, &mut Seed::new(1).stream("coverage/bursty"));
                        let tcp = studied(trace.ok()?, 2_000, seed)?;
                        tcp.difference.independent.percent?.mean
                    };
                    mean(u64::MAX)
                });
                // Next to full use, and where next to nothing is delivered, there is no interval.
                let found = of_gain(seed)?.difference.independent.percent?;
                (found.ci_low.is_some() || found.ci_high.is_some())
                    .then(|| covers(&found, truth?))
                    .flatten()
            }));
        }
    }
    all
}
