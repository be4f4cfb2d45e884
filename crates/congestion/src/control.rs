//! The interface of a congestion law.

use airtcp_probe::ConfigError;
use airtcp_units::{BitRate, Nanos};

use crate::needs::Needs;
use crate::promises::Promises;
use crate::types::{AckSample, Congestion, Idle, LawParams, LawState, Lost, Sent};

/// A congestion law. `now` never decreases from call to call.
///
/// The conformance suite checks these rules for every law. `cwnd` is between one segment and
/// [`LawParams::max_cwnd`]. An undo restores at least what the reaction took. Windows and rates
/// stay bounded for any round-trip times and volumes. Two copies of a law with the same calls
/// agree. The law keeps its [`promises`](Self::promises).
pub trait CongestionControl: std::fmt::Debug + Send {
    /// Begins (again) with these parameters. Called when the connection is built, and again when
    /// the handshake has settled the segment size and the initial window.
    fn start(&mut self, now: Nanos, params: &LawParams);

    /// A data segment left.
    fn on_sent(&mut self, now: Nanos, sent: &Sent) {
        let _ = (now, sent);
    }

    /// A segment was judged lost. Called once per segment, in the order of detection, before
    /// [`on_ack`](Self::on_ack) and before the episode that the losses begin. After a timeout, the
    /// calls follow the episode.
    fn on_lost(&mut self, now: Nanos, lost: &Lost) {
        let _ = (now, lost);
    }

    /// An acknowledgement acknowledged or SACKed data, or was a duplicate. Called after loss
    /// detection, and after [`on_congestion`](Self::on_congestion) if this ACK began an episode.
    fn on_ack(&mut self, now: Nanos, ack: &AckSample);

    /// A congestion episode began. Called once per episode.
    fn on_congestion(&mut self, now: Nanos, congestion: &Congestion);

    /// The last reaction to a loss was unnecessary, since nothing had been lost. Restores at least
    /// the window and the threshold from before it.
    fn on_spurious(&mut self, now: Nanos) {
        let _ = now;
    }

    /// Raises the slow-start threshold to at least `bytes` if the flight was larger than the
    /// threshold (RFC 4015 section 3.1 step 9). A law without a threshold ignores it.
    fn raise_ssthresh(&mut self, bytes: u64) {
        let _ = bytes;
    }

    /// Sending starts again after a pause with nothing outstanding.
    fn on_idle(&mut self, now: Nanos, idle: &Idle) {
        let _ = (now, idle);
    }

    /// Lowers the window to at most `bytes` without a congestion reaction, for instance at the end
    /// of a recovery with little outstanding (RFC 6582 section 3.2 step 3).
    fn limit_cwnd(&mut self, bytes: u64);

    /// Congestion window in bytes.
    fn cwnd(&self) -> u64;

    /// Slow-start threshold in bytes; `u64::MAX` while nothing has set it. A law without a
    /// threshold returns the window that it would restore.
    fn ssthresh(&self) -> u64;

    /// The rate at which segments should leave, without headers; `None` if the window alone governs
    /// sending.
    fn pacing_rate(&self) -> Option<BitRate> {
        None
    }

    /// The law's estimate of the payload rate that the path carries for this connection; `None`
    /// without an estimate.
    fn bandwidth(&self) -> Option<BitRate> {
        None
    }

    /// True if the law itself sets its window during recovery from delivered and lost bytes.
    /// Nothing else may then reduce or limit the window (as with `cong_control` in Linux).
    fn governs_recovery(&self) -> bool {
        false
    }

    /// True if the reaction to a mark is complete at once and the window may grow on the following ACKs: PRR does not
    /// spread it over a round trip.
    fn answers_marks_at_once(&self) -> bool {
        false
    }

    /// True if a model of the path bounds the window while no loss does (BBR, Vegas): a sender that
    /// waits at a full window then waits neither for growth nor for the return of a window that a loss
    /// has reduced.
    fn follows_model(&self) -> bool {
        false
    }

    /// Bytes of new data that leave in one burst under pacing, as in Linux; `None` if segments
    /// leave one by one.
    fn send_quantum(&self) -> Option<u64> {
        None
    }

    /// The state of the law.
    fn state(&self) -> LawState;

    /// How the law differs from the default of all laws.
    fn promises(&self) -> Promises {
        Promises::default()
    }
}

/// The configuration table of a law in a scenario, as [`LawConfig`](crate::LawConfig) uses it.
pub trait LawTable {
    /// Refuses values with which the law cannot run.
    ///
    /// # Errors
    /// The key at fault, what was found and what is accepted.
    fn validate(&self) -> Result<(), ConfigError> {
        Ok(())
    }

    /// What the law requires of the path to work as its source describes. Default: nothing.
    fn needs(&self) -> Needs {
        Needs::Nothing
    }
}
