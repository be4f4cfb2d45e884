//! Whether the trace is long enough to determine mu (S1 section 8).
//!
//! S1 shows that mu of chunks of 6000 packets scatters widely around that of the whole trace, and
//! that mu over the first 1000, 2000, ... packets levels off after 10,000 (Roofnet) to 50,000
//! (Mirage). Three conditions, each a parameter with a default that is our choice:
//!
//! 1. at least `min_packets` (10,000) packets;
//! 2. precision: the 95 % interval of mu (see [`super::interval`]) reaches no farther than
//!    `precision` (0.05) from mu on either side, nor do 1.96 of the standard errors that the scatter
//!    of the chunks shows, `chunk_rms / sqrt(chunks - 1)`: a link that wanders needs a longer look
//!    than a stationary chain;
//! 3. the prefix curve has levelled off: over its second half it stays within `level_band` (0.02)
//!    or four standard errors of a true chain around its final value, whichever is wider. For a
//!    true chain the standard deviation between the prefix of k of n packets and the whole is `SE
//!    sqrt(n/k - 1)`, at most one standard error in the second half.
//!
//! `nonstationarity_ratio` compares the chunks' scatter with a true chain's; well above 1 the
//! link changes character during the trace.

use airtcp_units::{Narrow, Outcomes, Saturate};
use serde::{Deserialize, Serialize};

use super::counts::Pairs;
use super::interval::intervals;

/// The conditions of convergence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConvergenceOptions {
    /// Fewest packets for convergence.
    pub min_packets: u64,
    /// Largest distance from mu to an end of its 95 % interval.
    pub precision: f64,
    /// Largest distance of the second half of the prefix curve from its end.
    pub level_band: f64,
    /// Step of the prefix curve, packets; longer if the curve would have more than 200 points.
    pub prefix_step: u64,
    /// Chunk length, packets; a sixteenth of the trace if that is shorter.
    pub chunk: u64,
}

impl Default for ConvergenceOptions {
    fn default() -> Self {
        Self {
            min_packets: 10_000,
            precision: 0.05,
            level_band: 0.02,
            prefix_step: 1000,
            chunk: 6000,
        }
    }
}

/// Most points of the prefix curve, and fewest for a trace shorter than that many steps.
const MAX_PREFIX: u64 = 200;
const MIN_PREFIX: u64 = 20;
/// S1 cuts 1e5 packets into 16 chunks.
const CHUNKS: u64 = 16;
/// A shorter chunk does not determine mu.
const MIN_CHUNK: u64 = 50;
/// Fewest chunks in which mu is defined.
const MIN_DEFINED_CHUNKS: usize = 4;
/// Coverage of the interval that must be narrow, and its normal quantile.
pub(super) const CONFIDENCE: f64 = 0.95;
const Z95: f64 = 1.96;

/// Whether mu has converged over a trace, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Convergence {
    /// True if mu has converged.
    pub converged: bool,
    /// The verdict in words.
    pub reason: String,
    /// About how many packets of this link convergence needs; `None` if the trace does not tell, or
    /// is long enough.
    pub needed_packets: Option<u64>,
    /// mu over the first k packets: `[k, mu]`.
    pub prefix: Vec<(u64, f64)>,
    /// Chunk length used, packets.
    pub chunk: u64,
    /// Root mean square of (mu of a chunk - mu of the trace).
    pub chunk_rms: Option<f64>,
    /// Standard error of mu if the trace were a stationary two-state chain.
    pub standard_error: Option<f64>,
    /// `chunk_rms` over what a stationary chain would show: 1 is stationary.
    pub nonstationarity_ratio: Option<f64>,
}

impl Convergence {
    /// The result for a link whose order of packets is not known.
    pub(super) fn without_order(chunk: u64) -> Self {
        Self {
            converged: false,
            reason: "the order of losses was not measured, so mu is not known".to_owned(),
            needed_packets: None,
            prefix: Vec::new(),
            chunk,
            chunk_rms: None,
            standard_error: None,
            nonstationarity_ratio: None,
        }
    }
}

/// Tests whether mu has converged over `trace`.
pub fn convergence(trace: &Outcomes, options: &ConvergenceOptions) -> Convergence {
    convergence_from(trace, intervals(trace, CONFIDENCE).mu, options)
}

/// [`convergence`], from the interval of mu that covers [`CONFIDENCE`].
pub(super) fn convergence_from(
    trace: &Outcomes,
    interval: Option<[f64; 2]>,
    options: &ConvergenceOptions,
) -> Convergence {
    let n = trace.len() as u64;
    let pairs = Pairs::of(trace);
    let chunk = options.chunk.min(n / CHUNKS).max(1);
    let mut out = Convergence {
        converged: false,
        reason: String::new(),
        needed_packets: None,
        prefix: prefix_curve(trace, options.prefix_step),
        chunk,
        chunk_rms: None,
        standard_error: pairs.mu_standard_error(),
        nonstationarity_ratio: None,
    };
    let (Some(mu), Some(se)) = (pairs.mu(), out.standard_error) else {
        out.reason = undefined(n, trace.received() as u64);
        return out;
    };
    let scatter = chunk_scatter(trace, &pairs, mu, chunk);
    out.chunk_rms = scatter.map(|s| s.rms);
    out.nonstationarity_ratio = scatter.and_then(|s| s.ratio);
    let reach = interval.map_or(1.0, |[low, high]| (mu - low).max(high - mu));
    judge(&mut out, n, &Known { mu, se, reach }, scatter, options);
    out
}

