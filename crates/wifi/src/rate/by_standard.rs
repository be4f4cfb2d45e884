//! Rate control of an 802.11g station towards receivers of which some decode only DSSS and CCK.
//!
//! Two instances of the control run side by side: one with all allowed modes, and one without OFDM for
//! the 802.11b stations. A control keeps its state per receiver, so that neither sees the other's
//! frames.

use std::collections::BTreeSet;

use airtcp_units::Nanos;

use super::{Attempt, Outcome, Rate, RateControl};
use crate::mac::NodeId;
use crate::phy::Mode;

/// A control, and the same control without OFDM for some receivers.
#[derive(Debug)]
pub(crate) struct ByStandard {
    usual: Rate,
    dsss: Rate,
    /// Stations that decode only DSSS and CCK.
    dsss_only: BTreeSet<NodeId>,
}

impl ByStandard {
    /// `dsss` towards the stations `dsss_only`, `usual` towards all others.
    pub(crate) const fn new(usual: Rate, dsss: Rate, dsss_only: BTreeSet<NodeId>) -> Self {
        Self { usual, dsss, dsss_only }
    }

    fn of(&self, peer: NodeId) -> &Rate {
        if self.dsss_only.contains(&peer) { &self.dsss } else { &self.usual }
    }

    fn of_mut(&mut self, peer: NodeId) -> &mut Rate {
        if self.dsss_only.contains(&peer) { &mut self.dsss } else { &mut self.usual }
    }
}

impl RateControl for ByStandard {
    fn on_packet(&mut self, first: &Attempt) {
        self.of_mut(first.to).on_packet(first);
    }

    fn pick(&self, attempt: &Attempt) -> Mode {
        self.of(attempt.to).pick(attempt)
    }

    fn on_result(&mut self, outcome: &Outcome) {
        self.of_mut(outcome.attempt.to).on_result(outcome);
    }

    fn on_rx(&mut self, now: Nanos, from: NodeId, snr: f64) {
        self.of_mut(from).on_rx(now, from, snr);
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
        self.dsss.rts_mode()
    }
}
