//! TCP ACKs that are never lost on the air: an ablation (`mac.ablation.ack_oracle`).
//!
//! The frame that carries one is decoded by its station even if that never noticed it, was receiving another one or
//! could not have read it. A station that is itself sending when the frame ends has the packet, too, but cannot answer.

use airtcp_probe::{PoolCx, Probe};
use airtcp_units::{Nanos, Span};

use super::medium::{Delivery, Medium};
use super::transmission::Transmission;
use crate::mac::{Class, Heard, NodeId};

impl Medium {
    /// Whether a station decodes a frame whatever happens.
    pub(super) fn has_ack_oracle(&self, sent: &Transmission, station: usize) -> bool {
        sent.frame.class == Class::TcpAck
            && sent.frame.to.index() == station
            && self.bss[self.of[sent.frame.from.index()]].rules.has_ack_oracle()
    }

    /// A frame has ended: its station has it, if it has to and has not yet.
    pub(super) fn apply_ack_oracle<P: Probe>(
        &mut self,
        now: Nanos,
        place: u32,
        sent: &Transmission,
        cx: &mut PoolCx<'_, P>,
    ) {
        let (from, to) = (sent.frame.from, sent.frame.to);
        let i = to.index();
        if !self.has_ack_oracle(sent, i) {
            return;
        }
        if self.decoded.is_none() {
            self.decoded = Some(place);
            self.stats[from.index()].on_decoded(&sent.frame);
            if !self.radios[i].sending {
                self.receive_undecoded(now, sent, cx);
            }
        }
        // It may be about to send, and answer nothing: it has the packet all the same.
        if !sent.frame.more_fragments {
            self.hand_over(from, to, usize::from(sent.frame.category));
        }
    }

    /// A station is told of a frame that its radio did not decode.
    fn receive_undecoded<P: Probe>(
        &mut self,
        now: Nanos,
        sent: &Transmission,
        cx: &mut PoolCx<'_, P>,
    ) {
        let (from, to) = (sent.frame.from, sent.frame.to);
        let i = to.index();
        let bss = &self.bss[self.of[i]];
        let level = bss.ambient.level(bss.local(i), now - Span(1), now);
        let snr = self.powers.get(from, to).unwrap_or(0.0) / level.noise;
        let how = Heard { snr, sinr: snr };
        self.stations[i].on_rx(now, &sent.frame, how, &bss.rules);
        self.settle(now, i, cx);
        self.refresh(to.0);
    }

    /// A packet leaves its sender's head for the station that it is for.
    pub(super) fn hand_over(&mut self, from: NodeId, to: NodeId, category: usize) {
        let Some(mpdu) = self.stations[from.index()].head(category) else { return };
        let frame_bytes = mpdu.part.bytes_of_all();
        if let Some(packet) = mpdu.packet.take() {
            self.out.push_back(Delivery { to, packet, frame_bytes });
        }
    }
}
