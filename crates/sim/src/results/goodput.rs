//! Intervals of goodputs: at most the rate of the path, and wide enough for rare stalls.
//!
//! A flow that fills its link has nearly the same goodput in most replications: the queue hides a single loss.
//! A loss that hits a handshake or the last packets of a burst stops the flow until a timer expires, by one
//! second at first (RFC 6298, section 2.1). If that happens in one of twenty replications, five of them rarely
//! contain it, and their scatter does not show what the mean depends on: at 0.03 % loss, Student's interval
//! held the mean in 37 % of the samples. Timeouts are counted. Below 30 of them in all replications, the interval
//! therefore also contains what the exact interval of their number (Garwood 1936) costs: one second of the
//! active time for each. For UDP, the same holds for lost datagrams, each of which costs its payload.
//!
//! The upper end is below the rate of the slowest link of constant rate on the path.

use airtcp_link::{LossConfig, Rate};
use airtcp_scenario::{Application, Resolved};

use super::estimate::{Estimate, FEW, poisson_interval};
use super::flow::FlowResult;
use super::range::Range;
use super::replication::Replication;
use crate::build::paths::{path, routes};
use crate::world::routes::Hop;

/// What a timeout costs, at least at first: the initial timeout (RFC 6298, section 2.1).
const STALL_S: f64 = 1.0;

/// Rare events of a flow, or of several, in all replications.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rare {
    /// How many there were.
    pub events: f64,
    /// How many replications there are.
    pub replications: f64,
    /// By how much one of them lowers the goodput of a replication, in its unit.
    pub cost: f64,
}

impl Rare {
    /// Timeouts in runs of a goodput: `active_s` is the mean time that a run is over.
    pub fn timeouts(events: f64, replications: usize, goodput: f64, active_s: f64) -> Self {
        let share = if active_s > STALL_S { STALL_S / active_s } else { 1.0 };
        Self { events, replications: replications as f64, cost: goodput * share }
    }
}

impl Estimate {
    /// Widens the interval of a goodput to what the exact interval of the number of rare events costs.
    #[must_use]
    pub fn with_rare(self, rare: Rare, range: Range) -> Self {
        let (Some(mean), Some(low), Some(high)) = (self.mean, self.ci_low, self.ci_high) else {
            return self;
        };
        if rare.events >= FEW || rare.replications < 2.0 {
            return self;
        }
        let [least, most] = poisson_interval(rare.events);
        let cost = rare.cost / rare.replications;
        let (down, up) = ((most - rare.events) * cost, (rare.events - least) * cost);
        let [exact_low, exact_high] = range.ends(mean, down, up);
        Self { ci_low: Some(low.min(exact_low)), ci_high: Some(high.max(exact_high)), ..self }
    }
}

/// True if losses of a link are drawn at random; a trace loses the same packets in every replication.
fn draws_losses(plan: &Resolved) -> bool {
    let drawn = |loss: &LossConfig| !loss.is_lossless() && !matches!(loss, LossConfig::Trace(_));
    plan.links.iter().any(|link| link.direction.loss.as_ref().is_some_and(drawn))
}

/// The slowest link of constant rate on the path of each flow, and its rate in bits per second. An exchange, whose
/// data go both ways, has none.
pub fn bottlenecks(plan: &Resolved) -> Vec<Option<(usize, f64)>> {
    let routes = routes(plan);
    let rate = |hop: Hop| match hop {
        Hop::Link(number) => match plan.links[number as usize].direction.rate.as_ref()? {
            Rate::Constant(rate) => Some((number as usize, rate.bps() as f64)),
            Rate::Trace(_) | Rate::Steps(_) => None,
        },
        Hop::Air(_) => None,
    };
    let slowest = |flow: &airtcp_scenario::Flow| {
        if matches!(flow.app, Application::RequestResponse { .. }) {
            return None;
        }
        let hops = path(plan, &routes, flow.from, flow.to).unwrap_or_default();
        hops.into_iter().filter_map(rate).min_by(|a, b| a.1.total_cmp(&b.1))
    };
    plan.flows.iter().map(slowest).collect()
}

/// The most that some flows can deliver together, in bits per second: the rates of their bottlenecks, each
/// counted once; infinite if one has none.
pub fn most_bps(bottlenecks: &[Option<(usize, f64)>]) -> f64 {
    let mut seen = std::collections::BTreeMap::new();
    for bottleneck in bottlenecks {
        let Some((link, rate)) = bottleneck else { return f64::INFINITY };
        seen.insert(*link, *rate);
    }
    if seen.is_empty() { f64::INFINITY } else { seen.into_values().sum() }
}

