//! What can be observed, and the shape every model has.
//!
//! [`Machine`] is the interface of all endpoints: time comes in as an argument, output is drained,
//! and a machine never knows who drives it. Queues, links and cells work likewise, on packets of a
//! pool ([`PoolCx`]). [`Probe`] is how a machine
//! tells what it does; with [`NoProbe`] the telling compiles to nothing. The recorders are probes:
//! [`Counters`], [`Series`], [`Timeline`], [`PcapProbe`]; a pair of probes is a probe.

pub mod air;
mod counters;
mod event;
mod family;
mod mac80211;
mod machine;
mod nearest;
mod pcapng;
mod probe;
mod radiotap;
mod registry;
mod rtt_stats;
mod series;
mod timeline;
pub mod wire;
mod wording;

pub use air::{FrameClass, FrameLoss};
pub use counters::Counters;
pub use event::{DropReason, Event, LossCause, EventSource};
pub use machine::{Cx, Machine, PoolCx};
pub use nearest::{near, nearest};
pub use pcapng::{PcapProbe, Pcapng, Vantage};
pub use probe::{NoProbe, Probe, Relay};
pub use radiotap::{RadioSite, RadiotapProbe};
pub use registry::{ConfigError, Entry, within};
pub use rtt_stats::RttStats;
pub use series::{Series, SeriesOptions, Table};
pub use timeline::{SeenFrame, SeenWait, Timeline, TimelineOptions, WaitKind};
pub use wording::{reworded, short_numbers};
