//! The interface of sans-IO machines, and the recording of their events.
//!
//! [`Machine`] is the interface of all endpoints: time comes in as an argument, output is drained, and a
//! machine does not know its driver. Queues, links and cells work the same way on the packets of a pool
//! ([`PoolCx`]). Machines record [`Event`]s with a [`Probe`]. [`NoProbe`] compiles to nothing. The
//! recorders are probes: [`Counters`], [`Series`], [`Timeline`], [`PcapProbe`], [`RadiotapProbe`]. A pair
//! of probes is a probe too.

pub mod air;
mod as_bytes;
mod counters;
mod delivered;
mod event;
mod family;
mod mac80211;
mod machine;
mod nearest;
mod pcap;
mod probe;
mod radiotap;
mod registry;
mod rtt_stats;
mod series;
mod timeline;
mod wording;

pub use air::{FrameClass, FrameLoss};
pub use counters::Counters;
pub use delivered::Delivered;
pub use event::{DropReason, Event, EventSource, LossCause};
pub use machine::{Cx, Machine, PoolCx};
pub use nearest::{near, nearest};
pub use pcap::{PcapProbe, Vantage};
pub use probe::{NoProbe, Probe, Relay};
pub use radiotap::{RadioSite, RadiotapProbe};
pub use registry::{ConfigError, Entry, within};
pub use rtt_stats::RttStats;
pub use series::{NO_THRESHOLD, Series, SeriesOptions, Table};
pub use timeline::{SeenFrame, SeenWait, Timeline, TimelineOptions, WaitKind};
pub use wording::{explained, reworded, short_numbers, unknown_name, unnumbered};
