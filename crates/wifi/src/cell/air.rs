//! The transmissions on the air, and those that begin at this instant.

use std::collections::VecDeque;

use airtcp_units::{Nanos, Narrow};

use super::cells::Cells;
use super::multi_user::MuPpdus;
use super::reach::{Reach, Source};
use super::transmission::Transmission;
use crate::mac::{Class, Frame};
use crate::node::NodeId;

/// What is on the air.
#[derive(Debug)]
pub(super) struct Air {
    /// Current transmissions; an index is reused when its transmission ends.
    sent: Vec<Option<Transmission>>,
    next_end: Nanos,
    /// Times at which current frames become detected where their energy is below the threshold, in order.
    detections: VecDeque<Nanos>,
    /// Frames decided on at this instant.
    starting: Vec<Frame>,
    /// The HE MU PPDUs on the air.
    pub(super) multi_user: MuPpdus,
}

/// Frames that are to begin.
impl Air {
    /// Silence.
    pub(super) fn silent() -> Self {
        Self {
            sent: Vec::new(),
            next_end: Nanos::NEVER,
            detections: VecDeque::new(),
            starting: Vec::new(),
            multi_user: MuPpdus::default(),
        }
    }

    /// A station decides on a frame that begins at this instant.
    #[inline]
    pub(super) fn decide(&mut self, frame: Frame) {
        self.starting.push(frame);
    }

    /// The frames that begin at this instant.
    #[inline]
    pub(super) fn starting(&self) -> &[Frame] {
        &self.starting
    }

    /// Replaces the frame that a station has decided on, or removes it. True if it is removed.
    pub(super) fn replace(&mut self, station: NodeId, frame: Option<Frame>) -> bool {
        let Some(place) = self.starting.iter().position(|frame| frame.from == station) else {
            return false;
        };
        if let Some(frame) = frame {
            self.starting[place] = frame;
            return false;
        }
        self.starting.remove(place);
        true
    }

    /// Takes the frame that begins last.
    #[inline]
    pub(super) fn take_last(&mut self) -> Option<Frame> {
        self.starting.pop()
    }

    /// Takes the frames that begin at this instant.
    #[inline]
    pub(super) fn take_starting(&mut self) -> Vec<Frame> {
        std::mem::take(&mut self.starting)
    }

    /// The frames of [`Self::take_starting`] have begun.
    #[inline]
    pub(super) fn all_started(&mut self, mut frames: Vec<Frame>) {
        frames.clear();
        self.starting = frames;
    }
}

/// Transmissions.
impl Air {
    /// The transmission at a place.
    #[inline]
    pub(super) fn at(&self, place: u32) -> Option<&Transmission> {
        self.sent[place as usize].as_ref()
    }

