//! Where a capture was taken.

use serde::{Deserialize, Serialize};

/// An end of a connection, by its place.
pub(super) const CLIENT: usize = 0;
pub(super) const SERVER: usize = 1;

/// The place of a capture as the user tells it. It replaces the place that round-trip times show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Vantage {
    /// At the client.
    Client,
    /// At the server.
    Server,
    /// Between the two.
    Middle,
}

impl Vantage {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
            Self::Middle => "middle",
        }
    }

    /// The place as the data of one end see it.
    pub(super) const fn along(self, sent_by_client: bool) -> Place {
        match (self, sent_by_client) {
            (Self::Middle, _) => Place::Between,
            (Self::Client, true) | (Self::Server, false) => Place::Sender,
            (Self::Client, false) | (Self::Server, true) => Place::Receiver,
        }
    }
}

/// The place of a capture on the way of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Sender,
    Between,
    Receiver,
}
