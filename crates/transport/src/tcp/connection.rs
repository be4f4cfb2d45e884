//! One end of a TCP connection.

use airtcp_packet::{Segment, Seq};
use airtcp_probe::{Cx, Machine, Probe};
use airtcp_units::{Nanos, Span};

use super::config::TcpConfig;
use super::state::{Role, State};
use super::stats::TcpStats;
use crate::congestion::{CongestionControl, LinkHint};

/// One end of a TCP connection.
#[derive(Debug)]
pub struct Connection {
    stats: TcpStats,
    written: u64,
}

#[allow(missing_docs, reason = "documented with the complete interface")]
#[allow(unused_variables, reason = "documented with the complete interface")]
impl Connection {
    pub fn new(config: &TcpConfig, role: Role, iss: Seq) -> Self {
        Self { stats: TcpStats::default(), written: 0 }
    }
    pub fn with_law(
        config: &TcpConfig,
        role: Role,
        iss: Seq,
        law: Box<dyn CongestionControl>,
    ) -> Self {
        Self::new(config, role, iss)
    }
    pub fn open(&mut self, now: Nanos) {}
    pub fn write(&mut self, now: Nanos, bytes: u64) -> u64 {
        self.written += bytes;
        bytes
    }
    pub fn close(&mut self, now: Nanos) {}
    pub fn abort(&mut self, now: Nanos) {}
    pub fn readable(&self) -> u64 {
        0
    }
    pub fn read(&mut self, now: Nanos, max: u64) -> u64 {
        0
    }
    pub fn set_auto_read(&mut self, on: bool) {}
    pub fn on_link_hint(&mut self, now: Nanos, hint: &LinkHint) {}
    pub fn state(&self) -> State {
        self.stats.state
    }
    pub fn is_established(&self) -> bool {
        false
    }
    pub fn is_closed(&self) -> bool {
        false
    }
    pub fn is_finished(&self) -> bool {
        false
    }
    pub fn peer_closed(&self) -> bool {
        false
    }
    pub fn unacked(&self) -> u64 {
        self.written
    }
    pub fn writable(&self) -> u64 {
        0
    }
    pub fn delivered(&self) -> u64 {
        0
    }
    pub fn stats(&self) -> &TcpStats {
        &self.stats
    }
    pub fn cwnd(&self) -> u64 {
        0
    }
    pub fn ssthresh(&self) -> u64 {
        0
    }
    pub fn pipe(&self) -> u64 {
        0
    }
    pub fn srtt(&self) -> Option<Span> {
        None
    }
    pub fn rto(&self) -> Span {
        Span::ZERO
    }
}

impl Machine for Connection {
    type In = Segment;
    type Out = Segment;
    fn handle<P: Probe>(&mut self, _: Nanos, _: Segment, _: &mut Cx<'_, P>) {}
    fn on_timer<P: Probe>(&mut self, _: Nanos, _: &mut Cx<'_, P>) {}
    fn next_timer(&self) -> Nanos {
        Nanos::NEVER
    }
    fn poll<P: Probe>(&mut self, _: Nanos, _: &mut Cx<'_, P>) -> Option<Segment> {
        None
    }
}
