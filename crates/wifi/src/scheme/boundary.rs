//! Schemes at the transport boundary of the access point: what they ask the driver for.
//!
//! The machines are in the transport crate, which this crate does not know. Here are their keys.

use super::{AckAgentConfig, SnoopConfig, SplitTcpConfig};

/// A scheme that sees the TCP packets that the access point forwards. A cell has one at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// A cache of segments, with local retransmission.
    Snoop(SnoopConfig),
    /// Two connections in place of one.
    SplitTcp(SplitTcpConfig),
    /// TCP ACKs from MAC acknowledgements.
    AckAgent(AckAgentConfig),
}
