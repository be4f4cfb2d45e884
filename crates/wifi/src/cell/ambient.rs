//! What a radio receives besides frames: noise and active interferers.
//!
//! ```text
//! SINR = power of the frame / (noise(t) + sum of interferers' powers(t) + sum of other frames' powers)
//! ```
//! Energy detection sums the powers of frames and interferers. An interferer counts if it has a
//! power, has no `heard_by` list, and arrives at most 20 dB below the radio's threshold. Only
//! interferers that make the medium busy have events: their start and end. Like frames, they start
//! after the decisions of their instant and end before them.

use airtcp_units::{Nanos, Narrow};

use super::clock::Clock;
use crate::interference::{Exposure, Interferer, Source};

/// Noise and interferers at all stations.
#[derive(Debug)]
pub(crate) struct Ambient {
    /// Noise in mW until the first step.
    noise: f64,
    /// Clock of the medium. Sources are functions of the time of the run.
    clock: Clock,
    /// Changes of the noise in mW, in order of own time.
    steps: Vec<(Nanos, f64)>,
    sources: Vec<Source>,
    /// By station, the sources with a received power.
    powers: Vec<Vec<(u32, f64)>>,
    /// By station, the sources that destroy the frames they overlap.
    destroyers: Vec<Vec<u32>>,
    /// By station, the sources whose power counts for energy detection.
    energy: Vec<Vec<(u32, f64)>>,
    /// Sources that make the medium busy at some station.
    heard: Vec<Audible>,
    /// By station, how many sources make the medium busy now.
    held: Vec<u32>,
    /// By source, true if it is on; for sources that make the medium busy somewhere.
    on: Vec<bool>,
}

/// A source that makes the medium busy at some station.
#[derive(Debug)]
struct Audible {
    number: u32,
    /// Stations to notify at its start and end, in order.
    listeners: Vec<u32>,
    /// Time of its next start or end.
    at: Nanos,
}

/// Minimum share of a radio's threshold for an interferer's power to count in energy detection (a
/// choice).
const COUNTS_FROM: f64 = 0.01;

/// Noise and interference at a radio during an interval in which both are constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Level {
    /// Noise in mW.
    pub(crate) noise: f64,
    /// Sum of the interferers' powers in mW.
    pub(crate) power: f64,
    /// Time of the next change, or the end of the query.
    pub(crate) until: Nanos,
}

impl Ambient {
    pub(crate) fn new(
        noise: f64,
        steps: Vec<(Nanos, f64)>,
        sources: Vec<Source>,
        stations: usize,
        energy_detect: f64,
    ) -> Self {
        let mut powers = vec![Vec::new(); stations];
        let mut destroyers = vec![Vec::new(); stations];
        let mut energy = vec![Vec::new(); stations];
        let mut heard = Vec::new();
        for (number, source) in (0u32..).zip(&sources) {
            let mut listeners = source.heard_by().to_vec();
            for station in 0..stations {
                let power = source.reach().power_mw(station);
                if source.reach().destroys(station) {
                    destroyers[station].push(number);
                } else if power > 0.0 {
                    powers[station].push((number, power));
                    if source.adds_energy() && power >= energy_detect * COUNTS_FROM {
                        energy[station].push((number, power));
                        listeners.push(u32::narrow(station));
                    }
                }
            }
            listeners.sort_unstable();
            listeners.dedup();
            if !listeners.is_empty() {
                heard.push(Audible { number, listeners, at: Nanos::ZERO });
            }
        }
        let (held, on) = (vec![0; stations], vec![false; sources.len()]);
        let clock = Clock::RUN;
        Self { noise, clock, steps, sources, powers, destroyers, energy, heard, held, on }
    }

    /// The same on the clock of its medium.
    pub(crate) fn with_clock(mut self, clock: Clock) -> Self {
        for (from, _) in &mut self.steps {
            *from = clock.own_from(*from);
        }
        Self { clock, ..self }
    }

    /// State of a source at an own instant, and the own instant of its next change.
    fn state(&self, source: usize, at: Nanos) -> (bool, Nanos) {
        let (on, until) = self.sources[source].state(self.clock.run(at));
        (on, self.clock.own_from(until))
    }

