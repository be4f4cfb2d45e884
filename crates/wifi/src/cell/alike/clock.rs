//! Back-off slots of all stations that share a view, counted once for each inter-frame space.
//!
//! ```text
//! first slot  = max(idle since + IFS + EIFS - DIFS, NAV + IFS)
//! passed     += slots from the first one until the medium became busy, in each idle period
//! slots left  = key - passed          key = slots left + passed, when the station joined
//! next access = first slot + (least key - passed) slots
//! ```

use airtcp_units::{Nanos, Narrow, Span};

use crate::mac::{Contender, Rules, View};

/// No frame waits.
const NONE: u64 = u64::MAX;

/// The count of one inter-frame space.
#[derive(Debug)]
pub(super) struct Clock {
    ifs: Span,
    /// Slots that have passed since the start.
    passed: u64,
    /// Idle periods that lasted until their first slot.
    counted: u64,
    /// By station, the least key of its frames.
    keys: Vec<u64>,
    least: u64,
    /// True if `least` may be too small.
    stale: bool,
}

/// Where a clock stood when a station joined.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stamp {
    clock: usize,
    passed: u64,
    counted: u64,
}

impl Clock {
    fn new(ifs: Span, stations: usize) -> Self {
        let keys = vec![NONE; stations];
        Self { ifs, passed: 0, counted: 0, keys, least: NONE, stale: false }
    }

    #[inline]
    fn first_slot(&self, view: &View) -> Nanos {
        (view.idle_from + (self.ifs + view.eifs)).max(view.nav + self.ifs)
    }

    /// The medium becomes busy.
    #[inline]
    pub(super) fn on_busy(&mut self, now: Nanos, view: &View, rules: &Rules) {
        let first = self.first_slot(view);
        if now >= first {
            self.passed += now.since(first).0 / rules.timing.slot.0;
            self.passed += u64::from(rules.counts_at_start());
            self.counted += 1;
        }
    }

    /// Time at which a frame with this key may be sent.
    #[inline]
    fn access(&self, key: u64, view: &View, slot: Span) -> Nanos {
        if key == NONE {
            return Nanos::NEVER;
        }
        self.first_slot(view) + Span(slot.0 * key.saturating_sub(self.passed))
    }

    /// Time of the next access, on an idle medium.
    #[inline]
    pub(super) fn next_access(&mut self, view: &View, slot: Span) -> Nanos {
        if self.stale {
            self.stale = false;
            self.least = self.keys.iter().fold(NONE, |least, key| least.min(*key));
        }
        self.access(self.least, view, slot)
    }

    /// Adds the stations whose access has come at `now`.
    #[inline]
    pub(super) fn add_due(&self, now: Nanos, view: &View, slot: Span, due: &mut Vec<u32>) {
        let first = self.first_slot(view);
        if now < first {
            return;
        }
        let last = self.passed + now.since(first).0 / slot.0;
        if self.least <= last {
            for (station, key) in self.keys.iter().enumerate() {
                if *key <= last {
                    due.push(u32::narrow(station));
                }
            }
        }
    }

    #[inline]
    fn set_key(&mut self, station: usize, key: u64) {
        let before = std::mem::replace(&mut self.keys[station], key);
        self.stale |= before == self.least && key > before;
        self.least = self.least.min(key);
    }
}

/// The clocks of a medium.
#[derive(Debug)]
pub(super) struct Clocks {
    all: Vec<Clock>,
    /// By station and contender.
    stamps: Vec<Stamp>,
    /// Contenders of a station, at most.
    stride: usize,
}

/// Most inter-frame spaces that are counted, over the whole run. A station with another one keeps its own
/// view.
const MOST: usize = 8;

impl Clocks {
    pub(super) fn new(stations: usize, stride: usize) -> Self {
        let stamps = vec![Stamp::default(); stations * stride];
        Self { all: Vec::new(), stamps, stride }
    }

    #[inline]
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Clock> {
        self.all.iter_mut()
    }

    /// Counts the contenders of a station from now on. False if one has an inter-frame space too many.
    pub(super) fn join(&mut self, station: usize, contenders: &[Contender]) -> bool {
        for contender in contenders {
            if self.all.iter().all(|clock| clock.ifs != contender.ifs) {
                if self.all.len() == MOST {
                    return false;
                }
                self.all.push(Clock::new(contender.ifs, self.stamps.len() / self.stride));
            }
        }
        let stamps = &mut self.stamps[station * self.stride..];
        for (contender, stamp) in contenders.iter().zip(stamps) {
            let Some(number) = self.all.iter().position(|clock| clock.ifs == contender.ifs) else {
                continue;
            };
            let clock = &mut self.all[number];
            *stamp = Stamp { clock: number, passed: clock.passed, counted: clock.counted };
            if let Some(slots) = contender.slots_of_frame() {
                let key = (clock.passed + u64::from(slots)).min(clock.keys[station]);
                clock.set_key(station, key);
            }
        }
        true
    }

    /// Gives a station its slots.
    pub(super) fn leave(&mut self, station: usize, contenders: &mut [Contender], rules: &Rules) {
        let stamps = &self.stamps[station * self.stride..];
        for (contender, stamp) in contenders.iter_mut().zip(stamps) {
            let clock = &mut self.all[stamp.clock];
            contender.pass(clock.passed - stamp.passed, clock.counted - stamp.counted, rules);
            if clock.keys[station] != NONE {
                clock.set_key(station, NONE);
            }
        }
    }
}
