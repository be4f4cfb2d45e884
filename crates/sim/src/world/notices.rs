//! Notices of packets that stations gave up, on their way to the senders.

use airtcp_link::CorruptionNotices;

use super::queue::MachineId;

/// Notices that have not yet reached their senders, and their timer.
pub(crate) struct Notices {
    pub(super) waiting: CorruptionNotices,
    pub(super) timer: MachineId,
}
