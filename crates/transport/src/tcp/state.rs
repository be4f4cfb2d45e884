//! Connection states, RFC 9293 section 3.3.2.

use airtcp_units::Nanos;
use serde::Serialize;

/// Which side opens the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Sends the SYN when the application opens.
    Active,
    /// Waits in LISTEN.
    Passive,
}

/// State of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// No connection.
    #[default]
    Closed,
    /// Waiting for a SYN.
    Listen,
    /// SYN sent, none received.
    SynSent,
    /// SYN received and sent, ours not acknowledged.
    SynReceived,
    /// Open in both directions.
    Established,
    /// Closed here, FIN not acknowledged.
    #[serde(rename = "fin-wait-1")]
    FinWait1,
    /// Closed here, FIN acknowledged, the peer still sends.
    #[serde(rename = "fin-wait-2")]
    FinWait2,
    /// The peer has closed, we have not.
    CloseWait,
    /// Both closed at once, our FIN not acknowledged.
    Closing,
    /// The peer closed first, our FIN not acknowledged.
    LastAck,
    /// Both FINs acknowledged; waits for late segments.
    TimeWait,
}

impl State {
    /// True from ESTABLISHED on, until CLOSED: both SYNs are acknowledged.
    pub const fn is_synchronised(self) -> bool {
        !matches!(self, Self::Closed | Self::Listen | Self::SynSent | Self::SynReceived)
    }

    /// True if data from the peer is still accepted.
    pub const fn receives(self) -> bool {
        matches!(self, Self::Established | Self::FinWait1 | Self::FinWait2)
    }

    /// True if the sender may have unacknowledged data or FIN, or more to send.
    pub const fn sends(self) -> bool {
        matches!(
            self,
            Self::Established | Self::FinWait1 | Self::CloseWait | Self::Closing | Self::LastAck
        )
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Handshake {
    /// The connection has left its first state.
    pub(crate) begun: bool,
    /// The next poll sends the SYN or SYN-ACK.
    pub(crate) syn_due: bool,
    /// Time at which the SYN or SYN-ACK was last sent.
    pub(crate) sent_at: Option<Nanos>,
    /// The SYN or SYN-ACK was sent more than once: one was lost.
    pub(crate) repeated: bool,
    /// A SYN-ACK followed the SYN (simultaneous open): an ACK is ambiguous.
    pub(crate) ambiguous: bool,
    /// The peer's maximum segment size; 0 before its SYN.
    pub(crate) peer_mss: u16,
    /// Window scales in force, the peer's and ours; `None` unless both offered them.
    pub(crate) scales: Option<(u8, u8)>,
    /// Both ends offered SACK.
    pub(crate) sack: bool,
}

impl Handshake {
    /// True if the connection in `state` has begun and ended.
    pub(crate) fn is_over(&self, state: State) -> bool {
        state == State::Closed && self.begun
    }
}
