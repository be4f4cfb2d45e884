//! What the detectors of spurious recoveries are given: one acknowledgement, and what they may
//! see of the sender.

use crate::tcp::config::TcpConfig;
use crate::tcp::scoreboard::Scoreboard;

/// What one acknowledgement says to the detectors.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Evidence {
    /// Bytes it acknowledged cumulatively.
    pub(crate) acked: u64,
    /// It is a duplicate in the sense of RFC 5681 section 2.
    pub(crate) duplicate: bool,
    /// Its SACK blocks reported something for the first time.
    pub(crate) news: bool,
    /// It reported a duplicate segment, and an earlier ACK had.
    pub(crate) dsack: (bool, bool),
    /// The timestamp it echoes.
    pub(crate) echo: Option<u32>,
    /// It echoes a congestion mark.
    pub(crate) ece: bool,
}

/// The sender after the acknowledgement, before recovery has taken it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SenderView<'a> {
    pub(crate) config: &'a TcpConfig,
    pub(crate) board: &'a Scoreboard,
    /// SND.UNA and SND.NXT.
    pub(crate) una: u64,
    pub(crate) nxt: u64,
    /// `recover` of RFC 6582.
    pub(crate) recover: u64,
    pub(crate) mss: u64,
    /// Recovery works by RFC 6675.
    pub(crate) sack: bool,
    /// New data could leave if the window allowed it.
    pub(crate) new_data: bool,
}
