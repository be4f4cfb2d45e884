//! Timeline of shared media in a chosen interval: transmissions and their fates, back-offs and NAVs.
//!
//! Memory is bounded: after [`TimelineOptions::max_frames`] frames, or eight times as many waits, the
//! record ends and [`Timeline::is_truncated`] is true.

use std::collections::BTreeMap;

use airtcp_units::{Nanos, Span};

use crate::air::{AirEvent, AirFrame, FrameLoss};
use crate::{Event, EventSource, Probe};

/// Time before and after the interval in which events are recorded too. The event of a frame or back-off
/// comes at its end, that of a NAV at its start. Longer than any frame and any NAV (a Duration field holds
/// 32767 us).
const MARGIN: Span = Span::from_millis(50);
/// Maximum number of back-offs and NAVs per frame of `max_frames` [choice].
const WAITS_PER_FRAME: usize = 8;

/// What to record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimelineOptions {
    /// Start of the interval.
    pub from: Nanos,
    /// End of the interval.
    pub to: Nanos,
    /// Maximum number of frames.
    pub max_frames: usize,
}

impl TimelineOptions {
    /// The interval, and room for 5000 frames: about a second of a full channel at 54 Mb/s.
    pub const fn new(from: Nanos, to: Nanos) -> Self {
        Self { from, to, max_frames: 5_000 }
    }
}

/// A frame that was on the air in the interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeenFrame {
    /// Number of its medium.
    pub medium: u32,
    /// The frame, without its content.
    pub frame: AirFrame,
    /// Why it was lost, if it was.
    pub loss: Option<FrameLoss>,
}

/// Why a station waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitKind {
    /// Its back-off counted down.
    BackOff {
        /// Its access category (0 under DCF).
        category: u8,
        /// Slots left at the start.
        slots: u32,
        /// Slots left at the end.
        left: u32,
    },
    /// Its NAV was set.
    Nav,
}

/// A wait of a station.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeenWait {
    /// Number of its medium.
    pub medium: u32,
    /// The station.
    pub station: u32,
    /// Reason.
    pub kind: WaitKind,
    /// Start, not before that of the interval.
    pub from: Nanos,
    /// End, not after that of the record.
    pub until: Nanos,
}

/// Records an interval.
#[derive(Debug, Clone)]
pub struct Timeline {
    options: TimelineOptions,
    /// End of the record: that of the interval, or earlier if the record is full.
    end: Nanos,
    frames: Vec<SeenFrame>,
    waits: Vec<SeenWait>,
    /// By medium and station, start and end of the current NAV.
    reserved: BTreeMap<(u32, u32), (Nanos, Nanos)>,
}

impl Timeline {
    /// A recorder.
    pub const fn new(options: TimelineOptions) -> Self {
        Self {
            options,
            end: options.to,
            frames: Vec::new(),
            waits: Vec::new(),
            reserved: BTreeMap::new(),
        }
    }

    /// Closes open NAVs and sorts the records by time. Call it once, at the end of the run.
    pub fn finish(&mut self) {
        let open = std::mem::take(&mut self.reserved);
        for ((medium, station), (from, until)) in open {
            self.wait(SeenWait { medium, station, kind: WaitKind::Nav, from, until });
        }
        let end = self.end;
        self.frames.retain(|seen| seen.frame.started < end);
        self.waits.retain(|wait| wait.from < end);
        for wait in &mut self.waits {
            wait.until = wait.until.min(end);
        }
        self.frames.sort_by_key(|seen| (seen.frame.started, seen.medium, seen.frame.from));
        self.waits.sort_by_key(|wait| (wait.from, wait.medium, wait.station));
    }

    /// Start of the interval.
    pub const fn from(&self) -> Nanos {
        self.options.from
    }

    /// End of the record.
    pub const fn end(&self) -> Nanos {
        self.end
    }

    /// True if the record is full and ends before the interval.
    pub fn is_truncated(&self) -> bool {
        self.end < self.options.to
    }

    /// The frames, in order of their starts.
    pub fn frames(&self) -> &[SeenFrame] {
        &self.frames
    }

    /// The waits, in order of their starts.
    pub fn waits(&self) -> &[SeenWait] {
        &self.waits
    }

    fn frame(&mut self, seen: SeenFrame) {
        let AirFrame { started, ended, .. } = seen.frame;
        if started >= self.end || ended <= self.options.from {
            return;
        }
        if self.frames.len() >= self.options.max_frames {
            self.end = self.end.min(started);
            return;
        }
        self.frames.push(seen);
    }

    fn wait(&mut self, wait: SeenWait) {
        let from = wait.from.max(self.options.from);
        if from >= self.end || wait.until <= from {
            return;
        }
        if self.waits.len() >= self.options.max_frames.saturating_mul(WAITS_PER_FRAME) {
            self.end = self.end.min(from);
            return;
        }
        self.waits.push(SeenWait { from, ..wait });
    }

    fn reserve(&mut self, now: Nanos, medium: u32, station: u32, until: Nanos) {
        let place = (medium, station);
        let begun = match self.reserved.get(&place) {
            // A NAV in force gets a new end.
            Some((from, end)) if *end > now && until > now => *from,
            Some((from, end)) => {
                let (from, until) = (*from, (*end).min(now));
                self.wait(SeenWait { medium, station, kind: WaitKind::Nav, from, until });
                now
            }
            None => now,
        };
        self.reserved.insert(place, (begun, until));
    }
}

