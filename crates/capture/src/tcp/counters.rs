//! What is counted for one direction of a connection.

use super::cause::Cause;
use super::spurious::Evidence;
use super::timeouts::TimeoutCause;
use super::window::Windows;
use crate::times::Times;

/// Retransmissions of a direction that are kept one by one; later ones are only counted.
pub(super) const MAX_KEPT: usize = 1 << 20;

/// A segment that was sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Retransmission {
    pub(super) time_ns: u64,
    pub(super) sequence: u32,
    pub(super) length: u32,
    pub(super) cause: Cause,
    pub(super) evidence: Evidence,
    /// Data segments before it.
    pub(super) segment: u64,
    /// Why the timer was needed, for a timeout.
    pub(super) timeout: Option<TimeoutCause>,
    /// Time since its first copy, if the capture has it, and the smoothed round-trip time before it.
    pub(super) since_original_ns: Option<u64>,
    pub(super) srtt_ns: Option<u64>,
}

impl Retransmission {
    /// Why the timer was needed, by all that is known now.
    pub(super) fn timeout(&self) -> Option<TimeoutCause> {
        let spurious = self.evidence.is_spurious();
        self.timeout.map(|cause| if spurious { TimeoutCause::Spurious } else { cause })
    }
}

/// Counters of a direction.
#[derive(Debug, Clone, Default)]
pub(super) struct Counters {
    pub(super) packets: u64,
    pub(super) data_segments: u64,
    pub(super) payload_bytes: u64,
    pub(super) unique_bytes: u64,
    pub(super) retransmitted_segments: u64,
    pub(super) retransmitted_bytes: u64,
    pub(super) causes: [u64; 5],
    pub(super) spurious: u64,
    pub(super) evidence: [u64; 5],
    pub(super) out_of_order: u64,
    pub(super) network_duplicates: u64,
    /// Those of them that are left out, because the capture has several points of the path.
    pub(super) copied_segments: u64,
    /// Sum of the times between these and what they are copies of.
    pub(super) duplicate_gap_ns: u64,
    /// Those of them that have another time to live.
    pub(super) copies_elsewhere: u64,
    pub(super) capture_losses: u64,
    pub(super) capture_lost_bytes: u64,
    /// Time from an ACK to data that the capture holds behind it and that did not wait for them.
    pub(super) late_records: Option<Box<Times>>,
    pub(super) acks: u64,
    /// ACKs that cover data.
    pub(super) covering_acks: u64,
    pub(super) duplicate_acks: u64,
    pub(super) duplicate_acks_sack: u64,
    pub(super) dsacks: u64,
    pub(super) zero_windows: u64,
    /// ACKs with a window of 0, and probes of a closed window.
    pub(super) zero_window_acks: u64,
    pub(super) window_probes: u64,
    /// Data of a SYN that the other end did not take.
    pub(super) early_refused_bytes: u64,
    pub(super) keep_alives: u64,
    pub(super) syn_retransmissions: u64,
    pub(super) fin_retransmissions: u64,
    pub(super) largest_flight: u64,
    pub(super) largest_outstanding: u64,
    /// Smoothed round-trip times before each ACK: their number and sum.
    srtts: u64,
    srtt_sum_ns: u64,
    pub(super) windows: Windows,
    pub(super) first_data_ns: Option<u64>,
    pub(super) last_data_ns: Option<u64>,
    pub(super) last_ack_ns: Option<u64>,
    pub(super) kept: Vec<Retransmission>,
}

impl Counters {
    /// Counts a retransmission; its number among those of the direction.
    pub(super) fn on_retransmission(&mut self, sent: Retransmission, bytes: u64) -> usize {
        let number = self.kept.len();
        self.retransmitted_segments += 1;
        self.retransmitted_bytes += bytes;
        self.causes[sent.cause.place()] += 1;
        if number < MAX_KEPT {
            self.kept.push(Retransmission { evidence: Evidence::default(), ..sent });
        }
        self.on_evidence(number, sent.evidence);
        number
    }

    /// Leaves copies of another point of the path out of what the sender sent.
    pub(super) fn leave_out_copies(&mut self) {
        self.copied_segments = self.network_duplicates;
        self.packets -= self.copied_segments;
        self.data_segments -= self.copied_segments;
        self.payload_bytes = self.unique_bytes + self.retransmitted_bytes;
    }

    /// Takes back that copies of retransmissions were seen before.
    pub(super) fn forget_seen_twice(&mut self) {
        for number in 0..self.kept.len() {
            let evidence = Evidence { seen_twice: false, ..self.kept[number].evidence };
            let was = std::mem::replace(&mut self.kept[number].evidence, evidence);
            self.spurious -= u64::from(was.is_spurious() && !evidence.is_spurious());
        }
        if let Some(seen_twice) = self.evidence.last_mut() {
            *seen_twice = 0;
        }
    }

    /// Counts the smoothed round-trip time at an ACK.
    pub(super) fn on_srtt(&mut self, ns: u64) {
        self.srtts += 1;
        self.srtt_sum_ns = self.srtt_sum_ns.saturating_add(ns);
    }

    /// Leaves out the smoothed round-trip times.
    pub(super) const fn forget_srtt(&mut self) {
        (self.srtts, self.srtt_sum_ns) = (0, 0);
    }

    /// Mean of the smoothed round-trip time over the ACKs.
    pub(super) fn srtt_mean_ns(&self) -> Option<f64> {
        (self.srtts > 0).then(|| self.srtt_sum_ns as f64 / self.srtts as f64)
    }

    /// Time from the first data to the last ACK of data, or to the last data if that is later.
    pub(super) fn transfer_ns(&self) -> Option<u64> {
        let last = self.last_ack_ns.max(self.last_data_ns)?;
        last.checked_sub(self.first_data_ns?)
    }

    /// Takes the new evidence on a retransmission.
    pub(super) fn on_evidence(&mut self, number: usize, evidence: Evidence) {
        let Some(kept) = self.kept.get_mut(number) else { return };
        let before = std::mem::replace(&mut kept.evidence, evidence);
        self.spurious += u64::from(evidence.is_spurious() && !before.is_spurious());
        let pairs = [
            (before.dsack, evidence.dsack),
            (before.timestamps, evidence.timestamps),
            (before.early_ack, evidence.early_ack),
            (before.frto, evidence.frto),
            (before.seen_twice, evidence.seen_twice),
        ];
        for (count, (before, after)) in self.evidence.iter_mut().zip(pairs) {
            *count += u64::from(after && !before);
        }
    }
}
