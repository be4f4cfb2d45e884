//! NewReno, RFC 6582 section 3.2: fast recovery lasts until everything outstanding at its
//! beginning is acknowledged, and a partial ACK shows the next hole.

use crate::tcp::config::{Recovery, RecoveryExit, TcpConfig};
use crate::tcp::sender::Sender;
use airtcp_congestion::CongestionControl;

impl Sender {
    /// Step 3, partial acknowledgement: retransmit the next hole, deflate by what was
    /// acknowledged, and give back one segment if at least that much was.
    pub(super) fn newreno_partial_ack(&mut self, acked: u64) {
        let mss = u64::from(self.mss);
        self.recovery.inflation -= acked as i64;
        if acked >= mss {
            self.recovery.inflation += mss as i64;
        }
        self.send_head();
    }

    /// Step 3, full acknowledgement: the window is the threshold, or less if little is
    /// outstanding and a burst would follow.
    pub(super) fn leave_fast(&mut self, config: &TcpConfig) {
        let newreno = self.recovery.discipline == Recovery::NewReno;
        // A window that was not reduced has no threshold to return to.
        let reduced = self.recovery.is_told(config);
        if newreno && reduced && config.recovery_exit == RecoveryExit::Flight {
            let mss = u64::from(self.mss);
            let limit = self.in_flight().max(mss) + mss;
            self.law.limit_cwnd(limit.min(self.law.ssthresh()));
        }
    }
}
