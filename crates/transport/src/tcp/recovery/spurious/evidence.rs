//! Inputs of the detectors of spurious recoveries: one acknowledgement, and a view of the sender.

use crate::tcp::config::TcpConfig;
use crate::tcp::scoreboard::Scoreboard;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Evidence {
    /// Bytes that the ACK acknowledged cumulatively.
    pub(crate) acked: u64,
    /// The ACK is a duplicate in the sense of RFC 5681 section 2.
    pub(crate) duplicate: bool,
    /// The SACK blocks of the ACK reported something for the first time.
    pub(crate) new_sack: bool,
    /// The ACK carried a DSACK, and an earlier ACK did.
    pub(crate) dsack: (bool, bool),
    /// The timestamp that the ACK echoes.
    pub(crate) echo: Option<u32>,
    pub(crate) ece: bool,
}

/// The sender after the acknowledgement, before recovery has processed it.
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
    /// The recovery follows RFC 6675.
    pub(crate) sack: bool,
    /// New data could leave if the window allowed it.
    pub(crate) new_data: bool,
}
