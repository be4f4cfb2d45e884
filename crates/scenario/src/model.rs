//! The scenario file: the keys that a TOML file may contain.
//!
//! The JSON Schema and the Python models are generated from these types. Unknown keys are refused.

use airtcp_link::{
    Delay, JitterConfig, LossConfig, LossUnit, PolicerConfig, ProtocolConfig, Rate,
    ReorderingConfig,
};
use airtcp_queueing::QueueConfig;
use airtcp_sliding::SlidingConfig;
use airtcp_transport::lt::LtConfig;
use airtcp_transport::tcp::TcpConfig;
use airtcp_transport::tfrc::TfrcConfig;
use airtcp_units::{Bytes, Probability, Span};
use airtcp_wifi::mac::Category;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Application, CellSpec, OutsideSpec, Without};

/// A scenario: links, cells, flows and the duration of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// One line for tables and plots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Root seed. The same seed gives the same result, bit for bit.
    #[serde(default = "one")]
    pub seed: u64,
    /// Number of independent replications, from which confidence intervals are computed.
    #[serde(default = "one_u32")]
    pub replications: u32,
    /// Simulated time.
    #[serde(default = "default_duration")]
    pub duration: Span,
    /// Time at the start that rates and means leave out.
    #[serde(default)]
    pub warmup: Span,
    /// A ready-made topology, whose links are added to `links`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topology: Option<Topology>,
    /// Links, each full duplex. The links define the nodes.
    #[serde(default)]
    pub links: Vec<LinkSpec>,
    /// 802.11 cells. Each cell defines its nodes. Links may connect its access point to other nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<CellSpec>,
    /// Flows. Default: one bulk TCP flow between the ends of the topology or of the only link, or one from
    /// each station of the only cell.
    #[serde(default)]
    pub flows: Vec<FlowSpec>,
    /// Nodes where real traffic enters and leaves, two at least, for `airtcp emulate`; `airtcp run` refuses them. The first
    /// flow between each two of them makes way for the real traffic; all others stay simulated. Default: the two ends of
    /// the first flow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<OutsideSpec>,
    /// Parts that the run leaves out, to measure what they cost. Default: none.
    #[serde(default, skip_serializing_if = "Without::is_empty")]
    pub without: Without,
    /// What to record besides the summary.
    #[serde(default)]
    pub output: Output,
}

/// Ready-made topologies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Topology {
    /// Nodes `n0` to `nH` in a line, `hops` equal links between them.
    #[schemars(title = "chain")]
    Chain {
        /// Number of links.
        hops: u32,
        /// Forward direction of each link.
        link: Box<Direction>,
        /// The other direction, if it differs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reverse: Option<Box<Direction>>,
    },
    /// Senders `s0`, `s1`, ... and receivers `r0`, `r1`, ... on the two sides of one link from `left` to
    /// `right`.
    #[schemars(title = "dumbbell")]
    Dumbbell {
        /// Number of senders and of receivers.
        pairs: u32,
        /// The shared link.
        bottleneck: Box<Direction>,
        /// The other direction, if it differs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reverse: Option<Box<Direction>>,
        /// Every other link. Default: 1 Gb/s, 1 ms.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        access: Option<Box<Direction>>,
        /// One-way delays of the access links of pair 0, 1, ..., on the senders' side, for flows
        /// of different round-trip times; the last one repeats.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        access_delays: Vec<Span>,
    },
}

