//! All links of a capture, in bounded memory.

use std::collections::BTreeMap;

use airtcp_wire::ieee80211::Mac;

use super::clock::Instant;
use super::estimate::attempt_miss;
use super::intervals::{Intervals, LinkCount};
use super::link::{FlowKey, Link};
use super::log::{Kept, LinkLog};
use super::report::LinkReport;

/// Transmitter and receiver.
pub(super) type Ends = (Mac, Mac);

/// Most links that are followed at a time, and most that are reported.
const MAX_OPEN: usize = 4096;
const MAX_REPORTED: usize = 100_000;
/// Longest time between a packet and an acknowledgement that can belong to a retry of it.
const RECENT_NS: u64 = 1_000_000_000;

/// Links by their ends.
#[derive(Debug, Clone, Default)]
pub(super) struct Links {
    open: BTreeMap<Ends, Link>,
    /// The last data of each transmitter: link, flow, time.
    last_of: BTreeMap<Mac, (Ends, FlowKey, u64)>,
    closed: Vec<(LinkReport, Intervals<LinkCount>)>,
    /// Present if packets are kept one by one.
    kept: Option<Kept>,
    logs: Vec<LinkLog>,
    pub(super) evicted: u64,
    pub(super) omitted: u64,
}

impl Links {
    /// Keeps the packets and attempts of all links one by one.
    pub(super) fn keep_log(&mut self) {
        self.kept = Some(Kept::default());
    }

    /// True if packets are kept one by one.
    pub(super) const fn has_log(&self) -> bool {
        self.kept.is_some()
    }

    /// The logs of the ended links.
    pub(super) fn take_logs(&mut self) -> Vec<LinkLog> {
        std::mem::take(&mut self.logs)
    }

    fn keep_log_of(&mut self, ends: Ends, link: &mut Link) {
        if let Some(log) = link.tally.log.take() {
            self.logs.push(LinkLog { transmitter: ends.0, receiver: ends.1, log: *log });
        }
    }

    /// True if there was no link.
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty() && self.closed.is_empty()
    }

    /// The link with these ends, made if need be.
    pub(super) fn link(&mut self, ends: Ends, now: &Instant) -> &mut Link {
        if self.open.len() >= MAX_OPEN && !self.open.contains_key(&ends) {
            self.evict(now);
        }
        self.open.entry(ends).or_insert_with(|| Link::new(now.host_ns, self.kept.as_ref()))
    }

    /// The link with these ends, if it is followed.
    pub(super) fn known(&mut self, ends: Ends) -> Option<&mut Link> {
        self.open.get_mut(&ends)
    }

    /// The flow of the last data frame of a transmitter, if that is not long ago.
    pub(super) fn recent(&self, transmitter: Mac, now: &Instant) -> Option<(Ends, FlowKey)> {
        let (ends, key, at) = self.last_of.get(&transmitter)?;
        (now.host_ns.saturating_sub(*at) <= RECENT_NS).then_some((*ends, *key))
    }

    /// Remembers the flow of a data frame.
    pub(super) fn on_data(&mut self, ends: Ends, key: FlowKey, host_ns: u64) {
        self.last_of.insert(ends.0, (ends, key, host_ns));
    }

    /// Ends the quarter of the links that has been silent longest.
    fn evict(&mut self, now: &Instant) {
        let mut ages: Vec<(u64, Ends)> =
            self.open.iter().map(|(ends, link)| (link.last_ns, *ends)).collect();
        ages.sort_unstable();
        for (_, ends) in ages.into_iter().take((MAX_OPEN / 4).max(1)) {
            if let Some(mut link) = self.open.remove(&ends) {
                link.end_flows(now);
                let reverse = self.open.get(&(ends.1, ends.0));
                let miss = reverse.and_then(|link| attempt_miss(&link.tally));
                // Of links that many others drive out, what happened over time is forgotten.
                self.keep(LinkReport::of(ends, &link, miss), Intervals::default());
                self.keep_log_of(ends, &mut link);
                self.evicted += 1;
            }
            if self.last_of.get(&ends.0).is_some_and(|(last, _, _)| *last == ends) {
                self.last_of.remove(&ends.0);
            }
        }
    }

    fn keep(&mut self, report: LinkReport, over_time: Intervals<LinkCount>) {
        if self.closed.len() < MAX_REPORTED {
            self.closed.push((report, over_time));
        } else {
            self.omitted += 1;
        }
    }

    /// Ends all links: their reports and attempts over time, the one with the most attempts first.
    pub(super) fn finish(&mut self, end: &Instant) -> Vec<(LinkReport, Intervals<LinkCount>)> {
        for link in self.open.values_mut() {
            link.end_flows(end);
        }
        let mut open = std::mem::take(&mut self.open);
        for (ends, link) in &mut open {
            self.keep_log_of(*ends, link);
        }
        for (ends, link) in &open {
            let reverse = open.get(&(ends.1, ends.0));
            let miss = reverse.and_then(|link| attempt_miss(&link.tally));
            self.keep(LinkReport::of(*ends, link, miss), link.tally.over_time.clone());
        }
        let mut reports = std::mem::take(&mut self.closed);
        // A stable sort: links with as many attempts stay in the order of their addresses.
        reports.sort_by_key(|(report, _)| std::cmp::Reverse(report.attempts));
        reports
    }
}
