//! Distributions of delays: service times of stations, queue delays of stations and links, exchanges of flows.
//!
//! Each replication counts its delays in histograms ([`Delays`], within 0.8 %), from the end of the warm-up on. A
//! run adds the histograms of all replications, so a distribution is over the packets of all of them.

use airtcp_probe::Probe;
use airtcp_queueing::{Qdisc, Queue};
use airtcp_scenario::Resolved;
use airtcp_units::{Delays, Span};
use airtcp_wifi::mac::{CATEGORIES, category_name};
use airtcp_wifi::node::NodeId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::flow::exchanges;
use crate::world::medium::Medium;
use crate::world::{Endpoint, World};

/// Shares of a distribution, in ten-thousandths: the shortest delay, every hundredth, and three of the tail.
const TAIL: [u32; 4] = [9_950, 9_990, 9_999, 10_000];
const PERCENT: u32 = 100;

/// Distributions of delays over the packets of all replications.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct DelayDistributions {
    /// Shares of the packets, ascending. A delay of share 0 is the shortest.
    pub shares: Vec<f64>,
    /// The distributions that have packets: links, flows, then stations.
    pub distributions: Vec<DelayDistribution>,
}

/// Distribution of one delay at one place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DelayDistribution {
    /// `link`, `flow` or `station`.
    pub kind: String,
    /// Name of the link, the flow, or the node of the station.
    pub name: String,
    /// Access category of a station under EDCA; absent for all its packets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// `queue` (time in the queue), `service` (from the head of a station's queue to the end of the exchange)
    /// or `exchange` (from writing a request to receiving the whole response).
    pub delay: String,
    /// Number of packets or exchanges.
    pub count: u64,
    /// For each share, the delay that this share of the packets does not exceed, within 0.8 %.
    pub delays_s: Vec<f64>,
}

impl DelayDistributions {
    /// True without distributions.
    pub const fn is_empty(&self) -> bool {
        self.distributions.is_empty()
    }

    /// The distributions of a run. `replications` holds the histograms of each replication, in the order of
    /// `labels`.
    pub(crate) fn of<'a>(
        plan: &Resolved,
        replications: impl Iterator<Item = &'a [Delays]>,
    ) -> Self {
        let labels = labels(plan);
        let mut sums = vec![Delays::default(); labels.len()];
        for replication in replications {
            for (sum, delays) in sums.iter_mut().zip(replication) {
                sum.merge(delays);
            }
        }
        let shares: Vec<u32> = (0..PERCENT).map(|i| i * PERCENT).chain(TAIL).collect();
        let some = labels.into_iter().zip(&sums).filter(|(_, sum)| sum.count() > 0);
        let distributions: Vec<DelayDistribution> = some
            .map(|(label, sum)| DelayDistribution {
                count: sum.count(),
                delays_s: sum.quantiles(&shares).into_iter().map(Span::as_secs_f64).collect(),
                ..label
            })
            .collect();
        if distributions.is_empty() {
            return Self::default();
        }
        Self { shares: shares.iter().map(|s| f64::from(*s) / 1e4).collect(), distributions }
    }
}

/// Percentiles of a delay in the measured time, in seconds.
pub(crate) struct Percentiles {
    pub(crate) p50: Option<f64>,
    pub(crate) p95: Option<f64>,
    pub(crate) p99: Option<f64>,
    pub(crate) max: Option<f64>,
}

impl Percentiles {
    pub(crate) fn of(delays: &Delays) -> Self {
        let found = delays.quantiles(&[5_000, 9_500, 9_900, 10_000]);
        let at = |i: usize| found.get(i).map(|delay| delay.as_secs_f64());
        Self { p50: at(0), p95: at(1), p99: at(2), max: at(3) }
    }
}

/// Service times and queue delays of one access category of a station since the start.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spread {
    pub(crate) service: Delays,
    pub(crate) queue: Delays,
}

impl Spread {
    /// Those of each queue of a station: one under DCF, one for each category under EDCA.
    pub(crate) fn all_of(medium: &Medium, station: NodeId) -> Vec<Self> {
        let service: &[Delays; CATEGORIES] = medium.cell.service_times(station);
        let queues = medium.queues(station).iter().map(queue_delays);
        let both = service.iter().zip(queues);
        both.map(|(service, queue)| Self { service: service.clone(), queue }).collect()
    }

    pub(crate) fn since(&self, then: &Self) -> Self {
        Self { service: self.service.since(&then.service), queue: self.queue.since(&then.queue) }
    }

    /// The sum over the categories of a station.
    pub(crate) fn sum(categories: &[Self]) -> Self {
        let mut all = Self::default();
        for category in categories {
            all.service.merge(&category.service);
            all.queue.merge(&category.queue);
        }
        all
    }
}

/// Times in a queue since the start.
pub(crate) fn queue_delays(queue: &Queue) -> Delays {
    queue.stats().delays.clone()
}

/// The histograms of one replication, in the order of `labels`. `links` holds the queue delays of each direction of
/// a link, `stations` the delays of the categories of each station.
pub(crate) fn histograms<P: Probe>(
    world: &World<P>,
    links: impl Iterator<Item = Delays>,
    stations: impl Iterator<Item = Vec<Spread>>,
) -> Vec<Delays> {
    let mut all: Vec<Delays> = links.collect();
    let clients = world.endpoints().chunks_exact(2).map(|ends: &[Endpoint]| &ends[0]);
    all.extend(clients.map(|client| exchanges(client).durations.delays()));
    for categories in stations {
        let Spread { service, queue } = Spread::sum(&categories);
        all.extend([service, queue]);
        if categories.len() > 1 {
            all.extend(categories.into_iter().flat_map(|c| [c.service, c.queue]));
        }
    }
    all
}

/// What each histogram of a replication counts.
fn labels(plan: &Resolved) -> Vec<DelayDistribution> {
    let label = |kind: &str, name: &str, category: Option<&str>, delay: &str| DelayDistribution {
        kind: kind.into(),
        name: name.into(),
        category: category.map(Into::into),
        delay: delay.into(),
        count: 0,
        delays_s: Vec::new(),
    };
    let mut all: Vec<DelayDistribution> =
        plan.links.iter().map(|link| label("link", &link.name, None, "queue")).collect();
    all.extend(plan.flows.iter().map(|flow| label("flow", &flow.name, None, "exchange")));
    for cell in &plan.cells {
        let categories = cell.spec.categories();
        for name in cell.spec.node_names() {
            let mut both = |category: Option<&str>| {
                let one = |delay: &str| label("station", &name, category, delay);
                all.extend(["service", "queue"].map(one));
            };
            both(None);
            if categories > 1 {
                (0..categories).for_each(|i| both(Some(category_name(i))));
            }
        }
    }
    all
}
