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
        match self.power_limit {
            PowerLimit::None => false,
            PowerLimit::UntilAccess => true,
            // Between its transmission opportunities, the station only answers.
            PowerLimit::DuringAccess => {
                !(matches!(frame.kind, Kind::Ack | Kind::BlockAck)
                    || frame.kind == Kind::Cts && frame.to != self.id
                    || frame.is_triggered())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use airtcp_random::Seed;
    use airtcp_units::Span;

    use super::*;
    use crate::mac::MuTimes;
    use crate::node::NodeId;
    use crate::phy::error::ErrorModel;
    use crate::phy::{Mode, Standard, Timing, TimingConfig};
    use crate::rate::{Rate, RateContext, RatePlan};

    /// After its limited transmission opportunity, a station answers with full power, also to triggers.
    #[test]
    fn answers_have_full_power() {
        let timing = Timing::new(Standard::Ax, &TimingConfig::default()).unwrap();
        let (seed, error) = (Seed::new(1), ErrorModel::default());
        let context = RateContext { timing: &timing, error: &error, seed, label: "rate" };
        let rate = Rate::new(&RatePlan::fixed(Mode::OFDM[0]), context).unwrap();
        let id = NodeId(1);
        let mut station = Station::new(id, 2, Vec::new(), rate, None, seed.stream("sta"));
        let frame =
            |kind| Frame::control(kind, id, NodeId(0), Mode::OFDM[0], Span::from_micros(44), 0);
        let times =
            |triggered| Some(MuTimes { time: Span(1), preamble: Span(1), symbols: 1, triggered });
        let data = frame(Kind::Data);
        let triggered = Frame { multi_user: times(true), ..data };
        let downlink = Frame { multi_user: times(false), ..data };
        let limited = |station: &Station| {
            [frame(Kind::BlockAck), triggered, downlink, data]
                .map(|frame| station.is_limited(&frame))
        };
        assert_eq!(limited(&station), [false; 4]);
        station.power_limit = PowerLimit::UntilAccess;
        assert_eq!(limited(&station), [true; 4]);
        station.power_limit = PowerLimit::DuringAccess;
        assert_eq!(limited(&station), [false, false, true, true]);
    }
}
