//! 802.11 as a monitor hears it: attempts, their fates, losses of each link.
//!
//! A frame passes the modules in this order: `capture_headers` (radiotap and others) and `ieee80211` of `wire`,
//! `sniffer`, `answers` (which frame an acknowledgement answers), `links`, `flow` (which attempts are
//! one packet), `packet` (their fates), `tally` (counts). `estimate` corrects the counts for what the
//! sniffer did not capture, and `report` has the results. `sensing` and `hidden` look for stations that do
//! not hear each other.
//!
//! | term | definition |
//! |---|---|
//! | attempt | a data frame with a body that was captured, also with a wrong frame check sequence |
//! | packet | attempts with the same transmitter, receiver, traffic identifier, sequence and fragment number; each later one has the retry bit and follows within 1 s |
//! | acknowledged | an acknowledgement to the transmitter is the next frame, one interframe space later; or the bit of a block acknowledgement is set |
//! | raw loss | share of the attempts that were not acknowledged |
//! | residual loss | share of the packets without any acknowledged attempt |
//! | latency | start of the first attempt to the end of the acknowledgement |

mod airtime;
mod answers;
mod beacons;
mod clock;
mod estimate;
mod expected;
mod flow;
mod frame_counts;
mod hidden;
mod intervals;
mod link;
mod links;
pub(crate) mod log;
mod over_time;
mod packet;
mod payload;
pub(crate) mod periods;
mod reasons;
mod relays;
pub mod report;
mod resolution;
mod sensing;
mod shared_clock;
mod signal;
mod sniffer;
mod stations;
mod tally;

pub use answers::Stamps;
pub use sniffer::Sniffer;
