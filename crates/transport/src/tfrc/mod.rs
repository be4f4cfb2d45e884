//! TFRC, TCP-friendly rate control, RFC 5348: a datagram flow that sends at the rate a TCP would
//! get under the same loss event rate, but smoothly.
//!
//! [`TfrcSender`] sets the rate from the reports of [`TfrcReceiver`], which groups losses into
//! events and averages the intervals between them. With `loss_differentiation` only losses
//! classified as congestion count (E-TFRC, see [`crate::lda`]). Left out: variable packet sizes
//! within a flow, sender-based variants (section 8.3), and any retransmission.

mod config;
mod equation;
mod gaps;
mod history;
mod limits;
mod packet;
mod receiver;
mod sender;
#[cfg(test)]
mod tests;

pub use config::TfrcConfig;
pub use equation::{loss_event_rate, throughput};
pub use packet::{DATA_HEADER, REPORT, Report};
pub use receiver::{TfrcReceiver, TfrcReceiverStats};
pub use sender::{TfrcSender, TfrcSenderStats};