    /// All current transmissions.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = &Transmission> {
        self.sent.iter().flatten()
    }

    /// All current transmissions with their places.
    #[inline]
    pub(super) fn places(&self) -> impl Iterator<Item = (u32, &Transmission)> {
        (0..).zip(&self.sent).filter_map(|(place, sent)| Some((place, sent.as_ref()?)))
    }

    /// True without a transmission.
    #[inline]
    pub(super) fn is_silent(&self) -> bool {
        self.sent.iter().all(Option::is_none)
    }

    /// Starts a transmission, which overlaps those under way. Returns its place.
    pub(super) fn start(&mut self, mut sent: Transmission, reach: &Reach, cells: &Cells) -> u32 {
        self.overlap_users(&sent, reach, cells);
        self.overlap(&mut sent, reach, cells);
        self.next_end = self.next_end.min(sent.ends);
        let free = self.sent.iter().position(Option::is_none);
        let place = free.unwrap_or_else(|| {
            self.sent.push(None);
            self.sent.len() - 1
        });
        self.sent[place] = Some(sent);
        u32::narrow(place)
    }

    /// Each transmission under way and this one overlap at both their receivers, but for those of one trigger.
    fn overlap(&mut self, sent: &mut Transmission, reach: &Reach, cells: &Cells) {
        let (source, to, class) = (Source::of(sent), sent.frame.to, sent.frame.class);
        let group = sent.frame.group();
        for other in self.sent.iter_mut().flatten() {
            if group.is_some() && other.frame.group() == group {
                continue;
            }
            if let Some(power) = reach.arriving(cells, source, other.frame.to) {
                other.fate.overlap(power, class);
            }
            if let Some(power) = reach.arriving(cells, Source::of(other), to) {
                sent.fate.overlap(power, other.frame.class);
            }
            if other.frame.from == to {
                sent.fate.receiver_sent = true;
            }
        }
    }

    /// A transmission that starts and the HE MU PPDUs under way, of which it may be one, overlap at their stations.
    pub(super) fn overlap_users(&mut self, sent: &Transmission, reach: &Reach, cells: &Cells) {
        if self.multi_user.is_empty() {
            return;
        }
        let arriving = |source: Source| move |to: NodeId| reach.arriving(cells, source, to);
        let (frame, own) = (&sent.frame, Source::of(sent));
        for other in self.sent.iter().flatten() {
            let its = Source::of(other);
            self.multi_user.overlap(its.from, own.from, frame.class, arriving(own));
            if frame.kind == crate::mac::Kind::MultiUser {
                self.multi_user.overlap(frame.from, its.from, other.frame.class, arriving(its));
            }
        }
    }

    /// A station sends, and loses what is on the air for it.
    pub(super) fn mark_receiver_sends(&mut self, sender: NodeId) {
        self.multi_user.mark_user_sends(sender);
        for other in self.sent.iter_mut().flatten() {
            if other.frame.to == sender {
                other.fate.receiver_sent = true;
            }
        }
    }

    /// A station switches from the transmission at a place to a stronger one of a class.
    pub(super) fn capture(&mut self, place: u32, station: usize, class: Class) {
        if let Some(old) = self.sent[place as usize].as_mut() {
            if old.frame.to.index() == station {
                old.fate.captured = Some(class);
            }
            self.multi_user.capture(old.frame.from, station, class);
        }
    }

    /// An access point switches from the transmission at a place to a group of HE TB PPDUs.
    pub(super) fn capture_by_group(&mut self, place: u32, access_point: usize) {
        let old = self.sent[place as usize].as_mut();
        if let Some(old) = old.filter(|old| old.frame.to.index() == access_point) {
            old.fate.captured = Some(Class::Data);
        }
    }

    /// When the next transmission ends.
    #[inline]
    pub(super) const fn next_end(&self) -> Nanos {
        self.next_end
    }

    /// Ends the transmission at a place. [`Self::all_ended`] follows.
    #[inline]
    pub(super) fn end(&mut self, place: u32) {
        self.sent[place as usize] = None;
    }

    /// The transmissions that end at this instant have all ended.
    #[inline]
    pub(super) fn all_ended(&mut self) {
        self.next_end = self.iter().map(|sent| sent.ends).min().unwrap_or(Nanos::NEVER);
    }

    /// Changes the transmission at a place in a test.
    #[cfg(test)]
    pub(super) fn set(&mut self, place: u32, sent: Transmission) {
        self.sent[place as usize] = Some(sent);
    }
}

/// Detection of frames whose energy is below the threshold.
impl Air {
    /// Frames become detected at `at`.
    pub(super) fn schedule_detection(&mut self, at: Nanos) {
        let place = self.detections.partition_point(|other| *other < at);
        if self.detections.get(place) != Some(&at) {
            self.detections.insert(place, at);
        }
    }

    /// When frames become detected next.
    #[inline]
    pub(super) fn next_detection(&self) -> Nanos {
        self.detections.front().copied().unwrap_or(Nanos::NEVER)
    }

    /// The frames that become detected by `now` are.
    pub(super) fn detected(&mut self, now: Nanos) {
        self.detections.retain(|at| *at > now);
    }
}
