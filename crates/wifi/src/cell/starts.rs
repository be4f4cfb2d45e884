//! Start of transmissions: which radios hear them, and which overlap. Their end is in `ends`.

use airtcp_units::{Nanos, Narrow};

use super::fate::Fate;
use super::medium::Medium;
use super::radio::{Judge, Radio, Signal};
use super::transmission::Transmission;
use crate::mac::{Frame, FrameStart};
use crate::node::NodeId;

impl Medium {
    /// Starts the transmissions decided at this instant, all together.
    pub(super) fn begin(&mut self, now: Nanos) {
        if self.outbox.is_filling() {
            self.compose(now);
            if self.air.starting().is_empty() {
                return;
            }
        }
        self.decide_before(now);
        if self.begins_alone() {
            self.begin_alone(now);
        } else {
            if !self.begins_collision() {
                self.leave_all();
            }
            self.begin_together(now);
        }
    }

    /// Starts transmissions, each radio by itself.
    #[inline(never)]
    fn begin_together(&mut self, now: Nanos) {
        let mut touched = std::mem::take(&mut self.touched);
        self.schedule_reuse(now);
        let frames = self.air.take_starting();
        let hearers = self.reach.lend_hearers();
        self.schedule_detections(now);
        let faded = self.clock.run(now);
        for frame in &frames {
            let from = frame.from.index();
            let place = self.start(now, frame);
            let Some(sent) = self.air.at(place).copied() else { continue };
            let fades = !self.cells.of(from).fading.is_none();
            for &(radio, mut power) in &hearers[from] {
                if self.alike.shares(radio) {
                    continue;
                }
                if fades {
                    power *= self.reach.gain(&self.cells, (from, radio as usize), faded);
                }
                let signal = self.reach.signal(&self.cells, (place, &sent), power, radio as usize);
                let Some(signal) = signal else { continue };
                let new = self.hear(now, radio as usize, signal);
                // Transmissions of one instant may begin in two steps.
                if new || !touched.contains(&radio) {
                    touched.push(radio);
                }
            }
        }
        for frame in &frames {
            self.air.mark_receiver_sends(frame.from);
            self.deafen(now, frame.from);
        }
        if self.alike.is_shared() {
            self.collision_begins(now);
        }
        // The hearers of a single frame are already in order.
        if frames.len() > 1 {
            touched.sort_unstable();
        }
        for radio in touched.drain(..) {
            self.arrivals(now, radio as usize);
        }
        self.reach.return_hearers(hearers);
        self.air.all_started(frames);
        self.touched = touched;
    }

    /// A transmitting station is deaf: it loses the frame that it was receiving.
    pub(super) fn deafen(&mut self, now: Nanos, sender: NodeId) {
        let i = sender.index();
        self.radios[i].start_sending();
        self.stations[i].on_busy(now, &self.cells.of(i).rules);
        self.refresh(sender.0);
    }

    pub(super) fn start(&mut self, now: Nanos, frame: &Frame) -> u32 {
        let width = self.reach.width(frame);
        let bss = self.cells.of_mut(frame.from.index());
        let i = frame.from.index();
        let limited = self.stations[i].is_limited(frame);
        let gain = if limited { bss.reuse.limit(bss.local(i)) } else { 1.0 };
        let timing = &bss.rules.timing;
        let length = match frame.multi_user {
            None => timing.frame(frame.mode, frame.bytes),
            Some(times) => times.time,
        };
        let plcp = timing.plcp_bits(frame.mode);
        let sent = Transmission {
            frame: *frame,
            started: now,
            body: now + frame.multi_user.map_or(timing.preamble(frame.mode), |t| t.preamble),
            ends: now + length,
            bits: frame.body_bits(),
            band: bss.band_of(frame.mode, width),
            gain,
            width,
            plcp,
            flow: self.books.on_start(frame, length),
            ordinal: bss.ordinal,
            fate: Fate::default(),
        };
        bss.on_start(now);
        if frame.multi_user.is_some() {
            self.start_multi_user(frame);
        }
        self.air.start(sent, &self.reach, &self.cells)
    }

