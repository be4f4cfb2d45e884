//! Order in which an access point serves its stations in multi-user operation.
//!
//! ```text
//! round robin    stations in the order of their last service, the longest ago first
//! proportional   stations in the order of r / m, the highest first
//! m             <- m + (s - m) / 100 with each transmission in this direction
//! r              rate of the station's scheme over the whole width, in kb/s
//! s              bytes of the station in this transmission; 0 if it was not served
//! ```
//! Stations that are equal come in the order of their numbers. The mean `m` starts at 1 byte, so that a station without
//! service comes first. The two directions have separate states.

use crate::mac::MuScheduler;
use crate::node::NodeId;

/// Weight of the latest transmission in the mean.
const WEIGHT: f64 = 0.01;

/// A station that can be served, with the rate of its scheme in kb/s.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::mac) struct Candidate {
    pub(in crate::mac) station: NodeId,
    pub(in crate::mac) kbps: u32,
}

/// State of a scheduler in one direction.
#[derive(Debug)]
pub(in crate::mac) struct Turns {
    scheduler: MuScheduler,
    /// By station, number of its last service among all; 0 for none. The stations of one transmission are numbered in
    /// their order, which keeps turns equal if not all are served at once.
    served: Vec<u64>,
    /// By station, mean bytes per transmission.
    means: Vec<f64>,
    services: u64,
}

impl Turns {
    pub(in crate::mac) fn new(scheduler: MuScheduler, stations: usize) -> Self {
        Self { scheduler, served: vec![0; stations], means: vec![1.0; stations], services: 0 }
    }

    /// Puts candidates into the order of service.
    pub(in crate::mac) fn sort(&self, candidates: &mut [Candidate]) {
        match self.scheduler {
            MuScheduler::RoundRobin => candidates.sort_by_key(|c| {
                (self.served.get(c.station.index()).copied().unwrap_or_default(), c.station)
            }),
            MuScheduler::Proportional => {
                let ratio = |c: &Candidate| {
                    f64::from(c.kbps) / self.means.get(c.station.index()).copied().unwrap_or(1.0)
                };
                candidates.sort_by(|a, b| {
                    ratio(b).total_cmp(&ratio(a)).then_with(|| a.station.cmp(&b.station))
                });
            }
        }
    }

    /// A transmission has served stations with numbers of bytes.
    pub(in crate::mac) fn on_served(
        &mut self,
        served: impl Iterator<Item = (NodeId, u32)> + Clone,
    ) {
        for (station, _) in served.clone() {
            self.services += 1;
            if let Some(last) = self.served.get_mut(station.index()) {
                *last = self.services;
            }
        }
        if self.scheduler == MuScheduler::RoundRobin {
            return;
        }
        for mean in &mut self.means {
            *mean -= *mean * WEIGHT;
        }
        for (station, bytes) in served {
            if let Some(mean) = self.means.get_mut(station.index()) {
                *mean += f64::from(bytes) * WEIGHT;
            }
        }
        // Underflow would make the ratio infinite.
        self.means.iter_mut().for_each(|mean| *mean = mean.max(1e-3));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares of service of one station per transmission, of stations with rates.
    fn shares(scheduler: MuScheduler, kbps: &[u32], bytes: impl Fn(usize) -> u32) -> Vec<f64> {
        let mut turns = Turns::new(scheduler, kbps.len());
        let mut counts = vec![0.0; kbps.len()];
        let stations = (0..).map(NodeId).zip(kbps);
        let all: Vec<Candidate> =
            stations.map(|(station, kbps)| Candidate { station, kbps: *kbps }).collect();
        for _ in 0..10_000 {
            let mut order = all.clone();
            turns.sort(&mut order);
            let first = order[0].station;
            counts[first.index()] += 1.0 / 10_000.0;
            turns.on_served(std::iter::once((first, bytes(first.index()))));
        }
        counts
    }

    /// Under proportional fairness saturated stations get equal time, whatever their rates, as under round robin.
    #[test]
    fn saturated_stations_get_equal_turns() {
        let rates = [6_500, 65_000, 13_000, 130_000];
        for scheduler in [MuScheduler::RoundRobin, MuScheduler::Proportional] {
            let found = shares(scheduler, &rates, |i| rates[i] / 100);
            assert!(
                found.iter().all(|share| (share - 0.25).abs() < 0.01),
                "{scheduler:?} {found:?}"
            );
        }
    }

    /// A station that gets half of the bytes per transmission for its rate gets twice the turns under
    /// proportional fairness.
    #[test]
    fn proportional_fairness_equalises_the_ratio() {
        let rates = [10_000, 10_000];
        let found = shares(MuScheduler::Proportional, &rates, |i| if i == 0 { 500 } else { 1_000 });
        assert!((found[0] - 2.0 / 3.0).abs() < 0.01, "{found:?}");
    }
}
