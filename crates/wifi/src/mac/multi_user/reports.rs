//! What stations have reported of their queues, and which reports the access point forgets.
//!
//! ```text
//! missed    trigger frames in a row that a station did not answer, but others did
//! silent    trigger frames in a row that nobody answered
//! forgotten the report of a station at 10 missed triggers; those of all stations of the silent triggers at 50 of them
//! ```
//! All counts are by category. Without any answer the trigger frame may have collided. A new report counts as any other.

use crate::mac::CATEGORIES;
use crate::node::NodeId;

/// Trigger frames that a station did not answer, but others did, after which its report is forgotten.
const MAX_MISSED: u8 = 10;
/// Trigger frames in a row without any answer after which the reports of their stations are forgotten.
const MAX_SILENT: u8 = 50;

/// A report of a station for a category.
#[derive(Debug, Clone, Copy, Default)]
struct Report {
    /// Bytes that the station holds.
    bytes: u64,
    missed: u8,
    /// True if a silent trigger was for the station.
    silent: bool,
}

/// The reports of the stations of a cell.
#[derive(Debug)]
pub(in crate::mac) struct Reports {
    /// By station and category.
    reports: Vec<Report>,
    /// By category.
    silent: [u8; CATEGORIES],
}

impl Reports {
    pub(in crate::mac) fn new(stations: usize) -> Self {
        let reports = vec![Report::default(); stations * CATEGORIES];
        Self { reports, silent: [0; CATEGORIES] }
    }

    fn of(&mut self, station: NodeId, category: usize) -> Option<&mut Report> {
        self.reports.get_mut(station.index() * CATEGORIES + category)
    }

    /// The bytes that a station reported for a category.
    pub(in crate::mac) fn get(&self, station: NodeId, category: usize) -> u64 {
        let report = self.reports.get(station.index() * CATEGORIES + category);
        report.map_or(0, |report| report.bytes)
    }

    /// Takes a report, or forgets it with 0 bytes.
    pub(in crate::mac) fn set(&mut self, station: NodeId, category: usize, bytes: u64) {
        if let Some(report) = self.of(station, category) {
            report.bytes = bytes;
        }
    }

    /// Counts a trigger frame for these stations, of which some answered.
    pub(in crate::mac) fn on_trigger(&mut self, category: usize, stations: &[(NodeId, bool)]) {
        let answered = stations.iter().any(|(_, answers)| *answers);
        for (station, answers) in stations {
            let Some(report) = self.of(*station, category) else { continue };
            report.missed = if *answers { 0 } else { report.missed + u8::from(answered) };
            report.silent |= !answered;
            if report.missed >= MAX_MISSED {
                (report.bytes, report.missed) = (0, 0);
            }
        }
        let Some(silent) = self.silent.get_mut(category) else { return };
        *silent = if answered { 0 } else { *silent + 1 };
        let lost = *silent >= MAX_SILENT;
        if lost {
            *silent = 0;
        }
        if lost || answered {
            for report in self.reports.iter_mut().skip(category).step_by(CATEGORIES) {
                if lost && report.silent {
                    (report.bytes, report.missed) = (0, 0);
                }
                report.silent = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports() -> Reports {
        let mut reports = Reports::new(4);
        for station in 0..4 {
            reports.set(NodeId(station), 1, 100);
            reports.set(NodeId(station), 2, 100);
        }
        reports
    }

    fn known(reports: &Reports, category: usize) -> [bool; 4] {
        [0, 1, 2, 3].map(|i| reports.get(NodeId(i), category) > 0)
    }

    /// Ten triggers that others answer; those of another category, and those that nobody answers, do not count.
    #[test]
    fn a_station_that_does_not_answer_is_forgotten() {
        let mut reports = reports();
        let trigger = [(NodeId(0), true), (NodeId(1), false)];
        for _ in 0..9 {
            reports.on_trigger(1, &trigger);
            reports.on_trigger(2, &trigger);
            reports.on_trigger(1, &[(NodeId(1), false)]);
        }
        assert_eq!(known(&reports, 1), [true; 4]);
        reports.on_trigger(1, &trigger);
        assert_eq!(
            (known(&reports, 1), known(&reports, 2)),
            ([true, false, true, true], [true; 4])
        );
    }

    /// Fifty silent triggers forget all of their stations, not only those of the last one.
    #[test]
    fn silent_triggers_forget_all_their_stations() {
        let mut reports = reports();
        // An answer ends the silence.
        reports.on_trigger(1, &[(NodeId(3), false)]);
        reports.on_trigger(1, &[(NodeId(0), true)]);
        for number in 0..50 {
            assert_eq!(known(&reports, 1), [true; 4]);
            reports.on_trigger(1, &[(NodeId(1 + number % 2), false)]);
        }
        assert_eq!(known(&reports, 1), [true, false, false, true]);
        assert_eq!(known(&reports, 2), [true; 4]);
    }
}