    /// Records which secondary channels of a radio are busy.
    pub(super) fn sense_secondaries(&mut self, now: Nanos, station: usize) {
        let tuned = &self.cells.of(station).tuned;
        if tuned.has_secondaries() {
            let radio: &mut Radio = &mut self.radios[station];
            tuned.sense(now, radio);
        }
    }

    /// Starts a signal at a radio. Returns true if it is the first new one there at this instant.
    fn hear(&mut self, now: Nanos, station: usize, signal: Signal) -> bool {
        let radio = &mut self.radios[station];
        let first = radio.is_first(now);
        if first {
            let bss = self.cells.of(station);
            radio.judge(now, &Judge::of(bss, station));
        }
        radio.hear(signal);
        self.sense_secondaries(now, station);
        first
    }

    /// Lets a radio lock on to one of the signals that begin at this instant.
    fn arrivals(&mut self, now: Nanos, i: usize) {
        let bss = self.cells.of(i);
        let levels = &bss.levels;
        let radio = &mut self.radios[i];
        if radio.is_sending() {
            return;
        }
        let station = NodeId(u32::narrow(i));
        if radio.group_begins(now, station) {
            self.group_arrives(now, i, station);
            return;
        }
        let missed = levels.detection > 0.0
            && radio.misses(now, (bss.ambient.level(bss.local(i), now, now), bss.band), levels);
        let strongest =
            radio.strongest_new(now).filter(|new| !missed && radio.locks(now, new, levels));
        if let Some(new) = strongest {
            let earlier = radio.reception().filter(|r| r.started != now);
            let old = earlier.map(|r| r.place);
            let from = earlier.map_or(0.0, |r| r.power);
            let Some(sent) = self.air.at(new.place) else { return };
            radio.lock(now, new, sent);
            // The station decodes the non-HT part of the preamble, defers, and fails to decode the rest.
            let (lacks, knows) =
                (self.reach.lacks(&self.cells, i, sent), self.reach.reads_signal_a(i, sent));
            let radio = &mut self.radios[i];
            if lacks {
                radio.receive_preamble_only(knows);
            }
            if new.power < from * levels.factors.taken {
                radio.destroy();
            }
            let Transmission { started: since, ends, .. } = *sent;
            let receiving = FrameStart { since, ends, mode: sent.frame.mode };
            self.stations[i].on_rx_start(now, &receiving, &self.cells.of(i).rules);
            let class = sent.frame.class;
            if let Some(old) = old {
                self.air.capture(old, i, class);
            }
        } else {
            radio.update();
        }
        self.radios[i].overlap(now, missed, levels);
        if missed && self.radios[i].reception().is_none() {
            // The medium is busy, and no EIFS follows, not even that of an earlier frame.
            self.stations[i].on_rx_error(now, false, &bss.rules);
        }
        self.sense(now, i);
        if missed || strongest.is_some() {
            // The frame before may have postponed a timeout that the new frame does not postpone.
            self.refresh(u32::narrow(i));
        }
    }

    /// Schedules the detection of frames that begin now, at radios where their energy is below the
    /// threshold.
    fn schedule_detections(&mut self, now: Nanos) {
        let Self { cells, air, .. } = self;
        for cell in cells.iter() {
            let at = now + cell.levels.detection_time;
            if at > now {
                air.schedule_detection(at);
            }
        }
    }

    /// Handles frames that have been on the air for the detection time.
    pub(super) fn detect(&mut self, now: Nanos) {
        if self.air.next_detection() > now {
            return;
        }
        self.air.detected(now);
        for i in 0..self.radios.len() {
            self.sense(now, i);
        }
    }

    /// Notifies a station if its medium became busy or idle, and then updates its deadline. Returns
    /// true if it did.
    pub(super) fn sense(&mut self, now: Nanos, i: usize) -> bool {
        let radio = &mut self.radios[i];
        let bss = self.cells.of(i);
        let busy = radio.is_sending()
            || radio.is_loud(
                now,
                &bss.levels,
                bss.ambient.energy_at(bss.local(i)),
                bss.tuned.primary,
            )
            || bss.ambient.is_heard_at(bss.local(i));
        if !radio.becomes(busy) {
            return false;
        }
        if busy {
            self.stations[i].on_busy(now, &bss.rules);
        } else {
            self.stations[i].on_idle(now);
        }
        self.refresh(u32::narrow(i));
        true
    }
}
