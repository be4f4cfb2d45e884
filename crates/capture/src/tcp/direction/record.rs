//! The points of a direction's series, and its log. Each function does nothing unless they are recorded.

use super::Direction;
use crate::dissect::Segment;
use crate::tcp::series::{AckPoint, RoundPoint, RttPoint, SackPoint, SegmentKind, SegmentPoint};

impl Direction {
    /// A data segment.
    pub(super) fn record_segment(&mut self, segment: &Segment, start: u64, kind: SegmentKind) {
        if let Some(recorder) = &mut self.recorder
            && kind != SegmentKind::Duplicate
        {
            recorder.sent(segment, start);
        }
        if let Some(series) = &mut self.series {
            series.segment(SegmentPoint {
                time_ns: segment.time_ns,
                start,
                length: segment.payload,
                kind,
                spurious: false,
                number: self.counters.kept.len(),
            });
        }
    }

    /// An ACK, after all else was told of it.
    pub(super) fn record_ack(&mut self, segment: &Segment, ack: u64) {
        if let Some(recorder) = &mut self.recorder {
            recorder.ack(segment, ack, self.una);
        }
        let flight = self.series.is_some().then(|| self.flight());
        if let (Some(series), Some(flight)) = (&mut self.series, flight) {
            let time_ns = segment.time_ns;
            series.ack(AckPoint { time_ns, ack, window: self.window, flight });
        }
    }

    /// A SACK block of an ACK.
    pub(super) fn record_sack(&mut self, time_ns: u64, (start, end): (u64, u64), duplicate: bool) {
        if let Some(series) = &mut self.series {
            series.sack(SackPoint { time_ns, start, end, duplicate });
        }
    }

    /// A sample of the round-trip time.
    pub(super) fn record_rtt(&mut self, time_ns: u64, rtt_ns: u64) {
        if let Some(series) = &mut self.series {
            let srtt_ns = self.timeout.srtt_ns().unwrap_or(rtt_ns);
            series.rtt(RttPoint { time_ns, rtt_ns, srtt_ns });
        }
    }

    /// The end of a round trip.
    pub(super) fn record_round(&mut self, time_ns: u64, flight: u64, cwnd: Option<u64>) {
        if let Some(series) = &mut self.series {
            series.round(RoundPoint { time_ns, flight, cwnd, window: self.window });
        }
    }

    /// The log, if it is kept.
    pub(in crate::tcp) fn log(&self) -> Option<Box<crate::tcp::log::Log>> {
        self.recorder.as_ref().map(|recorder| Box::new(recorder.log.clone()))
    }

    /// The series with what later ACKs said of its retransmissions.
    pub(in crate::tcp) fn judged_series(&self) -> Option<Box<super::Series>> {
        let mut series = self.series.clone()?;
        let kept = &self.counters.kept;
        series.judge(|number| kept.get(number).is_some_and(|sent| sent.evidence.is_spurious()));
        Some(series)
    }
}
