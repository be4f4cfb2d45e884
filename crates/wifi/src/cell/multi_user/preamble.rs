//! Preambles of HE PPDUs: what a station learns of a PPDU whose body it does not decode.
//!
//! Each 20 MHz of an HE PPDU has the fields up to HE-SIG-A. A radio of 802.11ax whose primary channel is one of them
//! decodes HE-SIG-A and sets its NAV by the TXOP field, for which the model has the Duration of the frame. No EIFS follows.
//! Radios of older standards decode the non-HT part, defer to the end of the PPDU, and wait EIFS.
//!
//! Source: IEEE 802.11ax-2021 clause 27.3.11.7 (HE-SIG-A).

use airtcp_probe::air::AirFrame;
use airtcp_probe::{PoolCx, Probe};
use airtcp_units::{Nanos, Span};

use crate::cell::medium::Medium;
use crate::cell::radio::Reception;
use crate::cell::transmission::Transmission;
use crate::mac::{Frame, SignalQuality};
use crate::node::NodeId;

impl Medium {
    /// Handles the end of a PPDU of which a radio was receiving the preamble alone.
    pub(in crate::cell) fn receive_preamble<P: Probe>(
        &mut self,
        now: Nanos,
        reception: &Reception,
        i: usize,
        sent: &Transmission,
        observed: Option<&AirFrame>,
        cx: &mut PoolCx<'_, P>,
    ) {
        let survival = reception.survival();
        let right = survival >= 1.0 || survival > 0.0 && self.cells.draw(sent, i) < survival;
        if let Some(frame) = observed.filter(|_| sent.frame.multi_user.is_none()) {
            if sent.frame.is_judged_by_mpdu() {
                self.report_subframes_heard(now, i, &[], reception, cx);
            } else {
                self.report_heard(now, i, frame, reception, false, cx);
            }
        }
        self.hear_preamble(now, reception, i, sent, right, true);
        self.settle(now, i, cx);
    }

    /// Notifies a station of a multi-user PPDU of which it decoded the preamble, or not even that. Without `usable`,
    /// the station had a part in it that it did not decode.
    pub(in crate::cell) fn hear_preamble(
        &mut self,
        now: Nanos,
        reception: &Reception,
        i: usize,
        sent: &Transmission,
        preamble: bool,
        usable: bool,
    ) {
        let bss = self.cells.of(i);
        let station = &mut self.stations[i];
        if preamble {
            let level = bss.ambient.level(bss.local(i), now - Span(1), now);
            let snr = reception.power / (level.noise * bss.band.part_in(reception.band));
            let addressed = usable
                && self
                    .air
                    .multi_user
                    .users(sent.frame.from)
                    .any(|user| user.station as usize == i);
            let duration = if addressed { Span::ZERO } else { sent.frame.duration };
            let frame = Frame { duration, to: NodeId::BROADCAST, ..sent.frame };
            station.on_rx_preamble(now, &frame, SignalQuality { snr, sinr: snr }, &bss.rules);
        }
        if !preamble || !usable {
            let noticed = reception.noticed(bss.levels.preamble);
            station.on_rx_error(now, noticed, &bss.rules);
        }
    }
}
