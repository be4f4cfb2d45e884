//! Parameters of LT-TCP. Defaults are those of S0 and S2 where these state a value; the other
//! defaults are choices that `docs/models/lt-tcp.md` lists.

use airtcp_probe::{ConfigError, within};
use airtcp_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::limits::{DATA_HEADER, MAX_SYMBOLS};
use crate::tcp::TcpConfig;
use airtcp_congestion::Needs;
use airtcp_packet::ack_bitmap::BITMAP_LEN;

/// Maximum number of duplicates for a loss: half of the reach of feedback.
const MAX_DUP_THRESH: u32 = 64;

/// What sets the amount of parity sent with a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Proactive {
    /// The loss estimate (LT-TCP).
    #[default]
    Adaptive,
    /// The fixed share `fixed_share`, as in TCP with FEC that does not adapt (S0 section II).
    Fixed,
}

/// The standard deviation added to the expected loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Deviation {
    /// That of a binomial share: N segments lost independently.
    #[default]
    Binomial,
    /// The square root of the moving average of the samples' squared deviations.
    Ewma,
}

/// What repairs a block that cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reactive {
    /// Fresh parity (LT-TCP).
    #[default]
    Parity,
    /// As many of the lost segments as are needed.
    Retransmission,
}

/// When the receiver delivers data to the application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// Block by block, when a block decodes.
    #[default]
    Block,
    /// In-order data segments at once, as a systematic code allows; the rest of a block when it
    /// decodes.
    Segment,
}

/// Which events the sender reports to the congestion law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Response {
    /// Only marks if the path marks (S0, S2), otherwise `without_ecn`.
    #[default]
    Ecn,
    /// Marks and every loss, once per round trip, as in TCP.
    Loss,
}

/// Which events the sender reports to the law if marks are not reliable: ECN was not negotiated,
/// does not get through, or a queue overflowed without a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WithoutEcn {
    /// Losses during a standing queue, and losses that follow the flow's own growth.
    #[default]
    StandingQueue,
    /// Every loss, as in TCP.
    Loss,
    /// Only timeouts: the papers' behaviour on a path without ECN.
    Nothing,
}

/// Response to an outage, in which the link loses everything for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outages {
    /// The sender probes a silent path, restores the window after the outage, and does not count
    /// losses of an outage as congestion. Only with `response = "ecn"` and
    /// `without_ecn = "standing-queue"`.
    #[default]
    Bridge,
    /// Only the retransmission timer and the loss rules, as in the papers.
    Timeout,
}

