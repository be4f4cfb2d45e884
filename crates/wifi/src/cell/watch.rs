//! Events of a cell for probes: frames, receptions, back-off and NAV.
//!
//! Nothing here runs unless a probe asks for it. Back-off is computed lazily (its state is known
//! only when it stops), so each phase compares what the stations wait for before and after it.

use airtcp_packet::Pool;
use airtcp_probe::air::{AirEvent, AirFrame};
use airtcp_probe::{Event, FrameLoss, PoolCx, Probe};
use airtcp_units::{Nanos, Span, detmath};

use super::medium::Medium;
use super::radio::Reception;
use super::transmission::Transmission;
use crate::mac::{Countdown, Kind, NodeId, Wait};

impl Medium {
    /// True if a probe observes; then records what stations wait for.
    pub(super) fn watch<P: Probe>(&mut self, now: Nanos, cx: &PoolCx<'_, P>) -> bool {
        if !(P::ON && cx.probe.wants_air(now)) {
            return false;
        }
        self.waits.clear();
        for i in 0..self.stations.len() {
            let wait = self.wait(now, i);
            self.waits.push(wait);
        }
        true
    }

    fn wait(&self, now: Nanos, station: usize) -> Wait {
        self.stations[station].wait(now, &self.bss[self.of[station]].rules)
    }

    /// Reports back-offs that have stopped, and NAVs that have changed.
    pub(super) fn report_waits<P: Probe>(&mut self, now: Nanos, cx: &mut PoolCx<'_, P>) {
        for (i, before) in self.waits.iter().enumerate() {
            let after = self.wait(now, i);
            if before.idle && !after.idle {
                for down in before.countdowns.iter().flatten() {
                    report_backoff(now, i as u32, down, cx);
                }
            }
            if before.nav != after.nav {
                let reserved = AirEvent::Reserved { station: i as u32, until: after.nav };
                cx.record(now, || Event::Air(reserved));
            }
        }
    }

    /// A packet comes to a category: tells of the back-off after the one before, if that is over,
    /// because it is forgotten now.
    pub(super) fn report_finished_backoff<P: Probe>(
        &self,
        now: Nanos,
        station: NodeId,
        category: usize,
        cx: &mut PoolCx<'_, P>,
    ) {
        if P::ON && cx.probe.wants_air(now) {
            let wait = self.wait(now, station.index());
            if let Some(down) = wait.countdowns[category].filter(|down| down.over) {
                report_backoff(now, station.0, &down, cx);
            }
        }
    }

    /// A transmission as an observer is told of it, if one watches. While its packet is still there.
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
        let qos = self.bss[self.of[frame.from.index()]].rules.qos();
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
            attempt: mpdu.as_ref().map_or(0, |mpdu| mpdu.tries),
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
        let bss = &self.bss[self.of[station]];
        let level = bss.ambient.level(bss.local(station), now - Span(1), now);
        let heard = AirEvent::Heard {
            station: station as u32,
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
