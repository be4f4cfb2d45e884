//! Events of a cell for probes: frames, receptions, back-off and NAV.
//!
//! Nothing here runs unless a probe asks for it. Back-off is computed lazily (its state is known
//! only when it stops), so each phase compares what the stations wait for before and after it.

use airtcp_packet::Pool;
use airtcp_probe::air::{AirEvent, AirFrame};
use airtcp_probe::{Event, FrameLoss, PoolCx, Probe};
use airtcp_units::{Nanos, Narrow, Span, detmath};

use super::medium::Medium;
use super::radio::Reception;
use super::transmission::Transmission;
use crate::mac::{AccessState, Countdown, Kind, NodeId};

impl Medium {
    /// True if a probe observes; then records what stations wait for.
    pub(super) fn watch<P: Probe>(&mut self, now: Nanos, cx: &PoolCx<'_, P>) -> bool {
        if !(P::ON && cx.probe.wants_air(now)) {
            return false;
        }
        self.leave_all();
        self.access_states.clear();
        for i in 0..self.stations.len() {
            let state = self.access_state(now, i);
            self.access_states.push(state);
        }
        true
    }

    fn access_state(&self, now: Nanos, station: usize) -> AccessState {
        self.stations[station].access_state(now, &self.bss[self.cell_of[station]].rules)
    }

    /// Reports back-offs that have stopped, and NAVs that have changed.
    pub(super) fn report_access_states<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) {
        for (i, before) in self.access_states.iter().enumerate() {
            let after = self.access_state(now, i);
            if before.idle && !after.idle {
                for down in before.countdowns.iter().flatten() {
                    report_backoff(now, u32::narrow(i), down, cx);
                }
            }
            if before.nav != after.nav {
                let reserved = AirEvent::Reserved { station: u32::narrow(i), until: after.nav };
                cx.record(now, || Event::Air(reserved));
            }
        }
    }

    /// Reports the finished back-off after the previous packet of a category, before a new packet
    /// resets it.
    pub(super) fn report_finished_backoff<P: Probe>(
        &self,
        now: Nanos,
        station: NodeId,
        category: usize,
        cx: &mut PoolCx<'_, P>,
    ) {
        if P::ON && cx.probe.wants_air(now) {
            let state = self.access_state(now, station.index());
            if let Some(down) = state.countdowns[category].filter(|down| down.over) {
                report_backoff(now, station.0, &down, cx);
            }
        }
    }

    /// A transmission for probes, if one observes. Call before its packet leaves the head.
    pub(super) fn observed<P: Probe>(
        &mut self,
        now: Nanos,
        sent: &Transmission,
        cx: &PoolCx<'_, P>,
    ) -> Option<AirFrame> {
        (P::ON && cx.probe.wants_air(now)).then(|| self.describe(sent, cx.pool))
    }

    fn describe(&mut self, sent: &Transmission, pool: &Pool) -> AirFrame {
        let frame = &sent.frame;
        let qos = self.bss[self.cell_of[frame.from.index()]].rules.qos();
        let carries = matches!(frame.kind, Kind::Data | Kind::Beacon | Kind::Management);
        let head = self.stations[frame.from.index()].head(usize::from(frame.category));
        let mpdu = head.filter(|mpdu| carries && mpdu.sequence == frame.sequence);
        let packet = mpdu.as_ref().and_then(|mpdu| mpdu.packet).map(|id| pool.get(id));
        AirFrame {
            from: frame.from.0,
            to: (frame.to != NodeId::BROADCAST).then_some(frame.to.0),
            class: frame.class,
            rate: frame.mode.rate(),
            ofdm: frame.mode.is_ofdm(),
            bytes: frame.bytes,
            category: (qos && !frame.class.is_management()).then_some(frame.category),
            sequence: frame.sequence,
            fragment: frame.fragment,
            more_fragments: frame.more_fragments,
            retry: frame.retry,
            no_ack: frame.no_ack,
            attempt: mpdu.as_ref().map_or(0, |mpdu| mpdu.transmissions),
            duration: frame.duration,
            started: sent.started,
            body: sent.body,
            ended: sent.ends,
            content: packet.map(|packet| (packet.to, packet.segment)),
        }
    }

    /// Reports the result of a frame at a radio.
    pub(super) fn report_heard<P: Probe>(
        &self,
        now: Nanos,
        station: usize,
        frame: &AirFrame,
        reception: &Reception,
        decoded: bool,
        cx: &mut PoolCx<'_, P>,
    ) {
        let bss = &self.bss[self.cell_of[station]];
        let level = bss.ambient.level(bss.local(station), now - Span(1), now);
        let heard = AirEvent::Heard {
            station: u32::narrow(station),
            frame: *frame,
            signal_dbm: dbm(reception.power),
            noise_dbm: dbm(level.noise + level.power),
            decoded,
        };
        cx.record(now, || Event::Air(heard));
    }
}

/// Reports the end and the result of a transmission.
pub(super) fn report_sent<P: Probe>(
    now: Nanos,
    frame: &AirFrame,
    loss: Option<FrameLoss>,
    cx: &mut PoolCx<'_, P>,
) {
    cx.record(now, || Event::Air(AirEvent::Sent { frame: *frame, loss }));
}

fn report_backoff<P: Probe>(now: Nanos, station: u32, down: &Countdown, cx: &mut PoolCx<'_, P>) {
    let Countdown { category, from, until, slots, left, .. } = *down;
    let stopped = AirEvent::BackedOff { station, category, from, until, slots, left };
    cx.record(now, || Event::Air(stopped));
}

/// A power in mW as dBm.
fn dbm(milliwatts: f64) -> f64 {
    10.0 * detmath::log10(milliwatts)
}
