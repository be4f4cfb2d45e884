//! Loss recovery: what counts as a loss episode, and which segments are retransmitted.
//!
//! A recovery is a module with an object behind [`discipline::LossRecovery`]: [`tahoe`], [`reno`],
//! [`newreno`], [`sack`], [`sack_ns2`], [`rack`]. `recoveries.rs` lists them. [`prr`],
//! [`spurious`], [`tlp`] and [`tp_lda`] are separate objects. None of them accesses the sender: the
//! sender passes each a view of its state and applies the answers.

mod careful;
mod corruption;
mod discipline;
mod early;
mod newreno;
mod prr;
mod rack;
mod registry;
mod reno;
mod sack;
mod sack_ns2;
mod spurious;
mod state;
mod tahoe;
mod tlp;
mod tp_lda;

pub(crate) use careful::LastAdvance;
pub use corruption::Corrupted;
pub(crate) use corruption::Notices;
pub(crate) use discipline::{Duplicate, LossRecovery, Next, Phase, Room, Signs, View};
pub(crate) use early::is_early_loss;
use newreno::NewReno;
pub(crate) use prr::{Prr, PrrAck, PrrSender};
pub(crate) use registry::Discipline;
use reno::Reno;
use sack::Sack;
use sack_ns2::SackNs2;
pub(crate) use spurious::{Evidence, Gate, SenderView, Spurious, StateBefore, Undo};
pub(crate) use state::RecoveryState;
use tahoe::Tahoe;
pub(crate) use tlp::{ProbeAck, Tlp};
pub(crate) use tp_lda::Differentiation;
