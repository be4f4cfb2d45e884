//! Where a station stands in a frame exchange, and how one ends.

use airtcp_units::Nanos;

use super::{Frame, Kind, Mpdu};

/// What a station is doing of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exchange {
    /// Nothing.
    None,
    /// Its frame, or the space before it, is under way.
    Sending,
    /// An answer has to begin before `until`.
    Awaiting {
        /// CTS or ACK.
        answer: Kind,
        /// End of the timeout.
        until: Nanos,
        /// From here on it is settled that a frame has begun in time, and its end decides; never
        /// as long as none has that lasts beyond the timeout.
        heard: Nanos,
    },
}

/// What is sent SIFS after the frame before it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Due {
    /// An ACK or CTS to somebody else's frame.
    Answer(Frame),
    /// The data the CTS has cleared.
    Cleared,
    /// The next fragment of the packet.
    Fragment,
    /// The next data frame of the transmission opportunity, if there is one and it fits.
    Further,
}

/// How the sender's part in a packet ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finished {
    pub(crate) mpdu: Mpdu,
    pub(crate) category: u8,
    pub(crate) ending: Ended,
}

/// How a sender's part in a packet can end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// With an acknowledgement (or, to everybody, with its only frame).
    Acknowledged,
    /// With the last attempt, in vain.
    GivenUp,
    /// It became too old.
    Expired,
}