impl Probe for Timeline {
    const ON: bool = true;

    fn record(&mut self, now: Nanos, source: EventSource, event: &Event) {
        let (EventSource::Medium(medium), Event::Air(event)) = (source, event) else { return };
        match *event {
            AirEvent::Sent { frame, loss } => {
                let frame = AirFrame { content: None, ..frame };
                self.frame(SeenFrame { medium, frame, loss });
            }
            AirEvent::BackedOff { station, category, from, until, slots, left } => {
                let kind = WaitKind::BackOff { category, slots, left };
                self.wait(SeenWait { medium, station, kind, from, until });
            }
            AirEvent::Reserved { station, until } => self.reserve(now, medium, station, until),
            AirEvent::Heard { .. } => {}
        }
    }

    fn wants_air(&self, now: Nanos) -> bool {
        now + MARGIN >= self.options.from && now <= self.end + MARGIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FrameClass;
    use airtcp_units::BitRate;

    const AIR: EventSource = EventSource::Medium(0);

    fn frame(started: u64, ended: u64) -> Event {
        let frame = AirFrame {
            from: 1,
            to: Some(0),
            class: FrameClass::Data,
            rate: BitRate::from_mbps(54),
            ofdm: true,
            bytes: 100,
            category: None,
            sequence: 0,
            fragment: 0,
            more_fragments: false,
            retry: false,
            no_ack: false,
            attempt: 1,
            duration: Span::ZERO,
            started: Nanos(started),
            body: Nanos(started),
            ended: Nanos(ended),
            content: None,
            aggregate: None,
            block_ack: None,
            mcs: None,
        };
        Event::Air(AirEvent::Sent { frame, loss: None })
    }

    fn reserved(until: u64) -> Event {
        Event::Air(AirEvent::Reserved { station: 2, until: Nanos(until) })
    }

    fn backed_off(from: u64, until: u64) -> Event {
        let (from, until) = (Nanos(from), Nanos(until));
        Event::Air(AirEvent::BackedOff { station: 3, category: 0, from, until, slots: 5, left: 2 })
    }

    fn recorded(options: TimelineOptions, events: &[(u64, Event)]) -> Timeline {
        let mut timeline = Timeline::new(options);
        for (now, event) in events {
            timeline.record(Nanos(*now), AIR, event);
        }
        timeline.finish();
        timeline
    }

    fn spans(timeline: &Timeline) -> Vec<(u64, u64)> {
        timeline.waits().iter().map(|w| (w.from.0, w.until.0)).collect()
    }

    #[test]
    fn what_overlaps_the_interval_is_kept() {
        let events = [(110, frame(60, 110)), (90, frame(50, 90)), (210, frame(199, 210))];
        let late = [(230, frame(200, 230))];
        let options = TimelineOptions::new(Nanos(100), Nanos(200));
        let timeline = recorded(options, &[&events[..], &late].concat());
        let starts: Vec<u64> = timeline.frames().iter().map(|f| f.frame.started.0).collect();
        assert_eq!(starts, [60, 199]);
        assert!(!timeline.is_truncated());
    }

    #[test]
    fn navs_are_prolonged_cleared_and_cut() {
        let options = TimelineOptions::new(Nanos(100), Nanos(200));
        // A NAV set before the interval and prolonged; one cleared within it; one beyond the end.
        let events =
            [(90, reserved(120)), (115, reserved(130)), (150, reserved(180)), (160, reserved(160))];
        let timeline = recorded(options, &[&events[..], &[(190, reserved(900))]].concat());
        assert_eq!(spans(&timeline), [(100, 130), (150, 160), (190, 200)]);
        assert!(timeline.waits().iter().all(|w| w.kind == WaitKind::Nav && w.station == 2));
    }

    #[test]
    fn a_full_record_is_truncated() {
        let options =
            TimelineOptions { max_frames: 2, ..TimelineOptions::new(Nanos(0), Nanos(100)) };
        let events: Vec<(u64, Event)> =
            (0..5).map(|i| (10 * i + 9, frame(10 * i, 10 * i + 9))).collect();
        let waits = [(19, backed_off(1, 19)), (28, backed_off(12, 28)), (40, backed_off(30, 40))];
        let timeline = recorded(options, &[&events[..], &waits].concat());
        assert_eq!((timeline.frames().len(), timeline.end()), (2, Nanos(20)));
        assert!(timeline.is_truncated());
        assert_eq!(spans(&timeline), [(1, 19), (12, 20)]);
        let waits: Vec<(u64, Event)> = (0..20).map(|i| (i + 1, backed_off(i, i + 1))).collect();
        let timeline = recorded(options, &waits);
        assert_eq!((timeline.waits().len(), timeline.end()), (16, Nanos(16)));
    }

    #[test]
    fn air_events_are_wanted_around_the_interval() {
        let timeline = Timeline::new(TimelineOptions::new(
            Nanos::ZERO + Span::from_secs(2),
            Nanos::ZERO + Span::from_secs(3),
        ));
        let wants = |ms| timeline.wants_air(Nanos::ZERO + Span::from_millis(ms));
        assert_eq!([1_000, 1_960, 3_040, 3_060].map(wants), [false, true, true, false]);
    }
}