/// The rare events of a flow that decide its goodput; `None` if no packet of its plan is lost at random.
pub(crate) fn rare(plan: &Resolved, replications: &[Replication], flow: usize) -> Option<Rare> {
    let runs: Vec<&FlowResult> = replications.iter().filter_map(|r| r.flows.get(flow)).collect();
    let sum = |of: fn(&FlowResult) -> f64| runs.iter().map(|run| of(run)).sum::<f64>();
    let n = runs.len() as f64;
    // In a cell a flow that never retransmitted has lost nothing: frames are repeated.
    let in_cell = !plan.cells.is_empty() && sum(|f| f.retransmissions as f64) > 0.0;
    if runs.is_empty() || !(draws_losses(plan) || in_cell) {
        return None;
    }
    let goodput = sum(|f| f.goodput_bps) / n;
    if runs[0].transport == "udp" {
        let sent = sum(|f| f.segments_sent as f64) / n;
        let cost = if sent > 0.0 { goodput / sent } else { 0.0 };
        return Some(Rare { events: sum(|f| f.datagrams_lost as f64), replications: n, cost });
    }
    let timeouts = sum(|f| f.timeouts as f64);
    Some(Rare::timeouts(timeouts, runs.len(), goodput, sum(|f| f.active_s) / n))
}

/// The rare events of several flows, whose goodputs are added: each costs what it costs at most.
pub(crate) fn together(flows: &[Option<Rare>]) -> Option<Rare> {
    let known: Vec<&Rare> = flows.iter().flatten().collect();
    let first = known.first()?;
    Some(Rare {
        events: known.iter().map(|rare| rare.events).sum(),
        replications: first.replications,
        cost: known.iter().map(|rare| rare.cost).fold(0.0, f64::max),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_replication_shows_widens_a_goodput() {
        let range = Range::up_to(10.0);
        let alike = Estimate::within([9.61, 9.612, 9.611, 9.613, 9.61], range);
        assert!(alike.ci_low.unwrap() > 9.605);
        // No timeout in five runs of 10 s: up to 3.6889 / 5 of one second each, 7.4 % of the goodput.
        let found = alike.with_rare(Rare::timeouts(0.0, 5, 9.611, 10.0), range);
        let expected = alike.mean.unwrap() - 9.611 * 3.6889 / 5.0 / 10.0;
        assert!((found.ci_low.unwrap() - expected).abs() < 1e-3, "{found:?}");
        assert!(found.ci_high.unwrap() < 10.0);
        // Many timeouts show their scatter.
        let many = Rare::timeouts(30.0, 5, 9.611, 10.0);
        assert_eq!(alike.with_rare(many, range), alike);
        // A run shorter than the stall may deliver nothing, and no less.
        let short = alike.with_rare(Rare::timeouts(0.0, 2, 9.611, 0.5), range);
        assert!(short.ci_low.unwrap() > 0.0, "{short:?}");
        assert_eq!(Estimate::of([1.0]).with_rare(many, range).ci_low, None);
    }

    /// A mixture as measured over 10 Mb/s at 0.03 % loss: 19 of 20 runs of 10 s get about 9.61 Mb/s, and one loses up
    /// to a second. Student's interval of five holds the mean in a third of the samples.
    #[test]
    fn rare_stalls_are_covered() {
        let draw = |stream: &mut airtcp_random::Stream| {
            let stalls = stream.unit_positive() < 0.05;
            let cost = if stalls { 0.961 * stream.unit_positive() } else { 0.0 };
            9.613 - 0.004 * stream.unit_positive() - cost
        };
        let truth = 9.613 - 0.002 - 0.05 * 0.961 / 2.0;
        let range = Range::up_to(10.0);
        for n in [2_usize, 3, 5, 10] {
            let (mut student, mut covered) = (0, 0);
            for seed in 0..500 {
                let mut stream = airtcp_random::Seed::new(seed).stream("test/stalls");
                let values: Vec<f64> = (0..n).map(|_| draw(&mut stream)).collect();
                let holds = |e: Estimate| e.ci_low.unwrap() <= truth && truth <= e.ci_high.unwrap();
                student += u32::from(holds(Estimate::of(values.iter().copied())));
                let plain = Estimate::within(values, range);
                let found = plain.with_rare(Rare::timeouts(0.0, n, 9.6, 10.0), range);
                covered += u32::from(holds(found));
                assert!(found.ci_low.unwrap() > 0.0 && found.ci_high.unwrap() < 10.0);
            }
            assert!(covered >= 475, "{n}: {covered} of 500");
            if n == 5 {
                assert!(student < 250, "{student} of 500");
            }
        }
    }

    #[test]
    fn the_slowest_link_bounds_a_flow_and_a_shared_one_counts_once() {
        let text = "duration = \"1 s\"\n\
            links = [{ from = \"a\", to = \"b\", rate = \"9 Mb/s\" }, { from = \"c\", to = \"b\", rate = \"2 Mb/s\" }]\n\
            flows = [{ from = \"a\", to = \"c\" }, { from = \"b\", to = \"c\" }, { from = \"a\", to = \"b\" }]";
        let plan = airtcp_scenario::read(text, "", &[]).unwrap().resolve().unwrap();
        let found = bottlenecks(&plan);
        let rates: Vec<f64> = found.iter().map(|b| b.unwrap().1).collect();
        assert_eq!(rates, [2e6, 2e6, 9e6]);
        assert!((most_bps(&found) - 11e6).abs() < 1e-6);
        assert!((most_bps(&found[..2]) - 2e6).abs() < 1e-6);
        assert!(most_bps(&[None, found[0]]).is_infinite());
        assert!(most_bps(&[]).is_infinite());
    }
}
