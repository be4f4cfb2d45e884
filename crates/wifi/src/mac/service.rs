//! Service time of a packet without contention and losses.
//!
//! ```text
//! T = AIFS + CWmin/2 slots + DATA + SIFS + ACK
//! ```
//! It is the initial estimate of queue disciplines that use the service time. Leaves out RTS and CTS,
//! protection, fragments and other stations, all of which make it longer.

use airtcp_units::{Bytes, Span};

use super::AccessParams;
use super::frame::data_bytes;
use crate::phy::{Mode, Timing};

/// Time from the start of an idle medium to the end of the ACK of an IP packet in `mode`, with the
/// mean first back-off. `qos` is true if the data frame has a QoS control field (EDCA).
pub fn service_time(
    timing: &Timing,
    access: &AccessParams,
    mode: Mode,
    packet: Bytes,
    qos: bool,
) -> Span {
    let bytes = data_bytes(u32::try_from(packet.0).unwrap_or(u32::MAX / 2), qos);
    let backoff = Span(timing.slot.0 * u64::from(access.cw_min) / 2);
    timing.aifs(access.aifsn) + backoff + timing.frame(mode, bytes) + timing.sifs + timing.ack(mode)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::MacConfig;
    use crate::phy::{Standard, TimingConfig};

    #[test]
    fn a_packet_of_802_11b() {
        // DIFS 50, 15.5 slots 310, preamble 192 + 1536 B at 11 Mb/s 1118, SIFS 10, ACK 192 + 56 at 2 Mb/s.
        let timing = Timing::new(Standard::B, &TimingConfig::default()).unwrap();
        let access = MacConfig::default().params(Standard::B, false).unwrap()[0];
        let mode = Mode::DSSS[3];
        assert_eq!(mode.kbps(), 11_000);
        let time = service_time(&timing, &access, mode, Bytes(1500), false);
        assert_eq!(time, Span::from_micros(50 + 310 + 192 + 1118 + 10 + 192 + 56));
    }
}
