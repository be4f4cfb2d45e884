//! From the time stamps of packets to the interval between them.
//!
//! The interval is the median gap, with each gap divided by the packets it spans, so that losses
//! and pauses do not count. If stamps are coarser than gaps, it is the mean.

use airtcp_units::{Saturate, Span};

use super::notes::counted;

/// Gaps kept to find the median.
const MAX_GAPS: usize = 1 << 16;
/// Times are not those of sending or receiving if more than one in this many is below the one
/// before.
const BACKWARDS: u64 = 4;

/// Times of the packets of a link, in billionths of their unit.
#[derive(Debug, Clone, Default)]
pub(super) struct Clock {
    first: Option<i128>,
    last: i128,
    /// Packets since the last stamp, and from the first to the last.
    pending: u64,
    steps: u64,
    gaps: Vec<f64>,
    backwards: u64,
    missing: u64,
}

impl Clock {
    /// Notes the time, if any, of a packet `steps` after the one before.
    pub(super) fn stamp(&mut self, time: Option<i128>, steps: u64) {
        self.pending += steps;
        let Some(time) = time else {
            self.missing += 1;
            return;
        };
        if steps == 0 {
            // A late packet does not show the interval.
            return;
        }
        if self.first.is_none() {
            self.first = Some(time);
        } else if time < self.last {
            self.backwards += 1;
        } else if self.gaps.len() < MAX_GAPS {
            self.gaps.push((time - self.last) as f64 / self.pending as f64);
        }
        self.steps = if self.gaps.is_empty() { 0 } else { self.steps + self.pending };
        self.last = time;
        self.pending = 0;
    }

    /// The mean interval between packets.
    pub(super) fn mean(&self, unit: Span) -> Option<Span> {
        let whole = self.first.map_or(0, |first| self.last - first) as f64;
        let gap = whole / self.steps.max(1) as f64;
        let span = Span(u64::saturate((gap * unit.0 as f64 / 1e9).round()));
        (self.steps > 0 && span > Span::ZERO).then_some(span)
    }

    /// The interval between numbered packets: time over numbers, which losses and a coarse `step`
    /// of the stamps do not affect. With a pause between packets, it is the median gap.
    pub(super) fn interval_by_numbers(
        &mut self,
        unit: Span,
        step: i128,
    ) -> (Option<Span>, Vec<String>) {
        let mean = self.mean(unit);
        let (median, mut notes) = self.interval(unit);
        let (Some(mean), Some(median)) = (mean, median) else { return (median, notes) };
        let step = Span(u64::saturate(step as f64 * unit.0 as f64 / 1e9));
        let even = mean.0.abs_diff(median.0) <= (median.0 / 20).max(step.0);
        if !even {
            return (Some(median), notes);
        }
        notes.retain(|note| !note.contains("not evenly spaced"));
        if step.0 > mean.0 / 100 && mean.0.abs_diff(median.0) > mean.0 / 200 {
            notes.push("the time stamps are coarse: the interval is their mean".to_owned());
        }
        (Some(mean), notes)
    }

    /// The interval between packets, and the notes on it.
    pub(super) fn interval(&mut self, unit: Span) -> (Option<Span>, Vec<String>) {
        let mut notes = Vec::new();
        if self.backwards > 0 {
            let stamps = counted(self.backwards, ("time stamp goes", "time stamps go"));
            notes.push(format!("{stamps} backwards"));
        }
        if self.missing > 0 {
            let rows = counted(self.missing, ("row has", "rows have"));
            notes.push(format!("{rows} no time stamp"));
        }
        if self.backwards > 1
            && BACKWARDS * self.backwards > self.gaps.len() as u64 + self.backwards
        {
            notes.push("such times do not give an interval: they may be delays".to_owned());
            return (None, notes);
        }
        self.gaps.sort_by(f64::total_cmp);
        let median = self.gaps.get(self.gaps.len() / 2).copied().unwrap_or(0.0);
        let whole = self.first.map_or(0, |first| self.last - first) as f64;
        let mean = if self.steps > 0 { whole / self.steps as f64 } else { 0.0 };
        let span = |gap: f64| Span(u64::saturate((gap * unit.0 as f64 / 1e9).round()));
        let (median, mean) = (span(median), span(mean));
        if median == Span::ZERO && mean > Span::ZERO {
            // For example whole seconds with many packets in each.
            notes.push("the time stamps are coarse: the interval is their mean".to_owned());
            return (Some(mean), notes);
        }
        if median == Span::ZERO {
            notes.push("the time stamps do not give an interval".to_owned());
            return (None, notes);
        }
        let uneven = mean.0.abs_diff(median.0) > median.0.max(mean.0) / 20;
        if uneven && mean > Span::ZERO {
            notes.push(format!(
                "packets are not evenly spaced: {} on average, {} at the median, which is taken",
                rounded(mean),
                rounded(median)
            ));
        }
        (Some(median), notes)
    }
}

/// The step of time stamps: the greatest common divisor of their distances from the first.
#[derive(Debug, Default)]
pub(super) struct StampStep {
    first: Option<i128>,
    step: i128,
}

impl StampStep {
    pub(super) fn add(&mut self, time: Option<i128>) {
        let Some(time) = time else { return };
        let (mut a, mut b) = (self.step, (time - *self.first.get_or_insert(time)).abs());
        while b > 0 {
            (a, b) = (b, a % b);
        }
        self.step = a;
    }

    /// The step in billionths.
    pub(super) const fn step(&self) -> i128 {
        self.step
    }
}

/// Three significant digits are enough to read.
fn rounded(span: Span) -> Span {
    let scale = 10u64.pow(span.0.checked_ilog10().unwrap_or(0).saturating_sub(2));
    Span((span.0 + scale / 2) / scale * scale)
}
