//! Parameters of the transport. The sender measures rate and loss; neither is configured.

use airtcp_probe::{ConfigError, within};
use airtcp_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When coded symbols (linear combinations of data symbols) are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Coding {
    /// When there is nothing else to send and losses have been measured.
    #[default]
    Idle,
    /// Never: every lost symbol is retransmitted. For comparison.
    Off,
}

/// Parameters of a flow with `transport = "sliding"`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SlidingConfig {
    /// Payload of a packet in bytes, at most 16,000; headers take 60 or 64 more. Default 1436.
    pub segment: u16,
    /// Packets sent in the first round trip. Default 10 (RFC 6928).
    pub initial_window: u16,
    /// Queueing delay that the window keeps at the bottleneck. Default 3 ms.
    pub queue: Span,
    /// Packets beyond the arrivals that the window may have where losses come in bursts. Default 3.
    pub queue_packets: u16,
    /// A queue above this for several round trips belongs to other flows. Default 12 ms.
    pub shared_queue: Span,
    /// Interval at which the window is lowered for two round trips, to measure the path without our
    /// queue. Default 5 s.
    pub probe_interval: Span,
    /// Packets are ECN-capable, and the sender responds to marks. Default true.
    pub ecn: bool,
    /// When coded symbols are sent. Default `idle`.
    pub coding: Coding,
    /// Standard deviations above the expected number of losses that coded symbols cover. Default 1.5.
    pub deviations: f64,
    /// Maximum ratio of packets sent to the packets that a perfect code needs, 1/(1-p). Above it the
    /// sender sends no coded symbols. Default 1.25.
    pub max_overhead: f64,
    /// Maximum share of duplicates in the sent packets. If losses are independent, the sender sends a
    /// symbol in duplicate after it has lost the symbol twice, or more often if the share requires it.
    /// 0 means never. Default 0.05.
    pub max_duplicates: f64,
    /// Maximum number of symbols sent and not known to have arrived in order: the window times the
    /// round trips that the oldest loss takes. Memory is allocated on use. Default 32,768, the
    /// maximum.
    pub max_symbols: u16,
}

impl Default for SlidingConfig {
    fn default() -> Self {
        Self {
            segment: 1436,
            initial_window: 10,
            queue: Span::from_millis(3),
            queue_packets: 3,
            shared_queue: Span::from_millis(12),
            probe_interval: Span::from_secs(5),
            ecn: true,
            coding: Coding::Idle,
            deviations: 1.5,
            max_overhead: 1.25,
            max_duplicates: 0.05,
            max_symbols: 32_768,
        }
    }
}

impl SlidingConfig {
    /// Checks every value.
    ///
    /// # Errors
    /// The key at fault, what was found and what is accepted.
    pub fn validate(&self) -> Result<(), ConfigError> {
        within("segment", self.segment, 1, 16_000)?;
        within("initial_window", self.initial_window, 1, 1000)?;
        within("queue_packets", self.queue_packets, 1, 100)?;
        within("deviations", self.deviations, 0.0, 10.0)?;
        within("max_overhead", self.max_overhead, 1.0, 100.0)?;
        within("max_duplicates", self.max_duplicates, 0.0, 1.0)?;
        within("max_symbols", self.max_symbols, 16, 32_768)?;
        let times = [
            ("queue", self.queue),
            ("shared_queue", self.shared_queue),
            ("probe_interval", self.probe_interval),
        ];
        for (key, time) in times {
            if time == Span::ZERO {
                return Err(ConfigError::new(key, "is 0 s: it must be longer"));
            }
        }
        if self.shared_queue < self.queue * 2 {
            let text = format!(
                "is {}, less than twice queue ({}): the flow would take its own queue for another's",
                self.shared_queue, self.queue
            );
            return Err(ConfigError::new("shared_queue", text));
        }
        Ok(())
    }
}
