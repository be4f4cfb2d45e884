//! A link with a link protocol: frames that the protocol delivers or abandons, and reports sent over or
//! received from the other direction.

use airtcp_packet::PacketId;
use airtcp_probe::{DropReason, Event, PoolCx, Probe};
use airtcp_random::Seed;
use airtcp_units::{Bytes, Nanos};

use super::arq_engine::{ArqEngine, FrameEnd, ProtocolStats};
use super::control::Control;
use super::corruption::CorruptionNotices;
use super::{Link, LinkConfig};
use crate::protocol::{self, Protocol, Receiver, ReceiverParams, Sender, SenderTimes};

impl Link {
    pub(super) fn set_protocol(
        &mut self,
        protocol: Protocol,
        config: &LinkConfig,
        seed: Seed,
        label: &str,
    ) {
        let Some(common) = config.protocol.common() else { return };
        let feedback = common.feedback;
        let round_trip = config.delay.longest() * 2;
        let receiver = Receiver::new(ReceiverParams {
            trigger: common.trigger,
            in_order: common.in_order,
            idle: feedback.idle,
            round_trip,
            attempts: protocol.attempts(),
        });
        let sender = Sender::new(protocol, SenderTimes { round_trip, timer: feedback.timer });
        let p = feedback.loss.get();
        let loss = (p > 0.0).then(|| (p, seed.keyed(&format!("{label}/feedback"))));
        self.arq = Some(Box::new(ArqEngine::new(sender, receiver, feedback.way, loss)));
        self.needs_service = true;
    }

    /// True if neither the link protocol nor a report occupies the transmitter.
    pub(super) fn is_open(&self) -> bool {
        self.arq.as_ref().is_none_or(|c| c.is_open())
            && self.control.as_ref().is_none_or(|c| c.is_empty())
    }

    /// Counters of the link protocol, if there is one.
    pub fn protocol(&self) -> Option<&ProtocolStats> {
        self.arq.as_ref().map(|c| c.stats())
    }

    /// The link protocol's estimate of the unit loss rate, if it has one.
    pub fn estimate(&self) -> Option<f64> {
        self.arq.as_ref()?.estimate()
    }

    /// Prepares this direction to carry the reports of the other one's link protocol, each of
    /// `bytes`.
    pub fn carry_reports(&mut self, bytes: Bytes) {
        self.control = Some(Box::new(Control::new(bytes)));
        self.needs_service = true;
    }

    /// Lengthens the link protocol's report timer by the transmission time and the wait of a report
    /// on `reverse`.
    pub fn allow_reports_over(&mut self, reverse: &Self) {
        if let Some(arq) = &mut self.arq {
            arq.allow_reports(reverse.time_for(Bytes(1500)) * 3 + reverse.wire.delay);
        }
    }

    /// Bytes of the reports sent for the other direction's link protocol.
    pub fn reports_sent_bytes(&self) -> u64 {
        self.control.as_ref().map_or(0, |c| c.sent_bytes())
    }

    /// The next report of this link's protocol to send over the other direction.
    pub fn take_outgoing_report(&mut self, now: Nanos) -> Option<protocol::Report> {
        self.arq.as_mut()?.take_outgoing(now)
    }

    /// Sends a report of the other direction's link protocol as soon as the transmitter is free.
    pub fn send_report(&mut self, now: Nanos, report: protocol::Report) {
        if let Some(control) = &mut self.control {
            control.push(report);
            self.stats.sent_bytes += control.send(now, &mut self.wire);
        }
    }

    /// The next report for the other direction's link protocol that has arrived here.
    pub fn take_carried_report(&mut self, now: Nanos) -> Option<protocol::Report> {
        self.control.as_mut()?.take(now)
    }

    /// Handles a report for this link's protocol that arrived over the other direction.
    pub fn on_report(&mut self, now: Nanos, report: protocol::Report) {
        if let Some(arq) = &mut self.arq {
            arq.on_report(now, report);
            self.stats.sent_bytes += arq.advance(now, &mut self.wire);
        }
    }

    /// When a link with a protocol, reports or corruption notices must run next.
    pub(super) fn next_service(&self) -> Nanos {
        let ready_at = self.wire.ready_at;
        let notice = self.notices.as_ref().map_or(Nanos::NEVER, CorruptionNotices::next);
        let arrival = self.next_arrival.min(notice);
        let protocol = match &self.arq {
            Some(arq) => arq.next_timer(ready_at, self.waiting),
            None if self.waiting => ready_at,
            None => Nanos::NEVER,
        };
        let control = self.control.as_ref().map_or(Nanos::NEVER, |c| c.next_timer(ready_at));
        protocol.min(control).min(arrival)
    }

    /// The next packet that the link protocol delivers.
    pub(super) fn poll_arq<P: Probe>(
        &mut self,
        now: Nanos,
        cx: &mut PoolCx<'_, P>,
    ) -> Option<PacketId> {
        while let Some(end) = self.arq.as_mut()?.take_frame_end(now) {
            let FrameEnd { at, started, frame, id, delivered } = end;
            let packet = *cx.pool.get(id);
            if !delivered {
                self.stats.lost += 1;
                if let Some(notices) = &mut self.notices {
                    notices.on_lost(&packet, started, at);
                }
                cx.discard(now, id, DropReason::RetryLimit, 0);
                continue;
            }
            if self.highest_delivered.is_some_and(|highest| frame < highest) {
                self.stats.reordered += 1;
            } else {
                self.highest_delivered = Some(frame);
            }
            self.stats.delivered += 1;
            self.stats.delivered_bytes += u64::from(packet.wire_len());
            cx.record(now, || Event::Arrived { packet: id });
            return Some(id);
        }
        None
    }
}
