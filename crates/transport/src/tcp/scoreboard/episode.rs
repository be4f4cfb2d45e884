//! Changes to the whole scoreboard: a recovery begins or ends, a timeout marks everything
//! outstanding lost, and the undo of a spurious timeout.

use airtcp_units::{Nanos, Span};

use super::Scoreboard;

impl Scoreboard {
    /// A recovery begins or ends: no segment counts as retransmitted in it.
    pub(crate) fn restart_repairs(&mut self) {
        if self.has_rack() {
            // With RACK, the count of lost segments not yet retransmitted does not depend on
            // episodes.
            return;
        }
        let to = self.position(self.high_rxt);
        for segment in self.segments.range_mut(..to) {
            self.pipe -= segment.in_pipe();
            segment.repaired = false;
            self.pipe += segment.in_pipe();
        }
        self.high_rxt = self.front().map_or(0, |s| s.start);
    }

    /// A timeout: everything unSACKed is lost. SACK information is discarded unless `keep`, and
    /// also if the receiver has reneged (the first missing segment was SACKed, RFC 2018 section 8).
    /// RACK marks only the first segment and those overdue by its reordering `window`. Returns
    /// whether SACK information was kept.
    pub(crate) fn time_out(&mut self, now: Nanos, keep: bool, window: Span) -> bool {
        let keep = keep && !self.front().is_some_and(|s| s.sacked);
        if keep && self.has_rack() {
            self.rack_lose_on_timeout(now, window);
            return true;
        }
        self.lose_all(keep);
        keep
    }

    /// Marks everything lost; SACKed segments only if their SACK information is discarded.
    pub(crate) fn lose_all(&mut self, keep: bool) {
        self.note_history();
        if !keep {
            self.runs.clear();
            self.sacked = 0;
            for segment in &mut self.segments {
                segment.sacked = false;
            }
        }
        for segment in &mut self.segments {
            (segment.repaired, segment.corrupted) = (false, false);
            if !segment.lost && !segment.sacked {
                segment.lost = true;
                self.lost_total += u64::from(segment.len);
                self.losses.push(segment.as_lost(self.lost_total));
            }
        }
        self.pipe = 0;
        self.sacked_below = self.sacked;
        self.edge = self.first + self.segments.len() as u64;
        self.high_rxt = self.front().map_or(0, |s| s.start);
        self.rack_rebuild();
    }

    /// Nothing was lost after all: everything unSACKed is outstanding once, and `IsLost` is
    /// evaluated again.
    pub(crate) fn undo_losses(&mut self) {
        self.pipe = 0;
        for segment in &mut self.segments {
            (segment.lost, segment.repaired, segment.by_timer) = (false, false, false);
            self.pipe += segment.in_pipe();
        }
        self.edge = self.first;
        self.sacked_below = 0;
        self.high_rxt = self.front().map_or(0, |s| s.start);
        self.rack_rebuild();
        if !self.runs.is_empty() {
            self.judge();
        }
    }

    /// Watches for the first SACK of segments below `end` that were never retransmitted; 0 ends the
    /// watch.
    pub(crate) const fn watch(&mut self, end: u64) {
        (self.watch_end, self.watched) = (end, false);
    }

    /// Whether such a SACK arrived.
    pub(crate) const fn watched(&self) -> bool {
        self.watched
    }
}