/// mu with its errors.
struct Known {
    mu: f64,
    /// Its standard error for a two-state chain.
    se: f64,
    /// Largest distance from mu to an end of its interval.
    reach: f64,
}

fn judge(
    out: &mut Convergence,
    n: u64,
    known: &Known,
    scatter: Option<Scatter>,
    options: &ConvergenceOptions,
) {
    let Known { mu, se, reach } = *known;
    let observed = Z95 * scatter.map_or(0.0, |s| s.standard_error);
    let half_width = reach.max(observed);
    let band = options.level_band.max(4.0 * se);
    let drift = out
        .prefix
        .iter()
        .filter(|(k, _)| k * 2 >= n)
        .map(|(_, prefix)| (prefix - mu).abs())
        .fold(0.0, f64::max);
    let precise = half_width <= options.precision;
    let for_precision = {
        let factor = half_width / options.precision;
        n as f64 * factor * factor
    };
    let mut faults = Vec::new();
    let mut needed = options.min_packets as f64;
    if n < options.min_packets {
        faults.push(format!(
            "{n} packets are too few: mu of real links settles after {} or more",
            options.min_packets
        ));
    }
    if !precise {
        faults.push(imprecise(observed > reach, out.chunk, options.precision));
        needed = needed.max(for_precision);
    }
    if drift > band {
        faults.push(format!(
            "mu still moved by {drift:.2} over the second half of the trace (level within {band:.2})"
        ));
        needed = needed.max(2.0 * n as f64);
    }
    out.converged = faults.is_empty();
    if out.converged {
        out.reason = format!(
            "mu = {mu:.3} has settled: within +-{half_width:.3}, and level over the second half \
             of {n} packets"
        );
    } else {
        // The estimate is never below the length of the trace.
        out.needed_packets = Some(u64::saturate(needed.max(n as f64 + 1.0)));
        out.reason = format!("not converged: {}", faults.join("; "));
    }
    if let Some(ratio) = out.nonstationarity_ratio.filter(|r| *r > 2.0) {
        out.reason = format!(
            "{}; chunks of {} packets differ {ratio:.1} times as much as a stationary link's would",
            out.reason, out.chunk
        );
    }
}

/// Why mu is not precise enough: chunks that differ, or few transitions. The interval of mu is
/// printed beside this text, so the text gives no second interval.
fn imprecise(chunks_differ: bool, chunk: u64, wanted: f64) -> String {
    if chunks_differ {
        return format!(
            "mu differs too much between chunks of {chunk} packets: its interval holds for a link that \
             stays the same"
        );
    }
    format!(
        "the interval of mu is too wide, with too few transitions (wanted: no farther than {wanted} \
         from mu)"
    )
}

fn undefined(n: u64, received: u64) -> String {
    match () {
        () if n < 2 => "mu needs at least two packets".to_owned(),
        () if received == n => "nothing was lost, so mu is not defined".to_owned(),
        () if received == 0 => "nothing was received, so mu is not defined".to_owned(),
        () => "only the last packet differs from the rest, so mu is not defined".to_owned(),
    }
}

/// mu over the first k packets, at most [`MAX_PREFIX`] points, the last being the whole trace.
fn prefix_curve(trace: &Outcomes, step: u64) -> Vec<(u64, f64)> {
    let n = trace.len() as u64;
    let step = step.min(n.div_ceil(MIN_PREFIX)).max(n.div_ceil(MAX_PREFIX)).max(1);
    let mut out = Vec::new();
    let (mut sum, mut from) = (Pairs::default(), 0);
    while from < n {
        let to = (from + step).min(n);
        // One packet of overlap, so that no pair falls between two steps.
        sum += Pairs::within(trace, usize::narrow(from.saturating_sub(1))..usize::narrow(to));
        if let Some(mu) = sum.mu() {
            out.push((to, mu));
        }
        from = to;
    }
    out
}

#[derive(Clone, Copy)]
struct Scatter {
    rms: f64,
    /// Standard error of the whole trace's mu that the scatter implies.
    standard_error: f64,
    ratio: Option<f64>,
}

/// The scatter of the chunks' mu around that of the trace. The remainder after the last whole chunk
/// and chunks with undefined mu do not count.
fn chunk_scatter(trace: &Outcomes, all: &Pairs, mu: f64, chunk: u64) -> Option<Scatter> {
    if chunk < MIN_CHUNK {
        return None;
    }
    let n = trace.len() as u64;
    let squares: Vec<f64> = (0..n / chunk)
        .filter_map(|i| {
            let from = usize::narrow(i * chunk);
            let deviation = Pairs::within(trace, from..from + usize::narrow(chunk)).mu()? - mu;
            Some(deviation * deviation)
        })
        .collect();
    let count = squares.len();
    if count < MIN_DEFINED_CHUNKS {
        return None;
    }
    let rms = (squares.iter().sum::<f64>() / count as f64).sqrt();
    // The asymptotic error of a chunk is valid if the chunk visits both states several times.
    let share = chunk as f64 / n as f64;
    let visits = all.after_loss().min(all.after_success()) as f64 * share;
    let chain = all.mu_standard_error()? * ((1.0 - share) / share).sqrt();
    Some(Scatter {
        rms,
        standard_error: rms / ((count - 1) as f64).sqrt(),
        ratio: (visits >= 5.0 && chain > 0.0).then(|| rms / chain),
    })
}

#[cfg(test)]
mod tests;
