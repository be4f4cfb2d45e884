//! The limit of a station's power after it has ignored a frame of another cell (OBSS PD).
//!
//! The limit begins with the frame that is ignored, and ends with the transmission opportunity that the station
//! gains next. Source: 802.11ax-2021 clause 26.10.2.4.

use airtcp_units::Nanos;

use super::exchange::Exchange;
use super::{Frame, Kind, PowerLimit, Rules, Station};

impl Station {
    /// Handles a frame in reception that the station ignores from now on.
    pub(crate) fn on_rx_ignored(&mut self, now: Nanos, rules: &Rules) {
        self.power_limit = PowerLimit::UntilAccess;
        let Exchange::Awaiting { heard, .. } = &mut self.exchange else { return };
        if *heard <= now {
            self.fail(now, rules);
        } else {
            *heard = Nanos::NEVER;
        }
    }

    /// True if the power of a frame that the station sends is limited.
    pub(crate) fn is_limited(&self, frame: &Frame) -> bool {
        let answers = matches!(frame.kind, Kind::Ack | Kind::BlockAck)
            || frame.kind == Kind::Cts && frame.to != self.id;
        match self.power_limit {
            PowerLimit::None => false,
            PowerLimit::UntilAccess => true,
            // Between its transmission opportunities, the station only answers.
            PowerLimit::DuringAccess => !answers,
        }
    }
}
