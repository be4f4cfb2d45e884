//! ACK oracle, an ablation (`mac.ablation.ack_oracle`): no TCP ACK is lost on the air.
//!
//! The receiver decodes each frame that carries a TCP ACK, even if it did not detect the frame, was
//! receiving another one, or could not have decoded it. A receiver that is transmitting when the
//! frame ends gets the packet too, but cannot answer.

use airtcp_probe::{PoolCx, Probe};
use airtcp_units::{Nanos, Span};

use super::medium::Medium;
use super::packet::Delivery;
use super::transmission::Transmission;
use crate::mac::{Class, SignalQuality};
use crate::node::NodeId;

impl Medium {
    /// True if the oracle decodes a frame for a station.
    pub(super) fn has_ack_oracle(&self, sent: &Transmission, station: usize) -> bool {
        sent.frame.class == Class::TcpAck
            && sent.frame.to.index() == station
            && self.cells.of(sent.frame.from.index()).rules.has_ack_oracle()
    }

    /// Delivers a frame at its end if the oracle applies and the receiver has not decoded it.
    pub(super) fn apply_ack_oracle<P: Probe>(
        &mut self,
        now: Nanos,
        sent: &Transmission,
        cx: &mut PoolCx<'_, P>,
    ) {
        let (from, to) = (sent.frame.from, sent.frame.to);
        let i = to.index();
        if !self.has_ack_oracle(sent, i) {
            return;
        }
        if !self.ending.is_decoded() {
            self.ending.decode();
            self.books.on_decoded(&sent.frame);
            if !self.radios[i].is_sending() {
                self.receive_undecoded(now, sent, cx);
            }
        }
        // A receiver that is about to transmit does not answer, but gets the packet.
        if !sent.frame.more_fragments {
            self.hand_over(from, to, usize::from(sent.frame.category));
        }
    }

    /// Notifies a station of a frame that its radio did not decode.
    fn receive_undecoded<P: Probe>(
        &mut self,
        now: Nanos,
        sent: &Transmission,
        cx: &mut PoolCx<'_, P>,
    ) {
        let (from, to) = (sent.frame.from, sent.frame.to);
        let i = to.index();
        let bss = self.cells.of(i);
        let level = bss.ambient.level(bss.local(i), now - Span(1), now);
        let noise = level.noise * bss.band.part_in(sent.band);
        let snr = self.reach.power(from, to).unwrap_or(0.0) / noise;
        let how = SignalQuality { snr, sinr: snr };
        self.stations[i].on_rx(now, &sent.frame, how, &bss.rules);
        self.settle(now, i, cx);
        self.refresh(to.0);
    }

    /// Moves a packet from the head of its sender's queue to the receiver.
    pub(super) fn hand_over(&mut self, from: NodeId, to: NodeId, category: usize) {
        let Some(mpdu) = self.stations[from.index()].head(category) else { return };
        let frame_bytes = mpdu.part.bytes_of_all();
        if let Some(packet) = mpdu.packet.take() {
            self.outbox.deliver(Delivery { to, packet, frame_bytes });
        }
    }
}
