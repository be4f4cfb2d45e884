//! The analysis of a capture that is still being written.
//!
//! One thread reads the stream, and another asks for what was found so far: the connections as if they ended there. The
//! memory is that of an analysis of a file. Left out: what needs a second reading, such as sorting, several points, and
//! stamps of 802.11 that only the whole capture shows.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::air::Sniffer;
use crate::air::report::FrameCounts;
use crate::analyse::Asked;
use crate::dissect::Fragments;
use crate::error::CaptureError;
use crate::file::take;
use crate::parts::Overlap;
use crate::read::{Input, Packets};
use crate::report::{CAPTURE_SCHEMA, CaptureReport, FileReport};
use crate::tcp::connections::Report;
use crate::tcp::{Tracker, TrackerLimits};
use crate::timeless::without_times;
use crate::warnings::Found;

/// A capture that is read while it is written.
pub struct Following {
    name: String,
    limits: TrackerLimits,
    interface: Option<String>,
    state: Mutex<State>,
}

/// What was found so far.
struct State {
    tracker: Tracker,
    sniffer: Sniffer,
    fragments: Fragments,
    overlap: Overlap,
    found: Found,
}

impl State {
    fn new(limits: TrackerLimits) -> Self {
        Self {
            tracker: Tracker::new(limits),
            sniffer: Sniffer::default(),
            fragments: Fragments::default(),
            overlap: Overlap::default(),
            found: Found::default(),
        }
    }
}

impl Following {
    /// An analysis of a stream of this name.
    pub fn new(name: &str, asked: Asked<'_>) -> Self {
        Self {
            name: name.to_owned(),
            limits: asked.limits,
            interface: asked.interface.map(str::to_owned),
            state: Mutex::new(State::new(asked.limits)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a stream to its end.
    ///
    /// # Errors
    /// If it is no capture, or lacks the interface that is asked for.
    pub fn read(&self, input: Input) -> Result<(), CaptureError> {
        let mut packets = Packets::new(input)?;
        if let Some(interface) = &self.interface {
            packets.read_only(interface);
        }
        loop {
            let more = packets.read_next(|packet| {
                let State { tracker, sniffer, fragments, overlap, found } = &mut *self.lock();
                found.summary.packets += 1;
                found.summary.first_ns.get_or_insert(packet.time_ns);
                take(packet, fragments, found, sniffer, |segment| {
                    overlap.take(packet.interface, segment);
                    tracker.on_segment(segment);
                });
            });
            // Blocks other than packets are those of counts, each second at most.
            if more.is_none_or(|is_packet| !is_packet) {
                self.lock().found.summary = packets.summary().clone();
            }
            if more.is_none() {
                break;
            }
        }
        let mut state = self.lock();
        state.found.interfaces = state.overlap.parts(packets.interfaces()).all_names();
        state.found.is_read_once = true;
        match &self.interface {
            Some(name) if !packets.interfaces().contains(name) => {
                Err(CaptureError::no_interface(self.name.clone(), name, packets.interfaces()))
            }
            _ => Ok(()),
        }
    }

    /// What was found so far, without the logs of segments. Counts of the file are those of the last count of the
    /// capturing system.
    pub fn so_far(&self) -> CaptureReport {
        let state = &mut *self.lock();
        let (tcp, sniffer) = (state.tracker.so_far(), state.sniffer.clone());
        self.report(state, tcp, sniffer)
    }

    /// What was found. The analysis begins anew.
    pub fn finish(&self) -> CaptureReport {
        let mut state = std::mem::replace(&mut *self.lock(), State::new(self.limits));
        let tracker = std::mem::replace(&mut state.tracker, Tracker::new(self.limits));
        state.found.copies = tracker.copies();
        let sniffer = std::mem::take(&mut state.sniffer);
        self.report(&mut state, tracker.finish(), sniffer)
    }

    fn report(&self, state: &mut State, mut tcp: Report, sniffer: Sniffer) -> CaptureReport {
        let found = &mut state.found;
        found.incomplete = state.fragments.incomplete();
        found.air_notes = sniffer.notes(&FrameCounts::default(), found.tcp);
        if found.summary.untimed > 0 {
            without_times(&mut tcp);
        }
        tcp.largest_first();
        let (air, links) = sniffer.finish();
        CaptureReport {
            schema: CAPTURE_SCHEMA.to_owned(),
            files: vec![FileReport::of(Path::new(&self.name), found)],
            points: Vec::new(),
            tcp,
            links,
            air,
            between: Vec::new(),
            joined: None,
            interrupted: false,
        }
    }
}
