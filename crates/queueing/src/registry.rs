//! The registered disciplines: one line each.

use airtcp_packet::PacketId;
use airtcp_probe::{ConfigError, PoolCx, Probe};
use airtcp_random::Seed;
use airtcp_units::Nanos;

use crate::custom::Custom;
use crate::{Airtime, Backlog, Discipline, LinkInfo, Next, Qdisc, Stats, Verdict, Wanted};

airtcp_probe::family! {
    /// A queue of any registered discipline.
    #[derive(Debug)]
    pub enum Queue or Dyn(Custom);
    /// The table `queue` of a scenario; `kind` chooses the discipline.
    pub enum QueueConfig of "queue", tag "kind" as kind, samples of Discipline;

    /// First in, first out; drops arrivals above a limit in packets or bytes
    "drop-tail" DropTail(crate::DropTail, crate::DropTailConfig) from "common practice; RFC 7567 section 2";
    /// Random early detection: drops or marks with a probability that grows with the average queue length
    "red" Red(crate::Red, crate::RedConfig) from "Floyd and Jacobson 1993; gentle: Floyd 2000; marking: RFC 3168";
    /// Drops or marks at the head after the queueing delay exceeds a target for an interval
    "codel" Codel(crate::Codel, crate::CodelConfig) from "RFC 8289";
    /// Deficit round robin over flows, new flows first, with CoDel for each flow
    "fq-codel" FqCodel(crate::FqCodel, crate::FqCodelConfig) from "RFC 8290";
    /// Drops or marks arrivals with a probability that a controller derives from the queueing delay
    "pie" Pie(crate::Pie, crate::PieConfig) from "RFC 8033";
    /// A queue for scalable flows and one for others, with PI control of their marks and drops and a coupling between the two (L4S)
    "dualpi2" DualPi2(crate::DualPi2, crate::DualPi2Config) from "RFC 9332 appendix A";
    /// Deficit round robin over stations by airtime, new stations first, with FQ-CoDel for the flows of each station
    "airtime-fair" AirtimeFair(crate::AirtimeFair, crate::AirtimeFairConfig) from "Hoeiland-Joergensen et al. 2017; Linux mac80211";
    /// Round robin over stations, each with a drop-tail queue; the longest one drops when all are full
    "per-station" PerStation(crate::PerStation, crate::PerStationConfig) from "McKenney 1990; Linux ath9k before 4.9";
    /// As drop-tail; a new TCP ACK replaces older ACKs of its flow that carry no more
    "ack-filter" AckFilter(crate::AckFilter, crate::AckFilterConfig) from "RFC 3449 section 5.2.2; Linux sch_cake";
    /// Marks every ECN-capable packet while the average queue length is above a threshold
    "jersey" Jersey(crate::Jersey, crate::JerseyConfig) from "Xu, Tian and Ansari 2004";
    /// Token bucket filter, a shaper: a burst at the rate of the link, then a lower rate
    "tbf" Tbf(crate::Tbf, crate::TbfConfig) from "RFC 2697 section 3; Linux sch_tbf";
}

impl Default for QueueConfig {
    /// Drop-tail, 100 packets.
    fn default() -> Self {
        Self::DropTail(crate::DropTailConfig::default())
    }
}

impl QueueConfig {
    /// True if a station that sends aggregates has a queue for each receiver with this discipline.
    #[must_use]
    pub const fn is_per_station(&self) -> bool {
        matches!(self, Self::PerStation(_) | Self::FqCodel(_) | Self::AirtimeFair(_))
    }

    /// The queue of a station in a cell, if it differs from that elsewhere: the limit is `packets` if it has been left
    /// to the default of 100. `aggregates`: the station sends aggregates.
    #[must_use]
    pub fn with_defaults_of_cell(&self, packets: u32, aggregates: bool) -> Option<Self> {
        let packets = Some(packets);
        match self {
            Self::PerStation(crate::PerStationConfig { packets: None, bytes: None }) => {
                Some(Self::PerStation(crate::PerStationConfig { packets, bytes: None }))
            }
            Self::FqCodel(config) if aggregates => {
                Some(Self::FqCodel(config.with_defaults_of_mac80211()))
            }
            Self::DropTail(crate::DropTailConfig { packets: None, bytes: None }) => {
                Some(Self::DropTail(crate::DropTailConfig { packets, bytes: None }))
            }
            Self::AckFilter(config) if (config.packets, config.bytes) == (None, None) => {
                Some(Self::AckFilter(crate::AckFilterConfig { packets, ..config.clone() }))
            }
            _ => None,
        }
    }
}

impl Queue {
    /// Builds the queue a scenario describes; its random draws come from `seed` under
    /// `label`, for instance `"link/3/queue"`.
    ///
    /// # Errors
    /// If a value is impossible. The message names the key and the accepted values.
    pub fn new(config: &QueueConfig, seed: Seed, label: &str) -> Result<Self, ConfigError> {
        build!(config, c => Discipline::build(c, seed, label))
    }

    /// A queue, its limit, [`Discipline::BY_FLOW`], [`Discipline::BY_ECN`] and [`Discipline::REPLACES`].
    #[cfg(test)]
    pub(crate) fn sample(config: &QueueConfig) -> (Self, Backlog, [bool; 3]) {
        fn promised<D: Discipline>(_: &D, config: &D::Config) -> (Backlog, [bool; 3]) {
            (D::limit(config), [D::BY_FLOW, D::BY_ECN, D::REPLACES])
        }
        let mut promises = (Backlog::default(), [false; 3]);
        let queue = build!(config, c => Discipline::build(c, Seed::new(5), "queue")
            .inspect(|queue| promises = promised(queue, c)));
        (queue.expect("a sample is valid"), promises.0, promises.1)
    }

    /// A queue of a discipline written outside this crate.
    pub fn custom(discipline: impl Qdisc + std::fmt::Debug + Send + 'static) -> Self {
        Self::Dyn(Custom::new(discipline))
    }
}

impl Qdisc for Queue {
    #[inline]
    fn enqueue<P: Probe>(&mut self, now: Nanos, id: PacketId, cx: &mut PoolCx<'_, P>) -> Verdict {
        each!(self, q => q.enqueue(now, id, cx))
    }
    #[inline]
    fn dequeue<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<PacketId> {
        each!(self, q => q.dequeue(now, cx))
    }
    fn next<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) -> Option<Next> {
        each!(self, q => q.next(now, cx))
    }
    fn orders_repeats(&self) -> bool {
        each!(self, q => q.orders_repeats())
    }
    fn dequeue_for<P: Probe>(
        &mut self,
        now: Nanos,
        wanted: &Wanted<'_>,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<PacketId> {
        each!(self, q => q.dequeue_for(now, wanted, cx))
    }
    fn names_receivers(&self) -> bool {
        each!(self, q => q.names_receivers())
    }
    fn waiting_receivers(&self) -> Vec<u32> {
        each!(self, q => q.waiting_receivers())
    }
    #[inline]
    fn backlog(&self) -> Backlog {
        each!(self, q => q.backlog())
    }
    #[inline]
    fn next_timer(&self) -> Nanos {
        each!(self, q => q.next_timer())
    }
    fn stats(&self) -> &Stats {
        each!(self, q => q.stats())
    }
    fn on_link(&mut self, link: &LinkInfo<'_>) {
        each!(self, q => q.on_link(link));
    }
    fn wants_airtime(&self) -> bool {
        each!(self, q => q.wants_airtime())
    }
    fn on_airtime(&mut self, airtime: &Airtime) {
        each!(self, q => q.on_airtime(airtime));
    }
}
