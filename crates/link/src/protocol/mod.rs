//! Link protocols: what a link does about lost frames before anybody above hears of them.
//!
//! A frame (a packet given to the link) is split into units; the loss model acts on each unit by
//! itself. All protocols here are block protocols (S2 section V): a transmission of a frame is a
//! train of units, any `needed` different units give the frame back, the receiver reports on each
//! transmission, and the sender answers with further units until the frame is there or its
//! attempts are used up. [`Sender`] and [`Receiver`] are the two ends, without clock, queue or
//! wire: who drives them could be a simulator or a socket. What differs between protocols is a
//! [`LinkProtocol`]: how many units a frame becomes, what is sent after a report, when to give up.
//! A protocol is one file and one line of the `registry!` in `registry.rs`.
//!
//! Frames are released in order unless asked otherwise, so one that is repaired holds up those
//! behind it. The coding itself is not done here: packets are lengths, and which units arrived
//! decides.

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
pub use receiver::{Receiver, ReceiverParts};
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
