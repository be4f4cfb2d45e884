//! Parameters of the schemes at the transport boundary of the access point.
//!
//! The state machines are in the transport crate, on which this crate does not depend. The driver builds
//! them from these parameters.

use airtcp_units::{Bytes, Span};

/// A scheme that sees the TCP packets that the access point forwards. A cell has at most one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// A cache of segments, with local retransmission.
    Snoop {
        /// Segments cached for a flow.
        cache_segments: u32,
        /// Duplicate ACKs that cause a local retransmission.
        dup_thresh: u32,
        /// Minimum of the local retransmission timeout.
        rto_min: Span,
        /// Maximum of the local retransmission timeout.
        rto_max: Span,
    },
    /// Two connections in place of one.
    SplitTcp {
        /// Acknowledge only what the receiver has acknowledged.
        late: bool,
        /// Data of a flow and direction that the access point buffers.
        buffer: Bytes,
        /// When the access point loses all state.
        fails_at: Option<Span>,
    },
    /// TCP ACKs from MAC acknowledgements.
    AckAgent,
    /// Marks on ACKs whose gaps are losses of the air.
    Eln,
}
