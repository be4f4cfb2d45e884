//! What a congestion law is asked, and what it answers.

use airtcp_probe::ConfigError;
use airtcp_units::{BitRate, Nanos};

use crate::needs::Needs;
use crate::promises::Promises;
use crate::types::{AckSample, Congestion, Idle, LawParams, LawState, LinkHint, Lost, Sent};

/// A congestion law. `now` never decreases from call to call.
///
/// What every law must hold, and the conformance suite checks: `cwnd` is at least one segment
/// and at most [`LawParams::max_cwnd`]; an undo gives back what the reaction took; whatever
/// round-trip times and amounts come in, windows and rates stay within sense; two copies fed the
/// same calls agree. And what the law [`promises`](Self::promises).
pub trait CongestionControl: std::fmt::Debug + Send {
    /// Begins (again) with these parameters: called when the connection is built and once more
    /// when the handshake has settled the segment size and the initial window.
    fn start(&mut self, now: Nanos, params: &LawParams);

    /// A data segment left.
    fn on_sent(&mut self, now: Nanos, sent: &Sent) {
        let _ = (now, sent);
    }

    /// A segment was judged lost. Called for each, in the order of their judgement, before
    /// [`on_ack`](Self::on_ack) and before the episode that they begin is told; for those a
    /// timeout gives up, after it.
    fn on_lost(&mut self, now: Nanos, lost: &Lost) {
        let _ = (now, lost);
    }

    /// An acknowledgement brought news: it acknowledged or SACKed data, or was a duplicate.
    /// Called after loss detection, and after [`on_congestion`](Self::on_congestion) if this
    /// very ACK began an episode.
    fn on_ack(&mut self, now: Nanos, ack: &AckSample);

    /// A congestion episode began. Called once per episode.
    fn on_congestion(&mut self, now: Nanos, congestion: &Congestion);

    /// The last reaction to a loss was unnecessary: nothing had been lost. Gives back at least
    /// the window and the threshold from before it.
    fn on_spurious(&mut self, now: Nanos) {
        let _ = now;
    }

    /// Raises the slow-start threshold to at least `bytes`, once more was in the network than it
    /// says (RFC 4015 section 3.1 step 9). Nothing for a law without one.
    fn raise_ssthresh(&mut self, bytes: u64) {
        let _ = bytes;
    }

    /// Sending starts again after a pause with nothing outstanding.
    fn on_idle(&mut self, now: Nanos, idle: &Idle) {
        let _ = (now, idle);
    }

    /// The layer below knows something about the link.
    fn on_link_hint(&mut self, now: Nanos, hint: &LinkHint) {
        let _ = (now, hint);
    }

    /// Lowers the window to at most `bytes` without this being a congestion reaction, such as on
    /// leaving a recovery with little outstanding (RFC 6582 section 3.2 step 3).
    fn limit_cwnd(&mut self, bytes: u64);

    /// Congestion window in bytes.
    fn cwnd(&self) -> u64;

    /// Slow-start threshold in bytes; `u64::MAX` while nothing has set it. A law without one
    /// answers the window to which it would return.
    fn ssthresh(&self) -> u64;

    /// The rate at which segments should leave, headers not counted; `None` to send as the
    /// window allows.
    fn pacing_rate(&self) -> Option<BitRate> {
        None
    }

    /// The law's estimate of what the path carries for this connection, payload only; `None` if it
    /// makes none or has none yet.
    fn bandwidth(&self) -> Option<BitRate> {
        None
    }

    /// True if the law sets its window during recovery itself, from what is delivered and lost:
    /// nothing else may then reduce or limit it there (as `cong_control` does in Linux).
    fn governs_recovery(&self) -> bool {
        false
    }

    /// Bytes of new data that leave at once where segments are paced, as in Linux; `None`: segments
    /// leave one by one.
    fn send_quantum(&self) -> Option<u64> {
        None
    }

    /// What the law is doing.
    fn state(&self) -> LawState;

    /// What it promises beyond what every law does.
    fn promises(&self) -> Promises {
        Promises::default()
    }
}

/// The table of a law in a scenario: what [`LawConfig`](crate::LawConfig) asks of it.
pub trait LawTable {
    /// Refuses what the law cannot run with.
    ///
    /// # Errors
    /// The key at fault, what was found and what is accepted.
    fn validate(&self) -> Result<(), ConfigError> {
        Ok(())
    }

    /// What the law needs of the path to work as its source describes. Default: nothing.
    fn needs(&self) -> Needs {
        Needs::Nothing
    }
}