    /// True if interferers may destroy frames that a station receives.
    #[inline]
    pub(crate) fn has_destroyers(&self, station: usize) -> bool {
        !self.destroyers[station].is_empty()
    }

    /// True if an interferer destroys a frame that a station received.
    #[inline]
    pub(crate) fn destroys(&self, station: usize, frame: impl FnOnce() -> Exposure) -> bool {
        let destroyers = &self.destroyers[station];
        if destroyers.is_empty() {
            return false;
        }
        let Exposure { station, from, to, payload } = frame();
        let (from, to) = (self.clock.run(from), self.clock.run(to));
        let frame = Exposure { station, from, to, payload: self.clock.span(payload) };
        destroyers.iter().any(|number| self.sources[*number as usize].hits(&frame))
    }

    /// True if the noise is constant, and there is no interferer.
    pub(crate) const fn is_still(&self) -> bool {
        self.steps.is_empty() && self.sources.is_empty()
    }

    /// Noise and interference at a station from `at` on, until `end` at the latest.
    #[inline]
    pub(crate) fn level(&self, station: usize, at: Nanos, end: Nanos) -> Level {
        match self.quiet(station) {
            Some(noise) => Level { noise, power: 0.0, until: end },
            None => self.changing(station, at, end),
        }
    }

    /// The noise in mW at a station without interferers and noise steps.
    #[inline]
    pub(crate) fn quiet(&self, station: usize) -> Option<f64> {
        (self.steps.is_empty() && self.powers[station].is_empty()).then_some(self.noise)
    }

    fn changing(&self, station: usize, at: Nanos, end: Nanos) -> Level {
        let mut level = self.momentary(station, at);
        while level.until < end {
            let next = self.momentary(station, level.until);
            if (next.noise, next.power) != (level.noise, level.power) {
                return level;
            }
            level.until = next.until;
        }
        Level { until: end, ..level }
    }

    fn momentary(&self, station: usize, at: Nanos) -> Level {
        let mut level = Level { noise: self.noise, power: 0.0, until: Nanos::NEVER };
        if !self.steps.is_empty() {
            let next = self.steps.partition_point(|(from, _)| *from <= at);
            level.noise = if next > 0 { self.steps[next - 1].1 } else { self.noise };
            level.until = self.steps.get(next).map_or(Nanos::NEVER, |(from, _)| *from);
        }
        for (number, power) in &self.powers[station] {
            let (on, until) = self.state(*number as usize, at);
            if on {
                level.power += power;
            }
            level.until = level.until.min(until);
        }
        level
    }

    /// True if an interferer makes a station's medium busy.
    #[inline]
    pub(crate) fn is_heard_at(&self, station: usize) -> bool {
        self.held[station] > 0
    }

    /// Power in mW of active interferers in energy detection.
    pub(crate) fn energy_at(&self, station: usize) -> f64 {
        let on = self.energy[station].iter().filter(|(number, _)| self.on[*number as usize]);
        on.map(|(_, power)| power).sum()
    }

    /// Time of the next start or end of a source that makes the medium busy.
    pub(crate) fn next(&self, begins: bool) -> Nanos {
        let changes = self.heard.iter().filter(|source| self.on[source.number as usize] != begins);
        changes.map(|source| source.at).min().unwrap_or(Nanos::NEVER)
    }

    /// Starts or ends the sources due by `now`; adds the stations that hear them to `touched`.
    pub(super) fn switch(&mut self, now: Nanos, begin: bool, touched: &mut Vec<u32>) {
        for Audible { number, listeners, at } in &mut self.heard {
            let number = *number as usize;
            if *at > now || self.on[number] == begin {
                continue;
            }
            let source = &self.sources[number];
            let (is_on, until) = source.state(self.clock.run(now));
            let until = self.clock.own_from(until);
            *at = until;
            if is_on == self.on[number] {
                continue;
            }
            self.on[number] = is_on;
            for station in source.heard_by() {
                let held = &mut self.held[*station as usize];
                *held = if is_on { *held + 1 } else { held.saturating_sub(1) };
            }
            touched.extend(listeners.iter());
        }
    }
}
