//! Rate control of a station towards receivers of which some have an older standard: 802.11b stations
//! decode only DSSS and CCK, 802.11a and g stations no HT, VHT and HE.
//!
//! Instances of the control run side by side: one with all allowed modes, and one with the modes of each older
//! standard. A control keeps its state per receiver, so that none sees the frames of another one.

use std::collections::BTreeSet;

use airtcp_units::Nanos;

use super::{Attempt, Outcome, Rate, RateControl};
use crate::node::NodeId;
use crate::phy::Mode;

/// A control, and the same control with fewer modes for some receivers.
#[derive(Debug)]
pub(crate) struct ByStandard {
    usual: Rate,
    /// Controls of older standards, and the stations for which they are.
    others: Vec<(Rate, BTreeSet<NodeId>)>,
}

impl ByStandard {
    /// `usual` towards all stations that `others` do not name.
    pub(crate) const fn new(usual: Rate, others: Vec<(Rate, BTreeSet<NodeId>)>) -> Self {
        Self { usual, others }
    }

    fn of(&self, peer: NodeId) -> &Rate {
        let own = self.others.iter().find(|(_, stations)| stations.contains(&peer));
        own.map_or(&self.usual, |(rate, _)| rate)
    }

    fn of_mut(&mut self, peer: NodeId) -> &mut Rate {
        let own = self.others.iter_mut().find(|(_, stations)| stations.contains(&peer));
        own.map_or(&mut self.usual, |(rate, _)| rate)
    }
}

impl RateControl for ByStandard {
    fn on_packet(&mut self, first: &Attempt) {
        self.of_mut(first.to).on_packet(first);
    }

    fn pick(&self, attempt: &Attempt) -> Mode {
        self.of(attempt.to).pick(attempt)
    }

    fn is_single(&self, attempt: &Attempt) -> bool {
        self.of(attempt.to).is_single(attempt)
    }

    fn on_result(&mut self, outcome: &Outcome) {
        self.of_mut(outcome.attempt.to).on_result(outcome);
    }

    fn on_rx(&mut self, now: Nanos, from: NodeId, hz: Option<f64>, snr: f64) {
        self.of_mut(from).on_rx(now, from, hz, snr);
    }

    fn grant(&self, from: NodeId, sinr: f64, bytes: u32) -> Option<Mode> {
        self.of(from).grant(from, sinr, bytes)
    }

    fn on_grant(&mut self, to: NodeId, mode: Mode) {
        self.of_mut(to).on_grant(to, mode);
    }

    fn burst(&self, mode: Mode) -> u32 {
        self.usual.burst(mode)
    }

    fn burst_reserves(&self) -> bool {
        self.usual.burst_reserves()
    }

    /// A mode that all stations decode.
    fn rts_mode(&self) -> Option<Mode> {
        self.others.first().map_or(&self.usual, |(rate, _)| rate).rts_mode()
    }
}
