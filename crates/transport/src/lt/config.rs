//! Parameters of LT-TCP. What S0 and S2 state is a default; where they are silent the default is a
//! choice, named as such in `docs/models/lt-tcp.md`.

use airtcp_probe::{ConfigError, within};
use airtcp_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::limits::{DATA_HEADER, MAX_SYMBOLS};
use crate::tcp::TcpConfig;
use airtcp_congestion::Needs;
use airtcp_packet::ack_bitmap::BITMAP_LEN;

/// Most duplicates that make a loss: half of what feedback reaches.
const MAX_DUP_THRESH: u32 = 64;

/// What sets the parity sent with a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Proactive {
    /// The loss estimate (LT-TCP).
    #[default]
    Adaptive,
    /// Always the share `fixed_share`, as in TCP with FEC that does not adapt (S0 section II).
    Fixed,
}

/// Which deviation stands above the expected loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Deviation {
    /// That of the share lost of N segments lost independently.
    #[default]
    Binomial,
    /// The root of the moving average of the samples' squared deviations.
    Ewma,
}

/// What repairs a block that cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reactive {
    /// Fresh parity (LT-TCP).
    #[default]
    Parity,
    /// The segments that were lost, as many as are needed.
    Retransmission,
}

/// When what has arrived is handed to the application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// Block by block, each once it decodes.
    #[default]
    Block,
    /// Data segments in order at once, as a systematic code allows; the rest of a block once it
    /// decodes.
    Segment,
}

/// What the congestion law is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Response {
    /// Marks alone where the path marks (S0, S2), `without_ecn` where it does not.
    #[default]
    Ecn,
    /// Marks and every loss, once a round trip, as TCP.
    Loss,
}

/// What the law is told of where no marks can be relied on: ECN was not agreed on, does not get
/// through, or a queue overflowed without a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WithoutEcn {
    /// Losses while a queue stands, and those that follow the flow's own growth.
    #[default]
    StandingQueue,
    /// Every loss, as TCP.
    Loss,
    /// Nothing but timeouts: what the papers describe, on a path without ECN.
    Nothing,
}

/// What follows when the link loses everything for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outages {
    /// The sender probes a silent path, restores the window after the outage, and does not take
    /// losses of an outage for congestion. Only with `response = "ecn"` and
    /// `without_ecn = "standing-queue"`.
    #[default]
    Bridge,
    /// The retransmission timer and the loss rules alone, as in the papers.
    Timeout,
}

/// Parameters of an LT-TCP flow beside those of its `tcp` table, which sets the congestion law, the
/// initial window, timeouts, acknowledgements and buffers, and what is spoken with a peer that
/// does not know LT-TCP.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LtConfig {
    /// Offer coding in the handshake; false is plain TCP. Default true.
    pub offer: bool,
    /// Offer ECN in the handshake, whatever `tcp.ecn` says. Default true (S0 section III).
    pub ecn: bool,
    /// Weight of a new sample in the loss estimate, above 0 and at most 1. Default 0.5 (S0
    /// equation 1).
    pub alpha: f64,
    /// Loss estimate before the first sample. Default 0.
    pub initial_estimate: f64,
    /// Below this estimate no parity is sent; above it at least one segment a block. Default 0.005.
    pub least_estimate: f64,
    /// Which deviation stands above the expected loss. Default `binomial`.
    pub std: Deviation,
    /// How many of them. Default 1 (S2 section V); 0 is the form of 2005.
    pub deviations: f64,
    /// What sets the parity sent with a block. Default `adaptive`.
    pub proactive: Proactive,
    /// Share of parity in a block with `proactive = "fixed"`. Default 0.1.
    pub fixed_share: f64,
    /// What repairs a block that cannot be decoded. Default `parity`.
    pub reactive: Reactive,
    /// Segments a window has at least, while they are not smaller than `mss_min`. Default 10 (S2
    /// section V).
    pub granulation: u16,
    /// Smallest segment in bytes, the option of 16 bytes included. Default 200.
    pub mss_min: u16,
    /// Largest segment in bytes, likewise; the peers' `tcp.mss` bounds it too. Default 1460.
    pub mss_max: u16,
    /// Step by which segments grow, at most one a round trip. Default 200 B (S0 section III).
    pub mss_step: u16,
    /// Most segments of a block; a larger window is split into equal blocks. With what is left of
    /// 255 fresh parity is made. Default 200.
    pub block_limit: u16,
    /// When what has arrived is handed to the application. Default `block`.
    pub delivery: Delivery,
    /// Whether blocks in which segments were given up by a timeout count for the estimate. Default
    /// false: a timeout says that feedback is missing, not what was lost.
    pub sample_on_timeout: bool,
    /// Segments that leave when the timer expires, whatever the window: a single one would be lost
    /// too often for the flow to come back. Default 10.
    pub timeout_segments: u16,
    /// What the congestion law is told of. Default `ecn`.
    pub response: Response,
    /// What it is told of where no marks can be relied on. Default `standing-queue`.
    pub without_ecn: WithoutEcn,
    /// How long after a mark losses are not taken for an overflow. Default 60 s.
    pub mark_memory: Span,
    /// A queue stands if the round trip is longer than the least one by this share of its range,
    /// the greatest of the last 10 to 20 s less the least. Default 0.5.
    pub queue_share: f64,
    /// And by at least this. Default 10 ms.
    pub queue_floor: Span,
    /// What follows when the link loses everything for a while. Default `bridge`.
    pub outages: Outages,
    /// Packets in a row, sent at that many different times, whose loss is an outage of the link and
    /// not an overflow. Default 6.
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
        // A symbol is even.
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
    /// Outages are bridged: losses say something only where the response is ours.
    pub(crate) fn bridges(&self) -> bool {
        self.outages == Outages::Bridge
            && self.response == Response::Ecn
            && self.without_ecn == WithoutEcn::StandingQueue
    }

    /// What it needs of the path: where neither losses nor a standing queue may speak for congestion
    /// (`without_ecn = "nothing"`, as in S0 and S2), marks must. Its law is told of nothing else, so
    /// that what the law needs counts, too.
    pub fn needs(&self, tcp: &TcpConfig) -> Needs {
        let marks = self.response == Response::Ecn && self.without_ecn == WithoutEcn::Nothing;
        tcp.needs().and(if marks { Needs::EcnMarks } else { Needs::Nothing })
    }

    /// Checks every value, and that they go with those of the `tcp` table.
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
