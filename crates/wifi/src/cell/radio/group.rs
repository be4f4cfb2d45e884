//! Groups of HE TB PPDUs at a radio: the access point that triggered them receives all of them at once.

use airtcp_units::Nanos;

use super::{Judge, Member, Radio, Reception, Signal};
use crate::cell::levels::Levels;
use crate::cell::medium::Medium;
use crate::mac::FrameStart;
use crate::node::NodeId;

impl Radio {
    /// True if HE TB PPDUs for `station` begin just now.
    pub(in crate::cell) fn group_begins(&self, now: Nanos, station: NodeId) -> bool {
        self.signals.iter().any(|s| s.since == now && s.group == Some(station))
    }

    /// True if the radio locks on to a group that begins now. The group counts as one signal with the sum of the powers
    /// of its members.
    fn locks_group(&self, now: Nanos, station: NodeId, levels: &Levels) -> bool {
        let of_group = |s: &&Signal| s.since == now && s.group == Some(station);
        let members = self.signals.iter().filter(of_group);
        let Some(first) = members.clone().next() else { return false };
        let power = members.map(|member| member.power).sum();
        self.group.is_empty() && self.locks(now, &Signal { power, ..*first }, levels)
    }

    /// Judges the members of the group in reception up to `now`.
    pub(in crate::cell) fn judge_group(&mut self, now: Nanos, by: &Judge<'_>) {
        for member in &mut self.group {
            member.reception.judge(now, by, &mut member.pieces);
        }
    }

    /// Records at the members of the group in reception that the powers have changed.
    pub(in crate::cell) fn update_group(&mut self) {
        let mut group = std::mem::take(&mut self.group);
        for Member { reception, .. } in &mut group {
            reception.interference = self.others(reception.place, reception.band);
        }
        self.group = group;
    }

    /// Takes the member of the group in reception that is the transmission at `place`.
    pub(in crate::cell) fn take_member(&mut self, place: u32) -> Option<Member> {
        let at = self.group.iter().position(|member| member.reception.place == place)?;
        Some(self.group.remove(at))
    }
}

impl Medium {
    /// Lets the radio of an access point lock on to the group of HE TB PPDUs that begins at this instant.
    pub(in crate::cell) fn group_arrives(&mut self, now: Nanos, i: usize, station: NodeId) {
        let bss = self.cells.of(i);
        let radio = &mut self.radios[i];
        if !radio.locks_group(now, station, &bss.levels) {
            radio.update();
            self.sense(now, i);
            return;
        }
        let earlier = radio.reception.take();
        let members: Vec<Signal> = radio
            .signals
            .iter()
            .filter(|s| s.since == now && s.group == Some(station))
            .copied()
            .collect();
        let mut start = None;
        for signal in &members {
            let Some(sent) = self.air.at(signal.place) else { continue };
            if signal.power < bss.levels.sensitivity {
                continue;
            }
            start =
                Some(FrameStart { since: sent.started, ends: sent.ends, mode: sent.frame.mode });
            let reception = Reception::new(now, signal.place, signal.power, sent);
            radio.mark_received(signal.place, true);
            radio.group.push(Member { reception, pieces: Vec::new() });
        }
        radio.update_group();
        let power: f64 = members.iter().map(|signal| signal.power).sum();
        for Member { reception, .. } in &mut radio.group {
            let factors = &bss.levels.factors;
            if !bss.levels.exceeds(power, reception.interference, factors.survive) {
                reception.destroyed = true;
            }
        }
        if let Some(old) = earlier {
            self.air.capture_by_group(old.place, i);
        }
        if let Some(start) = start {
            self.stations[i].on_rx_start(now, &start, &bss.rules);
        }
        self.sense(now, i);
        self.refresh(station.0);
    }
}