/// One direction of a link. An absent key has its default. In a `reverse`, an absent key has the value of
/// the forward direction, except policer, loss, `loss_unit`, reordering, duplication and jitter, which have their
/// defaults.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Direction {
    /// Transmission rate, or the table of a varying rate. Without `rate` and `slot`, transmission takes no
    /// time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Transmission time of every packet, whatever its size (S1's method). Excludes `rate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<Span>,
    /// One-way propagation delay, or the table of a changing delay. Default 0 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Delay>,
    /// The queue in front of the link. Default: drop-tail, 100 packets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueConfig>,
    /// The queue is that of the sending host's own network device: it limits senders at this end whose `tcp.tsq` asks for
    /// it (TCP small queues). Default: false, the queue of a router behind the senders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sender_device: Option<bool>,
    /// Policer in front of the queue: drops what exceeds a rate and a burst. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policer: Option<PolicerConfig>,
    /// Loss model. Default: no loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<LossConfig>,
    /// What a loss takes: a packet, or a super-segment, as netem on a sending host does. Default: a packet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_unit: Option<LossUnit>,
    /// Maximum packet size, IP header included. Longer packets are dropped. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu: Option<Bytes>,
    /// Reordering: holds packets back so that later packets overtake them. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reordering: Option<ReorderingConfig>,
    /// Probability that a packet that is not lost arrives twice. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplication: Option<Probability>,
    /// Random variation of the delay. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jitter: Option<JitterConfig>,
    /// Link protocol, which recovers losses on the link. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<ProtocolConfig>,
}

/// A full-duplex link between two nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// Name in results; `from-to` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Node at one end; `forward` is the direction away from it.
    pub from: String,
    /// Node at the other end.
    pub to: String,
    /// Equal links in a row instead of one, `NAME 1` to `NAME n`, over nodes `NAME-1`, `NAME-2`, ...
    /// between `from` and `to`. Default: one link, `NAME`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hops: Option<u32>,
    /// The direction from `from` to `to`.
    #[serde(default)]
    pub forward: Direction,
    /// The direction from `to` to `from`, if it differs from `forward`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse: Option<Direction>,
}

/// The transport of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TransportKind {
    /// TCP, configured by `tcp`.
    #[default]
    Tcp,
    /// UDP.
    Udp,
    /// TFRC, datagrams at the rate of a TCP with the same losses, configured by `tfrc`.
    Tfrc,
    /// A stream protected by a sliding-window erasure code, configured by `sliding`.
    Sliding,
    /// LT-TCP, a stream with erasure coding, configured by `lt`. Parameters that it shares with TCP are in
    /// `tcp`.
    LtTcp,
}

/// A flow, or `count` equal flows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowSpec {
    /// Name in results; `flow0`, `flow1`, ... if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Node that opens the flow and sends its data.
    pub from: String,
    /// Node at the other end.
    pub to: String,
    /// Number of flows like this one. In a dumbbell, `from = "s*"` and `to = "r*"` put the i-th
    /// flow on the i-th pair. In a cell, `from = "sta*"` gives one flow to each station.
    #[serde(default = "one_u32")]
    pub count: u32,
    /// Transport protocol.
    #[serde(default)]
    pub transport: TransportKind,
    /// Access category of its packets in cells with EDCA.
    #[serde(default)]
    pub access_category: Category,
    /// Access category of its packets from `to` to `from`: the ACKs of an upload. Default: that of
    /// the other direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse_access_category: Option<Category>,
    /// TCP parameters: a profile's name, or a table with `profile` and the keys that differ from it.
    #[serde(default)]
    pub tcp: TcpConfig,
    /// TFRC parameters.
    #[serde(default)]
    pub tfrc: TfrcConfig,
    /// Parameters of the sliding-window transport.
    #[serde(default)]
    pub sliding: SlidingConfig,
    /// LT-TCP parameters.
    #[serde(default)]
    pub lt: LtConfig,
    /// Application.
    #[serde(default)]
    pub app: Application,
    /// Maximum random delay of the start, drawn for each flow.
    #[serde(default)]
    pub start_spread: Span,
}

/// What to record besides the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Output {
    /// Record series (cwnd, RTT, queue length) in the first replication.
    pub series: bool,
    /// Write a capture (pcapng) at the sender of each flow, in the first replication.
    pub pcap: bool,
}

/// Keys of `[[links]]` that belong to the link rather than to its forward direction.
pub(crate) const LINK_KEYS: [&str; 6] = ["name", "from", "to", "hops", "forward", "reverse"];

fn one() -> u64 {
    1
}

fn one_u32() -> u32 {
    1
}

fn default_duration() -> Span {
    Span::from_secs(60)
}
