//! The fate of each packet, one line each.

use std::fmt;

use airtcp_units::Nanos;

use super::frame::Ends;

/// The columns of [`Fate`]'s lines, separated by tabs.
pub const HEADER: &str = "port\tflow\tip_id\tseq\tlength\tentered_s\tleft_s\tfate\tplace";

/// The fate of a packet, or of a copy that a link made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fate {
    /// Name of the node where it entered.
    pub port: String,
    /// Number of its flow between the two ports; 0 for packets without a flow.
    pub flow: u32,
    /// Protocol and ends; none for packets without a flow.
    pub ends: Option<Ends>,
    /// Identification of IPv4; 0 elsewhere.
    pub ip_id: u16,
    /// Sequence number of TCP; 0 elsewhere.
    pub seq: u32,
    /// Length of the IP packet in bytes.
    pub length: u32,
    /// When it entered the model.
    pub entered: Nanos,
    /// When it left the model or was dropped.
    pub left: Nanos,
    /// `delivered`, `marked` (delivered, with a mark of congestion from the model), or the reason of a drop as in the
    /// results of a run.
    pub fate: &'static str,
    /// The node where it left, or the link or station that dropped it.
    pub place: String,
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { port, flow, ip_id, seq, length, fate, place, .. } = self;
        let seconds = |at: Nanos| format!("{}.{:09}", at.0 / 1_000_000_000, at.0 % 1_000_000_000);
        let (entered, left) = (seconds(self.entered), seconds(self.left));
        write!(f, "{port}\t{flow}\t{ip_id}\t{seq}\t{length}\t{entered}\t{left}\t{fate}\t{place}")
    }
}

/// Numbers of packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Packets that entered the model.
    pub entered: u64,
    /// Packets that left it at a port, copies included.
    pub delivered: u64,
    /// Of these, packets that got a mark of congestion.
    pub marked: u64,
    /// Packets that it dropped, copies included.
    pub dropped: u64,
    /// Copies that links made.
    pub copied: u64,
    /// Frames that passed beside the model: ARP and neighbour discovery.
    pub beside: u64,
    /// Frames for none of the ports.
    pub stray: u64,
    /// Packets whose stamp was earlier than the model's time, which entered at that time.
    pub clamped: u64,
}