/// Parameters of an LT-TCP flow beside those of its `tcp` table. That table sets the congestion
/// law, the initial window, timeouts, acknowledgements, buffers, and plain TCP with a peer without
/// LT-TCP.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LtConfig {
    /// Offer coding in the handshake; false is plain TCP. Default true.
    pub offer: bool,
    /// Offer ECN in the handshake, independent of `tcp.ecn`. Default true (S0 section III).
    pub ecn: bool,
    /// Weight of a new sample in the loss estimate, above 0 and at most 1. Default 0.5 (S0
    /// equation 1).
    pub alpha: f64,
    /// Loss estimate before the first sample. Default 0.
    pub initial_estimate: f64,
    /// Below this estimate no parity is sent; above it at least one segment per block. Default
    /// 0.005.
    pub least_estimate: f64,
    /// The standard deviation added to the expected loss. Default `binomial`.
    pub std: Deviation,
    /// Number of standard deviations. Default 1 (S2 section V); 0 is the form of 2005.
    pub deviations: f64,
    /// What sets the amount of parity sent with a block. Default `adaptive`.
    pub proactive: Proactive,
    /// Share of parity in a block with `proactive = "fixed"`. Default 0.1.
    pub fixed_share: f64,
    /// What repairs a block that cannot be decoded. Default `parity`.
    pub reactive: Reactive,
    /// Minimum number of segments in a window, unless they would be smaller than `mss_min`. Default
    /// 10 (S2 section V).
    pub granulation: u16,
    /// Smallest segment in bytes, including the option of 16 bytes. Default 200.
    pub mss_min: u16,
    /// Largest segment in bytes, including the option; the peers' `tcp.mss` is also a bound.
    /// Default 1460.
    pub mss_max: u16,
    /// Step by which segments grow, at most one step per round trip. Default 200 B (S0 section
    /// III).
    pub mss_step: u16,
    /// Maximum number of segments of a block; a larger window is split into equal blocks. The rest
    /// of 255 symbols is for repairs. Default 200.
    pub block_limit: u16,
    /// When the receiver delivers data to the application. Default `block`.
    pub delivery: Delivery,
    /// Whether blocks with segments that a timeout marked lost count for the estimate. Default
    /// false: a timeout shows missing feedback, not which segments were lost.
    pub sample_on_timeout: bool,
    /// Segments that leave when the timer expires, independent of the window: a single one would be
    /// lost too often for the flow to recover. Default 10.
    pub timeout_segments: u16,
    /// Which events the sender reports to the congestion law. Default `ecn`.
    pub response: Response,
    /// Which events it reports if marks are not reliable. Default `standing-queue`.
    pub without_ecn: WithoutEcn,
    /// Time after a mark during which losses do not count as an unmarked overflow. Default 60 s.
    pub mark_memory: Span,
    /// A queue stands if the round-trip time exceeds its minimum by this share of its range, the
    /// maximum of the last 10 to 20 s less the minimum. Default 0.5.
    pub queue_share: f64,
    /// And by at least this time. Default 10 ms.
    pub queue_floor: Span,
    /// Response to an outage, in which the link loses everything for a while. Default `bridge`.
    pub outages: Outages,
    /// Number of successive packets, sent at as many different times, whose loss is an outage of
    /// the link rather than an overflow. Default 6.
    pub outage_run: u16,
}

impl Default for LtConfig {
    fn default() -> Self {
        Self {
            offer: true,
            ecn: true,
            alpha: 0.5,
            initial_estimate: 0.0,
            least_estimate: 0.005,
            std: Deviation::Binomial,
            deviations: 1.0,
            proactive: Proactive::Adaptive,
            fixed_share: 0.1,
            reactive: Reactive::Parity,
            granulation: 10,
            mss_min: 200,
            mss_max: 1460,
            mss_step: 200,
            block_limit: 200,
            delivery: Delivery::Block,
            sample_on_timeout: false,
            timeout_segments: 10,
            response: Response::Ecn,
            without_ecn: WithoutEcn::StandingQueue,
            mark_memory: Span::from_secs(60),
            queue_share: 0.5,
            queue_floor: Span::from_millis(10),
            outages: Outages::Bridge,
            outage_run: 6,
        }
    }
}

impl LtConfig {
    /// Checks every value.
    ///
    /// # Errors
    /// The key at fault, what was found and what is accepted.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if !(self.alpha > 0.0 && self.alpha <= 1.0) {
            let text = format!("{} is out of range: it is above 0 and at most 1", self.alpha);
            return Err(ConfigError::new("alpha", text));
        }
        within("initial_estimate", self.initial_estimate, 0.0, 1.0)?;
        within("least_estimate", self.least_estimate, 0.0, 1.0)?;
        within("deviations", self.deviations, 0.0, 10.0)?;
        within("fixed_share", self.fixed_share, 0.0, 0.95)?;
        within("queue_share", self.queue_share, 0.0, 1.0)?;
        within("granulation", self.granulation, 1, 255)?;
        within("timeout_segments", self.timeout_segments, 1, 255)?;
        within("outage_run", self.outage_run, 2, 255)?;
        // Symbol sizes are even.
        let least = DATA_HEADER + 2;
        if self.mss_min < least {
            let text = format!(
                "{}: a segment would carry nothing: its option takes {DATA_HEADER} B, so that \
                 accepted is {least} and more",
                self.mss_min
            );
            return Err(ConfigError::new("mss_min", text));
        }
        within("mss_max", self.mss_max, least, 65_495)?;
        if self.mss_min > self.mss_max {
            let text = format!("{} is above mss_max, which is {}", self.mss_min, self.mss_max);
            return Err(ConfigError::new("mss_min", text));
        }
        within("mss_step", self.mss_step, 1, 65_495)?;
        if !(2..MAX_SYMBOLS).contains(&self.block_limit) {
            let text = format!(
                "{}: data and parity of a block are at most {MAX_SYMBOLS} symbols with those that \
                 repair it, so that accepted is 2 to {}",
                self.block_limit,
                MAX_SYMBOLS - 1
            );
            return Err(ConfigError::new("block_limit", text));
        }
        Ok(())
    }
}

