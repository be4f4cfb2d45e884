//! The statistics of a delivery trace (S1 sections 4, 5 and 8; all definitions are in
//! `docs/models/trace-metrics.md`).
//!
//! [`analyse`] computes all of them; the parts are public, too. All counts work on 64 packets at a
//! time.

mod class;
mod convergence;
mod counts;
mod cpdf;
mod excess;
mod interval;
mod proportion;
mod runs;
mod start;

use airtcp_units::Outcomes;
use serde::{Deserialize, Serialize};

use crate::reader::LinkTrace;

pub use class::Class;
use convergence::{CONFIDENCE, convergence_from};
pub use convergence::{Convergence, ConvergenceOptions, convergence};
pub use counts::Pairs;
pub use cpdf::{CpdfPoint, autocorrelation, beta, cpdf};
pub use excess::{burst_excess, residual_burst};
pub use interval::{Intervals, intervals};
pub use proportion::proportion_interval;
pub use runs::{Bursts, RunStats, expected_longest, for_each_run};
pub use start::{Start, start};

/// Options of the statistics. The defaults are S1's where S1 states them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AnalyseOptions {
    /// Coverage of the intervals.
    pub confidence: f64,
    /// Longest history of the conditional delivery function, packets.
    pub cpdf_max_k: u32,
    /// Fewest samples of a reported point of that function.
    pub cpdf_min_samples: u64,
    /// Fewest samples for a point to count towards beta.
    pub beta_min_samples: u64,
    /// Lags of the autocorrelation, packets.
    pub lags: Vec<u64>,
    /// When mu counts as converged.
    pub convergence: ConvergenceOptions,
    /// Also compute the statistics that depend on the order of packets if the file has no order and
    /// it was drawn at random. They are then values of a drawn trace, not of the link.
    pub drawn_order: bool,
}

impl Default for AnalyseOptions {
    fn default() -> Self {
        Self {
            confidence: 0.95,
            cpdf_max_k: 100,
            cpdf_min_samples: 10,
            beta_min_samples: 100,
            lags: vec![1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000],
            convergence: ConvergenceOptions::default(),
            drawn_order: false,
        }
    }
}

/// The statistics of one link. A quantity that the trace does not determine is `None` (`null` in
/// JSON).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LinkStats {
    /// Packets sent.
    pub packets: u64,
    /// Packets received.
    pub received: u64,
    /// Packet reception ratio, received / packets.
    pub prr: f64,
    /// Its 95 % interval, `[low, high]`: exact, for the equivalent number of independent packets.
    pub prr_ci: Option<[f64; 2]>,
    /// Name of the PRR's range.
    pub class: Class,
    /// Adjacent pairs. This and all further quantities are null if the order of packets is not
    /// known.
    pub pairs: Option<Pairs>,
    /// P(received | previous lost).
    pub g: Option<f64>,
    /// P(lost | previous received).
    pub b: Option<f64>,
    /// Burstiness, `1 - g - b`.
    pub mu: Option<f64>,
    /// Its 95 % interval, `[low, high]`, from the exact intervals of the two transition
    /// probabilities.
    pub mu_ci: Option<[f64; 2]>,
    /// The beta factor.
    pub beta: Option<f64>,
    /// Share of loss bursts that are a single packet.
    pub isolated_loss_share: Option<f64>,
    /// Share of lost packets without an adjacent loss.
    pub isolated_loss_packet_share: Option<f64>,
    /// Longest run of received packets.
    pub longest_success_burst: Option<u64>,
    /// Longest run of lost packets.
    pub longest_loss_burst: Option<u64>,
    /// The approximate longest run of received packets of a Gilbert-Elliott chain with the same PRR
    /// and mu: `1 + ln(n PRR b) / -ln(1-b)`.
    pub ge_expected_longest_success_burst: Option<f64>,
    /// The same for lost packets: `1 + ln(n (1-PRR) g) / -ln(1-g)`.
    pub ge_expected_longest_loss_burst: Option<f64>,
    /// Mean length of the success run in which a received packet lies, packets.
    pub residual_success_burst: Option<f64>,
    /// The same for lost packets.
    pub residual_loss_burst: Option<f64>,
    /// Burst excess of success runs: 0 for a Gilbert-Elliott link, positive with rare long runs.
    pub success_excess: Option<f64>,
    /// Burst excess of loss runs.
    pub loss_excess: Option<f64>,
    /// Runs of received packets.
    pub success_bursts: Option<Bursts>,
    /// Runs of lost packets.
    pub loss_bursts: Option<Bursts>,
    /// Conditional packet delivery function.
    pub cpdf: Vec<CpdfPoint>,
    /// `[lag, correlation]` of the outcomes.
    pub autocorrelation: Vec<(u64, f64)>,
    /// True if mu has converged; same as `convergence.converged`.
    pub converged: bool,
    /// The conditions of convergence in detail.
    pub convergence: Convergence,
}

