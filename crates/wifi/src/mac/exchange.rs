//! State of a station's frame exchange, and how the exchange of a packet ends.

use airtcp_units::Nanos;

use super::{Frame, Kind, Mpdu};

/// State of the exchange that a station has started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exchange {
    /// No exchange.
    None,
    /// The station transmits, or waits SIFS before its next frame.
    Sending,
    /// The station waits for an answer.
    Awaiting {
        /// CTS or ACK.
        answer: Kind,
        /// Time of the timeout, unless a frame has begun.
        until: Nanos,
        /// If a frame that began in time lasts beyond the timeout: the time of the timeout. From
        /// then on the end of that frame decides. Never without such a frame.
        heard: Nanos,
    },
}

/// A frame to send SIFS after the previous one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Due {
    /// An ACK or CTS to another station's frame.
    Answer(Frame),
    /// The data frame after a CTS.
    DataAfterCts,
    /// The next fragment of the packet.
    Fragment,
    /// Nothing: the exchange of a frame without MAC ACK ends.
    Unacknowledged,
    /// The next data frame of the transmission opportunity or burst, if one waits and fits.
    NextInTxop,
    /// The HE TB PPDU after a trigger frame.
    Triggered,
}

/// A packet that the sender has finished.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finished {
    pub(crate) mpdu: Mpdu,
    pub(crate) category: u8,
    pub(crate) completion: Completion,
}

/// How a sender finishes a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Completion {
    /// The receiver acknowledged it or, of a frame without MAC ACK, has it; or it was broadcast.
    Acknowledged,
    /// The last attempt failed; or the receiver lacks a frame without MAC ACK.
    GivenUp,
    /// Its lifetime expired.
    Expired,
}
