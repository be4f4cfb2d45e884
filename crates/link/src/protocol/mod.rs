//! Link protocols recover lost frames on the link, below IP.
//!
//! A frame (a packet given to the link) is split into units, and the loss model decides for each
//! unit. All protocols here are block protocols (S2 section V): a transmission of a frame is a
//! train of units, and any `needed` different units decode the frame. The receiver reports on each
//! transmission. The sender answers with further units until the frame is decoded or its attempts
//! are used up. [`Sender`] and [`Receiver`] are the two ends, without clock, queue or wire, so a
//! simulator or a socket can drive them. A [`LinkProtocol`] holds the rules that differ between
//! protocols: the number of units of a frame, the retransmission after a report, and the retry
//! limit. A protocol is one file and one line of the `registry!` in `registry.rs`.
//!
//! By default the receiver delivers frames in order, so a frame under repair delays later frames.
//! Leaves out the coding itself: packets are lengths, and the set of arrived units decides.

pub mod closed_form;
mod feedback;
mod limits;
mod ll_arq;
mod ll_harq;
mod receiver;
mod registry;
mod rules;
mod sender;
mod symbols;
mod train;
mod wire;

pub use feedback::{FeedbackConfig, Trigger, Way};
pub use ll_arq::{Arq, LlArq, LlArqConfig};
pub use ll_harq::{Deviation, LlHarq, LlHarqConfig, Rfec, Rounding, Sample};
pub use receiver::{Receiver, ReceiverParams};
pub use registry::{Protocol, ProtocolConfig, registry};
pub use rules::{Common, First, LinkProtocol, Missing};
use rules::{Model, check_counts};
pub use sender::{Sender, SenderCounts, SenderTimes};
pub use symbols::{MAX_SYMBOLS, SymbolSet};
pub use train::Train;
pub use wire::{Block, Decision, Report, Timed, Unit};

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod train_tests;