impl LinkStats {
    /// Removes the statistics that depend on the order of packets, for files that only count
    /// arrivals. PRR, its interval and its class remain.
    #[must_use]
    pub fn without_order(self) -> Self {
        Self {
            pairs: None,
            g: None,
            b: None,
            mu: None,
            mu_ci: None,
            beta: None,
            isolated_loss_share: None,
            isolated_loss_packet_share: None,
            longest_success_burst: None,
            longest_loss_burst: None,
            ge_expected_longest_success_burst: None,
            ge_expected_longest_loss_burst: None,
            residual_success_burst: None,
            residual_loss_burst: None,
            success_excess: None,
            loss_excess: None,
            success_bursts: None,
            loss_bursts: None,
            cpdf: Vec::new(),
            autocorrelation: Vec::new(),
            converged: false,
            convergence: Convergence::without_order(self.convergence.chunk),
            ..self
        }
    }
}

impl LinkTrace {
    /// Measures the link. If the order of packets was drawn at random, the statistics that depend
    /// on it are left out, unless the options request them.
    pub fn analyse(&self, options: &AnalyseOptions) -> LinkStats {
        let stats = analyse(&self.outcomes, options);
        if self.order_known || options.drawn_order { stats } else { stats.without_order() }
    }
}

/// Measures `trace`.
pub fn analyse(trace: &Outcomes, options: &AnalyseOptions) -> LinkStats {
    let packets = trace.len() as u64;
    let received = trace.received() as u64;
    let prr = received as f64 / packets.max(1) as f64;
    let pairs = Pairs::of(trace);
    let runs = RunStats::of(trace);
    let points = cpdf(&runs, options.cpdf_max_k, 1);
    let ci = intervals(trace, options.confidence);
    let longest = |share: f64, end: Option<f64>| {
        let (end, _) = (end?, pairs.mu()?);
        Some(expected_longest(packets, packets as f64 * share * end, end))
    };
    let isolated = runs.loss.isolated_shares();
    let as_wanted = options.confidence.total_cmp(&CONFIDENCE).is_eq();
    let mu_ci = if as_wanted { ci.mu } else { intervals(trace, CONFIDENCE).mu };
    let verdict = convergence_from(trace, mu_ci, &options.convergence);
    LinkStats {
        packets,
        received,
        prr,
        prr_ci: ci.prr,
        class: Class::of(received, packets),
        g: pairs.g(),
        b: pairs.b(),
        mu: pairs.mu(),
        mu_ci: ci.mu,
        beta: beta(&points, prr, options.beta_min_samples),
        isolated_loss_share: isolated.map(|s| s.0),
        isolated_loss_packet_share: isolated.map(|s| s.1),
        longest_success_burst: Some(runs.success.longest),
        longest_loss_burst: Some(runs.loss.longest),
        ge_expected_longest_success_burst: longest(prr, pairs.b()),
        ge_expected_longest_loss_burst: longest(1.0 - prr, pairs.g()),
        residual_success_burst: residual_burst(&runs.success),
        residual_loss_burst: residual_burst(&runs.loss),
        success_excess: burst_excess(&runs.success),
        loss_excess: burst_excess(&runs.loss),
        cpdf: points.into_iter().filter(|p| p.samples >= options.cpdf_min_samples).collect(),
        autocorrelation: autocorrelation(trace, &options.lags),
        converged: verdict.converged,
        convergence: verdict,
        pairs: Some(pairs),
        success_bursts: Some(runs.success),
        loss_bursts: Some(runs.loss),
    }
}

#[cfg(test)]
mod tests;
