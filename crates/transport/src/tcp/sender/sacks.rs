//! SACK blocks: RFC 2018, and the duplicates that they report (RFC 2883).

use airtcp_packet::{SackBlock, Segment};
use airtcp_probe::{Cx, Probe};
use airtcp_units::Nanos;

use super::{AckInfo, Env, Sender};
use crate::tcp::recovery::{Evidence, LossRecovery};
use crate::tcp::scoreboard::joined;

impl Sender {
    /// Passes SACK blocks to the scoreboard. Returns whether they SACKed anything new, and the first and last
    /// departure of newly SACKed segments that were sent once.
    pub(super) fn take_sacks(
        &mut self,
        now: Nanos,
        info: &AckInfo,
        segment: &Segment,
        env: &mut Env<'_>,
    ) -> (bool, Option<(Nanos, Nanos)>) {
        let (mut new_sack, mut departures) = (false, None);
        let selective = self.discipline.reads_sacks();
        let reports = self.spurious.is_on() || env.config.eifel_detection;
        if !(selective || reports) {
            return (new_sack, departures);
        }
        let blocks = segment.sacks();
        for (i, block) in blocks.iter().enumerate() {
            let (Some(start), Some(end)) = (
                block.start.unwrap_near(info.iss, self.una),
                block.end.unwrap_near(info.iss, self.una),
            ) else {
                continue;
            };
            if start >= end || end > self.nxt {
                continue;
            }
            if i == 0 && self.is_duplicate_report(start, end, info, blocks.get(1)) {
                env.stats.dsacks += 1;
                self.last_report = Some(end);
                self.spurious.on_duplicate_report(start, end);
                continue;
            }
            if !selective {
                break;
            }
            let from = start.max(self.una.max(info.ack));
            if from < end {
                let (new, sent) = self.board.sack(from, end, now, &mut self.rate);
                new_sack |= new;
                departures = joined(departures, sent);
            }
        }
        (new_sack, departures)
    }

    /// An ACK has SACK blocks although nothing is outstanding: they can only report duplicates.
    pub(super) fn take_late_report<P: Probe>(
        &mut self,
        now: Nanos,
        info: &AckInfo,
        segment: &Segment,
        env: &mut Env<'_>,
        cx: &mut Cx<'_, P>,
    ) {
        let dsacks = env.stats.dsacks;
        self.take_sacks(now, info, segment, env);
        if env.stats.dsacks > dsacks {
            self.detect_spurious(now, &Evidence::default(), env, cx);
        }
    }

    /// RFC 2883 section 4: the first block reports a duplicate if it lies below the
    /// acknowledgement or inside the second block.
    fn is_duplicate_report(
        &self,
        start: u64,
        end: u64,
        info: &AckInfo,
        second: Option<&SackBlock>,
    ) -> bool {
        if end <= info.ack {
            return true;
        }
        second.is_some_and(|b| {
            let s = b.start.unwrap_near(info.iss, self.una);
            let e = b.end.unwrap_near(info.iss, self.una);
            s.is_some_and(|s| s <= start) && e.is_some_and(|e| end <= e)
        })
    }
}
