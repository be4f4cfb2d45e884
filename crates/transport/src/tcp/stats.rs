//! Counters of one connection. Always on; times in nanoseconds, sizes in bytes.

use serde::Serialize;

use super::state::State;
use airtcp_probe::RttStats;

/// What one end of a connection has done since it was built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct TcpStats {
    /// State now; at the end of a run, the final state.
    pub state: State,
    /// Segments sent, of all kinds.
    pub segments_sent: u64,
    /// Segments received, of all kinds.
    pub segments_received: u64,
    /// Segments with payload sent, retransmissions included.
    pub data_segments_sent: u64,
    /// Payload sent, retransmissions included.
    pub bytes_sent: u64,
    /// Segments with payload sent again; a FIN by itself is none.
    pub segments_retransmitted: u64,
    /// Payload sent again.
    pub bytes_retransmitted: u64,
    /// Segments with payload received, duplicates included.
    pub data_segments_received: u64,
    /// Payload acknowledged by the peer.
    pub bytes_acked: u64,
    /// Payload delivered in order to the application.
    pub bytes_delivered: u64,
    /// Payload received more than once.
    pub bytes_duplicate: u64,
    /// Pure acknowledgements sent.
    pub acks_sent: u64,
    /// Duplicate acknowledgements received.
    pub dup_acks: u64,
    /// Expiries of the retransmission timer for data.
    pub timeouts: u64,
    /// Recoveries begun without a timeout.
    pub fast_retransmits: u64,
    /// Recoveries of either kind completed.
    pub recoveries: u64,
    /// SYN and SYN-ACK segments retransmitted.
    pub handshake_retransmissions: u64,
    /// Zero-window probes sent.
    pub zero_window_probes: u64,
    /// Segments received with the congestion-experienced mark.
    pub ecn_marks: u64,
    /// Window reductions because of echoed marks.
    pub ecn_reactions: u64,
    /// DSACKs received (RFC 2883).
    pub dsacks: u64,
    /// Segments in flight that a link reported as corrupted.
    pub corruption_notices: u64,
    /// Segment losses classified by trip times (TP-LDA).
    pub losses_judged: u64,
    /// Of these, losses classified as corruption and not reported to the law.
    pub judged_corruption: u64,
    /// Timeouts found to be spurious (successive ones for one segment count once).
    pub spurious_timeouts: u64,
    /// Fast retransmits found to be spurious.
    pub spurious_fast_retransmits: u64,
    /// Of both, those found by DSACKs (RFC 3708).
    pub spurious_by_dsack: u64,
    /// Of both, those found by timestamps (RFC 3522).
    pub spurious_by_eifel: u64,
    /// Of both, those found by F-RTO (RFC 5682).
    pub spurious_by_frto: u64,
    /// Tail loss probes sent (RFC 8985 section 7).
    pub loss_probes: u64,
    /// Losses that a tail loss probe repaired by itself.
    pub loss_probe_repairs: u64,
    /// ACKs or timers that showed lost retransmissions (RACK).
    pub lost_retransmissions: u64,
    /// Segments dropped because nothing in them was acceptable.
    pub segments_refused: u64,
    /// Round trips.
    #[serde(flatten)]
    pub rtt: RttStats,
}

impl TcpStats {
    /// Share of data segments sent that were retransmissions.
    pub fn retransmission_ratio(&self) -> f64 {
        if self.data_segments_sent == 0 {
            return 0.0;
        }
        self.segments_retransmitted as f64 / self.data_segments_sent as f64
    }
}
