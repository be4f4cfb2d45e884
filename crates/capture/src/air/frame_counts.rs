//! Counts frames by their kind.

use airtcp_wire::ieee80211::{Kind, Repr};

use super::report::FrameCounts;

impl FrameCounts {
    /// Counts a frame.
    pub(super) fn count(&mut self, header: &Repr) {
        let counter = match header.kind {
            Kind::Data => &mut self.data,
            Kind::NullData => &mut self.null_data,
            Kind::Ack => &mut self.ack,
            Kind::BlockAck => &mut self.block_ack,
            Kind::BlockAckRequest => &mut self.block_ack_request,
            Kind::Rts => &mut self.rts,
            Kind::Cts => &mut self.cts,
            Kind::CfEnd => &mut self.cf_end,
            Kind::PsPoll => &mut self.ps_poll,
            Kind::Control(_) => &mut self.other_control,
            Kind::Beacon => &mut self.beacon,
            Kind::Management(_) => &mut self.other_management,
            Kind::Extension(_) => &mut self.extension,
        };
        *counter += 1;
        let is_data = matches!(header.kind, Kind::Data | Kind::NullData);
        self.retries += u64::from(header.retry && header.sequence.is_some());
        self.protected += u64::from(header.protected && is_data);
    }
}