impl LtConfig {
    /// True if outages are bridged, which needs this project's response to losses.
    pub(crate) fn bridges(&self) -> bool {
        self.outages == Outages::Bridge
            && self.response == Response::Ecn
            && self.without_ecn == WithoutEcn::StandingQueue
    }

    /// What the flow needs of the path. If neither losses nor a standing queue count as congestion
    /// (`without_ecn = "nothing"`, as in S0 and S2), it needs marks. Its law then receives no other
    /// reports, so the law's needs count too.
    pub fn needs(&self, tcp: &TcpConfig) -> Needs {
        let marks = self.response == Response::Ecn && self.without_ecn == WithoutEcn::Nothing;
        tcp.needs().and(if marks { Needs::EcnMarks } else { Needs::Nothing })
    }

    /// Checks every value, and their consistency with the `tcp` table.
    ///
    /// # Errors
    /// The key at fault, what was found and what is accepted.
    pub fn validate_with(&self, tcp: &TcpConfig) -> Result<(), ConfigError> {
        self.validate()?;
        if self.mss_min > tcp.mss {
            let text = format!("{} is above tcp.mss, which is {}", self.mss_min, tcp.mss);
            return Err(ConfigError::new("mss_min", text));
        }
        if tcp.dup_thresh > MAX_DUP_THRESH {
            let text = format!(
                "tcp.dup_thresh is {}: feedback tells of {} packets, so that accepted is up to \
                 {MAX_DUP_THRESH}",
                tcp.dup_thresh, BITMAP_LEN
            );
            return Err(ConfigError::new("", text));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_the_key_and_what_is_accepted() {
        assert!(LtConfig::default().validate().is_ok());
        let bad = |text: &str| {
            let config: LtConfig = toml::from_str(text).unwrap();
            config.validate().unwrap_err().to_string()
        };
        for (text, key, part) in [
            ("mss_min = 0", "mss_min", "would carry nothing"),
            ("mss_min = 16", "mss_min", "18 and more"),
            ("mss_min = 1500", "mss_min", "above mss_max, which is 1460"),
            ("mss_max = 0", "mss_max", "18 to"),
            ("block_limit = 255", "block_limit", "at most 255 symbols"),
            ("block_limit = 1", "block_limit", "2 to 254"),
            ("mss_step = 0", "mss_step", "1 to"),
            ("alpha = 0.0", "alpha", "above 0"),
            ("granulation = 0", "granulation", "1 to 255"),
            ("fixed_share = 1.0", "fixed_share", "0 to 0.95"),
            ("queue_share = nan", "queue_share", "0 to 1"),
        ] {
            let e = bad(text);
            assert!(e.starts_with(key) && e.contains(part), "{text}: {e}");
        }
        assert!(toml::from_str::<LtConfig>("mss_mix = 5").is_err());
        let text = toml::to_string(&LtConfig::default()).unwrap();
        assert_eq!(toml::from_str::<LtConfig>(&text).unwrap(), LtConfig::default());
    }
}
